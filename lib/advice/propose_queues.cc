// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Remedies about queues: opened, limits raised, a larger portion, another queue.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/advice/amounts.h"
#include "lib/advice/held.h"
#include "lib/advice/proposals.h"
#include "lib/advice/smallest.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr size_t kMostQueues = 8;
constexpr int64_t kMostWeight = 64;  // times the present one
constexpr int64_t kParts = 16;       // in which limits are raised

// The tasks that wait in the queue or below it.
std::vector<WaitingTasks> WaitingBelow(const WaitingCase& job, QueueIndex queue) {
  const Tables& tables = job.tables;
  return WaitingTasksIn(tables, job.plan, [&](JobIndex of, TaskIndex) {
    if (of == kNone) return false;
    QueueIndex q = tables.jobs.queue[of];
    while (q != kNone && q != queue) q = tables.queues.parent[q];
    return q == queue;
  });
}

// What the queue, with those below it, holds at the end of the plan, and what the job waits for, or
// with `for_all` whatever waits there.
std::vector<int64_t> HeldAndWanted(const WaitingCase& job, QueueIndex queue, bool for_all = false) {
  std::vector<int64_t> sum = HeldBelow(job.tables, job.plan, queue);
  const bool parts = CountsGpuParts(job.plan);
  for (const WaitingTasks& tasks : for_all ? WaitingBelow(job, queue) : job.Waiting()) {
    tasks.AddTo(sum);
    if (parts) AddGpuParts(job.tables, *tasks.shape, tasks.count, sum);
  }
  return sum;
}

// The list of amounts with those raised that are below `needed`; `words` says which.
Resources Raise(const WaitingCase& job, const Resources& amounts, std::span<const int64_t> cells,
                std::span<const int64_t> needed, std::string* words, int64_t sixteenths = kParts) {
  Resources raised = amounts;
  for (auto& [name, amount] : raised) {
    const std::optional<DimensionIndex> d = job.tables.dimensions.Find(name);
    if (!d || cells[*d] == kAbsent || cells[*d] >= needed[*d]) continue;
    const std::string text =
        AmountText(name, cells[*d] + Sixteenths(name, needed[*d] - cells[*d], sixteenths));
    absl::StrAppend(words, words->empty() ? "" : ", ", name, " ", amount.text, " -> ", text);
    amount = Quantity(text);
  }
  return raised;
}

// All limits of the chain are raised together: each of them may be the one that refuses.
RaisedLimits RaiseChain(const WaitingCase& job, bool for_all, int64_t sixteenths = kParts) {
  const QueueTable& queues = job.tables.queues;
  RaisedLimits all{.for_all = for_all};
  for (QueueIndex q = job.queue(); q != kNone; q = queues.parent[q]) {
    if (!queues.spec[q].limit.has_value()) continue;
    std::string raised;
    const Resources limit = Raise(job, *queues.spec[q].limit, queues.limit.row(q),
                                  HeldAndWanted(job, q, for_all), &raised, sixteenths);
    if (raised.empty()) continue;
    absl::StrAppend(&all.words, all.words.empty() ? "raise the limit of queue " : ", and of queue ",
                    Quote(queues.names.name(q)), ": ", raised);
    all.changes.push_back({.queue = QueueEdit{.name = queues.spec[q].name, .limit = limit}});
  }
  // Outer queues first: a limit may not be above that of the queue around it.
  std::ranges::reverse(all.changes);
  return all;
}

void ProposeLimits(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  for (const RaisedLimits& raised : RaiseLimits(job)) {
    if (!trials->Helps(raised.changes)) continue;
    RaisedLimits least = LowerLimits(job, raised, {}, trials);
    out->push_back({.kind = RemedyKind::kQueueLimit,
                    .words = std::move(least.words),
                    .changes = std::move(least.changes)});
    return;
  }
}

// Opens every closed queue of the chain.
void ProposeOpening(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  const QueueTable& queues = job.tables.queues;
  std::vector<WhatIfChange> changes;
  std::string words;
  for (QueueIndex q = job.queue(); q != kNone; q = queues.parent[q]) {
    if (queues.spec[q].state == QueueState::kOpen) continue;
    absl::StrAppend(&words, words.empty() ? "open queue " : " and queue ",
                    Quote(queues.names.name(q)));
    changes.push_back(
        {.queue = QueueEdit{.name = queues.spec[q].name, .state = QueueState::kOpen}});
  }
  if (changes.empty() || !trials->Helps(changes)) return;
  out->push_back({.kind = RemedyKind::kOpenQueue, .words = words, .changes = changes});
}

void ProposePortion(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  const QueueTable& queues = job.tables.queues;
  const QueueIndex q = job.queue();
  const QueueSpec& spec = queues.spec[q];
  const std::vector<int64_t> needed = HeldAndWanted(job, q);
  for (const bool deserved : {false, true}) {
    const std::optional<Resources>& has = deserved ? spec.deserved : spec.guaranteed;
    if (!has.has_value()) continue;
    std::string raised;
    QueueEdit edit{.name = spec.name};
    (deserved ? edit.deserved : edit.guaranteed) =
        Raise(job, *has, (deserved ? queues.deserved : queues.guaranteed).row(q), needed, &raised);
    const std::vector<WhatIfChange> changes = {{.queue = edit}};
    if (raised.empty() || !trials->Helps(changes)) continue;
    out->push_back({.kind = RemedyKind::kQueueShare,
                    .words = absl::StrCat("raise what queue ", Quote(spec.name),
                                          deserved ? " deserves: " : " is guaranteed: ", raised),
                    .changes = changes});
  }
  const auto changes = [&spec](int64_t times) {
    return std::vector<WhatIfChange>{
        {.queue = QueueEdit{.name = spec.name, .weight = spec.weight * (times + 1)}}};
  };
  if (spec.weight < 1 || spec.weight > INT32_MAX) return;
  const std::optional<int64_t> times =
      Smallest(kMostWeight, [&](int64_t t) { return trials->Helps(changes(t)); });
  if (!times) return;
  out->push_back({.kind = RemedyKind::kQueueShare,
                  .words = absl::StrCat("raise the weight of queue ", Quote(spec.name), ": ",
                                        spec.weight, " -> ", spec.weight * (*times + 1)),
                  .changes = changes(*times)});
}

// Returns whether the queue is the one that each new cluster has, and nothing uses or configures
// it: a dump of a cluster without such a queue has it, too.
bool IsUnusedDefault(const Tables& tables, QueueIndex q) {
  const QueueSpec& spec = tables.queues.spec[q];
  if (spec.name != "default" || spec.weight != 1 || spec.limit || spec.deserved ||
      spec.guaranteed || spec.rules || !spec.parent.empty()) {
    return false;
  }
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    if (tables.jobs.alive[j] && tables.jobs.queue[j] == q) return false;
  }
  return true;
}

void ProposeOthers(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  const QueueTable& queues = job.tables.queues;
  size_t tried = 0;
  for (QueueIndex q = 0; q < queues.alive.size() && tried < kMostQueues; ++q) {
    if (!queues.alive[q] || q == job.queue() || !queues.children[q].empty() ||
        queues.spec[q].state != QueueState::kOpen || IsUnusedDefault(job.tables, q)) {
      continue;
    }
    ++tried;
    const std::vector<WhatIfChange> changes = {
        {.job = JobEdit{.name = job.name(), .queue = queues.spec[q].name}}};
    if (!trials->Helps(changes)) continue;
    out->push_back({.kind = RemedyKind::kAnotherQueue,
                    .words = absl::StrCat("move it to queue ", Quote(queues.spec[q].name)),
                    .changes = changes});
  }
}

}  // namespace

std::vector<RaisedLimits> RaiseLimits(const WaitingCase& job) {
  std::vector<RaisedLimits> all;
  for (const bool for_all : {false, true}) {
    RaisedLimits raised = RaiseChain(job, for_all);
    if (raised.changes.empty() || (!all.empty() && all.back().words == raised.words)) continue;
    all.push_back(std::move(raised));
  }
  return all;
}

RaisedLimits LowerLimits(const WaitingCase& job, const RaisedLimits& raised,
                         const std::vector<WhatIfChange>& more, Trials* trials) {
  const auto helps = [&](int64_t sixteenths) {
    std::vector<WhatIfChange> changes = RaiseChain(job, raised.for_all, sixteenths).changes;
    changes.insert(changes.end(), more.begin(), more.end());
    return trials->Helps(changes);
  };
  const std::optional<int64_t> least = Smallest(kParts - 1, helps);
  return least ? RaiseChain(job, raised.for_all, *least) : raised;
}

void ProposeQueues(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  if (job.is_lone()) return;
  ProposeOpening(job, trials, out);
  ProposeLimits(job, trials, out);
  ProposePortion(job, trials, out);
  ProposeOthers(job, trials, out);
}

}  // namespace muster
