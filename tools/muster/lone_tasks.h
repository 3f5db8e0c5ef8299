// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What commands print about tasks that wait and have no job, such as the pods of a plain Kubernetes
// dump: some profiles, and some questions, leave them out.
//
//   words += LoneTasksText(CountLoneTasks(tables), " and no forecast");
//   // 3 tasks that wait have no job and no forecast
//
// Cost. Counting is O(tasks), the others O(1) beside resolving a profile.
#ifndef MUSTER_TOOLS_LONE_TASKS_H_
#define MUSTER_TOOLS_LONE_TASKS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "lib/model/tables.h"
#include "lib/scenario/scenario.h"
#include "muster/muster.h"

namespace muster {

// Returns how many tasks wait and have no job.
int64_t CountLoneTasks(const Tables& tables);
// Returns a line: the number of them, and the rest of the sentence. Empty for no task.
std::string LoneTasksText(int64_t tasks, std::string_view rest);
// Prints the line to stderr where the command prints no table, which would have it.
void NoteOutsideTables(std::string_view line);

// Returns whether no cycle under the profile tries such tasks. False for a profile that does not
// resolve. `extensions` may be null.
bool SkipsLoneTasks(const std::string& profile, const Extensions* extensions);
// Returns a line about the tasks that the profile leaves out so, and prints it as NoteOutsideTables
// does. Empty: there are none.
std::string NoteSkipped(const Tables& tables, std::string_view profile,
                        const Extensions* extensions);
// Returns the profile with lone_tasks=QUEUE, if it skips such tasks and `queue` is not empty.
std::string WithLoneTasks(const std::string& profile, const std::string& queue,
                          const Extensions* extensions);
// Fails if `queue`, of --lone-tasks, is no queue of the tables. Empty: the flag is not given.
absl::Status CheckLoneTasks(const std::string& queue, const Tables& tables);

// Makes a job of one, of the task's name, of each task that waits and has no job. Fails as the
// cluster does, and where a job has the name.
absl::Status MakeJobsOfOne(const std::string& queue, Cluster* cluster);

// Returns why the import made no row of that name, a line each. Empty: it left out none.
std::string WhyLeftOut(const std::string& name, const Scenario& scenario);

}  // namespace muster

#endif  // MUSTER_TOOLS_LONE_TASKS_H_
