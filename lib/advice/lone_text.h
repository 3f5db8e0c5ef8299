// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The words about a task that waits, has no job, and is left out by the profile.
//
//   text += LeftOutText("ns/pod", "volcano");
#ifndef MUSTER_ADVICE_LONE_TEXT_H_
#define MUSTER_ADVICE_LONE_TEXT_H_

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {

// Returns a line.
inline std::string LeftOutText(std::string_view task, std::string_view profile) {
  return absl::StrCat(ToAbsl(task), " waits, and has no job: profile ", ToAbsl(profile),
                      " leaves it out; lone_tasks=QUEUE in the profile makes a job of it\n");
}

}  // namespace muster

#endif  // MUSTER_ADVICE_LONE_TEXT_H_
