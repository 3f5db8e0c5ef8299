// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// PartitionSteps: the single steps of a decision of YuniKorn's partition, which are private.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_PARTITION_STEPS_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_PARTITION_STEPS_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/peer/yunikorn/yunikorn.h"

namespace muster::yunikorn {

// Opens the single steps of a decision.
class PartitionSteps {
 public:
  explicit PartitionSteps(Partition& partition) : partition_(partition) {}

  std::optional<Result> Application(Index application, const Resource& headroom, int attempts) {
    return partition_.TryApplication(application, headroom, attempts);
  }
  std::optional<Result> ReservedApplication(Index application, const Resource& headroom) {
    return partition_.TryReservedApplication(application, headroom);
  }
  std::optional<Result> PlaceholderApplication(Index application) {
    return partition_.TryPlaceholderApplication(application);
  }
  std::optional<Result> ReservedIn(Index queue) { return partition_.TryReservedIn(queue); }
  std::optional<Result> RequiredNode(Index request) { return partition_.TryRequiredNode(request); }
  std::optional<Result> OtherNodes(const Reservation& reservation) {
    return partition_.TryOtherNodes(reservation);
  }
  bool CanReplace(Index application, Index request) const {
    return partition_.CanReplace(partition_.applications[application],
                                 partition_.allocations[request]);
  }
  void InsertSorted(Index application, Index request) {
    partition_.InsertSorted(partition_.applications[application], request);
  }
  // The score of a node that the partition does not list, by these weights of types.
  double Score(const Node& node, std::map<std::string, double> weights) {
    partition_.weights_by_name_ = std::move(weights);
    partition_.ReadWeights();
    return partition_.ScoreOf(node);
  }
  // Takes the rules whatever the configuration's queues are.
  absl::Status SetRules(const std::vector<RuleConfig>& configs) {
    std::vector<Rule> rules;
    for (const RuleConfig& config : configs) {
      absl::StatusOr<Rule> rule = Rule::Build(config);
      if (!rule.ok()) return rule.status();
      rules.push_back(*std::move(rule));
    }
    if (!rules.empty()) partition_.rules_ = std::move(rules);
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> Place(const yunikorn::Application& application) const {
    return partition_.Place(application);
  }
  // Whether the state takes the event, and what follows.
  bool Handle(Index application, AppEvent event) { return partition_.Handle(application, event); }
  bool MayPreempt(Index request) const { return partition_.MayPreempt(request); }
  bool Fits(Index queue, const Resource& delta) const {
    return Partition::FitsQueue(partition_.queues[queue], delta);
  }
  bool IncAllocated(Index queue, const Resource& delta) {
    return partition_.TryIncAllocated(queue, delta);
  }
  void PreemptOverQuota(Index queue) { partition_.PreemptOverQuota(queue); }
  void SetQuotaStart(Index queue, const Resource& old_most, Nanos old_delay) {
    partition_.SetQuotaStart(partition_.queues[queue], old_most, old_delay);
  }
  Resource OutstandingOf(Index application, const Resource& headroom,
                         const Resource& user_headroom) const {
    std::vector<Index> found;
    return partition_.OutstandingOf(application, headroom, user_headroom, found);
  }
  // Of a leaf without recorded applications.
  void SetPriority(Index leaf, int32_t priority) {
    partition_.queues[leaf].priorities.Clear();
    if (priority != kLeastPriority) partition_.queues[leaf].priorities.Add(priority);
    partition_.PassPriority(leaf);
  }

 private:
  Partition& partition_;
};

}  // namespace muster::yunikorn

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_PARTITION_STEPS_H_
