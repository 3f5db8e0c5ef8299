// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster drain: where the tasks of nodes would go, in which order to drain, and what breaks.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/scenario/question.h"
#include "tools/muster/command.h"
#include "tools/muster/lone_tasks.h"
#include "tools/muster/output.h"
#include "tools/muster/progress.h"

namespace muster {
namespace {

constexpr CommandText kDrainText = {
    "drain", "drain FILE NODE... [flags]",
    "Empties the nodes of the scenario in FILE one after the other, that of the fewest tasks "
    "first, and says where each task would go, which disruption budgets would not allow it, and "
    "which gangs would run with too few tasks.",
    "muster drain tests/scenarios/queue_weights.json n"};

// Returns why the task ends, where the report has no reason; `before` is what is drained.
std::string WhyItEnds(const DrainedTask& task, const Opened& before) {
  const Tables& tables = TablesOf(before.cluster);
  const std::optional<TaskIndex> t = tables.tasks.names.Find(task.task);
  if (!task.ends || !task.reason.empty() || !t || tables.has_job(*t)) return "";
  const std::string& profile = before.scenario.profile;
  if (!SkipsLoneTasks(profile, before.scenario.options.extensions.get())) return "";
  return absl::StrCat(": it has no job, and profile ", profile, " places no such tasks");
}

// Returns a line for each task. A reason is told once, of the first task that waits for it.
std::string TasksText(const std::vector<DrainedTask>& tasks, const Opened& before) {
  std::string out;
  std::map<std::string_view, std::string_view> first;  // by reason
  for (const DrainedTask& task : tasks) {
    const char* fate = task.ends ? " ends" : task.to.empty() ? " waits" : " goes to ";
    absl::StrAppend(&out, "  ", task.task, fate, task.to);
    const bool waits = !task.ends && task.to.empty() && !task.reason.empty();
    const auto [entry, is_new] =
        waits ? first.try_emplace(task.reason, task.task) : std::pair(first.end(), true);
    if (!is_new) {
      absl::StrAppend(&out, ": as ", ToAbsl(entry->second), "\n");
    } else {
      absl::StrAppend(&out, task.reason.empty() ? "" : ": ", task.reason, WhyItEnds(task, before),
                      "\n");
    }
  }
  return out;
}

std::string ToText(const DrainReport& report, const Opened& before) {
  std::string out;
  for (const DrainStep& step : report.steps) {
    absl::StrAppend(&out, step.node, ":\n", TasksText(step.tasks, before));
    for (const std::string& budget : step.broken_budgets) {
      absl::StrAppend(&out, "  budget ", budget, " does not allow it\n");
    }
    for (const std::string& job : step.broken_gangs) {
      absl::StrAppend(&out, "  job ", job, " runs fewer tasks than its gang needs\n");
    }
  }
  return absl::StrCat(out, report.moved, report.moved == 1 ? " finds" : " find", " a node, ",
                      report.waiting, report.waiting == 1 ? " waits\n" : " wait\n");
}

}  // namespace

int DrainCommand(const Arguments& arguments) {
  RunFlags run_flags;
  FlagSet flags;
  run_flags.Declare(&flags);
  const Parsed parsed = ParseArguments(kDrainText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.size() < 2) return ComplainUsage(kDrainText, "needs a FILE and a NODE");
  const absl::StatusOr<Opened> opened = OpenFile(parsed.others[0], run_flags);
  if (!opened.ok()) return Complain(std::string(opened.status().message()));
  const std::vector<std::string> nodes(parsed.others.begin() + 1, parsed.others.end());
  const Progress progress("draining");
  const absl::StatusOr<DrainReport> report =
      Drain(opened->cluster, opened->scenario.profile, nodes, opened->scenario.options);
  if (!report.ok()) {
    const absl::Status status = WithPlace(parsed.others[0], run_flags, report.status());
    return Complain(std::string(status.message()));
  }
  return Show([&] { return ToText(*report, *opened); }, [&] { return WriteDrainReport(*report); },
              {"steps.tasks=node,task,to,reason,ends"});
}

}  // namespace muster
