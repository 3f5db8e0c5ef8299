// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/queue_memory.h"

#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/peer/kueue/amount.h"

namespace muster::kueue {
namespace {

constexpr std::string_view kFrontRow = "front/", kScanRow = "scan/";
constexpr size_t kCellsOfSearch = 3;  // pod set, resource, position

}  // namespace

bool QueueMemory::Waits(WorkloadIndex w) const {
  return w != kNothing && world_.workloads[w].alive && !world_.workloads[w].holds &&
         world_.workloads[w].queue != kNothing;
}

int64_t QueueMemory::SpecOf(WorkloadIndex w) const {
  const WorkloadRow& row = world_.workloads[w];
  std::string text = absl::StrCat(world_.queues[row.queue].name, "|", row.priority);
  for (const PodSet& p : row.pod_sets) {
    absl::StrAppend(&text, "|", p.name, "/", p.count, "/", p.min_count.value_or(-1));
    for (const ResourceAmount& r : p.requests) {
      absl::StrAppend(&text, ",", world_.resources[r.resource], "=", r.amount);
    }
  }
  return static_cast<int64_t>(ResourceHash(text));
}

void QueueMemory::RecallFront(std::string_view key, const MemorySlot& slot) {
  const Queue queue = world_.FindQueue(key.substr(kFrontRow.size()));
  const WorkloadIndex w = world_.FindWorkload(slot.Text(key));
  if (queue == kNothing || !Waits(w) || world_.workloads[w].queue != queue) return;
  if (slot.Integer(key, 1) != SpecOf(w) || world_.queues[queue].strict) return;
  scheduler_.pending(queue).set_preemptor(
      {.workload = w, .generation = world_.workloads[w].generation, .sticky = true});
}

void QueueMemory::RecallScan(std::string_view key, size_t cells, const MemorySlot& slot) {
  const WorkloadIndex w = world_.FindWorkload(key.substr(kScanRow.size()));
  if (!Waits(w) || slot.Integer(key) != SpecOf(w)) return;
  WorkloadRow& row = world_.workloads[w];
  ScanProgress progress;
  progress.tried.resize(row.pod_sets.size());
  for (size_t i = 1; i + kCellsOfSearch <= cells; i += kCellsOfSearch) {
    const int64_t pod_set = slot.Integer(key, i, -1), position = slot.Integer(key, i + 2, -1);
    const std::string_view resource = slot.Text(key, i + 1);
    if (pod_set < 0 || pod_set >= std::ssize(progress.tried) || resource.empty()) continue;
    const ResourceIndex r = world_.Resource(resource);
    const FlavorGroup* const group = world_.GroupOf(row.queue, r);
    // A flavor that is no longer there, or the last one: the search begins anew.
    if (group == nullptr || position < -1 || position + 1 >= std::ssize(group->flavors)) return;
    progress.tried[static_cast<size_t>(pod_set)].emplace_back(r, static_cast<int32_t>(position));
  }
  progress.generation = world_.queues[row.queue].generation;
  progress.cycle = scheduler_.cycle;
  progress.hash = row.hash;
  if (progress.Pending()) row.progress = std::move(progress);
}

void QueueMemory::Recall(const MemorySlot& slot) {
  for (const auto& [key, row] : slot.rows()) {
    if (std::string_view(key).starts_with(kFrontRow)) {
      RecallFront(key, slot);
    } else if (std::string_view(key).starts_with(kScanRow) &&
               world_.config.gates.preserve_scan_progress) {
      RecallScan(key, row.size(), slot);
    }
  }
}

std::vector<std::pair<std::string, MemoryRow>> QueueMemory::Rows() const {
  std::vector<std::pair<std::string, MemoryRow>> rows;
  for (Queue q = 0; q < world_.queues.size(); ++q) {
    const PendingQueue::Preemptor front = scheduler_.pending(q).preemptor();
    if (!front.sticky || !Waits(front.workload)) continue;
    rows.emplace_back(absl::StrCat(ToAbsl(kFrontRow), world_.queues[q].name),
                      MemoryRow{world_.workloads[front.workload].name, SpecOf(front.workload)});
  }
  for (WorkloadIndex w = 0; w < world_.workloads.size(); ++w) {
    const WorkloadRow& row = world_.workloads[w];
    if (!Waits(w) || !row.progress || !row.progress->Pending()) continue;
    if (row.progress->cycle != scheduler_.cycle) continue;
    MemoryRow cells = {SpecOf(w)};
    for (size_t p = 0; p < row.progress->tried.size(); ++p) {
      for (const auto& [resource, position] : row.progress->tried[p]) {
        cells.emplace_back(static_cast<int64_t>(p));
        cells.emplace_back(world_.resources[resource]);
        cells.emplace_back(int64_t{position});
      }
    }
    rows.emplace_back(absl::StrCat(ToAbsl(kScanRow), row.name), std::move(cells));
  }
  return rows;
}

bool QueueMemory::HasNews(const MemorySlot& before) const {
  return !before.empty() || !Rows().empty();
}

void QueueMemory::Remember(MemorySlot* slot) const {
  slot->EraseIf([](std::string_view) { return true; });
  for (auto& [key, row] : Rows()) slot->Set(key, std::move(row));
}

}  // namespace muster::kueue
