// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Elastic quotas of namespaces: a minimum of their own, a maximum, and borrowing of what others do
// not use.
//
//   CapacityQuotas quotas;
//   quotas.Add("vision", {.min = {{{"cpu", 16000}}}, .max = {{{"cpu", 64000}}}});
//   quotas.Use("vision", "vision/t1", request);            // a task runs or is about to
//   quotas.OverMax(account, more); quotas.OverMins(more);  // may `more` start?
//
// Idea. A namespace may go above its minimum, up to its maximum, as long as all namespaces together
// stay within the sum of the minimums. So what a namespace borrows is always an unused minimum of
// another one. Sums are exact, also past the end of 64 bits.
//
// Peer. scheduler-plugins' capacity scheduling.
// - An amount equal to a bound is within it.
// - A maximum that is given but does not name cpu, memory, ephemeral-storage or pods bounds these
//   by 0. Any other resource that it does not name is unbounded.
// - The sum is also checked in resources that the task does not request. So one namespace above the
//   sum of the minimums in such a resource holds up every task.
//
// Cost. Sums of use and of minimums are kept: every question, every task and every edit of a quota
// is O(resources), whatever the number of namespaces.
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_QUOTAS_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_QUOTAS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/share/resource_names.h"
#include "lib/share/sparse.h"

namespace muster {

struct CapacityLimits {
  std::optional<NamedAmounts> min = {};  // absent: nothing
  std::optional<NamedAmounts> max = {};  // absent: no limit
  NamedAmounts used = {};                // of a new quota: by tasks that are not listed one by one
};

class CapacityQuotas {
 public:
  using Index = uint32_t;
  static constexpr Index kNone = ~Index{0};

  struct Account {
    std::string name_space;
    Sparse min, max;
    SparseSum used;
    bool unlimited = false;
    bool alive = true;
    HashSet<std::string> tasks;  // for membership only
  };

  // Adds the quota of a namespace; a namespace that has a quota keeps it.
  absl::Status Add(std::string_view name_space, const CapacityLimits& limits);
  // Sets new limits of a namespace; its use stays. A namespace without a quota gets one.
  absl::Status Update(std::string_view name_space, const CapacityLimits& limits);
  void Remove(std::string_view name_space);

  // Counts a task once. In a namespace without a quota it is not counted at all.
  absl::Status Use(std::string_view name_space, std::string_view task, const NamedAmounts& request);
  absl::Status Release(std::string_view name_space, std::string_view task,
                       const NamedAmounts& request);

  Index Find(std::string_view name_space) const;  // kNone: it has no quota
  const Account& at(Index account) const { return accounts_[account]; }
  size_t size() const { return accounts_.size(); }
  const SparseSum& all_used() const { return all_used_; }
  std::vector<std::string> NameSpaces() const;  // as they came
  const ResourceNames& names() const { return names_; }
  // Returns the amounts of a task; an error names it.
  absl::StatusOr<Sparse> Request(std::string_view task, const NamedAmounts& request);

  // Returns whether use and `more` are above a bound.
  static bool OverMin(const Account& account, const SparseSum& used, const SparseSum& more);
  static bool OverMin(const Account& account, const SparseSum& used);
  static bool OverMax(const Account& account, const SparseSum& used, const SparseSum& more);
  bool OverMins(const SparseSum& all_used, const SparseSum& more) const;

 private:
  absl::Status Set(Index account, std::string_view name_space, const CapacityLimits& limits);

  // The first four are bounded by every maximum that is given at all.
  ResourceNames names_{{"cpu", "memory", "ephemeral-storage", "pods"}};
  std::vector<Account> accounts_;
  HashMap<std::string, Index> index_;
  SparseSum all_min_, all_used_;
};

}  // namespace muster

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_QUOTAS_H_
