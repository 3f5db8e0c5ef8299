// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/share_tree.h"

#include <algorithm>

#include "lib/share/share.h"
#include "muster/quantity.h"

namespace muster {

ShareTree::ShareTree(const Tables& tables, const Ledger& ledger)
    : tables_(tables), ledger_(ledger), dimensions_(ledger.dimensions()) {
  const size_t jobs = tables.jobs.alive.size();
  ways_.resize(tables.queues.alive.size());
  leaves_.assign(jobs, kNone);
  stamps_.assign(jobs, 0);
  held_.assign(jobs * dimensions_, 0);
  wanted_.assign(jobs * dimensions_, 0);
  total_.assign(dimensions_, 0);
  left_.assign(dimensions_, 0);
  AddVertex(kNone, {}, 1);
  for (JobIndex j = 0; j < jobs; ++j) {
    if (tables.jobs.alive[j]) AddLeaf(j);
  }
  for (QueueIndex q = 0; q < ways_.size(); ++q) {
    if (tables.queues.alive[q]) AddWay(q);
  }
  allocated_.assign(vertices_.size() * dimensions_, 0);
}

uint32_t ShareTree::AddVertex(uint32_t parent, std::string_view name, double weight) {
  const auto v = static_cast<uint32_t>(vertices_.size());
  vertices_.push_back({.parent = parent, .name = name, .weight = weight});
  if (parent != kNone) vertices_[parent].children.push_back(v);
  return v;
}

void ShareTree::AddWay(QueueIndex queue) {
  std::vector<uint32_t>& way = ways_[queue];
  if (!way.empty()) return;
  way.push_back(0);
  for (const PathStep& step : tables_.queues.spec[queue].share_path) {
    const uint32_t above = way.back();
    const auto& siblings = vertices_[above].children;
    const auto found = std::find_if(siblings.begin(), siblings.end(), [&](uint32_t v) {
      return !vertices_[v].leaf && vertices_[v].name == step.name;
    });
    if (found != siblings.end()) {
      way.push_back(*found);
      continue;
    }
    const int64_t milli = ParseQuantity(step.weight.text, Unit::kMilli).value_or(1000);
    way.push_back(AddVertex(above, step.name, std::max(1.0, static_cast<double>(milli) / 1000)));
  }
}

void ShareTree::AddLeaf(JobIndex job) {
  const QueueIndex queue = tables_.jobs.queue[job];
  AddWay(queue);
  leaves_[job] = AddVertex(ways_[queue].back(), {}, 1);
  vertices_.back().leaf = true;
  for (TaskIndex t : tables_.jobs.tasks[job]) {
    const auto request = ledger_.request(t);
    for (size_t d = 0; d < dimensions_; ++d) wanted_[job * dimensions_ + d] += OrZero(request[d]);
  }
}

double ShareTree::Dominant(std::span<const double> held) const {
  double largest = 0;
  for (size_t d = 0; d < held.size(); ++d) {
    const int64_t total = ledger_.total()[d];
    if (total > 0) largest = std::max(largest, ShareOf(held[d], static_cast<double>(total)));
  }
  return largest;
}

void ShareTree::Change(JobIndex job, std::span<const int64_t> amount, int sign) {
  for (size_t d = 0; d < dimensions_; ++d) {
    held_[job * dimensions_ + d] += sign * OrZero(amount[d]);
    total_[d] += sign * OrZero(amount[d]);
  }
  changed_.push_back(job);
}

void ShareTree::Refresh() {
  if (seen_ && ledger_.SameAs(moment_)) return;
  for (JobIndex j = 0; j < leaves_.size(); ++j) {
    if (leaves_[j] == kNone || (seen_ && stamps_[j] == ledger_.job_stamp(j))) continue;
    stamps_[j] = ledger_.job_stamp(j);
    const auto now = ledger_.job_allocated(j);
    for (size_t d = 0; d < dimensions_; ++d) {
      int64_t& held = held_[j * dimensions_ + d];
      total_[d] += now[d] - held;
      held = now[d];
    }
    changed_.push_back(j);
  }
  moment_ = ledger_.moment();
  seen_ = true;
  Settle();
}

void ShareTree::SettleLeaf(JobIndex job) {
  Vertex& leaf = vertices_[leaves_[job]];
  const auto amounts = allocated(leaves_[job]);
  leaf.saturated = false;
  for (size_t d = 0; d < dimensions_; ++d) {
    const int64_t held = held_[job * dimensions_ + d], wanted = wanted_[job * dimensions_ + d];
    amounts[d] = static_cast<double>(held);
    if (held > 0 && wanted > 0 && (held >= wanted || !left_[d])) leaf.saturated = true;
  }
  leaf.share = Dominant(amounts);
  for (uint32_t v = leaf.parent; v != kNone && !vertices_[v].stale; v = vertices_[v].parent) {
    vertices_[v].stale = true;
  }
}

void ShareTree::SettleInner(uint32_t v) {
  Vertex& vertex = vertices_[v];
  const auto amounts = allocated(v);
  double smallest = 1;
  for (uint32_t c : vertex.children) {
    const Vertex& child = vertices_[c];
    if (child.share != 0 && !child.saturated) smallest = std::min(smallest, child.share);
  }
  std::fill(amounts.begin(), amounts.end(), 0.0);
  vertex.saturated = true;
  for (uint32_t c : vertex.children) {
    const Vertex& child = vertices_[c];
    vertex.saturated &= child.saturated;
    if (child.share == 0) continue;
    const double scale = child.saturated ? 1.0 : smallest / child.share;
    for (size_t d = 0; d < dimensions_; ++d) amounts[d] += allocated(c)[d] * scale;
  }
  vertex.share = Dominant(amounts);
  vertex.stale = false;
}

void ShareTree::Settle() {
  bool all = false;
  for (size_t d = 0; d < dimensions_; ++d) {
    const uint8_t left = total_[d] < ledger_.total()[d];
    all |= left != left_[d];
    left_[d] = left;
  }
  if (all) {
    for (JobIndex j = 0; j < leaves_.size(); ++j) {
      if (leaves_[j] != kNone) SettleLeaf(j);
    }
  } else {
    for (JobIndex j : changed_) SettleLeaf(j);
  }
  changed_.clear();
  for (auto v = static_cast<uint32_t>(vertices_.size()); v-- > 0;) {
    if (vertices_[v].stale && !vertices_[v].leaf) SettleInner(v);
  }
}

double ShareTree::Compare(QueueIndex a, QueueIndex b) const {
  const std::vector<uint32_t>&left = ways_[a], &right = ways_[b];
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const Vertex &l = vertices_[left[i]], &r = vertices_[right[i]];
    if (l.saturated != r.saturated) return l.saturated ? 1 : -1;
    const double of_l = l.share / l.weight, of_r = r.share / r.weight;
    if (of_l != of_r) return of_l - of_r;
  }
  return 0;
}

int ShareTree::CompareQueues(QueueIndex a, QueueIndex b) {
  Refresh();
  const double order = Compare(a, b);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

void ShareTree::Reclaimable(TaskIndex reclaimer, std::span<const TaskIndex> candidates,
                            std::vector<TaskIndex>* chosen) {
  Refresh();
  const JobIndex own = tables_.tasks.job[reclaimer];
  Change(own, ledger_.request(reclaimer), 1);
  for (TaskIndex t : candidates) {
    const JobIndex job = tables_.tasks.job[t];
    if (job == kNone) continue;
    Change(job, ledger_.request(t), -1);
    Settle();
    const bool first = Compare(tables_.jobs.queue[own], tables_.jobs.queue[job]) < 0;
    Change(job, ledger_.request(t), 1);
    if (first) chosen->push_back(t);
  }
  Change(own, ledger_.request(reclaimer), -1);
  Settle();
}

}  // namespace muster
