// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// fcfs and easy by cycles with decisions that come late, on a pool of processors, as docs/replay.md
// words them ("Cycles" and "Batch policies"): every list is walked and every sum added up anew.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "lib/reference/peer/batch/batch.h"

namespace muster::reference {
namespace {

class LateTwin {
 public:
  LateTwin(const Trace& trace, const BatchQuestion& question) : trace_(trace), q_(question) {
    const size_t n = trace.size();
    starts_.submit.assign(n, kAbsent);
    starts_.start.assign(n, kAbsent);
    starts_.backfilled.assign(n, 0);
    estimate_.assign(n, 0);
    for (uint32_t job = 0; job < n; ++job) submissions_[trace.submit[job]].push_back(job);
  }

  BatchStarts Run() {
    while (!submissions_.empty() || !ends_.empty() || decided_at_ != kAbsent) {
      now_ = INT64_MAX;
      if (!submissions_.empty()) now_ = std::min(now_, submissions_.begin()->first);
      if (!ends_.empty()) now_ = std::min(now_, ends_.begin()->first);
      if (decided_at_ != kAbsent) now_ = std::min(now_, decided_at_);
      for (uint32_t job : running_) {
        if (IsCorrected(job)) now_ = std::min(now_, starts_.start[job] + estimate_[job]);
      }
      for (uint32_t job : running_) {
        if (IsCorrected(job) && starts_.start[job] + estimate_[job] == now_) Correct(job);
      }
      for (uint32_t job : Take(&submissions_)) Submit(job);
      for (uint32_t job : Take(&ends_)) End(job);
      if (decided_at_ == now_) Follow();
      while (dirty_ && !queue_.empty() && decided_at_ == kAbsent) Cycle();
    }
    return std::move(starts_);
  }

 private:
  using Times = std::map<int64_t, std::vector<uint32_t>>;

  std::vector<uint32_t> Take(Times* times) const {
    const auto found = times->find(now_);
    if (found == times->end()) return {};
    std::vector<uint32_t> jobs = std::move(found->second);
    times->erase(found);
    return jobs;
  }
  int64_t Size(uint32_t job) const { return trace_.tasks[job]; }

  void Submit(uint32_t job) {
    starts_.submit[job] = now_;
    if (Size(job) > trace_.processors) return;
    int64_t& estimate = estimate_[job];
    estimate =
        q_.estimate == "actual" ? trace_.run[job] : std::max(trace_.estimate[job], trace_.run[job]);
    if (q_.estimate == "last_two" && trace_.user[job] != kNone) {
      const std::vector<int64_t>& runs = ended_[trace_.user[job]];
      if (const size_t n = runs.size(); n >= 2) {
        estimate = std::min(estimate, std::max<int64_t>((runs[n - 1] + runs[n - 2]) / 2, 1));
      }
    }
    queue_.push_back(job);
    dirty_ = true;
  }
  void End(uint32_t job) {
    std::erase(running_, job);
    ended_[trace_.user[job]].push_back(trace_.run[job]);
    dirty_ = true;
  }

  // It will outlive its estimate.
  bool IsCorrected(uint32_t job) const { return estimate_[job] < trace_.run[job]; }
  void Correct(uint32_t job) {
    static constexpr int64_t kMinutes[] = {1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000};
    const int64_t user = std::max(trace_.estimate[job], trace_.run[job]);
    const int times = corrections_[job]++;
    if (times == 0) first_[job] = estimate_[job];
    estimate_[job] = times < 11 ? std::min(user, first_[job] + 60 * kMinutes[times]) : user;
  }

  // Decides now, for later.
  void Cycle() {
    dirty_ = false;
    decided_.clear();
    Decide();
    decided_at_ = now_ + q_.latency;
    if (q_.latency == 0) Follow();
  }
  void Follow() {
    decided_at_ = kAbsent;
    for (uint32_t job : decided_) {
      starts_.start[job] = now_;
      std::erase(queue_, job);
      running_.push_back(job);
      ends_[now_ + trace_.run[job]].push_back(job);
    }
    if (!decided_.empty()) dirty_ = true;
  }

  int64_t Free() const {
    int64_t free = trace_.processors;
    for (uint32_t job : running_) free -= Size(job);
    for (uint32_t job : decided_) free -= Size(job);
    return free;
  }
  // Of one that runs, or begins now.
  int64_t EndOf(uint32_t job) const {
    const int64_t start = starts_.start[job] == kAbsent ? now_ : starts_.start[job];
    return std::max(start + estimate_[job], now_ + 1);
  }

  std::vector<uint32_t> InOrder(std::vector<uint32_t> jobs) const {
    const auto key = [this](uint32_t job) {
      return PlaceInOrder(q_, estimate_[job], Size(job), trace_.submit[job], kAbsent);
    };
    std::stable_sort(jobs.begin(), jobs.end(),
                     [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    return jobs;
  }

  void Decide() {
    std::vector<uint32_t> jobs = q_.policy == "fcfs" ? InOrder(queue_) : queue_;
    while (!jobs.empty() && Size(jobs[0]) <= Free()) {
      decided_.push_back(jobs[0]);
      jobs.erase(jobs.begin());
    }
    if (q_.policy == "fcfs" || jobs.empty()) return;
    const uint32_t head = jobs[0];
    jobs.erase(jobs.begin());
    std::vector<uint32_t> holders = running_;
    holders.insert(holders.end(), decided_.begin(), decided_.end());
    std::set<int64_t> times;
    for (uint32_t job : holders) times.insert(EndOf(job));
    int64_t shadow = 0, extra = 0;
    for (int64_t time : times) {
      int64_t then = Free();
      for (uint32_t job : holders) {
        if (EndOf(job) <= time) then += Size(job);
      }
      shadow = time;
      extra = then - Size(head);
      if (extra >= 0) break;
    }
    for (uint32_t job : InOrder(jobs)) {
      if (Size(job) > Free()) continue;
      const bool in_time = now_ + estimate_[job] <= shadow;
      if (!in_time && Size(job) > extra) continue;
      if (!in_time) extra -= Size(job);
      starts_.backfilled[job] = 1;
      decided_.push_back(job);
    }
  }

  const Trace& trace_;
  const BatchQuestion& q_;
  BatchStarts starts_;
  Times submissions_, ends_;
  std::vector<int64_t> estimate_;
  std::map<uint32_t, int64_t> first_;               // estimate, of jobs that were corrected
  std::map<uint32_t, int> corrections_;             // so often
  std::map<uint32_t, std::vector<int64_t>> ended_;  // run times by user
  std::vector<uint32_t> queue_, running_, decided_;
  int64_t now_ = 0, decided_at_ = kAbsent;
  bool dirty_ = false;
};

}  // namespace

BatchStarts ReferenceLateBatch(const Trace& trace, const BatchQuestion& question) {
  return LateTwin(trace, question).Run();
}

}  // namespace muster::reference
