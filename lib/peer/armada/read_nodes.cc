// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/read_nodes.h"

#include <algorithm>
#include <utility>

#include "lib/base/hash_map.h"
#include "lib/model/words.h"
#include "lib/peer/armada/matching.h"
#include "lib/peer/armada/row_settings.h"

namespace muster::armada {
namespace {

// The label that stands for the field of that name in node terms.
constexpr const char* kNameField = "metadata.name";
// More pods than any node runs: what a node without a limit has.
constexpr int64_t kManyPods = int64_t{1} << 30;
// Less than anything fits into.
constexpr int64_t kNothing = -(int64_t{1} << 60);

bool LimitsPods(const muster::Tables& tables) {
  for (muster::NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (tables.nodes.alive[n] && tables.nodes.allocatable.at(n, kPods) != kAbsent) return true;
  }
  return false;
}

Comparison ComparisonOf(RequirementOp op) {
  switch (op) {
    case RequirementOp::kNotIn:
      return Comparison::kNotIn;
    case RequirementOp::kExists:
      return Comparison::kExists;
    case RequirementOp::kDoesNotExist:
      return Comparison::kDoesNotExist;
    case RequirementOp::kGt:
      return Comparison::kGreater;
    case RequirementOp::kLt:
      return Comparison::kLess;
    default:
      return Comparison::kIn;
  }
}

std::string EffectText(TaintEffect effect) { return std::string(Word(effect)); }

std::string TypeKey(const NodeType& type) {
  std::string key;
  const auto add = [&](const std::string& word) {
    key.append(std::to_string(word.size())).append(":").append(word);
  };
  for (const Taint& taint : type.taints) {
    add(taint.key);
    add(taint.value);
    add(taint.effect);
  }
  key.push_back('|');
  for (const auto& [label, value] : type.labels) {
    add(label);
    add(value);
  }
  return key;
}

void AddIndexed(const Config& config, const std::vector<DimensionIndex>& dimensions, State* state) {
  for (const Resolution& indexed : config.indexed) {
    for (size_t r = 0; r < dimensions.size(); ++r) {
      if (state->resources[r].name != indexed.resource) continue;
      state->indexed.push_back({static_cast<int>(r), indexed.units});
    }
  }
  for (size_t r = 0; r < dimensions.size(); ++r) {
    if (dimensions[r] == kPods) state->indexed.push_back({static_cast<int>(r), 1});
  }
  if (state->indexed.empty()) state->indexed.push_back({0, 1});
}

// Returns the amounts by resource, 0 where none is named; empty: none is at all.
Amounts AmountsOf(const std::vector<std::pair<std::string, int64_t>>& named,
                  const std::vector<Resource>& resources) {
  Amounts amounts;
  if (named.empty()) return amounts;
  for (const Resource& resource : resources) {
    const auto found =
        std::ranges::find(named, resource.name, &std::pair<std::string, int64_t>::first);
    amounts.push_back(found == named.end() ? 0 : found->second);
  }
  return amounts;
}

bool IsCordoned(const NodeSpec& spec, const Config& config) {
  NodeSettings settings;
  if (config.cordoned.empty() || spec.settings.empty()) return false;
  if (!ReadNodeSettings(spec, &settings).ok() || settings.executor.empty()) return false;
  return std::ranges::find(config.cordoned, settings.executor) != config.cordoned.end();
}

}  // namespace

std::vector<DimensionIndex> ReadResources(const muster::Tables& tables, const Config& config,
                                          State* state) {
  std::vector<DimensionIndex> dimensions;
  const bool with_pods = LimitsPods(tables);
  Amounts floating;
  for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
    if (d == kPods && !with_pods) continue;
    dimensions.push_back(d);
    Resource& resource = state->resources.emplace_back();
    resource.name = std::string(tables.dimensions.name(d));
    resource.scale = IsMilliDimension(resource.name) ? -3 : 0;
    double multiplier = 0;
    for (const Fraction& cost : config.multipliers) {
      if (cost.resource == resource.name) multiplier = cost.part;
    }
    state->multipliers.push_back(multiplier);
    floating.push_back(0);
    for (const auto& [name, amount] : config.floating) {
      if (name != resource.name) continue;
      resource.floating = true;
      floating.back() = amount;
    }
    for (const std::string& name : config.unscheduled) {
      if (name != resource.name) continue;
      state->options.unscheduled.push_back(static_cast<int>(dimensions.size()) - 1);
    }
  }
  if (!config.floating.empty()) state->floating_limits = std::move(floating);
  Optimiser& optimiser = state->options.optimiser;
  optimiser.smallest = AmountsOf(config.optimiser_smallest, state->resources);
  optimiser.largest = AmountsOf(config.optimiser_largest, state->resources);
  state->indexed_labels = config.indexed_labels;
  AddIndexed(config, dimensions, state);
  return dimensions;
}

Shape ReadShape(const muster::Tables& tables, ClassIndex task_class, int priority_class,
                const std::vector<DimensionIndex>& dimensions) {
  const TaskShape& from = tables.classes.shape[task_class];
  Shape shape;
  shape.priority_class = priority_class;
  for (const DimensionIndex d : dimensions) {
    shape.requests.push_back(std::max(OrZero(tables.classes.request.at(task_class, d)),
                                      OrZero(tables.classes.initial_request.at(task_class, d))));
  }
  shape.selector = from.node_selector;
  if (from.required_node_affinity) {
    shape.affinity.emplace();
    for (const NodeTerm& term : *from.required_node_affinity) {
      Term& made = shape.affinity->emplace_back();
      for (const muster::Requirement& r : term.match_expressions) {
        made.push_back({r.key, ComparisonOf(r.op), r.values});
      }
      for (const muster::Requirement& r : term.match_fields) {
        made.push_back({kNameField, ComparisonOf(r.op), r.values});
      }
    }
  }
  for (const muster::Toleration& t : from.tolerations) {
    shape.tolerations.push_back(
        {t.key, t.value, EffectText(t.effect), t.op == TolerationOp::kExists});
  }
  return shape;
}

std::vector<std::string> ReadPools(const muster::Tables& tables) {
  std::vector<std::string> pools(tables.nodes.alive.size());
  for (muster::NodeIndex n = 0; n < pools.size(); ++n) {
    NodeSettings settings;
    if (!tables.nodes.alive[n] || tables.nodes.spec[n].settings.empty()) continue;
    if (ReadNodeSettings(tables.nodes.spec[n], &settings).ok()) pools[n] = settings.pool;
  }
  return pools;
}

bool NamesNodes(const muster::Tables& tables) {
  return std::ranges::any_of(tables.classes.shape, [](const TaskShape& shape) {
    return shape.required_node_affinity &&
           std::ranges::any_of(*shape.required_node_affinity,
                               [](const NodeTerm& term) { return !term.match_fields.empty(); });
  });
}

std::vector<int> ReadNodes(const muster::Tables& tables, const Config& config,
                           const std::vector<std::string>& pools, World* world) {
  std::vector<int> place_of(tables.nodes.alive.size(), -1);
  const bool by_name = NamesNodes(tables);
  State& state = world->state;
  HashMap<std::string, int> types;
  for (muster::NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    const NodeSpec& spec = tables.nodes.spec[n];
    const bool taken = pools[n] == config.pool || config.MayGoAway(config.pool, pools[n]);
    if (!tables.nodes.alive[n] || !taken || IsCordoned(spec, config)) continue;
    place_of[n] = static_cast<int>(state.nodes.size());
    world->node_of.push_back(n);
    Node& node = state.nodes.emplace_back();
    node.id = spec.name;
    node.index = n.value();
    node.labels = spec.labels;
    if (by_name) node.labels.emplace_back(kNameField, spec.name);
    for (const muster::Taint& t : spec.taints) {
      node.taints.push_back({t.key, t.value, EffectText(t.effect)});
    }
    node.unschedulable = spec.unschedulable || !spec.ready;
    if (node.unschedulable) node.taints.push_back(UnschedulableTaint());
    NodeType type =
        MakeNodeType(node.taints, node.labels, config.indexed_taints, config.indexed_labels);
    const auto [found, is_new] =
        types.try_emplace(TypeKey(type), static_cast<int>(state.node_types.size()));
    if (is_new) state.node_types.push_back(std::move(type));
    node.type = found->second;
  }
  return place_of;
}

namespace {

// What tasks that no round sees hold, by place of the node and resource. Lists them.
std::vector<Amounts> HeldByOthers(const muster::Tables& tables, const Ledger& ledger,
                                  const std::vector<int>& place_of, World* world) {
  const size_t size = world->dimensions.size();
  std::vector<Amounts> held(world->state.nodes.size());
  std::vector<bool> known(tables.tasks.alive.size());
  for (const TaskIndex task : world->task_of) known[task] = true;
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t] || known[t]) continue;
    const TaskStatus status = ledger.status(t);
    if (!HoldsNode(status) || status == TaskStatus::kReleasing) continue;
    const int place = place_of[ledger.node_of(t)];
    if (place < 0) continue;
    world->others.push_back(t);
    Amounts& amounts = held[static_cast<size_t>(place)];
    amounts.resize(size);
    const auto request = ledger.request(t);
    for (size_t r = 0; r < size; ++r) amounts[r] += OrZero(request[world->dimensions[r]]);
  }
  return held;
}

// Takes what jobs hold from the buckets of a node. Returns whether they hold more than there is.
bool TakeHoldings(const State& state, Node* node) {
  Amounts left = node->total;
  for (const Holding& held : node->jobs) {
    const Job& job = state.jobs[static_cast<size_t>(held.job)];
    const Amounts& requests = state.shapes[static_cast<size_t>(job.shape)].requests;
    for (size_t r = 0; r < left.size(); ++r) {
      if (state.resources[r].floating) continue;
      left[r] -= requests[r];
      for (size_t b = 0; b < state.buckets.size(); ++b) {
        if (state.buckets[b] <= held.cutoff) node->free[b][r] -= requests[r];
      }
    }
  }
  return std::ranges::any_of(left, [](int64_t amount) { return amount < 0; });
}

}  // namespace

void FillBooks(const muster::Tables& tables, const Ledger& ledger, const std::vector<int>& place_of,
               World* world) {
  State& state = world->state;
  const size_t size = world->dimensions.size();
  const std::vector<Amounts> others = HeldByOthers(tables, ledger, place_of, world);
  state.total.assign(size, 0);
  for (size_t n = 0; n < state.nodes.size(); ++n) {
    Node& node = state.nodes[n];
    const auto row = tables.nodes.allocatable.row(world->node_of[n]);
    node.total.assign(size, 0);
    if (node.unschedulable && node.jobs.empty()) {
      node.free.assign(state.buckets.size(), Amounts(size, kNothing));
      continue;
    }
    for (size_t r = 0; r < size; ++r) {
      const DimensionIndex d = world->dimensions[r];
      if (state.resources[r].floating) continue;
      const int64_t all = d == kPods && row[d] == kAbsent ? kManyPods : OrZero(row[d]);
      node.total[r] = std::max<int64_t>(0, all - (others[n].empty() ? 0 : others[n][r]));
      state.total[r] += node.total[r];
    }
    node.free.assign(state.buckets.size(), node.total);
    if (!TakeHoldings(state, &node)) continue;
    node.over_allocated = true;
    if (!node.unschedulable) node.taints.push_back(UnschedulableTaint());
    node.unschedulable = true;
  }
  for (size_t r = 0; state.floating_limits && r < size; ++r) {
    state.total[r] += (*state.floating_limits)[r];
  }
}

}  // namespace muster::armada
