// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Bundles as ranges of hashes: the busiest ones of a broker, and those that are split.
//
//   std::vector<BundleStats> top = TopBundles(std::move(stats), 10);   // the least busy first
//   SplitStrategy strategy(rules);
//   for (const Split& split : strategy.Choose(stats, world)) ...
//   auto cuts = CutEvenly({0, 0x80000000}, topics);
#ifndef MUSTER_PEER_PULSAR_BUNDLES_H_
#define MUSTER_PEER_PULSAR_BUNDLES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/pulsar/load.h"

namespace muster::pulsar {

struct BundleStats {
  std::string name;
  Traffic traffic;
  int64_t topics = 0, consumers = 0, producers = 0, cache = 0;
  int64_t sessions() const { return consumers + producers; }
};

// Returns the `count` busiest bundles, the least busy of them first. Bundles of nearly equal
// traffic are equal; which of them are taken, and their order, follow from the peer's partition.
std::vector<BundleStats> TopBundles(std::vector<BundleStats> bundles, size_t count);

struct SplitLimits {
  int64_t topics = 1'000, sessions = 1'000;
  double rate = 30'000, bytes = 100.0 * 1024 * 1024;
  int64_t bundles = 128;  // of a namespace
};

// The modular manager: bundles to split, with their numbers in `stats`. `longly`: averages over
// many samples; a bundle without counts as idle. `bundles`: of each namespace.
std::vector<size_t> ChooseSplits(const std::vector<BundleStats>& stats,
                                 const HashMap<std::string, Traffic>& longly,
                                 HashMap<std::string, int64_t> bundles, const SplitLimits& limits);

// A range of hashes, [lower, upper).
struct HashRange {
  int64_t lower = 0, upper = 0;
};
// Reads the range of "tenant/space/0xLLLLLLLL_0xUUUUUUUU"; nothing if the name has none, or an
// empty one, or one beyond 32 bits.
std::optional<HashRange> RangeOf(std::string_view bundle);

// The extensible manager: bundles that exceed a limit several rounds in a row.
class SplitStrategy {
 public:
  struct Rules {
    SplitLimits limits;
    int64_t hits = 3, most_splits = 10;
  };
  enum class Reason : uint8_t { kTopics, kSessions, kRate, kBytes };
  struct Split {
    std::string bundle;
    Reason reason;
    int64_t boundary;
  };
  struct World {
    HashMap<std::string, int64_t> bundles;  // of each namespace
    std::vector<std::string> splitting, not_owned;
  };
  explicit SplitStrategy(const Rules& rules) : rules_(rules) {}

  std::vector<Split> Choose(const std::vector<BundleStats>& stats, const World& world);
  const HashMap<std::string, int64_t>& hits() const { return hits_; }
  void RestoreHits(HashMap<std::string, int64_t> hits) { hits_ = std::move(hits); }

 private:
  std::optional<Reason> Exceeds(const BundleStats& stats) const;

  const Rules rules_;
  HashMap<std::string, int64_t> hits_;
};

// --- where a bundle is cut

struct Topic {
  int64_t hash = 0;
  std::optional<Traffic> traffic;  // absent: not known
};
using Cuts = std::vector<int64_t>;

Cuts CutRange(const HashRange& range);
// Each half gets as many topics; nothing with fewer than two.
std::optional<Cuts> CutByTopics(std::vector<Topic> topics);
// At those of the positions that lie inside; nothing without any, or with fewer than two topics.
std::optional<Cuts> CutAtPositions(const HashRange& range, const std::vector<Topic>& topics,
                                   Cuts positions);
// So that each part stays within the limits, which a bundle must exceed by `difference` percent.
std::optional<Cuts> CutByTraffic(const std::vector<Topic>& topics, double most_rate,
                                 double most_bytes, double difference);

}  // namespace muster::pulsar

#endif  // MUSTER_PEER_PULSAR_BUNDLES_H_
