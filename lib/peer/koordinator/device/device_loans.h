// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Devices that a task may take over: from reservations, and from tasks that it would preempt; and
// which NUMA zones its devices can come from.
//
//   DeviceLoans loans = LoansOfReservations(holdings, matched, unmatched);
//   DeviceAnswer answer = FilterDevices(machine, claim, taker, loans, victims, {});
//   DeviceHints hints = HintsOfDevices(machine, claim, taker, loans, victims);
//   answer = ReserveDevices(machine, claim, taker, scorer, loans, nominated, victims, zones);
//
// Idea. A reservation holds devices in the name of its own task, and its owners hold them a second
// time. What owners hold of any reservation counts as free for every task, once. What is left of a
// reservation is for a task that matches it. Reservations of policy kRestricted give no more than
// that, and only their own devices; others may be topped up from the machine.
//
// Hints. Each set of zones on which a trial succeeds is a hint, the smallest sets preferred. A hint
// scores 500 if it comes to the GPUs that the whole machine would give.
//
// Peer. Koordinator's reservation.go and topology_hint.go of DeviceShare. Surprises: where no
// reservation provides the task, everything that the matched ones hold counts as free on the
// machine, although it is still reserved. A restricted reservation of which nothing is left bars
// the first devices of its kind, by their place and not by their minor. The first loan that fits
// is taken; a take-over that does not cover its task's devices is passed over, and yet is the
// answer if no other one does better.
//
// Ties. Loans are tried in the caller's order.
//
// Cost. One choice of devices for each loan; 2^zones of them for hints.
#ifndef MUSTER_PEER_KOORDINATOR_DEVICE_DEVICE_LOANS_H_
#define MUSTER_PEER_KOORDINATOR_DEVICE_DEVICE_LOANS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/koordinator/device/device_allocator.h"
#include "lib/peer/koordinator/device/scored_hints.h"

namespace muster {

// Adds what `more` has; AddSharesOf() of the devices in `hints` alone.
void AddShares(const DeviceShares& more, DeviceShares* shares);
void AddSharesOf(const DeviceShares& hints, const DeviceShares& more, DeviceShares* shares);
// Devices of which nothing is left are removed. `down_to_zero`: no amount gets below zero.
void SubtractShares(const DeviceShares& less, bool down_to_zero, DeviceShares* shares);
// Returns whether the grants name all devices of `shares`.
bool GrantsInclude(const DeviceGrants& grants, const DeviceShares& shares);
bool IsEmpty(const DeviceShares& shares);

// What each task holds, by the task's name.
using DeviceHoldings = std::map<std::string, DeviceShares, std::less<>>;

struct DeviceLoan {
  std::string name;
  std::string reservation;  // its policy and victims count; of a task: the one that takes over
  bool restricted = false;
  DeviceShares allocatable = {}, allocated = {}, remained = {};
};

struct DeviceLoans {
  std::vector<DeviceLoan> matched;
  bool takes_over = false;  // the task is a reservation that takes over tasks
  DeviceShares allocatable = {}, allocated = {}, unmatched_used = {};  // sums

  std::span<const DeviceLoan> Find(const std::string& name) const;  // one, or none
};

struct DeviceReservation {
  std::string name;
  std::string task;
  std::vector<std::string> owners = {};
  bool restricted = false;
};

// Those that hold no devices lend nothing.
DeviceLoans LoansOfReservations(const DeviceHoldings& holdings,
                                std::span<const DeviceReservation> matched,
                                std::span<const DeviceReservation> unmatched);
DeviceLoans LoansOfTasks(const DeviceHoldings& holdings, std::span<const std::string> tasks,
                         const std::string& reservation, bool restricted);

// What leaves with victims; below zero where tasks were put back that had not left.
struct DeviceVictims {
  DeviceShares node = {};
  std::map<std::string, DeviceShares> reservations = {};  // by name
};

struct DeviceTaker {
  bool ignores_reservations = false;
  bool needs_loan = false;  // a reservation must provide it
  bool reserves = false;    // it is a reservation that takes over nothing
  // The devices that it must get, chosen beforehand; all are on the machine.
  std::optional<DeviceGrants> named = {};
};

// A choice from loans: nothing may be chosen although nothing refuses the task.
struct DeviceLoanAnswer {
  std::optional<DeviceGrants> grants = {};
  DeviceReason reason = DeviceReason::kNone;
  DeviceKind kind = DeviceKind::kGpu;
  bool must_come_from_loan = false;  // no loan provides it

  bool ok() const { return reason == DeviceReason::kNone && !must_come_from_loan; }
};

// How a choice is made: a machine, a claim, and what both are seen with.
struct DeviceTrial {
  const MachineDevices& machine;
  const DeviceClaim& claim;
  const DeviceScorer* scorer = nullptr;  // none: as a filter does
  bool final = false;
  const DeviceLoans& loans;
  const DeviceVictims& victims;
  std::optional<uint64_t> zones = {};
  // Of a kind named: these devices alone will do, and no more of each.
  std::optional<DeviceShares> most = {};
};

DeviceLoanAnswer ChooseFromLoans(const DeviceTrial& trial, const DeviceTaker& taker,
                                 std::span<const DeviceLoan> offered);

// Tries all loans, then the machine.
DeviceLoanAnswer FilterDevices(const DeviceTrial& trial, const DeviceTaker& taker);

// Tries the nominated loan (empty: none), then the machine, or what the taker names.
DeviceLoanAnswer ReserveDevices(const DeviceTrial& trial, const DeviceTaker& taker,
                                const std::string& nominated);

// Scores the loan of that name, or the machine if it is empty; 0 of a loan that is not there.
int64_t ScoreDevices(const DeviceTrial& trial, const std::string& nominated);
int64_t ScoreLoan(const DeviceTrial& trial, const std::string& name);

// Hints of each kind that is requested; none of a machine without zones.
struct DeviceHints {
  std::vector<std::pair<DeviceKind, std::vector<ScoredHint>>> hints = {};
  DeviceLoanAnswer refusal = {};  // of the whole machine
  bool few_in_zones = false;      // refused by the number of devices; no eviction helps
};
DeviceHints HintsOfDevices(DeviceTrial trial, const DeviceTaker& taker);

// The only hints of devices that were named beforehand; nothing if a zone is not known.
std::optional<ScoredHint> HintOfNamed(const MachineDevices& machine, const DeviceGrants& named);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_DEVICE_DEVICE_LOANS_H_
