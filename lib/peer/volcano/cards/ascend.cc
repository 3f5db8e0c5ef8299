// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/cards/ascend.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/volcano/cards/at.h"

namespace muster {
namespace {

constexpr std::string_view kWithNetworks = "Ascend910";
constexpr double kNetworkWeight = 10;

using Indices = absl::InlinedVector<int, 16>;

bool AllNameNetwork(const AscendMachine& machine) {
  return machine.type.compare(0, kWithNetworks.size(), kWithNetworks) == 0 &&
         std::all_of(machine.cards.begin(), machine.cards.end(),
                     [](const AscendCard& card) { return card.network.has_value(); });
}

Indices BestFirst(const AscendMachine& machine, CardOrder order) {
  absl::InlinedVector<double, 16> scores;
  Indices cards;
  for (const AscendCard& card : machine.cards) {
    cards.push_back(static_cast<int>(scores.size()));
    scores.push_back(AscendScore(card, order));
  }
  std::stable_sort(cards.begin(), cards.end(),
                   [&](int a, int b) { return scores[At(a)] > scores[At(b)]; });
  return cards;
}

// Returns the first `count` of those that fit, networks with more of them first.
Indices ByNetwork(const AscendMachine& machine, const Indices& fitting, int64_t count) {
  std::map<int, Indices> networks;
  for (int card : fitting) networks[*machine.cards[At(card)].network].push_back(card);
  std::vector<const Indices*> order;
  order.reserve(networks.size());
  for (const auto& [number, cards] : networks) order.push_back(&cards);
  std::stable_sort(order.begin(), order.end(),
                   [](const Indices* a, const Indices* b) { return a->size() > b->size(); });
  Indices chosen;
  for (const Indices* cards : order) {
    for (int card : *cards) {
      chosen.push_back(card);
      if (static_cast<int64_t>(chosen.size()) == count) return chosen;
    }
  }
  return chosen;
}

double ScoreOf(const AscendMachine& machine, const AscendAnswer& answer, CardOrder order,
               bool networks) {
  double score = 0;
  std::map<int, int> first_cards;
  int most = 0, all = 0;
  for (const AscendAnswer::Container& container : answer.containers) {
    const AscendCard& card = machine.cards[At(container.cards.front())];
    score += AscendScore(card, order);
    if (networks) most = std::max(most, ++first_cards[*card.network]);
    ++all;
  }
  if (most > 0) score += static_cast<double>(most) / all * kNetworkWeight;
  return score;
}

absl::Status Wrong(const AscendCard& card, std::string_view rule) {
  return absl::InvalidArgumentError(
      absl::StrCat("Ascend card \"", card.id, "\": ", absl::string_view(rule.data(), rule.size())));
}

}  // namespace

absl::Status CheckAscend(const AscendMachine& machine) {
  const std::vector<AscendModel::Template>& templates = machine.model.templates;
  for (size_t i = 1; i < templates.size(); ++i) {
    if (templates[i].memory < templates[i - 1].memory) {
      return absl::InvalidArgumentError(absl::StrCat("Ascend model \"", machine.model.name,
                                                     "\": template \"", templates[i].name,
                                                     "\" is smaller than the one before it"));
    }
  }
  for (size_t i = 0; i < machine.cards.size(); ++i) {
    const AscendCard& card = machine.cards[i];
    for (int64_t amount : {card.most_tasks, card.memory, card.cores, card.tasks, card.used_memory,
                           card.used_cores}) {
      if (amount < 0) return Wrong(card, absl::StrCat(amount, " is below 0"));
    }
    if (card.used_memory > card.memory) return Wrong(card, "more memory is in use than it has");
    for (size_t j = 0; j < i; ++j) {
      if (machine.cards[j].id == card.id) return Wrong(card, "is named twice");
    }
  }
  return absl::OkStatus();
}

AscendAnswer ChooseAscend(const AscendMachine& machine, const AscendRequest& request,
                          CardOrder order) {
  AscendAnswer answer;
  if (machine.cards.empty()) {
    answer.refusal = AscendRefusal::kNoCards;
    return answer;
  }
  const bool networks = AllNameNetwork(machine);
  const Indices cards = BestFirst(machine, order);
  absl::InlinedVector<bool, 16> used(machine.cards.size(), false);
  for (CardRequest container : request.containers) {
    if (container.memory == 0 && container.percent.has_value()) {
      container.memory = machine.cards[At(cards.front())].memory * *container.percent / 100;
    }
    if (!request.by_cores) {
      if (container.memory > 0) {
        container.memory = RoundToTemplate(machine.model, container.memory).first;
      }
      if (!MayAsk(machine.model, container)) return {.refusal = AscendRefusal::kPartOfSeveral};
    }
    Indices fitting;
    for (int card : cards) {
      const bool fits = !used[At(card)] && AscendFits(machine.cards[At(card)], container.memory,
                                                      container.cores, request.by_cores);
      if (!fits) continue;
      fitting.push_back(card);
      if (static_cast<int64_t>(fitting.size()) >= container.count && !networks) break;
    }
    const bool enough = static_cast<int64_t>(fitting.size()) >= container.count;
    // As in the peer, a machine with nothing left refuses a container of no cards, too.
    if (!enough || fitting.empty()) return {.refusal = AscendRefusal::kNoRoom};
    if (networks) fitting = ByNetwork(machine, fitting, container.count);
    for (int card : fitting) used[At(card)] = true;
    answer.containers.push_back(
        {container.memory, container.cores, {fitting.begin(), fitting.end()}});
  }
  answer.score = ScoreOf(machine, answer, order, networks);
  return answer;
}

std::pair<int64_t, std::string> RoundToTemplate(const AscendModel& model, int64_t memory) {
  for (const AscendModel::Template& one : model.templates) {
    if (memory <= one.memory) return {one.memory, one.name};
  }
  if (memory <= model.memory_capacity) return {model.memory_allocatable, ""};
  return {0, ""};
}

bool MayAsk(const AscendModel& model, const CardRequest& container) {
  return container.count <= 1 ||
         RoundToTemplate(model, container.memory).first == model.memory_allocatable;
}

bool AscendFits(const AscendCard& card, int64_t memory, int64_t cores, bool by_cores) {
  if (by_cores && !card.shares_cores) return false;
  const int64_t all_cores = by_cores ? 100 : card.cores;
  return card.most_tasks > card.tasks && card.memory - card.used_memory >= memory &&
         all_cores - card.used_cores >= cores &&
         !(all_cores == 100 && cores == 100 && card.tasks > 0) &&
         !(all_cores != 0 && card.used_cores == all_cores && cores == 0);
}

double AscendScore(const AscendCard& card, CardOrder order) {
  if (card.memory == 0) return 0;
  if (order == CardOrder::kSpread) return card.tasks == 0 ? 100 : 0;
  if (order == CardOrder::kLastFirst) return 0;
  return 100 * (static_cast<double>(card.used_memory) / static_cast<double>(card.memory));
}

void AddAscend(const AscendHolder& holder, int index, AscendMachine* machine) {
  AscendCard& card = machine->cards[At(index)];
  const bool known = std::any_of(card.holders.begin(), card.holders.end(),
                                 [&](const AscendHolder& one) { return one.task == holder.task; });
  if (known) return;
  ++card.tasks;
  card.used_memory += holder.memory;
  card.used_cores += holder.cores;
  card.holders.push_back(holder);
}

void RemoveAscend(const std::string& task, AscendMachine* machine) {
  for (AscendCard& card : machine->cards) {
    const auto holder = std::find_if(card.holders.begin(), card.holders.end(),
                                     [&](const AscendHolder& one) { return one.task == task; });
    if (holder == card.holders.end()) continue;
    --card.tasks;
    card.used_memory -= holder->memory;
    card.used_cores -= holder->cores;
    card.holders.erase(holder);
  }
}

}  // namespace muster
