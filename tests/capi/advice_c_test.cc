// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Questions about changed clusters through the C interface: each kind, and refusals.
#include <string>

#include "gmock/gmock.h"
#include "tests/capi/capi_support.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace muster
