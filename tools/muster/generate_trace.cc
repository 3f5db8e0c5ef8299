// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster generate --trace: a random trace as tables.
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/muster/command.h"
#include "tools/muster/mix_flags.h"
#include "tools/muster/output.h"

namespace muster {
namespace {

constexpr CommandText kTraceText = {
    "generate", "generate --trace DIR [flags]",
    "Makes a trace from a mix and writes DIR/jobs.csv, nodes.csv and queues.csv, which `muster "
    "replay "
    "csv` reads.",
    "muster generate --trace DIR --mix philly --nodes 64 --jobs 20000 --mix-load 0.9 --seed 1"};

}  // namespace

int GenerateTraceCommand(const Arguments& arguments) {
  MixFlags mix;
  std::string folder;
  FlagSet flags;
  flags.Value("--trace", "DIR", &folder, "write the tables here; it is made where it is not there");
  mix.Declare(&flags);
  const Parsed parsed = ParseArguments(kTraceText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (!parsed.others.empty())
    return ComplainUsage(kTraceText, absl::StrCat("unexpected ", parsed.others[0]));
  if (OutputFormat() == Format::kJson) {
    return ComplainUsage(kTraceText, "--format: traces are written as CSV");
  }
  const absl::StatusOr<Trace> trace = mix.Make();
  if (!trace.ok()) return Complain(std::string(trace.status().message()));
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return Complain(absl::StrCat(folder, ": ", problem.message()));
  const CsvText text = WriteCsv(*trace);
  for (const auto& [name, table] :
       {std::pair("jobs", &text.jobs), {"nodes", &text.nodes}, {"queues", &text.queues}}) {
    if (table->empty()) continue;
    const absl::Status written = WriteFile(absl::StrCat(folder, "/", name, ".csv"), *table);
    if (!written.ok()) return Complain(std::string(written.message()));
  }
  return kOk;
}

}  // namespace muster
