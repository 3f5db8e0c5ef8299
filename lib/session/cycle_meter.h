// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Measures one cycle (muster/cycle_metrics.h), if the caller wants it measured.
//
//   CycleMeter costs(options.metrics);
//   search.Measure(costs.searches());
//   ...
//   costs.Opened();
//   costs.Ran("allocate", work, decisions);       // for each action
//   costs.Closed(plan.decisions);
#ifndef MUSTER_SESSION_CYCLE_METER_H_
#define MUSTER_SESSION_CYCLE_METER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/search/search_meter.h"
#include "muster/cycle_metrics.h"

namespace muster {

class CycleMeter {
 public:
  // Null: nothing is measured.
  explicit CycleMeter(CycleMetrics* metrics) : metrics_(metrics) {
    if (metrics_ == nullptr) return;
    metrics_->open = metrics_->close = 0;
    metrics_->actions.clear();
    metrics_->policies.clear();
    metrics_->searches = {};
    metrics_->choices.clear();
    searches_.emplace(*metrics_);
    last_ = searches_->Now();
  }

  SearchMeter* searches() { return searches_.has_value() ? &*searches_ : nullptr; }
  void Opened() {
    if (metrics_ != nullptr) metrics_->open = Lap();
  }
  // An action ended. `work` and `decisions` are those of the cycle until now.
  void Ran(std::string_view action, int64_t work, size_t decisions) {
    if (metrics_ == nullptr) return;
    metrics_->actions.push_back(
        {std::string(action), Lap(), work - work_, static_cast<int64_t>(decisions) - decisions_});
    work_ = work;
    decisions_ = static_cast<int64_t>(decisions);
  }
  void Closed(std::span<const Decision> decisions) {
    if (metrics_ == nullptr) return;
    searches_->Finish(decisions);
    metrics_->close = Lap();
  }

 private:
  // The time since the last call.
  int64_t Lap() {
    const int64_t now = searches_->Now();
    const int64_t lap = now - last_;
    last_ = now;
    return lap;
  }

  CycleMetrics* const metrics_;
  std::optional<SearchMeter> searches_;
  int64_t last_ = 0, work_ = 0, decisions_ = 0;
};

}  // namespace muster

#endif  // MUSTER_SESSION_CYCLE_METER_H_
