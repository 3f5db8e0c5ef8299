// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/preempt/monitor.h"

#include <algorithm>
#include <utility>

#include "lib/peer/yarn/preempt/selection.h"

namespace muster::yarn {
namespace {

uint64_t KeyOf(const ContainerId& id) { return (uint64_t{id.app} << 32) | id.number; }

}  // namespace

PreemptionRound PreemptionMonitor::Run(CapacityScheduler* scheduler, int64_t now) {
  std::vector<ShareTree> trees;
  for (size_t p = 0; p < scheduler->partitions(); ++p) {
    trees.emplace_back(scheduler, static_cast<Partition>(p));
  }
  const std::optional<TableOrder> tables =
      settings_.started ? std::optional(TableOrder(*settings_.started)) : std::nullopt;
  Selection selection(scheduler, &trees,
                      Multiply(scheduler->cluster(), static_cast<double>(settings_.per_round)),
                      tables);
  PreemptionRound round;
  const auto run = [&](Selector selector, auto select) {
    selection.newest.clear();
    select();
    std::ranges::sort(selection.newest, {},
                      [&](ContainerIndex c) { return scheduler->containers()[c].id; });
    round.selected.emplace_back(selector, selection.newest);
  };
  ShareRules rules{.max_ignored = settings_.max_ignored,
                   .natural_termination = settings_.natural_termination,
                   .counts_reserved = true};
  if (settings_.priorities) {
    const PriorityRules rules{now - settings_.reservation_delay, settings_.moves_reservations};
    run(Selector::kPriority, [&] { SelectByPriority(rules, &selection); });
  }
  if (settings_.reserved_containers) {
    run(Selector::kReserved, [&] { SelectForReserved(rules, &selection); });
  }
  rules.counts_reserved = settings_.additional_balance;
  run(Selector::kFifo, [&] { SelectFifo(rules, settings_.conservative, &selection); });
  if (settings_.balances_satisfied) {
    rules.counts_reserved = false;
    rules.balances = true;
    run(Selector::kBalance, [&] { SelectFifo(rules, settings_.conservative, &selection); });
  }
  if (settings_.intra_queue) {
    const IntraRules intra{settings_.user_limit_first, settings_.intra_conservative,
                           settings_.intra_threshold, settings_.intra_limit};
    run(Selector::kIntraQueue, [&] { SelectWithinQueues(intra, &selection); });
  }
  MarkOrKill(*scheduler, now, &round);
  round.dropped = std::move(selection.dropped);
  round.shares = std::move(trees[kDefaultPartition].shares());
  return round;
}

void PreemptionMonitor::Mark(const ContainerId& container, int64_t when) {
  marks_[KeyOf(container)] = when;
}

std::optional<int64_t> PreemptionMonitor::MarkOf(const ContainerId& container) const {
  const auto known = marks_.find(KeyOf(container));
  if (known == marks_.end()) return std::nullopt;
  return known->second;
}

void PreemptionMonitor::MarkOrKill(const CapacityScheduler& scheduler, int64_t now,
                                   PreemptionRound* round) {
  for (const auto& [selector, containers] : round->selected) {
    const bool has_own_wait = selector == Selector::kBalance && settings_.balance_max_wait > 0;
    const int64_t wait = has_own_wait ? settings_.balance_max_wait : settings_.max_wait;
    for (const ContainerIndex c : containers) {
      const uint64_t key = KeyOf(scheduler.containers()[c].id);
      const auto known = marks_.find(key);
      if (known == marks_.end()) {
        marks_.try_emplace(key, now);
        round->marked.push_back(c);
      } else if (known->second + wait <= now) {
        marks_.erase(key);
        round->killed.push_back(c);
      }
    }
  }
  marks_.erase_if([&](const auto& mark) { return mark.second + 2 * settings_.max_wait < now; });
  for (auto* list : {&round->marked, &round->killed}) {
    std::ranges::sort(*list, {}, [&](ContainerIndex c) { return scheduler.containers()[c].id; });
  }
}

}  // namespace muster::yarn
