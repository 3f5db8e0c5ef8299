// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The peer's sentences about topologies: why a sub-group has no set of nodes.
//
// Peer. A sub-group is named unless it is the one that jobs without sub-groups have, "default".
// Reasons come with the domain that failed in angle brackets, and with numbers in the peer's
// roundings.
//
// Cost. O(length).
#ifndef MUSTER_PEER_KAI_TOPOLOGY_WORDS_H_
#define MUSTER_PEER_KAI_TOPOLOGY_WORDS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/peer/kai/topology_tree.h"

namespace muster {

KaiFitError SchedulingError(std::string message);
KaiFitError TooFewPodsError(const KaiTopologyQuery& query, const KaiDomain& domain, int64_t tasks);
// Names each resource of which more is requested than is free.
KaiFitError TooLittleFreeError(const KaiTopologyQuery& query, const KaiDomain& domain,
                               std::span<const double> requested);
std::string NoSuchLevel(const KaiTopologyQuery& query, std::string_view topology,
                        std::string_view kind, std::string_view level);
// `suffix` may be empty.
std::string NoTopologyMatch(const KaiTopologyQuery& query, std::string_view topology,
                            std::string_view suffix);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_TOPOLOGY_WORDS_H_
