// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reservations within the cycles of the profile: room that nodes keep for their owners.
//
//   ReservationPlugin reservations;
//   reservations.Open(&world, &memory, now);
//   reservations.Match(task);                           // what the task may take from
//   if (reservations.ChangesBooks(node)) reservations.ChangeBooks(node, &books);
//   kube::Status status = reservations.Filter(task, node, books);
//   reservations.Reserve(task, node);
//   reservations.Store(&memory);
//
// The rules are those of reservation/reservation_match.h, reservation_fit.h and
// reservation_choice.h. A reservation that is available and has not expired keeps its request on
// its node, less what its holders have of it, and the place of one pod. All pods see that, but
// owners: these may use what is left, by the reservation's policy. A task takes from one
// reservation of its node, the best one; it then holds it as long as it is on the node. A task may
// also go where none of its reservations is, unless its labels select reservations
// (reservation_wishes.h). One that ignores reservations takes what they keep, and holds none.
//
// An owner is a task by name, or all tasks of a job by its name, or all of a controller: `job` is
// then "KIND NAME", or "* NAME" for any kind, as settings koordinator/owner_kind and owner of their
// job have it.
//
// Victims give what they hold of a reservation back to it: only its owners gain by that.
//
// A reservation that waits is placed by a task that stands for it (stand_ins.h), and may take over
// tasks that run: they hold it from then on. It evicts none, as by the peer's default. It serves
// its owners as soon as the task has a node, but for one that was given CPUs or devices: that
// serves once the caller sets it to available.
//
// A reservation may also keep CPUs, zones and devices of its node (reserved_parts.h). A task takes
// from a reservation only if the plug-ins for these find its place there (LoanFilter).
//
// Memory. Slot koordinator-holders: which reservation a task has taken from. Holders that the
// reservation lists (ReservationSpec::holders) hold it as well. The caller ends reservations that
// serve one task once it has come. Slot koordinator-kept: the reservations of the last plan.
// Reservations have no events; if some differ, all pods that wait are tried again.
//
// Cost. O(reservations x owners) a pod, O(reservations of the node x resources) a node. A task that
// stands for a reservation which takes over others costs a look at all tasks with a node.
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_RESERVATION_PLUGIN_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_RESERVATION_PLUGIN_H_

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/hash_map.h"
#include "lib/peer/koordinator/profile/plugin_settings.h"
#include "lib/peer/koordinator/profile/reservation_wishes.h"
#include "lib/peer/koordinator/profile/reserved_parts.h"
#include "lib/peer/koordinator/profile/stand_ins.h"
#include "lib/peer/koordinator/reservation/reservation_book.h"
#include "lib/peer/koordinator/reservation/reservation_tally.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"
#include "muster/boxed.h"

namespace muster::koordinator {

inline constexpr MemoryDecl kReservationSlots[] = {{"koordinator-holders", 1},
                                                   {"koordinator-kept", 1}};

// Fails for a reservation of which the parts cannot be read, for a task of which the wishes cannot
// be read, and if there are reservations and more resources than their amounts can name.
absl::Status CheckReservations(const Tables& tables);

// A reservation that keeps room, and the task that holds it.
struct KeptReservation {
  const ReservationSpec* spec = nullptr;
  const ReservedParts* parts = nullptr;
  NodeIndex node = kNone;
  std::vector<std::string> holders = {};  // tasks, by name
};

// What refuses a task a place in a reservation beside the reservation's amounts.
class LoanFilter {
 public:
  virtual ~LoanFilter() = default;
  // The reservation matches the task, and is on the node, which fits.
  virtual bool FitsLoan(TaskIndex t, NodeIndex n, const std::string& reservation) = 0;
};

class ReservationPlugin {
 public:
  explicit ReservationPlugin(const TakeOver::Settings& settings) : settings_(settings) {}

  // Each filter must outlive this.
  void AddFilter(LoanFilter* filter) { filters_.push_back(filter); }
  // The world keeps the reserved room from now on.
  void Open(kube::World* world, MemorySlots* memory, int64_t now);
  void Store(MemorySlots* memory) const;

  bool any() const { return !kept_.empty() || !stand_ins_.empty(); }
  // Returns whether the reservations differ from those of the last plan.
  bool have_changed() const { return have_changed_; }
  // Returns all reservations that keep room.
  std::vector<KeptReservation> All() const;
  // Returns the reservation that the task has taken from; empty: none.
  std::string_view HeldBy(TaskIndex t) const;

  // Returns whether the task stands for a reservation.
  bool IsStandIn(TaskIndex t) const { return stand_ins_.contains(t); }

  // Finds the reservations that the task may take from: the one that it holds, if it holds one.
  // Questions below are about this task.
  void Match(TaskIndex t);
  // Returns whether the filter has something to refuse.
  bool filters() const { return own_ != nullptr || !matched_.empty() || IsHeldTo(); }
  // Returns whether nodes differ in what the task could take there.
  bool scores() const {
    return own_ != nullptr ? own_->takes_over : !matched_.empty() && !claim_->ignores;
  }
  // Returns the reservations of the node that the task may take from, or all others there.
  std::vector<KeptReservation> On(NodeIndex n, bool matched) const;
  // Returns the reservation of the node that the task would take from; empty: none.
  std::string Nominated(TaskIndex t, NodeIndex n);

  // Returns why no reservation serves the task of the cycle, which found no node, in the words of
  // reservation/reservation_tally.h; empty for a task that is no owner and asks for none.
  std::string WhyNoneServes(const kube::PodCycle& cycle) const;
  // Returns why the task may go to no node.
  kube::Status PreFilter() const;
  // Returns whether the task sees other books of the node than the world's.
  bool ChangesBooks(NodeIndex n) const {
    return matched_.contains(n) || victims_on_.contains(n) ||
           (own_ != nullptr && candidates_.contains(n));
  }
  void ChangeBooks(NodeIndex n, kube::NodeBooks* books) const;
  // `books`: as the task sees them.
  kube::Status Filter(TaskIndex t, NodeIndex n, const kube::NodeBooks& books);
  // Returns scores from 0 to 100.
  std::vector<int64_t> Score(TaskIndex t, std::span<const NodeIndex> feasible);

  void Reserve(TaskIndex t, NodeIndex n);
  // The task, which was reserved a node, was given CPUs or devices there.
  void NoteDevices(TaskIndex t);
  void Unreserve(TaskIndex t);
  // A victim leaves its node in a dry run (-1), or comes back (+1).
  void CountVictim(TaskIndex t, int sign);

 private:
  using Number = uint32_t;  // in kept_
  struct Kept {
    const ReservationSpec* spec = nullptr;
    ReservedParts parts = {};
    NodeIndex node = kNone;
    ReservationBook::Entry entry = {};
    Sparse preempted = {};  // of what is used, by victims of a dry run
    int64_t preempted_tasks = 0;
    TaskIndex stand_in = kNone;
  };

  const ReservationClaim& ClaimOf(TaskIndex t);
  ReservationAsker AskerOf(TaskIndex t, const ReservationClaim& claim) const;
  // Returns whether the task goes to its reservations alone.
  bool IsHeldTo() const { return claim_ != nullptr && claim_->wish && !claim_->ignores; }
  Sparse RequestOf(TaskIndex t) const;
  void Hold(TaskIndex t, Number number);
  // Returns what the reservation keeps of its node for its owners.
  static Sparse RoomOf(const Kept& kept);
  void MoveRoom(const Kept& kept, const Sparse& before);
  Reserved AsReserved(const Kept& kept) const;
  ReservedNode AsNode(NodeIndex n, const kube::NodeBooks& books) const;
  static KeptReservation Told(const Kept& kept);
  bool IsMatched(Number i, NodeIndex n) const;
  // Returns the number of Nominated(); kNone: none.
  Number Nominate(TaskIndex t, NodeIndex n);
  Number FindBest(TaskIndex t, NodeIndex n);
  kube::Status Refuse(kube::Code code, const std::string& words) const;
  // Returns a refusal in words for what is missing, or else with the words `none`.
  kube::Status Lacking(const Lacks& node, std::span<const Lacks> reservations,
                       const std::string& none) const;

  ReservationBook::Record RecordOf(const ReservationSpec& spec) const;
  Kept& Keep(const ReservationSpec& spec, NodeIndex n);
  bool HasExpired(const ReservationSpec& spec) const {
    return spec.expires && *spec.expires <= now_;
  }

  // --- reservations that wait: reservation_placing.cc
  void OpenStandIns(HashMap<std::string, Number>* by_name);
  void LookForNode(TaskIndex t);
  bool MayTakeOver() const;
  // `books`: without the candidates.
  ReservedNode NodeForOwn(NodeIndex n, const kube::NodeBooks& books) const;
  kube::Status FilterOwn(NodeIndex n, const kube::NodeBooks& books);
  std::vector<int64_t> ScoreOwn(std::span<const NodeIndex> feasible) const;
  // Returns the tasks that the reservation takes over on a node that Filter let pass.
  std::vector<TakeOverTask> TakenOver(NodeIndex n) const;
  void Place(TaskIndex t, NodeIndex n);
  void Displace(TaskIndex t);

  const TakeOver::Settings settings_;
  kube::World* world_ = nullptr;
  const Tables* tables_ = nullptr;
  int64_t now_ = 0;
  std::deque<Kept> kept_;  // others point to its parts
  MemorySlot meanings_;    // of the reservations, by name
  bool have_changed_ = false;
  HashMap<TaskIndex, Number> held_;
  HashMap<NodeIndex, std::vector<Number>> on_node_;
  HashMap<TaskIndex, StandIn> stand_ins_;
  HashMap<TaskIndex, Number> placed_;  // stand-ins with a node
  HashMap<ClassIndex, Boxed<ReservationClaim>> claims_;
  const ReservationClaim no_claim_ = {};
  const ReservationClaim* claim_ = nullptr;          // of the task of the last Match
  HashMap<NodeIndex, std::vector<Number>> matched_;  // the same
  HashMap<NodeIndex, ReservationTally> tallies_;     // the same
  HashMap<NodeIndex, Number> nominated_;             // the same
  const StandIn* own_ = nullptr;                     // the same; null: it stands for no reservation
  ReservationBook::Entry own_entry_;
  Sparse own_request_;
  HashMap<NodeIndex, std::vector<TakeOverTask>> candidates_, left_;  // left_: by Filter
  HashMap<NodeIndex, std::vector<Number>> victims_on_;  // reservations that lost holders
  ReservationRules rules_;
  std::vector<LoanFilter*> filters_;
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_RESERVATION_PLUGIN_H_
