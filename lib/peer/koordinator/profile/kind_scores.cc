// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/kind_scores.h"

#include <optional>

#include "lib/model/spec_amounts.h"
#include "lib/peer/koordinator/scores/resource_scores.h"

namespace muster::koordinator {
namespace {

std::optional<int64_t> AmountOfKind(const Resources& resources, std::string_view kind) {
  for (const auto& [name, quantity] : resources) {
    if (name == kind) return ValidAmount(kind, quantity);
  }
  return std::nullopt;
}

int64_t RequestOfShape(const TaskShape& shape, std::string_view kind, int64_t least) {
  std::vector<ContainerRequest> containers, init_containers;
  for (const ContainerSpec& container : shape.containers) {
    const bool is_main = !container.init && !container.sidecar;
    (is_main ? containers : init_containers)
        .push_back({AmountOfKind(container.request, kind), container.sidecar});
  }
  if (containers.empty()) containers.push_back({AmountOfKind(shape.request, kind)});
  const int64_t overhead = shape.pod ? AmountOfKind(shape.pod->overhead, kind).value_or(0) : 0;
  return RequestWithLeast(containers, init_containers, least, overhead);
}

}  // namespace

void KindScores::Open(kube::World* world) {
  world_ = world;
  tables_ = &world->tables();
  for (const KindStrategy& strategy : settings_.strategies) {
    dimension_of_.push_back(tables_->dimensions.Find(strategy.kind).value_or(kNone));
  }
  is_scarce_.assign(tables_->dimension_count(), 0);
  for (const std::string& kind : settings_.scarce) {
    if (const auto d = tables_->dimensions.Find(kind)) is_scarce_[*d] = 1;
  }
}

int64_t KindScores::RequestOf(ClassIndex c, size_t kind) {
  const auto [it, is_new] = requests_.try_emplace({c, kind}, 0);
  if (is_new) {
    const DimensionIndex d = dimension_of_[kind];
    const int64_t least = d == kCpu ? 100 : d == kMemory ? 200 << 20 : 0;
    it->second = RequestOfShape(world_->classes().shape(c), settings_.strategies[kind].kind, least);
  }
  return it->second;
}

bool KindScores::Asks(TaskIndex t, DimensionIndex d) const {
  return OrZero(tables_->classes.request.at(world_->class_of(t), d)) > 0;
}

std::vector<int64_t> KindScores::ByStrategies(TaskIndex t, std::span<const NodeIndex> feasible) {
  std::vector<int64_t> scores;
  for (const NodeIndex n : feasible) {
    std::vector<StrategyShare> shares;
    for (size_t kind = 0; kind < dimension_of_.size(); ++kind) {
      const DimensionIndex d = dimension_of_[kind];
      if (d == kNone || !Asks(t, d)) continue;
      StrategyShare& share = shares.emplace_back();
      share.requested = RequestOf(world_->class_of(t), kind);
      for (const TaskIndex other : world_->pods_on(n)) {
        share.requested += RequestOf(world_->class_of(other), kind);
      }
      share.capacity = world_->allocatable(n, d);
      share.weight = settings_.strategies[kind].weight;
      share.prefer_full = settings_.strategies[kind].prefers_full;
    }
    scores.push_back(ScoreByStrategies(shares));
  }
  return scores;
}

std::vector<int64_t> KindScores::WithoutScarce(TaskIndex t,
                                               std::span<const NodeIndex> feasible) const {
  std::vector<int64_t> scores;
  for (const NodeIndex n : feasible) {
    int64_t idle = 0, scarce = 0;
    for (DimensionIndex d = 0; d < tables_->dimension_count(); ++d) {
      if (tables_->nodes.allocatable.at(n, d) == kAbsent || (d != kPods && Asks(t, d))) continue;
      ++idle;
      scarce += is_scarce_[d];
    }
    scores.push_back(ScoreWithoutScarce(idle, scarce));
  }
  return scores;
}

}  // namespace muster::koordinator
