// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Every rule of bad input: the message names the row and the rule, and nothing changes.
#include <gtest/gtest.h>

#include <limits>

#include "absl/strings/match.h"
#include "muster/cluster.h"
#include "tests/model/dump.h"

namespace muster {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

class BadInput : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(cluster_.AddDomain({.name = "rack"}).ok());
    ASSERT_TRUE(cluster_.AddNode({.name = "n1", .capacity = {{"cpu", 4}}, .domain = "rack"}).ok());
    ASSERT_TRUE(cluster_.AddQueue({.name = "a"}).ok());
    ASSERT_TRUE(cluster_.AddQueue({.name = "b", .parent = "a"}).ok());
    ASSERT_TRUE(
        cluster_.AddJob({.name = "j", .queue = "b", .groups = {{.name = "w", .count = 2}}}).ok());
    ASSERT_TRUE(cluster_.SetTaskStatus("j-w-1", TaskStatus::kRunning, "n1").ok());
    rows_ = Dump(cluster_);
    version_ = cluster_.version();
  }

  void Refuses(const absl::Status& status, const std::string& message) {
    EXPECT_EQ(std::string(status.message()), message);
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(cluster_.version(), version_) << message;
    EXPECT_EQ(Dump(cluster_), rows_) << message;
    EXPECT_EQ(Contradiction(cluster_), "") << message;
  }
  // Through both doors: a job's group and a single task.
  void RefusesShape(const TaskShape& shape, const std::string& rest) {
    Refuses(cluster_.AddTask({.name = "t", .shape = shape}), "task \"t\"" + rest);
    Refuses(cluster_.UpdateTask({.name = "j-w-1", .shape = shape}), "task \"j-w-1\"" + rest);
    Refuses(cluster_.AddJob({.name = "k", .groups = {{.name = "g", .shape = shape}}}),
            "job \"k\", group \"g\"" + rest);
    Refuses(cluster_.UpdateJob({.name = "j", .groups = {{.name = "g", .shape = shape}}}),
            "job \"j\", group \"g\"" + rest);
    Refuses(cluster_.ApplyDelta({1, TaskSpec{.name = "t", .shape = shape}}).status(),
            "task \"t\"" + rest);
  }
  void RefusesNode(const NodeSpec& node, const std::string& message) {
    Refuses(cluster_.AddNode(node), message);
    Refuses(cluster_.UpdateNode(node), message);
    Refuses(cluster_.ApplyDelta({1, node}).status(), message);
  }
  void RefusesQueue(const QueueSpec& queue, const std::string& message) {
    Refuses(cluster_.AddQueue(queue), message);
    Refuses(cluster_.UpdateQueue(queue), message);
    Refuses(cluster_.ApplyDelta({1, queue}).status(), message);
  }
  void RefusesJob(const JobSpec& job, const std::string& message) {
    Refuses(cluster_.AddJob(job), message);
    Refuses(cluster_.UpdateJob(job), message);
    Refuses(cluster_.ApplyDelta({1, job}).status(), message);
  }
  void RefusesTask(const TaskSpec& task, const std::string& message) {
    Refuses(cluster_.AddTask(task), message);
    Refuses(cluster_.UpdateTask(task), message);
    Refuses(cluster_.ApplyDelta({1, task}).status(), message);
  }

  Cluster cluster_;
  std::map<std::string, std::string> rows_;
  uint64_t version_ = 0;
};

TEST_F(BadInput, Names) {
  RefusesNode({}, "node \"\": the name is empty");
  RefusesQueue({.name = "\xff"}, "queue \"\\xff\": the name is not UTF-8");
  RefusesJob({.name = std::string(4097, 'x')},
             "job \"" + std::string(80, 'x') + "\"...: the name is longer than 4096 bytes");
  RefusesTask({}, "task \"\": the name is empty");
  Refuses(cluster_.AddDomain({}), "domain \"\": the name is empty");
  Refuses(cluster_.SetDisruptionBudget({}), "disruption budget \"\": the name is empty");
  Refuses(cluster_.SetNamespace({}), "namespace \"\": the name is empty");
  Refuses(cluster_.ApplyDelta({1, Removal{Removal::Kind::kJob, ""}}).status(),
          "job \"\": the name is empty");
}

TEST_F(BadInput, Duplicates) {
  Refuses(cluster_.AddNode({.name = "n1"}), "node \"n1\": exists already");
  Refuses(cluster_.AddNodes(3, {.name = "n"}), "node \"n1\": exists already");
  Refuses(cluster_.AddQueue({.name = "default"}), "queue \"default\": exists already");
  Refuses(cluster_.AddJob({.name = "j"}), "job \"j\": exists already");
  Refuses(cluster_.AddTask({.name = "j-w-0"}), "task \"j-w-0\": exists already");
  Refuses(cluster_.AddDomain({.name = "rack"}), "domain \"rack\": exists already");
  Refuses(cluster_.AddJob({.name = "j-w", .groups = {{.count = 2}}}),
          "job \"j-w\", group \"\": task \"j-w-0\" exists already");
}

TEST_F(BadInput, WhatIsNotThere) {
  Refuses(cluster_.UpdateNode({.name = "x"}), "node \"x\": does not exist");
  Refuses(cluster_.RemoveNode("x"), "node \"x\": does not exist");
  Refuses(cluster_.UpdateQueue({.name = "x"}), "queue \"x\": does not exist");
  Refuses(cluster_.RemoveQueue("x"), "queue \"x\": does not exist");
  Refuses(cluster_.UpdateJob({.name = "x"}), "job \"x\": does not exist");
  Refuses(cluster_.RemoveJob("x"), "job \"x\": does not exist");
  Refuses(cluster_.UpdateTask({.name = "x"}), "task \"x\": does not exist");
  Refuses(cluster_.RemoveTask("x"), "task \"x\": does not exist");
  Refuses(cluster_.SetTaskStatus("x", TaskStatus::kFailed), "task \"x\": does not exist");
  Refuses(cluster_.ReportBindFailed("x"), "task \"x\": does not exist");
  Refuses(cluster_.RemoveDomain("x"), "domain \"x\": does not exist");
}

TEST_F(BadInput, DanglingNames) {
  Refuses(cluster_.AddNode({.name = "n2", .domain = "x"}),
          "node \"n2\": domain \"x\" does not exist");
  Refuses(cluster_.AddQueue({.name = "a/b", .parent = "x"}),
          "queue \"a/b\": parent \"x\" does not exist");
  Refuses(cluster_.AddJob({.name = "k", .queue = "x"}), "job \"k\": queue \"x\" does not exist");
  Refuses(cluster_.AddTask({.name = "t", .job = "x"}), "task \"t\": job \"x\" does not exist");
  Refuses(cluster_.AddTask({.name = "t", .job = "j", .group = "x"}),
          "task \"t\": job \"j\" has no group \"x\"");
  Refuses(cluster_.AddTask({.name = "t", .job = "j", .sub_group = "x"}),
          "task \"t\": job \"j\" has no sub-group \"x\"");
  Refuses(cluster_.AddTask({.name = "t", .status = TaskStatus::kRunning, .node = "x"}),
          "task \"t\": node \"x\" does not exist");
  Refuses(cluster_.SetTaskStatus("j-w-0", TaskStatus::kBound, "x"),
          "task \"j-w-0\": node \"x\" does not exist");
  Refuses(cluster_.AddDomain({.name = "d", .parent = "x"}),
          "domain \"d\": parent \"x\" does not exist");
  RefusesTask({.name = "t", .group = "g"}, "task \"t\": group \"g\" without a job");
  RefusesTask({.name = "t", .sub_group = "g"}, "task \"t\": sub-group \"g\" without a job");
}

TEST_F(BadInput, InUse) {
  Refuses(cluster_.RemoveNode("n1"), "node \"n1\": still has 1 task");
  Refuses(cluster_.RemoveQueue("b"), "queue \"b\": still has 1 job");
  Refuses(cluster_.RemoveQueue("a"), "queue \"a\": still has 1 child queue");
  Refuses(cluster_.AddDomain({.name = "d", .tier = 70000}),
          "domain \"d\": tier is 70000; must be 65536 or less");
  Refuses(cluster_.AddDomain({.name = "d", .parent = "rack", .tier = 1}),
          "domain \"d\": tier 1 is not below tier 1 of its parent \"rack\"");
  Refuses(cluster_.RemoveDomain("rack"), "domain \"rack\": still has 1 node");
  Refuses(cluster_.UpdateJob({.name = "j", .groups = {{.name = "v"}}}),
          "job \"j\": task \"j-w-0\" is in a group or sub-group that is no longer listed");
  Refuses(cluster_.ReportBindFailed("j-w-1"), "task \"j-w-1\": status is running; must be binding");
}

TEST_F(BadInput, Circles) {
  Refuses(cluster_.UpdateQueue({.name = "a", .parent = "b"}),
          "queue \"a\": parent \"b\" lies below it");
  Refuses(cluster_.UpdateQueue({.name = "b", .parent = "b"}),
          "queue \"b\": parent \"b\" is the queue itself");
  Refuses(cluster_.AddQueue({.name = "c", .parent = "c"}),
          "queue \"c\": parent \"c\" does not exist");
}

TEST_F(BadInput, Quantities) {
  RefusesNode({.name = "n1", .capacity = {{"cpu", "5x"}}},
              "node \"n1\", capacity \"cpu\": quantity \"5x\": unknown unit \"x\"; use n u m k M G "
              "T P E, Ki Mi Gi "
              "Ti Pi Ei or an exponent");
  for (const char* text : {"-1", "nan", "NaN", "inf", "", "9223372036854775808", "1e30"}) {
    const absl::Status status = cluster_.AddNode({.name = "n2", .capacity = {{"memory", text}}});
    Refuses(status, std::string(status.message()));
    EXPECT_TRUE(absl::StartsWith(status.message(), "node \"n2\", capacity \"memory\": quantity \""))
        << text;
  }
  // Amounts that are added up are exact as doubles, or refused.
  constexpr int64_t kLargest = int64_t{1} << 53;
  RefusesNode(
      {.name = "n2", .capacity = {{"memory", kLargest + 1}}},
      "node \"n2\", capacity \"memory\": 9007199254740993 is more than 9007199254740992, the "
      "largest amount kept exactly");
  const absl::Status status = cluster_.AddNode({.name = "n2", .capacity = {{"cpu", kMax}}});
  Refuses(status, std::string(status.message()));
  EXPECT_TRUE(
      cluster_.AddNode({.name = "n2", .capacity = {{"memory", kLargest}, {"cpu", kLargest / 1000}}})
          .ok());
  EXPECT_TRUE(cluster_.AddQueue({.name = "wide", .limit = Resources{{"memory", kMax}}}).ok());
}

TEST_F(BadInput, ResourceLists) {
  RefusesNode({.name = "n1", .capacity = {{"cpu", 1}, {"cpu", 2}}},
              "node \"n1\", capacity \"cpu\": is listed twice");
  RefusesNode({.name = "n1", .allocatable = Resources{{"", 1}}},
              "node \"n1\", allocatable \"\": the name is empty");
  RefusesQueue({.name = "a", .limit = Resources{{"cpu", 1}, {"cpu", 1}}},
               "queue \"a\", limit \"cpu\": is listed twice");
  RefusesJob({.name = "j", .min_resources = Resources{{"\x80", 1}}},
             "job \"j\", min_resources \"\\x80\": the name is not UTF-8");
  Resources many;
  for (int i = 0; i < 40; ++i) many.push_back({"r" + std::to_string(i), 1});
  many.push_back({"r39", 1});
  RefusesShape({.request = many}, ", request \"r39\": is listed twice");
  RefusesShape({.request = {{"pods", 2}}},
               ", request \"pods\": a task requests exactly one, which may be left out");
}

TEST_F(BadInput, DeviceRequests) {
  const std::string gpu = ", device request \"gpu\": ";
  RefusesShape({.devices = {{.kind = ""}}}, ", device request \"\": the name is empty");
  RefusesShape({.devices = {{.kind = "gpu", .count = 0}}}, gpu + "count is 0; must be 1 or more");
  RefusesShape({.devices = {{.kind = "gpu", .milli = 0}}}, gpu + "milli is 0; must be 1 to 1000");
  RefusesShape({.devices = {{.kind = "gpu", .milli = 1001}}},
               gpu + "milli is 1001; must be 1 to 1000");
  RefusesShape({.devices = {{.kind = "gpu", .memory = "9007199254740993"}}},
               gpu + "memory is 9007199254740993; must be 0 to 9007199254740992");
  RefusesShape({.devices = {{.kind = "gpu", .models = {""}}}},
               ", device model \"\": the name is empty");
  RefusesShape({.devices = {{.kind = "gpu"}, {.kind = "gpu", .milli = 500}}},
               gpu + "is listed twice");
}

TEST(BadDevices, WhatTasksHoldIsThereAndNoMore) {
  Cluster cluster;
  const NodeSpec node{.name = "n",
                      .devices = {{.name = "g", .kind = "gpu", .memory = "8Gi"}, {.name = "h"}}};
  ASSERT_TRUE(cluster.AddNode(node).ok());
  const auto add = [&](const std::string& name, std::vector<DeviceHold> holds,
                       TaskStatus status = TaskStatus::kRunning) {
    const bool there = status == TaskStatus::kRunning;
    return std::string(cluster
                           .AddTask({.name = name,
                                     .status = status,
                                     .node = there ? "n" : "",
                                     .devices = std::move(holds)})
                           .message());
  };
  EXPECT_EQ(add("t", {{.device = "g"}}, TaskStatus::kPending),
            "task \"t\": status pending holds no node, but devices are given");
  EXPECT_EQ(add("t", {{.device = ""}}), "task \"t\", device \"\": the name is empty");
  EXPECT_EQ(add("t", {{.device = "g"}, {.device = "g"}}),
            "task \"t\", device \"g\": is listed twice");
  EXPECT_EQ(add("t", {{.device = "g", .milli = 0}}),
            "task \"t\", device \"g\": milli is 0; must be 1 or more");
  EXPECT_EQ(add("t", {{.device = "x"}}), "task \"t\": device \"x\" is not on node \"n\"");
  EXPECT_EQ(add("t", {{.device = "g", .milli = 1001}}),
            "task \"t\": device \"g\" of node \"n\" has 1000 milli, not 1001");
  EXPECT_EQ(add("t", {{.device = "h", .memory = 1}}),
            "task \"t\": device \"h\" of node \"n\" has 0 of memory, not 1");
  EXPECT_EQ(add("t", {{.device = "g", .milli = 600, .memory = "5Gi"}}), "");
  EXPECT_EQ(add("u", {{.device = "g", .milli = 401}}),
            "task \"u\": device \"g\" of node \"n\" is held to 1001 of 1000 milli");
  EXPECT_EQ(add("u", {{.device = "g", .milli = 1, .memory = "4Gi"}}),
            "task \"u\": device \"g\" of node \"n\" is held to 9663676416 of 8589934592 bytes");
  EXPECT_EQ(add("u", {{.device = "g", .milli = 400}}), "");

  // A node keeps what is held, unless an event removes it: then no task holds it.
  NodeSpec less = node;
  less.devices.erase(less.devices.begin());
  EXPECT_EQ(cluster.UpdateNode(less).message(),
            "node \"n\": device \"g\" is not on node \"n\", but held by task \"t\"");
  ASSERT_TRUE(cluster.ApplyDelta({1, less}).ok());
  for (const TaskSpec& task : cluster.Describe().tasks) EXPECT_TRUE(task.devices.empty());
  EXPECT_EQ(Contradiction(cluster), "");
}

TEST_F(BadInput, Zones) {
  const auto refuses = [&](std::vector<ZoneSpec> zones, const std::string& rule) {
    RefusesNode({.name = "n1", .capacity = {{"cpu", 8}}, .zones = std::move(zones)},
                "node \"n1\"" + rule);
  };
  refuses({{.name = "z"}, {.name = "z"}}, ", zone \"z\": is listed twice");
  refuses({{.name = ""}}, ", zone \"\": the name is empty");
  refuses({{.name = "z", .capacity = {{"cpu", "-1"}}}},
          ", zone capacity \"cpu\": quantity \"-1\": an amount must not be negative");
  refuses(
      {{.name = "y", .capacity = {{"cpu", "4"}}}, {.name = "z", .capacity = {{"cpu", "4001m"}}}},
      ", zone capacity \"cpu\": the zones have more together than the node");
  refuses({{.name = "z", .capacity = {{"memory", 1}}}},
          ", zone capacity \"memory\": the zones have more together than the node");
  refuses({{.name = "z", .capacity = {{"cpu", 4}}, .available = Resources{{"cpu", 5}}}},
          ", zone available \"cpu\": is more than the capacity of zone \"z\"");
  refuses({{.name = "z", .distances = {{"y", 10}}}},
          ", zone \"z\": distance to zone \"y\", which does not exist");
  refuses({{.name = "z", .distances = {{"z", 10}, {"z", 20}}}},
          ", zone \"z\": distance to zone \"z\" is listed twice");
  refuses({{.name = "z", .distances = {{"z", -1}}}},
          ", zone \"z\": distance to zone \"z\" is -1; must be 0 to 1099511627776");
  refuses({{.name = "z", .distances = {{"z", 1099511627777}}}},
          ", zone \"z\": distance to zone \"z\" is 1099511627777; must be 0 to 1099511627776");
  std::vector<ZoneSpec> many;
  for (int z = 0; z < 65; ++z) many.push_back({.name = "z" + std::to_string(z)});
  refuses(many, ": has 65 zones; must be 64 or less");
  many.pop_back();
  EXPECT_TRUE(Cluster().AddNode({.name = "many", .zones = many}).ok());
}

TEST_F(BadInput, Nodes) {
  RefusesNode({.name = "n1", .labels = {{"k", "a"}, {"k", "b"}}},
              "node \"n1\", label \"k\": is listed twice");
  RefusesNode({.name = "n1", .labels = {{"k", "\xc0"}}},
              "node \"n1\", label \"k\": the value is not UTF-8");
  RefusesNode({.name = "n1", .taints = {{"k", "v"}}},
              "node \"n1\", taint \"k\": effect is \"\"; must be one of NoSchedule, "
              "PreferNoSchedule, NoExecute");
  RefusesNode({.name = "n1", .devices = {{.name = "g"}, {.name = "g"}}},
              "node \"n1\", device \"g\": is listed twice");
  RefusesNode({.name = "n1", .devices = {{.name = "g", .zone = "z"}}},
              "node \"n1\", device \"g\": zone \"z\" does not exist");
  RefusesNode({.name = "n1", .devices = {{.name = "g", .milli = -1}}},
              "node \"n1\", device \"g\": milli is -1; must be 0 or more");
  RefusesNode({.name = "n1", .devices = {{.name = "g", .milli = 1000001}}},
              "node \"n1\", device \"g\": milli is 1000001; must be 1000000 or less");
  RefusesNode({.name = "n1", .devices = {{.name = "g", .memory = "9007199254740993"}}},
              "node \"n1\", device \"g\": memory is 9007199254740993; must be 0 to "
              "9007199254740992");
  RefusesNode({.name = "n1", .devices = {{.name = "g", .links = {""}}}},
              "node \"n1\", device link \"\": the name is empty");
  const auto refuses_cpu = [&](const DeviceSpec& cpu, const std::string& rule) {
    NodeSpec node{.name = "n1", .zones = {{.name = "z"}}, .devices = {cpu}};
    node.devices[0].kind = "cpu";
    RefusesNode(node, "node \"n1\", device \"" + cpu.name + "\": " + rule);
  };
  for (const char* name : {"c0", "8192", "01", "-1"}) {
    refuses_cpu({.name = name, .zone = "z", .links = {"core-0", "socket-0"}},
                "its name must be the number of a CPU, 0 to 8191");
  }
  refuses_cpu({.name = "0", .zone = "z", .links = {"socket-0", "core0"}},
              "a CPU has one link core-N, N from 0 to 8191");
  refuses_cpu({.name = "0", .zone = "z", .links = {"core-0", "socket-0", "socket-1"}},
              "a CPU has one link socket-N, N from 0 to 8191");
  refuses_cpu({.name = "0", .links = {"core-0", "socket-0"}}, "a CPU has a zone");
  NodeSpec wide{.name = "n1"};
  for (int z = 0; z < 17; ++z) {
    const std::string number = std::to_string(z);
    wide.zones.push_back({.name = number});
    wide.devices.push_back(
        {.name = number, .kind = "cpu", .zone = number, .links = {"core-" + number, "socket-0"}});
  }
  RefusesNode(wide, "node \"n1\": has CPUs in 17 zones; must be 16 or fewer");
  RefusesNode({.name = "n1", .images = {{.names = {"i"}, .size = -5}}},
              "node \"n1\", image \"i\": size is -5; must be 0 or more");
  Refuses(cluster_.AddNodes(-1, {.name = "m"}), "node \"m\": count is -1; must be 0 to 134217728");
  Refuses(cluster_.AddNodes(kMax, {.name = "m"}),
          "node \"m\": count is 9223372036854775807; must be 0 to 134217728");
}

TEST_F(BadInput, Queues) {
  RefusesQueue({.name = "a", .weight = -1}, "queue \"a\": weight is -1; must be 0 or more");
  RefusesQueue({.name = "a", .node_group_limits = {{"g", {}}, {"g", {}}}},
               "queue \"a\", node group limit \"g\": is listed twice");
  RefusesQueue(
      {.name = "a", .node_group_limits = {{"g", {{"cpu", "x"}}}}},
      "queue \"a\", node group limit \"cpu\": quantity \"x\": an amount must begin with a number");
}

TEST_F(BadInput, Jobs) {
  RefusesJob({.name = "j", .min_available = -1},
             "job \"j\": min_available is -1; must be 0 or more");
  RefusesJob({.name = "j", .groups = {{.name = "w", .count = -1}}},
             "job \"j\", group \"w\": count is -1; must be 0 or more");
  RefusesJob({.name = "j", .groups = {{.name = "w", .count = kMax}}},
             "job \"j\", group \"w\": count is 9223372036854775807; a cluster holds at most "
             "134217728 tasks");
  RefusesJob({.name = "j", .groups = {{.name = std::string(4090, 'g'), .count = 1}}},
             "job \"j\", group \"" + std::string(80, 'g') +
                 "\"...: the names of its tasks would be longer than 4096 bytes");
  RefusesJob({.name = "j", .groups = {{.name = "w", .min_available = -1}}},
             "job \"j\", group \"w\": min_available is -1; must be 0 or more");
  RefusesJob({.name = "j", .groups = {{}, {}}}, "job \"j\", group \"\": is listed twice");
  RefusesJob({.name = "j", .sub_groups = {{.name = "s"}, {.name = "s"}}},
             "job \"j\", sub-group \"s\": is listed twice");
  RefusesJob({.name = "j", .sub_groups = {{.name = "s", .min_available = -1}}},
             "job \"j\", sub-group \"s\": min_available is -1; must be 0 or more");
  RefusesJob({.name = "j", .sub_groups = {{.name = "s", .policy = "p"}}},
             "job \"j\", sub-group \"s\": sub-group policy \"p\" does not exist");
  const auto below = [](const char* name, const char* parent) {
    return SubGroupSpec{.name = name, .place = SubGroupPlace{.parent = parent}};
  };
  RefusesJob({.name = "j", .sub_groups = {below("a", "b"), below("b", "c")}},
             "job \"j\", sub-group \"b\": parent \"c\" does not exist");
  RefusesJob({.name = "j", .sub_groups = {below("x", ""), below("a", "b"), below("b", "a")}},
             "job \"j\", sub-group \"a\": is below itself");
  RefusesJob({.name = "j", .sub_groups = {below("a", "a")}},
             "job \"j\", sub-group \"a\": is below itself");
  RefusesJob({.name = "j", .sub_group_policies = {{.name = "p", .min_sub_groups = -1}}},
             "job \"j\", sub-group policy \"p\": min_sub_groups is -1; must be 0 or more");
  RefusesJob({.name = "j", .topology = TopologyWish{.highest_tier = -1}},
             "job \"j\": highest_tier is -1; must be 0 or more");
  RefusesJob({.name = "j", .estimate = -1}, "job \"j\": estimate is -1; must be 0 or more");
  RefusesJob({.name = "j", .waiting_time = -1}, "job \"j\": waiting_time is -1; must be 0 or more");
  RefusesJob({.name = "j", .created = int64_t{1} << 62},
             "job \"j\": created is 4611686018427387904; must be 4611686018427387903 or less");
  RefusesJob({.name = "j", .deadline = -(int64_t{1} << 62)},
             "job \"j\": deadline is -4611686018427387904; must be -4611686018427387903 or more");
  for (const char* text : {"-1", "%", "1.5%", "3 %", "some", "1234567890"}) {
    const std::string rule = " is \"" + std::string(text) + "\"; must be a number such as 2 or 30%";
    RefusesJob({.name = "j", .max_unavailable = text}, "job \"j\": max_unavailable" + rule);
    RefusesJob({.name = "j", .min_running = text}, "job \"j\": min_running" + rule);
  }
  Refuses(
      cluster_.AddJob(
          {.name = "k", .groups = {{.name = "a", .count = 134217728}, {.name = "b", .count = 1}}}),
      "a table holds at most 134217728 rows, removed ones included, and 7516192768 bytes of names");
}

TEST_F(BadInput, Tasks) {
  RefusesTask({.name = "t", .status = TaskStatus::kPlaced, .node = "n1"},
              "task \"t\": status placed exists only inside a cycle");
  RefusesTask({.name = "t", .status = TaskStatus::kRunning},
              "task \"t\": status running needs a node");
  RefusesTask({.name = "t", .status = TaskStatus::kReleasing},
              "task \"t\": status releasing needs a node");
  RefusesTask({.name = "t", .node = "n1"},
              "task \"t\": status pending holds no node, but node \"n1\" is given");
  RefusesTask({.name = "t", .gates = {""}}, "task \"t\", gate \"\": the name is empty");
  RefusesTask({.name = "t", .ordinal = -1}, "task \"t\": ordinal is -1; must be 0 or more");
  Refuses(cluster_.SetTaskStatus("j-w-0", TaskStatus::kPlaced, "n1"),
          "task \"j-w-0\": status placed exists only inside a cycle");
  Refuses(cluster_.SetTaskStatus("j-w-0", TaskStatus::kRunning),
          "task \"j-w-0\": status running needs a node");
  Refuses(cluster_.SetTaskStatus("j-w-1", TaskStatus::kPending, "n1"),
          "task \"j-w-1\": status pending holds no node, but node \"n1\" is given");
}

TEST_F(BadInput, Selectors) {
  const std::string ops = "; must be one of In, NotIn, Exists, DoesNotExist";
  RefusesShape(
      {.required_node_affinity = {{{.match_expressions = {{"k", RequirementOp::kUnset, {}}}}}}},
      ", node affinity \"k\": operator is \"\"" + ops + ", Gt, Lt");
  RefusesShape(
      {.required_affinity = {{.topology_key = "z",
                              .selector = Selector{{}, {{"k", RequirementOp::kGt, {"1"}}}}}}},
      ", affinity \"k\": operator is \"Gt\"" + ops);
  RefusesShape(
      {.required_node_affinity = {{{.match_expressions = {{"k", RequirementOp::kIn, {}}}}}}},
      ", node affinity \"k\": operator In needs at least one value");
  RefusesShape(
      {.required_node_affinity = {{{.match_expressions = {{"k", RequirementOp::kExists, {"v"}}}}}}},
      ", node affinity \"k\": operator Exists takes no values");
  RefusesShape(
      {.required_node_affinity = {{{.match_expressions = {{"k", RequirementOp::kLt, {"ten"}}}}}}},
      ", node affinity \"k\": operator Lt needs exactly one value, an integer");
  RefusesShape(
      {.required_node_affinity = {{{.match_fields = {{"spec.x", RequirementOp::kIn, {"v"}}}}}}},
      ", node affinity \"spec.x\": field is \"spec.x\"; must be one of metadata.name");
  RefusesShape({.node_selector = {{"k", "v"}, {"k", "v"}}},
               ", node selector \"k\": is listed twice");
  RefusesShape({.preferred_node_affinity = {{.weight = 101}}},
               ", preferred node affinity \"\": weight is 101; must be 1 to 100");
  RefusesShape({.required_anti_affinity = {{}}}, ", anti-affinity \"\": the name is empty");
  RefusesShape({.preferred_affinity = {{.weight = 0, .term = {.topology_key = "z"}}}},
               ", preferred affinity \"z\": weight is 0; must be 1 to 100");
  RefusesShape({.preferred_anti_affinity = {{.weight = -1, .term = {.topology_key = "z"}}}},
               ", preferred anti-affinity \"z\": weight is -1; must be 1 to 100");
  Refuses(cluster_.SetDisruptionBudget(
              {.name = "b", .selector = Selector{{}, {{"k", RequirementOp::kLt, {"1"}}}}}),
          "disruption budget \"b\", selector \"k\": operator is \"Lt\"" + ops);
  Refuses(cluster_.SetDisruptionBudget({.name = "b", .allowed = -1}),
          "disruption budget \"b\": allowed is -1; must be 0 or more");
}

TEST_F(BadInput, OtherConstraints) {
  RefusesShape({.name_space = ""}, ", namespace \"\": the name is empty");
  RefusesShape({.tolerations = {{}}}, ", toleration \"\": an empty key needs operator Exists");
  RefusesShape({.spread = {{.topology_key = "z", .max_skew = 0}}},
               ", spread constraint \"z\": max_skew is 0; must be 1 or more");
  RefusesShape({.spread = {{.topology_key = "z", .min_domains = 0}}},
               ", spread constraint \"z\": min_domains is 0; must be 1 or more");
  RefusesShape({.host_ports = {{.port = 0}}}, ", host port \"0\": must be 1 to 65535");
  RefusesShape({.host_ports = {{.port = 65536}}}, ", host port \"65536\": must be 1 to 65535");
  RefusesShape({.containers = {{.request = {{"cpu", "x"}}}}},
               ", container request \"cpu\": quantity \"x\": an amount must begin with a number");
}

// The whole of a failed Reconcile is refused, wherever it fails.
TEST_F(BadInput, Listings) {
  ClusterSpec full = cluster_.Describe();
  full.tasks.push_back({.name = "t", .job = "x"});
  Refuses(cluster_.Reconcile(full).status(), "task \"t\": job \"x\" does not exist");
  full = cluster_.Describe();
  full.queues = {{.name = "b", .parent = "a"}, {.name = "a", .parent = "b"}, {.name = "default"}};
  Refuses(cluster_.Reconcile(full).status(), "queue \"a\": parent \"b\" lies below it");
  full = cluster_.Describe();
  full.domains = {{.name = "x", .parent = "y"}, {.name = "y", .parent = "x"}};
  Refuses(cluster_.Reconcile(full).status(), "domain \"x\": lies below itself");
  full.domains = {{.name = "x"}, {.name = "x"}};
  Refuses(cluster_.Reconcile(full).status(), "domain \"x\": is listed twice");
  full = cluster_.Describe();
  full.namespaces = {{.name = "x"}, {.name = "x"}};
  Refuses(cluster_.Reconcile(full).status(), "namespace \"x\": is listed twice");
  full = cluster_.Describe();
  full.budgets = {{.name = "x"}, {.name = "x"}};
  Refuses(cluster_.Reconcile(full).status(), "disruption budget \"x\": is listed twice");
  full = cluster_.Describe();
  full.jobs[0].groups[0].count = -3;
  Refuses(cluster_.Reconcile(full).status(),
          "job \"j\", group \"w\": count is -3; must be 0 or more");
}

}  // namespace
}  // namespace muster
