// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of merging NUMA hints with scores: every combination written out, then judged.
#ifndef MUSTER_REFERENCE_PEER_KOORDINATOR_SCORED_HINTS_H_
#define MUSTER_REFERENCE_PEER_KOORDINATOR_SCORED_HINTS_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::reference {

struct Scored {
  bool any = false;  // no zones are named
  std::set<int> zones = {};
  bool preferred = false, unsatisfied = false;
  int score = 0;

  friend bool operator==(const Scored&, const Scored&) = default;
};

struct ScoredMerge {
  Scored best;
  bool admitted = false;
};

// `alone`: "idle", "single" or "shared" of each zone, or empty.
ScoredMerge MergeScored(const std::string& policy, const std::set<int>& zones,
                        const std::vector<std::optional<std::vector<Scored>>>& resources,
                        const std::vector<std::string>& alone);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_KOORDINATOR_SCORED_HINTS_H_
