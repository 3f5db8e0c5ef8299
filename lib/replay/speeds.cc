// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/speeds.h"

#include <algorithm>
#include <limits>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/strings.h"
#include "lib/replay/trace_parts.h"
#include "muster/quantity.h"

namespace muster {
namespace {

using Wide = absl::int128;

std::string_view ValueOf(const Labels& labels, std::string_view key) {
  for (const auto& [name, value] : labels) {
    if (name == key) return value;
  }
  return {};
}

int64_t WorkersOf(const TaskShape& shape) {
  for (const auto& [name, amount] : shape.request) {
    if (name != kGpu) continue;
    const absl::StatusOr<int64_t> gpus = ParseQuantity(amount.text, Unit::kMilli);
    return gpus.ok() ? std::clamp<int64_t>(*gpus / 1000, 1, int64_t{1} << 20) : 1;
  }
  return 1;
}

absl::Status SpeedRefusal(const SpeedRow& row, absl::string_view rule) {
  return absl::InvalidArgumentError(absl::StrCat("trace: speed of model ", Quote(row.model),
                                                 " on type ", Quote(row.type), ": ", rule));
}

}  // namespace

SpeedTable::SpeedTable(const std::vector<SpeedRow>& rows) {
  for (const SpeedRow& row : rows) Add(row);
}

bool SpeedTable::Add(const SpeedRow& row) {
  return models_[row.model][row.type].try_emplace(row.workers, row.speed).second;
}

std::vector<std::string> SpeedTable::Types(std::string_view model) const {
  std::vector<std::string> types;
  const auto found = models_.find(model);
  if (found == models_.end()) return types;
  for (const auto& [type, rows] : found->second) types.push_back(type);
  return types;
}

std::optional<int64_t> SpeedTable::Speed(std::string_view model, std::string_view type,
                                         int64_t workers) const {
  const auto of_model = models_.find(model);
  if (of_model == models_.end()) return std::nullopt;
  const auto rows = of_model->second.find(type);
  if (rows == of_model->second.end()) return std::nullopt;
  auto row = rows->second.upper_bound(workers);
  if (row != rows->second.begin()) --row;
  const Wide speed = Wide(row->second) * workers / row->first;
  return static_cast<int64_t>(std::clamp<Wide>(speed, 1, std::numeric_limits<int64_t>::max()));
}

int64_t SpeedTable::Fastest(std::string_view model, int64_t workers) const {
  int64_t fastest = 0;
  for (const std::string& type : Types(model)) {
    fastest = std::max(fastest, *Speed(model, type, workers));
  }
  return fastest;
}

int64_t SpeedTable::Slowest(std::string_view model, int64_t workers) const {
  int64_t slowest = 0;
  for (const std::string& type : Types(model)) {
    const int64_t speed = *Speed(model, type, workers);
    slowest = slowest == 0 ? speed : std::min(slowest, speed);
  }
  return slowest;
}

std::string SpeedText(int64_t speed) {
  std::string text = absl::StrFormat("%d.%06d", speed / kSpeedUnit, speed % kSpeedUnit);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

JobSpeeds::JobSpeeds(const Trace& trace) : trace_(trace), table_(trace.speeds) {
  for (const TaskShape& shape : trace.shapes) {
    const std::string_view model = ValueOf(shape.labels, kModelLabel);
    model_.emplace_back(table_.Types(model).empty() ? std::string_view() : model);
    workers_.push_back(WorkersOf(shape));
  }
  for (const NodeSpec& node : trace.machine.nodes) {
    type_of_node_.emplace_back(ValueOf(node.labels, kTypeLabel));
  }
}

int64_t JobSpeeds::Rate(uint32_t row, std::span<const uint32_t> nodes) const {
  const uint32_t shape = trace_.shape[row];
  const std::string& model = model_[shape];
  const auto running = static_cast<int64_t>(nodes.size());
  if (model.empty() || running == 0) return running;
  std::vector<std::string_view> types;
  for (const uint32_t node : nodes) {
    if (types.empty() || types.back() != type_of_node_[node]) types.push_back(type_of_node_[node]);
  }
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  const int64_t workers = running * workers_[shape];
  int64_t slowest = std::numeric_limits<int64_t>::max();
  for (const std::string_view type : types) {
    const std::optional<int64_t> speed = table_.Speed(model, type, workers);
    slowest = std::min(slowest, speed.value_or(table_.Slowest(model, workers)));
  }
  const int64_t tasks = trace_.tasks[row];
  const Wide rate =
      Wide(tasks * kFullRate) * slowest / table_.Fastest(model, tasks * workers_[shape]);
  return static_cast<int64_t>(std::clamp<Wide>(rate, 1, int64_t{1} << 60));
}

Labels JobSpeeds::Settings(uint32_t row) const {
  Labels settings;
  const uint32_t shape = trace_.shape[row];
  const std::string& model = model_[shape];
  if (model.empty()) return settings;
  for (const std::string& type : table_.Types(model)) {
    const int64_t speed = *table_.Speed(model, type, trace_.tasks[row] * workers_[shape]);
    settings.emplace_back(absl::StrCat("speed/", type), SpeedText(speed));
  }
  return settings;
}

Trace WithTypesOfModels(const Trace& trace) {
  Trace out = trace;
  const SpeedTable table(trace.speeds);
  for (TaskShape& shape : out.shapes) {
    const std::vector<std::string> types = table.Types(ValueOf(shape.labels, kModelLabel));
    if (types.empty()) continue;
    const Requirement of_type = {
        .key = std::string(kTypeLabel), .op = RequirementOp::kIn, .values = types};
    if (!shape.required_node_affinity) shape.required_node_affinity.emplace(1);
    for (NodeTerm& term : *shape.required_node_affinity) term.match_expressions.push_back(of_type);
  }
  return out;
}

absl::Status CheckSpeeds(const Trace& trace) {
  if (trace.speeds.empty()) return absl::OkStatus();
  if (trace.processors > 0) {
    return absl::InvalidArgumentError("trace: speeds need a machine of nodes");
  }
  SpeedTable known({});
  for (const SpeedRow& row : trace.speeds) {
    if (row.model.empty() || row.type.empty()) return SpeedRefusal(row, "a name is empty");
    if (!IsValidUtf8(row.model) || !IsValidUtf8(row.type)) {
      return SpeedRefusal(row, "a name is not UTF-8");
    }
    if (row.workers < 1) {
      return SpeedRefusal(row, absl::StrCat("workers is ", row.workers, "; must be 1 or more"));
    }
    if (row.speed < 1 || row.speed > kMostSpeed) {
      return SpeedRefusal(row, absl::StrCat("speed is ", row.speed, "; must be 1 to 10^12"));
    }
    if (!known.Add(row)) {
      return SpeedRefusal(row, absl::StrCat("there are two with ", row.workers, " workers"));
    }
  }
  for (size_t row = 0; row < trace.size(); ++row) {
    if (trace.run[row] == kEndless || trace.run[row] <= kMostWork / trace.tasks[row]) continue;
    return absl::InvalidArgumentError(absl::StrCat("job ", Quote(JobName(trace, row)),
                                                   ": run times tasks is above 2^43, the "
                                                   "most in a trace with speeds"));
  }
  return absl::OkStatus();
}

absl::Status RefuseSpeeds(const Trace& trace, std::string_view what) {
  if (trace.speeds.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "trace: ", ToAbsl(what), " needs run times that are equal everywhere; the trace has speeds"));
}

}  // namespace muster
