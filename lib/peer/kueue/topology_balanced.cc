// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/topology_balanced.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "lib/base/math.h"
#include "lib/peer/kueue/topology_order.h"

namespace muster::kueue {
namespace {

std::vector<uint32_t> Ordered(std::span<const DomainCounts> counts,
                              std::span<const uint32_t> domains, bool with_leader,
                              bool by_affinity) {
  std::vector<std::pair<OrderKey, uint32_t>> keys;
  const OrderRule rule{.with_leader = with_leader, .by_affinity = by_affinity};
  for (const uint32_t d : domains) keys.emplace_back(KeyOf(counts[d], d, rule), d);
  std::sort(keys.begin(), keys.end());
  std::vector<uint32_t> order;
  for (const auto& [key, d] : keys) order.push_back(d);
  return order;
}

// As the peer's library computes it.
double Log2(double x) {
  constexpr double kLn2 = 0.693147180559945309417232121458176568;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  if (fraction == 0.5) return exponent - 1;
  return Log(fraction) * (1 / kLn2) + exponent;
}

std::vector<uint32_t> ChildrenOf(const TopologyTree& tree, uint32_t level,
                                 std::span<const uint32_t> domains) {
  std::vector<uint32_t> children;
  for (const uint32_t d : domains) {
    for (uint32_t c = tree.first_child(level, d); c < tree.last_child(level, d); ++c) {
      children.push_back(c);
    }
  }
  return children;
}

// Calls `edit` for the domain and all below it.
template <class Edit>
void ForAllBelow(const TopologyTree& tree, uint32_t level, uint32_t domain, LevelCounts* work,
                 Edit edit) {
  uint32_t first = domain, last = domain + 1;
  for (;; ++level) {
    for (uint32_t d = first; d < last; ++d) edit((*work)[level][d]);
    if (level == tree.lowest()) return;
    first = tree.first_child(level, first);
    last = tree.last_child(level, last - 1);
  }
}

void PruneOne(const TopologyTree& tree, const LevelPlan& plan, uint32_t level, uint32_t domain,
              int32_t threshold, LevelCounts* work) {
  const DomainCounts& c = (*work)[level][domain];
  if (c.slices < threshold) {
    ForAllBelow(tree, level, domain, work,
                [](DomainCounts& below) { below = DomainCounts{.affinity = below.affinity}; });
  } else if (plan.leaders > 0 && c.leaders > 0 && c.slices_with_leader < threshold) {
    ForAllBelow(tree, level, domain, work, [](DomainCounts& below) {
      below.pods_with_leader = below.slices_with_leader = below.leaders = 0;
    });
  }
}

// Sums up the domain and all below it. Slices in slices are not looked at, as in the peer.
void SumBelow(const TopologyTree& tree, const LevelPlan& plan, uint32_t level, uint32_t domain,
              LevelCounts* work) {
  DomainCounts& c = (*work)[level][domain];
  if (level == tree.lowest()) {
    if (level != plan.slice_level) return;
    c.slices = c.pods / plan.slice_size;
    c.slices_with_leader = c.pods_with_leader / plan.slice_size;
    return;
  }
  const uint32_t first = tree.first_child(level, domain), last = tree.last_child(level, domain);
  for (uint32_t child = first; child < last; ++child) {
    SumBelow(tree, plan, level + 1, child, work);
  }
  const std::span<const DomainCounts> children((*work)[level + 1]);
  c = SumOf(children.subspan(first, last - first), {.slice_size = plan.slice_size,
                                                    .at_slice_level = level == plan.slice_level,
                                                    .leader = plan.leaders > 0});
}

// The chosen domains of a partial choice are a chain.
struct Step {
  uint32_t domain;
  size_t before;  // position in the list of steps
};
// What is left to place after some domains -> the last step. Ascending, as the peer looks at them.
using Choices = std::map<std::pair<int32_t, int32_t>, size_t>;

std::vector<uint32_t> OrderForSet(const TopologyTree& tree, uint32_t level,
                                  std::span<const DomainCounts> counts,
                                  std::span<const DomainCounts>* children,
                                  std::span<const uint32_t> domains) {
  std::vector<uint32_t> order(domains.begin(), domains.end());
  std::sort(order.begin(), order.end());
  if (children == nullptr) return order;
  std::map<uint32_t, double> entropy;
  for (const uint32_t d : order) {
    if (level == tree.lowest()) break;  // leaves have no children
    const uint32_t first = tree.first_child(level, d);
    entropy[d] = EntropyOf(children->subspan(first, tree.last_child(level, d) - first));
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (counts[a].leaders != counts[b].leaders) return counts[a].leaders > counts[b].leaders;
    if (counts[a].slices_with_leader != counts[b].slices_with_leader) {
      return counts[a].slices_with_leader > counts[b].slices_with_leader;
    }
    return entropy[a] > entropy[b];
  });
  return order;
}

}  // namespace

double EntropyOf(std::span<const DomainCounts> domains) {
  int64_t total = 0;
  for (const DomainCounts& c : domains) total += c.pods;
  double entropy = 0;
  for (const DomainCounts& c : domains) {
    if (c.pods <= 0) continue;
    const double part = static_cast<double>(c.pods) / static_cast<double>(total);
    entropy += -part * Log2(part);
  }
  return entropy;
}

std::optional<GreedyFill> FillGreedily(std::span<const DomainCounts> counts,
                                       std::span<const uint32_t> domains, int32_t slices,
                                       int32_t leaders, bool by_affinity) {
  GreedyFill fill;
  std::vector<uint32_t> rest(domains.begin(), domains.end());
  if (leaders > 0) {
    rest = Ordered(counts, domains, /*with_leader=*/true, by_affinity);
    size_t i = 0;
    for (; leaders > 0 && i < rest.size() && counts[rest[i]].leaders > 0; ++i) {
      ++fill.domains;
      fill.last_with_leader = rest[i];
      leaders -= counts[rest[i]].leaders;
      slices -= counts[rest[i]].slices_with_leader;
    }
    rest.erase(rest.begin(), rest.begin() + static_cast<ptrdiff_t>(i));
  }
  if (leaders > 0) return std::nullopt;
  for (const uint32_t d : Ordered(counts, rest, /*with_leader=*/false, by_affinity)) {
    if (slices <= 0 || counts[d].slices <= 0) break;
    ++fill.domains;
    fill.last = d;
    slices -= counts[d].slices;
  }
  if (slices > 0) return std::nullopt;
  return fill;
}

std::optional<std::vector<uint32_t>> SmallestSet(const TopologyTree& tree, uint32_t level,
                                                 std::span<const DomainCounts> counts,
                                                 std::span<const DomainCounts>* children,
                                                 std::span<const uint32_t> domains,
                                                 const SetRequest& request) {
  const auto fill =
      FillGreedily(counts, domains, request.slices, request.leaders, request.by_affinity);
  if (!fill) return std::nullopt;
  const auto most = static_cast<size_t>(fill->domains);
  std::vector<Choices> choices(most + 1);  // by number of domains
  std::vector<Step> steps(1);              // 0: none
  choices[0][{request.leaders, request.slices * request.slice_size}] = 0;
  for (const uint32_t d : OrderForSet(tree, level, counts, children, domains)) {
    const DomainCounts& c = counts[d];
    for (size_t i = most; i > 0; --i) {
      for (const auto& [left, step] : choices[i - 1]) {
        const auto [leaders, pods] = left;
        if (leaders <= 0 && pods <= 0) continue;
        const auto take = [&, step = step](int32_t leaders_left, int32_t pods_left) {
          if (choices[i].try_emplace({leaders_left, pods_left}, steps.size()).second) {
            steps.push_back({d, step});
          }
        };
        if (leaders > 0 && c.leaders > 0) take(leaders - c.leaders, pods - c.pods_with_leader);
        if (c.slices > 0) take(leaders, pods - c.pods);
      }
    }
  }
  // The least to spare: of what is left the largest number that is not above 0.
  std::vector<uint32_t> set;
  bool found = false;
  size_t last = 0;
  for (const auto& [left, step] : choices[most]) {
    if (left.first != 0 || left.second > 0) continue;
    found = true;
    last = step;
  }
  if (!found) return std::nullopt;
  for (; last != 0; last = steps[last].before) set.push_back(steps[last].domain);
  std::reverse(set.begin(), set.end());
  return set;
}

std::optional<std::vector<uint32_t>> PlaceEvenly(const TopologyTree& tree, uint32_t level,
                                                 std::span<DomainCounts> counts,
                                                 std::span<const uint32_t> domains,
                                                 const SetRequest& request, int32_t threshold) {
  const auto set = SmallestSet(tree, level, counts, nullptr, domains, request);
  if (!set) return std::nullopt;
  int32_t extra = request.slices - static_cast<int32_t>(set->size()) * threshold;
  if (extra < 0) return std::nullopt;
  std::vector<uint32_t> order = Ordered(counts, *set, /*with_leader=*/true, request.by_affinity);
  int32_t leaders = request.leaders;
  for (const uint32_t d : order) {
    DomainCounts& c = counts[d];
    int32_t more = 0;
    if (leaders > 0) {
      more = std::min(c.slices_with_leader - threshold, extra);
    } else if (extra > 0) {
      more = std::min(c.slices - threshold, extra);
    }
    c.leaders = leaders > 0 ? 1 : 0;
    leaders -= c.leaders;
    extra -= more;
    c.slices = c.slices_with_leader = threshold + more;
    c.pods = c.slices * request.slice_size;
    c.pods_with_leader = c.pods - c.leaders;
  }
  if (extra > 0 || leaders > 0) return std::nullopt;
  return order;
}

void Prune(const TopologyTree& tree, const LevelPlan& plan, std::span<const uint32_t> domains,
           int32_t threshold, LevelCounts* work) {
  if (plan.level < tree.lowest()) {
    for (const uint32_t child : ChildrenOf(tree, plan.level, domains)) {
      PruneOne(tree, plan, plan.level + 1, child, threshold, work);
    }
  }
  for (const uint32_t d : domains) {
    SumBelow(tree, plan, plan.level, d, work);
    PruneOne(tree, plan, plan.level, d, threshold, work);
  }
}

std::optional<Balance> FindBalance(const TopologyTree& tree, const LevelPlan& plan,
                                   bool by_affinity, LevelCounts* work) {
  const LevelCounts counts = *work;  // each candidate set starts from these
  LevelCounts best_work;
  Balance best;
  int32_t fewest = 0;
  const uint32_t sets = plan.level == 0 ? 1 : tree.size(plan.level - 1);
  for (uint32_t set = 0; set < sets; ++set) {
    std::vector<uint32_t> domains;
    const uint32_t first = plan.level == 0 ? 0 : tree.first_child(plan.level - 1, set);
    const uint32_t last = plan.level == 0 ? tree.size(0) : tree.last_child(plan.level - 1, set);
    for (uint32_t d = first; d < last; ++d) domains.push_back(d);
    const bool lower = plan.level < plan.slice_level;
    const std::vector<uint32_t> filled = lower ? ChildrenOf(tree, plan.level, domains) : domains;
    const std::vector<DomainCounts>& at = counts[plan.level + (lower ? 1 : 0)];
    const auto fill = FillGreedily(at, filled, plan.slices(), plan.leaders, by_affinity);
    if (!fill || fill->domains == 0) continue;
    int32_t threshold = plan.slices() / fill->domains;
    if (fill->last_with_leader != kNone) {
      threshold = std::min(threshold, at[fill->last_with_leader].slices_with_leader);
    }
    int32_t reserved = threshold;  // if the last domain is to host a leader
    if (fill->last != kNone) {
      threshold = std::min(threshold, at[fill->last].slices);
      reserved = threshold;
      if (plan.leaders > 0) reserved = std::min(threshold, at[fill->last].slices_with_leader);
    }
    if (threshold < best.threshold) continue;
    const auto fits = [&](int32_t at_least) {
      *work = counts;
      Prune(tree, plan, domains, at_least, work);
      return FillGreedily((*work)[plan.level], domains, plan.slices(), plan.leaders, by_affinity);
    };
    auto pruned = fits(threshold);
    if (!pruned && reserved < threshold) {
      if (reserved <= 0 || reserved < best.threshold) continue;
      threshold = reserved;
      pruned = fits(threshold);
    }
    if (!pruned) continue;
    if (threshold > best.threshold || (threshold == best.threshold && pruned->domains < fewest)) {
      best = {threshold, domains};
      fewest = pruned->domains;
      best_work = *work;
    }
  }
  if (best.threshold <= 0) return std::nullopt;
  *work = std::move(best_work);
  return best;
}

bool PlaceBalanced(const TopologyTree& tree, const LevelPlan& plan, const Balance& balance,
                   bool by_affinity, LevelCounts* work, uint32_t* level,
                   std::vector<uint32_t>* domains) {
  const SetRequest request{.slices = plan.slices(),
                           .leaders = plan.leaders,
                           .slice_size = plan.slice_size,
                           .by_affinity = by_affinity};
  *level = plan.level;
  std::vector<uint32_t> candidates = balance.domains;
  if (plan.level < plan.slice_level) {
    std::span<const DomainCounts> children((*work)[plan.level + 1]);
    const auto set =
        SmallestSet(tree, plan.level, (*work)[plan.level], &children, candidates, request);
    if (!set) return false;
    candidates = ChildrenOf(tree, plan.level, *set);
    ++*level;
  }
  auto placed = PlaceEvenly(tree, *level, (*work)[*level], candidates, request, balance.threshold);
  if (!placed) return false;
  *domains = std::move(*placed);
  return true;
}

}  // namespace muster::kueue
