// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The measured loads of nodes, with estimates of what a measurement cannot include yet.
//
//   LoadBooks books(settings);
//   books.Open(tables, ledger, now);
//   if (books.WhyNot(c, node) == LoadBooks::Why::kFits) score = books.ScoreOf(c, node);
//
// A task counts with its estimate, less what it was measured to use, if the measurement cannot have
// seen all of it: it was placed in this cycle, waits with its node, or got its node (the start of
// the task) less than `interval` before the measurement, or at an unknown time. A measurement with
// amounts (UsageDetail) has its own interval, and is one of tasks, too: those without a `usage` of
// their own count with their estimate. An estimate is `factors` percent of the request, by
// resource. A task that requests none has 250 milli-cores and 200 MiB. Arithmetic: measured_load.h,
// in whole milli-cores and bytes.
//
// Settings of nodes, in place of options and of what the node can allocate:
//   koordinator/cpu_threshold, memory_threshold    percent
//   koordinator/raw_cpu, raw_memory                amounts
//
// Cost. A sum a node that is kept by the moves of the ledger; O(1) a question.
#ifndef MUSTER_PEER_KOORDINATOR_LOAD_BOOKS_H_
#define MUSTER_PEER_KOORDINATOR_LOAD_BOOKS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"
#include "lib/peer/koordinator/measured_load.h"
#include "muster/policy.h"

namespace muster {

// Lists are of cpu and memory. Times are ticks of the caller's clock.
struct LoadSettings {
  // Reads options `prefix`cpu, `prefix`memory, `prefix`interval and so on.
  static LoadSettings From(const Options& options, const std::string& prefix, int64_t ticks);

  enum class Expired : uint8_t { kRefuse, kPass, kTrust };
  std::vector<int64_t> thresholds, weights, factors;
  int64_t dominant = 0, interval = 60, expiration = 180, ticks = 1;
  Expired expired = Expired::kRefuse;
};

class LoadBooks {
 public:
  explicit LoadBooks(LoadSettings settings) : settings_(std::move(settings)) {}

  // Both must outlive this.
  void Open(const Tables& tables, const Ledger& ledger, int64_t now);
  // Returns whether some node is measured.
  bool any() const { return any_; }

  // Why a node takes no task of a class: its measurement is too old, or a load would be above its
  // threshold.
  enum class Why : uint8_t { kFits, kOld, kCpu, kMemory };
  Why WhyNot(ClassIndex c, NodeIndex node);
  // Returns whether the node has a measurement that a score may go by.
  bool IsScored(NodeIndex node) const { return nodes_[node].is_measured && !nodes_[node].is_old; }
  // Returns how much would be free, from 0 to 100. REQUIRES: IsScored.
  int64_t ScoreOf(ClassIndex c, NodeIndex node);

 private:
  struct NodeBook {
    bool is_measured = false, is_old = false;
    bool lists_tasks = false;  // tasks without a measurement were not measured
    int64_t seen_until = 0;    // when the measurement began
    Loads thresholds;
    Loads load;  // as measured, plus the estimates of tasks that the measurement does not include
    Loads room;  // what the node can allocate
  };

  void ReadNode(NodeIndex n, int64_t now);
  void ReadSettings(const NodeSpec& node, NodeBook* book) const;
  Loads EstimateOf(ClassIndex c) const;
  const TaskUsage* UsageOf(TaskIndex t) const;
  Loads LoadWith(ClassIndex c, NodeIndex node);
  void Follow();
  void Count(TaskIndex t, NodeIndex node, int sign);
  bool IsUnseen(TaskIndex t, const NodeBook& book) const;

  const LoadSettings settings_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  std::vector<NodeBook> nodes_;
  bool any_ = false;
  uint64_t birth_ = 0;
  size_t position_ = 0;  // in the ledger's view journal
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_LOAD_BOOKS_H_
