// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/read_queues.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/peer/armada/cost.h"
#include "lib/peer/armada/row_settings.h"

namespace muster::armada {
namespace {

// What the jobs of one queue come to, by class.
struct QueueSums {
  bool takes_part = false, is_away = false;
  std::vector<Amounts> demand, allocated, away;
};

class QueueReader {
 public:
  QueueReader(const muster::Tables& tables, const Config& config, World* world)
      : tables_(tables),
        config_(config),
        world_(*world),
        state_(world->state),
        size_(world->dimensions.size()),
        none_(state_.classes.size(), Amounts(size_)) {}

  void Read() {
    state_.allocated.assign(size_, 0);
    AddUp();
    for (size_t q = 0; q < sums_.size(); ++q) Add(q);
    Divide();
    state_.round_limit = LimitOf(state_.resources, state_.total, config_.round_limit);
    if (config_.optimiser_fraction > 0) {
      for (const int64_t total : state_.total) {
        state_.options.optimiser.most_resources.push_back(
            PartOf(total, config_.optimiser_fraction));
      }
    }
  }

 private:
  bool IsClosed(size_t queue) const {
    return tables_.queues.spec[world_.queue_of[queue]].state == QueueState::kClosed;
  }

  void AddUp() {
    sums_.resize(world_.queue_of.size());
    for (QueueSums& sums : sums_) sums.demand = sums.allocated = sums.away = none_;
    for (const Job& job : state_.jobs) {
      const auto queue = static_cast<size_t>(job.queue);
      const Shape& shape = state_.shapes[static_cast<size_t>(job.shape)];
      const auto priority_class = static_cast<size_t>(shape.priority_class);
      QueueSums& sums = sums_[queue];
      const bool away = job.run && job.run->away;
      (away ? sums.is_away : sums.takes_part) = true;
      for (size_t r = 0; r < size_; ++r) {
        const int64_t amount = shape.requests[r];
        if (!away && !(job.queued && IsClosed(queue))) sums.demand[priority_class][r] += amount;
        if (job.queued) continue;
        (away ? sums.away : sums.allocated)[priority_class][r] += amount;
        state_.allocated[r] += amount;
      }
    }
  }

  Amounts ClassLimit(const std::string& name, const QueueSettings& settings, size_t queue) const {
    std::vector<Fraction> fractions;
    const int own = config_.FindClass(name);
    for (const auto* list : {&config_.class_limits, &settings.class_limits}) {
      for (const ClassFraction& limit : *list) {
        if (limit.priority_class == own) fractions.push_back(limit.fraction);
      }
    }
    Amounts limit = LimitOf(state_.resources, state_.total, fractions);
    const auto row = tables_.queues.limit.row(world_.queue_of[queue]);
    for (size_t r = 0; r < size_; ++r) {
      const int64_t amount = row[world_.dimensions[r]];
      if (amount != kAbsent) limit[r] = std::min(limit[r], amount);
    }
    return limit;
  }

  void Add(size_t queue) {
    QueueSums& sums = sums_[queue];
    if (!sums.takes_part && !sums.is_away) return;
    QueueSettings settings;
    const QueueSpec& spec = tables_.queues.spec[world_.queue_of[queue]];
    if (!ReadQueueSettings(spec, config_, &settings).ok()) return;
    Queue made;
    made.name = spec.name;
    made.weight = settings.weight;
    made.cordoned = IsClosed(queue);
    made.penalty.assign(size_, 0);
    made.constrained_demand.assign(size_, 0);
    for (size_t c = 0; c < state_.classes.size(); ++c) {
      made.limits.push_back(ClassLimit(state_.classes[c].name, settings, queue));
      const Amounts demand = Capped(sums.demand[c], made.limits[c]);
      for (size_t r = 0; r < size_; ++r) made.constrained_demand[r] += demand[r];
    }
    if (sums.is_away) {
      Queue away = made;
      away.name = absl::StrCat(spec.name, "-away");
      away.constrained_demand.assign(size_, 0);
      away.allocated = std::move(sums.away);
      state_.queues.push_back(std::move(away));
    }
    if (!sums.takes_part) return;
    made.allocated = std::move(sums.allocated);
    state_.queues.push_back(std::move(made));
  }

  void Divide() {
    std::ranges::sort(state_.queues, {}, &Queue::name);
    const Cost cost(state_.total, state_.multipliers);
    std::vector<Claim> claims;
    double weights = 0;
    for (const Queue& queue : state_.queues) {
      claims.push_back(ClaimOf(queue, cost));
      weights += queue.weight;
    }
    const std::vector<Shares> shares = DivideShares(claims, weights);
    for (size_t q = 0; q < shares.size(); ++q) state_.queues[q].shares = shares[q];
  }

  const muster::Tables& tables_;
  const Config& config_;
  World& world_;
  State& state_;
  const size_t size_;
  const std::vector<Amounts> none_;
  std::vector<QueueSums> sums_;
};

}  // namespace

void ReadQueues(const muster::Tables& tables, const Config& config, World* world) {
  QueueReader(tables, config, world).Read();
}

}  // namespace muster::armada
