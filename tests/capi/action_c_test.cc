// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Actions behind a table of callbacks: what they may read and move, and what they may not.
#include <functional>

#include "tests/capi/capi_support.h"

namespace muster {
namespace {

using Work = std::function<muster_status(muster_workbench*)>;

// Nodes n0 and n1 of two cores. Job low runs on n0; gangs pair (2 tasks) and wide (4) wait.
constexpr char kWorld[] = R"({"muster": 1, "nodes": [
    {"name": "n0", "capacity": {"cpu": 2, "pods": 99}},
    {"name": "n1", "capacity": {"cpu": 2, "pods": 99}}],
  "jobs": [
    {"name": "low", "min_available": 1, "phase": "running"},
    {"name": "pair", "min_available": 2, "priority": 2, "phase": "admitted",
     "groups": [{"count": 2, "shape": {"request": {"cpu": 1}}}]},
    {"name": "wide", "min_available": 4, "priority": 3, "phase": "admitted",
     "groups": [{"count": 4, "shape": {"request": {"cpu": 1}}}]}],
  "tasks": [
    {"name": "low-0", "job": "low", "node": "n0", "status": "running",
     "shape": {"request": {"cpu": 1}}}]})";
enum : int32_t { kLow, kPair, kWide };

class Actions : public ::testing::Test {
 protected:
  void SetUp() override {
    action.name = "mine";
    action.user = reinterpret_cast<uintptr_t>(this);
    action.run = [](uintptr_t user, muster_workbench* bench) {
      return reinterpret_cast<Actions*>(user)->work(bench);
    };
    action.destroy = [](uintptr_t user) { ++reinterpret_cast<Actions*>(user)->destroyed; };
    EXPECT_OK_C(muster_cluster_new(nullptr, Out(cluster), &error));
    EXPECT_OK_C(muster_cluster_add_json(cluster.get(), kWorld, MUSTER_TO_NUL, &error));
    for (const char* name : {"low-0", "pair-0", "pair-1", "wide-0"}) {
      int32_t row = -1;
      EXPECT_OK_C(
          muster_cluster_find(cluster.get(), MUSTER_KIND_TASKS, name, MUSTER_TO_NUL, &row, &error));
      task.push_back(row);
    }
  }
  muster_status Run(const Work& given, const muster_policy* policy = nullptr,
                    const char* profile = "muster:actions=mine") {
    work = given;
    const muster_action* actions[] = {&action};
    Held<muster_policies> list;
    EXPECT_OK_C(
        muster_extensions_new(&policy, policy == nullptr ? 0 : 1, actions, 1, Out(list), &error));
    muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
    options.policies = list.get();
    plan.reset();
    return muster_cluster_schedule(cluster.get(), profile, &options, Out(plan), &error);
  }
  std::string Text() {
    Held<muster_text> text;
    EXPECT_OK_C(muster_plan_to_text(plan.get(), Out(text), &error));
    const std::string words = Words(text);
    return words.substr(0, words.find("pending"));
  }

  muster_error error = MUSTER_ERROR_INIT;
  muster_action action = MUSTER_ACTION_INIT;
  Work work;
  int destroyed = 0;
  std::vector<int32_t> task;  // low-0, pair-0, pair-1, wide-0
  Held<muster_cluster> cluster;
  Held<muster_plan> plan;
};

TEST_F(Actions, PlaceWholeGangsOrNothing) {
  const auto in_order = [&](muster_workbench* bench) -> muster_status {
    int64_t jobs = 0, tasks = 0;
    const int32_t* job = muster_workbench_waiting(bench, &jobs);
    EXPECT_EQ(std::vector<int32_t>(job, job + jobs), (std::vector<int32_t>{kPair, kWide}));
    EXPECT_EQ(muster_workbench_job_before(bench, kWide, kPair), 1);
    for (int64_t i = 0; i < jobs; ++i) {
      EXPECT_EQ(muster_workbench_should_stop(bench), 0);
      EXPECT_EQ(muster_workbench_valid(bench, job[i]), 1);
      const int64_t before = muster_workbench_save(bench);
      const int32_t* t = muster_workbench_pending_tasks(bench, job[i], &tasks);
      for (int64_t k = 0; k < tasks; ++k) {
        EXPECT_EQ(muster_workbench_allocatable(bench, t[k]), 1);
        if (muster_workbench_place(bench, t[k]) == MUSTER_NONE) {
          muster_workbench_explain_no_node(bench, t[k]);
        }
      }
      if (muster_workbench_ready(bench, job[i]) != 0) {
        muster_workbench_commit(bench, before);
      } else {
        muster_workbench_rollback(bench, before);
      }
    }
    return MUSTER_OK;
  };
  ASSERT_OK_C(Run(in_order));
  EXPECT_EQ(Text(), "bind pair-0 to n0\nbind pair-1 to n1\n");
}

TEST_F(Actions, EvictAndReturnAndNominate) {
  const auto evict = [&](muster_workbench* bench) -> muster_status {
    const muster_cycle* cycle = muster_workbench_cycle(bench);
    const auto status = [&](int32_t t) {
      int64_t out = 0;
      EXPECT_OK_C(
          muster_cycle_get_numbers(cycle, MUSTER_KIND_TASKS, "status", &t, 1, &out, &error));
      return out;
    };
    EXPECT_EQ(muster_workbench_fits(bench, task[1], 0), 1);
    EXPECT_EQ(muster_workbench_place_on(bench, task[1], 0), 1);
    EXPECT_EQ(muster_workbench_place_on(bench, task[1], 1), 0);  // is placed already
    EXPECT_EQ(muster_workbench_place_on(bench, task[2], 0), 0);  // is full
    int64_t count = 0;
    const int32_t* there = muster_workbench_tasks_on(bench, 0, &count);
    EXPECT_EQ(std::vector<int32_t>(there, there + count), (std::vector<int32_t>{task[1], task[0]}));
    const int64_t before = muster_workbench_save(bench);
    EXPECT_EQ(muster_workbench_evict(bench, task[0], task[2]), 1);
    EXPECT_EQ(status(task[0]), MUSTER_TASK_RELEASING);
    EXPECT_EQ(muster_workbench_evict(bench, task[0], MUSTER_NONE), 0);  // leaves already
    EXPECT_EQ(muster_workbench_return(bench, task[0]), 1);
    EXPECT_EQ(status(task[0]), MUSTER_TASK_RUNNING);
    muster_workbench_rollback(bench, before);
    EXPECT_EQ(muster_workbench_evict(bench, task[0], task[2]), 1);
    EXPECT_NE(muster_workbench_nominate(bench, task[2]), MUSTER_NONE);
    EXPECT_EQ(muster_workbench_pipelined(bench, kPair), 1);
    muster_workbench_commit(bench, before);
    return MUSTER_OK;
  };
  action.flags = MUSTER_ACTION_EVICTS;
  ASSERT_OK_C(Run(evict));
  EXPECT_EQ(Text().find("evict low-0 from n0 for pair-1\nnominate pair-1 to "), 0u) << Text();
}

TEST_F(Actions, ReserveAndMove) {
  const auto work = [&](muster_workbench* bench) -> muster_status {
    const int64_t before = muster_workbench_save(bench);
    EXPECT_EQ(muster_workbench_move_to(bench, task[0], 1, MUSTER_NONE), 1);
    EXPECT_EQ(muster_workbench_move_to(bench, task[1], 1, MUSTER_NONE), 0);  // does not run
    EXPECT_NE(muster_workbench_reserve(bench, task[1], 60, "together"), MUSTER_NONE);
    muster_workbench_commit(bench, before);
    return MUSTER_OK;
  };
  ASSERT_OK_C(Run(work));
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
  ASSERT_OK_C(muster_plan_get_view(plan.get(), &view, &error));
  EXPECT_EQ(view.reservation_count, 1);
  EXPECT_EQ(view.move_count, 1);
}

// A cluster that followed such a plan could not be loaded again.
TEST_F(Actions, ReserveRefusesWhatNoRowOfATaskMayHave) {
  const auto with = [&](int64_t until, const char* group) {
    const muster_status status = Run([&, until, group](muster_workbench* bench) -> muster_status {
      const int64_t before = muster_workbench_save(bench);
      EXPECT_EQ(muster_workbench_reserve(bench, task[1], until, group), MUSTER_NONE);
      muster_workbench_commit(bench, before);
      return MUSTER_OK;
    });
    EXPECT_EQ(status, MUSTER_E_INVALID_ARGUMENT);
    EXPECT_EQ(plan, nullptr);
    return Words(error);
  };
  EXPECT_NE(with(60, "\xff").find("the text is not UTF-8"), std::string::npos) << Words(error);
  EXPECT_NE(with(INT64_MAX, "g").find("waits_until is 9223372036854775807; must be "),
            std::string::npos)
      << Words(error);
}

TEST_F(Actions, FreeingTheClusterWaitsForTheCall) {
  muster_cluster* const freed = cluster.release();
  work = [&](muster_workbench* bench) -> muster_status {
    muster_cluster_free(freed);
    const int64_t before = muster_workbench_save(bench);
    EXPECT_NE(muster_workbench_place(bench, task[1]), MUSTER_NONE);
    EXPECT_NE(muster_workbench_place(bench, task[2]), MUSTER_NONE);
    muster_workbench_commit(bench, before);
    return MUSTER_OK;
  };
  const muster_action* actions[] = {&action};
  Held<muster_policies> list;
  EXPECT_OK_C(muster_extensions_new(nullptr, 0, actions, 1, Out(list), &error));
  muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
  options.policies = list.get();
  ASSERT_OK_C(muster_cluster_schedule(freed, "muster:actions=mine", &options, Out(plan), &error));
  EXPECT_EQ(Text().find("bind pair-0 to "), 0u) << Text();
}

TEST_F(Actions, AskTheProfileForVictims) {
  const auto ask = [&](muster_workbench* bench) -> muster_status {
    int32_t chosen[4] = {-5, -5, -5, -5};
    EXPECT_EQ(muster_workbench_starving(bench, kWide), 1);
    EXPECT_EQ(muster_workbench_preemptable(bench, task[3], task.data(), 1, chosen), 1);
    EXPECT_EQ(chosen[0], task[0]);
    EXPECT_EQ(muster_workbench_reclaimable(bench, task[3], task.data(), 0, chosen), 0);
    EXPECT_EQ(muster_workbench_may_take_turn(bench, 0), 1);
    EXPECT_EQ(muster_workbench_queue_before(bench, 0, 0), 0);
    EXPECT_EQ(muster_workbench_task_before(bench, task[1], task[2]), 1);
    return MUSTER_OK;
  };
  ASSERT_OK_C(Run(ask, nullptr,
                  "volcano:actions=mine,tiers=priority+gang(without=preemptable)/predicates"));
}

TEST_F(Actions, AdmitJobs) {
  ASSERT_OK_C(muster_cluster_add_json(cluster.get(), R"({"muster": 1, "jobs": [
      {"name": "new", "min_available": 1, "min_resources": {"cpu": 1},
       "groups": [{"count": 1, "shape": {"request": {"cpu": 1}}}]}]})",
                                      MUSTER_TO_NUL, &error));
  action.flags = MUSTER_ACTION_ADMITS;
  ASSERT_OK_C(Run([](muster_workbench* bench) -> muster_status {
    muster_workbench_admit(bench, kWide + 1);
    return MUSTER_OK;
  }));
  EXPECT_EQ(Text(), "admit new\n");
}

TEST_F(Actions, FailuresDiscardTheCycle) {
  const uint64_t version = muster_cluster_version(cluster.get());
  const auto place = [&](muster_workbench* bench) {
    const int64_t before = muster_workbench_save(bench);
    EXPECT_NE(muster_workbench_place(bench, task[1]), MUSTER_NONE);
    muster_workbench_commit(bench, before);
    return before;
  };
  EXPECT_EQ(Run([&](muster_workbench* bench) -> muster_status {
              place(bench);
              return 42;
            }),
            MUSTER_E_USER);
  EXPECT_EQ(error.user_code, 42);
  EXPECT_EQ(Words(error), "action \"mine\": returned 42");
  EXPECT_EQ(plan, nullptr);

  EXPECT_EQ(Run([&](muster_workbench* bench) -> muster_status {
              place(bench);
              EXPECT_EQ(muster_workbench_place(bench, 77), MUSTER_NONE);
              // From then on nothing happens.
              EXPECT_EQ(muster_workbench_place(bench, task[2]), MUSTER_NONE);
              EXPECT_EQ(muster_workbench_should_stop(bench), 1);
              return MUSTER_OK;
            }),
            MUSTER_E_OUT_OF_RANGE);
  EXPECT_EQ(Words(error), "action \"mine\", place: there is no task 77");

  EXPECT_EQ(Run([&](muster_workbench* bench) -> muster_status {
              muster_workbench_rollback(bench, place(bench));  // it was committed
              return MUSTER_OK;
            }),
            MUSTER_E_FAILED_PRECONDITION);
  EXPECT_EQ(Words(error).find("action \"mine\", rollback: savepoint 0 is over; must be one "), 0u);
  EXPECT_EQ(muster_cluster_version(cluster.get()), version);
  // The cluster decides as if nothing had been.
  ASSERT_OK_C(Run([&](muster_workbench* bench) -> muster_status {
    place(bench);
    return MUSTER_OK;
  }));
  EXPECT_EQ(Text().find("bind pair-0 to "), 0u);
}

TEST_F(Actions, PoliciesMayNotMove) {
  muster_policy policy = MUSTER_POLICY_INIT;
  static muster_workbench* kept;
  static int32_t moved;
  policy.name = "meddler";
  policy.user = static_cast<uintptr_t>(task[2]);
  policy.ready = [](uintptr_t user, const muster_cycle*, const int32_t*, int64_t,
                    uint8_t*) -> muster_status {
    moved = muster_workbench_place(kept, static_cast<int32_t>(user));
    return MUSTER_OK;
  };
  EXPECT_EQ(Run(
                [](muster_workbench* bench) -> muster_status {
                  kept = bench;
                  EXPECT_EQ(muster_workbench_ready(bench, kPair), 0);
                  return MUSTER_OK;
                },
                &policy, "muster:actions=mine,tiers=meddler+gang/predicates"),
            MUSTER_E_FAILED_PRECONDITION);
  EXPECT_EQ(moved, MUSTER_NONE);
  EXPECT_EQ(Words(error),
            "action \"mine\", place: a policy is being asked; only the action may call");
}

TEST_F(Actions, AreCheckedAndDestroyed) {
  ASSERT_OK_C(Run([](muster_workbench*) -> muster_status { return MUSTER_OK; }));
  cluster.reset();
  EXPECT_EQ(destroyed, 1);
  Held<muster_policies> list;
  const muster_action* twice[] = {&action, &action};
  EXPECT_EQ(muster_extensions_new(nullptr, 0, twice, 2, Out(list), &error),
            MUSTER_E_ALREADY_EXISTS);
  EXPECT_EQ(destroyed, 3);
  const muster_action* one[] = {&action};
  action.flags = 8;
  EXPECT_EQ(muster_extensions_new(nullptr, 0, one, 1, Out(list), &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "action \"mine\": flags is 8");
  action.flags = 0;
  action.run = nullptr;
  EXPECT_EQ(muster_extensions_new(nullptr, 0, one, 1, Out(list), &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "action \"mine\": run is NULL");
  EXPECT_EQ(destroyed, 5);
}

}  // namespace
}  // namespace muster
