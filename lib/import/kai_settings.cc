// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Settings of KAI Scheduler as a spec string of profile kai: those of a SchedulingShard, and the
// scheduler's own file, which the operator makes of them.
//
//   {"placementStrategy": {"gpu": "spread"}, "args": {"default-staleness-grace-period": "30s"}}
//   becomes kai:kai-rules(gpu=spread,cpu=binpack,...,staleness_grace=30),actions=allocate+...
//
// Peer. A shard lists what differs from the operator's plugins and actions: gpuspread takes the
// place of gpupack and gpusharingorder where GPUs are spread, and there is no consolidation where
// something is. A file lists all plugins: those that it leaves out are off. The profile has its own
// order of plugins, that of the operator.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/import/amounts.h"
#include "lib/import/comma_list.h"
#include "lib/import/kai.h"
#include "lib/import/tiers.h"
#include "lib/import/times.h"

namespace muster::kai {
namespace {

constexpr std::string_view kActions[] = {"allocate", "consolidation", "reclaim", "preempt",
                                         "stalegangeviction"};
// Most of options of kai-rules.
constexpr double kMostFactor = 1e6;
constexpr int64_t kMostSeconds = 1'000'000'000'000'000, kMostVictims = 1'000'000'000;
constexpr int64_t kFirstPriority = 500, kPriorityStep = 100;  // of actions

// Parts of a shard, and flags, that decide nothing.
constexpr std::string_view kQuietParts[] = {"image", "replicas", "service", "resources",
                                            "partitionLabelValue"};
constexpr std::string_view kQuietFlags[] = {"v",
                                            "qps",
                                            "burst",
                                            "leader-elect",
                                            "listen-address",
                                            "namespace",
                                            "metrics-namespace",
                                            "enable-profiler",
                                            "profiler-port",
                                            "pyroscope-address",
                                            "pyroscope-mutex-profiler-rate",
                                            "pyroscope-block-profiler-rate",
                                            "plugin-server-port",
                                            "num-of-status-recording-workers",
                                            "detailed-fit-errors",
                                            "update-pod-eviction-condition",
                                            "scheduler-conf",
                                            "version"};
// Flags that switch an option.
constexpr std::pair<std::string_view, std::string_view> kSwitchFlags[] = {
    {"use-scheduling-signatures", "signatures"},
    {"allow-consolidating-reclaim", "consolidating_reclaim"},
    {"full-hierarchy-fairness", "full_hierarchy"},
    {"restrict-node-scheduling", "restrict_nodes"}};
// Plugins that are an option.
constexpr std::pair<std::string_view, std::string_view> kSwitchPlugins[] = {
    {"nodeavailability", "availability"},
    {"gpusharingorder", "sharing"},
    {"resourcetype", "resource_type"},
    {"nominatednode", "nominated"}};
// Plugins that the profile always has.
constexpr std::string_view kFixedPlugins[] = {
    "predicates", "proportion",    "priority",  "elastic",          "kubeflow",   "ray",
    "snapshot",   "subgrouporder", "taskorder", "dynamicresources", "minruntime", "topology"};

template <class List>
bool Lists(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// The whole seconds of a duration of at least `least` seconds; all below 0 are -1.
std::string DurationOf(const Field& value, int64_t least) {
  const std::string text = value.ScalarText();
  const std::optional<int64_t> given = ParseDuration(text);
  if (given && *given > kMostSeconds) {
    value.Refuse(absl::StrCat(Quote(text), " is longer than ", kMostSeconds, " seconds"));
    return "0";
  }
  const int64_t seconds = std::max<int64_t>(given.value_or(-1), -1);
  if (given && seconds >= least) return absl::StrCat(seconds);
  value.Refuse(absl::StrCat(Quote(text), " is no duration",
                            least < 0 ? "" : absl::StrCat(" of ", least, " or more seconds"),
                            "; expected one such as 1h30m"));
  return "0";
}

class SettingsReader {
 public:
  SettingsReader() {
    for (size_t i = 0; i < std::size(kActions); ++i) {
      actions_.push_back({std::string(kActions[i]),
                          kFirstPriority - kPriorityStep * static_cast<int64_t>(i), true});
    }
  }

  void ReadShard(const Field& spec) {
    ReadPlacement(spec.Section("placementStrategy"));
    if (const Field k = spec["kValue"]; k.given()) SetK(k);
    const Field runtime = spec.Section("minRuntime");
    SetRuntime(runtime["preemptMinRuntime"], "preempt_min_runtime");
    SetRuntime(runtime["reclaimMinRuntime"], "reclaim_min_runtime");
    SetResolve(runtime["reclaimResolveMethod"]);
    ReadFlags(spec.Section("args"));
    for (const Field& plugin : spec.Section("plugins").Children()) ReadPlugin(plugin);
    for (const Field& action : spec.Section("actions").Children()) ReadAction(action);
    std::ranges::stable_sort(actions_, [](const Action& a, const Action& b) {
      return a.priority != b.priority ? a.priority > b.priority : a.name < b.name;
    });
    RequireAnAction(spec["actions"]);
    ReadDepths(spec.Section("queueDepthPerAction"));
    ReadUsage(spec.Section("usageDBConfig"));
    spec.Quiet(kQuietParts);
  }

  void ReadFile(const Field& file) {
    if (const Field actions = file["actions"]; actions.given()) ListActions(actions);
    if (file["tiers"].given()) ReadTiers(file);
    ReadDepths(file.Section("queueDepthPerAction"));
    ReadUsage(file.Section("usageDBConfig"));
  }

  std::string Text() {
    std::vector<std::string> parts;
    const bool shares_by_name = !packs_ && !spreads_;
    if (spreads_ != packs_ && spreads_) rules_.Set("device", "spread");
    // Both scores together are the same for all devices.
    if (shares_by_name || (packs_ && spreads_)) rules_.Set("device", "age");
    if (const std::string rules = rules_.Text(); !rules.empty()) {
      parts.push_back(absl::StrCat("kai-rules", rules));
    }
    if (const std::string actions = ActionsText(); !actions.empty()) {
      parts.push_back(absl::StrCat("actions=", actions));
    }
    if (parts.empty()) return "kai";
    return absl::StrCat("kai:", absl::StrJoin(parts, ","));
  }

 private:
  struct Action {
    std::string name;
    int64_t priority;
    bool enabled;
    std::string depth = {};
  };

  void SetWord(const Field& value, std::string_view option) {
    const std::string word = value.ScalarText();
    if (word != "binpack" && word != "spread") {
      return value.Refuse(absl::StrCat(Quote(word), " is no strategy; expected binpack or spread"));
    }
    rules_.Set(option, word);
  }

  void ReadPlacement(const Field& placement) {
    for (const std::string_view key : {"gpu", "cpu"}) {
      if (!placement.Text(key).empty()) SetWord(placement[key], key);
      if (!placement[key].Is("spread")) continue;
      ActionNamed("consolidation")->enabled = false;
      if (key == "cpu") continue;
      packs_ = false;
      spreads_ = true;
      rules_.Set("sharing", "off");
    }
  }

  // 0 and less are no correction.
  void SetK(const Field& value) {
    double k = 0;
    if (!absl::SimpleAtod(value.ScalarText(), &k) || !(k <= kMostFactor)) {
      return value.RefuseKind("a number up to 1000000");
    }
    rules_.Set("k", k > 0 ? value.ScalarText() : "0");
  }

  void SetRuntime(const Field& value, std::string_view option) {
    if (value.truthy()) rules_.Set(option, DurationOf(value, /*least=*/0));
  }

  void SetResolve(const Field& value) {
    if (!value.truthy()) return;
    if (value.Is("lca") || value.Is("queue")) return rules_.Set("resolve", value.ScalarText());
    value.Ignored(absl::StrCat(Quote(value.ScalarText()), " is not known; lca counts"));
  }

  void ReadFlags(const Field& flags) {
    for (const Field& flag : flags.Children()) {
      if (!flag.given()) continue;
      const std::string_view name = flag.key();
      const auto rule =
          std::ranges::find_if(kSwitchFlags, [&](const auto& r) { return r.first == name; });
      if (rule != std::end(kSwitchFlags)) {
        rules_.Set(rule->second, ReadSwitch(flag) ? "on" : "off");
      } else if (name == "max-consolidation-preemptees") {
        SetWhole(flag, "consolidation_victims");
      } else if (name == "default-staleness-grace-period") {
        rules_.Set("staleness_grace", DurationOf(flag, /*least=*/-1));
      } else if (!Lists(kQuietFlags, name)) {
        flag.Ignored("not considered");
      }
    }
  }

  // A whole number; all below 0 are -1.
  void SetWhole(const Field& value, std::string_view option) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(value.ScalarText(), &number) || number > kMostVictims) {
      return value.RefuseKind("a whole number up to 1000000000");
    }
    rules_.Set(option, absl::StrCat(std::max<int64_t>(number, -1)));
  }

  void SetFixed(const Field& plugin, bool enabled) {
    if (!enabled) plugin.Ignored("the profile always has this plugin");
  }

  // What a plugin does by being there, or not.
  void Switch(std::string_view name, bool enabled) {
    for (const auto& [key, option] : kSwitchPlugins) {
      if (key == name) rules_.Set(option, enabled ? "on" : "off");
    }
    if (name == "gpupack") packs_ = enabled;
    if (name == "gpuspread") spreads_ = enabled;
    if (name == "nodeplacement" && !enabled) {
      rules_.Set("gpu", "none");
      rules_.Set("cpu", "none");
    }
  }

  void ReadArguments(std::string_view name, const Field& arguments) {
    if (!arguments.given()) return;
    if (name == "nodeplacement") {
      for (const std::string_view key : {"gpu", "cpu"}) {
        if (arguments[key].truthy()) SetWord(arguments[key], key);
      }
    } else if (name == "proportion") {
      if (arguments["kValue"].given()) SetK(arguments["kValue"]);
      SetMultiplier(arguments["relcaimerSaturationMultiplier"]);
    } else if (name == "minruntime") {
      SetRuntime(arguments["defaultPreemptMinRuntime"], "preempt_min_runtime");
      SetRuntime(arguments["defaultReclaimMinRuntime"], "reclaim_min_runtime");
      SetResolve(arguments["reclaimResolveMethod"]);
    }
  }

  void SetMultiplier(const Field& value) {
    if (!value.given()) return;
    double multiplier = 0;
    if (!absl::SimpleAtod(value.ScalarText(), &multiplier) || !(multiplier >= 1)) {
      return value.Ignored(
          absl::StrCat(Quote(value.ScalarText()), " is no number of 1 or more; 1 counts"));
    }
    if (multiplier > kMostFactor) return value.RefuseKind("a number up to 1000000");
    rules_.Set("saturation_multiplier", value.ScalarText());
  }

  static bool IsPlugin(std::string_view name) {
    return Lists(kFixedPlugins, name) || name == "gpupack" || name == "gpuspread" ||
           name == "nodeplacement" ||
           std::ranges::any_of(kSwitchPlugins, [&](const auto& p) { return p.first == name; });
  }

  void ReadPlugin(const Field& plugin) {
    const std::string name(plugin.key());
    if (!IsPlugin(name)) return plugin.Ignored("not considered");
    if (plugin.given() && plugin.kind() != JsonKind::kObject) {
      return plugin.RefuseKind("an object");
    }
    const Field enabled = plugin["enabled"];
    const bool on = plugin.Bool("enabled", true);
    if (enabled.given()) {
      if (Lists(kFixedPlugins, name)) SetFixed(enabled, on);
      Switch(name, on);
    }
    if (plugin["priority"].given()) {
      plugin["priority"].Ignored("the profile has an order of its own for plugins");
    }
    // A plugin that is off has no use for its arguments.
    if (!on && !Lists(kFixedPlugins, name)) return plugin.Quiet({"arguments"});
    ReadArguments(name, plugin.Section("arguments"));
  }

  Action* ActionNamed(std::string_view name) {
    const auto found = std::ranges::find(actions_, name, &Action::name);
    return found == actions_.end() ? nullptr : &*found;
  }

  void ReadAction(const Field& field) {
    Action* action = ActionNamed(field.key());
    if (action == nullptr) return field.Ignored("not considered");
    if (field.given() && field.kind() != JsonKind::kObject) return field.RefuseKind("an object");
    action->enabled = field.Bool("enabled", action->enabled);
    action->priority = field.Int64("priority", action->priority);
  }

  void ReadDepths(const Field& depths) {
    for (const Field& depth : depths.Children()) {
      Action* action = ActionNamed(depth.key());
      if (action == nullptr || action->name == "stalegangeviction") {
        depth.Ignored("no action that tries jobs has this name");
        continue;
      }
      int64_t jobs = 0;
      if (!absl::SimpleAtoi(depth.ScalarText(), &jobs)) {
        depth.RefuseKind("a whole number");
        continue;
      }
      action->depth = absl::StrCat(std::max<int64_t>(jobs, -1));
    }
  }

  void ListActions(const Field& actions) {
    for (Action& action : actions_) action.enabled = false;
    int64_t priority = 0;
    for (const std::string& name : CommaList(actions.AsText())) {
      Action* action = ActionNamed(name);
      if (action == nullptr) {
        actions.Ignored(absl::StrCat("action ", Quote(name), " is not known"));
        continue;
      }
      if (action->enabled) {
        actions.Ignored(absl::StrCat("action ", Quote(name), " runs once; its first place counts"));
        continue;
      }
      action->enabled = true;
      action->priority = --priority;
    }
    std::ranges::stable_sort(actions_, std::greater<>(), &Action::priority);
    RequireAnAction(actions);
  }

  void RequireAnAction(const Field& actions) const {
    if (std::ranges::any_of(actions_, &Action::enabled)) return;
    actions.Refuse(absl::StrCat(
        "no action is left; expected one of ",
        absl::StrJoin(kActions, ", ", [](std::string* out, auto name) { out->append(name); })));
  }

  void ReadTiers(const Field& file) {
    std::vector<std::string> listed;
    for (const Field& tier : file.Items("tiers")) {
      for (const Field& plugin : tier.Items("plugins")) {
        const std::string name = plugin.Text("name");
        listed.push_back(name);
        if (!IsPlugin(name)) plugin.Ignored("the profile has no such plugin");
        ReadArguments(name, plugin.Section("arguments"));
      }
    }
    for (const auto& [name, option] : kSwitchPlugins) {
      if (!Lists(listed, name)) Switch(name, false);
    }
    for (const std::string_view name : {"gpupack", "gpuspread", "nodeplacement"}) {
      if (name != "nodeplacement" || !Lists(listed, name)) Switch(name, Lists(listed, name));
    }
    for (const std::string_view name : kFixedPlugins) {
      if (Lists(listed, name) || name == "snapshot") continue;
      file["tiers"].Ignored(
          absl::StrCat("plugin ", Quote(name), " is not listed; the profile always has it"));
    }
  }

  void ReadUsage(const Field& config) {
    if (!config.given()) return;
    config.Quiet({"clientType", "connectionString", "connectionStringEnvVar"});
    const Field params = config.Section("usageParams");
    params.Quiet({"fetchInterval", "stalenessPeriod", "waitTimeout", "extraParams"});
    rules_.Set("usage", "on");
    if (params["windowSize"].truthy()) {
      rules_.Set("usage_window", DurationOf(params["windowSize"], /*least=*/1));
    }
    if (params["halfLifePeriod"].truthy()) {
      rules_.Set("usage_half_life", DurationOf(params["halfLifePeriod"], /*least=*/0));
    }
    ReadWindowType(params);
  }

  void ReadWindowType(const Field& params) {
    const std::string type = params.Text("windowType", "sliding");
    if (type == "sliding") return;
    if (type != "tumbling") {
      return params["windowType"].Ignored(
          absl::StrCat(Quote(type), " is not known; the window slides"));
    }
    const std::optional<int64_t> start = ParseTime(params.Text("tumblingWindowStartTime"));
    if (!start) {
      return params["windowType"].Ignored("tumblingWindowStartTime is no time; the window slides");
    }
    if (*start < 0) {
      return params["tumblingWindowStartTime"].Refuse("begins before 1970; expected a later time");
    }
    rules_.Set("usage_window_start", absl::StrCat(*start));
  }

  // Nothing where the actions are those of the profile.
  std::string ActionsText() const {
    std::vector<std::string> names, usual(std::begin(kActions), std::end(kActions));
    for (const Action& action : actions_) {
      if (!action.enabled) continue;
      names.push_back(action.depth.empty()
                          ? action.name
                          : absl::StrCat(action.name, "(depth=", action.depth, ")"));
    }
    return names == usual ? "" : absl::StrJoin(names, "+");
  }

  ProfileOptions rules_;
  std::vector<Action> actions_;  // in the order in which they run
  bool packs_ = true, spreads_ = false;
};

}  // namespace

std::string ReadShardSettings(const Field& spec) {
  SettingsReader reader;
  reader.ReadShard(spec);
  return reader.Text();
}

std::string ReadFileSettings(const Field& file) {
  SettingsReader reader;
  reader.ReadFile(file);
  return reader.Text();
}

}  // namespace muster::kai
