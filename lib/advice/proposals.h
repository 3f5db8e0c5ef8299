// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Thinks of changes that might start a job, tries them, and returns those that do.
//
//   std::vector<Remedy> remedies = Propose({tables, plan, job, kNone, "volcano", now}, &trials);
//
// Idea. Each kind of remedy is one function that makes candidates from the rows: node types, queues
// of the chain, taints, sizes. For a candidate with a number, the smallest that helps is searched
// for (smallest.h). Everything that is returned was tried as it is returned. If nothing alone
// starts the job as it is without more evictions, the limits of the job's queues are raised, and
// the kinds about nodes, taints, evictions and ends are tried again on top of that. Limits that
// help are lowered again as far as they still do.
// Order. That of the functions below; within one, rows in the order of their tables.
// Cost. A trial for each candidate, and about 2 log(n) for one with a number up to n.
#ifndef MUSTER_ADVICE_PROPOSALS_H_
#define MUSTER_ADVICE_PROPOSALS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/advice/counted_tasks.h"
#include "lib/advice/trials.h"
#include "lib/model/tables.h"
#include "muster/plan.h"
#include "muster/remedy.h"

namespace muster {

// The job that waits, and the plan in which it does.
struct WaitingCase {
  const Tables& tables;
  const Plan& plan;
  JobIndex job;    // kNone: a task without a job waits
  TaskIndex lone;  // that task
  std::string profile;
  int64_t now = 0;
  Trials::Outcome today = {};  // of the job in the plan

  bool is_lone() const { return job == kNone; }
  std::string name() const {
    return std::string(is_lone() ? tables.tasks.names.name(lone) : tables.jobs.names.name(job));
  }
  // kNone: the task without a job has none.
  QueueIndex queue() const { return is_lone() ? kNone : tables.jobs.queue[job]; }
  // Its tasks that wait in the plan: those with rows, ascending, and then those by count.
  std::vector<WaitingTasks> Waiting() const;
};

// Returns the remedies that were found before the trials ran out.
std::vector<Remedy> Propose(const WaitingCase& job, Trials* trials);

struct RaisedLimits {
  std::vector<WhatIfChange> changes;
  std::string words;
  bool for_all = false;
};
// Returns the limits of the job's queues raised for what it requests, and then raised for all that
// waits there, since others may come first. Empty: no limit is too low.
std::vector<RaisedLimits> RaiseLimits(const WaitingCase& job);
// Returns the limits raised by the smallest part that still starts all of the job that waits, with
// `more` changed behind it: by sixteenths of what `raised` adds. `raised` does so.
RaisedLimits LowerLimits(const WaitingCase& job, const RaisedLimits& raised,
                         const std::vector<WhatIfChange>& more, Trials* trials);

// The parts of Propose. Each appends what helps.
void ProposeNodes(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out);
void ProposeQueues(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out);
void ProposeQuota(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out);
void ProposeSpending(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out);
void ProposeTaints(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out);
void ProposeLabels(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out);
void ProposeGates(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out);
void ProposeSizes(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out);
void ProposeEvictions(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out);
void ProposeWaiting(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out);

}  // namespace muster

#endif  // MUSTER_ADVICE_PROPOSALS_H_
