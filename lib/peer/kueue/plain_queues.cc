// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/plain_queues.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/model/tables.h"
#include "muster/quantity.h"

namespace muster::kueue {
namespace {

using Cells = std::vector<int64_t>;  // by dimension

bool LacksGroups(const QueueSpec& spec) { return !spec.rules || spec.rules->groups.empty(); }

int64_t Added(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

// Divides the cluster among its plain queues.
class PlainShares {
 public:
  explicit PlainShares(const Tables& tables)
      : tables_(tables), size_(tables.dimensions.size()), counts_(size_, false) {
    Cells total(size_, 0);
    for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
      if (!tables.nodes.alive[n]) continue;
      for (DimensionIndex d = 0; d < size_; ++d) {
        total[d] = Added(total[d], std::max<int64_t>(0, tables.nodes.allocatable.at(n, d)));
      }
    }
    share_.resize(tables.queues.alive.size(), Cells(size_, 0));
    own_ = share_;
    std::vector<QueueIndex> roots;
    for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
      if (!tables.queues.alive[q]) continue;
      if (tables.queues.parent[q] == kNone) roots.push_back(q);
      if (!LacksGroups(tables.queues.spec[q])) continue;
      for (DimensionIndex d = 0; d < size_; ++d) {
        if (tables.queues.guaranteed.at(q, d) > 0) counts_[d] = true;
      }
    }
    for (DimensionIndex d = 0; d < size_; ++d) {
      if (d != kPods && total[d] > 0) counts_[d] = true;
    }
    Divide(roots, total);
  }

  bool counts(DimensionIndex d) const { return counts_[d]; }
  int64_t own(QueueIndex q, DimensionIndex d) const { return own_[q][d]; }
  // What the queue may hold beyond its share; kAbsent: no bound.
  int64_t borrows(QueueIndex q, DimensionIndex d) const {
    const int64_t limit = tables_.queues.limit.at(q, d);
    return limit == kAbsent ? kAbsent : std::max<int64_t>(0, limit - share_[q][d]);
  }

 private:
  void Divide(std::vector<QueueIndex> queues, const Cells& share) {
    std::erase_if(queues, [&](QueueIndex q) { return !LacksGroups(tables_.queues.spec[q]); });
    for (DimensionIndex d = 0; d < size_; ++d) {
      int64_t rest = share[d], weights = 0;
      for (const QueueIndex q : queues) {
        const int64_t guaranteed = tables_.queues.guaranteed.at(q, d);
        if (guaranteed == kAbsent) {
          weights = Added(weights, tables_.queues.spec[q].weight);
        } else {
          rest = std::max<int64_t>(0, rest - guaranteed);
        }
      }
      for (const QueueIndex q : queues) {
        const int64_t guaranteed = tables_.queues.guaranteed.at(q, d);
        if (guaranteed != kAbsent) {
          share_[q][d] = guaranteed;
        } else if (weights > 0) {
          const __int128 part = static_cast<__int128>(rest) * tables_.queues.spec[q].weight;
          share_[q][d] = static_cast<int64_t>(part / weights);
        }
      }
    }
    for (const QueueIndex q : queues) {
      Divide(tables_.queues.children[q], share_[q]);
      for (DimensionIndex d = 0; d < size_; ++d) {
        int64_t below = 0;
        for (const QueueIndex child : tables_.queues.children[q]) {
          below = Added(below, share_[child][d]);
        }
        own_[q][d] = std::max<int64_t>(0, share_[q][d] - below);
        share_[q][d] = std::max(share_[q][d], below);
      }
    }
  }

  const Tables& tables_;
  const size_t size_;
  std::vector<bool> counts_;        // by dimension: quota is set
  std::vector<Cells> share_, own_;  // by queue
};

template <class IsTaken>
std::string FreeName(std::string name, IsTaken is_taken) {
  while (is_taken(name)) name += '_';
  return name;
}

}  // namespace

void SetPlainQueues(const Tables& tables, World* world) {
  const PlainShares shares(tables);
  const std::string flavor = FreeName("plain", [&](const std::string& name) {
    return tables.flavors.names.Find(name).has_value();
  });
  const std::string cohort = FreeName(
      "all", [&](const std::string& name) { return tables.queues.names.Find(name).has_value(); });
  world->SetFlavor({.name = flavor});
  for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
    if (!tables.queues.alive[q]) continue;
    QueueSpec spec = tables.queues.spec[q];
    if (LacksGroups(spec)) {
      if (spec.parent.empty()) spec.parent = cohort;
      if (!spec.rules) spec.rules.emplace();
      ResourceGroup& group = spec.rules->groups.emplace_back();
      FlavorQuota& quota = group.flavors.emplace_back();
      quota.flavor = flavor;
      for (DimensionIndex d = 0; d < tables.dimensions.size(); ++d) {
        if (!shares.counts(d)) continue;
        const std::string name(tables.dimensions.name(d));
        const Unit unit = IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole;
        group.resources.push_back(name);
        quota.nominal.emplace_back(name, FormatQuantity(shares.own(q, d), unit));
        const int64_t borrows = shares.borrows(q, d);
        if (borrows == kAbsent) continue;
        quota.borrow_limit.emplace_back(name, FormatQuantity(borrows, unit));
      }
    }
    world->SetQueue(spec);
  }
  world->SetQueue({.name = cohort});
}

}  // namespace muster::kueue
