// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/reservation/reservation_index.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace muster {
namespace {

std::string Trimmed(const std::string& word) {
  return std::string(absl::StripAsciiWhitespace(absl::string_view(word.data(), word.size())));
}

}  // namespace

ReservationIndex::ReservationIndex(const Config& config) {
  for (const std::string& word : config.prefixes) {
    std::string prefix = Trimmed(word);
    if (prefix.empty()) continue;
    if (std::find(prefixes_.begin(), prefixes_.end(), prefix) == prefixes_.end()) {
      prefixes_.push_back(std::move(prefix));
    }
  }
  for (const std::string& word : config.keys) {
    if (std::string key = Trimmed(word); !key.empty()) keys_.insert(std::move(key));
  }
}

std::string_view ReservationIndex::PrefixOf(std::string_view key) const {
  for (const std::string& prefix : prefixes_) {
    if (key.starts_with(prefix)) return prefix;
  }
  return {};
}

void ReservationIndex::Put(const std::string& uid, const std::string& node, const Labels& labels) {
  Remove(uid);
  if (node.empty()) return;
  Place place{.node = node, .buckets = {}};
  for (const auto& [key, value] : labels) {
    // A label counts in both lists: a look asks one of them.
    if (HasKey(key)) place.buckets.insert({true, key, value});
    if (const std::string_view prefix = PrefixOf(key); !prefix.empty()) {
      place.buckets.insert({false, std::string(prefix), ""});
    }
  }
  if (place.buckets.empty()) return;
  for (const Bucket& bucket : place.buckets) nodes_[bucket][node].insert(uid);
  places_[uid] = std::move(place);
}

void ReservationIndex::Remove(const std::string& uid) {
  const auto place = places_.find(uid);
  if (place == places_.end()) return;
  for (const Bucket& bucket : place->second.buckets) {
    auto& nodes = nodes_[bucket];
    nodes[place->second.node].erase(uid);
    if (nodes[place->second.node].empty()) nodes.erase(place->second.node);
    if (nodes.empty()) nodes_.erase(bucket);
  }
  places_.erase(place);
}

std::optional<ReservationIndex::Bucket> ReservationIndex::BucketOf(const std::string& key,
                                                                   const std::string& value) const {
  if (HasKey(key)) return Bucket{true, key, value};
  const std::string_view prefix = PrefixOf(key);
  if (prefix.empty()) return std::nullopt;
  return Bucket{false, std::string(prefix), ""};
}

std::optional<std::vector<std::string>> ReservationIndex::NodesFor(const Labels& selector) const {
  std::set<Bucket> asked;
  for (const auto& [key, value] : selector) {
    if (const std::optional<Bucket> bucket = BucketOf(key, value)) asked.insert(*bucket);
  }
  if (asked.empty()) return std::nullopt;
  const std::map<std::string, std::set<std::string>>* shortest = nullptr;
  for (const Bucket& bucket : asked) {
    const auto nodes = nodes_.find(bucket);
    if (nodes == nodes_.end()) return std::vector<std::string>();
    if (shortest == nullptr || nodes->second.size() < shortest->size()) shortest = &nodes->second;
  }
  std::vector<std::string> names;
  for (const auto& [node, uids] : *shortest) names.push_back(node);
  return names;
}

}  // namespace muster
