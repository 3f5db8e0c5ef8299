// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Label values are numbers here, so the common domain of nodes is found by comparing columns.
#include "lib/peer/kai/topology_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/peer/kai/node_fit.h"
#include "lib/peer/kai/node_scores.h"
#include "lib/peer/kai/topology_words.h"

namespace muster {
namespace {

constexpr absl::string_view kRoot = "root";
constexpr double kNothingFree = 1000;  // the ratio where a resource is not there at all
constexpr double kTopScore = 10;

void Add(std::span<const double> more, std::vector<double>* sum) {
  if (sum->size() < more.size()) sum->resize(more.size());
  for (size_t i = 0; i < more.size(); ++i) (*sum)[i] += more[i];
}

std::vector<double> LargestOf(std::span<const KaiTopologyTask> tasks) {
  std::vector<double> largest(tasks[0].request.begin(), tasks[0].request.end());
  for (const KaiTopologyTask& task : tasks) {
    if (largest.size() < task.request.size()) largest.resize(task.request.size());
    for (size_t i = 0; i < task.request.size(); ++i) {
      largest[i] = std::max(largest[i], task.request[i]);
    }
  }
  return largest;
}

bool IsClaimed(std::span<const uint8_t> is_claimed, size_t place) {
  return place != kKaiGpuAt && place < is_claimed.size() && is_claimed[place] != 0;
}

// Tasks are of one kind if all request GPUs or none does, and so for each further resource.
bool AreOfOneKind(std::span<const KaiTopologyTask> tasks) {
  size_t with_gpus = 0;
  std::vector<size_t> requesting;
  for (const KaiTopologyTask& task : tasks) {
    with_gpus += task.has_gpus;
    if (requesting.size() < task.request.size()) requesting.resize(task.request.size());
    for (size_t i = kKaiPodsAt; i < task.request.size(); ++i) requesting[i] += task.request[i] > 0;
  }
  return (with_gpus == 0 || with_gpus == tasks.size()) &&
         std::all_of(requesting.begin(), requesting.end(),
                     [&](size_t count) { return count == 0 || count == tasks.size(); });
}

// How many tasks as large as `largest` the node holds.
int64_t PodsOn(const KaiNodeLeft& left, std::vector<double> largest, size_t tasks,
               std::span<const uint8_t> is_claimed) {
  std::vector<double> one_pod(std::max(left.idle.size(), kKaiPodsAt + 1));
  one_pod[kKaiPodsAt] = 1;
  if (WithinKaiVector(largest, one_pod)) return static_cast<int64_t>(tasks);
  std::vector<double> room(left.idle.begin(), left.idle.end());
  Add(left.releasing, &room);
  if (largest.size() > kKaiGpuAt && largest[kKaiGpuAt] > 0 && largest[kKaiGpuAt] < 1 &&
      room.size() > kKaiGpuAt) {
    room[kKaiGpuAt] += left.shared_fractions;
  }
  for (size_t i = 0; i < largest.size(); ++i) {
    if (!IsClaimed(is_claimed, i)) continue;
    largest[i] = 0;
    if (i < room.size()) room[i] = 0;
  }
  if (!WithinKaiVector(largest, room)) return 0;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < largest.size(); ++i) {
    if (largest[i] > 0) least = std::min(least, static_cast<int64_t>(room[i] / largest[i]));
  }
  return least == std::numeric_limits<int64_t>::max() ? static_cast<int64_t>(tasks) : least;
}

}  // namespace

KaiTopology::KaiTopology(std::string name, std::vector<std::string> levels)
    : name_(std::move(name)), levels_(std::move(levels)), at_level_(levels_.size() + 1) {
  domains_.push_back({.id = std::string(kRoot)});
  at_level_[0].push_back(0);
}

void KaiTopology::SetValues(uint32_t node, std::span<const std::string_view> values) {
  if (node_values_.size() <= node) node_values_.resize(node + 1);
  node_values_[node].clear();
  for (const std::string_view value : values) node_values_[node].push_back(values_.Intern(value));
}

void KaiTopology::AddNode(uint32_t node, std::span<const std::string_view> values) {
  SetValues(node, values);
  domains_[0].nodes.push_back(node);
  uint32_t parent = 0;
  std::string id;
  for (uint32_t level = 1; level <= levels_.size(); ++level) {
    absl::StrAppend(&id, level > 1 ? "." : "", ToAbsl(values[level - 1]));
    uint32_t domain = Find(level, id);
    if (domain == kNone) domain = AddDomain(id, level, parent, {});
    domains_[domain].nodes.push_back(node);
    parent = domain;
  }
}

uint32_t KaiTopology::AddDomain(std::string id, uint32_t level, uint32_t parent,
                                std::vector<uint32_t> nodes) {
  const auto domain = static_cast<uint32_t>(domains_.size());
  std::vector<uint32_t>& row = at_level_[level];
  row.insert(
      std::lower_bound(row.begin(), row.end(), id,
                       [this](uint32_t d, const std::string& i) { return domains_[d].id < i; }),
      domain);
  domains_.push_back(
      {.id = std::move(id), .level = level, .parent = parent, .nodes = std::move(nodes)});
  domains_[parent].children.push_back(domain);
  return domain;
}

uint32_t KaiTopology::LevelOf(std::string_view name) const {
  if (ToAbsl(name) == kRoot) return 0;
  const auto at = std::find(levels_.begin(), levels_.end(), name);
  return at == levels_.end() ? kNone : static_cast<uint32_t>(at - levels_.begin()) + 1;
}

uint32_t KaiTopology::Find(uint32_t level, std::string_view id) const {
  const std::vector<uint32_t>& row = at_level_[level];
  const auto at = std::lower_bound(row.begin(), row.end(), id, [this](uint32_t d, auto i) {
    return std::string_view(domains_[d].id) < i;
  });
  return at != row.end() && domains_[*at].id == id ? *at : kNone;
}

KaiTopology::Common KaiTopology::CommonDomain(std::span<const uint32_t> nodes,
                                              std::string_view preferred) const {
  Common common;
  for (const uint32_t node : nodes) {
    if (node < node_values_.size() && !node_values_[node].empty()) common.valid.push_back(node);
  }
  std::vector<std::string_view> parts;
  for (size_t level = 0; level < levels_.size() && !common.valid.empty(); ++level) {
    const uint32_t value = node_values_[common.valid[0]][level];
    const bool all = std::all_of(common.valid.begin(), common.valid.end(),
                                 [&](uint32_t node) { return node_values_[node][level] == value; });
    if (!all || values_.name(value).empty()) break;
    parts.push_back(values_.name(value));
    if (levels_[level] == preferred) break;
  }
  if (!parts.empty()) {
    common.level = static_cast<uint32_t>(parts.size());
    common.id = std::string(parts[0]);
    for (size_t i = 1; i < parts.size(); ++i) absl::StrAppend(&common.id, ".", ToAbsl(parts[i]));
  }
  return common;
}

void KaiTopology::CountFree(uint32_t domain, KaiNodesLeft left) {
  KaiDomain& d = domains_[domain];
  if (d.children.empty()) {
    for (const uint32_t node : d.nodes) {
      const KaiNodeLeft has = left(node);
      Add(has.idle, &d.free);
      Add(has.releasing, &d.free);
    }
    return;
  }
  for (const uint32_t child : d.children) {
    CountFree(child, left);
    Add(domains_[child].free, &d.free);
  }
}

int64_t KaiTopology::CountPods(uint32_t domain, std::span<const KaiTopologyTask> tasks,
                               KaiNodesLeft left, std::span<const uint8_t> is_claimed) {
  const std::vector<double> largest = LargestOf(tasks);
  const auto count = [&](auto& self, uint32_t at) -> int64_t {
    int64_t pods = 0;
    if (domains_[at].children.empty()) {
      for (const uint32_t node : domains_[at].nodes) {
        pods += PodsOn(left(node), largest, tasks.size(), is_claimed);
      }
    }
    for (const uint32_t child : domains_[at].children) pods += self(self, child);
    domains_[at].allocatable_pods = pods;
    return pods;
  };
  return count(count, domain);
}

double KaiDominantRatio(std::span<const double> requested, std::span<const double> free,
                        std::span<const uint8_t> is_claimed) {
  double dominant = 0;
  for (size_t i = 0; i < requested.size(); ++i) {
    if (requested[i] <= 0 || i == kKaiPodsAt || IsClaimed(is_claimed, i)) continue;
    const double has = i < free.size() ? free[i] : 0;
    dominant = std::max(dominant, has <= 0 ? kNothingFree : requested[i] / has);
  }
  return dominant;
}

void KaiTopology::Sort(uint32_t domain, uint32_t deepest, std::span<const double> requested,
                       std::span<const uint8_t> is_claimed) {
  std::vector<std::pair<double, uint32_t>> order;
  for (const uint32_t child : domains_[domain].children) {
    order.emplace_back(KaiDominantRatio(requested, domains_[child].free, is_claimed), child);
  }
  std::stable_sort(order.begin(), order.end(), [this](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : domains_[a.second].id < domains_[b.second].id;
  });
  for (size_t i = 0; i < order.size(); ++i) domains_[domain].children[i] = order[i].second;
  if (domains_[domain].level == deepest) return;
  for (const auto& [ratio, child] : order) Sort(child, deepest, requested, is_claimed);
}

std::vector<std::pair<uint32_t, double>> KaiTopology::Scores(uint32_t domain,
                                                             uint32_t preferred) const {
  std::vector<uint32_t> order;
  const auto collect = [&](auto& self, uint32_t at) -> void {
    if (domains_[at].level == preferred) return order.push_back(at);
    for (const uint32_t child : domains_[at].children) self(self, child);
  };
  collect(collect, domain);
  std::vector<std::pair<uint32_t, double>> scores;
  for (size_t i = 0; i < order.size(); ++i) {
    const double part = static_cast<double>(i + 1) / static_cast<double>(order.size());
    const double score = std::floor(part * kTopScore) * kKaiTopologyScore;
    for (const uint32_t node : domains_[order[i]].nodes) scores.emplace_back(node, score);
  }
  return scores;
}

// What the sub-group asks of a domain.
struct KaiTopology::Demand {
  const KaiTopologyQuery& query;
  std::vector<double> requested = {};  // of all tasks
  std::vector<uint8_t> relevant = {};  // domains that may be used; empty: all
};

bool KaiTopology::Fits(const Demand& demand, uint32_t domain, KaiFitError* error) const {
  const KaiDomain& d = domains_[domain];
  const KaiTopologyQuery& query = demand.query;
  if (d.allocatable_pods != KaiDomain::kNotCounted) {
    const auto tasks = static_cast<int64_t>(query.tasks.size());
    if (d.allocatable_pods >= tasks) return true;
    *error = TooFewPodsError(query, d, tasks);
    return false;
  }
  if (KaiDominantRatio(demand.requested, d.free, query.is_claimed) <= 1) return true;
  *error = TooLittleFreeError(query, d, demand.requested);
  return false;
}

std::string KaiTopology::RelevantLevels(const KaiTopologyQuery& query,
                                        std::vector<uint32_t>* relevant) const {
  const KaiConstraint& constraint = *query.constraint;
  const std::string &required = constraint.required, &preferred = constraint.preferred;
  if (required.empty() && preferred.empty()) {
    return absl::StrCat("no topology constraints were found for subgroup ", ToAbsl(query.sub_group),
                        ", with topology name ", name_);
  }
  bool has_required = false, has_preferred = false;
  for (size_t level = levels_.size() + 1; level-- > 0 && !has_required;) {
    const std::string name = level == 0 ? std::string(kRoot) : levels_[level - 1];
    has_preferred |= name == preferred;
    has_required = name == required;
    if (has_preferred || has_required) relevant->push_back(static_cast<uint32_t>(level));
  }
  if (!required.empty() && !has_required) {
    return NoSuchLevel(query, name_, "required", required);
  }
  if (!preferred.empty() && !has_preferred) {
    return NoSuchLevel(query, name_, "preferred", preferred);
  }
  return "";
}

std::vector<uint8_t> KaiTopology::WithActive(const KaiTopologyQuery& query) const {
  std::vector<uint8_t> relevant(domains_.size(), 0);
  const uint32_t required = LevelOf(query.constraint->required);
  if (required == kNone) return relevant;
  std::vector<uint32_t> active(query.active.begin(), query.active.end());
  std::sort(active.begin(), active.end());
  std::vector<uint32_t> rest;
  for (const uint32_t domain : at_level_[required]) {
    const std::vector<uint32_t>& nodes = domains_[domain].nodes;
    const bool holds_some = std::any_of(nodes.begin(), nodes.end(), [&](uint32_t node) {
      return std::binary_search(active.begin(), active.end(), node);
    });
    if (holds_some) rest.push_back(domain);
  }
  while (!rest.empty()) {
    const uint32_t domain = rest.back();
    rest.pop_back();
    relevant[domain] = 1;
    rest.insert(rest.end(), domains_[domain].children.begin(), domains_[domain].children.end());
  }
  return relevant;
}

std::vector<uint32_t> KaiTopology::Allocatable(const Demand& demand,
                                               std::span<const uint32_t> levels,
                                               KaiSubset* subset) const {
  std::vector<uint32_t> found;
  std::vector<KaiFitError> errors;  // of the coarsest level
  for (const uint32_t level : levels) {
    for (const uint32_t domain : at_level_[level]) {
      if (!demand.relevant.empty() && demand.relevant[domain] == 0) continue;
      KaiFitError error;
      if (Fits(demand, domain, &error)) {
        found.push_back(domain);
      } else if (level == levels.back()) {
        errors.push_back(std::move(error));
      }
    }
  }
  if (found.empty()) {
    subset->errors = std::move(errors);
    subset->errors.push_back(SchedulingError(NoMatch(demand.query, "")));
  }
  return found;
}

// All domains, the deepest first; of one depth, in the order of the tree.
std::vector<uint32_t> KaiTopology::BottomUp() const {
  std::vector<std::vector<uint32_t>> rows = {{0}};
  while (!rows.back().empty()) {
    std::vector<uint32_t> next;
    for (const uint32_t domain : rows.back()) {
      next.insert(next.end(), domains_[domain].children.begin(), domains_[domain].children.end());
    }
    rows.push_back(std::move(next));
  }
  std::vector<uint32_t> order;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    order.insert(order.end(), row->begin(), row->end());
  }
  return order;
}

std::string KaiTopology::NoMatch(const KaiTopologyQuery& query, std::string_view suffix) const {
  return NoTopologyMatch(query, name_, suffix);
}

KaiSubset KaiTopology::Subset(const KaiTopologyQuery& query, KaiNodesLeft left) {
  KaiSubset subset;
  const KaiConstraint& constraint = *query.constraint;
  const Common common = CommonDomain(query.nodes, constraint.preferred);
  const uint32_t domain = Find(common.level, common.id);
  if (domain == kNone) {
    subset.failure = absl::StrCat("domain not found for node set in topology ", name_);
    return subset;
  }
  Demand demand = {query};
  for (const KaiTopologyTask& task : query.tasks) Add(task.request, &demand.requested);
  for (KaiDomain& d : domains_) {
    d.allocatable_pods = KaiDomain::kNotCounted;
    d.free.assign(demand.requested.size(), 0.0);
  }
  CountFree(domain, left);
  if (AreOfOneKind(query.tasks)) CountPods(domain, query.tasks, left, query.is_claimed);
  if (KaiFitError error; !Fits(demand, domain, &error)) {
    const std::string place = domain == 0 ? "the cluster" : domains_[domain].id;
    subset.errors.push_back(SchedulingError(
        NoMatch(query, absl::StrCat("not enough resources in ", place, " to allocate the job"))));
    return subset;
  }
  const std::string& deepest =
      constraint.preferred.empty() ? constraint.required : constraint.preferred;
  if (!deepest.empty()) Sort(domain, LevelOf(deepest), demand.requested, query.is_claimed);
  if (!constraint.preferred.empty()) {
    subset.scores = Scores(domain, LevelOf(constraint.preferred));
    subset.has_scores = true;
  }
  std::vector<uint32_t> levels;
  subset.failure = RelevantLevels(query, &levels);
  if (!subset.failure.empty()) return subset;
  if (!query.active.empty() && !constraint.required.empty()) demand.relevant = WithActive(query);
  std::vector<uint8_t> chosen(domains_.size(), 0), is_valid(node_values_.size(), 0);
  for (const uint32_t d : Allocatable(demand, levels, &subset)) chosen[d] = 1;
  for (const uint32_t node : common.valid) is_valid[node] = 1;
  for (const uint32_t d : BottomUp()) {
    if (chosen[d] == 0) continue;
    std::vector<uint32_t>& set = subset.sets.emplace_back();
    for (const uint32_t node : domains_[d].nodes) {
      if (node < is_valid.size() && is_valid[node] != 0) set.push_back(node);
    }
  }
  return subset;
}

KaiSubset SubsetOfKaiNodes(std::span<KaiTopology> topologies, const KaiTopologyQuery& query,
                           KaiNodesLeft left) {
  const bool is_free = query.constraint == nullptr || query.constraint->topology.empty();
  if (!is_free) {
    const std::string& name = query.constraint->topology;
    const auto tree = std::find_if(topologies.begin(), topologies.end(),
                                   [&](const KaiTopology& t) { return t.name() == name; });
    if (tree == topologies.end()) {
      KaiSubset subset;
      subset.errors.push_back(
          SchedulingError(absl::StrCat("Requested topology ", name, " does not exist")));
      return subset;
    }
    if (!query.tasks.empty()) return tree->Subset(query, left);
  }
  KaiSubset subset;
  subset.sets.emplace_back(query.nodes.begin(), query.nodes.end());
  return subset;
}

}  // namespace muster
