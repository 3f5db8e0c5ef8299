// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster import: a dump of another scheduler's objects as a scenario file.
#include "lib/import/import.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/base/text_table.h"
#include "lib/model/access.h"
#include "tools/muster/command.h"
#include "tools/muster/dump_text.h"
#include "tools/muster/lone_tasks.h"
#include "tools/muster/output.h"

namespace muster {
namespace {

constexpr CommandText kImportText = {
    "import", "import FILE... [flags]",
    "Reads the objects of another scheduler's cluster (what `kubectl get -o json` prints; - is "
    "standard input) and writes them as a scenario. What the scenario does not hold goes to "
    "standard error, one line each.",
    "muster import dump.json --configuration conf.json -o scenario.json"};

absl::Status InFile(const std::string& file, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(file, ": ", status.message()));
}

absl::StatusOr<Import> ImportFiles(const Arguments& files, ImportOptions options,
                                   const std::string& configuration) {
  std::string objects;
  std::vector<size_t> ends;
  const auto text_of = [&](size_t file) {
    const size_t begin = file == 0 ? 0 : ends[file - 1];
    return std::string_view(objects).substr(begin, ends[file] - begin);
  };
  for (const std::string& path : files) {
    absl::StatusOr<std::string> text = ReadFile(path);
    if (!text.ok()) return text.status();
    absl::StrAppend(&objects, *text, "\n");
    ends.push_back(objects.size());
    // An empty file among others is what a command wrote that failed.
    if (!absl::StripAsciiWhitespace(*text).empty()) continue;
    return InFile(path, CheckDump(*text, options.limits));
  }
  if (!configuration.empty()) {
    absl::StatusOr<std::string> text = ReadFile(configuration);
    if (!text.ok()) return text.status();
    options.configuration = *std::move(text);
  }
  absl::StatusOr<Import> import = ImportObjects(objects, options);
  if (import.ok()) return import;
  for (size_t i = 0; i < files.size() && files.size() > 1; ++i) {
    const absl::Status read = CheckDump(text_of(i), options.limits);
    if (!read.ok()) return InFile(files[i], read);
  }
  const std::string message(import.status().message());
  std::string file = files.size() == 1 ? files[0] + ": " : "";
  if (message.starts_with("scheduler configuration")) file = configuration + ": ";
  return absl::Status(import.status().code(), file + message);
}

std::string ReportText(const std::vector<ImportEntry>& report) {
  if (report.empty()) return "the scenario holds everything\n";
  TextTable table({{"SEVERITY"}, {"OBJECT"}, {"FIELD"}, {"WHAT"}});
  for (const ImportEntry& entry : report) {
    table.AddRow(
        {std::string(ImportSeverityName(entry.severity)), entry.object, entry.field, entry.text});
  }
  return table.ToString();
}

}  // namespace

int ImportCommand(const Arguments& arguments) {
  ImportOptions options;
  std::string configuration, output, lone_tasks;
  bool report = false;
  FlagSet flags;
  std::string profiles;
  for (std::string_view name : ImporterNames()) {
    absl::StrAppend(&profiles, profiles.empty() ? "" : ", ", ToAbsl(name));
  }
  flags.Value("--profile", "P", &options.profile,
              absl::StrCat("the scheduler that the objects are of: ", profiles,
                           "; default: by the API groups of the objects"));
  flags.Value("--configuration", "FILE", &configuration, "the scheduler's configuration as JSON");
  flags.Value("--default-queue", "NAME", &options.default_queue,
              "the queue of jobs that name none");
  flags.Value(
      "--lone-tasks", "QUEUE", &lone_tasks,
      "a profile that leaves out tasks without a job makes each a job of one in this queue");
  flags.Value("--now", "SECONDS", &options.now, "the time of the scenario's cycle");
  flags.Value("-o", "FILE", &output, "write the scenario here instead of to standard output");
  flags.Switch("--report", &report,
               "print what the scenario does not hold, as JSON unless --format is given, and the "
               "scenario only with -o");
  flags.Switch("--strict", &options.strict, "refuse a dump of which something is left out");
  const Parsed parsed = ParseArguments(kImportText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.empty()) return ComplainUsage(kImportText, "needs a FILE");
  if (OutputFormat() == Format::kCsv && !report) {
    return ComplainUsage(kImportText,
                         "--format: scenarios are written as JSON; --report takes csv");
  }
  options.limits = InputLimits();
  absl::StatusOr<Import> import = ImportFiles(parsed.others, options, configuration);
  if (!import.ok()) return Complain(std::string(import.status().message()));
  if (!lone_tasks.empty()) {
    Scenario& scenario = import->scenario;
    Cluster cluster;
    absl::Status status = Fill(scenario, &cluster);
    status.Update(CheckLoneTasks(lone_tasks, TablesOf(cluster)));
    if (!status.ok()) return Complain(std::string(status.message()));
    scenario.profile = WithLoneTasks(scenario.profile, lone_tasks, nullptr);
  }
  if (!output.empty()) {
    const absl::Status written = WriteFile(output, WriteScenario(import->scenario));
    if (!written.ok()) return Complain(std::string(written.message()));
  }
  if (report) {
    const auto json = [&] { return WriteReport(import->report); };
    if (!FormatIsGiven()) return Print(json());
    return Show([&] { return ReportText(import->report); }, json,
                {"entries=severity,object,field,text"});
  }
  if (output.empty()) {
    if (const int exit = Print(WriteScenario(import->scenario)); exit != kOk) return exit;
  }
  ComplainOf(*import);
  return kOk;
}

}  // namespace muster
