// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a node, its tasks and its measurement look like to the rules of co-location.
//
//   NodeView node{.capacity = {100'000, Gigabytes(120)}, .allocatable = {90'000, Gigabytes(100)}};
//   Measurement measured{.time = now, .system = {7'000, Gigabytes(12)}, .tasks = {...}};
//   CpuMemory reserved = ReservedOf(node);   // 10 cores and 20 GB here
//
// Peer. A measurement may list tasks that the node no longer has, and lack tasks that it has. Both
// are seen by their names. Tasks that ended are left out by the caller's `is_active`.
#ifndef MUSTER_PEER_KOORDINATOR_COLOCATION_NODE_VIEW_H_
#define MUSTER_PEER_KOORDINATOR_COLOCATION_NODE_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/peer/koordinator/colocation/bands.h"
#include "lib/peer/koordinator/colocation/cpu_memory.h"

namespace muster::koordinator {

struct HostedTask {
  std::string name;
  CpuMemory request = {};
  Band band = Band::kProduction;
  bool is_exclusive = false;        // class LSE
  bool is_active = true;            // pending or running
  std::vector<int64_t> zones = {};  // that its CPUs are bound to; empty: all
};

struct MeasuredTask {
  std::string name;
  CpuMemory usage = {};
  Band band = Band::kNone;  // as measured, for a task that the node does not list
};

// A process of the machine outside of tasks.
struct MeasuredProcess {
  CpuMemory usage = {};
  Band band = Band::kNone;
};

struct Measurement {
  std::optional<int64_t> time = {};  // nanoseconds
  CpuMemory system = {};
  std::optional<CpuMemory> node = {};         // absent: incomplete
  std::optional<CpuMemory> reclaimable = {};  // of production, as predicted
  std::vector<MeasuredTask> tasks = {};
  std::vector<MeasuredProcess> processes = {};
};

struct NodeView {
  CpuMemory capacity = {}, allocatable = {};
  CpuMemory reserved = {};  // by mark
  std::vector<HostedTask> tasks = {};
  std::vector<CpuMemory> zones = {};  // allocatable of each; empty: not known
};

// Returns what neither tasks nor batch work may have: the mark, or what the agent withholds.
inline CpuMemory ReservedOf(const NodeView& node) {
  return Larger(AtLeastZero(node.capacity - node.allocatable), node.reserved);
}

// Returns the use of processes of bands above `band`.
CpuMemory ProcessesAbove(const Measurement& measured, Band band);

// Returns whether the measurement is too old, or has no time. Exactly at the limit it still counts.
inline bool IsStale(const Measurement& measured, int64_t now, int64_t minutes) {
  return !measured.time.has_value() || now > *measured.time + minutes * 60'000'000'000;
}

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_COLOCATION_NODE_VIEW_H_
