// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/preemption.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"

namespace muster::kube {
namespace {

int64_t EarliestOfMostImportant(const World& world, const Candidate& candidate, int64_t now) {
  int32_t highest = std::numeric_limits<int32_t>::min();
  int64_t earliest = now;
  for (const TaskIndex t : candidate.victims) {
    const int64_t started = world.started(t) == kAbsent ? now : world.started(t);
    if (world.priority(t) > highest) {
      highest = world.priority(t);
      earliest = started;
    } else if (world.priority(t) == highest) {
      earliest = std::min(earliest, started);
    }
  }
  return earliest;
}

int64_t SumOfPriorities(const World& world, const Candidate& candidate) {
  int64_t sum = 0;
  for (const TaskIndex t : candidate.victims) sum += world.priority(t) + (int64_t{1} << 31);
  return sum;
}

}  // namespace

std::string HistogramText(const World& world,
                          const std::vector<std::pair<Cause, int64_t>>& counts) {
  std::vector<std::string> words;
  for (const auto& [cause, count] : counts) {
    words.push_back(absl::StrCat(count, " ", CauseText(cause, world)));
  }
  std::sort(words.begin(), words.end());
  std::string text = absl::StrCat("0/", world.order().size(), " nodes are available:");
  if (!words.empty()) absl::StrAppend(&text, " ", absl::StrJoin(words, ", "), ".");
  return text;
}

std::string VainText(const World& world, FewCounts<Cause> counts, size_t tried) {
  const size_t others = world.order().size() - tried;
  if (others > 0) counts.Add(Cause::kUnhelpful, static_cast<int64_t>(others));
  return HistogramText(world, counts.list());
}

Cause NoVictimsOn(World* world, NodeIndex n, TaskIndex preemptor) {
  const Tables& tables = world->tables();
  return WordsCause(
      world, absl::StrCat("No victims found on node ", ToAbsl(tables.nodes.names.name(n)),
                          " for preemptor pod ", ToAbsl(tables.tasks.names.name(preemptor))));
}

bool Preemption::IsEligible(const PodCycle& cycle, bool never) {
  if (never) {
    message_ = "not eligible due to preemptionPolicy=Never.";
    return false;
  }
  if (extra_ != nullptr && extra_->SelectsVictims()) {
    message_ = extra_->WhyIneligible(cycle);
    return message_.empty();
  }
  const NodeIndex nominated = nominations_.of(cycle.task());
  if (nominated == kNone) return true;
  // Plug-ins in the place of default preemption do not look at why a pod is terminating.
  const bool any = extra_ != nullptr && extra_->ReplacesPreemption();
  if (cycle.status(nominated).code == Code::kUnresolvable) return true;
  for (const Victim& victim : VictimsOn(world_, settings_.groups, {&nominated, 1}, now_)) {
    for (const TaskIndex t : victim.pods) {
      const bool leaves = any ? world_.terminating(t) : world_.leaving(t) == Leaving::kPreempted;
      if (leaves && world_.node_of(t) == nominated &&
          victim.priority < world_.priority(cycle.task())) {
        message_ = "not eligible due to a terminating pod on the nominated node.";
        return false;
      }
    }
  }
  return true;
}

void Preemption::Try(PodCycle& cycle, bool never) {
  if (!IsEligible(cycle, never)) return;
  tried_ = true;
  const std::vector<NodeIndex>& nodes = cycle.curable();
  const auto& names = world_.tables().nodes.names;
  const int64_t count = static_cast<int64_t>(nodes.size());
  const bool all = extra_ != nullptr && extra_->SelectsVictims();
  const int64_t offset = all ? 0 : settings_.offset;
  const int64_t wanted =
      all ? count
          : std::min(count, std::max(count * settings_.candidate_percentage / 100,
                                     settings_.candidate_least));
  candidates_.reserve(static_cast<size_t>(wanted));
  for (int64_t i = 0; i < count; ++i) {
    TryNode(cycle, nodes[static_cast<size_t>((offset + i) % count)], static_cast<size_t>(wanted));
    if (without_ > 0 && static_cast<int64_t>(candidates_.size()) >= wanted) break;
  }
  if (!candidates_.empty()) {
    Choose();
    message_ = absl::StrCat("found a potential placement for pod on node ",
                            ToAbsl(names.name(chosen()->node)), ", preempting ",
                            chosen()->victims.size(), " victims");
    return;
  }
  FewCounts<Cause> counts;
  for (const auto& [node, status] : failed_) {
    for (const Cause cause : status.causes) counts.Add(cause, 1);
  }
  message_ = VainText(world_, std::move(counts), failed_.size());
}

void Preemption::TryNode(PodCycle& cycle, NodeIndex n, size_t wanted) {
  Candidate candidate;
  candidate.node = n;
  if (extra_ != nullptr && extra_->SelectsVictims()) {
    const Status status = extra_->SelectVictims(cycle, n, &candidate);
    Take(n, status, candidate, wanted);
    return;
  }
  bool spans_nodes = false;
  const bool keeps = extra_ == nullptr && !settings_.traces && cycle.is_alone() &&
                     nominations_.of(cycle.task()) != n;
  if (!keeps) {
    const Status status = Select(cycle, n, &candidate, &spans_nodes);
    Take(n, status, candidate, wanted);
    return;
  }
  const std::span<const TaskIndex> nominated = nominations_.on(n);
  const int32_t priority = world_.priority(cycle.task());
  DryRuns::Run& run = runs_.At(cycle.pod_class(), n);
  if (run.candidate.node != n || run.priority != priority || run.changes != world_.changes_of(n) ||
      !std::ranges::equal(run.nominated, nominated)) {
    Status status = Select(cycle, n, &candidate, &spans_nodes);
    if (spans_nodes) {
      run.candidate.node = kNone;
      Take(n, status, candidate, wanted);
      return;
    }
    run = {priority,
           world_.changes_of(n),
           {nominated.begin(), nominated.end()},
           std::move(status),
           std::move(candidate)};
  }
  Take(n, run.status, run.candidate, wanted);
}

void Preemption::Take(NodeIndex n, const Status& status, const Candidate& candidate,
                      size_t wanted) {
  if (status.code != Code::kFits) {
    failed_.emplace_back(n, status);
  } else if (candidate.violations > 0) {
    if (candidates_.size() - without_ < wanted) candidates_.push_back(candidate);
  } else if (without_++ == candidates_.size()) {
    candidates_.push_back(candidate);
  } else {
    candidates_.insert(candidates_.begin() + static_cast<ptrdiff_t>(without_ - 1), candidate);
  }
}

DryRuns::Run& DryRuns::At(ClassIndex c, NodeIndex n) {
  if (runs_.size() >= kMostRuns) runs_ = {};
  return runs_[uint64_t{c.value()} << 32 | n.value()];
}

Status Preemption::Select(PodCycle& cycle, NodeIndex n, Candidate* candidate, bool* spans_nodes) {
  std::vector<Victim> victims = VictimsOn(world_, settings_.groups, {&n, 1}, now_);
  for (const Victim& victim : victims) *spans_nodes |= victim.of_group;
  const int32_t priority = world_.priority(cycle.task());
  std::erase_if(victims, [&](const Victim& victim) {
    return victim.priority >= priority ||
           (extra_ != nullptr && extra_->IsExempt(victim.pods[0], cycle.task()));
  });
  if (victims.empty()) {
    Status status;
    status.code = Code::kUnresolvable;
    status.causes.push_back(extra_ != nullptr && extra_->ReplacesPreemption()
                                ? NoVictimsOn(&world_, n, cycle.task())
                                : Cause::kNoVictims);
    return status;
  }
  NodeBooks books = world_.books(n);
  const auto move = [&](const Victim& victim, int sign) {
    for (const TaskIndex t : victim.pods) {
      const NodeIndex on = world_.node_of(t);
      if (on == n && sign < 0) books.Remove(world_.pod(t));
      if (on == n && sign > 0) books.Add(world_.pod(t));
      cycle.Count(t, on, sign);
    }
  };
  for (const Victim& victim : victims) move(victim, -1);
  Status status = cycle.Filter(n, books);
  std::vector<const Victim*> gone;
  if (status.code == Code::kFits) {
    std::stable_sort(victims.begin(), victims.end(), MoreImportant);
    CountViolations(&runs_.budgets(), &victims);
    for (const bool violating : {true, false}) {
      for (const Victim& victim : victims) {
        if ((victim.violations > 0) != violating) continue;
        move(victim, 1);
        if (cycle.Filter(n, books).code == Code::kFits) continue;
        move(victim, -1);
        gone.push_back(&victim);
        candidate->violations += victim.violations;
      }
    }
    std::stable_sort(gone.begin(), gone.end(),
                     [](const Victim* a, const Victim* b) { return MoreImportant(*a, *b); });
    for (const Victim* victim : gone) {
      candidate->victims.insert(candidate->victims.end(), victim->pods.begin(), victim->pods.end());
      move(*victim, 1);
    }
  } else {
    for (const Victim& victim : victims) move(victim, 1);
  }
  return status;
}

void Preemption::Choose() {
  const auto cost = [this](const Candidate& c) {
    return std::tuple(c.violations, world_.priority(c.victims[0]), SumOfPriorities(world_, c),
                      c.victims.size(), -EarliestOfMostImportant(world_, c, now_));
  };
  const auto& names = world_.tables().nodes.names;
  chosen_ = 0;
  auto least = cost(candidates_[0]);
  for (size_t i = 1; i < candidates_.size(); ++i) {
    const auto own = cost(candidates_[i]);
    if (own > least) continue;
    const auto name = [&](size_t place) { return names.name(candidates_[place].node); };
    if (own == least && !(name(i) < name(chosen_))) continue;
    least = own;
    chosen_ = i;
  }
}

}  // namespace muster::kube
