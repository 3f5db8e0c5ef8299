// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Bounds of snapshots and of plans (muster/bound.h).
#include "muster/bound.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/bound/facts.h"
#include "lib/bound/program.h"
#include "lib/bound/solve.h"
#include "lib/model/access.h"

namespace muster {
namespace {

absl::Status CheckBoundOptions(const BoundOptions& options) {
  if (options.work >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("work: ", options.work, " is not in 1..", kUnlimited));
}

// Returns what the tasks request of the dimension.
int64_t RequestedBy(const Tables& tables, const std::vector<TaskIndex>& tasks, DimensionIndex d) {
  absl::int128 sum = 0;
  for (TaskIndex t : tasks) sum += tables.classes.request.row(tables.tasks.task_class[t])[d];
  return static_cast<int64_t>(std::min(sum, absl::int128(kUnlimited)));
}

Bound Solve(const BoundFacts& facts, const ProgramColumns& built) {
  Bound bound;
  bound.waiting = static_cast<int64_t>(facts.waiting.size());
  bound.program = built.program;
  PriceSearch search(bound.program);
  const size_t objectives = bound.program.objective.size();
  for (size_t o = 0; o < objectives; ++o) {
    const int64_t left = std::max<int64_t>(facts.options.work - search.work(), 0);
    bound.proofs.push_back(search.Find(o, left / static_cast<int64_t>(objectives - o)));
    const int64_t steps = bound.proofs.back().steps;
    if (built.dimension[o] == kNone) {
      bound.tasks = std::min(steps, bound.waiting);
      continue;
    }
    const int64_t requested = RequestedBy(facts.tables, facts.waiting, built.dimension[o]);
    const absl::int128 amount = absl::int128(steps) * bound.program.unit[o];
    bound.dimensions.push_back(bound.program.objective[o]);
    bound.requested.push_back(requested);
    bound.amounts.push_back(static_cast<int64_t>(std::min(amount, absl::int128(requested))));
  }
  bound.work = search.work();
  return bound;
}

// What a plan makes of the snapshot: decisions in their order.
struct PlanPlaces {
  // Fails with InvalidArgument where the snapshot lacks a row of the plan.
  absl::Status Follow(const Tables& tables, const Plan& plan) {
    for (const Decision& d : plan.decisions()) {
      const bool leaves = d.kind == DecisionKind::kEvict || d.kind == DecisionKind::kMove;
      const bool places_task = d.kind == DecisionKind::kBind || d.kind == DecisionKind::kNominate ||
                               d.kind == DecisionKind::kReserve;
      if (!leaves && !places_task) continue;
      TaskIndex task = d.task;
      NodeIndex node = d.node;
      if (!IsOf(plan, tables)) {  // its indices are of other rows, such as those it was copied from
        task = tables.tasks.names.Find(plan.task_name(d.task)).value_or(kNone);
        node = tables.nodes.names.Find(plan.node_name(d.node)).value_or(kNone);
        if (task == kNone || node == kNone) {
          return absl::InvalidArgumentError(
              absl::StrCat("plan: the snapshot lacks ", PlaceOf("task", plan.task_name(d.task)),
                           " or ", PlaceOf("node", plan.node_name(d.node)), " of it"));
        }
      }
      if (leaves && places.erase(task) == 0) evicted.insert(task);
      if (!places_task || tables.tasks.job[task] == kNone) continue;
      const TaskStatus status = tables.tasks.status[task];
      const bool waits = status == TaskStatus::kPending || status == TaskStatus::kNominated;
      if (waits) places.insert_or_assign(task, node);
    }
    return absl::OkStatus();
  }
  std::map<TaskIndex, NodeIndex> places;
  std::set<TaskIndex> evicted;
};

// Compares the places with each rule, and takes from `options` what they break.
class Judge {
 public:
  Judge(const Tables& tables, const PlanPlaces& plan, BoundOptions* options)
      : tables_(tables), plan_(plan), options_(*options) {}

  std::vector<std::string> Run() {
    if (options_.node_rules) Drop("node_rules", BreaksNodes(), &options_.node_rules);
    if (options_.devices) Drop("devices", BreaksDevices(), &options_.devices);
    if (options_.queue_limits) Drop("queue_limits", BreaksLimits(), &options_.queue_limits);
    return std::move(broken_);
  }

 private:
  void Drop(const char* name, bool breaks, bool* option) {
    if (!breaks) return;
    broken_.emplace_back(name);
    *option = false;
  }
  const TaskShape& Shape(TaskIndex t) const {
    return tables_.classes.shape[tables_.tasks.task_class[t]];
  }

  bool BreaksNodes() const {
    const BoundFacts facts(tables_, options_, plan_.evicted);
    return std::any_of(plan_.places.begin(), plan_.places.end(), [&](const auto& place) {
      const uint32_t set = facts.set_of[tables_.tasks.task_class[place.first]];
      return set != kNone && !facts.Admits(set, place.second);
    });
  }

  bool BreaksDevices() const {
    const BoundFacts facts(tables_, options_, plan_.evicted);
    std::map<std::pair<NodeIndex, size_t>, absl::int128> given;
    for (const auto& [task, node] : plan_.places) {
      for (size_t k = 0; k < facts.kinds.size(); ++k) {
        given[{node, k}] += DeviceParts(Shape(task), facts.kinds[k]);
      }
    }
    return std::any_of(given.begin(), given.end(), [&](const auto& entry) {
      return entry.second > facts.parts[entry.first.first][entry.first.second];
    });
  }

  bool BreaksLimits() const {
    const BoundFacts facts(tables_, options_, plan_.evicted);
    std::map<std::pair<QueueIndex, size_t>, absl::int128> given;
    for (const auto& [task, node] : plan_.places) {
      const auto request = tables_.classes.request.row(tables_.tasks.task_class[task]);
      for (QueueIndex q = tables_.jobs.queue[tables_.tasks.job[task]]; q != kNone;
           q = tables_.queues.parent[q]) {
        for (size_t d = 0; d < request.size(); ++d) given[{q, d}] += request[d];
      }
    }
    return std::any_of(given.begin(), given.end(), [&](const auto& entry) {
      const auto& [queue, d] = entry.first;
      const int64_t limit = tables_.queues.limit.row(queue)[d];
      return limit != kAbsent && entry.second > 0 && entry.second + facts.held[queue][d] > limit;
    });
  }

  const Tables& tables_;
  const PlanPlaces& plan_;
  BoundOptions& options_;
  std::vector<std::string> broken_;
};

// Gives each node the room that the plan uses there. Returns whether some had less.
bool Widen(const PlanPlaces& plan, BoundFacts* facts) {
  std::map<std::pair<NodeIndex, size_t>, absl::int128> given;
  for (const auto& [task, node] : plan.places) {
    const auto request = facts->tables.classes.request.row(facts->tables.tasks.task_class[task]);
    for (size_t d = 0; d < request.size(); ++d) given[{node, d}] += request[d];
  }
  bool widened = false;
  for (const auto& [where, amount] : given) {
    int64_t& room = facts->room[where.first][where.second];
    if (amount <= room) continue;
    room = static_cast<int64_t>(std::min(amount, absl::int128(kUnlimited)));
    widened = true;
  }
  return widened;
}

}  // namespace

absl::StatusOr<Bound> BoundOf(const Snapshot& snapshot, const BoundOptions& options) {
  if (const absl::Status checked = CheckBoundOptions(options); !checked.ok()) return checked;
  const BoundFacts facts(TablesOf(snapshot), options);
  return Solve(facts, BuildProgram(facts));
}

absl::StatusOr<PlanGap> GapOf(const Snapshot& snapshot, const Plan& plan,
                              const BoundOptions& asked) {
  if (const absl::Status checked = CheckBoundOptions(asked); !checked.ok()) return checked;
  if (plan.version() != snapshot.version()) {
    return absl::InvalidArgumentError(absl::StrCat("plan: it is of version ", plan.version(),
                                                   "; must be of the snapshot's, which is ",
                                                   snapshot.version()));
  }
  const Tables& tables = TablesOf(snapshot);
  PlanPlaces places;
  if (absl::Status s = places.Follow(tables, plan); !s.ok()) return s;
  BoundOptions options = asked;
  options.evictions |= !places.evicted.empty();
  PlanGap gap;
  gap.broken = Judge(tables, places, &options).Run();
  BoundFacts facts(tables, options, places.evicted);
  if (Widen(places, &facts)) gap.broken.emplace_back("capacity");
  ProgramColumns built = BuildProgram(facts);
  std::vector<TaskIndex> placed;
  bool parts_of_gangs = false;
  for (const auto& [task, node] : places.places) {
    placed.push_back(task);
    parts_of_gangs |= built.hopeless[tables.tasks.job[task]] != 0;
  }
  if (parts_of_gangs) {
    gap.broken.emplace_back("gangs");
    options.gangs = false;
    BoundFacts wider(tables, options, places.evicted);
    Widen(places, &wider);
    built = BuildProgram(wider);
    gap.bound = Solve(wider, built);
  } else {
    gap.bound = Solve(facts, built);
  }
  gap.placed = static_cast<int64_t>(placed.size());
  for (DimensionIndex d : built.dimension) {
    if (d != kNone) gap.amounts.push_back(RequestedBy(tables, placed, d));
  }
  return gap;
}

}  // namespace muster
