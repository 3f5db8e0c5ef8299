// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Remedies about quota by flavor: the queue's own quota, or what it or a queue above it may borrow,
// is raised.
//
// Idea. For each flavor, the resources that the job requests are raised together, as far as may be.
// If that helps, those that need not be raised are left out, one after another, and a search finds
// the fewest steps for the rest. Steps are sixteenths of what the job requests. Limits of borrowing
// are raised one by one; if no one alone is in the way, all on the way up are raised together.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/advice/amounts.h"
#include "lib/advice/proposals.h"
#include "lib/advice/smallest.h"
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
    for (const WaitingTasks& tasks : job.Waiting()) tasks.AddTo(wanted_);
  }

  void Run(std::vector<Remedy>* out) const {
    const std::vector<ResourceGroup>& groups = spec_.rules->groups;
    for (size_t g = 0; g < groups.size(); ++g) {
      const size_t flavors = std::min(groups[g].flavors.size(), kMostFlavors);
      for (size_t f = 0; f < flavors; ++f) {
        const std::vector<DimensionIndex> requested = RequestedOf(groups[g]);
        Try({{&spec_, g, f}}, requested, /*borrowed=*/false, out);
        const std::vector<Place> up = PlacesUp(g, f);
        bool found = false;
        for (const Place& place : up) found |= Try({place}, requested, /*borrowed=*/true, out);
        if (!found && up.size() > 1) Try(up, requested, /*borrowed=*/true, out);
      }
    }
  }

 private:
  // A flavor's quota in a queue.
  struct Place {
    const QueueSpec* queue;
    size_t group, flavor;
  };

  // The resources of the group that the job requests.
  std::vector<DimensionIndex> RequestedOf(const ResourceGroup& group) const {
    std::vector<DimensionIndex> requested;
    for (const std::string& name : group.resources) {
      const std::optional<DimensionIndex> d = job_.tables.dimensions.Find(name);
      if (d && wanted_[*d] > 0) requested.push_back(*d);
    }
    return requested;
  }

  // Where the flavor's borrowing is limited, from the job's queue upwards.
  std::vector<Place> PlacesUp(size_t group, size_t flavor) const {
    const QueueTable& queues = job_.tables.queues;
    const std::string& name = spec_.rules->groups[group].flavors[flavor].flavor;
    std::vector<Place> places = {{&spec_, group, flavor}};
    for (QueueIndex q = queues.parent[job_.queue()]; q != kNone; q = queues.parent[q]) {
      if (!queues.spec[q].rules) continue;
      const std::vector<ResourceGroup>& groups = queues.spec[q].rules->groups;
      for (size_t g = 0; g < groups.size(); ++g) {
        const auto found = std::ranges::find(groups[g].flavors, name, &FlavorQuota::flavor);
        if (found == groups[g].flavors.end()) continue;
        places.push_back(
            {&queues.spec[q], g, static_cast<size_t>(found - groups[g].flavors.begin())});
      }
    }
    std::erase_if(places, [](const Place& place) {
      return place.queue->rules->groups[place.group].flavors[place.flavor].borrow_limit.empty();
    });
    return places;
  }

  // Adds what raising the places takes. Returns whether it helps.
  bool Try(const std::vector<Place>& places, std::vector<DimensionIndex> raised, bool borrowed,
           std::vector<Remedy>* out) const {
    constexpr int64_t kMost = kQuotaSteps * kMostQuotaTimes;
    std::string words;
    const auto changes = [&](const std::vector<DimensionIndex>& dimensions, int64_t steps) {
      std::vector<WhatIfChange> made;
      words.clear();
      for (const Place& place : places) {
        std::vector<ResourceGroup> quota = place.queue->rules->groups;
        const std::string raises = Raise(dimensions, steps, borrowed, place.queue->name,
                                         &quota[place.group].flavors[place.flavor]);
        if (raises.empty()) continue;
        absl::StrAppend(&words, words.empty() ? "" : ", and ", raises);
        made.push_back({.queue = QueueEdit{.name = place.queue->name, .quota = std::move(quota)}});
      }
      return made;
    };
    const std::vector<WhatIfChange> all = changes(raised, kMost);
    if (words.empty() || !trials_->Helps(all)) return false;
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
    if (!steps) return false;
    std::vector<WhatIfChange> made = changes(raised, *steps);
    out->push_back({.kind = RemedyKind::kQuota, .words = words, .changes = std::move(made)});
    return true;
  }

  // Raises the quota. Returns how, in words. Empty: there is nothing to raise, since nothing limits
  // what is borrowed.
  std::string Raise(const std::vector<DimensionIndex>& dimensions, int64_t steps, bool borrowed,
                    std::string_view queue, FlavorQuota* quota) const {
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
    return absl::StrCat(borrowed ? "let queue " : "raise the quota of queue ", Quote(queue),
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
