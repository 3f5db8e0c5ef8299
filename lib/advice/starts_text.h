// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a remedy does, in words.
//
//   out += OutcomeText(remedy, PlacesTasks(profile, extensions));
//   // "6 tasks start, 1 more evicted, 2 fewer of other jobs"
#ifndef MUSTER_ADVICE_STARTS_TEXT_H_
#define MUSTER_ADVICE_STARTS_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/profile/profile.h"
#include "lib/session/places_tasks.h"
#include "muster/remedy.h"

namespace muster {

// Returns whether the profile places tasks; true also for one that does not resolve. `extensions`
// may be null.
inline bool PlacesTasks(std::string_view profile, const Extensions* extensions) {
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(profile, extensions);
  return !config.ok() || PlacesTasks(*config);
}

// `placed`: the profile places tasks, and does not only admit them.
inline std::string OutcomeText(const Remedy& remedy, bool placed) {
  const int64_t tasks = remedy.starts;
  std::string out = absl::StrCat(tasks, tasks == 1 ? " task" : " tasks",
                                 placed ? (tasks == 1 ? " starts" : " start") : " admitted");
  const auto add = [&out](int64_t change, const char* of) {
    if (change != 0)
      absl::StrAppend(&out, ", ", change < 0 ? -change : change, change < 0 ? " fewer" : " more",
                      of);
  };
  add(remedy.evictions, " evicted");
  add(remedy.others, " of other jobs");
  return out;
}

}  // namespace muster

#endif  // MUSTER_ADVICE_STARTS_TEXT_H_
