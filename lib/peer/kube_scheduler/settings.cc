// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/settings.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/kube/versions.h"
#include "lib/peer/kube_scheduler/schedule_options.h"

namespace muster::kube {
namespace {

constexpr std::string_view kPluginNames[kPluginCount] = {"",
                                                         "NodeUnschedulable",
                                                         "NodeName",
                                                         "TaintToleration",
                                                         "NodeAffinity",
                                                         "NodePorts",
                                                         "NodeResourcesFit",
                                                         "PodTopologySpread",
                                                         "InterPodAffinity",
                                                         "NodeResourcesBalancedAllocation",
                                                         "ImageLocality",
                                                         "SchedulingGates",
                                                         "GangScheduling"};

// What may be off: plug-ins that refuse nodes, and this one.
constexpr std::string_view kPreemptionName = "DefaultPreemption";

bool Filters(Plugin plugin) {
  return plugin >= Plugin::kNodeUnschedulable && plugin <= Plugin::kInterPodAffinity &&
         plugin != Plugin::kNodeName;
}

std::vector<std::string> Words(const std::string& text) {
  if (text.empty()) return {};
  return absl::StrSplit(text, '+');
}

// Returns the number behind the last colon, and cuts it off; `otherwise` where there is none.
int64_t TakeNumber(std::string* word, int64_t otherwise) {
  const size_t colon = word->rfind(':');
  if (colon == std::string::npos) return otherwise;
  int64_t number = -1;
  const char* end = word->data() + word->size();
  const auto [stop, error] = std::from_chars(word->data() + colon + 1, end, number);
  if (error != std::errc() || stop != end) number = -1;
  word->resize(colon);
  return number;
}

std::vector<WeightedResource> WeightedList(const std::string& text) {
  std::vector<WeightedResource> list;
  for (std::string& word : Words(text)) {
    WeightedResource& entry = list.emplace_back();
    entry.weight = TakeNumber(&word, 1);
    entry.name = std::move(word);
  }
  return list;
}

std::vector<std::pair<int64_t, int64_t>> ShapeOf(const std::string& text) {
  std::vector<std::pair<int64_t, int64_t>> shape;
  for (std::string& word : Words(text)) {
    const int64_t score = TakeNumber(&word, -1);
    std::string percent = absl::StrCat(":", word);
    shape.emplace_back(TakeNumber(&percent, -1), score * 10);
  }
  return shape;
}

// `groups`: jobs are pod groups.
std::string CheckOff(const std::string& text, bool groups) {
  for (const std::string& name : Words(text)) {
    if (name == kPreemptionName || Filters(PluginOf(name))) continue;
    if (groups && PluginOf(name) == Plugin::kGangScheduling) continue;
    std::vector<std::string> known;
    for (int p = 0; p < kPluginCount; ++p) {
      if (Filters(static_cast<Plugin>(p))) known.emplace_back(kPluginNames[p]);
    }
    if (groups) known.emplace_back(PluginName(Plugin::kGangScheduling));
    return absl::StrCat("off: ", Quote(name), " is none of ", absl::StrJoin(known, ", "), ", ",
                        ToAbsl(kPreemptionName));
  }
  return {};
}

std::string CheckShape(const Settings& settings) {
  int64_t last = -1;
  for (const auto& [percent, score] : settings.shape) {
    if (percent <= last || percent > 100) {
      return absl::StrCat("shape: percent ", percent, " must be 0 to 100, above the one before");
    }
    if (score < 0 || score > 100) return "shape: a score must be 0 to 10";
    last = percent;
  }
  if (settings.strategy == FitStrategy::kRatio && settings.shape.empty()) {
    return "shape: strategy ratio needs at least one point";
  }
  return {};
}

}  // namespace

std::string_view PluginName(Plugin plugin) { return kPluginNames[static_cast<int>(plugin)]; }

Plugin PluginOf(std::string_view name) {
  const auto it = std::find(std::begin(kPluginNames), std::end(kPluginNames), name);
  return it == std::end(kPluginNames) ? Plugin::kNone
                                      : static_cast<Plugin>(it - std::begin(kPluginNames));
}

std::span<const OptionDecl> ScheduleOptionDecls() { return kScheduleOptions; }

Settings Settings::From(const Options& options) {
  Settings s;
  const auto whole = [&](std::string_view name) {
    return static_cast<int64_t>(options.number(name));
  };
  const auto weigh = [&](Plugin plugin, std::string_view name) {
    s.weights[static_cast<int>(plugin)] = whole(name);
  };
  weigh(Plugin::kNodeResourcesFit, "fit_weight");
  weigh(Plugin::kBalancedAllocation, "balanced_weight");
  weigh(Plugin::kNodeAffinity, "node_affinity_weight");
  weigh(Plugin::kTaintToleration, "taint_weight");
  weigh(Plugin::kInterPodAffinity, "pod_affinity_weight");
  weigh(Plugin::kPodTopologySpread, "spread_weight");
  weigh(Plugin::kImageLocality, "image_weight");
  const std::string strategy = options.text("strategy");
  s.strategy = strategy == "most"    ? FitStrategy::kMost
               : strategy == "ratio" ? FitStrategy::kRatio
                                     : FitStrategy::kLeast;
  s.fit_resources = WeightedList(options.text("resources"));
  s.balanced_resources = WeightedList(options.text("balanced"));
  s.balance_is_change = RulesOfKubernetes(options.text("kubernetes")).balance_is_change;
  s.shape = ShapeOf(options.text("shape"));
  s.ignored_resources = Words(options.text("ignored"));
  s.ignored_groups = Words(options.text("ignored_groups"));
  for (const std::string& name : Words(options.text("off"))) {
    if (name == kPreemptionName) {
      s.preempts = false;
    } else {
      s.off.Add(PluginOf(name));
    }
  }
  s.required_weight = whole("required_weight");
  s.ignores_preferred_terms = options.flag("ignore_preferred");
  s.percentage = whole("percentage");
  s.candidate_percentage = whole("candidate_percentage");
  s.candidate_least = whole("candidate_least");
  s.offset = whole("offset");
  s.ticks = whole("ticks");
  s.first_backoff = whole("backoff");
  s.longest_backoff = whole("longest_backoff");
  s.longest_wait = whole("longest_wait");
  s.cycles = whole("cycles");
  s.groups = options.flag("groups");
  s.batches = options.flag("batches");
  s.traces = options.flag("trace");
  return s;
}

std::string Settings::Check(const Options& options) {
  const Settings settings = From(options);
  for (const WeightedResource& entry : settings.fit_resources) {
    if (entry.name.empty() || entry.weight < 1 || entry.weight > 100) {
      return absl::StrCat("resources: ", Quote(entry.name),
                          " must be a name with a weight of 1 to 100");
    }
  }
  if (std::string wrong = CheckOff(options.text("off"), options.flag("groups")); !wrong.empty())
    return wrong;
  return CheckShape(settings);
}

}  // namespace muster::kube
