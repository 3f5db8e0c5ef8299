// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// InterPodAffinity of one incoming pod: the counts that its filter compares, and its scores.
//
//   AffinityState state(world, c);
//   state.Follow(changes);               // of the world, since it was taken
//   if (!state.skips()) reason = state.Refusal(node);
//   state.Count(other, node, -1);        // a dry run removes a pod of class `other`
//   AffinityScores scores(world, c, settings);
//
// A domain is a value of a topology key. Required affinity counts, by key and domain, the pods that
// match *all* terms. Anti-affinity counts those that match any term of the key, and the pods with a
// term that matches the incoming pod. All pods on nodes count, leaving ones included.
//
// Cost. O(pods on nodes) to build, where some term is concerned; O(terms) a change or question.
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
  // Marks the nodes, by their places in the list, with a count above 0 in their domains.
  void MarkOccupied(size_t key, std::span<const NodeIndex> nodes,
                    std::vector<uint8_t>* marks) const;
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

  // `world` must outlive this. `off`: it refuses no node.
  AffinityState(World& world, ClassIndex c, bool off = false);

  // Returns whether the plug-in has nothing to say about the pod: a dry run need not count then.
  bool skips() const { return off_ || (!terms_ && existing_count_ == 0); }
  Answer Refusal(NodeIndex n) const;
  // Marks the nodes, by their places in the list, that Refusal does not find fit.
  void MarkRefused(std::span<const NodeIndex> nodes, std::vector<uint8_t>* marks) const;
  void Count(ClassIndex other, NodeIndex n, int sign);
  // `changes`: the last ones of the world's journal.
  void Follow(std::span<const WorldChange> changes);

 private:
  // What a pod of some class counts for.
  struct Effect {
    bool matches_all = false;
    std::vector<uint32_t> anti, existing;  // numbers of keys, once for each term
  };
  const Effect& EffectOf(ClassIndex other);

  World& world_;
  const ClassIndex class_;
  const TaskShape& shape_;
  const bool off_;
  const bool terms_;  // the pod has terms of its own
  bool matches_itself_ = false;
  KeyCounts affinity_, anti_, existing_;
  std::vector<size_t> affinity_keys_, anti_keys_;  // by term
  int64_t matching_ = 0;                           // entries of affinity_ together
  int64_t existing_count_ = 0;                     // and of existing_
  HashMap<ClassIndex, Effect> effects_;
};

// Raw scores of nodes by preferred terms, those of the pod and of others.
class AffinityScores {
 public:
  // Both must outlive this.
  AffinityScores(World& world, ClassIndex c, const Settings& settings);
  // Returns whether no pod on any node contributes.
  bool skips() const { return contributions_ == 0; }
  int64_t Raw(NodeIndex n) const;
  // Scales raw scores to 0..100, the largest being 100.
  static std::vector<int64_t> Scaled(const std::vector<int64_t>& raw);
  // `changes`: the last ones of the world's journal.
  void Follow(std::span<const WorldChange> changes);

 private:
  using Effect = std::vector<std::pair<uint32_t, int64_t>>;  // key, weight
  const Effect& EffectOf(ClassIndex other);
  void Count(ClassIndex other, NodeIndex n, int sign);

  World& world_;
  const ClassIndex class_;
  const Settings& settings_;
  bool own_ = false;     // the pod has preferred terms
  bool scores_ = false;  // it is scored by those of others
  KeyCounts counts_;
  HashMap<ClassIndex, Effect> effects_;
  int64_t contributions_ = 0;
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_AFFINITY_STATE_H_
