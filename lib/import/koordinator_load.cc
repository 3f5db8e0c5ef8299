// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/koordinator_load.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/import/amounts.h"
#include "lib/import/koordinator_objects.h"
#include "lib/import/pod_groups.h"
#include "lib/kube/selectors.h"
#include "lib/model/memory_data.h"
#include "lib/peer/koordinator/colocation/bands.h"

namespace muster {
namespace {

constexpr std::string_view kEvictionCost = "scheduling.koordinator.sh/eviction-cost";
constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::string_view kEvictMark = "descheduler.alpha.kubernetes.io/evict";
constexpr std::string_view kPassedMark = "descheduler.koordinator.sh/passed-arbitration";
constexpr int64_t kLongAgo = -1'000'000'000;
constexpr std::string_view kUsageThresholds = "scheduling.koordinator.sh/usage-thresholds";
constexpr std::string_view kRawAllocatable = "node.koordinator.sh/raw-allocatable";
constexpr std::string_view kBandOfPod = "koordinator.sh/priority-class";
constexpr std::string_view kMeasuredAs = "koordinator/measured-as";
constexpr std::string_view kMigrationSlot = "koordinator-migrations";

Resources AmountsIn(const Field& holder) {
  return ToResources(ReadAmounts(holder.Section("resources")));
}

// The part of the capacity that is used, in percent; 0 without a capacity.
Quantity PercentUsed(const Resources& used, const Resources& capacity, std::string_view name) {
  std::optional<ExactAmount> amount, has;
  for (const auto& [key, text] : used) {
    if (key == name) amount = ParseAmount(text.text);
  }
  for (const auto& [key, text] : capacity) {
    if (key == name) has = ParseAmount(text.text);
  }
  // Millionths are fine enough, and leave room for the product.
  if (!amount || !has || *has < 1000) return 0;
  const ExactAmount percent = *amount / 1000 * 100 * kAmountUnit / (*has / 1000);
  return ToQuantity("percent", std::min(percent, ExactAmount(1'000'000) * kAmountUnit));
}

std::vector<UsageWindow> ReadWindows(const Field& metric) {
  std::vector<UsageWindow> windows;
  for (const Field& item : metric.Items("aggregatedNodeUsages")) {
    UsageWindow window{.seconds = item.Duration("duration", kMinQuantity).value_or(0)};
    const Field usage = item.Section("usage");
    for (const auto& [key, amounts] :
         {std::pair("avg", &window.average), std::pair("p50", &window.p50),
          std::pair("p90", &window.p90), std::pair("p95", &window.p95),
          std::pair("p99", &window.p99)}) {
      *amounts = AmountsIn(usage.Section(key));
    }
    const bool is_new =
        std::ranges::find(windows, window.seconds, &UsageWindow::seconds) == windows.end();
    if (window.seconds > 0 && is_new) {
      windows.push_back(std::move(window));
    } else {
      item.Ignored("a window has a length of its own, of a second or more");
    }
  }
  return windows;
}

void SetSetting(std::string_view key, std::string_view value, Labels* settings) {
  const std::string name = absl::StrCat("koordinator/", ToAbsl(key));
  for (auto& [old, text] : *settings) {
    if (old == name) text = std::string(value);
  }
  if (std::ranges::find(*settings, name, &Labels::value_type::first) != settings->end()) return;
  settings->emplace_back(name, std::string(value));
}

// A pod that may be of production (its class of service tells where its band does not) and was
// measured as of no band, or as of another, has a label that tells so.
void ReadMeasuredBand(const Field& pod, TaskSpec* task) {
  using koordinator::Band;
  // Of two metrics that list the pod the last one counts.
  std::erase_if(task->shape.labels, [](const auto& label) { return label.first == kMeasuredAs; });
  const std::string measured = pod.Text("priority");
  if (koordinator::BandByName(measured) == Band::kProduction) return;
  koordinator::BandMarks marks{.priority = task->priority};
  if (const std::string* own = FindLabel(task->shape.labels, kBandOfPod)) marks.label = *own;
  const Band band = koordinator::BandOf(marks, koordinator::Service::kNone);
  if (band != Band::kProduction && band != Band::kNone) return;
  task->shape.labels.emplace_back(kMeasuredAs, measured.empty() ? "none" : measured);
}

// Percentages of cpu and memory; one that is missing is 0.
void SetThresholds(const Field& thresholds, std::string_view prefix, Labels* settings) {
  for (const std::string_view name : {"cpu", "memory"}) {
    const int64_t percent = thresholds.Int64(name, 0);
    if (percent < 0 || percent > 100) {
      thresholds[name].Ignored("is not from 0 to 100; the nearest of these counts");
    }
    SetSetting(absl::StrCat(ToAbsl(prefix), ToAbsl(name), "_threshold"),
               absl::StrCat(std::clamp<int64_t>(percent, 0, 100)), settings);
  }
}

void ReadUsageThresholds(const Field& marks, Labels* settings) {
  for (const auto& [key, prefix] :
       {std::pair("usageThresholds", ""), std::pair("prodUsageThresholds", "production_")}) {
    const Field thresholds = marks.Section(key);
    if (thresholds.truthy()) SetThresholds(thresholds, prefix, settings);
  }
  const Field aggregated = marks.Section("aggregatedUsage");
  const std::optional<LoadStatistic> statistic =
      ReadLoadStatistic(aggregated, "usageAggregationType", "usageAggregatedDuration");
  const Field thresholds = aggregated.Section("usageThresholds");
  if (!statistic || !thresholds.truthy()) return;
  SetThresholds(thresholds, "statistic_", settings);
  // Those that are all 0 hold at the peer in place of those of use all the same.
  if (thresholds.Int64("cpu", 0) <= 0 && thresholds.Int64("memory", 0) <= 0) {
    SetSetting("cpu_threshold", "0", settings);
    SetSetting("memory_threshold", "0", settings);
  }
  SetSetting("load_statistic", statistic->name, settings);
  if (statistic->seconds > 0) SetSetting("load_window", absl::StrCat(statistic->seconds), settings);
}

void SetReclaimable(const Resources& amounts, NodeSpec* node) {
  for (const auto& [name, amount] : amounts) {
    if (name != "cpu" && name != "memory") continue;
    SetSetting(absl::StrCat("reclaimable_", name), amount.text, &node->settings);
  }
}

bool HasVolume(const ApiObject& pod, std::initializer_list<std::string_view> kinds) {
  for (const Field& volume : pod.spec().Items("volumes")) {
    for (const std::string_view kind : kinds) {
      if (volume[kind].given()) return true;
    }
  }
  return false;
}

// The owner that controls the pod, or else the first.
std::optional<Field> OwnerOf(const ApiObject& pod) {
  std::optional<Field> found;
  for (const Field& owner : pod.metadata().Items("ownerReferences")) {
    if (owner.Bool("controller", false)) return owner;
    if (!found) found = owner;
  }
  return found;
}

void ReadCost(const ApiObject& pod, std::string_view annotation, std::string_view setting,
              Labels* settings) {
  const std::string* text = pod.Annotation(annotation);
  if (text == nullptr) return;
  const std::optional<int64_t> cost = WholeNumber(*text);
  if (cost.has_value() && *cost >= -2147483647 && *cost <= 2147483647) {
    SetSetting(setting, absl::StrCat(*cost), settings);
    return;
  }
  pod.log()->Ignored(pod.place(), absl::StrCat("metadata.annotations", JsonPathStep(annotation)),
                     absl::StrCat(Quote(*text), " is no cost"));
}

}  // namespace

std::optional<LoadStatistic> ReadLoadStatistic(const Field& aggregated, std::string_view type,
                                               std::string_view duration) {
  constexpr std::string_view kStatistics[] = {"avg", "p50", "p90", "p95", "p99"};
  const std::string name = KnownWord(aggregated[type], kStatistics);
  const int64_t seconds = aggregated.Duration(duration).value_or(0);
  if (std::ranges::find(kStatistics, name) == std::end(kStatistics)) return std::nullopt;
  return LoadStatistic{name, std::clamp<int64_t>(seconds, 0, 1'000'000'000)};
}

void ReadNodeMetrics(const Dump& dump, int64_t now, ClusterSpec* cluster) {
  HashMap<std::string, size_t> nodes, tasks;
  for (size_t i = 0; i < cluster->nodes.size(); ++i) nodes[cluster->nodes[i].name] = i;
  for (size_t i = 0; i < cluster->tasks.size(); ++i) tasks[cluster->tasks[i].name] = i;
  for (const ApiObject* object : dump.OfKind("NodeMetric")) {
    const auto found = nodes.find(object->name());
    if (found == nodes.end()) {
      object->log()->LeftOut(object->place(), "metadata.name", "is no node that is there");
      continue;
    }
    NodeSpec& node = cluster->nodes[found->second];
    const Field status = object->status(), metric = status.Section("nodeMetric");
    if (!metric.given()) {
      object->log()->Note(object->place(), "status.nodeMetric",
                          "has no measurement, which is one of long ago");
      node.usage = NodeUsage{.measured = kLongAgo};
      continue;
    }
    const int64_t measured = status.Seconds("updateTime");
    if (now > 0 && measured > now) {
      object->log()->Note(object->place(), "status.updateTime",
                          absl::StrCat("is ", measured - now, " s after the time of the scenario; ",
                                       "the measurement counts as new"));
    }
    UsageDetail detail;
    detail.amounts = AmountsIn(metric.Section("nodeUsage"));
    detail.system = AmountsIn(metric.Section("systemUsage"));
    detail.windows = ReadWindows(metric);
    const int64_t interval =
        object->spec().Section("metricCollectPolicy").Int64("reportIntervalSeconds", 0);
    if (interval > 0) detail.interval = interval;
    node.usage = NodeUsage{.cpu = PercentUsed(detail.amounts, node.capacity, "cpu"),
                           .memory = PercentUsed(detail.amounts, node.capacity, "memory"),
                           .measured = measured};
    node.usage->detail = std::move(detail);
    SetReclaimable(AmountsIn(status.Section("prodReclaimableMetric").Section("resource")), &node);
    for (const Field& pod : status.Items("podsMetric")) {
      const auto task = tasks.find(absl::StrCat(pod.Text("namespace"), "/", pod.Text("name")));
      if (task == tasks.end()) continue;  // it has ended since
      cluster->tasks[task->second].usage =
          TaskUsage{.amounts = AmountsIn(pod.Section("podUsage")), .measured = measured};
      ReadMeasuredBand(pod, &cluster->tasks[task->second]);
    }
  }
}

void ReadNodeLoadMarks(const Dump& dump, ClusterSpec* cluster) {
  HashMap<std::string, size_t> nodes;
  for (size_t i = 0; i < cluster->nodes.size(); ++i) nodes[cluster->nodes[i].name] = i;
  for (const ApiObject* object : dump.OfKind("Node")) {
    const auto found = nodes.find(object->name());
    if (found == nodes.end()) continue;
    Labels* const settings = &cluster->nodes[found->second].settings;
    WithWishes(*object, kUsageThresholds,
               [&](const Field& marks) { ReadUsageThresholds(marks, settings); });
    WithAnnotation(*object, kRawAllocatable, [&](const Field& amounts) {
      for (const auto& [name, amount] : ToResources(ReadAmounts(amounts))) {
        if (name != "cpu" && name != "memory") continue;
        SetSetting(absl::StrCat("raw_", name), amount.text, settings);
      }
    });
  }
}

void ReadNodeSlos(const Dump& dump, ClusterSpec* cluster) {
  HashMap<std::string, size_t> nodes;
  for (size_t i = 0; i < cluster->nodes.size(); ++i) nodes[cluster->nodes[i].name] = i;
  constexpr std::pair<std::string_view, std::string_view> kThresholds[] = {
      {"cpuSuppressThresholdPercent", "suppress"},
      {"cpuSuppressMinPercent", "suppress_least"},
      {"cpuEvictBESatisfactionLowerPercent", "satisfaction_low"},
      {"cpuEvictBESatisfactionUpperPercent", "satisfaction_high"},
      {"cpuEvictBEUsageThresholdPercent", "busy"},
      {"cpuEvictThresholdPercent", "cpu_evict"},
      {"cpuEvictLowerPercent", "cpu_evict_low"},
      {"evictEnabledPriorityThreshold", "cpu_evict_priority"},
      {"memoryEvictThresholdPercent", "memory_evict"},
      {"memoryEvictLowerPercent", "memory_evict_low"}};
  for (const ApiObject* object : dump.OfKind("NodeSLO")) {
    const auto found = nodes.find(object->name());
    if (found == nodes.end()) {
      object->log()->LeftOut(object->place(), "metadata.name", "is no node that is there");
      continue;
    }
    Labels* const settings = &cluster->nodes[found->second].settings;
    const Field strategy = object->spec().Section("resourceUsedThresholdWithBE");
    if (!strategy.Bool("enable", false)) {
      SetSetting("memory_evict", "-1", settings);
      SetSetting("satisfaction_low", "0", settings);
      SetSetting("cpu_evict", "-1", settings);
      continue;
    }
    for (const auto& [field, setting] : kThresholds) {
      if (!strategy[field].given()) continue;
      SetSetting(setting, absl::StrCat(strategy.Int64(field, 0)), settings);
    }
    const bool is_allocatable = strategy["cpuEvictPolicy"].Is("evictByAllocatable");
    if (is_allocatable) SetSetting("limit", "allocatable", settings);
  }
}

void ReadWorkloads(const Dump::Objects& pods, ClusterSpec* cluster) {
  HashMap<std::string, size_t> jobs;
  for (size_t i = 0; i < cluster->jobs.size(); ++i) jobs[cluster->jobs[i].name] = i;
  HashSet<std::string> known;
  for (size_t i = 0; i < pods.size(); ++i) {
    const ApiObject& pod = *pods[i];
    const auto job = jobs.find(cluster->tasks[i].job);
    if (job == jobs.end() || !known.insert(cluster->tasks[i].job).second) continue;
    Labels* const settings = &cluster->jobs[job->second].settings;
    const std::optional<Field> owner = OwnerOf(pod);
    SetSetting("owner_kind", owner ? owner->Text("kind", "none") : "none", settings);
    if (owner) {
      SetSetting("owner", absl::StrCat(pod.name_space(), "/", owner->Text("name")), settings);
    }
    ReadCost(pod, kDeletionCost, "deletion_cost", settings);
    ReadCost(pod, kEvictionCost, "eviction_cost", settings);
    const std::string* mark = pod.Annotation(kEvictMark);
    if (mark != nullptr) SetSetting("evict", "true", settings);
    if (HasVolume(pod, {"emptyDir", "hostPath"})) SetSetting("local_data", "true", settings);
    if (HasVolume(pod, {"persistentVolumeClaim"})) SetSetting("claims", "true", settings);
  }
}

void ReadMigrationJobs(const Dump& dump, Scenario* scenario) {
  HashMap<std::string, const TaskSpec*> tasks;
  for (const TaskSpec& task : scenario->cluster.tasks) tasks[task.name] = &task;
  MemorySlot slot;
  for (const ApiObject* object : SortedByName(dump.OfKind("PodMigrationJob"))) {
    const Field pod = object->spec().Section("podRef");
    const std::string key = absl::StrCat(pod.Text("namespace"), "/", pod.Text("name"));
    const std::string phase = object->status().Text("phase", "Pending");
    if (phase == "Succeeded" || phase == "Failed" || phase == "Aborted") continue;
    const auto task = tasks.find(key);
    if (task == tasks.end() || task->second->node.empty()) {
      object->log()->LeftOut(object->place(), "spec.podRef", "is no pod that runs");
      continue;
    }
    const bool runs = phase == "Running";
    const std::string* mark = object->Annotation(kPassedMark);
    const bool has_passed = runs || (mark != nullptr && *mark == "true");
    const bool leaves = task->second->status == TaskStatus::kReleasing;
    // The place that the migration has found is looked for anew unless the pod is leaving for it.
    const std::string to = leaves ? object->status().Text("nodeName") : "";
    slot.Set(key, {object->created(), int64_t{0}, int64_t{runs || leaves}, int64_t{has_passed},
                   int64_t{!to.empty()}, int64_t{leaves}, int64_t{0}, task->second->node, to,
                   task->second->uid});
  }
  if (slot.empty()) return;
  internal::MemoryData data;
  if (const internal::MemoryData* known = internal::DataOf(scenario->memory)) data = *known;
  data.slots[std::string(kMigrationSlot)].rows = internal::SharedRows(std::move(slot));
  scenario->memory = internal::MakeMemory(std::move(data));
}

}  // namespace muster
