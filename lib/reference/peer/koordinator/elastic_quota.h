// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Slow twin of the elastic quota tree: everything from scratch, by names.
//
// Where a tree of groups stands still, each group's request, use and runtime follow from its tasks,
// its parameters and the total alone. This counts them so: requests and use summed up over whole
// subtrees, runtimes handed out from the root down, one unit rule at a time. It knows no event and
// remembers nothing.
#ifndef MUSTER_REFERENCE_PEER_KOORDINATOR_ELASTIC_QUOTA_H_
#define MUSTER_REFERENCE_PEER_KOORDINATOR_ELASTIC_QUOTA_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster::reference {

using QuotaAmounts = std::map<std::string, int64_t>;

struct QuotaWorld {
  struct Group {
    std::string name, parent;  // parents come first; empty: the root
    bool lends = true;
    QuotaAmounts max, min, weight;
  };
  struct Task {
    std::string group;
    QuotaAmounts request;
    bool assigned = false;
  };
  QuotaAmounts total;
  bool scale_min = true;
  std::vector<Group> groups;
  std::vector<Task> tasks;
};

struct QuotaState {
  QuotaAmounts request, used, runtime;
};

std::map<std::string, QuotaState> SettledQuota(const QuotaWorld& world);

// What each of some children gets of `total`, by the rule of one level.
struct QuotaChild {
  std::string name;
  int64_t request = 0, weight = 0, min = 0;
  bool lends = true;
};
std::vector<int64_t> HandOut(int64_t total, const std::vector<QuotaChild>& children);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_KOORDINATOR_ELASTIC_QUOTA_H_
