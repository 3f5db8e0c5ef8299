// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How Apache YuniKorn's core places pods: one decision a call, on a living partition.
//
// Idea. A partition has a tree of queues, applications in its leaves, and nodes in a kept order. A
// cycle walks the tree: at each queue to the children in the order of its sort policy, in a leaf to
// applications, in an application to requests by priority. The first request that fits under all
// limits and on a node is placed, and the walk ends (partition.h). Reservations are tried before
// placeholders, and these before other requests. A request that fits nowhere reserves a node, or
// takes from queues above their guarantee (preemption_round.h), or from its required node.
//
// Guarantee. No decision takes a queue or a user above a limit, or a node above its room; a
// replacement of a placeholder on another node counts in its queue only once it is confirmed.
// Preemption between queues takes nothing from a queue below its guarantee, and only if guarantees
// of the request's queue then cover the request.
//
// Peer semantics kept: absent, zero and unlimited amounts of a type (resource.h); shares
// (shares.h); the order of nodes as of their last score; reservations that are still counted after
// they were cancelled; placeholders and their replacement in two steps; preemption for guarantees,
// for required nodes, and over lowered limits; limits of users and of the one group that an
// application counts for (limits.h); draining and dynamic queues; placement rules with filters;
// lists of users that may submit; checks of a configuration (config.h). A partition can also be
// built from tables that a host wrote (Partition::Rebuild).
// Left out: metrics, events, the health checker, displays of usage, the protocol with the shim, the
// text of a configuration, timers. Placement rules are here, but the profile does not call them.
// Several partitions are several objects.
//
// Surprises.
// - A limit or guarantee that is 0 in each of its types is not set; a 0 beside an amount above 0
//   holds.
// - A host confirms each stop of a pod, and until then its room is not free.
// - Applications that have ended stay in their queues until RemoveEnded.
// - A reservation of a request above its limits ends after two hours: the wait counts twice.
// - Victims over a limit are ordered by the hour of their creation; pods that may not be preempted
//   and originators come first.
// - With two queues of different limits a share may be computed by the limit of a sibling
//   (orders.cc).
// - A wildcard user limit holds for each user alone, a wildcard group limit for all together.
//
// Unlike the peer: a configuration is taken as a whole or refused before any queue changes. The
// peer reads child templates and lists of users while it changes queues. More than kMostTypes types
// or kMostDepth levels are refused. A pattern of a filter has the syntax of pattern.h, a part of
// the peer's. A placeholder timer that ends withdraws a pending request of an unknown task group
// like all others; in the peer such a request ends the process.
//
// Tie-break. Where the peer walks a table in an order of hashes: queues by name, applications and
// nodes by id, allocations by key. Of requests with equal priority and time the order is the
// peer's: a later one goes last if it goes behind the last one, and otherwise in front of its
// equals.
//
// Cost. A walk costs what it visits. Requests, nodes and queues are numbers into tables; amounts
// are arrays by type, at most kMostTypes types. Orders of queues, applications and nodes are kept
// and mended (kept_order.h, node_order.h). A request that fitted nowhere looks only at nodes that
// changed since. A search for victims that finds some looks at every node once, and copies the
// amounts of its queues for each. Profile yunikorn (profile.h) builds a partition for each plan of
// a snapshot; on a living cluster it keeps one and follows the rows (read_world.h).
//
// Proof. There is no slow twin: the recorded decisions of the peer are it.
// `tests/conformance/run.py ../shared/conformance/yunikorn` plays the peer's recorded runs,
// decisions, rules and checks; tests/conformance/expected.txt lists how many must pass.
#ifndef MUSTER_PEER_YUNIKORN_YUNIKORN_H_
#define MUSTER_PEER_YUNIKORN_YUNIKORN_H_

#include "lib/peer/yunikorn/config.h"
#include "lib/peer/yunikorn/partition.h"

#endif  // MUSTER_PEER_YUNIKORN_YUNIKORN_H_
