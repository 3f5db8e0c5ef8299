// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Options of actions `place` and `rebalance`. Defaults are the peer's.
#ifndef MUSTER_PEER_PULSAR_OPTIONS_H_
#define MUSTER_PEER_PULSAR_OPTIONS_H_

#include <algorithm>
#include <array>
#include <cstddef>

#include "muster/policy.h"

namespace muster::pulsar {

inline constexpr std::array<OptionDecl, 11> kPlaceOptions = {{
    {"placement", OptionKind::kChoice, "rate", 0, 0,
     "rate|usage|round_robin|avg|load: who gets a bundle; load is the extensible manager's"},
    {"even", OptionKind::kFlag, "on", 0, 0,
     "only brokers with the fewest bundles of the namespace; not with placement=load"},
    {"most_topics", OptionKind::kWhole, "50000", 0, 1e9, "topics of a broker"},
    {"overload", OptionKind::kNumber, "85", 0, 1e6, "percent above which a broker is overloaded"},
    {"difference", OptionKind::kNumber, "10", 0, 1e6,
     "percent below the mean, of the placements by usage and by load"},
    {"history", OptionKind::kNumber, "0.9", 0, 1, "weight of the past in averages of usage"},
    {"cpu_weight", OptionKind::kNumber, "1", 0, 1e6, "of cpu in a broker's usage"},
    {"memory_weight", OptionKind::kNumber, "0", 0, 1e6, "of memory; the extensible manager's"},
    {"direct_memory_weight", OptionKind::kNumber, "0", 0, 1e6, "of direct memory"},
    {"bandwidth_in_weight", OptionKind::kNumber, "1", 0, 1e6, "of bandwidth in"},
    {"bandwidth_out_weight", OptionKind::kNumber, "1", 0, 1e6, "of bandwidth out"},
}};

inline constexpr std::array<OptionDecl, 32> kShedOptions = {{
    {"shedding", OptionKind::kChoice, "threshold", 0, 0,
     "threshold|overload|uniform|avg|transfer|none: which bundles leave their broker"},
    {"grace", OptionKind::kWhole, "1800", 0, 1e9, "seconds in which a bundle moves once"},
    {"threshold", OptionKind::kNumber, "10", 0, 1e6, "threshold: percent above the mean"},
    {"least_mib", OptionKind::kNumber, "10", 0, 1e9, "threshold: MiB a second worth a move"},
    {"lower_boundary", OptionKind::kFlag, "off", 0, 0,
     "threshold: also unload to a broker far below the mean"},
    {"rate_difference", OptionKind::kNumber, "50", 0, 1e9, "uniform: percent; 0: not looked at"},
    {"bytes_multiple", OptionKind::kNumber, "4", 0, 1e9, "uniform: ratio; 0: not looked at"},
    {"most_bundles", OptionKind::kWhole, "-1", -1, 1e9, "uniform: of a round; -1: any number"},
    {"most_unloaded", OptionKind::kNumber, "0.2", 0, 1, "uniform, avg: part of the difference"},
    {"least_rate", OptionKind::kNumber, "1000", 0, 1e9, "uniform, avg: messages worth a move"},
    {"least_bytes", OptionKind::kNumber, "1048576", 0, 1e12, "uniform, avg: bytes worth a move"},
    {"low", OptionKind::kNumber, "15", -1e6, 1e6, "avg: points of percent of a small difference"},
    {"high", OptionKind::kNumber, "40", -1e6, 1e6, "avg: points of percent of a large one"},
    {"low_hits", OptionKind::kWhole, "8", 0, 1e9, "avg: rounds of a small difference"},
    {"high_hits", OptionKind::kWhole, "2", 0, 1e9, "avg: rounds of a large one"},
    {"target", OptionKind::kNumber, "0.25", 0, 1e6, "transfer: deviation of loads"},
    {"hits", OptionKind::kWhole, "3", 0, 1e9, "transfer: uneven rounds before it acts"},
    {"transfers", OptionKind::kFlag, "on", 0, 0,
     "transfer: the shedder names the broker; off: the placement does"},
    {"debug", OptionKind::kFlag, "off", 0, 0, "transfer: count what is swapped back"},
    {"moves_isolated", OptionKind::kFlag, "off", 0, 0, "transfer: namespaces with policies too"},
    {"most_pairs", OptionKind::kWhole, "3", 1, 1e9, "transfer: pairs of brokers in a round"},
    {"top_bundles", OptionKind::kWhole, "10", 1, 1e6, "transfer: bundles of a report"},
    {"delay", OptionKind::kWhole, "180", 0, 1e9, "transfer: seconds from unload to report"},
    {"oldest", OptionKind::kWhole, "1800", 0, 1e9, "transfer: seconds that a report counts"},
    {"split", OptionKind::kFlag, "on", 0, 0, "bundles that carry too much split"},
    {"split_topics", OptionKind::kWhole, "1000", 0, 1e9, "topics of a bundle"},
    {"split_sessions", OptionKind::kWhole, "1000", 0, 1e9, "sessions of a bundle; 0: any number"},
    {"split_rate", OptionKind::kNumber, "30000", 0, 1e12, "messages a second of a bundle"},
    {"split_mib", OptionKind::kNumber, "100", 0, 1e9, "MiB a second of a bundle"},
    {"namespace_bundles", OptionKind::kWhole, "128", 0, 1e9, "bundles of a namespace at most"},
    {"split_hits", OptionKind::kWhole, "3", 0, 1e9,
     "transfer: rounds above a limit before the one in which a bundle splits"},
    {"most_splits", OptionKind::kWhole, "10", 1, 1e9, "transfer: bundles that split in a round"},
}};

template <size_t A, size_t B>
constexpr std::array<OptionDecl, A + B> Joined(const std::array<OptionDecl, A>& a,
                                               const std::array<OptionDecl, B>& b) {
  std::array<OptionDecl, A + B> all = {};
  for (size_t i = 0; i < A; ++i) all[i] = a[i];
  for (size_t i = 0; i < B; ++i) all[A + i] = b[i];
  return all;
}

inline constexpr std::array<OptionDecl, 43> kRebalanceOptions = Joined(kShedOptions, kPlaceOptions);

}  // namespace muster::pulsar

#endif  // MUSTER_PEER_PULSAR_OPTIONS_H_
