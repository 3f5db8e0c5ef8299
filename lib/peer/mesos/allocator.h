// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The allocator: what of which agent each framework is offered.
//
//   ASSIGN(std::unique_ptr<Allocator> allocator, Allocator::Make({}));
//   allocator->AddFramework({.name = "spark", .roles = {"eng"}});
//   allocator->AddAgent({.name = "a1", .resources = {{{.name = "cpus"}, 8}}});
//   for (const Offer& offer : allocator->Allocate()) ...
//   allocator->Recover(rest_of_offer, 5.0);      // declined, for five seconds
//
// The caller runs Allocate after events, and after a fixed interval with ConsiderAll before it. An
// offer counts as allocated until Recover gives back what is not used, or no longer. Events
// remember the agents that they concern, and Allocate looks at those only.
//
// Failures. A call with an unknown name, or a value out of its range, fails with InvalidArgument
// and changes nothing.
#ifndef MUSTER_PEER_MESOS_ALLOCATOR_H_
#define MUSTER_PEER_MESOS_ALLOCATOR_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/base/rng.h"
#include "lib/peer/mesos/amounts.h"
#include "lib/peer/mesos/constraints.h"
#include "lib/peer/mesos/resources.h"
#include "lib/peer/mesos/sorter.h"

namespace muster::mesos {

using NamedAmounts = std::map<std::string, double>;

struct Options {
  SortBy role_order = SortBy::kDrf;
  SortBy framework_order = SortBy::kDrf;
  // The peer shuffles agents and the items of an agent. Without a seed both stay in the order of
  // arrival.
  std::optional<uint64_t> shuffle_seed;
  uint64_t sorter_seed = 0;             // of SortBy::kRandom
  std::set<std::string> not_in_shares;  // names that shares leave out
  // An offer holds at least one of these. Empty: any offer will do.
  std::vector<NamedAmounts> least_offer = {{{"cpus", 0.01}}, {{"mem", 32}}};
  double interval_seconds = 1;  // the shortest time of a filter
  bool guard_gpus = true;       // agents with "gpus" are for frameworks with the capability
  std::string region;           // of the master; agents of others are remote
};

struct Capabilities {
  bool gpus = false;
  bool regions = false;
  bool shared = false;
  bool revocable = false;
  bool refined_reservations = false;
  bool many_roles = true;
};

struct Grant {
  std::string framework;
  std::string role;
  std::vector<Resource> resources;
};

struct AgentSpec {
  std::string name;
  std::vector<Resource> resources;
  std::vector<Grant> used;  // by frameworks that are there
  Traits traits;
  bool many_roles = true;          // may serve frameworks of several roles
  bool hierarchical_roles = true;  // may serve roles with a "/"
};

struct FrameworkSpec {
  std::string name;
  std::vector<std::string> roles;
  std::set<std::string> suppressed;  // some of the roles
  Capabilities capabilities;
  std::map<std::string, std::vector<NamedAmounts>> least_offer;  // by role, instead of the options'
  OfferConstraints constraints;
};

struct Offer {
  uint32_t framework = 0;
  uint32_t role = 0;
  uint32_t agent = 0;
  Bundle resources;
};

class Allocator {
 public:
  // Fails if the options name too many resources, or an amount below zero.
  static absl::StatusOr<std::unique_ptr<Allocator>> Make(Options options);
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  absl::Status AddAgent(const AgentSpec& spec);
  absl::Status UpdateAgent(std::string_view name, const std::vector<Resource>& resources);
  absl::Status RemoveAgent(std::string_view name);
  // Agents are offered at first. One that is not on the peer's whitelist is not.
  absl::Status SetOffered(std::string_view agent, bool offered);

  absl::Status AddFramework(const FrameworkSpec& spec);
  absl::Status RemoveFramework(std::string_view name);
  // An inactive framework is offered nothing, and loses its filters.
  absl::Status SetActive(std::string_view framework, bool active);
  // Of the framework's roles; an empty list stands for all of them.
  absl::Status Suppress(std::string_view framework, const std::vector<std::string>& roles);
  absl::Status Revive(std::string_view framework, const std::vector<std::string>& roles);

  // REQUIRES: the role is top-level, or both are empty.
  absl::Status SetQuota(std::string_view role, const NamedAmounts& guarantees,
                        const NamedAmounts& limits);
  absl::Status SetWeight(std::string_view role, double weight);

  // Filters are measured by this clock. It never goes back.
  void SetNow(double seconds) { now_ = std::max(now_, seconds); }

  void ConsiderAll();
  std::vector<Offer> Allocate();

  // Takes back all or part of what was offered. With `refuse_seconds` the framework is not offered
  // these resources of the agent, or fewer, for so long: 5 for a negative number, at most a year,
  // and none for 0. What an agent or framework that left held is ignored.
  absl::Status Recover(const Offer& back, std::optional<double> refuse_seconds);

  // Filters that still hold, by agent, for a caller that makes an allocator anew: Restore adds one.
  struct Refused {
    uint32_t framework, role, agent;
    Bundle resources;
    double until;
  };
  std::vector<Refused> Filters() const;
  absl::Status Restore(uint32_t agent, uint32_t framework, std::string_view role,
                       const std::vector<Resource>& resources, double until);

  // Makes of resources, as callers write them, the items of this allocator.
  absl::StatusOr<Bundle> BundleOf(const std::vector<Resource>& resources);
  absl::StatusOr<Amounts> AmountsOf(const NamedAmounts& amounts);

  // REQUIRES: numbers of an offer.
  const std::string& AgentName(uint32_t agent) const { return agents_[agent].name; }
  const std::string& FrameworkName(uint32_t framework) const { return frameworks_[framework].name; }
  const std::string& RoleName(uint32_t role) const { return roles_[role].path; }
  const Kind& KindOf(uint32_t kind) const { return kinds_[kind]; }

 private:
  explicit Allocator(Options options);

  // Refusals of a framework for a role, each with its end.
  using FilterTable =
      HashMap<std::pair<uint32_t, uint32_t>, std::vector<std::pair<Bundle, double>>>;

  struct Held {
    uint32_t framework, role;
    Bundle resources;
  };
  struct Agent {
    Bundle available;
    std::vector<Held> held;
    std::vector<size_t> first_stage;  // its offers in the first stage of this round
    Bundle shared_offered;            // in this round
    FilterTable filters;
    bool there = true, offered = true, candidate = false;
    bool many_roles = true, hierarchical_roles = true;
    bool has_gpus = false, has_revocable = false, remote = false;
    Traits traits;
    Bundle total;
    std::string name;
  };
  struct Framework {
    std::string name;
    bool there = true, active = true;
    std::set<uint32_t> roles, suppressed;
    HashMap<uint32_t, uint32_t> holdings;  // agents of which it holds something for a role
    Capabilities capabilities;
    HashMap<uint32_t, std::vector<Amounts>> least_offer;  // of a role
    OfferConstraints constraints;
  };
  struct Role {
    std::string path;
    uint32_t parent = kNone;
    bool quota = false;
    Amounts guarantees;
    Limits limits;
    Amounts reserved;  // offered or not, with the roles below
    Tally offered;     // what is neither reserved nor revocable, with the roles below
    uint32_t frameworks = 0;
    std::optional<Sorter> sorter;  // while frameworks > 0
    Amounts consumed;              // of the quota, in a round
  };
  struct Round;

  // Lookups.
  absl::StatusOr<uint32_t> AgentNamed(std::string_view name) const;
  absl::StatusOr<uint32_t> FrameworkNamed(std::string_view name) const;
  absl::StatusOr<uint32_t> RoleNamed(std::string_view path);
  absl::StatusOr<uint8_t> ColumnOf(const std::string& name);
  absl::StatusOr<uint32_t> KindNumber(const Kind& kind);
  absl::StatusOr<std::vector<uint32_t>> RolesOf(uint32_t framework,
                                                const std::vector<std::string>& names);
  absl::StatusOr<std::vector<Held>> GrantsOf(const AgentSpec& spec);
  absl::StatusOr<Framework> MakeFramework(const FrameworkSpec& spec);
  absl::StatusOr<std::vector<Amounts>> SetsOf(const std::vector<NamedAmounts>& sets);

  // Books.
  void Track(uint32_t framework, uint32_t role);
  bool TryUntrack(uint32_t framework, uint32_t role);
  void Book(uint32_t agent, uint32_t framework, uint32_t role, const Bundle& bundle);
  void Unbook(uint32_t agent, uint32_t framework, uint32_t role, const Bundle& bundle);
  void SetTotal(Agent& agent, Bundle total);
  void Refresh(Agent& agent);
  void DropFilters(uint32_t framework, const std::vector<uint32_t>& roles);
  void DropHolding(uint32_t framework, uint32_t role);
  void Refuse(const Offer& back, double seconds);

  // A round (allocator_round.cc).
  void Prepare(Round& round);
  std::vector<uint32_t> Candidates();
  void OfferAgent(Round& round, uint32_t agent);
  void OfferRole(Round& round, uint32_t agent, uint32_t role);
  bool OffersAll(const Round& round, uint32_t role, const Bundle& available) const;
  bool IsSatisfied(uint32_t role) const;
  const Bundle& AvailableTo(const Agent& agent, uint32_t role);
  bool IsEnough(const Framework& framework, uint32_t role, const Bundle& bundle) const;
  bool IsCapable(const Framework& framework, const Agent& agent) const;
  Bundle UsableBy(const Framework& framework, Bundle available) const;
  Bundle Choose(Round& round, uint32_t role, const Bundle& available, Amounts& for_guarantee);
  bool IsFiltered(uint32_t framework, uint32_t role, const Agent& agent,
                  const Bundle& bundle) const;
  void Commit(Round& round, Offer offer, const Amounts& for_guarantee);

  Options options_;
  Rng sorter_rng_;
  std::optional<Rng> shuffle_;
  double now_ = 0;
  Totals totals_;
  std::vector<std::string> names_;  // of the columns
  std::vector<Kind> kinds_;
  std::vector<Item> items_;  // of each kind, with an amount of 0
  HashMap<std::string, uint32_t> kind_numbers_;
  std::vector<Agent> agents_;
  std::vector<Framework> frameworks_;
  std::vector<Role> roles_;  // parents before children
  HashMap<std::string, uint32_t> agent_numbers_, framework_numbers_, role_numbers_;
  Sorter role_sorter_;
  std::vector<Amounts> least_offer_;
  Bundle available_;        // what AvailableTo returns, if not all
  Amounts reserved_;        // by all roles
  Tally reserved_offered_;  // in all
};

}  // namespace muster::mesos

#endif  // MUSTER_PEER_MESOS_ALLOCATOR_H_
