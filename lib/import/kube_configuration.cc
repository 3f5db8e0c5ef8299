// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A KubeSchedulerConfiguration, as PodReader reads it: its first profile becomes options, what it
// adds to pods is kept, and pods of others are told apart by the name of their scheduler. What the
// peer refuses is refused in its words.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/import/kube_scheduler.h"
#include "lib/import/kubernetes.h"

namespace muster {
namespace {

constexpr char kRequiredTerms[] = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr char kPreferredTerms[] = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr char kDefaultScheduler[] = "default-scheduler";
constexpr std::string_view kDefaultPreemption = "DefaultPreemption";
constexpr std::string_view kVersion = "kubescheduler.config.k8s.io/v1";

// Those that decide nothing here.
constexpr std::string_view kQuietKeys[] = {
    "metadata",           "leaderElection",  "clientConnection",          "healthzBindAddress",
    "metricsBindAddress", "enableProfiling", "enableContentionProfiling", "delayCacheUntilActive"};

struct WeightOption {
  std::string_view plugin, option;
  int64_t weight;  // without a configuration
};
constexpr WeightOption kWeightOptions[] = {
    {"NodeResourcesFit", "fit_weight", 1},
    {"NodeResourcesBalancedAllocation", "balanced_weight", 1},
    {"NodeAffinity", "node_affinity_weight", 2},
    {"TaintToleration", "taint_weight", 3},
    {"InterPodAffinity", "pod_affinity_weight", 2},
    {"PodTopologySpread", "spread_weight", 2},
    {"ImageLocality", "image_weight", 1}};
// Plug-ins that option `off` has at these points.
struct OffOption {
  std::string_view plugin;
  PluginPoint point;
};
constexpr OffOption kOffOptions[] = {
    {"NodeUnschedulable", PluginPoint::kFilter}, {"TaintToleration", PluginPoint::kFilter},
    {"NodeAffinity", PluginPoint::kFilter},      {"NodePorts", PluginPoint::kFilter},
    {"NodeResourcesFit", PluginPoint::kFilter},  {"PodTopologySpread", PluginPoint::kFilter},
    {"InterPodAffinity", PluginPoint::kFilter},  {kDefaultPreemption, PluginPoint::kPostFilter}};

std::vector<NodeTerm> ReadNodeTerms(const std::vector<Field>& terms) {
  std::vector<NodeTerm> out;
  for (const Field& term : terms) {
    out.push_back(
        {ReadRequirements(term, "matchExpressions"), ReadRequirements(term, "matchFields")});
  }
  return out;
}

std::string NamesWithWeights(const Field& holder) {
  constexpr int64_t kMost = 100;
  std::vector<std::string> words;
  for (const Field& item : holder.Items("resources")) {
    const std::string name = item.Text("name");
    int64_t weight = item.Int64("weight", 1);
    if (weight == 0) weight = 1;
    if (weight < 0 || weight > kMost) {
      RefuseInvalid(item["weight"],
                    absl::StrCat("resource weight of ", name, " not in valid range (0, 100]"));
    }
    words.push_back(absl::StrCat(name, ":", weight));
  }
  return absl::StrJoin(words, "+");
}

SpreadConstraint ReadDefaultConstraint(const Field& item) {
  SpreadConstraint constraint;
  constraint.topology_key = item.Text("topologyKey");
  constraint.max_skew = item.Int32("maxSkew", 1);
  constraint.required = ReadUnsatisfiable(item["whenUnsatisfiable"]);
  if (item["minDomains"].given()) constraint.min_domains = item.Int32("minDomains", 0);
  constraint.honor_node_affinity = ReadInclusion(item["nodeAffinityPolicy"], true);
  constraint.honor_taints = ReadInclusion(item["nodeTaintsPolicy"], false);
  if (constraint.topology_key.empty()) {
    item["topologyKey"].Refuse("Required value: can not be empty");
  }
  if (!item["whenUnsatisfiable"].given()) {
    item["whenUnsatisfiable"].Refuse("Required value: can not be empty");
  }
  if (constraint.max_skew < 1) {
    item["maxSkew"].Refuse(absl::StrCat(constraint.max_skew, " is below 1; 1 or more is"));
  }
  if (const Field selector = item["labelSelector"]; selector.given()) {
    selector.Refuse(
        "Forbidden: constraint must not define a selector, as they deduced for each pod");
  }
  return constraint;
}

}  // namespace

void RefuseInvalid(const Field& value, std::string_view rule) {
  value.Refuse(absl::StrCat("Invalid value: ", value.Describe(), ": ", ToAbsl(rule)));
}

PodReader::PodReader(const std::optional<Field>& configuration, const MorePlugins& more)
    : more_(more), points_(more.plugins), configured_(configuration.has_value()) {
  if (!configuration) return;
  const Field& root = *configuration;
  constexpr std::string_view kKnown[] = {"kind",
                                         "percentageOfNodesToScore",
                                         "podInitialBackoffSeconds",
                                         "podMaxBackoffSeconds",
                                         "extenders",
                                         "profiles"};
  if (std::ranges::none_of(kKnown, [&](std::string_view key) { return root[key].given(); })) {
    root.Ignored("has no key of a KubeSchedulerConfiguration; the defaults count");
  }
  root.RequireKind("KubeSchedulerConfiguration");
  if (const Field version = root["apiVersion"]; version.given() && !version.Is(kVersion)) {
    version.Ignored(absl::StrCat("is read as ", ToAbsl(kVersion)));
  }
  root.Quiet(kQuietKeys);
  if (root["parallelism"].given() && root.Int64("parallelism", 1) <= 0) {
    RefuseInvalid(root["parallelism"], "should be an integer value greater than zero");
  }
  ReadPercentage(root);
  ReadBackoff(root);
  ReadProfiles(root.Items("profiles"));
  if (const Field extenders = root["extenders"]; extenders.truthy()) {
    extenders.Ignored("extenders are not asked");
  }
}

void PodReader::ReadPercentage(const Field& holder) {
  const Field value = holder["percentageOfNodesToScore"];
  if (!value.given()) return;
  const int64_t percentage = holder.Int64("percentageOfNodesToScore", 0);
  if (percentage < 0 || percentage > 100) RefuseInvalid(value, "not in valid range [0-100]");
  Set("percentage", absl::StrCat(percentage));
}

void PodReader::ReadBackoff(const Field& root) {
  const int64_t first = root.Int64("podInitialBackoffSeconds", 1);
  const int64_t longest = root.Int64("podMaxBackoffSeconds", 10);
  if (first <= 0) RefuseInvalid(root["podInitialBackoffSeconds"], "must be greater than 0");
  if (longest < first) {
    root["podMaxBackoffSeconds"].Refuse(absl::StrCat(
        "Invalid value: ", longest, ": must be greater than or equal to PodInitialBackoffSeconds"));
  }
  if (root["podInitialBackoffSeconds"].given()) Set("backoff", absl::StrCat(first));
  if (root["podMaxBackoffSeconds"].given()) Set("longest_backoff", absl::StrCat(longest));
}

void PodReader::ReadProfiles(const std::vector<Field>& profiles) {
  for (const Field& profile : profiles) {
    std::string name = profile.Text("schedulerName", profiles.size() == 1 ? kDefaultScheduler : "");
    if (name.empty()) profile["schedulerName"].Refuse("Required value");
    if (std::ranges::find(schedulers_, name) != schedulers_.end()) {
      profile["schedulerName"].Refuse(absl::StrCat("Duplicate value: ", Quote(name)));
    }
    schedulers_.push_back(std::move(name));
  }
  if (profiles.empty()) {
    TakePlugins();
    return;
  }
  ReadProfile(profiles[0]);
  for (size_t i = 1; i < profiles.size(); ++i) {
    profiles[i].Ignored(absl::StrCat("one profile is read, the first; pods of scheduler ",
                                     Quote(schedulers_[i]), " are left out"));
  }
}

std::optional<std::string> PodReader::WhyForeign(std::string_view scheduler) const {
  if (schedulers_.empty()) return std::nullopt;
  if (scheduler.empty()) scheduler = kDefaultScheduler;
  if (schedulers_[0] == scheduler) return std::nullopt;
  if (std::ranges::find(schedulers_, scheduler) != schedulers_.end()) {
    return absl::StrCat("waits for another profile of the configuration, ", Quote(scheduler));
  }
  return absl::StrCat("waits for ", Quote(scheduler), ", which is no profile of the configuration");
}

void PodReader::Set(std::string option, std::string value) {
  for (auto& [known, old] : options_) {
    if (known == option) {
      old = std::move(value);
      return;
    }
  }
  options_.emplace_back(std::move(option), std::move(value));
}

void PodReader::ReadProfile(const Field& profile) {
  ReadPercentage(profile);
  points_.Read(profile.Section("plugins"), schedulers_[0]);
  TakePlugins();
  std::vector<std::string> seen;
  for (const Field& item : profile.Items("pluginConfig")) {
    const std::string name = item.Text("name");
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      item["name"].Refuse(absl::StrCat(Quote(name), " is configured twice; once is allowed"));
    }
    seen.push_back(name);
    ReadArguments(name, item.Section("args"));
  }
}

// Returns whether a plug-in preempts that goes by the options of DefaultPreemption. One of a name
// that this scheduler does not have is none.
bool PodReader::Preempts() const {
  return points_.on(kDefaultPreemption, PluginPoint::kPostFilter) ||
         (!more_.preemption.empty() && points_.on(more_.preemption, PluginPoint::kPostFilter));
}

void PodReader::TakePlugins() {
  for (const WeightOption& rule : kWeightOptions) {
    const int64_t weight = points_.weight(rule.plugin);
    if (weight != rule.weight) Set(std::string(rule.option), absl::StrCat(weight));
  }
  std::vector<std::string> off;
  for (const OffOption& rule : kOffOptions) {
    const bool preempts = rule.plugin == kDefaultPreemption && Preempts();
    if (!preempts && !points_.on(rule.plugin, rule.point)) off.emplace_back(rule.plugin);
  }
  if (!points_.requires_minimums()) off.emplace_back("GangScheduling");
  if (!off.empty()) Set("off", absl::StrJoin(off, "+"));
  if (more_.take != nullptr) more_.take(points_, this);
}

void PodReader::ReadArguments(const std::string& plugin, const Field& arguments) {
  arguments.Quiet({"apiVersion", "kind"});
  if (plugin == "NodeResourcesFit") {
    ReadFit(arguments);
  } else if (plugin == "NodeResourcesBalancedAllocation") {
    ReadBalanced(arguments);
  } else if (plugin == "InterPodAffinity") {
    ReadPodAffinity(arguments);
  } else if (plugin == "PodTopologySpread") {
    ReadSpreadDefaults(arguments);
  } else if (plugin == "NodeAffinity") {
    ReadAddedAffinity(arguments.Section("addedAffinity"));
  } else if (plugin == "DefaultPreemption") {
    ReadCandidates(arguments);
  } else if (more_.read == nullptr || !more_.read(plugin, arguments, this)) {
    arguments.Ignored(absl::StrCat("arguments of plug-in ", Quote(plugin), " are not read"));
  }
}

void PodReader::ReadBalanced(const Field& arguments) {
  std::vector<std::string> names;
  for (const Field& item : arguments.Items("resources")) {
    std::string name = item.Text("name");
    if (std::ranges::find(names, name) != names.end()) {
      item["name"].Refuse(absl::StrCat("Duplicate value: ", Quote(name)));
    }
    names.push_back(std::move(name));
    const int64_t weight = item.Int64("weight", 1);
    if (weight != 0 && weight != 1) RefuseInvalid(item["weight"], "must be 1");
  }
  if (!names.empty()) Set("balanced", absl::StrJoin(names, "+"));
}

void PodReader::ReadPodAffinity(const Field& arguments) {
  const Field weight = arguments["hardPodAffinityWeight"];
  if (weight.given()) {
    const int64_t value = arguments.Int64("hardPodAffinityWeight", 1);
    if (value < 0 || value > 100) RefuseInvalid(weight, "not in valid range [0, 100]");
    Set("required_weight", absl::StrCat(value));
  }
  if (arguments.Bool("ignorePreferredTermsOfExistingPods", false)) Set("ignore_preferred", "on");
}

void PodReader::ReadCandidates(const Field& arguments) {
  const Field percentage = arguments["minCandidateNodesPercentage"];
  const Field least = arguments["minCandidateNodesAbsolute"];
  const int64_t percent = arguments.Int64("minCandidateNodesPercentage", 10);
  const int64_t nodes = arguments.Int64("minCandidateNodesAbsolute", 100);
  if (percent < 0 || percent > 100) RefuseInvalid(percentage, "not in valid range [0, 100]");
  if (nodes < 0) RefuseInvalid(least, "not in valid range [0, inf)");
  if (percent == 0 && nodes == 0) {
    RefuseInvalid(percentage, "cannot be zero at the same time as minCandidateNodesAbsolute");
  }
  if (!points_.on(kDefaultPreemption, PluginPoint::kPostFilter)) {
    return arguments.Ignored("DefaultPreemption is not on");
  }
  if (!more_.preemption.empty() && points_.on(more_.preemption, PluginPoint::kPostFilter) &&
      points_.IsBefore(more_.preemption, kDefaultPreemption, PluginPoint::kPostFilter)) {
    return arguments.Ignored(
        absl::StrCat(ToAbsl(more_.preemption), " is asked before DefaultPreemption"));
  }
  if (percentage.given()) Set("candidate_percentage", absl::StrCat(percent));
  if (least.given()) Set("candidate_least", absl::StrCat(nodes));
}

void PodReader::ReadFit(const Field& arguments) {
  const auto list = [&](std::string_view key, const char* option) {
    const std::vector<std::string> names = arguments.Texts(key);
    if (!names.empty()) Set(option, absl::StrJoin(names, "+"));
    return names;
  };
  list("ignoredResources", "ignored");
  for (const std::string& group : list("ignoredResourceGroups", "ignored_groups")) {
    if (group.find('/') == group.npos) continue;
    arguments["ignoredResourceGroups"].Refuse(
        absl::StrCat("Invalid value: ", Quote(group), ": resource group name can't contain '/'"));
  }
  const Field strategy = arguments.Section("scoringStrategy");
  const std::string type = strategy.Text("type", "LeastAllocated");
  if (type == "MostAllocated") {
    Set("strategy", "most");
  } else if (type == "RequestedToCapacityRatio") {
    Set("strategy", "ratio");
  } else if (type != "LeastAllocated") {
    strategy["type"].Refuse(absl::StrCat(
        Quote(type),
        " is no strategy; expected LeastAllocated, MostAllocated or RequestedToCapacityRatio"));
  }
  const std::string resources = NamesWithWeights(strategy);
  if (!resources.empty()) Set("resources", resources);
  std::vector<std::string> points;
  int64_t last = -1;
  for (const Field& item : strategy.Section("requestedToCapacityRatio").Items("shape")) {
    const int64_t percent = item.Int64("utilization", 0), score = item.Int64("score", 0);
    if (percent <= last || percent > 100 || score < 0 || score > 10) {
      item.Refuse(absl::StrCat("utilization ", percent, " and score ", score,
                               " are no next point; utilization must grow within 0 to 100, and the "
                               "score be 0 to 10"));
    }
    last = percent;
    points.push_back(absl::StrCat(percent, ":", score));
  }
  if (!points.empty()) Set("shape", absl::StrJoin(points, "+"));
  if (type == "RequestedToCapacityRatio" && points.empty()) {
    strategy.Refuse("requestedToCapacityRatio.shape has no point; one or more is needed");
  }
}

void PodReader::ReadSpreadDefaults(const Field& arguments) {
  const std::string kind = arguments.Text("defaultingType", "System");
  system_defaults_ = kind == "System";
  if (!system_defaults_ && kind != "List") {
    arguments["defaultingType"].Refuse(
        absl::StrCat(Quote(kind), " is no way to set defaults; expected System or List"));
  }
  for (const Field& item : arguments.Items("defaultConstraints")) {
    if (system_defaults_) {
      item.Refuse("default constraints need defaultingType List");
      return;
    }
    SpreadConstraint constraint = ReadDefaultConstraint(item);
    const auto repeats = [&](const SpreadConstraint& known) {
      return known.topology_key == constraint.topology_key && known.required == constraint.required;
    };
    if (std::ranges::any_of(default_spread_, repeats)) {
      item.Refuse(absl::StrCat("Duplicate value: \"{", constraint.topology_key, ", ",
                               item.Text("whenUnsatisfiable"), "}\""));
    }
    default_spread_.push_back(std::move(constraint));
  }
}

void PodReader::ReadAddedAffinity(const Field& affinity) {
  if (const Field required = affinity.Section(kRequiredTerms); required.given()) {
    added_required_ = ReadNodeTerms(required.Items("nodeSelectorTerms"));
    if (added_required_->empty()) {
      required["nodeSelectorTerms"].Refuse(
          "Required value: must have at least one node selector term");
    }
  }
  for (const Field& term : affinity.Items(kPreferredTerms)) {
    const Field preference = term.Section("preference");
    added_preferred_.push_back({term.Int32("weight", 0),
                                {ReadRequirements(preference, "matchExpressions"),
                                 ReadRequirements(preference, "matchFields")}});
  }
}

}  // namespace muster
