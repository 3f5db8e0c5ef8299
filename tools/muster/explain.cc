// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster explain: why a job or task is where it is, or nowhere.
#include <set>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "tools/muster/command.h"

namespace muster {
namespace {

constexpr CommandText kExplainText = {
    "explain", "explain FILE [JOB|TASK] [flags]",
    "Schedules the scenario in FILE and explains how the job or task came "
    "out; without a name, everything pending.",
    "muster explain tests/scenarios/gang_undone.json train"};

std::string AllPending(const Plan& plan, const Snapshot& snapshot) {
  std::string out;
  std::set<std::string_view> told;
  for (const PendingTask& pending : plan.pending()) {
    const JobIndex job = TablesOf(snapshot).tasks.job[pending.task];
    const std::string_view name = job == kNone ? plan.task_name(pending.task) : plan.job_name(job);
    if (!told.insert(name).second) continue;
    if (const absl::StatusOr<std::string> text = plan.Explain(name); text.ok()) out += *text;
  }
  return out.empty() ? "nothing is pending\n" : out;
}

std::string NoSuchName(const std::string& name, const Snapshot& snapshot) {
  std::vector<std::string_view> names;
  for (JobIndex j = 0; j < snapshot.job_count(); ++j) names.push_back(snapshot.job_name(j));
  for (TaskIndex t = 0; t < snapshot.task_count(); ++t) names.push_back(snapshot.task_name(t));
  const std::string_view nearest = NearestName(name, names);
  return absl::StrCat("no job or task is named ", Quote(name),
                      nearest.empty() ? "" : absl::StrCat(", did you mean ", Quote(nearest), "?"));
}

}  // namespace

int ExplainCommand(const Arguments& arguments) {
  RunFlags run_flags;
  FlagSet flags;
  run_flags.Declare(&flags);
  const Parsed parsed = ParseArguments(kExplainText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.empty() || parsed.others.size() > 2) {
    return ComplainUsage(kExplainText, "needs a FILE and at most one name");
  }
  const absl::StatusOr<Run> run = RunFile(parsed.others[0], run_flags);
  if (!run.ok()) return Complain(std::string(run.status().message()));
  if (parsed.others.size() == 1) return Print(AllPending(run->plan, run->snapshot));
  const absl::StatusOr<std::string> text = run->plan.Explain(parsed.others[1]);
  if (!text.ok()) {
    return Complain(
        absl::StrCat(parsed.others[0], ": ", NoSuchName(parsed.others[1], run->snapshot)));
  }
  return Print(*text);
}

}  // namespace muster
