// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/mesos/allocator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster::mesos {
namespace {

absl::Status Unknown(std::string_view what, std::string_view name) {
  return absl::InvalidArgumentError(
      absl::StrCat(ToAbsl(what), " ", Quote(name), ": not known; it must be added first"));
}

absl::Status CheckAmount(const std::string& name, double amount) {
  if (amount >= 0 && amount <= kMostAmount) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("resource ", Quote(name), ": ", amount, " is not in 0..1e10"));
}

// Parts of a path that the tree of roles or the peer has another use for.
absl::Status CheckPath(std::string_view path) {
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") {
      return absl::InvalidArgumentError(
          absl::StrCat("name ", Quote(path), ": an empty part, \".\" or \"..\"; none is allowed"));
    }
    begin = end + 1;
  }
  return absl::OkStatus();
}

absl::Status CheckRanges(const Resource& resource) {
  for (const auto& [first, last] : resource.ranges) {
    if (first >= 0 && first <= last && last <= kMostNumber) continue;
    return absl::InvalidArgumentError(absl::StrCat("resource ", Quote(resource.kind.name),
                                                   ": range ", first, "-", last,
                                                   " is empty or not in 0..", kMostNumber));
  }
  return absl::OkStatus();
}

// Texts of a kind, each with its length, so that no two kinds have one key.
std::string KeyOf(const Kind& kind) {
  std::string key = absl::StrCat(kind.revocable, kind.shared, kind.indivisible, kind.ranges);
  for (const std::string* text : {&kind.name, &kind.disk}) {
    absl::StrAppend(&key, text->size(), ":", *text);
  }
  for (const std::string& role : kind.reservations) absl::StrAppend(&key, role.size(), ":", role);
  return key;
}

// The loads of a bundle, all of it, and by how a quota counts it.
struct Loads {
  Load all, plain, reserved;
};

Loads LoadsOf(const Bundle& bundle) {
  Loads loads{.all = LoadOf(bundle)};
  for (const Item& item : bundle) {
    if (!item.scalar() || (item.revocable && !item.reserved())) continue;
    Load& load = item.reserved() ? loads.reserved : loads.plain;
    if (item.shared) {
      load.shared.push_back(item);
    } else {
      load.own[item.column] += item.amount;
    }
  }
  return loads;
}

// Takes from `available` what is not shared.
void UseUp(Bundle& available, const Bundle& bundle) {
  if (std::ranges::none_of(bundle, [](const Item& item) { return item.shared; }))
    return Subtract(available, bundle);
  Bundle own = bundle;
  std::erase_if(own, [](const Item& item) { return item.shared; });
  Subtract(available, own);
}

}  // namespace

Allocator::Allocator(Options options)
    : options_(std::move(options)),
      sorter_rng_(options_.sorter_seed),
      role_sorter_(options_.role_order, &totals_, &sorter_rng_) {
  if (options_.shuffle_seed) shuffle_.emplace(*options_.shuffle_seed);
}

absl::StatusOr<std::unique_ptr<Allocator>> Allocator::Make(Options options) {
  std::unique_ptr<Allocator> allocator(new Allocator(std::move(options)));
  for (const std::string& name : allocator->options_.not_in_shares) {
    const absl::StatusOr<uint8_t> column = allocator->ColumnOf(name);
    if (!column.ok()) return column.status();
    allocator->totals_.left_out |= 1u << *column;
  }
  absl::StatusOr<std::vector<Amounts>> sets = allocator->SetsOf(allocator->options_.least_offer);
  if (!sets.ok()) return sets.status();
  allocator->least_offer_ = *std::move(sets);
  return allocator;
}

// --- names and numbers

absl::StatusOr<uint32_t> Allocator::AgentNamed(std::string_view name) const {
  const auto found = agent_numbers_.find(name);
  if (found == agent_numbers_.end()) return Unknown("agent", name);
  return found->second;
}

absl::StatusOr<uint32_t> Allocator::FrameworkNamed(std::string_view name) const {
  const auto found = framework_numbers_.find(name);
  if (found == framework_numbers_.end()) return Unknown("framework", name);
  return found->second;
}

// Makes the role, and the roles above it, if need be.
absl::StatusOr<uint32_t> Allocator::RoleNamed(std::string_view path) {
  const auto found = role_numbers_.find(path);
  if (found != role_numbers_.end()) return found->second;
  if (const absl::Status status = CheckPath(path); !status.ok()) return status;
  uint32_t parent = kNone;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view prefix = path.substr(0, end);
    const auto [at, is_new] =
        role_numbers_.try_emplace(std::string(prefix), static_cast<uint32_t>(roles_.size()));
    if (is_new) roles_.push_back({.path = std::string(prefix), .parent = parent});
    parent = at->second;
    begin = end + 1;
  }
  return parent;
}

absl::StatusOr<uint8_t> Allocator::ColumnOf(const std::string& name) {
  const auto found = std::ranges::find(names_, name);
  const auto column = static_cast<uint8_t>(found - names_.begin());
  if (found != names_.end()) return column;
  if (names_.size() == kMostNames) {
    return absl::InvalidArgumentError(
        absl::StrCat("resource ", Quote(name), ": more than ", kMostNames, " names in a cluster"));
  }
  names_.push_back(name);
  return column;
}

absl::StatusOr<uint32_t> Allocator::KindNumber(const Kind& kind) {
  const std::string key = KeyOf(kind);
  const auto found = kind_numbers_.find(key);
  if (found != kind_numbers_.end()) return found->second;
  const absl::StatusOr<uint8_t> column = ColumnOf(kind.name);
  if (!column.ok()) return column.status();
  Item item{.kind = static_cast<uint32_t>(kinds_.size()), .column = *column};
  if (!kind.reservations.empty()) {
    const absl::StatusOr<uint32_t> role = RoleNamed(kind.reservations.back());
    if (!role.ok()) return role.status();
    item.role = *role;
  }
  if (kind.indivisible || kind.shared) item.form = Form::kSolid;
  if (kind.ranges) item.form = Form::kRange;
  item.revocable = kind.revocable;
  item.shared = kind.shared;
  item.refined = kind.reservations.size() > 1;
  kinds_.push_back(kind);
  items_.push_back(item);
  kind_numbers_[key] = item.kind;
  return item.kind;
}

absl::StatusOr<Bundle> Allocator::BundleOf(const std::vector<Resource>& resources) {
  Bundle bundle;
  for (const Resource& resource : resources) {
    if (const auto status = CheckAmount(resource.kind.name, resource.amount); !status.ok()) {
      return status;
    }
    if (const absl::Status status = CheckRanges(resource); !status.ok()) return status;
    const absl::StatusOr<uint32_t> kind = KindNumber(resource.kind);
    if (!kind.ok()) return kind.status();
    Item item = items_[*kind];
    if (resource.kind.ranges) {
      for (const auto& [first, last] : resource.ranges) {
        item.begin = static_cast<uint32_t>(first);
        item.amount = (last - first + 1) * 1000;
        Add(bundle, item);
      }
    } else if (item.amount = Thousandths(resource.amount); item.amount > 0) {
      Add(bundle, item);
    }
  }
  return bundle;
}

absl::StatusOr<Amounts> Allocator::AmountsOf(const NamedAmounts& amounts) {
  Amounts result;
  for (const auto& [name, amount] : amounts) {
    if (const absl::Status status = CheckAmount(name, amount); !status.ok()) return status;
    const absl::StatusOr<uint8_t> column = ColumnOf(name);
    if (!column.ok()) return column.status();
    result[*column] = Thousandths(amount);
  }
  return result;
}

absl::StatusOr<std::vector<Amounts>> Allocator::SetsOf(const std::vector<NamedAmounts>& sets) {
  std::vector<Amounts> result;
  for (const NamedAmounts& set : sets) {
    const absl::StatusOr<Amounts> amounts = AmountsOf(set);
    if (!amounts.ok()) return amounts.status();
    result.push_back(*amounts);
  }
  return result;
}

// --- books

void Allocator::Track(uint32_t framework, uint32_t role) {
  Role& at = roles_[role];
  if (at.frameworks++ == 0) {
    role_sorter_.Add(at.path, role);
    role_sorter_.SetActive(role, true);
    at.sorter.emplace(options_.framework_order, &totals_, &sorter_rng_);
  }
  at.sorter->Add(frameworks_[framework].name, framework);
}

// Removes the framework from the role unless it still holds something there.
bool Allocator::TryUntrack(uint32_t framework, uint32_t role) {
  if (frameworks_[framework].holdings.contains(role)) return false;
  Role& at = roles_[role];
  at.sorter->Remove(framework);
  if (--at.frameworks == 0) {
    role_sorter_.Remove(role);
    at.sorter.reset();
  }
  return true;
}

void Allocator::Book(uint32_t agent, uint32_t framework, uint32_t role, const Bundle& bundle) {
  std::vector<Held>& held = agents_[agent].held;
  const auto same = std::ranges::find_if(
      held, [&](const Held& other) { return other.framework == framework && other.role == role; });
  Bundle& available = agents_[agent].available;
  // Nearly all offers are all that an agent has left: then its items move, and none is subtracted.
  const bool takes_all = bundle == available &&
                         std::ranges::none_of(bundle, [](const Item& item) { return item.shared; });
  Bundle own = takes_all ? std::exchange(available, {}) : bundle;
  if (!takes_all) UseUp(available, bundle);
  if (same != held.end()) {
    Add(same->resources, own);
  } else {
    held.push_back({framework, role, std::move(own)});
    ++frameworks_[framework].holdings[role];
  }
  if (roles_[role].frameworks == 0 || !roles_[role].sorter->Has(framework)) {
    Track(framework, role);
  }
  const Loads loads = LoadsOf(bundle);
  for (uint32_t up = role; up != kNone; up = roles_[up].parent) {
    roles_[up].offered.Add(agent, loads.plain);
  }
  reserved_offered_.Add(agent, loads.reserved);
  role_sorter_.Allocated(role, agent, loads.all);
  roles_[role].sorter->Allocated(framework, agent, loads.all);
}

// The reverse of Book; the agent's own books are the caller's to mend.
void Allocator::Unbook(uint32_t agent, uint32_t framework, uint32_t role, const Bundle& bundle) {
  const Loads loads = LoadsOf(bundle);
  for (uint32_t up = role; up != kNone; up = roles_[up].parent) {
    roles_[up].offered.Remove(agent, loads.plain);
  }
  reserved_offered_.Remove(agent, loads.reserved);
  roles_[role].sorter->Unallocated(framework, agent, loads.all);
  role_sorter_.Unallocated(role, agent, loads.all);
}

// Forgets that the framework holds something of an agent for the role.
void Allocator::DropHolding(uint32_t framework, uint32_t role) {
  Framework& owner = frameworks_[framework];
  const auto count = owner.holdings.find(role);
  if (--count->second > 0) return;
  owner.holdings.erase(role);
  if (!owner.roles.contains(role)) TryUntrack(framework, role);
}

// Computes what the agent has available. Shared items are available always.
void Allocator::Refresh(Agent& agent) {
  agent.available.clear();
  for (const Item& item : agent.total) {
    if (!item.shared) agent.available.push_back(item);
  }
  for (const Held& held : agent.held) UseUp(agent.available, held.resources);
  for (const Item& item : agent.total) {
    if (item.shared) agent.available.push_back(item);
  }
}

// Replaces the total of an agent in all sums.
void Allocator::SetTotal(Agent& agent, Bundle total) {
  totals_.amounts.Reduce(ScalarSum(agent.total));
  totals_.amounts += ScalarSum(total);
  ++totals_.version;
  const auto reserve = [&](const Bundle& bundle, bool add) {
    for (const Item& item : bundle) {
      if (!item.scalar() || !item.reserved()) continue;
      const int64_t change = add ? item.amount : -item.amount;
      reserved_[item.column] += change;
      for (uint32_t up = item.role; up != kNone; up = roles_[up].parent) {
        roles_[up].reserved[item.column] += change;
      }
    }
  };
  reserve(agent.total, false);
  reserve(total, true);
  agent.total = std::move(total);
  agent.has_revocable =
      std::ranges::any_of(agent.total, [](const Item& item) { return item.revocable; });
  agent.has_gpus = std::ranges::any_of(agent.total, [&](const Item& item) {
    return item.scalar() && names_[item.column] == "gpus";
  });
  Refresh(agent);
}

// --- agents

absl::StatusOr<std::vector<Allocator::Held>> Allocator::GrantsOf(const AgentSpec& spec) {
  std::vector<Held> grants;
  for (const Grant& grant : spec.used) {
    const absl::StatusOr<uint32_t> framework = FrameworkNamed(grant.framework);
    if (!framework.ok()) return framework.status();
    const absl::StatusOr<uint32_t> role = RoleNamed(grant.role);
    if (!role.ok()) return role.status();
    absl::StatusOr<Bundle> bundle = BundleOf(grant.resources);
    if (!bundle.ok()) return bundle.status();
    grants.push_back({*framework, *role, *std::move(bundle)});
  }
  return grants;
}

absl::Status Allocator::AddAgent(const AgentSpec& spec) {
  if (agent_numbers_.contains(spec.name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("agent ", Quote(spec.name), ": is there already; names differ"));
  }
  absl::StatusOr<Bundle> total = BundleOf(spec.resources);
  if (!total.ok()) return total.status();
  absl::StatusOr<std::vector<Held>> grants = GrantsOf(spec);
  if (!grants.ok()) return grants.status();

  const auto number = static_cast<uint32_t>(agents_.size());
  agent_numbers_[spec.name] = number;
  Agent& agent = agents_.emplace_back();
  agent.name = spec.name;
  agent.traits = spec.traits;
  agent.many_roles = spec.many_roles;
  agent.hierarchical_roles = spec.hierarchical_roles;
  agent.remote = spec.traits.region && *spec.traits.region != options_.region;
  SetTotal(agent, *std::move(total));
  for (const Held& grant : *grants) {
    if (!grant.resources.empty()) Book(number, grant.framework, grant.role, grant.resources);
  }
  agent.candidate = true;
  return absl::OkStatus();
}

absl::Status Allocator::UpdateAgent(std::string_view name, const std::vector<Resource>& resources) {
  const absl::StatusOr<uint32_t> number = AgentNamed(name);
  if (!number.ok()) return number.status();
  absl::StatusOr<Bundle> total = BundleOf(resources);
  if (!total.ok()) return total.status();
  Agent& agent = agents_[*number];
  if (Contains(agent.total, *total) && Contains(*total, agent.total)) return absl::OkStatus();
  SetTotal(agent, *std::move(total));
  agent.candidate = true;
  return absl::OkStatus();
}

absl::Status Allocator::RemoveAgent(std::string_view name) {
  const absl::StatusOr<uint32_t> number = AgentNamed(name);
  if (!number.ok()) return number.status();
  Agent& agent = agents_[*number];
  const std::vector<Held> held = std::move(agent.held);
  agent.held.clear();
  for (const Held& part : held) {
    Unbook(*number, part.framework, part.role, part.resources);
    DropHolding(part.framework, part.role);
  }
  SetTotal(agent, {});
  agent.there = false;
  agent.filters.clear();
  agent_numbers_.erase(name);
  return absl::OkStatus();
}

absl::Status Allocator::SetOffered(std::string_view name, bool offered) {
  const absl::StatusOr<uint32_t> number = AgentNamed(name);
  if (!number.ok()) return number.status();
  agents_[*number].offered = offered;
  return absl::OkStatus();
}

void Allocator::ConsiderAll() {
  for (Agent& agent : agents_) agent.candidate = true;
}

}  // namespace muster::mesos
