// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/capacity_settings.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/quantity_decimal.h"
#include "lib/base/strings.h"
#include "lib/model/settings.h"
#include "lib/peer/yarn/allocation_options.h"
#include "lib/peer/yarn/capacity_check.h"
#include "lib/peer/yarn/queue_paths.h"

namespace muster::yarn {
namespace {

constexpr std::string_view kCapacityProfile = "yarn-capacity";
constexpr double kMostPerAllocation = 1e9;
constexpr double kMasterPercent = 0.1;
constexpr double kMostApplications = 2147483647;
// Sums over the largest cluster stay within 64 bits.
constexpr int64_t kMostAmount = int64_t{1} << 35;
constexpr OptionDecl kCapacityOptions[] = {
    {"calculator", OptionKind::kChoice, "dominant", 0, 0,
     "dominant|memory: what limits and orders compare; the peer's default is memory, by which "
     "vcores count nowhere"},
    {"min_memory", OptionKind::kWhole, "1024", 1, kMostPerAllocation,
     "MiB; requests are rounded up to multiples of it"},
    {"min_vcores", OptionKind::kWhole, "1", 1, kMostPerAllocation, "the same of vcores"},
    {"max_memory", OptionKind::kWhole, "0", 0, kMostPerAllocation,
     "MiB; larger requests are refused; 0: what the largest node has"},
    {"max_vcores", OptionKind::kWhole, "0", 0, kMostPerAllocation, "the same of vcores"},
    {"multiple_assignments", OptionKind::kFlag, "on", 0, 0,
     "a node that reports may get several containers"},
    {"max_assignments", OptionKind::kWhole, "100", -1, 1e6, "of one report; -1: no limit"},
    {"max_off_switch", OptionKind::kWhole, "1", 1, 1e6,
     "containers of one report that no node or rack was requested for"},
    {"continue_looking", OptionKind::kFlag, "on", 0, 0,
     "an application with reservations may get room elsewhere"},
    {"node_locality_delay", OptionKind::kWhole, "40", -1, 1e9,
     "reports in vain, at most as many as there are nodes, after which a request goes to the racks "
     "of nodes that it prefers; -1: none"},
    {"rack_locality_additional_delay", OptionKind::kWhole, "-1", -1, 1e9,
     "further ones, after which it goes anywhere; -1: by how many it requests, and how many nodes "
     "and racks it prefers"},
    {"rack_locality_full_reset", OptionKind::kFlag, "on", 0, 0,
     "a container in a preferred rack ends the count, as one at a preferred node does"},
    {"max_applications", OptionKind::kWhole, "10000", 0, kMostApplications,
     "applications in the cluster; a leaf that sets no number has its part of them"},
    {"shared_labels", OptionKind::kText, "", 0, 0,
     "labels, between |, of which nodes also serve what requests no label; others are exclusive"},
    {"rounds", OptionKind::kWhole, "1000000", 1, 1e9,
     "of a whole cycle at most; in each, every node reports once"},
};

// "[memory=1024,vcores=2]"; absent: it is no such text.
std::optional<Resource> AmountOf(std::string_view text) {
  if (!text.starts_with("[") || !text.ends_with("]")) return std::nullopt;
  Resource amount;
  for (absl::string_view part : absl::StrSplit(ToAbsl(text.substr(1, text.size() - 2)), ',')) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    int64_t value = 0;
    if (!absl::SimpleAtoi(pair.second, &value) || value < 0 || value > kMostAmount) {
      return std::nullopt;
    }
    if (pair.first == "memory") {
      amount.memory = value;
    } else if (pair.first == "vcores") {
      amount.vcores = value;
    } else {
      return std::nullopt;
    }
  }
  return amount;
}

// A number from 0 to `most`; absent: it is none.
std::optional<float> NumberOf(std::string_view text, float most) {
  float value = 0;
  if (!absl::SimpleAtof(ToAbsl(text), &value) || !(value >= 0) || value > most) return std::nullopt;
  return value;
}

class TreeReader {
 public:
  TreeReader(const Tables& tables, PlacedQueues placed, CapacityTree* tree)
      : queues_(tables.queues), tree_(*tree), placed_(std::move(placed)) {
    tree_.queue_of_job = std::move(placed_.row_of_job);
    tree_.refusals = std::move(placed_.refusals);
    for (size_t p = 1; p < partitions(); ++p) {
      const std::string begin = absl::StrCat("accessible-node-labels.", names()[p], ".");
      keys_.push_back(
          {begin + "capacity", begin + "maximum-capacity", begin + "maximum-am-resource-percent"});
    }
  }

  absl::Status Read() {
    for (size_t i = 0; i < placed_.known(); ++i) {
      const QueuePath& row = placed_.rows[i];
      const bool is_row = row.queue != muster::kNone;
      absl::Status s = is_row ? Add(row, queues_.spec[row.queue]) : AddRoot();
      if (!s.ok()) return s;
      tree_.home_of.push_back(row.queue);
    }
    // What the root has is the cluster.
    tree_.settings.queues[0].partitions.assign(partitions(),
                                               {.is_accessible = true, .capacity = 1});
    const std::vector<QueuePath> known(
        placed_.rows.begin(), placed_.rows.begin() + static_cast<std::ptrdiff_t>(placed_.known()));
    if (absl::Status s = CheckCapacities(known, queues_, tree_.partitions.names, tree_.settings);
        !s.ok()) {
      return s;
    }
    return AddMade();
  }

 private:
  // Names of what a queue sets of one label.
  struct LabelKeys {
    std::string capacity, maximum, masters;
  };

  const std::vector<std::string>& names() const { return tree_.partitions.names; }
  size_t partitions() const { return names().size(); }

  absl::Status AddRoot() {
    QueueSettings queue{.path = "root"};
    queue.partitions.assign(partitions(), {.is_accessible = true});
    tree_.settings.queues.push_back(std::move(queue));
    return absl::OkStatus();
  }

  // Queues that are made for jobs. Those with weights lie beside queues with weights alone.
  absl::Status AddMade() {
    for (size_t i = placed_.known(); i < placed_.rows.size(); ++i) {
      const QueuePath& row = placed_.rows[i];
      if (absl::Status s = Add(row, placed_.made[i - placed_.known()]); !s.ok()) return s;
      tree_.home_of.push_back(tree_.home_of[row.parent]);
    }
    const std::vector<QueueSettings>& queues = tree_.settings.queues;
    for (size_t i = placed_.known(); i < placed_.rows.size(); ++i) {
      for (size_t known = 1; known < placed_.known(); ++known) {
        if (placed_.rows[known].parent != placed_.rows[i].parent) continue;
        if (queues[known].partitions[0].mode == queues[i].partitions[0].mode) continue;
        return absl::InvalidArgumentError(absl::StrCat(
            "queue ", Quote(queues_.spec[placed_.rows[known].queue].name),
            ": its capacity must be a weight, as queues are made beside it: ", queues[i].path));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Add(const QueuePath& row, const QueueSpec& spec) {
    QueueSettings queue{.path = row.path};
    SettingReader reader("queue", spec.name, spec.settings, kCapacityProfile);
    queue.priority = spec.priority;
    PartitionSettings all{.is_accessible = true, .mode = CapacityMode::kWeight};
    all.capacity = static_cast<float>(spec.weight);
    ReadCapacity("capacity", &reader, &all);
    ReadMaximum("maximum-capacity", &reader, &all);
    all.master_percent =
        static_cast<float>(reader.Number("maximum-am-resource-percent", 0, 1, kMasterPercent));
    if (row.path == "root") CheckRoot("capacity", "maximum-capacity", &reader);
    queue.partitions.push_back(all);
    ReadLabels(row, &reader, &queue);
    ReadUsers(spec, &reader, &queue);
    if (row.path == "root") tree_.settings.max_parallel_of_users = MaxParallelOf(spec);
    const std::string_view order =
        row.is_leaf ? reader.Choice("ordering-policy", {"fifo", "fair"}, "fifo")
                    : reader.Choice("ordering-policy", {"utilization", "priority-utilization"},
                                    "utilization");
    queue.is_fair = order == "fair";
    queue.size_based_weight = reader.Flag("ordering-policy.fair.enable-size-based-weight", false);
    queue.respects_priority = order == "priority-utilization";
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    queue.max_applications = reader.Integer("maximum-applications", 0, kMost, -1);
    queue.max_parallel = reader.Integer("max-parallel-apps", 1, kMost, kMost);
    if (reader.Text("disable_preemption")) {
      queue.disable_preemption = reader.Flag("disable_preemption", false);
    }
    constexpr const char* kIntra = "intra-queue-preemption.disable_preemption";
    if (reader.Text(kIntra)) queue.disable_intra_preemption = reader.Flag(kIntra, false);
    NameQueueSettings(row.path == "root", spec.settings, &reader);
    tree_.settings.queues.push_back(std::move(queue));
    return reader.Finish();
  }

  // The root has the cluster: it may set that, and nothing else.
  static void CheckRoot(std::string_view capacity, std::string_view maximum,
                        SettingReader* reader) {
    for (const std::string_view key : {capacity, maximum}) {
      const auto text = reader->Text(key);
      if (text && NumberOf(*text, 100) != 100.0F) {
        reader->Refuse(key, "must be 100, as the root has the cluster");
      }
    }
  }

  // Labels that the queue has access to, and its part of each.
  void ReadLabels(const QueuePath& row, SettingReader* reader, QueueSettings* queue) const {
    constexpr const char* kKey = "accessible-node-labels";
    const bool is_root = row.path == "root";
    const auto text = reader->Text(kKey);
    std::vector<std::string> own;
    if (text) own = LabelsIn(*text, ',');
    const bool has_all = (is_root && !text) || std::ranges::find(own, "*") != own.end();
    const auto is_above = [&](size_t p) {
      return is_root || tree_.settings.queues[row.parent].partitions[p].is_accessible;
    };
    for (const std::string& label : own) {
      if (label == "*" || std::ranges::find(names(), label) != names().end()) continue;
      return reader->Refuse(kKey, "must be labels of letters, digits, - and _, or *");
    }
    for (size_t p = 1; p < partitions(); ++p) {
      PartitionSettings part{.master_percent = queue->partitions[0].master_percent};
      const bool is_listed = has_all || std::ranges::find(own, names()[p]) != own.end();
      part.is_accessible = text ? is_listed : is_root || is_above(p);
      if (part.is_accessible && !is_above(p)) {
        reader->Refuse(kKey, "must be among the labels of the parent");
      }
      ReadLabel(keys_[p - 1], is_root, reader, &part);
      queue->partitions.push_back(part);
    }
  }

  static void ReadLabel(const LabelKeys& keys, bool is_root, SettingReader* reader,
                        PartitionSettings* part) {
    if (!part->is_accessible) {
      for (const std::string* key : {&keys.capacity, &keys.maximum, &keys.masters}) {
        if (reader->Text(*key)) {
          reader->Refuse(*key, "must not be set, as the queue has no access to the label");
        }
      }
      return;
    }
    ReadCapacity(keys.capacity, reader, part);
    ReadMaximum(keys.maximum, reader, part);
    part->master_percent = static_cast<float>(
        reader->Number(keys.masters, 0, 1, static_cast<double>(part->master_percent)));
    if (is_root) CheckRoot(keys.capacity, keys.maximum, reader);
  }

  static void ReadCapacity(std::string_view key, SettingReader* reader, PartitionSettings* all) {
    const auto text = reader->Text(key);
    if (!text) return;
    if (const auto amount = AmountOf(*text)) {
      all->mode = CapacityMode::kAbsolute;
      all->capacity = 0;
      all->amount = *amount;
    } else if (const auto weight = NumberOf(text->substr(0, text->size() - 1), 1e6F);
               weight && text->ends_with("w")) {
      all->mode = CapacityMode::kWeight;
      all->capacity = *weight;
    } else if (const auto percent = NumberOf(*text, 100)) {
      all->mode = CapacityMode::kPercent;
      all->capacity = *percent / 100;
    } else {
      reader->Refuse(key, "must be a percentage, a weight such as 3w, or [memory=MIB,vcores=N]");
    }
  }

  static void ReadMaximum(std::string_view key, SettingReader* reader, PartitionSettings* all) {
    const auto text = reader->Text(key);
    if (!text) return;
    const bool is_absolute = all->mode == CapacityMode::kAbsolute;
    if (const auto amount = AmountOf(*text); amount && is_absolute) {
      all->max_amount = *amount;
    } else if (const auto percent = NumberOf(*text, 100); percent && !is_absolute) {
      all->max_capacity = *percent / 100;
    } else {
      reader->Refuse(key, is_absolute ? "must be [memory=MIB,vcores=N], as the capacity is amounts"
                                      : "must be a percentage, as the capacity is no amounts");
    }
  }

  static void ReadUsers(const QueueSpec& spec, SettingReader* reader, QueueSettings* queue) {
    double percent = 100, factor = 1;
    if (spec.users) {
      if (spec.users->least_percent) percent = QuantityDecimal(spec.users->least_percent->text);
      if (spec.users->factor) factor = QuantityDecimal(spec.users->factor->text);
      queue->user_weights = WeightsOf(spec.users->limits);
    }
    queue->user_limit_percent = static_cast<float>(
        reader->Number("minimum-user-limit-percent", 0, 100, std::clamp(percent, 0.0, 100.0)));
    queue->user_limit_factor =
        static_cast<float>(reader->Number("user-limit-factor", -1, 1e6, factor));
  }

  static HashMap<std::string, int64_t> MaxParallelOf(const QueueSpec& root) {
    HashMap<std::string, int64_t> most;
    if (!root.users) return most;
    for (const UserLimit& limit : root.users->limits) {
      if (!limit.group && limit.max_jobs) most[limit.name] = *limit.max_jobs;
    }
    return most;
  }

  static std::vector<std::pair<std::string, float>> WeightsOf(
      const std::vector<UserLimit>& limits) {
    std::vector<std::pair<std::string, float>> weights;
    for (const UserLimit& limit : limits) {
      if (limit.group) continue;
      weights.emplace_back(limit.name, static_cast<float>(QuantityDecimal(limit.weight.text)));
    }
    return weights;
  }

  const QueueTable& queues_;
  CapacityTree& tree_;
  PlacedQueues placed_;
  std::vector<LabelKeys> keys_;  // by partition, without the default one
};

}  // namespace

std::span<const OptionDecl> CapacityOptionDecls() { return kCapacityOptions; }

void ReadHeartbeatOptions(const Options& options, CapacitySettings* settings) {
  settings->multiple_assignments = options.flag("multiple_assignments");
  settings->max_assignments = static_cast<int64_t>(options.number("max_assignments"));
  settings->max_off_switch = static_cast<int64_t>(options.number("max_off_switch"));
  settings->max_applications = static_cast<int64_t>(options.number("max_applications"));
  settings->continue_looking = options.flag("continue_looking");
  settings->node_locality_delay = static_cast<int64_t>(options.number("node_locality_delay"));
  settings->rack_locality_delay =
      static_cast<int64_t>(options.number("rack_locality_additional_delay"));
  settings->rack_locality_full_reset = options.flag("rack_locality_full_reset");
}

absl::StatusOr<CapacityTree> ReadCapacitySettings(const Tables& tables, const Options& options,
                                                  std::string_view action) {
  const auto whole = [&](std::string_view name) {
    return static_cast<int64_t>(options.number(name));
  };
  CapacityTree tree;
  CapacitySettings& settings = tree.settings;
  settings.calculator =
      options.text("calculator") == "memory" ? Calculator::kMemory : Calculator::kDominant;
  settings.min_allocation = {whole("min_memory"), whole("min_vcores")};
  settings.max_allocation = {whole("max_memory"), whole("max_vcores")};
  absl::StatusOr<std::vector<QueuePath>> rows = QueuePaths(tables.queues);
  for (const absl::Status& s :
       {CheckAllocations(action, settings.min_allocation, settings.max_allocation),
        rows.status()}) {
    if (!s.ok()) return s;
  }
  absl::StatusOr<Partitions> partitions = ReadPartitions(tables, options.text("shared_labels"));
  if (!partitions.ok()) return partitions.status();
  settings.exclusive_partitions = partitions->exclusive;
  tree.partitions = *std::move(partitions);
  absl::StatusOr<PlacedQueues> placed = PlaceJobs(tables, *std::move(rows));
  if (!placed.ok()) return placed.status();
  if (absl::Status s = TreeReader(tables, *std::move(placed), &tree).Read(); !s.ok()) return s;
  return tree;
}

}  // namespace muster::yarn
