// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/facts.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/advice/amounts.h"
#include "lib/advice/ends.h"
#include "lib/advice/held.h"
#include "lib/advice/required_labels.h"
#include "lib/advice/room.h"
#include "lib/advice/term_facts.h"
#include "lib/base/strings.h"
#include "lib/policy/spending_costs.h"

namespace muster {
namespace {

using Row = std::vector<int64_t>;

// A job may have a shape for each task, and each costs a look at all tasks.
constexpr size_t kMostTermClasses = 8;

class Facts {
 public:
  // About the tasks, all of one job or one without a job. `what` is what they are called.
  Facts(const Tables& tables, const Plan& plan, std::span<const TaskIndex> tasks, const char* what)
      : tables_(tables),
        plan_(plan),
        ends_(EndsOf(tables, plan)),
        parts_(CountsGpuParts(plan)),
        what_(what) {
    wanted_.assign(tables.dimension_count(), 0);
    for (const TaskIndex t : tasks) {
      if (ends_.reason[t] == Ends::kNoReason) continue;
      AddUpTo(WantedOf(t), wanted_);
      waiting_.push_back(t);
    }
    if (!waiting_.empty()) job_ = tables.tasks.job[waiting_[0]];
    for (const TaskIndex t : waiting_) {
      for (const Refusal& refusal : plan.reasons()[ends_.reason[t]].refusals) {
        refused_for_.insert(refusal.code);
      }
    }
  }

  std::vector<std::string> Tell() {
    if (waiting_.empty()) return {};
    TellQueues();
    TellSpending();
    TellLabels();
    TellTerms();
    TellNodes();
    return std::move(lines_);
  }

 private:
  std::span<const int64_t> RequestOf(TaskIndex t) const {
    return tables_.classes.request.row(tables_.tasks.task_class[t]);
  }
  const TaskShape& ShapeOf(TaskIndex t) const {
    return tables_.classes.shape[tables_.tasks.task_class[t]];
  }
  // What its queue counts.
  Row WantedOf(TaskIndex t) const {
    Row wanted(tables_.dimension_count(), 0);
    AddUpTo(RequestOf(t), wanted);
    if (parts_) AddGpuParts(tables_, ShapeOf(t), 1, wanted);
    return wanted;
  }
  std::string Text(DimensionIndex d, int64_t amount) const {
    return AmountText(tables_.dimensions.name(d), amount);
  }
  bool AnyWaitsFor(std::initializer_list<ReasonKind> kinds) const {
    return std::ranges::any_of(waiting_, [&](TaskIndex t) {
      return std::ranges::find(kinds, plan_.reasons()[ends_.reason[t]].kind) != kinds.end();
    });
  }
  // Under a profile that does not keep a limit, amounts beyond it hold nothing back. A message of
  // the peer's own is about its own rules.
  bool IsNotAdmittedByAmounts() const {
    return std::ranges::any_of(waiting_, [&](TaskIndex t) {
      const Reason& reason = plan_.reasons()[ends_.reason[t]];
      return reason.kind == ReasonKind::kNotAdmitted && reason.where.empty();
    });
  }
  QueueIndex Queue() const { return job_ == kNone ? kNone : tables_.jobs.queue[job_]; }
  // A gang that needs only a part of its tasks asks for that part first; `placed` have a node.
  size_t Needed(int64_t placed) const {
    const int64_t least = job_ == kNone ? 1 : tables_.jobs.spec[job_].min_available - placed;
    return static_cast<size_t>(
        std::clamp<int64_t>(least, 1, static_cast<int64_t>(waiting_.size())));
  }
  // What the smallest of the waiting tasks request together, so many of them.
  int64_t LeastWanted(DimensionIndex d, size_t tasks) const {
    Row amounts;
    for (const TaskIndex t : waiting_) amounts.push_back(WantedOf(t)[d]);
    std::ranges::sort(amounts);
    int64_t sum = 0;
    for (size_t i = 0; i < tasks; ++i) {
      if (__builtin_add_overflow(sum, amounts[i], &sum)) return INT64_MAX;
    }
    return sum;
  }

  // Only where the plan gives a queue as the reason: not every profile reads limits.
  void TellQueues() {
    const bool by_queue = AnyWaitsFor({ReasonKind::kQueueLimit, ReasonKind::kQueueOverused,
                                       ReasonKind::kQueueDeserved}) ||
                          IsNotAdmittedByAmounts();
    if (!by_queue) return;
    for (QueueIndex q = Queue(); q != kNone; q = tables_.queues.parent[q]) {
      const auto limit = tables_.queues.limit.row(q);
      const Row held = HeldBelow(tables_, plan_, q);
      for (DimensionIndex d = 0; d < limit.size(); ++d) {
        if (limit[d] == kAbsent || wanted_[d] == 0 || held[d] <= limit[d] - wanted_[d]) continue;
        TellLimit(q, d, held[d], limit[d]);
      }
    }
    TellDeserved();
  }

  void TellLimit(QueueIndex q, DimensionIndex d, int64_t held, int64_t limit) {
    lines_.push_back(absl::StrCat(
        "queue ", Quote(tables_.queues.names.name(q)), ": ", Text(d, held), " of ", Text(d, limit),
        " ", ToAbsl(tables_.dimensions.name(d)), " held, this ", what_, " requests ",
        Text(d, wanted_[d]), LeastWanted(d, Needed(0)) > limit ? ": it can never start" : ""));
  }

  bool AnyNodeStates(DimensionIndex d) const {
    for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
      if (tables_.nodes.alive[n] && tables_.nodes.allocatable.at(n, d) != kAbsent) return true;
    }
    return false;
  }

  // Only where the plan gives the queue's portion as the reason.
  void TellDeserved() {
    if (!AnyWaitsFor({ReasonKind::kQueueOverused, ReasonKind::kQueueDeserved})) return;
    const QueueIndex q = Queue();
    const QueueShare* const share = q == kNone ? nullptr : ShareOf(plan_, q);
    if (share == nullptr) return;
    for (DimensionIndex d = 0; d < share->deserved.size(); ++d) {
      const int64_t held = OrZero(share->allocated_after[d]);
      // A node without an amount of pods has no limit of them.
      if (wanted_[d] == 0 || (d == kPods && !AnyNodeStates(d)) ||
          static_cast<double>(held) + static_cast<double>(wanted_[d]) <= share->deserved[d]) {
        continue;
      }
      const double most = std::min(share->deserved[d], 9e18);
      lines_.push_back(absl::StrCat(
          "queue ", Quote(tables_.queues.names.name(q)), ": deserves ",
          Text(d, static_cast<int64_t>(most)), " ", ToAbsl(tables_.dimensions.name(d)),
          " and holds ", Text(d, held), ", this ", what_, " requests ", Text(d, wanted_[d])));
    }
  }

  // What the queues that limit it have spent, and cost.
  void TellSpending() {
    if (!AnyWaitsFor({ReasonKind::kQueueSpending})) return;
    for (QueueIndex q = Queue(); q != kNone; q = tables_.queues.parent[q]) {
      const QueueSpec& spec = tables_.queues.spec[q];
      if (!spec.rules || !spec.rules->spending) continue;
      const SpendingRules& rules = *spec.rules->spending;
      const SpendingPrices prices = PricesAbove(tables_, q);
      std::string line = absl::StrCat("queue ", Quote(spec.name), ":");
      if (rules.limit) {
        const int64_t spent =
            spec.history && spec.history->spent ? MoneyOf(spec.history->spent->text) : 0;
        absl::StrAppend(&line, " ", MoneyText(spent), " of ", MoneyText(MoneyOf(rules.limit->text)),
                        " spent this ", ToAbsl(rules.period), ",");
      }
      absl::StrAppend(&line, " ", MoneyText(HourlyCost(prices, HeldBelow(tables_, plan_, q))));
      if (rules.hourly_limit) {
        absl::StrAppend(&line, " of ", MoneyText(MoneyOf(rules.hourly_limit->text)));
      }
      lines_.push_back(absl::StrCat(line, " an hour, this ", what_, " requests ",
                                    MoneyText(HourlyCost(prices, wanted_)), " an hour"));
    }
  }

  // Gates, and labels that nodes refused the tasks for and that no node has.
  void TellLabels() {
    const TaskIndex lone = job_ == kNone ? waiting_[0] : kNone;
    for (const std::string& gate : GatesOf(tables_, plan_, job_, lone)) {
      lines_.push_back(
          absl::StrCat("scheduling gate ", gate, ": it waits until that is taken off"));
    }
    if (!refused_for_.contains(RefusalCode::kNodeAffinity)) return;
    std::set<std::string> told;
    std::set<ClassIndex> classes;
    for (const TaskIndex t : waiting_) {
      if (!classes.insert(tables_.tasks.task_class[t]).second) continue;
      for (const RequiredLabel& label : UnmetLabels(tables_, ShapeOf(t))) {
        if (told.insert(label.text).second) lines_.push_back(UnmetText(tables_, label));
      }
    }
  }

  // Affinity to other tasks, and labels to spread over, of the first kMostTermClasses classes that
  // wait.
  void TellTerms() {
    const bool affinity = refused_for_.contains(RefusalCode::kAffinity);
    const bool spread = refused_for_.contains(RefusalCode::kSpreadLabel);
    if (!affinity && !spread) return;
    std::set<std::string> told;
    std::set<ClassIndex> classes;
    for (const TaskIndex t : waiting_) {
      if (!classes.insert(tables_.tasks.task_class[t]).second) continue;
      if (classes.size() > kMostTermClasses) break;
      std::vector<std::string> lines;
      if (affinity) lines = AffinityFacts(tables_, ends_, ShapeOf(t));
      if (spread) std::ranges::move(SpreadFacts(tables_, ShapeOf(t)), std::back_inserter(lines));
      for (std::string& line : lines) {
        if (told.insert(line).second) lines_.push_back(std::move(line));
      }
    }
  }

  void TellNodes() {
    const FreeRoom room(tables_, ends_);
    // The largest task tells most.
    for (DimensionIndex d = 0; d < tables_.dimension_count(); ++d) {
      const TaskIndex asker = *std::ranges::max_element(
          waiting_, {}, [&](TaskIndex t) { return OrZero(RequestOf(t)[d]); });
      if (OrZero(RequestOf(asker)[d]) > 0) TellNodesIn(d, asker, room);
    }
  }

  // `asker` is a task that requests the most of it.
  void TellNodesIn(DimensionIndex d, TaskIndex asker, const FreeRoom& room) {
    const int64_t request = OrZero(RequestOf(asker)[d]);
    NodeIndex best = kNone;
    int64_t best_free = INT64_MIN, largest = 0;
    Row free_all(1, 0), all(1, 0);
    for (const NodeIndex n : room.NodesFor(ShapeOf(asker), refused_for_)) {
      // A node without an amount of pods has no limit of them, and so nothing lacks.
      if (d == kPods && tables_.nodes.allocatable.at(n, d) == kAbsent) return;
      const int64_t has = OrZero(tables_.nodes.allocatable.at(n, d));
      const int64_t free = room.Free(n, d);
      largest = std::max(largest, has);
      AddUpTo({&free, 1}, free_all);
      AddUpTo({&has, 1}, all);
      if (free > best_free) {
        best = n;
        best_free = free;
      }
    }
    // A dimension that no node has is a misspelled one, mostly, and no matter of numbers.
    if (best == kNone || largest == 0) return;
    if (best_free >= request) return TellGangIn(d, free_all[0], all[0]);
    const int64_t has = OrZero(tables_.nodes.allocatable.at(best, d));
    lines_.push_back(absl::StrCat(ToAbsl(tables_.dimensions.name(d)), ": a task requests ",
                                  Text(d, request), "; ", Quote(tables_.nodes.names.name(best)),
                                  " has the most free, ", Text(d, best_free), " of ", Text(d, has),
                                  "; ", Text(d, free_all[0]), " of ", Text(d, all[0]), " in all",
                                  request > largest ? ": no node is large enough" : ""));
  }

  // A task of the gang fits, and all that it needs do not.
  void TellGangIn(DimensionIndex d, int64_t free, int64_t all) {
    if (job_ == kNone) return;
    const int64_t placed = std::ranges::count_if(
        tables_.jobs.tasks[job_], [this](TaskIndex t) { return ends_.node[t] != kNone; });
    const size_t needed = Needed(placed);
    const int64_t least = LeastWanted(d, needed);
    if (needed < 2 || least <= free) return;
    lines_.push_back(absl::StrCat(ToAbsl(tables_.dimensions.name(d)), ": ", needed,
                                  " tasks that the gang needs request ", Text(d, least), "; ",
                                  Text(d, free), " of ", Text(d, all), " free in all"));
  }

  const Tables& tables_;
  const Plan& plan_;
  const Ends ends_;
  const bool parts_;
  const char* const what_;
  JobIndex job_ = kNone;
  std::vector<TaskIndex> waiting_;  // ascending
  Row wanted_;                      // by all of them
  std::set<RefusalCode> refused_for_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> FactsOf(const Tables& tables, const Plan& plan, JobIndex job) {
  return Facts(tables, plan, tables.jobs.tasks[job], "job").Tell();
}

std::vector<std::string> FactsOfTask(const Tables& tables, const Plan& plan, TaskIndex task) {
  return Facts(tables, plan, {&task, 1}, "task").Tell();
}

}  // namespace muster
