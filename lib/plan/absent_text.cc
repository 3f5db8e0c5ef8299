// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/plan/absent_text.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/checker.h"

namespace muster {

std::string LeftOutText(std::string_view task, std::string_view profile) {
  return absl::StrCat(ToAbsl(task), " waits, and has no job: profile ", ToAbsl(profile),
                      " leaves it out; lone_tasks=QUEUE in the profile makes a job of it\n");
}

std::string WaitingText(std::span<const WaitingEvent> waiting, std::string_view job_or_task) {
  const std::string task = PlaceOf("task", job_or_task), job = PlaceOf("job", job_or_task);
  std::string out;
  int64_t for_it = 0;
  for (const WaitingEvent& event : waiting) {
    for_it += event.missing == job;
    if (event.object != task && event.object != job) continue;
    absl::StrAppend(&out, event.object, " is no row yet: its event waits for ", event.missing,
                    ", which is not there\n");
  }
  if (for_it > 0) {
    absl::StrAppend(&out, for_it, for_it == 1 ? " event waits" : " events wait", " for ", job,
                    ", which is not there\n");
  }
  return out;
}

}  // namespace muster
