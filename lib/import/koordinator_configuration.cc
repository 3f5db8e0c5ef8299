// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/koordinator_configuration.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/import/json_text.h"
#include "lib/import/koordinator_descheduler.h"
#include "lib/import/koordinator_load.h"
#include "lib/import/koordinator_objects.h"

namespace muster {
namespace {

// A plug-in, its switch and the weight of its score. Empty: it has none.
struct ArgumentRule {
  std::string_view name, option, weight;
  void (*read)(const Field& arguments, PodReader* reader);
};

std::string OnOff(bool is_on) { return is_on ? "on" : "off"; }

void SetFlag(const Field& arguments, std::string_view key, const char* option, PodReader* reader) {
  if (arguments[key].given()) reader->Set(option, OnOff(arguments.Bool(key, false)));
}

void SetSeconds(const Field& arguments, std::string_view key, const char* option,
                PodReader* reader) {
  const std::optional<int64_t> seconds = arguments.Duration(key);
  if (seconds) reader->Set(option, absl::StrCat(*seconds));
}

// Of a map of resources: cpu and memory are options. `missing`: of what a map leaves out; absent:
// its default stays.
void SetResources(const Field& arguments, std::string_view key, const char* cpu, const char* memory,
                  std::optional<int64_t> missing, PodReader* reader) {
  const Field map = arguments.Section(key);
  if (!map.truthy()) return;
  for (const auto& [name, option] : {std::pair("cpu", cpu), std::pair("memory", memory)}) {
    if (map[name].given()) {
      reader->Set(option, absl::StrCat(map.Int64(name, 0)));
    } else if (missing) {
      reader->Set(option, absl::StrCat(*missing));
    }
  }
}

void SetStrategy(const Field& arguments, std::string_view key, const char* option,
                 PodReader* reader) {
  const Field strategy = arguments.Section(key);
  const std::string type = strategy.Text("type");
  if (type == "MostAllocated" || type == "LeastAllocated") {
    reader->Set(option, type == "MostAllocated" ? "most" : "least");
  } else if (!type.empty()) {
    strategy["type"].Ignored(
        absl::StrCat(Quote(type), " is neither LeastAllocated nor MostAllocated"));
  }
}

void SetStatistic(const LoadStatistic& statistic, const char* name, const char* window,
                  PodReader* reader) {
  reader->Set(name, statistic.name);
  if (statistic.seconds > 0) reader->Set(window, absl::StrCat(statistic.seconds));
}

// Statistics of the use of nodes. A filter by one needs thresholds of it, as at the peer.
void ReadAggregated(const Field& aggregated, PodReader* reader) {
  const auto filtered =
      ReadLoadStatistic(aggregated, "usageAggregationType", "usageAggregatedDuration");
  if (!aggregated["usageThresholds"].truthy()) {
    if (filtered) {
      aggregated["usageAggregationType"].Ignored("there are no usageThresholds of the statistic");
    }
  } else if (!filtered) {
    aggregated["usageThresholds"].Ignored("there is no usageAggregationType that they are of");
  } else {
    SetResources(aggregated, "usageThresholds", "statistic_cpu_threshold",
                 "statistic_memory_threshold", 0, reader);
    SetStatistic(*filtered, "load_statistic", "load_window", reader);
    const Field thresholds = aggregated["usageThresholds"];
    if (thresholds.Int64("cpu", 0) == 0 && thresholds.Int64("memory", 0) == 0) {
      // At the peer they hold in place of those of use all the same.
      reader->Set("cpu_threshold", "0");
      reader->Set("memory_threshold", "0");
    }
  }
  const auto scored =
      ReadLoadStatistic(aggregated, "scoreAggregationType", "scoreAggregatedDuration");
  if (scored) SetStatistic(*scored, "score_statistic", "score_window", reader);
}

void ReadLoadAware(const Field& arguments, PodReader* reader) {
  const bool filters = arguments.Bool("filterExpiredNodeMetrics", true);
  const bool passes = arguments.Bool("enableScheduleWhenNodeMetricsExpired", false);
  if (!filters || passes) reader->Set("load_expired", filters ? "pass" : "trust");
  const Field expiration = arguments["nodeMetricExpirationSeconds"];
  if (expiration.given()) {
    const int64_t seconds = arguments.Int64("nodeMetricExpirationSeconds", 1);
    if (seconds < 1) expiration.Refuse("nodeMetricExpiredSeconds should be a positive value");
    reader->Set("load_expiration", absl::StrCat(seconds));
  }
  if (arguments["dominantResourceWeight"].given()) {
    const int64_t weight = arguments.Int64("dominantResourceWeight", 0);
    reader->Set("load_dominant", absl::StrCat(weight));
    // The default weights are those of a score without it.
    if (weight != 0) {
      reader->Set("load_cpu", "0");
      reader->Set("load_memory", "0");
    }
  }
  SetResources(arguments, "resourceWeights", "load_cpu", "load_memory", 0, reader);
  SetResources(arguments, "usageThresholds", "cpu_threshold", "memory_threshold", 0, reader);
  SetResources(arguments, "estimatedScalingFactors", "cpu_factor", "memory_factor", std::nullopt,
               reader);
  SetResources(arguments, "prodUsageThresholds", "production_cpu_threshold",
               "production_memory_threshold", 0, reader);
  if (const int64_t warm_up = arguments.Int64("estimatedSecondsAfterPodScheduled", 0);
      warm_up > 0) {
    reader->Set("load_warm_up", absl::StrCat(std::min<int64_t>(warm_up, 1'000'000'000)));
  }
  SetFlag(arguments, "scoreAccordingProdUsage", "production_score", reader);
  SetFlag(arguments, "prodUsageIncludeSys", "production_system", reader);
  const Field aggregated = arguments.Section("aggregated");
  if (aggregated.given()) ReadAggregated(aggregated, reader);
}

void ReadElasticQuota(const Field& arguments, PodReader* reader) {
  SetFlag(arguments, "enableRuntimeQuota", "runtime", reader);
  SetFlag(arguments, "enableMinQuotaScale", "scale_min", reader);
  SetFlag(arguments, "enableCheckParentQuota", "parents", reader);
  SetFlag(arguments, "disableDefaultQuotaPreemption", "spare_default", reader);
  SetFlag(arguments, "monitorAllQuotas", "revoke", reader);
  SetSeconds(arguments, "delayEvictTime", "revoke_delay", reader);
  arguments.Quiet({"quotaGroupNamespace"});
}

void ReadCoscheduling(const Field& arguments, PodReader* reader) {
  SetSeconds(arguments, "defaultTimeout", "gang_wait", reader);
  SetFlag(arguments, "enablePreemption", "gang_preemption", reader);
  arguments.Quiet({"controllerWorkers"});
}

void ReadNuma(const Field& arguments, PodReader* reader) {
  const std::string policy = arguments.Text("defaultCPUBindPolicy");
  if (policy == "FullPCPUs" || policy == "SpreadByPCPUs") {
    reader->Set("cpu_bind", policy == "FullPCPUs" ? "full" : "spread");
  } else if (!policy.empty()) {
    arguments["defaultCPUBindPolicy"].Ignored(
        absl::StrCat(Quote(policy), " is neither FullPCPUs nor SpreadByPCPUs"));
  }
  SetStrategy(arguments, "scoringStrategy", "numa_strategy", reader);
  SetStrategy(arguments, "numaScoringStrategy", "zone_strategy", reader);
}

void ReadDeviceShare(const Field& arguments, PodReader* reader) {
  SetStrategy(arguments, "scoringStrategy", "device_strategy", reader);
  if (arguments.Bool("disableDeviceNUMATopologyAlignment", false)) {
    reader->Set("device_zones", "off");
  }
}

void ReadReservation(const Field& arguments, PodReader*) {
  arguments.Quiet({"controllerWorkers", "gcDurationSeconds", "gcIntervalSeconds"});
}

void ReadFitPlus(const Field& arguments, PodReader* reader) {
  std::vector<std::string> kinds;
  for (const Field& kind : arguments.Section("resources").Children()) {
    const std::string type = kind.Text("type", "LeastAllocated");
    RequirePlain(kind, kind.key());
    if (type != "MostAllocated" && type != "LeastAllocated") {
      kind["type"].Ignored(
          absl::StrCat(Quote(type), " is neither LeastAllocated nor MostAllocated"));
      continue;
    }
    kinds.push_back(absl::StrCat(ToAbsl(kind.key()), ":", kind.Int64("weight", 1), ":",
                                 type == "MostAllocated" ? "most" : "least"));
  }
  if (!kinds.empty()) reader->Set("kinds", absl::StrJoin(kinds, "+"));
}

void ReadScarce(const Field& arguments, PodReader* reader) {
  const std::vector<std::string> names = arguments.Texts("resources");
  for (const Field& name : arguments["resources"].Children()) {
    RequirePlain(name, name.ScalarText());
  }
  if (!names.empty()) reader->Set("scarce", absl::StrJoin(names, "+"));
}

constexpr ArgumentRule kArgumentRules[] = {
    {"LoadAwareScheduling", "load", "load_weight", ReadLoadAware},
    {"ElasticQuota", "quota", "", ReadElasticQuota},
    {"Coscheduling", "coscheduling", "", ReadCoscheduling},
    {"NodeNUMAResource", "numa", "numa_weight", ReadNuma},
    {"DeviceShare", "devices", "device_weight", ReadDeviceShare},
    {"Reservation", "reservation", "reservation_weight", ReadReservation},
    {"NodeResourcesFitPlus", "", "kinds_weight", ReadFitPlus},
    {"ScarceResourceAvoidance", "", "scarce_weight", ReadScarce}};

const ArgumentRule* RuleOfPlugin(const std::string& name) {
  for (const ArgumentRule& rule : kArgumentRules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

class ConfigurationReader {
 public:
  explicit ConfigurationReader(PodReader* reader) : reader_(reader) {}

  void Read(const Field& profile) {
    const Field plugins = profile["plugins"];
    if (plugins.truthy()) {
      ReadPlugins(plugins);
    } else {
      profile.log()->Note(profile.object(), profile.Path(),
                          "lists no plug-ins; those of the profile stay on");
    }
    for (const Field& item : profile.Items("pluginConfig")) {
      const ArgumentRule* rule = RuleOfPlugin(item.Text("name"));
      if (rule == nullptr) continue;
      own_.push_back(item.Path());
      item.Section("args").ReadWhole([&](const Field& arguments) {
        arguments.Quiet({"apiVersion", "kind"});
        rule->read(arguments, reader_);
      });
    }
    if (plugins.truthy() && Has(enabled_, "LoadAwareScheduling") &&
        !Has(filters_, "LoadAwareScheduling")) {
      reader_->Set("load_filter", "off");
    }
  }

  // Returns whether the value at the path was read here.
  bool IsOwn(std::string_view path) const {
    return Has(lists_, path) || std::ranges::any_of(own_, [&](const std::string& own) {
             return path.starts_with(own) && (path.size() == own.size() ||
                                              path[own.size()] == '.' || path[own.size()] == '[');
           });
  }

 private:
  static bool Has(const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  }

  void ReadPlugins(const Field& plugins) {
    for (const Field& point : plugins.Children()) ReadPoint(point);
    TakeOff(at_score_, &scored_);
    TakeOff(at_filter_, &filters_);
    for (const ArgumentRule& rule : kArgumentRules) {
      const std::string name(rule.name);
      if (!rule.option.empty()) reader_->Set(std::string(rule.option), OnOff(Has(enabled_, name)));
      if (!rule.weight.empty() && !Has(scored_, name)) reader_->Set(std::string(rule.weight), "0");
    }
  }

  // What a point of its own lists, of the plug-ins of this reader.
  struct OwnPoint {
    std::vector<std::string> enabled, disabled;
  };
  // Removes what multiPoint enables and the point disables.
  static void TakeOff(const OwnPoint& point, std::vector<std::string>* names) {
    std::erase_if(*names, [&](const std::string& name) {
      return !Has(point.enabled, name) && (Has(point.disabled, name) || Has(point.disabled, "*"));
    });
  }

  // A point's own list goes before that of all points.
  void ReadPoint(const Field& point) {
    const bool is_all = point.key() == "multiPoint", is_score = point.key() == "score";
    OwnPoint* const own_point =
        is_score ? &at_score_ : (point.key() == "filter" ? &at_filter_ : nullptr);
    for (const Field& item : point.Items("disabled")) {
      const std::string name = item.Text("name");
      if (RuleOfPlugin(name) != nullptr) own_.push_back(item.Path());
      if (own_point != nullptr) own_point->disabled.push_back(name);
    }
    bool has_others = false;
    for (const Field& item : point.Items("enabled")) {
      const std::string name = item.Text("name");
      const ArgumentRule* rule = RuleOfPlugin(name);
      has_others = has_others || rule == nullptr;
      if (rule == nullptr) continue;
      own_.push_back(item.Path());
      lists_.push_back(point["enabled"].Path());
      enabled_.push_back(name);
      if (own_point != nullptr) own_point->enabled.push_back(name);
      if (is_all || point.key() == "filter") filters_.push_back(name);
      const bool is_known = Has(scored_, name);
      if (!is_all && !is_score) continue;
      scored_.push_back(name);
      if (rule->weight.empty() || (is_all && is_known)) continue;
      reader_->Set(std::string(rule->weight),
                   absl::StrCat(std::max<int64_t>(item.Int64("weight", 1), 1)));
    }
    // What takes the place of Kubernetes' own order of the queue is the gangs' plug-in.
    const bool drops_others = point["disabled"].truthy() && point.key() != "queueSort";
    if (!is_all && !is_score && !has_others && !drops_others) own_.push_back(point.Path());
  }

  PodReader* reader_;
  std::vector<std::string> own_;    // places, with all that is below them
  std::vector<std::string> lists_;  // places of lists with such elements
  std::vector<std::string> enabled_, filters_, scored_;
  OwnPoint at_score_, at_filter_;
};

void Copy(const ImportEntry& entry, ImportLog* log) {
  switch (entry.severity) {
    case ImportSeverity::kNote:
      return log->Note(entry.object, entry.field, entry.text);
    case ImportSeverity::kIgnored:
      return log->Ignored(entry.object, entry.field, entry.text);
    case ImportSeverity::kLeftOut:
      return log->LeftOut(entry.object, entry.field, entry.text);
  }
}

// Reads the scheduler's part, which is the document or the item `item` of it.
void ReadScheduler(const ImportSource& source, std::optional<size_t> item,
                   KoordinatorConfiguration* read) {
  // The document is read twice, by each of two readers whole, so neither reports the other's part.
  Budget budget(source.options.limits);
  const std::string& object = source.configuration->object();
  absl::StatusOr<JsonRow> row = ReadJsonValue(source.options.configuration, object, &budget);
  if (!row.ok()) return source.log->Refuse(object, std::string(row.status().message()));
  const auto part = [&](const FieldSource* of) {
    const Field root(of);
    return item ? root.Items("items")[*item] : root;
  };
  ImportLog plain;
  const FieldSource plain_source{object, &*row, &plain}, own_source{object, &*row, source.log};
  part(&plain_source).ReadWhole([&](const Field& root) { read->reader = PodReader(root); });
  ConfigurationReader own(&read->reader);
  const std::vector<Field> profiles = part(&own_source).Items("profiles");
  if (plain.ok() && !profiles.empty()) {
    read->scheduler = profiles[0].Text("schedulerName", read->scheduler);
    own.Read(profiles[0]);
  }
  for (const ImportEntry& entry : plain.entries()) {
    if (!own.IsOwn(entry.field)) Copy(entry, source.log);
  }
  if (!plain.ok()) {
    const std::string words(plain.status().message());
    source.log->Refuse(object, words.substr(std::min(words.size(), object.size() + 2)));
  }
}

constexpr std::string_view kDeschedulerKind = "DeschedulerConfiguration";

}  // namespace

std::string KoordinatorConfiguration::profile(std::string_view name) const {
  if (!rebalance) return reader.profile(name);
  const std::string round =
      rebalance->empty() ? "rebalance" : absl::StrCat("rebalance(", *rebalance, ")");
  if (!has_cycles) {
    return absl::StrCat(ToAbsl(name), ":actions=rebalance", rebalance->empty() ? "" : ",",
                        rebalance->empty() ? "" : round);
  }
  const std::string cycles = reader.profile(name);
  return absl::StrCat(cycles, cycles.find(':') == cycles.npos ? ":+" : ",+", round);
}

KoordinatorConfiguration ReadKoordinatorConfiguration(const ImportSource& source) {
  KoordinatorConfiguration read{PodReader(std::nullopt)};
  if (!source.configuration) return read;
  const Field& root = *source.configuration;
  if (root["kind"].Is(kDeschedulerKind)) {
    read.has_cycles = false;
    read.rebalance = ReadDescheduler(root, source.dump);
    return read;
  }
  if (!root["kind"].Is("List")) {
    root.QuietRest();
    ReadScheduler(source, std::nullopt, &read);
    return read;
  }
  root.Quiet({"apiVersion", "metadata"});
  bool has_scheduler = false;
  const std::vector<Field> items = root.Items("items");
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i]["kind"].Is(kDeschedulerKind) && !read.rebalance) {
      read.rebalance = ReadDescheduler(items[i], source.dump);
    } else if (items[i]["kind"].Is("KubeSchedulerConfiguration") && !has_scheduler) {
      has_scheduler = true;
      items[i].QuietRest();
      ReadScheduler(source, i, &read);
    } else {
      items[i].QuietRest();
      source.log->Ignored(
          root.object(), items[i].Path(),
          "a list has one KubeSchedulerConfiguration and one DeschedulerConfiguration");
    }
  }
  return read;
}

}  // namespace muster
