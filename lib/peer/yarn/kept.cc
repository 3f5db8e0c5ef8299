// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/kept.h"

#include <algorithm>
#include <utility>

namespace muster::yarn {
namespace {

constexpr int64_t kMostKept = int64_t{1} << 35;
constexpr size_t kNameCells = 4;
constexpr size_t kRequestCells = kNameCells + std::tuple_size_v<KeptCounts>;

void AddName(const RequestName& name, MemoryRow* row) {
  row->push_back(name.group);
  row->push_back(name.priority);
  row->push_back(name.size.memory);
  row->push_back(name.size.vcores);
}

int64_t CountAt(const MemorySlot& slot, std::string_view key, size_t cell) {
  return std::clamp<int64_t>(slot.Integer(key, cell), 0, kMostKept);
}

RequestName NameAt(const MemorySlot& slot, std::string_view key, size_t cell) {
  return {.group = std::string(slot.Text(key, cell)),
          .priority = slot.Integer(key, cell + 1),
          .size = {CountAt(slot, key, cell + 2), CountAt(slot, key, cell + 3)}};
}

}  // namespace

int64_t MillisecondsOf(int64_t seconds) {
  constexpr int64_t kLatest = int64_t{1} << 50;
  return 1000 * std::clamp(seconds, -kLatest, kLatest);
}

std::vector<KeptRequest> KeptRequests(const MemorySlot& slot, std::string_view job) {
  std::vector<KeptRequest> requests;
  const MemoryRow* row = slot.Find(job);
  const size_t cells = row == nullptr ? 0 : row->size();
  for (size_t at = 0; at + kRequestCells <= cells; at += kRequestCells) {
    KeptRequest& request = requests.emplace_back(KeptRequest{.name = NameAt(slot, job, at)});
    for (size_t i = 0; i < request.counts.size(); ++i) {
      request.counts[i] = CountAt(slot, job, at + kNameCells + i);
    }
  }
  return requests;
}

MemoryRow RowOf(const std::vector<KeptRequest>& requests) {
  MemoryRow row;
  for (const KeptRequest& request : requests) {
    AddName(request.name, &row);
    row.insert(row.end(), request.counts.begin(), request.counts.end());
  }
  return row;
}

std::optional<KeptReservation> KeptReservationOf(const MemorySlot& slot, std::string_view node) {
  if (slot.Find(node) == nullptr) return std::nullopt;
  return KeptReservation{.job = std::string(slot.Text(node, 0)),
                         .name = NameAt(slot, node, 1),
                         .since = slot.Integer(node, 1 + kNameCells)};
}

MemoryRow RowOf(const KeptReservation& reservation) {
  MemoryRow row = {reservation.job};
  AddName(reservation.name, &row);
  if (reservation.since != 0) row.push_back(reservation.since);
  return row;
}

std::optional<int64_t> KeptState(const MemorySlot& slot, std::string_view job,
                                 std::string_view leaf) {
  if (slot.Find(job) == nullptr || slot.Text(job, 0) != leaf) return std::nullopt;
  return slot.Integer(job, 1);
}

KeptCounts TakeCounts(const RequestName& name, std::vector<KeptRequest>* requests) {
  const auto at = std::ranges::find(*requests, name, &KeptRequest::name);
  if (at == requests->end()) return {};
  const KeptCounts counts = at->counts;
  requests->erase(at);
  return counts;
}

void Keep(const Cycle& cycle, std::string_view slot, MemorySlot now) {
  if (now == cycle.Recall(slot)) return;
  cycle.Remember(slot) = std::move(now);
}

}  // namespace muster::yarn
