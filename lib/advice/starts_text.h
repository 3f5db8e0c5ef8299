// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How many tasks of a job a remedy starts, in words.
//
//   out += StartsText(remedy.starts, PlacesTasks(profile, extensions));  // "6 tasks start"
#ifndef MUSTER_ADVICE_STARTS_TEXT_H_
#define MUSTER_ADVICE_STARTS_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/profile/profile.h"
#include "lib/session/places_tasks.h"

namespace muster {

// Returns whether the profile places tasks; true also for one that does not resolve. `extensions`
// may be null.
inline bool PlacesTasks(std::string_view profile, const Extensions* extensions) {
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(profile, extensions);
  return !config.ok() || PlacesTasks(*config);
}

// `placed`: the profile places tasks, and does not only admit them.
inline std::string StartsText(int64_t tasks, bool placed) {
  return absl::StrCat(tasks, tasks == 1 ? " task" : " tasks",
                      placed ? (tasks == 1 ? " starts" : " start") : " admitted");
}

}  // namespace muster

#endif  // MUSTER_ADVICE_STARTS_TEXT_H_
