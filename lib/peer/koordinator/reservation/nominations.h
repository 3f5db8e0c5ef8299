// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What is promised before it is bound: reservations to tasks, nodes to reservations, and running
// tasks to reservations that take them over.
//
//   Nominations nominations;
//   nominations.Promise("task", "n1", "reservation");
//   nominations.ReservationOf("task", "n1");   // "reservation"
//
// All names are uids, but for nodes. Peer: Koordinator's nominator of reservations. A reservation
// is promised one node; the list of a node is in the order of the promises. A new promise takes the
// last place. Cost: O(log promises), and the promises of a node for a reservation.
#ifndef MUSTER_PEER_KOORDINATOR_RESERVATION_NOMINATIONS_H_
#define MUSTER_PEER_KOORDINATOR_RESERVATION_NOMINATIONS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

class Nominations {
 public:
  // Promises the task a reservation, if it goes to the node.
  void Promise(const std::string& task, const std::string& node, const std::string& reservation);
  // Empty: none.
  std::string ReservationOf(const std::string& task, const std::string& node) const;
  void ForgetTask(const std::string& task) { of_tasks_.erase(task); }

  // Promises the reservation a node. Its earlier node, and the tasks that it would take over, are
  // forgotten first. An empty node: no promise is left.
  void PromiseNode(const std::string& reservation, const std::string& node);
  std::vector<std::string> ReservationsOn(const std::string& node) const;
  // Empty: none.
  std::string NodeOf(const std::string& reservation) const;
  void ForgetReservation(const std::string& reservation);

  // Promises the reservation tasks of the node, if it goes there.
  void PromiseTasks(const std::string& reservation, const std::string& node,
                    const std::vector<std::string>& tasks);
  // Absent: nothing is promised.
  std::optional<std::vector<std::string>> TasksFor(const std::string& reservation,
                                                   const std::string& node) const;
  void ForgetTasks(const std::string& reservation) { taken_.erase(reservation); }

 private:
  std::map<std::string, std::map<std::string, std::string>> of_tasks_;  // by task and node
  std::map<std::string, std::map<std::string, std::vector<std::string>>> taken_;
  std::map<std::string, std::vector<std::string>> on_node_;
  std::map<std::string, std::string> nodes_;  // by reservation
};

// What of the rest of the cluster decides whether a promise is made.
struct PromiseFacts {
  bool task_exists = true;
  std::string_view task_node = {};  // empty: it waits
  bool reservation_exists = true;
  // On a node, in phase Available or Waiting.
  bool reservation_is_active = false;
  // Without a node, and in phase Pending or none.
  bool reservation_waits = false;
};
// A waiting task is promised an active reservation.
bool MayPromise(const PromiseFacts& facts);
// A reservation that is not active yet is promised a node.
bool MayPromiseNode(const PromiseFacts& facts);
// A waiting reservation is promised a task of the node.
bool MayPromiseTask(const PromiseFacts& facts, std::string_view node);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_RESERVATION_NOMINATIONS_H_
