// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Files that may be dumps of other schedulers in place of scenarios.
//
//   const absl::StatusOr<Scenario> scenario = ParseScenario(text);
//   if (IsDump(scenario.status())) ...    // ImportObjects reads it
#ifndef MUSTER_TOOLS_DUMP_TEXT_H_
#define MUSTER_TOOLS_DUMP_TEXT_H_

#include "absl/status/status.h"
#include "lib/import/import.h"

namespace muster {

// Returns whether the error of ParseScenario is that the text is a dump.
bool IsDump(const absl::Status& status);

// Returns whether the error of ParseScenario is that the text begins with a key of dumps, and that
// of CheckDump that the text ends too early.
bool IsCutDump(const absl::Status& scenario, const absl::Status& dump);

// Prints what the scenario does not hold to standard error, a line for each entry.
void ComplainOf(const Import& import);

}  // namespace muster

#endif  // MUSTER_TOOLS_DUMP_TEXT_H_
