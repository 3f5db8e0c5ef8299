// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "bench/yardstick.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "bench/thread_clock.h"
#include "lib/base/rng.h"

namespace muster::bench {
namespace {

constexpr size_t kEntries = size_t{Yardstick::kBytes} / 2 / sizeof(uint64_t);
constexpr int kLoads = 100'000;
constexpr int kRuns = 3;

}  // namespace

Yardstick::Yardstick() : next_(kEntries), column_(kEntries) {
  // Sattolo's shuffle: the permutation is one cycle, so no load comes back to a warm line early.
  for (size_t i = 0; i < kEntries; ++i) next_[i] = i;
  Rng rng(1);
  for (size_t i = kEntries - 1; i > 0; --i) std::swap(next_[i], next_[rng.Below(i)]);
  for (size_t i = 0; i < kEntries; ++i) column_[i] = static_cast<int64_t>(next_[i] & 0xff);
}

double Yardstick::RunOnce() {
  const double start = Seconds();
  for (int i = 0; i < kLoads; ++i) at_ = next_[at_];
  for (const int64_t cell : column_) sum_ += cell;
  benchmark::DoNotOptimize(at_);
  benchmark::DoNotOptimize(sum_);
  return Seconds() - start;
}

double Yardstick::Measure() {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < kRuns; ++i) least = std::min(least, RunOnce());
  return least;
}

YardstickReporter::YardstickReporter(std::unique_ptr<benchmark::BenchmarkReporter> printer)
    : printer_(std::move(printer)) {}

bool YardstickReporter::ReportContext(const Context& context) {
  printer_->SetOutputStream(&GetOutputStream());
  printer_->SetErrorStream(&GetErrorStream());
  seconds_ = yardstick_.Measure();
  return printer_->ReportContext(context);
}

void YardstickReporter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> measured = runs;
  for (Run& run : measured) {
    if (run.error_occurred || run.aggregate_unit == benchmark::StatisticUnit::kPercentage) continue;
    const double time = run.run_name.time_type == "manual_time" ? run.GetAdjustedRealTime()
                                                                : run.GetAdjustedCPUTime();
    run.counters["yardsticks"] = time / benchmark::GetTimeUnitMultiplier(run.time_unit) / seconds_;
    run.counters["yardstick_ms"] = seconds_ * 1e3;
  }
  printer_->ReportRuns(measured);
  seconds_ = yardstick_.Measure();
}

void YardstickReporter::Finalize() { printer_->Finalize(); }

}  // namespace muster::bench
