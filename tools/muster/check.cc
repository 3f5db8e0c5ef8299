// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster check: do scenarios come out as they expect? A file that cannot be read or expects nothing
// has failed.
#include "absl/strings/str_cat.h"
#include "tools/muster/command.h"

namespace muster {
namespace {

constexpr CommandText kCheckText = {
    "check", "check FILE... [flags]",
    "Schedules each scenario and compares the plan with what the file "
    "expects of it. Prints one line for each\n"
    "file and each difference, and last `N passed, N failed`. Ends with "
    "1 if one failed, with 2 if one could\n"
    "not be run at all.",
    "muster check tests/scenarios/*.json"};

}  // namespace

int CheckCommand(const Arguments& arguments) {
  RunFlags run_flags;
  FlagSet flags;
  run_flags.Declare(&flags);
  const Parsed parsed = ParseArguments(kCheckText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.empty()) return ComplainUsage(kCheckText, "needs a FILE");
  int64_t passed = 0, failed = 0;
  int code = kOk;
  for (const std::string& path : parsed.others) {
    const absl::StatusOr<Run> run = RunFile(path, run_flags);
    std::vector<std::string> differences;
    if (!run.ok()) {
      differences.emplace_back(run.status().message());
      code = kBadInput;
    } else if (run->scenario.expect == Expectation()) {
      differences.emplace_back("nothing is expected of it");
    } else {
      differences = CheckExpectation(run->plan, run->snapshot, run->scenario.expect);
    }
    std::string lines = absl::StrCat(differences.empty() ? "ok      " : "FAILED  ", path, "\n");
    for (const std::string& difference : differences)
      absl::StrAppend(&lines, "  ", difference, "\n");
    if (const int printed = Print(lines); printed != kOk) return printed;
    ++(differences.empty() ? passed : failed);
  }
  const int printed = Print(absl::StrCat(passed, " passed, ", failed, " failed\n"));
  if (printed != kOk || code != kOk) return kBadInput;
  return failed == 0 ? kOk : kCheckFailed;
}

}  // namespace muster
