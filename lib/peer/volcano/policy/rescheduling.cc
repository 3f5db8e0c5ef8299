// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// rescheduling: from nodes that are busy in fact to nodes that are not.
//
// Idea. A node is low when what was measured of its cpu and memory lies below `cpu_low` and
// `memory_low` and it is schedulable; high when it is not low and one of them lies above `cpu_high`
// or `memory_high`. What the low nodes lack to `cpu_high` and `memory_high` is the room there is.
// High nodes give, the busiest first, and of a node's running tasks those of lowest priority first,
// those that ask for neither cpu nor memory before others; each takes its request out of the room
// and off the node, until the node is below both high marks or the room is used up. No task goes
// when no node is low, all are, or none is high. The action shuffle asks.
// Peer. Volcano's rescheduling with its only strategy, lowNodeUtilization. Where it surprises: a
// node that was never measured counts as idle; the room counts as used up only when cpu or memory
// is exactly zero, so once it is overdrawn evictions go on until the nodes are below; the room is
// of what is allocatable, a task's part of its node of the capacity. Not reproduced: a clock of its
// own (each shuffle is one round: its caller says how often), Guaranteed after Burstable
// (limits of containers are not known), pods told apart by name without namespace, and a pod
// without any priority before all others.
// Ties. Nodes of equal sums of cpu and memory and tasks that are alike: by index. Arithmetic: each
// step one IEEE operation.
// Cost. O(nodes + tasks), and sorting the high ones.
#include <algorithm>
#include <array>
#include <vector>

#include "lib/extension/cycle.h"
#include "lib/peer/volcano/policies.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr OptionDecl kReschedulingOptions[] = {
    {"cpu_low", OptionKind::kNumber, "100", 0, 1000, "a node measured below takes tasks, percent"},
    {"memory_low", OptionKind::kNumber, "100", 0, 1000, "the same of memory"},
    {"cpu_high", OptionKind::kNumber, "100", 0, 1000, "a node measured above gives tasks, percent"},
    {"memory_high", OptionKind::kNumber, "100", 0, 1000, "the same of memory"},
};

// What is measured and moved: the dimensions kCpu and kMemory.
constexpr DimensionIndex kMeasured[] = {kCpu, kMemory};
using Percents = std::array<double, 2>;
using Room = std::array<int64_t, 2>;

// Amounts lie below; what a measurement beyond reason makes of them is cut off here.
constexpr double kMost = 9007199254740992.0;  // 2^53

int64_t AmountOf(double percent, int64_t whole) {
  return static_cast<int64_t>(
      std::clamp(percent * static_cast<double>(whole) * 0.01, -kMost, kMost));
}

// cpu in cores, as the peer's quantities read: whole ones are exact, others are thousandths.
double CapacityOf(DimensionIndex d, int64_t amount) {
  if (d != kCpu) return static_cast<double>(amount);
  const int64_t cores = amount / 1000;
  if (cores * 1000 == amount) return static_cast<double>(cores);
  return static_cast<double>(amount) * 0.001;
}
double PercentOf(DimensionIndex d, int64_t amount, int64_t capacity) {
  const double held = static_cast<double>(amount) * (d == kCpu ? 0.001 : 1.0);
  return held * 100.0 / CapacityOf(d, capacity);
}

class Rescheduling : public Policy, public VictimPolicy {
 public:
  explicit Rescheduling(const Options& options)
      : low_{options.number("cpu_low"), options.number("memory_low")},
        high_{options.number("cpu_high"), options.number("memory_high")} {}

  std::string_view name() const override { return "rescheduling"; }
  PointSet points() const override { return {Point::kVictims}; }
  VictimPolicy* victims() override { return this; }
  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
  }

  void Victims(std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) override {
    struct Giver {
      NodeIndex node;
      Percents used;
      std::vector<TaskIndex> tasks;
    };
    const NodeTable& nodes = tables_->nodes;
    std::vector<Giver> givers;
    Room room{};
    size_t low = 0, all = 0;
    for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
      if (!nodes.alive[n]) continue;
      ++all;
      const Percents used = Measured(n);
      if (!nodes.spec[n].unschedulable && used[0] < low_[0] && used[1] < low_[1]) {
        ++low;
        for (size_t i = 0; i < room.size(); ++i) {
          const int64_t whole = OrZero(nodes.allocatable.row(n)[kMeasured[i]]);
          room[i] += AmountOf(high_[i], whole) - AmountOf(used[i], whole);
        }
      } else if (used[0] > high_[0] || used[1] > high_[1]) {
        givers.push_back({n, used, {}});
      }
    }
    if (low == 0 || low == all || givers.empty()) return;

    std::vector<uint32_t> giver_of(nodes.alive.size(), kNone);
    for (uint32_t i = 0; i < givers.size(); ++i) giver_of[givers[i].node] = i;
    for (TaskIndex t : candidates) {
      const uint32_t giver = giver_of[ledger_->node_of(t)];
      if (giver != kNone) givers[giver].tasks.push_back(t);
    }
    std::stable_sort(givers.begin(), givers.end(), [](const Giver& a, const Giver& b) {
      return a.used[0] + a.used[1] > b.used[0] + b.used[1];
    });
    for (Giver& giver : givers) {
      std::sort(giver.tasks.begin(), giver.tasks.end(),
                [&](TaskIndex a, TaskIndex b) { return GoesBefore(a, b); });
      for (TaskIndex t : giver.tasks) {
        const bool busy = giver.used[0] >= high_[0] || giver.used[1] >= high_[1];
        if (!busy || room[0] == 0 || room[1] == 0) break;
        for (size_t i = 0; i < room.size(); ++i) {
          const int64_t held = OrZero(ledger_->request(t)[kMeasured[i]]);
          room[i] -= held;
          giver.used[i] -=
              PercentOf(kMeasured[i], held, OrZero(nodes.capacity.row(giver.node)[kMeasured[i]]));
        }
        chosen->push_back(t);
      }
    }
  }

 private:
  Percents Measured(NodeIndex n) const {
    const auto& usage = tables_->nodes.spec[n].usage;
    if (!usage) return {};
    const auto percent = [](const Quantity& quantity) {
      return static_cast<double>(ParseQuantity(quantity.text, Unit::kMilli).value_or(0)) / 1000;
    };
    return {percent(usage->cpu), percent(usage->memory)};
  }

  bool AsksForNothingMeasured(TaskIndex t) const {
    const auto request = tables_->classes.initial_request.row(tables_->tasks.task_class[t]);
    return OrZero(request[kCpu]) == 0 && OrZero(request[kMemory]) == 0;
  }
  bool GoesBefore(TaskIndex a, TaskIndex b) const {
    const auto& priority = tables_->tasks.priority;
    if (priority[a] != priority[b]) return priority[a] < priority[b];
    const bool nothing = AsksForNothingMeasured(a);
    return nothing != AsksForNothingMeasured(b) ? nothing : a < b;
  }

  const Percents low_, high_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
};

}  // namespace

PolicyDecl ReschedulingPolicy() {
  return {"rescheduling", "from nodes that are busy in fact to nodes that are not",
          kReschedulingOptions, [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Rescheduling>(options);
          }};
}

}  // namespace muster
