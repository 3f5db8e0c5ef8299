// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster replay: the sources of traces, and the report of a replay.
#ifndef MUSTER_TOOLS_REPLAY_H_
#define MUSTER_TOOLS_REPLAY_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "muster/metrics.h"
#include "muster/replay.h"
#include "muster/trace_bound.h"
#include "tools/muster/command.h"

namespace muster {

// A kind of trace: the flags that name its files, and how they become a trace.
struct TraceSource {
  virtual ~TraceSource() = default;
  virtual void Declare(FlagSet* flags) = 0;
  virtual absl::StatusOr<Trace> Read(ReadReport* report) = 0;
};

struct TraceKind {
  std::string_view name, about, example;
  std::unique_ptr<TraceSource> (*make)();
};
std::span<const TraceKind> TraceKinds();

// `muster replay openb` under a policy that packs GPUs (packing.h), and whether that is what is
// asked for.
bool AsksForPacking(const Arguments& arguments);
int PackingCommand(const Arguments& arguments);

// What was read, replayed and measured, for people and for programs.
struct ReplayReport {
  const Trace& trace;
  const ReadReport& read;
  const ReplayResult& result;
  const Metrics& metrics;
  double seconds = 0;                    // that the replay took
  std::optional<TraceBound> bound = {};  // of the jobs that ended, if asked for
};
std::string ReportText(const ReplayReport& report);
std::string ReportJson(const ReplayReport& report);

}  // namespace muster

#endif  // MUSTER_TOOLS_REPLAY_H_
