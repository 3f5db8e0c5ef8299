// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How a round follows changes of jobs (round.h). The tables, books and lists of a round are those
// of a new one; the random worlds of the profile compare their plans.
#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/peer/armada/round.h"

namespace muster::armada {

bool Round::Amend(Amendment amendment, const Rates& rates) {
  Restart(rates);
  moved_on_.clear();
  std::ranges::move(amendment.shapes, std::back_inserter(state_.shapes));
  std::ranges::move(amendment.gangs, std::back_inserter(state_.gangs));
  tables_.AddRows();
  unfeasible_.resize(state_.shapes.size(), Reason::kNone);
  for (const Amendment::Row& row : amendment.rows) {
    if (static_cast<size_t>(row.place) < state_.jobs.size()) LeaveNode(row.place);
  }
  for (Amendment::Row& row : amendment.rows) AmendRow(row);
  evicted_.Grow(state_.jobs.size());
  state_.queues = std::move(amendment.queues);
  state_.allocated = std::move(amendment.allocated);
  SetRates(rates, &state_);
  tables_.SetPenalties();
  accounts_.Restart();
  AmendQueued(amendment);
  return AmendNodes(amendment);
}

void Round::AmendRow(Amendment::Row& row) {
  const auto place = static_cast<size_t>(row.place);
  if (place == state_.jobs.size()) {
    state_.jobs.emplace_back();
    state_.bound_priority.emplace_back();
    state_.job_ranks.push_back(row.place);
    contexts_.emplace_back();
    fates_.push_back(Fate::kNone);
  }
  state_.jobs[place] = std::move(row.job);
  state_.bound_priority[place] = row.bound;
  tables_.SetJob(row.place);
  InitContext(row.place);
  finder_.Grow();
  finder_.Unbind(row.place);
  ComeToNode(row.place, row.cutoff);
}

void Round::LeaveNode(int job) {
  const JobSeat& seat = books_.seat(job);
  if (seat.node < 0) return;
  moved_on_.push_back(seat.node);
  std::erase_if(state_.nodes[static_cast<size_t>(seat.node)].jobs,
                [job](const Holding& held) { return held.job == job; });
  books_.Release(job);
}

void Round::ComeToNode(int job, int32_t cutoff) {
  const std::optional<armada::Run>& run = state_.jobs[static_cast<size_t>(job)].run;
  const int node = run ? run->node : -1;
  if (node >= 0) {
    moved_on_.push_back(node);
    std::vector<Holding>& held = state_.nodes[static_cast<size_t>(node)].jobs;
    held.insert(std::ranges::upper_bound(held, job, {}, &Holding::job), {job, cutoff, false});
    books_.Hold(job, {node, static_cast<uint32_t>(tables_.ReachOfCutoff(cutoff)), false});
  } else {
    books_.Hold(job, {});
  }
}

// Returns whether no node has less than nothing, which would make it another node.
bool Round::AmendNodes(const Amendment& amendment) {
  if (amendment.rows.empty()) return true;
  std::ranges::sort(moved_on_);
  moved_on_.erase(std::unique(moved_on_.begin(), moved_on_.end()), moved_on_.end());
  for (const int n : moved_on_) {
    books_.Relist(n);
    Node& node = state_.nodes[static_cast<size_t>(n)];
    for (size_t b = 0; b < tables_.buckets; ++b) {
      node.free[b].assign(books_.free(b, n), books_.free(b, n) + tables_.dimensions);
    }
    if (books_.Overdrawn(0, n)) return false;
  }
  return true;
}

// Jobs that changed leave the lists, and those that wait come back in their order.
void Round::AmendQueued(const Amendment& amendment) {
  if (amendment.rows.empty()) return;
  amended_.assign(state_.jobs.size(), false);
  std::vector<std::vector<int>> added(queued_.size());
  for (const Amendment::Row& row : amendment.rows) {
    amended_[static_cast<size_t>(row.place)] = true;
    if (!MayBeQueued(row.place)) continue;
    added[static_cast<size_t>(tables_.home_context(row.place))].push_back(row.place);
  }
  const auto key = [this](int job) { return KeyOf(job); };
  for (size_t c = 0; c < queued_.size(); ++c) {
    std::erase_if(queued_[c], [this](int job) { return amended_[static_cast<size_t>(job)]; });
    if (added[c].empty()) continue;
    std::ranges::sort(added[c], {}, key);
    std::vector<int> merged;
    merged.reserve(queued_[c].size() + added[c].size());
    std::ranges::merge(queued_[c], added[c], std::back_inserter(merged), {}, key, key);
    queued_[c] = std::move(merged);
  }
}

}  // namespace muster::armada
