// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// resource-strategy-fit: fill nodes by one resource, spread over them by another, and keep scarce
// ones for tasks that request them.
//
// Idea. Three rules, each for itself. The strategies: every dimension with a strategy that the task
// requests scores how full (most) or how empty (least) the node would be in it; the node scores the
// weighted mean, times 100 and the weight. Scarce resources (`scarce.NAME`): a node scores the
// weighted part of them that it does not have, times 100 and `scarce_weight`. Reserves
// (`reserve_cpu.NAME`, `reserve_memory.NAME`): a task that asks for none of the named resources
// keeps off a node where it would leave less cpu or memory than the idle amount of a resource
// needs.
// Peer. Volcano's plugin of that name; its sra is `scarce`, its proportional is the reserves. A
// name may end in `*`: the longest prefix counts, an exact name before any. A dimension that would
// be exceeded makes the strategies' part 0; the weight of a dimension counts also where a node has
// none of it. A node that lacks any requested dimension, `pods` among them, scores nothing for
// scarce ones. A resource that is only named in one of the two reserves has rate 1 in the other;
// rates are cores per unit and millions of bytes per thousandth of a unit. What a node refuses for
// the sake of a reserve no eviction cures. The peer's strategies in annotations of pods are not
// read.
// Arithmetic: in the order of the dimensions, each step one IEEE operation. Ties. None of its own.
// Cost. A division per state and dimension; with reserves, a look at every node for each task that
// asks for none.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/extension/cycle.h"
#include "lib/kube/refusals.h"
#include "lib/peer/volcano/policies.h"

namespace muster {
namespace {

constexpr OptionDecl kResourceStrategyFitOptions[] = {
    {"weight", OptionKind::kNumber, "10", 0, 1e9, "how much the strategies count; 0: not"},
    {"least.*", OptionKind::kNumber, "1", 0, 1e9,
     "weight of a dimension in which nodes are to stay empty (cpu and memory if nothing is named)"},
    {"most.*", OptionKind::kNumber, "1", 0, 1e9,
     "weight of a dimension in which nodes are to become full"},
    {"scarce_weight", OptionKind::kNumber, "0", 0, 1e9, "how much scarce resources count; 0: not"},
    {"scarce.*", OptionKind::kNumber, "1", 0, 1e9, "weight of a scarce resource"},
    {"reserve_cpu.*", OptionKind::kNumber, "1", 0, 1e9, "cores to keep for a unit of a resource"},
    {"reserve_memory.*", OptionKind::kNumber, "1", 0, 1e9,
     "millions of bytes to keep for a thousandth of a resource"},
};

using Weights = std::vector<std::pair<std::string, double>>;

enum class Strategy : uint8_t { kNone, kLeast, kMost };

struct Reserve {
  DimensionIndex dimension;
  double cpu = 1, memory = 1;
};

// The length of the pattern's fixed part if it stands for `name`, more if it is `name` itself; 0:
// it does not.
size_t MatchLength(std::string_view pattern, std::string_view name) {
  if (pattern == name) return name.size() + 1;
  if (!pattern.ends_with('*')) return 0;
  const std::string_view prefix = pattern.substr(0, pattern.size() - 1);
  return name.starts_with(prefix) ? prefix.size() : 0;
}

class ResourceStrategyFit : public Policy, public FitPolicy, public ScorePolicy {
 public:
  explicit ResourceStrategyFit(const Options& options)
      : weight_(options.number("weight")),
        scarce_weight_(options.number("scarce_weight")),
        least_(options.family("least.")),
        most_(options.family("most.")),
        scarce_names_(options.family("scarce.")),
        reserve_cpu_(options.family("reserve_cpu.")),
        reserve_memory_(options.family("reserve_memory.")) {
    if (least_.empty() && most_.empty()) least_ = {{"cpu", 1}, {"memory", 1}};
  }

  std::string_view name() const override { return "resource-strategy-fit"; }
  PointSet points() const override {
    const bool scores = weight_ > 0 || scarce_weight_ > 0;
    const bool reserves = !reserve_cpu_.empty() || !reserve_memory_.empty();
    if (scores && reserves) return {Point::kScore, Point::kFit};
    return scores ? PointSet{Point::kScore} : reserves ? PointSet{Point::kFit} : PointSet{};
  }
  FitPolicy* fit() override { return this; }
  ScorePolicy* score() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    const size_t dimensions = tables_->dimension_count();
    strategies_.assign(dimensions, Strategy::kNone);
    weights_.assign(dimensions, 0);
    scarce_.assign(dimensions, 0);
    scarce_total_ = 0;
    reserves_.clear();
    for (DimensionIndex d = 0; d < dimensions; ++d) Choose(d);
    for (const auto& [name, weight] : scarce_names_) {
      scarce_total_ += weight;
      if (const auto d = tables_->dimensions.Find(name)) scarce_[*d] = weight;
    }
    for (const auto& [name, rate] : reserve_cpu_) {
      if (Reserve* reserve = ReserveOf(name)) reserve->cpu = rate;
    }
    for (const auto& [name, rate] : reserve_memory_) {
      if (Reserve* reserve = ReserveOf(name)) reserve->memory = rate;
    }
  }

  Scope ScoreScope(ClassIndex) override { return Scope::kState; }
  void ScoreStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                   double* order, double*) override {
    const auto request = tables_->classes.request.row(c);
    for (size_t i = begin; i < end; ++i) {
      const double fit = weight_ > 0 ? ByStrategies(request, states, i) : 0.0;
      order[i - begin] += scarce_weight_ > 0 ? fit + ByScarcity(request, states, i) : fit;
    }
  }

  Scope FitScope(ClassIndex c) override {
    const auto request = tables_->classes.request.row(c);
    for (const Reserve& reserve : reserves_) {
      if (request[reserve.dimension] > 0) return Scope::kNone;
    }
    return reserves_.empty() ? Scope::kNone : Scope::kCluster;
  }
  void FitNodes(ClassIndex c, std::span<const NodeIndex> nodes, std::span<uint8_t> fits,
                std::span<RefusalCode> codes, std::span<uint8_t> hard) override {
    Refusals refusals(fits, codes, hard);
    const auto request = tables_->classes.request.row(c);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (BreaksReserve(request, nodes[i])) refusals.Add(i, RefusalCode::kPolicy, /*hard=*/true);
    }
  }

 private:
  void Choose(DimensionIndex d) {
    const std::string_view name = tables_->dimensions.name(d);
    size_t best = 0;
    const auto look = [&](const Weights& weights, Strategy strategy) {
      for (const auto& [pattern, weight] : weights) {
        const size_t length = MatchLength(pattern, name);
        if (length <= best) continue;
        best = length;
        strategies_[d] = strategy;
        weights_[d] = weight > 0 ? weight : 1;
      }
    };
    look(least_, Strategy::kLeast);
    look(most_, Strategy::kMost);
  }

  Reserve* ReserveOf(std::string_view name) {
    const auto d = tables_->dimensions.Find(name);
    if (!d) return nullptr;  // no node has any, and no task requests any
    for (Reserve& reserve : reserves_) {
      if (reserve.dimension == *d) return &reserve;
    }
    return &reserves_.emplace_back(Reserve{.dimension = *d});
  }

  double ByStrategies(std::span<const int64_t> request, const StateColumns& states,
                      size_t i) const {
    double score = 0, weights = 0;
    for (size_t d = 0; d < request.size(); ++d) {
      if (strategies_[d] == Strategy::kNone || OrZero(request[d]) == 0) continue;
      weights += weights_[d];
      const double capacity = states.allocatable[d][i];
      if (capacity == 0) continue;
      const double filled = static_cast<double>(request[d]) + states.used[d][i];
      if (filled > capacity) return 0;
      const double part = strategies_[d] == Strategy::kMost ? filled : capacity - filled;
      score += part * weights_[d] / capacity;
    }
    if (weights > 0) score /= weights;
    return score * (100.0 * weight_);
  }

  double ByScarcity(std::span<const int64_t> request, const StateColumns& states, size_t i) const {
    double there = 0;
    for (size_t d = 0; d < request.size(); ++d) {
      const bool has = states.allocatable[d][i] > 0;
      if (!has && OrZero(request[d]) > 0) return 0;
      if (has) there += scarce_[d];
    }
    const double score = scarce_total_ > 0 ? 1.0 - there / scarce_total_ : 0.0;
    return score * (100.0 * scarce_weight_);
  }

  bool BreaksReserve(std::span<const int64_t> request, NodeIndex node) const {
    const auto idle = ledger_->node(node, kIdle);
    const auto allocatable = tables_->nodes.allocatable.row(node);
    for (const Reserve& reserve : reserves_) {
      if (OrZero(allocatable[reserve.dimension]) <= 0) continue;
      const auto amount = static_cast<double>(idle[reserve.dimension]);
      const auto left = [&](DimensionIndex d) {
        return static_cast<double>(idle[d] - OrZero(request[d]));
      };
      if (left(kCpu) < amount * reserve.cpu) return true;
      if (left(kMemory) < amount * reserve.memory * 1000 * 1000) return true;
    }
    return false;
  }

  const double weight_, scarce_weight_;
  Weights least_;
  const Weights most_, scarce_names_, reserve_cpu_, reserve_memory_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  std::vector<Strategy> strategies_;  // per dimension
  std::vector<double> weights_, scarce_;
  double scarce_total_ = 0;
  std::vector<Reserve> reserves_;
};

}  // namespace

PolicyDecl ResourceStrategyFitPolicy() {
  return {"resource-strategy-fit", "fill nodes by one resource, spread by another",
          kResourceStrategyFitOptions, [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<ResourceStrategyFit>(options);
          }};
}

}  // namespace muster
