// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Batch policies as docs/replay.md words them: every list is walked, every sum is added up anew,
// and a promise is looked for at every time at which something ends.
#include "lib/reference/peer/batch/batch.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "lib/base/math.h"

namespace muster::reference {
namespace {

enum Kind : int { kCorrection, kSubmission, kTermination };

struct Promise {
  int64_t from, to, processors;
};

class Twin {
 public:
  Twin(const Trace& trace, const BatchQuestion& question) : trace_(trace), q_(question) {
    const size_t n = trace.size();
    starts_.submit.assign(n, kAbsent);
    starts_.start.assign(n, kAbsent);
    starts_.backfilled.assign(n, 0);
    estimate_.assign(n, 0);
    corrections_.assign(n, 0);
    key_.assign(n, 0);
    promised_.assign(n, kAbsent);
    for (uint32_t job = 0; job < n; ++job) {
      if (Follows(job) == kNone) Insert(trace.submit[job], kSubmission, job);
    }
  }

  BatchStarts Run() {
    while (!events_.empty()) {
      const auto [time, kind, number, job] = *events_.begin();
      events_.erase(events_.begin());
      now_ = time;
      if (kind == kCorrection) {
        Correct(job);
        continue;
      }
      // A job that should have ended by its estimate has given its processors back.
      const auto due = [this](uint32_t j) { return starts_.start[j] + estimate_[j] <= now_; };
      std::erase_if(holders_, due);
      if (kind == kSubmission) {
        Submit(job);
      } else {
        Terminate(job);
      }
    }
    return std::move(starts_);
  }

 private:
  uint32_t Follows(uint32_t job) const {
    return q_.follow_preceding && !trace_.preceding.empty() ? trace_.preceding[job] : kNone;
  }
  void Insert(int64_t time, Kind kind, uint32_t job) {
    events_.insert({time, kind, number_++, job});
  }
  int64_t Size(uint32_t job) const { return trace_.tasks[job]; }
  int64_t User(uint32_t job) const { return std::max(trace_.estimate[job], trace_.run[job]); }
  int64_t Free() const {
    int64_t free = trace_.processors;
    for (uint32_t job : holders_) free -= Size(job);
    return free;
  }

  void Submit(uint32_t job) {
    starts_.submit[job] = now_;
    if (Size(job) > trace_.processors) {
      for (uint32_t next = 0; next < trace_.size(); ++next) {
        if (Follows(next) == job) Insert(std::max(trace_.submit[next], now_), kSubmission, next);
      }
      return;
    }
    estimate_[job] = EstimateBy(q_.estimate, job, q_.quantile);
    const std::string& by = q_.order_estimate.empty() ? q_.estimate : q_.order_estimate;
    const int64_t quantile = q_.order_estimate.empty() ? q_.quantile : q_.order_quantile;
    const int64_t deadline = trace_.deadline.empty() ? kAbsent : trace_.deadline[job];
    key_[job] = q_.order == "due"
                    ? DueTime(job)
                    : PlaceInOrder(q_, EstimateBy(by, job, quantile), Size(job), now_, deadline);
    queue_.push_back(job);
    if (q_.policy == "easy" && q_.order == "fifo" && Size(job) > Free()) return;
    if (q_.policy == "conservative" && q_.reservations == "kept") {
      promised_[job] = Earliest(job);
      return StartPromised();
    }
    Pass();
  }

  int64_t EstimateBy(const std::string& source, uint32_t job, int64_t quantile) {
    if (source == "actual") return trace_.run[job];
    if (source == "learnt") {
      const int64_t bound = LearntBound(job, quantile, 0);
      return std::min(User(job), bound == kAbsent ? trace_.estimate[job] : bound);
    }
    if (source == "user" || trace_.user[job] == kNone) return User(job);
    const std::vector<int64_t>& runs = ended_[trace_.user[job]];
    if (runs.size() < 2) return User(job);
    const int64_t mean = (runs[runs.size() - 1] + runs[runs.size() - 2]) / 2;
    return std::min(User(job), std::max<int64_t>(mean, 1));
  }

  // Whether two jobs are alike by a key of the history: 0 is the widest.
  bool Alike(int key, uint32_t a, uint32_t b) const {
    const auto magnitude = [](int64_t amount) {
      int power = 0;
      while (amount > 1) amount /= 2, ++power;
      return power;
    };
    const bool same_estimate = trace_.estimate[a] == trace_.estimate[b];
    const bool same_user = trace_.user[a] == trace_.user[b] && trace_.user[a] != kNone;
    switch (key) {
      case 0:
        return true;
      case 1:
        return magnitude(trace_.estimate[a]) == magnitude(trace_.estimate[b]) &&
               magnitude(Size(a)) == magnitude(Size(b));
      case 2:
        return same_user;
      case 3:
        return same_user && same_estimate;
      default:
        return same_user && same_estimate && Size(a) == Size(b);
    }
  }
  // Returns the run time that so many thousandths of the jobs like this one keep, of those that ran
  // longer than `beyond`. kAbsent: too few ended.
  int64_t LearntBound(uint32_t job, int64_t quantile, int64_t beyond) const {
    for (int key = 4; key >= 0; --key) {
      std::vector<int64_t> runs;
      int looked_at = 0;
      for (size_t i = history_.size(); i > 0 && looked_at < (key < 2 ? 512 : 64); --i) {
        const uint32_t other = history_[i - 1];
        if (!Alike(key, other, job)) continue;
        ++looked_at;
        const int64_t run =
            (trace_.run[other] * trace_.estimate[job] + trace_.estimate[other] - 1) /
            trace_.estimate[other];
        if (run > beyond) runs.push_back(run);
      }
      std::sort(runs.begin(), runs.end());
      for (size_t k = 1; runs.size() >= 3 && k <= runs.size(); ++k) {
        if (static_cast<int64_t>(k) * 1000 >= static_cast<int64_t>(runs.size() + 1) * quantile) {
          return runs[k - 1];
        }
      }
    }
    return kAbsent;
  }
  // When the job is due, in thousandths of a second, from all that has ended and started so far.
  int64_t DueTime(uint32_t job) const {
    const auto estimate = static_cast<double>(trace_.estimate[job]);
    double run = estimate / 2, inverse = 2 * (1 / std::max(estimate, 10.0));
    for (int key = 0; key < 5; ++key) {
      const double decay = key < 2 ? 0.999 : 0.9, weight = key == 0 ? 0.1 : 1;
      double count = 0, runs = 0, inverses = 0;
      for (uint32_t other : history_) {
        if (!Alike(key, other, job)) continue;
        const auto took = static_cast<double>(trace_.run[other]);
        count = decay * count + 1;
        runs = decay * runs + took;
        inverses = decay * inverses + 1 / std::max(took, 10.0);
      }
      if (count == 0) continue;
      run = (runs + weight * run) / (count + weight);
      inverse = (inverses + weight * inverse) / (count + weight);
    }
    const double length = std::sqrt(std::min(std::max(run, 1.0), estimate) / inverse);
    int64_t longest = 0;
    for (uint32_t other = 0; other < trace_.size(); ++other) {
      if (starts_.start[other] == kAbsent) continue;
      longest = std::max(longest, starts_.start[other] - starts_.submit[other]);
    }
    const double delay = std::min(q_.cap * static_cast<double>(longest), q_.scale * length);
    return now_ * 1000 + static_cast<int64_t>(delay * 1000);
  }

  void Terminate(uint32_t job) {
    const bool early = std::erase(holders_, job) > 0;
    ended_[trace_.user[job]].push_back(trace_.run[job]);
    history_.push_back(job);
    for (uint32_t next = 0; next < trace_.size(); ++next) {
      if (Follows(next) != job) continue;
      Insert(now_ + (trace_.think.empty() ? 0 : trace_.think[next]), kSubmission, next);
    }
    if (q_.policy != "conservative" || q_.reservations != "kept" || broken_) return Pass();
    if (early) {
      for (uint32_t waiting : InOrder()) {
        if (promised_[waiting] <= now_) continue;
        promised_[waiting] = kAbsent;
        promised_[waiting] = Earliest(waiting);
      }
    }
    StartPromised();
  }

  void Correct(uint32_t job) {
    static constexpr int64_t kMinutes[] = {0, 1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000};
    const int times = corrections_[job]++;
    const int64_t bound =
        q_.estimate == "learnt" ? LearntBound(job, q_.quantile, estimate_[job]) : kAbsent;
    estimate_[job] =
        q_.estimate == "learnt"
            ? std::min(User(job),
                       std::max(estimate_[job] + std::max<int64_t>(60, estimate_[job] / 4),
                                bound == kAbsent ? User(job) : bound))
        : times + 1 >= 12
            ? User(job)
            : std::min(User(job), estimate_[job] + 60 * (kMinutes[times + 1] - kMinutes[times]));
    broken_ = true;
    Watch(job);
  }
  void Watch(uint32_t job) {
    if (estimate_[job] < trace_.run[job]) {
      Insert(starts_.start[job] + estimate_[job], kCorrection, job);
    }
  }

  void Start(uint32_t job) {
    starts_.start[job] = now_;
    holders_.push_back(job);
    std::erase(queue_, job);
    Insert(now_ + trace_.run[job], kTermination, job);
    Watch(job);
  }

  // Waiting jobs in the order of the question; queue_ is in the order of submission.
  std::vector<uint32_t> InOrder() const {
    std::vector<uint32_t> jobs = queue_;
    std::stable_sort(jobs.begin(), jobs.end(),
                     [this](uint32_t a, uint32_t b) { return key_[a] < key_[b]; });
    return jobs;
  }

  void Pass() {
    if (q_.policy == "fcfs") {
      for (uint32_t job : InOrder()) {
        if (Size(job) > Free()) return;
        Start(job);
      }
    } else if (q_.policy == "easy") {
      PassEasy();
    } else {
      broken_ = false;
      for (uint32_t job : queue_) promised_[job] = kAbsent;
      for (uint32_t job : InOrder()) promised_[job] = Earliest(job);
      StartPromised();
    }
  }

  uint32_t Head() const { return q_.promises_first ? InOrder()[0] : queue_[0]; }

  void PassEasy() {
    while (!queue_.empty() && Size(Head()) <= Free()) Start(Head());
    if (queue_.size() < 2) return;
    const uint32_t head = Head();
    std::set<int64_t> ends;
    for (uint32_t job : holders_) ends.insert(starts_.start[job] + estimate_[job]);
    int64_t shadow = 0, extra = 0;
    for (int64_t end : ends) {
      int64_t then = Free();
      for (uint32_t job : holders_) {
        if (starts_.start[job] + estimate_[job] <= end) then += Size(job);
      }
      shadow = end;
      extra = then - Size(head);
      if (extra >= 0) break;
    }
    for (uint32_t job : InOrder()) {
      if (job == head || Size(job) > Free()) continue;
      const bool in_time = now_ + estimate_[job] <= shadow;
      if (!in_time && Size(job) > extra) continue;
      if (!in_time) extra -= Size(job);
      starts_.backfilled[job] = 1;
      Start(job);
    }
  }

  // Promises and holders that are in force at `time`.
  int64_t FreeAt(int64_t time) const {
    int64_t free = trace_.processors;
    for (uint32_t job : holders_) {
      if (time < starts_.start[job] + estimate_[job]) free -= Size(job);
    }
    for (uint32_t job : queue_) {
      if (promised_[job] == kAbsent) continue;
      if (promised_[job] <= time && time < promised_[job] + estimate_[job]) free -= Size(job);
    }
    return free;
  }

  // The free processors change only where something begins or ends.
  int64_t Earliest(uint32_t job) const {
    std::set<int64_t> times = {now_};
    for (uint32_t j : holders_) times.insert(starts_.start[j] + estimate_[j]);
    for (uint32_t j : queue_) {
      if (promised_[j] == kAbsent) continue;
      times.insert(promised_[j]);
      times.insert(promised_[j] + estimate_[j]);
    }
    for (int64_t start : times) {
      if (start < now_) continue;
      bool fits = FreeAt(start) >= Size(job);
      for (int64_t time : times) {
        if (time > start && time < start + estimate_[job]) fits &= FreeAt(time) >= Size(job);
      }
      if (fits) return start;
    }
    return kAbsent;  // after the last end everything is free
  }

  void StartPromised() {
    bool passed_over = false;
    for (uint32_t job : InOrder()) {
      if (promised_[job] <= now_ && Size(job) <= Free()) {
        starts_.backfilled[job] = passed_over;
        Start(job);
      } else {
        passed_over = true;
      }
    }
  }

  const Trace& trace_;
  const BatchQuestion q_;
  BatchStarts starts_;
  std::set<std::tuple<int64_t, int, int64_t, uint32_t>> events_;
  int64_t number_ = 0, now_ = 0;
  std::vector<uint32_t> queue_, holders_;
  std::vector<int64_t> estimate_, promised_, key_;
  std::vector<int> corrections_;
  std::map<uint32_t, std::vector<int64_t>> ended_;  // run times by user, as they ended
  std::vector<uint32_t> history_;                   // jobs, as they ended
  bool broken_ = false;
};

}  // namespace

int64_t PlaceInOrder(const BatchQuestion& question, int64_t estimate, int64_t size, int64_t submit,
                     int64_t deadline) {
  const std::string& order = question.order;
  if (order == "sjf") return estimate;
  if (order == "ljf") return -estimate;
  if (order == "smallest") return size;
  if (order == "largest") return -size;
  if (order == "area" || order == "saf") return estimate * size;
  if (order == "edf") return deadline == kAbsent ? INT64_MAX : deadline;
  if (order[0] != 'f' || order.size() != 2) return 0;
  const auto r = static_cast<double>(estimate), n = static_cast<double>(size);
  const double s = submit < 1 ? 0 : Log(static_cast<double>(submit)) / Log(10);
  const double key = order == "f1"   ? Log(r) / Log(10) * n + 870 * s
                     : order == "f2" ? std::sqrt(r) * n + 25600 * s
                     : order == "f3" ? r * n + 6860000 * s
                                     : r * std::sqrt(n) + 530000 * s;
  return static_cast<int64_t>(key * 1000);
}

BatchStarts ReferenceBatch(const Trace& trace, const BatchQuestion& question) {
  return Twin(trace, question).Run();
}

}  // namespace muster::reference
