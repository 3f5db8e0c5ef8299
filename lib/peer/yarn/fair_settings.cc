// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair_settings.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/model/settings.h"
#include "lib/peer/yarn/allocation_options.h"
#include "lib/peer/yarn/queue_paths.h"

namespace muster::yarn {
namespace {

constexpr std::string_view kFairProfile = "yarn-fair";
constexpr int64_t kMostFair = int64_t{1} << 31;  // of an allocation (fair/config.h)
constexpr double kMostFairNumber = static_cast<double>(kMostFair);
constexpr OptionDecl kFairOptions[] = {
    {"policy", OptionKind::kChoice, "fair", 0, 0,
     "fair|drf|fifo: of queues that set none; the peer's defaultQueueSchedulingPolicy"},
    {"min_memory", OptionKind::kWhole, "1024", 0, kMostFairNumber, "MiB; the least allocation"},
    {"min_vcores", OptionKind::kWhole, "1", 0, kMostFairNumber, "the same of vcores"},
    {"max_memory", OptionKind::kWhole, "0", 0, kMostFairNumber,
     "MiB; larger requests are refused; 0: what the largest node has"},
    {"max_vcores", OptionKind::kWhole, "0", 0, kMostFairNumber, "the same of vcores"},
    {"increment_memory", OptionKind::kWhole, "1024", 1, kMostFairNumber,
     "MiB; requests are rounded up to multiples of it"},
    {"increment_vcores", OptionKind::kWhole, "1", 1, kMostFairNumber, "the same of vcores"},
    {"assign_multiple", OptionKind::kFlag, "off", 0, 0,
     "a node that reports may give several containers"},
    {"dynamic_max_assign", OptionKind::kFlag, "on", 0, 0,
     "with assign_multiple: as many as half of what is free"},
    {"max_assign", OptionKind::kWhole, "-1", -1, 1e6,
     "with assign_multiple and without dynamic_max_assign: so many; -1: no limit"},
    {"node_locality_threshold", OptionKind::kNumber, "-1", -1, 1,
     "part of the nodes that report in vain before a request goes to the racks of nodes that it "
     "prefers; below 0, here or of racks: none wait"},
    {"rack_locality_threshold", OptionKind::kNumber, "-1", -1, 1,
     "the same from racks to anywhere"},
    {"reservation_threshold", OptionKind::kNumber, "2", 0, 1e6,
     "times increment; smaller requests reserve no node"},
    {"reservable_nodes", OptionKind::kNumber, "0.05", 0, 1,
     "part of the nodes, or of those of a rack, that an application may reserve"},
    {"size_based_weight", OptionKind::kFlag, "off", 0, 0,
     "applications weigh by what they request"},
    {"rounds", OptionKind::kWhole, "1000000", 1, 1e9,
     "of a whole cycle at most; in each, every node reports once"},
};

fair::Policy PolicyOf(std::string_view word) {
  return word == "drf"    ? fair::Policy::kDrf
         : word == "fifo" ? fair::Policy::kFifo
                          : fair::Policy::kFair;
}

void ReadAmount(SettingReader* reader, const char* key, Resource* amount,
                AmountInPercent* in_percent) {
  const auto text = reader->Text(key);
  if (!text || ReadFairAmount(*text, amount, in_percent)) return;
  reader->Refuse(key, in_percent == nullptr
                          ? "must be amounts such as \"4096 mb, 4 vcores\""
                          : "must be amounts such as \"4096 mb, 4 vcores\" or \"40%\"");
}

void ReadPreemption(SettingReader* reader, fair::QueueConfig* queue) {
  constexpr int64_t kMostSeconds = 1'000'000'000;
  const auto milliseconds = [&](const char* key, std::optional<int64_t>* time) {
    if (reader->Text(key)) *time = reader->Integer(key, 0, kMostSeconds, 0) * 1000;
  };
  milliseconds("minSharePreemptionTimeout", &queue->min_share_timeout);
  milliseconds("fairSharePreemptionTimeout", &queue->fair_share_timeout);
  constexpr const char* kThreshold = "fairSharePreemptionThreshold";
  if (reader->Text(kThreshold)) {
    queue->fair_share_threshold = static_cast<float>(reader->Number(kThreshold, 0, 1, 0));
  }
  queue->allow_preemption_from = reader->Flag("allowPreemptionFrom", true);
}

absl::Status ReadQueue(const QueueSpec& spec, std::string_view policy, FairTree* tree) {
  fair::QueueConfig* queue = &tree->queues.back();
  SettingReader reader("queue", spec.name, spec.settings, kFairProfile);
  queue->weight =
      static_cast<float>(reader.Number("weight", 0, 1e9, static_cast<double>(spec.weight)));
  ReadAmount(&reader, "minResources", &queue->min, nullptr);
  AmountInPercent part;
  ReadAmount(&reader, "maxResources", &queue->max, &part);
  if (part.memory || part.vcores) tree->in_percent.push_back({tree->queues.size() - 1, part});
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  queue->max_running_apps = reader.Integer("maxRunningApps", 0, kMost, kMost);
  if (queue->path == "root" && reader.Text("userMaxAppsDefault")) {
    tree->options.max_running_apps_per_user = reader.Integer("userMaxAppsDefault", 0, kMost, kMost);
  }
  queue->max_am_share = static_cast<float>(reader.Number("maxAMShare", -1, 1, 0.5));
  if (queue->max_am_share < 0 && queue->max_am_share != -1) {
    reader.Refuse("maxAMShare", "must be -1, or a number from 0 to 1");
  }
  ReadPreemption(&reader, queue);
  const bool may_be_fifo = queue->leaf;
  const std::string_view own = policy == "fifo" && !may_be_fifo ? "fair" : policy;
  queue->policy =
      PolicyOf(may_be_fifo ? reader.Choice("schedulingPolicy", {"fair", "drf", "fifo"}, own)
                           : reader.Choice("schedulingPolicy", {"fair", "drf"}, own));
  return reader.Finish();
}

absl::Status ReadMasters(const JobTable& jobs, std::vector<std::optional<GroupIndex>>* masters) {
  masters->resize(jobs.alive.size());
  for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
    if (!jobs.alive[j] || jobs.spec[j].settings.empty()) continue;
    SettingReader reader("job", jobs.spec[j].name, jobs.spec[j].settings, kFairProfile);
    if (const auto name = reader.Text("master")) {
      const auto found = std::ranges::find(jobs.groups[j], *name, &GroupRow::name);
      if (found == jobs.groups[j].end()) {
        reader.Refuse("master", "must be a group of the job");
      } else {
        (*masters)[j] = static_cast<GroupIndex>(found - jobs.groups[j].begin());
      }
    }
    if (absl::Status s = reader.Finish(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

fair::UserLimits ReadUserLimits(const QueueSpec& root) {
  fair::UserLimits limits;
  if (!root.users) return limits;
  for (const UserLimit& limit : root.users->limits) {
    if (!limit.group && limit.max_jobs) limits.emplace_back(limit.name, *limit.max_jobs);
  }
  return limits;
}

}  // namespace

std::span<const OptionDecl> FairOptionDecls() { return kFairOptions; }

void ResolveMaxima(const Resource& total, FairTree* tree) {
  for (const auto& [queue, part] : tree->in_percent) {
    Resource& most = tree->queues[queue].max;
    most = InWhole(part, total, most);
  }
}

void ReadFairHeartbeatOptions(const Options& options, fair::Options* core) {
  const auto part = [&](std::string_view name) { return static_cast<float>(options.number(name)); };
  core->reservation_threshold_multiple = part("reservation_threshold");
  core->reservable_nodes = part("reservable_nodes");
  core->assign_multiple = options.flag("assign_multiple");
  core->dynamic_max_assign = options.flag("dynamic_max_assign");
  core->max_assign = static_cast<int64_t>(options.number("max_assign"));
  core->node_locality_threshold = part("node_locality_threshold");
  core->rack_locality_threshold = part("rack_locality_threshold");
}

absl::StatusOr<FairTree> ReadFairSettings(const Tables& tables, const Options& options,
                                          std::string_view action) {
  const auto whole = [&](std::string_view name) {
    return static_cast<int64_t>(options.number(name));
  };
  FairTree tree;
  tree.options = {.min_allocation = {whole("min_memory"), whole("min_vcores")},
                  .max_allocation = {whole("max_memory"), whole("max_vcores")},
                  .increment = {whole("increment_memory"), whole("increment_vcores")},
                  .size_based_weight = options.flag("size_based_weight")};
  tree.queue_of.assign(tables.queues.alive.size(), std::numeric_limits<uint32_t>::max());
  const std::string policy = options.text("policy");
  const absl::StatusOr<std::vector<QueuePath>> rows = QueuePaths(tables.queues);
  for (const absl::Status& s :
       {CheckAllocations(action, tree.options.min_allocation, tree.options.max_allocation),
        CheckNoNodeSettings(tables.nodes, kFairProfile),
        ReadMasters(tables.jobs, &tree.master_of_job), rows.status()}) {
    if (!s.ok()) return s;
  }
  for (const QueuePath& row : *rows) {
    tree.queues.push_back({.path = row.path, .leaf = row.is_leaf});
    if (row.queue == muster::kNone) {
      tree.queues.back().policy = policy == "drf" ? fair::Policy::kDrf : fair::Policy::kFair;
    } else {
      const QueueSpec& spec = tables.queues.spec[row.queue];
      if (absl::Status s = ReadQueue(spec, policy, &tree); !s.ok()) return s;
      tree.queue_of[row.queue] = static_cast<uint32_t>(tree.queues.size() - 1);
      if (row.path == "root") tree.user_limits = ReadUserLimits(spec);
    }
  }
  for (const absl::Status& s : {fair::CheckOptions(tree.options), fair::CheckQueues(tree.queues),
                                fair::CheckPolicies(tree.queues)}) {
    if (!s.ok()) return s;
  }
  return tree;
}

}  // namespace muster::yarn
