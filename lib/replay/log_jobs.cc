// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The filter of batch logs. Jobs that cannot be replayed are found by their numbers; dropped jobs
// are counted by rule.
#include "lib/replay/log_jobs.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/replay/trace_parts.h"

namespace muster {

absl::Status CheckProcessors(std::string_view file, int64_t processors, std::string_view missing) {
  if (processors <= 0) {
    return absl::InvalidArgumentError(absl::StrCat(ToAbsl(file), ": ", ToAbsl(missing)));
  }
  if (processors <= kMostProcessors) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      ToAbsl(file), ": ", processors, " processors; a pool has at most ", kMostProcessors));
}

absl::Status LogJobs::Add(const LogRow& row) {
  const int64_t processors =
      row.requested_processors > 0 ? row.requested_processors : row.used_processors;
  int64_t estimate = row.requested_time;
  if (filter_ == LogFilter::kRunnable && estimate <= 0) estimate = row.run;
  const std::array<bool, kRules> breaks = {processors <= 0, processors > trace_.processors,
                                           row.run <= 0, estimate <= 0, row.submit < 0};
  for (int rule = 0; rule < kRules; ++rule) {
    if (!breaks[rule]) continue;
    ++dropped_[rule];
    return absl::OkStatus();
  }
  TraceJob job;
  job.id = row.id;
  job.submit = row.submit;
  job.run = std::min(row.run, estimate);
  job.estimate = estimate;
  job.tasks = processors;
  if (row.user >= 0) {
    const auto [at, added] =
        users_.try_emplace(row.user, static_cast<uint32_t>(trace_.users.size()));
    if (added) trace_.users.push_back(absl::StrCat(row.user));
    job.user = at->second;
  }
  const auto [at, added] =
      queues_.try_emplace(row.queue, static_cast<uint32_t>(trace_.queues.size()));
  if (added) {
    trace_.queues.push_back(
        {.name = row.queue >= 0 ? absl::StrCat("queue-", row.queue) : std::string("default")});
  }
  job.queue = at->second;
  preceding_.push_back(row.preceding);
  think_.push_back(row.think);
  return AddJob(job, &trace_);
}

absl::StatusOr<Trace> LogJobs::Finish(std::string_view name, ReadReport* report) && {
  if (report != nullptr) {
    report->jobs = static_cast<int64_t>(trace_.size());
    constexpr const char* kRuleNames[kRules] = {"no processors", "more processors than the machine",
                                                "no run time", "no requested time",
                                                "negative submit time"};
    for (int rule = 0; rule < kRules; ++rule) {
      if (dropped_[rule] > 0) report->dropped.emplace_back(kRuleNames[rule], dropped_[rule]);
    }
  }
  std::vector<uint32_t> rows(trace_.size());
  std::iota(rows.begin(), rows.end(), 0);
  const auto by_id = [this](uint32_t a, uint32_t b) { return trace_.id[a] < trace_.id[b]; };
  if (!std::is_sorted(rows.begin(), rows.end(), by_id)) {
    std::stable_sort(rows.begin(), rows.end(), by_id);
    trace_ = SelectJobs(trace_, rows);
  }
  for (size_t i = 1; i < rows.size(); ++i) {
    if (trace_.id[i] == trace_.id[i - 1]) {
      return absl::InvalidArgumentError(
          absl::StrCat(ToAbsl(name), ": job ", trace_.id[i], " is there twice"));
    }
  }
  if (std::any_of(preceding_.begin(), preceding_.end(), [](int64_t p) { return p > 0; })) {
    trace_.preceding.assign(rows.size(), kNone);
    trace_.think.assign(rows.size(), 0);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto found = std::lower_bound(trace_.id.begin(), trace_.id.end(), preceding_[rows[i]]);
      // A job that the filter dropped, or that is not in the log, delays no other.
      if (found == trace_.id.end() || *found != preceding_[rows[i]]) continue;
      const auto row = static_cast<size_t>(found - trace_.id.begin());
      if (row == i) continue;
      trace_.preceding[i] = static_cast<uint32_t>(row);
      trace_.think[i] = std::max<int64_t>(think_[rows[i]], 0);
    }
  }
  trace_.name = std::string(name);
  return Checked(std::move(trace_));
}

}  // namespace muster
