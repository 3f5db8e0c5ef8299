// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Processes that live on what a node reserves.
#include "lib/peer/koordinator/colocation/node_view.h"

namespace muster::koordinator {

CpuMemory ProcessesAbove(const Measurement& measured, Band band) {
  CpuMemory sum;
  for (const MeasuredProcess& process : measured.processes) {
    if (ImportanceOf(process.band) > ImportanceOf(band)) sum += process.usage;
  }
  return sum;
}

}  // namespace muster::koordinator
