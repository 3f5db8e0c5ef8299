// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/statement.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster {

bool KaiStatement::Evict(KaiPod* pod) {
  if (pod->node == kKaiNone) return false;
  Entry entry{.kind = Entry::Kind::kEvict,
              .was_virtual = pod->is_virtual,
              .was = pod->status,
              .from = pod->node,
              .pod = pod,
              .listed = pod,
              .devices = pod->devices};
  if (!world_->JobOf(*pod).SetStatus(pod, KaiStatus::kReleasing)) return false;
  if (!world_->nodes.Update(pod->node, pod)) return false;
  world_->Discharge(*pod);
  entries_.push_back(std::move(entry));
  pod->is_virtual = true;
  return true;
}

void KaiStatement::Unevict(const Entry& entry) {
  KaiPod* const pod = entry.pod;
  world_->JobOf(*pod).SetStatus(pod, entry.was);
  pod->devices = entry.devices;
  pod->is_virtual = entry.was_virtual;
  if (world_->nodes.Find(entry.from, pod->task) != nullptr) {
    world_->nodes.Update(entry.from, pod);
  } else {
    world_->nodes.Add(entry.from, pod, /*elsewhere=*/false);
  }
  world_->Charge(*pod);
}

bool KaiStatement::Allocate(KaiPod* pod, uint32_t node) {
  if (!world_->JobOf(*pod).SetStatus(pod, KaiStatus::kAllocated)) return false;
  pod->node = node;
  if (!world_->nodes.Add(node, pod, /*elsewhere=*/false)) return false;
  world_->Charge(*pod);
  entries_.push_back({.kind = Entry::Kind::kAllocate,
                      .was_virtual = pod->is_virtual,
                      .to = node,
                      .pod = pod,
                      .listed = world_->arena.Clone(*pod)});
  pod->is_virtual = true;
  return true;
}

void KaiStatement::Unallocate(KaiPod* pod, bool was_virtual) {
  world_->JobOf(*pod).SetStatus(pod, KaiStatus::kPending);
  world_->nodes.Remove(pod->node, pod->task);
  pod->is_virtual = was_virtual;
  world_->Discharge(*pod);
  pod->node = kKaiNone;
}

bool KaiStatement::Pipeline(KaiPod* pod, uint32_t node, bool update) {
  const KaiNodes::Note* const there = world_->nodes.Find(node, pod->task);
  const bool on_other_devices = there != nullptr && !pod->devices.empty() &&
                                pod->received == KaiReceived::kFraction &&
                                pod->devices != there->devices;
  if (there != nullptr && !update && !on_other_devices) {
    pod->devices = there->devices;
    return UndoFirstEviction(pod->task);
  }
  Entry entry{.kind = Entry::Kind::kPipeline,
              .was_virtual = pod->is_virtual,
              .was = pod->status,
              .from = pod->node,
              .to = node,
              .pod = pod,
              .listed = pod,
              .devices = on_other_devices ? there->devices : pod->devices};
  world_->JobOf(*pod).SetStatus(pod, KaiStatus::kPipelined);
  pod->node = node;
  if (on_other_devices) {
    if (!world_->nodes.Add(node, pod, /*elsewhere=*/true)) return false;
  } else if (there != nullptr) {
    world_->nodes.Update(node, pod);
  } else if (!world_->nodes.Add(node, pod, /*elsewhere=*/false)) {
    return false;
  }
  world_->Charge(*pod);
  entries_.push_back(std::move(entry));
  pod->is_virtual = true;
  return true;
}

void KaiStatement::Unpipeline(const Entry& entry) {
  KaiPod* const pod = entry.pod;
  world_->JobOf(*pod).SetStatus(pod, entry.was);
  pod->devices = entry.devices;
  pod->is_virtual = entry.was_virtual;
  world_->nodes.Remove(pod->node, pod->task);
  world_->Discharge(*pod);
  pod->node = entry.from;
}

bool KaiStatement::UndoFirstEviction(uint32_t task) {
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.undone || entry.kind != Entry::Kind::kEvict || entry.listed->task != task) continue;
    Undo(i);
    return true;
  }
  return false;
}

void KaiStatement::Reverse(size_t i) {
  const Entry entry = entries_[i];
  switch (entry.kind) {
    case Entry::Kind::kEvict:
      Unevict(entry);
      break;
    case Entry::Kind::kAllocate:
      Unallocate(entry.pod, entry.was_virtual);
      break;
    case Entry::Kind::kPipeline:
      Unpipeline(entry);
      break;
    case Entry::Kind::kUndo:
      Redo(entry.undoes);
      entries_[entry.undoes].undone = false;
      break;
  }
}

// Does once more what an undone entry did.
void KaiStatement::Redo(size_t i) {
  const Entry entry = entries_[i];
  switch (entry.kind) {
    case Entry::Kind::kEvict:
      Evict(entry.listed);
      break;
    case Entry::Kind::kAllocate:
      Allocate(entry.listed, entry.to);
      break;
    case Entry::Kind::kPipeline:
      Pipeline(entry.listed, entry.to, /*update=*/true);
      break;
    case Entry::Kind::kUndo:
      Undo(entry.undoes);
      break;
  }
}

void KaiStatement::Undo(size_t i) {
  if (entries_[i].undone) return;
  Reverse(i);
  entries_[i].undone = true;
  entries_.push_back({.kind = Entry::Kind::kUndo, .undoes = i});
}

void KaiStatement::Rollback(size_t checkpoint) {
  for (size_t i = entries_.size(); i-- > checkpoint;) Undo(i);
  entries_.resize(checkpoint);
}

void KaiStatement::Discard() {
  for (size_t i = entries_.size(); i-- > 0;) Undo(i);
  entries_.clear();
}

void KaiStatement::PipelineAll(uint32_t job) {
  const size_t end = entries_.size();
  for (size_t i = 0; i < end; ++i) {
    if (entries_[i].kind != Entry::Kind::kAllocate) continue;
    KaiPod* const pod = entries_[i].listed;
    if (world_->facts().tasks[pod->task].job != job) continue;
    const uint32_t node = pod->node;
    Unallocate(pod, /*was_virtual=*/true);
    Pipeline(pod, node, /*update=*/true);
  }
  std::erase_if(entries_, [&](const Entry& entry) {
    return entry.kind == Entry::Kind::kAllocate &&
           world_->facts().tasks[entry.listed->task].job == job;
  });
}

bool KaiStatement::PutEvictionsInOrder(std::span<KaiPod* const> pods) {
  if (pods.size() > entries_.size()) return false;
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(pods.size());
  const auto evicts = [](const Entry& entry) {
    return entry.kind == Entry::Kind::kEvict && !entry.undone;
  };
  const auto places = [](const Entry& entry) {
    return !entry.undone &&
           (entry.kind == Entry::Kind::kAllocate || entry.kind == Entry::Kind::kPipeline);
  };
  if (!std::all_of(entries_.begin(), end, evicts)) return false;
  if (!std::all_of(end, entries_.end(), places)) return false;
  const auto task_of = [](const Entry& entry) { return entry.listed->task; };
  std::vector<uint32_t> tasks, evicted;
  for (const KaiPod* pod : pods) tasks.push_back(pod->task);
  std::ranges::transform(entries_.begin(), end, std::back_inserter(evicted), task_of);
  std::ranges::sort(tasks);
  std::ranges::sort(evicted);
  if (tasks != evicted || std::ranges::adjacent_find(tasks) != tasks.end()) return false;
  std::vector<Entry> by_task(std::move_iterator(entries_.begin()), std::move_iterator(end));
  std::ranges::sort(by_task, {}, task_of);
  for (size_t i = 0; i < pods.size(); ++i) {
    entries_[i] = std::move(*std::ranges::lower_bound(by_task, pods[i]->task, {}, task_of));
  }
  return true;
}

void KaiStatement::Commit(KaiListener* listener, uint32_t beneficiary) {
  for (const Entry& entry : entries_) {
    if (entry.undone) continue;
    switch (entry.kind) {
      case Entry::Kind::kEvict:
        entry.listed->is_virtual = false;
        world_->evicted_now[world_->facts().tasks[entry.listed->task].job] = 1;
        world_->searches_leave_marks |=
            world_->JobOf(*entry.listed).CountOf(KaiStatus::kPending) > 0;
        listener->Evicted(*entry.listed, beneficiary);
        break;
      case Entry::Kind::kPipeline:
        world_->has_moved_tasks |= world_->nodes.CountNotes(entry.listed->task) > 1;
        listener->Pipelined(*entry.listed);
        break;
      case Entry::Kind::kAllocate:
        world_->JobOf(*entry.listed).SetStatus(entry.listed, KaiStatus::kBinding);
        listener->Bound(*entry.listed);
        break;
      case Entry::Kind::kUndo:
        break;
    }
  }
  entries_.clear();
}

}  // namespace muster
