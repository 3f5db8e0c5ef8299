// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Plug-ins of scheduler-plugins in a KubeSchedulerConfiguration. A configuration switches on what
// it enables, and nothing else; the profile's own defaults stand where there is none. Arguments
// become the options of the plug-ins. What the peer refuses is refused in its words.
#include <array>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/import/amounts.h"
#include "lib/import/scheduler_plugins.h"
#include "muster/quantity.h"

namespace muster::scheduler_plugins_import {
namespace {

using P = PluginPoint;

constexpr std::string_view kToleration = "PreemptionToleration";
constexpr KnownPlugin kPlugins[] = {
    {"Coscheduling",
     {P::kQueueSort, P::kPreFilter, P::kPostFilter, P::kReserve, P::kPermit, P::kPostBind},
     P::kPermit,
     0,
     {P::kPostBind}},
    {"CapacityScheduling", {P::kPreFilter, P::kPostFilter, P::kReserve}, P::kPreFilter},
    {"NodeResourceTopologyMatch",
     {P::kPreFilter, P::kFilter, P::kScore, P::kReserve, P::kPostBind},
     P::kFilter,
     1,
     {P::kPreFilter, P::kReserve, P::kPostBind},
     {P::kFilter}},
    {"NodeResourcesAllocatable", {P::kScore}, P::kScore, 1},
    {"PodState", {P::kScore}, P::kScore, 1},
    {"TargetLoadPacking", {P::kScore}, P::kScore, 1},
    {"LoadVariationRiskBalancing", {P::kScore}, P::kScore, 1},
    {"LowRiskOverCommitment", {P::kPreScore, P::kScore}, P::kScore, 1, {P::kPreScore}},
    {"NetworkOverhead",
     {P::kPreFilter, P::kFilter, P::kScore},
     P::kFilter,
     1,
     {},
     {P::kFilter, P::kScore}},
    {kToleration, {P::kPostFilter}, P::kPostFilter},
    {"QOSSort", {P::kQueueSort}, P::kQueueSort},
    {"Peaks", {P::kScore}, P::kScore, 1},
    {"NodeMetadata", {P::kScore}, P::kScore, 1},
    // Decide nothing here.
    {"SySched", {P::kScore}, P::kScore, 0, {P::kScore}},
    {"TopologicalSort", {P::kQueueSort}, P::kQueueSort, 0, {P::kQueueSort}}};

struct ScoreOption {
  std::string_view plugin, option;
  int64_t weight;  // without a configuration
};
constexpr ScoreOption kScoreOptions[] = {{"NodeResourceTopologyMatch", "zone_weight", 1},
                                         {"NodeResourcesAllocatable", "allocatable_weight", 0},
                                         {"PodState", "pod_state_weight", 0},
                                         {"TargetLoadPacking", "target_load_weight", 0},
                                         {"LoadVariationRiskBalancing", "load_variation_weight", 0},
                                         {"LowRiskOverCommitment", "low_risk_weight", 0},
                                         {"Peaks", "power_weight", 0},
                                         {"NodeMetadata", "mark_weight", 0}};

void TakePlugins(const PluginPoints& points, PodReader* reader) {
  const bool zones = IsUsed(points, "NodeResourceTopologyMatch");
  if (!points.on("Coscheduling", P::kQueueSort)) {
    reader->Set("order", points.on("QOSSort") ? "service" : "time");
  }
  if (!points.on("Coscheduling")) reader->Set("coscheduling", "off");
  if (!points.on("CapacityScheduling")) reader->Set("capacity", "off");
  if (!zones) reader->Set("zones", "off");
  for (const ScoreOption& rule : kScoreOptions) {
    const int64_t weight = points.weight(rule.plugin);
    const bool idle = rule.plugin == "NodeResourceTopologyMatch" && !zones;
    if (weight != rule.weight && !idle) reader->Set(std::string(rule.option), absl::StrCat(weight));
  }
}

// Arguments of one plug-in.
class Arguments {
 public:
  Arguments(const Field& field, PodReader* reader) : field_(field), reader_(*reader) {}

  // A whole number of `least` to `most`; others are refused by `rule`.
  void Whole(std::string_view key, const char* option, int64_t least, int64_t most,
             std::string_view rule) const {
    const Field value = field_[key];
    if (!value.given()) return;
    const int64_t number = field_.Int64(key, least);
    if (number < least || number > most) RefuseInvalid(value, rule);
    reader_.Set(option, absl::StrCat(number));
  }
  // A number, which may be written as a text. One outside of the bounds stands for `otherwise`, as
  // at the peer.
  void Real(const Field& value, const char* option, double least, double most,
            std::string_view otherwise) const {
    if (!value.given()) return;
    double number = 0;
    const bool is_text = value.kind() == JsonKind::kString;
    const std::string text = is_text ? value.AsText() : value.ScalarText();
    if (!absl::SimpleAtod(text, &number) || !std::isfinite(number)) {
      value.RefuseKind("a number");
    } else if (number < least || number > most) {
      reader_.Set(option, std::string(otherwise));
    } else {
      reader_.Set(option, text);
    }
  }
  // NAME:WEIGHT+..., a weight of 0 being `by_default`, where that is not 0.
  void Resources(const Field& holder, const char* option, int64_t by_default) const {
    std::vector<std::string> words;
    for (const Field& item : holder.Items("resources")) {
      const std::string name = item.Text("name");
      int64_t weight = item.Int64("weight", 0);
      if (weight == 0) weight = by_default;
      if (weight <= 0) {
        RefuseInvalid(item["weight"], absl::StrCat("resource weight of ", name,
                                                   " should be a positive value, got :", weight));
      }
      words.push_back(absl::StrCat(name, ":", weight));
    }
    if (!words.empty()) reader_.Set(option, absl::StrJoin(words, "+"));
  }
  // Where metrics come from decides nothing: nodes have their usage.
  void QuietSource() const { field_.Quiet({"watcherAddress", "metricProvider"}); }

  const Field& field() const { return field_; }
  PodReader& reader() const { return reader_; }

 private:
  const Field& field_;
  PodReader& reader_;
};

constexpr int64_t kMost = 1'000'000'000;

void ReadCoscheduling(const Arguments& arguments) {
  arguments.Whole("permitWaitingTimeSeconds", "permit_timeout", 0, kMost, "must be greater than 0");
  arguments.Whole("podGroupBackoffSeconds", "group_backoff", 0, kMost, "must be greater than 0");
  arguments.Whole("podGroupRejectPercentage", "reject_percent", 0, 100,
                  "must be between 0 and 100");
}

void ReadZoneMatch(const Arguments& arguments) {
  const Field strategy = arguments.field().Section("scoringStrategy");
  const Field type = strategy["type"];
  if (type.Is("MostAllocated")) {
    arguments.reader().Set("zone_strategy", "most");
  } else if (type.Is("BalancedAllocation")) {
    arguments.reader().Set("zone_strategy", "balanced");
  } else if (type.Is("LeastNUMANodes")) {
    arguments.reader().Set("zone_strategy", "fewest");
  } else if (type.given() && !type.Is("LeastAllocated")) {
    RefuseInvalid(type, "invalid ScoringStrategyType");
  }
  arguments.Resources(strategy, "zone_resources", 1);
}

void ReadAllocatable(const Arguments& arguments) {
  const Field mode = arguments.field()["mode"];
  if (mode.Is("Most")) {
    arguments.reader().Set("allocatable", "most");
  } else if (mode.given() && !mode.Is("Least")) {
    RefuseInvalid(mode, "invalid support ModeType");
  }
  arguments.Resources(arguments.field(), "allocatable_resources", 0);
}

void ReadTargetLoad(const Arguments& arguments) {
  arguments.QuietSource();
  arguments.Whole("targetUtilization", "target_utilization", 0, 100, "not in 0 to 100");
  if (const Field cpu = arguments.field().Section("defaultRequests")["cpu"]; cpu.given()) {
    const Quantity amount = ToQuantity("cpu", ReadAmount(cpu));
    const auto milli = ParseQuantity(amount.text, Unit::kMilli);
    if (milli.ok()) arguments.reader().Set("default_request", absl::StrCat(*milli));
  }
  arguments.Real(arguments.field()["defaultRequestsMultiplier"], "request_multiplier", 0, 1e6,
                 "1.5");
}

void ReadVariation(const Arguments& arguments) {
  arguments.QuietSource();
  arguments.Real(arguments.field()["safeVarianceMargin"], "variance_margin", 0, 1e6, "1");
  arguments.Real(arguments.field()["safeVarianceSensitivity"], "variance_sensitivity", 0, 1e6, "1");
}

void ReadLowRisk(const Arguments& arguments) {
  arguments.QuietSource();
  arguments.Whole("smoothingWindowSize", "smoothing_window", 1, 1'000'000, "not in 1 to 1000000");
  const Field weights = arguments.field().Section("riskLimitWeights");
  arguments.Real(weights["cpu"], "cpu_limit_weight", 0, 1, "0.5");
  arguments.Real(weights["memory"], "memory_limit_weight", 0, 1, "0.5");
}

// Of NodeMetadata. ReadMarks reads what the mark of a node is, unless it is a label.
void ReadMarkSettings(const Arguments& arguments) {
  const Field& field = arguments.field();
  const scheduler_plugins::MarkSettings marks = MarkSettingsOf(field);
  if (absl::Status s = scheduler_plugins::CheckMarks(marks); !s.ok()) {
    return field.Refuse(std::string(s.message()));
  }
  if (marks.preference == "Lowest" || marks.preference == "Oldest") {
    arguments.reader().Set("mark", "lowest");
  }
  if (marks.source == "Label" && marks.type == "Number") {
    arguments.reader().Set("mark_label", marks.key);
  }
}

// The options are those of DefaultPreemption.
void ReadToleration(const Arguments& arguments) {
  const PluginPoints& points = arguments.reader().points();
  if (!points.on(kToleration)) return arguments.field().Ignored("PreemptionToleration is not on");
  if (!TolerationPreempts(points)) {
    return arguments.field().Ignored("DefaultPreemption is asked before PreemptionToleration");
  }
  arguments.Whole("minCandidateNodesPercentage", "candidate_percentage", 0, 100,
                  "not in valid range [0, 100]");
  arguments.Whole("minCandidateNodesAbsolute", "candidate_least", 0, kMost,
                  "not in valid range [0, inf)");
}

bool ReadArguments(const std::string& plugin, const Field& field, PodReader* reader) {
  const Arguments arguments(field, reader);
  if (plugin == "Coscheduling") {
    ReadCoscheduling(arguments);
  } else if (plugin == "NodeResourceTopologyMatch") {
    ReadZoneMatch(arguments);
  } else if (plugin == "NodeResourcesAllocatable") {
    ReadAllocatable(arguments);
  } else if (plugin == "TargetLoadPacking") {
    ReadTargetLoad(arguments);
  } else if (plugin == "LoadVariationRiskBalancing") {
    ReadVariation(arguments);
  } else if (plugin == "LowRiskOverCommitment") {
    ReadLowRisk(arguments);
  } else if (plugin == kToleration) {
    ReadToleration(arguments);
  } else if (plugin == "NodeMetadata") {
    ReadMarkSettings(arguments);
  } else if (plugin == "Peaks") {
    arguments.QuietSource();  // ReadPower reads the others
  } else {
    return plugin == "NetworkOverhead";  // ChooseNetwork reads them
  }
  return true;
}

}  // namespace

bool TolerationPreempts(const PluginPoints& points) {
  constexpr std::string_view kDefault = "DefaultPreemption";
  return points.on(kToleration) && (!points.on(kDefault, P::kPostFilter) ||
                                    points.IsBefore(kToleration, kDefault, P::kPostFilter));
}

bool IsUsed(const PluginPoints& points, std::string_view plugin) {
  return points.on(plugin) || points.on(plugin, P::kScore);
}

MorePlugins ConfiguredPlugins() { return {kPlugins, TakePlugins, ReadArguments, kToleration}; }

std::optional<Field> ArgumentsOf(const std::optional<Field>& configuration,
                                 std::string_view plugin) {
  if (!configuration) return std::nullopt;
  const std::vector<Field> profiles = configuration->Items("profiles");
  if (profiles.empty()) return std::nullopt;
  for (const Field& item : profiles[0].Items("pluginConfig")) {
    if (item["name"].Is(plugin)) return item.Section("args");
  }
  return std::nullopt;
}

scheduler_plugins::MarkSettings MarkSettingsOf(const Field& arguments) {
  return {arguments.Text("metadataKey"), arguments.Text("metadataSource"),
          arguments.Text("metadataType"), arguments.Text("scoringStrategy")};
}

NetworkChoice ChooseNetwork(const std::optional<Field>& configuration) {
  NetworkChoice choice;
  if (!configuration) return choice;
  choice.namespaces = {"default"};
  if (const std::optional<Field> arguments = ArgumentsOf(configuration, "NetworkOverhead")) {
    choice.weights = arguments->Text("weightsName", choice.weights);
    choice.topology = arguments->Text("networkTopologyName", choice.topology);
    std::vector<std::string> namespaces = arguments->Texts("namespaces");
    if (!namespaces.empty()) choice.namespaces = std::move(namespaces);
  }
  return choice;
}

}  // namespace muster::scheduler_plugins_import
