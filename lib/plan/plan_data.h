// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a Plan points to. The session fills it once; then it is frozen.
//
//   auto data = std::make_shared<PlanData>(session.Run(tables, options));
//   data->names = NamesOf(SharedTablesOf(snapshot));
//   Plan plan = PlanOf(std::move(data));  // lib/model/access.h
#ifndef MUSTER_PLAN_PLAN_DATA_H_
#define MUSTER_PLAN_PLAN_DATA_H_

#include <memory>
#include <string>
#include <vector>

#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "muster/plan.h"
#include "muster/types.h"

namespace muster {

// Names by index, for the rows a plan mentions. A plan of a frozen snapshot reads them from its
// tables. That of a living cluster copies just the names mentioned, because tables go on changing.
class PlanNames {
 public:
  virtual ~PlanNames() = default;
  virtual std::string_view task(TaskIndex) const = 0;
  virtual std::string_view node(NodeIndex) const = 0;
  virtual std::string_view job(JobIndex) const = 0;
  virtual std::string_view queue(QueueIndex) const = 0;
  virtual std::string_view dimension(DimensionIndex) const = 0;
  virtual TaskIndex FindTask(std::string_view) const = 0;  // kNone: not mentioned
  virtual JobIndex FindJob(std::string_view) const = 0;
  virtual JobIndex job_of(TaskIndex) const = 0;
  // Empty: unknown.
  virtual std::string_view uid(TaskIndex) const { return {}; }

  // Events of the cluster that were refused when the plan was made; null: none.
  std::shared_ptr<const RefusedList> refused;
};

// The decisions of each kind, in the order of PlanData::decisions.
struct DecisionsByKind {
  std::vector<Admission> admissions;
  std::vector<Bind> binds;
  std::vector<Nomination> nominations;
  std::vector<Eviction> evictions;
  std::vector<PhaseChange> phases;
  std::vector<Move> moves;
  std::vector<Reservation> reservations;
  std::vector<Offer> offers;
  std::vector<Resize> resizes;
  std::vector<Split> splits;
};

// Why a job waits, where no pending task of it has the reason: its tasks are counts, or they still
// leave their nodes.
struct WaitingJob {
  JobIndex job;
  int64_t tasks = 0;    // that wait
  uint32_t reason = 0;  // an index into PlanData::reasons
};

struct PlanData {
  std::vector<Decision> decisions;
  DecisionsByKind by_kind;
  std::vector<Tentative> tentative;
  std::vector<PendingTask> pending;
  std::vector<Reason> reasons;
  std::vector<WaitingJob> waiting_jobs;  // ascending
  std::vector<QueueShare> shares;
  std::vector<ChosenDomain> domains;
  std::vector<ChosenDevice> devices;
  std::shared_ptr<const PlanNames> names;
  std::string profile;
  uint64_t version = 0;
  int64_t now = 0;  // ScheduleOptions::now of the cycle
  int64_t work = 0;
  bool complete = true;
  uint32_t cursor = 0;
  Memory memory;
  std::weak_ptr<const Shelf> shelf;  // of the tables: two clusters may be of one version
};

// Fills by_kind from the decisions, and sets their indices. Kinds with fields that a Decision lacks
// (admissions, moves, reservations, offers, resizes, splits) are in by_kind already, at the index
// of their decision; those without a decision are removed. An admission that is missing is added
// without an assignment. O(decisions).
void ListByKind(PlanData* plan);

// Returns the names of a frozen snapshot, which share its tables.
std::shared_ptr<const PlanNames> NamesOf(std::shared_ptr<const Tables> tables);
// Returns copies of the names of the rows that `data` mentions.
std::shared_ptr<const PlanNames> CopyNames(const Tables& tables, const PlanData& data);

// Returns one line of words for a reason: "88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only".
std::string ReasonText(const Reason& reason, const PlanNames& names);

}  // namespace muster

#endif  // MUSTER_PLAN_PLAN_DATA_H_
