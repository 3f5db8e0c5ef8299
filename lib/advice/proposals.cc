// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/proposals.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/advice/changes.h"
#include "lib/advice/node_types.h"
#include "lib/advice/smallest.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"

namespace muster {
namespace {

constexpr size_t kMostNodeTypes = 4;  // of each, a search of some ten trials is made
constexpr int64_t kMostNewNodes = 1024;
constexpr size_t kMostNamed = 3;  // of the tasks that a remedy evicts

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

// A remedy that was tried, and in words what it evicts that is not evicted today.
struct Tried {
  Remedy remedy;
  std::string victims;
};

// Names some of the tasks that are evicted and not evicted today. Tasks by count have no names.
std::string VictimsText(const WaitingCase& job, const Trials::Outcome& outcome) {
  const std::set<std::string_view> today(job.today.evicted.begin(), job.today.evicted.end());
  const auto by_count = [](const Trials::Outcome& of) {
    return of.evictions - static_cast<int64_t>(of.evicted.size());
  };
  int64_t victims = std::max<int64_t>(0, by_count(outcome) - by_count(job.today));
  std::string names;
  size_t named = 0;
  for (const std::string& name : outcome.evicted) {
    if (today.contains(name)) continue;
    ++victims;
    if (++named <= kMostNamed) absl::StrAppend(&names, named == 1 ? "" : ", ", name);
  }
  if (victims == 0) return "";
  if (named > kMostNamed) names += ", ...";
  return absl::StrCat(", which evicts ", victims, victims == 1 ? " task" : " tasks",
                      names.empty() ? "" : absl::StrCat(" (", names, ")"));
}

// Sets what the remedy was seen to do.
void Settle(const WaitingCase& job, const Trials& trials, Tried* tried) {
  Remedy& remedy = tried->remedy;
  const Trials::Outcome outcome = trials.Confirm(remedy.changes, remedy.profile);
  remedy.starts = outcome.starts;
  remedy.evictions = outcome.evictions - job.today.evictions;
  remedy.others = outcome.others - job.today.others;
  tried->victims = VictimsText(job, outcome);
}

using Proposer = void (*)(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out);

// Appends what it proposes, with what that was seen to do.
void ProposeOne(Proposer propose, const WaitingCase& job, Trials* trials, std::vector<Tried>* all) {
  std::vector<Remedy> remedies;
  propose(job, trials, &remedies);
  for (Remedy& remedy : remedies) {
    Tried& tried = all->emplace_back(Tried{std::move(remedy), ""});
    if (tried.remedy.profile.empty()) tried.remedy.profile = job.profile;
    Settle(job, *trials, &tried);
  }
}

// Appends what each of them proposes. On an executor each has trials of its own; where they are
// more than those before it would have left, it proposes once more with what they leave.
void ProposeEach(std::span<const Proposer> proposers, const WaitingCase& job, Trials* trials,
                 std::vector<Tried>* all) {
  Executor* const executor = trials->executor();
  if (executor == nullptr) {
    for (const Proposer propose : proposers) ProposeOne(propose, job, trials, all);
    return;
  }
  const int64_t begun = trials->made();
  std::vector<Trials> forks(proposers.size(), trials->Fork());
  std::vector<std::vector<Tried>> parts(proposers.size());
  RunPieces(executor, proposers.size(),
            [&](size_t i) { ProposeOne(proposers[i], job, &forks[i], &parts[i]); });
  for (size_t i = 0; i < proposers.size(); ++i) {
    if (trials->Join(forks[i], begun)) {
      std::ranges::move(parts[i], std::back_inserter(*all));
    } else {
      ProposeOne(proposers[i], job, trials, all);
    }
  }
}

// Returns whether the job itself stays as it is and no more tasks are evicted than today.
bool StartsItAsItIs(const Tried& tried) {
  switch (tried.remedy.kind) {
    case RemedyKind::kAnotherQueue:
    case RemedyKind::kSmallerGang:
    case RemedyKind::kSmallerRequest:
    case RemedyKind::kEvictions:
    case RemedyKind::kPriority:
    case RemedyKind::kWait:
    case RemedyKind::kSelector:
      return false;
    default:
      return tried.remedy.evictions <= 0;
  }
}

// Makes the remedy, which helps beside the raised limits, one that raises them as far as needed.
void Join(const WaitingCase& job, const RaisedLimits& raised, Trials* trials, Tried* tried) {
  Remedy& remedy = tried->remedy;
  const RaisedLimits least =
      remedy.profile == job.profile ? LowerLimits(job, raised, remedy.changes, trials) : raised;
  remedy.words = absl::StrCat(least.words, ", and ", remedy.words);
  remedy.changes.insert(remedy.changes.begin(), least.changes.begin(), least.changes.end());
  Settle(job, *trials, tried);
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

std::vector<Tried> TryAll(const WaitingCase& job, Trials* trials) {
  constexpr Proposer kAll[] = {ProposeNodes,     ProposeQueues, ProposeQuota, ProposeSpending,
                               ProposeTaints,    ProposeLabels, ProposeGates, ProposeSizes,
                               ProposeEvictions, ProposeWaiting};
  constexpr Proposer kBesides[] = {ProposeNodes, ProposeTaints, ProposeLabels, ProposeEvictions,
                                   ProposeWaiting};
  std::vector<Tried> all;
  ProposeEach(kAll, job, trials, &all);
  if (std::ranges::any_of(all, StartsItAsItIs)) return all;
  for (const RaisedLimits& raised : RaiseLimits(job)) {
    std::vector<Tried> besides;
    trials->Assume(raised.changes);
    ProposeEach(kBesides, job, trials, &besides);
    trials->Assume({});
    for (Tried& tried : besides) Join(job, raised, trials, &tried);
    if (besides.empty()) continue;
    std::ranges::move(besides, std::back_inserter(all));
    break;
  }
  return all;
}

// What starts as many tasks of the job as the trials ask for.
std::vector<Remedy> Search(const WaitingCase& job, Trials* trials) {
  std::vector<Remedy> remedies;
  for (Tried& tried : TryAll(job, trials)) {
    tried.remedy.words += tried.victims;
    remedies.push_back(std::move(tried.remedy));
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

}  // namespace muster
