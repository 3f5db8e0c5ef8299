// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What jobs and queues set for the profile: requests of topologies, states of admission checks,
// LocalQueues and how these are stopped.
//
//   absl::StatusOr<JobSettings> settings = ReadSettings(job);
//   if (settings.ok() && !settings->failed) Place(settings->WishOf("workers").request);
//
// Keys are all behind "kueue/". Those of requests are Kueue's annotations of pods:
//
//   podset-required-topology        the level of which one domain holds all tasks of the group
//   podset-preferred-topology       the level of which one domain holds them, if one does
//   podset-unconstrained-topology   "true": any domains will do
//   podset-slice-required-topology  with podset-slice-size: so many tasks are in one domain of it
//   podset-slice-required-topology-constraints   slices in slices: "block=16,rack=4"
//   podset-group-name               two groups with one name are placed together
//
// One is none of Kueue's: it has what its settings of resources make of a request.
//
//   podset-quota-request            what a task counts for: "cpu=8,example.com/credits=2"
//
// Behind a key may stand "/" and a group: it then is about that group alone, which reads no key
// without a group. Levels are label keys; whether a topology has them is seen in a cycle.
//
//   admission-check/NAME   the state of the check: "Pending", "Ready", "Retry" or "Rejected"
//   admitted               "true", "false": whether the job with the admission that it has may
//                          start; if no check is open
//   replaces               the job that ends when this one is admitted; it grows out of that one
//   active                 "true", "false": whether the job may have quota; "true"
//   evicted                "true", "false": whether the admission that the job has ends soon;
//                          "false"
//   refused                why no cycle looks at the job, in words; none
//   local-queue            the LocalQueue by which the job came: "NAMESPACE/NAME"
//
// A queue sets how LocalQueues that lead to it are stopped:
//
//   local-queue-stop/NAMESPACE/NAME     "None", "Hold" or "HoldAndDrain"
//
// and what the usage of one is divided by where jobs go by usage (usage_memory.h):
//
//   local-queue-weight/NAMESPACE/NAME   0 or more; 1
//
// and of which kind a check of its is, as the controller of the check decides (admission_checks.h):
//
//   check-controller/NAME   "multikueue", "provisioning-request" or "other"; "other"
#ifndef MUSTER_PEER_KUEUE_JOB_SETTINGS_H_
#define MUSTER_PEER_KUEUE_JOB_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/model/tables.h"
#include "lib/peer/kueue/readiness.h"
#include "lib/peer/kueue/topology.h"
#include "muster/policy/options.h"
#include "muster/spec.h"

namespace muster::kueue {

// What one group requests.
struct GroupWish {
  std::string group = {};
  std::optional<TopologyRequest> request = {};
  std::string together = {};  // groups of one word are placed together; empty: alone
  // What a task of it counts for; absent: what its shape requests.
  std::optional<std::vector<std::pair<std::string, int64_t>>> counted = {};
};

struct JobSettings {
  std::vector<GroupWish> wishes = {};  // by group, the unnamed one first; empty: none
  bool failed = false;                 // a check is to be passed again, or was rejected
  std::vector<std::pair<std::string, bool>> checks = {};  // and whether each is Ready
  std::optional<bool> admitted = {};                      // absent: if no check is open
  std::string replaces = {};     // the job that it grows out of; empty: none
  bool active = true;            // false: it gets no quota, and keeps none
  bool evicted = false;          // its admission ends soon
  std::string refused = {};      // not empty: why no cycle looks at it
  std::string local_queue = {};  // "NAMESPACE/NAME"; empty: not known
  GroupWish WishOf(std::string_view group) const;
};

struct QueueSettings {
  std::vector<std::pair<std::string, StopPolicy>> stops = {};              // by LocalQueue
  std::vector<std::pair<std::string, double>> weights = {};                // by LocalQueue
  std::vector<std::pair<std::string, QueueCheck::Kind>> controllers = {};  // by check
};

// Returns whether the text is the name of a LocalQueue: "NAMESPACE/NAME".
bool IsLocalName(std::string_view name);
// Settings of queues about one of their LocalQueues, "NAMESPACE/NAME" behind it: how it is stopped,
// and its weight.
inline constexpr std::string_view kLocalQueueStop = "kueue/local-queue-stop/";
inline constexpr std::string_view kLocalQueueWeight = "kueue/local-queue-weight/";
// The setting of a job that names the one that it replaces.
inline constexpr std::string_view kReplacesSetting = "kueue/replaces";
// A setting of queues about one of their checks, its name behind it: the kind of its controller.
inline constexpr std::string_view kCheckController = "kueue/check-controller/";
inline constexpr char kLocalNameRule[] = "must be of a LocalQueue, as NAMESPACE/NAME";

// Fail with InvalidArgument for the first setting of the profile that is unknown, or breaks a rule.
absl::StatusOr<JobSettings> ReadSettings(const JobSpec& job);
absl::StatusOr<QueueSettings> ReadSettings(const QueueSpec& queue);

// Fails with InvalidArgument for the first setting of a row that the profile refuses, and
// for groups that wait to be placed together and cannot be: of two, one has one task, and tasks of
// a group are alike.
absl::Status CheckSettings(const Tables& tables, const Options& options);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_JOB_SETTINGS_H_
