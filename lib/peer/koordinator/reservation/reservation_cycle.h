// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One task's way through the reservations of a cluster, or that of a reservation to its node.
//
//   ReservationCycle cycle(options, &books);
//   cycle.PrepareTask(asker, shape, views, nodes);   // matches, and gives back what is reserved
//   cycle.Filter(view);                              // of each node
//   cycle.Nominate(uid, view);                       // which reservation it would take
//   cycle.Reserve(...);
//
// Idea. A node counts a reservation twice as soon as tasks hold it: as its stand-in and as these
// tasks. Before the filters, a node gets back what its tasks hold of reservations of others, and
// the stand-ins of the task's own ones. A reservation that takes over tasks gets these back.
//
// Guarantee. Nothing of the books changes before Reserve, and Unreserve takes all of that back.
//
// Peer. Koordinator's reservation plug-in. Surprises: a task with an affinity passes over nodes
// without a match, whatever is reserved there. Nodes that are named in a required affinity count
// by their names alone, whatever else it selects. A node without a cycle state is full capacity to
// a victim's filter.
//
// Ties. Reservations of a node are judged by uid; the peer's maps have no order.
//
// Cost. O(reservations of the nodes x (owners + labels)) to prepare; then reservation_fit.h.
#ifndef MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_CYCLE_H_
#define MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_CYCLE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/peer/koordinator/reservation/pre_allocation.h"
#include "lib/peer/koordinator/reservation/reservation_events.h"
#include "lib/peer/koordinator/reservation/reservation_fit.h"
#include "lib/peer/koordinator/reservation/reservation_tally.h"

namespace muster {

// A node of the snapshot, with the stand-ins of reservations among its tasks.
struct ReservationView {
  NodeSpec node = {};  // name and labels
  Sparse capacity = {};
  int64_t most_tasks = 0;
  std::vector<ReservationBook::Held> tasks = {};
  Sparse given_back = {};  // of what its tasks request: held of reservations of others

  Sparse Requested() const;
};
using ReservationViews = std::map<std::string, ReservationView>;  // by name

// A running task that a reservation may take over.
struct RunningTask {
  ReservationAsker asker = {};
  std::string node = {};
  bool holds_reservation = false;
  bool stands_for_reservation = false;
};

// A reservation that looks for a node.
struct PlacedReservation {
  ReservationBook::Record record = {};
  Sparse request = {};
  TaskShape shape = {};
  std::string node = {};  // the only one that will do; empty: any
  bool takes_over = false;
  bool must_take_over = false;
  bool takes_several = false;
  bool of_cluster = false;  // candidates are those of the cluster, not its owners
};

enum class ReservationCode : uint8_t { kSuccess, kSkip, kUnschedulable, kUnresolvable, kError };

class ReservationCycle {
 public:
  struct Options {
    ReservationRules rules = {};       // `always` and `ignored`
    size_t tasks_resource = 63;        // the resource that counts tasks among victims
    bool skips_node = false;           // of one reservation, another filter checks the node
    bool prefers_none = false;         // free room is tried before tasks are taken over
    bool of_cluster = false;           // reservations may take over candidates of the cluster
    bool ignores_node_labels = false;  // reservations repeat the labels of nodes that count
  };
  // A node as the cycle sees it.
  struct Node {
    std::vector<ReservationBook::Entry> matched = {}, unmatched = {};
    std::vector<ReservationBook::Held> candidates = {}, chosen = {};
    Sparse requested = {};       // without what tasks hold of unmatched reservations
    Sparse held_by_owners = {};  // of matched ones
    bool is_restored = false;
  };
  struct State {
    bool has_affinity = false;
    std::string wished = {};  // the name of the only reservation; empty: any
    Sparse request = {};
    std::optional<PlacedReservation> own = {};
    std::map<std::string, Sparse> preempted = {};                            // by node
    std::map<std::string, std::map<std::string, Sparse>> preempted_of = {};  // by node and uid
    std::map<std::string, Node> nodes = {};
    std::map<std::string, ReservationTally> tallies = {};
    std::string preferred = {};           // the node with the least order
    std::string assumed = {};             // the uid of the reservation that was taken
    std::vector<std::string> taken = {};  // the uids of the tasks that take from it
  };
  ReservationCycle(const Options& options, ReservationBooks* books)
      : options_(options), books_(*books) {}

  State& state() { return state_; }

  // Matches what the task may take from, on the nodes listed, or on all with reservations. Fails
  // as unresolvable if the task names nodes that exclude one another, with an error if its wish
  // cannot be read. `restores`: gives back at once, in the views.
  ReservationCode PrepareTask(const ReservationAsker& task, const TaskShape& shape,
                              const std::optional<std::vector<std::string>>& nodes, bool restores,
                              ReservationViews* views);
  // The same for a reservation. Fails as unresolvable if it may not take over tasks as it states.
  ReservationCode PrepareReservation(const PlacedReservation& placed,
                                     const std::vector<RunningTask>& running,
                                     const std::optional<std::vector<std::string>>& nodes,
                                     bool restores, ReservationViews* views);
  // Gives back, on the nodes listed, what was not given back before. Returns false if a stand-in is
  // not on its node. `keeps_views`: the views stay as they are.
  bool Restore(const std::vector<std::string>& nodes, bool keeps_views, ReservationViews* views);
  // The same on all nodes of the state.
  std::vector<std::string> StateNodes() const;

  // Returns whether a task may go on, and to which nodes alone (absent: any).
  ReservationCode PreFilter(std::optional<std::vector<std::string>>* only) const;

  struct Answer {
    ReservationCode code = ReservationCode::kSuccess;
    Lacks node = {};
    std::vector<Lacks> reservations = {};
  };
  Answer Filter(const ReservationView& view, bool ignores);
  // Returns whether the reservation alone would do for the request of the task.
  Answer FilterOne(const ReservationBook::Entry& entry, const ReservationView& view, bool ignores);
  // The same of one running task that the reservation would take over.
  Answer FilterOne(const ReservationBook::Held& task, const ReservationView& view) const;

  // The uid of the reservation of the node that the task would take; empty: none.
  std::string Nominate(const std::string& task, const ReservationView& view);
  // The uids of the tasks that the reservation would take over.
  std::vector<std::string> NominateTasks(const ReservationView& view) const;

  // Promises the task what it would take, and returns whether it may go on. `chosen` becomes the
  // uid of the reservation; empty: none.
  ReservationCode PromiseTask(const std::string& uid, const PromiseFacts& facts, bool ignores,
                              const ReservationView& view, std::string* chosen);
  // The same for a reservation and the uids of the tasks that it would take over.
  ReservationCode PromiseReservation(const ReservationView& view, std::vector<std::string>* chosen);

  ReservationCode ReserveTask(const std::string& uid, const PromiseFacts& facts, bool ignores,
                              const ReservationView& view);
  ReservationCode ReserveReservation(const ReservationView& view);
  void Unreserve(const std::string& node);

  // A victim leaves the node, or comes back.
  void CountVictim(const ReservationBook::Held& victim, const std::string& node, bool leaves);

  // The score of a node for a reservation that takes over tasks: 0..100.
  int64_t TakeOverScore(const ReservationView& view) const;

 private:
  const Node* FindNode(const std::string& name) const;
  bool Passes(const TaskShape& shape, const NamedNodes& named, const NodeSpec& node) const;
  void MatchNode(const ReservationAsker& task, const ReservationView& view);
  Labels NodeLabels(const ReservationView& view) const;
  bool RestoreNode(Node* node, bool keeps_view, ReservationView* view) const;
  bool MaySharePlace(const std::string& node) const;
  ReservedNode AsReservedNode(const Node* node, const ReservationView& view) const;
  Answer FilterMatched(const std::vector<ReservationBook::Entry>& matched,
                       const ReservationView& view, bool required) const;
  Answer FilterTakeOver(std::vector<ReservationBook::Held> tasks, const ReservationView& view,
                        bool required, bool several,
                        std::vector<ReservationBook::Held>* chosen) const;
  Sparse PreemptedOf(const std::string& node, const std::string& uid) const;
  std::vector<RunningTask> CandidatesOf(const PlacedReservation& placed,
                                        const std::vector<RunningTask>& running) const;
  ReservationRules RulesFor(bool required) const;

  Options options_;
  ReservationBooks& books_;
  State state_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_CYCLE_H_
