// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Questions about changed clusters through the C interface: each kind, and refusals.
#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/capi/capi_support.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Not;

class AdviceC : public ::testing::Test {
 protected:
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> cluster = SmallCluster();

  std::string Ask(const char* question, const char* profile = "volcano") {
    Held<muster_text> answer;
    if (muster_cluster_advise(cluster.get(), profile, question, MUSTER_TO_NUL, 7, Out(answer),
                              &error) != MUSTER_OK) {
      return error.message;
    }
    return muster_text_data(answer.get());
  }
};

TEST_F(AdviceC, EachKind) {
  EXPECT_THAT(Ask(R"({"rehearse": []})"), HasSubstr("\"starts\": []"));
  EXPECT_THAT(Ask(R"({"drain": {"nodes": []}})"), HasSubstr("\"steps\": []"));
  EXPECT_THAT(Ask(R"({"need_nodes": {"offers": [{"node": {"name": "x", "capacity": {"cpu": 8}},
                                                 "price": 2}], "most": 4}})"),
              HasSubstr("\"waiting_before\": "));
  EXPECT_THAT(Ask(R"({"need_nodes": {"offers": [{"node": {"name": "x", "capacity": {"cpu": 8}},
                                                 "most": 1}]}})"),
              HasSubstr("\"wanted_waiting\": "));
}

TEST_F(AdviceC, Refuses) {
  EXPECT_THAT(Ask(R"({"diagnose": {"job": "nowhere"}})"),
              HasSubstr("job \"nowhere\" does not exist"));
  EXPECT_THAT(Ask(R"({})"), HasSubstr("question: asks nothing; must have one of rehearse"));
  EXPECT_THAT(Ask(R"({"drain": {"nodes": []}, "rehearse": []})"),
              HasSubstr("asks more than one thing"));
  EXPECT_THAT(Ask(R"({"diagnos": {}})"), HasSubstr("did you mean \"diagnose\"?"));
  EXPECT_THAT(Ask(R"({"diagnose": {"trials": 3}})"), HasSubstr("key \"job\" is missing"));
  EXPECT_THAT(Ask("{"), HasSubstr("question"));
  EXPECT_THAT(Ask(R"({"rehearse": [{"add_nodes": {"count": 9000000000,
                                                  "node": {"name": "n"}}}]})"),
              HasSubstr("rows in all; at most"));
  EXPECT_THAT(Ask(R"({"rehearse": []})", "vulcano"), HasSubstr("did you mean \"volcano\"?"));
}

// A policy of the caller that leaves node n0 as the only one.
class AdviceOfOwnPolicies : public ::testing::Test {
 protected:
  AdviceOfOwnPolicies() {
    policy.name = "only-n0";
    policy.refusal = "only n0";
    policy.user = reinterpret_cast<uintptr_t>(&answer);
    policy.fit = [](uintptr_t user, const muster_cycle* cycle, const muster_class_view*,
                    const muster_nodes_view* nodes, uint8_t* out) -> muster_status {
      for (int64_t i = 0; i < nodes->count; ++i) {
        const char* name = muster_cycle_name(cycle, MUSTER_KIND_NODES, nodes->node[i], nullptr);
        out[i] = name != nullptr && std::string(name) == "n0";
      }
      return *reinterpret_cast<const muster_status*>(user);
    };
    const muster_policy* all[] = {&policy};
    EXPECT_OK_C(muster_policies_new(all, 1, Out(list), &error));
    options.policies = list.get();
    options.now = 7;
  }
  std::string Ask(const char* question) {
    Held<muster_text> text;
    if (muster_cluster_advise_with(cluster.get(), "volcano", question, MUSTER_TO_NUL, &options,
                                   Out(text), &error) != MUSTER_OK) {
      return error.message;
    }
    return Words(text);
  }
  muster_status Forecasts(Held<muster_forecast>& out, const char* profile = "volcano") {
    muster_forecast_options given = MUSTER_FORECAST_OPTIONS_INIT;
    given.policies = options.policies;
    given.futures = 4;
    given.no_arrivals = 1;
    return muster_forecast_cluster(cluster.get(), profile, nullptr, &given, options.stop, Out(out),
                                   &error);
  }

  static constexpr const char* kTwo = R"({"rehearse": [{"add_job": {"name": "two",
      "estimate": 10, "groups": [{"count": 2, "shape": {"request": {"cpu": "4"}}}]}}]})";
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> cluster = SmallCluster();
  muster_policy policy = MUSTER_POLICY_INIT;
  muster_status answer = MUSTER_OK;
  Held<muster_policies> list;
  muster_advise_options options = MUSTER_ADVISE_OPTIONS_INIT;
};

TEST_F(AdviceOfOwnPolicies, AreAskedInEachCycle) {
  EXPECT_THAT(Ask(R"({"diagnose": {"job": "fits"}})"), HasSubstr("only n0"));
  EXPECT_THAT(Ask(kTwo), HasSubstr("\"after\": \"n0\""));
  EXPECT_THAT(Ask(kTwo), Not(HasSubstr("\"after\": \"n1\"")));
  options.policies = nullptr;
  EXPECT_THAT(Ask(R"({"diagnose": {"job": "fits"}})"), Not(HasSubstr("only n0")));
}

TEST_F(AdviceOfOwnPolicies, FailWithTheirWords) {
  answer = MUSTER_E_USER;
  EXPECT_THAT(Ask(kTwo), HasSubstr("only-n0"));
  Held<muster_forecast> forecast;
  EXPECT_EQ(Forecasts(forecast), MUSTER_E_USER);
  EXPECT_EQ(forecast, nullptr);
  // The list serves the next call, and the cluster is as it was.
  answer = MUSTER_OK;
  EXPECT_THAT(Ask(kTwo), HasSubstr("\"after\": \"n0\""));
  EXPECT_OK_C(Forecasts(forecast));
}

TEST_F(AdviceOfOwnPolicies, AStopEndsAQuestion) {
  Held<muster_stop> stop;
  ASSERT_OK_C(muster_stop_new(Out(stop), &error));
  options.stop = stop.get();
  EXPECT_THAT(Ask(kTwo), HasSubstr("\"after\": \"n0\""));
  muster_stop_set(stop.get(), 1);
  EXPECT_THAT(Ask(kTwo), HasSubstr("stopped before its end"));
}

TEST_F(AdviceOfOwnPolicies, ForecastsAskThem) {
  ASSERT_OK_C(muster_cluster_add_json(cluster.get(), R"({"muster": 1, "jobs": [{"name": "one",
      "estimate": 10, "min_available": 1,
      "groups": [{"count": 1, "shape": {"request": {"cpu": "8"}}}]},
     {"name": "two", "estimate": 10, "min_available": 1,
      "groups": [{"count": 1, "shape": {"request": {"cpu": "8"}}}]}]})",
                                      MUSTER_TO_NUL, &error));
  ASSERT_OK_C(
      muster_cluster_remove(cluster.get(), MUSTER_KIND_JOBS, "fits", MUSTER_TO_NUL, &error));
  const auto starts = [this] {
    Held<muster_forecast> forecast;
    muster_forecast_view view = MUSTER_FORECAST_VIEW_INIT;
    EXPECT_OK_C(Forecasts(forecast));
    EXPECT_OK_C(muster_forecast_get_view(forecast.get(), &view, &error));
    std::vector<int64_t> at(view.start, view.start + view.count);
    std::sort(at.begin(), at.end());
    return at;
  };
  // One after the other on n0; without the policy, side by side. "large" never starts.
  const std::vector<int64_t> own = starts();
  EXPECT_THAT(own, ElementsAre(MUSTER_ABSENT, 0, Gt(0)));
  options.policies = nullptr;
  EXPECT_THAT(starts(), ElementsAre(MUSTER_ABSENT, 0, 0));
}

}  // namespace
}  // namespace muster
