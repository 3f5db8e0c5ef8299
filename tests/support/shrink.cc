// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/shrink.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace muster::testing {
namespace {

using Change = std::function<void(ClusterSpec&)>;

// Sets a field to its default.
template <class Row, class Field>
void Unsay(std::vector<Change>& changes, std::vector<Row> ClusterSpec::*table, size_t index,
           const Row& row, Field Row::*field) {
  const Row plain{};
  if (row.*field == plain.*field) return;
  changes.push_back([=](ClusterSpec& w) { (w.*table)[index].*field = Row{}.*field; });
}

template <class Field>
void UnsayShape(std::vector<Change>& changes, size_t index, const TaskSpec& task,
                Field TaskShape::*field) {
  const TaskShape plain{};
  if (task.shape.*field == plain.*field) return;
  changes.push_back([=](ClusterSpec& w) { w.tasks[index].shape.*field = TaskShape{}.*field; });
}

void Delete(std::vector<Change>& changes, const ClusterSpec& world) {
  for (size_t i = 0; i < world.jobs.size(); ++i) {
    changes.push_back([i](ClusterSpec& w) {
      const std::string name = w.jobs[i].name;
      std::erase_if(w.tasks, [&](const TaskSpec& task) { return task.job == name; });
      w.jobs.erase(w.jobs.begin() + i);
    });
  }
  for (size_t i = 0; i < world.nodes.size(); ++i) {
    changes.push_back([i](ClusterSpec& w) {
      const std::string name = w.nodes[i].name;
      std::erase_if(w.tasks, [&](const TaskSpec& task) { return task.node == name; });
      w.nodes.erase(w.nodes.begin() + i);
    });
  }
  for (size_t i = 0; i < world.tasks.size(); ++i) {
    changes.push_back([i](ClusterSpec& w) { w.tasks.erase(w.tasks.begin() + i); });
  }
  for (size_t i = 0; i < world.queues.size(); ++i) {
    changes.push_back([i](ClusterSpec& w) {
      const std::string name = w.queues[i].name;
      w.queues.erase(w.queues.begin() + i);
      for (QueueSpec& queue : w.queues) {
        if (queue.parent == name) queue.parent.clear();
      }
      for (JobSpec& job : w.jobs) {
        if (job.queue == name) job.queue = "default";
      }
      for (NamespaceSpec& name_space : w.namespaces) {
        for (QueueBindingSpec& binding : name_space.bindings) std::erase(binding.queues, name);
        std::erase_if(name_space.bindings,
                      [](const QueueBindingSpec& binding) { return binding.queues.empty(); });
      }
    });
  }
  for (size_t b = 0; b < world.budgets.size(); ++b) {
    changes.push_back([b](ClusterSpec& w) { w.budgets.erase(w.budgets.begin() + b); });
  }
  if (!world.namespaces.empty()) changes.push_back([](ClusterSpec& w) { w.namespaces.clear(); });
}

void Simplify(std::vector<Change>& changes, const ClusterSpec& world) {
  for (size_t i = 0; i < world.nodes.size(); ++i) {
    const auto unsay = [&](auto field) {
      Unsay(changes, &ClusterSpec::nodes, i, world.nodes[i], field);
    };
    unsay(&NodeSpec::allocatable);
    unsay(&NodeSpec::labels);
    unsay(&NodeSpec::taints);
    unsay(&NodeSpec::unschedulable);
    unsay(&NodeSpec::ready);
    unsay(&NodeSpec::memory_pressure);
    unsay(&NodeSpec::network_unavailable);
    unsay(&NodeSpec::usage);
    unsay(&NodeSpec::shard);
    unsay(&NodeSpec::alignment);
    unsay(&NodeSpec::alignment_scope);
    unsay(&NodeSpec::zones_measured);
    for (size_t r = 0; r < world.nodes[i].capacity.size(); ++r) {
      changes.push_back(
          [=](ClusterSpec& w) { w.nodes[i].capacity.erase(w.nodes[i].capacity.begin() + r); });
    }
    for (size_t z = 0; z < world.nodes[i].zones.size(); ++z) {
      changes.push_back([=](ClusterSpec& w) { w.nodes[i].zones[z].available.reset(); });
      changes.push_back([=](ClusterSpec& w) { w.nodes[i].zones[z].distances.clear(); });
    }
    if (!world.nodes[i].zones.empty())
      changes.push_back([i](ClusterSpec& w) { w.nodes[i].zones.clear(); });
    if (!world.nodes[i].images.empty())
      changes.push_back([i](ClusterSpec& w) { w.nodes[i].images.clear(); });
  }
  for (size_t i = 0; i < world.queues.size(); ++i) {
    const auto unsay = [&](auto field) {
      Unsay(changes, &ClusterSpec::queues, i, world.queues[i], field);
    };
    unsay(&QueueSpec::parent);
    unsay(&QueueSpec::weight);
    unsay(&QueueSpec::priority);
    unsay(&QueueSpec::state);
    unsay(&QueueSpec::guaranteed);
    unsay(&QueueSpec::deserved);
    unsay(&QueueSpec::limit);
    unsay(&QueueSpec::borrow_limit);
    unsay(&QueueSpec::lend_limit);
    unsay(&QueueSpec::job_order);
    unsay(&QueueSpec::reclaimable);
    unsay(&QueueSpec::created);
    unsay(&QueueSpec::uid_rank);
    unsay(&QueueSpec::share_path);
    unsay(&QueueSpec::node_groups);
    unsay(&QueueSpec::node_group_limits);
    unsay(&QueueSpec::settings);
  }
  for (size_t i = 0; i < world.jobs.size(); ++i) {
    const auto unsay = [&](auto field) {
      Unsay(changes, &ClusterSpec::jobs, i, world.jobs[i], field);
    };
    unsay(&JobSpec::queue);
    unsay(&JobSpec::priority);
    unsay(&JobSpec::min_available);
    unsay(&JobSpec::min_resources);
    unsay(&JobSpec::phase);
    unsay(&JobSpec::preemptable);
    unsay(&JobSpec::created);
    unsay(&JobSpec::uid_rank);
    unsay(&JobSpec::waiting_time);
    unsay(&JobSpec::max_unavailable);
    unsay(&JobSpec::min_running);
    unsay(&JobSpec::settings);
    if (!world.jobs[i].groups.empty()) {
      changes.push_back([i](ClusterSpec& w) {
        for (TaskSpec& task : w.tasks) {
          if (task.job == w.jobs[i].name) task.group.clear();
        }
        w.jobs[i].groups.clear();
      });
    }
    for (size_t g = 0; g < world.jobs[i].groups.size(); ++g) {
      if (!world.jobs[i].groups[g].min_available.has_value()) continue;
      changes.push_back([=](ClusterSpec& w) { w.jobs[i].groups[g].min_available.reset(); });
    }
  }
  for (size_t i = 0; i < world.tasks.size(); ++i) {
    const TaskSpec& task = world.tasks[i];
    const auto unsay = [&](auto field) { Unsay(changes, &ClusterSpec::tasks, i, task, field); };
    unsay(&TaskSpec::nominated_node);
    unsay(&TaskSpec::priority);
    unsay(&TaskSpec::preemptable);
    unsay(&TaskSpec::never_preempts);
    unsay(&TaskSpec::priority_class);
    unsay(&TaskSpec::gates);
    unsay(&TaskSpec::created);
    unsay(&TaskSpec::ordinal);
    unsay(&TaskSpec::uid_rank);
    unsay(&TaskSpec::started);
    unsay(&TaskSpec::protected_until);
    unsay(&TaskSpec::waits_until);
    unsay(&TaskSpec::waiting_group);
    unsay(&TaskSpec::uid);
    const auto unsay_shape = [&](auto field) { UnsayShape(changes, i, task, field); };
    unsay_shape(&TaskShape::request);
    unsay_shape(&TaskShape::initial_request);
    unsay_shape(&TaskShape::containers);
    unsay_shape(&TaskShape::name_space);
    unsay_shape(&TaskShape::labels);
    unsay_shape(&TaskShape::node_selector);
    unsay_shape(&TaskShape::required_node_affinity);
    unsay_shape(&TaskShape::preferred_node_affinity);
    unsay_shape(&TaskShape::required_affinity);
    unsay_shape(&TaskShape::required_anti_affinity);
    unsay_shape(&TaskShape::preferred_affinity);
    unsay_shape(&TaskShape::preferred_anti_affinity);
    unsay_shape(&TaskShape::tolerations);
    unsay_shape(&TaskShape::spread);
    unsay_shape(&TaskShape::host_ports);
    unsay_shape(&TaskShape::revocable);
    unsay_shape(&TaskShape::guaranteed_qos);
    unsay_shape(&TaskShape::alignment);
    for (size_t r = 0; r < task.shape.request.size(); ++r) {
      changes.push_back([=](ClusterSpec& w) {
        w.tasks[i].shape.request.erase(w.tasks[i].shape.request.begin() + r);
      });
    }
  }
}

}  // namespace

ClusterSpec Shrink(ClusterSpec world, const std::function<bool(const ClusterSpec&)>& faulty,
                   int64_t budget) {
  for (bool smaller = true; smaller && budget > 0;) {
    smaller = false;
    for (const auto& list : {Delete, Simplify}) {
      std::vector<Change> changes;
      list(changes, world);
      // From the end, so that the indices of the changes still to come stay right. One that no
      // longer applies because an earlier one took its row away is made again in the next round.
      for (size_t c = changes.size(); c > 0 && budget > 0; --c) {
        ClusterSpec candidate = world;
        changes[c - 1](candidate);
        --budget;
        if (!faulty(candidate)) continue;
        world = std::move(candidate);
        smaller = true;
        changes.clear();
        list(changes, world);
        c = std::min(c, changes.size() + 1);
      }
    }
  }
  return world;
}

}  // namespace muster::testing
