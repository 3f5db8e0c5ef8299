// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Elastic quotas of namespaces: a minimum that is theirs, a maximum, and borrowing of what others do not use.
//
//   CapacityQuotas quotas;
//   quotas.Add("vision", {.min = {{{"cpu", 16000}}}, .max = {{{"cpu", 64000}}}});
//   quotas.Use("vision", "vision/t1", request);            // a task runs or is about to
//   quotas.OverMax(account, more); quotas.OverMins(more);  // may `more` start?
//
// Idea. A namespace may go above its minimum, up to its maximum, as long as all namespaces together stay within the
// sum of the minimums: what is borrowed is always somebody's unused minimum.
// Sums are exact, also past the end of 64 bits.
// Cost. Sums of use and of minimums are kept: every question, every task and every edit of a quota is O(resources),
// whatever the number of namespaces.
// Peer. scheduler-plugins' capacity scheduling. Equality is within a bound. A maximum that is given but does not
// name cpu, memory, ephemeral-storage or pods bounds these by 0; any other resource it does not name is unbounded.
// The sum is also checked in resources that the task does not ask for, so one namespace above the sum of the
// minimums in such a resource holds up everybody.
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_QUOTAS_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_QUOTAS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/share/resource_names.h"
#include "lib/share/sparse.h"

namespace muster {

struct CapacityLimits {
  std::optional<NamedAmounts> min = {};  // absent: nothing
  std::optional<NamedAmounts> max = {};  // absent: no limit
  NamedAmounts used = {};                // of a new quota: by tasks that are not told one by one
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
    absl::flat_hash_set<std::string> tasks;  // asked for membership only
  };

  // The quota of a namespace; one that has a quota keeps it.
  absl::Status Add(std::string_view name_space, const CapacityLimits& limits);
  // New limits of a namespace, whose use stays; one that has no quota gets it.
  absl::Status Update(std::string_view name_space, const CapacityLimits& limits);
  void Remove(std::string_view name_space);

  // A task is counted once; in a namespace without a quota it is not counted at all.
  absl::Status Use(std::string_view name_space, std::string_view task, const NamedAmounts& request);
  absl::Status Release(std::string_view name_space, std::string_view task,
                       const NamedAmounts& request);

  Index Find(std::string_view name_space) const;  // kNone: it has no quota
  const Account& at(Index account) const { return accounts_[account]; }
  size_t size() const { return accounts_.size(); }
  const SparseSum& all_used() const { return all_used_; }
  std::vector<std::string> NameSpaces() const;  // as they came
  const ResourceNames& names() const { return names_; }
  // Amounts of a task; an error names it.
  absl::StatusOr<Sparse> Request(std::string_view task, const NamedAmounts& request);

  // Whether use and `more` are above a bound.
  static bool OverMin(const Account& account, const SparseSum& used, const SparseSum& more);
  static bool OverMin(const Account& account, const SparseSum& used);
  static bool OverMax(const Account& account, const SparseSum& used, const SparseSum& more);
  bool OverMins(const SparseSum& all_used, const SparseSum& more) const;

 private:
  absl::Status Set(Index account, std::string_view name_space, const CapacityLimits& limits);

  // The first four are bounded by every maximum that is given at all.
  ResourceNames names_{{"cpu", "memory", "ephemeral-storage", "pods"}};
  std::vector<Account> accounts_;
  absl::flat_hash_map<std::string, Index> index_;
  SparseSum all_min_, all_used_;
};

}  // namespace muster

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_QUOTAS_H_
