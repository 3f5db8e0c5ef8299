// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// shuffle, and rescheduling, the policy that has something to say to it: tasks leave nodes measured
// above a high mark as long as nodes measured below a low one have room for what leaves.
#include <algorithm>
#include <set>

#include "lib/reference/peer/volcano/volcano.h"
#include "muster/quantity.h"

namespace muster::reference {

namespace {

using Tasks = std::vector<TaskIndex>;

struct Marks {
  double low_cpu, low_memory, high_cpu, high_memory;
};

struct Load {
  double cpu = 0, memory = 0;
};

Load MeasuredLoad(const Cycle& cycle, NodeIndex node) {
  const auto& usage = cycle.tables().nodes.spec[node].usage;
  if (!usage) return {};
  const auto percent = [](const Quantity& quantity) {
    return static_cast<double>(ParseQuantity(quantity.text, Unit::kMilli).value_or(0)) / 1000;
  };
  return {percent(usage->cpu), percent(usage->memory)};
}

int64_t Share(double percent, int64_t whole) {
  const double most = 9007199254740992.0;
  const double amount = percent * static_cast<double>(whole) * 0.01;
  return static_cast<int64_t>(amount > most ? most : amount < -most ? -most : amount);
}

// In cores: a whole number of them is a whole number, thousandths are multiplied out.
double Cores(int64_t milli) {
  const double thousandths = static_cast<double>(milli);
  return milli % 1000 == 0 ? thousandths / 1000 : thousandths * 0.001;
}

bool IsLow(const Cycle& cycle, const Marks& marks, NodeIndex node) {
  const Load load = MeasuredLoad(cycle, node);
  return !cycle.tables().nodes.spec[node].unschedulable && load.cpu < marks.low_cpu &&
         load.memory < marks.low_memory;
}

// Of one node's tasks, from the one that goes first to the one that goes last.
Tasks InOrderOfLeaving(const Cycle& cycle, NodeIndex node, Tasks left) {
  std::erase_if(left, [&](TaskIndex t) { return cycle.world.node[t] != node; });
  const auto rank = [&](TaskIndex t) {
    const auto request = cycle.world.initial_request(t);
    const bool asks = OrZero(request[kCpu]) != 0 || OrZero(request[kMemory]) != 0;
    return std::pair(cycle.tables().tasks.priority[t], asks);
  };
  Tasks order;
  while (!left.empty()) {
    std::sort(left.begin(), left.end());
    auto first = left.begin();
    for (auto other = left.begin(); other != left.end(); ++other) {
      if (rank(*other) < rank(*first)) first = other;
    }
    order.push_back(*first);
    left.erase(first);
  }
  return order;
}

Tasks AskRescheduling(const Cycle& cycle, const ReferencePolicy& policy, const Tasks& candidates) {
  const Marks marks = {
      NumberOption(policy, "cpu_low", 100), NumberOption(policy, "memory_low", 100),
      NumberOption(policy, "cpu_high", 100), NumberOption(policy, "memory_high", 100)};
  const NodeTable& nodes = cycle.tables().nodes;
  std::vector<NodeIndex> low, high;
  for (NodeIndex n : cycle.world.session_nodes()) {
    const Load load = MeasuredLoad(cycle, n);
    if (IsLow(cycle, marks, n)) {
      low.push_back(n);
    } else if (load.cpu > marks.high_cpu || load.memory > marks.high_memory) {
      high.push_back(n);
    }
  }
  if (low.empty() || low.size() == cycle.world.session_nodes().size()) return {};

  int64_t cpu_left = 0, memory_left = 0;
  for (NodeIndex n : low) {
    const Load load = MeasuredLoad(cycle, n);
    const int64_t cpu = OrZero(nodes.allocatable.row(n)[kCpu]);
    const int64_t memory = OrZero(nodes.allocatable.row(n)[kMemory]);
    cpu_left += Share(marks.high_cpu, cpu) - Share(load.cpu, cpu);
    memory_left += Share(marks.high_memory, memory) - Share(load.memory, memory);
  }
  Tasks victims;
  while (!high.empty()) {
    auto busiest = high.begin();
    const auto sum = [&](NodeIndex n) {
      const Load load = MeasuredLoad(cycle, n);
      return load.cpu + load.memory;
    };
    for (auto other = high.begin(); other != high.end(); ++other) {
      if (sum(*other) > sum(*busiest)) busiest = other;
    }
    const NodeIndex node = *busiest;
    high.erase(busiest);
    Load load = MeasuredLoad(cycle, node);
    for (TaskIndex t : InOrderOfLeaving(cycle, node, candidates)) {
      if (load.cpu < marks.high_cpu && load.memory < marks.high_memory) break;
      if (cpu_left == 0 || memory_left == 0) break;
      const int64_t cpu = OrZero(cycle.world.request(t)[kCpu]);
      const int64_t memory = OrZero(cycle.world.request(t)[kMemory]);
      cpu_left -= cpu;
      memory_left -= memory;
      load.cpu -=
          static_cast<double>(cpu) * 0.001 * 100 / Cores(OrZero(nodes.capacity.row(node)[kCpu]));
      load.memory -= static_cast<double>(memory) * 100 /
                     static_cast<double>(OrZero(nodes.capacity.row(node)[kMemory]));
      victims.push_back(t);
    }
  }
  return victims;
}

}  // namespace

void RunShuffle(Cycle& cycle) {
  ++cycle.work;
  Tasks running;
  for (JobIndex j : cycle.world.session_jobs()) {
    for (TaskIndex t : cycle.world.tasks_of(j)) {
      if (cycle.world.status[t] == TaskStatus::kRunning) running.push_back(t);
    }
  }
  std::set<TaskIndex> victims;
  for (const PolicyTier& tier : TiersAt(cycle, "victims")) {
    for (const ReferencePolicy* policy : tier) {
      Tasks named;
      if (policy->name == "rescheduling") named = AskRescheduling(cycle, *policy, running);
      if (policy->name == "pdb") named = AskPdb(cycle, *policy, running);
      if (policy->name == "tdm") named = OverstayingTasks(cycle, *policy, running);
      victims.insert(named.begin(), named.end());
    }
    if (!victims.empty()) break;
  }
  Statement statement;
  for (TaskIndex t : running) {
    if (victims.count(t) > 0) DoEvict(cycle, statement, t, kNone);
  }
  Commit(cycle, statement);
}

}  // namespace muster::reference
