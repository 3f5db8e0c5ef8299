// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/topology_world.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/peer/kueue/workload_rules.h"

namespace muster::kueue {
namespace {

bool IsExplicit(const PodSet& pod_set) {
  return pod_set.topology && AsksForPlaces(*pod_set.topology);
}

// Returns whether the host is one of the places.
bool IsIn(const NamedPlaces& places, const std::string& host) {
  return !host.empty() && std::any_of(places.begin(), places.end(),
                                      [&](const NamedPlace& p) { return p.leaf.back() == host; });
}

int32_t CountAt(const NamedPlaces& places, const std::vector<std::string>& leaf) {
  for (const NamedPlace& p : places) {
    if (p.leaf == leaf) return p.count;
  }
  return 0;
}

std::string RefusalOfElastic(const char* wish) {
  return absl::StrCat(wish, " topology is not supported with ElasticJobsViaWorkloadSlices");
}

TopologyGates GatesOf(const Gates& gates) {
  TopologyGates places{.mixed_profile = gates.mixed_profile};
  places.balanced_placement = gates.balanced_placement;
  places.respect_preferred_affinity = gates.preferred_affinity;
  places.overlapping_flavors = gates.overlapping_flavors;
  places.elastic_slices = gates.elastic_topology;
  return places;
}

}  // namespace

TopologyWorld::TopologyWorld(World& world, const std::vector<TopologyHost>& hosts)
    : world_(world), gates_(GatesOf(world.config.gates)) {
  world.Resource("pods");
  for (const TopologyHost& host : hosts) {
    for (const auto& [name, amount] : host.node.allocatable.value_or(host.node.capacity)) {
      world.Resource(name);
    }
    for (const auto& [name, amount] : host.taken) world.Resource(name);
  }
  const size_t width = world.resources.size();
  std::vector<std::vector<int64_t>> amounts(hosts.size(), std::vector<int64_t>(width, 0));
  std::vector<TopologyNode> nodes;
  for (size_t i = 0; i < hosts.size(); ++i) {
    const NodeSpec& node = hosts[i].node;
    for (const auto& [name, amount] : node.allocatable.value_or(node.capacity)) {
      amounts[i][world.Resource(name)] = RequestAmount(name, amount.text);
    }
    nodes.push_back(
        {.spec = &node, .allocatable = amounts[i], .usable = node.ready && !node.unschedulable});
  }
  for (FlavorIndex f = 0; f < world.flavors.size(); ++f) {
    const FlavorRow& row = world.flavors[f];
    if (!row.exists || !row.spec.topology) continue;
    auto tree =
        std::make_shared<const TopologyTree>(row.spec, TopologyResources(world.resources), nodes);
    Flavor made{std::make_unique<TopologyBooks>(tree), nullptr};
    made.finder = std::make_unique<TopologyFinder>(made.books.get(), gates_);
    for (size_t i = 0; i < hosts.size(); ++i) {
      const uint32_t leaf = tree->leaf_of_node(i);
      if (leaf == kNothing) continue;
      PodRequest taken;
      for (const auto& [name, amount] : hosts[i].taken) {
        taken.push_back({world.Resource(name), amount});
      }
      std::sort(taken.begin(), taken.end(),
                [](const PodAmount& a, const PodAmount& b) { return a.resource < b.resource; });
      if (!taken.empty()) made.books->TakeOther(leaf, taken);
    }
    flavors_.emplace(f, std::move(made));
    by_name_.push_back(f);
  }
  std::sort(by_name_.begin(), by_name_.end(), [&](FlavorIndex a, FlavorIndex b) {
    return world.flavors[a].name < world.flavors[b].name;
  });
  for (const WorkloadRow& row : world.workloads) {
    if (row.alive && row.holds) Use(UsageOf(row));
  }
  Forget();
}

bool TopologyWorld::IsOnly(Queue queue) const {
  bool any = false;
  for (const FlavorGroup& group : world_.queues[queue].groups) {
    for (const FlavorIndex f : group.flavors) {
      if (!Has(f)) return false;
      any = true;
    }
  }
  return any;
}

bool TopologyWorld::Counts(const PodSet& pod_set, Queue queue) const {
  return IsExplicit(pod_set) || IsOnly(queue);
}

bool TopologyWorld::CountsAny(const WorkloadRow& row) const {
  return std::any_of(row.pod_sets.begin(), row.pod_sets.end(),
                     [&](const PodSet& p) { return Counts(p, row.queue); });
}

PodRequest TopologyWorld::RequestOf(const PodSet& pod_set) const {
  PodRequest pod;
  for (const ResourceAmount& r : pod_set.pod) pod.push_back({r.resource, r.amount});
  std::sort(pod.begin(), pod.end(),
            [](const PodAmount& a, const PodAmount& b) { return a.resource < b.resource; });
  return pod;
}

FlavorIndex TopologyWorld::FlavorOf(const Granted& granted) const {
  const auto has = [this](const auto& given) { return Has(given.second); };
  const auto found = std::ranges::find_if(granted.flavors, has);
  return found == granted.flavors.end() ? kNothing : found->second;
}

TopologyWorld::Usages TopologyWorld::UsageOf(const WorkloadRow& row) const {
  Usages usages;
  for (size_t i = 0; i < row.granted.size(); ++i) {
    const Granted& g = row.granted[i];
    const FlavorIndex flavor = FlavorOf(g);
    if (!g.places || flavor == kNothing) continue;
    usages.push_back({flavor, RequestOf(row.pod_sets[i]), *g.places});
  }
  return usages;
}

TopologyWorld::Usages TopologyWorld::UsageOf(const WorkloadRow& row,
                                             const Assignment& assignment) const {
  Usages usages;
  for (const PodSetAssignment& p : assignment.pod_sets) {
    if (!p.places) continue;
    const std::vector<FlavorIndex> all = FlavorsFor(assignment, p, row);
    if (all.empty()) continue;
    const FlavorIndex flavor = all.back();
    Usage usage{flavor, RequestOf(row.pod_sets[p.pod_set]), {}};
    const bool held = row.holds && p.pod_set < row.granted.size() && row.granted[p.pod_set].places;
    for (const NamedPlace& place : *p.places) {
      const int32_t had = held ? CountAt(*row.granted[p.pod_set].places, place.leaf) : 0;
      if (place.count > had) usage.places.push_back({place.leaf, place.count - had});
    }
    if (!usage.places.empty()) usages.push_back(std::move(usage));
  }
  return usages;
}

void TopologyWorld::Change(FlavorIndex flavor, const std::vector<std::string>& leaf,
                           const PodRequest& pod, int64_t count) {
  TopologyBooks& books = *flavors_.at(flavor).books;
  const std::optional<uint32_t> at = books.tree().FindLeaf(leaf);
  if (!at) return;
  undo_.emplace_back(flavor, books.mark());
  if (count > 0) {
    books.Use(*at, pod, count);
  } else {
    books.Release(*at, pod, -count);
  }
}

void TopologyWorld::Apply(const Usages& usages, int64_t sign) {
  for (const Usage& usage : usages) {
    const bool hosts = flavors_.at(usage.flavor).books->tree().leaves_are_hosts();
    for (const NamedPlace& place : usage.places) {
      Change(usage.flavor, place.leaf, usage.pod, sign * place.count);
      if (!gates_.overlapping_flavors || !hosts) continue;
      for (const auto& [other, made] : flavors_) {
        if (other != usage.flavor && made.books->tree().leaves_are_hosts()) {
          Change(other, place.leaf, usage.pod, sign * place.count);
        }
      }
    }
  }
}

bool TopologyWorld::HasRoom(const Usages& usages) const {
  for (const Usage& usage : usages) {
    const TopologyBooks& books = *flavors_.at(usage.flavor).books;
    for (const NamedPlace& place : usage.places) {
      const std::optional<uint32_t> leaf = books.tree().FindLeaf(place.leaf);
      if (!leaf || !books.HasRoom(*leaf, usage.pod, place.count)) return false;
    }
  }
  return true;
}

void TopologyWorld::Rollback(size_t mark) {
  for (; undo_.size() > mark; undo_.pop_back()) {
    flavors_.at(undo_.back().first).books->Rollback(undo_.back().second);
  }
}

void TopologyWorld::StartCycle() {
  Forget();
  for (auto& [flavor, made] : flavors_) {
    made.books->Settle();
    made.finder->StartCycle();
  }
}

std::vector<FlavorIndex> TopologyWorld::FlavorsFor(const Assignment& assignment,
                                                   const PodSetAssignment& p,
                                                   const WorkloadRow& row) const {
  std::vector<FlavorIndex> found;
  const auto look = [&](const PodSetAssignment& from) {
    for (const FlavorChoice& f : from.flavors) {
      if (Has(f.flavor) && std::ranges::find(found, f.flavor) == found.end()) {
        found.push_back(f.flavor);
      }
    }
  };
  look(p);
  const std::string& group = row.pod_sets[p.pod_set].group;
  if (found.empty() && p.flavors.empty() && !group.empty()) {
    for (const PodSetAssignment& other : assignment.pod_sets) {
      if (row.pod_sets[other.pod_set].group == group) look(other);
    }
  }
  return found;
}

bool TopologyWorld::IsDelayed(const WorkloadRow& row, FlavorIndex flavor) const {
  for (const auto& [concerned, always] : world_.queues[row.queue].delays) {
    if (concerned != kNothing && concerned != flavor) continue;
    if (always || !row.holds) return true;
  }
  return false;
}

const NamedPlaces* TopologyWorld::PlacesBefore(const WorkloadRow& row,
                                               const std::string& pod_set) const {
  if (row.replaces == kNothing) return nullptr;
  const WorkloadRow& old = world_.workloads[row.replaces];
  for (size_t i = 0; i < old.granted.size(); ++i) {
    if (old.pod_sets[i].name != pod_set) continue;
    return old.granted[i].places ? &*old.granted[i].places : nullptr;
  }
  return nullptr;
}

struct TopologyWorld::Part {
  std::vector<TopologyPodSet> pod_sets;
  std::vector<uint32_t> places_in;  // pod sets of the assignment
};

std::optional<TopologyWorld::Failure> TopologyWorld::Gather(const WorkloadRow& row,
                                                            Assignment* assignment, Parts* parts) {
  for (uint32_t i = 0; i < assignment->pod_sets.size(); ++i) {
    PodSetAssignment& p = assignment->pod_sets[i];
    const PodSet& pod_set = row.pod_sets[p.pod_set];
    if (!Counts(pod_set, row.queue) || p.count == 0 || p.error) continue;
    const bool known = row.holds && p.pod_set < row.granted.size();
    const NamedPlaces* held =
        known && row.granted[p.pod_set].places ? &*row.granted[p.pod_set].places : nullptr;
    if (held != nullptr && !IsIn(*held, row.unhealthy)) {
      p.places = *held;
      continue;
    }
    const bool grows =
        row.elastic && world_.config.gates.elastic_slices && world_.config.gates.elastic_topology;
    if (grows && pod_set.topology) {
      if (pod_set.topology->required) return Failure{i, RefusalOfElastic("required"), true};
      if (pod_set.topology->preferred) return Failure{i, RefusalOfElastic("preferred"), true};
    }
    const std::vector<FlavorGroup>& groups = world_.queues[row.queue].groups;
    if (std::none_of(groups.begin(), groups.end(), [&](const FlavorGroup& group) {
          return std::any_of(group.flavors.begin(), group.flavors.end(),
                             [&](FlavorIndex f) { return Has(f); });
        })) {
      return Failure{i, "workload requires Topology, but there is no TAS cache information", true};
    }
    const std::vector<FlavorIndex> all = FlavorsFor(*assignment, p, row);
    if (all.size() > 1) {
      std::vector<std::string> names;
      for (const FlavorIndex f : all) names.push_back(world_.flavors[f].name);
      std::ranges::sort(names);
      return Failure{
          i, absl::StrCat("more than one TAS flavor assigned: ", absl::StrJoin(names, ", ")), true};
    }
    if (all.empty()) return Failure{i, "no TAS flavor assigned", true};
    const FlavorIndex flavor = all[0];
    if (IsDelayed(row, flavor)) {
      p.delayed = true;
      continue;
    }
    Part& part = (*parts)[flavor];
    part.places_in.push_back(i);
    part.pod_sets.push_back({.request = pod_set.topology ? &*pod_set.topology : nullptr,
                             .shape = &world_.shapes[pod_set.shape],
                             .pod = RequestOf(pod_set),
                             .count = static_cast<int32_t>(p.count),
                             .implied = !IsExplicit(pod_set),
                             .group = pod_set.together,
                             .previous = grows ? PlacesBefore(row, pod_set.name) : nullptr,
                             .existing = held,
                             .index = p.pod_set});
  }
  return std::nullopt;
}

std::optional<TopologyWorld::Failure> TopologyWorld::Place(const WorkloadRow& row,
                                                           Assignment* assignment,
                                                           const PlaceOptions& options) {
  Parts parts;
  if (auto failure = Gather(row, assignment, &parts)) return failure;
  std::vector<std::pair<TopologyFinder*, TopologyQuestion>> questions;
  std::vector<const Part*> asked;
  std::vector<FlavorIndex> flavors;
  const uint64_t number = static_cast<uint64_t>(&row - world_.workloads.data()) + 1;
  for (const FlavorIndex f : by_name_) {
    const auto part = parts.find(f);
    if (part == parts.end()) continue;
    asked.push_back(&part->second);
    flavors.push_back(f);
    questions.emplace_back(flavors_.at(f).finder.get(),
                           TopologyQuestion{.pod_sets = part->second.pod_sets,
                                            .empty = options.empty,
                                            .unhealthy = row.unhealthy,
                                            .owned_by_single_pod = row.single_pod,
                                            .workload = number,
                                            .explain = options.explain});
  }
  const std::vector<TopologyAnswer> answers = FindTopologies(questions);
  for (size_t a = 0; a < answers.size(); ++a) {
    const uint32_t failed = answers[a].failed;
    if (failed == kNothing) continue;
    const auto& placement = answers[a].pod_sets[failed];
    return Failure{asked[a]->places_in[failed], placement ? placement->failure : "", false,
                   flavors[a]};
  }
  for (size_t a = 0; options.record && a < answers.size(); ++a) {
    for (size_t i = 0; i < answers[a].pod_sets.size(); ++i) {
      const auto& placement = answers[a].pod_sets[i];
      if (!placement) continue;
      PodSetAssignment& p = assignment->pod_sets[asked[a]->places_in[i]];
      p.keeps_places = placement->kept;
      if (placement->kept) {
        p.places = row.granted[p.pod_set].places;
      } else {
        p.places = NamesOf(questions[a].first->tree(), placement->places);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> TopologyWorld::Refuses(const WorkloadRow& row, uint32_t index,
                                                  FlavorIndex flavor,
                                                  const FlavorGroup& group) const {
  const PodSet& pod_set = row.pod_sets[index];
  const auto found = flavors_.find(flavor);
  const std::string& name = world_.flavors[flavor].name;
  if (IsExplicit(pod_set)) {
    if (found == flavors_.end()) {
      const bool overlaps =
          std::any_of(group.resources.begin(), group.resources.end(), [&](ResourceIndex r) {
            return std::any_of(pod_set.pod.begin(), pod_set.pod.end(),
                               [&](const ResourceAmount& a) { return a.resource == r; });
          });
      if (!overlaps) return std::nullopt;
      return absl::StrCat("flavor ", name, " does not support TopologyAwareScheduling");
    }
    if (!found->second.finder->HasLevels(*pod_set.topology)) {
      return absl::StrCat("flavor ", name, " does not contain the requested level");
    }
    return std::nullopt;
  }
  if (IsOnly(row.queue) || found == flavors_.end()) return std::nullopt;
  return absl::StrCat("flavor ", name, " supports only TopologyAwareScheduling");
}

}  // namespace muster::kueue
