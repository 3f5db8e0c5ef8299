// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/spec_key.h"

#include <algorithm>

#include "lib/model/key.h"
#include "lib/model/meaning.h"
#include "lib/model/shape_key.h"
#include "lib/model/tables.h"
#include "lib/model/validate.h"
#include "muster/quantity.h"

namespace muster {
namespace {

void AddWish(const std::optional<TopologyWish>& wish, Key& key) {
  key.Add(int64_t{wish.has_value()});
  if (!wish) return;
  key.Add(int64_t{wish->hard});
  key.Add(int64_t{wish->highest_tier.has_value()});
  key.Add(int64_t{wish->highest_tier.value_or(0)});
  key.Add(wish->highest_tier_name);
}

void AddZone(const ZoneSpec& zone, Key& key) {
  key.Add(zone.name);
  AddMeant(zone.capacity, key);
  AddMeant(zone.available, key);
  auto distances = zone.distances;
  std::ranges::sort(distances);
  key.Add(distances);
}

void AddDevice(const DeviceSpec& device, Key& key) {
  key.Add(device.name);
  key.Add(device.kind);
  key.Add(device.model);
  key.Add(device.zone);
  key.Add(device.links);
  key.Add(ParseQuantity(device.memory.text, Unit::kWhole).value_or(0));
  key.Add(device.milli);
  key.Add(int64_t{device.healthy});
}

}  // namespace

std::string MeaningKey(const TaskShape& shape) {
  Checker check("shape", "");
  const ShapeAmounts amounts = CheckShape(shape, check);
  return MeaningKey(shape, amounts);
}

std::string MeaningKey(const NodeSpec& node) {
  Key key;
  key.Add(node.name);
  AddMeant(node.capacity, key);
  AddMeant(node.allocatable ? *node.allocatable : node.capacity, key);
  key.AddSorted(node.labels);
  AddMeant(node.taints, key);
  for (bool flag : {node.unschedulable, node.ready, node.network_unavailable, node.memory_pressure,
                    node.disk_pressure, node.pid_pressure}) {
    key.Add(int64_t{flag});
  }
  key.Add(static_cast<int64_t>(node.zones.size()));
  for (const ZoneSpec& zone : node.zones) AddZone(zone, key);
  key.Add(static_cast<int64_t>(node.devices.size()));
  for (const DeviceSpec& device : node.devices) AddDevice(device, key);
  key.Add(static_cast<int64_t>(node.images.size()));
  for (const ImageSpec& image : node.images) {
    key.Add(image.names);
    key.Add(image.size);
  }
  key.Add(node.domain);
  key.Add(int64_t{node.usage.has_value()});
  if (node.usage) {
    AddMeant(node.usage->cpu, key);
    AddMeant(node.usage->memory, key);
    key.Add(node.usage->measured);
    AddMeant(node.usage->detail, key);
  }
  key.Add(node.shard);
  key.Add(node.alignment);
  key.Add(node.alignment_scope);
  key.Add(node.zones_measured);
  key.AddSorted(node.settings);
  return key.Take();
}

std::string MeaningKey(const QueueSpec& queue) {
  Key key;
  key.Add(queue.name);
  key.Add(queue.parent);
  key.Add(queue.weight);
  key.Add(int64_t{queue.priority});
  key.Add(static_cast<int64_t>(queue.state));
  AddMeant(queue.guaranteed, key);
  AddMeant(queue.deserved, key);
  AddMeant(queue.limit, key);
  AddMeant(queue.borrow_limit, key);
  AddMeant(queue.lend_limit, key);
  key.Add(int64_t{queue.reclaimable});
  key.Add(queue.job_order);
  key.Add(queue.created);
  key.Add(queue.uid_rank);
  key.Add(static_cast<int64_t>(queue.share_path.size()));
  for (const PathStep& step : queue.share_path) {
    key.Add(step.name);
    AddMeant(step.weight, key);
  }
  key.Add(int64_t{queue.node_groups.has_value()});
  if (queue.node_groups) {
    for (const auto* groups :
         {&queue.node_groups->required, &queue.node_groups->preferred,
          &queue.node_groups->anti_required, &queue.node_groups->anti_preferred}) {
      key.Add(*groups);
    }
  }
  key.Add(static_cast<int64_t>(queue.node_group_limits.size()));
  for (const NodeGroupLimit& limit : queue.node_group_limits) {
    key.Add(limit.group);
    AddMeant(limit.limit, key);
  }
  AddMeant(queue.rules, key);
  AddMeant(queue.users, key);
  AddMeant(queue.history, key);
  key.AddSorted(queue.settings);
  return key.Take();
}

std::string MeaningKey(const JobSpec& job) {
  Key key;
  key.Add(job.name);
  key.Add(job.queue);
  key.Add(int64_t{job.priority});
  key.Add(job.min_available);
  key.Add(static_cast<int64_t>(job.groups.size()));
  for (const GroupSpec& group : job.groups) {
    key.Add(group.name);
    key.Add(group.min_available);
    key.Add(MeaningKey(group.shape));
    key.Add(int64_t{group.priority.has_value()});
    key.Add(int64_t{group.priority.value_or(0)});
    AddMeant(group.by_count, key);
  }
  key.Add(static_cast<int64_t>(job.sub_groups.size()));
  for (const SubGroupSpec& sub_group : job.sub_groups) {
    key.Add(sub_group.name);
    key.Add(sub_group.policy);
    key.Add(sub_group.min_available);
    key.Add(sub_group.order);
    AddWish(sub_group.topology, key);
    AddMeant(sub_group.place, key);
  }
  key.Add(static_cast<int64_t>(job.sub_group_policies.size()));
  for (const SubGroupPolicy& policy : job.sub_group_policies) {
    key.Add(policy.name);
    key.Add(policy.min_sub_groups);
  }
  AddMeant(job.min_resources, key);
  key.Add(static_cast<int64_t>(job.phase));
  key.Add(job.preemptable);
  AddWish(job.topology, key);
  key.Add(job.created);
  key.Add(job.uid_rank);
  key.Add(job.estimate);
  key.Add(job.deadline);
  key.Add(job.waiting_time);
  key.Add(int64_t{job.group_topology.has_value()});
  if (job.group_topology) {
    key.Add(job.group_topology->together);
    key.Add(job.group_topology->apart);
    key.Add(job.group_topology->order);
  }
  key.Add(job.max_unavailable);
  key.Add(job.min_running);
  key.Add(job.bundle_strategy);
  AddMeant(job.owner, key);
  AddMeant(job.lifetime, key);
  AddMeant(job.admission, key);
  AddMeant(job.pod_group, key);
  AddMeant(job.gang, key);
  key.AddSorted(job.settings);
  return key.Take();
}

std::string MeaningKey(const DomainSpec& domain) {
  Key key;
  key.Add(domain.name);
  key.Add(domain.parent);
  key.Add(int64_t{domain.tier});
  key.Add(domain.tier_name);
  return key.Take();
}

std::string MeaningKey(const DisruptionBudgetSpec& budget) {
  Key key;
  key.Add(budget.name);
  key.Add(budget.name_space);
  key.Add(budget.selector);
  key.Add(budget.allowed);
  key.Add(budget.disrupted);
  return key.Take();
}

std::string MeaningKey(const NamespaceSpec& name_space) {
  Key key;
  key.Add(name_space.name);
  key.AddSorted(name_space.labels);
  key.Add(static_cast<int64_t>(name_space.quotas.size()));
  for (const QuotaSpec& quota : name_space.quotas) {
    key.Add(quota.name);
    AddMeant(quota.hard, key);
    AddMeant(quota.used, key);
  }
  key.Add(static_cast<int64_t>(name_space.bindings.size()));
  for (const QueueBindingSpec& binding : name_space.bindings) {
    key.Add(binding.name);
    key.Add(binding.queues);
    key.Add(binding.selector);
    AddMeant(binding.limit, key);
  }
  return key.Take();
}

std::string MeaningKey(const FlavorSpec& flavor) {
  Key key;
  key.Add(flavor.name);
  key.AddSorted(flavor.node_labels);
  AddMeant(flavor.taints, key);
  key.Add(flavor.tolerations);
  key.Add(int64_t{flavor.topology.has_value()});
  if (flavor.topology) {
    key.Add(flavor.topology->name);
    key.Add(flavor.topology->levels);
  }
  return key.Take();
}

std::string MeaningKey(const PartitionSpec& partition) {
  Key key;
  key.Add(partition.name);
  key.Add(partition.nodes);
  key.Add(partition.selector);
  key.Add(partition.queues);
  key.Add(int64_t{partition.exclusive});
  key.Add(partition.borrows);
  return key.Take();
}

std::string MeaningKey(const ReservationSpec& reservation) {
  Key key;
  key.Add(reservation.name);
  key.Add(reservation.node);
  key.Add(static_cast<int64_t>(reservation.phase));
  key.Add(MeaningKey(reservation.shape));
  key.Add(static_cast<int64_t>(reservation.owners.size()));
  for (const ReservationOwner& owner : reservation.owners) {
    key.Add(owner.task);
    key.Add(owner.job);
    key.Add(owner.name_space);
    key.Add(owner.selector);
  }
  key.Add(int64_t{reservation.allocate_once});
  key.Add(static_cast<int64_t>(reservation.policy));
  key.Add(reservation.restricted);
  key.Add(reservation.expires);
  AddMeant(reservation.allocated, key);
  key.Add(reservation.holders);
  AddMeant(reservation.taints, key);
  key.Add(int64_t{reservation.unschedulable});
  key.Add(reservation.order);
  key.Add(int64_t{reservation.priority});
  key.Add(reservation.created);
  return key.Take();
}

std::string MeaningKey(const Boxed<TaskUsage>& usage, const Boxed<Lifetime>& lifetime) {
  Key key;
  AddMeant(usage, key);
  AddMeant(lifetime, key);
  return key.Take();
}

}  // namespace muster
