// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/row_settings.h"

#include <algorithm>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/model/settings.h"

namespace muster::armada {
namespace {

constexpr std::string_view kProfile = "armada";
// The weight of a queue with weight 0, as of the largest priority factor: the peer has no weight 0.
constexpr double kLeastWeight = 1e-9;
// Sums of a round stay below this, so that adding two of them cannot overflow.
constexpr int64_t kMostOfADimension = int64_t{1} << 61;

// Reads the limits of the round's pool behind those that are known, so they count before them.
// Returns the rule that an item breaks; empty: none.
std::string ParsePoolLimits(std::string_view text, const Config& config,
                            std::vector<ClassFraction>* limits) {
  for (const absl::string_view item : absl::StrSplit(ToAbsl(text), '+', absl::SkipEmpty())) {
    const size_t colon = item.find(':');
    if (colon == item.npos || colon > item.find('/')) {
      return absl::StrCat("\"", item, "\" must be POOL:CLASS/RESOURCE:FRACTION");
    }
    std::vector<ClassFraction> others;
    const absl::string_view pool = item.substr(0, colon), rest = item.substr(colon + 1);
    const std::string rule = ParseClassLimits(std::string_view(rest.data(), rest.size()), config,
                                              pool == config.pool ? limits : &others);
    if (!rule.empty()) return rule;
  }
  return {};
}

// Each node, and all tasks together, hold a part of what a round adds up.
absl::Status CheckSums(const muster::Tables& tables) {
  for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
    absl::int128 sum = 0;
    for (muster::NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
      if (tables.nodes.alive[n]) sum += OrZero(tables.nodes.allocatable.at(n, d));
    }
    for (ClassIndex c = 0; c < tables.classes.tasks.size(); ++c) {
      sum += absl::int128(OrZero(tables.classes.request.at(c, d))) * tables.classes.tasks[c];
    }
    if (sum <= kMostOfADimension) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("profile armada: nodes and tasks have more than ", kMostOfADimension,
                     " units of ", Quote(tables.dimensions.name(d)), "; must be less"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadNodeSettings(const NodeSpec& spec, NodeSettings* settings) {
  if (spec.settings.empty()) return absl::OkStatus();
  SettingReader reader("node", spec.name, spec.settings, kProfile);
  settings->pool = std::string(reader.Text("pool").value_or(""));
  settings->executor = std::string(reader.Text("executor").value_or(""));
  return reader.Finish();
}

absl::Status ReadQueueSettings(const QueueSpec& spec, const Config& config,
                               QueueSettings* settings) {
  SettingReader reader("queue", spec.name, spec.settings, kProfile);
  settings->weight = spec.weight > 0 ? static_cast<double>(spec.weight) : kLeastWeight;
  if (reader.Text("priority_factor")) {
    const double factor = reader.Number("priority_factor", -1e9, 1e9, 1);
    settings->weight = factor > 0 ? std::max(kLeastWeight, 1 / factor) : 1;
  }
  if (const auto text = reader.Text("class_limits")) {
    const std::string rule = ParseClassLimits(*text, config, &settings->class_limits);
    if (!rule.empty()) reader.Refuse("class_limits", rule);
  }
  if (const auto text = reader.Text("pool_class_limits")) {
    const std::string rule = ParsePoolLimits(*text, config, &settings->class_limits);
    if (!rule.empty()) reader.Refuse("pool_class_limits", rule);
  }
  return reader.Finish();
}

absl::Status ReadJobSettings(const JobSpec& spec, const Config& config, JobSettings* settings) {
  settings->priority_class = config.default_class;
  if (spec.settings.empty()) return absl::OkStatus();
  SettingReader reader("job", spec.name, spec.settings, kProfile);
  if (const auto name = reader.Text("class")) {
    const int found = config.FindClass(*name);
    if (found < 0) reader.Refuse("class", "must be a class of option classes of action round");
    settings->priority_class = found < 0 ? config.default_class : found;
  }
  settings->uniformity = std::string(reader.Text("uniformity").value_or(""));
  if (const auto pools = reader.Text("pools")) {
    settings->pools = absl::StrSplit(ToAbsl(*pools), '+');
  }
  settings->bid = reader.Number("bid", -1e15, 1e15, 0);
  settings->running_bid = reader.Number("running_bid", -1e15, 1e15, 0);
  return reader.Finish();
}

namespace {

absl::Status CheckNode(const muster::Tables& tables, muster::NodeIndex n) {
  NodeSettings settings;
  return tables.nodes.alive[n] ? ReadNodeSettings(tables.nodes.spec[n], &settings)
                               : absl::OkStatus();
}

// A queue without jobs takes no part, such as an inner one.
absl::Status CheckQueue(const muster::Tables& tables, const Config& config, QueueIndex q) {
  QueueSettings settings;
  if (!tables.queues.alive[q]) return absl::OkStatus();
  if (tables.queues.jobs[q] == 0 && tables.queues.spec[q].settings.empty()) return absl::OkStatus();
  return ReadQueueSettings(tables.queues.spec[q], config, &settings);
}

absl::Status CheckJob(const muster::Tables& tables, const Config& config, JobIndex j) {
  JobSettings settings;
  return tables.jobs.alive[j] ? ReadJobSettings(tables.jobs.spec[j], config, &settings)
                              : absl::OkStatus();
}

}  // namespace

absl::Status CheckRows(const muster::Tables& tables, const Config& config) {
  for (muster::NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (absl::Status s = CheckNode(tables, n); !s.ok()) return s;
  }
  for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
    if (absl::Status s = CheckQueue(tables, config, q); !s.ok()) return s;
  }
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    if (absl::Status s = CheckJob(tables, config, j); !s.ok()) return s;
  }
  return CheckSums(tables);
}

// A failure is that of the first wrong row, as if all were checked.
absl::Status CheckChangedRows(const muster::Tables& tables, const Config& config,
                              std::span<const Change> changes) {
  for (const Change& change : changes) {
    absl::Status s;
    if (change.table == Change::Table::kNode)
      s = CheckNode(tables, muster::NodeIndex(change.index));
    if (change.table == Change::Table::kQueue)
      s = CheckQueue(tables, config, QueueIndex(change.index));
    if (change.table == Change::Table::kJob) s = CheckJob(tables, config, JobIndex(change.index));
    if (!s.ok()) return CheckRows(tables, config);
  }
  return CheckSums(tables);
}

}  // namespace muster::armada
