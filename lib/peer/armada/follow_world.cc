// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How a reader follows the change log (read_world.h).
//
// Idea. The jobs of a changed row are read as they would be in a new world, and compared with what
// they were: the tasks that are left keep their places, a job that is new comes behind all others.
// So the order of places stays that of reading.
#include <algorithm>
#include <utility>

#include "lib/peer/armada/gang_parts.h"
#include "lib/peer/armada/read_nodes.h"
#include "lib/peer/armada/read_queues.h"
#include "lib/peer/armada/read_world.h"

namespace muster::armada {
namespace {

// Rows that may change, beside as many as there were, before all is read anew: what they leave
// behind is never more than what there is.
constexpr int64_t kLeastAmended = 1024;

void SortOnce(auto* list) {
  std::ranges::sort(*list);
  list->erase(std::unique(list->begin(), list->end()), list->end());
}

Job JobThatLeft(const Job& job) {
  Job left;
  left.queue = job.queue;
  left.shape = job.shape;
  left.queued = false;
  left.terminal = true;
  left.eligible = false;
  return left;
}

}  // namespace

std::optional<Amendment> WorldReader::Follow(const muster::Tables& tables, const Ledger& ledger,
                                             const RunMemory& runs, std::span<const Change> changes,
                                             std::span<const TaskIndex> tasks, const State& state) {
  // The order of a market is one of all jobs.
  if (state.options.market) return std::nullopt;
  // Of most jobs a new world is read sooner.
  if (changes.size() > kLeastAmended + state.jobs.size() / 4) return std::nullopt;
  Look(tables, ledger, runs);
  state_ = &state;
  amendment_ = {};
  amendment_.allocated = state.allocated;
  failed_ = false;
  if (!ListAffected(changes, tasks)) return std::nullopt;
  std::vector<std::pair<JobIndex, int>> known;
  const auto add = [&](TaskIndex task) {
    if (const int place = job_of_[task]; place >= 0) {
      known.emplace_back(owner_[static_cast<size_t>(place)], place);
    }
  };
  for (const TaskIndex task : changed_) add(task);
  for (const JobIndex j : affected_) {
    for (const TaskIndex task : tables.jobs.tasks[j]) add(task);
  }
  SortOnce(&known);
  auto at = known.begin();
  std::vector<int> places;
  for (const JobIndex j : affected_) {
    places.clear();
    for (; at != known.end() && at->first == j; ++at) places.push_back(at->second);
    if (!FollowJob(j, places)) return std::nullopt;
  }
  // A task that asks for a node by name changes what nodes are.
  if (!amendment_.shapes.empty() && names_nodes_ != NamesNodes(tables)) return std::nullopt;
  if (at != known.end() || !OthersStay() || Buckets() != state.buckets) return std::nullopt;
  amended_ += static_cast<int64_t>(amendment_.rows.size() + amendment_.gangs.size());
  if (amended_ > kLeastAmended + static_cast<int64_t>(state.jobs.size())) return std::nullopt;
  amendment_.queues = MakeQueues(tables, config_, world_, state);
  if (!std::ranges::equal(amendment_.queues, state.queues, {}, &Queue::name, &Queue::name)) {
    return std::nullopt;
  }
  AmendLists();
  return std::move(amendment_);
}

// Lists the tasks and jobs that changed. Returns whether nothing else did, but for queues.
bool WorldReader::ListAffected(std::span<const Change> changes, std::span<const TaskIndex> tasks) {
  job_of_.resize(tables_->tasks.alive.size(), -1);
  job_known_.resize(tables_->tasks.alive.size(), kNone);
  affected_.clear();
  changed_.assign(tasks.begin(), tasks.end());
  for (const Change& change : changes) {
    switch (change.table) {
      case Change::Table::kTask:
        changed_.push_back(TaskIndex(change.index));
        break;
      case Change::Table::kJob:
        affected_.push_back(JobIndex(change.index));
        break;
      case Change::Table::kQueue:
        break;
      default:
        return false;
    }
  }
  SortOnce(&changed_);
  for (const TaskIndex task : changed_) {
    if (job_of_[task] >= 0) affected_.push_back(owner_[static_cast<size_t>(job_of_[task])]);
    affected_.push_back(job_known_[task]);
    job_known_[task] = tables_->tasks.job[task];
    affected_.push_back(job_known_[task]);
  }
  SortOnce(&affected_);
  if (!affected_.empty() && affected_.back() == kNone) affected_.pop_back();
  return true;
}

// `places`: those of the job's tasks, ascending.
bool WorldReader::FollowJob(JobIndex j, std::span<const int> places) {
  if (std::ranges::binary_search(incomplete_, j)) return false;
  const size_t known = world_.incomplete.size();
  rows_.clear();
  if (tables_->jobs.alive[j]) ReadJob(j);
  return !failed_ && world_.incomplete.size() == known && MatchRows(j, places);
}

bool WorldReader::MatchRows(JobIndex j, std::span<const int> places) {
  size_t next = 0;
  for (const int place : places) {
    const auto own = static_cast<size_t>(place);
    const bool stays = next < rows_.size() && rows_[next].task == world_.task_of[own];
    if (stays && IdsOf(rows_[next].task) != ids_[own]) return false;
    Amend(place, stays ? &rows_[next] : nullptr);
    if (stays) ++next;
  }
  if (next == rows_.size()) return true;
  // A job of which nothing was known may come behind all others.
  if (!places.empty() || (!owner_.empty() && j <= last_owner_)) return false;
  for (; next < rows_.size(); ++next) {
    const TaskIndex task = rows_[next].task;
    if (job_of_[task] >= 0) return false;
    const size_t place = owner_.size();
    job_of_[task] = static_cast<int>(place);
    world_.task_of.push_back(task);
    owner_.push_back(j);
    ids_.push_back(IdsOf(task));
    const Key key = KeyOf(place);
    if (place > 0 && !(last_key_ < key)) return false;
    last_key_ = key;
    Amend(static_cast<int>(place), &rows_[next]);
  }
  last_owner_ = j;
  return true;
}

// The row of a job; null: it left.
void WorldReader::Amend(int place, const Row* row) {
  with_shape_.resize(state_->shapes.size() + amendment_.shapes.size(), 0);
  const auto own = static_cast<size_t>(place);
  const bool is_new = own >= state_->jobs.size();
  if (!is_new) {
    const Job& before = state_->jobs[own];
    if (!before.terminal) Count(before, state_->bound_priority[own], -1);
    if (before.run && before.run->node >= 0) {
      failed_ |= state_->nodes[static_cast<size_t>(before.run->node)].unschedulable;
    }
  }
  Amendment::Row& made = amendment_.rows.emplace_back();
  made.place = place;
  if (row == nullptr) {
    made.job = JobThatLeft(state_->jobs[own]);
    job_of_[world_.task_of[own]] = -1;
    return;
  }
  made.job = row->job;
  made.bound = row->bound;
  made.cutoff = row->cutoff;
  made.leased = row->leased;
  Count(row->job, row->bound, 1);
  if (row->job.run && row->job.run->node >= 0) {
    failed_ |= state_->nodes[static_cast<size_t>(row->job.run->node)].unschedulable;
  }
}

bool WorldReader::IsOther(TaskIndex task) const {
  if (!tables_->tasks.alive[task] || job_of_[task] >= 0) return false;
  const TaskStatus status = ledger_->status(task);
  if (!HoldsNode(status) || status == TaskStatus::kReleasing) return false;
  return place_of_[ledger_->node_of(task)] >= 0;
}

// Returns whether nothing changed about what takes from nodes and is no job.
bool WorldReader::OthersStay() const {
  const auto stays = [this](TaskIndex task) {
    return !IsOther(task) && !std::ranges::binary_search(world_.others, task);
  };
  return !failed_ && std::ranges::all_of(changed_, stays) &&
         std::ranges::all_of(affected_, [&](JobIndex j) {
           return std::ranges::all_of(tables_->jobs.tasks[j], stays);
         });
}

// Brings the lists of jobs up to date, which ascend as the rows do.
void WorldReader::AmendLists() {
  std::vector<int> changed, queued, leases;
  for (const Amendment::Row& row : amendment_.rows) {
    changed.push_back(row.place);
    if (row.job.queued) queued.push_back(row.place);
    if (row.leased) leases.push_back(row.place);
  }
  const auto amend = [&](const std::vector<int>& now, std::vector<int>* list) {
    std::vector<int> kept, merged;
    std::ranges::set_difference(*list, changed, std::back_inserter(kept));
    std::ranges::merge(kept, now, std::back_inserter(merged));
    *list = std::move(merged);
  };
  if (changed.empty()) return;
  amend(queued, &world_.queued);
  amend(leases, &world_.leases);
}

}  // namespace muster::armada
