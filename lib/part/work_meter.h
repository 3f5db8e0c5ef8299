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
// cycle. A cycle that decides the next decisions alone (muster/turn.h) ends here, too.
#ifndef MUSTER_PART_WORK_METER_H_
#define MUSTER_PART_WORK_METER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "muster/plan.h"

namespace muster {

class WorkMeter {
 public:
  // `should_stop` may be null or empty; otherwise it is called by Cut and must outlive this.
  WorkMeter(std::optional<int64_t> budget, const std::function<bool()>* should_stop)
      : budget_(budget), should_stop_(should_stop) {}

  // Ends the cycle, uncut, once `list` has that many decisions. `list` must outlive this.
  void EndAfter(int64_t decisions, const std::vector<Decision>& list) {
    decisions_ = static_cast<size_t>(decisions);
    list_ = &list;
  }

  void Spend(int64_t work = 1) { work_ += work; }
  // Spends as much as work that need not be done again took before. Returns false, and spends
  // nothing, if the budget would have ended it.
  bool SpendAgain(int64_t work) {
    if (budget_.has_value() && work > *budget_ - work_) return false;
    work_ += work;
    return true;
  }
  // Returns true if the cycle must end before the next turn. Once true, it stays true.
  bool Cut() {
    if (ended()) return true;
    done_ = list_ != nullptr && list_->size() >= decisions_;
    if (done_) return true;
    cut_ = (budget_.has_value() && work_ >= *budget_) ||
           (should_stop_ != nullptr && *should_stop_ && (*should_stop_)());
    return cut_;
  }
  int64_t work() const { return work_; }
  // Returns what Cut returned last.
  bool ended() const { return cut_ || done_; }
  // Returns whether the budget or the caller ended the cycle.
  bool was_cut() const { return cut_; }

 private:
  std::optional<int64_t> budget_;
  const std::function<bool()>* should_stop_;
  int64_t work_ = 0;
  bool cut_ = false;
  size_t decisions_ = 0;
  const std::vector<Decision>* list_ = nullptr;
  bool done_ = false;
};

}  // namespace muster

#endif  // MUSTER_PART_WORK_METER_H_
