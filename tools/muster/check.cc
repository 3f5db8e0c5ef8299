// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster check: do scenarios come out as they expect? A file that cannot be read or expects nothing
// has failed.
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "tools/muster/command.h"
#include "tools/muster/output.h"
#include "tools/muster/progress.h"

namespace muster {
namespace {

constexpr CommandText kCheckText = {
    "check", "check FILE... [flags]",
    "Schedules each scenario and compares the plan with what the file "
    "expects of it. Prints one line for each "
    "file and each difference, and last `N passed, N failed`. Ends with "
    "1 if one failed, with 2 if one could "
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
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  Progress progress("files", static_cast<int64_t>(parsed.others.size()));
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
    ++(differences.empty() ? passed : failed);
    progress.Step();
    if (OutputFormat() != Format::kTable) {
      files.push_back(
          {{"file", path}, {"passed", differences.empty()}, {"differences", differences}});
      continue;
    }
    std::string lines = absl::StrCat(differences.empty() ? "ok      " : "FAILED  ", path, "\n");
    for (const std::string& difference : differences)
      absl::StrAppend(&lines, "  ", difference, "\n");
    if (const int printed = Print(Colored(lines)); printed != kOk) return printed;
  }
  const int printed = Show(
      [&] { return absl::StrCat(passed, " passed, ", failed, " failed\n"); },
      [&] {
        const nlohmann::ordered_json all = {
            {"passed", passed}, {"failed", failed}, {"files", files}};
        return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
      },
      {"files"});
  if (printed != kOk || code != kOk) return kBadInput;
  return failed == 0 ? kOk : kCheckFailed;
}

}  // namespace muster
