// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/usage_memory.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/peer/kai/fair_share.h"

namespace muster {
namespace {

constexpr int64_t kStepsOfWindow = 60;
constexpr double kLn2 = 0.69314718055994530942;
constexpr double kMostOfRow = 1e30;
constexpr std::string_view kTimeRow = "time", kAllRow = "all/", kQueueRow = "queue/",
                           kHistoryRow = "history/";

KaiAmounts AmountsOf(const MemorySlot& slot, std::string_view key) {
  KaiAmounts amounts;
  for (size_t r = 0; r < kKaiResources; ++r) {
    // A whole number may come back as an integer.
    const double integer = static_cast<double>(slot.Integer(key, r));
    const double amount = slot.Real(key, r, integer);
    amounts[r] = std::isfinite(amount) ? std::clamp(amount, 0.0, kMostOfRow) : 0;
  }
  return amounts;
}

MemoryRow RowOf(const KaiAmounts& amounts) {
  return {amounts[kKaiCpu], amounts[kKaiMemory], amounts[kKaiGpu]};
}

void AddTimes(const KaiAmounts& amounts, double times, KaiAmounts* sum) {
  for (size_t r = 0; r < kKaiResources; ++r) (*sum)[r] += amounts[r] * times;
}

KaiAmounts OfNodes(const KaiWorld& world) {
  KaiAmounts all = {};
  for (const KaiNodeFacts& node : world.facts().nodes) {
    all = AddedKaiAmounts(all, world.facts().Quantify(node.allocatable.data()));
  }
  return all;
}

bool IsZero(const KaiAmounts& amounts) {
  return std::all_of(amounts.begin(), amounts.end(), [](double amount) { return amount == 0; });
}

}  // namespace

KaiUsageMemory::KaiUsageMemory(const KaiUsageRules& rules, int64_t now) : rules_(rules), now_(now) {
  if (rules.tumbles_from) {
    origin_ = *rules.tumbles_from;
    width_ = rules.window;
    begin_ = std::min(now, BeginOf(StepOf(now)));
    if (now < origin_) begin_ = now;
  } else {
    width_ = (rules.window + kStepsOfWindow - 1) / kStepsOfWindow;
    begin_ = now - rules.window;
  }
}

int64_t KaiUsageMemory::StepOf(int64_t time) const {
  const int64_t past = time - origin_;
  return past >= 0 ? past / width_ : -((-past + width_ - 1) / width_);
}

double KaiUsageMemory::WeightOf(int64_t begin, int64_t end) const {
  if (begin >= end) return 0;
  if (rules_.half_life == 0) return static_cast<double>(end - begin);
  const double half_life = static_cast<double>(rules_.half_life);
  const auto left_of = [&](int64_t time) {
    return Pow(0.5, static_cast<double>(now_ - time) / half_life);
  };
  return half_life / kLn2 * (left_of(end) - left_of(begin));
}

void KaiUsageMemory::Recall(const MemorySlot& slot) {
  if (slot.Find(kTimeRow) == nullptr) return;
  const bool has_these_steps = slot.Integer(kTimeRow, 2) == width_ &&
                               slot.Integer(kTimeRow, 3) == origin_ &&
                               slot.Integer(kTimeRow, 4) == rules_.half_life;
  if (!has_these_steps) return;
  time_ = std::clamp(slot.Integer(kTimeRow), begin_, now_);
  from_ = std::clamp(slot.Integer(kTimeRow, 1, *time_), begin_, *time_);
  for (const auto& [key, row] : slot.rows()) {
    const std::string_view text = key;
    if (text.starts_with(kHistoryRow)) {
      replaced_[std::string(text.substr(kHistoryRow.size()))] =
          std::min(slot.Integer(key, 0, now_), now_);
      continue;
    }
    const bool is_queue = text.starts_with(kQueueRow);
    if (!is_queue && !text.starts_with(kAllRow)) continue;
    const std::string_view rest = text.substr(is_queue ? kQueueRow.size() : kAllRow.size());
    const size_t slash = std::min(rest.find('/'), rest.size());
    int64_t step = 0;
    if (!absl::SimpleAtoi(ToAbsl(rest.substr(0, slash)), &step)) continue;
    if (step < StepOf(begin_) || step > StepOf(now_)) continue;
    if (is_queue) {
      steps_[step].queues[std::string(rest.substr(std::min(slash + 1, rest.size())))] =
          AmountsOf(slot, key);
    } else {
      steps_[step].all = AmountsOf(slot, key);
    }
  }
}

// Weighs the sums by the time that has passed since they were made.
void KaiUsageMemory::Decay() {
  if (!time_ || *time_ >= now_ || rules_.half_life == 0) return;
  const double left =
      Pow(0.5, static_cast<double>(now_ - *time_) / static_cast<double>(rules_.half_life));
  const auto weigh = [&](KaiAmounts* amounts) {
    for (double& amount : *amounts) amount *= left;
  };
  for (auto& [number, step] : steps_) {
    weigh(&step.all);
    for (auto& [queue, amounts] : step.queues) weigh(&amounts);
  }
}

// Counts what is held now for the time since then.
void KaiUsageMemory::Count(const KaiWorld& world, int64_t since) {
  const KaiAmounts all = OfNodes(world);
  for (int64_t begin = std::max(since, begin_); begin < now_;) {
    const int64_t number = StepOf(begin), end = std::min(now_, BeginOf(number + 1));
    const double weight = WeightOf(begin, end);
    Step& step = steps_[number];
    AddTimes(all, weight, &step.all);
    for (uint32_t q = 0; q < world.tree.queues.size(); ++q) {
      const KaiAmounts held = world.tree.allocated(q);
      const std::string& name = world.tree.queues[q].name;
      if (name.empty() || IsZero(held)) continue;
      // Up to its time the history stands for what the queue held.
      const auto replaced = replaced_.find(name);
      const double own =
          replaced == replaced_.end() ? weight : WeightOf(std::max(begin, replaced->second), end);
      if (own > 0) AddTimes(held, own, &step.queues[name]);
    }
    begin = end;
  }
}

// Returns the sum of all steps for the nodes, and adds those of queues.
KaiAmounts KaiUsageMemory::SumUp(const KaiWorld& world, std::vector<KaiAmounts>* used) const {
  KaiAmounts all = {};
  for (const auto& [number, step] : steps_) {
    // The window begins within its oldest step.
    const int64_t left = BeginOf(number + 1) - std::max(begin_, BeginOf(number));
    const double part = static_cast<double>(left) / static_cast<double>(width_);
    AddTimes(step.all, part, &all);
    for (uint32_t q = 0; q < used->size(); ++q) {
      const auto found = step.queues.find(world.tree.queues[q].name);
      if (found != step.queues.end()) AddTimes(found->second, part, &(*used)[q]);
    }
  }
  return all;
}

// Forgets what is remembered of the queue up to the time of its history, unless it was forgotten
// for a history of that time already: what a step counts after it stays.
void KaiUsageMemory::Replace(const std::string& queue, int64_t as_of) {
  const auto [replaced, is_new] = replaced_.try_emplace(queue, as_of);
  if (!is_new && replaced->second >= as_of) return;
  replaced->second = as_of;
  for (auto& [number, step] : steps_) {
    if (BeginOf(number) < as_of) step.queues.erase(queue);
  }
}

void KaiUsageMemory::Settle(const std::vector<KaiUsageHistory>& histories, KaiWorld* world) {
  Decay();
  std::optional<int64_t> since = time_, history;
  for (const KaiUsageHistory& of_queue : histories) {
    const int64_t as_of = std::min(of_queue.as_of, now_);
    history = std::max(history, std::optional(as_of));
    Replace(world->tree.queues[of_queue.queue].name, as_of);
  }
  std::erase_if(replaced_, [&](const auto& row) {
    return std::ranges::none_of(histories, [&](const KaiUsageHistory& of_queue) {
      return world->tree.queues[of_queue.queue].name == row.first;
    });
  });
  if (!since) since = history;
  if (!from_) from_ = since.value_or(now_);
  if (since && *since < now_) Count(*world, *since);
  time_ = std::max(since.value_or(now_), now_);

  std::vector<KaiAmounts> used(world->tree.queues.size(), KaiAmounts{});
  KaiAmounts all = SumUp(*world, &used);
  for (const KaiUsageHistory& of_queue : histories) {
    const double weight = WeightOf(begin_, std::min(of_queue.as_of, now_));
    AddTimes(of_queue.held, weight, &used[of_queue.queue]);
  }
  // Of the time before the first plan it is known what queues held, and the nodes were there.
  if (history) AddTimes(OfNodes(*world), WeightOf(begin_, *from_), &all);
  for (uint32_t q = 0; q < used.size(); ++q) {
    for (size_t r = 0; r < kKaiResources; ++r) {
      world->tree.share[q][r].usage = all[r] > 0 ? used[q][r] / all[r] : 0;
    }
  }
  SetKaiFairShares(world->total, world->options().k, &world->tree);
  world->tree_then = world->tree;
}

void KaiUsageMemory::Remember(MemorySlot* slot) const {
  std::map<std::string, MemoryRow, std::less<>> rows;
  if (time_ && from_) {
    rows.emplace(kTimeRow, MemoryRow{*time_, *from_, width_, origin_, rules_.half_life});
  }
  for (const auto& [queue, as_of] : replaced_) {
    rows.emplace(absl::StrCat(ToAbsl(kHistoryRow), queue), MemoryRow{as_of});
  }
  for (const auto& [number, step] : steps_) {
    if (IsZero(step.all)) continue;
    rows.emplace(absl::StrCat(ToAbsl(kAllRow), number), RowOf(step.all));
    for (const auto& [queue, amounts] : step.queues) {
      rows.emplace(absl::StrCat(ToAbsl(kQueueRow), number, "/", queue), RowOf(amounts));
    }
  }
  slot->EraseIf([&](std::string_view key) { return !rows.contains(key); });
  for (auto& [key, row] : rows) slot->Set(key, std::move(row));
}

}  // namespace muster
