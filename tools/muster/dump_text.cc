// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tools/muster/dump_text.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "tools/muster/command.h"

namespace muster {

bool IsDump(const absl::Status& status) {
  return absl::StrContains(status.message(), "muster import makes a scenario of a dump");
}

bool IsCutDump(const absl::Status& scenario, const absl::Status& dump) {
  return absl::StartsWith(scenario.message(), "scenario: unknown key") && IsDump(scenario) &&
         absl::StrContains(dump.message(), "; the text is cut off");
}

void ComplainOf(const Import& import) {
  for (const ImportEntry& entry : import.report) {
    Complain(absl::StrCat(ToAbsl(ImportSeverityName(entry.severity)), ": ", Describe(entry)));
  }
}

}  // namespace muster
