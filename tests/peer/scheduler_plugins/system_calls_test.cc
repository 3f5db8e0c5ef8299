// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Scores by system calls, by hand.
#include "lib/peer/scheduler_plugins/system_calls.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace muster::scheduler_plugins {
namespace {

ProfiledPod Using(const std::string& name, const std::vector<std::string>& profiles) {
  ProfiledPod pod{name};
  for (const std::string& profile : profiles) {
    pod.paths.push_back("localhost/operator/default/" + profile + ".json");
  }
  return pod;
}

SystemCalls Calls() {
  SystemCalls calls({"default", "all"});
  const std::vector<ProfileRule> web = {{"SCMP_ACT_ALLOW", {"read", "write"}},
                                        {"SCMP_ACT_LOG", {"open"}},
                                        {"SCMP_ACT_ERRNO", {"reboot"}}};
  const std::vector<ProfileRule> db = {{"SCMP_ACT_ALLOW", {"read", "fsync"}}};
  const std::vector<ProfileRule> all = {
      {"SCMP_ACT_ALLOW", {"read", "write", "open", "fsync", "reboot"}}};
  calls.SetProfile({"default", "web"}, web);
  calls.SetProfile({"default", "db"}, db);
  calls.SetProfile({"default", "all"}, all);
  return calls;
}

TEST(SystemCalls, AllowedAndLoggedCallsCount) {
  const SystemCalls calls = Calls();
  EXPECT_EQ(calls.CallsOfPod(Using("a", {"web"})), (CallNames{"open", "read", "write"}));
  EXPECT_EQ(calls.CallsOfPod(Using("a", {"web", "db"})),
            (CallNames{"fsync", "open", "read", "write"}));
  EXPECT_EQ(calls.CallsOfPod(Using("a", {})).size(), 5u);
  EXPECT_EQ(calls.CallsOfPod(Using("a", {"unknown"})).size(), 5u);
  EXPECT_EQ(calls.CallsOfProfile({"other", "web"}), CallNames());
}

TEST(SystemCalls, NamesOfProfiles) {
  EXPECT_EQ(ProfileNameOf("localhost/operator/default/web.v1.json"),
            (ProfileName{"default", "web.v1"}));
  EXPECT_EQ(ProfileNameOf("default/web"), (ProfileName{"default", "web"}));
  EXPECT_EQ(ProfileNameOf("web.json"), ProfileName());
  EXPECT_EQ(ProfileNameOf(""), ProfileName());
}

TEST(SystemCalls, PodsComeAndGo) {
  SystemCalls calls = Calls();
  calls.Add("n", Using("a", {"web"}));
  calls.Add("n", Using("b", {"db"}));
  calls.Add("n", Using("a", {"all"}));  // there already
  EXPECT_EQ(calls.PodsOfNode("n"), 2u);
  EXPECT_EQ(calls.CallsOfNode("n").size(), 4u);
  calls.Remove("n", "c");
  calls.Remove("m", "a");
  EXPECT_EQ(calls.CallsOfNode("n").size(), 4u);
  calls.Remove("n", "a");
  EXPECT_EQ(calls.CallsOfNode("n"), (CallNames{"fsync", "read"}));
  calls.AddCalls("n", Using("a", {"web"}));
  EXPECT_EQ(calls.PodsOfNode("n"), 1u);
  EXPECT_EQ(calls.CallsOfNode("n").size(), 4u);
  EXPECT_EQ(calls.PodsOfNode("m"), 0u);
}

TEST(SystemCalls, WhatOthersNeedCountsForEachPod) {
  SystemCalls calls = Calls();
  EXPECT_EQ(calls.Score("n", Using("x", {"web"})), 0);
  calls.Add("n", Using("a", {"web"}));
  EXPECT_EQ(calls.Score("n", Using("x", {"web"})), 0);
  EXPECT_EQ(calls.Score("n", Using("x", {"db"})), 3);  // open and write; fsync for a
  calls.Add("n", Using("b", {"web"}));
  EXPECT_EQ(calls.Score("n", Using("x", {"db"})), 4);
  SystemCalls none({"", ""});
  EXPECT_EQ(none.Score("n", Using("x", {})), std::numeric_limits<int64_t>::max());
}

TEST(SystemCalls, WhenPodsCount) {
  EXPECT_TRUE(CountsWhenSeen("Running"));
  EXPECT_FALSE(CountsWhenSeen("Pending"));
  EXPECT_TRUE(CountsWhenUpdated("Pending", "192.168.0.2"));
  EXPECT_FALSE(CountsWhenUpdated("Pending", ""));
  EXPECT_FALSE(CountsWhenUpdated("Running", "192.168.0.2"));
}

TEST(ReverseScores, TheLargestIsWorst) {
  EXPECT_EQ(ReverseScores(std::vector<int64_t>{100, 200, 0}), (std::vector<int64_t>{50, 0, 100}));
  EXPECT_EQ(ReverseScores(std::vector<int64_t>{0, 0}), (std::vector<int64_t>{100, 100}));
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(ReverseScores(std::vector<int64_t>{kMost, 3}), (std::vector<int64_t>{0, 100}));
  EXPECT_EQ(ReverseScores({}), std::vector<int64_t>());
}

}  // namespace
}  // namespace muster::scheduler_plugins
