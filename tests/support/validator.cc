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
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "lib/reference/kube/selectors.h"
#include "lib/reference/reference.h"
#include "tests/support/plan_books.h"
#include "tests/support/random_world.h"
#include "tests/support/reference_profile.h"

namespace muster::testing {
namespace {

using Row = PlanBooks::Row;
using Claims = std::map<QueueIndex, PlanBooks::Claim>;

class Check {
 public:
  Check(const Snapshot& snapshot, const Plan& plan, const Invariants& invariants)
      : tables_(TablesOf(snapshot)),
        plan_(plan),
        wanted_(invariants),
        books_(tables_, plan),
        dims_(books_.dimensions()),
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
    if (wanted_.budgets) Budgets();
    if (wanted_.max_min) FairShares();
    return std::move(violations_);
  }

 private:
  template <class... Words>
  void Say(const Words&... words) {
    violations_.push_back(absl::StrCat(words...));
  }
  std::string Task(TaskIndex t) const { return std::string(tables_.tasks.names.name(t)); }
  std::string Node(NodeIndex n) const { return std::string(tables_.nodes.names.name(n)); }
  void Decisions() {
    std::set<TaskIndex> placed, evicted;  // by the decisions so far
    for (const Decision& d : plan_.decisions()) {
      const bool moves = d.kind == DecisionKind::kMove;
      if (d.kind == DecisionKind::kEvict || moves) {
        const bool came = wanted_.steps && placed.erase(d.task) > 0;
        if (!came) Victim(d, moves ? plan_.moves()[d.index].from : d.node);
        if (!evicted.insert(d.task).second && !came) Say("I2: ", Task(d.task), " is evicted twice");
      }
      if (!PlanBooks::GivesPlace(d.kind)) continue;
      if (!placed.insert(d.task).second) Say("I2: ", Task(d.task), " has two places");
      const bool returns = wanted_.steps && evicted.count(d.task) > 0;
      const bool waits = tables_.tasks.status[d.task] == TaskStatus::kPending || moves || returns ||
                         PlanBooks::Holds(tables_, d);
      if (!tables_.tasks.alive[d.task] || !waits) Say("I2: ", Task(d.task), " is not pending");
      // A task that held a node has passed its gates.
      if (!returns && (tables_.tasks.flags[d.task] & kTaskGated))
        Say("I2: ", Task(d.task), " is gated");
      if (!tables_.nodes.alive[d.node]) Say("I2: ", Node(d.node), " is gone");
      if (tables_.tasks.job[d.task] != d.job) Say("I2: ", Task(d.task), " is of another job");
    }
    for (const Tentative& t : plan_.tentative()) {
      if (books_.gets_place(t.task)) Say("I2: ", Task(t.task), " is decided and tentative");
    }
  }

  void Victim(const Decision& d, NodeIndex from) {
    const TaskStatus status = tables_.tasks.status[d.task];
    const bool runs = status == TaskStatus::kRunning || status == TaskStatus::kBound;
    const bool is_there = wanted_.spares_tasks ? runs : HoldsNode(status);
    if (!is_there) Say("I6: ", Task(d.task), " is evicted but was not running");
    if (wanted_.spares_tasks && !(tables_.tasks.flags[d.task] & kTaskPreemptable)) {
      Say("I6: ", Task(d.task), " is evicted and must not be");
    }
    if (tables_.tasks.node[d.task] != from) Say("I6: ", Task(d.task), " is not on that node");
  }

  void Shares() {
    const auto compare = [&](bool after) {
      const std::map<QueueIndex, Row> held = books_.HeldByQueues(after);
      for (const QueueShare& share : plan_.shares()) {
        const Row& row = held.at(share.queue);
        const auto& said = after ? share.allocated_after : share.allocated_before;
        if (!std::equal(row.begin(), row.end(), said.begin(), said.end())) {
          Say("I12: queue ", std::string(tables_.queues.names.name(share.queue)),
              " does not hold what is said ", after ? "after" : "before", " the cycle");
        }
      }
    };
    compare(false);
    // A peer may leave evictions in its books that did not become decisions; then there is nothing
    // to compare.
    if (wanted_.exact_books || (books_.nominated().empty() && books_.evicted().empty()))
      compare(true);
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
                         tables_.tasks.status[t] == TaskStatus::kPending && !books_.gets_place(t) &&
                         !books_.passes(t);
      if (waits && reason_of.count(t) == 0) Say("I14: ", Task(t), " waits without a reason");
      if (!waits && reason_of.count(t) > 0)
        Say("I14: ", Task(t), " has a reason and does not wait");
    }
    const bool nothing_moved =
        books_.places().empty() && books_.evicted().empty() && plan_.tentative().empty();
    // Tasks of a gang are requested while those before them hold places, which an undone gang gives
    // back.
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

  void Overcommit() {
    PlanBooks::Left left = books_.LeftOnNodes();
    for (const auto* list : {&books_.bound(), &books_.nominated()}) {
      for (const auto& [task, node] : *list) {
        const auto request = tables_.classes.request.row(tables_.tasks.task_class[task]);
        for (DimensionIndex d = 0; d < dims_; ++d) {
          // Tasks without a request ask the pod limit, which evicted tasks do not count in.
          const bool limited = d != kPods || tables_.nodes.allocatable.row(node)[kPods] != kAbsent;
          if (!limited || request[d] == 0) continue;
          const bool now = list == &books_.bound() && d != kPods;
          if ((now ? left.now : left.later)[node][d] < 0) {
            Say("I1: ", Node(node), " has not enough ", std::string(tables_.dimensions.name(d)),
                " for ", Task(task));
          }
        }
      }
    }
  }

  void Filters() {
    for (const auto& [task, node] : books_.places()) {
      const std::optional<Refusal> refusal = ReferenceRefusal(tables_, profile_, task, node);
      if (refusal.has_value() && refusal->code < RefusalCode::kInsufficient) {
        Say("I3: ", Node(node), " refuses ", Task(task), ", code ",
            static_cast<int>(refusal->code));
      }
    }
  }

  void WholeGangs() {
    std::set<JobIndex> started;
    for (const auto& [task, node] : books_.bound()) started.insert(tables_.tasks.job[task]);
    for (JobIndex job : started) {
      int64_t there = 0;
      for (TaskIndex t : tables_.jobs.tasks[job]) {
        const TaskStatus status = tables_.tasks.status[t];
        const bool stays = IsAllocated(status) && !books_.is_evicted(t);
        // Tasks that request nothing count as there while they wait for backfill.
        const bool light = status == TaskStatus::kPending &&
                           tables_.classes.best_effort[tables_.tasks.task_class[t]];
        there += stays || status == TaskStatus::kSucceeded || light || books_.gets_place(t);
      }
      if (there < tables_.jobs.spec[job].min_available) {
        Say("I4: job ", std::string(tables_.jobs.names.name(job)), " starts with ", there, " of ",
            tables_.jobs.spec[job].min_available);
      }
    }
  }

  void Limits() {
    const PlanBooks::Held held = books_.HeldWithAllBelow();
    for (QueueIndex q : held.grew) {
      const auto limit = tables_.queues.limit.row(q);
      for (DimensionIndex d = 0; d < dims_; ++d) {
        const bool asked =
            std::any_of(books_.places().begin(), books_.places().end(), [&](const auto& place) {
              return tables_.classes.request.row(tables_.tasks.task_class[place.first])[d] > 0 &&
                     books_.IsBelow(tables_.jobs.queue[tables_.tasks.job[place.first]], q);
            });
        if (limit[d] != kAbsent && asked && held.amounts.at(q)[d] > limit[d]) {
          Say("I5: queue ", std::string(tables_.queues.names.name(q)), " is beyond its limit of ",
              std::string(tables_.dimensions.name(d)));
        }
      }
    }
  }

  void Victims() {
    for (size_t at = 0; at < plan_.decisions().size(); ++at) {
      const Decision& d = plan_.decisions()[at];
      if (d.kind != DecisionKind::kEvict || d.beneficiary == kNone) continue;
      const JobIndex victim = tables_.tasks.job[d.task], winner = tables_.tasks.job[d.beneficiary];
      if (wanted_.fair_victims) {
        if (victim == winner) Say("I6: ", Task(d.task), " goes for its own gang");
        if (tables_.jobs.queue[victim] == tables_.jobs.queue[winner] &&
            tables_.jobs.spec[victim].priority >= tables_.jobs.spec[winner].priority) {
          Say("I6: ", Task(d.task), " goes for a job that is not above its own");
        }
      }
      const bool placed = books_.gets_place(d.beneficiary);
      if (wanted_.useful_evictions && !placed) {
        Say("I7: ", Task(d.task), " goes for ", Task(d.beneficiary), ", which gets no place");
      }
      if (wanted_.useful_evictions && placed && OnlyRoomDecides(d) && books_.HasRoomBeside(at)) {
        Say("I7: ", Task(d.task), " goes for ", Task(d.beneficiary), " in vain");
      }
    }
  }

  // Whether room on the victim's node is all that the beneficiary's gang can have lacked: what
  // stays of the victim's job stands without it, no queue above both is full, and where the gang
  // goes nothing but room speaks against it.
  bool OnlyRoomDecides(const Decision& eviction) const {
    const JobIndex victim = tables_.tasks.job[eviction.task];
    const JobIndex winner = tables_.tasks.job[eviction.beneficiary];
    if (victim == kNone || books_.StandingTasks(victim) < tables_.jobs.spec[victim].min_available) {
      return false;
    }
    for (QueueIndex q = tables_.jobs.queue[winner]; q != kNone; q = tables_.queues.parent[q]) {
      const QueueSpec& queue = tables_.queues.spec[q];
      const bool bounded =
          queue.limit.has_value() || queue.borrow_limit.has_value() || queue.lend_limit.has_value();
      if (bounded && books_.IsBelow(tables_.jobs.queue[victim], q)) return false;
    }
    for (const auto& [task, node] : books_.places()) {
      if (node != eviction.node || tables_.tasks.job[task] != winner) continue;
      if (!tables_.classes.shape[tables_.tasks.task_class[task]].devices.empty()) return false;
      const std::optional<Refusal> refusal = ReferenceRefusal(tables_, profile_, task, node);
      if (refusal.has_value() && refusal->code != RefusalCode::kInsufficient) return false;
    }
    return true;
  }

  void Budgets() {
    for (const DisruptionBudgetSpec& budget : tables_.budgets) {
      int64_t victims = 0;
      for (TaskIndex t : books_.evicted()) {
        const TaskShape& shape = tables_.classes.shape[tables_.tasks.task_class[t]];
        victims += shape.name_space == budget.name_space &&
                   reference::Matches(budget.selector, shape.labels);
      }
      if (victims > budget.allowed) {
        Say("I8: ", victims, " victims of budget ", budget.name, ", which allows ", budget.allowed);
      }
    }
  }

  void FairShares() {
    std::map<QueueIndex, Row> deserved;
    for (const QueueShare& share : plan_.shares()) {
      Row& row = deserved[share.queue];
      for (double amount : share.deserved) {
        if (amount > 9e15) return;  // a double may not hold it to the unit
        row.push_back(static_cast<int64_t>(amount));
      }
      if (row.empty()) return;
    }
    Family(kNone, books_.Total(), books_.Claims(), deserved);
  }

  void Family(QueueIndex parent, const Row& total, const Claims& claims,
              const std::map<QueueIndex, Row>& deserved) {
    std::vector<QueueIndex> family;
    for (const auto& [queue, row] : deserved) {
      if (tables_.queues.parent[queue] == parent) family.push_back(queue);
    }
    for (DimensionIndex d = 0; d < dims_; ++d) Divided(family, d, total[d], claims, deserved);
    for (QueueIndex queue : family) {
      Row left = deserved.at(queue);
      for (DimensionIndex d = 0; d < dims_; ++d) {
        left[d] = std::max<absl::int128>(left[d] - claims.at(queue).own[d], 0);
      }
      Family(queue, left, claims, deserved);
    }
  }

  void Divided(const std::vector<QueueIndex>& family, DimensionIndex d, absl::int128 total,
               const Claims& claims, const std::map<QueueIndex, Row>& deserved) {
    absl::int128 given = 0, asked = 0, promised = 0;
    for (QueueIndex q : family) {
      given += deserved.at(q)[d];
      asked += claims.at(q).demand[d];
      promised += claims.at(q).promised[d];
    }
    const auto say = [&](QueueIndex q, const char* words) {
      Say("I16: queue ", std::string(tables_.queues.names.name(q)), " ", words, " in ",
          std::string(tables_.dimensions.name(static_cast<DimensionIndex>(d))));
    };
    const bool scarce = asked > total;
    if (given > total) say(family.front(), "and its siblings deserve more than there is");
    if (scarce && given + absl::int128(family.size()) < total && promised <= total) {
      say(family.front(), "and its siblings leave something that is asked for");
    }
    for (QueueIndex q : family) {
      const absl::int128 has = deserved.at(q)[d], wants = claims.at(q).demand[d];
      if (has > wants) say(q, "deserves more than it asks for");
      if (!scarce && has < wants) say(q, "deserves less than there is for it");
      if (promised > total) continue;
      if (has < claims.at(q).promised[d]) say(q, "deserves less than it is guaranteed");
      if (has >= wants) continue;
      const absl::int128 weight = std::min(tables_.queues.spec[q].weight, int64_t{1} << 31);
      for (QueueIndex r : family) {
        const absl::int128 of_other = deserved.at(r)[d];
        const absl::int128 other = std::min(tables_.queues.spec[r].weight, int64_t{1} << 31);
        if (of_other <= claims.at(r).promised[d]) continue;
        // A unit is what rounding down may take.
        if (weight > 0 && (other == 0 || of_other * weight >= (has + 1) * other)) {
          say(q, "goes short of a sibling that has more for its weight");
        }
      }
    }
  }

  const Tables& tables_;
  const Plan& plan_;
  const Invariants wanted_;
  const PlanBooks books_;
  const size_t dims_;
  const ReferenceProfile profile_;
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
  if (name == "ray") kept.whole_gangs = false;  // of bundles alone, whatever the minimum
  if (name == "armada" || name == "kai" || name == "kube-scheduler" || name == "koordinator" ||
      name == "scheduler-plugins") {
    // Peers without tasks that are never evicted; they refuse in words of their own.
    kept.steps = true;
    kept.spares_tasks = kept.counted_refusals = false;
  }
  if (name == "htcondor") {
    // It has no gangs, and refuses in words of its own.
    kept.whole_gangs = kept.counted_refusals = false;
  }
  if (name == "yarn-capacity" || name == "yarn-fair") {
    // Containers are given one by one, and refused in words of the peer.
    kept.whole_gangs = kept.counted_refusals = false;
  }
  if (name == "yunikorn") {
    // It evicts tasks that were bound in the same plan and tasks that may not be preempted, if all
    // else fails; once a task of a gang has started, the others follow one by one.
    kept.steps = kept.exact_books = true;
    kept.spares_tasks = kept.whole_gangs = false;
  }
  // Its gangs are pod groups; a job's minimum is no rule of it.
  if (name == "kube-scheduler") kept.whole_gangs = false;
  // Members of a group that runs already start one by one.
  if (name == "koordinator" || name == "scheduler-plugins") kept.whole_gangs = false;
  if (name == "mesos" || name == "pulsar") {
    // No gangs, and a message of the peer's with the refusals.
    kept.whole_gangs = kept.counted_refusals = false;
  }
  if (name == "muster") {
    kept.limits = kept.fair_victims = kept.useful_evictions = kept.exact_books = true;
    kept.budgets = kept.max_min = true;
  }
  if (name == "transwarp") {
    kept.limits = kept.fair_victims = kept.useful_evictions = kept.budgets = true;
    kept.exact_books = true;
  }
  return kept;
}

std::vector<std::string> NextCycleViolations(const ClusterSpec& world, std::string_view profile,
                                             bool ended) {
  ClusterSpec fresh = world;
  for (TaskSpec& task : fresh.tasks) {
    task.nominated_node.clear();
    // The books hold what a task will hold, not what it needs to start.
    task.shape.initial_request.reset();
    // Tasks that were leaving before the plan are in the way of filters until gone.
    if (ended && task.status == TaskStatus::kReleasing) task.status = TaskStatus::kRunning;
  }
  Cluster cluster = MakeCluster(fresh);
  const absl::StatusOr<Plan> first = cluster.Schedule(profile);
  if (!first.ok()) return {first.status().ToString()};
  const absl::StatusOr<ApplyReport> report = cluster.Apply(*first);
  if (!report.ok()) return {report.status().ToString()};
  std::vector<std::string> violations = report->refused;
  // A policy that keeps budgets has seen the evictions.
  for (DisruptionBudgetSpec budget : fresh.budgets) {
    for (const TaskSpec& task : fresh.tasks) {
      const bool gone =
          std::any_of(first->decisions().begin(), first->decisions().end(), [&](const Decision& d) {
            return d.kind == DecisionKind::kEvict && first->task_name(d.task) == task.name;
          });
      budget.allowed -= gone && task.shape.name_space == budget.name_space &&
                        reference::Matches(budget.selector, task.shape.labels);
    }
    if (const absl::Status kept = cluster.SetDisruptionBudget(budget); !kept.ok()) {
      violations.push_back(kept.ToString());
    }
  }
  if (ended) {
    for (const TaskSpec& task : cluster.Describe().tasks) {
      if (task.status != TaskStatus::kReleasing) continue;
      if (const absl::Status gone = cluster.RemoveTask(task.name); !gone.ok()) {
        violations.push_back(gone.ToString());
      }
    }
  }
  const absl::StatusOr<Plan> second = cluster.Schedule(profile);
  if (!second.ok()) return {second.status().ToString()};
  // A promise kept makes its gang one larger, so that it can spare another task: tasks that go
  // together with such a one could not go before.
  const auto job_of = [&](const Plan& plan, TaskIndex t) {
    const std::string_view name = plan.task_name(t);
    const auto it = std::find_if(fresh.tasks.begin(), fresh.tasks.end(),
                                 [&](const TaskSpec& task) { return task.name == name; });
    return it == fresh.tasks.end() ? std::string() : it->job;
  };
  std::set<std::string> larger, excused;
  if (ended) {
    for (const Nomination& d : first->nominations()) larger.insert(job_of(*first, d.task));
  }
  for (const Eviction& d : second->evictions()) {
    if (larger.count(job_of(*second, d.task)) > 0) excused.insert(job_of(*second, d.beneficiary));
  }
  for (const Eviction& d : second->evictions()) {
    if (excused.count(job_of(*second, d.beneficiary)) > 0) continue;
    violations.push_back(
        absl::StrCat("I15: ", ToAbsl(second->task_name(d.task)), " goes in the second cycle"));
  }
  std::map<std::string, std::string> places;
  for (const Decision& d : second->decisions()) {
    if (d.kind != DecisionKind::kBind && d.kind != DecisionKind::kNominate) continue;
    places[std::string(second->task_name(d.task))] = std::string(second->node_name(d.node));
  }
  for (const Nomination& d : first->nominations()) {
    const std::string task(first->task_name(d.task)), node(first->node_name(d.node));
    if (places[task] != node) {
      violations.push_back(absl::StrCat("I10: ", task, " was promised ", node, " and has ",
                                        places[task].empty() ? "nothing" : places[task]));
    }
  }
  return violations;
}

std::vector<std::string> Violations(const Snapshot& snapshot, const Plan& plan,
                                    const Invariants& invariants) {
  return Check(snapshot, plan, invariants).Run();
}

}  // namespace muster::testing
