// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What readers of batch logs share: the filter, the tables of users and queues, the order of the
// rows.
#ifndef MUSTER_REPLAY_LOG_JOBS_H_
#define MUSTER_REPLAY_LOG_JOBS_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "muster/trace.h"

namespace muster {

// A row of a log as it is written; -1 where the log has no value.
struct LogRow {
  int64_t id = 0, submit = 0, run = -1, used_processors = -1, requested_processors = -1,
          requested_time = -1, user = -1, queue = -1, preceding = -1, think = -1;
};

// What a pool can have: cycles count its processors in thousandths, up to 2^53.
inline constexpr int64_t kMostProcessors = (int64_t{1} << 53) / 1000;

// Fails, naming the file, for a number that no pool can have; `missing` is the rule where there is
// none.
absl::Status CheckProcessors(std::string_view file, int64_t processors, std::string_view missing);

class LogJobs {
 public:
  LogJobs(int64_t processors, LogFilter filter) : filter_(filter) {
    trace_.processors = processors;
  }

  absl::Status Add(const LogRow& row);
  // Rows by ascending id; a number that occurs twice is an error.
  absl::StatusOr<Trace> Finish(std::string_view name, ReadReport* report) &&;

 private:
  // Rules of the filter, in the order of checking.
  enum Rule : int { kProcessors, kTooLarge, kRun, kRequestedTime, kSubmit, kRules };

  const LogFilter filter_;
  Trace trace_;
  std::array<int64_t, kRules> dropped_ = {};
  HashMap<int64_t, uint32_t> users_, queues_;  // number: row
  std::vector<int64_t> preceding_, think_;     // by the number in the log
};

}  // namespace muster

#endif  // MUSTER_REPLAY_LOG_JOBS_H_
