// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The shedder of the extensible load manager: bundles move from the most loaded brokers to the
// least loaded ones, and some are swapped for others.
//
//   TransferShedder shedder(rules);
//   TransferRound round = shedder.Shed(reports, policies);     // once a round
//   for (const Transfer& transfer : round.transfers) ...
//
// 1. Mean and deviation of the reported loads are taken. A broker that was unloaded a moment ago
//    ends the round.
// 2. The round goes on only if the loads were uneven several times in a row.
// 3. The most loaded broker offloads half of its lead over the least loaded one, by its busiest
//    bundles, the smallest of them first. If a bundle is too much, smaller ones may come back for
//    it. Then the next pair follows, until the deviation is on target.
//
// Where the peer surprises:
// - What comes back is counted only in debug mode, so that debug mode decides otherwise.
// - The list of bundles that may come back is not begun anew for the next bundle.
// - Old reports are left out of the mean, but their brokers can be chosen.
#ifndef MUSTER_PEER_PULSAR_TRANSFER_SHEDDER_H_
#define MUSTER_PEER_PULSAR_TRANSFER_SHEDDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/pulsar/load.h"

namespace muster::pulsar {

struct TopBundle {
  std::string name;
  double bytes_in = 0, bytes_out = 0;
};

struct BrokerReport {
  std::string name;
  double load = 0, average_bytes = 0;  // averages that the broker keeps
  double bytes_in = 0, bytes_out = 0;
  int64_t age = 0;                                // milliseconds
  std::optional<std::vector<TopBundle>> bundles;  // the busiest, ascending; absent: not reported
};

struct Policies {
  // Brokers that a namespace may use; a namespace that is not listed may use all.
  std::vector<std::pair<std::string, std::vector<std::string>>> allowed;
  std::vector<std::string> isolated;  // namespaces
};

// The cluster beside the reports.
struct TransferWorld {
  std::vector<std::string> available;                             // brokers
  std::vector<std::string> recently_unloaded;                     // bundles
  std::vector<std::pair<std::string, int64_t>> unloaded_brokers;  // milliseconds since
  std::vector<std::string> not_owned;                             // bundles
  // Absent: every bundle may go to every broker, even to one that is not available.
  std::optional<Policies> policies;
};

struct Transfer {
  std::string from, bundle, to;  // `to` is empty if transfers are off
  bool is_overload = false;      // the reason: else underload
};

struct TransferRound {
  enum class Skip : uint8_t {
    kNone,
    kNoBrokers,
    kOutdated,
    kNoLoadData,
    kCoolDown,
    kNoBundles,
    kHitCount
  };
  std::vector<Transfer> transfers;  // in the order in which they were found
  Skip skip = Skip::kNone;
  double mean = 0, deviation = 0;  // the deviation as it is expected afterwards
  std::vector<std::string> unloaded_brokers_left;
};

class TransferShedder {
 public:
  struct Rules {
    double target = 0.25;  // deviation
    int64_t hits = 3;
    bool transfers = true, debug = false, moves_isolated = false;
    int64_t most_pairs = 3;
    int64_t delay = 180'000, oldest = 1'800'000;  // milliseconds
    double overload = 0.85;
    std::vector<std::string> excluded;  // namespaces
  };
  explicit TransferShedder(Rules rules) : rules_(std::move(rules)) {}

  TransferRound Shed(const std::vector<BrokerReport>& reports, TransferWorld world);
  int64_t hits() const { return hits_; }
  void RestoreHits(int64_t hits) { hits_ = hits; }

 private:
  struct Sums {
    double squares = 0, mean = 0, deviation = 0;
    int64_t count = 0;
  };
  // What moves between the two brokers of a pair.
  struct Pair;
  TransferRound::Skip Count(const std::vector<BrokerReport>& reports, TransferWorld* world,
                            Sums* sums) const;
  bool IsUnderloaded(const BrokerReport& least, const BrokerReport& most, double mean) const;
  bool IsOverloaded(const BrokerReport& most, double mean) const;
  void RunPairs(std::vector<const BrokerReport*> sorted, const TransferWorld& world, Sums* sums,
                TransferRound* round) const;
  void Offload(const TransferWorld& world, Pair* pair) const;
  bool Swap(const TransferWorld& world, double bytes, Pair* pair) const;
  bool IsMovable(const TransferWorld& world, const std::string& bundle, const std::string& from,
                 const std::string& to) const;

  const Rules rules_;
  int64_t hits_ = 0;
};

}  // namespace muster::pulsar

#endif  // MUSTER_PEER_PULSAR_TRANSFER_SHEDDER_H_
