// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The rules of nodes, queues, jobs, tasks and the rest that need only the spec itself.
#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/model/check_word.h"
#include "lib/model/cpu_devices.h"
#include "lib/model/tables.h"
#include "lib/model/validate.h"
#include "lib/model/words.h"
#include "muster/quantity.h"

namespace muster {
namespace {

// Scores add up over all tiers, whether there are domains of them or not.
constexpr int32_t kHighestTier = 1 << 16;
// Far more parts than any device is divided into.
constexpr int64_t kMostDeviceMilli = 1'000'000;
// As many as sets of zones have bits.
constexpr size_t kMostZones = 64;
// Of them all sets are looked at; kubelets refuse more than 8.
constexpr int kMostCpuZones = 16;
constexpr int64_t kFarthest = int64_t{1} << 40;

void CheckTopology(const std::optional<TopologyWish>& wish, Checker& check) {
  if (!wish) return;
  if (wish->highest_tier && *wish->highest_tier < 0) {
    check.Fail(absl::StrCat("highest_tier is ", *wish->highest_tier, "; must be 0 or more"));
  }
  check.Text("highest_tier_name", wish->highest_tier_name);
}

// The name of another row, which may be left out.
void CheckReference(const char* where, std::string_view name, Checker& check) {
  if (!name.empty()) check.Name(where, name);
}

void CheckGroupTopology(const GroupTopology& topology, Checker& check) {
  for (const auto* lists : {&topology.together, &topology.apart}) {
    for (const std::vector<std::string>& groups : *lists) {
      for (const std::string& group : groups) check.Text("group topology", group);
    }
  }
  for (const std::string& group : topology.order) check.Text("group topology", group);
}

int64_t AmountOf(std::string_view name, const Amounts& amounts) {
  for (const Amount& amount : amounts) {
    if (amount.name == name) return amount.value;
  }
  return 0;
}

bool IsZone(std::string_view name, const NodeSpec& node) {
  return std::ranges::find(node.zones, name, &ZoneSpec::name) != node.zones.end();
}

void CheckDistances(const ZoneSpec& zone, const NodeSpec& node, Checker& check) {
  std::vector<std::string_view> told;
  for (const auto& pair : zone.distances) {
    const std::string& to = pair.first;
    const auto fail = [&](auto... rule) {
      check.Fail("zone", zone.name, absl::StrCat("distance to zone ", Quote(to), rule...));
    };
    if (!IsZone(to, node)) fail(", which does not exist");
    if (std::ranges::find(told, to) != told.end()) fail(" is listed twice");
    if (pair.second < 0 || pair.second > kFarthest) {
      fail(" is ", pair.second, "; must be 0 to ", kFarthest);
    }
    told.push_back(to);
  }
}

void CheckZones(const NodeSpec& node, const Amounts& capacity, Checker& check) {
  if (node.zones.size() > kMostZones) {
    check.Fail(absl::StrCat("has ", node.zones.size(), " zones; must be ", kMostZones, " or less"));
    return;
  }
  Checker::Distinct zones(check, "zone");
  Amounts sums;
  for (const ZoneSpec& zone : node.zones) {
    check.Name("zone", zone.name);
    zones.Add(zone.name);
    CheckDistances(zone, node, check);
    const Amounts has = check.Resources("zone capacity", zone.capacity);
    for (const Amount& amount : has) {
      const auto sum = std::ranges::find(sums, amount.name, &Amount::name);
      if (sum == sums.end()) {
        sums.push_back(amount);
      } else {
        sum->value += amount.value;  // 64 times 2^53 at most
      }
    }
    if (!zone.available) continue;
    for (const Amount& amount : check.Resources("zone available", *zone.available)) {
      if (amount.value <= AmountOf(amount.name, has)) continue;
      check.Fail("zone available", amount.name,
                 absl::StrCat("is more than the capacity of zone ", Quote(zone.name)));
    }
  }
  for (const Amount& sum : sums) {
    if (sum.value <= AmountOf(sum.name, capacity)) continue;
    check.Fail("zone capacity", sum.name, "the zones have more together than the node");
  }
}

void CheckDevices(const NodeSpec& node, Checker& check) {
  Checker::Distinct devices(check, "device");
  uint64_t cpu_zones = 0;  // a bit each
  for (const DeviceSpec& device : node.devices) {
    check.Name("device", device.name);
    devices.Add(device.name);
    check.Text("device kind", device.kind);
    check.Text("device model", device.model);
    for (const std::string& link : device.links) check.Name("device link", link);
    if (device.milli < 0 || device.milli > kMostDeviceMilli) {
      const std::string rule =
          device.milli < 0 ? std::string("0 or more") : absl::StrCat(kMostDeviceMilli, " or less");
      check.Fail("device", device.name,
                 absl::StrCat("milli is ", device.milli, "; must be ", rule));
    }
    CheckDeviceMemory("device", device.name, device.memory, check);
    if (!device.zone.empty() && !IsZone(device.zone, node)) {
      check.Fail("device", device.name,
                 absl::StrCat("zone ", Quote(device.zone), " does not exist"));
    }
    if (device.kind != kCpuKind) continue;
    CpuDevice cpu;
    const std::string problem = ReadCpuDevice(node, device, &cpu);
    if (!problem.empty()) check.Fail("device", device.name, problem);
    cpu_zones |= uint64_t{1} << cpu.zone % 64;  // a node with more zones is refused anyway
  }
  if (std::popcount(cpu_zones) > kMostCpuZones) {
    check.Fail(absl::StrCat("has CPUs in ", std::popcount(cpu_zones), " zones; must be ",
                            kMostCpuZones, " or fewer"));
  }
}

void CheckSubGroups(const JobSpec& job, Checker& check) {
  Checker::Distinct policies(check, "sub-group policy");
  HashSet<absl::string_view> known;
  for (const SubGroupPolicy& policy : job.sub_group_policies) {
    known.insert(policy.name);
    check.Name("sub-group policy", policy.name);
    policies.Add(policy.name);
    if (policy.min_sub_groups < 0) {
      check.Fail("sub-group policy", policy.name,
                 absl::StrCat("min_sub_groups is ", policy.min_sub_groups, "; must be 0 or more"));
    }
  }
  Checker::Distinct names(check, "sub-group");
  for (const SubGroupSpec& sub_group : job.sub_groups) {
    check.Name("sub-group", sub_group.name);
    names.Add(sub_group.name);
    if (sub_group.min_available < 0) {
      check.Fail("sub-group", sub_group.name,
                 absl::StrCat("min_available is ", sub_group.min_available, "; must be 0 or more"));
    }
    if (!sub_group.policy.empty() && !known.contains(sub_group.policy)) {
      check.Fail("sub-group", sub_group.name,
                 absl::StrCat("sub-group policy ", Quote(sub_group.policy), " does not exist"));
    }
    CheckTopology(sub_group.topology, check);
  }
}

void CheckGroups(const JobSpec& job, Checker& check) {
  Checker::Distinct names(check, "group");
  for (const GroupSpec& group : job.groups) {
    if (!group.name.empty()) check.Name("group", group.name);
    names.Add(group.name);
    if (group.count < 0) {
      check.Fail("group", group.name,
                 absl::StrCat("count is ", group.count, "; must be 0 or more"));
    }
    if (group.count > kMaxRows) {
      check.Fail(
          "group", group.name,
          absl::StrCat("count is ", group.count, "; a cluster holds at most ", kMaxRows, " tasks"));
    }
    // "<job>-<group>-<nine digits at most>" must be a name again.
    if (group.count > 0 && job.name.size() + group.name.size() + 11 > kMaxNameBytes) {
      check.Fail("group", group.name, "the names of its tasks would be longer than 4096 bytes");
    }
    if (group.by_count) CheckByCount(group, check);
    if (group.min_available && *group.min_available < 0) {
      check.Fail("group", group.name,
                 absl::StrCat("min_available is ", *group.min_available, "; must be 0 or more"));
    }
  }
}

// A number, or a part in percent; empty: unset.
void CheckPart(const char* what, std::string_view text, Checker& check) {
  if (text.empty()) return;
  std::string_view digits = text;
  if (digits.back() == '%') digits.remove_suffix(1);
  const bool number = !digits.empty() && digits.size() <= 9 &&
                      digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (!number) {
    check.Fail(absl::StrCat(what, " is ", Quote(text), "; must be a number such as 2 or 30%"));
  }
}

void CheckNodeGroups(const QueueSpec& queue, Checker& check) {
  if (queue.node_groups) {
    const NodeGroupWish& wish = *queue.node_groups;
    for (const auto* groups :
         {&wish.required, &wish.preferred, &wish.anti_required, &wish.anti_preferred}) {
      for (const std::string& group : *groups) check.Text("node group", group);
    }
  }
  Checker::Distinct groups(check, "node group limit");
  for (const NodeGroupLimit& limit : queue.node_group_limits) {
    check.Text("node group limit", limit.group);
    groups.Add(limit.group);
    check.Resources("node group limit", limit.limit, Checker::Use::kCompared);
  }
}

}  // namespace

void CheckWait(const std::optional<int64_t>& until, std::string_view group, Checker& check) {
  check.Time("waits_until", until);
  check.Text("waiting group", group);
}

void CheckTaints(const std::vector<Taint>& taints, Checker& check) {
  for (const Taint& taint : taints) {
    check.Name("taint", taint.key);
    check.Text("taint", taint.value);
    CheckWord("taint", taint.key, taint.effect, check);
    check.OneOf("taint", taint.key, "effect", Word(taint.effect),
                {"NoSchedule", "PreferNoSchedule", "NoExecute"});
  }
}

void CheckNumber(const char* where, std::string_view what, const Quantity& quantity,
                 Checker& check) {
  const absl::StatusOr<int64_t> value = ParseQuantity(quantity.text, Unit::kMilli);
  if (!value.ok()) {
    check.Fail(where, what, value.status().message());
  } else if (*value < 0) {
    check.Fail(where, what, absl::StrCat("is ", quantity.text, "; must be 0 or more"));
  }
}

absl::StatusOr<NodeAmounts> CheckNode(const NodeSpec& node) {
  Checker check("node", node.name);
  check.Name(node.name);
  NodeAmounts amounts;
  amounts.capacity = check.Resources("capacity", node.capacity);
  amounts.allocatable =
      node.allocatable ? check.Resources("allocatable", *node.allocatable) : amounts.capacity;
  check.Labels("label", node.labels);
  check.Labels("setting", node.settings);
  CheckTaints(node.taints, check);
  CheckZones(node, amounts.capacity, check);
  CheckDevices(node, check);
  for (const ImageSpec& image : node.images) {
    for (const std::string& name : image.names) check.Name("image", name);
    if (image.size < 0) {
      check.Fail("image", image.names.empty() ? "" : image.names[0],
                 absl::StrCat("size is ", image.size, "; must be 0 or more"));
    }
  }
  if (node.usage) {
    CheckNumber("usage", "cpu", node.usage->cpu, check);
    CheckNumber("usage", "memory", node.usage->memory, check);
    check.Time("usage, measured", node.usage->measured);
    if (node.usage->detail) CheckUsageDetail(*node.usage->detail, check);
  }
  CheckWord(node.alignment, check);
  CheckWord(node.alignment_scope, check);
  check.Time("zones_measured", node.zones_measured);
  CheckReference("domain", node.domain, check);
  check.Text("shard", node.shard);
  if (!check.ok()) return check.status();
  return amounts;
}

absl::StatusOr<QueueAmounts> CheckQueue(const QueueSpec& queue) {
  Checker check("queue", queue.name);
  check.Name(queue.name);
  CheckReference("parent", queue.parent, check);
  check.AtLeast("weight", queue.weight, 0);
  CheckWord(queue.state, check);
  CheckWord(queue.job_order, check);
  check.Time("created", queue.created);
  const auto read = [&](const char* where, const std::optional<Resources>& resources) {
    return resources ? check.Resources(where, *resources, Checker::Use::kCompared) : Amounts();
  };
  QueueAmounts amounts;
  amounts.guaranteed = read("guaranteed", queue.guaranteed);
  amounts.deserved = read("deserved", queue.deserved);
  amounts.limit = read("limit", queue.limit);
  amounts.borrow_limit = read("borrow_limit", queue.borrow_limit);
  amounts.lend_limit = read("lend_limit", queue.lend_limit);
  for (const PathStep& step : queue.share_path) {
    check.Name("share path", step.name);
    CheckNumber("weight of share path", step.name, step.weight, check);
  }
  CheckNodeGroups(queue, check);
  if (queue.rules) CheckQueueRules(*queue.rules, check);
  if (queue.users) CheckUserRules(*queue.users, check);
  if (queue.history) CheckHistory(*queue.history, check);
  check.Labels("setting", queue.settings);
  if (!check.ok()) return check.status();
  return amounts;
}

absl::StatusOr<Amounts> CheckJob(const JobSpec& job) {
  Checker check("job", job.name);
  check.Name(job.name);
  check.Name("queue", job.queue);
  check.AtLeast("min_available", job.min_available, 0);
  CheckWord(job.phase, check);
  CheckWord(job.bundle_strategy, check);
  CheckGroups(job, check);
  CheckSubGroups(job, check);
  CheckTopology(job.topology, check);
  if (job.group_topology) CheckGroupTopology(*job.group_topology, check);
  Amounts amounts =
      job.min_resources ? check.Resources("min_resources", *job.min_resources) : Amounts();
  check.Time("created", job.created);
  check.Span("estimate", job.estimate);
  check.Time("deadline", job.deadline);
  check.Span("waiting_time", job.waiting_time);
  CheckPart("max_unavailable", job.max_unavailable, check);
  CheckPart("min_running", job.min_running, check);
  if (job.owner) CheckOwner(*job.owner, check);
  CheckGang(job, check);
  if (job.lifetime) CheckLifetime(*job.lifetime, check);
  CheckAdmission(job, check);
  check.Labels("setting", job.settings);
  if (!check.ok()) return check.status();
  return amounts;
}

absl::Status CheckTask(const TaskSpec& task) {
  Checker check("task", task.name);
  check.Name(task.name);
  CheckReference("job", task.job, check);
  CheckReference("group", task.group, check);
  CheckReference("sub-group", task.sub_group, check);
  CheckReference("node", task.node, check);
  CheckWord(task.status, check);
  if (task.job.empty() && !task.group.empty()) {
    check.Fail(absl::StrCat("group ", Quote(task.group), " without a job"));
  }
  if (task.job.empty() && !task.sub_group.empty()) {
    check.Fail(absl::StrCat("sub-group ", Quote(task.sub_group), " without a job"));
  }
  if (task.status == TaskStatus::kPlaced) check.Fail("status placed exists only inside a cycle");
  const std::string status(TaskStatusName(task.status));
  if (HoldsNode(task.status) && task.node.empty()) {
    check.Fail(absl::StrCat("status ", status, " needs a node"));
  }
  if (task.status == TaskStatus::kPending && !task.node.empty()) {
    check.Fail(
        absl::StrCat("status pending holds no node, but node ", Quote(task.node), " is given"));
  }
  if (!task.nominated_node.empty()) check.Name("nominated node", task.nominated_node);
  if (!task.devices.empty() && !HoldsNode(task.status)) {
    check.Fail(absl::StrCat("status ", status, " holds no node, but devices are given"));
  }
  check.Time("created", task.created);
  check.Time("started", task.started);
  check.Time("protected_until", task.protected_until);
  CheckWait(task.waits_until, task.waiting_group, check);
  check.Text("uid", task.uid);
  if (task.status != TaskStatus::kWaiting && (task.waits_until || !task.waiting_group.empty())) {
    check.Fail(absl::StrCat("waits_until and waiting_group are for status waiting, not ", status));
  }
  Checker::Distinct devices(check, "device");
  for (const DeviceHold& hold : task.devices) {
    check.Name("device", hold.device);
    devices.Add(hold.device);
    if (hold.milli < 1) {
      check.Fail("device", hold.device,
                 absl::StrCat("milli is ", hold.milli, "; must be 1 or more"));
    }
    CheckDeviceMemory("device", hold.device, hold.memory, check);
  }
  check.Text("priority class", task.priority_class);
  for (const std::string& gate : task.gates) check.Name("gate", gate);
  if (task.ordinal) check.AtLeast("ordinal", *task.ordinal, 0);
  if (task.usage) CheckTaskUsage(*task.usage, check);
  if (task.lifetime) CheckLifetime(*task.lifetime, check);
  return check.status();
}

absl::Status CheckDomain(const DomainSpec& domain) {
  Checker check("domain", domain.name);
  check.Name(domain.name);
  check.AtLeast("tier", domain.tier, 1);
  if (domain.tier > kHighestTier) {
    check.Fail(absl::StrCat("tier is ", domain.tier, "; must be ", kHighestTier, " or less"));
  }
  CheckReference("parent", domain.parent, check);
  check.Text("tier_name", domain.tier_name);
  return check.status();
}

absl::Status CheckBudget(const DisruptionBudgetSpec& budget) {
  Checker check("disruption budget", budget.name);
  check.Name(budget.name);
  check.Name("namespace", budget.name_space);
  if (budget.selector) CheckSelector(*budget.selector, "selector", check);
  check.AtLeast("allowed", budget.allowed, 0);
  for (const std::string& task : budget.disrupted) check.Text("disrupted", task);
  return check.status();
}

absl::Status CheckNamespace(const NamespaceSpec& name_space) {
  Checker check("namespace", name_space.name);
  check.Name(name_space.name);
  check.Labels("label", name_space.labels);
  Checker::Distinct quotas(check, "quota");
  for (const QuotaSpec& quota : name_space.quotas) {
    check.Name("quota", quota.name);
    quotas.Add(quota.name);
    check.Resources("hard", quota.hard);
    check.Resources("used", quota.used);
  }
  Checker::Distinct bindings(check, "binding");
  for (const QueueBindingSpec& binding : name_space.bindings) {
    check.Name("binding", binding.name);
    bindings.Add(binding.name);
    if (binding.queues.empty()) check.Fail("binding", binding.name, "names no queue");
    Checker::Distinct queues(check, "queue");
    for (const std::string& queue : binding.queues) {
      check.Name("queue", queue);
      queues.Add(queue);
    }
    CheckSelector(binding.selector, "selector", check);
    check.Resources("limit", binding.limit, Checker::Use::kCompared);
  }
  return check.status();
}

}  // namespace muster
