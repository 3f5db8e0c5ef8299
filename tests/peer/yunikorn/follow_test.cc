// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A world that is followed by the change log, against one that is read anew: what both hold, down
// to the order of nodes, and what profile yunikorn plans on a living and on a frozen cluster.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/peer/yunikorn/read_world.h"
#include "lib/profile/profile.h"
#include "muster/schedule.h"
#include "tests/support/random_edits.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

using yunikorn::Allocation;
using yunikorn::Application;
using yunikorn::Index;
using yunikorn::Partition;
using yunikorn::Resource;
using yunikorn::World;

const std::vector<std::string> kSpecs = {"yunikorn", "yunikorn:schedule(node_sort=binpacking)",
                                         "yunikorn:schedule(reservation_delay=0)",
                                         "yunikorn:schedule(preemption=off)"};

// Jobs without gangs, limits of users and of applications, guarantees to preempt for. Some worlds
// have placeholders that jobs without gangs left.
ClusterSpec WorldOfSingles(uint64_t seed, Rng& rng, const WorldKnobs& knobs) {
  ClusterSpec world = RandomWorld(seed, knobs);
  for (JobSpec& job : world.jobs) {
    job.min_available = 0;
    for (GroupSpec& group : job.groups) group.min_available.reset();
    if (rng.Below(2) == 0) job.owner = JobOwner{.user = "ann", .groups = {"red"}};
  }
  const bool has_leftovers = rng.Below(4) == 0;
  for (TaskSpec& task : world.tasks) {
    if (!has_leftovers || task.status != TaskStatus::kRunning || task.job.empty()) continue;
    if (rng.Below(3) == 0) task.status = TaskStatus::kWaiting;
  }
  for (QueueSpec& queue : world.queues) {
    if (rng.Below(3) == 0) queue.settings.emplace_back("yunikorn/application.sort.policy", "fair");
    if (rng.Below(3) == 0) queue.settings.emplace_back("yunikorn/maxapplications", "2");
    if (rng.Below(4) == 0) {
      queue.settings.emplace_back("yunikorn/application.unschedasks.backoff", "1");
    }
    queue.settings.emplace_back("yunikorn/preemption.delay", "1s");
    if (rng.Below(2) == 0) queue.guaranteed = Resources{{"cpu", static_cast<int>(rng.Below(4))}};
    if (rng.Below(3) == 0) {
      queue.users = UserRules{.limits = {{.name = "ann", .max_jobs = 1},
                                         {.name = "red", .group = true, .max_jobs = 2},
                                         {.name = "*", .limit = Resources{{"cpu", 3}}}}};
    }
  }
  return world;
}

std::string Text(const Resource& resource) {
  std::string text;
  for (const int type : resource.types()) {
    if (resource.Get(type) != 0) absl::StrAppend(&text, type, ":", resource.Get(type), " ");
  }
  return text;
}

std::string TextOfQueues(Partition& partition) {
  std::string text;
  for (Index q = 0; q < partition.queues.size(); ++q) {
    const yunikorn::Queue& queue = partition.queues[q];
    absl::StrAppend(&text, queue.path, " allocated ", Text(queue.allocated), "pending ",
                    Text(queue.pending), "preempting ", Text(queue.preempting), "headroom ",
                    Text(partition.Headroom(q)), queue.running, " run, ", queue.allocating.size(),
                    " will, priority ", queue.priority, " of ", queue.priorities.size());
    for (const auto& [app, count] : queue.reserved) {
      absl::StrAppend(&text, ", ", count, " reserved of ", partition.applications[app].id);
    }
    absl::StrAppend(&text, "\n");
    const std::vector<Index> order =
        queue.leaf ? partition.SortedApplications(q, false) : partition.SortedQueues(q);
    for (const Index i : order) {
      absl::StrAppend(&text, "  ",
                      queue.leaf ? partition.applications[i].id : partition.queues[i].name, "\n");
    }
  }
  return text;
}

std::string TextOf(const Partition& partition, const Allocation& pod) {
  return absl::StrCat(pod.key, " ", pod.allocated ? partition.nodes[pod.node].id : "waits",
                      pod.preempted ? " leaves" : "", " checked ", pod.preempt_check_time, " ",
                      pod.preemption_triggered, " ", static_cast<int>(pod.preemption_refusal));
}

std::string TextOfApplications(Partition& partition) {
  std::vector<std::string> texts;
  for (Application& app : partition.applications) {
    if (!app.in_queue) continue;
    const bool may_run = partition.limits.CanRun(app.usage);  // which finds the group, too
    std::string text = absl::StrCat(
        app.id, " in ", partition.queues[app.queue].path, ", state ", static_cast<int>(app.state),
        ", since ", app.submission_time, ", waits to ", app.backoff_deadline, ", allocated ",
        Text(app.allocated), "pending ", Text(app.pending), "may use ",
        Text(partition.limits.Headroom(app.usage)), may_run, " group ",
        partition.limits.GroupOf(app.usage), " priority ", app.priority, "\n");
    std::vector<std::string> held;
    for (const auto& [key, pod] : app.requests) {
      if (partition.allocations[pod].allocated) {
        held.push_back(TextOf(partition, partition.allocations[pod]));
      }
    }
    std::ranges::sort(held);
    for (const std::string& pod : held) absl::StrAppend(&text, "  ", pod, "\n");
    for (const Index pod : app.sorted_requests) {
      absl::StrAppend(&text, "  ", TextOf(partition, partition.allocations[pod]), "\n");
    }
    for (const yunikorn::Reservation& r : app.reservations) {
      absl::StrAppend(&text, "  reserved ", partition.allocations[r.request].key, " ",
                      partition.nodes[r.node].id, " ", r.create_time, "\n");
    }
    texts.push_back(std::move(text));
  }
  std::ranges::sort(texts);
  std::string all;
  for (const std::string& text : texts) absl::StrAppend(&all, text);
  return all;
}

std::string TextOfNodes(Partition& partition) {
  std::string text;
  for (const Index n : partition.NodesInOrder()) {
    const yunikorn::Node& node = partition.nodes[n];
    absl::StrAppend(&text, node.id, " free ", Text(node.available), "held ", Text(node.allocated));
    std::vector<std::string> keys;
    for (const Index pod : node.allocations) keys.push_back(partition.allocations[pod].key);
    std::ranges::sort(keys);
    for (const std::string& key : keys) absl::StrAppend(&text, " ", key);
    for (const yunikorn::Reservation& r : node.reservations) {
      absl::StrAppend(&text, " reserved ", partition.allocations[r.request].key);
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

std::string TextOf(World& world) {
  Partition& partition = world.partition;
  return absl::StrCat(TextOfQueues(partition), TextOfApplications(partition),
                      TextOfNodes(partition), partition.reservations, " reservations\n");
}

// A world of a cluster, that decides and follows, beside one that is read anew each time.
class Follower {
 public:
  explicit Follower(const Options& options) : options_(options) {}

  // Returns whether the world was followed.
  bool Update(const Tables& tables, int64_t now) {
    const bool followed =
        world_ && world_->CanBeFollowed() && layout_ == tables.layout &&
        position_ >= tables.log_start &&
        world_->Follow(tables, std::span(tables.log).subspan(position_ - tables.log_start), now,
                       memory_);
    if (followed) {
      World anew(tables, options_, now, memory_);
      EXPECT_EQ(TextOf(*world_), TextOf(anew));
    } else {
      world_.emplace(tables, options_, now, memory_);
    }
    layout_ = tables.layout;
    position_ = tables.log_start + tables.log.size();
    return followed;
  }

  // Decides what the cluster is not told of, so the next world must be without it.
  void Decide(bool keeps_memory) {
    for (int call = 0; call < 20; ++call) {
      const std::optional<yunikorn::Result> result = world_->partition.Cycle();
      if (result) {
        world_->NoteDecision(world_->TaskOf(world_->partition.allocations[result->request]));
      }
      for (const yunikorn::Stop& stop : world_->partition.stops) {
        world_->NoteDecision(world_->TaskOf(stop.key));
      }
      world_->partition.stops.clear();
    }
    MemorySlot left = world_->Remember();
    // As where a plan is not carried out.
    if (keeps_memory) memory_ = std::move(left);
  }

 private:
  const Options& options_;
  std::optional<World> world_;
  MemorySlot memory_;
  uint64_t layout_ = 0, position_ = 0;
};

TEST(YuniKornFollow, AFollowedWorldIsTheOneThatIsReadAnew) {
  int64_t followed = 0, cycles = 0;
  for (uint64_t seed = 0; seed < WorldCount(400); ++seed) {
    Rng rng(seed);
    const WorldKnobs knobs{.nodes = 6, .queues = 4, .jobs = 8, .tasks = 5, .between_tasks = false};
    const ClusterSpec spec = WorldOfSingles(rng.Next(), rng, knobs);
    Cluster cluster = MakeCluster(spec);
    RandomEdits edits(cluster, rng, spec);
    const absl::StatusOr<ProfileConfig> config = ResolveProfile(kSpecs[seed % kSpecs.size()]);
    ASSERT_TRUE(config.ok()) << config.status();
    const Options& options = config->actions[0].options;
    Follower follower(options);
    for (int64_t cycle = 0; cycle < 10; ++cycle) {
      const Tables& tables = TablesOf(cluster);
      if (!yunikorn::CheckTables(tables, options).ok()) break;
      followed += follower.Update(tables, 10 * cycle);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", cycle " << cycle;
      follower.Decide(rng.Chance(0.8));
      ++cycles;
      for (uint64_t edit = rng.Below(3); edit > 0; --edit) edits.Step();
    }
  }
  EXPECT_GT(followed, cycles / 3) << "of " << cycles;
}

TEST(YuniKornFollow, PlansOfALivingClusterAreThoseOfAFrozenOne) {
  int64_t binds = 0, evictions = 0;
  for (uint64_t seed = 0; seed < WorldCount(300); ++seed) {
    Rng rng(seed);
    const WorldKnobs knobs{.nodes = 6, .queues = 4, .jobs = 8, .tasks = 5};
    const ClusterSpec spec = WorldOfSingles(rng.Next(), rng, knobs);
    Cluster cluster = MakeCluster(spec);
    RandomEdits edits(cluster, rng, spec);
    const std::string& profile = kSpecs[seed % kSpecs.size()];
    for (int64_t cycle = 0; cycle < 8; ++cycle) {
      const ScheduleOptions options{.now = 7 * cycle};
      const absl::StatusOr<Plan> living = cluster.Schedule(profile, options);
      const absl::StatusOr<Plan> frozen = Schedule(cluster.Freeze(), profile, options);
      ASSERT_EQ(living.status(), frozen.status());
      if (!living.ok()) break;
      ASSERT_EQ(living->ToText(), frozen->ToText())
          << "seed " << seed << ", cycle " << cycle << ", " << profile;
      binds += static_cast<int64_t>(living->binds().size());
      evictions += static_cast<int64_t>(living->evictions().size());
      // Of some plans nothing is carried out, though the next cycle may know what they decided.
      if (rng.Chance(0.8)) ASSERT_TRUE(cluster.Apply(*living).ok());
      for (uint64_t edit = rng.Below(3); edit > 0; --edit) edits.Step();
    }
  }
  EXPECT_GT(binds, 500);
  EXPECT_GT(evictions, 5);
}

TEST(YuniKornFollow, JobsThatComeMoveAndGoAreFollowedAndQueuesThatChangeAreNot) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 8}, {"pods", 100}}}).ok());
  for (const char* queue : {"p", "q"}) ASSERT_TRUE(cluster.AddQueue({.name = queue}).ok());
  ASSERT_TRUE(cluster.AddJob({.name = "a", .queue = "q", .groups = {{.name = "g"}}}).ok());
  const absl::StatusOr<ProfileConfig> config = ResolveProfile("yunikorn");
  ASSERT_TRUE(config.ok());
  Follower follower(config->actions[0].options);
  const auto is_followed = [&] {
    const bool followed = follower.Update(TablesOf(cluster), 0);
    follower.Decide(/*keeps_memory=*/true);
    return followed;
  };
  EXPECT_FALSE(is_followed());
  ASSERT_TRUE(cluster.AddJob({.name = "b", .queue = "q", .groups = {{.name = "g"}}}).ok());
  for (const char* task : {"b-0", "b-1"}) {
    TaskSpec spec{.name = task, .job = "b", .group = "g"};
    spec.shape.request = {{"cpu", 3}};
    ASSERT_TRUE(cluster.AddTask(spec).ok());
  }
  EXPECT_TRUE(is_followed());
  ASSERT_TRUE(cluster.UpdateJob({.name = "b", .queue = "p", .groups = {{.name = "g"}}}).ok());
  EXPECT_TRUE(is_followed());
  for (const char* task : {"b-0", "b-1"}) ASSERT_TRUE(cluster.RemoveTask(task).ok());
  ASSERT_TRUE(cluster.RemoveJob("b").ok());
  EXPECT_TRUE(is_followed());
  ASSERT_TRUE(cluster.UpdateQueue({.name = "p", .limit = Resources{{"cpu", 4}}}).ok());
  EXPECT_FALSE(is_followed());
  ASSERT_TRUE(cluster.UpdateQueue({.name = "q", .state = QueueState::kClosed}).ok());
  EXPECT_FALSE(is_followed());
  ASSERT_TRUE(cluster.AddQueue({.name = "r"}).ok());
  EXPECT_FALSE(is_followed());
}

// YuniKorn does not notice a placeholder that the host is about to end, so it counts in the score
// of its node only if a pod of an application moves there later.
TEST(YuniKornFollow, APlaceholderThatIsLeftIsSeenAsByANewReading) {
  Cluster cluster;
  for (const char* node : {"n1", "n2", "n3"}) {
    ASSERT_TRUE(cluster.AddNode({.name = node, .capacity = {{"cpu", 10}, {"pods", 100}}}).ok());
  }
  ASSERT_TRUE(cluster.AddQueue({.name = "q"}).ok());
  for (const char* job : {"a", "b", "d", "c"}) {
    ASSERT_TRUE(cluster.AddJob({.name = job, .queue = "q", .groups = {{.name = "g"}}}).ok());
  }
  const auto task = [](const char* name, int cpu, const char* node, TaskStatus status) {
    TaskSpec spec{.name = name, .job = std::string(name, 1), .group = "g"};
    spec.shape.request = {{"cpu", cpu}};
    spec.node = node;
    spec.status = status;
    return spec;
  };
  TaskSpec first = task("a-0", 1, "n1", TaskStatus::kRunning);
  ASSERT_TRUE(cluster.AddTask(first).ok());
  ASSERT_TRUE(cluster.AddTask(task("b-0", 9, "n3", TaskStatus::kRunning)).ok());
  ASSERT_TRUE(cluster.AddTask(task("b-1", 4, "n1", TaskStatus::kWaiting)).ok());
  ASSERT_TRUE(cluster.AddTask(task("d-0", 3, "n2", TaskStatus::kRunning)).ok());
  ASSERT_TRUE(cluster.Schedule("yunikorn").ok());
  first.priority = 1;
  ASSERT_TRUE(cluster.UpdateTask(first).ok());
  ASSERT_TRUE(cluster.AddTask(task("c-0", 1, "", TaskStatus::kPending)).ok());
  const absl::StatusOr<Plan> living = cluster.Schedule("yunikorn");
  const absl::StatusOr<Plan> frozen = Schedule(cluster.Freeze(), "yunikorn");
  ASSERT_TRUE(living.ok() && frozen.ok());
  EXPECT_EQ(living->ToText(), frozen->ToText());
}

TEST(YuniKornFollow, AChangedRowIsCheckedAsAllRowsAre) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = {{"cpu", 8}}}).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "q"}).ok());
  ASSERT_TRUE(cluster.AddJob({.name = "a", .queue = "q"}).ok());
  ASSERT_TRUE(cluster.Schedule("yunikorn").ok());
  const auto refused = [&cluster] {
    const absl::StatusOr<Plan> living = cluster.Schedule("yunikorn");
    const absl::StatusOr<Plan> frozen = Schedule(cluster.Freeze(), "yunikorn");
    EXPECT_FALSE(living.ok());
    EXPECT_EQ(living.status(), frozen.status());
    return !living.ok();
  };
  JobSpec wrong{.name = "b", .queue = "q"};
  wrong.settings = {{"yunikorn/gangSchedulingStyle", "none"}};
  ASSERT_TRUE(cluster.AddJob(wrong).ok());
  EXPECT_TRUE(refused());
  // The first wrong row is named, whichever changed last.
  wrong.name = "a";
  ASSERT_TRUE(cluster.UpdateJob(wrong).ok());
  EXPECT_TRUE(refused());
  ASSERT_TRUE(cluster.UpdateJob({.name = "a", .queue = "q"}).ok());
  ASSERT_TRUE(cluster.UpdateJob({.name = "b", .queue = "q"}).ok());
  EXPECT_TRUE(cluster.Schedule("yunikorn").ok());
  QueueSpec queue{.name = "q"};
  queue.settings = {{"yunikorn/priority.policy", "x"}};
  ASSERT_TRUE(cluster.UpdateQueue(queue).ok());
  EXPECT_TRUE(refused());
}

}  // namespace
}  // namespace muster::testing
