// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Inter-task affinity as Kubernetes filters and scores by it. A node without the topology key is in
// no domain. Required affinity is satisfied by a domain that holds a task matching all terms; if no
// such task is anywhere, the first of a group that matches itself may go to any node that has the
// keys. Anti-affinity is judged term by term, and also from the side of the tasks already there.
#include <algorithm>

#include "lib/reference/kube/domains.h"
#include "lib/reference/kube/selectors.h"

namespace muster::reference {

namespace {

// Calls see(existing task, its node) for every task the Kubernetes view holds, nodes and tasks
// ascending.
template <typename See>
void ForEachPresent(const Cycle& cycle, See see) {
  for (NodeIndex n : cycle.world.session_nodes()) {
    for (TaskIndex t : cycle.world.present[n]) see(t, n);
  }
}

const std::string* LabelOf(const Cycle& cycle, NodeIndex node, const std::string& key) {
  return FindLabel(cycle.tables().nodes.spec[node].labels, key);
}

void CountDomain(const Cycle& cycle, const AffinityTerm& term, NodeIndex node,
                 std::map<Domain, int64_t>& counts) {
  const std::string* value = LabelOf(cycle, node, term.topology_key);
  if (value != nullptr) ++counts[{term.topology_key, *value}];
}

bool MatchesAll(const Cycle& cycle, const std::vector<AffinityTerm>& terms, const TaskShape& owner,
                const TaskShape& other) {
  return std::all_of(terms.begin(), terms.end(), [&](const AffinityTerm& term) {
    return Matches(cycle.tables(), term, owner.name_space, other, true);
  });
}

}  // namespace

void CountAffinity(const Cycle& cycle, TaskIndex task, FilterState& state) {
  const TaskShape& own = cycle.world.shape(task);
  ForEachPresent(cycle, [&](TaskIndex t, NodeIndex n) {
    const TaskShape& other = cycle.world.shape(t);
    for (const AffinityTerm& term : other.required_anti_affinity) {
      if (Matches(cycle.tables(), term, other.name_space, own, false)) {
        CountDomain(cycle, term, n, state.existing_anti);
      }
    }
    if (!own.required_affinity.empty() && MatchesAll(cycle, own.required_affinity, own, other)) {
      for (const AffinityTerm& term : own.required_affinity)
        CountDomain(cycle, term, n, state.affinity);
    }
    for (const AffinityTerm& term : own.required_anti_affinity) {
      if (Matches(cycle.tables(), term, own.name_space, other, true)) {
        CountDomain(cycle, term, n, state.anti);
      }
    }
  });
}

std::optional<RefusalCode> AffinityRefusal(const Cycle& cycle, const FilterState& state,
                                           TaskIndex task, NodeIndex node) {
  const TaskShape& own = cycle.world.shape(task);
  bool all_there = true;
  for (const AffinityTerm& term : own.required_affinity) {
    const std::string* value = LabelOf(cycle, node, term.topology_key);
    if (value == nullptr) return RefusalCode::kAffinity;
    all_there = all_there && state.affinity.count({term.topology_key, *value}) > 0;
  }
  if (!all_there) {
    const bool first_of_its_group =
        state.affinity.empty() && MatchesAll(cycle, own.required_affinity, own, own);
    if (!first_of_its_group) return RefusalCode::kAffinity;
  }
  for (const AffinityTerm& term : own.required_anti_affinity) {
    const std::string* value = LabelOf(cycle, node, term.topology_key);
    if (value != nullptr && state.anti.count({term.topology_key, *value}) > 0) {
      return RefusalCode::kAntiAffinity;
    }
  }
  for (const auto& [key, value] : cycle.tables().nodes.spec[node].labels) {
    if (state.existing_anti.count({key, value}) > 0) return RefusalCode::kExistingAntiAffinity;
  }
  return std::nullopt;
}

std::optional<std::vector<int64_t>> AffinityScores(const Cycle& cycle, TaskIndex task,
                                                   const std::vector<NodeIndex>& nodes) {
  const TaskShape& own = cycle.world.shape(task);
  const Tables& tables = cycle.tables();
  std::map<Domain, int64_t> sums;  // an entry that sums to zero is still an entry
  ForEachPresent(cycle, [&](TaskIndex t, NodeIndex n) {
    const TaskShape& other = cycle.world.shape(t);
    const auto add = [&](const AffinityTerm& term, int64_t weight) {
      const std::string* value = LabelOf(cycle, n, term.topology_key);
      if (value != nullptr) sums[{term.topology_key, *value}] += weight;
    };
    for (const auto& [weight, term] : own.preferred_affinity) {
      if (Matches(tables, term, own.name_space, other, true)) add(term, weight);
    }
    for (const auto& [weight, term] : own.preferred_anti_affinity) {
      if (Matches(tables, term, own.name_space, other, true)) add(term, -int64_t{weight});
    }
    for (const auto& [weight, term] : other.preferred_affinity) {
      if (Matches(tables, term, other.name_space, own, false)) add(term, weight);
    }
    for (const auto& [weight, term] : other.preferred_anti_affinity) {
      if (Matches(tables, term, other.name_space, own, false)) add(term, -int64_t{weight});
    }
  });
  if (sums.empty()) return std::nullopt;

  std::vector<int64_t> scores;
  for (NodeIndex n : nodes) {
    int64_t score = 0;
    for (const auto& [key, value] : tables.nodes.spec[n].labels) {
      const auto sum = sums.find({key, value});
      if (sum != sums.end()) score += sum->second;
    }
    scores.push_back(score);
  }
  const int64_t most = *std::max_element(scores.begin(), scores.end());
  const int64_t least = *std::min_element(scores.begin(), scores.end());
  for (int64_t& score : scores) {
    const double part = static_cast<double>(score - least) / static_cast<double>(most - least);
    score = most == least ? 0 : static_cast<int64_t>(100.0 * part);
  }
  return scores;
}

// --- Kubernetes 1.16 -----------------------------------------------------------------------------

namespace {

bool SameDomain(const Cycle& cycle, const std::string& key, NodeIndex a, NodeIndex b) {
  const std::string* left = LabelOf(cycle, a, key);
  const std::string* right = LabelOf(cycle, b, key);
  return !key.empty() && left != nullptr && right != nullptr && *left == *right;
}

bool SharesAll(const Cycle& cycle, const std::vector<AffinityTerm>& terms, NodeIndex a,
               NodeIndex b) {
  return std::all_of(terms.begin(), terms.end(), [&](const AffinityTerm& term) {
    return SameDomain(cycle, term.topology_key, a, b);
  });
}

// The old filter asks the jobs for the tasks that hold resources: what is nominated or leaving is
// not among them.
bool InLister(const Cycle& cycle, TaskIndex task) {
  return cycle.tables().tasks.job[task] != kNone && IsAllocated(cycle.world.status[task]);
}

// Terms had no namespace selector yet: one that names no namespaces speaks of its owner's.
bool OldMatches(const AffinityTerm& term, const TaskShape& owner, const TaskShape& other) {
  const auto& names = term.namespaces;
  const bool of_namespace =
      names.empty() ? other.name_space == owner.name_space
                    : std::find(names.begin(), names.end(), other.name_space) != names.end();
  return of_namespace && Matches(term.selector, other.labels);
}

bool OldMatchesAll(const std::vector<AffinityTerm>& terms, const TaskShape& owner,
                   const TaskShape& other) {
  return std::all_of(terms.begin(), terms.end(),
                     [&](const AffinityTerm& term) { return OldMatches(term, owner, other); });
}

}  // namespace

std::optional<RefusalCode> OldAffinityRefusal(const Cycle& cycle, TaskIndex task, NodeIndex node) {
  const TaskShape& own = cycle.world.shape(task);
  bool refused_by_existing = false, matched = false, matched_here = false, anti_here = false;
  ForEachPresent(cycle, [&](TaskIndex t, NodeIndex n) {
    if (!InLister(cycle, t)) return;
    const TaskShape& other = cycle.world.shape(t);
    for (const AffinityTerm& term : other.required_anti_affinity) {
      if (OldMatches(term, other, own) && SameDomain(cycle, term.topology_key, n, node)) {
        refused_by_existing = true;
      }
    }
    if (!own.required_affinity.empty() && OldMatchesAll(own.required_affinity, own, other)) {
      matched = true;
      matched_here = matched_here || SharesAll(cycle, own.required_affinity, n, node);
    }
    if (!own.required_anti_affinity.empty() &&
        OldMatchesAll(own.required_anti_affinity, own, other)) {
      anti_here = anti_here || SharesAll(cycle, own.required_anti_affinity, n, node);
    }
  });
  if (!own.required_affinity.empty() && !matched_here &&
      (matched || !OldMatchesAll(own.required_affinity, own, own))) {
    return RefusalCode::kAffinity;
  }
  if (anti_here) return RefusalCode::kAntiAffinity;
  if (refused_by_existing) return RefusalCode::kExistingAntiAffinity;
  return std::nullopt;
}

// Only tasks on the candidate nodes are looked at. Required affinity of a task already there counts
// one.
std::vector<int64_t> OldAffinityScores(const Cycle& cycle, TaskIndex task,
                                       const std::vector<NodeIndex>& nodes) {
  const TaskShape& own = cycle.world.shape(task);
  std::vector<int64_t> counts(nodes.size(), 0);
  for (NodeIndex there : nodes) {
    for (TaskIndex t : cycle.world.present[there]) {
      const TaskShape& other = cycle.world.shape(t);
      const auto add = [&](const AffinityTerm& term, int64_t weight) {
        for (size_t i = 0; i < nodes.size(); ++i) {
          if (SameDomain(cycle, term.topology_key, there, nodes[i])) counts[i] += weight;
        }
      };
      for (const auto& [weight, term] : own.preferred_affinity) {
        if (OldMatches(term, own, other)) add(term, weight);
      }
      for (const auto& [weight, term] : own.preferred_anti_affinity) {
        if (OldMatches(term, own, other)) add(term, -int64_t{weight});
      }
      for (const AffinityTerm& term : other.required_affinity) {
        if (OldMatches(term, other, own)) add(term, 1);
      }
      for (const auto& [weight, term] : other.preferred_affinity) {
        if (OldMatches(term, other, own)) add(term, weight);
      }
      for (const auto& [weight, term] : other.preferred_anti_affinity) {
        if (OldMatches(term, other, own)) add(term, -int64_t{weight});
      }
    }
  }
  int64_t most = 0, least = 0;
  for (int64_t count : counts) {
    most = std::max(most, count);
    least = std::min(least, count);
  }
  for (int64_t& count : counts) {
    const double part = static_cast<double>(count - least) / static_cast<double>(most - least);
    count = most == least ? 0 : static_cast<int64_t>(10.0 * part);
  }
  return counts;
}

}  // namespace muster::reference
