// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What jobs request of topologies, in their settings.
//
//   absl::StatusOr<std::vector<GroupWish>> wishes = ReadWishes(job);   // by group of the job
//   if (wishes.ok()) Place((*wishes)[0].request);
//
// Keys are Kueue's annotations of pods, all behind "kueue/":
//
//   podset-required-topology        the level of which one domain holds all tasks of the group
//   podset-preferred-topology       the level of which one domain holds them, if one does
//   podset-unconstrained-topology   "true": any domains will do
//   podset-slice-required-topology  with podset-slice-size: so many tasks are in one domain of it
//   podset-slice-required-topology-constraints   slices in slices: "block=16,rack=4"
//   podset-group-name               two groups with one name are placed together
//
// Behind a key may stand "/" and a group: it then is about that group alone, which reads no key
// without a group. Levels are label keys; whether a topology has them is seen in a cycle.
#ifndef MUSTER_PEER_KUEUE_TOPOLOGY_WISHES_H_
#define MUSTER_PEER_KUEUE_TOPOLOGY_WISHES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/model/tables.h"
#include "lib/peer/kueue/topology.h"
#include "muster/policy/options.h"
#include "muster/spec.h"

namespace muster::kueue {

// What one group requests.
struct GroupWish {
  std::string group = {};
  std::optional<TopologyRequest> request = {};
  std::string together = {};  // groups of one word are placed together; empty: alone
};

// By group of the job, the unnamed one first. Empty: the job sets nothing. Fails with
// InvalidArgument for the first setting of the profile that is unknown, or breaks a rule.
absl::StatusOr<std::vector<GroupWish>> ReadWishes(const JobSpec& job);

// Fails with InvalidArgument for the first setting of a node or job that the profile refuses, and
// for groups that wait to be placed together and cannot be: of two, one has one task, and tasks of
// a group are alike.
absl::Status CheckSettings(const Tables& tables, const Options& options);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_TOPOLOGY_WISHES_H_
