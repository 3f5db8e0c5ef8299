// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What readers of cluster traces share: tables of shapes and queues, gangs of GPUs, rows by time.
#ifndef MUSTER_REPLAY_TRACE_PARTS_H_
#define MUSTER_REPLAY_TRACE_PARTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/scenario/budget.h"
#include "muster/trace.h"

namespace muster {

inline constexpr char kGpu[] = "nvidia.com/gpu";
inline constexpr int64_t kMebi = 1 << 20;
inline constexpr int64_t kGpusANode = 8;

// Numbers for texts, in the order of their first use: users, queues, shapes by a text that
// separates them.
class Numbers {
 public:
  // Returns the number of `text`, and whether it is new.
  std::pair<uint32_t, bool> Of(std::string_view text) {
    const auto [at, added] =
        numbers_.try_emplace(std::string(text), static_cast<uint32_t>(numbers_.size()));
    return {at->second, added};
  }
  bool Has(std::string_view text) const { return numbers_.contains(std::string(text)); }

 private:
  HashMap<std::string, uint32_t> numbers_;
};

// A gang that holds `gpus`: equal tasks, as few as there can be with a node's GPUs each at most.
struct GpuGang {
  int64_t tasks, gpus_each;
};
GpuGang GangOf(int64_t gpus);

// Adds the shape of tasks of so many GPUs, once.
uint32_t GpuShape(int64_t gpus_each, Numbers* shapes, Trace* trace);
void AddGpuNodes(int64_t count, Trace* trace);

// Returns the trace if Replay would take it. Fields may each be valid and the rows not: a queue may
// have a parent that no line has.
absl::StatusOr<Trace> Checked(Trace trace);

// The rows by submission, equal times as they stand; the first submission becomes time 0.
void SortBySubmission(Trace* trace);
void Drop(std::string_view rule, ReadReport* report);

// openb: returns column seedNN of a table with rows numbered by `key`; numbers from 0 below
// `values`.
absl::StatusOr<std::vector<int64_t>> SeedColumn(const TraceFile& file, std::string_view key,
                                                int64_t seed, size_t values, Budget* budget);

}  // namespace muster

#endif  // MUSTER_REPLAY_TRACE_PARTS_H_
