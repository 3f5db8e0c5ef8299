// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/job_queue.h"

#include <utility>

namespace muster {

void KaiJobQueue::CopyFrom(const KaiJobQueue& other) {
  Clear();
  tops_.CopyFrom(other.tops_);
  taken_ = other.taken_;
  for (uint32_t q = 0; q < nodes_.size(); ++q) {
    if (!other.IsLinked(q)) continue;
    const Node& from = *other.nodes_[q];
    Make(q, from.leaf);
    nodes_[q]->misplaced = from.misplaced;
    nodes_[q]->judged = from.judged;
    nodes_[q]->is_fresh = from.is_fresh;
    nodes_[q]->jobs.CopyFrom(from.jobs);
    nodes_[q]->below.CopyFrom(from.below);
  }
}

bool KaiJobQueue::JobBefore(const KaiJob& a, const KaiJob& b) const {
  if (a.facts().priority != b.facts().priority) return a.facts().priority > b.facts().priority;
  if (const int order = CompareKaiElastic(a, b); order != 0) return order < 0;
  if (a.facts().created != b.facts().created) return a.facts().created < b.facts().created;
  return a.facts().uid < b.facts().uid;
}

// The leaf with the best job below a queue, as the heaps lie.
uint32_t KaiJobQueue::BestLeaf(uint32_t q) const {
  while (!nodes_[q]->leaf) q = nodes_[q]->below.elements()[0];
  return q;
}

bool KaiJobQueue::NodeBefore(uint32_t a, uint32_t b) {
  const bool victims = rules_.victims;
  if (nodes_[a]->empty()) return !victims;
  if (nodes_[b]->empty()) return victims;
  const bool before = CompareKaiStandings(StandingOf(a), StandingOf(b)) < 0;
  return before != victims;
}

const KaiQueueStanding& KaiJobQueue::StandingOf(uint32_t q) {
  Node& node = *nodes_[q];
  Judged& known = node.judged;
  if (std::exchange(node.is_fresh, true) && known.accounts == world_->tree.revision &&
      known.revision == known.job->revision()) {
    return known.standing;
  }
  known.accounts = world_->tree.revision;
  const uint32_t leaf = BestLeaf(q);
  const KaiJob* const job = nodes_[leaf]->jobs.elements()[0];
  const size_t victims = rules_.victims ? taken_[leaf].size() : 0;
  const uint32_t charges = world_->tree.charges[q];
  if (known.job == job && known.leaf == leaf && known.victims == victims &&
      known.revision == job->revision() && known.charges == charges) {
    return known.standing;
  }
  KaiQueueSide side{.queue = q};
  if (rules_.victims) {
    taken_[leaf].push_back(job->allocated());
    side.victims = taken_[leaf];
  } else {
    side.job = &job->NextRequest(/*real=*/false).amounts;
  }
  known = {.job = job,
           .leaf = leaf,
           .revision = job->revision(),
           .charges = charges,
           .victims = victims,
           .accounts = known.accounts,
           .standing = JudgeKaiQueue(world_->tree, side, world_->total)};
  if (rules_.victims) taken_[leaf].pop_back();
  return known.standing;
}

void KaiJobQueue::Make(uint32_t q, bool leaf) {
  if (nodes_[q] == nullptr) nodes_[q] = std::make_unique<Node>(this, leaf);
  nodes_[q]->misplaced = nodes_[q]->is_fresh = false;
  nodes_[q]->linked = true;
}

void KaiJobQueue::Unmake(uint32_t q) {
  nodes_[q]->jobs.Clear();
  nodes_[q]->below.Clear();
  nodes_[q]->linked = false;
}

void KaiJobQueue::Clear() {
  if (!tops_.empty()) Unlink();
  for (std::vector<KaiAmounts>& taken : taken_) taken.clear();
}

void KaiJobQueue::Unlink() {
  for (uint32_t q = 0; q < nodes_.size(); ++q) {
    if (IsLinked(q)) Unmake(q);
  }
  tops_.Clear();
}

void KaiJobQueue::Push(const KaiJob* job) {
  if (rules_.depth == 0) return;
  const uint32_t q = job->facts().queue;
  if (rules_.victims && taken_.empty()) taken_.resize(nodes_.size());
  const bool is_new = !IsLinked(q);
  if (is_new) Make(q, /*leaf=*/true);
  auto& jobs = nodes_[q]->jobs;
  jobs.Push(job);
  const auto size = static_cast<int64_t>(jobs.size());
  if (rules_.depth >= 0 && size > rules_.depth) jobs.Remove(static_cast<size_t>(rules_.depth));
  if (is_new) Link(q);
  MarkUp(q);
}

// Hangs a queue, and those above that have no place yet, into the heaps.
void KaiJobQueue::Link(uint32_t q) {
  const uint32_t parent = world_->tree.queues[q].parent;
  if (parent == kKaiNone) {
    tops_.Push(q);
    return;
  }
  const bool is_new = !IsLinked(parent);
  if (is_new) Make(parent, /*leaf=*/false);
  nodes_[parent]->below.Push(q);
  if (is_new) Link(parent);
}

void KaiJobQueue::MarkUp(uint32_t q) {
  for (; q != kKaiNone; q = world_->tree.queues[q].parent) {
    nodes_[q]->misplaced = true;
    nodes_[q]->is_fresh = false;
  }
}

uint32_t KaiJobQueue::Top(GoHeap<uint32_t, NodeLess>* heap) {
  for (;;) {
    const uint32_t q = heap->elements()[0];
    if (!nodes_[q]->misplaced) return q;
    heap->FixTop();
    nodes_[q]->misplaced = false;
  }
}

const KaiJob* KaiJobQueue::Pop() {
  uint32_t q = Top(&tops_);
  while (!nodes_[q]->leaf) q = Top(&nodes_[q]->below);
  const KaiJob* const job = nodes_[q]->jobs.Pop();
  if (rules_.victims) taken_[q].push_back(job->allocated());
  while (q != kKaiNone && nodes_[q]->empty()) {
    const uint32_t parent = world_->tree.queues[q].parent;
    (parent == kKaiNone ? tops_ : nodes_[parent]->below).Pop();
    Unmake(q);
    q = parent;
  }
  if (q != kKaiNone) MarkUp(q);
  return job;
}

}  // namespace muster
