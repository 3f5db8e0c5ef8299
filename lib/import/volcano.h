// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The parts of Volcano's importer, for its own files and their tests; other code calls
// ImportObjects.
//
// Each function adds to rows that were read what Volcano's own fields, annotations and objects
// hold. `objects` are the objects of the rows, one each.
#ifndef MUSTER_IMPORT_VOLCANO_H_
#define MUSTER_IMPORT_VOLCANO_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/import/importer.h"
#include "muster/snapshot.h"

namespace muster::volcano {

// --- queues (volcano_queues.cc) ---

// Returns the first queue with a parent that would leave it out of any tree, or null.
const ApiObject* AddToQueues(const Dump::Objects& objects, ClusterSpec* cluster);
// Amounts of a spec; counts of objects are passed over.
Resources ReadSpecAmounts(const ApiObject& object, const Field& amounts);

// --- jobs and tasks (volcano_jobs.cc, volcano_tasks.cc) ---

void AddToJobs(const Dump::Objects& objects, ClusterSpec* cluster);
// `lists_cpus`: some nodes list their CPUs, so it counts which pods are guaranteed.
void AddToTasks(const Dump::Objects& objects, bool lists_cpus, ClusterSpec* cluster);
// Returns the groups of a job that are to be together or apart; nothing where no annotation is
// about it.
std::optional<GroupTopology> ReadGroupTopology(const ApiObject& group);
// Returns a mark that is an annotation, or else a label: `unset` if it is neither, false if it is
// no boolean.
bool ReadMark(const ApiObject& object, std::string_view name, bool unset);
// Returns whether the text is one that Go parses as true, or as false.
bool IsTrue(std::string_view text);
bool IsFalse(std::string_view text);

// --- sub-groups (sub_groups.cc) ---

// Puts each task into a sub-group, and gives jobs their policies and sub-groups. The first policy
// of the task's job decides that selects the pod and has only label keys that the pod has.
void AddSubGroups(const Dump::Objects& groups, const Dump::Objects& pods, ClusterSpec* cluster);
// Where tasks are to be together; nothing where `topology` has no members.
std::optional<TopologyWish> ReadTopologyWish(const Field& topology);
// Returns the values that separate a pod's sub-group from others of the policy; none where the pod
// is in none.
std::vector<std::string> MatchValues(const Field& policy, const Labels& labels);
// Policy and values. Long values stand for themselves, where the peer hashes them.
std::string SubGroupName(std::string_view policy, const std::vector<std::string>& values);

// --- trees above nodes (hyper_nodes.cc), shards (volcano_shards.cc), CPUs (numa_topology.cc) ---

// HyperNode objects as domains, and each node's domain.
void AddDomains(const Dump& dump, ImportLog* log, ClusterSpec* cluster);
// Returns the names among `candidates` that a selector of a member chooses: by exactMatch,
// regexMatch or labelMatch.
std::vector<std::string> ChosenMembers(const Field& selector, const Dump::Objects& candidates);
// A node belongs to the shard that desires it, unless another has it in use.
void AddShards(const Dump& dump, std::vector<NodeSpec>* nodes);
// Zones, CPUs and alignment of nodes by Numatopology objects. CPUs that are not allocatable are not
// healthy.
void AddCpus(const Dump& dump, std::vector<NodeSpec>* nodes);
// Returns how the pod is to be aligned with zones; kUnset where it does not matter.
Alignment ReadAlignment(const ApiObject& pod);

}  // namespace muster::volcano

#endif  // MUSTER_IMPORT_VOLCANO_H_
