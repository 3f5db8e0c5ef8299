// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/gang_memory.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/peer/kai/job_settings.h"

namespace muster {
namespace {

using Time = std::optional<int64_t>;

constexpr std::string_view kStartedRow = "started/", kEvictedRow = "evicted/", kStaleRow = "stale/",
                           kWholeRow = "whole/", kFailedRow = "failed/";

const JobSpec& SpecOf(const Tables& tables, const KaiJobFacts& job) {
  return tables.jobs.spec[JobIndex(job.origin)];
}

std::string KeyOf(std::string_view kind, const JobSpec& job) {
  return absl::StrCat(ToAbsl(kind), job.name);
}

// Returns no time for a row from before the job, or from after `now`.
Time Recalled(const MemorySlot& slot, std::string_view kind, const JobSpec& job, int64_t now) {
  const std::string key = KeyOf(kind, job);
  if (slot.Find(key) == nullptr) return std::nullopt;
  const int64_t time = slot.Integer(key, 0, std::numeric_limits<int64_t>::min());
  return time < job.created || time > now ? std::nullopt : Time(time);
}

bool HasFailed(const KaiJob& job) {
  return job.facts().schedulable && job.IsReady() && job.active_allocated() == 0 &&
         job.CountOf(KaiStatus::kPending) + job.CountOf(KaiStatus::kGated) > 0;
}

// No time is earlier than every time.
Time LaterOf(Time a, Time b) { return std::max(a, b); }

}  // namespace

void RecallKaiGangs(const MemorySlot& slot, const Tables& tables, KaiFacts* facts) {
  if (slot.empty()) return;
  for (KaiJobFacts& job : facts->jobs) {
    const JobSpec& spec = SpecOf(tables, job);
    const auto recalled = [&](std::string_view kind) {
      return Recalled(slot, kind, spec, facts->now);
    };
    job.last_start = LaterOf(job.last_start, recalled(kStartedRow));
    job.last_eviction = LaterOf(job.last_eviction, recalled(kEvictedRow));
    job.whole_at = recalled(kWholeRow);
    if (job.stale_since && job.stale_since <= job.whole_at) job.stale_since.reset();
    if (!job.stale_since) job.stale_since = recalled(kStaleRow);
    if (job.one_attempt && !ReadKaiSettings(spec).unschedulable) job.failed = recalled(kFailedRow);
    job.schedulable &= job.takes_part();
  }
}

void RememberKaiGangs(const KaiWorld& world, const Tables& tables, bool was_cut,
                      MemorySlots* slots) {
  const int64_t now = world.facts().now;
  std::map<std::string, int64_t, std::less<>> rows;
  for (uint32_t j = 0; j < world.job_count(); ++j) {
    const KaiJob& job = world.job(j);
    const JobSpec& spec = SpecOf(tables, job.facts());
    const auto keep = [&](std::string_view kind, Time time) {
      if (time && *time >= spec.created) rows.emplace(KeyOf(kind, spec), *time);
    };
    keep(kStartedRow, world.StartOf(job));
    keep(kEvictedRow, world.EvictionOf(job));
    keep(kStaleRow, world.stale_since[j]);
    if (job.facts().one_attempt && !ReadKaiSettings(spec).unschedulable) {
      const bool fails = !was_cut && HasFailed(job);
      keep(kFailedRow, job.facts().failed || !fails ? job.facts().failed : Time(now));
    }
    if (!spec.gang || !spec.gang->stale_since) continue;
    // A time that outlives the spec's is enough: the row stays as it is from cycle to cycle.
    const Time whole_at = job.facts().whole_at;
    const bool is_over = world.stale_since[j] || spec.gang->stale_since <= whole_at;
    keep(kWholeRow, is_over ? whole_at : Time(now));
  }
  const MemorySlot& before = slots->Recall(kKaiGangSlot.slot);
  const auto is_new = [&](const auto& row) {
    return before.Find(row.first) == nullptr || before.Integer(row.first) != row.second;
  };
  if (before.rows().size() == rows.size() && std::none_of(rows.begin(), rows.end(), is_new)) return;
  MemorySlot& slot = slots->Remember(kKaiGangSlot.slot);
  slot.EraseIf([&](std::string_view key) { return !rows.contains(key); });
  for (const auto& [key, time] : rows) {
    if (slot.Find(key) == nullptr || slot.Integer(key) != time) slot.Set(key, {time});
  }
}

}  // namespace muster
