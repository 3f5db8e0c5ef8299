// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/growth/worlds.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/model/memory_data.h"

namespace muster::testing {
namespace {

std::string Named(const char* letter, int i) { return absl::StrCat(letter, i); }

// `count` nodes of 8 CPUs, each its own host, in five zones.
Scenario Nodes(int count) {
  Scenario world;
  for (int i = 0; i < count; ++i) {
    world.cluster.nodes.push_back(
        {.name = Named("n", i),
         .capacity = {{"cpu", 8}, {"memory", "32Gi"}, {"pods", 1000}},
         .labels = {{"host", Named("h", i)}, {"zone", Named("z", i % 5)}}});
  }
  return world;
}

TaskShape Cpu(const std::string& amount) { return {.request = {{"cpu", amount}}}; }

JobSpec& AddJob(Scenario* world, int i, TaskShape shape, int tasks = 1) {
  JobSpec job{.name = Named("j", i), .min_available = tasks};
  job.groups = {{.name = "w", .count = tasks, .shape = std::move(shape)}};
  world->cluster.jobs.push_back(std::move(job));
  return world->cluster.jobs.back();
}

QueueSpec& AddQueue(Scenario* world, int i) {
  world->cluster.queues.push_back({.name = Named("q", i), .weight = i % 7 + 1});
  return world->cluster.queues.back();
}

// --- rows

Scenario NodesUnlike(int n) {
  Scenario world = Nodes(n);
  for (int i = 0; i < n; ++i) world.cluster.nodes[i].capacity[0].second = 8 + i;
  for (int i = 0; i < 16; ++i) AddJob(&world, i, Cpu(absl::StrCat(100 + i, "m")), 4);
  return world;
}

Scenario OneGang(int n) {
  Scenario world = Nodes(n / 4);
  AddJob(&world, 0, Cpu("1500m"), n);
  return world;
}

// Two thirds of the gang find nodes.
Scenario OneGangTooLarge(int n) {
  Scenario world = Nodes(n / 8);
  AddJob(&world, 0, Cpu("1500m"), n);
  return world;
}

Scenario OnePodGroup(int n) {
  Scenario world = Nodes(n / 4);
  AddJob(&world, 0, Cpu("1500m"), n).pod_group = PodGroupTraits{};
  return world;
}

Scenario OneGangOfRoles(int n) {
  Scenario world = Nodes(n / 4);
  JobSpec& job = AddJob(&world, 0, Cpu("1"));
  job.min_available = n;
  job.groups.clear();
  for (int i = 0; i < n; ++i) {
    job.groups.push_back({.name = Named("g", i),
                          .count = 1,
                          .min_available = 1,
                          .shape = Cpu(absl::StrCat(1000 + i, "m"))});
  }
  return world;
}

Scenario Jobs(int n) {
  Scenario world = Nodes(20);
  for (int i = 0; i < n; ++i) AddJob(&world, i, Cpu("100m"));
  return world;
}

Scenario Classes(int n) {
  Scenario world = Nodes(20);
  for (int i = 0; i < n; ++i) AddJob(&world, i, {.request = {{"cpu", "100m"}, {"memory", i + 1}}});
  return world;
}

Scenario ResourcesOfNodes(int n) {
  Scenario world = Nodes(n);
  for (int i = 0; i < n; ++i) {
    world.cluster.nodes[i].capacity.emplace_back(absl::StrCat("x.io/d", i), 5);
    AddJob(&world, i, {.request = {{"cpu", "1m"}, {absl::StrCat("x.io/d", i), 1}}});
  }
  return world;
}

// --- queues

Scenario WideQueues(int n) {
  Scenario world = Nodes(20);
  for (int i = 0; i < n; ++i) {
    QueueSpec& queue = AddQueue(&world, i);
    queue.guaranteed = Resources{{"cpu", "1m"}};
    queue.limit = Resources{{"cpu", i % 50 + 1}};
    AddJob(&world, i, Cpu("100m")).queue = queue.name;
  }
  return world;
}

Scenario DeepQueues(int n) {
  Scenario world = Nodes(20);
  for (int i = 0; i < n; ++i) {
    QueueSpec& queue = AddQueue(&world, i);
    if (i > 0) queue.parent = Named("q", i - 1);
    AddJob(&world, i, Cpu("100m")).queue = Named("q", n - 1);
  }
  return world;
}

// --- evictions

// Nodes full of tasks of queue q0, and `waiting` jobs of `queues` other queues.
Scenario Full(int n, int waiting, int queues, const std::string& cpu) {
  const int nodes = std::max(1, n / 8);
  Scenario world = Nodes(nodes);
  for (int q = 0; q <= queues; ++q) AddQueue(&world, q);
  for (int i = 0; i < nodes * 8; ++i) {
    JobSpec job{.name = Named("r", i), .queue = "q0", .priority = i % 97, .min_available = 1};
    job.phase = JobPhase::kRunning;
    world.cluster.jobs.push_back(job);
    world.cluster.tasks.push_back({.name = Named("r", i),
                                   .job = job.name,
                                   .shape = Cpu("1"),
                                   .status = TaskStatus::kRunning,
                                   .node = Named("n", i % nodes),
                                   .priority = i % 97});
    world.cluster.tasks.back().shape.labels = {{"app", "r"}};
  }
  for (int i = 0; i < waiting; ++i) {
    JobSpec& job = AddJob(&world, i, Cpu(cpu));
    job.queue = Named("q", queues > 0 ? 1 + i % queues : 0);
    job.priority = 1000 + i;
    job.groups[0].priority = 1000 + i;
  }
  return world;
}

Scenario Preemptors(int n) { return Full(n, n / 4, 0, "2"); }
Scenario HopelessPreemptors(int n) { return Full(n, n / 4, 0, "9"); }
Scenario Reclaimers(int n) { return Full(n, n / 4, 1, "2"); }
Scenario ReclaimingQueues(int n) { return Full(n, n / 4, n / 8, "2"); }

Scenario Budgets(int n) {
  Scenario world = Reclaimers(n);
  for (int i = 0; i < n; ++i) {
    world.cluster.budgets.push_back(
        {.name = Named("b", i), .selector = Selector{{{"app", "r"}}, {}}, .allowed = n});
  }
  return world;
}

// --- rules of tasks and nodes

Scenario Taints(int n) {
  Scenario world = Nodes(4);
  TaskShape shape = Cpu("100m");
  for (int i = 0; i < n; ++i) {
    for (NodeSpec& node : world.cluster.nodes) {
      node.taints.push_back(
          {Named("k", i), "",
           i % 2 == 0 ? TaintEffect::kNoSchedule : TaintEffect::kPreferNoSchedule});
    }
    shape.tolerations.push_back({.key = Named("k", i), .op = TolerationOp::kExists});
  }
  AddJob(&world, 0, shape, 4);
  return world;
}

Scenario NodeLabels(int n) {
  Scenario world = Nodes(n);
  for (int i = 0; i < n; ++i) {
    TaskShape shape = Cpu("1");
    world.cluster.nodes[i].labels.emplace_back(Named("k", i), "v");
    shape.node_selector = {{Named("k", i), "v"}};
    AddJob(&world, i, shape);
  }
  return world;
}

Selector AnyApp() { return {{}, {{"app", RequirementOp::kExists, {}}}}; }

// n classes, each with a label of its own and the rule that `rule` adds to class i.
Scenario OneRuleEach(int n, void (*rule)(int i, int n, TaskShape* shape)) {
  Scenario world = Nodes(20);
  for (int i = 0; i < n; ++i) {
    TaskShape shape = Cpu("10m");
    shape.labels = {{"app", Named("a", i)}};
    rule(i, n, &shape);
    AddJob(&world, i, shape);
  }
  return world;
}

Scenario PreferredAffinity(int n) {
  return OneRuleEach(n, [](int, int, TaskShape* shape) {
    shape->preferred_affinity = {{5, {.topology_key = "host", .selector = AnyApp()}}};
  });
}
Scenario AntiAffinity(int n) {
  return OneRuleEach(n, [](int i, int n, TaskShape* shape) {
    shape->required_anti_affinity = {
        {.topology_key = "host", .selector = Selector{{{"app", Named("a", (i + 1) % n)}}, {}}}};
  });
}
Scenario Spread(int n) {
  return OneRuleEach(n, [](int, int, TaskShape* shape) {
    shape->spread = {{.topology_key = "host", .selector = AnyApp()}};
  });
}
Scenario HostPorts(int n) {
  return OneRuleEach(n,
                     [](int i, int, TaskShape* shape) { shape->host_ports = {{.port = i + 1}}; });
}

Scenario AffinityTerms(int n) {
  Scenario world = Nodes(20);
  TaskShape shape = Cpu("100m");
  shape.labels = {{"app", "a"}};
  for (int i = 0; i < n; ++i) {
    shape.required_anti_affinity.push_back(
        {.topology_key = "host", .selector = Selector{{{Named("x", i), "y"}}, {}}});
  }
  AddJob(&world, 0, shape, 10);
  return world;
}

Scenario Namespaces(int n) {
  Scenario world = Nodes(20);
  for (int i = 0; i < n; ++i) {
    NamespaceSpec space{.name = Named("s", i), .labels = {{"a", absl::StrCat(i)}}};
    space.quotas = {{.name = "q", .hard = {{"cpu", 5}}}};
    space.bindings = {{.name = "b", .queues = {"default"}, .limit = {{"cpu", 5}}}};
    world.cluster.namespaces.push_back(space);
    TaskShape shape = Cpu("10m");
    shape.name_space = space.name;
    AddJob(&world, i, shape);
  }
  return world;
}

// --- parts of nodes, and domains

DeviceSpec Gpu(int i) {
  return {.name = Named("g", i), .kind = "gpu", .links = {Named("l", i / 4), Named("m", i / 8)}};
}

TaskShape PartsOfGpus() {
  TaskShape shape = Cpu("1m");
  shape.devices = {{.kind = "gpu", .count = 3, .milli = 300, .same = SamePart::kLink}};
  return shape;
}

Scenario DevicesOfANode(int n) {
  Scenario world = Nodes(1);
  for (int i = 0; i < n; ++i) world.cluster.nodes[0].devices.push_back(Gpu(i));
  for (int i = 0; i < 8; ++i) AddJob(&world, i, PartsOfGpus());
  return world;
}

Scenario NodesWithDevices(int n) {
  Scenario world = Nodes(n / 8);
  for (NodeSpec& node : world.cluster.nodes) {
    for (int i = 0; i < 8; ++i) node.devices.push_back(Gpu(i));
  }
  for (int i = 0; i < n; ++i) AddJob(&world, i, PartsOfGpus());
  return world;
}

Scenario Domains(int n) {
  Scenario world = Nodes(n);
  std::vector<DomainSpec>& domains = world.cluster.domains;
  domains.push_back({.name = "root", .tier = 3});
  for (int i = 0; i < n; i += 16) {
    domains.push_back({.name = Named("b", i / 16), .parent = "root", .tier = 2});
  }
  for (int i = 0; i < n; ++i) {
    domains.push_back({.name = Named("r", i), .parent = Named("b", i / 16), .tier = 1});
    world.cluster.nodes[i].domain = Named("r", i);
  }
  for (int i = 0; i < 8; ++i) {
    AddJob(&world, i, Cpu(absl::StrCat(4001 + i, "m")), 10).topology = TopologyWish{true, 2, ""};
  }
  return world;
}

// A queue with quota for all, and jobs that ask for places in one zone or by twos on a host.
Scenario Places(int n) {
  Scenario world = Nodes(n);
  FlavorSpec flavor{.name = "f"};
  flavor.topology = FlavorTopology{.name = "t", .levels = {"zone", "host"}};
  world.cluster.flavors.push_back(flavor);
  QueueRules rules;
  rules.groups = {
      {.resources = {"cpu"}, .flavors = {{.flavor = "f", .nominal = {{"cpu", 8 * n}}}}}};
  AddQueue(&world, 0).rules = rules;
  for (int i = 0; i < n; ++i) {
    JobSpec& job = AddJob(&world, i, Cpu("1"), 8);
    job.queue = "q0";
    job.settings = {{"kueue/podset-required-topology", "zone"}};
    if (i % 2 == 0) continue;
    job.settings.emplace_back("kueue/podset-slice-required-topology", "host");
    job.settings.emplace_back("kueue/podset-slice-size", "2");
  }
  return world;
}

// --- gangs of batch systems, and bundles

Scenario Estimates(int n) {
  Scenario world = Nodes(4);
  for (int i = 0; i < n; ++i) AddJob(&world, i, Cpu("1"), 1 + i % 8).estimate = 10 + i;
  for (int i = 0; i < 16; ++i) {
    JobSpec job{.name = Named("r", i), .min_available = 1, .phase = JobPhase::kRunning};
    job.estimate = 100 + i;
    world.cluster.jobs.push_back(job);
    world.cluster.tasks.push_back({.name = Named("r", i),
                                   .job = job.name,
                                   .shape = Cpu("1"),
                                   .status = TaskStatus::kRunning,
                                   .node = Named("n", i % 4),
                                   .started = 0});
  }
  return world;
}

Scenario Bundles(int n) {
  Scenario world = Nodes(n / 4);
  JobSpec& job = AddJob(&world, 0, Cpu("1"));
  job.bundle_strategy = BundleStrategy::kSpread;
  job.min_available = n;
  job.groups.clear();
  for (int i = 0; i < 8; ++i) {
    job.groups.push_back(
        {.name = Named("g", i), .count = n / 8, .shape = Cpu(absl::StrCat(100 + i, "m"))});
  }
  return world;
}

// --- measured load

// A quarter of the nodes is far too busy, and has been for long.
Scenario MeasuredLoad(int n) {
  Scenario world = Nodes(n);
  MemorySlot rounds;
  for (int i = 0; i < n; ++i) {
    const bool is_hot = i % 4 == 0;
    world.cluster.nodes[i].usage = NodeUsage{.cpu = is_hot ? 90 : 5, .memory = 5, .measured = 1};
    if (!is_hot) continue;
    const int64_t late = 1'000'000'000'000'000;
    rounds.Set(absl::StrCat("all ", Named("n", i)),
               {int64_t{5}, int64_t{3}, int64_t{60'000'000'000}, int64_t{1}, int64_t{0}, int64_t{0},
                late, late});
    JobSpec job{.name = Named("r", i), .phase = JobPhase::kRunning};
    world.cluster.jobs.push_back(job);
    for (int t = 0; t < 6; ++t) {
      TaskSpec task{.name = absl::StrCat(job.name, "-", t),
                    .job = job.name,
                    .shape = Cpu(absl::StrCat(500 + i, "m")),
                    .status = TaskStatus::kRunning,
                    .node = Named("n", i)};
      task.usage = TaskUsage{.amounts = {{"cpu", "500m"}}};
      world.cluster.tasks.push_back(task);
    }
  }
  internal::MemoryData data;
  data.slots["koordinator-anomalies"].rows = internal::SharedRows(std::move(rounds));
  world.memory = internal::MakeMemory(std::move(data));
  return world;
}

constexpr Dimension kDimensions[] = {
    {"nodes", 64, NodesUnlike},
    {"tasks of a gang", 64, OneGang},
    {"tasks of a gang without room", 64, OneGangTooLarge},
    {"tasks of a pod group", 64, OnePodGroup},
    {"roles of a gang", 48, OneGangOfRoles},
    {"jobs", 64, Jobs},
    {"classes", 64, Classes},
    {"resources", 32, ResourcesOfNodes},
    {"queues side by side", 48, WideQueues},
    {"queues in a chain", 48, DeepQueues},
    {"preempting jobs", 64, Preemptors},
    {"hopeless jobs", 64, HopelessPreemptors},
    {"reclaiming jobs", 64, Reclaimers},
    {"reclaiming queues", 64, ReclaimingQueues},
    {"budgets", 64, Budgets},
    {"taints", 64, Taints},
    {"node labels", 48, NodeLabels},
    {"preferred affinity", 48, PreferredAffinity},
    {"anti-affinity", 48, AntiAffinity},
    {"affinity terms", 64, AffinityTerms},
    {"spread", 48, Spread},
    {"host ports", 48, HostPorts},
    {"namespaces", 48, Namespaces},
    {"devices of a node", 64, DevicesOfANode},
    {"nodes with devices", 64, NodesWithDevices},
    {"domains", 48, Domains},
    {"places", 48, Places},
    {"estimated gangs", 48, Estimates},
    {"bundles", 64, Bundles},
    {"measured load", 64, MeasuredLoad},
};

}  // namespace

std::span<const Dimension> Dimensions() { return kDimensions; }

}  // namespace muster::testing
