// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Remedies about money: what queues may spend is raised.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/advice/held.h"
#include "lib/advice/proposals.h"
#include "lib/base/strings.h"
#include "lib/policy/spending_costs.h"

namespace muster {
namespace {

// What running on must be paid for, in seconds: an hour, a day, a month.
constexpr int64_t kPaidAhead[] = {3600, 86'400, 2'592'000};

// Raises what is too little in the queue, and says so.
void RaiseSpending(const WaitingCase& job, QueueIndex q, int64_t ahead,
                   std::vector<WhatIfChange>* changes, std::string* words) {
  const QueueSpec& spec = job.tables.queues.spec[q];
  const SpendingRules& rules = *spec.rules->spending;
  std::vector<int64_t> all = HeldBelow(job.tables, job.plan, q);
  for (const WaitingTasks& tasks : job.Waiting()) tasks.AddTo(all);
  const int64_t hourly = HourlyCost(PricesAbove(job.tables, q), all);
  const int64_t spent =
      spec.history && spec.history->spent ? MoneyOf(spec.history->spent->text) : 0;
  QueueEdit edit{.name = spec.name};
  const auto raise = [&](const std::optional<Quantity>& has, int64_t needed, std::string_view what,
                         std::optional<Quantity>* changed) {
    if (!has || MoneyOf(has->text) >= needed) return;
    *changed = Quantity(MoneyText(needed));
    absl::StrAppend(words, words->empty() ? "" : ", ", "raise what queue ", Quote(spec.name),
                    " may spend", ToAbsl(what), ": ", MoneyText(MoneyOf(has->text)), " -> ",
                    MoneyText(needed));
  };
  raise(rules.hourly_limit, hourly, " an hour", &edit.hourly_limit);
  raise(rules.limit, spent + CostOf(hourly, ahead), "", &edit.spending_limit);
  if (edit.hourly_limit || edit.spending_limit) changes->push_back({.queue = std::move(edit)});
}

}  // namespace

void ProposeSpending(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  const QueueTable& queues = job.tables.queues;
  for (const int64_t ahead : kPaidAhead) {
    std::vector<WhatIfChange> changes;
    std::string words;
    for (QueueIndex q = job.queue(); q != kNone; q = queues.parent[q]) {
      if (!queues.spec[q].rules || !queues.spec[q].rules->spending) continue;
      RaiseSpending(job, q, ahead, &changes, &words);
    }
    if (changes.empty() || !trials->Helps(changes)) continue;
    out->push_back({.kind = RemedyKind::kSpendingLimit, .words = words, .changes = changes});
    return;
  }
}

}  // namespace muster
