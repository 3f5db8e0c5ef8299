// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tools/muster/lone_tasks.h"

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/living_names.h"
#include "lib/profile/cycle_tables.h"
#include "lib/profile/profile.h"
#include "tools/muster/command.h"
#include "tools/muster/output.h"

namespace muster {

int64_t CountLoneTasks(const Tables& tables) {
  int64_t count = 0;
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    count += tables.tasks.alive[t] && !tables.has_job(t) &&
             tables.tasks.status[t] == TaskStatus::kPending;
  }
  return count;
}

bool SkipsLoneTasks(const std::string& profile, const Extensions* extensions) {
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(profile, extensions);
  return config.ok() && !TriesLoneTasks(*config);
}

std::string NoteSkipped(const Tables& tables, std::string_view profile,
                        const Extensions* extensions) {
  if (!SkipsLoneTasks(std::string(profile), extensions)) return "";
  std::string line = LoneTasksText(
      CountLoneTasks(tables), absl::StrCat("; ", ToAbsl(profile),
                                           " leaves such tasks out; --lone-tasks QUEUE makes jobs "
                                           "of them"));
  NoteOutsideTables(line);
  return line;
}

std::string WithLoneTasks(const std::string& profile, const std::string& queue,
                          const Extensions* extensions) {
  if (queue.empty() || !SkipsLoneTasks(profile, extensions)) return profile;
  return absl::StrCat(profile, profile.find(':') == profile.npos ? ":" : ",", "lone_tasks=", queue);
}

absl::Status CheckLoneTasks(const std::string& queue, const Tables& tables) {
  if (queue.empty() || tables.queues.names.Find(queue)) return absl::OkStatus();
  const absl::Status status = NoSuchRow("queue", queue, tables.queues);
  return absl::Status(status.code(), absl::StrCat("--lone-tasks: ", status.message()));
}

absl::Status MakeJobsOfOne(const std::string& queue, Cluster* cluster) {
  std::vector<TaskSpec> lone;
  const ClusterSpec rows = cluster->Describe();
  for (const TaskSpec& task : rows.tasks) {
    if (task.job.empty() && task.status == TaskStatus::kPending) lone.push_back(task);
  }
  for (TaskSpec& task : lone) {
    absl::Status status = cluster->AddJob({.name = task.name,
                                           .queue = queue,
                                           .priority = task.priority,
                                           .min_available = 1,
                                           .created = task.created});
    task.job = task.name;
    if (status.ok()) status = cluster->RemoveTask(task.name);
    if (status.ok()) status = cluster->AddTask(task);
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat("--lone-tasks: ", status.message()));
    }
  }
  return absl::OkStatus();
}

std::string WhyLeftOut(const std::string& name, const Scenario& scenario) {
  std::string out;
  for (const LeftOut& left_out : scenario.left_out) {
    if (left_out.name != name) continue;
    absl::StrAppend(&out, name, " was left out by the import: ", left_out.why, "\n");
  }
  return out;
}

std::string LoneTasksText(int64_t tasks, std::string_view rest) {
  if (tasks == 0) return "";
  return absl::StrCat(tasks, tasks == 1 ? " task that waits has" : " tasks that wait have",
                      " no job", ToAbsl(rest), "\n");
}

void NoteOutsideTables(std::string_view line) {
  if (line.empty() || OutputFormat() == Format::kTable) return;
  Complain(line.substr(0, line.find_last_not_of('\n') + 1));
}

}  // namespace muster
