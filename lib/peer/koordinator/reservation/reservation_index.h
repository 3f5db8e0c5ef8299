// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes with reservations that have the labels of a selector.
//
//   ReservationIndex index({.prefixes = {"team-"}, .keys = {"model"}});
//   index.Put("uid", "n1", {{"model", "x"}});
//   index.NodesFor({{"model", "x"}});   // {"n1"}
//
// Idea. A key of the configuration is looked up with its value, a prefix by the key alone. The
// answer is the shortest list of nodes among those of the selector's keys. It may have too many
// nodes, never too few.
//
// Peer. Koordinator's index of reservation selectors. A key that both lists cover counts as a key.
// Of prefixes, the first that a key begins with counts.
//
// Ties. Of equally short lists, that of a prefix is first, then by key.
//
// Cost. O(labels x prefixes) a change; O(selector x prefixes + nodes of the answer) a look.
#ifndef MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_INDEX_H_
#define MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_INDEX_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "muster/spec.h"

namespace muster {

class ReservationIndex {
 public:
  // White space around a word is dropped, and so are empty words.
  struct Config {
    std::vector<std::string> prefixes, keys;
  };
  ReservationIndex() = default;  // covers nothing
  explicit ReservationIndex(const Config& config);

  bool covers_any() const { return !prefixes_.empty() || !keys_.empty(); }
  const std::vector<std::string>& prefixes() const { return prefixes_; }
  const std::set<std::string>& keys() const { return keys_; }
  // The prefix that the key counts under; empty: none.
  std::string_view PrefixOf(std::string_view key) const;
  bool HasKey(const std::string& key) const { return keys_.contains(key); }

  // Replaces what is known of the reservation. Without a node or labels, nothing is known.
  void Put(const std::string& uid, const std::string& node, const Labels& labels);
  void Remove(const std::string& uid);

  // Returns the nodes, ascending; nothing if no key of the selector is covered.
  std::optional<std::vector<std::string>> NodesFor(const Labels& selector) const;
  size_t size() const { return places_.size(); }

 private:
  // A list of nodes: of a prefix, or of a key with a value.
  struct Bucket {
    bool is_key = false;
    std::string word, value;
    auto operator<=>(const Bucket&) const = default;
  };
  struct Place {
    std::string node;
    std::set<Bucket> buckets;
  };
  std::optional<Bucket> BucketOf(const std::string& key, const std::string& value) const;

  std::vector<std::string> prefixes_;
  std::set<std::string> keys_;
  std::map<Bucket, std::map<std::string, std::set<std::string>>> nodes_;  // to node, to uids
  std::map<std::string, Place> places_;                                   // by uid
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_INDEX_H_
