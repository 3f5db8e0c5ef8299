// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The order in which clients, roles or the frameworks of a role, are offered resources.
//
//   Totals totals;                        // of the whole cluster, for all sorters
//   Sorter roles(SortBy::kDrf, &totals);
//   roles.Add("eng/ads", 7);
//   roles.SetActive("eng/ads", true);
//   roles.Allocated(7, agent, LoadOf(bundle));
//   for (roles.Start(); (client = roles.Next()) != kNone;) ...
//
// Clients are leaves of a tree of paths. A client that also has clients below it is a leaf named
// "." under its own node. SortBy::kDrf goes through the children of a node by dominant share over
// weight, then by the number of allocations ever made, then by path. A share is always one of the
// whole cluster: what a parent's children hold is simply summed. SortBy::kRandom shuffles the
// active leaves by weights that are shared out from the root.
//
// Surprises. Counts never fall, so of two clients that hold nothing the one that was offered less
// often comes first. A leaf that becomes a parent leaves its count behind with its node, and "."
// takes a copy. A node has the weight that its path had when its share was first computed; later
// only clients' weights change, not those of nodes that are parents only. A walk is a snapshot: an
// allocation during it moves clients for later walks only.
//
// Cost. An allocation moves each node of the path, O(log children). The first walk after anything
// else sorts all anew. A walk costs what it visits; a random one shuffles all.
#ifndef MUSTER_PEER_MESOS_SORTER_H_
#define MUSTER_PEER_MESOS_SORTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/base/rng.h"
#include "lib/peer/mesos/amounts.h"
#include "lib/peer/mesos/resources.h"

namespace muster::mesos {

enum class SortBy { kDrf, kRandom };

// The scalars of all agents. Every change raises `version`.
struct Totals {
  Amounts amounts;
  uint32_t left_out = 0;  // bit i: column i does not count for shares
  uint64_t version = 0;
};

// What a bundle adds to the sums of those that hold it.
struct Load {
  Amounts own;    // of scalars that are not shared
  Bundle shared;  // scalars that are
};
Load LoadOf(const Bundle& bundle);

// What a client or a role holds. A shared item counts once an agent, however many hold it.
class Tally {
 public:
  void Add(uint32_t agent, const Load& load);
  void Remove(uint32_t agent, const Load& load);
  void Remove(const Tally& less);
  const Amounts& sum() const { return sum_; }

 private:
  using Place = std::pair<uint32_t, uint32_t>;  // an agent and a kind
  struct Users {
    uint32_t count = 0;
    uint8_t column = 0;
    int64_t amount = 0;
  };

  void Leave(const Place& place, uint32_t users);

  Amounts sum_;
  HashMap<Place, Users> users_;  // of shared items
};

class Sorter {
 public:
  // `totals` must outlive the sorter. `random` is needed for SortBy::kRandom only.
  Sorter(SortBy by, const Totals* totals, Rng* random = nullptr);
  ~Sorter();
  Sorter(Sorter&&) noexcept;

  // Adds an inactive client. REQUIRES: neither the path nor the number is there; no part of the
  // path is empty or ".".
  void Add(std::string_view path, uint32_t client);
  void Remove(uint32_t client);
  bool Has(uint32_t client) const { return leaves_.contains(client); }
  bool empty() const { return leaves_.empty(); }

  void SetActive(uint32_t client, bool active);
  // The path may have no client yet. REQUIRES: weight > 0.
  void SetWeight(std::string_view path, double weight);

  // REQUIRES: the client is there, and holds what it gives back.
  void Allocated(uint32_t client, uint32_t agent, const Load& load);
  void Unallocated(uint32_t client, uint32_t agent, const Load& load);

  const Amounts& AllocatedTo(uint32_t client) const;
  const Amounts& AllocatedInAll() const;

  // A walk over the active clients. A new one ends the one before.
  void Start();
  uint32_t Next();  // kNone at the end

 private:
  struct Node;
  struct Before {
    bool operator()(const Node* a, const Node* b) const;
  };
  using Order = std::set<Node*, Before>;
  struct Place {
    Node* parent;
    Order::const_iterator next;
  };

  Node* NewNode(Node* parent, std::string_view name);
  void Free(Node* node);
  double ShareOf(const Node& node) const;
  void Move(Node& node);
  void SortAll();
  void WeighAll();
  void Shuffle();

  SortBy by_;
  const Totals* totals_;
  Rng* random_;
  bool dirty_ = true;
  uint64_t version_ = 0;  // of the totals that the shares are of
  uint64_t walk_ = 0;
  std::vector<std::unique_ptr<Node>> nodes_;  // the root first
  HashMap<std::string, Node*> by_path_;       // of nodes: the path of "." ends in "/."
  HashMap<uint32_t, Node*> leaves_;
  HashMap<std::string, double> weights_;
  std::vector<Place> stack_;
  // A random walk: leaves with their weights, and the order of this walk.
  std::vector<std::pair<uint32_t, double>> weighed_;
  std::vector<uint32_t> shuffled_;
  size_t next_ = 0;
};

}  // namespace muster::mesos

#endif  // MUSTER_PEER_MESOS_SORTER_H_
