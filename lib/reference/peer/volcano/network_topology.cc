// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tree of domains and the policy network-topology-aware: where a job or a part of one may go,
// and how good a domain or a node is for it. Sums are taken node by node from the tables, with what
// was placed and evicted since.
#include "lib/reference/peer/volcano/network_topology.h"

#include <algorithm>
#include <cmath>

#include "lib/reference/peer/volcano/volcano.h"

namespace muster::reference {

namespace {

std::vector<Vertex> AllVertices(const Cycle& cycle) {
  std::vector<Vertex> all = {""};
  const DomainTable& domains = cycle.tables().domains;
  for (DomainIndex d = 0; d < domains.alive.size(); ++d) {
    if (domains.alive[d]) all.push_back(domains.spec[d].name);
  }
  std::sort(all.begin(), all.end());
  return all;
}

const DomainSpec* SpecOf(const Cycle& cycle, const Vertex& vertex) {
  for (const DomainSpec& spec : cycle.tables().domains.spec) {
    if (spec.name == vertex && !vertex.empty()) return &spec;
  }
  return nullptr;
}

int32_t LowestTier(const Cycle& cycle) {
  int32_t lowest = TierOf(cycle, "");
  for (const Vertex& vertex : AllVertices(cycle)) lowest = std::min(lowest, TierOf(cycle, vertex));
  return lowest;
}

HowHigh Resolve(const Cycle& cycle, const std::optional<TopologyWish>& wish) {
  HowHigh how;
  if (!wish) return how;
  how.said = true;
  std::optional<int32_t> tier = wish->highest_tier;
  for (const DomainSpec& spec : cycle.tables().domains.spec) {
    if (wish->highest_tier || wish->highest_tier_name.empty()) break;
    if (spec.tier_name == wish->highest_tier_name) tier = spec.tier;
  }
  if (wish->hard) how.tier = tier;
  return how;
}

const ReferencePolicy* SearchPolicy(const Cycle& cycle) {
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "domain_search")) {
    if (policy->name == "network-topology-aware") return policy;
  }
  return nullptr;
}

bool Within(const Row& need, const std::vector<bool>& named, const Row& have) {
  for (size_t d = 0; d < have.size(); ++d) {
    if ((d == kCpu || d == kMemory || named[d]) && need[d] > have[d]) return false;
  }
  return true;
}

VertexLists WidestFirst(const Cycle& cycle, const VertexLists& lists) {
  auto left = static_cast<size_t>(NumberOption(*SearchPolicy(cycle), "evict_domains", 8));
  VertexLists reversed;
  for (auto list = lists.rbegin(); list != lists.rend() && left > 0; ++list) {
    const size_t some = std::min(left, list->size());
    reversed.emplace_back(list->end() - static_cast<ptrdiff_t>(some), list->end());
    left -= some;
  }
  return reversed;
}

VertexLists SearchTree(const Cycle& cycle, int32_t tier, const Vertex& within,
                       const std::optional<Vertex>& place, const Row& need,
                       const std::vector<bool>& named, bool evicting) {
  Vertex from = within;
  if (place) {
    std::optional<Vertex> highest;
    for (const Vertex& up : WayUp(cycle, *place)) {
      if (TierOf(cycle, up) > tier) break;
      highest = up;
    }
    if (!highest) return {};
    const auto meet = MeetingPoint(cycle, within, highest);
    if (meet == within) {
      from = *highest;
    } else if (meet != *highest) {
      return {};
    }
  }
  std::map<int32_t, std::vector<Vertex>> found;
  for (const Vertex& vertex : AllVertices(cycle)) {
    const std::vector<Vertex> up = WayUp(cycle, vertex);
    if (std::find(up.begin(), up.end(), from) == up.end()) continue;
    if (TierOf(cycle, vertex) > tier) continue;
    const VertexBook& book = Tree(cycle).vertices.at(vertex);
    const bool serves =
        evicting ? Within(need, named, book.allocatable)
                 : Within(need, named, book.idle) || Within(need, named, book.future_idle);
    if (place || serves) {
      found[TierOf(cycle, vertex)].push_back(vertex);
    }
  }
  VertexLists lists;
  for (auto& [t, list] : found) lists.push_back(list);
  return evicting ? WidestFirst(cycle, lists) : lists;
}

// What the domain's nodes hold: as the cycle opened, with every placement and without every
// eviction since.
Row UsedIn(const Cycle& cycle, const Vertex& vertex) {
  Row used = Tree(cycle).vertices.at(vertex).used;
  const std::set<NodeIndex> nodes = NodesIn(cycle, vertex);
  const TaskTable& tasks = cycle.tables().tasks;
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    if (!tasks.alive[t]) continue;
    const bool was = HoldsNode(tasks.status[t]);
    const TaskStatus status = cycle.world.status[t];
    const bool is =
        HoldsNode(status) && (status != TaskStatus::kReleasing || tasks.status[t] == status);
    if (was && !is && nodes.count(tasks.node[t]) > 0) AddTo(used, cycle.world.request(t), -1);
    if (is && !was && nodes.count(cycle.world.node[t]) > 0) AddTo(used, cycle.world.request(t), 1);
  }
  return used;
}

double WeightOf(const Cycle& cycle, const ReferencePolicy& policy, DimensionIndex d) {
  if (d == kCpu) return NumberOption(policy, "cpu", 1);
  if (d == kMemory) return NumberOption(policy, "memory", 1);
  return NumberOption(policy, "resource." + std::string(cycle.tables().dimensions.name(d)), -1);
}

double HowFull(const Cycle& cycle, const ReferencePolicy& policy, const Vertex& vertex,
               const Row& request) {
  const Row used = UsedIn(cycle, vertex);
  double sum = 0, weights = 0;
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    const double weight = WeightOf(cycle, policy, d);
    if (request[d] == 0 || weight < 0) continue;
    const double finally = static_cast<double>(used[d]) + static_cast<double>(request[d]);
    const double all = static_cast<double>(Tree(cycle).vertices.at(vertex).allocatable[d]);
    if (finally > all) return 0;
    sum += weight * (finally / all);
    weights += weight;
  }
  return weights == 0 ? 0 : sum / weights;
}

double PartOfTasks(const Cycle& cycle, const Part& part, const std::optional<Vertex>& vertex) {
  if (!vertex) return 0;
  const std::set<NodeIndex> nodes = NodesIn(cycle, *vertex);
  const std::vector<TaskIndex> tasks = TasksOf(cycle, part);
  double there = 0;
  for (TaskIndex t : tasks) {
    if (HoldsNode(cycle.world.status[t]) && nodes.count(cycle.world.node[t]) > 0) ++there;
  }
  return there / static_cast<double>(tasks.size());
}

double HowNear(const Cycle& cycle, const std::optional<Vertex>& vertex, const Vertex& anchor) {
  if (!vertex) return 0;
  if (*vertex == anchor) return 1;
  const int32_t lowest = LowestTier(cycle), highest = TierOf(cycle, "");
  if (lowest == highest) return 1;
  const int32_t tier = TierOf(cycle, *MeetingPoint(cycle, vertex, anchor));
  return static_cast<double>(highest - tier) / static_cast<double>(highest - lowest);
}

double Power(double base, int32_t exponent) {
  if (exponent == 0) return 1;
  if (exponent % 2 == 0) return Power(base * base, exponent / 2);
  return exponent == 1 ? base : base * Power(base * base, exponent / 2);
}

double NormalScore(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                   NodeIndex node) {
  Row request(cycle.world.dimensions(), 0);
  AddTo(request, cycle.world.request(task), 1);
  double sum = 0, weights = 0;
  for (int32_t tier = LowestTier(cycle); tier <= TierOf(cycle, ""); ++tier) {
    double score = 1;
    for (const Vertex& vertex : AllVertices(cycle)) {
      if (TierOf(cycle, vertex) == tier && NodesIn(cycle, vertex).count(node) > 0) {
        score = HowFull(cycle, policy, vertex, request);
      }
    }
    const double weight = Power(NumberOption(policy, "fading", 0.8), tier - 1);
    sum += weight * score;
    weights += weight;
  }
  return weights > 0 ? sum / weights : 0;
}

}  // namespace

int32_t TierOf(const Cycle& cycle, const Vertex& vertex) {
  if (const DomainSpec* spec = SpecOf(cycle, vertex)) return spec->tier;
  int32_t above = 1;
  const DomainTable& domains = cycle.tables().domains;
  for (DomainIndex d = 0; d < domains.alive.size(); ++d) {
    if (domains.alive[d]) above = std::max(above, domains.spec[d].tier + 1);
  }
  return above;
}

std::vector<Vertex> WayUp(const Cycle& cycle, const Vertex& vertex) {
  std::vector<Vertex> way = {vertex};
  while (!way.back().empty()) way.push_back(SpecOf(cycle, way.back())->parent);
  return way;
}

std::vector<Vertex> VerticesBelow(const Cycle& cycle, const Vertex& vertex) {
  std::vector<Vertex> below;
  for (const Vertex& other : AllVertices(cycle)) {
    if (!other.empty() && SpecOf(cycle, other)->parent == vertex) below.push_back(other);
  }
  return below;
}

std::set<NodeIndex> NodesIn(const Cycle& cycle, const Vertex& vertex) {
  std::set<NodeIndex> nodes;
  for (NodeIndex n : cycle.world.session_nodes()) {
    const std::vector<Vertex> up = WayUp(cycle, cycle.tables().nodes.spec[n].domain);
    if (std::find(up.begin(), up.end(), vertex) != up.end()) nodes.insert(n);
  }
  return nodes;
}

std::optional<Vertex> LowestOf(const Cycle& cycle, NodeIndex node) {
  const int32_t lowest = LowestTier(cycle);
  for (const Vertex& up : WayUp(cycle, cycle.tables().nodes.spec[node].domain)) {
    if (TierOf(cycle, up) == lowest) return up;
  }
  return std::nullopt;
}

std::optional<Vertex> MeetingPoint(const Cycle& cycle, const std::optional<Vertex>& a,
                                   const std::optional<Vertex>& b) {
  if (!a) return b;
  if (!b) return a;
  const std::vector<Vertex> others = WayUp(cycle, *b);
  for (const Vertex& up : WayUp(cycle, *a)) {
    if (std::find(others.begin(), others.end(), up) != others.end()) return up;
  }
  return std::nullopt;
}

HowHigh WishOfJob(const Cycle& cycle, JobIndex job) {
  const auto& wish = cycle.tables().jobs.spec[job].topology;
  HowHigh how = Resolve(cycle, wish);
  if (wish && !wish->hard) how.tier = TierOf(cycle, "");
  return how;
}

HowHigh WishOfPart(const Cycle& cycle, const Part& part) {
  const HowHigh of_job = WishOfJob(cycle, part.job);
  if (part.number == kNone) return of_job;
  const auto& wish = cycle.tables().jobs.spec[part.job].sub_groups[part.number].topology;
  HowHigh how = Resolve(cycle, wish);
  if (wish && !wish->hard) how.tier = of_job.tier.value_or(TierOf(cycle, ""));
  return how;
}

std::optional<Vertex> PlaceOf(const Cycle& cycle, const Part& part) {
  if (const auto told = Tree(cycle).part_place.find(part); told != Tree(cycle).part_place.end()) {
    return told->second;
  }
  std::optional<Vertex> place;
  if (!WishOfPart(cycle, part).said) return place;
  for (TaskIndex t : TasksOf(cycle, part)) {
    if (!IsAllocated(cycle.tables().tasks.status[t])) continue;
    const NodeIndex node = cycle.tables().tasks.node[t];
    if (node == kNone || NodesIn(cycle, "").count(node) == 0) return std::nullopt;
    if (!cycle.tables().nodes.spec[node].ready) return std::nullopt;
    place = MeetingPoint(cycle, place, cycle.tables().nodes.spec[node].domain);
  }
  return place;
}

std::optional<Vertex> PlaceOf(const Cycle& cycle, JobIndex job) {
  if (const auto told = Tree(cycle).job_place.find(job); told != Tree(cycle).job_place.end()) {
    return told->second;
  }
  std::optional<Vertex> place;
  for (const Part& part : PartsOf(cycle, job)) {
    place = MeetingPoint(cycle, place, PlaceOf(cycle, part));
  }
  return place;
}

namespace {

void OpenTree(Cycle& cycle, const ReferencePolicy&) {
  const World& world = cycle.world;
  for (const Vertex& vertex : AllVertices(cycle)) {
    const Row none(world.dimensions(), 0);
    VertexBook book{none, none, none, none};
    for (NodeIndex n : NodesIn(cycle, vertex)) {
      AddTo(book.allocatable, world.capacity[n], 1);
      AddTo(book.used, world.used[n], 1);
      Row idle = world.idle[n], future_idle = world.future_idle(n);
      if (cycle.tables().nodes.allocatable.row(n)[kPods] == kAbsent) {
        idle[kPods] = future_idle[kPods] = 0;  // no limit of tasks is no amount of them
      }
      AddTo(book.idle, idle, 1);
      AddTo(book.future_idle, future_idle, 1);
    }
    Tree(cycle).vertices[vertex] = book;
  }
}

}  // namespace

VertexLists SearchForJob(const Cycle& cycle, JobIndex job, bool evicting) {
  const HowHigh wish = WishOfJob(cycle, job);
  if (SearchPolicy(cycle) == nullptr || !wish.tier) return {{""}};
  Row need(cycle.world.dimensions(), 0);
  std::vector<bool> named(need.size(), false);
  for (size_t d = 0; d < need.size(); ++d) {
    const int64_t amount = cycle.tables().jobs.min_resources.row(job)[d];
    need[d] = OrZero(amount);
    named[d] = amount != kAbsent;
  }
  return SearchTree(cycle, *wish.tier, "", PlaceOf(cycle, job), need, named, evicting);
}

VertexLists SearchForPart(const Cycle& cycle, const Part& part, const Vertex& within,
                          bool evicting) {
  const HowHigh wish = WishOfPart(cycle, part);
  if (SearchPolicy(cycle) == nullptr || !wish.tier) return {{within}};
  Row need(cycle.world.dimensions(), 0);
  for (TaskIndex t : TasksOf(cycle, part)) {
    if (cycle.world.status[t] == TaskStatus::kPending) {
      AddTo(need, cycle.world.initial_request(t), 1);
    }
  }
  std::vector<bool> named(need.size(), false);
  for (size_t d = 0; d < need.size(); ++d) named[d] = need[d] > 0;
  return SearchTree(cycle, *wish.tier, within, PlaceOf(cycle, part), need, named, evicting);
}

std::map<Vertex, double> VertexScores(const Cycle& cycle, const Part& part,
                                      const std::vector<Vertex>& vertices) {
  std::map<Vertex, double> scores;
  for (const Vertex& vertex : vertices) scores[vertex] = 0;
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "domain_score")) {
    if (policy->name != "network-topology-aware") continue;
    Row request(cycle.world.dimensions(), 0);
    for (TaskIndex t : TasksOf(cycle, part)) AddTo(request, cycle.world.request(t), 1);
    std::map<Vertex, double> full;
    double highest = 0;
    for (const Vertex& vertex : vertices) {
      full[vertex] = HowFull(cycle, *policy, vertex, request);
      highest = std::max(highest, full[vertex]);
    }
    const auto best = std::count_if(full.begin(), full.end(),
                                    [&](const auto& entry) { return entry.second == highest; });
    for (const Vertex& vertex : vertices) {
      double score = full[vertex];
      if (best > 1 && score == highest) score += PartOfTasks(cycle, part, vertex);
      scores[vertex] += 100.0 * NumberOption(*policy, "weight", 1) * score;
    }
  }
  return scores;
}

namespace {

std::vector<double> TreeScores(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                               const std::vector<NodeIndex>& nodes) {
  std::vector<double> scores(nodes.size(), 0.0);
  const JobIndex job = cycle.tables().tasks.job[task];
  if (job == kNone) return scores;
  const Part part{job, cycle.tables().tasks.sub_group[task]};
  if (!WishOfPart(cycle, part).said) {
    if (!SwitchOption(policy.options, "normal_tasks", true)) return scores;
    for (size_t i = 0; i < nodes.size(); ++i) {
      scores[i] = NormalScore(cycle, policy, task, nodes[i]);
    }
  } else if (Tree(cycle).anchor) {
    double highest = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      scores[i] = HowNear(cycle, LowestOf(cycle, nodes[i]), *Tree(cycle).anchor);
      highest = std::max(highest, scores[i]);
    }
    if (std::count(scores.begin(), scores.end(), highest) > 1) {
      for (size_t i = 0; i < nodes.size(); ++i) {
        if (scores[i] == highest) scores[i] += PartOfTasks(cycle, part, LowestOf(cycle, nodes[i]));
      }
    }
  }
  for (double& score : scores) score *= 100.0 * NumberOption(policy, "weight", 1);
  return scores;
}

}  // namespace

PolicyTwin NetworkTopologyPolicy() {
  PolicyTwin twin;
  twin.name = "network-topology-aware";
  twin.open = OpenTree;
  twin.scores = TreeScores;
  return twin;
}

}  // namespace muster::reference
