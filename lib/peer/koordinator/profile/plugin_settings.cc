// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/plugin_settings.h"

#include <algorithm>
#include <initializer_list>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/peer/kube_scheduler/schedule_options.h"

namespace muster::koordinator {
namespace {

constexpr OptionDecl kPluginOptions[] = {
    {"coscheduling", OptionKind::kFlag, "on", 0, 0,
     "jobs with min_available above 1 are gangs, which are tried whole"},
    {"match_policy", OptionKind::kChoice, "once-satisfied", 0, 0,
     "once-satisfied|only-waiting|waiting-and-running: which pods count towards the least number "
     "of "
     "a gang that states no policy"},
    {"gang_wait", OptionKind::kWhole, "600", 1, 1e9,
     "seconds that a pod waits for its gang at most"},
    {"gang_preemption", OptionKind::kFlag, "off", 0, 0,
     "less important pods leave for all pending pods of a group of gangs at once"},
    {"quota", OptionKind::kFlag, "on", 0, 0,
     "queues are elastic quotas, with preemption within a queue alone, but for gang_preemption"},
    {"runtime", OptionKind::kFlag, "on", 0, 0, "off: queues are held to their limits alone"},
    {"scale_min", OptionKind::kFlag, "on", 0, 0,
     "minimums shrink together where there is less than all of them"},
    {"parents", OptionKind::kFlag, "off", 0, 0, "the queues above are held to theirs as well"},
    {"spare_default", OptionKind::kFlag, "on", 0, 0,
     "pods of no queue are never victims of preemption"},
    {"revoke", OptionKind::kFlag, "off", 0, 0,
     "queues that are above their runtime for long lose pods, the least important ones"},
    {"revoke_delay", OptionKind::kWhole, "120", 0, 1e9,
     "seconds that a queue may be above its runtime"},
    {"load", OptionKind::kFlag, "on", 0, 0, "measured loads of nodes filter and score"},
    {"load_filter", OptionKind::kFlag, "on", 0, 0, "off: measured loads refuse no node"},
    {"load_weight", OptionKind::kWhole, "1", 0, 1e6, "weight of the score by load"},
    {"cpu_threshold", OptionKind::kWhole, "65", 0, 100, "percent of cpu a node may get to; 0: any"},
    {"memory_threshold", OptionKind::kWhole, "95", 0, 100, "the same of memory"},
    {"cpu_factor", OptionKind::kWhole, "85", 0, 100, "percent of a request that is used"},
    {"memory_factor", OptionKind::kWhole, "70", 0, 100, "the same of memory"},
    {"load_cpu", OptionKind::kNumber, "1", 0, 1e6, "weight of cpu in the score by load"},
    {"load_memory", OptionKind::kNumber, "1", 0, 1e6, "weight of memory"},
    {"load_dominant", OptionKind::kNumber, "0", 0, 1e6, "weight of the scarcer of the two"},
    {"load_interval", OptionKind::kNumber, "60", 0, 1e9, "seconds that a measurement looks back"},
    {"load_warm_up", OptionKind::kWhole, "0", 0, 1e9,
     "seconds for which a pod counts with its estimate after it got its node"},
    {"load_expiration", OptionKind::kWhole, "180", 0, 1e9,
     "seconds after which a measurement is too old; 0: never"},
    {"load_expired", OptionKind::kChoice, "refuse", 0, 0,
     "refuse|pass|trust: what an old measurement means to pods"},
    {"production_cpu_threshold", OptionKind::kWhole, "0", 0, 100,
     "percent of cpu that production may use of a node for pods of production; 0 of both: they are "
     "held as others are"},
    {"production_memory_threshold", OptionKind::kWhole, "0", 0, 100, "the same of memory"},
    {"production_system", OptionKind::kFlag, "off", 0, 0,
     "what belongs to no pod counts as production"},
    {"production_score", OptionKind::kFlag, "off", 0, 0,
     "pods of production are scored by what production uses"},
    {"load_statistic", OptionKind::kChoice, "none", 0, 0,
     "none|avg|p50|p90|p95|p99: a statistic of the use of nodes that has thresholds, in place of "
     "their use"},
    {"load_window", OptionKind::kWhole, "0", 0, 1e9,
     "seconds that the statistic is of; 0: the most there are"},
    {"statistic_cpu_threshold", OptionKind::kWhole, "0", 0, 100,
     "percent of cpu that the statistic may get to; 0: any"},
    {"statistic_memory_threshold", OptionKind::kWhole, "0", 0, 100, "the same of memory"},
    {"score_statistic", OptionKind::kChoice, "none", 0, 0,
     "none|avg|p50|p90|p95|p99: a statistic that the score by load goes by, in place of use"},
    {"score_window", OptionKind::kWhole, "0", 0, 1e9,
     "seconds that it is of; 0: the most there are"},
    {"reservation", OptionKind::kFlag, "on", 0, 0,
     "reservations keep room of their nodes for their owners"},
    {"reservation_weight", OptionKind::kWhole, "5000", 0, 1e6,
     "weight of the score by reservations"},
    {"cluster_pre_allocation", OptionKind::kFlag, "off", 0, 0,
     "reservations that wait may take over any pod that is marked for it"},
    {"free_room_first", OptionKind::kFlag, "off", 0, 0,
     "they take over pods only where a node has not enough room beside these"},
    {"devices", OptionKind::kFlag, "on", 0, 0,
     "GPUs, RDMA cards and FPGAs of nodes are given to pods that request them"},
    {"device_strategy", OptionKind::kChoice, "least", 0, 0,
     "least|most: nodes and devices that are good, by what is in use of them"},
    {"device_weight", OptionKind::kWhole, "1", 0, 1e6, "weight of the score by devices"},
    {"device_zones", OptionKind::kFlag, "on", 0, 0,
     "devices come from the zones of CPUs and amounts, where a policy of zones holds"},
    {"numa", OptionKind::kFlag, "on", 0, 0,
     "CPUs and NUMA zones of nodes are given to pods by the policies of both"},
    {"numa_strategy", OptionKind::kChoice, "least", 0, 0,
     "least|most: nodes that are good, by what is in use of their CPUs and zones"},
    {"numa_weight", OptionKind::kWhole, "1", 0, 1e6, "weight of the score by CPUs and zones"},
    {"zone_strategy", OptionKind::kChoice, "least", 0, 0,
     "least|most: zones that are good, by what is in use of them"},
    {"cpu_bind", OptionKind::kChoice, "full", 0, 0,
     "full|spread: whether pods that name no policy get CPUs of full cores, or one of each core"},
    {"kinds", OptionKind::kText, "", 0, 0,
     "resources that nodes are scored by (NodeResourcesFitPlus): "
     "NAME:WEIGHT:least+NAME:WEIGHT:most, "
     "nodes of least or most use being good"},
    {"kinds_weight", OptionKind::kWhole, "1", 0, 1e6, "weight of that score"},
    {"scarce", OptionKind::kText, "", 0, 0,
     "resources that are kept for pods that request them (ScarceResourceAvoidance): NAME+..."},
    {"scarce_weight", OptionKind::kWhole, "1", 0, 1e6, "weight of that score"},
};

constexpr auto kAllOptions = kube::ScheduleOptionsAnd(kPluginOptions);

constexpr int64_t kNanoseconds = 1'000'000'000;

// Reads NAME:WEIGHT:least+NAME:WEIGHT:most; a weight or a strategy that is none gives weight 0.
std::vector<KindStrategy> StrategiesOf(const std::string& text) {
  std::vector<KindStrategy> strategies;
  if (text.empty()) return strategies;
  for (const absl::string_view item : absl::StrSplit(text, '+')) {
    KindStrategy& strategy = strategies.emplace_back();
    const std::vector<std::string> parts = absl::StrSplit(item, ':');
    strategy.kind = parts[0];
    const bool is_whole = parts.size() == 3 && (parts[2] == "least" || parts[2] == "most");
    if (!is_whole || !absl::SimpleAtoi(parts[1], &strategy.weight)) strategy.weight = 0;
    strategy.prefers_full = is_whole && parts[2] == "most";
  }
  return strategies;
}

LoadSettings LoadsOf(const Options& options, int64_t ticks) {
  const auto whole = [&](std::string_view name) {
    return static_cast<int64_t>(options.number(name));
  };
  const auto statistic = [&](std::string_view name, std::string_view window) {
    const std::string text = options.text(name);
    return LoadSettings::Statistic{text == "none" ? std::string() : text, whole(window)};
  };
  LoadSettings loads = LoadSettings::From(options, "load_", ticks);
  loads.by_band = true;
  loads.warm_up = whole("load_warm_up") * ticks;
  loads.of_production = {whole("production_cpu_threshold"), whole("production_memory_threshold")};
  loads.of_statistic = {whole("statistic_cpu_threshold"), whole("statistic_memory_threshold")};
  loads.with_system = options.flag("production_system");
  loads.scores_production = options.flag("production_score");
  loads.filtered = statistic("load_statistic", "load_window");
  loads.scored = statistic("score_statistic", "score_window");
  return loads;
}

// What is said of a statistic needs the statistic.
std::string CheckStatistics(const Options& options) {
  const auto check = [&](const char* statistic, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (options.text(statistic) != "none" || options.number(name) == 0) continue;
      return absl::StrCat(name, ": needs ", statistic);
    }
    return std::string();
  };
  const std::string wrong = check(
      "load_statistic", {"load_window", "statistic_cpu_threshold", "statistic_memory_threshold"});
  return wrong.empty() ? check("score_statistic", {"score_window"}) : wrong;
}

}  // namespace

std::string_view ExtraPluginName(ExtraPlugin plugin) {
  constexpr std::string_view kNames[] = {"Coscheduling",         "ElasticQuota",
                                         "LoadAwareScheduling",  "Reservation",
                                         "NodeResourcesFitPlus", "ScarceResourceAvoidance",
                                         "DeviceShare",          "NodeNUMAResource"};
  return kNames[static_cast<int>(plugin)];
}

std::span<const OptionDecl> PluginOptionDecls() { return kAllOptions; }

PluginSettings PluginSettings::From(const Options& options) {
  PluginSettings s;
  s.ticks = static_cast<int64_t>(options.number("ticks"));
  s.coscheduling = options.flag("coscheduling");
  s.gangs.policy = MatchPolicyByName(options.text("match_policy"));
  s.gangs.wait = static_cast<int64_t>(options.number("gang_wait")) * kNanoseconds;
  s.gangs_preempt = options.flag("gang_preemption");
  s.quota = options.flag("quota");
  s.quotas = {
      options.flag("runtime"), options.flag("scale_min"),
      options.flag("parents"), options.flag("spare_default"),
      options.flag("revoke"),  static_cast<int64_t>(options.number("revoke_delay")) * s.ticks};
  s.load = options.flag("load");
  s.load_filters = s.load && options.flag("load_filter");
  s.load_weight = static_cast<int64_t>(options.number("load_weight"));
  s.loads = LoadsOf(options, s.ticks);
  s.kinds.strategies = StrategiesOf(options.text("kinds"));
  if (!options.text("scarce").empty()) s.kinds.scarce = absl::StrSplit(options.text("scarce"), '+');
  s.kinds.strategy_weight = static_cast<int64_t>(options.number("kinds_weight"));
  s.kinds.scarce_weight = static_cast<int64_t>(options.number("scarce_weight"));
  s.devices = options.flag("devices");
  s.device.weight = static_cast<int64_t>(options.number("device_weight"));
  s.device.in_zones = options.flag("device_zones");
  s.device.scorer.prefer_full = options.text("device_strategy") == "most";
  for (const DeviceResource resource : {DeviceResource::kRatio, DeviceResource::kMemory,
                                        DeviceResource::kRdma, DeviceResource::kFpga}) {
    s.device.scorer.weights.Set(resource, 1);
  }
  s.numa = options.flag("numa");
  s.zones.weight = static_cast<int64_t>(options.number("numa_weight"));
  s.zones.bind =
      options.text("cpu_bind") == "spread" ? BindPolicy::kSpread : BindPolicy::kFullCores;
  s.zones.zone_prefers_full = options.text("zone_strategy") == "most";
  for (const DimensionIndex d : {kCpu, kMemory}) {
    s.zones.scorer.weights.Set(d, 1);
    s.zones.scorer.plain |= uint64_t{1} << static_cast<size_t>(d);
  }
  s.zones.zone_scorer = s.zones.scorer;
  s.zones.scorer.prefer_full = options.text("numa_strategy") == "most";
  s.zones.zone_scorer.prefer_full = s.zones.zone_prefers_full;
  s.reservation = options.flag("reservation");
  s.take_over = {options.flag("cluster_pre_allocation"), options.flag("free_room_first")};
  s.reservation_weight = static_cast<int64_t>(options.number("reservation_weight"));
  return s;
}

std::string PluginSettings::Check(const Options& options) {
  if (std::string wrong = CheckStatistics(options); !wrong.empty()) return wrong;
  const KindSettings kinds = From(options).kinds;
  for (const KindStrategy& strategy : kinds.strategies) {
    if (strategy.kind.empty() || strategy.weight < 1 || strategy.weight > 100) {
      return "kinds: an item must be NAME:WEIGHT:least or NAME:WEIGHT:most, weights 1 to 100";
    }
  }
  const bool names = std::none_of(kinds.scarce.begin(), kinds.scarce.end(),
                                  [](const std::string& name) { return name.empty(); });
  return names ? "" : "scarce: a name must not be empty";
}

}  // namespace muster::koordinator
