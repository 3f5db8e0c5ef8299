// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What docs/capi.md promises about threads, in C++ and in C: many sessions over one snapshot in
// parallel, one cluster for each thread, snapshots dropped while the cluster they came from
// changes, plans read by all, cycles cancelled from elsewhere. All of it must come out as it does
// on one thread; ./test --full also builds this with ThreadSanitizer.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "muster/muster.h"
#include "tests/capi/capi_support.h"

namespace muster {
namespace {

constexpr int kThreads = 8;
constexpr std::array kProfiles = {"muster", "volcano", "kube-batch", "volcano:+preempt,+reclaim"};

// Runs body(0), body(1), ... at once.
void InParallel(int count, const std::function<void(int)>& body) {
  std::atomic<int> waiting = count;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&body, &waiting, i] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      body(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

JobSpec Gang(const std::string& name, const std::string& queue, int64_t tasks, int64_t cpu) {
  return {.name = name,
          .queue = queue,
          .min_available = tasks,
          .groups = {{.count = tasks, .shape = {.request = {{"cpu", cpu}, {"memory", "1Gi"}}}}}};
}

// More work than room, so that reasons are written, too.
Cluster Crowded(int64_t seed) {
  Cluster cluster;
  const NodeSpec node{.name = "n", .capacity = {{"cpu", 8}, {"memory", "32Gi"}}};
  EXPECT_TRUE(cluster.AddNodes(24, node).ok());
  for (const char* queue : {"a", "b", "c"}) EXPECT_TRUE(cluster.AddQueue({.name = queue}).ok());
  for (int64_t i = 0; i < 60; ++i) {
    const std::string queue(1, static_cast<char>('a' + (i + seed) % 3));
    const std::string name = "j" + std::to_string(i);
    EXPECT_TRUE(cluster.AddJob(Gang(name, queue, 1 + i % 5, 1 + (i + seed) % 4)).ok());
  }
  return cluster;
}

std::string DigestUnder(const Cluster& cluster, const char* profile) {
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile);
  return plan.ok() ? plan->Digest() : plan.status().ToString();
}

TEST(Threads, ManySessionsOverOneSnapshot) {
  const Cluster cluster = Crowded(0);
  const Snapshot snapshot = cluster.Freeze();
  std::vector<std::string> alone;
  for (const char* profile : kProfiles) alone.push_back(DigestUnder(cluster, profile));
  ASSERT_NE(alone[0], alone[2]);
  std::vector<std::string> digests(kThreads), words(kThreads);
  InParallel(kThreads, [&](int i) {
    const size_t which = static_cast<size_t>(i) % kProfiles.size();
    const Snapshot mine = snapshot;
    const absl::StatusOr<Plan> plan = Schedule(mine, kProfiles[which]);
    if (plan.ok()) digests[i] = plan->Digest();
    words[i] = Schedule(mine, "volcanoo").status().ToString();
  });
  for (size_t i = 0; i < kThreads; ++i) {
    EXPECT_EQ(digests[i], alone[i % kProfiles.size()]) << i;
    EXPECT_EQ(words[i], words[0]);
  }
}

// Which thread drops the last copy of a snapshot, and when, is chance; the cluster changes in place
// as soon as no copy is left.
TEST(Threads, SnapshotsAreDroppedWhileTheClusterChanges) {
  Cluster cluster = Crowded(1);
  for (int64_t round = 0; round < 12; ++round) {
    const std::string expected = DigestUnder(cluster, "volcano");
    std::string seen[2];
    std::thread readers[2];
    for (int i = 0; i < 2; ++i) {
      readers[i] = std::thread([snapshot = cluster.Freeze(), &text = seen[i]]() mutable {
        const absl::StatusOr<Plan> plan = Schedule(snapshot, "volcano");
        if (plan.ok()) text = plan->Digest();
        snapshot = Snapshot();
      });
    }
    for (int64_t i = 0; i < 40; ++i) {
      const std::string name = "late" + std::to_string(round) + "-" + std::to_string(i);
      ASSERT_TRUE(cluster.AddJob(Gang(name, "a", 1 + i % 2, 1)).ok());
    }
    const absl::StatusOr<Plan> plan = cluster.Schedule("muster");
    ASSERT_TRUE(plan.ok() && cluster.Apply(*plan).ok());
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(seen[0], expected);
    EXPECT_EQ(seen[1], expected);
  }
}

std::string Lives(int64_t seed) {
  Cluster cluster = Crowded(seed);
  std::string digests;
  for (int64_t cycle = 0; cycle < 4; ++cycle) {
    const absl::StatusOr<Plan> plan = cluster.Schedule("volcano", {.now = cycle});
    if (!plan.ok() || !cluster.Apply(*plan).ok()) return "failed";
    for (const Bind& bind : plan->binds()) {
      const TaskStatus next = bind.task % 2 == 0 ? TaskStatus::kSucceeded : TaskStatus::kRunning;
      if (!cluster.SetTaskStatus(plan->task_name(bind.task), next).ok()) return "failed";
    }
    digests += plan->Digest();
  }
  return digests;
}

TEST(Threads, OneClusterEach) {
  std::vector<std::string> alone(kThreads), together(kThreads);
  for (int i = 0; i < kThreads; ++i) alone[i] = Lives(i);
  InParallel(kThreads, [&](int i) { together[i] = Lives(i); });
  EXPECT_EQ(together, alone);
  EXPECT_NE(alone[0], alone[1]);
}

TEST(Threads, SnapshotsAndPlansOfCAreReadByAll) {
  const Held<muster_cluster> cluster = SmallCluster();
  Held<muster_snapshot> snapshot;
  Held<muster_plan> plan;
  Held<muster_text> text;
  muster_error error = MUSTER_ERROR_INIT;
  ASSERT_OK_C(muster_cluster_freeze(cluster.get(), Out(snapshot), &error));
  ASSERT_OK_C(muster_snapshot_schedule(snapshot.get(), "volcano", nullptr, Out(plan), &error));
  ASSERT_OK_C(muster_plan_to_text(plan.get(), Out(text), &error));
  std::vector<std::string> digests(kThreads), texts(kThreads), names(kThreads);
  InParallel(kThreads, [&](int i) {
    muster_error mine = MUSTER_ERROR_INIT;
    Held<muster_plan> again;
    Held<muster_text> words;
    int32_t index = MUSTER_NONE;
    if (muster_snapshot_schedule(snapshot.get(), "volcano", nullptr, Out(again), &mine) ||
        muster_plan_to_text(plan.get(), Out(words), &mine) ||
        muster_snapshot_find(snapshot.get(), MUSTER_KIND_TASKS, "fits-1", 6, &index, &mine)) {
      return;
    }
    digests[i] = DigestOf(again.get());
    texts[i] = Words(words) == Words(text) ? "equal" : "not";
    // The first question for a name makes the plan's list of names: here all threads ask first.
    names[i] = muster_plan_name(plan.get(), MUSTER_KIND_TASKS, index, nullptr);
  });
  EXPECT_EQ(digests, std::vector<std::string>(kThreads, DigestOf(plan.get())));
  EXPECT_EQ(texts, std::vector<std::string>(kThreads, "equal"));
  EXPECT_EQ(names, std::vector<std::string>(kThreads, "fits-1"));
}

TEST(Threads, OneClusterOfCEach) {
  std::vector<std::string> digests(kThreads), failures(kThreads);
  InParallel(kThreads, [&](int i) {
    const Held<muster_cluster> cluster = SmallCluster();
    muster_error error = MUSTER_ERROR_INIT;
    Held<muster_plan> plan;
    muster_cluster_schedule(cluster.get(), "volcano", nullptr, Out(plan), &error);
    if (muster_cluster_apply(cluster.get(), plan.get(), nullptr, nullptr, &error) == 0) {
      digests[i] = DigestOf(plan.get());
    }
    muster_cluster_remove(cluster.get(), MUSTER_KIND_NODES, "nowhere", 7, &error);
    failures[i] = Words(error);
  });
  EXPECT_EQ(digests, std::vector<std::string>(kThreads, digests[0]));
  EXPECT_EQ(digests[0].size(), 32u);
  EXPECT_EQ(failures, std::vector<std::string>(kThreads, R"(node "nowhere": does not exist)"));
}

TEST(Threads, CyclesAreCancelledFromElsewhere) {
  const Held<muster_cluster> cluster = SmallCluster();
  Held<muster_snapshot> snapshot;
  Held<muster_stop> stop;
  muster_error error = MUSTER_ERROR_INIT;
  ASSERT_OK_C(muster_cluster_freeze(cluster.get(), Out(snapshot), &error));
  ASSERT_OK_C(muster_stop_new(Out(stop), &error));
  // The last thread cancels while the others run cycle after cycle, until each has seen it.
  InParallel(kThreads, [&](int i) {
    if (i == kThreads - 1) {
      muster_stop_set(stop.get(), 1);
      return;
    }
    muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
    options.stop = stop.get();
    muster_status status = MUSTER_OK;
    while (status == MUSTER_OK) {
      Held<muster_plan> plan;
      status = muster_snapshot_schedule(snapshot.get(), "muster", &options, Out(plan), nullptr);
    }
    EXPECT_EQ(status, MUSTER_E_CANCELLED);
  });
}

}  // namespace
}  // namespace muster
