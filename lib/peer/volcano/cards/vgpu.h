// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Shares of GPUs: which cards of a machine a task's containers get, by number, memory and cores,
// and the books.
//
//   VgpuMachine machine{
//       .cards = {{.uuid = "GPU-0", .type = "NVIDIA", .memory = 16384, .most_tasks = 10}, ...}};
//   VgpuRequest request{.containers = {{.count = 1, .memory = 4096, .cores = 25}}};
//   VgpuAnswer answer = ChooseCards(machine, request, CardOrder::kPack);   // changes nothing
//   answer.score;                                                          // of the choice
//   answer = TakeCards("uid", request, CardOrder::kPack, &machine);        // the task has them
//
// Idea. Containers go one after the other. For each, cards are tried in an order: kLastFirst from
// the last card down, kPack the fullest in memory first, kSpread the one with the fewest tasks
// first (ties: the first card). Each card that passes all rules gives one of the devices requested:
// - Its UUID is among use_uuids, if there are any, and not among avoid_uuids. Its type contains
//   "NVIDIA" and one of use_types, letters of either case; if those are not given, none of
//   avoid_types.
// - It has less than most_tasks tasks, and none of the task's group, where the task keeps apart.
// - The memory fits (a percentage is of this card's), and cores add up to 100 at most. A container
//   that requests all 100 cores needs an empty card; one that requests none, a card with cores
//   left.
// - Cards in partitions (MIG): an instance is free, see lib/peer/volcano/cards/mig.h, and its whole
//   memory counts.
//
// Score. It is the sum over the devices given, with each one on its card: kPack 100 * used /
// memory. kLastFirst 0. kSpread 100 if the card has no task, which never holds once the device is
// there, so 0.
//
// Peer. Volcano's vGPU devices (HAMi-core and MIG), with these surprises:
// - Instances of partitioned cards are not marked while one task is placed, so two containers may
//   get the same one.
// - A container that requests no device counts on the first card that has room, and gets none.
// - Books keep the memory requested, the card's sum that of the instance.
// A choice that fails changes nothing.
//
// Cost. A few comparisons a card, no allocation up to 16 cards but the answer's.
#ifndef MUSTER_PEER_VOLCANO_CARDS_VGPU_H_
#define MUSTER_PEER_VOLCANO_CARDS_VGPU_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/peer/volcano/cards/card_request.h"
#include "lib/peer/volcano/cards/mig.h"

namespace muster {

enum class CardOrder : uint8_t { kLastFirst, kPack, kSpread };

struct VgpuHolder {
  std::string task, group;  // group: of the task's job, empty if it has none
  int64_t memory = 0, cores = 0;
};

struct VgpuCard {
  std::string uuid, type;
  int64_t memory = 0, most_tasks = 0;
  int64_t tasks = 0, used_memory = 0, used_cores = 0;
  std::vector<VgpuHolder> holders;
  std::vector<MigGeometry> geometries;  // of a card in partitions
  MigUse mig;
};

struct VgpuMachine {
  std::string mode = "hami-core";  // "mig": cards are partitioned
  int64_t memory_factor = 1;       // units of an instance's memory in one unit of a request's
  std::vector<VgpuCard> cards;
};

struct VgpuRequest {
  std::vector<CardRequest> containers;  // those that request cards
  std::vector<std::string> use_uuids, avoid_uuids;
  std::optional<std::vector<std::string>> use_types, avoid_types;
  std::optional<std::string> mode;  // machines of this mode alone
  std::string group;                // of the task's job
  bool apart_from_group = false;    // on no card that another task of the group has
};

struct VgpuGrant {
  int card = 0;
  int64_t memory = 0, cores = 0;
  std::optional<MigSlot> slot;
};

enum class VgpuRefusal : uint8_t { kNone, kOtherMode, kTooFewCards, kNoSuchUuid, kNoRoom };

struct VgpuAnswer {
  VgpuRefusal refusal = VgpuRefusal::kNone;
  std::vector<std::vector<VgpuGrant>> containers = {};  // as requested
  double score = 0;
  bool ok() const { return refusal == VgpuRefusal::kNone; }
};

// Refuses negative amounts, cores above 100, a repeated UUID, MIG mode without geometries, a factor
// below 1.
absl::Status CheckCards(const VgpuMachine& machine);

// `barred`: cards that give nothing (to this task: lib/peer/volcano/cards/exclusive_cards.h).
VgpuAnswer ChooseCards(const VgpuMachine& machine, const VgpuRequest& request, CardOrder order,
                       std::span<const int> barred = {});
VgpuAnswer TakeCards(std::string_view task, const VgpuRequest& request, CardOrder order,
                     VgpuMachine* machine, std::span<const int> barred = {});

// Returns whether the two lists accept a card of this type.
bool TypeAllowed(std::string_view type, const VgpuRequest& request);

double CardScore(const VgpuCard& card, CardOrder order);

// Returns whether the card gives something to a task of the group. An empty group matches no card.
bool HasGroup(const VgpuCard& card, std::string_view group);

// Adds a task found running. Changes nothing if the card already has it. `slot`: of a card in
// partitions; its instance counts instead of `holder.memory`.
void AddHolder(const VgpuHolder& holder, std::optional<MigSlot> slot, int64_t memory_factor,
               VgpuCard* card);
// Removes a task. Returns false if the card does not have it.
bool RemoveHolder(const VgpuHolder& holder, std::optional<MigSlot> slot, int64_t memory_factor,
                  VgpuCard* card);

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_CARDS_VGPU_H_
