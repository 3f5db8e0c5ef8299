// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/random_rules.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::testing {
namespace {

class RuleMaker {
 public:
  explicit RuleMaker(Rng& rng) : rng_(rng) {}

  void Add(ClusterSpec* world, bool counts) {
    for (NodeSpec& node : world->nodes) {
      if (node.usage && Chance(0.5)) node.usage->detail = Detail();
    }
    for (QueueSpec& queue : world->queues) {
      if (Chance(0.5)) queue.rules = Rules();
      if (Chance(0.4)) queue.users = Users();
      if (Chance(0.4)) queue.history = History();
    }
    for (JobSpec& job : world->jobs) AddToJob(job, counts);
    for (TaskSpec& task : world->tasks) {
      if (Chance(0.3)) task.usage = TaskUsage{SomeAmounts(), Between(-100, 100), Windows()};
      if (Chance(0.3)) task.lifetime = Life();
    }
    for (const char* name : {"spot", "reserved"}) {
      if (Chance(0.6)) world->flavors.push_back(Flavor(name));
    }
    AddPartitions(world);
    AddReservations(world);
  }

 private:
  bool Chance(double p) { return rng_.Chance(p); }
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(high - low) + 1));
  }
  template <class T>
  T One(std::vector<T> items) {
    return items[rng_.Below(items.size())];
  }
  std::optional<int64_t> Seconds() {
    return Chance(0.5) ? std::optional<int64_t>(Between(0, 900)) : std::nullopt;
  }
  Quantity Number() { return One<Quantity>({0, 1, "1500m", "2.5", 7}); }
  std::optional<Quantity> SomeNumber() {
    return Chance(0.5) ? std::optional<Quantity>(Number()) : std::nullopt;
  }
  Resources SomeAmounts() {
    Resources amounts;
    if (Chance(0.7)) amounts.emplace_back("cpu", One<Quantity>({1, "350m", "4"}));
    if (Chance(0.5)) amounts.emplace_back("memory", One<Quantity>({"1Gi", 0, 12345}));
    if (Chance(0.2)) amounts.emplace_back("nvidia.com/gpu", One<Quantity>({"420m", 1}));
    return amounts;
  }
  Selector SomeSelector() { return {.match_labels = {{"zone", One<std::string>({"a", "b"})}}}; }

  std::vector<UsageWindow> Windows() {
    std::vector<UsageWindow> windows;
    for (const int64_t seconds : {60, 300, 3600}) {
      if (Chance(0.4)) {
        windows.push_back({seconds, SomeAmounts(), SomeAmounts(), {}, SomeAmounts(), {}});
      }
    }
    return windows;
  }
  UsageDetail Detail() { return {SomeAmounts(), SomeAmounts(), Seconds(), Windows()}; }
  Lifetime Life() { return {Seconds(), Seconds(), Seconds(), Seconds()}; }

  FlavorSpec Flavor(const std::string& name) {
    FlavorSpec flavor{.name = name, .node_labels = {{"tier", name}}};
    if (Chance(0.5))
      flavor.taints = {{.key = name, .value = "", .effect = TaintEffect::kNoSchedule}};
    if (Chance(0.5)) flavor.tolerations = {{.key = name, .op = TolerationOp::kExists}};
    if (Chance(0.4)) flavor.topology = FlavorTopology{"tree", {"block", "rack"}};
    return flavor;
  }

  QueueRules Rules() {
    QueueRules rules;
    if (Chance(0.7)) {
      ResourceGroup group{.resources = {"cpu", "memory", "nvidia.com/gpu"}};
      group.flavors.push_back({"reserved", SomeAmounts(), {}, SomeAmounts()});
      if (Chance(0.5)) group.flavors.push_back({"spot", SomeAmounts(), SomeAmounts(), {}});
      rules.groups.push_back(std::move(group));
      if (Chance(0.3)) rules.groups.push_back({{"rdma"}, {{"fabric", {{"rdma", 4}}, {}, {}}}});
    }
    rules.fair_weight = SomeNumber();
    rules.over_quota_weight = SomeAmounts();
    if (Chance(0.3)) rules.strategy = QueueingStrategy::kStrictFifo;
    rules.stop = One<StopPolicy>({StopPolicy::kNone, StopPolicy::kHold, StopPolicy::kHoldAndDrain});
    if (Chance(0.3)) rules.flavor_search.when_borrowing = FlavorSearch::kTryNext;
    if (Chance(0.3)) rules.flavor_search.preference = FlavorPreference::kPreemption;
    rules.preemption = Preemption();
    if (Chance(0.3)) rules.namespaces = SomeSelector();
    if (Chance(0.3)) rules.checks = {{"prov", {"spot"}}, {"budget", {}}};
    rules.by_usage = Chance(0.3);
    if (Chance(0.3)) {
      rules.partitions = {{"gpu", Number(), SomeNumber(), {}, {}, SomeAmounts()},
                          {"", {}, {}, SomeNumber(), SomeAmounts(), {}}};
    }
    return rules;
  }

  PreemptionRules Preemption() {
    using enum VictimScope;
    PreemptionRules rules;
    rules.within_queue = One<VictimScope>({kNever, kLowerPriority, kLowerOrNewerEqualPriority});
    rules.reclaim = One<VictimScope>({kNever, kLowerPriority, kAny});
    rules.while_borrowing = One<VictimScope>({kNever, kLowerPriority});
    if (Chance(0.3)) rules.while_borrowing_most = static_cast<int32_t>(Between(-5, 5));
    rules.preempt_min_runtime = Seconds();
    rules.reclaim_min_runtime = Seconds();
    rules.fence = One<PreemptionFence>(
        {PreemptionFence::kOpen, PreemptionFence::kFenced, PreemptionFence::kDisabled});
    rules.delay = Seconds();
    rules.quota_delay = Seconds();
    return rules;
  }

  UserRules Users() {
    UserRules users{.least_percent = SomeNumber(), .factor = SomeNumber()};
    if (Chance(0.7)) users.limits.push_back({"ann", false, SomeAmounts(), Seconds(), Number()});
    if (Chance(0.4)) users.limits.push_back({"ann", true, {}, 3, 1});
    if (Chance(0.4)) users.limits.push_back({"*", false, SomeAmounts(), {}, 1});
    return users;
  }

  UsageHistory History() {
    UsageHistory history{.as_of = Between(0, 100)};
    if (Chance(0.6)) history.half_life = Between(1, 86400);
    if (Chance(0.6)) history.entries.push_back({"", SomeAmounts(), {}, {}, 1});
    if (Chance(0.6)) history.entries.push_back({"ann", SomeAmounts(), SomeAmounts(), "0.5", "1e3"});
    return history;
  }

  void AddToJob(JobSpec& job, bool counts) {
    if (Chance(0.5)) job.owner = JobOwner{One<std::string>({"ann", "bob"}), {"vision"}};
    if (Chance(0.3)) job.lifetime = Life();
    if (Chance(0.3)) {
      job.admission = JobAdmission{.time = Between(0, 100)};
      for (const GroupSpec& group : job.groups) {
        if (Chance(0.5)) continue;
        job.admission->groups.push_back({group.name, Between(0, 9), {{"cpu", "spot"}}});
        if (Chance(0.5)) continue;
        job.admission->groups.back().places = {{{"b1", "r7"}, Between(1, 9)}, {{"b1", "r8"}, 1}};
      }
    }
    for (GroupSpec& group : job.groups) {
      if (!counts || group.count != 0 || Chance(0.4)) continue;
      ByCount tasks{.count = Between(2, 10'000)};
      if (Chance(0.5)) tasks.min_count = Between(0, tasks.count);
      if (Chance(0.5)) tasks.parallelism = Between(1, 500);
      tasks.admitted = Between(0, 2);
      tasks.running = Between(0, tasks.admitted);
      tasks.succeeded = Between(0, 3);
      group.by_count = tasks;
    }
  }

  void AddPartitions(ClusterSpec* world) {
    for (const char* name : {"gpu", "batch"}) {
      if (Chance(0.5)) continue;
      PartitionSpec partition{.name = name, .exclusive = Chance(0.7)};
      for (const NodeSpec& node : world->nodes) {
        if (Chance(0.2)) partition.nodes.push_back(node.name);
      }
      if (Chance(0.4)) partition.selector = SomeSelector();
      if (Chance(0.4)) partition.queues = {world->queues[0].name, "elsewhere"};
      if (Chance(0.3)) partition.borrows = {"batch"};
      world->partitions.push_back(std::move(partition));
    }
  }

  void AddReservations(ClusterSpec* world) {
    for (int r = 0; r < 3; ++r) {
      if (Chance(0.5)) continue;
      ReservationSpec one{.name = "r" + std::to_string(r)};
      if (!world->tasks.empty()) one.shape = world->tasks[rng_.Below(world->tasks.size())].shape;
      if (Chance(0.6)) {
        one.node = world->nodes.empty() ? "gone" : world->nodes[0].name;
        one.phase =
            One<ReservationPhase>({ReservationPhase::kAvailable, ReservationPhase::kSucceeded,
                                   ReservationPhase::kFailed});
        one.allocated = SomeAmounts();
        if (Chance(0.5)) one.holders = {"some-task"};
      }
      if (Chance(0.5)) one.owners.push_back({"", "j0", "", {}});
      if (Chance(0.5)) one.owners.push_back({"", "", "default", SomeSelector()});
      one.allocate_once = Chance(0.5);
      if (Chance(0.4)) one.policy = ReservationPolicy::kRestricted;
      if (Chance(0.4)) one.restricted = {"cpu"};
      one.expires = Seconds();
      if (Chance(0.3)) one.taints = {{"kept", "", TaintEffect::kNoSchedule}};
      one.unschedulable = Chance(0.2);
      one.order = Between(0, 2);
      world->reservations.push_back(std::move(one));
    }
  }

  Rng& rng_;
};

}  // namespace

void AddRandomRules(Rng& rng, ClusterSpec* world, bool counts) {
  RuleMaker(rng).Add(world, counts);
}

}  // namespace muster::testing
