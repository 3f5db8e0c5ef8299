// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The measured loads of nodes, with estimates of what a measurement cannot include yet.
//
//   LoadBooks books(settings);
//   books.Open(tables, ledger, now);
//   const LoadBooks::Taker taker = books.TakerOf(task);
//   if (books.WhyNot(taker, node) == LoadBooks::Why::kFits) score = books.ScoreOf(taker, node);
//
// A task counts with its estimate, less what it was measured to use, if the measurement cannot have
// seen all of it: it was placed in this cycle, waits with its node, or got its node (the start of
// the task) less than `interval` before the measurement, or less than `warm_up`, or at an unknown
// time. A measurement with amounts (UsageDetail) has its own interval, and is one of tasks, too:
// those without a `usage` of their own count with their estimate. An estimate is `factors` percent
// of the request, by resource. A task that requests none has 250 milli-cores and 200 MiB.
// Arithmetic: measured_load.h, in whole milli-cores and bytes.
//
// Views. The load is what the whole node uses, a statistic of that over some time, or what the
// tasks of production use. Which one, options decide (LoadSettings), and whether the task is of
// production. A node without the statistic in a window of the wanted length has the estimates of
// all its tasks; where any length will do, what it uses. Without measurements of tasks, those of
// production count with their estimates. So does one with the label `koordinator/measured-as`,
// which tells that its measurement was one of another band.
//
// With `by_band`, the larger of request and limit is estimated, where a label of the task lists its
// limits: koordinator/limits "cpu=4,memory=8Gi". Tasks of mid and batch work request
// kubernetes.io/mid-cpu, batch-memory and so on; without such requests, mid and free work is
// expected to use nothing.
//
// Settings of nodes, in place of options and of what the node can allocate:
//   koordinator/cpu_threshold, memory_threshold                          percent
//   koordinator/production_cpu_threshold, production_memory_threshold    the same of production
//   koordinator/statistic_cpu_threshold, statistic_memory_threshold      the same of a statistic
//   koordinator/load_statistic, load_window                              which one: p95, 300
//   koordinator/raw_cpu, raw_memory                                      amounts
//
// Cost. A few sums a node that are kept by the moves of the ledger; O(1) a question.
#ifndef MUSTER_PEER_KOORDINATOR_LOAD_BOOKS_H_
#define MUSTER_PEER_KOORDINATOR_LOAD_BOOKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"
#include "lib/peer/koordinator/measured_load.h"
#include "lib/share/resource_names.h"
#include "muster/policy.h"

namespace muster {

// Lists are of cpu and memory. Times are ticks of the caller's clock.
struct LoadSettings {
  // Reads options `prefix`cpu, `prefix`memory, `prefix`interval and so on.
  static LoadSettings From(const Options& options, const std::string& prefix, int64_t ticks);

  enum class Expired : uint8_t { kRefuse, kPass, kTrust };
  // A statistic of what a node uses: avg, p50, p90, p95 or p99; empty: none. Over so many seconds;
  // 0: the longest window there is.
  struct Statistic {
    std::string name = {};
    int64_t window = 0;
  };
  std::vector<int64_t> thresholds, weights, factors;
  int64_t dominant = 0, interval = 60, ticks = 1;
  int64_t expiration = 180;  // 0: no measurement is too old
  int64_t warm_up = 0;       // tasks count with their estimates so long after they got their node
  Expired expired = Expired::kRefuse;
  bool by_band = false;  // tasks differ by band
  // Of production, and of the statistic; all 0: they are not asked.
  std::vector<int64_t> of_production = {0, 0}, of_statistic = {0, 0};
  bool with_system = false;        // what belongs to no task counts as production
  bool scores_production = false;  // production is scored by what production uses
  Statistic filtered = {}, scored = {};
};

// Returns limits by resource, as a label of the shape lists them; nothing where that has not the
// form above.
std::optional<NamedAmounts> ReadLoadLimits(const TaskShape& shape);

class LoadBooks {
 public:
  explicit LoadBooks(LoadSettings settings) : settings_(std::move(settings)) {}

  // Both must outlive this.
  void Open(const Tables& tables, const Ledger& ledger, int64_t now);
  // Returns whether some node is measured.
  bool any() const { return any_; }

  // Why a node takes no task of a class: its measurement is too old, or a load would be above its
  // threshold, or a statistic of it above its own.
  enum class Why : uint8_t { kFits, kOld, kCpu, kMemory, kCpuStatistic, kMemoryStatistic };
  // What a task brings to a node.
  struct Taker {
    Loads estimate = {};
    bool is_production = false;
  };
  Taker TakerOf(TaskIndex t) const;
  // Of any task of the class; tasks do not differ by band then.
  Taker TakerOfClass(ClassIndex c) const;
  Why WhyNot(const Taker& taker, NodeIndex node);
  // Returns whether the node has a measurement that a score may go by.
  bool IsScored(NodeIndex node) const { return nodes_[node].is_measured && !nodes_[node].is_old; }
  // Returns how much would be free, from 0 to 100. REQUIRES: IsScored.
  int64_t ScoreOf(const Taker& taker, NodeIndex node);

 private:
  struct NodeBook {
    bool is_measured = false, is_old = false;
    bool lists_tasks = false;  // tasks without a measurement were not measured
    int64_t seen_until = 0;    // when the measurement began
    int64_t measured = 0;      // when it ended
    Loads thresholds, of_production, of_statistic;
    LoadSettings::Statistic filtered;
    Loads room;  // what the node can allocate
    Loads load;  // as measured
    // Statistics of that; empty: there is no such one, and the estimates of all tasks stand for it.
    Loads filter_load, score_load;
    Loads unseen;      // estimates of tasks that the measurement does not include
    Loads expected;    // estimates of all tasks
    Loads production;  // what production uses, or will
  };

  void ReadNode(NodeIndex n, int64_t now);
  void ReadSettings(const NodeSpec& node, NodeBook* book) const;
  static Loads StatisticOf(const NodeSpec& node, const LoadSettings::Statistic& statistic,
                           const Loads& load);
  Loads EstimateOf(TaskIndex t) const;
  Loads EstimateOfClass(ClassIndex c) const;
  int64_t RequestInBand(ClassIndex c, std::string_view band, size_t d) const;
  // Returns the limit of the resource; 0: none.
  int64_t LimitOf(ClassIndex c, const std::string& resource) const;
  bool IsProduction(TaskIndex t) const;
  // Returns the load that thresholds hold for, without the taker, and those thresholds.
  Loads FilterLoad(const NodeBook& book, bool is_production, const Loads** thresholds) const;
  Loads ScoreLoad(const NodeBook& book, bool is_production) const;
  void Follow();
  void Count(TaskIndex t, NodeIndex node, int sign);
  void CountProduction(TaskIndex t, const Loads& estimate, bool is_unseen, int sign,
                       NodeBook* book) const;
  bool IsUnseen(TaskIndex t, const NodeBook& book) const;

  const LoadSettings settings_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  std::vector<NodeBook> nodes_;
  bool asks_production_ = false;  // of some node
  bool any_ = false;
  uint64_t birth_ = 0;
  size_t position_ = 0;  // in the ledger's view journal
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_LOAD_BOOKS_H_
