// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A unit of time that follows the machine, so that figures from two machines, or from a quiet and a
// busy hour of one, can be compared.
//
//   YardstickReporter display(std::make_unique<benchmark::ConsoleReporter>());
//   benchmark::RunSpecifiedBenchmarks(&display);
//
// One yardstick is the time of a fixed kernel: 100,000 loads over 64 MB, each of which yields the
// address of the next, and one pass that adds up a column of 64 MB. The first part waits for memory
// as a heap or a hash map does; the second streams as a scan of nodes does. The reporter times the
// kernel right before each row (least of three) and adds two counters to the row:
//   yardsticks     time of an iteration over that of the kernel
//   yardstick_ms   time of the kernel
#ifndef MUSTER_BENCH_YARDSTICK_H_
#define MUSTER_BENCH_YARDSTICK_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace muster::bench {

class Yardstick {
 public:
  // What one holds while it lives.
  static constexpr int64_t kBytes = int64_t{128} << 20;

  Yardstick();
  // Returns the seconds that the kernel takes now: the least of three runs of the thread's clock.
  double Measure();

 private:
  double RunOnce();

  std::vector<uint64_t> next_;  // one cycle through all entries, in an order without a pattern
  std::vector<int64_t> column_;
  uint64_t at_ = 0;
  int64_t sum_ = 0;  // keeps the compiler from leaving the kernel out
};

class YardstickReporter : public benchmark::BenchmarkReporter {
 public:
  explicit YardstickReporter(std::unique_ptr<benchmark::BenchmarkReporter> printer);
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  std::unique_ptr<benchmark::BenchmarkReporter> printer_;
  Yardstick yardstick_;
  double seconds_ = 0;  // of the kernel, right before the row that runs now
};

}  // namespace muster::bench

#endif  // MUSTER_BENCH_YARDSTICK_H_
