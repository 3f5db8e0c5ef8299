// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// predicates: which nodes a task may run on.
//
// Promise. A task is placed only on a node that is schedulable for it, matches its node selector
// and required node affinity, has no taint that it does not tolerate, and has room for one more
// task. Host ports, required inter-task (anti-)affinity and required spread must hold there. The
// engine itself compares requests.
//
// Rules. The filters of Kubernetes without NodeResourcesFit, in the version that option kubernetes
// selects (versions.h). A node is ready as soon as it exists; node_ready reads its condition, too,
// and the rules of 1.16 always do.
//
// Cost. What depends on the node alone is computed once per node and set of constraints, and no
// eviction can cure it. The task limit is checked once per state. The rest is checked only for task
// classes that some term mentions (inter_task.h).
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/extension/cycle.h"
#include "lib/kube/inter_task.h"
#include "lib/kube/policies.h"
#include "lib/kube/selectors.h"
#include "lib/kube/versions.h"

namespace muster {
namespace {

constexpr OptionDecl kPredicatesOptions[] = {
    {"node_affinity", OptionKind::kFlag, "on", 0, 0, "node selectors and required node affinity"},
    {"taints", OptionKind::kFlag, "on", 0, 0, "taints and tolerations"},
    {"host_ports", OptionKind::kFlag, "on", 0, 0, "host ports"},
    {"pod_affinity", OptionKind::kFlag, "on", 0, 0,
     "required inter-task affinity and anti-affinity"},
    {"spread", OptionKind::kFlag, "on", 0, 0, "required topology spread"},
    {"trial_evictions", OptionKind::kFlag, "on", 0, 0,
     "what preempt evicts on trial no longer counts for inter-task affinity"},
    {"node_ready", OptionKind::kFlag, "off", 0, 0, "the node's own ready condition"},
    {"kubernetes", OptionKind::kChoice, "1.36", 0, 0,
     "1.16|1.35|1.36|1.37: the version whose filters these are"},
};

MUSTER_KERNEL void KeepWithRoom(const double* tasks, const double* limit, size_t begin, size_t end,
                                uint8_t* fits) {
  for (size_t i = begin; i < end; ++i) fits[i - begin] &= static_cast<uint8_t>(tasks[i] < limit[i]);
}

InterTaskOptions FilterOptions(const Options& options) {
  InterTaskOptions result;
  result.host_ports = options.flag("host_ports");
  result.affinity = options.flag("pod_affinity");
  result.rules = RulesOfKubernetes(options.text("kubernetes"));
  result.spread = options.flag("spread") && result.rules.spread;
  return result;
}

class Predicates : public Policy, public FitPolicy {
 public:
  explicit Predicates(const Options& options)
      : node_affinity_(options.flag("node_affinity")),
        taints_(options.flag("taints")),
        rules_(RulesOfKubernetes(options.text("kubernetes"))),
        node_ready_(rules_.ready_always || options.flag("node_ready")),
        trial_evictions_(options.flag("trial_evictions")),
        inter_task_(FilterOptions(options)) {}

  std::string_view name() const override { return "predicates"; }
  PointSet points() const override { return {Point::kFit}; }
  Traits traits() const override {
    Traits traits;
    traits.sees_trials = trial_evictions_;
    traits.reads_free = false;
    return traits;
  }
  FitPolicy* fit() override { return this; }
  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    inter_task_.Open(internal::DataOf(cycle).tables, internal::DataOf(cycle).ledger);
  }

  Scope FitScope(ClassIndex c) override {
    return inter_task_.FitDepends(c) ? Scope::kCluster : Scope::kState;
  }

  bool FitsKind(ClassIndex c, NodeIndex node, NodeRefusal* refusal) override {
    const TaskShape& shape = tables_->classes.shape[c];
    const NodeSpec& spec = tables_->nodes.spec[node];
    if ((node_ready_ && !spec.ready) ||
        (rules_.network_must_be_there && spec.network_unavailable)) {
      *refusal = {RefusalCode::kNotReady, {}};
      return false;
    }
    if (spec.unschedulable && !(rules_.unschedulable_tolerated && ToleratesUnschedulable(shape))) {
      *refusal = {RefusalCode::kUnschedulable, {}};
      return false;
    }
    if (node_affinity_ && !MatchesNode(shape, spec)) {
      *refusal = {RefusalCode::kNodeAffinity, {}};
      return false;
    }
    if (taints_) {
      if (const Taint* taint = FirstUntolerated(shape, spec)) {
        *refusal = {RefusalCode::kTaint, TaintText(*taint)};
        return false;
      }
    }
    return true;
  }

  void FitStates(ClassIndex, const StateColumns& states, size_t begin, size_t end,
                 uint8_t* fits) override {
    KeepWithRoom(states.tasks.data(), states.task_limit.data(), begin, end, fits);
  }
  NodeRefusal StateRefusal() const override { return {RefusalCode::kPodLimit, {}}; }

  void FitNodes(ClassIndex c, std::span<const NodeIndex> nodes, std::span<uint8_t> fits,
                std::span<RefusalCode> codes, std::span<uint8_t> hard) override {
    inter_task_.Fit(c, nodes, fits, codes, hard);
  }

  bool FitsTrial(ClassIndex c, NodeIndex node) override {
    return inter_task_.FitsAffinity(c, node);
  }

 private:
  const bool node_affinity_, taints_;
  const KubernetesRules& rules_;
  const bool node_ready_, trial_evictions_;
  InterTask inter_task_;
  const Tables* tables_ = nullptr;
};

}  // namespace

PolicyDecl PredicatesPolicy() {
  return {"predicates", "where a task may run at all", kPredicatesOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Predicates>(options);
          },
          /*revision=*/2};
}

}  // namespace muster
