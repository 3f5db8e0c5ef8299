// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile kai and host ports: two tasks of a node cannot hold the same one.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

class KaiHostPorts : public ::testing::Test {
 protected:
  KaiHostPorts() {
    Accept(cluster_.AddQueue({.name = "q"}));
    Accept(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 8}, {"pods", 100}}}));
  }
  TaskSpec Task(const std::string& name, int32_t port, Protocol protocol = Protocol::kTcp,
                const std::string& ip = "0.0.0.0") {
    Accept(cluster_.AddJob({.name = name, .queue = "q", .min_available = 1}));
    TaskSpec task{.name = name + "0", .job = name, .shape = {.request = {{"cpu", 1}}}};
    if (port > 0) task.shape.host_ports = {{.ip = ip, .protocol = protocol, .port = port}};
    return task;
  }
  void Add(TaskSpec task, TaskStatus status = TaskStatus::kPending) {
    task.status = status;
    if (status != TaskStatus::kPending) task.node = "n";
    Accept(cluster_.AddTask(task));
  }

  Cluster cluster_;
};

TEST_F(KaiHostPorts, OneTaskOfANodeHoldsAPort) {
  Add(Task("a", 80));
  Add(Task("b", 80));
  Add(Task("c", 81));
  Add(Task("d", 80, Protocol::kUdp));
  EXPECT_EQ(Decide(cluster_, "kai"), "bind a0 n; bind c0 n; bind d0 n");
}

TEST_F(KaiHostPorts, AddressesThatDifferDoNotConflict) {
  Add(Task("a", 80, Protocol::kTcp, "10.0.0.1"), TaskStatus::kRunning);
  Add(Task("b", 80, Protocol::kTcp, "10.0.0.2"));
  Add(Task("c", 80));
  EXPECT_EQ(Decide(cluster_, "kai"), "bind b0 n");
}

// A node frees the port once its task has ended.
TEST_F(KaiHostPorts, APortIsTakenUntilTheTaskHasEnded) {
  Add(Task("a", 80), TaskStatus::kReleasing);
  Add(Task("b", 80));
  EXPECT_EQ(Decide(cluster_, "kai"), "");
  Accept(cluster_.SetTaskStatus("a0", TaskStatus::kSucceeded));
  EXPECT_EQ(Decide(cluster_, "kai"), "bind b0 n");
}

TEST_F(KaiHostPorts, TasksOfNoJobHoldPortsToo) {
  TaskSpec other = Task("a", 80);
  other.job = "";
  Add(other, TaskStatus::kRunning);
  Add(Task("b", 80));
  EXPECT_EQ(Decide(cluster_, "kai"), "");
  EXPECT_THAT(*cluster_.Schedule("kai")->Explain("b"),
              HasSubstr("1 node: host port (no nodes with enough resources were found: 1 node(s) "
                        "didn't have free ports for the requested pod ports."));
}

// A job that failed over its port keeps no job without one from being tried.
TEST_F(KaiHostPorts, PortsSetJobsApartForSearches) {
  JobSpec low{.name = "low", .queue = "q", .priority = -10, .min_available = 1};
  Accept(cluster_.AddJob(low));
  TaskSpec runs{.name = "low0", .job = "low", .shape = {.request = {{"cpu", 8}}}};
  runs.shape.host_ports = {{.port = 80}};
  Add(runs, TaskStatus::kRunning);
  Add(Task("a", 80));
  Add(Task("b", 0));
  EXPECT_EQ(Decide(cluster_, "kai"), "evict low0 n; nominate b0 n");
}

}  // namespace
}  // namespace muster::testing
