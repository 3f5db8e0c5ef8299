// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How fast jobs run: by model, type of hardware and number of workers (Trace::speeds).
//
//   SpeedTable table(trace.speeds);
//   table.Speed("resnet", "k80", 4);       // millionths of a unit of work a second
//
//   JobSpeeds speeds(trace);
//   const int64_t rate = speeds.Rate(row, nodes_of_its_tasks);
//
// Idea. The work of a job is its run time at full rate, which is that on the fastest type of its
// model with all its tasks. Elsewhere the rate is the ratio of speeds, in integers: a job with n
// tasks has a full rate of a million a task, and any rate is rounded down, but to 1 at least.
//
// Rules. w workers are as fast as w / v times the row with v workers, where v is the most that is
// at most w, or else the least of the model and type. A job on nodes of several types runs as if
// all its workers were of the slowest. On a node of a type without a row, where only a profile that
// reads no node affinity puts it, it runs as on the slowest type of its model.
//
// Guarantee. Without rows of its model the rate of a job is its number of running tasks.
//
// Cost. Speed: O(log rows). Rate: O(tasks + types x log rows).
#ifndef MUSTER_REPLAY_SPEEDS_H_
#define MUSTER_REPLAY_SPEEDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "muster/trace.h"

namespace muster {

// Of SpeedRow::speed: a unit of work a second, and the most.
inline constexpr int64_t kSpeedUnit = 1'000'000;
inline constexpr int64_t kMostSpeed = 1'000'000 * kSpeedUnit;
// The rate of a task at full speed, in a job of a model with speeds.
inline constexpr int64_t kFullRate = 1'000'000;
// Of a trace with speeds: the most task-seconds of a job that ends.
inline constexpr int64_t kMostWork = int64_t{1} << 43;
inline constexpr std::string_view kModelLabel = "model", kTypeLabel = "gpu-model";

class SpeedTable {
 public:
  // Later rows of a model, type and number of workers are left out.
  explicit SpeedTable(const std::vector<SpeedRow>& rows);
  // Returns false, and does nothing, if there is such a row.
  bool Add(const SpeedRow& row);

  // Returns the types with rows of the model, in order of their names.
  std::vector<std::string> Types(std::string_view model) const;
  // Returns nothing where the model has no row with the type. REQUIRES: workers > 0.
  std::optional<int64_t> Speed(std::string_view model, std::string_view type,
                               int64_t workers) const;
  // Return the speeds on the fastest and the slowest type of the model; 0: it has no rows.
  int64_t Fastest(std::string_view model, int64_t workers) const;
  int64_t Slowest(std::string_view model, int64_t workers) const;

 private:
  using ByWorkers = std::map<int64_t, int64_t>;
  using ByType = std::map<std::string, ByWorkers, std::less<>>;

  std::map<std::string, ByType, std::less<>> models_;
};

// Writes a speed as the table has it: "5.4".
std::string SpeedText(int64_t speed);

// The speeds of the jobs of a trace on the nodes of its machine.
class JobSpeeds {
 public:
  // `trace` must outlive this.
  explicit JobSpeeds(const Trace& trace);

  // Returns how much work a task-second is: kFullRate where the job's model has speeds, else 1.
  int64_t WorkUnit(uint32_t row) const { return model_[trace_.shape[row]].empty() ? 1 : kFullRate; }
  // Returns the rate of a job with tasks on these rows of the machine's nodes, one entry a task.
  int64_t Rate(uint32_t row, std::span<const uint32_t> nodes) const;
  // Returns what a profile reads of the job: settings "speed/TYPE", the speed of all its workers.
  Labels Settings(uint32_t row) const;

 private:
  const Trace& trace_;
  const SpeedTable table_;
  std::vector<std::string> model_;         // by shape; "": its jobs run as long everywhere
  std::vector<int64_t> workers_;           // by shape: of a task
  std::vector<std::string> type_of_node_;  // by row of the machine
};

// Returns the trace with shapes that nodes must match: jobs of a model with speeds need a node of
// one of its types.
Trace WithTypesOfModels(const Trace& trace);

// What CheckTrace requires of Trace::speeds.
absl::Status CheckSpeeds(const Trace& trace);
// Fails with InvalidArgument where a trace has speeds: `what` is about run times that are the same
// everywhere.
absl::Status RefuseSpeeds(const Trace& trace, std::string_view what);

}  // namespace muster

#endif  // MUSTER_REPLAY_SPEEDS_H_
