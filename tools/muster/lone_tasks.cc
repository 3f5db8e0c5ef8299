// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tools/muster/lone_tasks.h"

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/profile/cycle_tables.h"
#include "lib/profile/profile.h"

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

std::string SkippedTaskText(const Tables& tables, const Scenario& scenario,
                            const std::string& name) {
  const std::optional<TaskIndex> task = tables.tasks.names.Find(name);
  if (!task || tables.has_job(*task) || tables.tasks.status[*task] != TaskStatus::kPending ||
      !SkipsLoneTasks(scenario.profile, scenario.options.extensions.get())) {
    return "";
  }
  return absl::StrCat(name, " waits, and has no job: profile ", scenario.profile,
                      " leaves it out; lone_tasks=QUEUE in the profile makes a job of it\n");
}

std::string LoneTasksText(int64_t tasks, std::string_view rest) {
  if (tasks == 0) return "";
  return absl::StrCat(tasks, tasks == 1 ? " task that waits has" : " tasks that wait have",
                      " no job", ToAbsl(rest), "\n");
}

}  // namespace muster
