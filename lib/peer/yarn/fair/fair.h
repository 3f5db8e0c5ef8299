// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How YARN's fair scheduler divides a cluster among queues and applications.
//
// Idea. Queues form a tree. From time to time the cluster is divided from the root down: each level
// in proportion to weights, within minimum and maximum shares (fair_shares.h, update.h). Between
// two such updates nodes report one by one. A node that reports is offered down the tree, first to
// the queue or application that is furthest below what it deserves (order.h), until one places a
// container, or reserves the node because it is starved (assign.h). Applications that stay starved
// get containers of others killed (preempt.h).
//
// Guarantee. No queue is brought above its maximum share. Preemption brings no application below
// its fair share. A minimum share is served before all other claims at its level.
//
// Peer semantics kept: the ratio search to its last bit, the comparators of the policies fair, drf
// and fifo, delay scheduling by counts, reservations and their limits, the share of masters, limits
// of running applications, starvation of both kinds, victims and their order.
// Left out: continuous scheduling and its delays by time, node labels, blacklists, placement rules,
// queues that are made on demand, moves of applications, types of resources beyond memory and
// vcores. Maxima in percent are amounts here (fair_settings.h).
//
// Surprises. Shares and demands are stale between updates, usage is not. Under the policy fair only
// memory is divided and compared; vcores still bound what fits. Only starved applications reserve.
// Of a missing minimum share an application may be noted with the wrong part (update.cc). The wait
// before the next check of a preempting application has no heartbeats in it, though the peer's
// formula does: it reads their interval before that is set.
//
// Tie-break. Start time, then name as a text. Where the peer walks tables in an order of hashes,
// the order here is: nodes as they registered, containers by application and number, leaves as in
// the tree; and that of Java's table for what an application asks for (java_order.h).
//
// Cost. A heartbeat measures the children of each queue that it visits, and sorts them only if the
// first one takes nothing. An update visits all queues and applications once, and each level some
// sixty times in the search.
#ifndef MUSTER_PEER_YARN_FAIR_FAIR_H_
#define MUSTER_PEER_YARN_FAIR_FAIR_H_

#include "lib/peer/yarn/fair/assign.h"
#include "lib/peer/yarn/fair/cluster.h"
#include "lib/peer/yarn/fair/config.h"
#include "lib/peer/yarn/fair/fair_shares.h"
#include "lib/peer/yarn/fair/order.h"
#include "lib/peer/yarn/fair/preempt.h"
#include "lib/peer/yarn/fair/scheduler.h"

#endif  // MUSTER_PEER_YARN_FAIR_FAIR_H_
