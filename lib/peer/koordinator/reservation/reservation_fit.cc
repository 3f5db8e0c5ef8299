// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/reservation/reservation_fit.h"

#include <algorithm>

#include "absl/numeric/int128.h"

namespace muster {
namespace {

using Wide = absl::int128;

bool RequestsNothing(const Sparse& request, uint64_t always) {
  if ((request.keys() & ~always) != 0) return false;
  bool nothing = true;
  ForEachResource(request.keys(), [&](size_t r) { nothing &= request.at(r) == 0; });
  return nothing;
}

// What one matched reservation lacks together with the node, and alone.
struct PairLacks {
  Lacks node, reservation;
};

PairLacks LacksOfPair(const Sparse& request, const ReservedNode& node, const Reserved& reserved,
                      const ReservationRules& rules, bool skips_node) {
  PairLacks lacks;
  if (!skips_node) {
    ReservedNode emptied = node;
    emptied.preempted.Add(reserved.preempted);
    lacks.node = LacksOfNode(request, emptied, LeftOf(reserved), rules);
  }
  if (reserved.policy == Reserved::Policy::kRestricted) {
    lacks.reservation = LacksOfReservation(request, reserved, rules.ignored);
  }
  return lacks;
}

}  // namespace

bool MayShareNode(Reserved::Policy a, Reserved::Policy b) {
  return (a == Reserved::Policy::kDefault) == (b == Reserved::Policy::kDefault);
}

Sparse LeftOf(const Reserved& reserved) {
  Sparse left;
  ForEachResource(reserved.total.keys(), [&](size_t r) {
    const Wide rest = Wide(reserved.total.at(r)) - reserved.used.at(r) - reserved.kept_back.at(r);
    left.Set(r,
             static_cast<int64_t>(std::clamp<Wide>(rest, 0, std::numeric_limits<int64_t>::max())));
  });
  return left;
}

Lacks LacksOfNode(const Sparse& request, const ReservedNode& node, const Sparse& left,
                  const ReservationRules& rules) {
  Lacks lacks{.tasks = node.tasks - node.matched + 1 > node.most_tasks};
  if (RequestsNothing(request, rules.always)) return lacks;
  const uint64_t compared = rules.always | (request.keys() & ~rules.ignored);
  ForEachResource(compared, [&](size_t r) {
    const Wide taken =
        Wide(node.requested.at(r)) - left.at(r) - node.held_by_owners.at(r) - node.preempted.at(r);
    if (Wide(request.at(r)) > Wide(node.capacity.at(r)) - taken) {
      lacks.resources |= uint64_t{1} << r;
    }
  });
  return lacks;
}

Lacks LacksOfReservation(const Sparse& request, const Reserved& reserved, uint64_t ignored) {
  Lacks lacks{.tasks = reserved.most_tasks.has_value() &&
                       reserved.tasks - reserved.preempted_tasks + 1 > *reserved.most_tasks};
  ForEachResource(reserved.names & request.keys() & ~ignored, [&](size_t r) {
    if (request.at(r) == 0) return;
    const Wide used = std::max<Wide>(Wide(reserved.used.at(r)) - reserved.preempted.at(r), 0);
    if (Wide(request.at(r)) > Wide(reserved.total.at(r)) - reserved.kept_back.at(r) - used) {
      lacks.resources |= uint64_t{1} << r;
    }
  });
  return lacks;
}

ReservationAnswer FilterByReservations(const Sparse& request, const ReservedNode& node,
                                       std::span<const Reserved> matched,
                                       const ReservationRules& rules) {
  ReservationAnswer answer;
  const bool skips_node = rules.skips_node && matched.size() <= 1;
  for (size_t i = 0; i < matched.size(); ++i) {
    // Without affinity a task does not use a reservation that has nothing of what it requests.
    if (!rules.has_affinity && (matched[i].names & request.keys()) == 0) continue;
    const PairLacks lacks = LacksOfPair(request, node, matched[i], rules, skips_node);
    answer.node.resources |= lacks.node.resources;
    answer.node.tasks |= lacks.node.tasks;
    if (!lacks.reservation.none()) answer.reservations.push_back(lacks.reservation);
    if (matched[i].refused || !lacks.node.none() || !lacks.reservation.none()) continue;
    answer.fits = true;
    answer.reservation = i;
    return answer;
  }
  if (rules.required) return answer;
  // What lacks with a reservation lacks all the more without it.
  if (answer.node.none()) answer.node = LacksOfNode(request, node, Sparse(), rules);
  answer.fits = answer.node.none();
  return answer;
}

bool IgnoresResource(std::string_view name, std::span<const std::string> names,
                     std::span<const std::string> groups) {
  const auto has = [](std::span<const std::string> list, std::string_view one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  if (has(names, name)) return true;
  const size_t slash = name.find('/');
  return slash != std::string_view::npos && slash > 0 && has(groups, name.substr(0, slash));
}

}  // namespace muster
