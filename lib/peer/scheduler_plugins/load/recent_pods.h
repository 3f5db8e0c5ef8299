// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Pods that came to a node so recently that its measured load may not hold them.
//
//   RecentPods pods;
//   pods.Place("web-0", /*expected_cpu=*/500, now);
//   pods.Missing(window_end);   // 500 if it came less than 60 s before the end, or after it
//   pods.Forget(now);
//
// Forget drops pods that came more than 60 s ago, which no measurement misses. If all did, it drops
// none, as the peer's does; Missing is the same either way. Times are seconds. Cost: O(pods).
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_LOAD_RECENT_PODS_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_LOAD_RECENT_PODS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace muster::scheduler_plugins {

class RecentPods {
 public:
  struct Placed {
    std::string pod;
    int64_t expected_cpu = 0;  // in thousandths of a core, overhead included
    double at = 0;
  };

  // Times must not descend from call to call.
  void Place(std::string pod, int64_t expected_cpu, double at);
  void Forget(double now);
  // Returns the expected cpu of pods that a measurement until `window_end` may miss.
  int64_t Missing(double window_end) const;

  const std::vector<Placed>& placed() const { return placed_; }

 private:
  std::vector<Placed> placed_;  // by time
};

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_LOAD_RECENT_PODS_H_
