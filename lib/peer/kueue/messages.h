// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Why a workload was not admitted, or was evicted, in Kueue's words: the messages of conditions.
//
//   couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor spot,
//   2 more needed
//   failed to assign flavors to pod set main: more than one TAS flavor assigned: a, b
//
// The second form is for a request that no quota could satisfy. The first pod set of which it is
// true is the only one that is named.
//
// Amounts are written as Kubernetes writes quantities: the largest suffix without a fraction, of
// 1024 for memory and storage, of 1000 for all else.
//
// The order of flavors follows the texts, as in Kueue, and so does not tell which was tried first.
#ifndef MUSTER_PEER_KUEUE_MESSAGES_H_
#define MUSTER_PEER_KUEUE_MESSAGES_H_

#include <string>
#include <string_view>

#include "lib/peer/kueue/entry.h"
#include "lib/peer/kueue/world.h"

namespace muster::kueue {

// "1500m", "2", "3Gi", "unlimited".
std::string QuantityText(std::string_view resource, Amount amount);
// Returns why a workload was evicted for another one: the reason word, and the message.
std::string PreemptionText(const Victim& victim, std::string_view beneficiary);
// REQUIRES: the entry was not admitted.
std::string MessageOf(const World& world, const Entry& entry);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_MESSAGES_H_
