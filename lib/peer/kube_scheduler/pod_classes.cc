// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/pod_classes.h"

#include <algorithm>

#include "lib/kube/selectors.h"
#include "muster/quantity.h"

namespace muster::kube {
namespace {

constexpr int64_t kMissingCpu = 100, kMissingMemory = int64_t{200} * 1024 * 1024;

const Quantity* AmountOf(const Resources& resources, std::string_view name) {
  for (const auto& [known, amount] : resources) {
    if (known == name) return &amount;
  }
  return nullptr;
}

int64_t Units(const Quantity& amount, std::string_view name) {
  // Rows were validated when they joined the tables.
  return ParseQuantity(amount.text, IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole)
      .value_or(0);
}

int64_t AmountIn(const Resources& resources, std::string_view name, int64_t missing) {
  const Quantity* amount = AmountOf(resources, name);
  return amount == nullptr ? missing : Units(*amount, name);
}

// What the containers need at once: the regular ones and sidecars together, or an init container
// beside the sidecars that were started before it.
int64_t PeakOf(const TaskShape& shape, std::string_view name, int64_t missing) {
  if (shape.containers.empty()) {
    const int64_t overhead = shape.pod ? AmountIn(shape.pod->overhead, name, 0) : 0;
    const Quantity* amount = AmountOf(shape.request, name);
    return amount == nullptr ? missing : Units(*amount, name) - overhead;
  }
  int64_t together = 0, sidecars = 0, start = 0;
  for (const ContainerSpec& container : shape.containers) {
    const int64_t amount = AmountIn(container.request, name, missing);
    if (container.sidecar) {
      together += amount;
      sidecars += amount;
      start = std::max(start, sidecars);
    } else if (container.init) {
      start = std::max(start, sidecars + amount);
    } else {
      together += amount;
    }
  }
  return std::max(together, start);
}

int64_t MissingOf(DimensionIndex d) {
  return d == kCpu ? kMissingCpu : d == kMemory ? kMissingMemory : 0;
}

}  // namespace

PodClasses::PodClasses(const Tables& tables)
    : tables_(tables), known_(tables.classes.shape.size()) {
  for (const NamespaceSpec& name_space : tables.namespaces) {
    namespaces_[name_space.name] = &name_space.labels;
  }
}

const PodClass& PodClasses::at(ClassIndex c) {
  std::unique_ptr<PodClass>& known = known_[c];
  if (known == nullptr) {
    known = std::make_unique<PodClass>();
    Count(c, known.get());
  }
  return *known;
}

std::vector<int64_t> PodClasses::Scored(ClassIndex c) const {
  const TaskShape& shape = tables_.classes.shape[c];
  std::vector<int64_t> scored(tables_.dimension_count());
  for (DimensionIndex d = 0; d < scored.size(); ++d) {
    const std::string_view name = tables_.dimensions.name(d);
    scored[d] = PeakOf(shape, name, MissingOf(d)) +
                (shape.pod ? AmountIn(shape.pod->overhead, name, 0) : 0);
  }
  return scored;
}

void PodClasses::Count(ClassIndex c, PodClass* facts) const {
  const TaskShape& shape = tables_.classes.shape[c];
  facts->shape = &shape;
  facts->request = tables_.classes.request.row(c);
  facts->node_cpu = tables_.classes.scoring_cpu[c];
  facts->node_memory = tables_.classes.scoring_memory[c];
  if (shape.pod) {
    const std::vector<int64_t> scored = Scored(c);
    const auto on_node = [&](DimensionIndex d, std::string_view name) {
      const bool whole = shape.pod->whole_request && AmountOf(shape.request, name) != nullptr;
      return whole ? facts->request[d] : scored[d];
    };
    facts->node_cpu = on_node(kCpu, "cpu");
    facts->node_memory = on_node(kMemory, "memory");
  }
  facts->containers = std::max<size_t>(1, shape.containers.size());
  facts->repels = !shape.required_anti_affinity.empty();
  facts->has_affinity = facts->repels || !shape.required_affinity.empty() ||
                        !shape.preferred_affinity.empty() || !shape.preferred_anti_affinity.empty();
  for (const SpreadConstraint& constraint : shape.spread) {
    (constraint.required ? facts->has_required_spread : facts->has_preferred_spread) = true;
  }
}

bool PodClasses::InNamespace(const AffinityTerm& term, const std::string& owner,
                             const std::string& other, bool known_only) const {
  if (term.namespaces.empty() && !term.namespace_selector) return other == owner;
  const auto& names = term.namespaces;
  if (std::find(names.begin(), names.end(), other) != names.end()) return true;
  if (!term.namespace_selector) return false;
  const Selector& selector = *term.namespace_selector;
  if (selector.match_labels.empty() && selector.match_expressions.empty()) return true;
  const auto it = namespaces_.find(other);
  if (it != namespaces_.end()) return Matches(selector, *it->second);
  return !known_only && Matches(selector, Labels());
}

bool PodClasses::MatchesOwn(const AffinityTerm& term, const TaskShape& owner,
                            const TaskShape& other) const {
  return term.selector && Matches(*term.selector, other.labels) &&
         InNamespace(term, owner.name_space, other.name_space, true);
}

bool PodClasses::MatchesHint(const AffinityTerm& term, const TaskShape& owner,
                             const TaskShape& other) {
  if (!term.selector || !Matches(*term.selector, other.labels)) return false;
  if (term.namespaces.empty() && !term.namespace_selector) {
    return other.name_space == owner.name_space;
  }
  const auto& names = term.namespaces;
  return std::find(names.begin(), names.end(), other.name_space) != names.end() ||
         (term.namespace_selector && Matches(*term.namespace_selector, Labels()));
}

bool PodClasses::MatchesHeld(const AffinityTerm& term, ClassIndex owner,
                             ClassIndex incoming) const {
  return term.selector && Matches(*term.selector, shape(incoming).labels) &&
         InNamespace(term, shape(owner).name_space, shape(incoming).name_space, false);
}

}  // namespace muster::kube
