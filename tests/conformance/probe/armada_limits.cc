// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Limits of Armada's rounds, and the penalty of short jobs. Amounts are lists of integers, in the
// order of "resources".
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/armada/limits.h"
#include "lib/peer/armada/short_jobs.h"
#include "tests/conformance/probe/armada_state.h"

namespace muster::testing::armada_probe {
namespace {

using nlohmann::json;

armada::Limiter RateOf(const json& row) {
  return {.limited = true, .burst = row["burst"], .tokens = row["tokens"]};
}

std::vector<armada::Resource> ResourcesOf(const json& asked) {
  std::vector<armada::Resource> resources;
  for (const json& row : asked["resources"]) {
    resources.push_back({row["name"], row.value("floating", false), -3});
  }
  return resources;
}

armada::EndedJob EndedJobOf(const json& row) {
  armada::EndedJob job{.id = row["id"], .queue = row["queue"]};
  for (const auto& [name, amount] : row["requests"].items())
    job.requests.emplace_back(name, amount);
  job.ended = row["ended"];
  job.preempted = row["preempted"];
  if (row.contains("started")) job.started = row["started"].get<int64_t>();
  return job;
}

}  // namespace

absl::StatusOr<json> PlayLimits(const json& asked) {
  const std::string rule = asked["rule"];
  if (rule == "round") {
    return ReasonText(armada::CheckRoundLimit(asked["scheduled"], asked["limit"]));
  }
  if (rule == "gang") {
    const armada::Limiter pool = RateOf(asked["pool"]), queue = RateOf(asked["queue"]);
    const armada::Amounts held = asked["held"], limit = asked["limit"];
    return ReasonText(armada::CheckGangLimits(
        {.pool = pool, .queue = queue, .held = held, .limit = limit}, asked["jobs"]));
  }
  if (rule == "floating") {
    std::optional<armada::Amounts> limits;
    if (asked.contains("limits")) limits = asked["limits"].get<armada::Amounts>();
    return ReasonText(armada::CheckFloatingLimits(ResourcesOf(asked), asked["held"], limits));
  }
  if (rule == "capped") return armada::Capped(asked["amounts"], asked["limit"]);
  if (rule == "fractions") {
    std::vector<armada::Fraction> fractions;
    for (const json& row : asked["fractions"]) fractions.push_back({row[0], row[1]});
    return armada::LimitOf(ResourcesOf(asked), asked["total"], fractions);
  }
  return absl::InvalidArgumentError(absl::StrCat("armada: no limit ", rule));
}

absl::StatusOr<json> PlayShortJobs(const json& asked) {
  std::map<std::string, armada::ShortJobs> pools;
  for (const auto& [pool, cutoff] : asked["cutoffs"].items()) {
    pools.emplace(pool, armada::ShortJobs(cutoff));
  }
  const std::vector<armada::Resource> resources = ResourcesOf(asked);
  json answers = json::array();
  for (const json& step : asked["steps"]) {
    const std::string op = step["op"];
    if (op == "now") {
      for (auto& [pool, jobs] : pools) jobs.SetNow(step["now"]);
      continue;
    }
    if (op == "penalty") {
      json& answer = answers.emplace_back(json::object());
      for (const auto& [pool, jobs] : pools) {
        for (const json& queue : step["queues"]) {
          answer[pool][queue.get<std::string>()] =
              jobs.PenaltyOf(queue.get<std::string>(), resources);
        }
      }
      continue;
    }
    const auto of_pool = pools.find(step["pool"]);
    const bool known = of_pool != pools.end();
    if (op == "is_short") {
      answers.push_back(known && of_pool->second.IsShort(EndedJobOf(step["job"])));
    } else if (known) {
      of_pool->second.Report(EndedJobOf(step["job"]));
    }
  }
  return answers;
}

}  // namespace muster::testing::armada_probe
