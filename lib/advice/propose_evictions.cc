// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Remedies at the cost of others: a profile that evicts, a higher priority.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/advice/proposals.h"
#include "lib/advice/smallest.h"

namespace muster {
namespace {

// Kubernetes keeps what is above for its own priority classes.
constexpr int32_t kHighestOfUsers = 1'000'000'000;

void ProposeProfile(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  for (const char* more : {"+preempt", "+reclaim", "+preempt,+reclaim"}) {
    const std::string profile =
        absl::StrCat(job.profile, job.profile.find(':') == std::string::npos ? ":" : ",", more);
    if (!trials->Try({}, profile).helps()) continue;
    out->push_back({.kind = RemedyKind::kEvictions,
                    .words = absl::StrCat("schedule by ", profile),
                    .profile = profile});
    return;
  }
}

// Returns the priorities right above those that others have, ascending, from what the job has on.
std::vector<int32_t> HigherPriorities(const WaitingCase& job) {
  const Tables& tables = job.tables;
  std::set<int32_t> others;
  int32_t own =
      job.is_lone() ? tables.tasks.priority[job.lone] : tables.jobs.spec[job.job].priority;
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    if (tables.jobs.alive[j] && j != job.job) others.insert(tables.jobs.spec[j].priority);
  }
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t]) continue;
    const bool is_own = job.is_lone() ? t == job.lone : tables.tasks.job[t] == job.job;
    if (is_own) {
      own = std::max(own, tables.tasks.priority[t]);
    } else {
      others.insert(tables.tasks.priority[t]);
    }
  }
  const int32_t most = own > kHighestOfUsers ? INT32_MAX : kHighestOfUsers;
  std::vector<int32_t> higher;
  for (const int32_t priority : others) {
    if (priority >= own && priority < most) higher.push_back(priority + 1);
  }
  return higher;
}

void ProposePriority(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  const std::vector<int32_t> higher = HigherPriorities(job);
  const auto changes = [&](int64_t place) {
    return std::vector<WhatIfChange>{
        {.job = JobEdit{.name = job.name(), .priority = higher[static_cast<size_t>(place) - 1]}}};
  };
  const int64_t most = static_cast<int64_t>(higher.size());
  // If the highest does not help, none below it will.
  if (most == 0 || !trials->Helps(changes(most))) return;
  const std::optional<int64_t> least =
      Smallest(most, [&](int64_t place) { return trials->Helps(changes(place)); });
  if (!least) return;
  out->push_back(
      {.kind = RemedyKind::kPriority,
       .words = absl::StrCat("give it priority ", higher[static_cast<size_t>(*least) - 1]),
       .changes = changes(*least)});
}

}  // namespace

void ProposeEvictions(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  ProposeProfile(job, trials, out);
  ProposePriority(job, trials, out);
}

}  // namespace muster
