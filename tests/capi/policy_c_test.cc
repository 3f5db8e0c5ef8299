// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policies behind a vtable: each callback is asked and obeyed, and nothing they do wrong gets
// further than an error.
#include <limits>

#include "tests/capi/capi_support.h"

namespace muster {
namespace {

// Spies and answers of one policy; its address is the user data.
struct Mine {
  int calls = 0;
  int destroyed = 0;
  muster_status answer = MUSTER_OK;
  double value = 0;
  muster_cluster* cluster = nullptr;
  muster_status reentered = MUSTER_OK;
  const muster_cycle* kept = nullptr;
};
std::string NameOf(const muster_cycle* cycle, int32_t kind, int32_t index) {
  int64_t size = 0;
  const char* name = muster_cycle_name(cycle, kind, index, &size);
  return name == nullptr ? "" : std::string(name, static_cast<size_t>(size));
}
Mine& Of(uintptr_t user) { return *reinterpret_cast<Mine*>(user); }

class PoliciesInC : public ::testing::Test {
 protected:
  void SetUp() override {
    policy.name = "mine";
    policy.user = reinterpret_cast<uintptr_t>(&mine);
    policy.destroy = [](uintptr_t user) { ++Of(user).destroyed; };
  }
  Held<muster_policies> List() {
    const muster_policy* all[] = {&policy};
    Held<muster_policies> list;
    EXPECT_OK_C(muster_policies_new(all, 1, Out(list), &error));
    return list;
  }
  muster_status Run(const char* profile = "volcano") {
    const Held<muster_policies> list = List();
    muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
    options.policies = list.get();
    plan.reset();
    const muster_status status =
        muster_cluster_schedule(cluster.get(), profile, &options, Out(plan), &error);
    if (status != MUSTER_OK) return status;
    return muster_plan_get_view(plan.get(), &view, &error);
  }
  std::string NodeOf(const char* task) {
    for (int64_t i = 0; i < view.decision_count; ++i) {
      if (view.decision_kind[i] == MUSTER_DECISION_BIND &&
          std::string(muster_plan_name(plan.get(), MUSTER_KIND_TASKS, view.decision_task[i],
                                       nullptr)) == task) {
        return muster_plan_name(plan.get(), MUSTER_KIND_NODES, view.decision_node[i], nullptr);
      }
    }
    return "";
  }
  std::string Explain(const char* name) {
    Held<muster_text> text;
    EXPECT_OK_C(muster_plan_explain(plan.get(), name, MUSTER_TO_NUL, Out(text), &error));
    return Words(text);
  }

  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> cluster = SmallCluster();
  Held<muster_plan> plan;
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
  muster_policy policy = MUSTER_POLICY_INIT;
  Mine mine;
};

TEST_F(PoliciesInC, ScoreDecides) {
  // The last node first, by much.
  policy.score = [](uintptr_t user, const muster_cycle*, const muster_class_view* c,
                    const muster_nodes_view* nodes, double* out) -> muster_status {
    ++Of(user).calls;
    EXPECT_EQ(c->dimensions, nodes->dimensions);
    EXPECT_EQ(nodes->count, 4);
    for (int64_t i = 0; i < nodes->count; ++i) {
      EXPECT_EQ(nodes->idle[0 * nodes->stride + i], 8000);
      EXPECT_EQ(nodes->allocatable[1 * nodes->stride + i], 16.0 * 1024 * 1024 * 1024);
      EXPECT_EQ(nodes->used[i], 0);
      out[i] = 1e6 * nodes->node[i];
    }
    return MUSTER_OK;
  };
  ASSERT_OK_C(Run());
  EXPECT_EQ(NodeOf("fits-0"), "n3");
  EXPECT_EQ(NodeOf("fits-2"), "n2");
  EXPECT_EQ(mine.calls, 2);  // two classes
}

TEST_F(PoliciesInC, LiveScoreSeesTheBooks) {
  policy.flags = MUSTER_POLICY_LIVE;
  policy.score = [](uintptr_t user, const muster_cycle*, const muster_class_view*,
                    const muster_nodes_view* nodes, double* out) -> muster_status {
    ++Of(user).calls;
    for (int64_t i = 0; i < nodes->count; ++i) out[i] = -1e3 * nodes->used[i];  // spread
    return MUSTER_OK;
  };
  ASSERT_OK_C(Run("volcano:-nodeorder"));
  EXPECT_NE(NodeOf("fits-0"), NodeOf("fits-1"));
  EXPECT_NE(NodeOf("fits-1"), NodeOf("fits-2"));
  EXPECT_GT(mine.calls, 2);
}

TEST_F(PoliciesInC, FitRefusesWithItsWords) {
  policy.refusal = "not today";
  policy.fit = [](uintptr_t, const muster_cycle* cycle, const muster_class_view*,
                  const muster_nodes_view* nodes, uint8_t* out) -> muster_status {
    for (int64_t i = 0; i < nodes->count; ++i) {
      const std::string name = NameOf(cycle, MUSTER_KIND_NODES, nodes->node[i]);
      EXPECT_EQ(out[i], 1);
      out[i] = name == "n3";
    }
    return MUSTER_OK;
  };
  ASSERT_OK_C(Run());
  EXPECT_EQ(NodeOf("fits-0"), "");
  EXPECT_NE(Explain("fits").find("3 nodes: mine: not today"), std::string::npos) << Explain("fits");
}

// Of profile mesos, fit and the order of tasks are a framework of the caller.
TEST_F(PoliciesInC, AnswerOffers) {
  policy.fit = [](uintptr_t, const muster_cycle* cycle, const muster_class_view*,
                  const muster_nodes_view* nodes, uint8_t* out) -> muster_status {
    for (int64_t i = 0; i < nodes->count; ++i) {
      out[i] = NameOf(cycle, MUSTER_KIND_NODES, nodes->node[i]) >= "n2";
    }
    return MUSTER_OK;
  };
  policy.task_order = [](uintptr_t user, const muster_cycle*, const int32_t* tasks, int64_t count,
                         double* out) -> muster_status {
    ++Of(user).calls;
    for (int64_t i = 0; i < count; ++i) out[i] = -tasks[i];
    return MUSTER_OK;
  };
  ASSERT_OK_C(Run("mesos"));
  EXPECT_GT(mine.calls, 0);
  EXPECT_GE(NodeOf("fits-2"), "n2");  // the other one goes to "large"
  EXPECT_EQ(NodeOf("fits-1"), NodeOf("fits-2"));
  EXPECT_EQ(NodeOf("fits-0"), "");
}

TEST_F(PoliciesInC, OrdersAndGates) {
  // "large" first by job order; then nothing is left of what "fits" needs where it would fit.
  ASSERT_OK_C(muster_cluster_add_json(cluster.get(), R"({"muster": 1, "jobs": [
    {"name": "late", "min_available": 4, "priority": -5, "min_resources": {"cpu": 24},
     "groups": [{"count": 4, "shape": {"request": {"cpu": 6}}}]}]})",
                                      MUSTER_TO_NUL, &error));
  policy.job_order = [](uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                        int64_t count, double* out) -> muster_status {
    ++Of(user).calls;
    std::vector<int64_t> created(static_cast<size_t>(count)), queue(created), pending(created);
    EXPECT_EQ(muster_cycle_get_numbers(cycle, MUSTER_KIND_JOBS, "priority", jobs, count,
                                       created.data(), nullptr),
              MUSTER_OK);
    EXPECT_EQ(muster_cycle_get_numbers(cycle, MUSTER_KIND_JOBS, "tasks_pending", jobs, count,
                                       pending.data(), nullptr),
              MUSTER_OK);
    EXPECT_EQ(muster_cycle_get_numbers(cycle, MUSTER_KIND_JOBS, "queue", jobs, count, queue.data(),
                                       nullptr),
              MUSTER_OK);
    for (int64_t i = 0; i < count; ++i)
      out[i] = static_cast<double>(created[static_cast<size_t>(i)]);
    return MUSTER_OK;
  };
  policy.queue_order = [](uintptr_t, const muster_cycle* cycle, const int32_t* queues,
                          int64_t count, double* out) -> muster_status {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = std::string("default") == NameOf(cycle, MUSTER_KIND_QUEUES, queues[i]) ? 0 : 1;
    }
    return MUSTER_OK;
  };
  ASSERT_OK_C(Run("volcano:tiers=mine/gang/predicates+nodeorder"));
  EXPECT_NE(NodeOf("late-0"), "");
  EXPECT_EQ(NodeOf("fits-0"), "");

  policy.job_order = nullptr;
  policy.queue_order = nullptr;
  policy.valid = [](uintptr_t, const muster_cycle*, const int32_t*, int64_t count,
                    uint8_t* out) -> muster_status {
    for (int64_t i = 0; i < count; ++i) out[i] = i == 0;
    return MUSTER_OK;
  };
  ASSERT_OK_C(Run());
  EXPECT_NE(NodeOf("fits-0"), "");
  EXPECT_EQ(NodeOf("late-0"), "");

  policy.valid = nullptr;
  policy.admit = [](uintptr_t, const muster_cycle*, const int32_t*, int64_t count,
                    int8_t* out) -> muster_status {
    for (int64_t i = 0; i < count; ++i) out[i] = -1;
    return MUSTER_OK;
  };
  ASSERT_OK_C(Run("volcano:actions=admit,tiers=mine+gang/predicates"));
  std::vector<std::string> admitted;
  for (int64_t i = 0; i < view.decision_count; ++i) {
    if (view.decision_kind[i] != MUSTER_DECISION_ADMIT) continue;
    admitted.push_back(
        muster_plan_name(plan.get(), MUSTER_KIND_JOBS, view.decision_job[i], nullptr));
  }
  // The others request nothing before they are admitted, so there is no vote on them.
  EXPECT_EQ(admitted, (std::vector<std::string>{"large", "fits"}));

  policy.admit = nullptr;
  policy.overused = [](uintptr_t, const muster_cycle*, const int32_t*, int64_t count,
                       uint8_t* out) -> muster_status {
    for (int64_t i = 0; i < count; ++i) out[i] = 1;
    return MUSTER_OK;
  };
  ASSERT_OK_C(Run());
  EXPECT_EQ(NodeOf("fits-0"), "");

  policy.overused = nullptr;
  policy.allocatable = [](uintptr_t user, const muster_cycle*, const muster_class_view* c,
                          const int32_t*, int64_t count, uint8_t* out) -> muster_status {
    ++Of(user).calls;
    for (int64_t i = 0; i < count; ++i) out[i] = c->request[0] != 4000;
    return MUSTER_OK;
  };
  ASSERT_OK_C(Run("volcano:tiers=mine/gang/predicates+nodeorder"));
  EXPECT_EQ(NodeOf("fits-0"), "");
  EXPECT_NE(NodeOf("late-0"), "");
}

TEST_F(PoliciesInC, ReadLabelsTaintsAndSelectors) {
  constexpr char kRows[] = R"({"muster": 1,
    "nodes": [{"name": "east", "labels": {"zone": "e", "empty": ""}, "capacity": {"cpu": 9}},
              {"name": "west", "labels": {"zone": "w"}, "capacity": {"cpu": 9},
               "taints": [{"key": "gpu", "value": "only", "effect": "NoSchedule"}]},
              {"name": "shut", "unschedulable": true, "labels": {"zone": "e"}}],
    "jobs": [{"name": "here", "groups": [{"name": "w", "count": 1, "shape": {
      "request": {"cpu": 1}, "labels": {"app": "web"}, "node_selector": {"zone": "e"},
      "tolerations": [{"key": "gpu", "op": "Exists"}]}}]}]})";
  cluster.reset();
  ASSERT_OK_C(muster_cluster_new(nullptr, Out(cluster), &error));
  ASSERT_OK_C(muster_cluster_add_json(cluster.get(), kRows, MUSTER_TO_NUL, &error));
  policy.fit = [](uintptr_t user, const muster_cycle* cycle, const muster_class_view* c,
                  const muster_nodes_view* nodes, uint8_t*) -> muster_status {
    ++Of(user).calls;
    muster_error why = MUSTER_ERROR_INIT;
    const auto label = [&](int32_t kind, int32_t row, const char* key) {
      int64_t size = -1;
      const char* text = muster_cycle_label(cycle, kind, row, key, &size);
      return text == nullptr ? "none" : std::string(text, static_cast<size_t>(size));
    };
    EXPECT_EQ(label(MUSTER_KIND_NODES, 0, "zone"), "e");
    EXPECT_EQ(label(MUSTER_KIND_NODES, 0, "empty"), "");
    EXPECT_EQ(label(MUSTER_KIND_NODES, 0, "app"), "none");
    EXPECT_EQ(label(MUSTER_KIND_NODES, 3, "zone"), "none");
    EXPECT_EQ(label(MUSTER_KIND_TASKS, 0, "app"), "web");
    EXPECT_EQ(label(MUSTER_KIND_CLASSES, c->index, "app"), "web");
    EXPECT_EQ(label(MUSTER_KIND_CLASSES, -1, "app"), "none");
    EXPECT_EQ(label(MUSTER_KIND_QUEUES, 0, "app"), "none");
    Held<muster_text> text;
    const auto row = [&](int32_t kind, int32_t index) {
      const muster_status status = muster_cycle_row(cycle, kind, index, Out(text), &why);
      return status == MUSTER_OK ? Words(text) : Words(why);
    };
    EXPECT_NE(row(MUSTER_KIND_NODES, 1).find(R"("taints": [{"key": "gpu")"), std::string::npos);
    EXPECT_NE(row(MUSTER_KIND_CLASSES, c->index).find(R"("node_selector": {"zone": "e"})"),
              std::string::npos);
    EXPECT_NE(row(MUSTER_KIND_TASKS, 0).find(R"("job": "here")"), std::string::npos);
    EXPECT_NE(row(MUSTER_KIND_JOBS, 0).find(R"("name": "here")"), std::string::npos);
    EXPECT_NE(row(MUSTER_KIND_QUEUES, 0).find(R"("name": "default")"), std::string::npos);
    EXPECT_EQ(row(MUSTER_KIND_DOMAINS, 0), "cycle: there is no domain 0");
    EXPECT_EQ(row(MUSTER_KIND_NODES, 9), "cycle: there is no node 9");
    EXPECT_EQ(row(MUSTER_KIND_CLASSES, 99), "cycle: there is no task class 99");
    EXPECT_EQ(row(MUSTER_KIND_BUDGETS, 0), "cycle: there are no rows of kind 6");
    const auto match = [&](uint32_t rules) {
      std::vector<uint8_t> out(static_cast<size_t>(nodes->count), 7);
      EXPECT_EQ(muster_cycle_match_nodes(cycle, c->index, rules, nodes->node, nodes->count,
                                         out.data(), &why),
                MUSTER_OK)
          << why.message;
      return std::vector<int>(out.begin(), out.end());
    };
    EXPECT_EQ(nodes->count, 3);
    EXPECT_EQ(match(0), (std::vector<int>{1, 1, 1}));
    EXPECT_EQ(match(MUSTER_MATCH_SELECTOR), (std::vector<int>{1, 0, 1}));
    EXPECT_EQ(match(MUSTER_MATCH_TAINTS), (std::vector<int>{1, 1, 1}));
    EXPECT_EQ(match(MUSTER_MATCH_SELECTOR | MUSTER_MATCH_SCHEDULABLE), (std::vector<int>{1, 0, 0}));
    uint8_t out = 7;
    const int32_t none[] = {9};
    EXPECT_EQ(muster_cycle_match_nodes(cycle, c->index, 8, none, 1, &out, &why),
              MUSTER_E_INVALID_ARGUMENT);
    EXPECT_EQ(muster_cycle_match_nodes(cycle, c->index, 1, none, 1, &out, &why),
              MUSTER_E_OUT_OF_RANGE);
    EXPECT_EQ(muster_cycle_match_nodes(cycle, 77, 1, none, 0, &out, &why), MUSTER_E_OUT_OF_RANGE);
    return MUSTER_OK;
  };
  ASSERT_OK_C(Run());
  EXPECT_EQ(NodeOf("here-w-0"), "east");
  EXPECT_EQ(mine.calls, 1);
}

TEST_F(PoliciesInC, VictimsAreThoseChosen) {
  ASSERT_OK_C(muster_cluster_add_json(cluster.get(), R"({"muster": 1,
    "jobs": [{"name": "low", "priority": 1}, {"name": "high", "priority": 9, "min_available": 1,
              "groups": [{"count": 1, "shape": {"request": {"cpu": 8}}}]}],
    "tasks": [{"name": "a", "job": "low", "node": "n0", "status": "running", "priority": 1,
               "shape": {"request": {"cpu": 8}}},
              {"name": "b", "job": "low", "node": "n1", "status": "running", "priority": 1,
               "shape": {"request": {"cpu": 8}}},
              {"name": "c", "job": "low", "node": "n2", "status": "running", "priority": 1,
               "shape": {"request": {"cpu": 8}}},
              {"name": "d", "job": "low", "node": "n3", "status": "running", "priority": 1,
               "shape": {"request": {"cpu": 8}}}]})",
                                      MUSTER_TO_NUL, &error));
  policy.preemptable = [](uintptr_t, const muster_cycle* cycle, int32_t, const int32_t* tasks,
                          int64_t count, uint8_t* out) -> muster_status {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = std::string("c") == NameOf(cycle, MUSTER_KIND_TASKS, tasks[i]);
    }
    return MUSTER_OK;
  };
  ASSERT_OK_C(
      Run("volcano:actions=allocate+preempt,tiers=priority(without=preemptable)+gang(without="
          "preemptable)+mine/predicates+nodeorder"));
  std::vector<std::string> evicted;
  for (int64_t i = 0; i < view.decision_count; ++i) {
    if (view.decision_kind[i] != MUSTER_DECISION_EVICT) continue;
    evicted.push_back(
        muster_plan_name(plan.get(), MUSTER_KIND_TASKS, view.decision_task[i], nullptr));
  }
  EXPECT_EQ(evicted, std::vector<std::string>{"c"});
}

TEST_F(PoliciesInC, FailuresDiscardTheCycle) {
  policy.score = [](uintptr_t user, const muster_cycle*, const muster_class_view*,
                    const muster_nodes_view*, double* out) -> muster_status {
    out[1] = Of(user).value;
    return Of(user).answer;
  };
  const uint64_t version = muster_cluster_version(cluster.get());
  mine.answer = 42;
  EXPECT_EQ(Run(), MUSTER_E_USER);
  EXPECT_EQ(error.user_code, 42);
  EXPECT_EQ(Words(error), "policy \"mine\", score: returned 42");
  EXPECT_EQ(plan, nullptr);
  mine.answer = MUSTER_OK;
  mine.value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Run(), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "policy \"mine\", score: the answer for row 1 is not a number");
  mine.value = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Run(), MUSTER_E_INVALID_ARGUMENT);
  mine.answer = MUSTER_PASSTHROUGH;  // what was written is not looked at
  ASSERT_OK_C(Run());
  Held<muster_plan> without;
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano", nullptr, Out(without), &error));
  EXPECT_EQ(DigestOf(plan.get()), DigestOf(without.get()));
  EXPECT_EQ(muster_cluster_version(cluster.get()), version);

  policy.score = nullptr;
  policy.open = [](uintptr_t, const muster_cycle*) -> muster_status { return -5; };
  EXPECT_EQ(Run(), MUSTER_E_USER);
  EXPECT_EQ(Words(error), "policy \"mine\", open: returned -5");
}

TEST_F(PoliciesInC, MayNotUseTheCluster) {
  mine.cluster = cluster.get();
  policy.open = [](uintptr_t user, const muster_cycle* cycle) -> muster_status {
    Mine& m = Of(user);
    m.kept = cycle;
    int32_t index;
    Held<muster_plan> inner;
    EXPECT_EQ(muster_cluster_remove(m.cluster, MUSTER_KIND_JOBS, "fits", 4, nullptr),
              MUSTER_E_FAILED_PRECONDITION);
    EXPECT_EQ(muster_cluster_find(m.cluster, MUSTER_KIND_JOBS, "fits", 4, &index, nullptr),
              MUSTER_E_FAILED_PRECONDITION);
    m.reentered = muster_cluster_schedule(m.cluster, "muster", nullptr, Out(inner), nullptr);
    EXPECT_EQ(muster_cycle_now(cycle), 0);
    EXPECT_EQ(muster_cycle_count(cycle, MUSTER_KIND_TASKS), 8);
    int64_t out;
    const int32_t rows[] = {8};
    EXPECT_EQ(
        muster_cycle_get_numbers(cycle, MUSTER_KIND_TASKS, "priority", rows, 1, &out, nullptr),
        MUSTER_E_OUT_OF_RANGE);
    EXPECT_EQ(muster_cycle_get_numbers(cycle, MUSTER_KIND_TASKS, "colour", rows, 1, &out, nullptr),
              MUSTER_E_NOT_FOUND);
    EXPECT_EQ(
        muster_cycle_get_numbers(cycle, MUSTER_KIND_TASKS, "request.gpu", rows, 1, &out, nullptr),
        MUSTER_E_NOT_FOUND);
    EXPECT_EQ(muster_cycle_get_numbers(cycle, MUSTER_KIND_BUDGETS, "x", rows, 1, &out, nullptr),
              MUSTER_E_INVALID_ARGUMENT);
    EXPECT_EQ(muster_cycle_name(cycle, MUSTER_KIND_TASKS, 8, nullptr), nullptr);
    return MUSTER_OK;
  };
  ASSERT_OK_C(Run());
  EXPECT_EQ(mine.reentered, MUSTER_E_FAILED_PRECONDITION);
  // What was kept of the cycle is over with it.
  int64_t out = 0;
  const int32_t rows[] = {0};
  EXPECT_EQ(muster_cycle_count(mine.kept, MUSTER_KIND_TASKS), 0);
  EXPECT_EQ(
      muster_cycle_get_numbers(mine.kept, MUSTER_KIND_TASKS, "priority", rows, 1, &out, &error),
      MUSTER_E_FAILED_PRECONDITION);
}

TEST_F(PoliciesInC, AreDestroyedOnceWhateverHappens) {
  {
    const Held<muster_policies> list = List();
    EXPECT_EQ(mine.destroyed, 0);
  }
  EXPECT_EQ(mine.destroyed, 1);
  // A cluster that used a list keeps it.
  ASSERT_OK_C(Run());
  EXPECT_EQ(mine.destroyed, 1);
  cluster.reset();
  EXPECT_EQ(mine.destroyed, 2);

  Held<muster_policies> list;
  const muster_policy* twice[] = {&policy, &policy};
  EXPECT_EQ(muster_policies_new(twice, 2, Out(list), &error), MUSTER_E_ALREADY_EXISTS);
  EXPECT_EQ(mine.destroyed, 4);
  policy.name = "Mine!";
  const muster_policy* named[] = {&policy};
  EXPECT_EQ(muster_policies_new(named, 1, Out(list), &error), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(mine.destroyed, 5);
}

}  // namespace
}  // namespace muster
