// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/accounts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace muster::armada {
namespace {

absl::Status Twice(const Tables& tables, int job, const char* what) {
  return absl::FailedPreconditionError(
      absl::StrCat("jobs: ", IdOf(tables.state, static_cast<size_t>(job)), " is already ", what));
}

}  // namespace

Accounts::Accounts(const Tables& tables, const std::vector<JobContext>& contexts)
    : tables_(tables), contexts_(contexts) {
  Restart();
}

void Accounts::Restart() {
  const State& state = tables_.state;
  allocated = state.allocated;
  scheduled_amounts.assign(tables_.dimensions, 0);
  evicted_amounts.assign(tables_.dimensions, 0);
  limiter = state.limiter;
  preemption_limiter = state.preemption_limiter;
  marks_.assign(state.jobs.size(), 0);
  accounts_.clear();
  const std::vector<Amounts> none(tables_.classes, Amounts(tables_.dimensions));
  for (const size_t place : tables_.order) {
    const Queue& queue = state.queues[place];
    ContextAccount account{.allocated = Amounts(tables_.dimensions),
                           .by_class = queue.allocated,
                           .scheduled = none,
                           .evicted = none,
                           .optimised_away = none,
                           .limiter = queue.limiter};
    for (const Amounts& amounts : queue.allocated) {
      for (size_t r = 0; r < tables_.dimensions; ++r) account.allocated[r] += amounts[r];
    }
    accounts_.push_back(std::move(account));
  }
}

void Accounts::Change(int job, Amounts& amounts, int64_t sign) const {
  const int64_t* requests = tables_.requests(job);
  for (size_t r = 0; r < tables_.dimensions; ++r) amounts[r] += sign * requests[r];
}

absl::Status Accounts::NoContext(int job) const {
  return absl::FailedPreconditionError(
      absl::StrCat("queues: none has the job ", IdOf(tables_.state, static_cast<size_t>(job))));
}

absl::Status Accounts::Add(int job) {
  if (tables_.context(job) < 0) return NoContext(job);
  if (Has(job, kScheduled)) return Twice(tables_, job, "scheduled");
  ContextAccount& own = account(tables_.context(job));
  Clear(job, kFailed);
  if (contexts_[static_cast<size_t>(job)].reason != Reason::kNone) {
    Set(job, kFailed);
    return absl::OkStatus();
  }
  const auto place = static_cast<size_t>(tables_.class_of(job));
  Take(job, own.by_class[place]);
  Take(job, own.allocated);
  if (Has(job, kEvicted)) {
    Clear(job, kEvicted);
    Set(job, kReturned);
    Give(job, own.evicted[place]);
    Give(job, evicted_amounts);
  } else {
    Set(job, kScheduled);
    Take(job, own.scheduled[place]);
    Take(job, scheduled_amounts);
  }
  Take(job, allocated);
  return absl::OkStatus();
}

void Accounts::LeaveBill(int job, ContextAccount& account) {
  if (Has(job, kBillable)) Give(job, account.billable);
  Clear(job, kBillable);
}

absl::Status Accounts::Evict(int job) {
  if (tables_.context(job) < 0) return NoContext(job);
  if (Has(job, kFailed)) return Twice(tables_, job, "refused");
  if (Has(job, kEvicted)) return Twice(tables_, job, "evicted");
  ContextAccount& own = account(tables_.context(job));
  const auto place = static_cast<size_t>(tables_.class_of(job));
  const bool was_scheduled = Has(job, kScheduled);
  if (was_scheduled) {
    Give(job, own.scheduled[place]);
    LeaveBill(job, own);
    Give(job, scheduled_amounts);
  } else {
    Take(job, evicted_amounts);
  }
  if (Has(job, kReturned)) LeaveBill(job, own);
  if (!was_scheduled && !Has(job, kReturned)) {
    Take(job, own.evicted[place]);
    Set(job, kEvicted);
  }
  Clear(job, kScheduled | kReturned);
  Give(job, own.by_class[place]);
  Give(job, own.allocated);
  Give(job, allocated);
  return absl::OkStatus();
}

absl::Status Accounts::Preempt(int job) {
  if (tables_.context(job) < 0) return NoContext(job);
  ContextAccount& own = account(tables_.context(job));
  const auto place = static_cast<size_t>(tables_.class_of(job));
  if (Has(job, kScheduled)) {
    Give(job, own.scheduled[place]);
    Give(job, scheduled_amounts);
  }
  if (Has(job, kScheduled) || Has(job, kReturned)) LeaveBill(job, own);
  Clear(job, kScheduled | kReturned);
  Take(job, own.optimised_away[place]);
  Give(job, own.by_class[place]);
  Give(job, own.allocated);
  Give(job, allocated);
  return absl::OkStatus();
}

void Accounts::MarkPreempted(int job) {
  if (Has(job, kPreempted)) return;
  Set(job, kPreempted);
  preemption_limiter.Take(1);
}

bool Accounts::AnyNegative() const {
  return std::ranges::any_of(accounts_, [](const ContextAccount& account) {
    return std::ranges::any_of(account.by_class, [](const Amounts& amounts) {
      return std::ranges::any_of(amounts, [](int64_t amount) { return amount < 0; });
    });
  });
}

void Accounts::SetBillable() {
  for (ContextAccount& account : accounts_) account.billable.assign(tables_.dimensions, 0);
  for (size_t j = 0; j < marks_.size(); ++j) {
    const int job = static_cast<int>(j);
    if (!Has(job, kScheduled) && !Has(job, kReturned)) continue;
    Set(job, kBillable);
    Amounts& billable = account(tables_.context(job)).billable;
    const int64_t* requests = tables_.node_requests(job);
    for (size_t r = 0; r < tables_.dimensions; ++r) billable[r] += requests[r];
  }
}

}  // namespace muster::armada
