// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/world.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "lib/base/names.h"
#include "lib/kube/inter_ports.h"
#include "lib/kube/selectors.h"

namespace muster::kube {
namespace {

bool SamePort(const HostPort& a, const HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol && AddressOf(a) == AddressOf(b);
}

}  // namespace

void NodeBooks::Add(const PodClass& pod) {
  for (size_t d = 0; d < requested.size(); ++d) requested[d] += pod.request[d];
  scored_cpu += pod.node_cpu;
  scored_memory += pod.node_memory;
  ++pods;
  // A set: of two equal ports one is kept, and the first pod to go takes it along.
  for (const HostPort& port : pod.shape->host_ports) {
    const auto same = [&](const HostPort* known) { return SamePort(*known, port); };
    if (std::none_of(ports.begin(), ports.end(), same)) ports.push_back(&port);
  }
}

void NodeBooks::Remove(const PodClass& pod) {
  for (size_t d = 0; d < requested.size(); ++d) requested[d] -= pod.request[d];
  scored_cpu -= pod.node_cpu;
  scored_memory -= pod.node_memory;
  --pods;
  for (const HostPort& port : pod.shape->host_ports) {
    std::erase_if(ports, [&](const HostPort* known) { return SamePort(*known, port); });
  }
}

void NodeBooks::Keep(const Sparse& amounts, int64_t places) {
  ForEachResource(amounts.keys(), [&](size_t d) { requested[d] += amounts.at(d); });
  scored_cpu += amounts.at(kCpu);
  scored_memory += amounts.at(kMemory);
  pods += places;
}

namespace {

bool IsMarked(const TaskShape& shape) {
  return std::any_of(shape.labels.begin(), shape.labels.end(),
                     [](const auto& label) { return label.first == kPreemptedLabel; });
}

}  // namespace

World::World(PodClasses* classes) : classes_(*classes) {
  const Tables& t = tables();
  const size_t nodes = t.nodes.alive.size(), tasks = t.tasks.alive.size();
  NodeBooks empty;
  empty.requested.assign(t.dimension_count(), 0);
  books_.assign(nodes, empty);
  on_node_.resize(nodes);
  state_of_.assign(nodes, kNone);
  changes_of_.assign(nodes, 0);
  for (NodeIndex n = 0; n < nodes; ++n) {
    has_images_ |= t.nodes.alive[n] && !t.nodes.spec[n].images.empty();
  }
  if (has_images_) image_counts_.resize(nodes);
  place_of_.assign(tasks, kNone);
  node_of_.assign(tasks, kNone);
  leaving_.assign(tasks, Leaving::kNo);
  started_.assign(tasks, kAbsent);
  placed_.reserve(tasks);
  std::vector<uint32_t> held(nodes, 0);
  for (TaskIndex task = 0; task < tasks; ++task) {
    if (t.tasks.alive[task] && t.tasks.node[task] != kNone) ++held[t.tasks.node[task].value()];
  }
  for (NodeIndex n = 0; n < nodes; ++n) on_node_[n].reserve(held[n.value()]);
  for (TaskIndex task = 0; task < tasks; ++task) {
    const TaskStatus status = t.tasks.status[task];
    if (!t.tasks.alive[task] || t.tasks.node[task] == kNone || !HoldsNode(status)) continue;
    Add(task, t.tasks.node[task], t.tasks.started[task]);
    if (status == TaskStatus::kReleasing) {
      leaving_[task] =
          IsMarked(classes_.shape(class_of(task))) ? Leaving::kPreempted : Leaving::kTerminating;
    }
  }
  journal_.clear();
  affinity_until_ = repelling_until_ = 0;
}

void World::NoteTerms(const PodClass& pod) {
  if (pod.has_affinity) affinity_until_ = journal_.size();
  if (pod.repels) repelling_until_ = journal_.size();
}

void World::SetOrder(std::vector<NodeIndex> order) {
  order_ = std::move(order);
  ++foundation_;
  by_name_.clear();
  states_in_order_.clear();
  heap_visits_.clear();
  order_place_.assign(books_.size(), kNone);
  for (uint32_t p = 0; p < order_.size(); ++p) order_place_[order_[p]] = p;
}

const std::vector<NodeIndex>& World::by_name() {
  if (by_name_.empty()) {
    by_name_ = order_;
    const auto& names = tables().nodes.names;
    const auto is_before = [&](NodeIndex a, NodeIndex b) { return names.name(a) < names.name(b); };
    if (!std::is_sorted(by_name_.begin(), by_name_.end(), is_before)) {
      std::sort(by_name_.begin(), by_name_.end(), is_before);
    }
  }
  return by_name_;
}

bool World::HaveEqualAmounts(NodeIndex a, NodeIndex b) const {
  const NodeBooks &of_a = books_[a], &of_b = books_[b];
  if (of_a.pods != of_b.pods || of_a.scored_cpu != of_b.scored_cpu ||
      of_a.scored_memory != of_b.scored_memory) {
    return false;
  }
  const size_t dimensions = of_a.requested.size();
  const int64_t *const held_a = of_a.requested.data(), *const held_b = of_b.requested.data();
  for (size_t d = 0; d < dimensions; ++d) {
    if (held_a[d] != held_b[d]) return false;
  }
  return std::ranges::equal(tables().nodes.allocatable.row(a), tables().nodes.allocatable.row(b));
}

uint32_t World::StateOf(NodeIndex n) {
  if (state_of_[n] != kNone) return state_of_[n];
  // Nodes that come one after the other are often alike.
  const NodeIndex last = std::exchange(last_asked_, n);
  if (last != kNone && state_of_[last] != kNone && HaveEqualAmounts(last, n)) {
    return state_of_[n] = state_of_[last];
  }
  const NodeBooks& books = books_[n];
  amounts_.assign({books.pods, books.scored_cpu, books.scored_memory});
  for (DimensionIndex d = 0; d < books.requested.size(); ++d) {
    amounts_.push_back(books.requested[d]);
    amounts_.push_back(allocatable(n, d));
  }
  const auto number = static_cast<uint32_t>(states_.size());
  const auto [known, is_new] = states_.try_emplace(amounts_, number);
  if (is_new) {
    state_amounts_.insert(state_amounts_.end(), amounts_.begin(), amounts_.end());
    evenness_.push_back(-1);
  }
  return state_of_[n] = known->second;
}

void World::ForgetOldStates() {
  constexpr size_t kFew = 256;
  if (states_.size() <= std::max(most_states_, kFew)) return;
  ++epoch_;
  ++foundation_;
  states_ = {};
  state_amounts_.clear();
  evenness_.clear();
  state_of_.assign(state_of_.size(), kNone);
  states_in_order_.clear();
  StatesInOrder();
  most_states_ = 2 * states_.size() + order_.size() / 8 + kFew;
}

void World::Keep(NodeIndex n, const Sparse& amounts, int64_t pods) {
  books_[n].Keep(amounts, pods);
  state_of_[n] = kNone;
  ++changes_of_[n];
  ++foundation_;
  states_in_order_.clear();
}

const std::vector<uint32_t>& World::StatesInOrder() {
  if (states_in_order_.empty()) {
    for (const NodeIndex n : order_) states_in_order_.push_back(StateOf(n));
    states_position_ = journal_.size();
  }
  for (; states_position_ < journal_.size(); ++states_position_) {
    const NodeIndex n = journal_[states_position_].node;
    if (order_place_[n] != kNone) states_in_order_[order_place_[n]] = StateOf(n);
  }
  return states_in_order_;
}

const std::vector<uint32_t>& World::HeapVisits() {
  if (!heap_visits_.empty()) return heap_visits_;
  heap_visits_.resize(order_.size());
  uint32_t visits = 0;
  std::vector<size_t> left = {0};  // to be visited, the last one first
  while (!left.empty()) {
    const size_t place = left.back();
    left.pop_back();
    if (place >= order_.size()) continue;
    heap_visits_[place] = visits++;
    left.push_back(2 * place + 2);
    left.push_back(2 * place + 1);
  }
  return heap_visits_;
}

void World::Add(TaskIndex t, NodeIndex n, int64_t started) {
  const PodClass& facts = pod(t);
  books_[n].Add(facts);
  state_of_[n] = kNone;
  ++changes_of_[n];
  on_node_[n].push_back(t);
  place_of_[t] = static_cast<uint32_t>(placed_.size());
  placed_.push_back(t);
  node_of_[t] = n;
  started_[t] = started;
  with_affinity_ += facts.has_affinity;
  repelling_ += facts.repels;
  journal_.push_back({class_of(t), n, 1, 1});
  NoteTerms(facts);
}

void World::Remove(TaskIndex t) {
  const PodClass& facts = pod(t);
  const NodeIndex n = node_of_[t];
  books_[n].Remove(facts);
  state_of_[n] = kNone;
  ++changes_of_[n];
  std::erase(on_node_[n], t);
  placed_[place_of_[t]] = placed_.back();
  place_of_[placed_.back()] = place_of_[t];
  placed_.pop_back();
  journal_.push_back({class_of(t), n, -1, static_cast<int8_t>(terminating(t) ? 0 : -1)});
  NoteTerms(facts);
  place_of_[t] = kNone;
  node_of_[t] = kNone;
  leaving_[t] = Leaving::kNo;
  with_affinity_ -= facts.has_affinity;
  repelling_ -= facts.repels;
}

void World::SetLeaving(TaskIndex t, Leaving leaving) {
  const bool before = terminating(t);
  leaving_[t] = leaving;
  if (terminating(t) == before) return;
  journal_.push_back({class_of(t), node_of_[t], 0, static_cast<int8_t>(before ? 1 : -1)});
}

const Topology& World::ByLabel(const std::string& key) {
  std::unique_ptr<Topology>& known = by_label_[key];
  if (known != nullptr) return *known;
  known = std::make_unique<Topology>();
  NameTable values;
  const NodeTable& nodes = tables().nodes;
  known->of.assign(nodes.alive.size(), kNone);
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n]) continue;
    const std::string* value = FindLabel(nodes.spec[n].labels, key);
    if (value != nullptr) known->of[n] = LabelDomainIndex(values.Intern(*value));
  }
  known->size = static_cast<uint32_t>(values.size());
  return *known;
}

}  // namespace muster::kube
