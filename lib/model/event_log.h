// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The events of a cluster that some slot of its memory has not seen.
//
//   log.Start();
//   log.Add({ClusterEventKind::kNodeAdded, 0, "n1"}, /*most=*/1024);
//   ClusterEvents events = log.Since(slot.generation);
//   slot.generation = log.generation();           // now it has seen them
//
// Events are numbered from 1. The generation of the log is the number of the next event. Names are
// kept, not indices, because rows go and indices move while a slot looks away.
#ifndef MUSTER_MODEL_EVENT_LOG_H_
#define MUSTER_MODEL_EVENT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "muster/event.h"

namespace muster {

class EventLog {
 public:
  bool recording() const { return recording_; }
  void Start() { recording_ = true; }
  // Past `most` events the older half goes. REQUIRES: recording().
  void Add(ClusterEvent event, size_t most);
  // Drops all events, as if more had come than the log holds: slots of every generation up to the
  // log's, and up to `generation`, get `everything`.
  void Overflow(uint64_t generation);
  // Drops the events before that generation.
  void Forget(uint64_t generation);
  // Replaces the contents: `list` came since `generation`. Starts.
  void Restore(uint64_t generation, std::vector<ClusterEvent> list);

  uint64_t generation() const { return first_ + list_.size(); }
  // Valid until the log changes.
  ClusterEvents Since(uint64_t generation) const;

 private:
  bool recording_ = false;
  uint64_t first_ = 1;  // number of list_[0]
  std::vector<ClusterEvent> list_;
};

}  // namespace muster

#endif  // MUSTER_MODEL_EVENT_LOG_H_
