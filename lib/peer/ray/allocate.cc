// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// allocate of the profile ray: groups of bundles whole or not at all, other tasks one by one. ray.h
// has the loop, the ties and the cost.
//
// A job with a bundle strategy is one placement group: its pending tasks are the bundles, and
// bundles.h places them together. The tasks of any other job go to the node that node_choice.h
// prefers.
//
// A job's settings choose another way for its single tasks (task_strategy.h). Where the last task
// of strategy spread went is kept in slot "ray" of the memory.
//
// Guarantee. All pending bundles of a job are placed, or none; a strict strategy also holds for the
// group's running bundles.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/go_sort.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"
#include "lib/part/attempt.h"
#include "lib/peer/ray/node_view.h"
#include "lib/peer/ray/ray.h"
#include "lib/peer/ray/task_strategy.h"

namespace muster {
namespace {

constexpr OptionDecl kRayAllocateOptions[] = {
    {"threshold", OptionKind::kNumber, "0.5", 0, 1,
     "nodes of which less than this part is used count as not busy"},
    {"accelerator", OptionKind::kText, "nvidia.com/gpu", 0, 0,
     "the scarcest resource; its nodes are kept for tasks that need it"},
    {"avoid_accelerators", OptionKind::kFlag, "on", 0, 0,
     "tasks that need no accelerator go where there is none, if there is room"},
    {"top", OptionKind::kWhole, "1", 1, 1e6,
     "a task goes to one of so many of the best nodes, drawn with the seed of the cycle"},
    {"top_fraction", OptionKind::kNumber, "0", 0, 1,
     "or to one of this part of all nodes, if that is more; the peer's is 0.2"},
};
constexpr std::string_view kRaySlot = "ray", kLastNode = "last";

class RayAllocate {
 public:
  RayAllocate(ActionContext& context, const Options& options)
      : context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        view_(context, options.text("accelerator")),
        choice_(view_.nodes(), view_.Busy()),
        threshold_(static_cast<float>(options.number("threshold"))),
        avoids_accelerators_(options.flag("avoid_accelerators")),
        top_(static_cast<size_t>(options.number("top"))),
        top_fraction_(static_cast<float>(options.number("top_fraction"))),
        rng_(context.facts.cycle->seed()) {}

  void Run() {
    std::vector<JobIndex> jobs(context_.waiting.begin(), context_.waiting.end());
    GoSort(jobs, [&](JobIndex a, JobIndex b) { return context_.dispatcher.JobBefore(a, b); });
    std::stable_partition(jobs.begin(), jobs.end(),
                          [&](JobIndex job) { return HasLostBundles(job); });
    for (JobIndex job : jobs) {
      if (context_.meter.Cut()) return;
      context_.meter.Spend();
      const std::vector<TaskIndex> tasks = context_.PendingTasks(job, /*with_best_effort=*/true);
      if (tasks.empty()) continue;
      RayStrategy strategy;
      // No error: the settings were checked before the cycle.
      (void)ReadRayStrategy(tables_.jobs.spec[job], &strategy);
      if (tables_.jobs.spec[job].bundle_strategy != BundleStrategy::kNone) {
        PlaceGroup(job, tasks, strategy.domain);
        continue;
      }
      for (TaskIndex task : tasks) PlaceTask(task, strategy);
    }
  }

 private:
  using Outcome = BundlePlan::Outcome;

  // A group with bundles in place was placed whole, so those that wait were lost.
  bool HasLostBundles(JobIndex job) const {
    return tables_.jobs.spec[job].bundle_strategy != BundleStrategy::kNone &&
           std::ranges::any_of(tables_.jobs.tasks[job],
                               [&](TaskIndex t) { return IsAllocated(ledger_.status(t)); });
  }

  void PlaceGroup(JobIndex job, const std::vector<TaskIndex>& tasks, std::string_view domain) {
    Reason reason{ReasonKind::kGangUndone};
    // What was found out about nodes may be out of date, and then hides nothing but refusals.
    for (const bool afresh : {false, true}) {
      if (afresh) view_.ForgetAllowed();
      const BundlePlan plan = Choose(job, tasks, domain);
      if (plan.outcome == Outcome::kInfeasible) {
        reason = Reason{ReasonKind::kInfeasible};
        reason.where = no_domain_;
        break;
      }
      if (plan.outcome == Outcome::kFailed) {
        reason.refusals = NoNode(context_.ClassOf(tasks[0]))->refusals;
        break;
      }
      if (Take(tasks, plan, &reason)) return;
    }
    reason.needed = static_cast<int64_t>(tasks.size());
    context_.reasons.ExplainJob(job, std::move(reason));
  }

  BundlePlan Choose(JobIndex job, const std::vector<TaskIndex>& tasks, std::string_view domain) {
    BundleOptions options{.strategy = tables_.jobs.spec[job].bundle_strategy};
    std::vector<bool> held(view_.nodes().size(), false);
    bool holds = false;
    for (TaskIndex t : tables_.jobs.tasks[job]) {
      const std::optional<size_t> place =
          IsAllocated(ledger_.status(t)) ? view_.place(ledger_.node_of(t)) : std::nullopt;
      if (!place) continue;
      held[*place] = true;
      holds = true;
    }
    const NodeIndex promised = tables_.tasks.nominated[tasks[0]];
    if (promised != kNone) options.wished = view_.place(promised);
    const bool joins = holds && options.strategy == BundleStrategy::kStrictPack;
    std::vector<Bundle> bundles;
    for (TaskIndex t : tasks) {
      const ClassIndex c = context_.ClassOf(t);
      Bundle& bundle = bundles.emplace_back(Bundle{view_.Request(c), view_.Allows(c)});
      for (size_t i = 0; joins && i < held.size(); ++i) {
        bundle.nodes[i] = bundle.nodes[i] && held[i];
      }
    }
    no_domain_.clear();
    if (!domain.empty() && !SetDomains(domain, held, &options)) return {Outcome::kInfeasible, {}};
    options.used_already = std::move(held);
    // No error: the model keeps amounts within 2^53, the view what is free within what there is.
    return *PlaceBundles(view_.nodes(), bundles, options);
  }

  // Nodes with one value of the label are a domain. `held` nodes have bundles of the group, which
  // fix the domain. Returns false if one of them is in none, or two are in different ones: then no
  // domain can have the whole group, and no_domain_ has why.
  bool SetDomains(std::string_view label, const std::vector<bool>& held, BundleOptions* options) {
    for (size_t i = 0; i < held.size(); ++i) {
      const std::string* value = FindLabel(tables_.nodes.spec[view_.node(i)].labels, label);
      const std::string_view domain = value == nullptr ? std::string_view() : *value;
      options->domains.push_back(domain);
      if (!held[i]) continue;
      if (domain.empty()) {
        no_domain_ =
            absl::StrCat("a bundle runs on node ", Quote(tables_.nodes.names.name(view_.node(i))),
                         ", which has no label ", Quote(label));
        return false;
      }
      if (!options->domain.empty() && options->domain != domain) {
        no_domain_ = absl::StrCat("bundles run in two domains of label ", Quote(label), ", ",
                                  Quote(options->domain), " and ", Quote(domain));
        return false;
      }
      options->domain = domain;
    }
    return true;
  }

  bool Take(const std::vector<TaskIndex>& tasks, const BundlePlan& plan, Reason* reason) {
    Attempt attempt(context_);
    *reason = Reason{ReasonKind::kGangUndone};
    for (size_t b = 0; b < tasks.size(); ++b) {
      const NodeIndex node = view_.node(plan.nodes[b]);
      const ClassIndex c = context_.ClassOf(tasks[b]);
      context_.meter.Spend();
      if (!MayTake(tasks[b], reason) || !view_.StillFits(c, node)) {
        if (reason->kind == ReasonKind::kGangUndone) {
          reason->placed = static_cast<int64_t>(b);
          reason->refusals = context_.reasons.NoNode(c)->refusals;
        }
        return false;
      }
      ledger_.Move(tasks[b], TaskStatus::kPlaced, node);
    }
    Commit(&attempt);
    return true;
  }

  // The refusals of nodes, and of devices where sums alone would do.
  ReasonPtr NoNode(ClassIndex c) {
    const ReasonPtr by_sums = context_.reasons.NoNode(c);
    if (!context_.reasons.wanted()) return by_sums;
    auto& [of, made] = no_node_[c];
    if (of == by_sums) return made;
    of = by_sums;
    return made = WithDevices(c, by_sums);
  }

  ReasonPtr WithDevices(ClassIndex c, const ReasonPtr& by_sums) {
    const int64_t count = view_.CountWithoutDevice(c);
    if (count == 0) return by_sums;
    Reason reason = *by_sums;
    reason.refusals.push_back(
        {.code = RefusalCode::kDevice,
         .detail = absl::StrCat("no device of ", ToAbsl(tables_.dimensions.name(view_.by_device())),
                                " has so much free"),
         .nodes = count});
    return std::make_shared<const Reason>(std::move(reason));
  }

  // Tasks of strategy spread go on after the node that the last of them got.
  void BeginAfterLast() {
    const std::string_view last = context_.facts.cycle->Recall(kRaySlot).Text(kLastNode);
    const auto node = last.empty() ? std::nullopt : context_.facts.cycle->FindNode(last);
    const std::optional<size_t> place = node ? view_.place(*node) : std::nullopt;
    choice_.BeginAt(place ? (*place + 1) % view_.nodes().size() : 0);
  }

  std::optional<size_t> ChoosePlace(TaskIndex task, const RayStrategy& strategy,
                                    ChoiceWishes& wishes) {
    const BundleAmounts request = view_.Request(context_.ClassOf(task));
    switch (strategy.kind) {
      case RayStrategy::Kind::kSpread:
        BeginAfterLast();
        return choice_.InTurn(request, wishes);
      case RayStrategy::Kind::kRandom:
        return choice_.Any(request, wishes, &rng_);
      case RayStrategy::Kind::kNode: {
        const auto node = context_.facts.cycle->FindNode(strategy.node);
        return choice_.Certain(request, node ? view_.place(*node) : std::nullopt,
                               strategy.spills || strategy.fails, strategy.soft && !strategy.fails,
                               wishes, &rng_);
      }
      case RayStrategy::Kind::kLabels: {
        const std::vector<bool> preferred = Preferred(context_.ClassOf(task), *wishes.allowed);
        ChoiceWishes first = wishes;
        first.allowed = &preferred;
        const std::optional<size_t> place = choice_.Any(request, first, &rng_);
        return place ? place : choice_.Any(request, wishes, &rng_);
      }
      case RayStrategy::Kind::kDefault:
        break;
    }
    return choice_.Hybrid(request, wishes, &rng_);
  }
  // Those of the allowed nodes that all preferred terms match.
  std::vector<bool> Preferred(ClassIndex c, const std::vector<bool>& allowed) const {
    std::vector<bool> preferred = allowed;
    for (const PreferredNodeTerm& soft : tables_.classes.shape[c].preferred_node_affinity) {
      for (size_t i = 0; i < preferred.size(); ++i) {
        preferred[i] = preferred[i] && Matches(soft.term, tables_.nodes.spec[view_.node(i)]);
      }
    }
    return preferred;
  }

  void PlaceTask(TaskIndex task, const RayStrategy& strategy) {
    const ClassIndex c = context_.ClassOf(task);
    Reason refusal{ReasonKind::kNoNode};
    context_.meter.Spend();
    if (!MayTake(task, &refusal)) return context_.reasons.Explain(task, std::move(refusal));
    ChoiceWishes wishes{.needs_room = true,
                        .avoids_accelerators = avoids_accelerators_,
                        .threshold = threshold_,
                        .top = top_,
                        .top_fraction = top_fraction_};
    const NodeIndex promised = tables_.tasks.nominated[task];
    if (promised != kNone) wishes.preferred = view_.place(promised);
    for (const bool afresh : {false, true}) {
      if (afresh) view_.ForgetAllowed();
      wishes.allowed = &view_.Allows(c);
      const std::optional<size_t> place = ChoosePlace(task, strategy, wishes);
      if (!place) break;
      const NodeIndex node = view_.node(*place);
      if (!view_.StillFits(c, node)) continue;
      Attempt attempt(context_);
      ledger_.Move(task, TaskStatus::kPlaced, node);
      if (strategy.kind == RayStrategy::Kind::kSpread) {
        context_.facts.cycle->Remember(kRaySlot).Set(kLastNode, {tables_.nodes.spec[node].name});
      }
      return Commit(&attempt);
    }
    context_.reasons.Explain(task, NoNode(c));
  }

  bool MayTake(TaskIndex task, Reason* reason) const {
    const QueueIndex queue = tables_.jobs.queue[tables_.tasks.job[task]];
    const Verdict verdict = context_.dispatcher.Allocatable(queue, task);
    if (verdict.ok()) return true;
    *reason = context_.reasons.QueueReason(queue, verdict);
    return false;
  }

  void Commit(Attempt* attempt) {
    std::vector<NodeIndex> changed;
    for (const Ledger::Entry& entry : attempt->moves()) changed.push_back(entry.to_node);
    attempt->Commit();
    for (NodeIndex n : changed) view_.Renew(n);
  }

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  RayView view_;
  // By class: what NoNode returned last, and for which reason by sums.
  HashMap<ClassIndex, std::pair<ReasonPtr, ReasonPtr>> no_node_;
  std::string no_domain_;  // why the last group could be in none; empty: it could
  MachineChoice choice_;
  const float threshold_;
  const bool avoids_accelerators_;
  const size_t top_;
  const float top_fraction_;
  Rng rng_;
};

void RunRayAllocate(ActionContext& context, const Options& options) {
  RayAllocate(context, options).Run();
}

}  // namespace

ActionDecl RayAllocateAction() {
  ActionDecl action{"allocate",
                    "groups of bundles whole or not at all, other tasks to nodes that are not busy",
                    kRayAllocateOptions, RunRayAllocate};
  action.memory = {{kRaySlot}};
  action.check = CheckRaySettings;
  action.points = PointSet{Point::kJobOrder, Point::kTaskOrder, Point::kAllocatable, Point::kFit};
  return action;
}

}  // namespace muster
