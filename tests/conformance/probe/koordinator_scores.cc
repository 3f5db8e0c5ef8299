// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator's scores by kinds of resources, rates of evictions, and steps of migrations.
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/peer/koordinator/rebalance/eviction_rates.h"
#include "lib/peer/koordinator/rebalance/migration_steps.h"
#include "lib/peer/koordinator/scores/resource_scores.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

std::vector<ContainerRequest> ContainersOf(const json& list) {
  std::vector<ContainerRequest> containers;
  for (const json& one : list) {
    ContainerRequest& container = containers.emplace_back();
    if (!one["amount"].is_null()) container.amount = one["amount"].get<int64_t>();
    container.restarts = one["restarts"];
  }
  return containers;
}

json AskStrategies(const json& asked) {
  std::vector<StrategyShare> shares;
  for (const json& one : asked["shares"]) {
    shares.push_back({.requested = one["requested"],
                      .capacity = one["capacity"],
                      .weight = one["weight"],
                      .prefer_full = one["prefer_full"]});
  }
  return ScoreByStrategies(shares);
}

json AskRates(const json& asked) {
  koordinator::EvictionRates rates;
  json answers = json::array();
  for (const json& op : asked["ops"]) {
    const std::string key = op["key"];
    if (op["op"] == "track") {
      rates.Track(key, op["per_second"], op["burst"], op["now"]);
    } else {
      answers.push_back(rates.Exceeded(key, op["now"]));
    }
  }
  return answers;
}

koordinator::MigrationSight SightOf(const json& object) {
  using Phase = koordinator::MigrationSight::Reservation::Phase;
  koordinator::MigrationSight sight{.paused = object.value("paused", false),
                                    .task_named = object.value("task_named", true),
                                    .reserves = object.value("reserves", true),
                                    .limited = object.value("limited", false),
                                    .age = object.value("age", int64_t{0}),
                                    .ttl = object.value("ttl", int64_t{0})};
  if (object.contains("task")) {
    const json& task = object["task"];
    sight.task = {.id = task["id"],
                  .node = task["node"],
                  .scheduled = task["scheduled"],
                  .same = task["same"]};
  }
  if (!object.contains("reservation")) return sight;
  const json& room = object["reservation"];
  const std::string phase = room["phase"];
  sight.reservation = {.phase = phase == "Available"   ? Phase::kAvailable
                                : phase == "Succeeded" ? Phase::kSucceeded
                                : phase == "Failed"    ? Phase::kFailed
                                                       : Phase::kPending,
                       .expired = room["expired"],
                       .scheduled = room["scheduled"],
                       .for_pending = room["for_pending"],
                       .node = room["node"],
                       .bound = room["bound"],
                       .bound_ready = room["bound_ready"]};
  return sight;
}

// One state through several sights; "reserved" tells when a reservation was made.
json AskMigrationSteps(const json& asked) {
  static constexpr const char* kStages[] = {"Pending", "Running", "Succeeded", "Failed"};
  static constexpr const char* kActs[] = {"none", "wait", "reserve", "evict"};
  static constexpr const char* kFailures[] = {"",
                                              "Timeout",
                                              "InvalidPodRef",
                                              "MissingPod",
                                              "ReservationExpired",
                                              "Unschedulable",
                                              "ForbiddenMigratePod"};
  const json before = asked.value("state", json::object());
  const std::string stage = before.value("stage", "Pending");
  koordinator::MigrationState state{.reserved = before.value("reserved", false),
                                    .evicting = before.value("evicting", false),
                                    .evicted = before.value("evicted", false),
                                    .node = before.value("node", "")};
  for (size_t i = 0; i < std::size(kStages); ++i) {
    if (stage == kStages[i]) state.stage = static_cast<koordinator::MigrationStage>(i);
  }
  json answers = json::array();
  for (const json& sight : asked["sights"]) {
    state.reserved |= sight.value("reserved", false);
    const koordinator::MigrationAct act = Advance(SightOf(sight), &state);
    answers.push_back({{"act", kActs[static_cast<size_t>(act)]},
                       {"stage", kStages[static_cast<size_t>(state.stage)]},
                       {"failure", kFailures[static_cast<size_t>(state.failure)]},
                       {"node", state.node},
                       {"evicting", state.evicting},
                       {"evicted", state.evicted}});
  }
  return answers;
}

}  // namespace

absl::StatusOr<json> AskKoordinatorScores(const json& request) {
  const json& asked = request["koordinator_scores"];
  const std::string ask = asked["ask"];
  if (ask == "strategies") return AskStrategies(asked);
  if (ask == "scarce") return ScoreWithoutScarce(asked["idle"], asked["scarce"]);
  if (ask == "request") {
    return RequestWithLeast(ContainersOf(asked["containers"]),
                            ContainersOf(asked["init_containers"]), asked["least"],
                            asked["overhead"]);
  }
  if (ask == "scale") {
    std::vector<int64_t> scores = asked["scores"];
    ScaleScores(scores);
    return scores;
  }
  if (ask == "rates") return AskRates(asked);
  if (ask == "migration") return AskMigrationSteps(asked);
  return absl::InvalidArgumentError("koordinator_scores: no such question: " + ask);
}

}  // namespace muster::testing
