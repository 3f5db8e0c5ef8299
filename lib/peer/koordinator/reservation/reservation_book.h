// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The reservations of a cluster between events: what tasks hold of them, and which may serve tasks.
//
//   ReservationBook book;
//   book.Put(record);
//   book.AddTasks(record.uid, {{"task", request}});
//   for (const ReservationBook::Entry* entry : book.MatchableOn("n1")) ...
//
// Idea. An entry sums what its tasks hold of the resources that it reserves. The lists of a node
// follow events of reservations, so that a look at a node does not read all of them.
//
// Guarantee. A task counts once in an entry, with what it requested when it came.
//
// Peer. Koordinator's cache of reservations. Surprises: a reservation that serves one task stays in
// the list of its node until the next event of its own. When a reservation changes, what is held of
// resources that it no longer reserves is forgotten, and does not come back. What is kept back is
// cut to the reserved resources by a change alone, not when the reservation first comes.
//
// Ties. Lists are in the order of uids; the peer's maps have none.
//
// Cost. O(log reservations + tasks of the event) an event; lists cost what they hold.
#ifndef MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_BOOK_H_
#define MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_BOOK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/peer/koordinator/reservation/reservation_fit.h"
#include "lib/peer/koordinator/reservation/reservation_index.h"
#include "lib/peer/koordinator/reservation/reservation_match.h"

namespace muster {

class ReservationBook {
 public:
  // A reservation as its object states it.
  struct Record {
    std::string uid = {}, node = {};
    ReservationOffered offered = {};
    Reserved::Policy policy = Reserved::Policy::kDefault;
    uint64_t names = 0;  // the resources that it reserves
    Sparse kept_back = {};
    std::optional<int64_t> most_tasks = {};
    bool is_available = false;
    bool is_leaving = false;
    bool allocate_once = true;
    int64_t order = 0;  // zero: none
  };
  struct Held {
    std::string task = {};  // its uid
    Sparse request = {};
  };
  struct Entry {
    Record record = {};
    std::map<std::string, Sparse> tasks = {};  // requests by uid
    Sparse used = {};

    bool IsMatchable() const;
    Reserved AsReserved() const;
    void Add(const Held& held);
    void Remove(const std::string& task);
    // Takes a changed record.
    void Change(const Record& changed);
  };
  enum class Answer { kDone, kUnknown, kLeaving };

  // Adds the reservation, or changes it. `holder`: the uid of a task that holds it without a
  // request of its own; empty: none.
  void Put(const Record& record, const std::string& holder = "");
  // Changes the reservation if it is known.
  void Change(const Record& record);
  void Remove(const std::string& uid, const std::string& node);

  Answer AddTasks(const std::string& uid, std::span<const Held> tasks);
  void RemoveTasks(const std::string& uid, std::span<const std::string> tasks);
  // A task that held `from` holds `to` now; either may be unknown. `before` is the uid of the task
  // at the last event; empty: it was not there.
  void MoveTask(const std::string& from, const std::string& before, const std::string& to,
                const Held& now);

  const Entry* Find(const std::string& uid) const;
  // The reservation of the node that the task holds, among those that may serve; or null.
  const Entry* OfTask(const std::string& task, const std::string& node) const;
  std::vector<const Entry*> MatchableOn(const std::string& node) const;
  std::vector<const Entry*> AllOn(const std::string& node) const;
  // Nodes with a reservation that may serve; `held`: that may serve and has tasks.
  std::vector<std::string> Nodes(bool held) const;

  // Replaces the index, and fills it with what is known.
  void SetIndex(const ReservationIndex::Config& config);
  const ReservationIndex& index() const { return index_; }

 private:
  using OnNode = std::map<std::string, std::set<std::string>>;  // uids by node
  std::vector<const Entry*> EntriesOn(const OnNode& lists, const std::string& node) const;
  void Refresh(const std::string& node, const Entry& entry);
  void NoteHeld(const Entry& entry);
  static void Erase(OnNode* lists, const std::string& node, const std::string& uid);

  std::map<std::string, Entry> entries_;
  OnNode all_, matchable_, held_;
  ReservationIndex index_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_RESERVATION_RESERVATION_BOOK_H_
