// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The four strategies over heaps of nodes, one for each shape of bundle.
#include "lib/peer/ray/bundles.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/math.h"

namespace muster {

bool Holds(const BundleAmounts& amounts, const BundleAmounts& request) {
  for (size_t r = 0; r < request.size(); ++r) {
    if (request[r] > AmountOf(amounts, r)) return false;
  }
  return true;
}

bool HasRoom(const BundleNode& node, const BundleAmounts& request) {
  return Holds(node.available, request) && node.devices.Holds(AmountOf(request, 0));
}

bool HoldsEmpty(const BundleNode& node, const BundleAmounts& request) {
  return Holds(node.total, request) && node.devices.HoldsWhenFree(AmountOf(request, 0));
}

namespace {

constexpr int64_t kMostAmount = int64_t{1} << 53;

bool Allows(const Bundle& bundle, size_t node) {
  return bundle.nodes.empty() || bundle.nodes[node];
}

// What is free of a node.
struct Room {
  BundleAmounts available;
  DeviceParts devices;
};

bool Fits(const Room& room, const BundleAmounts& request) {
  return Holds(room.available, request) && room.devices.Holds(AmountOf(request, 0));
}

// Returns the score of a node with so much free, whatever its devices; below 0: the bundle does not
// fit.
double ScoreOfSums(const BundleAmounts& available, const BundleAmounts& request) {
  if (!Holds(available, request)) return -1;
  double score = 0;
  for (size_t r = 0; r < request.size(); ++r) {
    const int64_t free = AmountOf(available, r);
    if (request[r] == 0 || free == 0) continue;
    score += static_cast<double>(free - request[r]) / static_cast<double>(free);
  }
  return score;
}

double ScoreOn(const Room& room, const BundleAmounts& request) {
  return Fits(room, request) ? ScoreOfSums(room.available, request) : -1;
}

void Take(const BundleAmounts& request, Room* room) {
  for (size_t r = 0; r < request.size() && r < room->available.size(); ++r) {
    room->available[r] -= request[r];
  }
  room->devices.Take(AmountOf(request, 0));
}

class Placement {
 public:
  Placement(std::span<const BundleNode> nodes, std::span<const Bundle> bundles)
      : nodes_(nodes), bundles_(bundles), is_out_(nodes.size(), false) {
    for (const BundleNode& node : nodes) rooms_.push_back({node.available, node.devices});
    plan_.nodes.resize(bundles.size());
    order_.resize(bundles.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
      return MoreImportant(bundles_[a].request, bundles_[b].request);
    });
  }

  void Exclude(const std::vector<bool>& used) {
    for (size_t i = 0; i < used.size(); ++i) {
      if (used[i]) is_out_[i] = true;
    }
  }
  size_t Left() const {
    return static_cast<size_t>(std::count(is_out_.begin(), is_out_.end(), false));
  }
  // Returns whether each bundle would have a node if all were empty.
  bool IsFeasible() const {
    return std::all_of(bundles_.begin(), bundles_.end(), [&](const Bundle& bundle) {
      for (size_t i = 0; i < nodes_.size(); ++i) {
        if (!is_out_[i] && Allows(bundle, i) && HoldsEmpty(nodes_[i], bundle.request)) return true;
      }
      return false;
    });
  }

  BundlePlan Pack() {
    std::vector<size_t> rest = order_;
    while (!rest.empty()) {
      const std::optional<size_t> node = TakeBest(rest[0]);
      if (!node.has_value()) return No(BundlePlan::Outcome::kFailed);
      std::vector<size_t> others;
      for (size_t bundle : rest) {
        const bool fits =
            Allows(bundles_[bundle], *node) && Fits(rooms_[*node], bundles_[bundle].request);
        if (fits) {
          Put(bundle, *node);
        } else {
          others.push_back(bundle);
        }
      }
      rest = std::move(others);
    }
    return Yes();
  }

  BundlePlan Spread(bool is_strict) {
    std::vector<size_t> used;
    for (size_t bundle : order_) {
      std::optional<size_t> node = TakeBest(bundle);
      if (node.has_value()) {
        used.push_back(*node);
      } else if (!is_strict) {
        node = BestOf(used, bundle);
      }
      if (!node.has_value()) return No(BundlePlan::Outcome::kFailed);
      Put(bundle, *node);
    }
    return Yes();
  }

  BundlePlan StrictPack(std::optional<size_t> wished) {
    Bundle all{.nodes = std::vector<bool>(nodes_.size(), true)};
    for (const Bundle& bundle : bundles_) {
      all.request.resize(std::max(all.request.size(), bundle.request.size()), 0);
      for (size_t r = 0; r < bundle.request.size(); ++r) {
        all.request[r] = std::min(all.request[r] + bundle.request[r], 2 * kMostAmount);
      }
      for (size_t i = 0; i < nodes_.size(); ++i) all.nodes[i] = all.nodes[i] && Allows(bundle, i);
    }
    bool is_feasible = false;
    std::optional<size_t> best;
    double best_score = -1;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!all.nodes[i]) continue;
      is_feasible |= Holds(nodes_[i].total, all.request) && HoldAll(nodes_[i].devices.Freed());
      const bool has_devices = HoldAll(rooms_[i].devices);
      const double score = has_devices ? ScoreOfSums(rooms_[i].available, all.request) : -1;
      const bool is_wished = wished == i && score >= 0;
      if (score <= best_score && !is_wished) continue;
      best = i;
      best_score = score;
      if (is_wished) break;
    }
    if (!is_feasible) return No(BundlePlan::Outcome::kInfeasible);
    if (!best.has_value()) return No(BundlePlan::Outcome::kFailed);
    for (size_t bundle : order_) plan_.nodes[bundle] = *best;
    return Yes();
  }

  static BundlePlan No(BundlePlan::Outcome outcome) { return {outcome, {}}; }

 private:
  using Entry = std::pair<double, size_t>;  // score, node

  static bool MoreImportant(const BundleAmounts& a, const BundleAmounts& b) {
    for (size_t r = 0; r < std::max(a.size(), b.size()); ++r) {
      if (AmountOf(a, r) != AmountOf(b, r)) return AmountOf(a, r) > AmountOf(b, r);
    }
    return false;
  }
  static bool Worse(const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  }

  // Returns the best node without a bundle of the group, and takes it off the heap.
  std::optional<size_t> TakeBest(size_t bundle) {
    const auto [it, is_new] =
        heaps_.try_emplace({bundles_[bundle].request, bundles_[bundle].nodes});
    std::vector<Entry>& heap = it->second;
    if (is_new) {
      for (size_t i = 0; i < nodes_.size(); ++i) {
        if (is_out_[i] || !Allows(bundles_[bundle], i)) continue;
        const double score = ScoreOn(rooms_[i], bundles_[bundle].request);
        if (score >= 0) heap.emplace_back(score, i);
      }
      std::make_heap(heap.begin(), heap.end(), Worse);
    }
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), Worse);
      const size_t node = heap.back().second;
      heap.pop_back();
      if (is_out_[node]) continue;
      is_out_[node] = true;
      return node;
    }
    return std::nullopt;
  }

  std::optional<size_t> BestOf(std::span<const size_t> nodes, size_t bundle) const {
    std::optional<Entry> best;
    for (size_t node : nodes) {
      if (!Allows(bundles_[bundle], node)) continue;
      const Entry entry{ScoreOn(rooms_[node], bundles_[bundle].request), node};
      if (entry.first >= 0 && (!best.has_value() || Worse(*best, entry))) best = entry;
    }
    if (!best.has_value()) return std::nullopt;
    return best->second;
  }

  // Returns whether the devices hold all bundles together.
  bool HoldAll(DeviceParts devices) const {
    if (!devices.counts()) return true;
    for (const size_t bundle : order_) {
      const int64_t request = AmountOf(bundles_[bundle].request, 0);
      if (request == 0) break;  // the bundles behind take none, either
      if (!devices.Holds(request)) return false;
      devices.Take(request);
    }
    return true;
  }
  void Put(size_t bundle, size_t node) {
    Take(bundles_[bundle].request, &rooms_[node]);
    plan_.nodes[bundle] = node;
  }
  BundlePlan Yes() {
    plan_.outcome = BundlePlan::Outcome::kPlaced;
    return std::move(plan_);
  }

  std::span<const BundleNode> nodes_;
  std::span<const Bundle> bundles_;
  std::vector<Room> rooms_;
  std::vector<bool> is_out_;
  std::vector<size_t> order_;
  std::map<std::pair<BundleAmounts, std::vector<bool>>, std::vector<Entry>> heaps_;  // by shape
  BundlePlan plan_;
};

absl::Status Check(std::span<const BundleNode> nodes, std::span<const Bundle> bundles,
                   const BundleOptions& options) {
  const auto refuse = [](auto... words) {
    return absl::InvalidArgumentError(absl::StrCat(words...));
  };
  const auto is_bad = [](int64_t amount) { return amount < 0 || amount > kMostAmount; };
  for (size_t i = 0; i < nodes.size(); ++i) {
    const BundleAmounts &total = nodes[i].total, &available = nodes[i].available;
    if (std::any_of(total.begin(), total.end(), is_bad) ||
        std::any_of(available.begin(), available.end(), is_bad)) {
      return refuse("node ", i, ": an amount is not within 0 and 2^53");
    }
    if (!Holds(total, available)) return refuse("node ", i, ": more is free than there is");
  }
  if (bundles.empty()) return refuse("a group of no bundles");
  for (size_t i = 0; i < bundles.size(); ++i) {
    const BundleAmounts& request = bundles[i].request;
    if (std::any_of(request.begin(), request.end(), is_bad)) {
      return refuse("bundle ", i, ": an amount is not within 0 and 2^53");
    }
    if (!bundles[i].nodes.empty() && bundles[i].nodes.size() != nodes.size()) {
      return refuse("bundle ", i, ": ", bundles[i].nodes.size(), " nodes of ", nodes.size());
    }
  }
  if (!options.used_already.empty() && options.used_already.size() != nodes.size()) {
    return refuse("used already: ", options.used_already.size(), " nodes of ", nodes.size());
  }
  if (!options.domains.empty() && options.domains.size() != nodes.size()) {
    return refuse("domains: ", options.domains.size(), " nodes of ", nodes.size());
  }
  return absl::OkStatus();
}

BundlePlan PlaceOn(std::span<const BundleNode> nodes, std::span<const Bundle> bundles,
                   const BundleOptions& options) {
  Placement placement(nodes, bundles);
  const bool is_strict = options.strategy == BundleStrategy::kStrictSpread;
  if (options.strategy == BundleStrategy::kStrictPack) return placement.StrictPack(options.wished);
  if (is_strict) {
    placement.Exclude(options.used_already);
    if (bundles.size() > placement.Left()) return Placement::No(BundlePlan::Outcome::kInfeasible);
  }
  if (!placement.IsFeasible()) return Placement::No(BundlePlan::Outcome::kInfeasible);
  return options.strategy == BundleStrategy::kPack ? placement.Pack() : placement.Spread(is_strict);
}

void AddTo(const BundleAmounts& amounts, BundleAmounts* sum) {
  sum->resize(std::max(sum->size(), amounts.size()), 0);
  for (size_t r = 0; r < amounts.size(); ++r) (*sum)[r] = SatAdd((*sum)[r], amounts[r]);
}

// The question for the nodes of one domain.
BundlePlan PlaceInDomain(std::span<const BundleNode> nodes, std::span<const Bundle> bundles,
                         const BundleOptions& options, std::span<const size_t> members) {
  BundleOptions own{.strategy = options.strategy};
  std::vector<BundleNode> own_nodes;
  for (size_t m = 0; m < members.size(); ++m) {
    own_nodes.push_back(nodes[members[m]]);
    if (options.wished == members[m]) own.wished = m;
    if (!options.used_already.empty()) {
      own.used_already.push_back(options.used_already[members[m]]);
    }
  }
  std::vector<Bundle> own_bundles;
  for (const Bundle& bundle : bundles) {
    Bundle& own_bundle = own_bundles.emplace_back(Bundle{.request = bundle.request});
    if (bundle.nodes.empty()) continue;
    for (const size_t node : members) own_bundle.nodes.push_back(bundle.nodes[node]);
  }
  BundlePlan plan = PlaceOn(own_nodes, own_bundles, own);
  for (size_t& node : plan.nodes) node = members[node];
  return plan;
}

BundlePlan PlaceInDomains(std::span<const BundleNode> nodes, std::span<const Bundle> bundles,
                          const BundleOptions& options) {
  struct Domain {
    std::vector<size_t> members;
    BundleAmounts total;  // of all members
  };
  std::map<std::string_view, Domain> domains;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const std::string_view value = options.domains[i];
    if (value.empty() || (!options.domain.empty() && value != options.domain)) continue;
    Domain& domain = domains[value];
    domain.members.push_back(i);
    AddTo(nodes[i].total, &domain.total);
  }
  BundleAmounts wanted;
  for (const Bundle& bundle : bundles) AddTo(bundle.request, &wanted);
  BundlePlan::Outcome outcome = BundlePlan::Outcome::kInfeasible;
  for (const auto& [value, domain] : domains) {
    // Before anything is made for the domain: most may be too small.
    if (!Holds(domain.total, wanted)) continue;
    BundlePlan plan = PlaceInDomain(nodes, bundles, options, domain.members);
    if (plan.outcome == BundlePlan::Outcome::kPlaced) return plan;
    if (plan.outcome == BundlePlan::Outcome::kFailed) outcome = plan.outcome;
  }
  return Placement::No(outcome);
}

}  // namespace

absl::StatusOr<BundlePlan> PlaceBundles(std::span<const BundleNode> nodes,
                                        std::span<const Bundle> bundles,
                                        const BundleOptions& options) {
  if (const absl::Status status = Check(nodes, bundles, options); !status.ok()) return status;
  return options.domains.empty() ? PlaceOn(nodes, bundles, options)
                                 : PlaceInDomains(nodes, bundles, options);
}

}  // namespace muster
