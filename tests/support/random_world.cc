// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/random_world.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/words.h"
#include "lib/scenario/scenario.h"

namespace muster::testing {
namespace {

constexpr int64_t kGi = int64_t{1} << 30;
constexpr int64_t kLargest = int64_t{1} << 53;  // that a cluster keeps

// Amounts as the tables keep them: milli-cores, bytes, thousandths of a GPU.
struct Amounts {
  int64_t cpu = 0, memory = 0, gpu = 0;
};

std::string Milli(int64_t amount) {
  return amount % 1000 == 0 ? std::to_string(amount / 1000) : std::to_string(amount) + "m";
}

class WorldMaker {
 public:
  WorldMaker(uint64_t seed, const WorldKnobs& knobs) : rng_(seed), knobs_(knobs) {
    between_ = knobs.between_tasks && Chance(0.3);
    extremes_ = knobs.extremes && Chance(0.15);
    gpus_ = Chance(0.35);
    selectors_ = Chance(0.3);
    taints_ = Chance(0.3);
    quotas_ = Chance(0.4);
    trees_ = Chance(0.15);
    roles_ = Chance(0.4);
    mixed_roles_ = Chance(0.3);
    busy_ = Chance(0.6);
    overfull_ = Chance(0.1);
    states_ = Chance(0.3);
    phases_ = Chance(0.5);
    odd_nodes_ = Chance(0.25);
    best_effort_ = Chance(0.3);
    priorities_ = Chance(0.6);
    times_ = Chance(0.4);
    crowded_ = Chance(0.35);
    paths_ = Chance(0.4);
    quota_ = Chance(0.2);
    watched_ = Chance(0.3);
    sharded_ = Chance(0.4);
    wishes_ = Chance(0.5);
    grouped_ = Chance(0.2);
    lent_ = Chance(0.2);
  }

  ClusterSpec Make() {
    MakeQueues();
    MakeNodes();
    MakeShapes();
    const uint64_t jobs = rng_.Below(knobs_.jobs + 1);
    for (uint64_t j = 0; j < jobs; ++j) MakeJob(j);
    if (Chance(0.2)) MakeLoners();
    if (between_ || quota_) world_.namespaces.push_back({"default", {{"team", "red"}}});
    if (quota_) {
      for (const char* name : {"small", "large"}) {
        Amounts used = Quota();
        if (Chance(0.5)) used = {};
        world_.namespaces.back().quotas.push_back(
            {name, Write(Quota(), false), Write(used, false)});
      }
    }
    if (Chance(0.3)) MakeBudgets();
    if (knobs_.lending) MakeLending();
    return std::move(world_);
  }

 private:
  bool Chance(double p) { return rng_.Chance(p); }
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(high - low) + 1));
  }
  template <class T>
  T One(const std::vector<T>& items) {
    return items[rng_.Below(items.size())];
  }
  std::string Word(const std::vector<std::string>& words) { return One(words); }

  int64_t Created() { return times_ ? Between(0, 2) : 0; }
  int64_t Rank() { return times_ ? Between(0, 2) : 0; }

  // --- amounts

  int64_t CpuUnit() { return extremes_ && Chance(0.3) ? kLargest / 256 / 1000 * 1000 : 1000; }
  int64_t MemoryUnit() {
    if (!extremes_) return kGi;
    return One<int64_t>({kGi, kLargest / 256 - 1, kLargest / 512, 1});
  }

  Resources Write(const Amounts& amounts, bool all) {
    Resources resources;
    if (all || amounts.cpu != 0) resources.emplace_back("cpu", Quantity(Milli(amounts.cpu)));
    if (all || amounts.memory != 0) resources.emplace_back("memory", Quantity(amounts.memory));
    if (amounts.gpu != 0) resources.emplace_back("nvidia.com/gpu", Quantity(Milli(amounts.gpu)));
    return resources;
  }

  Amounts Quota() {
    Amounts amounts;
    if (Chance(0.8)) amounts.cpu = Between(0, 8) * cpu_unit_;
    if (Chance(0.6)) amounts.memory = Between(0, 8) * memory_unit_;
    if (gpus_ && Chance(0.5)) amounts.gpu = Between(0, 4) * 1000;
    return amounts;
  }

  Quantity Percent() { return Milli(Between(0, 3) * 25000 + Between(0, 1) * 3333); }

  // --- queues

  void MakeQueues() {
    cpu_unit_ = CpuUnit();
    memory_unit_ = MemoryUnit();
    // One tree, most often with its jobs in the leaves; a queue that names no parent is of it, too.
    if (knobs_.rooted) {
      world_.queues.push_back({.name = "root"});
      if (Chance(0.2)) world_.queues.back().limit = Write(Quota(), false);
    }
    const uint64_t count = 1 + rng_.Below(knobs_.queues) + (knobs_.rooted ? 2 : 0);
    std::set<std::string> parents;
    for (uint64_t q = 0; q < count; ++q) {
      QueueSpec queue;
      queue.name = "q" + std::to_string(q);
      queue.weight = Chance(0.5) ? 1 : Between(1, 4);
      if (priorities_ && Chance(0.3)) queue.priority = static_cast<int32_t>(Between(0, 2));
      if (states_ && Chance(0.2)) queue.state = QueueState::kClosed;
      if (knobs_.rooted && Chance(0.9)) queue.parent = "root";
      if ((trees_ || knobs_.rooted) && q > 0 && Chance(0.5))
        queue.parent = "q" + std::to_string(rng_.Below(q));
      parents.insert(queue.parent);
      if (quotas_ || (knobs_.rooted && Chance(0.5))) {
        if (Chance(0.4)) queue.limit = Write(Quota(), false);
        if (Chance(0.3)) queue.guaranteed = Write(Quota(), false);
        if (Chance(knobs_.rooted ? 0.6 : 0.2)) queue.deserved = Write(Quota(), false);
      }
      queue.reclaimable = !Chance(0.1);
      queue.created = Created();
      queue.uid_rank = Rank();
      for (uint64_t steps = paths_ ? rng_.Below(4) : 0; steps > 0; --steps) {
        queue.share_path.push_back({Word({"a", "b"}), Word({"1", "2", "3", "500m", "1500m"})});
      }
      if (grouped_) AddNodeGroups(queue);
      queues_.push_back(queue.name);
      world_.queues.push_back(std::move(queue));
    }
    if (knobs_.rooted && !Chance(0.04)) {
      std::erase_if(queues_, [&](const std::string& name) { return parents.count(name) > 0; });
    }
  }

  void MakeLending() {
    for (size_t q = 0; q < world_.queues.size(); ++q) {
      QueueSpec& queue = world_.queues[q];
      queue.job_order = *ParseWord<JobOrder>(Word({"", "fifo", "fair", "priority", "drf"}));
      if (Chance(0.1)) queue.weight = 0;
      if (q > 0 && queue.parent.empty() && Chance(0.5)) {
        queue.parent = world_.queues[rng_.Below(q)].name;
      }
      if (Chance(0.3)) queue.borrow_limit = Write(Quota(), false);
      if (Chance(0.3)) queue.lend_limit = Write(Quota(), false);
      if (Chance(0.2)) queue.guaranteed = Write(Quota(), false);
    }
    if (world_.namespaces.empty()) world_.namespaces.push_back({"default"});
    for (const char* name : {"web", "db"}) {
      if (Chance(0.7)) continue;
      QueueBindingSpec binding{.name = name, .limit = Write(Quota(), false)};
      if (Chance(0.5)) binding.selector.match_labels = {{"app", name}};
      for (const QueueSpec& queue : world_.queues) {
        if (Chance(0.5)) binding.queues.push_back(queue.name);
      }
      if (!binding.queues.empty()) world_.namespaces.back().bindings.push_back(binding);
    }
  }

  void AddNodeGroups(QueueSpec& queue) {
    const auto some = [&](double p) {
      std::vector<std::string> groups;
      while (Chance(p)) groups.push_back(Word({"red", "blue", ""}));
      return groups;
    };
    if (Chance(0.6)) queue.node_groups = {some(0.5), some(0.4), some(0.15), some(0.15)};
    for (const char* group : {"red", "blue"}) {
      if (Chance(0.3)) queue.node_group_limits.push_back({group, Write(Quota(), false)});
    }
  }

  // --- nodes

  void MakeNodes() {
    std::vector<Amounts> kinds;
    for (uint64_t k = 1 + rng_.Below(3); k > 0; --k) {
      Amounts amounts{Between(0, 8) * cpu_unit_, Between(0, 8) * memory_unit_,
                      gpus_ && Chance(0.6) ? Between(0, 4) * 1000 : 0};
      // Little cpu, and more than enough of the rest: one eviction makes room.
      if (crowded_) amounts = {Between(2, 4) * cpu_unit_, 40 * memory_unit_, 0};
      if (Chance(0.1)) amounts.cpu += Between(1, 999);
      kinds.push_back(amounts);
    }
    const uint64_t most = crowded_ ? 1 + knobs_.nodes / 3 : knobs_.nodes;
    const uint64_t count = Chance(0.02) ? 0 : 1 + rng_.Below(most);
    for (uint64_t n = 0; n < count; ++n) {
      NodeSpec node;
      node.name = "n" + std::to_string(n);
      const Amounts kind = One(kinds);
      node.capacity = Write(kind, !Chance(0.05));
      const int64_t pods = Chance(0.15) ? Between(0, 3) : 110;
      if (!Chance(0.1)) node.capacity.emplace_back("pods", Quantity(pods));
      if (Chance(0.05)) node.allocatable = Write({kind.cpu / 2, kind.memory, kind.gpu}, true);
      if (selectors_ || between_) {
        if (Chance(0.8)) node.labels.emplace_back("zone", Word({"a", "b", "c"}));
        if (Chance(0.5)) node.labels.emplace_back("disk", Word({"ssd", "7"}));
        if (Chance(0.9)) node.labels.emplace_back("kubernetes.io/hostname", node.name);
      }
      if (grouped_ && Chance(0.8)) {
        node.labels.emplace_back("volcano.sh/nodegroup-name", Word({"red", "blue", ""}));
      }
      if (lent_ && Chance(0.6)) {
        node.labels.emplace_back("volcano.sh/revocable-zone", Word({"day", "night", "no", ""}));
      }
      if (taints_ && Chance(0.4)) {
        node.taints.push_back(
            {Word({"gpu", "old"}), Word({"", "only"}),
             *ParseWord<TaintEffect>(Word({"NoSchedule", "PreferNoSchedule", "NoExecute"}))});
      }
      if (odd_nodes_) {
        node.unschedulable = Chance(0.15);
        node.ready = !Chance(0.15);
        node.memory_pressure = Chance(0.1);
        node.network_unavailable = Chance(0.1);
        if (Chance(0.3)) node.images.push_back({{"app:1"}, Between(0, 2000) << 20});
      }
      if (sharded_ && Chance(0.9)) node.shard = Word({"a", "b"});
      if (watched_ && Chance(0.9)) {
        node.usage = NodeUsage{Percent(), Percent(), Chance(0.1) ? -400 : -Between(0, 100)};
      }
      room_.push_back(kind);
      world_.nodes.push_back(std::move(node));
    }
  }

  // --- shapes

  Labels SomeLabels() {
    Labels labels;
    if (Chance(0.8)) labels.emplace_back("app", Word({"web", "db"}));
    return labels;
  }

  Selector SomeSelector() {
    Selector selector;
    selector.match_labels = {{"app", Word({"web", "db"})}};
    if (Chance(0.2)) {
      selector.match_labels.clear();
      selector.match_expressions = {
          {"app", *ParseWord<RequirementOp>(Word({"Exists", "DoesNotExist"})), {}}};
    }
    return selector;
  }

  AffinityTerm Term() {
    AffinityTerm term;
    term.topology_key = Word({"zone", "kubernetes.io/hostname", "disk"});
    term.selector = SomeSelector();
    if (Chance(0.1)) term.namespace_selector = Selector{{{"team", "red"}}, {}};
    return term;
  }

  void AddRulesBetweenTasks(TaskShape& shape) {
    shape.labels = SomeLabels();
    if (Chance(0.25)) shape.required_affinity.push_back(Term());
    if (Chance(0.25)) shape.required_anti_affinity.push_back(Term());
    if (Chance(0.2)) shape.preferred_affinity.push_back({int32_t(Between(1, 100)), Term()});
    if (Chance(0.2)) shape.preferred_anti_affinity.push_back({int32_t(Between(1, 100)), Term()});
    if (Chance(0.3)) {
      SpreadConstraint spread;
      spread.topology_key = Word({"zone", "kubernetes.io/hostname"});
      spread.max_skew = static_cast<int32_t>(Between(1, 2));
      spread.required = Chance(0.7);
      spread.selector = SomeSelector();
      if (Chance(0.2) && spread.required) spread.min_domains = static_cast<int32_t>(Between(1, 3));
      shape.spread.push_back(std::move(spread));
    }
    if (Chance(0.25)) {
      shape.host_ports.push_back({Word({"0.0.0.0", "10.0.0.1"}),
                                  *ParseWord<Protocol>(Word({"TCP", "UDP"})),
                                  int32_t(Between(80, 81))});
    }
  }

  void AddRulesOnNodes(TaskShape& shape) {
    shape.revocable = lent_ && Chance(0.5);
    if (selectors_ && Chance(0.3)) shape.node_selector = {{"zone", Word({"a", "b"})}};
    if (selectors_ && Chance(0.2)) {
      NodeTerm term;
      term.match_expressions.push_back(
          Chance(0.5) ? Requirement{"disk", RequirementOp::kIn, {Word({"ssd", "7"})}}
                      : Requirement{"disk", RequirementOp::kGt, {"3"}});
      shape.required_node_affinity = {term};
    }
    if (selectors_ && Chance(0.3)) {
      NodeTerm term;
      term.match_expressions.push_back({"zone", RequirementOp::kIn, {Word({"a", "b", "c"})}});
      shape.preferred_node_affinity.push_back({int32_t(Between(1, 100)), term});
    }
    if (taints_ && Chance(0.5)) {
      Toleration toleration;
      toleration.key = Word({"gpu", "old", ""});
      toleration.op =
          toleration.key.empty() || Chance(0.5) ? TolerationOp::kExists : TolerationOp::kEqual;
      if (toleration.op == TolerationOp::kEqual) toleration.value = Word({"", "only"});
      toleration.effect = *ParseWord<TaintEffect>(Word({"", "NoSchedule", "PreferNoSchedule"}));
      shape.tolerations.push_back(std::move(toleration));
    }
    if (odd_nodes_ && Chance(0.2)) {
      shape.tolerations.push_back(
          {"node.kubernetes.io/unschedulable", TolerationOp::kExists, "", TaintEffect::kUnset});
    }
  }

  void MakeShapes() {
    for (uint64_t s = 2 + rng_.Below(4); s > 0; --s) {
      Amounts amounts;
      amounts.cpu = Between(0, 4) * cpu_unit_;
      amounts.memory = Between(0, 4) * memory_unit_;
      if (Chance(0.2)) amounts.cpu = amounts.cpu / 2 + Between(0, 1);
      if (gpus_ && Chance(0.4)) amounts.gpu = Chance(0.8) ? Between(1, 3) * 1000 : 500;
      if (best_effort_ && Chance(0.4)) amounts = {};
      if (crowded_) amounts = {Between(1, 2) * cpu_unit_, Between(0, 1) * memory_unit_, 0};
      if (extremes_ && Chance(0.1)) amounts.memory = kLargest;
      TaskShape shape;
      shape.request = Write(amounts, Chance(0.5));
      if (amounts.cpu + amounts.memory > 0 && Chance(0.1)) {
        Amounts more = amounts;
        more.cpu += Between(0, 2) * cpu_unit_;
        shape.initial_request = Write(more, Chance(0.5));
      }
      if (Chance(0.1)) {
        shape.containers.push_back({.request = Write({amounts.cpu, 0, amounts.gpu}, false)});
        shape.containers.push_back({.request = Write({0, amounts.memory, 0}, false)});
        if (odd_nodes_) shape.containers.back().image = "app:1";
      }
      AddRulesOnNodes(shape);
      if (between_) AddRulesBetweenTasks(shape);
      shapes_.emplace_back(std::move(shape), amounts);
    }
  }

  // --- jobs and tasks

  int32_t Priority() {
    return priorities_ && Chance(0.6) ? static_cast<int32_t>(Between(-1, 3)) : 0;
  }

  GroupTopology SomeWishes() {
    const std::vector<std::vector<std::string>> lists = {
        {"a"}, {"b"}, {"a", "b"}, {"b", "a"}, {"a", ""}};
    GroupTopology wishes;
    if (Chance(0.6)) wishes.together.push_back(One(lists));
    if (Chance(0.3)) wishes.together.push_back(One(lists));
    if (Chance(0.5)) wishes.apart.push_back(One(lists));
    if (Chance(0.3)) wishes.order = One(lists);
    if (Chance(0.05)) wishes.apart.push_back({"a", Word({"a", "nobody"})});
    return wishes;
  }

  void MakeJob(uint64_t number) {
    JobSpec job;
    job.name = "j" + std::to_string(number);
    job.queue = Chance(0.05) ? "default" : One(queues_);
    job.priority = Priority();
    const int64_t count = Between(Chance(0.05) ? 0 : 1, static_cast<int64_t>(knobs_.tasks));
    job.min_available = Chance(0.3) ? 1 : Between(0, Chance(0.05) ? count + 1 : count);
    const uint64_t groups = roles_ ? rng_.Below(3) : 0;
    for (uint64_t g = 0; g < groups; ++g) {
      GroupSpec group;
      group.name = std::string(1, static_cast<char>('a' + g));
      if (Chance(0.5)) group.min_available = Between(0, 2);
      job.groups.push_back(std::move(group));
    }
    if (groups > 0 && wishes_) job.group_topology = SomeWishes();
    if (Chance(0.4)) job.min_resources = Write(Quota(), false);
    if (crowded_) {
      job.priority = static_cast<int32_t>(number / 2);
      job.queue = queues_[rng_.Below(std::min<size_t>(2, queues_.size()))];
    }
    job.phase = phases_
                    ? One<JobPhase>({JobPhase::kPending, JobPhase::kAdmitted, JobPhase::kRunning,
                                     JobPhase::kDegraded, JobPhase::kCompleted})
                    : JobPhase::kPending;
    if (Chance(0.5)) job.preemptable = Chance(0.8);
    if (times_ && Chance(0.3)) job.waiting_time = Between(0, 3);
    if (lent_ && Chance(0.5)) job.max_unavailable = Word({"0", "1", "2", "30%", "101%"});
    if (lent_ && Chance(0.3)) job.min_running = Word({"0", "1", "50%", "100%"});
    job.created = Created();
    job.uid_rank = Rank();
    const std::pair<TaskShape, Amounts> shape = One(shapes_);
    std::map<std::string, std::pair<TaskShape, Amounts>> of_role;
    for (int64_t t = 0; t < count; ++t) {
      TaskSpec task;
      task.name = job.name + "-" + std::to_string(t);
      task.job = job.name;
      if (groups > 0 && Chance(0.9)) task.group = job.groups[rng_.Below(groups)].name;
      auto mine = of_role.try_emplace(task.group, Chance(0.5) ? shape : One(shapes_)).first->second;
      if (mixed_roles_ && Chance(0.4)) mine = One(shapes_);
      FinishTask(std::move(task), mine.first, mine.second, job.priority);
    }
    world_.jobs.push_back(std::move(job));
  }

  void FinishTask(TaskSpec task, const TaskShape& shape, const Amounts& amounts, int32_t priority) {
    task.shape = shape;
    task.priority = Chance(0.8) ? priority : Priority();
    task.preemptable = !Chance(lent_ ? 0.4 : 0.15);
    task.never_preempts = Chance(0.05);
    if (Chance(0.05)) task.priority_class = Word({"system-cluster-critical", "high"});
    if (Chance(0.05)) task.shape.name_space = "kube-system";
    if (states_ && Chance(0.1)) task.gates = {"wait"};
    if (times_ && Chance(0.5)) task.ordinal = Between(0, 5);
    task.created = Created();
    task.uid_rank = Rank();
    if (watched_ && Chance(0.5)) task.started = -Between(0, 60);
    if (times_ && Chance(0.2)) task.protected_until = Between(1, 3);
    if (crowded_ ? Chance(0.9) : busy_ && Chance(0.5)) PutSomewhere(task, amounts);
    if (task.status == TaskStatus::kPending && !room_.empty() && Chance(0.08)) {
      task.nominated_node = world_.nodes[rng_.Below(room_.size())].name;
    }
    if (states_ && task.node.empty() && Chance(0.05)) {
      task.status = One<TaskStatus>({TaskStatus::kSucceeded, TaskStatus::kFailed});
    }
    world_.tasks.push_back(std::move(task));
  }

  // On a node with room, unless the world has overfull nodes.
  void PutSomewhere(TaskSpec& task, const Amounts& amounts) {
    if (room_.empty()) return;
    const size_t n = rng_.Below(room_.size());
    Amounts& room = room_[n];
    const bool fits =
        amounts.cpu <= room.cpu && amounts.memory <= room.memory && amounts.gpu <= room.gpu;
    if (!fits && (crowded_ || !overfull_)) return;
    room.cpu -= amounts.cpu;
    room.memory -= amounts.memory;
    room.gpu -= amounts.gpu;
    task.node = world_.nodes[n].name;
    task.status =
        One<TaskStatus>({TaskStatus::kRunning, TaskStatus::kRunning, TaskStatus::kRunning,
                         TaskStatus::kBound, TaskStatus::kBinding, TaskStatus::kReleasing});
    if (states_ && Chance(0.1)) task.status = TaskStatus::kUnknown;
  }

  void MakeBudgets() {
    for (TaskSpec& task : world_.tasks) {
      if (task.shape.labels.empty() && Chance(0.8)) task.shape.labels = SomeLabels();
    }
    for (uint64_t b = rng_.Below(3) + 1; b > 0; --b) {
      DisruptionBudgetSpec& budget = world_.budgets.emplace_back();
      budget.name = "b" + std::to_string(b);
      if (Chance(0.1)) budget.name_space = "kube-system";
      if (Chance(0.95)) budget.selector = SomeSelector();
      budget.allowed = Between(0, 2);
    }
  }

  // Tasks of no job, which only take room.
  void MakeLoners() {
    for (uint64_t t = rng_.Below(3); t > 0 && !room_.empty(); --t) {
      const auto [shape, amounts] = One(shapes_);
      TaskSpec task;
      task.name = "loner" + std::to_string(t);
      task.shape = shape;
      PutSomewhere(task, amounts);
      if (!task.node.empty()) world_.tasks.push_back(std::move(task));
    }
  }

  Rng rng_;
  const WorldKnobs knobs_;
  bool between_, extremes_, gpus_, selectors_, taints_, quotas_, trees_, roles_, mixed_roles_,
      busy_, overfull_, states_, phases_, odd_nodes_, best_effort_, priorities_, times_, crowded_,
      paths_, quota_, watched_, sharded_, wishes_, grouped_, lent_;
  int64_t cpu_unit_ = 1000, memory_unit_ = kGi;
  std::vector<std::string> queues_;
  std::vector<Amounts> room_;  // per node
  std::vector<std::pair<TaskShape, Amounts>> shapes_;
  ClusterSpec world_;
};

}  // namespace

ClusterSpec RandomWorld(uint64_t seed, const WorldKnobs& knobs) {
  return WorldMaker(SplitMix64(seed), knobs).Make();
}

std::optional<Cluster> TryCluster(const ClusterSpec& world) {
  Cluster cluster;
  Scenario scenario;
  scenario.cluster = world;
  if (!Fill(scenario, &cluster).ok()) return std::nullopt;
  return cluster;
}

Cluster MakeCluster(const ClusterSpec& world) {
  Cluster cluster;
  Scenario scenario;
  scenario.cluster = world;
  const absl::Status status = Fill(scenario, &cluster);
  EXPECT_TRUE(status.ok()) << status << "\n" << AsScenario(world, "");
  return cluster;
}

std::string AsScenario(const ClusterSpec& world, std::string_view profile) {
  Scenario scenario;
  scenario.cluster = world;
  scenario.profile = std::string(profile);
  return WriteScenario(scenario);
}

}  // namespace muster::testing
