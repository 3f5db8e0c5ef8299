// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Chooses domains for a pod set by their room, and deals its pods out down to the leaves.
//
//   TopologyDeal deal(tree, counts, plan, by_affinity);
//   if (deal.Choose()) Read(deal.DealOut());   // leaves with pods and leaders
//
// Choosing. Domains of the plan's level are looked at in order (topology_order.h, with leader). One
// that has room for all is taken: of several the one with the least room that is enough (best fit),
// or with least_first simply the first. Else the next wider level is tried, unless the plan forbids
// it; at the end several domains are taken in order, the leader's first.
//
// Dealing. Each domain takes all it has room for; the one that can take the rest takes the rest.
// Above the slice level the children of all domains are dealt all pods together. Below it each
// domain's children are dealt the pods of that domain.
//
// Leader. A leader takes room from the domain that hosts it. The first domain in order that leaves
// enough in sum goes first.
//
// Cost. O(domains of the level + log of that for each domain taken). Orders are never sorted whole,
// except by affinity.
#ifndef MUSTER_PEER_KUEUE_TOPOLOGY_DEAL_H_
#define MUSTER_PEER_KUEUE_TOPOLOGY_DEAL_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lib/peer/kueue/topology_counts.h"
#include "lib/peer/kueue/topology_levels.h"
#include "lib/peer/kueue/topology_order.h"
#include "lib/peer/kueue/topology_tree.h"

namespace muster::kueue {

// What a domain takes.
struct Portion {
  uint32_t domain = 0;
  int32_t pods = 0, leaders = 0;
  friend bool operator==(const Portion&, const Portion&) = default;
};

// What is dealt: pods, or slices of `size` pods. `resized`: slices are counted anew by that size.
struct DealUnit {
  bool slices = false, resized = false;
  int32_t size = 1;
  int32_t pods_each() const { return slices ? size : 1; }
  int32_t units(int32_t pods) const { return pods / pods_each(); }
  int32_t Room(const DomainCounts& c) const {
    return !slices ? c.pods : resized ? c.pods / size : c.slices;
  }
  int32_t RoomBesideLeader(const DomainCounts& c) const {
    if (!slices) return c.pods_with_leader;
    return resized ? c.pods_with_leader / size : c.slices_with_leader;
  }
};

// Domains in the order of a rule, taken from the front one by one.
class DomainLine {
 public:
  DomainLine(std::span<const DomainCounts> counts, const OrderRule& rule)
      : counts_(counts), rule_(rule) {}
  void Add(uint32_t first, uint32_t last);
  // The order is the order of additions.
  void Append(uint32_t domain);
  // The rest of `line`, in the order of another rule; `only_with_room`: those for a slice or more.
  static DomainLine Rest(DomainLine line, const OrderRule& rule, bool only_with_room);

  size_t size() const { return items_.size() + (front_ ? 1 : 0); }
  bool empty() const { return size() == 0; }
  uint32_t First();
  // The domain of the greatest key.
  uint32_t Last() const;
  void Pop();
  const DomainCounts& counts(uint32_t domain) const { return counts_[domain]; }

  // The sum of `room_of(counts)`.
  template <class RoomOf>
  int64_t Sum(RoomOf room_of) const;
  // The first domain in order for which `holds(counts)`, or kNone.
  template <class Holds>
  uint32_t FirstWhere(Holds holds);
  // The domain with the least `room_of(counts)` that is at least `needed`, the first of equals, of
  // those that host `leaders`. By affinity: of those with the first domain's score. If there is
  // none: the first.
  template <class RoomOf>
  uint32_t BestFit(int32_t needed, int32_t leaders, RoomOf room_of);
  // The domain goes before all others.
  void MoveToFront(uint32_t domain);

 private:
  struct Item {
    OrderKey key;
    uint32_t domain;
  };
  void Arrange();

  std::span<const DomainCounts> counts_;
  OrderRule rule_;
  std::vector<Item> items_;  // a heap, the first at the front, once arranged
  bool arranged_ = false;
  std::optional<Item> front_;
};

class TopologyDeal {
 public:
  // Counts are by level and domain.
  TopologyDeal(const TopologyTree& tree, const LevelCounts& counts, const LevelPlan& plan,
               bool by_affinity)
      : tree_(tree), counts_(counts), plan_(plan), by_affinity_(by_affinity) {}

  // Returns false if there is no room. The shortage is then set.
  bool Choose();
  // Chooses these, in order; `balanced`: each domain's children get what the domain got.
  void Choose(uint32_t level, std::vector<uint32_t> domains, bool balanced);

  // Leaves, in order. Empty: dealing did not come out even.
  std::vector<Portion> DealOut();

  // How much room there was: pods or slices, as the peer reports it.
  int32_t shortage_fits() const { return fits_; }
  uint32_t shortage_level() const { return level_; }

 private:
  bool ChooseAt(uint32_t level);
  bool ChooseSeveral(DomainLine line);
  bool ChooseLeaders(DomainLine* line, int32_t* slices);
  static void Prioritize(int32_t units, int32_t leaders, const DealUnit& unit, DomainLine* line);
  // Absent: the domains do not take all.
  std::optional<std::vector<Portion>> Distribute(DomainLine line, int32_t pods, int32_t leaders,
                                                 const DealUnit& unit) const;
  OrderRule Rule(bool with_leader) const {
    return {
        .with_leader = with_leader, .least_first = plan_.least_first, .by_affinity = by_affinity_};
  }

  const TopologyTree& tree_;
  const LevelCounts& counts_;
  const LevelPlan& plan_;
  bool by_affinity_;
  uint32_t level_ = 0;
  std::vector<uint32_t> chosen_;
  bool balanced_ = false;
  int32_t fits_ = 0;
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_TOPOLOGY_DEAL_H_
