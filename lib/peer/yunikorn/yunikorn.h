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
// Guarantee. No queue and no user exceeds a limit by a decision, and no node its room. Preemption
// between queues takes nothing from a queue below its guarantee, and only if the whole request fits
// afterwards.
//
// Peer semantics kept: absent, zero and unlimited amounts of a type; the order of nodes as of their
// last score; reservations that are still counted after they were cancelled; placeholders and their
// replacement in two steps; limits of users and of the one group that a user counts for; draining
// and dynamic queues; placement rules with filters; lists of users that may submit; checks of a
// configuration.
// Left out: metrics, events, the health checker, the protocol with the shim.
//
// Surprises. A host confirms each stop of a pod, and until then its room is not free. Applications
// that have ended stay in their queues until RemoveEnded. Victims over a quota are ordered by the
// hour of their creation.
//
// Tie-break. By the orders that the tables keep (kept_order.h, node_order.h).
//
// Proof. The recorded decisions of the real peer are the twin. No profile runs this core.
//
// Cost. A walk costs what it visits. Requests, nodes and queues are numbers into tables; amounts
// are lists over interned names. A search for victims looks at every node once.
#ifndef MUSTER_PEER_YUNIKORN_YUNIKORN_H_
#define MUSTER_PEER_YUNIKORN_YUNIKORN_H_

#include "lib/peer/yunikorn/config.h"
#include "lib/peer/yunikorn/partition.h"

#endif  // MUSTER_PEER_YUNIKORN_YUNIKORN_H_
