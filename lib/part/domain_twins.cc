// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/domain_twins.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace muster {
namespace {

// An absent pod limit counts as this much idle, so that sums of many nodes stay far below int64.
constexpr int64_t kPlenty = int64_t{1} << 40;

}  // namespace

void DomainTwins::Follow() {
  const Domains& domains = context_.domains;
  const auto journal = context_.ledger.journal();
  if (number_.empty()) {
    number_.assign(domains.root() + 1, kNone);
    free_.resize(domains.root() + 1);
    position_ = journal.size();
  }
  for (; position_ < journal.size(); ++position_) {
    for (DomainIndex at = domains.above(journal[position_]); at != kNone; at = domains.parent(at)) {
      number_[at] = kNone;
      free_[at].clear();
    }
  }
}

uint32_t DomainTwins::Number(DomainIndex leaf) {
  Follow();
  if (number_[leaf] != kNone) return number_[leaf];
  const auto nodes = context_.domains.nodes(leaf);
  std::vector<int64_t> content;
  if (!nodes.empty()) content.reserve(1 + nodes.size() * (1 + context_.ledger.node_row(0).size()));
  // Scores of its nodes may depend on the topology tier of the domain.
  content.push_back(context_.domains.tier(leaf));
  for (NodeIndex n : nodes) {
    content.push_back(context_.search.KindOf(n));
    const auto row = context_.ledger.node_row(n);
    content.insert(content.end(), row.begin(), row.end());
  }
  const auto number = static_cast<uint32_t>(known_.size());
  number_[leaf] = known_.try_emplace(std::move(content), number).first->second;
  return number_[leaf];
}

const std::vector<int64_t>& DomainTwins::Free(DomainIndex domain) {
  std::vector<int64_t>& free = free_[domain];
  if (!free.empty()) return free;
  const Ledger& ledger = context_.ledger;
  free.assign(ledger.dimensions(), 0);
  size_t below = 0;  // nodes of children, which stand before its own
  for (DomainIndex child : context_.domains.children(domain)) {
    const std::vector<int64_t>& part = Free(child);
    for (size_t d = 0; d < free.size(); ++d) free[d] += part[d];
    below += context_.domains.nodes(child).size();
  }
  for (NodeIndex n : context_.domains.nodes(domain).subspan(below)) {
    for (DimensionIndex d = 0; d < free.size(); ++d) {
      const int64_t have = std::max<int64_t>(ledger.future_idle(n, d), 0);
      free[d] += d == kPods ? std::min(have, kPlenty) : have;
    }
  }
  return free;
}

int64_t DomainTwins::Room(DomainIndex domain, ClassIndex c) {
  Follow();
  const std::vector<int64_t>& free = Free(domain);
  const auto request = context_.tables.classes.initial_request.row(c);
  const auto held = context_.tables.classes.request.row(c);
  int64_t room = std::numeric_limits<int64_t>::max();
  for (size_t d = 0; d < free.size(); ++d) {
    // The request decides how many tasks fit after the first, the initial request whether one does.
    const int64_t need = std::min(OrZero(request[d]), OrZero(held[d]));
    if (need > 0) room = std::min(room, free[d] / need);
  }
  return room;
}

}  // namespace muster
