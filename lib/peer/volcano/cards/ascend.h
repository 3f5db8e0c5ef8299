// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Ascend NPUs, whole or cut by templates or by cores: which cards of a machine a task's containers
// get.
//
//   AscendMachine machine{
//       .model = {.name = "Ascend310P", .templates = {{"vir01", 3072}, ...}, ...}, .cards = {...}};
//   AscendRequest request{.containers = {{.count = 1, .memory = 2000}}};
//   AscendAnswer answer = ChooseAscend(machine, request, CardOrder::kPack);
//   AddAscend({"uid", 3072, 0}, answer.containers[0].cards[0], &machine);
//
// Idea. Cards go by score, best first (ties: the first card): kPack 100 * used / memory, kSpread
// 100 if no task has it, else 0. Each container takes the first of them that fit, none of which an
// earlier container took.
// - Memory is rounded up to the smallest template that holds it, or to a whole card. A container of
//   several cards must have them whole. Tasks that share by cores (request.by_cores) take cards
//   that allow it, with exactly their memory, and count cores in hundredths.
// - A card fits if it has the memory, the cores and one task less than it may have. A container
//   that requests all 100 cores needs an empty card. One that requests none gets no card with all
//   cores taken.
// - On Ascend910 machines with a network named for every card, cards of the network with the most
//   that fit come first, and the score gains 10 * (largest part of the containers' first cards on
//   one network).
//
// Peer. Volcano's HAMi Ascend devices, with these surprises:
// - Memory beyond a card's becomes 0, which fits anywhere.
// - A percentage is of the first card's memory.
// - A container of no cards still gets one.
// - The machine's score looks at the first card of each container, as it is before the task.
// Ties of cards and networks lie in a map's order there; here ascending.
//
// Cost. One sort of the cards and a few comparisons for each.
#ifndef MUSTER_PEER_VOLCANO_CARDS_ASCEND_H_
#define MUSTER_PEER_VOLCANO_CARDS_ASCEND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/peer/volcano/cards/card_request.h"
#include "lib/peer/volcano/cards/vgpu.h"

namespace muster {

struct AscendModel {
  struct Template {
    std::string name;
    int64_t memory = 0;
  };
  std::string name;
  int64_t memory_allocatable = 0, memory_capacity = 0;
  std::vector<Template> templates;  // ascending by memory
};

struct AscendHolder {
  std::string task;
  int64_t memory = 0, cores = 0;
};

struct AscendCard {
  std::string id;
  int64_t most_tasks = 0, memory = 0, cores = 0;
  int64_t tasks = 0, used_memory = 0, used_cores = 0;
  bool shares_cores = false;   // takes tasks that share by cores
  std::optional<int> network;  // its number
  std::vector<AscendHolder> holders;
};

struct AscendMachine {
  std::string type;  // as the model's name, or one that begins with it
  AscendModel model;
  std::vector<AscendCard> cards;
};

struct AscendRequest {
  std::vector<CardRequest> containers;
  bool by_cores = false;
};

enum class AscendRefusal : uint8_t {
  kNone,
  kNoCards,        // of this type: an error in the machine's report
  kPartOfSeveral,  // several cards, and not all of their memory
  kNoRoom,         // evictions may help
};

struct AscendAnswer {
  struct Container {
    int64_t memory = 0, cores = 0;  // of each card
    std::vector<int> cards;
  };
  AscendRefusal refusal = AscendRefusal::kNone;
  std::vector<Container> containers = {};
  double score = 0;
  bool ok() const { return refusal == AscendRefusal::kNone; }
};

// Refuses negative amounts, more in use than there is, a repeated id, templates not in order.
absl::Status CheckAscend(const AscendMachine& machine);

AscendAnswer ChooseAscend(const AscendMachine& machine, const AscendRequest& request,
                          CardOrder order);

// Returns the memory that a request of so much gets, and the template's name; a whole card has
// none. 0: more than a card has.
std::pair<int64_t, std::string> RoundToTemplate(const AscendModel& model, int64_t memory);

// Returns whether a container may request this: several cards only whole.
bool MayAsk(const AscendModel& model, const CardRequest& container);

// Returns whether the card has room for one device of this much.
bool AscendFits(const AscendCard& card, int64_t memory, int64_t cores, bool by_cores);

double AscendScore(const AscendCard& card, CardOrder order);

// Adds a task that has the card. Changes nothing if the task is known already.
void AddAscend(const AscendHolder& holder, int card, AscendMachine* machine);
void RemoveAscend(const std::string& task, AscendMachine* machine);

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_CARDS_ASCEND_H_
