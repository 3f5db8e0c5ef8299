// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Queue trees as Transwarp describes them: how they decide. Derived from the profile muster and its
// actions (lib/peer/muster).
//
//   std::vector<Preset> presets = {TranswarpPreset()};   // "transwarp" in spec strings
//
// The preset is that of muster with other tiers. Devices and zones are left out, and fairshare is
// replaced by four policies of this folder: borrowing and hdrf between queues, leaf-order within a
// queue, bindings across queues. The loops of allocate, reclaim and preempt are those of
// lib/peer/muster/muster.h.
//
// What a queue has (borrowing.cc). A queue deserves its part by weight of what its parent deserves,
// at most its limit and at least its guarantee. This part is nominal: it does not depend on what
// the queue requests. A queue that holds more has borrowed from siblings that hold less.
// 1. A queue claims what its jobs hold and what the queues below it claim, and at least what it
//    keeps for itself: what it deserves beyond its `lend_limit`.
// 2. With a task, the claims of the queue and of each queue above, as far up as a claim grows, must
//    stay within what that queue deserves plus its `borrow_limit`, and within its limit.
// 3. Where a queue keeps something, all claims together must stay within the cluster. So no queue
//    borrows what another one keeps, at any level, and a queue may always take what it keeps.
// 4. A queue that stays within what it deserves may reclaim. A task may go only if every queue on
//    its way, up to where the two paths meet, borrows in a requested dimension. None of them may
//    fall below its guarantee, nor, in a dimension for which its own tasks wait, below what it
//    deserves.
//
// Which queue is next (hdrf.cc). Among siblings the smallest dominant share over the weight goes
// first. What an inner queue holds follows from its children's holdings in one of three forms
// (Bhattacharya et al., 2013): `dynamic`, the default, `static` and `naive`. A queue is in line
// while one of its jobs, or of the queues below it, still takes turns. A queue without one leaves
// the line and holds no sibling down.
//
// Which job is next (leaf_order.cc). Each queue sets its own `job_order`: fifo, fair, priority or
// drf. A job takes from another one of its queue only where the order is priority.
//
// Caps of tenants (bindings.cc). A binding limits what the matching tasks of a namespace hold
// together in some queues and those below them. It refuses tasks and evicts none.
//
// Gangs of the Spark and TensorFlow kind are jobs with groups. A job starts once it has its own
// minimum and each group has its `min_available`. What a group has beyond that is placed one task a
// turn, and is reclaimed first.
//
// drf_tree.h keeps shares by names and amounts, without a snapshot. It decides the papers' worked
// scenarios, and tests compare the policy's picks with it.
//
// Where it surprises:
// - What queues deserve ignores what they request, so a second cycle on the applied plan may evict
//   again: an evicted task that waits may find another victim once other victims have left.
//   Invariants I15 and I16 of docs/policies.md do not hold.
// - A task that is borrowed only in part stays, so the last task's amount may not come back.
// - A group without a minimum waits for the groups that have one.
// - `pods` is a limit and never a share.
//
// Not kept. Transwarp has published no code, so there are no recorded decisions to compare with.
// The semantics are those of this folder.
//
// Ties. Siblings: first those below their guarantee in something for which their tasks wait, then
// hdrf's share, then larger priority. Jobs: the order of their queue, in the end by age. naive
// shares are compared exactly; static and dynamic are doubles, added up in ascending order of
// children.
//
// Cost. A sort of each family a cycle, the way to the root an event, O(depth x dimensions) a
// question. When a resource is used up or free again, all shares are computed anew.
//
// Proof. lib/reference/peer/transwarp restates the four policies and the tree slowly. tests/worlds
// compares every decision, in order, on random worlds with lending queues. The scenarios of the
// papers on DRF and H-DRF are compared by
//
//   python3 tests/conformance/run.py ../shared/conformance/drf ../shared/conformance/hdrf
#ifndef MUSTER_PEER_TRANSWARP_TRANSWARP_H_
#define MUSTER_PEER_TRANSWARP_TRANSWARP_H_

#include <vector>

#include "lib/session/preset.h"

namespace muster {

Preset TranswarpPreset();
std::vector<PolicyDecl> TranswarpPolicies();

}  // namespace muster

#endif  // MUSTER_PEER_TRANSWARP_TRANSWARP_H_
