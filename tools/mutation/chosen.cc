// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The mutant of this process, and those that it reached. MUSTER_MUTANTS is the number of all.
#include <cstdio>
#include <cstdlib>

#include "tools/mutation/mutant.h"

int muster_mutant = 0;
unsigned char muster_reached[MUSTER_MUTANTS + 2];

namespace {

void WriteReached() {
  std::FILE* file = std::fopen(std::getenv("MUSTER_REACHED"), "wb");
  if (file == nullptr) return;
  std::fwrite(muster_reached, 1, MUSTER_MUTANTS + 2, file);
  std::fclose(file);
}

// Before any other initializer.
__attribute__((constructor(101))) void Choose() {
  const char* number = std::getenv("MUSTER_MUTANT");
  if (number != nullptr) muster_mutant = std::atoi(number);
  if (std::getenv("MUSTER_REACHED") != nullptr) std::atexit(WriteReached);
}

}  // namespace
