// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What-if through the C interface: columns, names, refusals.
#include <string>

#include "tests/capi/capi_support.h"

namespace muster {
namespace {

class WhatIfC : public ::testing::Test {
 protected:
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> cluster = SmallCluster();

  int Ask(const char* changes, Held<muster_outlook>* out, const char* profile = "muster") {
    return muster_cluster_what_if(cluster.get(), profile, changes, MUSTER_TO_NUL, Out(*out),
                                  &error);
  }
};

TEST_F(WhatIfC, ColumnsAndNames) {
  Held<muster_outlook> outlook;
  ASSERT_OK_C(Ask(R"({"changes": [{"queue": {"name": "vision", "limit": {"cpu": 8}}},
                                  {"add_nodes": {"count": 2, "node": {"name": "x", "capacity": {"cpu": 8}}}}]})",
                  &outlook));
  muster_outlook_view view = MUSTER_OUTLOOK_VIEW_INIT;
  ASSERT_OK_C(muster_outlook_get_view(outlook.get(), &view, &error));
  ASSERT_EQ(view.count, 2);
  ASSERT_EQ(view.dimensions, 3);
  int64_t size = -1;
  EXPECT_STREQ(muster_outlook_name(outlook.get(), MUSTER_KIND_DIMENSIONS, 1, &size), "memory");
  EXPECT_EQ(size, 6);
  EXPECT_STREQ(muster_outlook_name(outlook.get(), MUSTER_KIND_QUEUES, view.queue[1], nullptr),
               "vision");
  EXPECT_EQ(muster_outlook_name(outlook.get(), MUSTER_KIND_QUEUES, 7, &size), nullptr);
  EXPECT_EQ(size, 0);
  EXPECT_EQ(muster_outlook_name(outlook.get(), MUSTER_KIND_NODES, 0, nullptr), nullptr);
  EXPECT_EQ(muster_outlook_name(nullptr, MUSTER_KIND_QUEUES, 0, nullptr), nullptr);
  const size_t cpu = 0, vision_cpu = 3;
  EXPECT_EQ(view.deserved_before[cpu], 20000);
  EXPECT_EQ(view.deserved_before[vision_cpu], 12000);
  EXPECT_EQ(view.deserved_after[cpu], 40000);
  EXPECT_EQ(view.deserved_after[vision_cpu], 8000);
  EXPECT_EQ(view.pending_after[vision_cpu], 12000);
  EXPECT_EQ(view.allocated_after[vision_cpu], 0);
  EXPECT_EQ(view.share_after[1], 0);

  // The same of a snapshot; a profile that divides nothing is reported.
  Held<muster_snapshot> snapshot;
  ASSERT_OK_C(muster_cluster_freeze(cluster.get(), Out(snapshot), &error));
  ASSERT_OK_C(muster_snapshot_what_if(snapshot.get(), "fcfs", R"({"changes": []})", MUSTER_TO_NUL,
                                      Out(outlook), &error));
  ASSERT_OK_C(muster_outlook_get_view(outlook.get(), &view, &error));
  EXPECT_LT(view.deserved_after[vision_cpu], 0);
}

TEST_F(WhatIfC, RefusesAndHandsOutNothing) {
  Held<muster_outlook> outlook;
  EXPECT_EQ(Ask(R"({"changes": [{"queue": {"name": "vison", "weight": 3}}]})", &outlook),
            MUSTER_E_NOT_FOUND);
  EXPECT_EQ(outlook, nullptr);
  EXPECT_EQ(Words(error), "changes[0]: queue \"vison\" does not exist, did you mean \"vision\"?");
  EXPECT_EQ(Ask(R"({"changes": [{"queue": 3}]})", &outlook), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "what-if: changes[0].queue: expected an object, got 3");
  EXPECT_EQ(Ask(R"({"change": []})", &outlook), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "what-if: unknown key \"change\", did you mean \"changes\"?");
  EXPECT_EQ(Ask("[", &outlook), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Ask(nullptr, &outlook), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Ask("{}", &outlook, nullptr), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(muster_snapshot_what_if(nullptr, "muster", "{}", MUSTER_TO_NUL, Out(outlook), &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(muster_cluster_what_if(nullptr, "muster", "{}", MUSTER_TO_NUL, Out(outlook), &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(muster_outlook_get_view(nullptr, nullptr, &error), MUSTER_E_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace muster
