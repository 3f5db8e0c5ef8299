// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Searches for victims against the twin, in random worlds.
#include "lib/peer/kueue/victims.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/reference/peer/kueue/victims.h"

namespace muster::kueue {
namespace {

using reference::EvictionWorld;
using Whom = EvictionWorld::Whom;

constexpr const char* kResources[] = {"gpu", "mem"};
constexpr size_t kCells = 4;  // two flavors of two resources

class RandomQuotas {
 public:
  explicit RandomQuotas(uint64_t seed) : rng_(seed) {
    for (const char* flavor : {"f0", "f1"}) world.SetFlavor({.name = flavor});
    DrawTree();
    const int workloads = Draw(5, 40);
    kinds_ = Draw(1, 4);
    for (int i = 0; i < workloads; ++i) DrawWorkload(i);
    const bool known = rng_.Chance(0.8);  // of some alone: no order at all
    for (int i = 0; i < 4; ++i) {
      twin.local_usage.push_back(known ? Draw(0, 3) : -1);
      local_usage.resize(std::max<size_t>(local_usage.size(), LocalOf(i) + 1), -1);
      local_usage[LocalOf(i)] = twin.local_usage.back();
    }
    for (Cell c = 0; c < kCells; ++c) twin.resource.push_back(c % 2);
    twin.first_rule_final = rng_.Chance(0.7);
    twin.second_rule = rng_.Chance(0.7);
    world.config.fair_sharing = rng_.Chance(0.6);
    world.config.share_rules = {twin.first_rule_final ? ShareRule::kAtMostFinal
                                                      : ShareRule::kBelowInitial};
    if (twin.second_rule) world.config.share_rules.push_back(ShareRule::kBelowInitial);
    world.Settle();
  }

  // A workload that waits, and what it lacks.
  void Ask(EvictionWorld::Wish* wish, Need* need) {
    wish->queue = queues_[rng_.Below(queues_.size())];
    wish->priority = Draw(0, 4);
    wish->created = Draw(0, 100);
    wish->usage.assign(kCells, -1);
    JobSpec job = JobOf("evictor", wish->queue, wish->priority, wish->created);
    const WorkloadIndex w = world.SetWorkload(job, {});
    *need = {.queue = static_cast<Queue>(wish->queue), .workload = w};
    for (Cell c = 0; c < kCells; ++c) {
      if (c / 2 == 1 && need->usage.size() == 2) break;
      if (!rng_.Chance(0.6)) continue;
      wish->usage[c] = Draw(1, 12);
      need->usage.push_back({CellOf(c), wish->usage[c]});
      if (!need->lacking.empty() && rng_.Chance(0.3)) continue;
      wish->lacking.push_back(c);
      need->lacking.push_back(CellOf(c));
    }
  }

  World world;
  EvictionWorld twin;
  std::vector<double> local_usage;  // by number of the world

 private:
  int Draw(int least, int most) {
    return least + static_cast<int>(rng_.Below(static_cast<uint64_t>(most - least + 1)));
  }
  Cell CellOf(Cell c) {
    return world.CellOf(world.Flavor(c / 2 == 0 ? "f0" : "f1"), world.Resource(kResources[c % 2]));
  }
  uint32_t LocalOf(int i) { return world.LocalQueue(absl::StrCat("local", i)); }
  static std::string NameOf(int node) { return absl::StrCat("node", node); }

  void DrawTree() {
    const int cohorts = Draw(1, 4), queues = Draw(2, 7);
    for (int n = 0; n < cohorts + queues; ++n) {
      EvictionWorld::Node& node = twin.nodes.emplace_back();
      if (n < cohorts) {
        node.parent = n == 0 ? -1 : Draw(0, n - 1);
      } else {
        node.parent = rng_.Chance(0.05) ? -1 : Draw(0, cohorts - 1);
        queues_.push_back(n);
      }
      if (node.parent >= 0) twin.nodes[static_cast<size_t>(node.parent)].cohort = true;
    }
    for (int n = 0; n < cohorts + queues; ++n) DrawNode(n, n < cohorts);
  }

  void DrawNode(int n, bool cohort) {
    EvictionWorld::Node& node = twin.nodes[static_cast<size_t>(n)];
    QueueSpec spec{.name = NameOf(n), .parent = node.parent < 0 ? "" : NameOf(node.parent)};
    QueueRules rules;
    ResourceGroup group{.resources = {kResources[0], kResources[1]}, .flavors = {}};
    for (Cell c = 0; c < kCells; ++c) {
      if (c % 2 == 0) group.flavors.push_back({.flavor = c / 2 == 0 ? "f0" : "f1"});
      FlavorQuota& quota = group.flavors.back();
      const auto set = [&](Resources* to, int64_t amount) {
        to->push_back({kResources[c % 2], amount});
        return amount;
      };
      node.nominal.push_back(set(&quota.nominal, cohort ? Draw(0, 1) * Draw(0, 9) : Draw(0, 15)));
      node.borrow.emplace_back();
      node.lend.emplace_back();
      if (node.parent < 0) continue;
      if (rng_.Chance(0.2)) node.borrow.back() = set(&quota.borrow_limit, Draw(0, 15));
      if (rng_.Chance(0.2)) node.lend.back() = set(&quota.lend_limit, Draw(0, 9));
    }
    rules.groups.push_back(group);
    node.weight = Draw(0, 3);
    rules.fair_weight = Quantity(static_cast<int64_t>(node.weight));
    static constexpr std::pair<Whom, VictimScope> kScopes[] = {
        {Whom::kNever, VictimScope::kNever},
        {Whom::kLower, VictimScope::kLowerPriority},
        {Whom::kLowerOrNewer, VictimScope::kLowerOrNewerEqualPriority},
        {Whom::kAny, VictimScope::kAny}};
    const auto draw_scope = [&](Whom* whom, VictimScope* scope) {
      std::tie(*whom, *scope) = kScopes[std::min(3, Draw(0, 5))];
    };
    draw_scope(&node.within, &rules.preemption.within_queue);
    draw_scope(&node.reclaim, &rules.preemption.reclaim);
    node.borrows = rng_.Chance(0.5);
    if (node.borrows) {
      rules.preemption.while_borrowing = VictimScope::kLowerPriority;
      if (rng_.Chance(0.3)) {
        node.borrows_most = Draw(0, 3);
        rules.preemption.while_borrowing_most = static_cast<int32_t>(*node.borrows_most);
      }
    }
    rules.by_usage = node.by_usage = rng_.Chance(0.4);
    spec.rules = rules;
    world.SetQueue(spec);
  }

  static JobSpec JobOf(const std::string& name, int queue, int64_t priority, int64_t created) {
    JobSpec job{.name = name, .queue = NameOf(queue), .priority = static_cast<int32_t>(priority)};
    job.created = created;
    job.groups = {{.name = "main"}};
    job.groups[0].by_count = ByCount{.count = 1};
    return job;
  }

  void DrawWorkload(int i) {
    EvictionWorld::Workload& w = twin.workloads.emplace_back();
    w.queue = queues_[rng_.Below(queues_.size())];
    w.priority = Draw(0, 4);
    w.created = Draw(0, 100);
    w.reserved_at = Draw(0, 5);
    w.uid = i;
    w.evicted = rng_.Chance(0.1);
    w.local = rng_.Below(4);
    w.usage.assign(kCells, 0);
    JobSpec job = JobOf(absl::StrCat("w", i), w.queue, w.priority, w.created);
    job.uid_rank = i;
    GroupAdmission granted{.group = "main", .count = 1};
    const int kind = Draw(0, kinds_ - 1);
    for (int r = 0; r < 2; ++r) {
      if (kind != 0 && rng_.Chance(0.3)) continue;
      const size_t flavor = rng_.Below(2);
      const int64_t amount = kind == 3 ? Draw(1, 9) : 1 + kind;
      w.usage[flavor * 2 + static_cast<size_t>(r)] = amount;
      job.groups[0].shape.request.push_back({kResources[r], amount});
      granted.flavors.emplace_back(kResources[r], flavor == 0 ? "f0" : "f1");
    }
    job.admission = JobAdmission{.time = w.reserved_at, .groups = {granted}};
    WorkloadFacts facts;
    facts.local_queue = absl::StrCat("local", w.local);
    facts.evicted = w.evicted;
    world.SetWorkload(job, facts);
  }

  Rng rng_;
  std::vector<int> queues_;
  int kinds_ = 1;
};

TEST(Victims, RandomQuotasAgainstTheTwin) {
  int found = 0, failed = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    RandomQuotas random(seed);
    VictimSearch search(random.world);
    if (seed % 2 == 0) {
      search.local_usage = &random.local_usage;
    } else {
      for (EvictionWorld::Node& node : random.twin.nodes) node.by_usage = false;
    }
    for (int i = 0; i < 4; ++i) {
      EvictionWorld::Wish wish;
      Need need;
      random.Ask(&wish, &need);
      if (need.lacking.empty() || search.Fits(need, /*may_borrow=*/true)) continue;
      EvictionWorld::Evictions ours;
      for (const Victim& v : search.Find(need)) {
        ours.emplace_back(v.workload, std::string(WordOf(v.reason)));
      }
      const bool fair = random.world.config.fair_sharing;
      ASSERT_EQ(ours, fair ? random.twin.Fair(wish) : random.twin.Classical(wish))
          << "seed " << seed << " wish " << i << (fair ? " fair" : "");
      ++(ours.empty() ? failed : found);
    }
  }
  EXPECT_GT(found, 1000);
  EXPECT_GT(failed, 1000);
}

}  // namespace
}  // namespace muster::kueue
