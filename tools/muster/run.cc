// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster run: one cycle over a scenario, its decisions and reasons one a line, a summary last.
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "tools/muster/command.h"
#include "tools/muster/output.h"

namespace muster {
namespace {

constexpr CommandText kRunText = {"run", "run FILE [flags]",
                                  "Schedules the scenario in FILE (- is standard input) once and "
                                  "prints the plan: every decision in order,\n"
                                  "every reason for what is pending, and a summary.",
                                  "muster run tests/scenarios/gang_undone.json --profile volcano"};

std::string Summary(const Plan& plan) {
  std::string out =
      absl::StrCat(plan.binds().size(), " bound, ", plan.nominations().size(), " nominated, ",
                   plan.evictions().size(), " evicted, ", plan.admissions().size(), " admitted, ");
  if (!plan.moves().empty()) absl::StrAppend(&out, plan.moves().size(), " moved, ");
  if (!plan.reservations().empty())
    absl::StrAppend(&out, plan.reservations().size(), " reserved, ");
  absl::StrAppend(&out, plan.pending().size(), " pending; work ", plan.work(), ", digest ",
                  plan.Digest(), "\n");
  if (!plan.complete())
    absl::StrAppend(&out, "the cycle was cut short; go on from cursor ", plan.cursor(), "\n");
  return out;
}

// The plan as JSON, with the words of a reason in the rows of pending tasks.
std::string WithReasons(const Plan& plan) {
  nlohmann::ordered_json document = nlohmann::ordered_json::parse(plan.ToJson());
  for (nlohmann::ordered_json& row : document["pending"]) {
    const nlohmann::ordered_json& reason = document["reasons"][row["reason"].get<size_t>()];
    row["reason"] = reason["kind"];
    row["text"] = reason["text"];
  }
  return document.dump();
}

}  // namespace

int RunCommand(const Arguments& arguments) {
  RunFlags run_flags;
  bool digest = false;
  std::string memory;
  FlagSet flags;
  run_flags.Declare(&flags);
  flags.Switch("--digest", &digest, "only the plan's digest");
  flags.Value("--write-memory", "FILE", &memory, "put what the cycle remembers there");
  const Parsed parsed = ParseArguments(kRunText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.size() != 1) return ComplainUsage(kRunText, "needs one FILE");
  if (digest && OutputFormat() != Format::kTable) {
    return ComplainUsage(kRunText, "--json (--format) and --digest exclude each other");
  }
  const absl::StatusOr<Run> run = RunFile(parsed.others[0], run_flags);
  if (!run.ok()) return Complain(std::string(run.status().message()));
  if (!memory.empty()) {
    const absl::Status written = WriteFile(memory, run->plan.memory().ToText() + "\n");
    if (!written.ok()) return Complain(std::string(written.message()));
  }
  if (digest) return Print(absl::StrCat(run->plan.Digest(), "\n"));
  if (OutputFormat() == Format::kCsv)
    return Print(CsvOf(WithReasons(run->plan), {"decisions", "pending"}));
  return Show([&] { return absl::StrCat(run->plan.ToText(), Summary(run->plan)); },
              [&] { return run->plan.ToJson(); }, {"decisions", "pending"});
}

}  // namespace muster
