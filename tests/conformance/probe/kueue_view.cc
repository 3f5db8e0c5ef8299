// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How Kueue reads a workload, and how requests are computed with.
//
//   {"kueue_view": {"ask": "count", "request": {"cpu": 1000}, "capacity": {"cpu": 5000}}}
//     -> {"count": 5, "limit": "cpu"}
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/kueue/amount.h"
#include "lib/peer/kueue/workload_rules.h"
#include "tests/conformance/probe/kueue.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using kueue::PodRequest;
using nlohmann::json;

// Resources of a question, by number.
struct Names {
  explicit Names(std::initializer_list<json> maps) {
    std::set<std::string> found = {"pods"};
    for (const json& map : maps) {
      for (const auto& [name, amount] : map.items()) found.insert(name);
    }
    all.assign(found.begin(), found.end());
  }
  PodRequest Read(const json& map) const {
    PodRequest request;
    for (const auto& [name, amount] : map.items()) {
      const auto at = std::find(all.begin(), all.end(), name) - all.begin();
      request.push_back({static_cast<uint32_t>(at), amount.get<int64_t>()});
    }
    return request;
  }
  json Write(const PodRequest& request) const {
    json map = json::object();
    for (const auto& [resource, amount] : request) map[all[resource]] = amount;
    return map;
  }
  std::vector<std::string> all;
};

json Count(const json& asked) {
  const Names names({asked["request"], asked["capacity"]});
  const PodRequest request = names.Read(asked["request"]);
  std::map<uint32_t, int64_t> room;
  for (const auto& [resource, amount] : names.Read(asked["capacity"])) room[resource] = amount;
  const auto amount_of = [&](uint32_t r) { return room[r]; };
  const uint32_t limit =
      kueue::LimitOfPods(request, amount_of, kueue::TopologyResources(names.all));
  return {{"count", kueue::CountPods(request, amount_of)},
          {"limit", limit == kNone ? "" : names.all[limit]}};
}

// Of maps, resource by resource; what a map lacks is 0.
json Combined(const json& asked, const std::function<int64_t(int64_t, int64_t)>& combine) {
  json result = asked["a"];
  for (const auto& [name, amount] : asked["b"].items()) {
    result[name] = combine(result.value(name, int64_t{0}), amount.get<int64_t>());
  }
  return result;
}

json Changed(const json& asked) {
  const Names names({asked["request"]});
  PodRequest request = names.Read(asked["request"]);
  if (asked.contains("count")) kueue::TotalOf(asked["count"], &request);
  if (asked.contains("of")) kueue::ScaleTotal(asked["of"], asked["left"], &request);
  return names.Write(request);
}

json More(const json& asked) {
  const Names names({asked["a"], asked["b"]});
  json list = json::array();
  for (const uint32_t r : kueue::MoreThan(names.Read(asked["a"]), names.Read(asked["b"]))) {
    list.push_back(names.all[r]);
  }
  return list;
}

}  // namespace

kueue::WorkloadState KueueState(const json& object) {
  kueue::WorkloadState state{.created = object["created"]};
  for (const json& one : object["conditions"]) {
    state.conditions.push_back({.type = one["type"],
                                .reason = one["reason"],
                                .holds = one["holds"],
                                .time = one["time"],
                                .message = one.value("message", ""),
                                .generation = one.value("generation", int64_t{0})});
  }
  state.checks = object["checks"].get<std::vector<std::string>>();
  state.delayed = object["delayed"];
  state.nodes = object["nodes"].get<std::vector<std::string>>();
  state.unhealthy = object["unhealthy"].get<std::vector<std::string>>();
  state.active = object.value("active", true);
  state.gated = object.value("gated", false);
  if (object.contains("seconds")) state.seconds_before = object["seconds"].get<int64_t>();
  return state;
}

kueue::NamedCounts KueueCounts(const json& map) {
  kueue::NamedCounts counts;
  for (const auto& [name, count] : map.items()) counts.emplace_back(name, count.get<int64_t>());
  return counts;
}

absl::StatusOr<json> AskKueueView(const json& request) {
  const json& asked = request["kueue_view"];
  const std::string ask = asked["ask"];
  if (ask == "count") return Count(asked);
  if (ask == "sum") return Combined(asked, kueue::SaturatingPlus);
  if (ask == "difference") return Combined(asked, kueue::SaturatingMinus);
  if (ask == "changed") return Changed(asked);
  if (ask == "more") return More(asked);
  if (ask == "amount") {
    return json(kueue::RequestAmount(asked["resource"].get<std::string>(),
                                     asked["text"].get<std::string>()));
  }
  if (ask == "left") return json(kueue::CountAfterReclaim(asked["count"], asked["reclaimed"]));
  if (ask == "priority") {
    const auto answer = kueue::EffectivePriority(
        asked["priority"], asked["boost"].get<std::string>(), asked["boosted"]);
    return json{{"priority", answer.priority}, {"valid", answer.valid}};
  }
  if (ask == "queue_time") {
    return json(kueue::QueueTime(KueueState(asked["state"]),
                                 {.from_eviction = asked["from_eviction"],
                                  .sorts_by_priority = asked["sorts_by_priority"]}));
  }
  if (ask == "on_hold") return json(kueue::IsOnHold(KueueState(asked["state"])));
  if (ask == "second_pass") return json(kueue::NeedsSecondPass(KueueState(asked["state"])));
  if (ask == "scaled_down") {
    return json(kueue::IsScaledDown(KueueCounts(asked["before"]), KueueCounts(asked["now"])));
  }
  return absl::InvalidArgumentError(absl::StrCat("no question about a workload: ", ask));
}

}  // namespace muster::testing
