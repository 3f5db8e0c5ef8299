// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Armada's scheduling configuration as options of action round.
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/import/armada.h"

namespace muster::armada {
namespace {

struct NumberRule {
  std::string_view key, option;
};
constexpr NumberRule kNumbers[] = {{"protectedFractionOfFairShare", "protected"},
                                   {"maxQueueLookback", "lookback"},
                                   {"maximumSchedulingRate", "rate"},
                                   {"maximumSchedulingBurst", "burst"},
                                   {"maximumPerQueueSchedulingRate", "queue_rate"},
                                   {"maximumPerQueueSchedulingBurst", "queue_burst"}};

// Parts that decide nothing.
constexpr std::string_view kQuiet[] = {"supportedResourceTypes",
                                       "enableAssertions",
                                       "nodeIdLabel",
                                       "disableScheduling",
                                       "maxSchedulingDuration",
                                       "executorTimeout",
                                       "executorUpdateFrequency",
                                       "maxUnacknowledgedJobsPerExecutor"};

class ConfigImport {
 public:
  ConfigImport(const Field& field, const std::string& cordoned) : field_(field) {
    Set("cordoned", cordoned);
  }

  ImportedConfig Read() {
    for (const NumberRule& rule : kNumbers) Set(rule.option, field_[rule.key]);
    if (field_.Bool("enablePreferLargeJobOrdering", false)) Set("prefer_large", "on");
    ReadClasses();
    Set("default_class", field_.Text("defaultPriorityClassName"));
    Set("round_limit", Parts(field_.Section("maximumResourceFractionToSchedule")));
    ReadResources();
    Set("indexed_labels", Joined("indexedNodeLabels"));
    Set("indexed_taints", Joined("indexedTaints"));
    field_.Quiet(kQuiet);
    ReadPools();
    return std::move(config_);
  }

 private:
  void Set(std::string_view option, const Field& value) {
    if (value.given()) Set(option, value.ScalarText());
  }

  void Set(std::string_view option, std::string value) {
    if (value.empty()) return;
    // A spec string has no way to write these.
    if (value.find_first_of(",()") != std::string::npos) {
      field_.Refuse(absl::StrCat(Quote(value), " for option ", ToAbsl(option),
                                 " must not have commas or parentheses"));
    }
    options_[std::string(option)] = std::move(value);
  }

  // "cpu:0.5+memory:1"
  static std::string Parts(const Field& object) {
    std::vector<std::string> parts;
    for (const Field& part : object.Children()) {
      parts.push_back(absl::StrCat(ToAbsl(part.key()), ":", part.ScalarText()));
    }
    return absl::StrJoin(parts, "+");
  }

  std::string Joined(std::string_view key) const { return absl::StrJoin(field_.Texts(key), "+"); }

  void ReadClasses() {
    std::vector<std::string> classes, types;
    for (const Field& item : field_.Section("priorityClasses").Children()) {
      const std::string name(item.key());
      config_.classes.push_back(name);
      std::string text = absl::StrCat(name, ":", item.Int64("priority", 0));
      if (item.Bool("preemptible", false)) text += ":preemptible";
      for (const Field& away : item.Items("awayNodeTypes")) {
        if (away["nodeTypes"].truthy()) away["nodeTypes"].Ignored("conditions are not considered");
        const std::string type = away.Text("wellKnownNodeTypeName");
        if (!type.empty()) absl::StrAppend(&text, ":", type, "@", away.Int64("priority", 0));
      }
      classes.push_back(std::move(text));
      AddLimits(name, item.Section("maximumResourceFractionPerQueue"), &class_limits_);
      for (const Field& pool : item.Section("maximumResourceFractionPerQueueByPool").Children()) {
        if (!HasPool(pool)) continue;
        AddLimits(name, pool, &class_limits_of_[std::string(pool.key())]);
      }
    }
    for (const Field& type : field_.Items("wellKnownNodeTypes")) {
      for (const Field& taint : type.Items("taints")) {
        types.push_back(absl::StrCat(type.Text("name"), ":", taint.Text("key"), ":",
                                     taint.Text("value"), ":", taint.Text("effect", "NoSchedule")));
      }
    }
    Set("classes", absl::StrJoin(classes, "+"));
    Set("class_limits", absl::StrJoin(class_limits_, "+"));
    Set("node_types", absl::StrJoin(types, "+"));
  }

  static void AddLimits(const std::string& name, const Field& parts,
                        std::vector<std::string>* limits) {
    for (const Field& part : parts.Children()) {
      limits->push_back(absl::StrCat(name, "/", ToAbsl(part.key()), ":", part.ScalarText()));
    }
  }

  // Whether the member is that of a pool of the configuration. Reports another one.
  bool HasPool(const Field& member) const {
    for (const Field& pool : field_.Items("pools")) {
      if (pool["name"].Is(member.key())) return true;
    }
    member.Ignored("the configuration has no such pool");
    return false;
  }

  // "cpu:1+gpu:2"
  static std::string Multipliers(const std::vector<Field>& items) {
    std::vector<std::string> parts;
    for (const Field& item : items) {
      const std::string multiplier = item["multiplier"].ScalarText();
      parts.push_back(absl::StrCat(item.Text("name"), ":", multiplier.empty() ? "1" : multiplier));
    }
    return absl::StrJoin(parts, "+");
  }

  void ReadResources() {
    constexpr std::string_view kCosts = "dominantResourceFairnessResourcesToConsider";
    Set("resources", absl::StrJoin(field_.Texts(kCosts), "+"));
    Set("resources",
        Multipliers(field_.Items("experimentalDominantResourceFairnessResourcesToConsider")));
    for (const Field& pool : field_.Section("maximumResourceFractionToScheduleByPool").Children()) {
      if (HasPool(pool)) round_limit_of_[std::string(pool.key())] = Parts(pool);
    }
    std::vector<std::string> parts;
    for (const Field& item : field_.Items("indexedResources")) {
      parts.push_back(absl::StrCat(item.Text("name"), ":", item["resolution"].ScalarText()));
    }
    Set("indexed", absl::StrJoin(parts, "+"));
  }

  // What the pool, "" for the only one, has of floating resources.
  std::string Floating(const std::string& pool) const {
    std::vector<std::string> parts;
    for (const char* key : {"floatingResources", "experimentalFloatingResources"}) {
      for (const Field& item : field_.Items(key)) {
        for (const Field& of_pool : item.Items("pools")) {
          if (of_pool.Text("name") != pool) continue;
          parts.push_back(absl::StrCat(item.Text("name"), ":", of_pool["quantity"].ScalarText()));
        }
      }
    }
    return absl::StrJoin(parts, "+");
  }

  // The options of one pool's round, in parentheses.
  std::string Options(const Field* pool, bool named) {
    const std::map<std::string, std::string> shared = options_;
    if (pool != nullptr) ReadPool(*pool, named);
    std::vector<std::string> words;
    for (const auto& [option, value] : options_) words.push_back(absl::StrCat(option, "=", value));
    options_ = shared;
    return words.empty() ? "" : absl::StrCat("(", absl::StrJoin(words, ","), ")");
  }

  void ReadPool(const Field& pool, bool named) {
    constexpr NumberRule kSwitches[] = {{"disableHomeScheduling", "home"},
                                        {"disableAwayScheduling", "away_nodes"},
                                        {"disableGangAwayScheduling", "gang_away"},
                                        {"disableFairshareScheduling", "fair_share"},
                                        {"disableFairSharePreemption", "fair_share"},
                                        {"disableUrgencyScheduling", "urgency"},
                                        {"disableUrgencyBasedPreemption", "urgency"},
                                        {"disablePreemptCrossPoolJobsFirst", "home_first"}};
    const std::string name = pool.Text("name");
    if (named) Set("pool", name);
    Set("protected", pool["protectedFractionOfFairShare"]);
    for (const NumberRule& rule : kSwitches) {
      if (pool.Bool(rule.key, false)) Set(rule.option, "off");
    }
    if (pool.Bool("experimentalProtectUncappedAdjustedFairShare", false)) {
      Set("protect_uncapped", "on");
    }
    Set("unscheduled", absl::StrJoin(pool.Texts("experimentalUnscheduledResources"), "+"));
    const Field rate = pool.Section("fairsharePreemptionRateLimit");
    Set("preemption_rate", rate["maximumRate"]);
    Set("preemption_burst", rate["maximumBurst"]);
    const Field market = pool.Section("experimentalMarketScheduling");
    if (market.Bool("enabled", false)) {
      Set("market", "on");
      Set("spot_cutoff", market["spotPriceCutoff"]);
    }
    // Prices of gangs are reported, and decide nothing.
    market.Quiet({"spotPriceCutoff", "gangIndicativePricingTimeout", "gangsToPrice"});
    Set("floating", Floating(name));
    ReadLimits(pool, name);
    ReadOptimiser(pool.Section("experimentalOptimiser"));
    for (const char* key :
         {"experimentalRunReconciliation", "experimentalSubmissionGroup", "jobDefaults"}) {
      if (pool[key].truthy()) pool[key].Ignored("not considered");
    }
  }

  // What the pool has in place of what all pools have.
  void ReadLimits(const Field& pool, const std::string& name) {
    std::vector<std::string> limits = class_limits_;
    if (const auto own = class_limits_of_.find(name); own != class_limits_of_.end()) {
      limits.insert(limits.end(), own->second.begin(), own->second.end());
    }
    Set("class_limits", absl::StrJoin(limits, "+"));
    if (const auto own = round_limit_of_.find(name); own != round_limit_of_.end()) {
      Set("round_limit", own->second);
    }
    Set("resources", Multipliers(pool.Items("dominantResourceFairnessResourcesToConsider")));
    if (const auto cutoff = pool.Duration("shortJobPenaltyCutoff")) {
      Set("short_job_cutoff", absl::StrCat(*cutoff));
    }
  }

  // What is not given is 0 at the peer, and not the option's default.
  void ReadOptimiser(const Field& optimiser) {
    optimiser.Quiet({"timeout"});
    if (!optimiser.Bool("enabled", false)) {
      return optimiser.Quiet({"interval", "maximumJobsPerRound",
                              "minimumFairnessImprovementPercentage",
                              "maximumResourceFractionToSchedule", "minimumJobSizeToSchedule",
                              "maximumJobSizeToPreempt"});
    }
    const auto number = [&](std::string_view key) {
      return optimiser[key].given() ? optimiser[key].ScalarText() : std::string("0");
    };
    Set("optimiser", "on");
    Set("optimiser_jobs", number("maximumJobsPerRound"));
    Set("optimiser_gain", number("minimumFairnessImprovementPercentage"));
    Set("optimiser_limit", Parts(optimiser.Section("maximumResourceFractionToSchedule")));
    Set("optimiser_smallest", Parts(optimiser.Section("minimumJobSizeToSchedule")));
    Set("optimiser_largest", Parts(optimiser.Section("maximumJobSizeToPreempt")));
    if (const auto interval = optimiser.Duration("interval")) {
      Set("optimiser_interval", absl::StrCat(*interval));
    }
  }

  void ReadPools() {
    const std::vector<Field> pools = field_.Items("pools");
    std::vector<std::string> away;
    for (const Field& pool : pools) {
      config_.pools.push_back(pool.Text("name"));
      for (const std::string& other : pool.Texts("awayPools")) {
        away.push_back(absl::StrCat(pool.Text("name"), ":", other));
      }
    }
    if (pools.size() < 2) {
      const std::string options = Options(pools.empty() ? nullptr : &pools[0], /*named=*/false);
      if (!options.empty()) config_.profile = absl::StrCat("armada:round", options);
      return;
    }
    Set("away", absl::StrJoin(away, "+"));
    std::vector<std::string> rounds;
    for (const Field& pool : pools) rounds.push_back("round" + Options(&pool, /*named=*/true));
    config_.profile = absl::StrCat("armada:actions=", absl::StrJoin(rounds, "+"));
  }

  const Field field_;
  std::map<std::string, std::string> options_;
  std::vector<std::string> class_limits_;
  std::map<std::string, std::vector<std::string>> class_limits_of_;  // by pool, and so the next
  std::map<std::string, std::string> round_limit_of_;
  ImportedConfig config_;
};

}  // namespace

ImportedConfig ReadConfig(const Field* configuration, const std::string& cordoned) {
  ImportedConfig config;
  if (configuration != nullptr) {
    // A configuration of the whole scheduler has it as a part.
    const Field part = configuration->Section("scheduling");
    if (part.given()) configuration->QuietRest();
    config = ConfigImport(part.given() ? part : *configuration, cordoned).Read();
  } else if (!cordoned.empty()) {
    config.profile = absl::StrCat("armada:round(cordoned=", cordoned, ")");
  }
  // Those of the profile.
  if (config.classes.empty()) config.classes = {"armada-default", "armada-preemptible"};
  return config;
}

}  // namespace muster::armada
