// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A choice works on the cards' sums alone, copied aside; TakeCards writes them back.
#include "lib/peer/volcano/cards/vgpu.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/volcano/cards/at.h"

namespace muster {
namespace {

constexpr char kMaker[] = "NVIDIA";

struct Sums {
  int64_t tasks, memory, cores;
};
using AllSums = absl::InlinedVector<Sums, 16>;
using Indices = absl::InlinedVector<int, 16>;

AllSums SumsOf(const VgpuMachine& machine) {
  AllSums sums;
  for (const VgpuCard& card : machine.cards) {
    sums.push_back({card.tasks, card.used_memory, card.used_cores});
  }
  return sums;
}

Indices InOrder(const AllSums& sums, CardOrder order) {
  Indices cards;
  for (size_t i = 0; i < sums.size(); ++i) cards.push_back(static_cast<int>(i));
  switch (order) {
    case CardOrder::kLastFirst:
      std::reverse(cards.begin(), cards.end());
      break;
    case CardOrder::kPack:
      std::stable_sort(cards.begin(), cards.end(),
                       [&](int a, int b) { return sums[At(a)].memory > sums[At(b)].memory; });
      break;
    case CardOrder::kSpread:
      std::stable_sort(cards.begin(), cards.end(),
                       [&](int a, int b) { return sums[At(a)].tasks < sums[At(b)].tasks; });
      break;
  }
  return cards;
}

double Score(const Sums& sums, int64_t memory, CardOrder order) {
  if (order == CardOrder::kSpread) return sums.tasks == 0 ? 100 : 0;
  if (order == CardOrder::kLastFirst || memory == 0) return 0;
  return 100 * (static_cast<double>(sums.memory) / static_cast<double>(memory));
}

bool ContainsAnyCase(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) {
                       return absl::ascii_toupper(static_cast<unsigned char>(a)) ==
                              absl::ascii_toupper(static_cast<unsigned char>(b));
                     }) != text.end() ||
         part.empty();
}

bool Lists(const std::vector<std::string>& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

bool UuidAllowed(const std::string& uuid, const VgpuRequest& request) {
  if (request.use_uuids.empty() && request.avoid_uuids.empty()) return true;
  return !uuid.empty() && (request.use_uuids.empty() || Lists(request.use_uuids, uuid)) &&
         !Lists(request.avoid_uuids, uuid);
}

int64_t MemoryOn(const VgpuCard& card, const CardRequest& container) {
  return container.percent.has_value() ? card.memory * *container.percent / 100 : container.memory;
}

class Chooser {
 public:
  Chooser(const VgpuMachine& machine, const VgpuRequest& request, CardOrder order,
          std::span<const int> barred)
      : machine_(machine),
        request_(request),
        order_(order),
        barred_(barred),
        sums_(SumsOf(machine)) {}

  VgpuAnswer Run() {
    VgpuAnswer answer;
    if (request_.mode.has_value() && *request_.mode != machine_.mode) {
      answer.refusal = VgpuRefusal::kOtherMode;
      return answer;
    }
    for (const CardRequest& container : request_.containers) {
      if (container.count > static_cast<int64_t>(machine_.cards.size())) {
        return {.refusal = VgpuRefusal::kTooFewCards};
      }
      bool uuid_found = false;
      int64_t left = container.count;
      answer.containers.emplace_back();
      for (int card : InOrder(sums_, order_)) {
        if (!UuidAllowed(machine_.cards[At(card)].uuid, request_)) continue;
        uuid_found = true;
        const std::optional<VgpuGrant> grant = Fits(card, container);
        if (!grant.has_value()) continue;
        if (left > 0) {
          answer.containers.back().push_back(*grant);
          answer.score += Score(sums_[At(card)], machine_.cards[At(card)].memory, order_);
          --left;
        }
        if (left == 0) break;
      }
      if (left > 0) {
        const bool named = !request_.use_uuids.empty() || !request_.avoid_uuids.empty();
        return {.refusal = named && !uuid_found ? VgpuRefusal::kNoSuchUuid : VgpuRefusal::kNoRoom};
      }
    }
    return answer;
  }

  const AllSums& sums() const { return sums_; }

 private:
  // Returns one device of the card, which then counts on it.
  std::optional<VgpuGrant> Fits(int index, const CardRequest& container) {
    const VgpuCard& card = machine_.cards[At(index)];
    Sums& sums = sums_[At(index)];
    const int64_t memory = MemoryOn(card, container), cores = container.cores;
    const bool is_barred = std::find(barred_.begin(), barred_.end(), index) != barred_.end();
    if (is_barred || card.most_tasks <= sums.tasks || card.memory - sums.memory < memory ||
        sums.cores + cores > 100 || (cores == 100 && sums.tasks > 0) ||
        (cores == 0 && sums.cores == 100)) {
      return std::nullopt;
    }
    if (request_.apart_from_group && HasGroup(card, request_.group)) return std::nullopt;
    if (card.type.find(kMaker) == std::string::npos || !TypeAllowed(card.type, request_)) {
      return std::nullopt;
    }
    VgpuGrant grant{.card = index, .memory = memory, .cores = cores, .slot = std::nullopt};
    int64_t counts = memory;
    if (machine_.mode == "mig") {
      const std::optional<MigMatch> match =
          FindInstance(card.mig, card.geometries, memory * machine_.memory_factor);
      if (!match.has_value()) return std::nullopt;
      grant.slot = match->slot;
      counts = match->memory / machine_.memory_factor;
    }
    ++sums.tasks;
    sums.memory += counts;
    sums.cores += cores;
    return grant;
  }

  const VgpuMachine& machine_;
  const VgpuRequest& request_;
  CardOrder order_;
  std::span<const int> barred_;
  AllSums sums_;
};

absl::Status Wrong(size_t card, std::string_view rule) {
  return absl::InvalidArgumentError(
      absl::StrCat("card ", card, ": ", absl::string_view(rule.data(), rule.size())));
}

}  // namespace

absl::Status CheckCards(const VgpuMachine& machine) {
  if (machine.memory_factor < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("cards: a memory factor of ", machine.memory_factor, " is below 1"));
  }
  for (size_t i = 0; i < machine.cards.size(); ++i) {
    const VgpuCard& card = machine.cards[i];
    for (int64_t amount : {card.memory, card.most_tasks, card.tasks, card.used_memory}) {
      if (amount < 0) return Wrong(i, absl::StrCat(amount, " is below 0"));
    }
    if (card.used_cores < 0 || card.used_cores > 100) {
      return Wrong(i, absl::StrCat(card.used_cores, " used cores are not in 0 .. 100"));
    }
    for (size_t j = 0; j < i && !card.uuid.empty(); ++j) {
      if (machine.cards[j].uuid == card.uuid) {
        return Wrong(i, absl::StrCat("its UUID \"", card.uuid, "\" is that of card ", j));
      }
    }
    if (machine.mode == "mig" && card.geometries.empty()) {
      return Wrong(i, "is in partitions, and no geometry is known");
    }
    if (card.mig.geometry >= static_cast<int>(card.geometries.size())) {
      return Wrong(
          i, absl::StrCat("is cut by geometry ", card.mig.geometry, ", which it does not have"));
    }
  }
  return absl::OkStatus();
}

VgpuAnswer ChooseCards(const VgpuMachine& machine, const VgpuRequest& request, CardOrder order,
                       std::span<const int> barred) {
  return Chooser(machine, request, order, barred).Run();
}

VgpuAnswer TakeCards(std::string_view task, const VgpuRequest& request, CardOrder order,
                     VgpuMachine* machine, std::span<const int> barred) {
  Chooser chooser(*machine, request, order, barred);
  VgpuAnswer answer = chooser.Run();
  if (!answer.ok()) return answer;
  for (size_t i = 0; i < machine->cards.size(); ++i) {
    const Sums& sums = chooser.sums()[i];
    VgpuCard& card = machine->cards[i];
    card.tasks = sums.tasks;
    card.used_memory = sums.memory;
    card.used_cores = sums.cores;
  }
  for (const std::vector<VgpuGrant>& grants : answer.containers) {
    for (const VgpuGrant& grant : grants) {
      std::vector<VgpuHolder>& holders = machine->cards[At(grant.card)].holders;
      auto holder = std::find_if(holders.begin(), holders.end(),
                                 [&](const VgpuHolder& one) { return one.task == task; });
      if (holder == holders.end()) {
        holder = holders.insert(holder, {std::string(task), request.group});
      }
      holder->memory += grant.memory;
      holder->cores += grant.cores;
    }
  }
  return answer;
}

bool TypeAllowed(std::string_view type, const VgpuRequest& request) {
  const auto any_of = [&](const std::vector<std::string>& list) {
    return std::any_of(list.begin(), list.end(),
                       [&](const std::string& part) { return ContainsAnyCase(type, part); });
  };
  if (request.use_types.has_value()) return any_of(*request.use_types);
  return !request.avoid_types.has_value() || !any_of(*request.avoid_types);
}

double CardScore(const VgpuCard& card, CardOrder order) {
  return Score({card.tasks, card.used_memory, card.used_cores}, card.memory, order);
}

bool HasGroup(const VgpuCard& card, std::string_view group) {
  return !group.empty() &&
         std::any_of(card.holders.begin(), card.holders.end(), [&](const VgpuHolder& holder) {
           return holder.group == group && (holder.memory > 0 || holder.cores > 0);
         });
}

void AddHolder(const VgpuHolder& holder, std::optional<MigSlot> slot, int64_t memory_factor,
               VgpuCard* card) {
  const bool known = std::any_of(card->holders.begin(), card->holders.end(),
                                 [&](const VgpuHolder& one) { return one.task == holder.task; });
  if (known) return;
  VgpuHolder added = holder;
  if (slot.has_value()) {
    added.memory = AddInstance(card->geometries, *slot, &card->mig).value_or(0) / memory_factor;
  }
  ++card->tasks;
  card->used_memory += added.memory;
  card->used_cores += added.cores;
  card->holders.push_back(std::move(added));
}

bool RemoveHolder(const VgpuHolder& holder, std::optional<MigSlot> slot, int64_t memory_factor,
                  VgpuCard* card) {
  const size_t removed =
      std::erase_if(card->holders, [&](const VgpuHolder& one) { return one.task == holder.task; });
  if (removed == 0) return false;
  int64_t memory = holder.memory;
  if (slot.has_value()) {
    memory = RemoveInstance(card->geometries, *slot, &card->mig).value_or(0) / memory_factor;
  }
  --card->tasks;
  card->used_memory -= memory;
  card->used_cores -= holder.cores;
  return true;
}

}  // namespace muster
