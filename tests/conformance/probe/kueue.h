// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How questions about Kueue's worlds are written: a scenario, and what workloads are beyond it.
//
//   {"kueue": {"config": {"fair_sharing": true, "gates": {"PartialAdmission": false}},
//              "scenario": SCENARIO, "facts": {JOB: FACTS}, "policies": {QUEUE: WORDS}},
//    "ops": [{"op": "play", "cycles": 20, "finish_on_idle": 3}]}
//
// Ops: "play" runs many cycles as the random clusters were run. "cycle" runs one with queues as
// they are given. "find" searches the victims for an assignment. "assign" searches flavors, with
// the answers of an oracle given.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_KUEUE_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_KUEUE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/peer/kueue/cycle.h"
#include "lib/peer/kueue/workload_rules.h"
#include "nlohmann/json.hpp"

namespace muster::testing {

kueue::TopologyRequest KueueTopologyRequest(const nlohmann::json& wish);
kueue::RequeueReason KueueReason(const std::string& word);
kueue::Policy KueuePolicy(const std::string& word);
// The cell of FLAVOR/RESOURCE.
kueue::Cell KueueCell(kueue::World* world, const std::string& name);
void ReadKueueConfig(const nlohmann::json& config, kueue::Config* out);
kueue::WorkloadFacts KueueFacts(const nlohmann::json& facts);
// Adds the flavors, queues and jobs of the question to the world. Jobs that wait are not pushed.
absl::Status ReadKueueWorld(const nlohmann::json& question, kueue::World* world);

// The nodes of the question's scenario, with what others take of them.
absl::StatusOr<std::vector<kueue::TopologyHost>> KueueHosts(const nlohmann::json& question);

// The status of a workload, and counts by pod set.
kueue::WorkloadState KueueState(const nlohmann::json& object);
kueue::NamedCounts KueueCounts(const nlohmann::json& map);

nlohmann::json WrittenEntry(const kueue::World& world, const kueue::Entry& entry);
nlohmann::json WrittenAssignment(const kueue::World& world, kueue::Queue queue,
                                 const kueue::Assignment& assignment);
nlohmann::json WrittenVictims(const kueue::World& world, const std::vector<kueue::Victim>& victims);
nlohmann::json WrittenAmounts(const kueue::World& world, const kueue::CellAmounts& amounts);
nlohmann::json WrittenQueues(kueue::World& world, kueue::Scheduler& scheduler);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_KUEUE_H_
