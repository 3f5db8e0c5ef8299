// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// HTCondor's negotiator: how it decides, what of it is kept, and where it surprises.
//
//   condor::AdNames names;
//   condor::Negotiator negotiator(rules, groups, &names);
//   condor::CycleRecord record = negotiator.RunCycle(pool);
//
// Machines offer slots, and submitters have jobs; both are ads. A cycle asks one submitter after
// the other for its jobs, the one of the best user priority first, and matches each with the best
// slot.
//
// The parts:
//
//   class_ad, ad_parser, ad_functions   expressions over two ads
//   accountant                          usage, priorities with a half-life, factors, ceilings
//   group_tree, quota_rounds            quotas of groups, and their turns
//   matchmaker, verdicts                the slot for one job: ranks, preemption, match lists
//   pool                                slots, jobs, concurrency limits, consumption policies
//   negotiator                          all of it, cycle by cycle
//   settings, read_world, records       the cluster's rows as options, ads and past usage
//   negotiate, profile                  profile htcondor: a cycle as a plan
//
// The cycle:
// 1. Priorities are updated, usage is counted anew from the claims of slots.
// 2. With groups, each has a turn under its quota (quota_rounds.h); without, there is one turn.
// 3. A turn spins: each submitter gets a part of the pie by its priority, and a session.
// 4. A session goes through the submitter's jobs in order. Jobs of an auto cluster that was refused
//    are passed over until the next session.
// 5. Spins end when the pie does not shrink and no submitter leaves.
//
// Where the peer surprises, kept on purpose: see the headers of the parts. In short:
// - In the first spin with preemption, limits are no limits: beyond them a submitter still gets
//   slots that prefer its jobs.
// - Limits of groups are integers, and a group's limit for free slots is computed in floats.
// - Whether a submitter comes back depends on counters that a refusal by concurrency does not
//   reset.
// - The smallest slot weight is that of the pool when the cycle begins.
//
// Ties. Slots of equal ranks keep the order of the list where none is sorted; match lists, groups
// and submitters are sorted as GNU's library sorts (lib/base/gnu_sort.h).
//
// Not kept: flocking, several schedds of one submitter, retirement and the clockwork around cycles,
// preemption of dynamic slots for a partitionable one, global job priorities, time limits, and what
// a schedd does with a claim: it runs further jobs there, and cuts up a partitionable slot.
//
// Cost. A pair of a slot and a job is evaluated once for all jobs that are alike, and a list of
// their slots is sorted once if no two are equally good (matchmaker.h). A session costs its jobs.
//
// Proof. There is no slow twin: the recorded decisions of the peer are it. The records of
// its own accountant, group quotas and matchmaker are put to this by
//
//   python3 tests/conformance/run.py ../shared/conformance/htcondor
#ifndef MUSTER_PEER_HTCONDOR_HTCONDOR_H_
#define MUSTER_PEER_HTCONDOR_HTCONDOR_H_

#include "lib/peer/htcondor/negotiator.h"

#endif  // MUSTER_PEER_HTCONDOR_HTCONDOR_H_
