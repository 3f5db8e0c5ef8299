// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/wake.h"

#include <algorithm>

#include "lib/kube/inter_ports.h"
#include "lib/kube/selectors.h"
#include "lib/peer/kube_scheduler/world.h"

namespace muster::kube {
namespace {

class Waker {
 public:
  Waker(PodClasses& classes, TaskIndex task, const Happening& happening)
      : tables_(classes.tables()),
        pod_(classes.at(tables_.tasks.task_class[task])),
        shape_(*pod_.shape),
        h_(happening) {}

  bool Fit() const {
    if (h_.kind == Happened::kPodDeleted) return true;
    if (h_.kind != Happened::kNodeAdded && h_.kind != Happened::kNodeAllocatable) return false;
    if (!FitsEmpty()) return false;
    return h_.kind == Happened::kNodeAdded || Grew();
  }

  bool Affinity() const {  // to nodes
    if (h_.kind != Happened::kNodeAdded && h_.kind != Happened::kNodeLabels) return false;
    const NodeSpec& node = tables_.nodes.spec[h_.new_node];
    if (shape_.pod && shape_.pod->added_affinity) {
      const std::vector<NodeTerm>& terms = *shape_.pod->added_affinity;
      const auto matches = [&](const NodeTerm& term) { return Matches(term, node); };
      if (std::none_of(terms.begin(), terms.end(), matches)) return false;
    }
    if (!MatchesNode(shape_, node)) return false;
    if (h_.old_node == nullptr) return true;
    NodeSpec before = h_.old_node->spec;
    before.name = node.name;
    return !MatchesNode(shape_, before);
  }

  bool Taints() const {
    if (h_.kind == Happened::kOwnTolerations) return true;
    if (h_.kind != Happened::kNodeAdded && h_.kind != Happened::kNodeTaints) return false;
    if (FirstUntolerated(shape_, tables_.nodes.spec[h_.new_node]) != nullptr) return false;
    return h_.old_node == nullptr || FirstUntolerated(shape_, h_.old_node->spec) != nullptr;
  }

  bool Unschedulable() const {
    if (h_.kind == Happened::kOwnTolerations) return ToleratesUnschedulable(shape_);
    if (h_.kind != Happened::kNodeAdded && h_.kind != Happened::kNodeTaints) return false;
    if (tables_.nodes.spec[h_.new_node].unschedulable) return false;
    return h_.old_node == nullptr || h_.old_node->spec.unschedulable;
  }

  bool Ports() const {
    if (h_.kind == Happened::kNodeAdded) return true;
    if (h_.kind != Happened::kPodDeleted) return false;
    for (const HostPort& wanted : shape_.host_ports) {
      for (const HostPort& used : h_.old_pod->host_ports) {
        if (PortsConflict(wanted, used)) return true;
      }
    }
    return false;
  }

  bool PodAffinity() const {
    switch (h_.kind) {
      case Happened::kOwnLabels:
        return true;
      case Happened::kPodAssigned:
        return MatchesAll(*h_.new_pod);
      case Happened::kPodRelabelled:
        return (!MatchesAll(*h_.old_pod) && MatchesAll(*h_.new_pod)) ||
               (Repels(*h_.old_pod) && !Repels(*h_.new_pod));
      case Happened::kPodDeleted:
        return Repels(*h_.old_pod) || IsRepelledBy(*h_.old_pod);
      case Happened::kNodeAdded:
        return !shape_.required_anti_affinity.empty() || GainsKey();
      case Happened::kNodeLabels:
        return GainsKey() || LosesKey();
      default:
        return false;
    }
  }

  bool Spread() const {
    switch (h_.kind) {
      case Happened::kPodAssigned:
        return SameNamespace(*h_.new_pod) && SelectsAny(*h_.new_pod);
      case Happened::kPodDeleted:
        return SameNamespace(*h_.old_pod) && SelectsAny(*h_.old_pod);
      case Happened::kPodRelabelled:
        return SameNamespace(*h_.new_pod) && SelectsOtherwise();
      case Happened::kOwnTolerations:
      case Happened::kOwnLabels:
        return HonorsTaints() || SelectsOtherwise();
      case Happened::kNodeAdded:
        return HasKeys(tables_.nodes.spec[h_.new_node]);
      case Happened::kNodeDeleted:
        return HasKeys(h_.old_node->spec);
      case Happened::kNodeLabels:
      case Happened::kNodeTaints:
        return NodeChanged();
      default:
        return false;
    }
  }

 private:
  int64_t Before(std::string_view name) const {
    for (const auto& [known, amount] : h_.old_node->allocatable) {
      if (known == name) return amount;
    }
    return 0;
  }
  int64_t Now(DimensionIndex d) const { return AllocatableOf(tables_, h_.new_node, d); }

  bool FitsEmpty() const {
    for (DimensionIndex d = 0; d < pod_.request.size(); ++d) {
      const int64_t wanted = d == kPods ? 1 : pod_.request[d];
      if (wanted > 0 && wanted > Now(d)) return false;
    }
    return true;
  }
  bool Grew() const {
    for (DimensionIndex d = 0; d < pod_.request.size(); ++d) {
      if (d != kPods && pod_.request[d] <= 0) continue;
      if (Now(d) > Before(tables_.dimensions.name(d))) return true;
    }
    return false;
  }

  bool MatchesAll(const TaskShape& other) const {
    const auto& terms = shape_.required_affinity;
    return !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const AffinityTerm& term) {
      return PodClasses::MatchesHint(term, shape_, other);
    });
  }
  bool Repels(const TaskShape& other) const {
    const auto& terms = shape_.required_anti_affinity;
    return std::any_of(terms.begin(), terms.end(), [&](const AffinityTerm& term) {
      return PodClasses::MatchesHint(term, shape_, other);
    });
  }
  bool IsRepelledBy(const TaskShape& other) const {
    const auto& terms = other.required_anti_affinity;
    return std::any_of(terms.begin(), terms.end(), [&](const AffinityTerm& term) {
      return PodClasses::MatchesHint(term, other, shape_);
    });
  }

  const std::string* KeyBefore(const std::string& key) const {
    return h_.old_node == nullptr ? nullptr : FindLabel(h_.old_node->spec.labels, key);
  }
  const std::string* KeyNow(const std::string& key) const {
    return FindLabel(tables_.nodes.spec[h_.new_node].labels, key);
  }
  // The node gets a key of required affinity, or another value of it.
  bool GainsKey() const {
    for (const AffinityTerm& term : shape_.required_affinity) {
      const std::string *before = KeyBefore(term.topology_key), *now = KeyNow(term.topology_key);
      if (now != nullptr && (before == nullptr || *before != *now)) return true;
    }
    return false;
  }
  // The node loses a key of anti-affinity, or gets another value of it.
  bool LosesKey() const {
    for (const AffinityTerm& term : shape_.required_anti_affinity) {
      const std::string *before = KeyBefore(term.topology_key), *now = KeyNow(term.topology_key);
      if (before != nullptr && (now == nullptr || *before != *now)) return true;
    }
    return false;
  }

  bool SameNamespace(const TaskShape& other) const { return other.name_space == shape_.name_space; }
  static bool Selects(const SpreadConstraint& constraint, const Labels& labels) {
    return constraint.selector && Matches(*constraint.selector, labels);
  }
  bool SelectsAny(const TaskShape& other) const {
    return std::any_of(shape_.spread.begin(), shape_.spread.end(), [&](const SpreadConstraint& c) {
      return c.required && Selects(c, other.labels);
    });
  }
  bool SelectsOtherwise() const {
    return std::any_of(shape_.spread.begin(), shape_.spread.end(), [&](const SpreadConstraint& c) {
      return c.required && Selects(c, h_.old_pod->labels) != Selects(c, h_.new_pod->labels);
    });
  }
  bool HonorsTaints() const {
    return h_.old_pod->tolerations.size() != h_.new_pod->tolerations.size() &&
           std::any_of(shape_.spread.begin(), shape_.spread.end(),
                       [](const SpreadConstraint& c) { return c.required && c.honor_taints; });
  }
  bool HasKeys(const NodeSpec& node) const {
    return std::all_of(shape_.spread.begin(), shape_.spread.end(), [&](const SpreadConstraint& c) {
      return !c.required || FindLabel(node.labels, c.topology_key) != nullptr;
    });
  }
  bool NodeChanged() const {
    const NodeSpec &before = h_.old_node->spec, &now = tables_.nodes.spec[h_.new_node];
    if (HasKeys(before) != HasKeys(now)) return true;
    if (!HasKeys(now)) return false;
    if (before.taints != now.taints) return true;
    return std::any_of(shape_.spread.begin(), shape_.spread.end(), [&](const SpreadConstraint& c) {
      return c.required && *KeyBefore(c.topology_key) != *KeyNow(c.topology_key);
    });
  }

  const Tables& tables_;
  const PodClass& pod_;
  const TaskShape& shape_;
  const Happening& h_;
};

}  // namespace

bool Wakes(PodClasses& classes, TaskIndex task, JobIndex group, PluginSet rejectors,
           const Happening& happening) {
  if (rejectors.empty()) return true;
  const Waker waker(classes, task, happening);
  const auto wakes = [&](Plugin plugin, bool (Waker::*hint)() const) {
    return rejectors.has(plugin) && (waker.*hint)();
  };
  if (rejectors.has(Plugin::kSchedulingGates) && happening.kind == Happened::kOwnGatesGone) {
    return true;
  }
  if (rejectors.has(Plugin::kGangScheduling) && group != kNone && happening.group == group &&
      (happening.kind == Happened::kPodWaits || happening.kind == Happened::kPodAssigned ||
       happening.kind == Happened::kGroupAdded || happening.kind == Happened::kGroupChanged)) {
    return true;
  }
  return wakes(Plugin::kNodeResourcesFit, &Waker::Fit) ||
         wakes(Plugin::kNodeAffinity, &Waker::Affinity) ||
         wakes(Plugin::kTaintToleration, &Waker::Taints) ||
         wakes(Plugin::kNodeUnschedulable, &Waker::Unschedulable) ||
         wakes(Plugin::kNodePorts, &Waker::Ports) ||
         wakes(Plugin::kInterPodAffinity, &Waker::PodAffinity) ||
         wakes(Plugin::kPodTopologySpread, &Waker::Spread);
}

}  // namespace muster::kube
