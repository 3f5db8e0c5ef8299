// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Allocator::Allocate. Two stages go through the agents. The first serves roles with a guarantee
// that is not met; the second serves all roles by fair share, but holds back what unmet guarantees
// may still need.
#include <algorithm>
#include <cstddef>
#include <iterator>

#include "lib/peer/mesos/allocator.h"

namespace muster::mesos {

struct Allocator::Round {
  std::vector<Offer> offers;
  // Unreserved scalars: what guarantees still need, and what is there.
  Amounts required, available;
  bool guarantees = false;  // the first stage
};

namespace {

// What is offered with any agent: reservations, ranges, and what may be taken back.
bool IsExtra(const Item& item) { return !item.plain(); }

constexpr size_t kAhead = 4;  // agents
void Prefetch(const void* begin, size_t size) {
  constexpr size_t kLine = 64;
  const char* const bytes = static_cast<const char*>(begin);
  for (size_t at = 0; at < size; at += kLine) __builtin_prefetch(bytes + at);
}

}  // namespace

std::vector<Offer> Allocator::Allocate() {
  Round round;
  Prepare(round);
  std::vector<uint32_t> agents = Candidates();
  round.offers.reserve(agents.size());
  const bool guaranteed = std::ranges::any_of(
      roles_, [](const Role& role) { return role.frameworks > 0 && !role.guarantees.empty(); });
  for (const bool guarantees : {true, false}) {
    if (shuffle_) shuffle_->Shuffle(agents);
    round.guarantees = guarantees;
    if (guarantees && !guaranteed) continue;
    for (size_t i = 0; i < agents.size(); ++i) {
      // Agents come in a random order: what the next ones have is on its way by then.
      if (i + 2 * kAhead < agents.size()) Prefetch(&agents_[agents[i + 2 * kAhead]], sizeof(Agent));
      if (i + kAhead < agents.size()) {
        const Agent& next = agents_[agents[i + kAhead]];
        Prefetch(next.available.data(), next.available.size() * sizeof(Item));
        Prefetch(next.held.data(), next.held.size() * sizeof(Held));
      }
      OfferAgent(round, agents[i]);
    }
  }
  for (Agent& agent : agents_) agent.candidate = false;
  return std::move(round.offers);
}

std::vector<uint32_t> Allocator::Candidates() {
  std::vector<uint32_t> candidates;
  for (uint32_t i = 0; i < agents_.size(); ++i) {
    Agent& agent = agents_[i];
    if (!agent.candidate || !agent.there || !agent.offered) continue;
    candidates.push_back(i);
    agent.first_stage.clear();
    agent.shared_offered.clear();
  }
  return candidates;
}

void Allocator::Prepare(Round& round) {
  for (Role& role : roles_) {
    if (role.parent != kNone || !role.quota) continue;
    role.consumed = role.offered.sum();
    role.consumed += role.reserved;
    round.required += role.guarantees.Without(role.consumed);
  }
  round.available = totals_.amounts;
  round.available.Reduce(role_sorter_.AllocatedInAll());
  round.available.Reduce(reserved_.Without(reserved_offered_.sum()));
  for (const Agent& agent : agents_) {
    if (!agent.has_revocable) continue;
    for (const Item& item : agent.available) {
      if (!item.revocable || !item.scalar()) continue;
      int64_t& left = round.available[item.column];
      left = std::max<int64_t>(left - item.amount, 0);
    }
  }
}

void Allocator::OfferAgent(Round& round, uint32_t agent) {
  role_sorter_.Start();
  for (uint32_t role; (role = role_sorter_.Next()) != kNone;) {
    if (round.guarantees && roles_[role].guarantees.empty()) continue;
    if (agents_[agent].available.empty()) return;
    if (round.guarantees && IsSatisfied(role)) continue;
    OfferRole(round, agent, role);
  }
}

bool Allocator::IsSatisfied(uint32_t role) const {
  return roles_[role].guarantees.Without(roles_[role].consumed).empty();
}

// Goes through the role's frameworks until nothing of the agent is left for the role.
void Allocator::OfferRole(Round& round, uint32_t agent, uint32_t role) {
  Sorter& sorter = *roles_[role].sorter;
  const Bundle* available = &AvailableTo(agents_[agent], role);
  sorter.Start();
  for (uint32_t number; (number = sorter.Next()) != kNone;) {
    if (round.guarantees && IsSatisfied(role)) return;
    const Framework& framework = frameworks_[number];
    if (Excludes(framework.constraints, roles_[role].path, agents_[agent].traits)) continue;
    if (available->empty()) return;
    if (!IsEnough(framework, role, *available) || !IsCapable(framework, agents_[agent])) continue;
    Amounts for_guarantee;
    Bundle part;
    const Bundle* chosen = available;
    if (!OffersAll(round, role, *available)) {
      part = Choose(round, role, UsableBy(framework, *available), for_guarantee);
      chosen = &part;
    }
    if (chosen == &part && !IsEnough(framework, role, part)) continue;
    if (IsFiltered(number, role, agents_[agent], *chosen)) continue;
    Commit(round, {number, role, agent, *chosen}, for_guarantee);
    available = &AvailableTo(agents_[agent], role);
  }
}

// Returns whether any framework of the role is offered all of `available`. This is the usual case,
// and has a way of its own because it needs no bundle beside the offer.
bool Allocator::OffersAll(const Round& round, uint32_t role, const Bundle& available) const {
  return !round.guarantees && roles_[role].limits.empty() && round.required.empty() &&
         std::ranges::none_of(available, [](const Item& item) {
           return item.reserved() || item.revocable || item.shared;
         });
}

// Returns what is unreserved, or reserved for the role or one above it. A shared item is offered
// once a round. The reference is valid until the agent or the next call changes it.
const Bundle& Allocator::AvailableTo(const Agent& agent, uint32_t role) {
  const auto is_open = [&](const Item& item) {
    uint32_t up = role;
    while (up != kNone && up != item.role && item.reserved()) up = roles_[up].parent;
    return up != kNone && (!item.shared || !Contains(agent.shared_offered, {item}));
  };
  if (std::ranges::all_of(agent.available, is_open)) return agent.available;
  available_.clear();
  std::ranges::copy_if(agent.available, std::back_inserter(available_), is_open);
  return available_;
}

bool Allocator::IsEnough(const Framework& framework, uint32_t role, const Bundle& bundle) const {
  if (bundle.empty()) return false;
  const auto own = framework.least_offer.find(role);
  const auto& sets = own == framework.least_offer.end() ? least_offer_ : own->second;
  return sets.empty() ||
         std::ranges::any_of(sets, [&](const Amounts& least) { return HasAtLeast(bundle, least); });
}

bool Allocator::IsCapable(const Framework& framework, const Agent& agent) const {
  if (options_.guard_gpus && agent.has_gpus && !framework.capabilities.gpus) return false;
  return !agent.remote || framework.capabilities.regions;
}

Bundle Allocator::UsableBy(const Framework& framework, Bundle available) const {
  const Capabilities& can = framework.capabilities;
  std::erase_if(available, [&](const Item& item) {
    return (item.shared && !can.shared) || (item.revocable && !can.revocable) ||
           (item.refined && !can.refined_reservations);
  });
  return available;
}

// Returns the part of `available` to offer. In the first stage this is what the guarantee lacks
// (`for_guarantee`), with the rest of the agent as far as limits and headroom allow; nothing if the
// guarantee gets nothing.
Bundle Allocator::Choose(Round& round, uint32_t role, const Bundle& available,
                         Amounts& for_guarantee) {
  const Role& at = roles_[role];
  Rng* random = shuffle_ ? &*shuffle_ : nullptr;
  Bundle rest, chosen;
  for (const Item& item : available) {
    if (item.plain()) rest.push_back(item);
  }
  if (round.guarantees) {
    chosen = ShrinkTo(rest, at.guarantees.Without(at.consumed), random);
    if (chosen.empty()) return {};
    for_guarantee = ScalarSum(chosen);
    Subtract(rest, chosen);
  }
  for (const Item& item : available) {
    const bool others = round.guarantees && item.scalar() && !item.revocable && item.role != role;
    if (IsExtra(item) && !others) Add(chosen, item);
  }
  if (!at.limits.empty()) {
    Limits left = at.limits;
    left.most.Reduce(at.consumed);
    left.most.Reduce(for_guarantee);
    rest = ShrinkTo(rest, left, random);
  }
  if (!round.required.empty() && !rest.empty()) {
    rest = ShrinkTo(rest, round.available.Without(round.required), random);
  }
  Add(chosen, rest);
  return chosen;
}

bool Allocator::IsFiltered(uint32_t framework, uint32_t role, const Agent& agent,
                           const Bundle& bundle) const {
  if (frameworks_[framework].capabilities.many_roles && !agent.many_roles) return true;
  if (!agent.hierarchical_roles && roles_[role].parent != kNone) return true;
  const auto filters = agent.filters.find(std::pair(framework, role));
  if (filters == agent.filters.end()) return false;
  return std::ranges::any_of(filters->second, [&](const auto& filter) {
    return filter.second >= now_ && Contains(filter.first, bundle);
  });
}

void Allocator::Commit(Round& round, Offer offer, const Amounts& for_guarantee) {
  Role& role = roles_[offer.role];
  Agent& agent = agents_[offer.agent];
  Amounts plain;
  for (const Item& item : offer.resources) {
    if (item.plain()) plain[item.column] += item.amount;
    if (item.shared) agent.shared_offered.push_back(item);
  }
  // The peer counts only what roles with a quota of their own take, so a role below one with a
  // quota does not use that up within a round.
  if (role.quota) role.consumed += plain;
  round.required.Reduce(for_guarantee);
  round.available.Reduce(plain);
  Book(offer.agent, offer.framework, offer.role, offer.resources);

  for (const size_t earlier : agent.first_stage) {
    Offer& other = round.offers[earlier];
    if (other.framework == offer.framework && other.role == offer.role) {
      return Add(other.resources, offer.resources);
    }
  }
  if (round.guarantees) agent.first_stage.push_back(round.offers.size());
  round.offers.push_back(std::move(offer));
}

}  // namespace muster::mesos
