// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Processes that live on what a node reserves.
#include "lib/peer/koordinator/colocation/node_view.h"

namespace muster::koordinator {
namespace {

// Larger for a more important band.
int RankOf(Band band) {
  switch (band) {
    case Band::kProduction:
      return 4;
    case Band::kMid:
      return 3;
    case Band::kBatch:
      return 2;
    case Band::kFree:
      return 1;
    case Band::kNone:
      return 0;
  }
  return 0;
}

}  // namespace

CpuMemory ProcessesAbove(const Measurement& measured, Band band) {
  CpuMemory sum;
  for (const MeasuredProcess& process : measured.processes) {
    if (RankOf(process.band) > RankOf(band)) sum += process.usage;
  }
  return sum;
}

}  // namespace muster::koordinator
