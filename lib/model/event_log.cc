// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/event_log.h"

#include <algorithm>
#include <utility>

#include "lib/model/words.h"

namespace muster {

void EventLog::Add(ClusterEvent event, size_t most) {
  list_.push_back(std::move(event));
  if (list_.size() > most) Forget(first_ + list_.size() / 2);
}

void EventLog::Overflow(uint64_t generation) {
  first_ = std::max(this->generation(), generation) + 1;
  list_.clear();
}

void EventLog::Forget(uint64_t generation) {
  if (generation <= first_) return;
  const size_t gone = std::min<uint64_t>(generation - first_, list_.size());
  list_.erase(list_.begin(), list_.begin() + static_cast<std::ptrdiff_t>(gone));
  first_ += gone;
}

void EventLog::Restore(uint64_t generation, std::vector<ClusterEvent> list) {
  recording_ = true;
  first_ = generation;
  list_ = std::move(list);
}

ClusterEvents EventLog::Since(uint64_t generation) const {
  if (generation < first_ || generation > this->generation()) return {.everything = true};
  return {.list = std::span(list_).subspan(generation - first_)};
}

std::string_view ClusterEventKindName(ClusterEventKind kind) { return Word(kind); }

std::string_view EventAspectName(int bit) {
  static constexpr std::string_view kNames[kEventAspectCount] = {"capacity_grew",
                                                                 "capacity_shrank",
                                                                 "labels",
                                                                 "taints",
                                                                 "became_schedulable",
                                                                 "became_unschedulable",
                                                                 "domain",
                                                                 "shape",
                                                                 "status",
                                                                 "nomination",
                                                                 "gates",
                                                                 "priority",
                                                                 "other"};
  return bit >= 0 && bit < kEventAspectCount ? kNames[bit] : "";
}

}  // namespace muster
