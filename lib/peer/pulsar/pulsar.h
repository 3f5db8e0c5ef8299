// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How Apache Pulsar keeps its brokers evenly loaded.
//
//   pulsar::ThresholdShedder shedder(rules);
//   for (const pulsar::Unload& unload : shedder.Shed(cluster)) ...   // once a round
//
// Idea. A cluster of brokers serves bundles: ranges of the hashes of topic names. Every so often a
// shedder looks at measured loads and names bundles that leave their broker; a placement chooses
// the next broker of each; a splitter cuts bundles that carry too much. Two managers exist. The
// modular one sheds by one of four shedders (shedders.h, avg_shedder.h); the extensible one moves
// bundles from the most loaded brokers to the least loaded ones (transfer_shedder.h).
//
// Guarantee. No shedder moves a bundle that was unloaded a moment ago, or one that only probes a
// broker; and none moves a bundle from a broker that does not own it. All but the shedder of pairs
// leave brokers of one bundle alone.
//
// Peer semantics kept: the arithmetic to the last bit, shares of a resource as 32-bit floats; what
// each strategy remembers from round to round; the partition that picks the busiest bundles.
// Left out: isolation policies as patterns of names (callers say which brokers a namespace may
// use), the protocol by which bundles change hands, thresholds of reports, the simple manager.
//
// Tie-break. The peer goes through tables in an order of hashes. Callers list brokers and
// bundles in that order, and ties and sums follow it. Where the peer draws at random, the whole
// list that it draws from is returned.
//
// Cost. A shedder goes through all bundles once, and sorts those of each broker that it looks at:
// O(b log b). The transfer shedder looks at no more pairs of brokers than its rules say. A
// placement looks at each candidate once.
//
// Proof. There is no slow twin: the recorded decisions of the peer are it, put to this code by
//
//   python3 tests/conformance/run.py ../shared/conformance/pulsar
#ifndef MUSTER_PEER_PULSAR_PULSAR_H_
#define MUSTER_PEER_PULSAR_PULSAR_H_

#include "lib/peer/pulsar/avg_shedder.h"
#include "lib/peer/pulsar/bundles.h"
#include "lib/peer/pulsar/load.h"
#include "lib/peer/pulsar/placement.h"
#include "lib/peer/pulsar/shedders.h"
#include "lib/peer/pulsar/transfer_shedder.h"

#endif  // MUSTER_PEER_PULSAR_PULSAR_H_
