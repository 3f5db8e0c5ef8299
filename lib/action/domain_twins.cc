// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/action/domain_twins.h"

#include <algorithm>
#include <limits>

namespace muster {
namespace {

// An absent pod limit counts as this much idle, so that sums of many nodes stay far from the end.
constexpr int64_t kPlenty = int64_t{1} << 40;

}  // namespace

void DomainTwins::Build() {
  const Domains& domains = context_.domains;
  const size_t dimensions = context_.ledger.dimensions();
  built_ = true;
  number_.assign(domains.root() + 1, kNone);
  free_.assign((domains.root() + 1) * dimensions, 0);
  node_free_.assign(context_.tables.nodes.alive.size() * dimensions, 0);
  for (NodeIndex n : domains.nodes(domains.root())) {
    for (uint32_t d = 0; d < dimensions; ++d) {
      int64_t have = std::max<int64_t>(context_.ledger.future_idle(n, d), 0);
      if (d == kPods) have = std::min(have, kPlenty);
      node_free_[n * dimensions + d] = have;
      free_[domains.above(n) * dimensions + d] += have;
    }
  }
  AddUp(domains.root());
  position_ = context_.ledger.journal().size();
}

void DomainTwins::AddUp(uint32_t domain) {
  const size_t dimensions = context_.ledger.dimensions();
  for (uint32_t child : context_.domains.children(domain)) {
    AddUp(child);
    for (size_t d = 0; d < dimensions; ++d) {
      free_[domain * dimensions + d] += free_[child * dimensions + d];
    }
  }
}

void DomainTwins::Follow() {
  if (!built_) Build();
  const Domains& domains = context_.domains;
  const size_t dimensions = context_.ledger.dimensions();
  const auto journal = context_.ledger.journal();
  for (; position_ < journal.size(); ++position_) {
    const NodeIndex n = journal[position_];
    if (domains.above(n) == kNone) continue;
    number_[domains.above(n)] = kNone;
    for (uint32_t d = 0; d < dimensions; ++d) {
      int64_t have = std::max<int64_t>(context_.ledger.future_idle(n, d), 0);
      if (d == kPods) have = std::min(have, kPlenty);
      int64_t& counted = node_free_[n * dimensions + d];
      const int64_t change = have - counted;
      if (change == 0) continue;
      counted = have;
      for (uint32_t at = domains.above(n); at != kNone; at = domains.parent(at)) {
        free_[at * dimensions + d] += change;
      }
    }
  }
}

uint32_t DomainTwins::Number(uint32_t leaf) {
  Follow();
  if (number_[leaf] != kNone) return number_[leaf];
  // The tier decides what its nodes score by where it stands.
  std::vector<int64_t> content = {context_.domains.tier(leaf)};
  for (NodeIndex n : context_.domains.nodes(leaf)) {
    content.push_back(context_.search.KindOf(n));
    const auto row = context_.ledger.node_row(n);
    content.insert(content.end(), row.begin(), row.end());
  }
  const auto number = static_cast<uint32_t>(known_.size());
  number_[leaf] = known_.try_emplace(std::move(content), number).first->second;
  return number_[leaf];
}

int64_t DomainTwins::Room(uint32_t domain, ClassIndex c) {
  Follow();
  const size_t dimensions = context_.ledger.dimensions();
  const auto request = context_.tables.classes.initial_request.row(c);
  const auto held = context_.tables.classes.request.row(c);
  int64_t room = std::numeric_limits<int64_t>::max();
  for (size_t d = 0; d < dimensions; ++d) {
    // What a task holds decides how many follow it, what it needs to start whether the first does.
    const int64_t need = std::min(OrZero(request[d]), OrZero(held[d]));
    if (need > 0) room = std::min(room, free_[domain * dimensions + d] / need);
  }
  return room;
}

}  // namespace muster
