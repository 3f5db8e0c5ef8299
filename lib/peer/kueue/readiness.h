// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether a ClusterQueue admits at all, and what keeps it from it.
//
//   QueueFacts facts{.missing_flavors = {"spot"}};
//   ReadinessOf(facts).reason;       // "FlavorNotFound"
//   ReadinessOf(facts).active;       // false: no cycle looks at the queue
//
// A queue that does not admit still uses quota of its cohort. The first thing that is wrong gives
// the reason, and the message has all of them.
//
// Where Kueue surprises: a topology that does not exist is no obstacle where another cluster runs
// the workloads (a MultiKueue check), although the message would still name it.
#ifndef MUSTER_PEER_KUEUE_READINESS_H_
#define MUSTER_PEER_KUEUE_READINESS_H_

#include <string>
#include <utility>
#include <vector>

namespace muster::kueue {

struct QueueCheck {
  std::string name;
  bool found = true;
  bool active = true;
  enum class Kind { kOther, kMultiKueue, kProvisioning } kind = Kind::kOther;
  bool all_flavors = true;  // it is for exactly the flavors of the queue
};

struct QueueFacts {
  bool terminating = false;
  bool stopped = false;
  std::vector<std::string> missing_flavors = {};
  std::vector<QueueCheck> checks = {};
  // Flavors with a topology that does not exist, and its name.
  std::vector<std::pair<std::string, std::string>> missing_topologies = {};
};

struct Readiness {
  bool active = true;
  std::string reason = "Ready";
  std::string message = "Can admit new workloads";
};
Readiness ReadinessOf(const QueueFacts& facts);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_READINESS_H_
