// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How Armada schedules a pool: which running jobs keep their places, and which queued ones get one.
//
// Idea. A queue's cost is its largest share of a resource of the pool. A round evicts, on paper,
// the jobs of queues above their fair share, and then goes through all gangs: always one of the
// queue that would cost least. An evicted job may only return to its own node; a new one may
// take the place of those that would return last. What has not returned at the end is preempted.
// Nodes keep what is free at each priority, so that a job sees past those that it may displace.
//
// Guarantee. All members of a gang get nodes, or none does. A job is evicted with its whole gang,
// and each evicted job is in the books of its queue or among the preempted. No job preempts one of
// a higher priority. A round reads no clock and no chance: what passes from round to round is in
// State, and Accounts has the tokens that are left.
//
// Peer semantics kept: the arithmetic to the last bit; node search with its rounded keys and the
// bounds that may miss a node (NodeIndex); away nodes and pools; round, queue and class limits;
// tokens; floating resources; shapes that failed once; the market with its spot and second price;
// the optimiser; what an undone attempt leaves behind (NodeFinder); the
// penalty of short jobs. Gang prices are told in reasons (gang_prices.h). Left out: limits of time,
// idealised values, the choice of nodes and executors that take part (State::nodes has those that
// do), runs that no longer suit their nodes, retries.
//
// Surprises. Urgency is stronger than fairness, and a round may end with an error and no result. A
// limit on what a round schedules is overshot by one gang.
//
// Tie-break. Nodes of equal amounts go by index inside a type and by id across types; queues by
// name; jobs by id. The peer goes through values of a gang's label, and fills the heap of a market,
// in random order: Gang::value_order and the order of State::queues stand for it.
//
// Cost. See round.h; memory is O(nodes * priorities * resources + jobs).
//
// Proof. There is no slow twin: the recorded decisions of the peer are it, put to this code by
//
//   python3 tests/conformance/run.py ../shared/conformance/armada
#ifndef MUSTER_PEER_ARMADA_ARMADA_H_
#define MUSTER_PEER_ARMADA_ARMADA_H_

#include "lib/peer/armada/cost.h"
#include "lib/peer/armada/job_order.h"
#include "lib/peer/armada/matching.h"
#include "lib/peer/armada/round.h"

#endif  // MUSTER_PEER_ARMADA_ARMADA_H_
