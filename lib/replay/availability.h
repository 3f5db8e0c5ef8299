// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How many processors are free at every time from now on: a step function.
//
//   Availability free(100);
//   free.Take(0, 60, 80);                          // 80 processors for [0, 60)
//   int64_t start = free.EarliestFit(0, 30, 40);   // 60
//
// Steps are sorted in one array: the earliest fit is one walk through it, and taking moves the
// steps behind it.
#ifndef MUSTER_REPLAY_AVAILABILITY_H_
#define MUSTER_REPLAY_AVAILABILITY_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace muster {

class Availability {
 public:
  explicit Availability(int64_t processors) : steps_{{0, processors}} {}

  // Returns the earliest time from `now` on at which `processors` are free for `duration`.
  // Everything taken must end.
  int64_t EarliestFit(int64_t now, int64_t duration, int64_t processors) const {
    int64_t start = now;
    for (size_t i = At(now); i < steps_.size(); ++i) {
      if (steps_[i].time >= start + duration) break;
      if (steps_[i].free < processors) {
        // No start before this step ends would do.
        start = i + 1 < steps_.size() ? steps_[i + 1].time : start;
      }
    }
    return start;
  }

  void Take(int64_t from, int64_t to, int64_t processors) { Add(from, to, -processors); }
  void Give(int64_t from, int64_t to, int64_t processors) { Add(from, to, processors); }

  // Drops the steps before `now`, which are not read any more.
  void Forget(int64_t now) {
    const size_t at = At(now);
    // Only now and then, so that the array is not moved at every event.
    if (at > 64 && at > steps_.size() / 2) {
      steps_.erase(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

 private:
  struct Step {
    int64_t time, free;
  };
  // Returns the step in force at `time`.
  size_t At(int64_t time) const {
    const auto after = std::upper_bound(steps_.begin(), steps_.end(), time,
                                        [](int64_t t, const Step& step) { return t < step.time; });
    return after == steps_.begin() ? 0 : static_cast<size_t>(after - steps_.begin()) - 1;
  }
  // Makes `time` the beginning of a step.
  size_t Cut(int64_t time) {
    const size_t at = At(time);
    if (steps_[at].time == time) return at;
    steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(at) + 1, {time, steps_[at].free});
    return at + 1;
  }
  // Removes a step equal to the one before it.
  void Join(size_t at) {
    if (at == 0 || at >= steps_.size() || steps_[at].free != steps_[at - 1].free) return;
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  void Add(int64_t from, int64_t to, int64_t processors) {
    if (from >= to) return;
    const size_t first = Cut(from), last = Cut(to);
    for (size_t i = first; i < last; ++i) steps_[i].free += processors;
    Join(last);
    Join(first);
  }

  std::vector<Step> steps_;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_AVAILABILITY_H_
