// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The log sink and the recorder of a cluster.
//
// A record is lines of JSON, one for each call that succeeded: the same calls on another cluster
// make the same plans. docs/capi.md has the lines; tools/muster/record_player.h plays them again.
// The recorder never fails a call: an error of its own ends it, with a line in the log.
#ifndef MUSTER_CAPI_RECORD_H_
#define MUSTER_CAPI_RECORD_H_

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "capi/memory.h"
#include "muster/c.h"
#include "muster/cluster.h"
#include "muster/plan.h"
#include "muster/schedule.h"

namespace muster::capi {

struct Log {
  muster_log_sink sink = nullptr;
  uintptr_t user = 0;
  void Say(int32_t level, std::string_view text) const {
    if (sink != nullptr) sink(user, level, text.data(), static_cast<int64_t>(text.size()));
  }
  // Logs a line that `make` puts together; omits it if memory runs out.
  template <class F>
  void SayThat(int32_t level, const F& words) const noexcept {
    if (sink == nullptr) return;
    try {
      Say(level, words());
    } catch (const std::exception&) {  // the call that it describes has succeeded
    }
  }
};

class Recorder {
 public:
  Recorder(muster_record_sink sink, uintptr_t user, int64_t limit, Log log)
      : sink_(sink), user_(user), limit_(limit), log_(log) {}

  bool ended() const { return ended_; }
  void Begin();
  // Records rows that were added, or updated to these values.
  void Rows(std::string_view call, const ClusterSpec& rows);
  void Remove(int32_t kind, std::string_view name);
  struct TaskReport {
    std::string_view task, node;
    TaskStatus status;
  };
  void Statuses(int64_t count, absl::FunctionRef<TaskReport(int64_t i)> get);
  void BindFailed(std::string_view task);
  void EvictFailed(std::string_view task);
  void Expire(int64_t now, const AssumptionLimits& limits);
  void MakeTasks(std::string_view job, std::string_view group, int64_t count);
  void Deltas(const ClusterSpec& rows, const uint64_t* generations, int64_t count);
  void Removal(int32_t kind, std::string_view name, uint64_t generation);
  void Schedule(std::string_view profile, const ScheduleOptions& options, bool own_policies,
                const Plan& plan);
  void Apply(const Plan& plan);
  void SetMemory(const muster::Memory& memory);
  void SaveState();  // it moves indices
  void LoadState(std::string_view state);

 private:
  // Passes `line` to the sink, if it still fits.
  void Write(std::string line);
  template <class F>
  void Try(const F& write) noexcept;

  muster_record_sink sink_;
  uintptr_t user_;
  int64_t limit_;
  Log log_;
  int64_t written_ = 0;
  bool ended_ = false;
};

}  // namespace muster::capi

#endif  // MUSTER_CAPI_RECORD_H_
