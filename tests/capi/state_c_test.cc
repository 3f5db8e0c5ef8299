// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// States: a standby that loads the leader's makes plans of equal digests from then on, whatever
// both are told.
#include <string>
#include <vector>

#include "lib/base/rng.h"
#include "muster/muster.h"
#include "tests/capi/capi_support.h"
#include "tests/support/world_loop.h"

namespace muster {
namespace {

// Calls drawn from a seed, made on all clusters alike: rows come and go, events come late, plans
// are carried out.
class Life {
 public:
  explicit Life(uint64_t seed) : rng_(seed) {}

  void Step(const std::vector<muster_cluster*>& clusters) {
    const uint64_t what = rng_.Below(10);
    const std::string job = "job-" + std::to_string(rng_.Below(40));
    const std::string node = "node-" + std::to_string(rng_.Below(12));
    const auto count = static_cast<int>(1 + rng_.Below(4));
    const std::string task = job + "-" + std::to_string(rng_.Below(4));
    const auto state = static_cast<int32_t>(std::vector<int32_t>{
        MUSTER_TASK_RUNNING, MUSTER_TASK_SUCCEEDED, MUSTER_TASK_PENDING}[rng_.Below(3)]);
    const uint64_t generation = ++generation_, flip = rng_.Below(4);
    const std::string dimension = flip == 0 ? "gpu-" + std::to_string(rng_.Below(3)) : "cpu";
    std::vector<muster_status> said;
    for (muster_cluster* c : clusters) {
      muster_error error = MUSTER_ERROR_INIT;
      muster_status s = MUSTER_OK;
      const auto events = [&](int32_t kind, const std::string& name, const char* column,
                              const std::string& value, const std::string& defaults) {
        Held<muster_table> table;
        const char* names[] = {name.c_str()};
        const char* values[] = {value.c_str()};
        s = muster_table_new(kind, 1, nullptr, Out(table), &error);
        if (s == 0) s = muster_table_set_strings(table.get(), "name", names, 1, &error);
        if (s == 0 && column != nullptr) {
          s = muster_table_set_strings(table.get(), column, values, 1, &error);
        }
        if (s == 0) {
          s = muster_table_set_defaults(table.get(), defaults.c_str(), MUSTER_TO_NUL, &error);
        }
        if (s == 0) {
          s = muster_cluster_apply_deltas(c, table.get(), &generation, nullptr, nullptr, &error);
        }
      };
      switch (what) {
        case 0:
          events(MUSTER_KIND_NODES, node, nullptr, "",
                 "{\"capacity\": {\"memory\": \"16Gi\", \"" + dimension + "\": 8" +
                     (dimension == "cpu" ? "" : ", \"cpu\": 8") + "}}");
          break;
        case 1:  // sometimes before its queue
          events(MUSTER_KIND_JOBS, job, "queue", flip == 1 ? "late" : "default",
                 "{\"min_available\": " + std::to_string(count) +
                     ", \"groups\": [{\"count\": " + std::to_string(count) +
                     ", \"shape\": {\"request\": {\"" + dimension + "\": 2}}}]}");
          break;
        case 2:  // sometimes before its job
          events(MUSTER_KIND_TASKS, task, "job", job,
                 "{\"shape\": {\"request\": {\"" + dimension + "\": 3}}}");
          break;
        case 3:
          s = muster_cluster_apply_removal(c, flip == 0 ? MUSTER_KIND_NODES : MUSTER_KIND_JOBS,
                                           flip == 0 ? node.c_str() : job.c_str(), MUSTER_TO_NUL,
                                           generation, nullptr, &error);
          break;
        case 4:
          if (flip == 1) events(MUSTER_KIND_QUEUES, "late", nullptr, "", "{\"weight\": 3}");
          if (flip == 2) {
            s = muster_cluster_apply_removal(c, MUSTER_KIND_QUEUES, "late", MUSTER_TO_NUL,
                                             generation, nullptr, &error);
          }
          break;
        case 5:
        case 6:
          s = muster_cluster_set_task(c, task.c_str(), MUSTER_TO_NUL, state, nullptr, 0, &error);
          break;
        default:
          break;
      }
      said.push_back(s);
    }
    for (const muster_status s : said) ASSERT_EQ(s, said[0]);
    const std::string profile = flip == 0 ? "muster" : "volcano:+preempt,+reclaim";
    std::string digest;
    for (muster_cluster* c : clusters) {
      muster_error error = MUSTER_ERROR_INIT;
      Held<muster_plan> plan;
      ASSERT_OK_C(muster_cluster_schedule(c, profile.c_str(), nullptr, Out(plan), &error));
      if (c == clusters[0]) digest = DigestOf(plan.get());
      ASSERT_EQ(DigestOf(plan.get()), digest);
      if (what >= 7) {
        ASSERT_OK_C(muster_cluster_apply(c, plan.get(), nullptr, nullptr, &error));
      }
    }
  }

 private:
  Rng rng_;
  uint64_t generation_ = 0;
};

TEST(State, AStandbyGoesOnWithEqualDigests) {
  muster_error error = MUSTER_ERROR_INIT;
  for (int world = 0;
       world < static_cast<int>(std::min<uint64_t>(muster::testing::WorldCount(30), 30)); ++world) {
    SCOPED_TRACE(world);
    Life life(static_cast<uint64_t>(world));
    Held<muster_cluster> leader, standby, second;
    ASSERT_OK_C(muster_cluster_new(nullptr, Out(leader), &error));
    ASSERT_OK_C(muster_cluster_new(nullptr, Out(standby), &error));
    ASSERT_OK_C(muster_cluster_new(nullptr, Out(second), &error));
    for (int i = 0; i < 60; ++i) life.Step({leader.get()});
    Held<muster_text> state, again;
    ASSERT_OK_C(muster_state_save(leader.get(), Out(state), &error));
    const std::string text = Words(state);
    ASSERT_OK_C(
        muster_state_load(standby.get(), text.data(), static_cast<int64_t>(text.size()), &error));
    ASSERT_OK_C(muster_state_save(standby.get(), Out(again), &error));
    ASSERT_EQ(Words(again), text);
    for (int i = 0; i < 60; ++i) {
      life.Step({leader.get(), standby.get()});
      if (HasFatalFailure()) return;
    }
    // A third takes over from the second.
    ASSERT_OK_C(muster_state_save(leader.get(), Out(state), &error));
    ASSERT_OK_C(muster_state_save(standby.get(), Out(again), &error));
    ASSERT_EQ(Words(again), Words(state));
    ASSERT_OK_C(muster_state_load(second.get(), muster_text_data(again.get()),
                                  muster_text_size(again.get()), &error));
    for (int i = 0; i < 20; ++i) {
      life.Step({leader.get(), second.get()});
      if (HasFatalFailure()) return;
    }
  }
}

TEST(State, ALostDefaultQueueStaysLost) {
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> leader, standby;
  Held<muster_text> state, again;
  ASSERT_OK_C(muster_cluster_new(nullptr, Out(leader), &error));
  ASSERT_OK_C(muster_cluster_new(nullptr, Out(standby), &error));
  ASSERT_OK_C(muster_cluster_add_json(leader.get(), R"({"muster": 1, "queues": [{"name": "q"}]})",
                                      MUSTER_TO_NUL, &error));
  ASSERT_OK_C(
      muster_cluster_remove(leader.get(), MUSTER_KIND_QUEUES, "default", MUSTER_TO_NUL, &error));
  ASSERT_OK_C(muster_state_save(leader.get(), Out(state), &error));
  ASSERT_OK_C(muster_state_load(standby.get(), muster_text_data(state.get()),
                                muster_text_size(state.get()), &error));
  int32_t index = -2;
  EXPECT_EQ(muster_cluster_find(standby.get(), MUSTER_KIND_QUEUES, "default", MUSTER_TO_NUL, &index,
                                &error),
            MUSTER_E_NOT_FOUND);
  EXPECT_OK_C(muster_cluster_find(standby.get(), MUSTER_KIND_QUEUES, "q", 1, &index, &error));
  EXPECT_EQ(index, 0);
}

// Every cut, and every byte changed: refused, with the cluster as it was. (What follows the
// digest's rules and is no state of rows that are there is refused by the rules of rows.)
TEST(State, WhatIsNoStateIsRefused) {
  muster_error error = MUSTER_ERROR_INIT;
  const Held<muster_cluster> leader = SmallCluster(), other = SmallCluster();
  Held<muster_text> state, before, after;
  ASSERT_OK_C(muster_state_save(leader.get(), Out(state), &error));
  const std::string good = Words(state);
  ASSERT_OK_C(muster_cluster_write_scenario(other.get(), nullptr, Out(before), &error));
  const auto refused = [&](const std::string& bad) {
    return muster_state_load(other.get(), bad.data(), static_cast<int64_t>(bad.size()), &error) ==
               MUSTER_E_INVALID_ARGUMENT &&
           error.message[0] != '\0';
  };
  for (size_t size = 0; size < good.size(); ++size) ASSERT_TRUE(refused(good.substr(0, size)));
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] == '7' ? '3' : '7');
    ASSERT_TRUE(refused(bad)) << at;
  }
  ASSERT_TRUE(refused(good + "0"));
  ASSERT_OK_C(muster_cluster_write_scenario(other.get(), nullptr, Out(after), &error));
  EXPECT_EQ(Words(after), Words(before));
  EXPECT_FALSE(refused(good));
}

}  // namespace
}  // namespace muster
