// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Preemption toleration: priority classes that exempt their tasks from being preempted for a while.
//
//   const Exemption exemption = {.minimum = 200, .seconds = 3600};
//   if (IsExempt(exemption, {.priority = 150}, /*scheduled=*/now - 60, now)) return;
//
// A class may name the least priority that preempts its tasks at any time, and how many seconds
// after its start a task cannot be preempted by less than that. Negative seconds are for ever. A
// task that has not started is exempt, too, and every task is against a preemptor that never
// preempts.
// Also here: the order of the queue by priority, then class of service, then time. O(1) each.
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_EXEMPTION_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_EXEMPTION_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::scheduler_plugins {

struct Exemption {
  int32_t minimum = 0;
  int64_t seconds = 0;
};
// Reads the two values of a class, where they are given. Returns nothing if one is no number.
// By default the minimum is the class's own value and one more.
std::optional<Exemption> ReadExemption(std::optional<std::string_view> minimum,
                                       std::optional<std::string_view> seconds,
                                       int32_t class_value);

struct Preemptor {
  int32_t priority = 0;
  bool never_preempts = false;
};
// Whether the victim may not be preempted. `exemption` is nothing if its class has none that can be
// read; `scheduled` is when the victim started, nothing if it has not. Times are seconds.
bool IsExempt(const std::optional<Exemption>& exemption, const Preemptor& preemptor,
              std::optional<double> scheduled, double now);

enum class ServiceClass : uint8_t { kGuaranteed, kBurstable, kBestEffort };
struct QueuedPod {
  int32_t priority = 0;
  ServiceClass service = ServiceClass::kBestEffort;
  double queued = 0;  // when it came into the queue
};
// Whether `a` leaves the queue before `b`.
bool IsBeforeByService(const QueuedPod& a, const QueuedPod& b);

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_EXEMPTION_H_
