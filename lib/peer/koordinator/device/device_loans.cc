// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/device/device_loans.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

namespace muster {
namespace {

constexpr int64_t kSameGpusScore = 500;
constexpr size_t kGpus = static_cast<size_t>(DeviceKind::kGpu);

DeviceSets MinorsOf(const DeviceShares& shares) {
  DeviceSets sets = {};
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    for (const auto& [minor, amounts] : shares[k]) sets[k] |= uint64_t{1} << minor;
  }
  return sets;
}

// Amounts may get below zero here.
void SubtractExactly(const DeviceAmounts& less, DeviceAmounts* amounts) {
  less.ForEach([&](DeviceResource r, int64_t value) { amounts->Set(r, amounts->at(r) - value); });
}

DeviceShares Sum(const DeviceShares& a, const DeviceShares& b) {
  DeviceShares sum = a;
  AddShares(b, &sum);
  return sum;
}

DeviceShares VictimsOf(const DeviceVictims& victims, const std::string& reservation) {
  const auto it = victims.reservations.find(reservation);
  return it == victims.reservations.end() ? DeviceShares() : it->second;
}

// What a restricted loan has for the task. Of a loan of which nothing is left, the first devices of
// each kind, with nothing.
DeviceShares MostOfLoan(const DeviceLoan& loan, const DeviceShares& freed) {
  DeviceShares most = {};
  AddSharesOf(loan.allocatable, loan.remained, &most);
  AddSharesOf(loan.allocatable, freed, &most);
  if (!IsEmpty(loan.remained) || !IsEmpty(freed)) return most;
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    int place = 0;
    for ([[maybe_unused]] const auto& held : loan.allocatable[k]) most[k][place++] = {};
  }
  return most;
}

DeviceLoanAnswer AnswerOf(DeviceAnswer answer) {
  DeviceLoanAnswer loan{.grants = {}, .reason = answer.reason, .kind = answer.kind};
  if (answer.ok()) loan.grants = std::move(answer.grants);
  return loan;
}

// Narrows `most`, by kind, to what the task may take of any device at all.
void NarrowTo(const DeviceShares& allowed, std::optional<DeviceShares>* most) {
  if (!most->has_value()) {
    *most = allowed;
    return;
  }
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    if (allowed[k].empty()) continue;
    std::map<int, DeviceAmounts>& narrowed = (**most)[k];
    if (narrowed.empty()) {
      narrowed = allowed[k];
      continue;
    }
    std::erase_if(narrowed, [&](const auto& entry) { return !allowed[k].contains(entry.first); });
    // Without any the kind is to be named all the same.
    if (narrowed.empty()) narrowed[-1] = {};
  }
}

DeviceLoanAnswer Choose(const DeviceTrial& trial, DeviceLimits limits) {
  if (trial.most.has_value()) NarrowTo(*trial.most, &limits.most);
  return AnswerOf(ChooseDevices(trial.machine, trial.claim, trial.scorer, trial.final, &limits));
}

// What counts as free for every task.
DeviceShares FreeForAll(const DeviceTrial& trial) {
  return Sum(trial.loans.unmatched_used, trial.victims.node);
}

DeviceLoanAnswer ChooseIgnoring(const DeviceTrial& trial, std::span<const DeviceLoan> offered) {
  DeviceLimits limits{.zones = trial.zones, .freed = Sum(FreeForAll(trial), trial.loans.allocated)};
  for (const DeviceLoan& loan : offered) {
    AddShares(VictimsOf(trial.victims, loan.reservation), &limits.freed);
    AddShares(loan.remained, &limits.freed);
  }
  return Choose(trial, limits);
}

DeviceLimits LimitsOfLoan(const DeviceTrial& trial, const DeviceLoan& loan) {
  const DeviceShares freed = VictimsOf(trial.victims, loan.reservation);
  DeviceLimits limits{.zones = trial.zones,
                      .freed = Sum(FreeForAll(trial), trial.loans.allocated),
                      .preferred = MinorsOf(loan.allocatable)};
  AddShares(loan.remained, &limits.freed);
  AddShares(freed, &limits.freed);
  if (!loan.restricted) return limits;
  limits.required = limits.preferred;
  if (!trial.loans.takes_over) limits.most = MostOfLoan(loan, freed);
  return limits;
}

DeviceLoanAnswer ChooseOnMachine(const DeviceTrial& trial, const DeviceTaker& taker) {
  DeviceLimits limits{.zones = trial.zones,
                      .freed = Sum(FreeForAll(trial), trial.loans.allocatable)};
  if (taker.named.has_value()) {
    limits.most.emplace();
    for (size_t k = 0; k < kDeviceKinds; ++k) {
      const DeviceKind kind = static_cast<DeviceKind>(k);
      for (const DeviceGrant& grant : (*taker.named)[k]) {
        DeviceAmounts& most = (*limits.most)[k][grant.minor] = grant.amounts;
        const DeviceAccount& book = trial.machine.books[k];
        const std::optional<size_t> at = book.Find(grant.minor);
        if (kind == DeviceKind::kGpu && at.has_value()) FillGpuMemory(book.devices[*at], &most);
        if (!grant.function.empty()) limits.functions[{kind, grant.minor}].insert(grant.function);
      }
    }
  }
  return Choose(trial, limits);
}

uint64_t GpusOf(const DeviceGrants& grants) {
  uint64_t minors = 0;
  for (const DeviceGrant& grant : grants[kGpus]) minors |= uint64_t{1} << grant.minor;
  return minors;
}

// Zones of devices, ascending.
std::vector<int> ZonesOfDevices(const MachineDevices& machine) {
  std::set<int> zones;
  for (const DeviceAccount& book : machine.books) {
    for (const Device& device : book.devices) {
      if (device.placed && device.zone >= 0) zones.insert(device.zone);
    }
  }
  return {zones.begin(), zones.end()};
}

// Calls visit(set) for each set of zones, smaller ones first, then in the order of their zones.
void ForEachSet(const std::vector<int>& zones, const std::function<void(uint64_t)>& visit) {
  for (size_t size = 1; size <= zones.size(); ++size) {
    std::vector<bool> chosen(zones.size(), false);
    std::fill(chosen.begin(), chosen.begin() + static_cast<ptrdiff_t>(size), true);
    do {
      uint64_t set = 0;
      for (size_t i = 0; i < zones.size(); ++i) {
        if (chosen[i]) set |= uint64_t{1} << zones[i];
      }
      visit(set);
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
  }
}

// Returns whether the zones have as many devices of each kind as are needed. A kind that none of
// the zones has is no obstacle.
bool ZonesHaveEnough(const MachineDevices& machine, uint64_t zones,
                     const std::array<int64_t, kDeviceKinds>& needed) {
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    int64_t count = 0;
    for (const Device& device : machine.books[k].devices) {
      if (device.placed && device.zone >= 0 && (zones >> device.zone & 1) != 0) ++count;
    }
    if (count > 0 && count < needed[k]) return false;
  }
  return true;
}

}  // namespace

void AddShares(const DeviceShares& more, DeviceShares* shares) {
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    for (const auto& [minor, amounts] : more[k]) (*shares)[k][minor].Add(amounts);
  }
}

void AddSharesOf(const DeviceShares& hints, const DeviceShares& more, DeviceShares* shares) {
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    for (const auto& [minor, amounts] : more[k]) {
      if (hints[k].count(minor) > 0) (*shares)[k][minor].Add(amounts);
    }
  }
}

void SubtractShares(const DeviceShares& less, bool down_to_zero, DeviceShares* shares) {
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    for (const auto& [minor, amounts] : less[k]) {
      DeviceAmounts& left = (*shares)[k][minor];
      if (down_to_zero) {
        left.SubtractDownToZero(amounts);
      } else {
        SubtractExactly(amounts, &left);
      }
      if (left.IsZero()) (*shares)[k].erase(minor);
    }
  }
}

bool GrantsInclude(const DeviceGrants& grants, const DeviceShares& shares) {
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    for (const auto& [minor, amounts] : shares[k]) {
      const bool granted =
          std::any_of(grants[k].begin(), grants[k].end(),
                      [m = minor](const DeviceGrant& grant) { return grant.minor == m; });
      if (!granted) return false;
    }
  }
  return true;
}

bool IsEmpty(const DeviceShares& shares) {
  return std::all_of(shares.begin(), shares.end(), [](const auto& of) { return of.empty(); });
}

std::span<const DeviceLoan> DeviceLoans::Find(const std::string& name) const {
  for (const DeviceLoan& loan : matched) {
    if (loan.name == name) return {&loan, 1};
  }
  return {};
}

DeviceLoans LoansOfReservations(const DeviceHoldings& holdings,
                                std::span<const DeviceReservation> matched,
                                std::span<const DeviceReservation> unmatched) {
  const auto loan_of = [&](const DeviceReservation& reservation) -> std::optional<DeviceLoan> {
    const auto own = holdings.find(reservation.task);
    if (own == holdings.end() || IsEmpty(own->second)) return std::nullopt;
    DeviceLoan loan{.name = reservation.name,
                    .reservation = reservation.name,
                    .restricted = reservation.restricted,
                    .allocatable = own->second};
    for (const std::string& name : reservation.owners) {
      const auto owner = holdings.find(name);
      if (owner != holdings.end()) {
        AddSharesOf(loan.allocatable, owner->second, &loan.allocated);
      }
    }
    loan.remained = loan.allocatable;
    SubtractShares(loan.allocated, /*down_to_zero=*/false, &loan.remained);
    return loan;
  };
  DeviceLoans loans;
  for (const DeviceReservation& reservation : matched) {
    if (auto loan = loan_of(reservation)) loans.matched.push_back(*std::move(loan));
  }
  for (const DeviceLoan& loan : loans.matched) {
    AddShares(loan.allocatable, &loans.allocatable);
    AddShares(loan.allocated, &loans.allocated);
  }
  for (const DeviceReservation& reservation : unmatched) {
    const std::optional<DeviceLoan> loan = loan_of(reservation);
    if (!loan.has_value()) continue;
    DeviceShares used = loan->allocatable;
    SubtractShares(loan->remained, /*down_to_zero=*/true, &used);
    AddShares(used, &loans.unmatched_used);
  }
  return loans;
}

DeviceLoans LoansOfTasks(const DeviceHoldings& holdings, std::span<const std::string> tasks,
                         const std::string& reservation, bool restricted) {
  DeviceLoans loans{.matched = {}, .takes_over = true};
  for (const std::string& task : tasks) {
    const auto held = holdings.find(task);
    if (held == holdings.end() || IsEmpty(held->second)) continue;
    loans.matched.push_back({.name = task,
                             .reservation = reservation,
                             .restricted = restricted,
                             .allocatable = held->second,
                             .remained = held->second});
    AddShares(held->second, &loans.allocatable);
  }
  return loans;
}

DeviceLoanAnswer ChooseFromLoans(const DeviceTrial& trial, const DeviceTaker& taker,
                                 std::span<const DeviceLoan> offered) {
  if (offered.empty()) return {};
  if (taker.ignores_reservations) return ChooseIgnoring(trial, trial.loans.matched);
  DeviceLoanAnswer last;
  for (const DeviceLoan& loan : offered) {
    last = Choose(trial, LimitsOfLoan(trial, loan));
    if (!last.ok()) continue;
    const bool covers = !trial.loans.takes_over || !loan.restricted ||
                        GrantsInclude(*last.grants, loan.allocatable);
    if (covers) return last;
  }
  if (taker.needs_loan) return {.grants = {}, .must_come_from_loan = true};
  // What a loan could not provide may still come from the machine.
  return {.grants = std::move(last.grants)};
}

DeviceLoanAnswer FilterDevices(const DeviceTrial& trial, const DeviceTaker& taker) {
  if (taker.named.has_value()) return ReserveDevices(trial, taker, "");
  DeviceLoanAnswer answer = ChooseFromLoans(trial, taker, trial.loans.matched);
  if (!answer.ok() || answer.grants.has_value()) return answer;
  return ChooseOnMachine(trial, taker);
}

DeviceLoanAnswer ReserveDevices(const DeviceTrial& trial, const DeviceTaker& taker,
                                const std::string& nominated) {
  DeviceLoanAnswer answer;
  if (taker.ignores_reservations && !taker.reserves) {
    answer = ChooseIgnoring(trial, trial.loans.matched);
    if (!answer.ok()) return answer;
  } else if (!taker.reserves) {
    DeviceTaker optional = taker;
    optional.needs_loan = false;
    answer = ChooseFromLoans(trial, optional, trial.loans.Find(nominated));
  }
  return answer.grants.has_value() ? answer : ChooseOnMachine(trial, taker);
}

int64_t ScoreLoan(const DeviceTrial& trial, const std::string& name) {
  const std::span<const DeviceLoan> found = trial.loans.Find(name);
  if (found.empty()) return 0;
  DeviceLimits limits = LimitsOfLoan(trial, found.front());
  limits.required = limits.preferred = {};
  if (trial.most.has_value()) NarrowTo(*trial.most, &limits.most);
  return ScoreMachine(trial.machine, trial.claim, *trial.scorer, &limits);
}

int64_t ScoreDevices(const DeviceTrial& trial, const std::string& nominated) {
  if (!nominated.empty()) return ScoreLoan(trial, nominated);
  const DeviceLimits limits{.zones = trial.zones,
                            .freed = Sum(FreeForAll(trial), trial.loans.allocatable),
                            .most = trial.most};
  return ScoreMachine(trial.machine, trial.claim, *trial.scorer, &limits);
}

DeviceHints HintsOfDevices(DeviceTrial trial, const DeviceTaker& taker) {
  const std::vector<int> zones = ZonesOfDevices(trial.machine);
  DeviceHints out;
  const auto needed = DevicesNeeded(trial.machine, trial.claim);
  if (zones.empty()) return out;
  if (!needed.has_value()) {
    out.refusal = AnswerOf(ChooseDevices(trial.machine, trial.claim, nullptr, /*final=*/false));
    return out;
  }
  std::vector<std::pair<uint64_t, uint64_t>> feasible;  // zones, GPUs
  uint64_t best = 0;
  ForEachSet(zones, [&](uint64_t set) {
    trial.zones = set;
    const bool whole = static_cast<size_t>(std::popcount(set)) == zones.size();
    if (!ZonesHaveEnough(trial.machine, set, *needed)) {
      out.few_in_zones |= whole;
      return;
    }
    const DeviceLoanAnswer answer = FilterDevices(trial, taker);
    if (!answer.ok()) {
      if (whole) out.refusal = answer;
      return;
    }
    feasible.emplace_back(set, GpusOf(*answer.grants));
    if (whole) best = feasible.back().second;
  });
  if (!out.refusal.ok() || out.few_in_zones) return out;
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    if ((*needed)[k] == 0) continue;
    std::vector<ScoredHint>& list =
        out.hints.emplace_back(static_cast<DeviceKind>(k), std::vector<ScoredHint>()).second;
    for (const auto& [set, gpus] : feasible) {
      list.push_back({.zones = set,
                      .preferred = std::popcount(set) == std::popcount(feasible.front().first),
                      .score = gpus == best ? kSameGpusScore : 0});
    }
  }
  return out;
}

std::optional<ScoredHint> HintOfNamed(const MachineDevices& machine, const DeviceGrants& named) {
  ScoredHint hint{.zones = 0, .preferred = true, .score = kSameGpusScore};
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    for (const DeviceGrant& grant : named[k]) {
      const std::optional<size_t> place = machine.books[k].Find(grant.minor);
      if (!place.has_value()) return std::nullopt;
      const Device& device = machine.books[k].devices[*place];
      if (!device.placed || device.zone < 0) return std::nullopt;
      *hint.zones |= uint64_t{1} << device.zone;
    }
  }
  return hint;
}

}  // namespace muster
