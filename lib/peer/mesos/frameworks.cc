// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Allocator: frameworks, quotas, weights, and what comes back.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/peer/mesos/allocator.h"

namespace muster::mesos {
namespace {

constexpr double kDefaultRefusal = 5;
constexpr double kLongestRefusal = 365.0 * 24 * 3600;

}  // namespace

absl::StatusOr<Allocator::Framework> Allocator::MakeFramework(const FrameworkSpec& spec) {
  const auto wrong = [&](auto&&... text) {
    return absl::InvalidArgumentError(absl::StrCat("framework ", Quote(spec.name), ": ", text...));
  };
  if (framework_numbers_.contains(spec.name)) return wrong("is there already; names differ");
  if (spec.name.empty() || spec.name == "." || spec.name.find('/') != std::string::npos) {
    return wrong("a name has no \"/\", and is neither empty nor \".\"");
  }
  if (const auto status = CheckConstraints(spec.constraints); !status.ok()) return status;
  Framework framework;
  framework.name = spec.name;
  framework.capabilities = spec.capabilities;
  framework.constraints = spec.constraints;
  for (const std::string& name : spec.roles) {
    const absl::StatusOr<uint32_t> role = RoleNamed(name);
    if (!role.ok()) return role.status();
    framework.roles.insert(*role);
    if (spec.suppressed.contains(name)) framework.suppressed.insert(*role);
  }
  for (const auto& [name, sets] : spec.least_offer) {
    const absl::StatusOr<uint32_t> role = RoleNamed(name);
    if (!role.ok()) return role.status();
    absl::StatusOr<std::vector<Amounts>> amounts = SetsOf(sets);
    if (!amounts.ok()) return amounts.status();
    framework.least_offer[*role] = *std::move(amounts);
  }
  return framework;
}

absl::Status Allocator::AddFramework(const FrameworkSpec& spec) {
  absl::StatusOr<Framework> made = MakeFramework(spec);
  if (!made.ok()) return made.status();
  const auto number = static_cast<uint32_t>(frameworks_.size());
  framework_numbers_[spec.name] = number;
  frameworks_.push_back(*std::move(made));
  for (const uint32_t role : frameworks_[number].roles) {
    Track(number, role);
    roles_[role].sorter->SetActive(number, !frameworks_[number].suppressed.contains(role));
  }
  ConsiderAll();
  return absl::OkStatus();
}

absl::Status Allocator::RemoveFramework(std::string_view name) {
  const absl::StatusOr<uint32_t> number = FrameworkNamed(name);
  if (!number.ok()) return number.status();
  for (uint32_t i = 0; i < agents_.size(); ++i) {
    Agent& agent = agents_[i];
    std::vector<Held> gone;
    std::erase_if(agent.held, [&](Held& held) {
      if (held.framework != *number) return false;
      gone.push_back(std::move(held));
      return true;
    });
    for (const Held& held : gone) {
      Unbook(i, held.framework, held.role, held.resources);
      DropHolding(held.framework, held.role);
    }
    if (!gone.empty()) Refresh(agent);
  }
  Framework& framework = frameworks_[*number];
  for (const uint32_t role : framework.roles) TryUntrack(*number, role);
  DropFilters(*number, {framework.roles.begin(), framework.roles.end()});
  framework = Framework{};
  framework.there = false;
  framework_numbers_.erase(name);
  return absl::OkStatus();
}

void Allocator::DropFilters(uint32_t framework, const std::vector<uint32_t>& roles) {
  for (Agent& agent : agents_) {
    if (agent.filters.empty()) continue;
    for (const uint32_t role : roles) agent.filters.erase(std::pair(framework, role));
  }
}

absl::Status Allocator::SetActive(std::string_view name, bool active) {
  const absl::StatusOr<uint32_t> number = FrameworkNamed(name);
  if (!number.ok()) return number.status();
  Framework& framework = frameworks_[*number];
  for (const uint32_t role : framework.roles) {
    if (active && framework.suppressed.contains(role)) continue;
    roles_[role].sorter->SetActive(*number, active);
  }
  framework.active = active;
  if (active) {
    ConsiderAll();
  } else {
    DropFilters(*number, {framework.roles.begin(), framework.roles.end()});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<uint32_t>> Allocator::RolesOf(uint32_t framework,
                                                         const std::vector<std::string>& names) {
  const std::set<uint32_t>& own = frameworks_[framework].roles;
  if (names.empty()) return std::vector<uint32_t>(own.begin(), own.end());
  std::vector<uint32_t> roles;
  for (const std::string& name : names) {
    const auto found = role_numbers_.find(name);
    if (found == role_numbers_.end() || !own.contains(found->second)) {
      return absl::InvalidArgumentError(
          absl::StrCat("role ", Quote(name), ": is none of framework ",
                       Quote(frameworks_[framework].name), "; its own roles only"));
    }
    roles.push_back(found->second);
  }
  return roles;
}

absl::Status Allocator::Suppress(std::string_view name, const std::vector<std::string>& roles) {
  const absl::StatusOr<uint32_t> number = FrameworkNamed(name);
  if (!number.ok()) return number.status();
  const absl::StatusOr<std::vector<uint32_t>> numbers = RolesOf(*number, roles);
  if (!numbers.ok()) return numbers.status();
  for (const uint32_t role : *numbers) {
    roles_[role].sorter->SetActive(*number, false);
    frameworks_[*number].suppressed.insert(role);
  }
  return absl::OkStatus();
}

absl::Status Allocator::Revive(std::string_view name, const std::vector<std::string>& roles) {
  const absl::StatusOr<uint32_t> number = FrameworkNamed(name);
  if (!number.ok()) return number.status();
  const absl::StatusOr<std::vector<uint32_t>> numbers = RolesOf(*number, roles);
  if (!numbers.ok()) return numbers.status();
  DropFilters(*number, *numbers);
  Framework& framework = frameworks_[*number];
  for (const uint32_t role : *numbers) {
    framework.suppressed.erase(role);
    roles_[role].sorter->SetActive(*number, framework.active);
  }
  ConsiderAll();
  return absl::OkStatus();
}

// --- quotas and weights

absl::Status Allocator::SetQuota(std::string_view name, const NamedAmounts& guarantees,
                                 const NamedAmounts& limits) {
  const absl::StatusOr<Amounts> least = AmountsOf(guarantees);
  if (!least.ok()) return least.status();
  const absl::StatusOr<Amounts> most = AmountsOf(limits);
  if (!most.ok()) return most.status();
  if (name.find('/') != std::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("quota of role ", Quote(name), ": has a parent; only top-level roles do not"));
  }
  const absl::StatusOr<uint32_t> number = RoleNamed(name);
  if (!number.ok()) return number.status();
  Role& role = roles_[*number];
  role.guarantees = *least;
  role.limits = {.most = *most};
  for (const auto& [limited, amount] : limits) role.limits.named |= 1u << *ColumnOf(limited);
  role.quota = !role.guarantees.empty() || !role.limits.empty();
  return absl::OkStatus();
}

absl::Status Allocator::SetWeight(std::string_view role, double weight) {
  if (!(weight > 0) || std::isinf(weight)) {
    return absl::InvalidArgumentError(
        absl::StrCat("weight of role ", Quote(role), ": ", weight, " is not a finite number > 0"));
  }
  if (const absl::StatusOr<uint32_t> number = RoleNamed(role); !number.ok()) {
    return number.status();
  }
  role_sorter_.SetWeight(role, weight);
  return absl::OkStatus();
}

// --- what comes back

absl::Status Allocator::Recover(const Offer& back, std::optional<double> refuse_seconds) {
  if (back.agent >= agents_.size() || back.framework >= frameworks_.size() ||
      back.role >= roles_.size()) {
    return absl::InvalidArgumentError("offer: its numbers are not those of an offer of Allocate");
  }
  Agent& agent = agents_[back.agent];
  if (back.resources.empty() || !agent.there || !frameworks_[back.framework].there) {
    return absl::OkStatus();
  }
  const auto held = std::ranges::find_if(agent.held, [&](const Held& part) {
    return part.framework == back.framework && part.role == back.role;
  });
  if (held == agent.held.end() || !Contains(held->resources, back.resources)) {
    return absl::InvalidArgumentError(absl::StrCat("agent ", Quote(agent.name), ": framework ",
                                                   Quote(frameworks_[back.framework].name),
                                                   " holds less than comes back"));
  }
  Unbook(back.agent, back.framework, back.role, back.resources);
  Subtract(held->resources, back.resources);
  if (held->resources.empty()) {
    agent.held.erase(held);
    DropHolding(back.framework, back.role);
  }
  Refresh(agent);
  if (refuse_seconds) Refuse(back, *refuse_seconds);
  return absl::OkStatus();
}

void Allocator::Refuse(const Offer& back, double seconds) {
  if (seconds < 0 || std::isnan(seconds)) seconds = kDefaultRefusal;
  if (seconds == 0) return;
  seconds = std::max(std::min(seconds, kLongestRefusal), options_.interval_seconds);
  auto& filters = agents_[back.agent].filters[std::pair(back.framework, back.role)];
  std::erase_if(filters, [&](const auto& filter) { return filter.second < now_; });
  filters.push_back({back.resources, now_ + seconds});
}

// --- filters that outlive the allocator

std::vector<Allocator::Refused> Allocator::Filters() const {
  std::vector<Refused> all;
  for (uint32_t i = 0; i < agents_.size(); ++i) {
    for (const auto& [whose, filters] : agents_[i].filters) {
      for (const auto& [bundle, until] : filters) {
        if (until >= now_) all.push_back({whose.first, whose.second, i, bundle, until});
      }
    }
  }
  return all;
}

absl::Status Allocator::Restore(uint32_t agent, uint32_t framework, std::string_view role,
                                const std::vector<Resource>& resources, double until) {
  const absl::StatusOr<uint32_t> number = RoleNamed(role);
  if (!number.ok()) return number.status();
  absl::StatusOr<Bundle> bundle = BundleOf(resources);
  if (!bundle.ok()) return bundle.status();
  if (until < now_) return absl::OkStatus();
  agents_[agent].filters[std::pair(framework, *number)].push_back({*std::move(bundle), until});
  return absl::OkStatus();
}

}  // namespace muster::mesos
