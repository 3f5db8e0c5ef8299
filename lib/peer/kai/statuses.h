// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The statuses that KAI Scheduler gives tasks, and the groups that its rules count.
//
// Peer. Pipelined is active but not allocated: a gang with pipelined tasks is not up. A task that
// is stuck in deletion still uses its resources, and they cannot be counted on.
//
// Cost. One instruction a question.
#ifndef MUSTER_PEER_KAI_STATUSES_H_
#define MUSTER_PEER_KAI_STATUSES_H_

#include <cstdint>
#include <string_view>

namespace muster {

enum class KaiStatus : uint16_t {
  kPending = 1 << 0,
  kGated = 1 << 1,
  kAllocated = 1 << 2,
  kPipelined = 1 << 3,
  kBinding = 1 << 4,
  kBound = 1 << 5,
  kRunning = 1 << 6,
  kReleasing = 1 << 7,
  kSucceeded = 1 << 8,
  kFailed = 1 << 9,
  kUnknown = 1 << 10,
  kDeleted = 1 << 11,
  kStuckInReleasing = 1 << 12,
};

namespace kai_status {
inline constexpr uint16_t kActiveAllocated = 0x7c;   // Allocated .. Running
inline constexpr uint16_t kActiveUsed = 0x10fc;      // and Releasing, StuckInReleasing
inline constexpr uint16_t kAlive = 0x7f;             // active allocated, Pending, Gated
inline constexpr uint16_t kAllocatedForGang = 0x74;  // Allocated, Binding, Bound, Running
inline constexpr uint16_t kBoundToNode = 0x10e4;     // Allocated, Bound, Running, Releasing, stuck
constexpr bool In(KaiStatus status, uint16_t group) {
  return (static_cast<uint16_t>(status) & group) != 0;
}
}  // namespace kai_status

constexpr bool IsActiveAllocated(KaiStatus s) {
  return kai_status::In(s, kai_status::kActiveAllocated);
}
constexpr bool IsActiveUsed(KaiStatus s) { return kai_status::In(s, kai_status::kActiveUsed); }
constexpr bool IsAlive(KaiStatus s) { return kai_status::In(s, kai_status::kAlive); }
constexpr bool IsAllocatedForGang(KaiStatus s) {
  return kai_status::In(s, kai_status::kAllocatedForGang);
}
constexpr bool IsBoundToNode(KaiStatus s) { return kai_status::In(s, kai_status::kBoundToNode); }

// What a pod's object says.
struct KaiPodState {
  std::string_view phase;   // Kubernetes' word
  bool is_deleted = false;  // it has a deletion timestamp
  bool is_overdue = false;  // ... that passed longer ago than the threshold for stuck pods
  bool has_node = false;
  bool is_binding = false;  // a bind request is open
  bool is_gated = false;
};
KaiStatus KaiStatusOfPod(const KaiPodState& pod);

// The peer's word, such as "Pipelined".
std::string_view KaiStatusName(KaiStatus status);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_STATUSES_H_
