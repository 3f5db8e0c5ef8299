// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "bench/workloads.h"

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "lib/base/rng.h"

namespace muster::bench {

const char kAllocProfile[] =
    "volcano:actions=admit+allocate+backfill,"
    "tiers=priority+gang(without=preemptable)+conformance/"
    "overcommit+drf(without=preemptable)+predicates+proportion+nodeorder+binpack";
const char kTopologyProfile[] =
    "volcano:actions=admit+allocate+backfill,"
    "tiers=priority+gang(without=preemptable)+conformance/"
    "overcommit+drf(without=preemptable)+predicates+proportion+nodeorder+binpack+"
    "network-topology-aware";
const char kPreemptProfile[] =
    "volcano:actions=admit+allocate+preempt,"
    "tiers=priority+gang(without=preemptable)+conformance/"
    "overcommit+drf(without=preemptable)+predicates+proportion+nodeorder+binpack";
const char kReclaimProfile[] =
    "volcano:actions=admit+allocate+reclaim,"
    "tiers=priority+gang(without=preemptable|reclaimable)/"
    "conformance+overcommit+drf(without=preemptable)+predicates+proportion+nodeorder+binpack";
const char kSharePathsProfile[] =
    "volcano:actions=admit+allocate+backfill,"
    "tiers=priority+gang(without=preemptable)+conformance/"
    "overcommit+drf(without=preemptable,hierarchy=on)+predicates+nodeorder+binpack";

namespace {

// The queue of a gang, by its number.
using QueueOf = absl::FunctionRef<std::string(int64_t)>;

constexpr int64_t kGi = int64_t{1} << 30;

// A workload that does not build is a defect of the benchmark itself.
void Must(const absl::Status& status) {
  if (!status.ok()) std::abort();
}

std::string Milli(int64_t milli) { return std::to_string(milli) + "m"; }

void AddNodes(Cluster* cluster, int64_t nodes, const Dress& dress = {}) {
  const NodeSpec node{.name = "n", .capacity = {{"cpu", "64"}, {"memory", "256Gi"}, {"pods", 256}}};
  if (!dress.node) {
    Must(cluster->AddNodes(nodes, node));
    return;
  }
  for (int64_t n = 0; n < nodes; ++n) {
    NodeSpec dressed = node;
    dressed.name += std::to_string(n);
    dress.node(n, &dressed);
    Must(cluster->AddNode(dressed));
  }
}

void AddQueue(Cluster* cluster, const std::string& name, int64_t weight) {
  QueueSpec queue;
  queue.name = name;
  queue.weight = weight;
  Must(cluster->AddQueue(queue));
}

JobSpec Gang(int64_t number, const std::string& queue, int64_t size, const Resources& request) {
  JobSpec job;
  job.name = "ns/g" + std::to_string(number);
  job.queue = queue;
  job.min_available = size;
  job.created = number;
  job.uid_rank = number;
  GroupSpec group;
  group.name = "worker";
  group.count = size;
  group.shape.name_space = "ns";
  group.shape.request = request;
  job.groups.push_back(std::move(group));
  return job;
}

// Request `index` of a family of `count`: a grid over cpu and memory, of which the largest fits a
// node ten times.
Resources GridRequest(int64_t index, int64_t count) {
  int64_t side = 1;
  while (side * side < count) ++side;
  const int64_t cpu = 500 + 5500 * (index % side) / side;
  const int64_t memory = kGi / 2 + 24 * kGi * (index / side) / side;
  return {{"cpu", Milli(cpu)}, {"memory", memory}};
}

// Running tasks, round robin over the nodes, in jobs of 20 that need one.
void FillNodes(Cluster* cluster, int64_t nodes, int64_t per_node, QueueOf queue_of,
               int32_t priority, bool grid) {
  const int64_t tasks = nodes * per_node;
  for (int64_t t = 0; t < tasks; ++t) {
    const int64_t g = t / 20;
    const Resources request =
        grid ? GridRequest(g % 100, 100) : Resources{{"cpu", 4}, {"memory", 16 * kGi}};
    if (t % 20 == 0) {
      JobSpec job = Gang(g, queue_of(g), 1, request);
      job.name = "ns/r" + std::to_string(g);
      job.priority = priority;
      job.phase = JobPhase::kRunning;
      job.groups[0].count = 0;
      Must(cluster->AddJob(job));
    }
    TaskSpec task;
    task.name = "ns/r" + std::to_string(g) + "-worker-" + std::to_string(t % 20);
    task.job = "ns/r" + std::to_string(g);
    task.group = "worker";
    task.shape.name_space = "ns";
    task.shape.request = request;
    task.status = TaskStatus::kRunning;
    task.node = "n" + std::to_string(t % nodes);
    task.priority = priority;
    task.ordinal = t % 20;
    task.uid_rank = t;
    Must(cluster->AddTask(task));
  }
}

void AddGangs(Cluster* cluster, const Allocation& workload, const Dress& dress, QueueOf queue_of) {
  const int64_t gangs = workload.tasks / 20;
  for (int64_t g = 0; g < gangs; ++g) {
    const std::string queue = queue_of(g);
    if (workload.classes > gangs) {  // two classes a gang
      JobSpec job = Gang(g, queue, 10, GridRequest((2 * g) % workload.classes, workload.classes));
      job.min_available = 20;
      job.groups.push_back(job.groups[0]);
      job.groups[0].name = "a";
      job.groups[1].name = "b";
      job.groups[1].shape.request = GridRequest((2 * g + 1) % workload.classes, workload.classes);
      Must(cluster->AddJob(job));
      continue;
    }
    int64_t cpu = 0, memory = 0;
    if (workload.classes == 0) {
      constexpr int64_t kCpu[] = {500, 1000, 2000, 4000}, kMemory[] = {1, 2, 4, 8};
      const uint64_t h = SplitMix64(1 + static_cast<uint64_t>(g));
      cpu = kCpu[h % 4];
      memory = kMemory[(h >> 8) % 4] * kGi;
    }
    const Resources request = workload.classes == 0
                                  ? Resources{{"cpu", Milli(cpu)}, {"memory", memory}}
                                  : GridRequest(g % workload.classes, workload.classes);
    JobSpec job = Gang(g, queue, 20, request);
    if (workload.classes == 0) {
      job.min_resources = Resources{{"cpu", Milli(20 * cpu)}, {"memory", 20 * memory}};
    }
    if (dress.job) dress.job(g, &job);
    Must(cluster->AddJob(job));
  }
}

std::string LeafName(int64_t leaf) {
  return "d" + std::to_string(leaf % 10) + "/l" + std::to_string(leaf / 10);
}

}  // namespace

Cluster MakeAllocation(const Allocation& workload, const Dress& dress) {
  Cluster cluster;
  AddNodes(&cluster, workload.nodes, dress);
  for (int64_t q = 0; q < workload.queues; ++q) AddQueue(&cluster, "q" + std::to_string(q), 1);
  AddGangs(&cluster, workload, dress,
           [&](int64_t g) { return "q" + std::to_string(g % workload.queues); });
  return cluster;
}

Cluster MakeSharePaths(int64_t nodes, int64_t tasks) {
  Cluster cluster;
  AddNodes(&cluster, nodes);
  const auto weight = [](int64_t number) {
    return Quantity(static_cast<int64_t>(1 + SplitMix64(static_cast<uint64_t>(number)) % 3));
  };
  for (int64_t q = 0; q < 100; ++q) {
    const int64_t i = q / 10, j = q % 10;
    QueueSpec queue{.name = "q" + std::to_string(q)};
    queue.share_path = {{"d" + std::to_string(i), weight(1001 + i)},
                        {"l" + std::to_string(j), weight(2001 + 10 * i + j)}};
    Must(cluster.AddQueue(queue));
  }
  AddGangs(&cluster, {.nodes = nodes, .tasks = tasks, .classes = 0}, {},
           [](int64_t g) { return "q" + std::to_string(g % 100); });
  return cluster;
}

Cluster MakeCapacity(int64_t nodes, int64_t leaves, bool full) {
  Cluster cluster;
  AddNodes(&cluster, nodes);
  const auto add = [&](const std::string& name, const std::string& parent, int64_t part) {
    QueueSpec queue{.name = name, .parent = parent};
    queue.deserved =
        Resources{{"cpu", Milli(64000 * nodes / part)}, {"memory", 256 * kGi * nodes / part}};
    Must(cluster.AddQueue(queue));
  };
  add("root", "", 1);
  for (int64_t i = 0; i < 10; ++i) add("d" + std::to_string(i), "root", 10);
  for (int64_t q = 0; q < leaves; ++q) add(LeafName(q), "d" + std::to_string(q % 10), leaves);
  if (!full) {
    AddGangs(&cluster, {.nodes = nodes, .tasks = 10 * nodes, .classes = 100}, {},
             [&](int64_t g) { return LeafName(g % leaves); });
    return cluster;
  }
  FillNodes(
      &cluster, nodes, 16, [&](int64_t g) { return LeafName(2 * g % leaves); }, 10,
      /*grid=*/false);
  for (int64_t g = 0; g < 50; ++g) {
    JobSpec job =
        Gang(1000000 + g, LeafName((2 * g + 1) % leaves), 20, {{"cpu", 4}, {"memory", 16 * kGi}});
    job.phase = JobPhase::kAdmitted;
    Must(cluster.AddJob(job));
  }
  return cluster;
}

Cluster MakePreemption(int64_t nodes) {
  Cluster cluster;
  AddNodes(&cluster, nodes);
  AddQueue(&cluster, "q0", 1);
  FillNodes(
      &cluster, nodes, 16, [](int64_t) { return "q0"; }, 10, /*grid=*/false);
  for (int64_t g = 0; g < 100; ++g) {
    JobSpec job = Gang(1000000 + g, "q0", 10, {{"cpu", 4}, {"memory", 16 * kGi}});
    job.priority = 1000;
    job.phase = JobPhase::kAdmitted;
    Must(cluster.AddJob(job));
  }
  return cluster;
}

Cluster MakeReclaim(int64_t nodes) {
  Cluster cluster;
  AddNodes(&cluster, nodes);
  AddQueue(&cluster, "qa", 2);
  AddQueue(&cluster, "qb", 1);
  FillNodes(
      &cluster, nodes, 16, [](int64_t) { return "qa"; }, 10, /*grid=*/false);
  for (int64_t g = 0; g < 50 * nodes / 1000; ++g) {
    JobSpec job = Gang(1000000 + g, "qb", 20, {{"cpu", 22}, {"memory", 88 * kGi}});
    job.phase = JobPhase::kAdmitted;
    Must(cluster.AddJob(job));
  }
  return cluster;
}

Cluster MakeRunning(int64_t nodes, const Dress& dress) {
  Cluster cluster;
  AddNodes(&cluster, nodes, dress);
  for (int64_t q = 0; q < 100; ++q) AddQueue(&cluster, "q" + std::to_string(q), 1);
  AddQueue(&cluster, "run", 1);
  FillNodes(
      &cluster, nodes, 10, [](int64_t) { return "run"; }, 0, /*grid=*/true);
  return cluster;
}

Cluster MakeTopology(const Topology& workload) {
  Cluster cluster;
  const auto add_domain = [&](const char* kind, int64_t number, int32_t tier,
                              const std::string& parent) {
    DomainSpec domain;
    domain.name = kind + std::to_string(number);
    domain.tier = tier;
    domain.parent = parent;
    Must(cluster.AddDomain(domain));
    return domain.name;
  };
  const int64_t racks = workload.nodes / workload.rack;
  std::string zone, block;
  for (int64_t r = 0; r < racks; ++r) {
    const int64_t b = r / workload.racks;
    if (r % workload.racks == 0) {
      if (b % workload.blocks == 0) zone = add_domain("zone", b / workload.blocks, 3, "");
      block = add_domain("block", b, 2, zone);
    }
    NodeSpec node{.name = "n" + std::to_string(r) + "-",
                  .capacity = {{"cpu", "64"}, {"memory", "256Gi"}, {"pods", 256}}};
    node.domain = add_domain("rack", r, 1, block);
    Must(cluster.AddNodes(workload.rack, node));
  }
  AddQueue(&cluster, "q0", 1);
  for (int64_t g = 0; g < workload.gangs; ++g) {
    JobSpec job = Gang(g, "q0", workload.size, {{"cpu", "8"}, {"memory", "32Gi"}});
    job.min_resources = Resources{{"cpu", 8 * workload.size},
                                  {"memory", std::to_string(32 * workload.size) + "Gi"}};
    job.topology = TopologyWish{.hard = true, .highest_tier = 1};
    Must(cluster.AddJob(job));
  }
  return cluster;
}

Cluster MakeGpuShares(int64_t nodes, int64_t tasks) {
  Cluster cluster;
  NodeSpec node{.name = "n", .capacity = {{"cpu", "64"}, {"memory", "256Gi"}, {"pods", 256}}};
  for (int gpu = 0; gpu < 8; ++gpu) {
    node.devices.push_back({.name = "gpu" + std::to_string(gpu), .kind = "gpu", .memory = "80Gi"});
  }
  Must(cluster.AddNodes(nodes, node));
  AddQueue(&cluster, "q0", 1);
  for (int64_t j = 0; j * 1000 < tasks; ++j) {
    JobSpec job{.name = "j" + std::to_string(j), .queue = "q0", .min_available = 1};
    for (const int64_t milli : {30, 50, 70, 90, 120}) {
      GroupSpec group{.name = "g" + std::to_string(milli), .count = 200};
      group.shape.request = {{"cpu", "100m"}};
      group.shape.devices = {{.kind = "gpu", .milli = milli}};
      job.groups.push_back(std::move(group));
    }
    Must(cluster.AddJob(job));
  }
  return cluster;
}

Cluster MakeGpuGang(int64_t nodes) {
  Cluster cluster;
  NodeSpec node{.name = "n", .capacity = {{"cpu", "64"}, {"memory", "256Gi"}, {"pods", 256}}};
  for (const char* model : {"a", "b"})
    node.devices.push_back({.name = model, .kind = "gpu", .model = model});
  Must(cluster.AddNodes(nodes, node));
  AddQueue(&cluster, "q0", 1);
  JobSpec job{.name = "j", .queue = "q0", .min_available = 2 * nodes};
  for (const char* model : {"", "a"}) {
    GroupSpec group{.name = std::string("g") + model, .count = nodes};
    group.shape.request = {{"cpu", "100m"}};
    group.shape.devices = {{.kind = "gpu"}};
    if (*model != 0) group.shape.devices[0].models = {model};
    job.groups.push_back(std::move(group));
  }
  Must(cluster.AddJob(job));
  return cluster;
}

Plan MustSchedule(const Snapshot& snapshot, const std::string& profile) {
  absl::StatusOr<Plan> plan = Schedule(snapshot, profile);
  if (!plan.ok()) {
    std::fprintf(stderr, "%s\n", plan.status().ToString().c_str());
    std::abort();
  }
  return *std::move(plan);
}

}  // namespace muster::bench
