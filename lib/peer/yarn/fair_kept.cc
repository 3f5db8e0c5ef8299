// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair_kept.h"

#include <algorithm>
#include <cstddef>

#include "lib/peer/yarn/kept.h"

namespace muster::yarn {
namespace {

constexpr int64_t kMostKeptAmount = int64_t{1} << 35;
constexpr int64_t kLatestKept = int64_t{1} << 60;
constexpr size_t kPromiseCells = 3;

int64_t KeptTimeAt(const MemorySlot& slot, std::string_view key, size_t cell) {
  return std::clamp<int64_t>(slot.Integer(key, cell), 0, kLatestKept);
}

Resource KeptAmountAt(const MemorySlot& slot, std::string_view key, size_t cell) {
  return {std::clamp<int64_t>(slot.Integer(key, cell), 0, kMostKeptAmount),
          std::clamp<int64_t>(slot.Integer(key, cell + 1), 0, kMostKeptAmount)};
}

}  // namespace

std::vector<MemoryDecl> FairMemory() {
  std::vector<MemoryDecl> slots = DeclarationOf(kFairSlots);
  for (const std::string_view slot : {kStarvationSlot, kMinimumSlot, kFairMarkSlot, kPromiseSlot}) {
    slots.push_back({slot, 1});
  }
  return slots;
}

std::optional<KeptStarvation> KeptStarvationOf(const MemorySlot& slot, std::string_view job,
                                               std::string_view leaf) {
  if (slot.Find(job) == nullptr || slot.Text(job, 0) != leaf) return std::nullopt;
  return KeptStarvation{.last_at_fair_share = KeptTimeAt(slot, job, 1),
                        .next_check = KeptTimeAt(slot, job, 2),
                        .of_fair_share = KeptAmountAt(slot, job, 3),
                        .of_min_share = KeptAmountAt(slot, job, 5)};
}

MemoryRow RowOf(std::string_view leaf, const KeptStarvation& starvation) {
  return {std::string(leaf),
          starvation.last_at_fair_share,
          starvation.next_check,
          starvation.of_fair_share.memory,
          starvation.of_fair_share.vcores,
          starvation.of_min_share.memory,
          starvation.of_min_share.vcores};
}

std::optional<int64_t> KeptTimeOf(const MemorySlot& slot, std::string_view leaf) {
  if (slot.Find(leaf) == nullptr) return std::nullopt;
  return KeptTimeAt(slot, leaf, 0);
}

std::optional<KeptMark> KeptMarkOf(const MemorySlot& slot, std::string_view task,
                                   std::string_view node) {
  if (slot.Find(task) == nullptr || slot.Text(task, 0) != node) return std::nullopt;
  return KeptMark{.time = KeptTimeAt(slot, task, 1),
                  .job = std::string(slot.Text(task, kJobCell)),
                  .is_evicted = slot.Integer(task, kEvictedCell) == 1};
}

MemoryRow RowOf(std::string_view node, const KeptMark& mark) {
  return {std::string(node), mark.time, mark.job, int64_t{mark.is_evicted}};
}

KeptPromises KeptPromisesOf(const MemorySlot& slot, std::string_view node) {
  KeptPromises promises;
  const MemoryRow* row = slot.Find(node);
  const size_t cells = row == nullptr ? 0 : row->size();
  for (size_t at = 0; at + kPromiseCells <= cells; at += kPromiseCells) {
    promises.emplace_back(slot.Text(node, at), KeptAmountAt(slot, node, at + 1));
  }
  return promises;
}

MemoryRow RowOf(const KeptPromises& promises) {
  MemoryRow row;
  for (const auto& [job, amount] : promises) {
    row.insert(row.end(), {job, amount.memory, amount.vcores});
  }
  return row;
}

}  // namespace muster::yarn
