// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/flavor_scan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace muster::kueue {
namespace {

int64_t AmountIn(const Requests& requests, ResourceIndex resource) {
  for (const ResourceAmount& r : requests) {
    if (r.resource == resource) return r.amount;
  }
  return 0;
}

bool Has(const Requests& requests, ResourceIndex resource) {
  return std::any_of(requests.begin(), requests.end(),
                     [&](const ResourceAmount& r) { return r.resource == resource; });
}

void AddTo(Requests* sum, const Requests& more) {
  for (const ResourceAmount& m : more) {
    const auto at = std::find_if(sum->begin(), sum->end(),
                                 [&](const ResourceAmount& r) { return r.resource == m.resource; });
    if (at == sum->end()) {
      sum->push_back(m);
    } else {
      at->amount = SaturatingPlus(at->amount, m.amount);
    }
  }
}

void AddUsage(CellAmounts* usage, Cell cell, Amount amount) {
  for (CellAmount& u : *usage) {
    if (u.cell == cell) {
      u.amount = Plus(u.amount, amount);
      return;
    }
  }
  usage->push_back({cell, amount});
}

Amount UsageIn(const CellAmounts& usage, Cell cell) {
  for (const CellAmount& u : usage) {
    if (u.cell == cell) return u.amount;
  }
  return 0;
}

int32_t StartOf(const WorkloadRow& workload, uint32_t pod_set, ResourceIndex resource) {
  if (!workload.progress || pod_set >= workload.progress->tried.size()) return 0;
  for (const auto& [known, index] : workload.progress->tried[pod_set]) {
    if (known == resource) return index + 1;
  }
  return 0;
}

// Adds the choice, in place of an earlier one for its resource: two groups may cover it.
void Choose(const FlavorChoice& choice, std::vector<FlavorChoice>* chosen) {
  for (FlavorChoice& c : *chosen) {
    if (c.resource != choice.resource) continue;
    c = choice;
    return;
  }
  chosen->push_back(choice);
}

bool HasTopology(const World& world, FlavorIndex flavor) {
  return world.flavors[flavor].exists && world.flavors[flavor].spec.topology.has_value();
}

bool IsGrouped(const WorkloadRow& workload, const PodSetAssignment& p) {
  return !workload.pod_sets[p.pod_set].group.empty();
}

FlavorIndex FlavorIn(const std::vector<Granted>& granted, uint32_t pod_set,
                     ResourceIndex resource) {
  if (pod_set >= granted.size()) return kNothing;
  for (const auto& [known, flavor] : granted[pod_set].flavors) {
    if (known == resource) return flavor;
  }
  return kNothing;
}

}  // namespace

bool IsPreferred(const Grade& a, const Grade& b, bool prefers_preemption) {
  if (a.possibility == Possibility::kNoFit) return false;
  if (b.possibility == Possibility::kNoFit) return true;
  if (a.possibility == Possibility::kNoCandidates && b.possibility != Possibility::kNoCandidates) {
    return false;
  }
  if (a.possibility != Possibility::kNoCandidates && b.possibility == Possibility::kNoCandidates) {
    return true;
  }
  if (prefers_preemption) {
    if (a.borrow != b.borrow) return a.borrow < b.borrow;
    return a.possibility > b.possibility;
  }
  if (a.possibility != b.possibility) return a.possibility > b.possibility;
  return a.borrow < b.borrow;
}

void Refuse(FlavorIndex flavor, Lack lack, std::vector<RefusedFlavor>* refused) {
  for (RefusedFlavor& known : *refused) {
    if (known.flavor != flavor) continue;
    known.lack = std::max(known.lack, lack);
    return;
  }
  refused->push_back({flavor, lack});
}

Lack LackOf(const World& world, Queue queue, const Assignment& assignment) {
  if (assignment.mode() != Mode::kNoFit) return Lack::kNone;
  Lack hardest = Lack::kNone;
  for (const PodSetAssignment& p : assignment.pod_sets) {
    if (p.mode() != Mode::kNoFit) continue;
    if (!p.tried_some) hardest = Lack::kFlavor;
    const auto uncovered = [](const Obstacle& o) {
      return o.lack == Lack::kFlavor && o.flavor == kNothing && o.resource != kNothing;
    };
    if (p.error && std::any_of(p.obstacles.begin(), p.obstacles.end(), uncovered)) {
      hardest = Lack::kFlavor;
    }
    for (const FlavorGroup& group : world.queues[queue].groups) {
      std::optional<Lack> mildest;
      for (const RefusedFlavor& refused : p.refused) {
        if (std::find(group.flavors.begin(), group.flavors.end(), refused.flavor) !=
            group.flavors.end()) {
          mildest = std::min(mildest.value_or(refused.lack), refused.lack);
        }
      }
      hardest = std::max(hardest, mildest.value_or(Lack::kNone));
    }
  }
  return hardest;
}

Mode PodSetAssignment::mode() const {
  if (obstacles.empty() && !error) return Mode::kFit;
  if (error || flavors.empty()) return Mode::kNoFit;
  Mode worst = Mode::kFit;
  for (const FlavorChoice& f : flavors) worst = std::min(worst, f.mode());
  return worst;
}

Mode Assignment::mode() const {
  if (pod_sets.empty()) return Mode::kNoFit;
  Mode worst = Mode::kFit;
  for (const PodSetAssignment& p : pod_sets) worst = std::min(worst, p.mode());
  return deferred && worst == Mode::kFit ? Mode::kDeferredFit : worst;
}

std::vector<FlavorScan::Members> FlavorScan::Groups() const {
  std::vector<Members> groups;
  for (uint32_t i = 0; i < workload_.pod_sets.size(); ++i) {
    const std::string& name = workload_.pod_sets[i].group;
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const Members& m) {
      return !name.empty() && workload_.pod_sets[m.front()].group == name;
    });
    if (known == groups.end()) {
      groups.push_back({i});
    } else {
      known->push_back(i);
    }
  }
  return groups;
}

PodSetAssignment FlavorScan::Opened(uint32_t pod_set, const std::vector<int64_t>* counts) const {
  const PodSet& p = workload_.pod_sets[pod_set];
  PodSetAssignment out{.pod_set = pod_set, .count = p.count, .requests = p.requests};
  if (kept_ != nullptr && pod_set < kept_->size()) {
    out.count = (*kept_)[pod_set].count;
    out.requests = (*kept_)[pod_set].requests;
    out.places = (*kept_)[pod_set].places;
    return out;
  }
  if (counts != nullptr && (*counts)[pod_set] != p.count) {
    out.count = (*counts)[pod_set];
    for (ResourceAmount& r : out.requests) {
      if (p.count != 0) r.amount = Times(r.amount / p.count, out.count);
    }
  }
  const ResourceIndex pods = world_.Resource("pods");
  if (world_.GroupOf(queue_, pods) != nullptr) {
    std::erase_if(out.requests, [&](const ResourceAmount& r) { return r.resource == pods; });
    out.requests.push_back({pods, out.count});
    world_.Sort(&out.requests);
  }
  return out;
}

Assignment FlavorScan::Assign(const std::vector<int64_t>* counts) {
  Assignment out;
  out.progress.generation = world_.queues[queue_].generation;
  out.progress.hash = workload_.hash;
  for (const Members& members : Groups()) {
    if (!AssignGroup(members, counts, &out)) break;
  }
  return out;
}

bool FlavorScan::AssignGroup(const Members& members, const std::vector<int64_t>* counts,
                             Assignment* out) {
  std::vector<PodSetAssignment> opened;
  Requests requests;
  for (const uint32_t i : members) {
    opened.push_back(Opened(i, counts));
    AddTo(&requests, opened.back().requests);
  }
  world_.Sort(&requests);
  std::vector<FlavorChoice> chosen;
  std::vector<Obstacle> obstacles;
  std::vector<RefusedFlavor> refused;
  bool error = false, tried_some = false;
  for (const ResourceAmount& r : requests) {
    if (std::any_of(chosen.begin(), chosen.end(),
                    [&](const FlavorChoice& c) { return c.resource == r.resource; })) {
      continue;
    }
    if (kept_ != nullptr) {
      const FlavorIndex flavor = FlavorIn(*kept_, members.front(), r.resource);
      if (flavor != kNothing) {
        chosen.push_back({r.resource, flavor, Possibility::kFit, 0, 0});
        continue;
      }
    }
    if (world_.GroupOf(queue_, r.resource) == nullptr &&
        (r.amount == 0 || world_.config.ignores_undeclared)) {
      continue;
    }
    Found found = Search(members, requests, r.resource, *out);
    tried_some = tried_some || found.tried_some;
    for (const RefusedFlavor& r : found.refused) Refuse(r.flavor, r.lack, &refused);
    obstacles.insert(obstacles.end(), found.obstacles.begin(), found.obstacles.end());
    if (found.error || found.choices.empty()) {
      error = found.error;
      chosen.clear();
      break;
    }
    for (const FlavorChoice& c : found.choices) Choose(c, &chosen);
  }
  bool whole = true;
  for (PodSetAssignment& p : opened) {
    p.error = error;
    p.obstacles = obstacles;
    p.refused = refused;
    p.tried_some = tried_some;
    TakeFlavors(chosen, &p, out);
    whole = whole && !error && (p.flavors.empty() ? p.requests.empty() || obstacles.empty() : true);
    out->pod_sets.push_back(std::move(p));
  }
  return whole;
}

// Gives the pod set those of the chosen flavors that are for it, and charges what it uses of them.
void FlavorScan::TakeFlavors(const std::vector<FlavorChoice>& chosen, PodSetAssignment* p,
                             Assignment* out) const {
  auto& tried = out->progress.tried.emplace_back();
  // A member that requests nothing, as a leader may, needs a place with the others.
  const bool follows = topology_ != nullptr && p->requests.empty();
  for (const FlavorChoice& c : chosen) {
    const bool takes = follows ? HasTopology(world_, c.flavor) && IsGrouped(workload_, *p)
                               : Has(p->requests, c.resource);
    if (!takes) continue;
    p->flavors.push_back(c);
    if (p->requests.empty()) continue;
    tried.emplace_back(c.resource, c.tried);
    out->borrowing = std::max(out->borrowing, c.borrow);
    bool other_flavor = false;
    const ResourceAmount own{c.resource, AmountIn(p->requests, c.resource)};
    AddUsage(&out->usage, world_.CellOf(c.flavor, c.resource),
             Wanted({p->pod_set}, c.flavor, own, &other_flavor));
  }
}

// Requests of the pod sets, less what the replaced workload gives back.
Amount FlavorScan::Wanted(const Members& members, FlavorIndex flavor, const ResourceAmount& request,
                          bool* other_flavor) const {
  Amount amount = request.amount;
  if (replaced_ == nullptr) return amount;
  for (const uint32_t i : members) {
    if (i >= replaced_->size()) continue;
    const FlavorIndex old = FlavorIn(*replaced_, i, request.resource);
    if (old == kNothing) continue;
    if (old != flavor) *other_flavor = true;
    amount = Minus(amount, AmountIn((*replaced_)[i].requests, request.resource));
  }
  return amount;
}

bool FlavorScan::IsOffered(const Members& members, FlavorIndex flavor, ResourceIndex first,
                           Obstacle* why) const {
  if (pins_ != nullptr) {
    for (const uint32_t i : members) {
      if (i >= pins_->size()) continue;
      for (const auto& [resource, pinned] : (*pins_)[i]) {
        if (resource == first && pinned != flavor) return false;
      }
    }
  }
  if (allowed_ != nullptr &&
      std::find(allowed_->begin(), allowed_->end(), flavor) == allowed_->end()) {
    why->text = absl::StrCat("flavor ", world_.flavors[flavor].name, " is not allowed");
    return false;
  }
  return true;
}

bool FlavorScan::MayUse(const Members& members, FlavorIndex flavor, ResourceIndex first,
                        Obstacle* why) {
  for (const uint32_t i : members) {
    if (!world_.flavors[flavor].exists) {
      why->text = absl::StrCat("flavor ", world_.flavors[flavor].name, " not found");
      return false;
    }
    if (topology_ != nullptr) {
      if (std::optional<std::string> text =
              topology_->Refuses(i, flavor, *world_.GroupOf(queue_, first))) {
        why->text = *std::move(text);
        return false;
      }
    }
    if (!world_.Eligible(workload_.pod_sets[i].shape, flavor, &why->text)) return false;
  }
  return true;
}

FlavorScan::Found FlavorScan::Search(const Members& members, const Requests& all,
                                     ResourceIndex first, const Assignment& so_far) {
  Found found;
  const FlavorGroup* group = world_.GroupOf(queue_, first);
  if (group == nullptr) {
    found.error = true;
    found.obstacles.push_back({.lack = Lack::kFlavor,
                               .resource = first,
                               .text = absl::StrCat("resource ", world_.resources[first],
                                                    " unavailable in ClusterQueue")});
    return found;
  }
  Requests requests;
  for (const ResourceAmount& r : all) {
    const auto& covered = group->resources;  // another group may cover it, too
    if (std::find(covered.begin(), covered.end(), r.resource) != covered.end()) {
      requests.push_back(r);
    }
  }
  members_ = &members;
  const Grade best = Scan(*group, requests, first, so_far, &found);
  if (best.possibility == Possibility::kFit) {
    found.obstacles.clear();
  } else if (found.obstacles.empty()) {
    found.obstacles.push_back({.lack = Lack::kFlavor, .resource = first, .text = "no flavor left"});
  }
  return found;
}

Grade FlavorScan::Scan(const FlavorGroup& group, const Requests& requests, ResourceIndex first,
                       const Assignment& so_far, Found* found) {
  const bool fungible = world_.config.gates.flavor_fungibility;
  Grade best;
  int32_t tried = -1;
  bool stopped = false;
  const int32_t end = static_cast<int32_t>(group.flavors.size());
  const int32_t start = fungible ? StartOf(workload_, members_->front(), first) : 0;
  for (int32_t i = start; i < end && !stopped; ++i) {
    tried = i;
    const FlavorIndex flavor = group.flavors[static_cast<size_t>(i)];
    Obstacle obstacle{.lack = Lack::kFlavor, .flavor = flavor};
    if (!IsOffered(*members_, flavor, first, &obstacle)) {
      found->obstacles.push_back(std::move(obstacle));
      continue;
    }
    found->tried_some = true;
    if (!MayUse(*members_, flavor, first, &obstacle)) {
      found->obstacles.push_back(std::move(obstacle));
      Refuse(flavor, Lack::kFlavor, &found->refused);
      continue;
    }
    std::vector<FlavorChoice> choices;
    Lack lack = Lack::kNone;
    const Grade grade =
        Judge(group, static_cast<size_t>(i), requests, so_far, &choices, found, &lack);
    if (grade.possibility == Possibility::kNoFit) Refuse(flavor, lack, &found->refused);
    stopped = fungible ? !GoesOn(grade) : grade.possibility == Possibility::kFit;
    if (fungible ? stopped || IsPreferred(grade, best, world_.queues[queue_].prefers_preemption)
                 : grade.possibility > best.possibility) {
      best = grade;
      found->choices = std::move(choices);
    }
  }
  if (fungible) {
    for (FlavorChoice& c : found->choices) c.tried = tried == end - 1 ? -1 : tried;
  }
  return best;
}

Grade FlavorScan::Judge(const FlavorGroup& group, size_t flavor, const Requests& requests,
                        const Assignment& so_far, std::vector<FlavorChoice>* choices, Found* found,
                        Lack* lack) {
  const bool prefers = world_.queues[queue_].prefers_preemption;
  Grade worst{Possibility::kFit, 0};
  for (const ResourceAmount& r : requests) {
    const size_t column =
        static_cast<size_t>(std::find(group.resources.begin(), group.resources.end(), r.resource) -
                            group.resources.begin());
    const Cell cell = group.cell(flavor, column);
    bool other_flavor = false;
    const Amount wanted = Wanted(*members_, group.flavors[flavor], r, &other_flavor);
    Obstacle obstacle{.flavor = group.flavors[flavor], .resource = r.resource, .current = wanted};
    Grade grade;
    if (other_flavor) {
      obstacle.lack = Lack::kFlavor;
      obstacle.text = "the workload that is replaced has another flavor";
    } else {
      grade = GradeOf(cell, Plus(UsageIn(so_far.usage, cell), wanted), &obstacle);
    }
    if (obstacle.lack != Lack::kNone) {
      if (grade.possibility == Possibility::kNoFit) *lack = std::max(*lack, obstacle.lack);
      found->obstacles.push_back(std::move(obstacle));
    }
    if (IsPreferred(worst, grade, prefers)) worst = grade;
    choices->push_back(
        {r.resource, group.flavors[flavor], grade.possibility, grade.borrow, /*tried=*/0});
    if (worst.possibility == Possibility::kNoFit) break;
  }
  return worst;
}

Grade FlavorScan::GradeOf(Cell cell, Amount amount, Obstacle* obstacle) {
  const QuotaTree& tree = world_.tree;
  const Amount most = tree.Potential(queue_, cell);
  obstacle->wanted = amount;
  obstacle->most = most;
  if (amount > most) {
    obstacle->lack = Lack::kQuota;
    return {Possibility::kNoFit, 0};
  }
  const QuotaTree::Borrowing borrowing = tree.BorrowHeight(queue_, cell, amount);
  const Amount available = tree.AvailableOf(queue_, cell);
  if (amount <= available) return {Possibility::kFit, borrowing.height};
  obstacle->lack = Lack::kUnused;
  obstacle->missing = Minus(amount, available);
  if (tree.nominal(queue_, cell) >= amount || borrowing.may_reclaim || MayPreemptWhileBorrowing()) {
    return oracle_->Ask(cell, amount);
  }
  return {Possibility::kNoFit, borrowing.height};
}

bool FlavorScan::MayPreemptWhileBorrowing() const {
  const QueueRow& queue = world_.queues[queue_];
  return (queue.while_borrowing && *queue.while_borrowing != Policy::kNever) ||
         (world_.config.fair_sharing && queue.reclaim != Policy::kNever);
}

bool FlavorScan::GoesOn(const Grade& grade) const {
  const QueueRow& queue = world_.queues[queue_];
  if (grade.possibility <= Possibility::kNoCandidates) return true;
  if (grade.possibility != Possibility::kFit && queue.when_preempting == FlavorSearch::kTryNext) {
    return true;
  }
  return grade.borrow != 0 && queue.when_borrowing == FlavorSearch::kTryNext;
}

}  // namespace muster::kueue
