// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/node_books.h"

#include <algorithm>

namespace muster::armada {

NodeBooks::NodeBooks(const Tables& tables)
    : tables_(tables),
      seats_(tables.state.jobs.size()),
      place_(tables.state.jobs.size()),
      on_node_(tables.state.nodes.size()),
      is_changed_(tables.state.nodes.size()) {
  const std::vector<Node>& nodes = tables.state.nodes;
  free_.reserve(tables.buckets * nodes.size() * tables.dimensions);
  for (size_t b = 0; b < tables.buckets; ++b) {
    for (const Node& node : nodes) {
      free_.insert(free_.end(), node.free[b].begin(), node.free[b].end());
    }
  }
  for (size_t n = 0; n < nodes.size(); ++n) {
    for (const Holding& holding : nodes[n].jobs) {
      seats_[static_cast<size_t>(holding.job)] = {
          static_cast<int>(n), static_cast<uint32_t>(tables.ReachOfCutoff(holding.cutoff)),
          holding.evicted};
    }
    FillNode(n);
  }
  indexes_.reserve(tables.buckets);
  for (size_t b = 0; b < tables.buckets; ++b) {
    indexes_.emplace_back(tables, free_.data() + b * nodes.size() * tables.dimensions);
  }
}

void NodeBooks::FillNode(size_t node) {
  std::vector<int>& jobs = on_node_[node];
  const std::vector<Holding>& held = tables_.state.nodes[node].jobs;
  jobs.clear();
  jobs.reserve(held.size());
  for (const Holding& holding : held) {
    place_[static_cast<size_t>(holding.job)] = static_cast<int>(jobs.size());
    jobs.push_back(holding.job);
  }
}

void NodeBooks::NoteChange(int node) {
  if (is_changed_[static_cast<size_t>(node)]) return;
  is_changed_[static_cast<size_t>(node)] = true;
  changed_.push_back(node);
}

// An undone change leaves the jobs of a node in another order.
void NodeBooks::Restart() {
  Undo(0);
  for (const int node : changed_) {
    FillNode(static_cast<size_t>(node));
    is_changed_[static_cast<size_t>(node)] = false;
  }
  changed_.clear();
}

void NodeBooks::Release(int job) {
  JobSeat& seat = seats_[static_cast<size_t>(job)];
  if (seat.node >= 0) Give(job, seat.node, 0, Reach(seat), 1);
  seat = {};
}

void NodeBooks::Hold(int job, const JobSeat& seat) {
  seats_.resize(tables_.state.jobs.size());
  place_.resize(tables_.state.jobs.size());
  seats_[static_cast<size_t>(job)] = seat;
  if (seat.node >= 0) Give(job, seat.node, 0, Reach(seat), -1);
}

bool NodeBooks::Overdrawn(size_t bucket, int node) const {
  const int64_t* amounts = free(bucket, node);
  return std::any_of(amounts, amounts + tables_.dimensions,
                     [](int64_t amount) { return amount < 0; });
}

void NodeBooks::Seat(int job, const JobSeat& seat) {
  log_.push_back({job, seats_[static_cast<size_t>(job)]});
  Put(job, seat);
}

void NodeBooks::Evict(int job) {
  JobSeat seat = seats_[static_cast<size_t>(job)];
  seat.evicted = true;
  Seat(job, seat);
}

void NodeBooks::Undo(size_t mark) {
  while (log_.size() > mark) {
    const Entry entry = log_.back();
    log_.pop_back();
    Put(entry.job, entry.before);
  }
}

void NodeBooks::Put(int job, const JobSeat& seat) {
  JobSeat& own = seats_[static_cast<size_t>(job)];
  if (own.node == seat.node) {
    if (own.node < 0) return;
    const size_t before = Reach(own), now = Reach(seat);
    if (now > before) Give(job, own.node, before, now, -1);
    if (now < before) Give(job, own.node, now, before, 1);
  } else {
    if (own.node >= 0) {
      Give(job, own.node, 0, Reach(own), 1);
      Leave(job, own.node);
      NoteChange(own.node);
    }
    if (seat.node >= 0) {
      Give(job, seat.node, 0, Reach(seat), -1);
      std::vector<int>& jobs = on_node_[static_cast<size_t>(seat.node)];
      place_[static_cast<size_t>(job)] = static_cast<int>(jobs.size());
      jobs.push_back(job);
      NoteChange(seat.node);
    }
  }
  own = seat;
}

void NodeBooks::Give(int job, int node, size_t first, size_t last, int64_t sign) {
  const int64_t* amounts = tables_.node_requests(job);
  for (size_t b = first; b < last; ++b) {
    int64_t* row = free_.data() + (free(b, node) - free_.data());
    for (size_t r = 0; r < tables_.dimensions; ++r) row[r] += sign * amounts[r];
    indexes_[b].Touch(node);
  }
}

void NodeBooks::Leave(int job, int node) {
  std::vector<int>& jobs = on_node_[static_cast<size_t>(node)];
  const int place = place_[static_cast<size_t>(job)];
  jobs[static_cast<size_t>(place)] = jobs.back();
  place_[static_cast<size_t>(jobs.back())] = place;
  jobs.pop_back();
}

}  // namespace muster::armada
