// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/settings.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"

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

constexpr OptionDecl kScheduleOptions[] = {
    {"fit_weight", OptionKind::kNumber, "1", 0, 1e6, "weight of NodeResourcesFit's score"},
    {"balanced_weight", OptionKind::kNumber, "1", 0, 1e6, "weight of evenly used resources"},
    {"node_affinity_weight", OptionKind::kNumber, "2", 0, 1e6, "weight of preferred node affinity"},
    {"taint_weight", OptionKind::kNumber, "3", 0, 1e6, "weight of PreferNoSchedule taints"},
    {"pod_affinity_weight", OptionKind::kNumber, "2", 0, 1e6, "weight of preferred pod affinity"},
    {"spread_weight", OptionKind::kNumber, "2", 0, 1e6, "weight of preferred topology spread"},
    {"image_weight", OptionKind::kNumber, "1", 0, 1e6, "weight of images that are there"},
    {"strategy", OptionKind::kChoice, "least", 0, 0,
     "least|most|ratio: nodes that NodeResourcesFit prefers: least used, most used, by shape"},
    {"resources", OptionKind::kText, "cpu:1+memory:1", 0, 0,
     "what NodeResourcesFit scores: NAME:WEIGHT+..., weights 1 to 100"},
    {"shape", OptionKind::kText, "", 0, 0,
     "of strategy ratio: PERCENT:SCORE+..., percents 0 to 100 ascending, scores 0 to 10"},
    {"balanced", OptionKind::kText, "cpu+memory", 0, 0, "resources to be used evenly: NAME+..."},
    {"ignored", OptionKind::kText, "", 0, 0, "resources that every node has enough of: NAME+..."},
    {"ignored_groups", OptionKind::kText, "", 0, 0,
     "the same for all names with the prefix and a slash: PREFIX+..."},
    {"required_weight", OptionKind::kNumber, "1", 0, 100,
     "of required affinity of other pods in the affinity score"},
    {"ignore_preferred", OptionKind::kFlag, "off", 0, 0,
     "pods without preferred affinity are not scored by that of others"},
    {"percentage", OptionKind::kNumber, "0", 0, 100,
     "percent of nodes to find before scoring; 0: by the size of the cluster"},
    {"candidate_percentage", OptionKind::kNumber, "10", 0, 100,
     "percent of nodes that preemption tries"},
    {"candidate_least", OptionKind::kNumber, "100", 0, 1e9, "and the least number of them"},
    {"offset", OptionKind::kNumber, "0", 0, 1e9, "the node, by name, that preemption tries first"},
    {"ticks", OptionKind::kNumber, "1", 1, 1e9,
     "units of the caller's clock (now, started) in a second"},
    {"backoff", OptionKind::kNumber, "1", 0, 1e6, "seconds after the first failure"},
    {"longest_backoff", OptionKind::kNumber, "10", 0, 1e6, "seconds after many failures"},
    {"longest_wait", OptionKind::kNumber, "300", 0, 1e9,
     "seconds after which an unschedulable pod is tried again without an event"},
    {"cycles", OptionKind::kNumber, "1000000000", 0, 1e9,
     "pods or groups tried in one plan at most; 0: the queue alone follows the events"},
    {"groups", OptionKind::kFlag, "on", 0, 0, "jobs are pod groups, which are placed together"},
    {"batches", OptionKind::kFlag, "off", 0, 0,
     "a pod like the one before goes to the best node that is left of its list"},
    {"trace", OptionKind::kFlag, "off", 0, 0,
     "the last cycle is written to memory slot kube-trace"},
};

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
  s.shape = ShapeOf(options.text("shape"));
  s.ignored_resources = Words(options.text("ignored"));
  s.ignored_groups = Words(options.text("ignored_groups"));
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
  return CheckShape(settings);
}

}  // namespace muster::kube
