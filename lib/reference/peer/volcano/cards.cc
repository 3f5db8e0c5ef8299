// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rules as a list of reasons against a card; a choice is the first cards of a sorted list against
// which nothing speaks.
#include "lib/reference/peer/volcano/cards.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <tuple>

namespace muster::reference {
namespace {

using Container = CardQuestion::Container;

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

bool NamesPart(const std::vector<std::string>& parts, const std::string& type) {
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
    return Upper(type).find(part) != std::string::npos;
  });
}

struct Instance {
  int cut, position, memory;
};

// Of one cut the instance that a request gets: smallest memory, then the earlier kind, then the
// earlier position.
std::optional<Instance> OfCut(const GpuCard& card, size_t cut, int memory) {
  std::vector<std::tuple<int, size_t, int>> candidates;  // memory, kind, position
  int position = 0;
  for (size_t k = 0; k < card.cuts[cut].size(); ++k) {
    const GpuCard::Kind& kind = card.cuts[cut][k];
    std::vector<int> free;
    bool any_used = false;
    for (int i = 0; i < kind.count; ++i, ++position) {
      if (card.instances.count(position) > 0) {
        any_used = true;
      } else {
        free.push_back(position);
      }
    }
    const bool offered = card.instances.empty() || any_used;
    if (offered && kind.memory >= memory && !free.empty()) {
      candidates.emplace_back(kind.memory, k, free.front());
    }
  }
  if (candidates.empty()) return std::nullopt;
  const auto [has, kind, first] = *std::min_element(candidates.begin(), candidates.end());
  return Instance{static_cast<int>(cut), first, has};
}

std::optional<Instance> FindInstance(const GpuCard& card, int memory) {
  if (card.cut >= 0) return OfCut(card, static_cast<size_t>(card.cut), memory);
  for (size_t cut = 0; cut < card.cuts.size(); ++cut) {
    if (const auto found = OfCut(card, cut, memory)) return found;
  }
  return std::nullopt;
}

int MemoryOf(const Container& container, const GpuCard& card) {
  return container.percent >= 0 ? card.memory * container.percent / 100 : container.memory;
}

bool Passes(const CardQuestion& q, const Container& c, const std::vector<GpuCard>& cards, int i) {
  const GpuCard& card = cards[static_cast<size_t>(i)];
  if (!q.use_uuids.empty() && q.use_uuids.count(card.uuid) == 0) return false;
  if (q.avoid_uuids.count(card.uuid) > 0) return false;
  if (q.barred.count(i) > 0) return false;
  if (card.type.find("NVIDIA") == std::string::npos) return false;
  if (!q.use_types.empty() && !NamesPart(q.use_types, card.type)) return false;
  if (q.use_types.empty() && NamesPart(q.avoid_types, card.type)) return false;
  for (const auto& [task, held] : card.held) {
    const bool same = !q.apart_from.empty() && held.group == q.apart_from;
    if (same && held.memory + held.cores > 0) return false;
  }
  if (card.tasks >= card.most_tasks) return false;
  if (card.used_memory + MemoryOf(c, card) > card.memory) return false;
  if (card.used_cores + c.cores > 100) return false;
  if (c.cores == 100 && card.tasks > 0) return false;
  return c.cores != 0 || card.used_cores != 100;
}

double Fullness(const std::string& order, int tasks, int used, int memory) {
  if (memory == 0 || order.empty()) return 0;
  if (order == "spread") return tasks == 0 ? 100 : 0;
  return 100 * (static_cast<double>(used) / static_cast<double>(memory));
}

}  // namespace

std::optional<CardChoice> ChooseGpus(const CardQuestion& q, bool partitions, int factor,
                                     std::vector<GpuCard>* cards) {
  std::vector<GpuCard> copy = *cards;
  CardChoice choice;
  for (const Container& container : q.containers) {
    std::vector<std::pair<int, int>> order;  // rank, card
    const int n = static_cast<int>(copy.size());
    if (container.count > n) return std::nullopt;
    for (int i = 0; i < n; ++i) {
      const GpuCard& card = copy[static_cast<size_t>(i)];
      const int rank = q.order == "binpack"  ? -card.used_memory
                       : q.order == "spread" ? card.tasks
                                             : -i;
      order.emplace_back(rank, i);
    }
    std::sort(order.begin(), order.end());
    auto& given = choice.containers.emplace_back();
    bool charged = false;  // a container of none charges one card all the same
    for (const auto& [rank, i] : order) {
      if (static_cast<int>(given.size()) == container.count && (charged || container.count > 0)) {
        break;
      }
      if (!Passes(q, container, copy, i)) continue;
      GpuCard& card = copy[static_cast<size_t>(i)];
      const int memory = MemoryOf(container, card);
      int counts = memory;
      std::optional<Instance> instance;
      if (partitions) {
        instance = FindInstance(card, memory * factor);
        if (!instance.has_value()) continue;
        counts = instance->memory / factor;
      }
      card.tasks += 1;
      card.used_memory += counts;
      card.used_cores += container.cores;
      charged = true;
      if (container.count == 0) continue;
      given.push_back({i, memory, container.cores});
      if (instance.has_value()) {
        given.back().cut = instance->cut;
        given.back().position = instance->position;
      }
      choice.score += Fullness(q.order, card.tasks, card.used_memory, card.memory);
    }
    if (static_cast<int>(given.size()) < container.count) return std::nullopt;
  }
  *cards = copy;
  return choice;
}

namespace {

// The memory of the smallest template that holds `memory`; beyond all of them the whole card's.
int RoundUp(const NpuQuestion& q, int memory) {
  for (int size : q.templates) {
    if (size >= memory) return size;
  }
  return memory <= q.capacity ? q.allocatable : 0;
}

bool FitsNpu(const NpuQuestion& q, const Container& container, int memory, const Npu& card) {
  const int all = q.by_cores ? 100 : card.cores;
  if (q.by_cores && !card.shares_cores) return false;
  if (card.tasks >= card.most_tasks || card.used_memory + memory > card.memory) return false;
  if (card.used_cores + container.cores > all) return false;
  if (all == 100 && container.cores == 100 && card.tasks > 0) return false;
  return all <= 0 || card.used_cores != all || container.cores != 0;
}

// Puts the cards of networks with many of them first.
void OrderByNetwork(const std::vector<Npu>& cards, std::vector<int>* fitting) {
  const auto network = [&](int i) { return cards[static_cast<size_t>(i)].network; };
  std::map<int, int> on;
  for (int i : *fitting) --on[network(i)];
  std::stable_sort(fitting->begin(), fitting->end(), [&](int a, int b) {
    return std::pair(on[network(a)], network(a)) < std::pair(on[network(b)], network(b));
  });
}

}  // namespace

std::optional<NpuChoice> ChooseNpus(const NpuQuestion& q, const std::vector<Npu>& cards) {
  if (cards.empty()) return std::nullopt;
  const auto score = [&](int i) {
    const Npu& card = cards[static_cast<size_t>(i)];
    return Fullness(q.order, card.tasks, card.used_memory, card.memory);
  };
  std::vector<std::pair<double, int>> order;
  bool networks = q.named_networks;
  for (int i = 0; i < static_cast<int>(cards.size()); ++i) {
    order.emplace_back(-score(i), i);
    networks = networks && cards[static_cast<size_t>(i)].network >= 0;
  }
  std::sort(order.begin(), order.end());
  std::set<int> gone;
  NpuChoice choice;
  std::map<int, int> first_on;
  for (const Container& container : q.containers) {
    int memory = container.memory;
    if (memory == 0 && container.percent >= 0) {
      memory = cards[static_cast<size_t>(order[0].second)].memory * container.percent / 100;
    }
    if (!q.by_cores && memory > 0) memory = RoundUp(q, memory);
    if (!q.by_cores && container.count > 1 && RoundUp(q, memory) != q.allocatable) {
      return std::nullopt;
    }
    std::vector<int> fitting;
    for (const auto& [rank, i] : order) {
      if (gone.count(i) > 0) continue;
      if (FitsNpu(q, container, memory, cards[static_cast<size_t>(i)])) fitting.push_back(i);
    }
    const size_t wanted = static_cast<size_t>(std::max(container.count, 1));
    if (fitting.size() < wanted) return std::nullopt;
    if (networks) OrderByNetwork(cards, &fitting);
    // With networks a container of none gets all.
    if (!networks || container.count > 0) fitting.resize(wanted);
    gone.insert(fitting.begin(), fitting.end());
    choice.score += score(fitting[0]);
    ++first_on[cards[static_cast<size_t>(fitting[0])].network];
    choice.containers.emplace_back(memory, fitting);
  }
  if (networks && !choice.containers.empty()) {
    int most = 0;
    for (const auto& [network, count] : first_on) most = std::max(most, count);
    choice.score += static_cast<double>(most) / static_cast<double>(choice.containers.size()) * 10;
  }
  return choice;
}

}  // namespace muster::reference
