// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/colocation/colocate_options.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster::koordinator {
namespace {

constexpr OptionDecl kColocateOptions[] = {
    {"cpu_policy", OptionKind::kChoice, "usage", 0, 0,
     "usage|larger: what batch cpu leaves to others: their usage, or the larger of it and "
     "requests"},
    {"memory_policy", OptionKind::kChoice, "usage", 0, 0,
     "usage|request|larger: the same of memory"},
    {"cpu_reclaim", OptionKind::kWhole, "60", 0, 100, "percent of cpu that may be used at all"},
    {"memory_reclaim", OptionKind::kWhole, "65", 0, 100, "the same of memory"},
    {"most_cpu", OptionKind::kWhole, "-1", -1, 1000, "percent of cpu for batch work; -1: any"},
    {"most_memory", OptionKind::kWhole, "-1", -1, 1000, "the same of memory"},
    {"mid", OptionKind::kChoice, "predicted", 0, 0,
     "predicted|static: what of production's requests the mid band gets"},
    {"mid_static_cpu", OptionKind::kWhole, "0", 0, 100, "static: percent of cpu"},
    {"mid_static_memory", OptionKind::kWhole, "0", 0, 100, "static: percent of memory"},
    {"mid_most_cpu", OptionKind::kWhole, "100", 0, 100, "percent of cpu for the mid band at most"},
    {"mid_most_memory", OptionKind::kWhole, "100", 0, 100, "the same of memory"},
    {"mid_unallocated", OptionKind::kWhole, "0", 0, 100,
     "percent of what production has not requested"},
    {"degrade", OptionKind::kWhole, "15", 0, 1e6,
     "minutes after which a measurement gives no room"},
    {"change", OptionKind::kNumber, "0.1", 0, 1e6, "part of an amount that is worth an update"},
    {"update", OptionKind::kWhole, "300", 0, 1e9, "seconds after which there is an update"},
    {"suppress", OptionKind::kWhole, "65", 0, 100,
     "percent of cpu that best-effort work and all others may use together"},
    {"suppress_least", OptionKind::kWhole, "-1", -1, 100,
     "percent of cpu that best-effort work keeps; -1: none"},
    {"satisfaction_low", OptionKind::kWhole, "0", 0, 100,
     "percent of its requests below which best-effort work is evicted; 0: it is not"},
    {"satisfaction_high", OptionKind::kWhole, "80", 0, 100, "percent at which this ends"},
    {"busy", OptionKind::kWhole, "90", 0, 100, "percent of its limit that it must use"},
    {"limit", OptionKind::kChoice, "real", 0, 0,
     "real|allocatable: the limit is the suppressed cpu, or the node's batch cpu"},
    {"cpu_evict", OptionKind::kWhole, "-1", -1, 100,
     "percent of cpu used from which tasks are evicted; -1: they are not"},
    {"cpu_evict_low", OptionKind::kWhole, "-1", -1, 100, "percent down to which; -1: 2 less"},
    {"cpu_evict_priority", OptionKind::kWhole, "5999", -2147483648.0, 2147483647,
     "tasks above this priority stay"},
    {"memory_evict", OptionKind::kWhole, "70", -1, 100,
     "percent of memory used from which best-effort work is evicted; -1: it is not"},
    {"memory_evict_low", OptionKind::kWhole, "-1", -1, 100, "percent down to which; -1: 2 less"},
    {"cooling", OptionKind::kWhole, "20", 0, 1e9, "seconds in which cpu evicts once on a node"},
    {"memory_cooling", OptionKind::kWhole, "4", 0, 1e9, "the same of memory"},
};

constexpr int64_t kMostLowSatisfaction = 60, kHighSatisfactionEnd = 100, kReleaseBuffer = 2;

absl::Status WrongColocateOption(std::string_view option, std::string_view rule) {
  return absl::InvalidArgumentError(
      absl::StrCat("action colocate: option ", Quote(option), ": ", ToAbsl(rule)));
}

class ColocateReader {
 public:
  explicit ColocateReader(const Options& options) : options_(options) {}

  int64_t Whole(std::string_view name) const { return static_cast<int64_t>(options_.number(name)); }
  std::optional<int64_t> IfSet(std::string_view name) const {
    return Whole(name) < 0 ? std::optional<int64_t>() : Whole(name);
  }
  RoomPolicy Policy(std::string_view name) const {
    const std::string word = options_.text(name);
    if (word == "larger") return RoomPolicy::kLarger;
    return word == "request" ? RoomPolicy::kRequest : RoomPolicy::kUsage;
  }

  absl::Status ReadSatisfaction(ColocateRules* rules) const {
    const int64_t low = Whole("satisfaction_low"), high = Whole("satisfaction_high");
    if (low == 0) return absl::OkStatus();
    if (low > kMostLowSatisfaction) {
      return WrongColocateOption(
          "satisfaction_low",
          absl::StrCat("CPUEvictBESatisfactionLowerPercent(", low, ") is not valid! must (0,60]"));
    }
    if (high >= kHighSatisfactionEnd || high <= 0) {
      return WrongColocateOption(
          "satisfaction_high",
          absl::StrCat("CPUEvictBESatisfactionUpperPercent(", high, ") is not valid,must (0,100)"));
    }
    if (high < low) {
      return WrongColocateOption("satisfaction_high",
                                 absl::StrCat("CPUEvictBESatisfactionUpperPercent(", high,
                                              ") < CPUEvictBESatisfactionLowerPercent(", low, ")"));
    }
    rules->satisfaction = Satisfaction{low, high};
    return absl::OkStatus();
  }

  absl::Status ReadThreshold(std::string_view option, std::string_view low_option,
                             std::optional<ColocateRules::Threshold>* threshold) const {
    const int64_t percent = Whole(option);
    if (percent < 0) return absl::OkStatus();
    const int64_t lower = IfSet(low_option).value_or(percent - kReleaseBuffer);
    if (lower >= percent) {
      return WrongColocateOption(
          low_option, absl::StrCat("lower percent(", lower, ") should less than threshold percent(",
                                   percent, ")"));
    }
    *threshold = ColocateRules::Threshold{percent, lower};
    return absl::OkStatus();
  }

 private:
  const Options& options_;
};

}  // namespace

std::span<const OptionDecl> ColocateOptions() { return kColocateOptions; }

absl::StatusOr<ColocateRules> ReadColocateRules(const Options& options) {
  const ColocateReader reader(options);
  ColocateRules rules;
  rules.batch = {.cpu = reader.Policy("cpu_policy"),
                 .memory = reader.Policy("memory_policy"),
                 .cpu_reclaim_percent = reader.Whole("cpu_reclaim"),
                 .memory_reclaim_percent = reader.Whole("memory_reclaim"),
                 .most_cpu_percent = reader.IfSet("most_cpu"),
                 .most_memory_percent = reader.IfSet("most_memory")};
  rules.mid = {.is_static = options.text("mid") == "static",
               .static_cpu_percent = reader.Whole("mid_static_cpu"),
               .static_memory_percent = reader.Whole("mid_static_memory"),
               .most_cpu_percent = reader.Whole("mid_most_cpu"),
               .most_memory_percent = reader.Whole("mid_most_memory"),
               .unallocated_percent = reader.Whole("mid_unallocated")};
  rules.degrade_minutes = reader.Whole("degrade");
  rules.change = options.number("change");
  rules.update = reader.Whole("update");
  rules.suppress_percent = reader.Whole("suppress");
  rules.suppress_least = reader.IfSet("suppress_least");
  rules.busy_percent = reader.Whole("busy");
  rules.by_allocatable = options.text("limit") == "allocatable";
  rules.cpu_priority = reader.Whole("cpu_evict_priority");
  rules.cooling = reader.Whole("cooling");
  rules.memory_cooling = reader.Whole("memory_cooling");
  for (const absl::Status& status :
       {reader.ReadSatisfaction(&rules),
        reader.ReadThreshold("cpu_evict", "cpu_evict_low", &rules.cpu),
        reader.ReadThreshold("memory_evict", "memory_evict_low", &rules.memory)}) {
    if (!status.ok()) return status;
  }
  return rules;
}

}  // namespace muster::koordinator
