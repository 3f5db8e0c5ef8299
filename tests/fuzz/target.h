// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Targets of the fuzzer: functions that hand any bytes to one entrance of the library.
//
//   for (const FuzzTarget& target : FuzzTargets()) target.run(bytes);
//
// Idea. libFuzzer changes inputs and keeps those that reach new branches. A target turns the bytes
// into a call, and checks what the library promises for every input: no sanitizer stops it, what
// was accepted can be written and read again, and a refusal changes nothing.
//
// Two programs have these targets. muster_fuzz (the preset `fuzz`) is libFuzzer with address and
// undefined-behaviour sanitizers over the library; MUSTER_FUZZ_TARGET in its environment names the
// target. muster_fuzz_test, an ordinary test, runs each target once over each file of
// tests/fuzz/corpus/TARGET, and checks that no reader, importer or profile lacks a target.
//
//   tools/fuzz.sh scenario 10                                                looks for 10 minutes
//   MUSTER_FUZZ_TARGET=scenario build/fuzz/muster_fuzz FILE...               runs the files alone
//
// Failure. A promise that is broken ends the process: Fail prints the rule and aborts, which
// libFuzzer takes for a finding as it does a crash.
//
// To add a target: a function of std::string_view in a file of this folder, declared here, a row of
// the table in target.cc, and a folder of seeds.
#ifndef MUSTER_TESTS_FUZZ_TARGET_H_
#define MUSTER_TESTS_FUZZ_TARGET_H_

#include <span>
#include <string_view>

#include "absl/strings/string_view.h"
#include "muster/limits.h"

namespace muster::fuzz {

struct FuzzTarget {
  std::string_view name;
  std::string_view about;
  void (*run)(std::string_view bytes);
};
// In a fixed order.
std::span<const FuzzTarget> FuzzTargets();
// Null: there is none of this name.
const FuzzTarget* FindTarget(std::string_view name);

// What every target reads with: inputs stay small, so that many run in a second.
inline constexpr Limits kFuzzLimits = {.rows = 256, .bytes = 1 << 16, .depth = 64};

// Prints the rule and aborts.
[[noreturn]] void Fail(absl::string_view rule);
inline void Require(bool holds, absl::string_view rule) {
  if (!holds) Fail(rule);
}

void FuzzScenario(std::string_view bytes);
void FuzzDocument(std::string_view bytes);
void FuzzSpec(std::string_view bytes);
void FuzzTrace(std::string_view bytes);
void FuzzImport(std::string_view bytes);
void FuzzState(std::string_view bytes);
void FuzzRecord(std::string_view bytes);
void FuzzCalls(std::string_view bytes);
void FuzzCCalls(std::string_view bytes);
void FuzzNonsense(std::string_view bytes);

}  // namespace muster::fuzz

#endif  // MUSTER_TESTS_FUZZ_TARGET_H_
