// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster_fuzz: libFuzzer's entries. MUSTER_FUZZ_TARGET names the target; libFuzzer starts the
// program again for merges, and hands the environment on.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/target.h"

namespace {

const muster::fuzz::FuzzTarget* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* name = std::getenv("MUSTER_FUZZ_TARGET");
  target = muster::fuzz::FindTarget(name == nullptr ? "" : name);
  if (target != nullptr) return 0;
  std::fprintf(stderr, "MUSTER_FUZZ_TARGET must be one of\n");
  for (const muster::fuzz::FuzzTarget& one : muster::fuzz::FuzzTargets()) {
    std::fprintf(stderr, "  %-10.*s  %.*s\n", static_cast<int>(one.name.size()), one.name.data(),
                 static_cast<int>(one.about.size()), one.about.data());
  }
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  target->run(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
