// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// load-aware: avoids nodes where measured load leaves too little room, and prefers those where it
// leaves more. A policy for other profiles: profile koordinator does not evaluate it, and asks
// load_books.h in profile/plugins.cc.
//
// Idea. A monitor reports how busy a node is. Tasks that it cannot have seen count with estimates
// (load_books.h): `cpu_factor` or `memory_factor` percent of the request.
//
// Promise. With its own estimate added, a task does not go where a load, in whole percent of what
// the node can allocate, would be above its threshold.
//
// Score. The part that would be free, cpu and memory weighted; `dominant` weighs the scarcer one
// once more.
//
// Peer. Koordinator's LoadAwareScheduling. Production tasks, statistics, limits, and tasks that are
// admitted under any load are not known; profile koordinator knows all but limits. A node without a
// measurement accepts anything and scores 0. One measured `expiration` ago scores 0, too. It
// accepts nothing, unless both thresholds are 0; with expired=pass it accepts anything; with
// expired=trust, what its old measurement leaves room for.
//
// Reasons. Policy, with the resource and its threshold, or that the measurement is too old.
//
// Ties. None left.
//
// Cost. A sum a node that is kept by the moves of the cycle, and a look at every candidate node;
// nothing where no node is measured.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/extension/cycle.h"
#include "lib/kube/refusals.h"
#include "lib/peer/koordinator/load_books.h"
#include "lib/peer/koordinator/policies.h"

namespace muster {
namespace {

constexpr OptionDecl kLoadAwareOptions[] = {
    {"cpu_threshold", OptionKind::kWhole, "65", 0, 100, "percent of cpu a node may get to; 0: any"},
    {"memory_threshold", OptionKind::kWhole, "95", 0, 100, "the same of memory"},
    {"cpu", OptionKind::kWhole, "1", 0, 1e6, "weight of cpu in the score"},
    {"memory", OptionKind::kWhole, "1", 0, 1e6, "weight of memory"},
    {"dominant", OptionKind::kWhole, "0", 0, 1e6, "weight of the scarcer of the two"},
    {"cpu_factor", OptionKind::kWhole, "85", 0, 100, "percent of a request that is used"},
    {"memory_factor", OptionKind::kWhole, "70", 0, 100, "the same of memory"},
    {"interval", OptionKind::kWhole, "60", 0, 1e9, "seconds that a measurement looks back"},
    {"expiration", OptionKind::kWhole, "180", 0, 1e9,
     "seconds after which a measurement is too old; 0: never"},
    {"expired", OptionKind::kChoice, "refuse", 0, 0,
     "refuse|pass|trust: what an old measurement means to tasks"},
    {"weight", OptionKind::kNumber, "1", 0, 1e9, "how much the score counts; 0 switches it off"},
};

class LoadAware : public Policy, public FitPolicy, public ScorePolicy {
 public:
  explicit LoadAware(const Options& options)
      : thresholds_(LoadSettings::From(options, "", 1).thresholds),
        weight_(options.number("weight")),
        books_(LoadSettings::From(options, "", 1)) {}

  std::string_view name() const override { return "load-aware"; }
  PointSet points() const override { return {Point::kFit, Point::kScore}; }
  FitPolicy* fit() override { return this; }
  ScorePolicy* score() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    books_.Open(*tables_, internal::DataOf(cycle).ledger, cycle.now());
  }

  Scope FitScope(ClassIndex) override { return books_.any() ? Scope::kCluster : Scope::kNone; }
  void FitNodes(ClassIndex c, std::span<const NodeIndex> nodes, std::span<uint8_t> fits,
                std::span<RefusalCode> codes, std::span<uint8_t> hard) override {
    Refusals refusals(fits, codes, hard);
    const LoadBooks::Taker taker = books_.TakerOfClass(c);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (books_.WhyNot(taker, nodes[i]) == Why::kFits) continue;
      refusals.Add(i, RefusalCode::kPolicy, /*hard=*/true);
    }
  }
  std::string NodeRefusalDetail(ClassIndex c, NodeIndex node) override {
    switch (books_.WhyNot(books_.TakerOfClass(c), node)) {
      case Why::kFits:
      case Why::kCpuStatistic:  // the policy has no statistics
      case Why::kMemoryStatistic:
        break;
      case Why::kOld:
        return "load measured too long ago";
      case Why::kCpu:
        return absl::StrCat("cpu load above ", thresholds_[kCpu], " %");
      case Why::kMemory:
        return absl::StrCat("memory load above ", thresholds_[kMemory], " %");
    }
    return {};
  }

  Scope ScoreScope(ClassIndex) override {
    return books_.any() && weight_ != 0 ? Scope::kCluster : Scope::kNone;
  }
  void ScoreNodes(TaskIndex task, std::span<const NodeIndex> nodes, std::span<double> order,
                  std::span<double>) override {
    const LoadBooks::Taker taker = books_.TakerOfClass(tables_->tasks.task_class[task]);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!books_.IsScored(nodes[i])) continue;
      order[i] += weight_ * static_cast<double>(books_.ScoreOf(taker, nodes[i]));
    }
  }

 private:
  using Why = LoadBooks::Why;

  const std::vector<int64_t> thresholds_;
  const double weight_;
  const Tables* tables_ = nullptr;
  LoadBooks books_;
};

}  // namespace

PolicyDecl LoadAwarePolicy() {
  return {"load-aware", "avoids nodes where measured load leaves too little room",
          kLoadAwareOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<LoadAware>(options);
          },
          /*revision=*/3};
}

}  // namespace muster
