// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The options and how their texts are read.
#include "lib/peer/koordinator/rebalance/rebalance_options.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/plain_number.h"
#include "lib/base/strings.h"
#include "lib/peer/koordinator/selector_text.h"

namespace muster::koordinator {
namespace {

constexpr int64_t kRebalanceSecond = 1'000'000'000;
constexpr double kMostPercent = 1e6;

constexpr OptionDecl kRebalanceOptions[] = {
    {"load", OptionKind::kFlag, "on", 0, 0, "tasks leave nodes above their high thresholds"},
    {"low", OptionKind::kText, "cpu:20;memory:30", 0, 0,
     "percent up to which a node is under; its peer's manual has these"},
    {"high", OptionKind::kText, "cpu:50;memory:60", 0, 0, "percent above which a node is over"},
    {"production_low", OptionKind::kText, "", 0, 0, "the same of production tasks alone"},
    {"production_high", OptionKind::kText, "", 0, 0, "the same of production tasks alone"},
    {"distance", OptionKind::kFlag, "off", 0, 0, "thresholds are distances from the mean load"},
    {"weights", OptionKind::kText, "cpu:1;memory:1", 0, 0, "of resources in the order of nodes"},
    {"pools", OptionKind::kText, "", 0, 0, "pools of nodes with thresholds of their own"},
    {"abnormal", OptionKind::kWhole, "5", 1, 1e9, "rounds over before a node gives up tasks"},
    {"normal", OptionKind::kWhole, "3", 0, 1e9, "normal rounds that end this"},
    {"timeout", OptionKind::kWhole, "60", 0, 1e9, "seconds that end this, too; 0: 60"},
    {"remembered", OptionKind::kWhole, "300", 0, 1e9, "seconds that a node over is remembered"},
    {"idle_nodes", OptionKind::kWhole, "0", 0, 1e9, "act if more nodes than this are under"},
    {"node_fit", OptionKind::kFlag, "on", 0, 0, "only tasks that fit a node under leave by load"},
    {"expiration", OptionKind::kWhole, "180", 0, 1e9,
     "seconds after which a measurement is too old; 0: never"},
    {"most", OptionKind::kWhole, "-1", -1, 1e9, "tasks chosen by load in a round; -1: any number"},
    {"most_of_node", OptionKind::kWhole, "-1", -1, 1e9, "the same of a node"},
    {"most_of_namespace", OptionKind::kWhole, "-1", -1, 1e9, "the same of a namespace"},
    {"fragmentation", OptionKind::kFlag, "off", 0, 0,
     "a task leaves each node with uneven requests"},
    {"resources", OptionKind::kText, "cpu;memory", 0, 0, "resources that fragmentation compares"},
    {"imbalance", OptionKind::kNumber, "0.15", 0, 1e6, "deviation up to which a node stays"},
    {"gain", OptionKind::kNumber, "0.02", 0, 1e6, "a task that gains up to it stays"},
    {"duplicates", OptionKind::kFlag, "off", 0, 0, "tasks of one workload spread over nodes"},
    {"node_affinity", OptionKind::kFlag, "off", 0, 0,
     "tasks leave nodes that they no longer select"},
    {"taints", OptionKind::kFlag, "off", 0, 0, "tasks leave nodes with taints they do not bear"},
    {"anti_affinity", OptionKind::kFlag, "off", 0, 0,
     "tasks leave nodes near tasks that their anti-affinity selects"},
    {"levels", OptionKind::kText, "", 0, 0, "levels of nodes that become empty, dear ones first"},
    {"whole_nodes", OptionKind::kFlag, "off", 0, 0, "levels: all tasks of a node leave, or none"},
    {"mode", OptionKind::kChoice, "reserve", 0, 0,
     "reserve|evict: a place on another node first, or none"},
    {"migrating", OptionKind::kWhole, "0", 0, 1e9, "migrations at a time; 0: any number"},
    {"migrating_of_node", OptionKind::kWhole, "2", 0, 1e9, "the same from one node"},
    {"migrating_of_namespace", OptionKind::kWhole, "0", 0, 1e9, "the same of a namespace"},
    {"migrating_of_workload", OptionKind::kText, "", 0, 0,
     "the same of a workload: a number or a percentage; empty: by its size"},
    {"unavailable_of_workload", OptionKind::kText, "", 0, 0,
     "tasks of a workload that may be away, in the same form"},
    {"replicas", OptionKind::kFlag, "on", 0, 0,
     "workloads of one task, or of as many as the limits, stay"},
    {"ttl", OptionKind::kWhole, "300", 0, 1e9, "seconds after which a migration fails; 0: never"},
    {"pace", OptionKind::kWhole, "300", 0, 1e9,
     "seconds in which a workload moves one portion; 0: no limit"},
    {"include", OptionKind::kText, "", 0, 0, "namespaces whose tasks may leave; empty: all"},
    {"exclude", OptionKind::kText, "", 0, 0, "namespaces whose tasks stay"},
    {"select", OptionKind::kText, "", 0, 0, "choice of tasks that may leave; empty: all tasks"},
    {"local_data", OptionKind::kFlag, "off", 0, 0, "tasks with data on the node may leave"},
    {"critical", OptionKind::kFlag, "off", 0, 0, "system-critical tasks may leave"},
    {"keep_claims", OptionKind::kFlag, "off", 0, 0, "tasks with volumes stay"},
    {"bare", OptionKind::kFlag, "off", 0, 0, "tasks without an owner may leave"},
    {"below_priority", OptionKind::kWhole, "2e9", -2147483648.0, 2147483647,
     "tasks of this priority and above stay"},
};

absl::Status WrongOption(std::string_view option, std::string_view rule) {
  return absl::InvalidArgumentError(
      absl::StrCat("action rebalance: option ", Quote(option), ": ", ToAbsl(rule)));
}

// Returns the parts of a text between separators; none of an empty text.
std::vector<std::string_view> PartsOf(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  if (text.empty()) return parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Selector SelectorOf(const std::vector<Requirement>& requirements) {
  Selector selector;
  for (const Requirement& requirement : requirements) {
    if (requirement.op == RequirementOp::kIn && requirement.values.size() == 1) {
      selector.match_labels.emplace_back(requirement.key, requirement.values[0]);
    } else {
      selector.match_expressions.push_back(requirement);
    }
  }
  return selector;
}

// Reads the texts of options; the first that is wrong is kept.
class TextReader {
 public:
  explicit TextReader(std::string_view option) : option_(option) {}
  const absl::Status& status() const { return status_; }

  Percents ReadPercents(std::string_view text) {
    Percents percents;
    for (const std::string_view part : PartsOf(text, ';')) {
      const size_t colon = part.rfind(':');
      double number = 0;
      if (colon == std::string_view::npos || colon == 0 ||
          !absl::SimpleAtod(ToAbsl(part.substr(colon + 1)), &number) || number > kMostPercent ||
          number != number) {
        Refuse(absl::StrCat(Quote(part), " is not RESOURCE:PERCENT"));
        return {};
      }
      const std::string name(part.substr(0, colon));
      if (number < 0) {
        Refuse(absl::StrCat(name, " is ", ToAbsl(part.substr(colon + 1)),
                            "; percentage must be greater than or equal to 0"));
        return {};
      }
      for (const auto& [other, amount] : percents) {
        if (other == name) Refuse(absl::StrCat(Quote(name), " is listed twice"));
      }
      percents.emplace_back(name, number);
    }
    return percents;
  }

  NamedAmounts ReadWeights(std::string_view text) {
    NamedAmounts weights;
    for (const auto& [name, weight] : ReadPercents(text)) {
      if (weight != static_cast<double>(static_cast<int64_t>(weight))) {
        Refuse(absl::StrCat(Quote(name), " has no whole weight"));
      }
      weights.emplace_back(name, static_cast<int64_t>(weight));
    }
    return weights;
  }

  std::vector<std::string> ReadNames(std::string_view text) {
    std::vector<std::string> names;
    for (const std::string_view part : PartsOf(text, ';')) {
      if (part.empty()) Refuse("a name is empty");
      if (std::ranges::find(names, part) != names.end()) {
        Refuse(absl::StrCat(Quote(part), " is listed twice"));
      }
      names.emplace_back(part);
    }
    return names;
  }

  std::optional<Selector> ReadSelector(std::string_view text) {
    if (text.empty()) return std::nullopt;
    const auto requirements = ReadSelectorText(text);
    if (requirements.ok()) return SelectorOf(*requirements);
    Refuse(requirements.status().message());
    return std::nullopt;
  }

  // Selectors by `|`.
  std::vector<Selector> ReadChoice(std::string_view text) {
    std::vector<Selector> choice;
    for (const std::string_view part : PartsOf(text, '|')) {
      if (part.empty()) Refuse("a selector is empty");
      if (const std::optional<Selector> selector = ReadSelector(part)) choice.push_back(*selector);
    }
    return choice;
  }

  std::optional<Portion> ReadPortion(std::string_view text) {
    if (text.empty()) return std::nullopt;
    Portion portion{.is_percent = text.back() == '%'};
    const std::string_view digits = portion.is_percent ? text.substr(0, text.size() - 1) : text;
    if (!absl::SimpleAtoi(ToAbsl(digits), &portion.value) || portion.value < 0 ||
        portion.value > 1'000'000'000) {
      Refuse(absl::StrCat(Quote(text), " is neither a number of tasks nor a percentage"));
      return std::nullopt;
    }
    return portion;
  }

  static constexpr double kMostNumber = 1e9;

  double ReadNumber(std::string_view text, double least) {
    double number = least;
    if (!absl::SimpleAtod(ToAbsl(text), &number) || !(number >= least) || number > kMostNumber) {
      Refuse(absl::StrCat(Quote(text), " is not a number from ", PlainNumber(least), " to ",
                          PlainNumber(kMostNumber)));
      return least;
    }
    return number;
  }

  bool ReadFlag(std::string_view text) {
    if (text != "on" && text != "off") Refuse(absl::StrCat(Quote(text), " is neither on nor off"));
    return text == "on";
  }

  void Refuse(absl::string_view rule) {
    if (status_.ok()) status_ = WrongOption(option_, std::string_view(rule.data(), rule.size()));
  }

 private:
  const std::string_view option_;
  absl::Status status_;
};

double PercentNamed(const Percents& percents, std::string_view name, double otherwise) {
  for (const auto& [resource, percent] : percents) {
    if (resource == name) return percent;
  }
  return otherwise;
}

absl::Status CheckPool(std::string_view option, const LoadPool& pool) {
  for (const Thresholds* side : {&pool.thresholds.all, &pool.thresholds.production}) {
    for (const auto& [name, low] : side->low) {
      if (low > PercentNamed(side->high, name, low)) {
        return WrongOption(option, absl::StrCat(name, " is ", low,
                                                "; low percentage must be less than or equal to "
                                                "highThresholds"));
      }
    }
  }
  return absl::OkStatus();
}

// Cpu, memory and the resources of low and high thresholds weigh at least 1, as far as options go;
// weights that a pool has itself stay.
void CompleteWeights(LoadPool* pool) {
  std::vector<std::string> names = {"cpu", "memory"};
  for (const Percents* list : {&pool->thresholds.all.low, &pool->thresholds.all.high}) {
    for (const auto& [name, percent] : *list) names.push_back(name);
  }
  for (const std::string& name : names) {
    const auto known = std::ranges::find(pool->weights, name, &NamedAmounts::value_type::first);
    if (known == pool->weights.end()) {
      pool->weights.emplace_back(name, 1);
    } else {
      known->second = std::max<int64_t>(known->second, 1);
    }
  }
}

void SetPoolField(std::string_view name, std::string_view value, TextReader* reader,
                  LoadPool* pool) {
  if (name == "select") {
    pool->selector = reader->ReadSelector(value);
  } else if (name == "low") {
    pool->thresholds.all.low = reader->ReadPercents(value);
  } else if (name == "high") {
    pool->thresholds.all.high = reader->ReadPercents(value);
  } else if (name == "production_low") {
    pool->thresholds.production.low = reader->ReadPercents(value);
  } else if (name == "production_high") {
    pool->thresholds.production.high = reader->ReadPercents(value);
  } else if (name == "weights") {
    pool->weights = reader->ReadWeights(value);
  } else if (name == "distance") {
    pool->thresholds.is_distance = reader->ReadFlag(value);
  } else if (name == "abnormal") {
    pool->anomaly->abnormal_rounds = static_cast<int64_t>(reader->ReadNumber(value, 1));
  } else if (name == "normal") {
    pool->anomaly->normal_rounds = static_cast<int64_t>(reader->ReadNumber(value, 0));
  } else if (name == "timeout") {
    pool->anomaly->timeout = static_cast<int64_t>(reader->ReadNumber(value, 0)) * kRebalanceSecond;
  } else {
    reader->Refuse(absl::StrCat(Quote(name), " is no field of a pool"));
  }
}

// The pool that the options describe without `pools`.
absl::StatusOr<LoadPool> ReadDefaultPool(const Options& options) {
  LoadPool pool;
  const auto read = [&](std::string_view option, auto method, auto* value) {
    TextReader reader(option);
    *value = (reader.*method)(options.text(option));
    return reader.status();
  };
  Thresholds &all = pool.thresholds.all, &production = pool.thresholds.production;
  for (const auto& [option, percents] : {std::pair("low", &all.low), std::pair("high", &all.high),
                                         std::pair("production_low", &production.low),
                                         std::pair("production_high", &production.high)}) {
    if (absl::Status s = read(option, &TextReader::ReadPercents, percents); !s.ok()) return s;
  }
  if (absl::Status s = read("weights", &TextReader::ReadWeights, &pool.weights); !s.ok()) return s;
  CompleteWeights(&pool);
  pool.thresholds.is_distance = options.flag("distance");
  pool.anomaly =
      AnomalyRules{.abnormal_rounds = static_cast<int64_t>(options.number("abnormal")),
                   .normal_rounds = static_cast<int64_t>(options.number("normal")),
                   .timeout = static_cast<int64_t>(options.number("timeout")) * kRebalanceSecond};
  return pool;
}

absl::StatusOr<std::vector<LoadPool>> ReadPools(const Options& options) {
  const absl::StatusOr<LoadPool> base = ReadDefaultPool(options);
  if (!base.ok()) return base.status();
  std::vector<LoadPool> pools;
  const std::string text = options.text("pools");
  if (text.empty()) {
    pools.push_back(*base);
    if (absl::Status s = CheckPool("low", pools.back()); !s.ok()) return s;
    return pools;
  }
  TextReader reader("pools");
  for (const std::string_view part : PartsOf(text, '|')) {
    LoadPool& pool = pools.emplace_back(*base);
    for (const std::string_view field : PartsOf(part, '&')) {
      const size_t colon = field.find(':');
      if (colon == std::string_view::npos) {
        reader.Refuse(absl::StrCat(Quote(field), " is not FIELD:VALUE"));
        continue;
      }
      SetPoolField(field.substr(0, colon), field.substr(colon + 1), &reader, &pool);
    }
    if (!reader.status().ok()) return reader.status();
    if (absl::Status s = CheckPool("pools", pool); !s.ok()) return s;
  }
  return pools;
}

absl::Status ReadLevels(const Options& options, std::vector<DrainLevel>* levels) {
  TextReader reader("levels");
  const std::string text = options.text("levels");
  for (const std::string_view part : PartsOf(text, '|')) {
    const size_t colon = part.find(':');
    DrainLevel& level = levels->emplace_back();
    level.name = std::string(part.substr(0, colon));
    if (colon != std::string_view::npos) {
      level.selector = reader.ReadSelector(part.substr(colon + 1));
    }
  }
  if (!reader.status().ok() || levels->empty()) return reader.status();
  const absl::Status status = CheckLevels(*levels);
  if (status.ok()) return status;
  return WrongOption("levels", std::string(status.message()));
}

absl::Status ReadChoice(const Options& options, RebalanceRules* rules) {
  TextReader include("include"), exclude("exclude"), select("select");
  rules->choice.included = include.ReadNames(options.text("include"));
  rules->choice.excluded = exclude.ReadNames(options.text("exclude"));
  if (!include.status().ok()) return include.status();
  if (!exclude.status().ok()) return exclude.status();
  if (!rules->choice.included.empty() && !rules->choice.excluded.empty()) {
    return WrongOption("include", "only one of Include/Exclude namespaces can be set");
  }
  rules->choice.selectors = select.ReadChoice(options.text("select"));
  return select.status();
}

absl::Status ReadFragmentation(const Options& options, FragmentationRules* rules) {
  TextReader reader("resources");
  rules->resources = reader.ReadNames(options.text("resources"));
  if (rules->resources.empty()) reader.Refuse("resources must not be empty");
  rules->imbalance = options.number("imbalance");
  rules->gain = options.number("gain");
  return reader.status();
}

absl::Status ReadLimits(const Options& options, RebalanceRules* rules) {
  const auto whole = [&](std::string_view name) {
    return static_cast<int64_t>(options.number(name));
  };
  MigrationLimits& limits = rules->limits;
  limits.total = whole("migrating");
  limits.per_node = whole("migrating_of_node");
  limits.per_namespace = whole("migrating_of_namespace");
  limits.checks_replicas = options.flag("replicas");
  for (const auto& [option, portion] :
       {std::pair("migrating_of_workload", &limits.migrating),
        std::pair("unavailable_of_workload", &limits.unavailable)}) {
    TextReader reader(option);
    *portion = reader.ReadPortion(options.text(option));
    if (!reader.status().ok()) return reader.status();
  }
  rules->reserves = options.text("mode") == "reserve";
  rules->ttl = whole("ttl");
  rules->pace = whole("pace");
  return absl::OkStatus();
}

}  // namespace

std::span<const OptionDecl> RebalanceOptions() { return kRebalanceOptions; }

absl::StatusOr<RebalanceRules> ReadRebalanceRules(const Options& options) {
  const auto whole = [&](std::string_view name) {
    return static_cast<int64_t>(options.number(name));
  };
  const auto limit = [&](std::string_view name) {
    return whole(name) < 0 ? std::optional<int64_t>() : whole(name);
  };
  RebalanceRules rules;
  rules.by_load = options.flag("load");
  rules.by_fragmentation = options.flag("fragmentation");
  rules.by_duplicates = options.flag("duplicates");
  rules.by_node_affinity = options.flag("node_affinity");
  rules.by_taints = options.flag("taints");
  rules.by_anti_affinity = options.flag("anti_affinity");
  absl::StatusOr<std::vector<LoadPool>> pools = ReadPools(options);
  if (!pools.ok()) return pools.status();
  rules.load.pools = *std::move(pools);
  rules.load.checks_targets = options.flag("node_fit");
  rules.load.idle_nodes = whole("idle_nodes");
  rules.load.limits = {limit("most_of_node"), limit("most_of_namespace"), limit("most")};
  rules.load.remembered = whole("remembered") * kRebalanceSecond;
  rules.expiration = whole("expiration");
  rules.whole_nodes = options.flag("whole_nodes");
  rules.evictable = {.takes_local_data = options.flag("local_data"),
                     .takes_critical = options.flag("critical"),
                     .keeps_claims = options.flag("keep_claims"),
                     .takes_bare = options.flag("bare")};
  const absl::StatusOr<int64_t> threshold = PriorityThreshold(whole("below_priority"));
  if (!threshold.ok()) {
    return WrongOption("below_priority", std::string(threshold.status().message()));
  }
  rules.evictable.below_priority = *threshold;
  for (const absl::Status& status :
       {ReadFragmentation(options, &rules.fragmentation), ReadLevels(options, &rules.levels),
        ReadChoice(options, &rules), ReadLimits(options, &rules)}) {
    if (!status.ok()) return status;
  }
  return rules;
}

}  // namespace muster::koordinator
