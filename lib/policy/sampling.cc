// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// sampling: a search for nodes ends when it has found enough.
//
// Idea. Of a list of up to `least_nodes` nodes all that fit are wanted; of a longer one `percent`
// of its length, and at least `least_nodes`. 0 percent stands for 50 less one for every 125 nodes,
// at least `least_percent`. The best of those that were found is taken. The next search begins
// where this one ended, so that all nodes get their turn.
// Rules. Nodes are looked at one by one, in ascending order from where the last search ended, until
// one more fits than is wanted. A cycle begins with node 0, or with `remember` where the last one
// ended. A look at a nominated node alone forgets the place. allocate, backfill, preempt and
// reclaim sample; gangpreempt and gangreclaim look at all nodes.
// Ties. Among equal scores the node of smallest index. Cost. A look at all nodes: what is saved are
// scores.
#include <algorithm>

#include "lib/policy/policies.h"

namespace muster {
namespace {

constexpr OptionDecl kSamplingOptions[] = {
    {"percent", OptionKind::kWhole, "0", 0, 100, "of a list's nodes; 0: by its length"},
    {"least_percent", OptionKind::kWhole, "5", 0, 100, "that many, where it goes by length"},
    {"least_nodes", OptionKind::kWhole, "100", 1, 1e9, "that many in any case"},
    {"remember", OptionKind::kFlag, "off", 0, 0, "a cycle begins where the last one ended"},
};

constexpr std::string_view kSlot = "sampling";  // row "next": the place
constexpr std::string_view kNext = "next";

class Sampling : public Policy, public FitPolicy {
 public:
  explicit Sampling(const Options& options)
      : percent_(static_cast<int64_t>(options.number("percent"))),
        least_percent_(static_cast<int64_t>(options.number("least_percent"))),
        least_nodes_(static_cast<int64_t>(options.number("least_nodes"))),
        remembers_(options.flag("remember")) {}

  std::string_view name() const override { return "sampling"; }
  PointSet points() const override { return {Point::kFit}; }
  Traits traits() const override {
    Traits traits;
    traits.samples_nodes = true;
    return traits;
  }
  FitPolicy* fit() override { return this; }
  void Open(const Cycle& cycle) override { cycle_ = &cycle; }

  size_t NodesToFind(size_t nodes) const override {
    const auto n = static_cast<int64_t>(nodes);
    if (n <= least_nodes_ || percent_ >= 100) return nodes;
    const int64_t percent = percent_ > 0 ? percent_ : std::max(50 - n / 125, least_percent_);
    return static_cast<size_t>(std::max(n * percent / 100, least_nodes_));
  }

  size_t FirstPlace() const override {
    if (!remembers_) return 0;
    return static_cast<size_t>(std::max<int64_t>(cycle_->Recall(kSlot).Integer(kNext), 0));
  }
  void SetNextPlace(size_t place) override {
    if (remembers_) cycle_->Remember(kSlot).Set(kNext, {static_cast<int64_t>(place)});
  }

 private:
  const int64_t percent_, least_percent_, least_nodes_;
  const bool remembers_;
  const Cycle* cycle_ = nullptr;
};

}  // namespace

PolicyDecl SamplingPolicy() {
  return {.name = "sampling",
          .summary = "a search for nodes ends when it has found enough",
          .options = kSamplingOptions,
          .make = [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Sampling>(options);
          },
          .memory = {{kSlot}}};
}

}  // namespace muster
