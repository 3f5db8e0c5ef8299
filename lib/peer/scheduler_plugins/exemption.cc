// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/exemption.h"

#include <tuple>

#include "absl/strings/numbers.h"
#include "lib/base/strings.h"

namespace muster::scheduler_plugins {

std::optional<Exemption> ReadExemption(std::optional<std::string_view> minimum,
                                       std::optional<std::string_view> seconds,
                                       int32_t class_value) {
  Exemption exemption{class_value + 1, 0};
  if (minimum && !absl::SimpleAtoi(ToAbsl(*minimum), &exemption.minimum)) return std::nullopt;
  if (seconds && !absl::SimpleAtoi(ToAbsl(*seconds), &exemption.seconds)) return std::nullopt;
  return exemption;
}

bool IsExempt(const std::optional<Exemption>& exemption, const Preemptor& preemptor,
              std::optional<double> scheduled, double now) {
  if (preemptor.never_preempts) return true;
  if (!exemption || preemptor.priority >= exemption->minimum) return false;
  if (exemption->seconds < 0 || !scheduled) return true;
  return *scheduled + static_cast<double>(exemption->seconds) > now;
}

bool IsBeforeByService(const QueuedPod& a, const QueuedPod& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  return std::tie(a.service, a.queued) < std::tie(b.service, b.queued);
}

}  // namespace muster::scheduler_plugins
