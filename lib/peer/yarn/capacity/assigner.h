// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One heartbeat of a node: what it gives to which application.
//
// A heartbeat is a sequence of passes. A pass walks from the root to a leaf and proposes at most
// one container or reservation; the proposal is then checked again and written to the books. The
// second check is stricter than the walk: it compares all components where the walk compared
// shares. A proposal that it refuses still counts as one of the heartbeat's assignments.
#ifndef MUSTER_PEER_YARN_CAPACITY_ASSIGNER_H_
#define MUSTER_PEER_YARN_CAPACITY_ASSIGNER_H_

#include <cstdint>

#include "lib/peer/yarn/capacity/scheduler.h"

namespace muster::yarn {

class Assigner {
 public:
  Assigner(CapacityScheduler* scheduler, NodeIndex node);
  void Heartbeat();

 private:
  enum class Outcome : uint8_t {
    kNothing,
    kSkipKey,       // of one request priority
    kSkipLocality,  // of one place of it
    kSkipApp,
    kQueueLimit,  // the queue stops: a better-placed application waits for room
    kAllocated,
    kReserved,
  };
  struct Proposal {
    Outcome outcome = Outcome::kNothing;
    AppIndex app = kNone;
    int32_t priority = 0;
    Resource size;
    Locality locality = Locality::kNode;
    ContainerIndex reservation = kNone;  // that it is made from, or that is made again
    ContainerIndex dropped = kNone;      // a reservation that goes in exchange
    bool is_any() const { return outcome == Outcome::kAllocated || outcome == Outcome::kReserved; }
  };
  struct Limits {
    Resource limit, headroom, needed_unreserve, blocked;
  };

  // --- the walk (assign.cc)
  bool Pass(Proposal* proposal);
  Proposal Assign(QueueIndex queue, Limits* limits);
  Proposal AssignParent(QueueIndex queue, Limits* limits);
  Proposal AssignLeaf(QueueIndex leaf, Limits* limits);
  bool IsWorthwhile(const std::vector<Usage>& usage) const;
  bool MayAssign(QueueIndex queue, Limits* limits, const Resource& unreservable) const;
  bool UserMayAssign(AppIndex app, const Resource& limit, Limits* limits) const;
  QueueIndex NextChild(QueueIndex queue, size_t place, bool* is_strict);
  bool ReadChildren(QueueIndex queue);

  // --- one application (allocate.cc)
  Proposal AssignApp(AppIndex app, const Limits& limits);
  Outcome PreCheck(const App& app, RequestKey* key, const Limits& limits) const;
  Proposal TryNode(AppIndex app, RequestKey* key, ContainerIndex reservation, const Limits& limits);
  Proposal TryLocalities(AppIndex app, const RequestKey& key, ContainerIndex reservation,
                         const Limits& limits) const;
  Proposal TryAsk(AppIndex app, const RequestKey& key, const Ask& ask, Locality locality,
                  ContainerIndex reservation, const Limits& limits) const;
  bool MayUse(const RequestKey& key, Locality locality, bool is_reserved) const;
  bool WantsOneMore(const RequestKey& key, const Resource& size) const;
  ContainerIndex FindReservation(const App& app, int32_t priority, const Resource& least) const;

  // --- the books (commit.cc)
  void Commit(const Proposal& proposal);
  bool IsAccepted(const Proposal& proposal);
  bool FitsLimits(const Proposal& proposal);
  void Apply(const Proposal& proposal);

  Calculator by() const { return s_.settings_.calculator; }
  Node& node() const { return s_.nodes_[node_]; }

  CapacityScheduler& s_;
  const NodeIndex node_;
  const Partition partition_;
  Exclusivity mode_ = Exclusivity::kRespect;
  bool was_refused_ = false;
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_CAPACITY_ASSIGNER_H_
