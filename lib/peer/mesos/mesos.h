// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How Apache Mesos divides a cluster among frameworks: by offers.
//
// Idea. The allocator does not know tasks. It decides which framework is offered an agent's free
// resources next, and the framework launches what it likes on them and gives back the rest. Roles
// form a tree; a sorter orders the roles, and another one the frameworks of each role, by dominant
// share over weight (sorter.h). A round serves guarantees first, then all roles (allocator.h).
//
// Guarantee. No resource is in two offers at once, but shared ones. Of unreserved scalars, no more
// is offered to a role with a limit than the limit leaves, and never so much that guarantees which
// are not met could not be met of what stays free. Guarantees themselves are served even where the
// cluster cannot serve all.
//
// Peer semantics kept: thousandths; shares as 64-bit floating-point numbers of the whole cluster at
// every level of the tree; reservations for roles and the roles below them; refined, shared and
// revocable resources; disks that are offered whole; filters, suppression, least offers, offer
// constraints, capabilities of frameworks and agents.
// Left out: inverse offers for maintenance, operations on offered resources, the wait for agents
// after a restart, constraints by regular expressions, and metrics.
//
// Surprises. All of an agent goes to the first framework that takes it. Reservations count for a
// quota whether they are used or not, and for shares only while they are used. A role below one
// with a limit does not use the limit up within a round, only from the next round on. A filter
// hides offers that are contained in what was refused, and lasts at least one interval: at the end
// of its time it still holds.
//
// Tie-break. The peer shuffles agents before each stage, and the items of an agent where only a
// part of them is offered. Here they stay in the order of arrival unless there is a seed.
//
// Cost. A round looks at each candidate once a stage. An offer costs O(log n) of the roles and
// frameworks beside it, and a framework that refused the agent a lookup.
//
// Proof. There is no slow twin: the recorded decisions of the peer are it, put to this code by
//
//   python3 tests/conformance/run.py ../shared/conformance/mesos
#ifndef MUSTER_PEER_MESOS_MESOS_H_
#define MUSTER_PEER_MESOS_MESOS_H_

#include "lib/peer/mesos/allocator.h"
#include "lib/peer/mesos/amounts.h"
#include "lib/peer/mesos/constraints.h"
#include "lib/peer/mesos/resources.h"
#include "lib/peer/mesos/sorter.h"
#include "lib/peer/mesos/tasks.h"

#endif  // MUSTER_PEER_MESOS_MESOS_H_
