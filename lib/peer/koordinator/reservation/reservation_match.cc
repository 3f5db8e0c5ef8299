// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/reservation/reservation_match.h"

#include <algorithm>
#include <iterator>

#include "lib/kube/selectors.h"

namespace muster {
namespace {

bool Agrees(const std::string& stated, const std::string& actual) {
  return stated.empty() || stated == actual;
}

bool Agrees(const ObjectReference& stated, const ObjectReference& actual) {
  return Agrees(stated.uid, actual.uid) && Agrees(stated.name, actual.name) &&
         Agrees(stated.version, actual.version);
}

bool Agrees(const ControllerReference& stated, const ReservationAsker& task) {
  if (!Agrees(stated.object.name_space, task.object.name_space)) return false;
  return std::any_of(
      task.controllers.begin(), task.controllers.end(), [&](const ControllerReference& actual) {
        if (stated.controls && stated.controls != actual.controls) return false;
        return Agrees(stated.object, actual.object) && Agrees(stated.kind, actual.kind);
      });
}

bool Agrees(const OwnerRule& owner, const ReservationAsker& task) {
  if (owner.object && (!Agrees(*owner.object, task.object) ||
                       !Agrees(owner.object->name_space, task.object.name_space))) {
    return false;
  }
  if (owner.controller && !Agrees(*owner.controller, task)) return false;
  return !owner.selector || Matches(*owner.selector, task.labels);
}

bool IsExactFor(const ReservationAsker& task, const ReservationOffered& reservation) {
  return IsExact(task.request, reservation.total, task.exact);
}

// The rules of owners that tolerations and labels decide.
ReservationMatch MatchOwner(const ReservationAsker& task, const ReservationOffered& reservation,
                            const Labels& node_labels) {
  if (FirstRepelling(task, reservation) != nullptr) return ReservationMatch::kTaint;
  if (task.wish && !MatchesAffinity(*task.wish, reservation, node_labels)) {
    return ReservationMatch::kAffinity;
  }
  return IsExactFor(task, reservation) ? ReservationMatch::kMatched : ReservationMatch::kNotExact;
}

ReservationMatch MatchNamed(const ReservationAsker& task, const ReservationOffered& reservation) {
  if (task.wish->name != reservation.name) return ReservationMatch::kOtherName;
  return IsExactFor(task, reservation) ? ReservationMatch::kNamed : ReservationMatch::kNotExact;
}

bool NamesReservation(const ReservationAsker& task) {
  return task.wish && !task.wish->name.empty();
}

}  // namespace

bool IsMatch(ReservationMatch match) { return match <= ReservationMatch::kIgnored; }

bool IsOwner(std::span<const OwnerRule> owners, const ReservationAsker& task) {
  return std::any_of(owners.begin(), owners.end(),
                     [&](const OwnerRule& owner) { return Agrees(owner, task); });
}

bool MatchesAffinity(const ReservationWish& wish, const ReservationOffered& reservation,
                     const Labels& node_labels) {
  NodeSpec node;
  node.name = reservation.name;
  node.labels = reservation.labels;
  for (const auto& label : node_labels) {
    if (FindLabel(reservation.labels, label.first) == nullptr) node.labels.push_back(label);
  }
  return MatchesNode(wish.shape, node);
}

bool IsExact(const Sparse& request, const Sparse& total, std::span<const size_t> resources) {
  for (const size_t r : resources) {
    if (!request.has(r) && !total.has(r)) return true;
    if (request.has(r) != total.has(r) || request.at(r) != total.at(r)) return false;
  }
  return true;
}

const Taint* FirstRepelling(const ReservationAsker& task, const ReservationOffered& reservation) {
  if (!task.wish) return nullptr;
  for (const Taint& taint : reservation.taints) {
    NodeSpec node;
    node.taints = {taint};
    if (FirstUntolerated(task.wish->shape, node) != nullptr) return &taint;
  }
  return nullptr;
}

ReservationMatch MatchReservation(const ReservationAsker& task,
                                  const ReservationOffered& reservation,
                                  const Labels& node_labels) {
  if (task.ignores) return ReservationMatch::kIgnored;
  if (!reservation.owners_can_be_read || !IsOwner(reservation.owners, task)) {
    return ReservationMatch::kNotOwner;
  }
  if (NamesReservation(task)) return MatchNamed(task, reservation);
  if (reservation.is_unschedulable && (!task.wish || !ToleratesUnschedulable(task.wish->shape))) {
    return ReservationMatch::kUnschedulable;
  }
  return MatchOwner(task, reservation, node_labels);
}

ReservationMatch MatchRunningTask(const ReservationAsker& task,
                                  const ReservationOffered& reservation, const Labels& node_labels,
                                  bool by_owner) {
  if (by_owner && (!reservation.owners_can_be_read || !IsOwner(reservation.owners, task))) {
    return ReservationMatch::kNotOwner;
  }
  if (!task.is_readable) return ReservationMatch::kUnreadable;
  if (!NamesReservation(task)) return MatchOwner(task, reservation, node_labels);
  const ReservationMatch match = MatchNamed(task, reservation);
  return match == ReservationMatch::kNamed ? ReservationMatch::kMatched : match;
}

NamedNodes NodesNamedBy(const TaskShape& shape) {
  NamedNodes named;
  if (!shape.required_node_affinity) return named;
  std::vector<std::string> all;
  for (const NodeTerm& term : *shape.required_node_affinity) {
    std::optional<std::vector<std::string>> of_term;
    for (const Requirement& field : term.match_fields) {
      if (field.key != "metadata.name" || field.op != RequirementOp::kIn) continue;
      std::vector<std::string> values = field.values, both;
      std::sort(values.begin(), values.end());
      if (of_term) {
        std::set_intersection(of_term->begin(), of_term->end(), values.begin(), values.end(),
                              std::back_inserter(both));
        values = both;
      }
      of_term = std::move(values);
    }
    if (!of_term) return {};  // terms are joined by OR: this one allows other nodes
    if (of_term->empty()) return {.conflict = true, .names = {}};
    all.insert(all.end(), of_term->begin(), of_term->end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  named.names = std::move(all);
  return named;
}

}  // namespace muster
