// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Where each task of a snapshot ends once a plan has been carried out.
//
//   const Ends ends = EndsOf(tables, plan);
//   if (ends.node[task] == kNone) ...        // it waits, is evicted, or has ended
//
// A task that is nominated counts as on its node: it starts there once what leaves has left.
#ifndef MUSTER_ADVICE_ENDS_H_
#define MUSTER_ADVICE_ENDS_H_

#include <vector>

#include "lib/model/tables.h"
#include "muster/plan.h"

namespace muster {

struct Ends {
  std::vector<NodeIndex> node;       // by task; kNone: none
  std::vector<uint32_t> reason;      // by task: its reason in the plan, or kNoReason
  std::vector<uint8_t> holds_quota;  // by job: true if it holds assigned quota
  static constexpr uint32_t kNoReason = 0xffffffff;
};

// A job of which all tasks lose their nodes loses its quota with them.
// REQUIRES: the plan is of a snapshot with these tables. O(rows + decisions).
Ends EndsOf(const Tables& tables, const Plan& plan);

}  // namespace muster

#endif  // MUSTER_ADVICE_ENDS_H_
