// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/zones/node_report.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace muster::scheduler_plugins {
namespace {

constexpr uint64_t kPrimes[] = {11400714785074694791u, 14029467366897019727u, 1609587929392839161u,
                                9650029242287828579u, 2870177450012600261u};
constexpr size_t kStripe = 32;
constexpr std::string_view kPrefix = "pfp0", kVersion = "v001";
constexpr size_t kShortestSum = 8;

// The next `count` bytes, the lowest first.
uint64_t Bytes(std::string_view text, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[at + i]);
  return value;
}
uint64_t Mix(uint64_t lane, uint64_t input) {
  return std::rotl(lane + input * kPrimes[1], 31) * kPrimes[0];
}

// Whole stripes of 32 bytes.
uint64_t HashStripes(std::string_view text, uint64_t seed, size_t* at) {
  uint64_t lanes[] = {seed + kPrimes[0] + kPrimes[1], seed + kPrimes[1], seed, seed - kPrimes[0]};
  for (; *at + kStripe <= text.size(); *at += kStripe) {
    for (size_t i = 0; i < 4; ++i) lanes[i] = Mix(lanes[i], Bytes(text, *at + 8 * i, 8));
  }
  uint64_t hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
                  std::rotl(lanes[3], 18);
  for (const uint64_t lane : lanes) hash = (hash ^ Mix(0, lane)) * kPrimes[0] + kPrimes[3];
  return hash;
}

std::string Hexadecimal(uint64_t value) { return absl::StrCat(absl::Hex(value, absl::kZeroPad16)); }

}  // namespace

uint64_t HashOf(std::string_view text, uint64_t seed) {
  size_t at = 0;
  uint64_t hash = text.size() < kStripe ? seed + kPrimes[4] : HashStripes(text, seed, &at);
  hash += text.size();
  for (; at + 8 <= text.size(); at += 8) {
    hash = std::rotl(hash ^ Mix(0, Bytes(text, at, 8)), 27) * kPrimes[0] + kPrimes[3];
  }
  for (; at + 4 <= text.size(); at += 4) {
    hash = std::rotl(hash ^ Bytes(text, at, 4) * kPrimes[0], 23) * kPrimes[1] + kPrimes[2];
  }
  for (; at < text.size(); ++at) {
    hash = std::rotl(hash ^ Bytes(text, at, 1) * kPrimes[4], 11) * kPrimes[0];
  }
  hash = (hash ^ hash >> 33) * kPrimes[1];
  hash = (hash ^ hash >> 29) * kPrimes[2];
  return hash ^ hash >> 32;
}

std::optional<int> ZoneIdOf(std::string_view name) {
  constexpr std::string_view kStart = "node-";
  if (name.substr(0, kStart.size()) != kStart) return std::nullopt;
  name.remove_prefix(kStart.size());
  int id = 0;
  const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  if (error != std::errc() || stop != name.data() + name.size() || id < 0) return std::nullopt;
  return id;
}

ResourceNames ResourceNamesOf(const NodeReport& report) {
  ResourceNames names;
  for (const ReportedZone& zone : report.zones) {
    for (const ReportedAmount& amount : zone.amounts) names.insert(amount.resource);
  }
  return names;
}

const std::string* FindAttribute(const AttributeList& attributes, std::string_view name) {
  for (const auto& [key, value] : attributes) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::optional<ResyncMethod> ResyncMethodOf(std::optional<std::string_view> word) {
  if (!word.has_value() || *word == "Autodetect") return ResyncMethod::kAutodetect;
  if (*word == "All") return ResyncMethod::kAll;
  if (*word == "OnlyExclusiveResources") return ResyncMethod::kOnlyExclusive;
  return std::nullopt;
}

ExpectedFingerprint FingerprintOf(const NodeReport& report, ResyncMethod method) {
  const std::string* text = FindAttribute(report.attributes, "nodeTopologyPodsFingerprint");
  if (text == nullptr) return {report.fingerprint_annotation, false};
  const std::string* stated = FindAttribute(report.attributes, "nodeTopologyPodsFingerprintMethod");
  const bool states_exclusive = stated != nullptr && *stated == "with-exclusive-resources";
  return {*text, method == ResyncMethod::kOnlyExclusive ||
                     (method == ResyncMethod::kAutodetect && states_exclusive)};
}

std::string PodsFingerprint(std::span<const PodName> pods) {
  std::vector<uint64_t> hashes;
  for (const PodName& pod : pods) hashes.push_back(HashOf(pod.name, HashOf(pod.name_space)));
  std::sort(hashes.begin(), hashes.end());
  std::string bytes;
  for (const uint64_t hash : hashes) {
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(hash >> shift & 0xff);
  }
  return absl::StrCat("pfp0v001", Hexadecimal(HashOf(bytes)));
}

FingerprintCheck CheckFingerprint(std::string_view expected, std::span<const PodName> pods) {
  if (expected.size() < kPrefix.size() + kVersion.size() + kShortestSum ||
      expected.substr(0, kPrefix.size()) != kPrefix) {
    return FingerprintCheck::kMalformed;
  }
  if (expected.substr(kPrefix.size(), kVersion.size()) != kVersion) {
    return FingerprintCheck::kOtherVersion;
  }
  return expected == PodsFingerprint(pods) ? FingerprintCheck::kMatch : FingerprintCheck::kMismatch;
}

}  // namespace muster::scheduler_plugins
