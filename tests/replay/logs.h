// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Where recorded traces lie, and random ones.
#ifndef MUSTER_TESTS_REPLAY_LOGS_H_
#define MUSTER_TESTS_REPLAY_LOGS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/rng.h"
#include "muster/trace.h"

namespace muster::testing {

// A file below MUSTER_TRACES or ../shared/traces; nothing where it is not there.
std::optional<std::string> ReadTraceFile(const std::string& path);

// Jobs that collide: few distinct times and sizes, estimates that are met exactly every third time.
Trace RandomLog(Rng& rng);

// Skips the test, saying so, when the file is not there.
#define MUSTER_TRACE_FILE(variable, path)                                             \
  const std::optional<std::string> variable = ::muster::testing::ReadTraceFile(path); \
  if (!variable.has_value())                                                          \
  GTEST_SKIP() << path << " is not there; set MUSTER_TRACES to its folder"

}  // namespace muster::testing

#endif  // MUSTER_TESTS_REPLAY_LOGS_H_
