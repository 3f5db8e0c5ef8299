// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/random_spec.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace muster::testing {
namespace {

class SpecMaker {
 public:
  explicit SpecMaker(Rng& rng) : rng_(rng) {}
  std::string Make();

 private:
  std::vector<std::string> Actions();
  std::vector<std::string> Policies();
  // Points at which the policy is not asked; nullopt: the policy is to be as it is.
  std::optional<std::string> Without(const std::string& policy);
  void AddOptions(const std::string& policy);

  void Add(const std::string& option) { options_ += (options_.empty() ? "" : ",") + option; }
  void Number(double p, const std::string& name, uint64_t most) {
    if (rng_.Chance(p)) Add(name + "=" + std::to_string(rng_.Below(most + 1)));
  }

  Rng& rng_;
  std::string options_;  // of the policy at hand
};

std::vector<std::string> SpecMaker::Actions() {
  std::vector<std::string> actions = {"admit", "allocate", "backfill", "preempt", "reclaim"};
  if (rng_.Chance(0.4)) actions.insert(actions.end(), {"gangpreempt", "gangreclaim"});
  if (rng_.Chance(0.2)) actions.push_back("shuffle");
  rng_.Shuffle(actions);
  actions.resize(1 + rng_.Below(actions.size()));
  if (rng_.Chance(0.7) && std::find(actions.begin(), actions.end(), "allocate") == actions.end()) {
    actions.push_back("allocate");
  }
  return actions;
}

std::vector<std::string> SpecMaker::Policies() {
  std::vector<std::string> policies = {"priority",   "gang",      "conformance",
                                       "overcommit", "drf",       "predicates",
                                       "proportion", "nodeorder", "binpack"};
  if (rng_.Chance(0.4)) {
    std::replace(policies.begin(), policies.end(), std::string("proportion"),
                 std::string("capacity"));
  }
  for (const char* more :
       {"sla", "resourcequota", "resource-strategy-fit", "usage", "load-aware", "cdp",
        "rescheduling", "shards", "sampling", "task-topology", "nodegroup", "tdm"}) {
    if (rng_.Chance(0.2)) policies.insert(policies.begin() + rng_.Below(policies.size()), more);
  }
  if (rng_.Chance(0.5)) rng_.Shuffle(policies);
  return policies;
}

std::optional<std::string> SpecMaker::Without(const std::string& policy) {
  static const std::vector<std::string> points = {
      "job_order",   "queue_order", "task_order",  "fit",       "score",   "overused",
      "allocatable", "preemptive",  "ready",       "pipelined", "admit",   "starving",
      "valid",       "preemptable", "reclaimable", "evictable", "victims", "victim_queue_order"};
  std::string without = points[rng_.Below(points.size())];
  if (rng_.Chance(0.3)) without += "|" + points[rng_.Below(points.size())];
  // A plan shows the shares by which queues are ordered, so without that order there are none to
  // compare.
  const bool shares = policy == "proportion" || policy == "capacity";
  if (shares && ("|" + without + "|").find("|queue_order|") != std::string::npos) {
    return std::nullopt;
  }
  return without;
}

void SpecMaker::AddOptions(const std::string& policy) {
  if (policy == "binpack") {
    Number(0.3, "weight", 5);
    Number(0.2, "cpu", 3);
    Number(0.2, "resource.nvidia.com/gpu", 3);
  } else if (policy == "nodeorder") {
    for (const char* name : {"least_requested", "most_requested", "node_affinity", "pod_affinity",
                             "balanced", "taint_toleration", "image_locality", "spread"}) {
      Number(0.15, name, 3);
    }
  } else if (policy == "drf" && rng_.Chance(0.3)) {
    Add("hierarchy=on");
  } else if (policy == "capacity") {
    if (rng_.Chance(0.6)) Add("hierarchy=on");
    Number(0.6, "ancestor_reclaim_level", 3);
  } else if (policy == "sla") {
    Number(0.5, "waiting_time", 3);
  } else if (policy == "resource-strategy-fit") {
    Number(0.3, "weight", 3);
    Number(0.4, "least.cpu", 3);
    Number(0.4, "most.nvidia.com/*", 3);
    Number(0.2, "most.memory", 3);
    Number(0.3, "scarce_weight", 3);
    Number(0.5, "scarce.nvidia.com/gpu", 3);
    Number(0.2, "reserve_cpu.nvidia.com/gpu", 2);
  } else if (policy == "usage") {
    Number(0.3, "weight", 9);
    Number(0.3, "cpu", 3);
    Number(0.3, "memory", 3);
    Number(0.3, "cpu_threshold", 100);
    if (rng_.Chance(0.3)) Add("request_ratio=1,risk_threshold=0.3");
  } else if (policy == "load-aware") {
    Number(0.3, "weight", 3);
    Number(0.4, "cpu_threshold", 100);
    Number(0.4, "memory_threshold", 100);
    Number(0.3, "cpu", 3);
    Number(0.3, "dominant", 3);
    Number(0.4, "interval", 100);
    Number(0.3, "expiration", 500);
    if (rng_.Chance(0.4)) Add(rng_.Chance(0.5) ? "expired=pass" : "expired=trust");
  } else if (policy == "sampling") {
    Add("least_nodes=" + std::to_string(1 + rng_.Below(4)));
    Number(0.5, "percent", 100);
    Number(0.5, "least_percent", 60);
  } else if (policy == "task-topology") {
    Number(0.4, "weight", 9);
  } else if (policy == "shards") {
    Add(rng_.Chance(0.7) ? "name=a" : "name=b");
    if (rng_.Chance(0.6)) Add("soft=on");
  } else if (policy == "rescheduling") {
    Number(0.8, "cpu_low", 100);
    Number(0.5, "memory_low", 100);
    Number(0.8, "cpu_high", 100);
    Number(0.5, "memory_high", 100);
  } else if (policy == "nodegroup") {
    for (const char* name : {"strict=off", "hierarchy=on", "preferred_order=on"}) {
      if (rng_.Chance(0.4)) Add(name);
    }
  } else if (policy == "tdm") {
    for (const char* zone : {"day", "night"}) {
      Number(0.9, "from." + std::string(zone), 1);
      Number(0.9, "to." + std::string(zone), 1);
    }
  } else if (policy == "overcommit" && rng_.Chance(0.3)) {
    Add("factor=1.5");
  } else if (policy == "predicates") {
    for (const char* name : {"node_affinity", "host_ports", "taints", "pod_affinity", "spread"}) {
      if (rng_.Chance(0.05)) Add(std::string(name) + "=off");
    }
  }
}

std::string SpecMaker::Make() {
  const std::vector<std::string> actions = Actions(), policies = Policies();
  std::string spec = "volcano:actions=";
  for (size_t i = 0; i < actions.size(); ++i) spec += (i > 0 ? "+" : "") + actions[i];
  spec += ",tiers=";
  bool first = true;
  for (const std::string& policy : policies) {
    // Without predicates there is no volcano view of the nodes: nothing to compare.
    if (policy != "predicates" && rng_.Chance(0.1)) continue;
    if (!first) spec += rng_.Chance(0.25) ? "/" : "+";
    first = false;
    spec += policy;
    options_.clear();
    if (rng_.Chance(0.25)) {
      const std::optional<std::string> without = Without(policy);
      if (!without) continue;
      Add("without=" + *without);
    }
    AddOptions(policy);
    if (!options_.empty()) spec += "(" + options_ + ")";
  }
  return spec;
}

}  // namespace

std::string RandomVolcanoSpec(Rng& rng) { return SpecMaker(rng).Make(); }

}  // namespace muster::testing
