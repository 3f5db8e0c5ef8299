// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <iostream>
#include <string_view>

#include "muster/experimental.h"
#include "muster/version.h"

// Two jobs of the whole pool, one after the other, from a table in gzip's form.
int main() {
  constexpr unsigned char kJobs[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff,
                                     0x2b, 0x2e, 0x4d, 0xca, 0xcd, 0x2c, 0xd1, 0x29, 0x2a, 0xcd,
                                     0xd3, 0x29, 0x49, 0x2c, 0xce, 0x2e, 0xe6, 0x32, 0xd0, 0x31,
                                     0x33, 0xd0, 0x31, 0x01, 0x52, 0x86, 0x20, 0x0a, 0x00, 0x94,
                                     0x35, 0xad, 0x4a, 0x1f, 0x00, 0x00, 0x00};
  const std::string_view bytes(reinterpret_cast<const char*>(kJobs), sizeof(kJobs));
  const absl::StatusOr<muster::Trace> trace =
      muster::ReadCsv({.jobs = {"jobs.csv.gz", bytes}}, {.processors = 4});
  if (!trace.ok()) return 1;
  const absl::StatusOr<muster::ReplayResult> result = muster::Replay(*trace, "easy");
  if (!result.ok()) return 1;
  std::cout << MUSTER_VERSION_STRING << " " << result->start[1] << "\n";
}
