// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Why nodes refuse a task, counted, and in KAI Scheduler's words.
//
//   KaiFitErrors errors = KaiFitErrorsOf(world, pod, nodes);
//   errors.Message(world.facts());   // "no nodes with enough resources were found: 2 node(s) ..."
//
// Idea. A node that has too little, with what is being released, is counted under each resource of
// which less is unused than the task requests. Any other node is counted under the first rule that
// refuses it, and where none does, under what the task's queue may hold.
//
// Peer. `unused` leaves out what is being released, so a node may lack a resource here that it will
// have. A part of a device lacks a whole unused one, or nothing that is named. Rows are sorted as
// texts: "10 node(s)" comes before "2 node(s)". The peer breaks the line after each row. Its words
// for taints, places of pods and kinds of nodes depend on Kubernetes: such nodes are counted under
// their rule, and have no row in the message.
//
// Cost. O(nodes * dimensions).
#ifndef MUSTER_PEER_KAI_FIT_ERRORS_H_
#define MUSTER_PEER_KAI_FIT_ERRORS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/peer/kai/facts.h"
#include "lib/peer/kai/pods.h"

namespace muster {

class KaiWorld;

struct KaiFitErrors {
  enum class Rule : uint8_t {
    kNotReady,
    kCordoned,
    kLabels,
    kTaints,
    kResource,
    kHostPort,
    kNearby,
    kKind,
    kCapacity
  };
  struct Row {
    Rule rule;
    size_t dimension = 0;     // of kResource
    std::string detail = {};  // of kCapacity: the reason and its sentence
    int64_t nodes = 0;        // that the peer counts
    int64_t first = 0;        // of which it is the first rule
  };
  std::vector<Row> rows;

  std::string Message(const KaiFacts& facts) const;
};

// Counts the nodes that refuse the task as the world is now.
KaiFitErrors KaiFitErrorsOf(const KaiWorld& world, const KaiPod& pod,
                            std::span<const uint32_t> nodes);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_FIT_ERRORS_H_
