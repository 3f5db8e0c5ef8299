// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What preemption of the fair scheduler needs of its world, and leaves there.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/yarn/fair_kept.h"
#include "lib/peer/yarn/fair_world.h"

namespace muster::yarn {

std::string_view FairWorld::JobOf(AppIndex app) const {
  return tables_.jobs.names.name(offered_.apps[row_of_[app]].job);
}

AppIndex FairWorld::AppOf(std::string_view job) const {
  const auto found = tables_.jobs.names.Find(job);
  return found ? app_of_[*found] : kNone;
}

void FairWorld::RecoverPreemption(const Cycle& before) {
  const fair::Cluster& cluster = scheduler_->cluster();
  const MemorySlot& starvation = before.Recall(kStarvationSlot);
  is_noted_.resize(row_of_.size());
  for (AppIndex app = 0; !starvation.empty() && app < row_of_.size(); ++app) {
    const std::string& leaf = cluster.queues[cluster.apps[app].queue].config.path;
    const auto kept = KeptStarvationOf(starvation, JobOf(app), leaf);
    if (!kept) continue;
    is_noted_[app] = true;
    scheduler_->RecoverStarvation(app, {.last_at_fair_share = kept->last_at_fair_share,
                                        .next_check = kept->next_check,
                                        .of_fair_share = kept->of_fair_share,
                                        .of_min_share = kept->of_min_share});
  }
  const MemorySlot& minimums = before.Recall(kMinimumSlot);
  is_minimum_noted_.resize(cluster.queues.size());
  for (const fair::QueueIndex leaf : cluster.leaves) {
    const auto time = KeptTimeOf(minimums, cluster.queues[leaf].config.path);
    if (!time) continue;
    is_minimum_noted_[leaf] = true;
    scheduler_->RecoverMinShareTime(leaf, *time);
  }
  RecoverMarks(before);
  const MemorySlot& promises = before.Recall(kPromiseSlot);
  for (NodePlace p = 0; !promises.empty() && p < rows_.nodes().size(); ++p) {
    for (const auto& [job, amount] : KeptPromisesOf(promises, rows_.NameOf(p))) {
      if (AppOf(job) != kNone) scheduler_->RecoverPromise(AppOf(job), p, amount);
    }
  }
}

void FairWorld::RecoverMarks(const Cycle& before) {
  const MemorySlot& slot = before.Recall(kFairMarkSlot);
  if (slot.empty()) return;
  const auto mark_of = [&](TaskIndex task) {
    return KeptMarkOf(slot, tables_.tasks.names.name(task),
                      tables_.nodes.names.name(ledger_.node_of(task)));
  };
  for (const Held& held : held_) {
    const auto mark = held.is_spared ? std::nullopt : mark_of(held.task);
    if (!mark || mark->is_evicted) continue;  // it has come back
    scheduler_->RecoverMark(held.container, AppOf(mark->job), mark->time);
  }
  for (const auto& [name, row] : slot.rows()) {
    const auto task = tables_.tasks.names.Find(name);
    const bool leaves =
        task && tables_.tasks.alive[*task] && ledger_.status(*task) == TaskStatus::kReleasing;
    if (auto mark = leaves ? mark_of(*task) : std::nullopt) {
      mark->is_evicted = true;
      leaving_.emplace_back(*task, *std::move(mark));
    }
    if (slot.Integer(name, kEvictedCell) != 1) continue;
    waited_for_.push_back(AppOf(slot.Text(name, kJobCell)));
  }
}

std::vector<TaskIndex> FairWorld::Preempt() {
  std::vector<TaskIndex> evicted;
  if (!scheduler_.ok()) return evicted;
  is_noted_.assign(row_of_.size(), true);
  is_minimum_noted_.assign(is_minimum_noted_.size(), true);
  for (const AppIndex app : waited_for_) DelayCheck(app);
  EndDue(&evicted);
  scheduler_->Update();
  EndDue(&evicted);
  return evicted;
}

// The room that evictions make for an application is there when their tasks have left, and is given
// to it by the heartbeats after that.
void FairWorld::DelayCheck(AppIndex app) {
  if (app != kNone) scheduler_->DelayCheck(app, tree_.options.wait_before_next_check);
}

void FairWorld::EndDue(std::vector<TaskIndex>* evicted) {
  const fair::Cluster& cluster = scheduler_->cluster();
  std::vector<fair::Kill> due;
  for (const fair::Kill& kill : cluster.kills) {
    if (kill.time <= cluster.now) due.push_back(kill);
  }
  (void)scheduler_->AdvanceTo(cluster.now);
  for (const fair::Kill& kill : due) {
    for (const fair::ContainerName name : kill.containers) {
      evicted->push_back(TaskOf(name));
      leaving_.emplace_back(evicted->back(), MarkOf(kill, true));
    }
    DelayCheck(kill.starved);
  }
}

KeptMark FairWorld::MarkOf(const fair::Kill& kill, bool is_evicted) const {
  const std::string_view job = kill.starved == kNone ? std::string_view() : JobOf(kill.starved);
  return {.time = kill.time, .job = std::string(job), .is_evicted = is_evicted};
}

TaskIndex FairWorld::TaskOf(fair::ContainerName name) const {
  const auto held = std::ranges::lower_bound(
      held_, std::pair(name.app, name.number), {},
      [](const Held& one) { return std::pair(one.container.app, one.container.number); });
  return held->task;
}

void FairWorld::KeepPreemption(const Cycle& cycle) const {
  const fair::Cluster& cluster = scheduler_->cluster();
  MemorySlot starvation, minimums, marks, promises;
  for (AppIndex a = 0; a < is_noted_.size(); ++a) {
    if (!is_noted_[a]) continue;
    const fair::App& app = cluster.apps[a];
    starvation.Set(JobOf(a), RowOf(cluster.queues[app.queue].config.path,
                                   {.last_at_fair_share = app.last_at_fair_share,
                                    .next_check = app.next_starvation_check,
                                    .of_fair_share = app.fair_share_starvation,
                                    .of_min_share = app.min_share_starvation}));
  }
  for (const fair::QueueIndex leaf : cluster.leaves) {
    if (!is_minimum_noted_[leaf]) continue;
    minimums.Set(cluster.queues[leaf].config.path, {cluster.queues[leaf].last_at_min_share});
  }
  const auto mark = [&](TaskIndex task, const KeptMark& kept) {
    marks.Set(tables_.tasks.names.name(task),
              RowOf(tables_.nodes.names.name(ledger_.node_of(task)), kept));
  };
  for (const fair::Kill& kill : cluster.kills) {
    for (const fair::ContainerName name : kill.containers) mark(TaskOf(name), MarkOf(kill, false));
  }
  for (const auto& [task, kept] : leaving_) mark(task, kept);
  for (NodePlace p = 0; p < rows_.nodes().size(); ++p) {
    KeptPromises kept;
    for (const auto& [app, amount] : cluster.nodes[p].promised) {
      kept.emplace_back(JobOf(app), amount);
    }
    if (!kept.empty()) promises.Set(rows_.NameOf(p), RowOf(kept));
  }
  yarn::Keep(cycle, kStarvationSlot, std::move(starvation));
  yarn::Keep(cycle, kMinimumSlot, std::move(minimums));
  yarn::Keep(cycle, kFairMarkSlot, std::move(marks));
  yarn::Keep(cycle, kPromiseSlot, std::move(promises));
}

}  // namespace muster::yarn
