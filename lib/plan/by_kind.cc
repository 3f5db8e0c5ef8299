// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The decisions of a plan, kind by kind.
#include <utility>

#include "lib/plan/plan_data.h"

namespace muster {
namespace {

// Appends one of the rows that a decision points to, and returns its new index.
template <class Row>
uint32_t Append(Row row, std::vector<Row>* rows) {
  rows->push_back(std::move(row));
  return static_cast<uint32_t>(rows->size() - 1);
}

// Takes the row that a decision of kind kAdmit points to. Only an assignment needs one: the index
// of an admission without any is that of another job's, or none.
Admission TakeAdmission(const Decision& decision, std::vector<Admission>* made) {
  if (decision.index < made->size() && (*made)[decision.index].job == decision.job) {
    return std::move((*made)[decision.index]);
  }
  return {.job = decision.job};
}

uint32_t AppendOfKind(const Decision& d, DecisionsByKind* made, DecisionsByKind* listed) {
  switch (d.kind) {
    case DecisionKind::kAdmit:
      return Append(TakeAdmission(d, &made->admissions), &listed->admissions);
    case DecisionKind::kBind:
      return Append(Bind{d.task, d.node}, &listed->binds);
    case DecisionKind::kNominate:
      return Append(Nomination{d.task, d.node, d.after_eviction}, &listed->nominations);
    case DecisionKind::kEvict:
      return Append(Eviction{d.task, d.node, d.beneficiary}, &listed->evictions);
    case DecisionKind::kPhase:
      return Append(PhaseChange{d.job, d.phase}, &listed->phases);
    case DecisionKind::kMove:
      return Append(made->moves[d.index], &listed->moves);
    case DecisionKind::kReserve:
      return Append(std::move(made->reservations[d.index]), &listed->reservations);
    case DecisionKind::kOffer:
      return Append(std::move(made->offers[d.index]), &listed->offers);
    case DecisionKind::kResize:
      return Append(std::move(made->resizes[d.index]), &listed->resizes);
    case DecisionKind::kSplit:
      return Append(made->splits[d.index], &listed->splits);
  }
  return 0;
}

}  // namespace

void ListByKind(PlanData* plan) {
  DecisionsByKind listed;
  for (Decision& decision : plan->decisions) {
    decision.index = AppendOfKind(decision, &plan->by_kind, &listed);
  }
  plan->by_kind = std::move(listed);
}

}  // namespace muster
