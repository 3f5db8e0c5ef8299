// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The shedder of pairs: the most loaded broker with the least loaded one, and so on inwards. It
// also places what it sheds.
//
//   AvgShedder shedder(rules);
//   shedder.Shed(cluster, order);                    // once a round
//   const std::string* broker = shedder.PlaceOf(bundle, candidates);
//
// A pair that differs enough, often enough in a row, moves a part of the difference. A few
// rounds of a large difference do, or many of a small one.
//
// Where the peer surprises:
// - With an odd number of brokers the one in the middle is paired with itself.
// - Where a bundle goes is remembered by what it carries, not by its name: bundles of equal traffic
//   share a destination, and a new sample of the first of them loses it for all.
#ifndef MUSTER_PEER_PULSAR_AVG_SHEDDER_H_
#define MUSTER_PEER_PULSAR_AVG_SHEDDER_H_

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/pulsar/load.h"

namespace muster::pulsar {

class AvgShedder {
 public:
  struct Rules {
    Weights weights;
    double low = 15, high = 40;  // differences, in points of percent
    int64_t low_hits = 8, high_hits = 2;
    double most_unloaded = 0.2;  // of the difference
    double least_rate = 1'000, least_bytes = 1 << 20;
  };
  explicit AvgShedder(const Rules& rules) : rules_(rules) {}

  // `order`: brokers in the order of the peer's table of scores, which the sort keeps for equals.
  std::vector<Unload> Shed(const Cluster& cluster, const std::vector<std::string>& order);

  // Returns where the bundle is remembered to go, if that is a candidate; null: it is drawn.
  const std::string* PlaceOf(const Bundle& bundle,
                             const std::vector<std::string>& candidates) const;
  // Returns where bundles of such traffic go; null: that is not remembered.
  const std::string* DestinationOf(const Bundle& bundle) const;
  void Remember(const Bundle& bundle, std::string broker);
  // To be called when a bundle gets a new sample: an entry that is filed under it is lost, and with
  // it the destination of all bundles that shared it.
  void Forget(const std::string& bundle);
  // What a bundle carries: averages over few samples, and over many.
  using Key = std::array<double, 8>;
  // Returns the bundle that each destination is filed under, with what it carried.
  const HashMap<std::string, Key>& filed() const { return filed_; }

  const HashMap<std::string, double>& scores() const { return scores_; }
  const HashMap<std::string, int64_t>& high_hits() const { return high_; }
  const HashMap<std::string, int64_t>& low_hits() const { return low_; }
  void RestoreHits(HashMap<std::string, int64_t> low, HashMap<std::string, int64_t> high) {
    low_ = std::move(low);
    high_ = std::move(high);
  }

 private:
  static Key KeyOf(const Bundle& bundle);
  struct Pair {
    const Broker *low, *high;
  };
  std::vector<Pair> Match(std::vector<const Broker*> sorted);
  bool IsDue(const Pair& pair);
  std::vector<std::string> Move(const Pair& pair, BundleFinder* finder);

  const Rules rules_;
  HashMap<std::string, double> scores_;
  HashMap<std::string, int64_t> high_, low_;
  HashMap<Key, std::string> destinations_;  // by traffic
  HashMap<std::string, Key> filed_;         // by the bundle that was remembered first
};

}  // namespace muster::pulsar

#endif  // MUSTER_PEER_PULSAR_AVG_SHEDDER_H_
