// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Thinks of changes that might start a job, tries them, and returns those that do.
//
//   std::vector<Remedy> remedies = Propose({tables, plan, job, "volcano", now}, &trials);
//
// Idea. Each kind of remedy is one function that makes candidates from the rows: node types, queues
// of the chain, taints, sizes. For a candidate with a number, the smallest that helps is searched
// for (Smallest in trials.h). Everything that is returned was tried as it is returned.
// Order. Kinds in the order of RemedyKind; within a kind rows in the order of their tables.
// Cost. A trial for each candidate, and about 2 log(n) for one with a number up to n.
#ifndef MUSTER_ADVICE_PROPOSALS_H_
#define MUSTER_ADVICE_PROPOSALS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/advice/trials.h"
#include "lib/model/tables.h"
#include "muster/plan.h"
#include "muster/remedy.h"

namespace muster {

// The job that waits, and the plan in which it does.
struct WaitingJob {
  const Tables& tables;
  const Plan& plan;
  JobIndex job;
  std::string profile;
  int64_t now = 0;
  int64_t others = 0;  // tasks of other jobs that start in the plan

  std::string name() const { return std::string(tables.jobs.names.name(job)); }
  // Its tasks that wait in the plan, ascending.
  std::vector<TaskIndex> Waiting() const;
};

// Returns the remedies that were found before the trials ran out.
std::vector<Remedy> Propose(const WaitingJob& job, Trials* trials);

// The parts of Propose. Each appends what helps.
void ProposeNodes(const WaitingJob& job, Trials* trials, std::vector<Remedy>* out);
void ProposeQueues(const WaitingJob& job, Trials* trials, std::vector<Remedy>* out);
void ProposeSpending(const WaitingJob& job, Trials* trials, std::vector<Remedy>* out);
void ProposeTaints(const WaitingJob& job, Trials* trials, std::vector<Remedy>* out);
void ProposeSizes(const WaitingJob& job, Trials* trials, std::vector<Remedy>* out);
void ProposeEvictions(const WaitingJob& job, Trials* trials, std::vector<Remedy>* out);
void ProposeWaiting(const WaitingJob& job, Trials* trials, std::vector<Remedy>* out);

}  // namespace muster

#endif  // MUSTER_ADVICE_PROPOSALS_H_
