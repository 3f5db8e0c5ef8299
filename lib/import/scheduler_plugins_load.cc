// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What becomes usage and settings of nodes: metrics of the load-aware plug-ins (Trimaran), models
// of power, and marks.
//
// Metrics are what load-watcher serves, in an object of kind WatcherMetrics. Averages of cpu and
// memory, or else the latest values, become the usage of nodes, and standard deviations their
// settings. The window ends when they were measured. Of several objects the last window counts.
#include <optional>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/amounts.h"
#include "lib/import/scheduler_plugins.h"
#include "lib/import/times.h"

namespace muster::scheduler_plugins_import {
namespace {

HashMap<std::string, NodeSpec*> ByName(std::vector<NodeSpec>* nodes) {
  HashMap<std::string, NodeSpec*> by_name;
  for (NodeSpec& node : *nodes) by_name.try_emplace(node.name, &node);
  return by_name;
}

// Values of cpu or memory, in percent.
struct Values {
  std::optional<Field> average, other, deviation;
};

// Returns whether the value is a percentage; reports others.
bool IsPercent(const Field& value) {
  double number = 0;
  if (absl::SimpleAtod(value.ScalarText(), &number) && number >= 0 && number <= 1e6) return true;
  value.Ignored("is no number from 0 to 1000000");
  return false;
}

// As the plug-ins take them: an average goes before the latest value, and the last of each counts.
void ReadMetric(const Field& metric, Values* cpu, Values* memory) {
  const std::string type = metric.Text("type"), kind = metric.Text("operator");
  Values* const values = type == "CPU" ? cpu : (type == "Memory" ? memory : nullptr);
  if (values == nullptr) return;
  metric.Quiet({"name", "rollup"});
  std::optional<Field>* const place = kind == "AVG"                      ? &values->average
                                      : kind == "STD"                    ? &values->deviation
                                      : kind == "Latest" || kind.empty() ? &values->other
                                                                         : nullptr;
  if (place == nullptr) {
    return metric["operator"].Ignored(absl::StrCat(Quote(kind), " is none of AVG, STD, Latest"));
  }
  if (IsPercent(metric["value"])) place->emplace(metric["value"]);
}

void ReadNodeLoad(const Field& metrics, int64_t measured, NodeSpec* node) {
  Values cpu, memory;
  for (const Field& metric : metrics.Items("metrics")) ReadMetric(metric, &cpu, &memory);
  metrics.Quiet({"tags", "metadata"});
  NodeUsage& usage = node->usage.emplace();
  usage.measured = measured;
  const auto set = [&](const char* name, const Values& values, Quantity* mean) {
    const std::optional<Field>& measured_mean = values.average ? values.average : values.other;
    if (measured_mean) {
      *mean = ToQuantity("percent", ReadAmount(*measured_mean));
    } else {
      metrics.Ignored(absl::StrCat("has no mean of ", name, "; it counts as 0"));
    }
    if (!values.deviation) return;
    node->settings.emplace_back(absl::StrCat("scheduler-plugins/", name, "_deviation"),
                                values.deviation->ScalarText());
  };
  set("cpu", cpu, &usage.cpu);
  set("memory", memory, &usage.memory);
}

}  // namespace

void ReadLoads(const Dump& dump, std::vector<NodeSpec>* nodes) {
  const ApiObject* last = nullptr;
  const auto end_of = [](const ApiObject& object) {
    return object.root().Section("window").Int64("end", 0);
  };
  for (const ApiObject* object : dump.OfKind("WatcherMetrics")) {
    if (last == nullptr || end_of(*object) > end_of(*last)) last = object;
  }
  if (last == nullptr) return;
  for (const ApiObject* object : dump.OfKind("WatcherMetrics")) {
    if (object != last) object->log()->LeftOut(object->place(), "", "a later window counts");
  }
  const HashMap<std::string, NodeSpec*> by_name = ByName(nodes);
  last->root().Quiet({"timestamp", "source"});
  last->root().Section("window").Quiet({"duration", "start"});
  for (const Field& metrics : last->root().Section("data").Section("NodeMetricsMap").Children()) {
    const auto node = by_name.find(std::string(metrics.key()));
    if (node == by_name.end()) {
      metrics.Ignored("the node is not there");
    } else {
      ReadNodeLoad(metrics, end_of(*last), node->second);
    }
  }
}

namespace {

constexpr char kSetting[] = "scheduler-plugins/";
constexpr std::string_view kLayout = "2006-01-02T15:04:05Z07:00";  // RFC 3339, as Go has it

// The text of a mark as a number; absent where it is none, which is no mark to the plug-in.
std::optional<std::string> MarkOf(const std::string& text, bool is_time) {
  if (!is_time) {
    if (!scheduler_plugins::NumberMark(text, /*lowest=*/false)) return std::nullopt;
    return text;
  }
  const std::optional<int64_t> seconds = ParseTime(text);
  return seconds ? std::optional<std::string>(absl::StrCat(*seconds)) : std::nullopt;
}

}  // namespace

void ReadPower(const ImportSource& source, std::vector<NodeSpec>* nodes) {
  const std::optional<Field> arguments = ArgumentsOf(source.configuration, "Peaks");
  if (!arguments) return;
  const HashMap<std::string, NodeSpec*> by_name = ByName(nodes);
  const Field models = arguments->Section("nodePowerModel");
  for (const Field& model : models.Children()) {
    const auto node = by_name.find(std::string(model.key()));
    if (node == by_name.end()) {
      model.Ignored("the node is not there");
      continue;
    }
    models.Section(model.key()).Quiet({"k0"});
    for (const char* key : {"k1", "k2"}) {
      const Field value = model[key];
      if (!value.given()) continue;
      double number = 0;
      if (!absl::SimpleAtod(value.ScalarText(), &number)) {
        value.RefuseKind("a number");
      } else {
        node->second->settings.emplace_back(absl::StrCat(kSetting, "power_", key),
                                            value.ScalarText());
      }
    }
  }
}

void ReadMarks(const ImportSource& source, std::vector<NodeSpec>* nodes) {
  const std::optional<Field> arguments = ArgumentsOf(source.configuration, "NodeMetadata");
  if (!arguments) return;
  const scheduler_plugins::MarkSettings marks = MarkSettingsOf(*arguments);
  const bool is_time = marks.type == "Timestamp", is_label = marks.source == "Label";
  if (const Field layout = (*arguments)["timestampFormat"];
      layout.given() && is_time && !layout.Is(kLayout)) {
    return layout.Ignored(
        absl::StrCat("times are read as ", ToAbsl(kLayout), " alone; nodes have no marks"));
  }
  if (is_label && !is_time) return;
  const HashMap<std::string, NodeSpec*> by_name = ByName(nodes);
  for (const ApiObject* object : source.dump.OfKind("Node")) {
    const std::string* text = is_label ? object->Label(marks.key) : object->Annotation(marks.key);
    const auto node = by_name.find(object->name());
    if (text == nullptr || node == by_name.end()) continue;
    if (const std::optional<std::string> mark = MarkOf(*text, is_time)) {
      node->second->settings.emplace_back(absl::StrCat(kSetting, "mark"), *mark);
    } else {
      object->log()->Ignored(object->place(), "metadata",
                             absl::StrCat(Quote(marks.key), " is ", Quote(*text), ", no ",
                                          is_time ? "time" : "number", "; the node has no mark"));
    }
  }
}

}  // namespace muster::scheduler_plugins_import
