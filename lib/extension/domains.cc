// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/extension/domains.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace muster {

void Domains::Open(const Tables& tables, bool changed) {
  const bool first = tables_ == nullptr;
  tables_ = &tables;
  if (first || changed) BuildTree();
  of_job_.clear();
  of_group_.clear();
  anchor_ = kNone;
}

void Domains::BuildTree() {
  ++version_;
  const DomainTable& table = tables_->domains;
  const NodeTable& nodes = tables_->nodes;
  root_ = DomainIndex(table.alive.size());
  tier_.assign(root_ + 1, 0);
  parent_.assign(root_ + 1, kNone);
  children_.assign(root_ + 1, {});
  begin_.assign(root_ + 1, 0);
  end_.assign(root_ + 1, 0);
  tier_names_.clear();
  int32_t highest = 0;
  lowest_tier_ = 0;
  std::vector<DomainIndex> by_name;
  for (DomainIndex d = 0; d < root_; ++d) {
    if (table.alive[d]) by_name.push_back(d);
  }
  std::sort(by_name.begin(), by_name.end(), [&](DomainIndex a, DomainIndex b) {
    return table.names.name(a) < table.names.name(b);
  });
  rank_.assign(root_ + 1, 0);  // the root comes first; it is never compared
  for (uint32_t rank = 0; rank < by_name.size(); ++rank) {
    const DomainIndex d = by_name[rank];
    rank_[d] = rank + 1;
    tier_[d] = table.spec[d].tier;
    highest = std::max(highest, tier_[d]);
    lowest_tier_ = lowest_tier_ == 0 ? tier_[d] : std::min(lowest_tier_, tier_[d]);
    parent_[d] = table.parent[d] == kNone ? root_ : table.parent[d];
    children_[parent_[d]].push_back(d);
    if (!table.spec[d].tier_name.empty())
      tier_names_.emplace_back(table.spec[d].tier_name, tier_[d]);
  }
  tier_[root_] = highest + 1;
  if (lowest_tier_ == 0) lowest_tier_ = tier_[root_];

  nodes_.clear();
  place_.assign(nodes.alive.size(), kNone);
  above_.assign(nodes.alive.size(), kNone);
  lowest_.assign(nodes.alive.size(), kNone);
  Number(root_, kNone);
}

// Places the nodes of `top` and of all below it, those of lower domains first. `lowest`: the domain
// of the lowest tier above or at the domain.
void Domains::Number(DomainIndex top, DomainIndex lowest) {
  struct Step {
    DomainIndex domain, lowest;
    size_t next = 0;  // child
  };
  std::vector<Step> path;  // trees may be deeper than a thread's stack
  const auto enter = [&](DomainIndex d, DomainIndex above) {
    begin_[d] = static_cast<uint32_t>(nodes_.size());
    path.push_back({d, tier_[d] == lowest_tier_ ? d : above});
  };
  for (enter(top, lowest); !path.empty();) {
    Step& step = path.back();
    const DomainIndex d = step.domain;
    if (step.next < children_[d].size()) {
      enter(children_[d][step.next++], step.lowest);
      continue;
    }
    const auto place = [&](NodeIndex n) {
      place_[n] = static_cast<uint32_t>(nodes_.size());
      above_[n] = d;
      lowest_[n] = step.lowest;
      nodes_.push_back(n);
    };
    if (d == root_) {
      for (NodeIndex n = 0; n < place_.size(); ++n) {
        if (tables_->nodes.alive[n] && tables_->nodes.domain[n] == kNone) place(n);
      }
    } else {
      for (NodeIndex n : tables_->domains.nodes[d]) place(n);
    }
    end_[d] = static_cast<uint32_t>(nodes_.size());
    path.pop_back();
  }
}

DomainIndex Domains::Lca(DomainIndex a, DomainIndex b) const {
  if (a == kNone) return b;
  if (b == kNone) return a;
  for (DomainIndex up = b; up != kNone; up = parent_[up]) {
    for (DomainIndex d = a; d != kNone; d = parent_[d]) {
      if (d == up) return d;
    }
  }
  return root_;
}

std::string Domains::TierText(int32_t tier) const {
  if (tier >= tier_[root_]) return "the whole cluster";
  std::string text = "tier " + std::to_string(tier);
  for (const auto& [name, of] : tier_names_) {
    if (of == tier) return text.append(" (").append(name).append(")");
  }
  return text;
}

Domains::Wish Domains::Resolve(const std::optional<TopologyWish>& wish) const {
  Wish resolved;
  if (!wish) return resolved;
  resolved.there = true;
  if (wish->highest_tier) {
    resolved.hard = wish->hard;
    resolved.tier = *wish->highest_tier;
    return resolved;
  }
  // If tiers share a name, the last one counts.
  for (const auto& [name, tier] : tier_names_) {
    if (!wish->highest_tier_name.empty() && name == wish->highest_tier_name) {
      resolved.hard = wish->hard;
      resolved.tier = tier;
    }
  }
  return resolved;
}

Domains::Wish Domains::WishOf(JobIndex job) const {
  const std::optional<TopologyWish>& wish = tables_->jobs.spec[job].topology;
  if (wish && !wish->hard) return {true, true, tier_[root_]};
  return Resolve(wish);
}

Domains::Wish Domains::WishOf(const SubGroup& group) const {
  if (group.index == kNone) return WishOf(group.job);
  const std::optional<TopologyWish>& wish =
      tables_->jobs.spec[group.job].sub_groups[group.index].topology;
  if (!wish || wish->hard) return Resolve(wish);
  const Wish of_job = WishOf(group.job);
  return {true, true, of_job.hard ? of_job.tier : tier_[root_]};
}

bool Domains::Bounds(JobIndex job) const {
  const Wish wish = WishOf(job);
  return wish.hard && wish.tier < tier_[root_];
}

bool Domains::HasSubGroups(JobIndex job) const {
  const JobSpec& spec = tables_->jobs.spec[job];
  return !spec.sub_groups.empty() || !spec.sub_group_policies.empty();
}

bool Domains::Concerns(JobIndex job) const {
  return HasSubGroups(job) || tables_->jobs.spec[job].topology.has_value();
}

int64_t Domains::Need(const SubGroup& group) const {
  const JobSpec& spec = tables_->jobs.spec[group.job];
  if (group.index != kNone) return spec.sub_groups[group.index].min_available;
  return HasSubGroups(group.job) ? 1 : spec.min_available;
}

std::string_view Domains::PolicyOf(const SubGroup& group) const {
  if (group.index == kNone) return {};
  return tables_->jobs.spec[group.job].sub_groups[group.index].policy;
}

DomainIndex Domains::allocated(const SubGroup& group) {
  const auto [it, added] = of_group_.try_emplace({group.job, group.index}, kNone);
  if (!added || !WishOf(group).there) return it->second;
  for (TaskIndex t : tables_->jobs.tasks[group.job]) {
    if (tables_->tasks.sub_group[t] != group.index || !IsAllocated(tables_->tasks.status[t]))
      continue;
    const NodeIndex n = tables_->tasks.node[t];
    // A node that is not ready may be one that only tasks still name.
    if (n == kNone || above_[n] == kNone || !tables_->nodes.spec[n].ready) {
      it->second = kNone;  // a task is where no domain is, not even the root
      break;
    }
    it->second = Lca(it->second, above_[n]);
  }
  return it->second;
}

DomainIndex Domains::allocated(JobIndex job) {
  const auto it = of_job_.find(job);
  if (it != of_job_.end()) return it->second;
  DomainIndex all = kNone;
  const size_t sub_groups = tables_->jobs.spec[job].sub_groups.size();
  for (size_t slot = 0; slot <= sub_groups; ++slot) {
    all = Lca(all, allocated(SubGroup::AtSlot(job, slot)));
  }
  of_job_[job] = all;
  return all;
}

void Domains::set_allocated(JobIndex job, DomainIndex domain) { of_job_[job] = domain; }
void Domains::set_allocated(const SubGroup& group, DomainIndex domain) {
  of_group_[{group.job, group.index}] = domain;
}

}  // namespace muster
