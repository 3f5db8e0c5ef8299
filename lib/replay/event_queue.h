// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The future events of a replay, by time, then kind, then insertion.
//
//   EventQueue events;
//   events.Push({.time = 7, .kind = EventKind::kEnd, .job = row});
//   while (!events.empty() && events.top().time == now) Handle(events.Pop());
//
// Many events share a time: seconds are whole, and a large machine ends a hundred jobs in each. So
// a heap holds each time once, and an instant is one queue for each kind, first in, first out,
// which is the order needed. All are linked lists in one table.
//
// Cost. O(1) an event, and O(log instants) an instant.
#ifndef MUSTER_REPLAY_EVENT_QUEUE_H_
#define MUSTER_REPLAY_EVENT_QUEUE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "lib/base/hash_map.h"
#include "muster/types.h"

namespace muster {

// In the order of their handling.
enum class EventKind : uint8_t { kCorrect, kEnd, kLeft, kExpired, kDecided };

struct Event {
  int64_t time = 0;
  EventKind kind = EventKind::kEnd;
  uint32_t job = kNone, task = 0;  // row of the trace, place among its tasks
  uint32_t turn = 0;               // kEnd, kCorrect: of the job; an event of an earlier one is void
};

class EventQueue {
 public:
  bool empty() const { return times_.empty(); }
  // REQUIRES: not empty.
  const Event& top() const { return links_[first_].event; }

  void Push(const Event& event) {
    uint32_t link = free_;
    if (link == kNone) {
      link = static_cast<uint32_t>(links_.size());
      links_.emplace_back();
    } else {
      free_ = links_[link].next;
    }
    links_[link] = {event, kNone};
    const auto [at, added] = instants_.try_emplace(event.time);
    if (added) times_.push(event.time);
    Line& line = at->second[static_cast<int>(event.kind)];
    if (line.first == kNone) {
      line.first = link;
    } else {
      links_[line.last].next = link;
    }
    line.last = link;
    if (first_ == kNone || std::tie(event.time, event.kind) < std::tie(top().time, top().kind)) {
      first_ = link;
    }
  }

  // REQUIRES: not empty.
  Event Pop() {
    const auto instant = instants_.find(times_.top());
    const Event event = top();
    Line& line = instant->second[static_cast<int>(event.kind)];
    line.first = links_[first_].next;
    links_[first_].next = free_;
    free_ = first_;
    first_ = FirstOf(instant->second);
    if (first_ == kNone) {
      instants_.erase(instant);
      times_.pop();
      if (!empty()) first_ = FirstOf(instants_.find(times_.top())->second);
    }
    return event;
  }

 private:
  struct Link {
    Event event;
    uint32_t next = kNone;
  };
  struct Line {
    uint32_t first = kNone, last = kNone;  // `last` is valid while there is a first
  };
  using Instant = std::array<Line, 5>;  // by kind

  static uint32_t FirstOf(const Instant& instant) {
    for (const Line& line : instant) {
      if (line.first != kNone) return line.first;
    }
    return kNone;
  }

  std::vector<Link> links_;
  uint32_t free_ = kNone;   // head of the list of links out of use
  uint32_t first_ = kNone;  // what comes next
  HashMap<int64_t, Instant> instants_;
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> times_;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_EVENT_QUEUE_H_
