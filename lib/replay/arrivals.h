// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which job is submitted next, and when.
//
//   Arrivals arrivals(trace, follow_preceding);
//   while (arrivals.next_time() <= now) Submit(arrivals.Pop());
//   arrivals.Ended(job, now);                    // may bring forth submissions at `now` or later
//
// Submissions go by time, and at equal times by insertion: all that the trace times are inserted
// first, in the order of the rows; one that follows a job is inserted when that one ends.
#ifndef MUSTER_REPLAY_ARRIVALS_H_
#define MUSTER_REPLAY_ARRIVALS_H_

#include <cstdint>
#include <limits>
#include <queue>
#include <vector>

#include "muster/trace.h"

namespace muster {

inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

class Arrivals {
 public:
  Arrivals(const Trace& trace, bool follow_preceding);

  int64_t next_time() const { return next_time_; }  // kNever: nothing more, as things are
  uint32_t Pop();                                   // REQUIRES: next_time() != kNever
  // Notes the end of the job. The jobs that follow it are submitted after their think times.
  void Ended(uint32_t job, int64_t now);
  // Notes that the job was refused. The jobs that follow it are submitted at the trace's times, or
  // now where those have passed.
  void Refused(uint32_t job, int64_t now);

 private:
  struct Late {
    int64_t time;
    uint32_t number, job;  // by insertion
    bool operator>(const Late& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };
  void Add(int64_t time, uint32_t job) { late_.push({time, inserted_++, job}); }
  void FindNext();

  const Trace& trace_;
  std::vector<uint32_t> rows_;  // that the trace times, in order; empty: all, as they stand
  size_t timed_ = 0, at_ = 0;
  bool as_they_stand_ = true;
  // Jobs that follow another one: lists through next_.
  std::vector<uint32_t> first_, next_;
  std::priority_queue<Late, std::vector<Late>, std::greater<Late>> late_;
  uint32_t inserted_ = 0;
  int64_t next_time_ = kNever;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_ARRIVALS_H_
