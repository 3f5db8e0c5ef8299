// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/nodes_by_state.h"

#include <algorithm>
#include <functional>

#include "lib/peer/kube_scheduler/world.h"

namespace muster::kube {

void NodesByState::Follow(size_t start) {
  const std::vector<uint32_t>& states = world_.StatesInOrder();
  const std::vector<WorldChange>& journal = world_.journal();
  if (!built_ || start != start_ || foundation_ != world_.foundation()) {
    Rebuild(start);
    position_ = journal.size();
    return;
  }
  nodes_.resize(world_.states());
  for (; position_ < journal.size(); ++position_) {
    const uint32_t place = world_.place_of(journal[position_].node);
    if (place == kNone || states[place] == state_of_[place]) continue;
    Leave(state_of_[place]);
    Enter(place, states[place]);
  }
}

void NodesByState::Rebuild(size_t start) {
  built_ = true;
  start_ = start;
  foundation_ = world_.foundation();
  const std::vector<uint32_t>& visits = world_.HeapVisits();
  const size_t count = visits.size();
  visit_of_.resize(count);
  visited_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t place = start + i < count ? start + i : start + i - count;
    visit_of_[place] = visits[i];
    visited_[visits[i]] = static_cast<uint32_t>(place);
  }
  state_of_.assign(count, kNone);
  nodes_.clear();
  nodes_.resize(world_.states());
  live_.clear();
  // In the order of their visits, which is that of a heap.
  const std::vector<uint32_t>& states = world_.StatesInOrder();
  for (const uint32_t place : visited_) Enter(place, states[place]);
}

void NodesByState::Enter(uint32_t place, uint32_t state) {
  Nodes& nodes = nodes_[state];
  state_of_[place] = state;
  nodes.visits.push_back(visit_of_[place]);
  std::push_heap(nodes.visits.begin(), nodes.visits.end(), std::greater<>());
  if (nodes.count++ > 0) return;
  nodes.place = live_.size();
  live_.push_back(state);
}

void NodesByState::Leave(uint32_t state) {
  Nodes& nodes = nodes_[state];
  if (--nodes.count > 0) return;
  nodes.visits = {};
  nodes_[live_.back()].place = nodes.place;
  live_[nodes.place] = live_.back();
  live_.pop_back();
}

uint32_t NodesByState::VisitOf(uint32_t state) {
  std::vector<uint32_t>& visits = nodes_[state].visits;
  while (state_of_[visited_[visits.front()]] != state) {
    std::pop_heap(visits.begin(), visits.end(), std::greater<>());
    visits.pop_back();
  }
  return visits.front();
}

NodeIndex NodesByState::First(uint32_t state) { return world_.order()[visited_[VisitOf(state)]]; }

}  // namespace muster::kube
