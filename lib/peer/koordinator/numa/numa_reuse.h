// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Zones and CPUs that a task may take over from reservations and from victims.
//
//   NumaLoans loans = LoansOfReservations(books, matched, unmatched);
//   NumaShare victims;
//   victims.GiveUp(holding);                           // a victim leaves
//   NumaVictims away{.node = victims};
//   NumaLoanAnswer answer =
//       PlaceFromLoans(node, books, request, taker, loans, loans.matched, away);
//   if (answer.ok() && !answer.grant) answer = PlaceOnNode(node, books, request, loans, away);
//
// Idea. A reservation holds zones and CPUs in the name of its own task, and its owners hold them a
// second time. What the owners hold is counted twice, so it is reusable for every task; what is
// left of a reservation is for a task that matches it. Reservations of policy kRestricted give only
// what is left of them; others may be topped up from the node.
//
// Victims. Dry runs of preemption take tasks away and put some back. A task that was put back
// without having been taken away is subtracted.
//
// Take-over. Before a reservation is scheduled, it may take over tasks that run already: they are
// its loans, and the reservation's CPUs must then contain theirs.
//
// Peer. Koordinator's reservation.go and preempt.go of the NUMA plug-in. Surprises: the CPUs that
// the owners hold of a reservation are preferred for all its takers. A restricted reservation that
// fits but would give too many CPUs is passed over, and yet its placement is the answer if no other
// one does better.
//
// Ties. Reservations are tried in the caller's order; the peer's is that of a map.
//
// Cost. Two placements for each restricted reservation, one for each other.
#ifndef MUSTER_PEER_KOORDINATOR_NUMA_NUMA_REUSE_H_
#define MUSTER_PEER_KOORDINATOR_NUMA_NUMA_REUSE_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/peer/koordinator/numa/numa_placing.h"

namespace muster {

// What of a node, or of a reservation, leaves with victims.
class NumaShare {
 public:
  void GiveUp(const NumaHolding& holding);    // a task leaves
  void TakeBack(const NumaHolding& holding);  // and stays after all

  const ZoneAmounts& amounts() const { return amounts_; }  // may be below zero
  const CpuSet& added() const { return added_; }
  const CpuSet& removed() const { return removed_; }
  CpuSet With(CpuSet cpus) const;

 private:
  ZoneAmounts amounts_;
  CpuSet added_, removed_;
};

struct NumaVictims {
  std::optional<NumaShare> node;
  std::map<std::string, NumaShare> reservations;  // by name

  const NumaShare* of(const std::string& reservation) const;
};

// What a reservation lends, or a task that a reservation may take over.
struct NumaLoan {
  std::string name;
  std::string reservation;  // its policy and victims count; of a task: the one that takes over
  bool restricted = false;
  ZoneAmounts allocatable = {}, allocated = {}, remained = {};
  CpuSet allocatable_cpus = {}, allocated_cpus = {}, remained_cpus = {};
};

struct NumaLoans {
  std::vector<NumaLoan> matched;
  bool takes_over = false;  // the task is a reservation that takes over tasks
  // Sums over the above and over the reservations that do not match.
  CpuSet remained_cpus, allocated_cpus;
  ZoneAmounts allocatable, allocated, unmatched_used;

  const NumaLoan* Find(const std::string& name) const;
};

// A reservation on the node, with the names that its task and its owners have in the books.
struct NumaReservation {
  std::string name;
  std::string task;
  std::vector<std::string> owners = {};
  bool restricted = false;
};

// Returns what the reservations lend; those that hold neither zones nor CPUs lend nothing.
NumaLoans LoansOfReservations(const NumaBooks& books, std::span<const NumaReservation> matched,
                              std::span<const NumaReservation> unmatched);
// The same for a reservation that may take over tasks.
NumaLoans LoansOfTasks(const NumaBooks& books, std::span<const std::string> tasks,
                       const std::string& reservation, bool restricted);

// How a task relates to reservations.
struct NumaTaker {
  bool ignores_reservations = false;
  bool needs_loan = false;  // a reservation must provide it, or a task to take over
};

// A placement from loans: nothing may be placed although nothing refuses the task. `reuse` is what
// the latest trial counted as free.
struct NumaLoanAnswer {
  std::optional<NumaGrant> grant = {};
  NumaReason reason = NumaReason::kNone;
  NumaReuse reuse = {};
  uint64_t lacking = 0;  // kFewInZones: the resources

  bool ok() const { return reason == NumaReason::kNone; }
};

// Tries `offered`, some of the loans.
NumaLoanAnswer PlaceFromLoans(const NumaNode& node, const NumaBooks& books,
                              const NumaRequest& request, const NumaTaker& taker,
                              const NumaLoans& loans, std::span<const NumaLoan> offered,
                              const NumaVictims& victims);

// Takes what neither tasks nor reservations hold.
NumaLoanAnswer PlaceOnNode(const NumaNode& node, const NumaBooks& books, const NumaRequest& request,
                           const NumaLoans& loans, const NumaVictims& victims);

// Takes exactly what is named beforehand; all zones of `amounts`, if any.
NumaLoanAnswer PlaceAsNamed(const NumaNode& node, const NumaBooks& books, NumaRequest request,
                            const NumaGrant& named, const NumaVictims& victims);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_NUMA_NUMA_REUSE_H_
