// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/koordinator_descheduler.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/import/koordinator_objects.h"
#include "lib/import/kubernetes.h"

namespace muster {
namespace {

constexpr std::string_view kLoadPlugin = "LowNodeLoad";
constexpr std::string_view kMigrationPlugin = "MigrationController";
constexpr std::string_view kAbnormalRounds = "consecutiveAbnormalities";
constexpr std::string_view kNormalRounds = "consecutiveNormalities";

// Options in the order in which they were set.
class RebalanceText {
 public:
  void Set(std::string_view option, absl::string_view value) {
    std::string text(value);
    for (auto& [known, old] : options_) {
      if (known == option) return void(old = std::move(text));
    }
    options_.emplace_back(option, std::move(text));
  }
  void SetFlag(std::string_view option, bool is_on) { Set(option, is_on ? "on" : "off"); }
  std::string Text() const {
    std::vector<std::string> words;
    for (const auto& [option, value] : options_) words.push_back(absl::StrCat(option, "=", value));
    return absl::StrJoin(words, ",");
  }

 private:
  std::vector<std::pair<std::string, std::string>> options_;
};

// --- values

void SetWhole(const Field& arguments, std::string_view key, std::string_view option,
              absl::string_view rule, RebalanceText* options) {
  if (!arguments[key].given()) return;
  const int64_t number = arguments.Int64(key, 0);
  if (number < 0) return arguments[key].Refuse(std::string_view(rule.data(), rule.size()));
  options->Set(option, absl::StrCat(std::min<int64_t>(number, 1'000'000'000)));
}

void SetSwitch(const Field& arguments, std::string_view key, std::string_view option,
               RebalanceText* options) {
  if (arguments[key].given()) options->SetFlag(option, arguments.Bool(key, false));
}

// Names that become part of an option.
std::vector<std::string> PlainTexts(const Field& holder, std::string_view key) {
  for (const Field& name : holder[key].Children()) RequirePlain(name, name.ScalarText());
  return holder.Texts(key);
}

// Percentages by resource, "cpu:50;memory:60".
std::string PercentsOf(const Field& thresholds) {
  std::vector<std::string> parts;
  for (const Field& percent : thresholds.Children()) {
    double number = 0;
    const std::string text = percent.ScalarText();
    RequirePlain(percent, percent.key());
    if (!absl::SimpleAtod(text, &number)) {
      percent.RefuseKind("a percentage");
    } else if (number < 0) {
      percent.Refuse("percentage must be greater than or equal to 0");
    } else {
      parts.push_back(absl::StrCat(ToAbsl(percent.key()), ":", text));
    }
  }
  return absl::StrJoin(parts, ";");
}

// Refuses what is above another percentage of the same resource.
void CheckThresholds(const Field& lower, const Field& upper, std::string_view rule) {
  for (const Field& percent : lower.Children()) {
    double below = 0, above = 0;
    if (absl::SimpleAtod(percent.ScalarText(), &below) &&
        absl::SimpleAtod(upper[percent.key()].ScalarText(), &above) && below > above) {
      percent.Refuse(rule);
    }
  }
}

std::string SelectorOf(const Field& selector) {
  const std::optional<Selector> read = ReadSelector(selector);
  if (!read) return "";
  if (const std::optional<Field> odd = NotPlainIn(selector)) {
    RequirePlain(*odd, IsPlainText(odd->key()) ? odd->ScalarText() : odd->key());
  }
  return SelectorText(*read);
}

// --- which tasks may leave

struct Choice {
  std::vector<std::string> included = {}, excluded = {};
};

Choice ReadNamespaces(const Field& spaces) {
  Choice choice{PlainTexts(spaces, "include"), PlainTexts(spaces, "exclude")};
  if (!choice.included.empty() && !choice.excluded.empty()) {
    spaces.Refuse("only one of Include/Exclude namespaces can be set");
  }
  return choice;
}

// What two choices leave, both holding. Returns false if nothing is left.
bool Narrow(const Choice& other, Choice* choice) {
  for (const std::string& name : other.excluded) {
    if (std::ranges::find(choice->excluded, name) == choice->excluded.end()) {
      choice->excluded.push_back(name);
    }
  }
  if (choice->included.empty()) {
    choice->included = other.included;
  } else if (!other.included.empty()) {
    std::erase_if(choice->included, [&](const std::string& name) {
      return std::ranges::find(other.included, name) == other.included.end();
    });
    if (choice->included.empty()) return false;
  }
  if (choice->included.empty()) return true;
  std::erase_if(choice->included, [&](const std::string& name) {
    return std::ranges::find(choice->excluded, name) != choice->excluded.end();
  });
  choice->excluded.clear();
  return !choice->included.empty();
}

// --- the reader

class DeschedulerReader {
 public:
  explicit DeschedulerReader(const Dump& dump) : dump_(dump) {}

  std::string Read(const Field& root) {
    root.RequireKind("DeschedulerConfiguration");
    root.Quiet({"apiVersion", "kind", "leaderElection", "clientConnection", "healthzBindAddress",
                "metricsBindAddress", "enableProfiling", "enableContentionProfiling",
                "deschedulingInterval"});
    NoteDryRun(root);
    SetWhole(root, "maxNoOfPodsToEvictPerNode", "most_of_node", "must not be negative", &options_);
    SetWhole(root, "maxNoOfPodsToEvictPerNamespace", "most_of_namespace", "must not be negative",
             &options_);
    SetWhole(root, "maxNoOfPodsToEvictTotal", "most", "must not be negative", &options_);
    const std::vector<Field> profiles = root.Items("profiles");
    for (size_t i = 1; i < profiles.size(); ++i) {
      Report(profiles[i], "one profile is read, the first");
    }
    if (profiles.empty()) {
      options_.Set("load", "off");
    } else {
      ReadProfile(profiles[0]);
    }
    SetChoice(root);
    return options_.Text();
  }

 private:
  // A plug-in that chooses tasks, the option that switches it, and its arguments.
  struct PluginRule {
    std::string_view name, option;
    void (DeschedulerReader::*read)(const Field& arguments);
  };
  static const PluginRule kRules[7];

  static const PluginRule* RuleOf(std::string_view name) {
    const auto rule = std::ranges::find(kRules, name, &PluginRule::name);
    return rule == std::end(kRules) ? nullptr : &*rule;
  }

  // Of an element of a list, where the others were read.
  static void Report(const Field& element, std::string_view text) {
    element.QuietRest();
    element.log()->Ignored(element.object(), element.Path(), text);
  }

  static void NoteDryRun(const Field& holder) {
    if (!holder.Bool("dryRun", false)) return;
    holder["dryRun"].Ignored("a plan is what such a run would do");
  }

  void ReadProfile(const Field& profile) {
    profile.Quiet({"name"});
    const Field plugins = profile.Section("plugins");
    std::vector<std::string> enabled;
    for (const char* point : {"deschedule", "balance", "evict", "filter"}) {
      const Field set = plugins.Section(point);
      for (const Field& item : set.Items("enabled")) {
        const std::string name = item.Text("name");
        enabled.push_back(name);
        if (name.empty() || name == kMigrationPlugin || RuleOf(name) != nullptr) continue;
        Report(item, absl::StrCat("no rule of action rebalance is plug-in ", Quote(name)));
      }
      // By default nothing is on but MigrationController.
      for (const Field& item : set.Items("disabled")) {
        const std::string name = item.Text("name");
        const bool is_kept = std::ranges::find(enabled, kMigrationPlugin) != enabled.end();
        if (std::string_view(point) == "evict" && !is_kept &&
            (name == "*" || name == kMigrationPlugin)) {
          Report(item, "the rules of MigrationController hold all the same");
        }
      }
    }
    const auto is_on = [&](std::string_view name) {
      return std::ranges::find(enabled, name) != enabled.end();
    };
    has_other_rules_ = std::ranges::any_of(kRules, [&](const PluginRule& rule) {
      return rule.name != kLoadPlugin && is_on(rule.name);
    });
    for (const PluginRule& rule : kRules) {
      if (rule.option != "levels" && (rule.name == kLoadPlugin) != is_on(rule.name)) {
        options_.SetFlag(rule.option, rule.name != kLoadPlugin);
      }
    }
    std::vector<std::string> configured;
    for (const Field& item : profile.Items("pluginConfig")) {
      const std::string name = item.Text("name");
      if (std::ranges::find(configured, name) != configured.end()) {
        item["name"].Refuse(absl::StrCat(Quote(name), " is configured twice; once is allowed"));
      }
      configured.push_back(name);
      ReadArguments(item, is_on(name));
    }
    if (is_on(kLoadPlugin) && !has_load_arguments_) SetNoThresholds(profile);
  }

  void ReadArguments(const Field& item, bool is_on) {
    const std::string name = item.Text("name");
    const Field arguments = item.Section("args");
    arguments.Quiet({"apiVersion", "kind"});
    if (name == kMigrationPlugin) return ReadMigration(arguments);
    const PluginRule* rule = RuleOf(name);
    if (rule == nullptr || !is_on) {
      arguments.Ignored(rule == nullptr ? "the plug-in is not known"
                                        : "the plug-in is not enabled");
    } else if (rule->read != nullptr) {
      NoteDryRun(arguments);
      (this->*rule->read)(arguments);
    }
  }

  // Without thresholds of the peer's there is nothing that a load could be above.
  void SetNoThresholds(const Field& holder) {
    options_.Set("load", "off");
    holder.log()->Note(holder.object(), holder.Path(), "LowNodeLoad has no thresholds");
  }

  void ReadLoad(const Field& arguments) {
    has_load_arguments_ = true;
    if (arguments.Bool("paused", false)) options_.Set("load", "off");
    SetWhole(arguments, "numberOfNodes", "idle_nodes", "must be greater than or equal to 0",
             &options_);
    SetExpiration(arguments);
    if (const auto seconds = arguments.Duration("detectorCacheTimeout")) {
      options_.Set("remembered", absl::StrCat(*seconds));
    }
    SetSwitch(arguments, "nodeFit", "node_fit", &options_);
    for (const char* key : {"evictableNamespaces", "podSelectors"}) {
      if (has_other_rules_ && arguments[key].truthy()) {
        arguments[key].Ignored("is LowNodeLoad's own; it holds for all plug-ins here");
      }
    }
    AddNamespaces(arguments.Section("evictableNamespaces"));
    for (const Field& item : arguments.Items("podSelectors")) {
      item.Quiet({"name"});
      if (item["selector"].given()) selectors_.push_back(SelectorOf(item["selector"]));
    }
    const std::vector<Field> pools = arguments.Items("nodePools");
    const Field nodes = arguments["nodeSelector"];
    const bool has_own = HasThresholds(arguments);
    if (pools.empty() && !has_own) return SetNoThresholds(arguments);
    SetThresholds(arguments);
    if (pools.empty() && !nodes.given()) return;
    std::vector<std::string> texts;
    if (has_own) {
      texts.push_back(PoolText({{"select", SelectorOf(nodes)}}, arguments));
    }
    for (const Field& pool : pools) {
      pool.Quiet({"name"});
      texts.push_back(PoolText(PoolFields(pool, arguments), pool));
    }
    options_.Set("pools", absl::StrJoin(texts, "|"));
  }

  void SetExpiration(const Field& arguments) {
    const Field seconds = arguments["nodeMetricExpirationSeconds"];
    if (!seconds.given()) return;
    if (arguments.Int64(seconds.key(), 1) < 1) {
      seconds.Refuse("nodeMetricExpiredSeconds should be a positive value");
    }
    SetWhole(arguments, seconds.key(), "expiration", "must not be negative", &options_);
  }

  static bool HasThresholds(const Field& holder) {
    return std::ranges::any_of(kThresholdNames,
                               [&](const auto& names) { return holder[names.first].truthy(); });
  }

  void SetThresholds(const Field& arguments) {
    CheckPairs(arguments, arguments);
    for (const auto& [key, option] : kThresholdNames) {
      const std::string text = PercentsOf(arguments.Section(key));
      const bool has_default = option == "low" || option == "high";
      if (!text.empty() || has_default) options_.Set(option, text);
    }
    SetSwitch(arguments, "useDeviationThresholds", "distance", &options_);
    const Field weights = arguments.Section("resourceWeights");
    if (weights.truthy()) options_.Set("weights", WeightsOf(weights));
    SetAnomaly(arguments.Section("anomalyCondition"));
  }

  // What a pool leaves out is as the arguments have it.
  static void CheckPairs(const Field& pool, const Field& arguments) {
    const auto side = [&](std::string_view key) {
      return (pool[key].given() ? pool : arguments).Section(key);
    };
    CheckThresholds(side("lowThresholds"), side("highThresholds"),
                    "low percentage must be less than or equal to highThresholds");
    CheckThresholds(side("prodLowThresholds"), side("prodHighThresholds"),
                    "low percentage must be less than or equal to prodHighThresholds");
    CheckThresholds(side("prodHighThresholds"), side("highThresholds"),
                    "node percentage must be greater than or equal to prodHighThresholds");
  }

  static std::string WeightsOf(const Field& weights) {
    std::vector<std::string> parts;
    for (const Field& weight : weights.Children()) {
      RequirePlain(weight, weight.key());
      const int64_t number = weights.Int64(weight.key(), 0);
      parts.push_back(absl::StrCat(ToAbsl(weight.key()), ":", std::max<int64_t>(number, 0)));
    }
    return absl::StrJoin(parts, ";");
  }

  static int64_t RoundsOf(const Field& condition, std::string_view key) {
    const int64_t rounds = condition.Int64(key, 0);
    if (rounds < 0) condition[key].Refuse(absl::StrCat(ToAbsl(key), " must be greater than 0"));
    return rounds;
  }

  // Of a condition that is given: 5 abnormal rounds where it has none, or else 3 normal ones.
  void SetAnomaly(const Field& condition) {
    if (!condition.given()) return;
    const int64_t abnormal = RoundsOf(condition, kAbnormalRounds);
    int64_t normal = RoundsOf(condition, kNormalRounds);
    if (abnormal == 0 && normal == 0) {
      condition.Refuse(absl::StrCat(ToAbsl(kNormalRounds), " must be greater than 0"));
    }
    if (normal == 0) normal = 3;
    options_.Set("abnormal", absl::StrCat(abnormal == 0 ? 5 : abnormal));
    options_.Set("normal", absl::StrCat(normal));
    options_.Set("timeout", absl::StrCat(condition.Duration("timeout").value_or(0)));
  }

  using PoolFieldTexts = std::vector<std::pair<std::string, std::string>>;

  // Those that a pool gives itself.
  static PoolFieldTexts PoolFields(const Field& pool, const Field& arguments) {
    PoolFieldTexts fields = {{"select", SelectorOf(pool["nodeSelector"])}};
    CheckPairs(pool, arguments);
    for (const auto& [key, option] : kThresholdNames) {
      if (pool[key].given()) fields.emplace_back(option, PercentsOf(pool.Section(key)));
    }
    const Field weights = pool.Section("resourceWeights");
    if (weights.given()) fields.emplace_back("weights", WeightsOf(weights));
    const Field condition = pool.Section("anomalyCondition");
    if (!condition.given()) return fields;
    for (const auto& [key, option] :
         {std::pair(kAbnormalRounds, "abnormal"), std::pair(kNormalRounds, "normal")}) {
      const int64_t rounds = RoundsOf(condition, key);
      if (rounds > 0) fields.emplace_back(option, absl::StrCat(rounds));
    }
    fields.emplace_back("timeout", absl::StrCat(condition.Duration("timeout").value_or(0)));
    return fields;
  }

  // Whether thresholds are distances is each one's own.
  static std::string PoolText(PoolFieldTexts fields, const Field& holder) {
    if (fields[0].second.empty()) fields.erase(fields.begin());
    const bool is_distance = holder.Bool("useDeviationThresholds", false);
    fields.emplace_back("distance", is_distance ? "on" : "off");
    const auto write = [](std::string* out, const auto& field) {
      absl::StrAppend(out, field.first, ":", field.second);
    };
    return absl::StrJoin(fields, "&", write);
  }

  void ReadFragmentation(const Field& arguments) {
    if (arguments.Bool("paused", false)) options_.Set("fragmentation", "off");
    const std::vector<std::string> names = PlainTexts(arguments, "resources");
    if (!names.empty()) options_.Set("resources", absl::StrJoin(names, ";"));
    for (const auto& [key, option] : {std::pair("imbalanceThreshold", "imbalance"),
                                      std::pair("minImprovementThreshold", "gain")}) {
      const std::string text = arguments[key].ScalarText();
      double number = 0;
      if (!arguments[key].given()) continue;
      if (!absl::SimpleAtod(text, &number)) arguments[key].RefuseKind("a number");
      options_.Set(option, text);
    }
  }

  void ReadLevels(const Field& arguments) {
    if (arguments.Bool("paused", false)) return arguments.QuietRest();
    std::vector<std::string> levels;
    for (const Field& item : arguments.Items("evictionOrder")) {
      const std::string selector = SelectorOf(item["nodeSelector"]);
      RequirePlain(item["name"], item.Text("name"));
      levels.push_back(selector.empty() ? item.Text("name")
                                        : absl::StrCat(item.Text("name"), ":", selector));
    }
    options_.Set("levels", absl::StrJoin(levels, "|"));
    const std::string mode = arguments.Text("mode");
    if (mode == "DrainNode") options_.Set("whole_nodes", "on");
    if (!mode.empty() && mode != "DrainNode" && mode != "BestEffort") {
      arguments["mode"].Refuse(absl::StrCat(Quote(mode), " is neither BestEffort nor DrainNode"));
    }
  }

  void ReadMigration(const Field& arguments) {
    NoteDryRun(arguments);
    for (const auto& [key, option] :
         {std::pair("maxMigratingGlobally", "migrating"),
          std::pair("maxMigratingPerNode", "migrating_of_node"),
          std::pair("maxMigratingPerNamespace", "migrating_of_namespace")}) {
      SetWhole(arguments, key, option, absl::StrCat(key, " should be greater or equal 0"),
               &options_);
    }
    for (const auto& [key, option] :
         {std::pair("maxMigratingPerWorkload", "migrating_of_workload"),
          std::pair("maxUnavailablePerWorkload", "unavailable_of_workload")}) {
      if (arguments[key].given()) options_.Set(option, PortionOf(arguments[key]));
    }
    if (arguments.Bool("skipCheckExpectedReplicas", false)) options_.Set("replicas", "off");
    const std::string mode = arguments.Text("defaultJobMode");
    if (!mode.empty() && mode != "ReservationFirst" && mode != "EvictDirectly") {
      arguments["defaultJobMode"].Refuse(
          "defaultJobMode must be ReservationFirst or EvictDirectly");
    }
    if (!mode.empty()) options_.Set("mode", mode == "EvictDirectly" ? "evict" : "reserve");
    if (const auto seconds = arguments.Duration("defaultJobTTL")) {
      options_.Set("ttl", absl::StrCat(*seconds));
    }
    ReadLimiters(arguments.Section("objectLimiters"));
    ReadEvictor(arguments);
    if (!arguments.Section("arbitrationArgs").Bool("enabled", true)) {
      arguments["arbitrationArgs"]["enabled"].Ignored("migrations are always arbitrated");
    }
    arguments["arbitrationArgs"].Quiet({"interval"});
    for (const char* key : {"evictQPS", "evictBurst"}) {
      double number = 1;
      const std::string text = arguments[key].ScalarText();
      if (!text.empty() && absl::SimpleAtod(text, &number) && number <= 0) {
        arguments[key].Refuse(absl::StrCat(key, " must be greater than 0"));
      }
    }
    if (arguments.Int64("maxConcurrentReconciles", 1) < 1) {
      arguments["maxConcurrentReconciles"].Refuse(
          "maxConcurrentReconciles should be greater than or equal to 1");
    }
    arguments.Quiet({"evictionPolicy", "defaultDeleteOptions", "schedulerNames"});
  }

  static std::string PortionOf(const Field& portion) {
    const std::string text = portion.ScalarText();
    const std::string digits = text.ends_with("%") ? text.substr(0, text.size() - 1) : text;
    int64_t number = 0;
    if (!absl::SimpleAtoi(digits, &number) || number < 0) {
      portion.Refuse(absl::StrCat(Quote(text), " is neither a number of pods nor a percentage"));
    }
    return text;
  }

  void ReadLimiters(const Field& limiters) {
    for (const Field& limiter : limiters.Children()) {
      if (limiter.key() != "workload") {
        limiter.Ignored("only workloads move a portion at a time");
        continue;
      }
      options_.Set("pace", absl::StrCat(limiter.Duration("duration").value_or(0)));
      if (limiter["maxMigrating"].truthy()) {
        limiter["maxMigrating"].Ignored("the portion is maxMigratingPerWorkload");
      }
    }
  }

  void ReadEvictor(const Field& arguments) {
    SetSwitch(arguments, "evictLocalStoragePods", "local_data", &options_);
    SetSwitch(arguments, "evictSystemCriticalPods", "critical", &options_);
    SetSwitch(arguments, "ignorePvcPods", "keep_claims", &options_);
    if (arguments.Bool("evictFailedBarePods", false)) {
      arguments["evictFailedBarePods"].Ignored("pods that failed are on no node");
    }
    const Field threshold = arguments.Section("priorityThreshold");
    if (threshold["value"].given()) {
      options_.Set("below_priority", absl::StrCat(threshold.Int32("value", 0)));
    } else if (const std::string name = threshold.Text("name"); !name.empty()) {
      SetThresholdByName(name, threshold["name"]);
    }
    AddNamespaces(arguments.Section("namespaces"));
    if (arguments["labelSelector"].given()) own_selector_ = SelectorOf(arguments["labelSelector"]);
    if (arguments.Bool("nodeFit", false)) {
      arguments["nodeFit"].Ignored("option node_fit is LowNodeLoad's");
    }
  }

  void SetThresholdByName(const std::string& name, const Field& place) {
    const PriorityClasses classes = ReadPriorityClasses(dump_);
    const auto known = classes.values.find(name);
    if (known != classes.values.end()) {
      return options_.Set("below_priority", absl::StrCat(known->second));
    }
    place.Ignored(absl::StrCat("priority class ", Quote(name), " is not there"));
  }

  void AddNamespaces(const Field& spaces) {
    if (!spaces.given()) return;
    if (!Narrow(ReadNamespaces(spaces), &choice_)) nothing_left_ = true;
  }

  // Tasks that one of the selectors chooses; each with the evictor's own labels.
  void SetChoice(const Field& root) {
    if (nothing_left_) {
      root.Refuse("namespaces of MigrationController and LowNodeLoad have none in common");
    }
    if (!choice_.included.empty()) options_.Set("include", absl::StrJoin(choice_.included, ";"));
    if (!choice_.excluded.empty()) options_.Set("exclude", absl::StrJoin(choice_.excluded, ";"));
    if (selectors_.empty() && own_selector_.empty()) return;
    if (selectors_.empty()) selectors_.emplace_back();
    for (std::string& selector : selectors_) {
      if (!selector.empty() && !own_selector_.empty()) absl::StrAppend(&selector, ";");
      absl::StrAppend(&selector, own_selector_);
    }
    // An empty selector chooses all.
    if (std::ranges::any_of(selectors_, [](const std::string& one) { return one.empty(); })) return;
    options_.Set("select", absl::StrJoin(selectors_, "|"));
  }

  static constexpr std::pair<std::string_view, std::string_view> kThresholdNames[] = {
      {"lowThresholds", "low"},
      {"highThresholds", "high"},
      {"prodLowThresholds", "production_low"},
      {"prodHighThresholds", "production_high"}};

  const Dump& dump_;
  RebalanceText options_;
  bool has_load_arguments_ = false, nothing_left_ = false;
  bool has_other_rules_ = false;  // than LowNodeLoad's
  Choice choice_;
  std::vector<std::string> selectors_;
  std::string own_selector_;
};

const DeschedulerReader::PluginRule DeschedulerReader::kRules[7] = {
    {kLoadPlugin, "load", &DeschedulerReader::ReadLoad},
    {"FragmentationAware", "fragmentation", &DeschedulerReader::ReadFragmentation},
    {"CustomPriority", "levels", &DeschedulerReader::ReadLevels},
    {"RemoveDuplicates", "duplicates", nullptr},
    {"RemovePodsViolatingNodeAffinity", "node_affinity", nullptr},
    {"RemovePodsViolatingNodeTaints", "taints", nullptr},
    {"RemovePodsViolatingInterPodAntiAffinity", "anti_affinity", nullptr}};

}  // namespace

std::string ReadDescheduler(const Field& configuration, const Dump& dump) {
  return DeschedulerReader(dump).Read(configuration);
}

}  // namespace muster
