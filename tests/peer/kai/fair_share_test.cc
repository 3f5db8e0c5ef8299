// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Division among queues, with rows that a reader can divide by hand, and against the rule written
// down round by round.
#include "lib/peer/kai/fair_share.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster::testing {
namespace {

using ::testing::ElementsAre;

struct Queue {
  double deserved = 0, weight = 0, request = 0;
  double limit = kKaiUnlimited, usage = 0;
  int64_t priority = 0, created = 0;
};

KaiQueueTree Level(const std::vector<Queue>& queues) {
  KaiQueueTree tree;
  for (const Queue& q : queues) {
    tree.Add({.name = "q", .priority = q.priority, .created = q.created});
    tree.share.back()[kKaiGpu] = {.deserved = q.deserved,
                                  .max_allowed = q.limit,
                                  .over_quota_weight = q.weight,
                                  .request = q.request,
                                  .usage = q.usage};
  }
  return tree;
}

// Shares of GPUs, and what is left.
std::vector<double> Divided(double total, const std::vector<Queue>& queues, double k = 0) {
  KaiQueueTree tree = Level(queues);
  const double left = DivideKaiResource(kKaiGpu, total, k, tree.tops, &tree);
  std::vector<double> shares;
  for (const KaiShares& share : tree.share) shares.push_back(share[kKaiGpu].fair_share);
  shares.push_back(left);
  return shares;
}

TEST(KaiFairShare, OfTwoQueues) {
  const Queue plain = {2, 2, 6};
  EXPECT_THAT(Divided(15, {plain, plain}), ElementsAre(6, 6, 3));
  EXPECT_THAT(Divided(12, {plain, plain}), ElementsAre(6, 6, 0));
  EXPECT_THAT(Divided(8, {{2, 1, 6}, {2, 3, 6}}), ElementsAre(3, 5, 0));
  EXPECT_THAT(Divided(12, {{2, 2, 6, 5}, plain}), ElementsAre(5, 6, 1));
  EXPECT_THAT(Divided(11, {{2, 1, 10}, {2, 4, 10}}), ElementsAre(3, 8, 0));
  EXPECT_THAT(Divided(100, {{10, 3, 1000}, {10, 1, 1000}}), ElementsAre(70, 30, 0));
  EXPECT_THAT(Divided(1000, {{250, 1, 1000}, {150, 2, 1000, 400}}), ElementsAre(600, 400, 0));
}

TEST(KaiFairShare, RemaindersGoOneByOne) {
  // 9 remain for two: 4 each, and one more for the older one.
  EXPECT_THAT(Divided(11, {{2, 2, 9, kKaiUnlimited, 0, 0, 5}, {2, 2, 9, kKaiUnlimited, 0, 0, 3}}),
              ElementsAre(5, 6, 0));
  // Of equal age the one that stands first.
  EXPECT_THAT(Divided(11, {{2, 2, 9}, {2, 2, 9}}), ElementsAre(6, 5, 0));
  // The larger remainder first: 7 by 3 : 1 : 1 is 4.2, 1.4, 1.4.
  EXPECT_THAT(Divided(7, {{0, 3, 99}, {0, 1, 99}, {0, 1, 99}}), ElementsAre(4, 2, 1, 0));
  // A whole one even for a missing half: 3 by 1 : 1 is 1.5 each.
  EXPECT_THAT(Divided(3, {{0, 1, 1.6}, {0, 1, 9}}), ElementsAre(2, 1, 0));
}

TEST(KaiFairShare, QuotasAboveTheTotalAreGranted) {
  EXPECT_THAT(Divided(1, {{3, 1, 2}}), ElementsAre(2, 0));
  EXPECT_THAT(Divided(7, {{3, 0, 5}}), ElementsAre(3, 4));  // without weight no more than the quota
  EXPECT_THAT(Divided(4, {{kKaiUnlimited, 1, 9}, {2, 1, 2}}), ElementsAre(4, 2, 0));
}

TEST(KaiFairShare, PrioritiesOneAfterTheOther) {
  EXPECT_THAT(Divided(6, {{2, 100, 6, kKaiUnlimited, 0, 1}, {2, 1, 6, kKaiUnlimited, 0, 2}}),
              ElementsAre(2, 4, 0));
}

TEST(KaiFairShare, PastUseCountsAgainstAQueue) {
  const auto queue = [](double usage) { return Queue{0, 1, 1000, kKaiUnlimited, usage}; };
  EXPECT_THAT(Divided(100, {queue(0.6), queue(0.4)}, 1), ElementsAre(40, 60, 0));
  EXPECT_THAT(Divided(100, {queue(0.9), queue(0.1)}, 1), ElementsAre(10, 90, 0));
  EXPECT_THAT(Divided(100, {queue(0.9), queue(0.1)}, 0), ElementsAre(50, 50, 0));
}

TEST(KaiFairShare, ChildrenDivideTheirParentsShare) {
  KaiQueueTree tree;
  const uint32_t top = tree.Add({.name = "top"}), other = tree.Add({.name = "topmost"});
  const uint32_t a = tree.Add({.name = "a", .parent = top}),
                 b = tree.Add({.name = "b", .parent = top});
  for (const uint32_t q : {top, other, a, b}) {
    for (KaiShare& share : tree.share[q]) {
      share = {.max_allowed = kKaiUnlimited, .over_quota_weight = 1};
    }
  }
  tree.Request(a, {0, 0, 10});
  tree.Request(b, {0, 0, 10});
  tree.Request(other, {0, 0, 2});
  SetKaiFairShares({0, 0, 9}, 0, &tree);
  EXPECT_EQ(tree.share[top][kKaiGpu].request, 20);
  EXPECT_EQ(tree.share[top][kKaiGpu].fair_share, 7);
  EXPECT_EQ(tree.share[other][kKaiGpu].fair_share, 2);
  EXPECT_EQ(tree.share[a][kKaiGpu].fair_share, 4);
  EXPECT_EQ(tree.share[b][kKaiGpu].fair_share, 3);
  SetKaiFairShares({0, 0, 9}, 0, &tree);  // forgets the shares that were there
  EXPECT_EQ(tree.share[top][kKaiGpu].fair_share, 7);
}

// The rule, step by step and queue by queue.
class SlowDivision {
 public:
  SlowDivision(double k, const std::vector<Queue>& queues) : k_(k), queues_(queues) {
    fair_.resize(queues.size());
  }

  double Divide(double total) {
    double left = total;
    for (size_t i = 0; i < queues_.size(); ++i) {
      const double deserved = queues_[i].deserved == -1 ? total : queues_[i].deserved;
      fair_[i] = std::min(deserved, Most(i));
      left -= fair_[i];
    }
    if (left <= 0) return 0;
    std::map<int64_t, std::map<size_t, double>> remainders;  // by -priority
    for (size_t i = 0; i < queues_.size(); ++i) remainders[-queues_[i].priority];
    for (auto& [priority, some] : remainders) {
      while (left != 0 && Round(-priority, &left, &some)) {
      }
    }
    for (auto& [priority, some] : remainders) {
      while (left > 0 && !some.empty()) GiveOne(&left, &some);
    }
    return left;
  }
  const std::vector<double>& fair() const { return fair_; }

 private:
  double Most(size_t i) const {
    return queues_[i].limit == -1 ? queues_[i].request
                                  : std::min(queues_[i].limit, queues_[i].request);
  }
  bool Misses(size_t i, int64_t priority) const {
    return queues_[i].priority == priority && Most(i) > fair_[i];
  }
  bool Round(int64_t priority, double* left, std::map<size_t, double>* remainders) {
    const double amount = *left;
    double weights = 0, sum = 0;
    std::map<size_t, double> part;
    for (size_t i = 0; i < queues_.size(); ++i) {
      if (Misses(i, priority)) weights += queues_[i].weight;
    }
    if (weights == 0) return false;
    for (size_t i = 0; i < queues_.size(); ++i) {
      if (!Misses(i, priority)) continue;
      const double w = queues_[i].weight / weights;
      sum += part[i] = std::max(0.0, w + k_ * (w - queues_[i].usage));
    }
    if (sum == 0) return false;
    bool again = false;
    for (const auto& [i, weight] : part) {
      if (*left == 0) break;
      if (queues_[i].weight == 0) continue;
      const double fair = amount * (weight / sum), missing = Most(i) - fair_[i];
      double give = missing;
      if (missing <= fair) {
        remainders->erase(i);
        again |= missing < fair;
      } else {
        give = std::max(0.0, std::floor(fair));
        if (fair - give > 0) (*remainders)[i] = fair - give;
      }
      fair_[i] += give;
      *left -= give;
    }
    return again;
  }
  void GiveOne(double* left, std::map<size_t, double>* remainders) {
    auto best = remainders->begin();
    for (auto at = best; at != remainders->end(); ++at) {
      const bool older = queues_[at->first].created < queues_[best->first].created;
      if (at->second > best->second || (at->second == best->second && older)) best = at;
    }
    const double give = std::min(1.0, *left);
    fair_[best->first] += give;
    *left -= give;
    remainders->erase(best);
  }

  const double k_;
  const std::vector<Queue>& queues_;
  std::vector<double> fair_;
};

TEST(KaiFairShare, AgreesWithTheRuleStepByStep) {
  Rng rng(7);
  for (int world = 0; world < 3000; ++world) {
    std::vector<Queue> queues(1 + rng.Below(12));
    for (Queue& q : queues) {
      q.deserved = rng.Below(8) == 0 ? -1 : static_cast<double>(rng.Below(6));
      q.weight = rng.Below(5) == 0 ? 0 : 0.5 * static_cast<double>(1 + rng.Below(6));
      q.request = static_cast<double>(rng.Below(200)) / (rng.Below(3) == 0 ? 4 : 10);
      q.limit = rng.Below(3) == 0 ? static_cast<double>(rng.Below(12)) : -1;
      q.usage = static_cast<double>(rng.Below(100)) / 100;
      q.priority = static_cast<int64_t>(rng.Below(3));
      q.created = static_cast<int64_t>(rng.Below(3));
    }
    const double total = static_cast<double>(rng.Below(400)) / (rng.Below(2) == 0 ? 4 : 3);
    const double k = static_cast<double>(rng.Below(3));
    SlowDivision slow(k, queues);
    const double left = slow.Divide(total);
    std::vector<double> right = slow.fair();
    right.push_back(left);
    ASSERT_EQ(Divided(total, queues, k), right) << "world " << world;
  }
}

}  // namespace
}  // namespace muster::testing
