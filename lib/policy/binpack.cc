// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// binpack: fill what is begun.
//
// Idea. A node scores the weighted mean of how full each requested dimension would be, times 100
// and the weight.
// Rules. A dimension that would be exceeded makes the whole score 0. The weight of a dimension
// counts also where a node has none of it. `used` includes tasks that are leaving and leaves
// nominated ones out. Only cpu, memory and the dimensions given as resource.NAME count.
// Arithmetic. (used + request) * w / allocatable, summed over dimensions in index order, / sum of
// w, times (100 * weight), each step one IEEE operation. Cost. A division per state and dimension,
// and one per state.
#include "lib/extension/cycle.h"
#include "lib/policy/policies.h"

namespace muster {
namespace {

constexpr OptionDecl kBinpackOptions[] = {
    {"weight", OptionKind::kNumber, "1", 0, 1e9, "how much the score counts; 0 switches it off"},
    {"cpu", OptionKind::kNumber, "1", 0, 1e9, "weight of cpu"},
    {"memory", OptionKind::kNumber, "1", 0, 1e9, "weight of memory"},
    {"resource.*", OptionKind::kNumber, "1", 0, 1e9, "weight of another dimension, by its name"},
};

MUSTER_KERNEL void AddFill(const double* used, const double* allocatable, double request,
                           double weight, size_t begin, size_t end, double* __restrict sum,
                           double* __restrict exceeded) {
  for (size_t i = begin; i < end; ++i) {
    const double filled = used[i] + request;
    const double capacity = allocatable[i];
    const bool none = capacity == 0;
    exceeded[i - begin] += !none && filled > capacity ? 1.0 : 0.0;
    const double part = filled * weight / (none ? 1.0 : capacity);
    sum[i - begin] += none ? 0.0 : part;
  }
}

MUSTER_KERNEL void Finish(const double* sum, const double* exceeded, double weights, double scale,
                          size_t begin, size_t end, double* __restrict order) {
  for (size_t i = begin; i < end; ++i) {
    const double score = sum[i - begin] / weights * scale;
    order[i - begin] += exceeded[i - begin] > 0 ? 0.0 : score;
  }
}

class Binpack : public Policy, public ScorePolicy {
 public:
  explicit Binpack(const Options& options)
      : weight_(options.number("weight")),
        cpu_(options.number("cpu")),
        memory_(options.number("memory")),
        others_(options.family("resource.")) {}

  std::string_view name() const override { return "binpack"; }
  PointSet points() const override { return weight_ != 0 ? PointSet{Point::kScore} : PointSet{}; }
  Traits traits() const override {
    Traits traits;
    traits.reads_free = false;
    return traits;
  }
  ScorePolicy* score() override { return this; }
  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    weights_.assign(tables_->dimension_count(), -1);  // below 0: not counted
    weights_[kCpu] = cpu_;
    weights_[kMemory] = memory_;
    for (const auto& [name, weight] : others_) {
      if (const auto d = tables_->dimensions.Find(name)) weights_[*d] = weight;
    }
  }
  Scope ScoreScope(ClassIndex) override { return Scope::kState; }

  void ScoreStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                   double* order, double*) override {
    const auto request = tables_->classes.request.row(c);
    constexpr size_t kFew = 8;
    double few_sum[kFew] = {}, few_exceeded[kFew] = {};
    double* sum = few_sum;
    double* exceeded = few_exceeded;
    if (end - begin > kFew) {
      sum_.assign(end - begin, 0);
      exceeded_.assign(end - begin, 0);
      sum = sum_.data();
      exceeded = exceeded_.data();
    }
    double weights = 0;
    for (size_t d = 0; d < request.size(); ++d) {
      if (request[d] == 0 || weights_[d] < 0) continue;
      if (weights_[d] != 0) {
        AddFill(states.used[d].data(), states.allocatable[d].data(),
                static_cast<double>(request[d]), weights_[d], begin, end, sum, exceeded);
      }
      weights += weights_[d];
    }
    if (weights == 0) return;
    Finish(sum, exceeded, weights, 100.0 * weight_, begin, end, order);
  }

 private:
  const double weight_, cpu_, memory_;
  const std::vector<std::pair<std::string, double>> others_;
  const Tables* tables_ = nullptr;
  std::vector<double> weights_;
  std::vector<double> sum_, exceeded_;
};

}  // namespace

PolicyDecl BinpackPolicy() {
  return {"binpack", "fill what is begun", kBinpackOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Binpack>(options);
          }};
}

}  // namespace muster
