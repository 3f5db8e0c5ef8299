// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/validator.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/tables.h"
#include "lib/reference/reference.h"
#include "tests/support/against_reference.h"

namespace muster::testing {
namespace {

using Row = std::vector<absl::int128>;

class Check {
 public:
  Check(const Snapshot& snapshot, const Plan& plan, const Invariants& invariants)
      : tables_(snapshot.tables()),
        plan_(plan),
        wanted_(invariants),
        dims_(tables_.dimension_count()),
        profile_(ReferenceProfileOf(*ResolveProfile(plan.profile()))) {}

  std::vector<std::string> Run() {
    Decisions();
    Shares();
    Reasons();
    if (wanted_.no_overcommit) Overcommit();
    if (wanted_.filters) Filters();
    if (wanted_.whole_gangs) WholeGangs();
    if (wanted_.limits) Limits();
    if (wanted_.fair_victims || wanted_.useful_evictions) Victims();
    return std::move(violations_);
  }

 private:
  template <class... Words>
  void Say(const Words&... words) {
    violations_.push_back(absl::StrCat(words...));
  }
  std::string Task(TaskIndex t) const { return std::string(tables_.tasks.names.name(t)); }
  std::string Node(NodeIndex n) const { return std::string(tables_.nodes.names.name(n)); }
  void Add(Row& row, TaskIndex t, int sign) const {
    row.resize(dims_, 0);
    const auto request = tables_.classes.request.row(tables_.tasks.task_class[t]);
    for (size_t d = 0; d < dims_; ++d) row[d] += sign * absl::int128(request[d]);
  }

  void Decisions() {
    for (const Decision& d : plan_.decisions()) {
      if (d.kind == DecisionKind::kEvict) {
        const TaskStatus status = tables_.tasks.status[d.task];
        if (!evicted_.insert(d.task).second) Say("I2: ", Task(d.task), " is evicted twice");
        if (status != TaskStatus::kRunning && status != TaskStatus::kBound) {
          Say("I6: ", Task(d.task), " is evicted but was not running");
        }
        if (!(tables_.tasks.flags[d.task] & kTaskPreemptable)) {
          Say("I6: ", Task(d.task), " is evicted and must not be");
        }
        if (tables_.tasks.node[d.task] != d.node) Say("I6: ", Task(d.task), " is not on that node");
      }
      if (d.kind != DecisionKind::kBind && d.kind != DecisionKind::kNominate) continue;
      if (!places_.try_emplace(d.task, d.node).second) Say("I2: ", Task(d.task), " has two places");
      if (!tables_.tasks.alive[d.task] || tables_.tasks.status[d.task] != TaskStatus::kPending) {
        Say("I2: ", Task(d.task), " is not pending");
      }
      if (tables_.tasks.flags[d.task] & kTaskGated) Say("I2: ", Task(d.task), " is gated");
      if (!tables_.nodes.alive[d.node]) Say("I2: ", Node(d.node), " is gone");
      if (tables_.tasks.job[d.task] != d.job) Say("I2: ", Task(d.task), " is of another job");
      (d.kind == DecisionKind::kBind ? bound_ : nominated_).emplace_back(d.task, d.node);
    }
    for (const Tentative& t : plan_.tentative()) {
      if (places_.count(t.task) > 0) Say("I2: ", Task(t.task), " is decided and tentative");
    }
  }

  void Shares() {
    std::map<QueueIndex, Row> held;
    const auto charge = [&](TaskIndex t, int sign) {
      const JobIndex job = tables_.tasks.job[t];
      if (job != kNone) Add(held[tables_.jobs.queue[job]], t, sign);
    };
    for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
      const TaskStatus status = tables_.tasks.status[t];
      if (tables_.tasks.alive[t] && (IsAllocated(status) || status == TaskStatus::kNominated))
        charge(t, 1);
    }
    const auto compare = [&](bool after) {
      for (const QueueShare& share : plan_.shares()) {
        Row& row = held[share.queue];
        row.resize(dims_, 0);
        const auto& said = after ? share.allocated_after : share.allocated_before;
        if (!std::equal(row.begin(), row.end(), said.begin(), said.end())) {
          Say("I12: queue ", std::string(tables_.queues.names.name(share.queue)),
              " does not hold what is said ", after ? "after" : "before", " the cycle");
        }
      }
    };
    compare(false);
    for (const auto& [task, node] : places_) charge(task, 1);
    for (const Tentative& t : plan_.tentative()) charge(t.task, 1);
    for (TaskIndex t : evicted_) charge(t, -1);
    // A peer may leave evictions in its books that did not become decisions; then there is nothing to compare.
    if (nominated_.empty() && evicted_.empty()) compare(true);
  }

  void Reasons() {
    std::map<TaskIndex, uint32_t> reason_of;
    for (const PendingTask& p : plan_.pending()) {
      if (p.reason >= plan_.reasons().size()) {
        Say("I14: ", Task(p.task), " has a reason that is not there");
        return;
      }
      reason_of[p.task] = p.reason;
    }
    for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
      const bool waits = tables_.tasks.alive[t] && tables_.tasks.job[t] != kNone &&
                         tables_.tasks.status[t] == TaskStatus::kPending && places_.count(t) == 0;
      if (waits && reason_of.count(t) == 0) Say("I14: ", Task(t), " waits without a reason");
      if (!waits && reason_of.count(t) > 0)
        Say("I14: ", Task(t), " has a reason and does not wait");
    }
    const bool nothing_moved = places_.empty() && evicted_.empty() && plan_.tentative().empty();
    // Tasks of a gang are asked for while those before them hold places, which an undone gang gives back.
    std::set<JobIndex> undone;
    for (const auto& [task, number] : reason_of) {
      const ReasonKind kind = plan_.reasons()[number].kind;
      if (kind == ReasonKind::kGangUndone || kind == ReasonKind::kGangWaits) {
        undone.insert(tables_.tasks.job[task]);
      }
    }
    for (const auto& [task, number] : reason_of) {
      const Reason& reason = plan_.reasons()[number];
      const bool gated = tables_.tasks.flags[task] & kTaskGated;
      if (gated != (reason.kind == ReasonKind::kGated))
        Say("I14: ", Task(task), ": gates and reason differ");
      if (reason.kind == ReasonKind::kNoNode && nothing_moved && wanted_.counted_refusals &&
          undone.count(tables_.tasks.job[task]) == 0)
        Recount(task, reason);
    }
  }

  void Recount(TaskIndex task, const Reason& reason) {
    std::map<std::tuple<RefusalCode, DimensionIndex, std::string>, int64_t> said, counted;
    for (const Refusal& r : reason.refusals) said[{r.code, r.dimension, r.detail}] += r.nodes;
    for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
      if (!tables_.nodes.alive[n]) continue;
      const std::optional<Refusal> r = ReferenceRefusal(tables_, profile_, task, n);
      if (r.has_value()) ++counted[{r->code, r->dimension, r->detail}];
    }
    if (said == counted) return;
    std::string words;
    for (const auto* list : {&said, &counted}) {
      words += list == &said ? "said" : "; counted";
      for (const auto& [what, nodes] : *list) {
        absl::StrAppend(&words, " ", nodes, "x(code ", static_cast<int>(std::get<0>(what)),
                        ", dimension ", static_cast<int32_t>(std::get<1>(what)), " ",
                        std::get<2>(what), ")");
      }
    }
    Say("I14: ", Task(task), ": ", words);
  }

  // Idle amounts of each node with the binds, and what will be idle with the nominations and without the victims.
  void Overcommit() {
    std::map<NodeIndex, Row> idle, later;
    for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
      const auto has = tables_.nodes.allocatable.row(n);
      Row& row = idle[n];
      for (size_t d = 0; d < dims_; ++d) row.push_back(has[d] == kAbsent ? 0 : has[d]);
    }
    later = idle;
    for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
      const NodeIndex n = tables_.tasks.node[t];
      if (!tables_.tasks.alive[t] || n == kNone) continue;
      const TaskStatus status = tables_.tasks.status[t];
      if (status != TaskStatus::kNominated) Add(idle[n], t, -1);
      if (status != TaskStatus::kReleasing && evicted_.count(t) == 0) Add(later[n], t, -1);
    }
    for (const auto& [task, node] : bound_) {
      Add(idle[node], task, -1);
      Add(later[node], task, -1);
    }
    for (const auto& [task, node] : nominated_) Add(later[node], task, -1);
    for (const auto* list : {&bound_, &nominated_}) {
      for (const auto& [task, node] : *list) {
        const auto request = tables_.classes.request.row(tables_.tasks.task_class[task]);
        for (DimensionIndex d = 0; d < dims_; ++d) {
          // Tasks without a request ask the pod limit, which evicted tasks do not count in.
          const bool limited = d != kPods || tables_.nodes.allocatable.row(node)[kPods] != kAbsent;
          if (!limited || request[d] == 0) continue;
          const bool now = list == &bound_ && d != kPods;
          if ((now ? idle : later)[node][d] < 0) {
            Say("I1: ", Node(node), " has not enough ", std::string(tables_.dimensions.name(d)),
                " for ", Task(task));
          }
        }
      }
    }
  }

  void Filters() {
    for (const auto& [task, node] : places_) {
      const std::optional<Refusal> refusal = ReferenceRefusal(tables_, profile_, task, node);
      if (refusal.has_value() && refusal->code < RefusalCode::kInsufficient) {
        Say("I3: ", Node(node), " refuses ", Task(task), ", code ",
            static_cast<int>(refusal->code));
      }
    }
  }

  void WholeGangs() {
    std::set<JobIndex> started;
    for (const auto& [task, node] : bound_) started.insert(tables_.tasks.job[task]);
    for (JobIndex job : started) {
      int64_t there = 0;
      for (TaskIndex t : tables_.jobs.tasks[job]) {
        const TaskStatus status = tables_.tasks.status[t];
        const bool stays = IsAllocated(status) && evicted_.count(t) == 0;
        // Tasks that request nothing count as there while they wait for backfill.
        const bool light = status == TaskStatus::kPending &&
                           tables_.classes.best_effort[tables_.tasks.task_class[t]];
        there += stays || status == TaskStatus::kSucceeded || light || places_.count(t) > 0;
      }
      if (there < tables_.jobs.spec[job].min_available) {
        Say("I4: job ", std::string(tables_.jobs.names.name(job)), " starts with ", there, " of ",
            tables_.jobs.spec[job].min_available);
      }
    }
  }

  void Limits() {
    std::map<QueueIndex, Row> held;
    std::set<QueueIndex> grew;
    const auto charge = [&](TaskIndex t) {
      if (tables_.tasks.job[t] == kNone) return;
      for (QueueIndex q = tables_.jobs.queue[tables_.tasks.job[t]]; q != kNone;
           q = tables_.queues.parent[q]) {
        Add(held[q], t, 1);
        if (places_.count(t) > 0) grew.insert(q);
      }
    };
    for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
      const bool there = IsAllocated(tables_.tasks.status[t]) && evicted_.count(t) == 0;
      if (tables_.tasks.alive[t] && (there || places_.count(t) > 0)) charge(t);
    }
    for (QueueIndex q : grew) {
      const auto limit = tables_.queues.limit.row(q);
      for (DimensionIndex d = 0; d < dims_; ++d) {
        const bool asked = std::any_of(places_.begin(), places_.end(), [&](const auto& place) {
          return tables_.classes.request.row(tables_.tasks.task_class[place.first])[d] > 0 &&
                 IsBelow(tables_.jobs.queue[tables_.tasks.job[place.first]], q);
        });
        if (limit[d] != kAbsent && asked && held[q][d] > limit[d]) {
          Say("I5: queue ", std::string(tables_.queues.names.name(q)), " is beyond its limit of ",
              std::string(tables_.dimensions.name(d)));
        }
      }
    }
  }

  bool IsBelow(QueueIndex q, QueueIndex ancestor) const {
    while (q != kNone && q != ancestor) q = tables_.queues.parent[q];
    return q == ancestor;
  }

  void Victims() {
    for (const Decision& d : plan_.decisions()) {
      if (d.kind != DecisionKind::kEvict || d.beneficiary == kNone) continue;
      const JobIndex victim = tables_.tasks.job[d.task], winner = tables_.tasks.job[d.beneficiary];
      if (wanted_.fair_victims) {
        if (victim == winner) Say("I6: ", Task(d.task), " goes for its own gang");
        if (tables_.jobs.queue[victim] == tables_.jobs.queue[winner] &&
            tables_.jobs.spec[victim].priority >= tables_.jobs.spec[winner].priority) {
          Say("I6: ", Task(d.task), " goes for a job that is not above its own");
        }
      }
      const auto place = places_.find(d.beneficiary);
      if (wanted_.useful_evictions && place == places_.end()) {
        Say("I7: ", Task(d.task), " goes for ", Task(d.beneficiary), ", which gets no place");
      }
    }
  }

  const Tables& tables_;
  const Plan& plan_;
  const Invariants wanted_;
  const size_t dims_;
  const ReferenceProfile profile_;
  std::map<TaskIndex, NodeIndex> places_;
  std::vector<std::pair<TaskIndex, NodeIndex>> bound_, nominated_;
  std::set<TaskIndex> evicted_;
  std::vector<std::string> violations_;
};

}  // namespace

Invariants InvariantsOf(std::string_view profile) {
  Invariants kept;
  const std::string_view name = profile.substr(0, profile.find(':'));
  if (name == "kube-batch") {
    // It compares with a tolerance, takes back no eviction, and gives reasons of its own.
    kept.no_overcommit = kept.counted_refusals = false;
  }
  if (name == "muster") {
    kept.limits = kept.fair_victims = kept.useful_evictions = true;
  }
  return kept;
}

std::vector<std::string> Violations(const Snapshot& snapshot, const Plan& plan,
                                    const Invariants& invariants) {
  return Check(snapshot, plan, invariants).Run();
}

}  // namespace muster::testing
