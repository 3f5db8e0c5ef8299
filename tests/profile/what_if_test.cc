// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What-if: small clusters with shares that can be counted by hand, every refusal, and random worlds
// in which the changes are really made: the numbers must be those that a cycle then reports, to the
// bit.
#include "muster/what_if.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/ledger/ledger.h"
#include "lib/model/access.h"
#include "lib/profile/profile.h"
#include "muster/rehearsal.h"
#include "muster/schedule.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const QueueOutlook& Of(const Outlook& outlook, std::string_view name) {
  for (const QueueOutlook& queue : outlook.queues) {
    if (queue.name == name) return queue;
  }
  ADD_FAILURE() << name;
  return outlook.queues.front();
}

// Two queues that both request all of 12 cpus; one of them holds 6.
Cluster TwoQueues() {
  Cluster cluster;
  EXPECT_TRUE(cluster.AddQueue({.name = "a"}).ok());
  EXPECT_TRUE(cluster.AddQueue({.name = "b"}).ok());
  for (const char* pool : {"x", "y"}) {
    NodeSpec node{.name = pool, .capacity = {{"cpu", 6}, {"pods", 99}}, .labels = {{"pool", pool}}};
    EXPECT_TRUE(cluster.AddNode(node).ok());
  }
  for (const char* queue : {"a", "b"}) {
    EXPECT_TRUE(cluster
                    .AddJob({.name = std::string("of-") + queue,
                             .queue = queue,
                             .groups = {{.count = 12, .shape = {.request = {{"cpu", 1}}}}}})
                    .ok());
  }
  for (int i = 0; i < 6; ++i) {
    const std::string task = "of-a-" + std::to_string(i);
    EXPECT_TRUE(cluster.SetTaskStatus(task, TaskStatus::kRunning, "x").ok());
  }
  return cluster;
}

absl::StatusOr<Outlook> Ask(const Cluster& cluster, const WhatIfChange& change,
                            std::string_view profile = "muster") {
  return WhatIf(cluster.Freeze(), profile, std::vector<WhatIfChange>{change});
}

TEST(WhatIf, AWeightMovesWhatIsDeserved) {
  for (const char* profile : {"muster", "volcano"}) {
    const auto outlook = Ask(TwoQueues(), {.queue = QueueEdit{.name = "a", .weight = 3}}, profile);
    ASSERT_TRUE(outlook.ok()) << outlook.status();
    EXPECT_THAT(outlook->dimensions, ElementsAre("cpu", "memory", "pods"));
    const QueueOutlook& a = Of(*outlook, "a");
    EXPECT_EQ(a.deserved_before[0], 6000);
    EXPECT_EQ(a.deserved_after[0], 9000);
    EXPECT_EQ(Of(*outlook, "b").deserved_after[0], 3000);
    EXPECT_EQ(a.allocated_after[0], 6000);
    EXPECT_EQ(a.pending_after[0], 6000);
  }
}

// Each queue deserves 1,000 of every dimension for each unit of its weight.
class ByWeight : public Policy, public OrderPolicy {
 public:
  std::string_view name() const override { return "by-weight"; }
  PointSet points() const override { return {Point::kQueueOrder}; }
  OrderPolicy* order() override { return this; }
  void Open(const Cycle& cycle) override { cycle_.emplace(cycle); }
  int CompareQueues(QueueIndex, QueueIndex) override { return 0; }
  bool PublishShare(QueueIndex queue, std::vector<double>* deserved, double* share) override {
    *share = static_cast<double>(cycle_->queue(queue).weight);
    deserved->assign(cycle_->dimension_count(), 1000 * *share);
    return true;
  }

 private:
  std::optional<Cycle> cycle_;
};

TEST(WhatIf, PoliciesOfTheCallerDivideToo) {
  auto extensions = std::make_shared<Extensions>();
  extensions->policies.push_back(
      {.name = "by-weight",
       .summary = "shares by weight alone",
       .options = {},
       .make = [](const Options&) { return std::make_unique<ByWeight>(); }});
  Cluster cluster = TwoQueues();
  const std::vector<WhatIfChange> changes = {{.queue = QueueEdit{.name = "a", .weight = 3}}};
  constexpr const char* kSpec = "volcano:tiers=by-weight/predicates";
  EXPECT_THAT(WhatIf(cluster, kSpec, changes).status().message(), HasSubstr("by-weight"));
  for (const auto& outlook : {WhatIf(cluster, kSpec, changes, extensions),
                              WhatIf(cluster.Freeze(), kSpec, changes, extensions)}) {
    ASSERT_TRUE(outlook.ok()) << outlook.status();
    EXPECT_TRUE(outlook->divides);
    EXPECT_EQ(Of(*outlook, "a").deserved_before[0], 1000);
    EXPECT_EQ(Of(*outlook, "a").deserved_after[0], 3000);
    EXPECT_EQ(Of(*outlook, "b").share_after, 1);
  }
}

TEST(WhatIf, WhatRanOnNodesThatLeaveWaitsAgain) {
  const auto outlook = Ask(TwoQueues(), {.remove_nodes = RemovedNodes{.labels = {{"pool", "x"}}}});
  ASSERT_TRUE(outlook.ok()) << outlook.status();
  const QueueOutlook& a = Of(*outlook, "a");
  EXPECT_EQ(a.allocated_before[0], 6000);
  EXPECT_EQ(a.share_before, 0.5);
  EXPECT_EQ(a.allocated_after[0], 0);
  EXPECT_EQ(a.pending_after[0], 12000);
  EXPECT_EQ(a.deserved_after[0], 3000);
  EXPECT_EQ(a.share_after, 0);
}

TEST(WhatIf, NewNodesBringNewDimensionsThatLaterChangesMayName) {
  const std::vector<WhatIfChange> changes = {
      {.add_nodes = NewNodes{.count = 2, .node = {.capacity = {{"cpu", 3}, {"gpu", 4}}}}},
      {.add_job = JobSpec{.name = "new",
                          .queue = "b",
                          .groups = {{.count = 3, .shape = {.request = {{"gpu", 1}}}}}}}};
  const auto outlook = WhatIf(TwoQueues().Freeze(), "muster", changes);
  ASSERT_TRUE(outlook.ok()) << outlook.status();
  EXPECT_THAT(outlook->dimensions, ElementsAre("cpu", "memory", "pods", "gpu"));
  const QueueOutlook& b = Of(*outlook, "b");
  EXPECT_THAT(b.pending_before, ElementsAre(12000, 0, 12, 0));
  EXPECT_THAT(b.pending_after, ElementsAre(12000, 0, 15, 3000));
  EXPECT_THAT(b.deserved_before, ElementsAre(6000, 0, 12, 0));
  EXPECT_THAT(b.deserved_after, ElementsAre(9000, 0, 15, 3000));
}

TEST(WhatIf, AJobThatLeavesTakesItsDemandAlong) {
  const auto outlook = Ask(TwoQueues(), {.remove_job = "of-a"}, "volcano");
  ASSERT_TRUE(outlook.ok()) << outlook.status();
  EXPECT_EQ(Of(*outlook, "b").deserved_after[0], 12000);
  EXPECT_EQ(Of(*outlook, "a").pending_after[0], 0);
  EXPECT_TRUE(Of(*outlook, "a").deserved_after.empty());  // without jobs it takes no part
}

TEST(WhatIf, AProfileWithoutSharesHasNone) {
  const auto outlook = Ask(TwoQueues(), {.remove_job = "of-a"}, "fcfs");
  ASSERT_TRUE(outlook.ok()) << outlook.status();
  EXPECT_TRUE(Of(*outlook, "b").deserved_after.empty());
  EXPECT_EQ(Of(*outlook, "b").share_after, 0);
}

TEST(WhatIf, TellsWhetherTheProfileDivides) {
  EXPECT_TRUE(Ask(TwoQueues(), {.remove_job = "of-a"}, "volcano")->divides);
  for (const char* profile : {"fcfs", "koordinator", "kueue", "yunikorn"}) {
    EXPECT_FALSE(Ask(TwoQueues(), {.remove_job = "of-a"}, profile)->divides) << profile;
  }
}

// Its fair shares follow from pods that it reads on its own.
TEST(WhatIf, RefusesAProfileOfWhichOnlyACycleHasTheShares) {
  Cluster cluster = TwoQueues();
  for (const absl::Status& status :
       {Ask(cluster, {.remove_job = "of-a"}, "kai").status(),
        WhatIf(cluster, "kai", std::vector<WhatIfChange>{{.remove_job = "of-a"}}).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("profile \"kai\": only a cycle has the shares"));
  }
}

TEST(WhatIf, RefusesWithPlaceAndRule) {
  Cluster cluster = TwoQueues();
  const JobSpec greedy{.name = "j",
                       .queue = "a",
                       .groups = {{.name = "g",
                                   .count = int64_t{1} << 26,
                                   .shape = {.request = {{"memory", int64_t{1} << 52}}}}}};
  const std::pair<WhatIfChange, const char*> cases[] = {
      {{}, "changes[0]: has no change"},
      {{.queue = QueueEdit{.name = "a"}, .remove_job = "of-a"}, "has more than one change"},
      {{.queue = QueueEdit{.name = "defaul"}},
       "queue \"defaul\" does not exist, did you mean \"default\"?"},
      {{.queue = QueueEdit{.name = "a", .weight = -1}}, "queue \"a\": weight is -1"},
      {{.queue = QueueEdit{.name = "a", .limit = Resources{{"cpus", 1}}}},
       "queue \"a\", limit \"cpus\": no node or task names this dimension, did you mean \"cpu\"?"},
      {{.queue = QueueEdit{.name = "a", .guaranteed = Resources{{"cpu", "-1"}}}}, "guaranteed"},
      {{.remove_nodes = RemovedNodes{}}, "must have a name or labels"},
      {{.remove_nodes = RemovedNodes{.name = "z"}}, "node \"z\" does not exist"},
      {{.remove_nodes = RemovedNodes{.labels = {{"pool", "z"}}}}, "no node has the labels pool=z"},
      {{.add_nodes = NewNodes{.count = 0}}, "count is 0; must be 1 or more"},
      {{.add_nodes = NewNodes{.count = int64_t{1} << 60, .node = {.capacity = {{"cpu", 9}}}}},
       "cpu of all nodes passes int64"},
      {{.add_nodes = NewNodes{.node = {.capacity = {{"cpu", "x"}}}}}, "capacity \"cpu\""},
      {{.add_nodes = NewNodes{.node = {.domain = "rack"}}}, "domain \"rack\" does not exist"},
      {{.add_job = JobSpec{.name = "of-a"}}, "job \"of-a\" exists already"},
      {{.add_job = JobSpec{.name = "j", .queue = "z"}}, "job \"j\": queue \"z\" does not exist"},
      {{.add_job = JobSpec{.name = "j", .groups = {{.shape = {.request = {{"gpu", 1}}}}}}},
       "job \"j\", group \"\", request \"gpu\": no node or task"},
      {{.add_job = greedy}, "group \"g\": memory of all that waits in queue \"a\" passes int64"},
      {{.remove_job = "z"}, "job \"z\" does not exist"},
  };
  for (const auto& [change, words] : cases) {
    const auto outlook = Ask(cluster, change);
    ASSERT_FALSE(outlook.ok()) << words;
    EXPECT_THAT(std::string(outlook.status().message()), HasSubstr(words));
  }
  EXPECT_FALSE(Ask(cluster, {.remove_job = "of-a"}, "mustr").ok());
  const std::vector<WhatIfChange> twice = {{.remove_job = "of-a"}, {.remove_job = "of-a"}};
  // What an earlier change removed is no suggestion.
  EXPECT_EQ(WhatIf(cluster, "muster", twice).status().message(),
            "changes[1]: job \"of-a\" does not exist, did you mean \"of-b\"?");
  const std::vector<WhatIfChange> nodes = {{.remove_nodes = RemovedNodes{.name = "x"}},
                                           {.remove_nodes = RemovedNodes{.name = "x"}}};
  EXPECT_EQ(WhatIf(cluster, "muster", nodes).status().message(),
            "changes[1]: node \"x\" does not exist");
}

// --- random worlds

constexpr const char* kProfiles[] = {
    "muster",
    "volcano",
    "kube-batch",
    "volcano:-proportion,+capacity",
    "volcano:-proportion,+capacity(hierarchy=on)",
    "volcano:tiers=gang/drf(hierarchy=on)+predicates+proportion",
    "volcano:tiers=gang/capacity+predicates+proportion",
    "volcano:proportion(limits=off,least_amounts=on,overfull_nodes=off)",
    "volcano:proportion(without=queue_order),+fairshare",
    "fcfs",
    "transwarp",
    "volcano:-proportion,+elastic-quota",
};

template <class T>
const T& Pick(Rng& rng, const std::vector<T>& list) {
  return list[rng.Below(list.size())];
}

Resources RandomAmounts(Rng& rng) {
  Resources amounts;
  if (rng.Below(4) != 0) amounts.emplace_back("cpu", static_cast<int64_t>(rng.Below(40)));
  if (rng.Below(3) == 0) amounts.emplace_back("memory", static_cast<int64_t>(rng.Below(1 << 30)));
  return amounts;
}

WhatIfChange RandomChange(Rng& rng, const ClusterSpec& world) {
  switch (rng.Below(6)) {
    case 0:
    case 1: {
      QueueEdit edit{.name = Pick(rng, world.queues).name};
      if (rng.Below(2) == 0) edit.weight = static_cast<int64_t>(rng.Below(5));
      if (rng.Below(3) == 0) edit.guaranteed = RandomAmounts(rng);
      if (rng.Below(3) == 0) edit.deserved = RandomAmounts(rng);
      if (rng.Below(3) == 0) edit.limit = RandomAmounts(rng);
      return {.queue = edit};
    }
    case 2: {
      if (world.nodes.empty()) break;
      const NodeSpec& node = Pick(rng, world.nodes);
      if (node.labels.empty() || rng.Below(2) == 0) {
        return {.remove_nodes = RemovedNodes{.name = node.name}};
      }
      return {.remove_nodes = RemovedNodes{.labels = {Pick(rng, node.labels)}}};
    }
    case 3: {
      NodeSpec node{.name = "new", .capacity = RandomAmounts(rng)};
      if (rng.Below(4) == 0) node.capacity.emplace_back("example.com/new", 2);
      if (rng.Below(4) == 0) node.allocatable = RandomAmounts(rng);
      return {.add_nodes = NewNodes{.count = 1 + static_cast<int64_t>(rng.Below(3)), .node = node}};
    }
    case 4:
      if (world.jobs.empty()) break;
      return {.remove_job = Pick(rng, world.jobs).name};
    default:
      break;
  }
  GroupSpec group{.count = static_cast<int64_t>(rng.Below(4))};
  group.shape.request = RandomAmounts(rng);
  return {.add_job = JobSpec{.name = "job-" + std::to_string(rng.Below(3)),
                             .queue = Pick(rng, world.queues).name,
                             .groups = {group}}};
}

absl::Status Make(const WhatIfChange& change, Cluster* cluster, int number) {
  if (change.remove_job.has_value()) return cluster->RemoveJob(*change.remove_job);
  if (change.add_job.has_value()) return cluster->AddJob(*change.add_job);
  if (change.add_nodes.has_value()) {
    NodeSpec node = change.add_nodes->node;
    node.name += std::to_string(number) + "-";
    return cluster->AddNodes(change.add_nodes->count, node);
  }
  const ClusterSpec world = cluster->Describe();
  if (change.queue.has_value()) {
    for (QueueSpec queue : world.queues) {
      if (queue.name != change.queue->name) continue;
      if (change.queue->weight.has_value()) queue.weight = *change.queue->weight;
      if (change.queue->guaranteed.has_value()) queue.guaranteed = change.queue->guaranteed;
      if (change.queue->deserved.has_value()) queue.deserved = change.queue->deserved;
      if (change.queue->limit.has_value()) queue.limit = change.queue->limit;
      return cluster->UpdateQueue(queue);
    }
    return absl::NotFoundError("queue");
  }
  const RemovedNodes& choice = *change.remove_nodes;
  bool any = false;
  for (const NodeSpec& node : world.nodes) {
    bool chosen = choice.name.empty() || choice.name == node.name;
    for (const auto& label : choice.labels) {
      chosen &= std::find(node.labels.begin(), node.labels.end(), label) != node.labels.end();
    }
    if (!chosen) continue;
    any = true;
    for (const TaskSpec& task : world.tasks) {
      if (task.node != node.name || !HoldsNode(task.status)) continue;
      const bool waits =
          !task.job.empty() && (IsAllocated(task.status) || task.status == TaskStatus::kNominated);
      const absl::Status s = waits ? cluster->SetTaskStatus(task.name, TaskStatus::kPending)
                                   : cluster->RemoveTask(task.name);
      if (!s.ok()) return s;
    }
    if (absl::Status s = cluster->RemoveNode(node.name); !s.ok()) return s;
  }
  return any ? absl::OkStatus() : absl::NotFoundError("nodes");
}

// `cells` of a cluster that may have other dimensions, in another order.
template <class T>
std::vector<T> InOrderOf(const std::vector<std::string>& dimensions, const Tables& tables,
                         const std::vector<T>& cells) {
  std::vector<T> out;
  if (cells.empty()) return out;
  for (const std::string& name : dimensions) {
    const auto d = tables.dimensions.Find(name);
    out.push_back(d.has_value() ? cells[*d] : T{0});
  }
  return out;
}

void ExpectAsInPlan(const Outlook& outlook, bool after, Cluster* cluster,
                    std::string_view profile) {
  ScheduleOptions options;
  options.work_budget = 0;  // the shares as a cycle opens
  const auto plan = cluster->Schedule(profile, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const Snapshot snapshot = cluster->Freeze();
  const Tables& tables = TablesOf(snapshot);
  const Ledger ledger(tables, Accounting{});
  for (const QueueShare& share : plan->shares()) {
    const QueueOutlook& queue = Of(outlook, plan->queue_name(share.queue));
    const auto ordered = [&](const auto& cells) {
      return InOrderOf(outlook.dimensions, tables, cells);
    };
    EXPECT_EQ(after ? queue.allocated_after : queue.allocated_before,
              ordered(share.allocated_before));
    EXPECT_EQ(after ? queue.deserved_after : queue.deserved_before, ordered(share.deserved));
    EXPECT_EQ(after ? queue.share_after : queue.share_before, share.share_before);
    const auto pending = ledger.queue_pending(share.queue);
    EXPECT_EQ(after ? queue.pending_after : queue.pending_before,
              ordered(std::vector<int64_t>(pending.begin(), pending.end())));
  }
}

TEST(WhatIf, RefusesChangesThatSharesTellTooLittleOf) {
  const Cluster cluster = TwoQueues();
  EXPECT_THAT(Ask(cluster, {.job = JobEdit{.name = "of-a", .priority = 1}}).status().message(),
              HasSubstr("changes[0]: changes of tasks and of nodes that stay need plans"));
  EXPECT_FALSE(Ask(cluster, {.remove_task = "of-a-0"}).ok());
  EXPECT_THAT(Ask(cluster, {.remove_job = "of-a-0"}).status().message(),
              HasSubstr("job \"of-a-0\" does not exist; a task has the name, which remove_task"));
  EXPECT_FALSE(Ask(cluster, {.nodes = NodeEdit{.name = "x", .unschedulable = true}}).ok());
}

TEST(WhatIf, EqualsACycleOverAClusterThatWasReallyChanged) {
  const uint64_t count = WorldCount(600);
  int answered = 0, refused = 0;
  for (uint64_t seed = 0; seed < count && !HasFailure(); ++seed) {
    Rng rng(seed);
    const std::string profile = kProfiles[seed % std::size(kProfiles)];
    WorldKnobs knobs;
    knobs.between_tasks = false;
    knobs.extremes = seed % 3 == 0;
    knobs.rooted = profile.find("hierarchy=on)") != std::string::npos;
    std::optional<Cluster> made = TryCluster(RandomWorld(seed, knobs));
    if (!made.has_value()) continue;
    Cluster cluster = *std::move(made);
    const ClusterSpec world = cluster.Describe();
    if (world.queues.empty()) continue;
    SCOPED_TRACE(profile + ", seed " + std::to_string(seed));
    if (rng.Below(2) == 0) ASSERT_TRUE(cluster.Schedule(profile).ok());
    std::vector<WhatIfChange> changes;
    for (uint64_t i = rng.Below(4); i-- > 0;) changes.push_back(RandomChange(rng, world));
    const auto outlook = WhatIf(cluster.Freeze(), profile, changes);
    const auto living = WhatIf(cluster, profile, changes);
    EXPECT_EQ(outlook.status(), living.status());
    if (outlook.ok()) {
      ExpectAsInPlan(*outlook, /*after=*/false, &cluster, profile);
      ExpectAsInPlan(*living, /*after=*/false, &cluster, profile);
    }
    Cluster clone = cluster.Clone();
    const absl::Status made_in_clone = MakeChanges(changes, &clone);
    absl::Status really;
    for (size_t i = 0; i < changes.size() && really.ok(); ++i) {
      really = Make(changes[i], &cluster, static_cast<int>(i));
    }
    EXPECT_EQ(outlook.ok(), really.ok()) << outlook.status() << " but " << really;
    EXPECT_EQ(made_in_clone.ok(), really.ok()) << made_in_clone << " but " << really;
    if (!outlook.ok()) {
      ++refused;
      continue;
    }
    ++answered;
    ExpectAsInPlan(*outlook, /*after=*/true, &cluster, profile);
    ExpectAsInPlan(*living, /*after=*/true, &cluster, profile);
    EXPECT_EQ(clone.Schedule(profile)->Digest(), cluster.Schedule(profile)->Digest());
  }
  if (count >= 100) {
    EXPECT_GT(answered, static_cast<int>(count / 3));
    EXPECT_GT(refused, 0);
  }
}

// A value that a profile does not read changes no plan of it.
TEST(QueueFieldsRead, OthersChangeNothing) {
  int64_t compared = 0;
  const std::vector<ProfileInfo> profiles = Profiles();
  const uint64_t count = WorldCount(200);
  for (uint64_t seed = 0; seed < count && !HasFailure(); ++seed) {
    const std::optional<Cluster> made = TryCluster(RandomWorld(seed));
    if (!made.has_value() || made->Describe().queues.empty()) continue;
    const std::string& profile = profiles[seed % profiles.size()].name;
    const absl::StatusOr<Plan> before = Schedule(made->Freeze(), profile);
    if (!before.ok()) continue;
    SCOPED_TRACE(profile + ", seed " + std::to_string(seed));
    const absl::StatusOr<ProfileConfig> config = ResolveProfile(profile);
    ASSERT_TRUE(config.ok());
    const QueueFieldsRead& reads = config->needs.queues;
    Rng rng(seed);
    const ClusterSpec world = made->Describe();
    QueueEdit edit{.name = Pick(rng, world.queues).name};
    if (!reads.weight) edit.weight = static_cast<int64_t>(1 + rng.Below(5));
    if (!reads.guaranteed) edit.guaranteed = Resources{{"cpu", 1}};
    if (!reads.deserved) edit.deserved = Resources{{"cpu", 2}};
    if (!reads.limit) edit.limit = Resources{{"cpu", 1}};
    Cluster clone = made->Clone();
    if (!MakeChanges(std::vector<WhatIfChange>{{.queue = edit}}, &clone).ok()) continue;
    const absl::StatusOr<Plan> after = Schedule(clone.Freeze(), profile);
    ASSERT_TRUE(after.ok()) << after.status();
    EXPECT_EQ(before->Digest(), after->Digest());
    ++compared;
  }
  if (count >= 100) {
    EXPECT_GT(compared, 50);
  }
}

}  // namespace
}  // namespace muster::testing
