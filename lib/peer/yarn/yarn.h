// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How Apache Hadoop YARN 3.4.3 places containers: the capacity scheduler with its preemption, and
// the fair scheduler. This essay is about the first; fair/fair.h has that of the second.
//
// Idea. Applications ask for counts of equal containers, at nodes, in racks or anywhere. A node
// that reports in is offered to the tree of queues: at each level to the child that uses the
// smallest part of its guarantee, in a leaf to applications in order. Each report places one
// container a pass (capacity/assigner.h). What does not fit on a node may be reserved there. Users
// of a leaf share it by a limit (capacity/users.h). A monitor compares from time to time what
// queues hold with what they should hold, and takes containers of those that hold too much
// (preempt/monitor.h).
//
// Guarantee. A queue stays within its maximum in all resources that the calculator counts, but for
// reservations that become containers. A leaf with anything to run has one active application at
// least. A round of preemption chooses containers up to its allowance, and takes no queue below its
// guarantee by more than the last container.
//
// Peer semantics kept: both calculators with their 32-bit floats, the running sums behind user
// limits, what a forgotten user leaves behind, delays of localities, the order in which equal
// queues are visited after settings were read again.
// A node that is lost or unhealthy is removed with its containers, so what runs there is charged to
// no queue; a cordoned one keeps its containers. Requests are rounded up, at most to the largest
// allocation. A maximum below a capacity in percent holds; amounts of that kind are refused.
// Left out: asynchronous scheduling, placement over several nodes at once, lazy preemption,
// capacity vectors, changes of containers, access control. What the peer has in memory between
// heartbeats, the profile keeps from cycle to cycle (kept.h, kept_leaves.h). All that happens
// to a user between two cycles counts as one change of the sum.
//
// Surprises. A refused proposal counts as an assignment of its heartbeat; without a limit of
// assignments the peer then proposes it for ever, and this core ends the heartbeat. An application
// beyond the limit of masters becomes active when a fair leaf with weights by size hears of its
// demand. Under the calculator of memory vcores are never checked, so a node may hold more of them
// than it has.
//
// Tie-break. Siblings of equal use follow the order of settings, applications the order of
// submission; nodes and containers their numbers where the peer goes through tables.
//
// Cost. A pass sorts the children of each queue on its way and looks at the applications of the
// leaves that it visits. A round of preemption sorts the containers of the applications that give
// some.
//
// Proof. There is no slow twin: the recorded decisions of the peer are it, put to this code by
//
//   python3 tests/conformance/run.py ../shared/conformance/yarn
#ifndef MUSTER_PEER_YARN_YARN_H_
#define MUSTER_PEER_YARN_YARN_H_

#include "lib/peer/yarn/capacity/scheduler.h"
#include "lib/peer/yarn/fair/fair.h"
#include "lib/peer/yarn/preempt/monitor.h"

#endif  // MUSTER_PEER_YARN_YARN_H_
