// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// InterPodAffinity of one incoming pod: the counts that its filter compares, and its scores.
//
//   AffinityState state(world, c);
//   if (!state.skips()) reason = state.Refusal(node);
//   state.Count(other, node, -1);        // a dry run removes a pod of class `other`
//   AffinityScores scores(world, c, settings);
//
// A domain is a value of a topology key. Required affinity counts, by key and domain, the pods that
// match *all* terms. Anti-affinity counts those that match any term of the key, and the pods with a
// term that matches the incoming pod. All pods on nodes count, leaving ones included.
//
// Cost. O(pods on nodes) to build, where some term is concerned; O(terms) a question.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_AFFINITY_STATE_H_
#define MUSTER_PEER_KUBE_SCHEDULER_AFFINITY_STATE_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/kube_scheduler/settings.h"
#include "lib/peer/kube_scheduler/world.h"

namespace muster::kube {

// Counts by domain for each of some topology keys.
class KeyCounts {
 public:
  // Returns the number of the key, which is added if it is new.
  size_t KeyNumber(World& world, const std::string& key);
  size_t size() const { return keys_.size(); }
  bool has(size_t key, NodeIndex n) const { return keys_[key].domains->of[n] != kNone; }
  int64_t at(size_t key, NodeIndex n) const {
    const LabelDomainIndex domain = keys_[key].domains->of[n];
    return domain == kNone ? 0 : keys_[key].counts[domain];
  }
  // Adds in the node's domain; returns whether it has one.
  bool Add(size_t key, NodeIndex n, int64_t amount) {
    const LabelDomainIndex domain = keys_[key].domains->of[n];
    if (domain == kNone) return false;
    keys_[key].counts[domain] += amount;
    return true;
  }

 private:
  struct Key {
    std::string name;
    const Topology* domains;
    std::vector<int64_t> counts;
  };
  std::vector<Key> keys_;
};

class AffinityState {
 public:
  enum class Answer : uint8_t { kFits, kAffinity, kAntiAffinity, kExisting };

  // Both must outlive this.
  AffinityState(World& world, ClassIndex c);

  // Returns whether the plug-in has nothing to say about the pod. Nothing is then counted.
  bool skips() const { return skips_; }
  Answer Refusal(NodeIndex n) const;
  void Count(ClassIndex other, NodeIndex n, int sign);

 private:
  // What a pod of some class counts for.
  struct Effect {
    bool known = false;
    bool matches_all = false;
    std::vector<uint32_t> anti, existing;  // numbers of keys, once for each term
  };
  const Effect& EffectOf(ClassIndex other);

  World& world_;
  const ClassIndex class_;
  const TaskShape& shape_;
  bool skips_ = false, matches_itself_ = false;
  KeyCounts affinity_, anti_, existing_;
  std::vector<size_t> affinity_keys_, anti_keys_;  // by term
  int64_t matching_ = 0;                           // entries of affinity_ together
  std::vector<Effect> effects_;                    // by class
};

// Raw scores of nodes by preferred terms, those of the pod and of others.
class AffinityScores {
 public:
  AffinityScores(World& world, ClassIndex c, const Settings& settings);
  // Returns whether no pod on any node contributed.
  bool skips() const { return !any_; }
  int64_t Raw(NodeIndex n) const;

 private:
  struct Effect {
    bool known = false;
    std::vector<std::pair<uint32_t, int64_t>> parts;  // key, weight
  };
  const Effect& EffectOf(World& world, ClassIndex c, ClassIndex other, const Settings& settings);

  KeyCounts counts_;
  std::vector<Effect> effects_;  // by class
  bool any_ = false;
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_AFFINITY_STATE_H_
