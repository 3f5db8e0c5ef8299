// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Averages of bundles over few and many samples, as memory between cycles.
//
//   BundleAverages averages(*context.facts.cycle);
//   Bundle bundle = averages.Read(tables, task);   // as the sample of this cycle makes them
//   averages.Store(tables);                        // for the next cycle
//
// A task's usage is a sample. It is a new one if its time or its traffic is another than that of
// the sample before. A usage with windows has its averages already: the amounts are those over few
// samples, and the average of the longest window is that over many.
//
// Memory. Slot pulsar-samples has a row for each task with samples: the time of the last one, its
// traffic, and each average behind its number of samples. Rows that do not fit read as none.
//
// Cost. O(log tasks) a task, and O(tasks) to store.
#ifndef MUSTER_PEER_PULSAR_BUNDLE_AVERAGES_H_
#define MUSTER_PEER_PULSAR_BUNDLE_AVERAGES_H_

#include <string_view>

#include "lib/model/tables.h"
#include "lib/peer/pulsar/load.h"
#include "muster/memory.h"
#include "muster/policy/cycle.h"

namespace muster::pulsar {

inline constexpr std::string_view kSampleSlot = "pulsar-samples";

// Returns the task's usage; null for a bundle that was never measured.
const TaskUsage* UsageOf(const Tables& tables, TaskIndex task);
// Returns the traffic of amounts by the names of read_world.h.
Traffic TrafficOf(const Resources& amounts);

class BundleAverages {
 public:
  // The cycle must outlive it.
  explicit BundleAverages(const Cycle& cycle) : cycle_(cycle), before_(cycle.Recall(kSampleSlot)) {}

  // Without usage the bundle has kUnseenTraffic.
  Bundle Read(const Tables& tables, TaskIndex task) const;
  void Store(const Tables& tables) const;

 private:
  struct Averages {
    TimeAverage shortly{kUnseenTraffic, 10}, longly{kUnseenTraffic, 1000};
  };
  Averages Next(std::string_view name, const TaskUsage& usage) const;

  const Cycle& cycle_;
  const MemorySlot before_;
};

}  // namespace muster::pulsar

#endif  // MUSTER_PEER_PULSAR_BUNDLE_AVERAGES_H_
