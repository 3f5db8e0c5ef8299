// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/proposals.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/advice/changes.h"
#include "lib/advice/node_types.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"

namespace muster {
namespace {

constexpr size_t kMostNodeTypes = 4;  // of each, a search of some ten trials is made
constexpr int64_t kMostNewNodes = 1024;

// Whether an empty node like this one has what a task requests. The cycle has the last word.
bool IsLargeEnough(const Tables& tables, NodeIndex node, std::span<const int64_t> request) {
  const auto has = tables.nodes.allocatable.row(node);
  for (DimensionIndex d = 0; d < has.size(); ++d) {
    if (d != kPods && request[d] > OrZero(has[d])) return false;
  }
  return true;
}

// The node types that are large enough for the task, those first that its selectors allow.
std::vector<NodeIndex> TypesFor(const Tables& tables, const WaitingTasks& task) {
  std::vector<NodeIndex> types = NodeTypes(tables);
  std::erase_if(types, [&](NodeIndex n) { return !IsLargeEnough(tables, n, task.request); });
  std::stable_partition(types.begin(), types.end(), [&](NodeIndex n) {
    const NodeSpec like = NewNodeLike(tables.nodes.spec[n]);
    return MatchesNode(*task.shape, like) && FirstUntolerated(*task.shape, like) == nullptr;
  });
  types.resize(std::min(types.size(), kMostNodeTypes));
  return types;
}

// Sets what the remedy was seen to do.
void Settle(const WaitingCase& job, const Trials& trials, Remedy* remedy) {
  const Trials::Outcome outcome = trials.Confirm(remedy->changes, remedy->profile);
  remedy->starts = outcome.starts;
  remedy->evictions = outcome.evictions - job.today.evictions;
  remedy->others = outcome.others - job.today.others;
}

using Proposer = void (*)(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out);

// Appends what each of them proposes, with what it was seen to do.
void ProposeEach(std::initializer_list<Proposer> proposers, const WaitingCase& job, Trials* trials,
                 std::vector<Remedy>* remedies) {
  for (const Proposer propose : proposers) {
    const size_t first = remedies->size();
    propose(job, trials, remedies);
    for (size_t i = first; i < remedies->size(); ++i) {
      Remedy& remedy = (*remedies)[i];
      if (remedy.profile.empty()) remedy.profile = job.profile;
      Settle(job, *trials, &remedy);
    }
  }
}

// Returns whether the job itself stays as it is and no more tasks are evicted than today.
bool StartsItAsItIs(const Remedy& remedy) {
  switch (remedy.kind) {
    case RemedyKind::kAnotherQueue:
    case RemedyKind::kSmallerGang:
    case RemedyKind::kSmallerRequest:
    case RemedyKind::kEvictions:
    case RemedyKind::kPriority:
    case RemedyKind::kWait:
      return false;
    default:
      return remedy.evictions <= 0;
  }
}

// Makes the remedy, which helps beside the raised limits, one that raises them as far as needed.
void Join(const WaitingCase& job, const RaisedLimits& raised, Trials* trials, Remedy* remedy) {
  const RaisedLimits least =
      remedy->profile == job.profile ? LowerLimits(job, raised, remedy->changes, trials) : raised;
  remedy->words = absl::StrCat(least.words, ", and ", remedy->words);
  remedy->changes.insert(remedy->changes.begin(), least.changes.begin(), least.changes.end());
  Settle(job, *trials, remedy);
}

}  // namespace

std::vector<WaitingTasks> WaitingCase::Waiting() const {
  return WaitingTasksIn(tables, plan, [this](JobIndex of, TaskIndex task) {
    return is_lone() ? task == lone : of == job;
  });
}

void ProposeNodes(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  const Tables& tables = job.tables;
  for (const NodeIndex n : TypesFor(tables, job.Waiting()[0])) {
    const NodeSpec like = NewNodeLike(tables.nodes.spec[n]);
    const auto changes = [&like](int64_t count) {
      return std::vector<WhatIfChange>{{.add_nodes = NewNodes{.count = count, .node = like}}};
    };
    // Others that wait, or start today, may take new nodes first.
    const std::optional<int64_t> count =
        Smallest(std::min(TriedIn(tables, job.plan), kMostNewNodes),
                 [&](int64_t c) { return trials->Helps(changes(c)); });
    if (!count) continue;
    out->push_back({.kind = RemedyKind::kMoreNodes,
                    .words = absl::StrCat("add ", *count, *count == 1 ? " node" : " nodes",
                                          " like ", Quote(like.name)),
                    .changes = changes(*count)});
  }
}

void ProposeWaiting(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  // Jobs by the time at which their last task ends, where that is known.
  const Tables& tables = job.tables;
  std::vector<std::pair<int64_t, JobIndex>> ends;
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    if (!tables.jobs.alive[j] || j == job.job) continue;
    int64_t last = INT64_MIN;
    for (const TaskIndex t : tables.jobs.tasks[j]) {
      if (!IsAllocated(tables.tasks.status[t])) continue;
      const std::optional<int64_t>& estimate = tables.jobs.spec[j].estimate;
      const int64_t started = tables.tasks.started[t];
      int64_t end = INT64_MAX;
      if (!estimate.has_value() || started == kAbsent ||
          __builtin_add_overflow(started, *estimate, &end)) {
        end = INT64_MAX;
      }
      last = std::max(last, end);
    }
    if (last != INT64_MIN && last != INT64_MAX) ends.emplace_back(std::max(last, job.now), j);
  }
  if (ends.empty()) return;
  std::ranges::sort(ends);
  const auto changes = [&](int64_t count) {
    std::vector<WhatIfChange> made;
    for (int64_t i = 0; i < count; ++i) {
      made.push_back({.remove_job = std::string(tables.jobs.names.name(ends[i].second))});
    }
    return made;
  };
  const std::optional<int64_t> count = Smallest(
      static_cast<int64_t>(ends.size()), [&](int64_t c) { return trials->Helps(changes(c)); });
  if (!count) return;
  out->push_back(
      {.kind = RemedyKind::kWait,
       .words = absl::StrCat("wait until ", ends[*count - 1].first, ", when ", *count,
                             *count == 1 ? " job has" : " jobs have", " ended by estimate"),
       .changes = changes(*count)});
}

namespace {

// What starts as many tasks of the job as the trials ask for.
std::vector<Remedy> Search(const WaitingCase& job, Trials* trials) {
  std::vector<Remedy> remedies;
  ProposeEach({ProposeNodes, ProposeQueues, ProposeQuota, ProposeSpending, ProposeTaints,
               ProposeSizes, ProposeEvictions, ProposeWaiting},
              job, trials, &remedies);
  if (std::ranges::any_of(remedies, StartsItAsItIs)) return remedies;
  for (const RaisedLimits& raised : RaiseLimits(job)) {
    std::vector<Remedy> besides;
    trials->Assume(raised.changes);
    ProposeEach({ProposeNodes, ProposeTaints, ProposeEvictions, ProposeWaiting}, job, trials,
                &besides);
    trials->Assume({});
    for (Remedy& remedy : besides) Join(job, raised, trials, &remedy);
    if (besides.empty()) continue;
    std::ranges::move(besides, std::back_inserter(remedies));
    break;
  }
  return remedies;
}

// Whether the job may be admitted with fewer tasks than it has.
bool MayBePart(const WaitingCase& job) {
  return !job.is_lone() &&
         std::ranges::any_of(job.tables.jobs.spec[job.job].groups, [](const GroupSpec& group) {
           return group.by_count && group.by_count->min_count.has_value();
         });
}

}  // namespace

std::vector<Remedy> Propose(const WaitingCase& job, Trials* trials) {
  if (job.Waiting().empty()) return {};
  if (MayBePart(job)) {
    trials->AskFor(job.today.waiting);
    std::vector<Remedy> whole = Search(job, trials);
    if (!whole.empty()) return whole;
    trials->AskFor(1);
  }
  return Search(job, trials);
}

void ProposeTaints(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  const Tables& tables = job.tables;
  std::set<std::string> seen;
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (!tables.nodes.alive[n]) continue;
    for (const Taint& taint : tables.nodes.spec[n].taints) {
      const std::string words =
          absl::StrCat(taint.key, taint.value.empty() ? "" : "=", taint.value);
      if (taint.effect == TaintEffect::kPreferNoSchedule || IsOfState(taint) ||
          !seen.insert(words).second) {
        continue;
      }
      const Toleration toleration{.key = taint.key, .value = taint.value};
      const std::vector<WhatIfChange> changes = {
          {.job = JobEdit{.name = job.name(), .tolerations = {toleration}}}};
      if (!trials->Helps(changes)) continue;
      out->push_back({.kind = RemedyKind::kToleration,
                      .words = absl::StrCat("tolerate the taint ", words),
                      .changes = changes});
    }
  }
  size_t tried = 0;
  for (NodeIndex n = 0; n < tables.nodes.alive.size() && tried < kMostNodeTypes; ++n) {
    if (!tables.nodes.alive[n] || !tables.nodes.spec[n].unschedulable) continue;
    ++tried;
    const std::string& name = tables.nodes.spec[n].name;
    const std::vector<WhatIfChange> changes = {
        {.nodes = NodeEdit{.name = name, .unschedulable = false}}};
    if (!trials->Helps(changes)) continue;
    out->push_back({.kind = RemedyKind::kUncordon,
                    .words = absl::StrCat("let ", Quote(name), " take tasks again"),
                    .changes = changes});
  }
}

void ProposeEvictions(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  for (const char* more : {"+preempt", "+reclaim", "+preempt,+reclaim"}) {
    const std::string profile =
        absl::StrCat(job.profile, job.profile.find(':') == std::string::npos ? ":" : ",", more);
    const Trials::Outcome outcome = trials->Try({}, profile);
    if (!outcome.helps()) continue;
    out->push_back(
        {.kind = RemedyKind::kEvictions,
         .words = absl::StrCat("schedule by ", profile, ", which evicts ", outcome.evictions,
                               outcome.evictions == 1 ? " task" : " tasks"),
         .profile = profile});
    break;
  }
  const Tables& tables = job.tables;
  int32_t highest = INT32_MIN;
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    if (tables.jobs.alive[j]) highest = std::max(highest, tables.jobs.spec[j].priority);
  }
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (tables.tasks.alive[t]) highest = std::max(highest, tables.tasks.priority[t]);
  }
  if (highest == INT32_MAX) return;
  const std::vector<WhatIfChange> changes = {
      {.job = JobEdit{.name = job.name(), .priority = highest + 1}}};
  if (!trials->Helps(changes)) return;
  out->push_back({.kind = RemedyKind::kPriority,
                  .words = absl::StrCat("give it priority ", highest + 1, ", above all others"),
                  .changes = changes});
}

}  // namespace muster
