// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a class of pods has to do with nodes and other pods, kept from one pod of it to the next.
//
//   ClassStates states(&world, settings);
//   std::shared_ptr<ClassState> state = states.At(c);    // as the world is now
//   if (state->nodes->answer[n] != NodeAnswer::kFits) ...
//
// Nodes never change while a world lives, so answers about them alone are found once for each set
// of constraints. Counts of other pods follow the world's journal. A state that was not requested
// for a while is dropped, and made again from the world: that changes no answer.
//
// Cost. At: O(changes since the last call). To make a state: O(nodes), and O(pods) where affinity
// or spread is concerned. kMostStates of them live at a time.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_CLASS_STATE_H_
#define MUSTER_PEER_KUBE_SCHEDULER_CLASS_STATE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/kube_scheduler/affinity_state.h"
#include "lib/peer/kube_scheduler/class_board.h"
#include "lib/peer/kube_scheduler/settings.h"
#include "lib/peer/kube_scheduler/spread_state.h"
#include "lib/peer/kube_scheduler/status.h"
#include "lib/peer/kube_scheduler/world.h"

namespace muster::kube {

// The first rule of the node alone that refuses a class.
enum class NodeAnswer : uint8_t { kFits, kUnschedulable, kTaint, kAddedAffinity, kNodeAffinity };

// How many nodes refuse, by the words for it: taints, or labels that they lack.
using RefusalWords = std::vector<std::pair<std::string, int64_t>>;

// Answers of nodes to a set of constraints, by node.
struct NodeAnswers {
  std::vector<NodeAnswer> answer;
  bool all_fit = true;               // every node of the order does
  std::vector<int64_t> untolerated;  // taints PreferNoSchedule; empty: none anywhere
  std::vector<int64_t> preferred;    // weights of preferred terms; empty: no such terms
  mutable std::optional<RefusalWords> taints, unmatched;  // counted when reasons first name them
};

// Returns the words of the nodes that answer so, kTaint or kNodeAffinity. O(nodes) once for each
// set of constraints.
const RefusalWords& WordsOf(const World& world, const TaskShape& shape, const NodeAnswers& answers,
                            NodeAnswer answer);

// A resource that a score looks at.
struct ScoredResource {
  DimensionIndex dimension;
  int64_t own = 0;  // what the incoming pod adds
  int64_t weight = 1;
};

// A search over all nodes that found none. The next pod of the class asks again only what has
// changed since.
struct VainSearch {
  bool known = false;
  uint64_t start = 0;
  int32_t priority = 0;                 // of the pod
  size_t changes = 0, nominations = 0;  // read of the world's journal, and of nominations
  std::vector<std::pair<NodeIndex, Status>> refused;  // in the order of the search
  std::vector<uint32_t> refused_at;                   // by node: one more than its place in refused
  bool counted = false;
  int64_t listed = 0;                     // nodes in refused
  FewCounts<Cause> causes, first_causes;  // all of each node; the first one of each
  int64_t in_order = 0;                   // nodes that first_causes counts
  FewCounts<Plugin> plugins;
  std::optional<std::vector<NodeIndex>> curable;  // that an eviction may help, by name
};

struct ClassState {
  ClassState(World& world, const Settings& settings, ClassIndex c);

  std::shared_ptr<const NodeAnswers> nodes;
  AffinityState affinity;
  SpreadState spread;
  AffinityScores affinity_scores;
  SpreadScores spread_scores;
  bool checks_fit = true;                     // the fit filter is on
  std::vector<DimensionIndex> requested;      // what it compares
  std::vector<ScoredResource> fit, balanced;  // what the scores look at
  bool scores_balance = false;                // the pod requests a balanced resource
  bool balance_is_change = true;              // as in Settings
  bool names_nodes = false;                   // required affinity has terms about fields
  size_t position = 0;                        // in the world's journal
  VainSearch vain;                            // the last one, unless a cycle has it
  std::unique_ptr<ClassBoard> board;          // null: not asked for yet
};

class ClassStates {
 public:
  // Both must outlive this.
  ClassStates(World* world, const Settings* settings) : world_(*world), settings_(*settings) {}

  // Returns the state of the class. Its counts are those of the world until the world changes; the
  // next call with the class updates them.
  std::shared_ptr<ClassState> At(ClassIndex c);

 private:
  struct Kept {
    ClassIndex pod_class = kNone;
    uint64_t asked = 0;  // the number of the call
    std::shared_ptr<ClassState> state;
  };
  std::shared_ptr<const NodeAnswers> AnswersFor(ClassIndex c);

  static constexpr size_t kMostStates = 32;
  World& world_;
  const Settings& settings_;
  std::vector<Kept> kept_;
  HashMap<ClassIndex, uint32_t> place_of_;                          // in kept_
  HashMap<std::string, std::weak_ptr<const NodeAnswers>> answers_;  // by constraints
  uint64_t calls_ = 0;
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_CLASS_STATE_H_
