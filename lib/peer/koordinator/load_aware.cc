// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// load-aware: avoids nodes where measured load leaves too little room, and prefers those where it
// leaves more.
//
// Idea. A monitor reports how busy a node is. Tasks that it cannot have seen count with estimates:
// - those placed in this cycle,
// - those bound or binding,
// - those that began to run less than `interval` before the measurement, or at an unknown time.
// An estimate is `cpu_factor` or `memory_factor` percent of the request. A task that requests none
// has 250 milli-cores and 200 MiB.
//
// Promise. With its own estimate added, a task does not go where a load, in whole percent of what
// the node can allocate, would be above its threshold.
//
// Score. The part that would be free, cpu and memory weighted; `dominant` weighs the scarcer one
// once more. Arithmetic: lib/peer/koordinator/measured_load.h, in whole milli-cores and bytes.
//
// Peer. Koordinator's LoadAwareScheduling, with measurements of nodes alone. Production tasks,
// percentiles, measured use of single tasks, limits, and tasks that are admitted under any load are
// not known. A node without a measurement accepts anything and scores 0. One measured `expiration`
// ago scores 0, too. It accepts nothing; with expired=pass it accepts anything; with expired=trust,
// what its old measurement leaves room for.
//
// Reasons. Policy, with the resource and its threshold, or that the measurement is too old.
//
// Ties. None left.
//
// Cost. A sum a node that is kept by the moves of the cycle, and a look at every candidate node;
// nothing where no node is measured.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/extension/cycle.h"
#include "lib/kube/refusals.h"
#include "lib/peer/koordinator/measured_load.h"
#include "lib/peer/koordinator/policies.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr OptionDecl kLoadAwareOptions[] = {
    {"cpu_threshold", OptionKind::kNumber, "65", 0, 100,
     "percent of cpu a node may get to; 0: any"},
    {"memory_threshold", OptionKind::kNumber, "95", 0, 100, "the same of memory"},
    {"cpu", OptionKind::kNumber, "1", 0, 1e6, "weight of cpu in the score"},
    {"memory", OptionKind::kNumber, "1", 0, 1e6, "weight of memory"},
    {"dominant", OptionKind::kNumber, "0", 0, 1e6, "weight of the scarcer of the two"},
    {"cpu_factor", OptionKind::kNumber, "85", 0, 100, "percent of a request that is used"},
    {"memory_factor", OptionKind::kNumber, "70", 0, 100, "the same of memory"},
    {"interval", OptionKind::kNumber, "60", 0, 1e9, "seconds that a measurement looks back"},
    {"expiration", OptionKind::kNumber, "180", 0, 1e9,
     "seconds after which a measurement is too old"},
    {"expired", OptionKind::kChoice, "refuse", 0, 0,
     "refuse|pass|trust: what an old measurement means to tasks"},
    {"weight", OptionKind::kNumber, "1", 0, 1e9, "how much the score counts; 0 switches it off"},
};

constexpr size_t kResources = 2;  // cpu and memory, the first two dimensions
static_assert(kCpu == 0 && kMemory == 1);
constexpr int64_t kUnasked[kResources] = {250, 200 << 20};
constexpr int64_t kLargestLoad = int64_t{1} << 53;

class LoadAware : public Policy, public FitPolicy, public ScorePolicy {
 public:
  explicit LoadAware(const Options& options)
      : thresholds_{Whole(options, "cpu_threshold"), Whole(options, "memory_threshold")},
        weights_{Whole(options, "cpu"), Whole(options, "memory")},
        factors_{Whole(options, "cpu_factor"), Whole(options, "memory_factor")},
        dominant_(Whole(options, "dominant")),
        interval_(Whole(options, "interval")),
        expiration_(Whole(options, "expiration")),
        expired_(options.text("expired")),
        weight_(options.number("weight")) {}

  std::string_view name() const override { return "load-aware"; }
  PointSet points() const override { return {Point::kFit, Point::kScore}; }
  FitPolicy* fit() override { return this; }
  ScorePolicy* score() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    birth_ = 0;  // no ledger has this number
    const NodeTable& nodes = tables_->nodes;
    nodes_.assign(nodes.alive.size(), {});
    any_ = false;
    for (NodeIndex n = 0; n < nodes_.size(); ++n) {
      const auto& usage = nodes.spec[n].usage;
      if (!nodes.alive[n] || !usage) continue;
      NodeBook& book = nodes_[n];
      any_ = true;
      book.is_measured = true;
      book.measured = usage->measured;
      book.is_old = SatAdd(cycle.now(), -usage->measured) >= expiration_;
      book.load = {Amount(usage->cpu, nodes.capacity.row(n)[kCpu]),
                   Amount(usage->memory, nodes.capacity.row(n)[kMemory])};
      for (DimensionIndex d = 0; d < kResources; ++d) {
        book.room.push_back(OrZero(nodes.allocatable.row(n)[d]));
      }
    }
  }

  Scope FitScope(ClassIndex) override { return any_ ? Scope::kCluster : Scope::kNone; }
  void FitNodes(ClassIndex c, std::span<const NodeIndex> nodes, std::span<uint8_t> fits,
                std::span<RefusalCode> codes, std::span<uint8_t> hard) override {
    Refusals refusals(fits, codes, hard);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (WhyNot(c, nodes[i]) == Why::kFits) continue;
      refusals.Add(i, RefusalCode::kPolicy, /*hard=*/true);
    }
  }
  std::string NodeRefusalDetail(ClassIndex c, NodeIndex node) override {
    switch (WhyNot(c, node)) {
      case Why::kFits:
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
    return any_ && weight_ != 0 ? Scope::kCluster : Scope::kNone;
  }
  void ScoreNodes(TaskIndex task, std::span<const NodeIndex> nodes, std::span<double> order,
                  std::span<double>) override {
    const ClassIndex c = tables_->tasks.task_class[task];
    for (size_t i = 0; i < nodes.size(); ++i) {
      const NodeBook& book = nodes_[nodes[i]];
      if (!book.is_measured || book.is_old) continue;
      const int64_t score = LoadScore(LoadWith(c, nodes[i]), book.room, weights_, dominant_);
      order[i] += weight_ * static_cast<double>(score);
    }
  }

 private:
  enum class Why : uint8_t { kFits, kOld, kCpu, kMemory };

  struct NodeBook {
    bool is_measured = false, is_old = false;
    int64_t measured = 0;  // the time of the measurement
    Loads load;  // as measured, plus the estimates of tasks that the measurement does not include
    Loads room;  // what the node can allocate
  };

  static int64_t Whole(const Options& options, std::string_view name) {
    return static_cast<int64_t>(options.number(name));
  }

  // Returns so many percent, with three decimals, of the capacity.
  static int64_t Amount(const Quantity& percent, int64_t capacity) {
    const int64_t milli = ParseQuantity(percent.text, Unit::kMilli).value_or(0);
    const absl::int128 amount = absl::int128(milli) * OrZero(capacity) / 100'000;
    return amount > kLargestLoad ? kLargestLoad : static_cast<int64_t>(amount);
  }

  Loads EstimateOf(ClassIndex c) const {
    const auto request = tables_->classes.request.row(c);
    Loads estimate;
    for (size_t d = 0; d < kResources; ++d) {
      const int64_t asked = OrZero(request[d]);
      estimate.push_back(asked == 0 ? kUnasked[d] : EstimateUse(asked, 0, factors_[d]));
    }
    return estimate;
  }

  Loads LoadWith(ClassIndex c, NodeIndex node) {
    Follow();
    Loads load = EstimateOf(c);
    for (size_t d = 0; d < kResources; ++d) {
      load[d] = std::min(kLargestLoad, SatAdd(load[d], nodes_[node].load[d]));
    }
    return load;
  }

  Why WhyNot(ClassIndex c, NodeIndex node) {
    const NodeBook& book = nodes_[node];
    if (!book.is_measured) return Why::kFits;
    if (book.is_old && expired_ != "trust") return expired_ == "pass" ? Why::kFits : Why::kOld;
    const std::optional<size_t> above = FirstAbove(LoadWith(c, node), book.room, thresholds_);
    if (!above) return Why::kFits;
    return *above == kCpu ? Why::kCpu : Why::kMemory;
  }

  // Updates the places of tasks by the ledger's view journal.
  void Follow() {
    const auto journal = ledger_->view_journal();
    if (birth_ != ledger_->birth()) {
      birth_ = ledger_->birth();
      position_ = journal.size();
      const TaskTable& tasks = tables_->tasks;
      for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
        if (tasks.alive[t] && ledger_->in_view(t)) Count(t, ledger_->node_of(t), +1);
      }
    }
    for (; position_ < journal.size(); ++position_) {
      const Ledger::ViewChange& change = journal[position_];
      Count(change.task, change.node, change.sign);
    }
  }

  void Count(TaskIndex t, NodeIndex node, int sign) {
    NodeBook& book = nodes_[node];
    if (!book.is_measured || !IsUnseen(t, book.measured)) return;
    const Loads estimate = EstimateOf(tables_->tasks.task_class[t]);
    for (size_t d = 0; d < kResources; ++d) book.load[d] += sign * estimate[d];
  }

  bool IsUnseen(TaskIndex t, int64_t measured) const {
    switch (tables_->tasks.status[t]) {
      case TaskStatus::kPending:
      case TaskStatus::kBinding:
      case TaskStatus::kBound:
        return true;
      case TaskStatus::kRunning:
        return tables_->tasks.started[t] == kAbsent ||
               SatAdd(measured, -interval_) < tables_->tasks.started[t];
      default:
        return false;
    }
  }

  const std::vector<int64_t> thresholds_, weights_, factors_;
  const int64_t dominant_, interval_, expiration_;
  const std::string expired_;
  const double weight_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  std::vector<NodeBook> nodes_;
  bool any_ = false;  // node is measured
  uint64_t birth_ = 0;
  size_t position_ = 0;  // in the ledger's view journal
};

}  // namespace

PolicyDecl LoadAwarePolicy() {
  return {"load-aware", "avoids nodes where measured load leaves too little room",
          kLoadAwareOptions, [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<LoadAware>(options);
          }};
}

}  // namespace muster
