// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Shares of GPUs: which cards of a machine a task's containers get, by number, memory and cores, and the books.
//
//   VgpuMachine machine{.cards = {{.uuid = "GPU-0", .type = "NVIDIA", .memory = 16384, .most_tasks = 10}, ...}};
//   VgpuRequest request{.containers = {{.count = 1, .memory = 4096, .cores = 25}}};
//   VgpuAnswer answer = ChooseCards(machine, request, CardOrder::kPack);   // filter: nothing changes
//   answer.score;                                                          // of the machine, of what is chosen
//   answer = TakeCards("uid", request, CardOrder::kPack, &machine);        // the same, and the task has them
//
// Idea. Containers one after the other, for each the cards in an order: kLastFirst from the last card down, kPack the
// fullest in memory first, kSpread the one with the fewest tasks first (ties: the first card). Each card that passes
// all rules gives one of the devices asked for:
//   - its UUID is among use_uuids, if there are any, and not among avoid_uuids; its type contains "NVIDIA" and one of
//     use_types, letters of either case; if those are not given, none of avoid_types;
//   - it has less than most_tasks tasks, and none of the task's group, where the task minds;
//   - the memory fits (a percentage is of this card's), and cores add up to 100 at most; who asks for all 100 wants it
//     empty, who asks for none a card that is not all taken;
//   - cards in partitions (MIG): an instance is free, see lib/peer/volcano/cards/mig.h, and its whole memory counts.
// Score. Of each device given, with it on the card: kPack 100 * used / memory; kSpread 100 if the card has no task, which
// after the device is there never holds, so 0; kLastFirst 0.
// Peer. Volcano's vGPU devices (HAMi-core and MIG), with its surprises: instances of partitioned cards are not marked
// while one task is placed, so two containers may get the same; a container that asks for no device counts on the
// first card that has room, and gets none; books keep the memory asked for, the card's sum the instance's.
// A choice that fails changes nothing. Cost: a few comparisons a card, no allocation up to 16 cards but the answer's.
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
  std::vector<CardRequest> containers;  // those that ask for cards
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

// Refuses negative amounts, cores above 100, a UUID twice, MIG mode without geometries, a factor below 1.
absl::Status CheckCards(const VgpuMachine& machine);

// `barred`: cards that give nothing (to this task: lib/peer/volcano/cards/exclusive_cards.h).
VgpuAnswer ChooseCards(const VgpuMachine& machine, const VgpuRequest& request, CardOrder order,
                       std::span<const int> barred = {});
VgpuAnswer TakeCards(std::string_view task, const VgpuRequest& request, CardOrder order,
                     VgpuMachine* machine, std::span<const int> barred = {});

// Whether a card of this type will do by the two lists.
bool TypeAllowed(std::string_view type, const VgpuRequest& request);

double CardScore(const VgpuCard& card, CardOrder order);

// Whether the card gives something to a task of the group. No group shares with none.
bool HasGroup(const VgpuCard& card, std::string_view group);

// A task found running: nothing changes if the card already has it. `slot`: of a card in partitions, whose instance
// counts instead of `holder.memory`.
void AddHolder(const VgpuHolder& holder, std::optional<MigSlot> slot, int64_t memory_factor,
               VgpuCard* card);
// The reverse; false: the card does not have it.
bool RemoveHolder(const VgpuHolder& holder, std::optional<MigSlot> slot, int64_t memory_factor,
                  VgpuCard* card);

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_CARDS_VGPU_H_
