// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Shared cards of one machine: which of them tasks get, rule by rule and whole.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/volcano/cards/ascend.h"
#include "lib/peer/volcano/cards/card_request.h"
#include "lib/peer/volcano/cards/exclusive_cards.h"
#include "lib/peer/volcano/cards/gpu_share.h"
#include "lib/peer/volcano/cards/mig.h"
#include "lib/peer/volcano/cards/vgpu.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

CardOrder OrderOf(const json& asked) {
  const std::string name = asked.value("order", "");
  return name == "binpack"  ? CardOrder::kPack
         : name == "spread" ? CardOrder::kSpread
                            : CardOrder::kLastFirst;
}

std::vector<MigGeometry> GeometriesOf(const json& list) {
  std::vector<MigGeometry> geometries;
  for (const json& one : list) {
    MigGeometry& geometry = geometries.emplace_back();
    geometry.group = one["group"];
    for (const json& kind : one["instances"]) {
      geometry.instances.push_back({kind["name"], kind["memory"], kind["count"]});
    }
  }
  return geometries;
}

MigUse UseOf(const json& object) {
  MigUse use{.geometry = object["geometry"], .kinds = {}};
  for (const json& kind : object["kinds"]) {
    use.kinds.push_back({kind["name"], kind["memory"], kind["used"]});
  }
  return use;
}

json Written(const MigUse& use) {
  json written = {{"geometry", use.geometry}, {"kinds", json::array()}};
  for (const MigUse::Kind& kind : use.kinds) {
    written["kinds"].push_back({{"name", kind.name}, {"memory", kind.memory}, {"used", kind.used}});
  }
  return written;
}

VgpuCard CardOf(const json& object) {
  VgpuCard card;
  card.uuid = object.value("uuid", "");
  card.type = object.value("type", "");
  card.memory = object.value("memory", int64_t{0});
  card.most_tasks = object.value("most_tasks", int64_t{0});
  card.tasks = object.value("tasks", int64_t{0});
  card.used_memory = object.value("used_memory", int64_t{0});
  card.used_cores = object.value("used_cores", int64_t{0});
  for (const json& holder : object.value("holders", json::array())) {
    card.holders.push_back({holder["task"], holder["group"], holder["memory"], holder["cores"]});
  }
  card.geometries = GeometriesOf(object.value("geometries", json::array()));
  if (object.contains("mig")) card.mig = UseOf(object["mig"]);
  return card;
}

json Written(const VgpuCard& card) {
  json written = {{"tasks", card.tasks},
                  {"used_memory", card.used_memory},
                  {"used_cores", card.used_cores},
                  {"holders", json::array()},
                  {"mig", Written(card.mig)}};
  for (const VgpuHolder& holder : card.holders) {
    written["holders"].push_back(
        {{"task", holder.task}, {"memory", holder.memory}, {"cores", holder.cores}});
  }
  return written;
}

VgpuMachine CardMachineOf(const json& object) {
  VgpuMachine machine;
  machine.mode = object["mode"];
  machine.memory_factor = object.value("memory_factor", int64_t{1});
  for (const json& card : object["cards"]) machine.cards.push_back(CardOf(card));
  return machine;
}

std::optional<std::vector<std::string>> ListOf(const json& object, const char* key) {
  if (!object.contains(key)) return std::nullopt;
  return object[key].get<std::vector<std::string>>();
}

absl::StatusOr<std::vector<CardRequest>> ContainersOf(const json& object) {
  const json& names = object["names"];
  const CardNames read{names["count"], names["memory"], names["percent"], names["cores"]};
  std::vector<CardRequest> containers;
  for (const json& one : object["containers"]) {
    const auto asked = ReadCardRequest(one["limits"], one["requests"], read);
    if (!asked.ok()) return asked.status();
    if (asked->has_value()) containers.push_back(**asked);
  }
  return containers;
}

absl::StatusOr<VgpuRequest> CardRequestOf(const json& object) {
  const auto containers = ContainersOf(object);
  if (!containers.ok()) return containers.status();
  VgpuRequest request;
  request.containers = *containers;
  request.use_uuids = object.value("use_uuids", std::vector<std::string>());
  request.avoid_uuids = object.value("avoid_uuids", std::vector<std::string>());
  request.use_types = ListOf(object, "use_types");
  request.avoid_types = ListOf(object, "avoid_types");
  if (object.contains("mode")) request.mode = object["mode"];
  request.group = object.value("group", "");
  request.apart_from_group = object.value("apart", false);
  return request;
}

absl::StatusOr<json> AnswerTake(const json& asked) {
  VgpuMachine machine = CardMachineOf(asked["machine"]);
  const absl::StatusOr<VgpuRequest> request = CardRequestOf(asked["request"]);
  if (!request.ok()) return request.status();
  const VgpuAnswer answer = TakeCards("asker", *request, OrderOf(asked), &machine);
  json written = {{"fits", answer.ok()},
                  {"score", answer.score},
                  {"containers", json::array()},
                  {"cards", json::array()}};
  for (const std::vector<VgpuGrant>& grants : answer.containers) {
    json list = json::array();
    for (const VgpuGrant& grant : grants) {
      list.push_back({{"card", grant.card}, {"memory", grant.memory}, {"cores", grant.cores}});
      if (!grant.slot.has_value()) continue;
      list.back()["slot"] = {grant.slot->geometry, grant.slot->position};
    }
    written["containers"].push_back(std::move(list));
  }
  for (const VgpuCard& card : machine.cards) written["cards"].push_back(Written(card));
  return written;
}

absl::StatusOr<json> Hold(const json& asked) {
  VgpuCard card = CardOf(asked["card"]);
  const VgpuHolder holder{asked["task"], "", asked["memory"], asked["cores"]};
  std::optional<MigSlot> slot;
  if (asked.contains("slot")) slot = MigSlot{asked["slot"][0], asked["slot"][1]};
  const int64_t factor = asked.value("memory_factor", int64_t{1});
  json written = json::object();
  if (asked["ask"] == "add_holder") {
    AddHolder(holder, slot, factor, &card);
  } else {
    written["known"] = RemoveHolder(holder, slot, factor, &card);
  }
  written["card"] = Written(card);
  return written;
}

absl::StatusOr<json> Instance(const json& asked) {
  const std::vector<MigGeometry> allowed = GeometriesOf(asked["geometries"]);
  MigUse use = UseOf(asked["mig"]);
  if (asked["ask"] == "find_instance") {
    const std::optional<MigMatch> match = FindInstance(use, allowed, asked["memory"]);
    if (!match.has_value()) return json(nullptr);
    return json{match->slot.geometry, match->slot.position, match->memory};
  }
  const MigSlot slot{asked["slot"][0], asked["slot"][1]};
  const std::optional<int64_t> memory = asked["ask"] == "add_instance"
                                            ? AddInstance(allowed, slot, &use)
                                            : RemoveInstance(allowed, slot, &use);
  return json{{"memory", memory.value_or(0)}, {"mig", Written(use)}};
}

absl::StatusOr<json> Exclusive(const json& asked) {
  ExclusiveCards exclusive(asked["rules"].get<std::vector<CardLabels>>());
  for (const json& held : asked.value("held", json::array())) {
    VgpuMachine machine;
    for (int card : held["cards"].get<std::vector<int>>()) {
      machine.cards.resize(std::max(machine.cards.size(), static_cast<size_t>(card) + 1));
      machine.cards[static_cast<size_t>(card)].holders.push_back({held["task"], "", 1, 1});
    }
    exclusive.Track(held["task"], held["labels"], machine);
  }
  const CardLabels labels = asked["labels"];
  return json{{"rules", exclusive.RulesOf(labels)}, {"barred", exclusive.Barred(labels)}};
}

absl::StatusOr<json> Shared(const json& asked) {
  if (asked["ask"] == "amount") {
    return AmountOfTask(asked["containers"].get<std::vector<int64_t>>(),
                        asked["init_containers"].get<std::vector<int64_t>>());
  }
  std::vector<SharedGpu> gpus;
  for (const json& one : asked["gpus"]) {
    SharedGpu& gpu = gpus.emplace_back();
    gpu.id = one["id"];
    gpu.memory = one["memory"];
    for (const json& holder : one["holders"]) {
      gpu.holders.push_back({holder["task"], holder["memory"], holder["ended"]});
    }
  }
  json idle = json::object();
  for (const SharedGpu& gpu : gpus) idle[std::to_string(gpu.id)] = IdleMemory(gpu);
  return json{{"idle", idle}, {"ids", GpusByMemory(gpus, asked.value("memory", int64_t{0}))}};
}

AscendMachine AscendOf(const json& object) {
  AscendMachine machine;
  machine.type = object["type"];
  const json& model = object["model"];
  machine.model = {model["name"], model["allocatable"], model["capacity"], {}};
  for (const json& one : model["templates"]) {
    machine.model.templates.push_back({one["name"], one["memory"]});
  }
  for (const json& one : object["cards"]) {
    AscendCard& card = machine.cards.emplace_back();
    card.id = one["id"];
    card.most_tasks = one["most_tasks"];
    card.memory = one["memory"];
    card.cores = one["cores"];
    card.tasks = one["tasks"];
    card.used_memory = one["used_memory"];
    card.used_cores = one["used_cores"];
    card.shares_cores = one["shares_cores"];
    if (one.contains("network")) card.network = one["network"];
    for (const json& task : one["holders"]) card.holders.push_back({task, 0, 0});
  }
  return machine;
}

absl::StatusOr<json> Ascend(const json& asked) {
  AscendMachine machine = AscendOf(asked["machine"]);
  const std::string ask = asked["ask"];
  if (ask == "ascend_score") return AscendScore(machine.cards.at(0), OrderOf(asked));
  if (ask == "ascend_fits") {
    return AscendFits(machine.cards.at(0), asked["memory"], asked["cores"], asked["by_cores"]);
  }
  if (ask == "ascend_round") {
    const auto [memory, name] = RoundToTemplate(machine.model, asked["memory"]);
    return json{memory, name};
  }
  if (ask == "ascend_may_ask") {
    return MayAsk(machine.model,
                  {.count = asked["count"], .memory = asked["memory"], .percent = {}, .cores = 0});
  }
  if (ask == "ascend_add") {
    for (const json& one : asked["devices"]) {
      AddAscend({asked["task"], one["memory"], one["cores"]}, one["card"], &machine);
    }
    json cards = json::array();
    for (const AscendCard& card : machine.cards) {
      json holders = json::array();
      for (const AscendHolder& holder : card.holders) holders.push_back(holder.task);
      cards.push_back({card.tasks, card.used_memory, card.used_cores, holders});
    }
    return cards;
  }
  const auto containers = ContainersOf(asked["request"]);
  if (!containers.ok()) return containers.status();
  const AscendAnswer answer = ChooseAscend(
      machine, {.containers = *containers, .by_cores = asked["by_cores"]}, OrderOf(asked));
  return static_cast<int>(answer.refusal);
}

}  // namespace

absl::StatusOr<json> AskCards(const json& request) {
  const json& asked = request["cards"];
  const std::string ask = asked["ask"];
  if (ask == "take") return AnswerTake(asked);
  if (ask == "type_allowed" || ask == "has_group" || ask == "score") {
    const VgpuCard card = CardOf(asked["card"]);
    if (ask == "score") return CardScore(card, OrderOf(asked));
    if (ask == "has_group") return HasGroup(card, asked["group"].get<std::string>());
    VgpuRequest rules;
    rules.use_types = ListOf(asked, "use_types");
    rules.avoid_types = ListOf(asked, "avoid_types");
    return TypeAllowed(card.type, rules);
  }
  if (ask == "add_holder" || ask == "remove_holder") return Hold(asked);
  if (ask.find("_instance") != std::string::npos) return Instance(asked);
  if (ask == "exclusive") return Exclusive(asked);
  if (ask == "amount" || ask == "shared") return Shared(asked);
  if (ask.rfind("ascend_", 0) == 0) return Ascend(asked);
  return absl::InvalidArgumentError(absl::StrCat("no question about cards: ", ask));
}

}  // namespace muster::testing
