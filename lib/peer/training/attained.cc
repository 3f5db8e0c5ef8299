// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// attained: jobs that have had the least GPU time go first, by levels.
//
// Idea. Where run times are not known, a job that has run for long is likely to run for longer, so
// short jobs are served best by what each has had so far. Service has two dimensions: GPUs times
// seconds. Plain service would let jobs of equal service take turns for ever. So it is cut into
// levels, and jobs of a level do not pass each other.
//
// Rules.
//   level    the number of thresholds (options `level1` to `level3`, in any order) that the job's
//            service has reached. A lower level goes first. Without thresholds (all 0) each amount
//            of service is a level of its own.
//   promote  a job above the first level that holds no place, and has waited `promote` times as
//            long as it ran, goes back to the first level, with no service. Both count since it was
//            last promoted.
//   within   the order of jobs of one level. `creation` leaves it to the next policy. `arrival`:
//            jobs go by their places in a line. A job joins the line of a level behind all that are
//            in it, by creation where several join at once, new jobs first. When time has gone on,
//            those that hold places move before those that wait. So a job that falls to a level
//            gives way, once, to those that wait there.
// service_rows.h has the rules of service, and the memory (slot "attained"). Slot "attained-line"
// has a row for each job under `arrival`: its level, its place, and the time of the last cycle.
//
// Guarantee. With thresholds and within=creation, jobs of one level never stop each other. With
// `promote` above 0, a job that ran for r seconds is in the first level once it has waited for
// promote * r seconds, in the first cycle after that.
//
// Peers. Discretised 2D-LAS of Tiresias and its PROMOTEKNOB; training.h has what is not kept. The
// defaults of thresholds are those of its public simulator, which promotes none. within=arrival is
// its order, too (docs/quality.md compares the ends of jobs).
//
// Ties are left to the next policy. Cost. Open: O(jobs + tasks that hold a place), and
// O(jobs log jobs) with lines. Comparing: O(1).
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "absl/numeric/int128.h"
#include "lib/base/math.h"
#include "lib/extension/cycle.h"
#include "lib/peer/training/service_rows.h"
#include "lib/peer/training/training.h"

namespace muster {
namespace {

constexpr MemoryDecl kAttainedSlot = {"attained", 1};
constexpr MemoryDecl kLineSlot = {"attained-line", 1};
constexpr OptionDecl kAttainedOptions[] = {
    {"level1", OptionKind::kNumber, "3250", 0, 1e12,
     "service in GPU-seconds at which a job falls a level; 0: no such threshold"},
    {"level2", OptionKind::kNumber, "7200", 0, 1e12, "the same, for the next level"},
    {"level3", OptionKind::kNumber, "0", 0, 1e12, "the same, for the next level"},
    {"promote", OptionKind::kNumber, "0", 0, 1e6,
     "a job that waits this many times as long as it ran begins anew; 0: never"},
    {"within", OptionKind::kChoice, "creation", 0, 0,
     "creation|arrival: the order of jobs of a level: the next policy's, or by a line"},
    {"resource", OptionKind::kText, "nvidia.com/gpu", 0, 0, "what service counts"},
};

class Attained : public Policy, public OrderPolicy {
 public:
  explicit Attained(const Options& options)
      : promote_(std::llround(options.number("promote") * 1000)),
        has_lines_(options.text("within") == "arrival"),
        rows_(kAttainedSlot.slot, options.text("resource")) {
    for (const char* name : {"level1", "level2", "level3"}) {
      const int64_t level = std::llround(options.number(name) * 1000);
      if (level > 0) levels_.push_back(level);
    }
    std::sort(levels_.begin(), levels_.end());
  }

  std::string_view name() const override { return "attained"; }
  PointSet points() const override { return {Point::kJobOrder}; }
  OrderPolicy* order() override { return this; }

  void Open(const Cycle& cycle) override {
    const Tables& tables = internal::DataOf(cycle).tables;
    rows_.Update(cycle);
    levels_of_.assign(tables.jobs.alive.size(), 0);
    places_.assign(tables.jobs.alive.size(), 0);
    for (JobIndex job = 0; job < levels_of_.size(); ++job) {
      if (!tables.jobs.alive[job]) continue;
      if (promote_ > 0 && LevelOf(job) > 0 && HasWaited(rows_.of(job))) rows_.Reset(job);
      levels_of_[job] = LevelOf(job);
    }
    if (has_lines_) FormLines(cycle, tables.jobs);
  }

  int CompareJobs(JobIndex a, JobIndex b) override {
    if (levels_of_[a] != levels_of_[b]) return levels_of_[a] < levels_of_[b] ? -1 : 1;
    return places_[a] == places_[b] ? 0 : places_[a] < places_[b] ? -1 : 1;
  }

 private:
  // Sets the place of each job, and remembers them. A place counts within its level alone.
  void FormLines(const Cycle& cycle, const JobTable& jobs) {
    enum Joined : int64_t { kStays, kIsNew, kChanged };
    struct Key {
      Joined joined = kIsNew;
      int64_t rests = 0, place = 0;
      JobIndex job = kNone;
    };
    MemorySlot& slot = cycle.Remember(kLineSlot.slot);
    slot.EraseIf([&](std::string_view name) {
      const std::optional<JobIndex> job = jobs.names.Find(name);
      return !job || !jobs.alive[*job];
    });
    std::vector<Key> line;
    for (JobIndex job = 0; job < levels_of_.size(); ++job) {
      if (!jobs.alive[job]) continue;
      Key key{.joined = levels_of_[job] == 0 ? kIsNew : kChanged, .job = job};
      const std::string_view name = jobs.names.name(job);
      if (slot.Find(name) != nullptr) {
        key.joined = slot.Integer(name, 0) == levels_of_[job] ? kStays : kChanged;
        const bool is_later = slot.Integer(name, 2) < cycle.now();
        key.rests = key.joined == kStays && is_later && !rows_.of(job).holds;
        key.place = key.joined == kStays ? slot.Integer(name, 1) : 0;
      }
      line.push_back(key);
    }
    std::sort(line.begin(), line.end(), [&jobs](const Key& a, const Key& b) {
      if (a.joined != b.joined) return a.joined < b.joined;
      if (a.rests != b.rests) return a.rests < b.rests;
      if (a.place != b.place) return a.place < b.place;
      const JobSpec &left = jobs.spec[a.job], &right = jobs.spec[b.job];
      if (left.created != right.created) return left.created < right.created;
      return left.uid_rank != right.uid_rank ? left.uid_rank < right.uid_rank : a.job < b.job;
    });
    for (size_t i = 0; i < line.size(); ++i) {
      const JobIndex job = line[i].job;
      places_[job] = static_cast<int64_t>(i);
      slot.Set(jobs.names.name(job), {levels_of_[job], places_[job], cycle.now()});
    }
  }

  bool HasWaited(const JobService& row) const {
    return !row.holds && row.waited > 0 &&
           absl::int128(row.waited) * 1000 >= absl::int128(row.ran) * absl::int128(promote_);
  }
  int64_t LevelOf(JobIndex job) const {
    const int64_t service = rows_.of(job).service;
    if (levels_.empty()) return service;
    return std::upper_bound(levels_.begin(), levels_.end(), service) - levels_.begin();
  }

  std::vector<int64_t> levels_;  // thousandths, ascending
  const int64_t promote_;        // thousandths
  const bool has_lines_;
  ServiceRows rows_;
  std::vector<int64_t> levels_of_;  // by job
  std::vector<int64_t> places_;     // by job; all 0 without lines
};

}  // namespace

PolicyDecl AttainedPolicy() {
  return {.name = "attained",
          .summary = "jobs that have had the least GPU time go first, by levels",
          .options = kAttainedOptions,
          .make = [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Attained>(options);
          },
          .memory = {kAttainedSlot, kLineSlot}};
}

}  // namespace muster
