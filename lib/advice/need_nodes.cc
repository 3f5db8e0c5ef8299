// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How many nodes until all that waits is placed (upkeep.h).
//
// Idea. With as many nodes of a type as tasks wait, each of them could have its own; more never
// help. So that number tells how many tasks must go on waiting, and a search finds the smallest
// number with which no more do. For a mix, nodes of one type are replaced by nodes of another one:
// half of them, a quarter, and so on, as long as the price falls.
// Tie-break. The offer that comes first, and one type before two.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/advice/changes.h"
#include "lib/advice/trials.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/change_guard.h"
#include "muster/upkeep.h"

namespace muster {
namespace {

class Search {
 public:
  Search(const Cluster& cluster, std::string_view profile, std::span<const NodeOffer> offers,
         const NeedOptions& options)
      : cluster_(cluster), profile_(profile), offers_(offers), options_(options) {}

  absl::StatusOr<NodesNeeded> Run() {
    NodesNeeded needed;
    const absl::StatusOr<int64_t> before = Waiting({});
    if (!before.ok()) return before.status();
    needed.waiting_before = needed.waiting_after = *before;
    most_ = std::min(options_.most, *before);
    for (size_t i = 0; i < offers_.size(); ++i) {
      // Also where nothing waits, so that a bad offer is refused in any cluster.
      const absl::StatusOr<int64_t> least = Waiting({{i, std::max<int64_t>(most_, 1)}});
      if (!least.ok()) return least.status();
      const int64_t count = *least < *before ? FewestOf(i, *least) : 0;
      needed.alone.push_back({offers_[i].node.name, count});
      if (count > 0) Consider({{i, count}}, *least);
    }
    if (best_.empty()) return needed;
    for (size_t i = 0; i < offers_.size(); ++i) {
      for (size_t j = 0; j < offers_.size(); ++j) {
        if (i != j && needed.alone[i].count > 1) Replace(i, needed.alone[i].count, j);
      }
    }
    std::ranges::sort(best_);
    for (const auto& [offer, count] : best_) {
      needed.cheapest.push_back({offers_[offer].node.name, count});
    }
    needed.price = PriceOf(best_);
    needed.waiting_after = best_waiting_;
    return needed;
  }

 private:
  using Mix = std::vector<std::pair<size_t, int64_t>>;  // offer, count

  absl::StatusOr<int64_t> Waiting(const Mix& mix) const {
    Cluster clone = cluster_.Clone();
    for (const auto& [offer, count] : mix) {
      const WhatIfChange change{.add_nodes = NewNodes{.count = count, .node = offers_[offer].node}};
      if (absl::Status s = MakeChange(change, &clone); !s.ok()) {
        return absl::Status(s.code(), absl::StrCat("offer[", offer, "]: ", s.message()));
      }
    }
    const absl::StatusOr<Plan> plan = Schedule(clone.Freeze(), profile_, options_.schedule);
    if (!plan.ok()) return plan.status();
    return static_cast<int64_t>(plan->pending().size());
  }
  bool IsEnough(const Mix& mix, int64_t waiting) const {
    const absl::StatusOr<int64_t> left = Waiting(mix);
    return left.ok() && *left <= waiting;
  }
  int64_t FewestOf(size_t offer, int64_t waiting) const {
    return Smallest(most_,
                    [&](int64_t count) {
                      return IsEnough({{offer, count}}, waiting);
                    })
        .value_or(most_);
  }
  double PriceOf(const Mix& mix) const {
    double price = 0;
    for (const auto& [offer, count] : mix) {
      price += offers_[offer].price * static_cast<double>(count);
    }
    return price;
  }
  void Consider(const Mix& mix, int64_t waiting) {
    const bool better = best_.empty() || waiting < best_waiting_ ||
                        (waiting == best_waiting_ && PriceOf(mix) < PriceOf(best_));
    if (!better) return;
    best_ = mix;
    best_waiting_ = waiting;
  }
  // Fewer of `offer`, and the fewest of `other` that make up for them.
  void Replace(size_t offer, int64_t count, size_t other) {
    for (int64_t fewer = count / 2; fewer >= 1; fewer /= 2) {
      const int64_t kept = count - fewer;
      const std::optional<int64_t> more = Smallest(most_, [&](int64_t c) {
        return IsEnough({{offer, kept}, {other, c}}, best_waiting_);
      });
      if (more) Consider({{offer, kept}, {other, *more}}, best_waiting_);
    }
  }

  const Cluster& cluster_;
  const std::string_view profile_;
  const std::span<const NodeOffer> offers_;
  const NeedOptions& options_;
  int64_t most_ = 1;
  Mix best_;
  int64_t best_waiting_ = 0;
};

}  // namespace

absl::StatusOr<NodesNeeded> NeedNodes(const Cluster& cluster, std::string_view profile,
                                      std::span<const NodeOffer> offers,
                                      const NeedOptions& options) {
  if (IsLost(ImplOf(cluster))) return LostError();
  if (options.most < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("most is ", options.most, "; must be 1 or more"));
  }
  for (size_t i = 0; i < offers.size(); ++i) {
    if (std::isfinite(offers[i].price) && offers[i].price >= 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("offer[", i, "]: price is ", offers[i].price, "; must be 0 or more"));
  }
  return Search(cluster, profile, offers, options).Run();
}

}  // namespace muster
