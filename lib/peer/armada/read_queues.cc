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

class QueueReader {
 public:
  QueueReader(const muster::Tables& tables, const Config& config, const World& world,
              const State& state)
      : tables_(tables),
        config_(config),
        world_(world),
        state_(state),
        size_(world.dimensions.size()) {}

  std::vector<Queue> Read() {
    for (size_t q = 0; q < world_.sums.size(); ++q) Add(q);
    Divide();
    return std::move(queues_);
  }

 private:
  bool IsClosed(size_t queue) const {
    return tables_.queues.spec[world_.queue_of[queue]].state == QueueState::kClosed;
  }

  // What the jobs of a class hold, and what those request that may be scheduled.
  Amounts DemandOf(const QueueSums& sums, size_t priority_class, bool closed) const {
    Amounts demand = sums.allocated[priority_class];
    for (size_t r = 0; !closed && r < size_; ++r) demand[r] += sums.queued[priority_class][r];
    return demand;
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
    const QueueSums& sums = world_.sums[queue];
    if (sums.home == 0 && sums.away == 0) return;
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
      const Amounts demand = Capped(DemandOf(sums, c, made.cordoned), made.limits[c]);
      for (size_t r = 0; r < size_; ++r) made.constrained_demand[r] += demand[r];
    }
    if (sums.away != 0) {
      Queue away = made;
      away.name = absl::StrCat(spec.name, "-away");
      away.constrained_demand.assign(size_, 0);
      away.allocated = sums.away_allocated;
      queues_.push_back(std::move(away));
    }
    if (sums.home == 0) return;
    made.allocated = sums.allocated;
    queues_.push_back(std::move(made));
  }

  void Divide() {
    std::ranges::sort(queues_, {}, &Queue::name);
    const Cost cost(state_.total, state_.multipliers);
    std::vector<Claim> claims;
    double weights = 0;
    for (const Queue& queue : queues_) {
      claims.push_back(ClaimOf(queue, cost));
      weights += queue.weight;
    }
    const std::vector<Shares> shares = DivideShares(claims, weights);
    for (size_t q = 0; q < shares.size(); ++q) queues_[q].shares = shares[q];
  }

  const muster::Tables& tables_;
  const Config& config_;
  const World& world_;
  const State& state_;
  const size_t size_;
  std::vector<Queue> queues_;
};

}  // namespace

std::vector<Queue> MakeQueues(const muster::Tables& tables, const Config& config,
                              const World& world, const State& state) {
  return QueueReader(tables, config, world, state).Read();
}

void ReadQueues(const muster::Tables& tables, const Config& config, World* world) {
  State& state = world->state;
  state.queues = MakeQueues(tables, config, *world, state);
  state.round_limit = LimitOf(state.resources, state.total, config.round_limit);
  Amounts& most = state.options.optimiser.most_resources;
  if (!config.optimiser_limit.empty()) {
    most = LimitOf(state.resources, state.total, config.optimiser_limit);
  }
  if (config.optimiser_fraction <= 0) return;
  most.resize(state.total.size(), kUnlimited);
  for (size_t r = 0; r < most.size(); ++r) {
    most[r] = std::min(most[r], PartOf(state.total[r], config.optimiser_fraction));
  }
}

}  // namespace muster::armada
