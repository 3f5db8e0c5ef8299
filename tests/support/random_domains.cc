// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/random_domains.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster::testing {
namespace {

class DomainMaker {
 public:
  DomainMaker(Rng& rng, ClusterSpec* world) : rng_(rng), world_(*world) {}

  void Run() {
    MakeTree();
    for (NodeSpec& node : world_.nodes) {
      if (Chance(10)) continue;
      // Mostly in the lowest tier.
      const std::vector<std::string>& names =
          by_tier_[Chance(15) ? rng_.Below(by_tier_.size()) : 0];
      if (!names.empty()) node.domain = names[rng_.Below(names.size())];
    }
    for (JobSpec& job : world_.jobs) {
      if (Chance(60)) job.topology = Wish();
      if (Chance(40)) MakeSubGroups(job);
    }
  }

 private:
  std::string_view Letter() {
    return std::string_view("zyxwvutsrqponmlkjihgfedcba").substr(rng_.Below(26), 1);
  }
  bool Chance(uint64_t percent) { return rng_.Below(100) < percent; }

  void MakeTree() {
    const uint64_t tiers = 1 + rng_.Below(4);
    const bool gap = Chance(15);  // the lowest tier is not 1
    by_tier_.resize(tiers);
    for (uint64_t t = tiers; t-- > 0;) {
      const uint64_t count = t + 1 == tiers ? 1 + rng_.Below(2) : 1 + rng_.Below(4);
      for (uint64_t i = 0; i < count; ++i) {
        DomainSpec domain;
        // Names in another order than rows.
        domain.name = absl::StrCat(ToAbsl(Letter()), t, "-", i);
        domain.tier = static_cast<int32_t>(t + 1 + (gap ? 1 : 0));
        if (Chance(60)) domain.tier_name = absl::StrCat("tier-", t);
        for (uint64_t above = t + 1; above < tiers && !Chance(10); ++above) {
          if (by_tier_[above].empty()) continue;
          domain.parent = by_tier_[above][rng_.Below(by_tier_[above].size())];
          break;
        }
        by_tier_[t].push_back(domain.name);
        world_.domains.push_back(domain);
      }
    }
  }

  TopologyWish Wish() {
    TopologyWish wish;
    wish.hard = Chance(70);
    switch (rng_.Below(8)) {
      case 0:
        break;  // without a highest tier
      case 1:
        wish.highest_tier_name = absl::StrCat("tier-", rng_.Below(5));
        break;
      default:
        wish.highest_tier = static_cast<int32_t>(1 + rng_.Below(by_tier_.size() + 1));
    }
    return wish;
  }

  void MakeSubGroups(JobSpec& job) {
    const uint64_t policies = 1 + rng_.Below(2);
    for (uint64_t p = 0; p < policies; ++p) {
      const std::string name = absl::StrCat("p", p);
      job.sub_group_policies.push_back({name, static_cast<int64_t>(rng_.Below(3))});
      const int64_t need = static_cast<int64_t>(1 + rng_.Below(3));
      std::optional<TopologyWish> wish;
      if (Chance(60)) wish = Wish();
      for (uint64_t g = 0; g < 1 + rng_.Below(3); ++g) {
        SubGroupSpec group;
        group.name = absl::StrCat(name, "-", g);
        group.policy = name;
        group.min_available = need;
        group.order = Chance(50) ? static_cast<int64_t>(rng_.Below(3)) : 0;
        group.topology = wish;
        job.sub_groups.push_back(group);
      }
    }
    for (TaskSpec& task : world_.tasks) {
      if (task.job != job.name || Chance(15)) continue;
      task.sub_group = job.sub_groups[rng_.Below(job.sub_groups.size())].name;
    }
  }

  Rng& rng_;
  ClusterSpec& world_;
  std::vector<std::vector<std::string>> by_tier_;
};

}  // namespace

void AddDomains(Rng& rng, ClusterSpec* world) { DomainMaker(rng, world).Run(); }

}  // namespace muster::testing
