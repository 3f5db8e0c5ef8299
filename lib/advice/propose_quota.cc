// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Remedies about quota by flavor: the queue's own quota, or what it may borrow, is raised.
//
// Idea. For each flavor, the resources that the job requests are raised together, as far as may be.
// If that helps, those that need not be raised are left out, one after another, and a search finds
// the fewest steps for the rest. Steps are sixteenths of what the job requests.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/advice/amounts.h"
#include "lib/advice/held.h"
#include "lib/advice/proposals.h"
#include "lib/base/strings.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr int64_t kQuotaSteps = 16;  // of what the job requests
constexpr int64_t kMostQuotaTimes = 16;
constexpr size_t kMostFlavors = 4;

class QuotaProposer {
 public:
  QuotaProposer(const WaitingCase& job, Trials* trials)
      : job_(job), trials_(trials), spec_(job.tables.queues.spec[job.queue()]) {
    wanted_.assign(job.tables.dimension_count(), 0);
    for (const TaskIndex t : job.Waiting()) {
      AddUpTo(job.tables.classes.request.row(job.tables.tasks.task_class[t]), wanted_);
    }
  }

  void Run(std::vector<Remedy>* out) const {
    const std::vector<ResourceGroup>& groups = spec_.rules->groups;
    for (size_t g = 0; g < groups.size(); ++g) {
      const size_t flavors = std::min(groups[g].flavors.size(), kMostFlavors);
      for (size_t f = 0; f < flavors; ++f) {
        for (const bool borrowed : {false, true}) TryFlavor(g, f, borrowed, out);
      }
    }
  }

 private:
  // The resources of the group that the job requests.
  std::vector<DimensionIndex> RequestedOf(const ResourceGroup& group) const {
    std::vector<DimensionIndex> requested;
    for (const std::string& name : group.resources) {
      const std::optional<DimensionIndex> d = job_.tables.dimensions.Find(name);
      if (d && wanted_[*d] > 0) requested.push_back(*d);
    }
    return requested;
  }

  void TryFlavor(size_t group, size_t flavor, bool borrowed, std::vector<Remedy>* out) const {
    constexpr int64_t kMost = kQuotaSteps * kMostQuotaTimes;
    std::string words;
    const auto changes = [&](const std::vector<DimensionIndex>& raised, int64_t steps) {
      std::vector<ResourceGroup> quota = spec_.rules->groups;
      words = Raise(raised, steps, borrowed, &quota[group].flavors[flavor]);
      return std::vector<WhatIfChange>{
          {.queue = QueueEdit{.name = spec_.name, .quota = std::move(quota)}}};
    };
    std::vector<DimensionIndex> raised = RequestedOf(spec_.rules->groups[group]);
    const std::vector<WhatIfChange> all = changes(raised, kMost);
    if (words.empty() || !trials_->Helps(all)) return;
    for (size_t i = 0; i < raised.size() && raised.size() > 1;) {
      std::vector<DimensionIndex> fewer = raised;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      const std::vector<WhatIfChange> made = changes(fewer, kMost);
      if (!words.empty() && trials_->Helps(made)) {
        raised = std::move(fewer);
      } else {
        ++i;
      }
    }
    const std::optional<int64_t> steps =
        Smallest(kMost, [&](int64_t s) { return trials_->Helps(changes(raised, s)); });
    if (!steps) return;
    std::vector<WhatIfChange> made = changes(raised, *steps);
    out->push_back({.kind = RemedyKind::kQuota, .words = words, .changes = std::move(made)});
  }

  // Raises the quota. Returns how, in words. Empty: there is nothing to raise, since nothing limits
  // what is borrowed.
  std::string Raise(const std::vector<DimensionIndex>& dimensions, int64_t steps, bool borrowed,
                    FlavorQuota* quota) const {
    Resources& amounts = borrowed ? quota->borrow_limit : quota->nominal;
    std::string words;
    for (const DimensionIndex d : dimensions) {
      const std::string name(job_.tables.dimensions.name(d));
      auto entry = std::ranges::find(
          amounts, name, [](const auto& pair) -> auto& { return pair.first; });
      if (entry == amounts.end()) {
        if (borrowed) continue;
        amounts.emplace_back(name, Quantity("0"));
        entry = amounts.end() - 1;
      }
      const Quantity before = entry->second;
      const absl::StatusOr<int64_t> has =
          ParseQuantity(before.text, IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole);
      int64_t raised = 0;
      if (!has.ok() || wanted_[d] > INT64_MAX / kMostQuotaTimes / 2 ||
          __builtin_add_overflow(*has, Sixteenths(name, wanted_[d], steps), &raised)) {
        continue;
      }
      entry->second = Quantity(AmountText(name, raised));
      absl::StrAppend(&words, words.empty() ? "" : ", ", name, " ", before.text, " -> ",
                      entry->second.text);
    }
    if (words.empty()) return "";
    return absl::StrCat(borrowed ? "let queue " : "raise the quota of queue ", Quote(spec_.name),
                        borrowed ? " borrow more of flavor " : " in flavor ", Quote(quota->flavor),
                        ": ", words);
  }

  const WaitingCase& job_;
  Trials* const trials_;
  const QueueSpec& spec_;
  std::vector<int64_t> wanted_;  // by dimension: what the tasks that wait request together
};

}  // namespace

void ProposeQuota(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  if (job.is_lone() || !job.tables.queues.spec[job.queue()].rules) return;
  QuotaProposer(job, trials).Run(out);
}

}  // namespace muster
