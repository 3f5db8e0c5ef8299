// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/numa/numa_reuse.h"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

CpuSet Union(CpuSet a, const CpuSet& b) { return a |= b; }
CpuSet Common(CpuSet a, const CpuSet& b) { return a &= b; }

// The CPUs of `cpus` that are not in `from` go into `into`; the others leave `from`.
void MoveCpus(CpuSet cpus, CpuSet* from, CpuSet* into) {
  const CpuSet undone = Common(*from, cpus);
  from->AndNot(undone);
  cpus.AndNot(undone);
  *into |= cpus;
}

void MergeLoans(NumaLoans* loans) {
  for (const NumaLoan& loan : loans->matched) {
    AddByZone(loan.allocatable, &loans->allocatable);
    AddByZone(loan.allocated, &loans->allocated);
    loans->remained_cpus |= loan.remained_cpus;
    loans->allocated_cpus |= loan.allocated_cpus;
  }
}

std::optional<NumaLoan> LoanOf(const NumaBooks& books, const NumaReservation& reservation) {
  const NumaHolding* own = books.Find(reservation.task);
  if (own == nullptr || (own->amounts.empty() && own->cpus.empty())) return std::nullopt;
  NumaLoan loan{.name = reservation.name,
                .reservation = reservation.name,
                .restricted = reservation.restricted,
                .allocatable = own->amounts,
                .allocatable_cpus = own->cpus,
                .allocated_cpus = own->cpus,
                .remained_cpus = own->cpus};
  for (const std::string& name : reservation.owners) {
    const NumaHolding* owner = books.Find(name);
    if (owner == nullptr) continue;
    if (!own->amounts.empty()) AddByZone(owner->amounts, &loan.allocated);
    loan.remained_cpus.AndNot(owner->cpus);
  }
  loan.remained = loan.allocatable;
  SubtractByZone(loan.allocated, &loan.remained);
  return loan;
}

NumaLoanAnswer Placed(const NumaNode& node, const NumaBooks& books, const NumaRequest& request,
                      NumaReuse reuse) {
  ZoneAnswer answer = PlaceInZones(node, books, request, reuse);
  NumaLoanAnswer placed{
      .grant = {}, .reason = answer.reason, .reuse = std::move(reuse), .lacking = answer.lacking};
  if (answer.ok()) placed.grant = std::move(answer.grant);
  return placed;
}

// The trial of one loan after the other.
class LoanTrial {
 public:
  LoanTrial(const NumaNode& node, const NumaBooks& books, const NumaRequest& request,
            const NumaLoans& loans, const NumaVictims& victims)
      : node_(node), books_(books), request_(request), loans_(loans), victims_(victims) {
    common_.reusable = loans.unmatched_used;
    AddByZone(loans.allocated, &common_.reusable);
    common_.preferred = loans.allocated_cpus;
    if (!victims.node.has_value()) return;
    AddByZone(victims.node->amounts(), &common_.reusable);
    common_.preemptible = victims.node->With({});
  }

  NumaLoanAnswer IgnoringReservations(std::span<const NumaLoan> offered) const {
    NumaReuse reuse = common_;
    for (const NumaLoan& loan : offered) {
      AddByZone(loan.remained, &reuse.reusable);
      reuse.preferred |= loan.remained_cpus;
      const NumaShare* share = victims_.of(loan.reservation);
      if (share == nullptr) continue;
      AddByZone(share->amounts(), &reuse.reusable);
      reuse.preemptible |= Common(loan.allocatable_cpus, share->With({}));
    }
    return Placed(node_, books_, request_, std::move(reuse));
  }

  // Returns whether the loan satisfies the task; `last` is what it came to in any case.
  bool Try(const NumaLoan& loan, NumaLoanAnswer* last) const {
    NumaReuse reuse = common_;
    AddByZone(loan.remained, &reuse.reusable);
    reuse.preferred |= loan.remained_cpus;
    const NumaShare* share = victims_.of(loan.reservation);
    if (share != nullptr) {
      AddByZone(share->amounts(), &reuse.reusable);
      reuse.preemptible = share->With(reuse.preemptible);
    }
    if (!loan.restricted) return Place(std::move(reuse), last);
    last->reuse = reuse;
    return PlaceInZones(node_, books_, request_, reuse).ok() &&
           Restricted(loan, share, std::move(reuse), last);
  }

 private:
  bool Place(NumaReuse reuse, NumaLoanAnswer* last) const {
    *last = Placed(node_, books_, request_, std::move(reuse));
    last->reason = NumaReason::kNone;
    last->lacking = 0;
    return last->grant.has_value();
  }

  // Of what is left of the loan alone; the wider placement has been found possible.
  bool Restricted(const NumaLoan& loan, const NumaShare* share, NumaReuse reuse,
                  NumaLoanAnswer* last) const {
    CpuSet lent = loan.remained_cpus;
    reuse.required = loan.remained;
    reuse.preferred = loan.remained_cpus;
    reuse.preemptible = {};
    if (victims_.node.has_value()) {
      reuse.preemptible |= Common(loan.allocatable_cpus, victims_.node->With({}));
    }
    if (share != nullptr) {
      AddByZone(share->amounts(), &reuse.required);
      const CpuSet freed = Common(loan.allocatable_cpus, share->With({}));
      reuse.preemptible |= freed;
      reuse.preferred |= freed;
      lent |= freed;
    }
    if (loans_.takes_over) reuse.required = {};
    if (request_.binds && request_.cpus > lent.size()) return false;
    if (!Place(std::move(reuse), last)) return false;
    if (loans_.takes_over) return Common(lent, last->grant->cpus) == lent;
    return last->grant->cpus.size() <= lent.size();
  }

  const NumaNode& node_;
  const NumaBooks& books_;
  const NumaRequest& request_;
  const NumaLoans& loans_;
  const NumaVictims& victims_;
  NumaReuse common_;
};

}  // namespace

void NumaShare::GiveUp(const NumaHolding& holding) {
  AddByZone(holding.amounts, &amounts_);
  MoveCpus(holding.cpus, &removed_, &added_);
}

void NumaShare::TakeBack(const NumaHolding& holding) {
  SubtractByZone(holding.amounts, &amounts_);
  MoveCpus(holding.cpus, &added_, &removed_);
}

CpuSet NumaShare::With(CpuSet cpus) const {
  return Union(std::move(cpus), added_).AndNot(removed_);
}

const NumaShare* NumaVictims::of(const std::string& reservation) const {
  const auto it = reservations.find(reservation);
  return it == reservations.end() ? nullptr : &it->second;
}

const NumaLoan* NumaLoans::Find(const std::string& name) const {
  const auto it = std::find_if(matched.begin(), matched.end(),
                               [&](const NumaLoan& loan) { return loan.name == name; });
  return it == matched.end() ? nullptr : &*it;
}

NumaLoans LoansOfReservations(const NumaBooks& books, std::span<const NumaReservation> matched,
                              std::span<const NumaReservation> unmatched) {
  NumaLoans loans;
  for (const NumaReservation& reservation : matched) {
    if (auto loan = LoanOf(books, reservation)) loans.matched.push_back(*std::move(loan));
  }
  MergeLoans(&loans);
  for (const NumaReservation& reservation : unmatched) {
    const std::optional<NumaLoan> loan = LoanOf(books, reservation);
    if (!loan.has_value()) continue;
    ZoneAmounts used = loan->allocatable;
    SubtractByZone(loan->remained, &used);
    for (auto& [zone, of_zone] : used) of_zone.NotBelowZero();
    AddByZone(used, &loans.unmatched_used);
  }
  return loans;
}

NumaLoans LoansOfTasks(const NumaBooks& books, std::span<const std::string> tasks,
                       const std::string& reservation, bool restricted) {
  NumaLoans loans;
  for (const std::string& task : tasks) {
    const NumaHolding* held = books.Find(task);
    if (held == nullptr || (held->amounts.empty() && held->cpus.empty())) continue;
    loans.matched.push_back({.name = task,
                             .reservation = reservation,
                             .restricted = restricted,
                             .allocatable = held->amounts,
                             .allocated = {},
                             .remained = held->amounts,
                             .allocatable_cpus = held->cpus,
                             .allocated_cpus = {},
                             .remained_cpus = held->cpus});
  }
  loans.takes_over = !loans.matched.empty();
  MergeLoans(&loans);
  return loans;
}

NumaLoanAnswer PlaceFromLoans(const NumaNode& node, const NumaBooks& books,
                              const NumaRequest& request, const NumaTaker& taker,
                              const NumaLoans& loans, std::span<const NumaLoan> offered,
                              const NumaVictims& victims) {
  if (offered.empty()) return {};
  const LoanTrial trial(node, books, request, loans, victims);
  if (taker.ignores_reservations) return trial.IgnoringReservations(offered);
  NumaLoanAnswer answer;
  const bool satisfied = std::any_of(offered.begin(), offered.end(), [&](const NumaLoan& loan) {
    return trial.Try(loan, &answer);
  });
  if (!satisfied && taker.needs_loan) {
    return {.grant = {}, .reason = NumaReason::kNotReserved};
  }
  return answer;
}

NumaLoanAnswer PlaceOnNode(const NumaNode& node, const NumaBooks& books, const NumaRequest& request,
                           const NumaLoans& loans, const NumaVictims& victims) {
  NumaReuse reuse{.reusable = loans.unmatched_used};
  AddByZone(loans.allocated, &reuse.reusable);
  if (victims.node.has_value()) {
    AddByZone(victims.node->amounts(), &reuse.reusable);
    reuse.preemptible = victims.node->With({});
  }
  return Placed(node, books, request, std::move(reuse));
}

NumaLoanAnswer PlaceAsNamed(const NumaNode& node, const NumaBooks& books, NumaRequest request,
                            const NumaGrant& named, const NumaVictims& victims) {
  NumaReuse reuse{.required = named.amounts, .preferred = named.cpus};
  if (!named.amounts.empty()) {
    request.zones = 0;
    for (const auto& [zone, of_zone] : named.amounts) *request.zones |= uint64_t{1} << zone;
  }
  if (victims.node.has_value()) {
    AddByZone(victims.node->amounts(), &reuse.reusable);
    reuse.preemptible = victims.node->With({});
  }
  NumaLoanAnswer answer = Placed(node, books, request, std::move(reuse));
  if (answer.ok() && !(answer.grant->cpus == named.cpus)) {
    return {.grant = {}, .reason = NumaReason::kFewCpus};
  }
  return answer;
}

}  // namespace muster
