// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/capacity_check.h"

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/peer/yarn/requests.h"

namespace muster::yarn {
namespace {

constexpr double kPercentSlack = 0.0005;  // of sums of fractions

std::string AmountText(const Resource& r) {
  return absl::StrCat("[memory=", r.memory, ",vcores=", r.vcores, "]");
}

class CapacityChecker {
 public:
  // `label` is empty for the default partition.
  CapacityChecker(const std::vector<QueuePath>& rows, const QueueTable& queues,
                  const CapacitySettings& settings, Partition partition, std::string_view label)
      : rows_(rows),
        queues_(queues),
        settings_(settings),
        partition_(partition),
        label_(label),
        families_(rows.size()) {}

  absl::Status Check() {
    std::vector<Resource> most(rows_.size());  // that a queue sets, or one above it; 0: none
    for (size_t i = 1; i < rows_.size(); ++i) {
      if (!Of(i).is_accessible) continue;
      Family& family = families_[rows_[i].parent];
      const PartitionSettings& own = Of(i);
      if (family.first == 0 || (IsNothing(family.first) && !IsNothing(i))) family.first = i;
      if (own.mode != Of(family.first).mode && !IsNothing(i)) {
        return Refuse(i, absl::StrCat("its capacity is of another kind than that of queue ",
                                      NameOf(family.first),
                                      " of the same parent; must all be percents, weights or "
                                      "amounts"));
      }
      family.amount += own.amount;
      family.percent += own.mode == CapacityMode::kPercent ? static_cast<double>(own.capacity) : 0;
      most[i] = own.max_amount;
      if (absl::Status s = CheckMaximum(i, most[rows_[i].parent], &most[i]); !s.ok()) return s;
    }
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (families_[i].first == 0) continue;
      absl::Status s = CheckPercents(i);
      if (s.ok()) s = CheckAmounts(i);
      if (!s.ok()) return s;
    }
    return absl::OkStatus();
  }

 private:
  // The queues of one parent.
  struct Family {
    size_t first = 0;  // with a capacity, if one has; 0: there is none
    double percent = 0;
    Resource amount;
  };

  const PartitionSettings& Of(size_t row) const {
    return settings_.queues[row].partitions[partition_];
  }
  // A capacity of 0 is of any kind.
  bool IsNothing(size_t row) const {
    const PartitionSettings& own = Of(row);
    return (own.mode == CapacityMode::kPercent && own.capacity == 0) ||
           (own.mode == CapacityMode::kAbsolute && own.amount.IsZero());
  }
  bool HasAmount(size_t row) const { return Of(row).mode == CapacityMode::kAbsolute; }
  bool IsAbove(const Resource& a, const Resource& b) const {
    return Greater(settings_.calculator, {}, a, b);
  }
  std::string NameOf(size_t row) const { return Quote(queues_.spec[rows_[row].queue].name); }
  absl::Status Refuse(size_t row, absl::string_view rule) const {
    const std::string label = label_.empty() ? "" : absl::StrCat(", label ", Quote(label_));
    return absl::InvalidArgumentError(absl::StrCat("queue ", NameOf(row), label, ": ", rule));
  }

  absl::Status CheckMaximum(size_t row, const Resource& above, Resource* most) const {
    if (!HasAmount(row)) return absl::OkStatus();
    if (!above.IsZero() && IsAbove(*most, above)) {
      return Refuse(row, absl::StrCat("its maximum capacity is ", AmountText(*most),
                                      "; must be within that of its parent, ", AmountText(above)));
    }
    if (most->IsZero()) *most = above;
    if (!most->IsZero() && IsAbove(Of(row).amount, *most)) {
      return Refuse(row,
                    absl::StrCat("its capacity is ", AmountText(Of(row).amount),
                                 "; must be within its maximum capacity, ", AmountText(*most)));
    }
    return absl::OkStatus();
  }

  absl::Status CheckPercents(size_t parent) const {
    const Family& family = families_[parent];
    if (Of(family.first).mode != CapacityMode::kPercent) return absl::OkStatus();
    const PartitionSettings& above = Of(parent);
    const bool may_be_zero =
        partition_ != kDefaultPartition ||
        (parent != 0 && (above.mode != CapacityMode::kPercent ||
                         static_cast<double>(above.capacity) <= kPercentSlack));
    const bool may_be_whole =
        parent == 0 || above.mode != CapacityMode::kPercent || above.capacity > 0;
    const bool is_zero = family.percent <= kPercentSlack;
    const bool is_whole = std::abs(family.percent - 1) <= kPercentSlack;
    if ((is_whole && may_be_whole) || (is_zero && may_be_zero)) return absl::OkStatus();
    return Refuse(family.first,
                  absl::StrCat("its capacity and those of queues of the same parent are ",
                               100 * family.percent, " percent together; must be ",
                               !may_be_whole ? "0, as the parent's is 0"
                               : may_be_zero ? "100 or 0"
                                             : "100"));
  }

  absl::Status CheckAmounts(size_t parent) const {
    const Family& family = families_[parent];
    if (parent == 0) return absl::OkStatus();
    if (HasAmount(parent) != HasAmount(family.first)) {
      return Refuse(family.first, absl::StrCat("its capacity ", HasAmount(parent) ? "is no" : "is",
                                               " amount; must be of the kind of that of its parent"
                                               " where either is amounts"));
    }
    if (!HasAmount(parent) || !Less(settings_.calculator, {}, Of(parent).amount, family.amount)) {
      return absl::OkStatus();
    }
    return Refuse(parent, absl::StrCat("its capacity is ", AmountText(Of(parent).amount),
                                       "; must be at least the sum of the queues below it, ",
                                       AmountText(family.amount)));
  }

  const std::vector<QueuePath>& rows_;
  const QueueTable& queues_;
  const CapacitySettings& settings_;
  const Partition partition_;
  const std::string_view label_;
  std::vector<Family> families_;
};

}  // namespace

absl::Status CheckCapacities(const std::vector<QueuePath>& rows, const QueueTable& queues,
                             const std::vector<std::string>& labels,
                             const CapacitySettings& settings) {
  for (size_t p = 0; p < labels.size(); ++p) {
    CapacityChecker checker(rows, queues, settings, static_cast<Partition>(p), labels[p]);
    if (absl::Status s = checker.Check(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace muster::yarn
