// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of preemption under elastic quotas of namespaces: lists of tasks, every sum taken
// anew.
#ifndef MUSTER_REFERENCE_PEER_SCHEDULER_PLUGINS_NAMESPACE_QUOTAS_H_
#define MUSTER_REFERENCE_PEER_SCHEDULER_PLUGINS_NAMESPACE_QUOTAS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::reference {

struct CapacityWorld {
  using Amounts = std::map<std::string, int64_t>;
  struct Quota {
    Amounts min;
    std::optional<Amounts> max;
  };
  struct Task {
    std::string name, name_space, node;  // node: it runs there, or is nominated
    Amounts request;
    int32_t priority = 0;
    int64_t started = 0;
    bool nominated = false;
    std::vector<size_t> budgets;
  };
  std::map<std::string, Quota> quotas;
  std::map<std::string, Amounts> nodes;
  std::vector<Task> tasks;
  std::vector<int64_t> budgets;
  bool quotas_follow = false;

  // "fits", "above max" or "above mins".
  std::string Admit(const Task& task) const;
  // "victims", "no candidate", "no room", "too large", "over quota", "removed twice" or "needless".
  struct DryRunResult {
    std::string outcome;
    std::vector<std::string> victims;
    int broken_budgets = 0;
  };
  DryRunResult DryRun(const Task& task, const std::string& node) const;
};

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_SCHEDULER_PLUGINS_NAMESPACE_QUOTAS_H_
