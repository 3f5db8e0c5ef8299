// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster_probe: single questions to rooms that no public API opens, for recorded calls of other
// schedulers' functions. One JSON document a line comes in, one goes out:
//
//   {"amount": "less_equal", "l": RESOURCE, "r": RESOURCE}         -> {"answer": true}
//   {"quota_tree": OPTIONS, "ops": [{"op": "total", "delta": {"cpu": 8000}}, ...]} -> {"answers": [{"groups": ...}]}
//   {"quota_forest": OPTIONS, "ops": [{"op": "node", "name": NAME, "amounts": {"cpu": 8000}}, ...]} -> {"answers": [{"trees": ...}]}
//   {"quota_profile": {"name": NAME, "nodes": [NODE, ...], ...}} -> {"answers": {"tree": NAME, "total": {"cpu": 8000}, ...}}
//   {"quota_rules": OPTIONS, "ops": [{"op": "create", "quota": QUOTA}, ...]} -> {"answers": [{"accepted": true}]}
//   {"cpus": {"machine": [[CPU, CORE, ZONE, SOCKET], ...], "available": "0-3,8", "count": 2, ...}} -> {"answers": "0-1"}
//   {"devices": {"machines": {NAME: MACHINE}, ...}, "ops": [{"op": "schedule", ...}]} -> {"answers": [{"node": NAME}]}
//     (or "choose": that step alone on one machine; "read": what a request asks for; "score"; "hold", "give_back": the books)
//   {"condor": CASE} -> {"answers": [RECORD, ...]}: events of the accountant, quotas, or cycles
//   {"armada": {"op": "round", "state": STATE, "nodeDb": NODE_DB, "draws": {GANG: VALUE}}} -> {"answers": {"scheduled": ..., ...}}
//   {"pulsar": CASE} -> {"answers": [RECORD, ...]}: one for each round, call or step
//   {"yunikorn": {"ask": KIND, ...}} -> {"answers": ...}: scripts, decisions on a state, rules
//   {"yarn": CASE} -> {"answers": [RECORD, ...]}: what changed with each operation
//   {"koordinator_colocation": {"ask": "batch", "node": NODE, ...}} -> {"answers": {"node": [30000, 0], "zones": []}}
//   {"koordinator_rebalance": {"ask": KIND, ...}} -> {"answers": ...}
//   {"koordinator_gangs": {"ask": KIND, ...}} -> {"answers": ...}
//   {"loads": {"nodes": {NAME: LOAD}, ...}, "ops": [{"task": NAME, ...}]} -> {"answers": [{"fits": {NAME: true}}]}
//   {"cpu_binding": {"ask": "need", "strict": true, "milli": 4000, ...}} -> {"answers": {"binds": true, ...}}
//   {"reservations": {"ask": "filter", "request": AMOUNTS, "node": NODE, "matched": [RESERVED, ...], ...}} -> {"answers": {"fits": true, ...}}
//   {"capacity": [{"op": "add", "namespace": NAME, "min": {"cpu": 8000}}, ...]} -> {"answers": [{"accounts": ...}]}
//   {"plugin_calls": [NAMESPACE, PROFILE], "ops": [{"op": "score", "node": NAME, ...}, ...]} -> {"answers": [2]}
//   {"plugin_gangs": OPTIONS, "ops": [{"op": "permit", "pod": POD}, ...]} -> {"answers": [{"code": "wait", ...}]}
//   {"plugin_network": [{"op": "cost", "node": [NAME, REGION, ZONE], ...}]} -> {"answers": [{"cost": 20, ...}]}
//   {"plugin_pods": [{"op": "effective", "pod": {"containers": [...]}}, ...]} -> {"answers": [{"cpu": 1000}]}
//   {"plugin_zones": {"method": METHOD}, "ops": [{"op": "get", "node": NAME}, ...]} -> {"answers": [{"fresh": true, ...}]}
//   {"zones": {"resources": [NAME, ...], "nodes": {NAME: NODE}}, "ops": [{"task": TASK, ...}]} -> {"answers": [...]}
//   {"bundles": {"nodes": [NODE, ...], "strategy": "PACK", ...}} -> {"answers": {"outcome": "placed", "nodes": [0]}}
//   {"drf": {"form": "H", "capacity": [9, 18], "children": [NODE, ...]}, "ops": [{"op": "fill"}]} -> {"answers": [...]}
//   {"numa": {"policy": NAME, "zones": 3, "resources": [[[1, true], [3, false]], null], ...}} -> {"answers": ...}
//   {"cards": {"ask": "take", "machine": MACHINE, "request": REQUEST, "order": "binpack"}} -> {"answers": {"fits": true}}
//   {"kai": "GetQueueOrderResult", "in": {"left": QUEUE, "right": QUEUE, ...}} -> {"answers": -1}
//   {"import": {"objects": TEXT, "profile": NAME, ...}} -> {"answers": {"scenario": TEXT, "report": TEXT}}
//   {"plan": {"scenario": TEXT, "profile": SPEC}} -> {"answers": {"decisions": [["bind", TASK, NODE]], "messages": {TASK: TEXT}}}
//   {"import": {"rule": "requests", "pod": POD, "modern": true}} -> {"answers": {"held": {"cpu": [1, 500000000]}, ...}}
//   {"kueue_topology": WORLD, "ops": [{"op": "find", "pod_sets": [...]}, ...]} -> {"answers": [[...]]}
//   {"kueue_topology_steps": {"levels": 1, "domains": [...]}, "ops": [{"op": "order", ...}]} -> {"answers": [[0]]}
//   {"kueue": WORLD, "ops": [{"op": "play", "cycles": 20}]} -> {"answers": [STEPS]}
//   {"kube_cycles": {"configuration": CONFIGURATION, "state": STATE, "ops": [...]}} -> {"answers": {"steps": [...], "final": ...}}
//   {"kueue_view": {"ask": "count", "request": AMOUNTS, "capacity": AMOUNTS}} -> {"answers": {"count": 5, ...}}
//   {"scenario": SCENARIO, "ask": [["move", TASK, STATUS, NODE], ["ready", JOB], ...]}  -> {"answers": [null, true]}
//
// What cannot be answered is {"error": TEXT}: a name that nothing has, a question that is none.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_PROBE_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_PROBE_H_

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace muster::testing {

// Amounts as shares are computed with them, where "no map", "no such name" and "zero" are three
// things. A RESOURCE is written as the record of the peer writes it: {"milliCPU": 1, "memory": 2,
// "scalars": {NAME: 3}}.
absl::StatusOr<nlohmann::json> AskAmounts(const nlohmann::json& request);

// The books, policies and node search of a profile on a scenario, question after question.
absl::StatusOr<nlohmann::json> AskSession(const nlohmann::json& request);

// Elastic quota trees: event after event; a step of the answer has the numbers of each group that
// changed.
absl::StatusOr<nlohmann::json> AskQuotaTree(const nlohmann::json& request);
// The same of several such trees, with the nodes that feed them; each step has the numbers of all
// groups.
absl::StatusOr<nlohmann::json> AskQuotaForest(const nlohmann::json& request);
// Koordinator's room for batch and mid work, and its ratios of CPUs.
absl::StatusOr<nlohmann::json> AskKoordinatorColocation(const nlohmann::json& request);
// Koordinator's descheduler: which tasks leave which nodes, and its single rules.
absl::StatusOr<nlohmann::json> AskKoordinatorRebalance(const nlohmann::json& request);
// Koordinator's gangs, by the calls of a record, and their single rules.
absl::StatusOr<nlohmann::json> AskKoordinatorGangs(const nlohmann::json& request);
// HTCondor's accountant, group quotas and negotiation cycles, by the configuration and the events
// of a record.
absl::StatusOr<nlohmann::json> AskCondor(const nlohmann::json& request);
// Mesos' sorters and allocator, by the operations or events of a record.
absl::StatusOr<nlohmann::json> AskMesos(const nlohmann::json& request);
// Rounds of Armada's pools, and the rules below them.
absl::StatusOr<nlohmann::json> AskArmada(const nlohmann::json& request);
// Pulsar's shedders, placements and splits; the name of the record says which.
absl::StatusOr<nlohmann::json> AskPulsar(const nlohmann::json& request);
// YuniKorn's core: scripts on a living partition, decisions on recorded states, single rules.
absl::StatusOr<nlohmann::json> AskYuniKorn(const nlohmann::json& request);
// YARN's capacity and fair schedulers, by the configuration and the operations of a record.
absl::StatusOr<nlohmann::json> AskYarn(const nlohmann::json& request);
// The root of a tree that has what some nodes have.
absl::StatusOr<nlohmann::json> AskQuotaProfile(const nlohmann::json& request);
// Edits of such a tree: which are accepted.
absl::StatusOr<nlohmann::json> AskQuotaRules(const nlohmann::json& request);
// One level of such a tree alone: what its children get, what is left of a minimum.
absl::StatusOr<nlohmann::json> AskQuotaLevel(const nlohmann::json& request);
// The victims for a task of an elastic quota group, or because the group uses too much.
absl::StatusOr<nlohmann::json> AskQuotaVictims(const nlohmann::json& request);

// Elastic quotas of namespaces: event after event; and what a task may do under them.
absl::StatusOr<nlohmann::json> AskCapacity(const nlohmann::json& request);

// Which CPUs of a machine a task gets; null: none.
absl::StatusOr<nlohmann::json> AskCpus(const nlohmann::json& request);
// Which devices of which machine tasks get, one after the other.
absl::StatusOr<nlohmann::json> AskDevices(const nlohmann::json& request);
// Which nodes have room by measured load, and how good they are, for tasks one after the other.
absl::StatusOr<nlohmann::json> AskLoads(const nlohmann::json& request);

// scheduler-plugins' system calls of pods and nodes.
absl::StatusOr<nlohmann::json> AskPluginCalls(const nlohmann::json& request);
// scheduler-plugins' coscheduling: events of groups and pods, and decisions for pods.
absl::StatusOr<nlohmann::json> AskPluginGangs(const nlohmann::json& request);
// scheduler-plugins' network-aware placement: costs of nodes, and the order of workloads.
absl::StatusOr<nlohmann::json> AskPluginNetwork(const nlohmann::json& request);
// scheduler-plugins' reports of NUMA zones: caches, fingerprints, placements, evictions.
absl::StatusOr<nlohmann::json> AskPluginZones(const nlohmann::json& request);
// What plug-ins read from pods and from the topology managers of nodes.
absl::StatusOr<nlohmann::json> AskPluginPods(const nlohmann::json& request);
// Single rules of plug-ins: scores by load, amounts and marks, orders and exemptions.
absl::StatusOr<nlohmann::json> AskPluginScores(const nlohmann::json& request);
// CPUs of their own for tasks, by policies of the task and of the node.
absl::StatusOr<nlohmann::json> AskCpuBinding(const nlohmann::json& request);
// Nodes that keep room for tasks: whether a task fits, by which reservation, and how good it is.
absl::StatusOr<nlohmann::json> AskReservations(const nlohmann::json& request);

// Which machines of NUMA zones hold a task, and how good they are.
absl::StatusOr<nlohmann::json> AskZones(const nlohmann::json& request);

// Machines for the bundles of a group, or for single tasks.
absl::StatusOr<nlohmann::json> AskBundles(const nlohmann::json& request);
// Tasks by dominant resource fairness.
absl::StatusOr<nlohmann::json> AskDrf(const nlohmann::json& request);

// NUMA zones: merged hints ("resources", or with scores "scored"), hints of CPUs, or the CPUs of a
// "hint".
absl::StatusOr<nlohmann::json> AskNuma(const nlohmann::json& request);
// Shared cards: the cards that a task gets of a machine, or one rule of that.
absl::StatusOr<nlohmann::json> AskCards(const nlohmann::json& request);

// A function of KAI Scheduler on the plain forms of its recorded arguments (kai.h).
absl::StatusOr<nlohmann::json> AskKai(const nlohmann::json& request);

// What importers make of objects, and single rules of theirs.
absl::StatusOr<nlohmann::json> AskImport(const nlohmann::json& request);
// The plan of a profile on a scenario.
absl::StatusOr<nlohmann::json> AskPlan(const nlohmann::json& request);

// Places in the topology of a flavor, its tree and its books.
absl::StatusOr<nlohmann::json> AskKueueTopology(const nlohmann::json& request);
// Single steps of the search for places, on domains with given room.
absl::StatusOr<nlohmann::json> AskKueueTopologySteps(const nlohmann::json& request);
// Kueue: whole cycles, searches, and single rules (probe/kueue.h).
absl::StatusOr<nlohmann::json> AskKueue(const nlohmann::json& request);
absl::StatusOr<nlohmann::json> AskKueueRule(const nlohmann::json& request);
// A recorded run of kube-scheduler, operation after operation on a living cluster.
absl::StatusOr<nlohmann::json> AskKubeCycles(const nlohmann::json& request);

// How Kueue reads a workload, and how requests are computed with.
absl::StatusOr<nlohmann::json> AskKueueView(const nlohmann::json& request);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_PROBE_H_
