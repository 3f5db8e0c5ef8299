// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/replay/logs.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace muster::testing {

std::optional<std::string> ReadTraceFile(const std::string& path) {
  const char* folder = std::getenv("MUSTER_TRACES");
  std::ifstream file(absl::StrCat(folder != nullptr ? folder : "../shared/traces", "/", path),
                     std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Trace RandomLog(Rng& rng) {
  Trace trace;
  trace.processors = 1 + static_cast<int64_t>(rng.Below(16));
  trace.users = {"a", "b", "c"};
  const int64_t jobs = 1 + static_cast<int64_t>(rng.Below(40));
  const uint64_t span = 1 + rng.Below(200), longest = 1 + rng.Below(rng.Chance(0.2) ? 2000 : 60);
  const bool links = rng.Chance(0.3);
  for (int64_t i = 0; i < jobs; ++i) {
    TraceJob job;
    job.submit = static_cast<int64_t>(rng.Below(span));
    job.run = 1 + static_cast<int64_t>(rng.Below(longest));
    job.estimate =
        rng.Chance(0.3) ? job.run : job.run + static_cast<int64_t>(rng.Below(2 * longest));
    const uint64_t most = static_cast<uint64_t>(trace.processors) + rng.Chance(0.05);
    job.tasks = 1 + static_cast<int64_t>(rng.Chance(0.5) ? rng.Below(std::min<uint64_t>(most, 3))
                                                         : rng.Below(most));
    job.user = rng.Chance(0.1) ? kNone : static_cast<uint32_t>(rng.Below(3));
    if (links && i > 0 && rng.Chance(0.4)) {
      job.preceding = static_cast<uint32_t>(rng.Below(static_cast<uint64_t>(i)));
      job.think = static_cast<int64_t>(rng.Below(20));
    }
    EXPECT_TRUE(AddJob(job, &trace).ok());
  }
  return trace;
}

}  // namespace muster::testing
