// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Machines with CPUs and zones for the tests of profile koordinator. CPUs in words: "p: 0 1".
#ifndef MUSTER_TESTS_PEER_KOORDINATOR_NUMA_CLUSTER_H_
#define MUSTER_TESTS_PEER_KOORDINATOR_NUMA_CLUSTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/peer/koordinator/small_cluster.h"

namespace muster::testing {

inline constexpr int32_t kProduction = 9500;

class KoordinatorNuma : public KoordinatorProfile {
 protected:
  // A machine of two zones, each a socket of `cores` cores with two threads; CPUs 0, 1 are core 0.
  void Machine(const std::string& name, int cores, NodeSpec node = {}, int per_zone = 0) {
    for (int cpu = 0; cpu < 4 * cores; ++cpu) {
      const int zone = cpu / (2 * cores);
      node.devices.push_back(
          {.name = std::to_string(cpu),
           .kind = "cpu",
           .zone = "node-" + std::to_string(zone),
           .links = {"core-" + std::to_string(cpu / 2 % cores), "socket-" + std::to_string(zone)}});
    }
    for (int zone = 0; zone < 2; ++zone) {
      node.zones.push_back(
          {.name = "node-" + std::to_string(zone),
           .capacity = {{"cpu", per_zone > 0 ? per_zone : 2 * cores}, {"memory", "4Gi"}}});
    }
    Node(name, 4 * cores, node);
  }
  // A pod of the strict class.
  void Strict(const std::string& name, const char* cpu, TaskSpec task = {}) {
    task.shape.labels.emplace_back("koordinator.sh/qosClass", "LSR");
    if (task.priority == 0) task.priority = kProduction;
    Pod(name, cpu, task);
  }
  static TaskSpec With(const std::string& label, const std::string& value) {
    TaskSpec task;
    task.shape.labels = {{label, value}};
    return task;
  }
  // A pod that runs and has CPUs.
  void Hold(const std::string& name, const std::string& node, const std::vector<int>& cpus,
            int32_t priority = kProduction) {
    TaskSpec task{.node = node, .priority = priority};
    for (const int cpu : cpus) task.devices.push_back({.device = std::to_string(cpu)});
    Strict(name, std::to_string(cpus.size()).c_str(), task);
  }
  // "p: 0 1; q: 2 3"
  static std::string CpusOf(const muster::Plan& plan) {
    std::string words, last;
    for (const ChosenDevice& chosen : plan.devices()) {
      EXPECT_EQ(chosen.milli, 1000);
      const std::string task(plan.task_name(chosen.task));
      if (task != last) words += (words.empty() ? "" : "; ") + task + ":";
      words += " " + chosen.device;
      last = task;
    }
    return words;
  }
  std::string Cpus(const std::string& options = "") {
    const absl::StatusOr<muster::Plan> plan = Schedule(cluster_.Freeze(), ProfileSpec(options), {});
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? CpusOf(*plan) : "";
  }
  // Decides and applies on the living cluster.
  std::string LiveCpus() {
    const absl::StatusOr<muster::Plan> plan = cluster_.Schedule("koordinator", {});
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return "";
    const std::string words = CpusOf(*plan);
    const absl::StatusOr<ApplyReport> report = cluster_.Apply(*plan);
    EXPECT_TRUE(report.ok() && report->refused.empty());
    return words;
  }
  static NodeSpec Labelled(const std::string& key, const std::string& value) {
    NodeSpec node;
    node.labels = {{"node.koordinator.sh/" + key, value}};
    return node;
  }
};

}  // namespace muster::testing

#endif  // MUSTER_TESTS_PEER_KOORDINATOR_NUMA_CLUSTER_H_
