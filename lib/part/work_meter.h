// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Counts the work of a cycle and ends it when the caller's budget is used up.
//
//   for (const JobIndex job : jobs) {
//     if (context.meter.Cut()) return;   // between gangs, never within one
//     context.meter.Spend();
//     Turn(job);
//   }
//
// A unit is one turn of a job or one task tried, so that equal counts mean equal prefixes of a
// cycle.
#ifndef MUSTER_PART_WORK_METER_H_
#define MUSTER_PART_WORK_METER_H_

#include <cstdint>
#include <functional>
#include <optional>

namespace muster {

class WorkMeter {
 public:
  // `should_stop` may be null or empty; otherwise it is called by Cut and must outlive this.
  WorkMeter(std::optional<int64_t> budget, const std::function<bool()>* should_stop)
      : budget_(budget), should_stop_(should_stop) {}

  void Spend() { ++work_; }
  // Returns true if the cycle must end before the next turn. Once true, it stays true.
  bool Cut() {
    if (cut_) return true;
    cut_ = (budget_.has_value() && work_ >= *budget_) ||
           (should_stop_ != nullptr && *should_stop_ && (*should_stop_)());
    return cut_;
  }
  int64_t work() const { return work_; }
  bool was_cut() const { return cut_; }

 private:
  std::optional<int64_t> budget_;
  const std::function<bool()>* should_stop_;
  int64_t work_ = 0;
  bool cut_ = false;
};

}  // namespace muster

#endif  // MUSTER_PART_WORK_METER_H_
