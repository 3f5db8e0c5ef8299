// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/nodes.h"

#include <algorithm>
#include <utility>

namespace muster {

KaiNodes::KaiNodes(const KaiFacts& facts)
    : facts_(facts),
      width_(facts.dimensions),
      cells_(facts.nodes.size() * 3 * facts.dimensions, 0.0),
      groups_(facts.nodes.size()),
      notes_(facts.tasks.size()),
      legacy_(facts.nodes.size(), 0),
      affinity_(facts),
      changes_of_(facts.nodes.size(), 0),
      free_(facts.nodes.size(), 0.0),
      has_free_(facts.nodes.size(), 0),
      is_stale_(facts.nodes.size(), 1) {
  for (uint32_t n = 0; n < facts.nodes.size(); ++n) {
    const KaiNodeFacts& node = facts.nodes[n];
    std::ranges::copy(node.allocatable, cells(n, 0));
    for (size_t d = 0; d < node.foreign.size(); ++d) {
      cells(n, 0)[d] -= node.foreign[d];
      cells(n, 1)[d] += node.foreign[d];
      cells(n, 2)[d] += node.foreign_releasing[d];
    }
    stale_.push_back(n);
  }
}

const KaiNodes::Note* KaiNodes::Find(uint32_t n, uint32_t task) const {
  for (const Note& note : notes_[task]) {
    if (note.node == n) return &note;
  }
  return nullptr;
}

// Notes what the pod gets there.
void KaiNodes::Accept(uint32_t n, KaiPod* pod) const {
  if (!IsActiveUsed(pod->status)) return;
  const KaiShape& shape = facts_.shape_of(pod->task);
  pod->accepted = true;
  switch (shape.type) {
    case KaiRequestType::kMigInstance:
      pod->received = KaiReceived::kSlices;
      pod->accepted_gpus = 0;
      pod->accepted_quota = shape.slice_gpus;
      break;
    case KaiRequestType::kFraction:
    case KaiRequestType::kGpuMemory:
      pod->received = KaiReceived::kFraction;
      pod->accepted_gpus =
          KaiGpus({.devices = shape.gpu.devices,
                   .portion = KaiPortionOn(shape.gpu, facts_.nodes[n].gpu_memory)});
      pod->accepted_quota = pod->accepted_gpus;
      break;
    case KaiRequestType::kUnset:
    case KaiRequestType::kRegular:
      pod->received = KaiReceived::kRegular;
      pod->accepted_gpus = KaiGpus(shape.gpu) + static_cast<double>(shape.gpu.claimed);
      pod->accepted_quota = pod->accepted_gpus;
      break;
  }
}

void KaiNodes::ChargeVectors(uint32_t n, uint32_t task, const Note& note, double times) {
  if (!note.accepted) return;
  const KaiShape& shape = facts_.shape_of(task);
  const std::vector<double>& allocatable = facts_.nodes[n].allocatable;
  double* const idle = cells(n, 0);
  double* const used = cells(n, 1);
  double* const releasing = cells(n, 2);
  // A pipelined task takes nothing that is idle, and only a leaving one gives back.
  const bool pipelined = note.status == KaiStatus::kPipelined;
  const double given = pipelined ? -times : note.status == KaiStatus::kReleasing ? times : 0;
  const double gpus = note.received == KaiReceived::kFraction ? 0 : note.accepted_gpus;
  for (size_t d = 0; d < width_; ++d) {
    if (allocatable[d] == 0) continue;
    const double amount = d == kKaiGpuAt ? gpus : shape.request[d];
    used[d] += amount * times;
    if (!pipelined) idle[d] -= amount * times;
    if (given != 0) releasing[d] += amount * given;
  }
}

// Enters a change of the node. Twice as many entries as nodes are worth less than a look at each.
void KaiNodes::Enter(uint32_t n) {
  if (journal_.size() > 2 * changes_of_.size()) {
    forgotten_ += journal_.size();
    journal_.clear();
  }
  journal_.push_back(n);
  if (std::exchange(is_stale_[n], 1) == 0) stale_.push_back(n);
  ++changes_of_[n];
}

// Notes an accepted pod and charges it.
void KaiNodes::Put(uint32_t n, const KaiPod& pod) {
  Note& note = notes_[pod.task].emplace_back();
  note.node = n;
  note.status = pod.status;
  note.received = pod.received;
  note.accepted = pod.accepted;
  note.accepted_gpus = pod.accepted_gpus;
  if (!pod.devices.empty()) note.devices = pod.devices;
  if (facts_.shape_of(pod.task).legacy_slices) ++legacy_[n];
  affinity_.Count(n, facts_.tasks[pod.task].shape, 1);
  ChargeVectors(n, pod.task, note, 1);
  AddParts(n, pod.task, note);
}

void KaiNodes::Open(uint32_t n, KaiPod* pod) {
  Accept(n, pod);
  Put(n, *pod);
}

bool KaiNodes::Add(uint32_t n, KaiPod* pod, bool elsewhere) {
  Accept(n, pod);
  auto& notes = notes_[pod->task];
  const auto there = std::ranges::find(notes, n, &Note::node);
  if (there != notes.end()) {
    if (!(elsewhere && pod->received == KaiReceived::kFraction)) return false;
    notes.erase(there);
  }
  Enter(n);
  Put(n, *pod);
  return true;
}

bool KaiNodes::Remove(uint32_t n, uint32_t task) {
  auto& notes = notes_[task];
  const auto there = std::ranges::find(notes, n, &Note::node);
  if (there == notes.end()) return false;
  const Note note = std::move(*there);
  notes.erase(there);
  affinity_.Count(n, facts_.tasks[task].shape, -1);
  Enter(n);
  ChargeVectors(n, task, note, -1);
  RemoveParts(n, task, note);
  return true;
}

bool KaiNodes::Update(uint32_t n, KaiPod* pod) {
  auto& notes = notes_[pod->task];
  const auto there = std::ranges::find(notes, n, &Note::node);
  if (there == notes.end()) return false;
  const KaiShape& shape = facts_.shape_of(pod->task);
  if (shape.legacy_slices || !there->devices.empty() || !pod->devices.empty()) {
    return Remove(n, pod->task) && Add(n, pod, false);
  }
  // Nothing but the vectors changes.
  ChargeVectors(n, pod->task, *there, -1);
  Accept(n, pod);
  there->status = pod->status;
  there->received = pod->received;
  there->accepted = pod->accepted;
  there->accepted_gpus = pod->accepted_gpus;
  Enter(n);
  ChargeVectors(n, pod->task, *there, 1);
  return true;
}

bool KaiNodes::FitsGroupNow(uint32_t n, const KaiShape& shape, size_t g) const {
  const int64_t memory = facts_.nodes[n].gpu_memory;
  return groups_[n].marks[g].allocated &&
         memory - groups_[n].devices[g].allocated - KaiMemoryOn(shape.gpu, memory) >= 0;
}

bool KaiNodes::FitsNow(uint32_t n, const KaiShape& shape) const {
  return KaiFits({shape.request, shape.type, &shape.gpu},
                 {{idle(n), width_}, facts_.nodes[n].gpu_memory, groups_[n].devices},
                 /*idle=*/true);
}

bool KaiNodes::FitsLater(uint32_t n, const KaiShape& shape) const {
  const double* const idle = this->idle(n);
  const double* const releasing = this->releasing(n);
  room_.resize(width_);
  for (size_t d = 0; d < width_; ++d) room_[d] = idle[d] + releasing[d];
  return KaiFits({shape.request, shape.type, &shape.gpu},
                 {room_, facts_.nodes[n].gpu_memory, groups_[n].devices}, /*idle=*/false);
}

}  // namespace muster
