// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/fuzz/target.h"

#include <cstdio>
#include <cstdlib>

namespace muster::fuzz {
namespace {

constexpr FuzzTarget kTargets[] = {
    {"scenario", "the text of a scenario, filled, scheduled and written again", FuzzScenario},
    {"document", "texts of changes, turns, memories and mixes", FuzzDocument},
    {"spec", "spec strings of profiles", FuzzSpec},
    {"trace", "files of traces, each reader by its name", FuzzTrace},
    {"import", "dumps of other schedulers and their configurations", FuzzImport},
    {"state", "saved states, with their lengths and digest put right", FuzzState},
    {"record", "records of calls, played again", FuzzRecord},
    {"calls", "sequences of calls on a cluster", FuzzCalls},
    {"c_calls", "sequences of calls of the C interface", FuzzCCalls},
    {"nonsense", "policies that answer nonsense", FuzzNonsense},
};

}  // namespace

std::span<const FuzzTarget> FuzzTargets() { return kTargets; }

const FuzzTarget* FindTarget(std::string_view name) {
  for (const FuzzTarget& target : kTargets) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

void Fail(absl::string_view rule) {
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(rule.size()), rule.data());
  std::abort();
}

}  // namespace muster::fuzz
