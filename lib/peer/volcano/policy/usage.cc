// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// usage: away from nodes that are busy in fact, whatever was requested there.
//
// Idea. A monitor says how busy nodes are, but of the recent past. What came since is estimated
// from requests: tasks placed in this cycle, those bound or binding, and those that began to run
// less than `interval` ago or at an unknown time. A node scores the weighted mean of what
// measurement and estimates together leave of its cpu and memory, times 100 and the weight. A node
// measured above a threshold takes no task; what is estimated does not count there. An estimate is
// the request times `request_ratio`, and times `risk_factor` where the node was busier than
// `risk_threshold` without it, at most the request; tasks that request nothing have fixed
// estimates.
// Peer. Volcano's usage plugin. Measurements older than five minutes are none: no refusal and a
// score of 0. Where the peer adds and takes back estimates event by event, a node's are counted
// afresh here: tasks that were there when the cycle opened, then those placed in it, both by index;
// so a task that goes can lower the estimates of others. Limits of containers are not known: there
// is no burst, and the request is the limit.
// Reasons. Policy, with the threshold above which the node was measured.
// Arithmetic: each step one IEEE operation. Ties. None of its own. Cost. A look at every candidate
// node once for each class, then at those that changed, and at the young tasks of these.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/extension/cycle.h"
#include "lib/extension/node_answers.h"
#include "lib/kube/refusals.h"
#include "lib/peer/volcano/policies.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr int64_t kFreshSeconds = 300;

constexpr OptionDecl kUsageOptions[] = {
    {"weight", OptionKind::kNumber, "5", 0, 1e9, "how much the score counts"},
    {"cpu", OptionKind::kNumber, "1", 0, 1e9, "weight of cpu"},
    {"memory", OptionKind::kNumber, "1", 0, 1e9, "weight of memory"},
    {"cpu_threshold", OptionKind::kNumber, "80", 0, 100, "a node measured above it takes no task"},
    {"memory_threshold", OptionKind::kNumber, "80", 0, 100, "the same of memory"},
    {"request_ratio", OptionKind::kNumber, "0.7", 0, 1, "part of a request that is used"},
    {"risk_threshold", OptionKind::kNumber, "0.6", 0, 1, "from this load on estimates are raised"},
    {"risk_factor", OptionKind::kNumber, "1.2", 1, 1e9, "what they are raised by"},
    {"best_effort_cpu", OptionKind::kNumber, "250", 0, 1e12,
     "milli-cores of a task that requests nothing"},
    {"best_effort_memory", OptionKind::kNumber, "209715200", 0, 1e18, "the same in bytes"},
    {"interval", OptionKind::kWhole, "30", 0, 1e9, "seconds until a task shows in measurements"},
};

struct Load {
  double cpu = 0, memory = 0;
};

// Measured percent and estimate as a part of the capacity.
double PartUsed(double percent, double estimate, double capacity) {
  if (capacity <= 0) return 0;
  const double part = (percent / 100.0 * capacity + estimate) / capacity;
  return std::clamp(part, 0.0, 1.0);
}

class Usage : public Policy, public FitPolicy, public ScorePolicy, public NodeAnswers {
 public:
  explicit Usage(const Options& options)
      : weight_(options.number("weight")),
        weights_{options.number("cpu"), options.number("memory")},
        thresholds_{options.number("cpu_threshold"), options.number("memory_threshold")},
        request_ratio_(options.number("request_ratio")),
        risk_threshold_(options.number("risk_threshold")),
        risk_factor_(options.number("risk_factor")),
        best_effort_{options.number("best_effort_cpu"), options.number("best_effort_memory")},
        interval_(static_cast<int64_t>(options.number("interval"))) {}

  std::string_view name() const override { return "usage"; }
  PointSet points() const override { return {Point::kFit, Point::kScore}; }
  FitPolicy* fit() override { return this; }
  ScorePolicy* score() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    now_ = cycle.now();
    birth_ = 0;  // no ledger has it
    const NodeTable& nodes = tables_->nodes;
    nodes_.assign(nodes.alive.size(), {});
    for (NodeIndex n = 0; n < nodes_.size(); ++n) {
      if (!nodes.alive[n]) continue;
      NodeBook& book = nodes_[n];
      const auto capacity = nodes.capacity.row(n);
      book.capacity = {static_cast<double>(OrZero(capacity[kCpu])),
                       static_cast<double>(OrZero(capacity[kMemory]))};
      if (const auto& usage = nodes.spec[n].usage) {
        book.fresh = now_ - usage->measured <= kFreshSeconds;
        book.measured = {Percent(usage->cpu), Percent(usage->memory)};
      }
    }
  }

  Scope FitScope(ClassIndex) override { return Scope::kCluster; }
  void FitNodes(ClassIndex, std::span<const NodeIndex> nodes, std::span<uint8_t> fits,
                std::span<RefusalCode> codes, std::span<uint8_t> hard) override {
    Refusals refusals(fits, codes, hard);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const NodeBook& book = nodes_[nodes[i]];
      if (!book.fresh || !(IsBusyCpu(book) || IsBusyMemory(book))) continue;
      refusals.Add(i, RefusalCode::kPolicy, /*hard=*/true);
    }
  }
  // Without the measured percent: equal words of many nodes are counted as one refusal.
  std::string NodeRefusalDetail(ClassIndex, NodeIndex node) override {
    const NodeBook& book = nodes_[node];
    if (!book.fresh) return {};
    if (IsBusyCpu(book)) {
      return absl::StrCat("cpu measured above cpu_threshold (", thresholds_.cpu, " %)");
    }
    if (!IsBusyMemory(book)) return {};
    return absl::StrCat("memory measured above memory_threshold (", thresholds_.memory, " %)");
  }

  Scope ScoreScope(ClassIndex) override { return Scope::kCluster; }
  void ScoreNodes(TaskIndex, std::span<const NodeIndex> nodes, std::span<double> order,
                  std::span<double>) override {
    const double weights = weights_.cpu + weights_.memory;
    if (weights == 0) return;
    Follow();
    for (size_t i = 0; i < nodes.size(); ++i) {
      NodeBook& book = nodes_[nodes[i]];
      if (!book.fresh) continue;
      if (book.stale) {
        Estimate(book);
        const Load used = PartsUsed(book);
        const double left = (1.0 - used.cpu) * weights_.cpu + (1.0 - used.memory) * weights_.memory;
        book.score = left / weights * 100.0 * weight_;
      }
      order[i] += book.score;
    }
  }

  // Which nodes refuse does not change within a cycle.
  bool AnswersByNode(ClassIndex) override { return true; }
  bool OnlyWorsens(ClassIndex) override { return true; }

 private:
  struct NodeBook {
    bool fresh = false;
    bool stale = true;
    Load capacity, measured, estimated;
    double score = 0;  // unless stale
    // Ascending: tasks that are not measured yet.
    std::vector<TaskIndex> young, placed;
  };

  static double Percent(const Quantity& quantity) {
    return static_cast<double>(ParseQuantity(quantity.text, Unit::kMilli).value_or(0)) / 1000;
  }

  bool IsBusyCpu(const NodeBook& book) const { return book.measured.cpu > thresholds_.cpu; }
  bool IsBusyMemory(const NodeBook& book) const {
    return book.measured.memory > thresholds_.memory;
  }

  bool IsYoung(TaskIndex t) const {
    switch (tables_->tasks.status[t]) {
      case TaskStatus::kBinding:
      case TaskStatus::kBound:
        return true;
      case TaskStatus::kRunning:
        return tables_->tasks.started[t] == kAbsent || now_ - tables_->tasks.started[t] < interval_;
      default:
        return false;
    }
  }

  // Where tasks are now, by the ledger's view journal.
  void Follow() {
    const auto journal = ledger_->view_journal();
    if (birth_ != ledger_->birth()) {
      for (NodeBook& book : nodes_) {
        book.young.clear();
        book.placed.clear();
        book.stale = true;
      }
      const TaskTable& tasks = tables_->tasks;
      for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
        if (!tasks.alive[t] || !ledger_->in_view(t)) continue;
        Enter(t, ledger_->node_of(t));
      }
      birth_ = ledger_->birth();
      position_ = journal.size();
    }
    for (; position_ < journal.size(); ++position_) {
      const Ledger::ViewChange& change = journal[position_];
      if (change.sign > 0) {
        Enter(change.task, change.node);
      } else {
        Leave(change.task, change.node);
      }
    }
  }

  std::vector<TaskIndex>* ListOf(TaskIndex t, NodeIndex node) {
    if (tables_->tasks.status[t] == TaskStatus::kPending) return &nodes_[node].placed;
    return IsYoung(t) ? &nodes_[node].young : nullptr;
  }
  void Enter(TaskIndex t, NodeIndex node) {
    if (std::vector<TaskIndex>* list = ListOf(t, node)) {
      list->insert(std::lower_bound(list->begin(), list->end(), t), t);
      nodes_[node].stale = true;
    }
  }
  void Leave(TaskIndex t, NodeIndex node) {
    if (std::vector<TaskIndex>* list = ListOf(t, node)) {
      std::erase(*list, t);
      nodes_[node].stale = true;
    }
  }

  Load PartsUsed(const NodeBook& book) const {
    return {PartUsed(book.measured.cpu, book.estimated.cpu, book.capacity.cpu),
            PartUsed(book.measured.memory, book.estimated.memory, book.capacity.memory)};
  }

  void Estimate(NodeBook& book) const {
    book.estimated = {};
    for (const auto* list : {&book.young, &book.placed}) {
      for (TaskIndex t : *list) {
        const Load load = EstimateOf(t, RiskOf(book));
        book.estimated.cpu += load.cpu;
        book.estimated.memory += load.memory;
      }
    }
    book.stale = false;
  }

  double RiskOf(const NodeBook& book) const {
    const double weights = weights_.cpu + weights_.memory;
    const Load used = PartsUsed(book);
    const double load = (used.cpu * weights_.cpu + used.memory * weights_.memory) / weights;
    return load >= risk_threshold_ ? risk_factor_ : 1.0;
  }

  Load EstimateOf(TaskIndex t, double risk) const {
    if (tables_->classes.best_effort[tables_->tasks.task_class[t]]) {
      return {best_effort_.cpu * risk, best_effort_.memory * risk};
    }
    const auto request = ledger_->request(t);
    const auto part = [&](DimensionIndex d) {
      const auto amount = static_cast<double>(OrZero(request[d]));
      return std::min(amount * request_ratio_ * risk, amount);
    };
    return {part(kCpu), part(kMemory)};
  }

  const double weight_;
  const Load weights_, thresholds_;
  const double request_ratio_, risk_threshold_, risk_factor_;
  const Load best_effort_;
  const int64_t interval_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  int64_t now_ = 0;
  std::vector<NodeBook> nodes_;
  uint64_t birth_ = 0;
  size_t position_ = 0;  // in the ledger's view journal
};

}  // namespace

PolicyDecl UsagePolicy() {
  return {"usage", "away from nodes that are busy in fact", kUsageOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Usage>(options);
          }};
}

}  // namespace muster
