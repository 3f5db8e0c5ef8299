// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/gang_order.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster::armada {

GangOrder::GangOrder(const WalkWorld& world, const Cost& cost, const Rules& rules,
                     std::vector<QueueWalk> walks, std::vector<const Amounts*> allocated)
    : world_(world),
      cost_(cost),
      rules_(rules),
      walks_(std::move(walks)),
      allocated_(std::move(allocated)),
      items_(walks_.size()),
      only_evicted_of_(walks_.size()),
      heap_(Less{this}) {
  for (size_t i = 0; i < walks_.size(); ++i) {
    const Queue& queue = world_.tables.queue(walks_[i].context());
    items_[i].budget = queue.shares.demand_capped / queue.weight;
    entry_order_.push_back(i);
  }
  std::ranges::sort(entry_order_, {}, [this](size_t i) {
    return world_.tables.order[static_cast<size_t>(walks_[i].context())];
  });
}

absl::Status GangOrder::Start() {
  for (const size_t i : entry_order_) {
    if (absl::Status status = Push(i); !status.ok()) return status;
  }
  return absl::OkStatus();
}

const Candidate* GangOrder::Peek() const { return heap_.empty() ? nullptr : items_[First()].gang; }

absl::Status GangOrder::Push(size_t place) {
  if (absl::Status status = Update(place); !status.ok()) return status;
  if (items_[place].gang != nullptr) heap_.Push(static_cast<int>(place));
  return absl::OkStatus();
}

absl::Status GangOrder::Clear() {
  if (heap_.empty()) return absl::OkStatus();
  const auto place = static_cast<size_t>(heap_.Pop());
  walks_[place].Clear();
  last_ = static_cast<int>(place);
  last_price_ = items_[place].price;
  return Push(place);
}

absl::Status GangOrder::OnlyYieldEvicted() {
  if (only_evicted_) return absl::OkStatus();
  only_evicted_ = true;
  std::vector<int> left;
  for (const int i : heap_.elements()) {
    const auto place = static_cast<size_t>(i);
    walks_[place].OnlyYieldEvicted();
    if (absl::Status status = Update(place); !status.ok()) return status;
    if (items_[place].gang != nullptr) left.push_back(i);
  }
  heap_.Init(std::move(left));
  return absl::OkStatus();
}

absl::Status GangOrder::OnlyYieldEvictedOf(int context) {
  const std::vector<int>& lying = heap_.elements();
  for (size_t at = 0; at < lying.size(); ++at) {
    const auto place = static_cast<size_t>(lying[at]);
    if (walks_[place].context() != context) continue;
    if (only_evicted_ || only_evicted_of_[place]) break;
    walks_[place].OnlyYieldEvicted();
    if (absl::Status status = Update(place); !status.ok()) return status;
    if (items_[place].gang == nullptr) {
      heap_.Remove(at);
    } else {
      heap_.Fix(at);
    }
    break;
  }
  for (size_t i = 0; i < walks_.size(); ++i) {
    if (walks_[i].context() == context) only_evicted_of_[i] = true;
  }
  return absl::OkStatus();
}

absl::Status GangOrder::ResumeNew() {
  if (!only_evicted_) return absl::OkStatus();
  only_evicted_ = false;
  heap_.Clear();
  for (const size_t i : entry_order_) {
    if (!only_evicted_of_[i]) walks_[i].ResumeNew();
    if (absl::Status status = Push(i); !status.ok()) return status;
  }
  return absl::OkStatus();
}

double GangOrder::SecondPrice(int context) const {
  double price = 0;
  for (const int i : heap_.elements()) {
    const int other = walks_[static_cast<size_t>(i)].context();
    if (other == context || absl::EndsWith(ToAbsl(world_.tables.queue(other).name), "-away")) {
      continue;
    }
    price = std::max(price, items_[static_cast<size_t>(i)].price);
  }
  return price;
}

absl::Status GangOrder::Update(size_t place) {
  Item& item = items_[place];
  item = {.budget = item.budget};
  const absl::StatusOr<const Candidate*> gang = walks_[place].Peek();
  if (!gang.ok()) return gang.status();
  item.gang = *gang;
  if (item.gang == nullptr) return absl::OkStatus();
  item.away = world_.tables.away(item.gang->jobs[0]);
  if (rules_.market) {
    UpdatePrice(item);
    return absl::OkStatus();
  }
  UpdatePriorities(item);
  return UpdateCost(item);
}

absl::Status GangOrder::UpdateCost(Item& item) {
  const Tables& tables = world_.tables;
  const int job = item.gang->jobs[0];
  const int context = tables.context(job);
  if (context < 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("queues: none has the job ", IdOf(tables.state, static_cast<size_t>(job))));
  }
  const double weight = tables.queue(context).weight;
  const Amounts& allocated = *allocated_[static_cast<size_t>(context)];
  const absl::Span<const int64_t> penalty(tables.penalty(context), tables.dimensions);
  item.proposed = cost_.OfSum(allocated, penalty, item.gang->requests) / weight;
  item.current = cost_.OfSum(allocated, penalty) / weight;
  // A heavy queue's jobs count as larger.
  item.size = cost_.Of(item.gang->requests) * weight;
  return absl::OkStatus();
}

// Members of one gang may have been scheduled at different priorities; the lowest one counts.
void GangOrder::UpdatePriorities(Item& item) {
  item.class_priority = item.scheduled_priority = std::numeric_limits<int32_t>::max();
  for (const int job : item.gang->jobs) {
    const int32_t own = world_.tables.priority_class(job).priority;
    const Attempt& attempt = world_.contexts[static_cast<size_t>(job)].attempt;
    const std::optional<Run>& run = world_.tables.state.jobs[static_cast<size_t>(job)].run;
    const int32_t scheduled = attempt.made ? attempt.scheduled_at
                              : run        ? run->priority.value_or(own)
                                           : own;
    item.class_priority = std::min(item.class_priority, own);
    item.scheduled_priority = std::min(item.scheduled_priority, scheduled);
  }
}

void GangOrder::UpdatePrice(Item& item) {
  const Job& job = world_.tables.state.jobs[static_cast<size_t>(item.gang->jobs[0])];
  item.price = world_.tables.BidOf(item.gang->jobs[0]);
  item.queued = job.queued;
  const bool running = !job.queued && job.run;
  item.created = running ? job.run->created : std::numeric_limits<int64_t>::max();
  item.submitted = job.submitted;
  item.seen = ++updates_;
}

bool GangOrder::Before(int a, int b) const {
  const Item& first = items_[static_cast<size_t>(a)];
  const Item& second = items_[static_cast<size_t>(b)];
  if (rules_.home_first && first.away != second.away) return second.away;
  return rules_.market ? BeforeByPrice(a, b) : BeforeByCost(a, b);
}

bool GangOrder::BeforeByCost(int a, int b) const {
  const Item& first = items_[static_cast<size_t>(a)];
  const Item& second = items_[static_cast<size_t>(b)];
  if (rules_.by_scheduled_priority) {
    if (first.scheduled_priority != second.scheduled_priority) {
      return first.scheduled_priority > second.scheduled_priority;
    }
  } else if (first.class_priority != second.class_priority) {
    return first.class_priority > second.class_priority;
  }
  const bool first_within = first.proposed <= first.budget;
  const bool second_within = second.proposed <= second.budget;
  if (rules_.prefer_large && first_within != second_within) return first_within;
  if (rules_.prefer_large && first_within) {
    if (first.current != second.current) return first.current < second.current;
    if (first.size != second.size) return first.size > second.size;
  } else if (first.proposed != second.proposed) {
    return first.proposed < second.proposed;
  }
  return a < b;
}

// Queues of one bid take turns after the one that was cleared last. Returns 1 if `a` goes first, -1
// if `b` does, 0 if neither has the turn.
int GangOrder::TakeTurns(int a, int b) const {
  if (a > last_ && b > last_) return a < b ? 1 : -1;
  if (a > last_ || b == last_) return 1;
  if (b > last_ || a == last_) return -1;
  return 0;
}

bool GangOrder::BeforeByPrice(int a, int b) const {
  const Item& first = items_[static_cast<size_t>(a)];
  const Item& second = items_[static_cast<size_t>(b)];
  if (first.price != second.price) return first.price > second.price;
  if (first.queued != second.queued) return second.queued;
  if (first.price == last_price_) {
    if (const int turn = TakeTurns(a, b)) return turn > 0;
  }
  if (first.created != second.created) return first.created < second.created;
  // The peer reads the clock at each look, so that of equal runs the one seen later is older.
  if (!first.queued) return first.seen > second.seen;
  if (first.submitted != second.submitted) return first.submitted < second.submitted;
  return a < b;
}

}  // namespace muster::armada
