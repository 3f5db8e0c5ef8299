// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/config.h"

#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/model/tables.h"
#include "lib/model/words.h"
#include "muster/quantity.h"

namespace muster::armada {
namespace {

constexpr OptionDecl kRoundOptions[] = {
    {"pool", OptionKind::kText, "", 0, 0,
     "the pool that the round is of; empty: nodes without setting armada/pool"},
    {"cordoned", OptionKind::kText, "", 0, 0,
     "executors with nodes where no job starts: NAME+..., as in setting armada/executor of nodes"},
    {"away", OptionKind::kText, "", 0, 0,
     "pools that may use nodes of others: POOL:OTHER+..., home jobs of OTHER displace theirs"},
    {"classes", OptionKind::kText, "armada-default:1000+armada-preemptible:1000:preemptible", 0, 0,
     "priority classes: NAME:PRIORITY[:preemptible][:TYPE@PRIORITY]+..., TYPE an away node type"},
    {"default_class", OptionKind::kText, "", 0, 0,
     "class of jobs that name none; empty: the first of classes"},
    {"node_types", OptionKind::kText, "", 0, 0,
     "taints of away node types: NAME:KEY:VALUE[:EFFECT]+..., VALUE * for any"},
    {"class_limits", OptionKind::kText, "", 0, 0,
     "part of the pool that one queue may hold of a class: CLASS/RESOURCE:FRACTION+..."},
    {"protected", OptionKind::kNumber, "1", 0, 1e6,
     "queues at or below this part of their fair share keep their jobs"},
    {"protect_uncapped", OptionKind::kFlag, "off", 0, 0,
     "that share is the one which no demand caps"},
    {"prefer_large", OptionKind::kFlag, "off", 0, 0,
     "of queues within their share the larger job goes first"},
    {"lookback", OptionKind::kWhole, "100000", 0, 1e9,
     "new jobs of each queue that a round looks at; 0: all"},
    {"round_limit", OptionKind::kText, "cpu:1+memory:1", 0, 0,
     "part of the pool that one round may schedule: RESOURCE:FRACTION+..."},
    {"rate", OptionKind::kNumber, "100", 0, 1e12, "new jobs a second"},
    {"burst", OptionKind::kNumber, "1000", 0, 1e12, "most new jobs at once; 0: no limit"},
    {"queue_rate", OptionKind::kNumber, "50", 0, 1e12, "new jobs of one queue a second"},
    {"queue_burst", OptionKind::kNumber, "1000", 0, 1e12,
     "most new jobs of one queue at once; 0: no limit"},
    {"preemption_rate", OptionKind::kNumber, "0", 0, 1e12,
     "jobs a second that may lose their places for fair shares"},
    {"preemption_burst", OptionKind::kNumber, "0", 0, 1e12, "most such jobs at once; 0: no limit"},
    {"resources", OptionKind::kText, "cpu+memory+nvidia.com/gpu+ephemeral-storage", 0, 0,
     "resources that make a queue's cost: NAME[:MULTIPLIER]+..."},
    {"indexed", OptionKind::kText, "nvidia.com/gpu:1+cpu:100m+memory:100Mi+ephemeral-storage:1Gi",
     0, 0, "resources that order nodes, with resolutions: NAME:AMOUNT+..."},
    {"indexed_taints", OptionKind::kText, "", 0, 0, "keys of taints that make types of nodes"},
    {"indexed_labels", OptionKind::kText, "", 0, 0,
     "labels that make types of nodes; uniform gangs may name these alone"},
    {"floating", OptionKind::kText, "", 0, 0,
     "amounts of the pool that no node holds: NAME:AMOUNT+..."},
    {"unscheduled", OptionKind::kText, "", 0, 0,
     "resources of which no request is served: NAME+..."},
    {"home_first", OptionKind::kFlag, "on", 0, 0, "jobs of other pools lose their places first"},
    {"home", OptionKind::kFlag, "on", 0, 0, "jobs may run at their own priority"},
    {"away_nodes", OptionKind::kFlag, "on", 0, 0, "jobs may run on away nodes of their class"},
    {"gang_away", OptionKind::kFlag, "on", 0, 0, "and so may gangs"},
    {"fair_share", OptionKind::kFlag, "on", 0, 0, "new jobs take places of evicted ones"},
    {"urgency", OptionKind::kFlag, "on", 0, 0, "new jobs take places of lower priorities"},
    {"short_job_cutoff", OptionKind::kWhole, "0", 0, 1e9,
     "seconds since its start for which an ended job still counts in the cost of its queue"},
    {"market", OptionKind::kFlag, "off", 0, 0, "jobs go by their bids, and all compete anew"},
    {"spot_cutoff", OptionKind::kNumber, "0", 0, 1e6,
     "part of the pool above which a market sets the spot price"},
    {"optimiser", OptionKind::kFlag, "off", 0, 0,
     "a last step trades places of small gain for queues below their share"},
    {"optimiser_jobs", OptionKind::kWhole, "1", 0, 1e9, "jobs that the step schedules at most"},
    {"optimiser_gain", OptionKind::kNumber, "10", 0, 1e9, "the least gain, in percent"},
    {"optimiser_fraction", OptionKind::kNumber, "0", 0, 1,
     "part of the pool that the step may schedule; 0: no limit"},
    {"optimiser_limit", OptionKind::kText, "", 0, 0,
     "the same by resource, where it is less: RESOURCE:FRACTION+..."},
    {"optimiser_smallest", OptionKind::kText, "", 0, 0,
     "jobs that the step schedules request at least this: RESOURCE:AMOUNT+..."},
    {"optimiser_largest", OptionKind::kText, "", 0, 0,
     "jobs that lose their places to it request at most this: RESOURCE:AMOUNT+..."},
    {"optimiser_interval", OptionKind::kWhole, "0", 0, 1e9, "seconds between two such steps"},
};

using Words = std::vector<std::string>;

Words WordsIn(std::string_view text, char separator) {
  if (text.empty()) return {};
  return absl::StrSplit(ToAbsl(text), separator);
}

// Reads the options into a Config, and keeps the first failure.
class ConfigReader {
 public:
  explicit ConfigReader(const muster::Options& options) : options_(options) {}

  absl::StatusOr<Config> Read() {
    ReadPools();
    ReadClasses();
    ReadAmounts();
    ReadFlags();
    if (!status_.ok()) return status_;
    return std::move(config_);
  }

 private:
  void Refuse(const char* option, std::string_view item, absl::string_view rule) {
    if (!status_.ok()) return;
    status_ = absl::InvalidArgumentError(
        absl::StrCat("action round, option ", option, ": ", Quote(item), " ", rule));
  }

  // Cuts the text behind the last colon off the word, if there is one.
  static std::optional<std::string> TakeLast(std::string* word) {
    const size_t colon = word->rfind(':');
    if (colon == std::string::npos) return std::nullopt;
    std::string last = word->substr(colon + 1);
    word->resize(colon);
    return last;
  }

  void ReadPools() {
    config_.pool = options_.text("pool");
    config_.cordoned = WordsIn(options_.text("cordoned"), '+');
    for (const std::string& item : WordsIn(options_.text("away"), '+')) {
      const Words parts = WordsIn(item, ':');
      if (parts.size() != 2 || parts[0] == parts[1]) {
        Refuse("away", item, "must be two different pools, POOL:OTHER");
        continue;
      }
      config_.away.emplace_back(parts[0], parts[1]);
    }
  }

  void ReadClasses() {
    for (const std::string& item : WordsIn(options_.text("classes"), '+')) ReadClass(item);
    if (config_.classes.empty()) Refuse("classes", "", "must have at least one class");
    const std::string otherwise = options_.text("default_class");
    if (!otherwise.empty()) {
      config_.default_class = config_.FindClass(otherwise);
      if (config_.default_class < 0) {
        Refuse("default_class", otherwise, "must be one of option classes");
      }
    }
    const std::string rule =
        ParseClassLimits(options_.text("class_limits"), config_, &config_.class_limits);
    if (!rule.empty() && status_.ok()) {
      status_ =
          absl::InvalidArgumentError(absl::StrCat("action round, option class_limits: ", rule));
    }
  }

  void ReadClass(const std::string& item) {
    const Words parts = WordsIn(item, ':');
    PriorityClass made;
    if (parts.size() < 2 || parts[0].empty() || !absl::SimpleAtoi(parts[1], &made.priority) ||
        made.priority < 0) {
      return Refuse("classes", item, "must be NAME:PRIORITY, with a priority from 0 to 2147483647");
    }
    made.name = parts[0];
    if (config_.FindClass(made.name) >= 0) return Refuse("classes", item, "names a class twice");
    for (size_t i = 2; i < parts.size(); ++i) {
      if (parts[i] == "preemptible") {
        made.preemptible = true;
        continue;
      }
      const Words away = WordsIn(parts[i], '@');
      AwayNodeType type;
      if (away.size() != 2 || !absl::SimpleAtoi(away[1], &type.priority) || type.priority < 0) {
        return Refuse("classes", item, "must go on with preemptible or TYPE@PRIORITY");
      }
      type.name = away[0];
      if (!FillTaints(&type)) return;
      made.away.push_back(std::move(type));
    }
    if (!made.away.empty() && !made.preemptible) {
      return Refuse("classes", item, "has away nodes, so it must be preemptible");
    }
    if (made.away.size() > 64) return Refuse("classes", item, "has more than 64 away node types");
    config_.classes.push_back(std::move(made));
  }

  bool FillTaints(AwayNodeType* type) {
    for (const std::string& item : WordsIn(options_.text("node_types"), '+')) {
      const Words parts = WordsIn(item, ':');
      const std::string effect = parts.size() == 4 ? parts[3] : "NoSchedule";
      if (parts.size() < 3 || parts.size() > 4 || parts[1].empty() ||
          !ParseWord<TaintEffect>(effect)) {
        Refuse("node_types", item, "must be NAME:KEY:VALUE or NAME:KEY:VALUE:EFFECT");
        return false;
      }
      if (parts[0] == type->name) type->taints.push_back({parts[1], parts[2], effect});
    }
    if (!type->taints.empty()) return true;
    Refuse("classes", type->name, "is no node type; must be one of option node_types");
    return false;
  }

  void ReadAmounts() {
    config_.multipliers = Fractions("resources", /*needs_number=*/false);
    // The peer takes a multiplier of 0 for one that is not set.
    for (Fraction& fraction : config_.multipliers) {
      if (fraction.part == 0) fraction.part = 1;
    }
    config_.round_limit = Fractions("round_limit", /*needs_number=*/true);
    for (const auto& [name, units] : Quantities("indexed")) {
      if (units <= 0) Refuse("indexed", name, "must have a resolution above 0");
      config_.indexed.push_back({name, units});
    }
    if (config_.indexed.empty()) Refuse("indexed", "", "must name at least one resource");
    config_.floating = Quantities("floating");
    config_.optimiser_limit = Fractions("optimiser_limit", /*needs_number=*/true);
    config_.optimiser_smallest = Quantities("optimiser_smallest");
    config_.optimiser_largest = Quantities("optimiser_largest");
    config_.indexed_taints = WordsIn(options_.text("indexed_taints"), '+');
    config_.indexed_labels = WordsIn(options_.text("indexed_labels"), '+');
    config_.unscheduled = WordsIn(options_.text("unscheduled"), '+');
  }

  std::vector<Fraction> Fractions(const char* option, bool needs_number) {
    std::vector<Fraction> list;
    for (std::string item : WordsIn(options_.text(option), '+')) {
      const std::string whole = item;
      const std::optional<std::string> number = TakeLast(&item);
      Fraction fraction;
      const bool reads = !number ? !needs_number
                                 : absl::SimpleAtod(*number, &fraction.part) &&
                                       std::isfinite(fraction.part) && fraction.part >= 0;
      if (item.empty() || !reads) {
        Refuse(option, whole, "must be a resource with a number of 0 or more, NAME:NUMBER");
      }
      fraction.resource = std::move(item);
      list.push_back(std::move(fraction));
    }
    return list;
  }

  std::vector<std::pair<std::string, int64_t>> Quantities(const char* option) {
    std::vector<std::pair<std::string, int64_t>> list;
    for (std::string item : WordsIn(options_.text(option), '+')) {
      const std::string whole = item;
      const std::optional<std::string> text = TakeLast(&item);
      const Unit unit = IsMilliDimension(item) ? Unit::kMilli : Unit::kWhole;
      const absl::StatusOr<int64_t> amount = ParseQuantity(text.value_or(""), unit);
      if (item.empty() || !amount.ok() || *amount < 0) {
        Refuse(option, whole, "must be a resource with an amount, NAME:AMOUNT");
        continue;
      }
      list.emplace_back(std::move(item), *amount);
    }
    return list;
  }

  int64_t Whole(const char* option) const { return static_cast<int64_t>(options_.number(option)); }

  void ReadFlags() {
    const auto rate = [&](const char* per_second, const char* burst) {
      return Rate{options_.number(per_second), Whole(burst)};
    };
    config_.rate = rate("rate", "burst");
    config_.queue_rate = rate("queue_rate", "queue_burst");
    config_.preemption_rate = rate("preemption_rate", "preemption_burst");
    Options& own = config_.options;
    own.protected_fraction = options_.number("protected");
    own.protect_uncapped = options_.flag("protect_uncapped");
    own.prefer_large = options_.flag("prefer_large");
    own.lookback = Whole("lookback");
    own.home_first = own.cross_pool_bucket = options_.flag("home_first");
    own.no_home = !options_.flag("home");
    own.no_away = !options_.flag("away_nodes");
    own.no_gang_away = !options_.flag("gang_away");
    own.no_fair_share = !options_.flag("fair_share");
    own.no_urgency = !options_.flag("urgency");
    own.market = options_.flag("market");
    own.spot_cutoff = options_.number("spot_cutoff");
    own.optimiser.enabled = options_.flag("optimiser");
    own.optimiser.most_jobs = Whole("optimiser_jobs");
    own.optimiser.improvement = options_.number("optimiser_gain");
    config_.optimiser_fraction = options_.number("optimiser_fraction");
    config_.optimiser_interval = Whole("optimiser_interval");
    config_.short_job_cutoff = Whole("short_job_cutoff");
    if (own.market && config_.preemption_rate.burst > 0) {
      Refuse("preemption_burst", options_.text("preemption_burst"), "must be 0 in a market");
    }
  }

  const muster::Options& options_;
  Config config_;
  absl::Status status_;
};

}  // namespace

std::span<const OptionDecl> RoundOptionDecls() { return kRoundOptions; }

absl::StatusOr<Config> Config::Parse(const muster::Options& options) {
  return ConfigReader(options).Read();
}

bool Config::MayGoAway(std::string_view home, std::string_view other) const {
  for (const auto& [from, to] : away) {
    if (from == home && to == other) return true;
  }
  return false;
}

int Config::FindClass(std::string_view name) const {
  for (size_t c = 0; c < classes.size(); ++c) {
    if (classes[c].name == name) return static_cast<int>(c);
  }
  return -1;
}

std::string ParseClassLimits(std::string_view text, const Config& config,
                             std::vector<ClassFraction>* limits) {
  for (const std::string& item : WordsIn(text, '+')) {
    const size_t slash = item.find('/'), colon = item.rfind(':');
    ClassFraction limit;
    if (slash == std::string::npos || colon == std::string::npos || colon < slash + 2 ||
        !absl::SimpleAtod(item.substr(colon + 1), &limit.fraction.part) ||
        !std::isfinite(limit.fraction.part) || limit.fraction.part < 0) {
      return absl::StrCat(Quote(item),
                          " must be CLASS/RESOURCE:FRACTION, with a fraction of 0 or more");
    }
    limit.priority_class = config.FindClass(item.substr(0, slash));
    if (limit.priority_class < 0) {
      return absl::StrCat(Quote(item), " names no class of option classes");
    }
    limit.fraction.resource = item.substr(slash + 1, colon - slash - 1);
    limits->push_back(std::move(limit));
  }
  return {};
}

}  // namespace muster::armada
