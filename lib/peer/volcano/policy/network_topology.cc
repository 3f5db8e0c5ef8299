// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// network-topology-aware: gangs close together in the tree of domains, and domains filled one after
// the other.
//
// Idea. A job or sub-group with a limit of how high it may be spread is tried domain by domain:
// first those of the lowest tier, then the next, up to the tier allowed, each only if the sums of
// what is free in it hold what the job requests. Where it is placed partly, the search stays below
// the highest domain above that part which the wish allows. Domains that can take it score how full
// they would be; among the fullest, the one where more of its tasks are scores more. Within a
// domain, nodes score by how low in the tree they meet what is placed already; among the best, by
// how many of its tasks are near. Tasks without a wish score nodes by how full the domains above
// would be, a tier counting `fading` times the one below it; a node outside the domains of a tier
// is as good as a full one.
// Peer. Volcano's plugin of that name. Its memory is kept as it is: what is free in a domain is
// summed up when the cycle opens and never again, while what is used follows every move; the
// request of a sub-group counts all its tasks, running ones too. A dimension that would be exceeded
// makes a score 0. For evictions the search begins with the widest domains, asks what is
// allocatable, and ends after `evict_domains`.
// Arithmetic. Doubles, in the order of the dimensions and tiers. Ties. None of its own.
// Cost. O(nodes) a cycle, O(depth) a move; a search O(domains), a score O(1) each; for tasks
// without a wish O(domains) and a step a node.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/extension/cycle.h"
#include "lib/peer/volcano/policies.h"

namespace muster {
namespace {

constexpr OptionDecl kNetworkTopologyOptions[] = {
    {"weight", OptionKind::kNumber, "1", 0, 1e9, "how much its scores count"},
    {"cpu", OptionKind::kNumber, "1", 0, 1e9, "weight of cpu in how full a domain is"},
    {"memory", OptionKind::kNumber, "1", 0, 1e9, "weight of memory"},
    {"resource.*", OptionKind::kNumber, "1", 0, 1e9, "weight of another dimension, by its name"},
    {"normal_tasks", OptionKind::kFlag, "on", 0, 0, "tasks without a wish fill domains, too"},
    {"fading", OptionKind::kNumber, "0.8", 0, 1e9,
     "for them, what a tier counts against the one below it"},
    {"evict_domains", OptionKind::kWhole, "8", 1, 1e9,
     "how many domains are looked at to make room for a gang"},
};

class NetworkTopology : public Policy, public ScorePolicy, public DomainPolicy {
 public:
  explicit NetworkTopology(const Options& options)
      : weight_(options.number("weight")),
        cpu_(options.number("cpu")),
        memory_(options.number("memory")),
        others_(options.family("resource.")),
        normal_tasks_(options.flag("normal_tasks")),
        fading_(options.number("fading")),
        evict_domains_(static_cast<size_t>(options.number("evict_domains"))) {}

  std::string_view name() const override { return "network-topology-aware"; }
  PointSet points() const override {
    return {Point::kScore, Point::kDomainScore, Point::kDomainSearch};
  }
  Traits traits() const override {
    Traits traits;
    traits.scores_by_domain = true;
    return traits;
  }
  ScorePolicy* score() override { return this; }
  DomainPolicy* domains() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    domains_ = internal::DataOf(cycle).domains;
    dimensions_ = tables_->dimension_count();
    weights_.assign(dimensions_, -1);  // below 0: not counted
    weights_[kCpu] = cpu_;
    weights_[kMemory] = memory_;
    for (const auto& [name, weight] : others_) {
      if (const auto d = tables_->dimensions.Find(name)) weights_[*d] = weight;
    }
    requests_.clear();
    pending_.clear();
    tier_weights_.clear();
    tier_weight_sum_ = 0;
    for (int32_t tier = domains_->lowest_tier(); tier <= domains_->tier(domains_->root()); ++tier) {
      tier_weights_.push_back(Power(fading_, tier - 1));
      tier_weight_sum_ += tier_weights_.back();
    }
    CountDomains();
  }

  Scope ScoreScope(ClassIndex) override { return Scope::kCluster; }

  void ScoreNodes(TaskIndex task, std::span<const NodeIndex> nodes, std::span<double>,
                  std::span<double> batch) override {
    const JobIndex job = tables_->tasks.job[task];
    if (job == kNone) return;
    const SubGroup group{job, tables_->tasks.sub_group[task]};
    if (domains_->WishOf(group).there) {
      ScoreNear(group, nodes, batch);
    } else if (normal_tasks_) {
      ScoreNormal(tables_->tasks.task_class[task], nodes, batch);
    }
  }

  DomainLists DomainsForJob(JobIndex job, DomainIndex within, DomainIndex allocated,
                            bool evicting) override {
    const Domains::Wish wish = domains_->WishOf(job);
    if (!wish.hard) return {{within}};
    return Search(wish.tier, within, allocated, tables_->jobs.min_resources.row(job), evicting);
  }
  DomainLists DomainsForGroup(const SubGroup& group, DomainIndex within, DomainIndex allocated,
                              bool evicting) override {
    const Domains::Wish wish = domains_->WishOf(group);
    if (!wish.hard) return {{within}};
    return Search(wish.tier, within, allocated, PendingOf(group), evicting);
  }
  bool OffersLeaf(const SubGroup& group, DomainIndex leaf) override {
    const Domains::Wish wish = domains_->WishOf(group);
    return !wish.hard ||
           (domains_->tier(leaf) <= wish.tier && Serves(leaf, PendingOf(group), false));
  }

  void ScoreDomains(const SubGroup& group, std::span<const DomainIndex> domains,
                    std::span<double> scores) override {
    Follow();
    const std::vector<int64_t>& request = RequestOf(group);
    parts_.resize(domains.size());
    double highest = -1;
    size_t best = 0;
    for (size_t i = 0; i < domains.size(); ++i) {
      parts_[i] = Filled(domains[i], request);
      if (parts_[i] > highest) {
        highest = parts_[i];
        best = 0;
      }
      best += parts_[i] == highest;
    }
    for (size_t i = 0; i < domains.size(); ++i) {
      if (best > 1 && parts_[i] == highest) parts_[i] += PartIn(group, domains[i]);
      scores[i] += 100.0 * weight_ * parts_[i];
    }
  }

 private:
  enum Account : size_t { kAllocatable, kUsedInDomain, kFree, kFutureFree, kAccounts };
  std::span<int64_t> Cells(DomainIndex d, Account account) {
    return {cells_.data() + (d * kAccounts + account) * dimensions_, dimensions_};
  }

  // What tasks hold or were promised there, without those evicted since the cycle opened.
  int64_t UsedOn(NodeIndex n, size_t d) const {
    return ledger_->node(n, kUsed)[d] + ledger_->node(n, kPipelined)[d] -
           ledger_->node(n, kReleasing)[d];
  }

  // What a node is in its domains' accounts: allocatable, used, free, free in future.
  void ReadNode(NodeIndex n) {
    const auto allocatable = tables_->nodes.allocatable.row(n);
    const auto idle = ledger_->node(n, kIdle);
    const auto used = ledger_->node(n, kUsed);
    node_.assign(kAccounts * dimensions_, 0);
    for (size_t d = 0; d < dimensions_; ++d) {
      node_[kAllocatable * dimensions_ + d] = OrZero(allocatable[d]);
      node_[kUsedInDomain * dimensions_ + d] = used[d];
      if (d == kPods && allocatable[d] == kAbsent) continue;  // no limit is no amount
      node_[kFree * dimensions_ + d] = idle[d];
      node_[kFutureFree * dimensions_ + d] = ledger_->future_idle(n, DimensionIndex(d));
    }
  }

  // Sums as the cycle opens: of all nodes, or of those that changed since the last cycle opened.
  void CountDomains() {
    const auto journal = ledger_->journal();
    if (tree_ == domains_->version() && birth_ == ledger_->birth() && ledger_ == counted_ &&
        opened_ <= journal.size()) {
      for (; opened_ < journal.size(); ++opened_) Count(journal[opened_]);
    } else {
      cells_.assign((domains_->root() + 1) * kAccounts * dimensions_, 0);
      at_open_.assign(tables_->nodes.alive.size() * kAccounts * dimensions_, 0);
      known_.assign(tables_->nodes.alive.size() * dimensions_, 0);
      moved_.assign(known_.size(), 0);
      for (NodeIndex n : domains_->nodes(domains_->root())) {
        ReadNode(n);
        std::copy(node_.begin(), node_.end(), at_open_.begin() + n * node_.size());
        int64_t* cells = Cells(domains_->above(n), kAllocatable).data();
        for (size_t i = 0; i < node_.size(); ++i) cells[i] += node_[i];
        for (size_t d = 0; d < dimensions_; ++d) known_[n * dimensions_ + d] = UsedOn(n, d);
      }
      AddUp(domains_->root());
    }
    tree_ = domains_->version();
    birth_ = ledger_->birth();
    counted_ = ledger_;
    opened_ = position_ = journal.size();
  }
  void AddUp(DomainIndex d) {
    int64_t* cells = Cells(d, kAllocatable).data();
    for (DomainIndex child : domains_->children(d)) {
      AddUp(child);
      const int64_t* below = Cells(child, kAllocatable).data();
      for (size_t i = 0; i < kAccounts * dimensions_; ++i) cells[i] += below[i];
    }
  }
  void Count(NodeIndex n) {
    if (domains_->above(n) == kNone) return;
    ReadNode(n);
    int64_t* known = &at_open_[n * node_.size()];
    for (DomainIndex at = domains_->above(n); at != kNone; at = domains_->parent(at)) {
      int64_t* cells = Cells(at, kAllocatable).data();
      for (size_t i = 0; i < node_.size(); ++i) cells[i] += node_[i] - known[i];
      // What moved there in the last cycle is part of what the node reports now.
      for (size_t d = 0; d < dimensions_; ++d) {
        cells[kUsedInDomain * dimensions_ + d] -= moved_[n * dimensions_ + d];
      }
    }
    std::copy(node_.begin(), node_.end(), known);
    for (size_t d = 0; d < dimensions_; ++d) {
      known_[n * dimensions_ + d] = UsedOn(n, d);
      moved_[n * dimensions_ + d] = 0;
    }
  }
  // Brings what is used up to date.
  void Follow() {
    const auto journal = ledger_->journal();
    for (; position_ < journal.size(); ++position_) {
      const NodeIndex n = journal[position_];
      for (size_t d = 0; d < dimensions_; ++d) {
        int64_t& known = known_[n * dimensions_ + d];
        const int64_t change = UsedOn(n, d) - known;
        if (change == 0) continue;
        known += change;
        moved_[n * dimensions_ + d] += change;
        for (DomainIndex at = domains_->above(n); at != kNone; at = domains_->parent(at)) {
          Cells(at, kUsedInDomain)[d] += change;
        }
      }
    }
  }

  // The mean of how full the domain is with the request, 0 where it does not fit.
  double Filled(DomainIndex domain, std::span<const int64_t> request) {
    const auto used = Cells(domain, kUsedInDomain);
    const auto allocatable = Cells(domain, kAllocatable);
    double sum = 0, weights = 0;
    for (size_t d = 0; d < dimensions_; ++d) {
      if (request[d] <= 0 || weights_[d] < 0) continue;
      const double filled = static_cast<double>(used[d]) + static_cast<double>(request[d]);
      const double capacity = static_cast<double>(allocatable[d]);
      if (filled > capacity) return 0;
      sum += weights_[d] * (filled / capacity);
      weights += weights_[d];
    }
    return weights > 0 ? sum / weights : 0;
  }

  // The part of the sub-group's tasks that is in the domain (kNone: outside of all).
  double PartIn(const SubGroup& group, DomainIndex domain) const {
    int64_t tasks = 0, there = 0;
    for (TaskIndex t : tables_->jobs.tasks[group.job]) {
      if (tables_->tasks.sub_group[t] != group.index) continue;
      ++tasks;
      const NodeIndex n = ledger_->node_of(t);
      there += n != kNone && domain != kNone && domains_->Holds(domain, n);
    }
    return tasks == 0 ? 0 : static_cast<double>(there) / static_cast<double>(tasks);
  }

  double Near(DomainIndex domain, DomainIndex anchor) const {
    if (domain == kNone) return 0;
    if (domain == anchor) return 1;
    const int32_t lowest = domains_->lowest_tier(), highest = domains_->tier(domains_->root());
    if (lowest == highest) return 1;
    const int32_t tier = domains_->tier(domains_->Lca(domain, anchor));
    return static_cast<double>(highest - tier) / static_cast<double>(highest - lowest);
  }

  void ScoreNear(const SubGroup& group, std::span<const NodeIndex> nodes, std::span<double> batch) {
    const DomainIndex anchor = domains_->anchor();
    if (anchor == kNone) return;
    parts_.resize(nodes.size());
    double highest = -1, score = 0;
    size_t best = 0;
    bool first = true;
    DomainIndex last = kNone;  // nodes of one domain mostly come one after the other
    for (size_t i = 0; i < nodes.size(); ++i) {
      const DomainIndex domain = domains_->Lowest(nodes[i]);
      if (first || domain != last) score = Near(domain, anchor);
      first = false;
      last = domain;
      parts_[i] = score;
      if (score > highest) {
        highest = score;
        best = 0;
      }
      best += score == highest;
    }
    first = true;
    double part = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (best > 1 && parts_[i] == highest) {
        const DomainIndex domain = domains_->Lowest(nodes[i]);
        if (first || domain != last) part = PartIn(group, domain);
        first = false;
        last = domain;
        parts_[i] += part;
      }
      batch[i] += 100.0 * weight_ * parts_[i];
    }
  }

  void ScoreNormal(ClassIndex c, std::span<const NodeIndex> nodes, std::span<double> batch) {
    Follow();
    const int32_t lowest = domains_->lowest_tier(), highest = domains_->tier(domains_->root());
    if (tier_weight_sum_ <= 0) return;
    const auto request = tables_->classes.request.row(c);
    filled_.assign(domains_->root() + 1, -1);
    total_.assign(domains_->root() + 1, -1);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const DomainIndex above = domains_->above(nodes[i]);
      if (above == kNone) continue;
      if (total_[above] < 0) {
        double sum = 0;
        for (int32_t tier = lowest; tier <= highest; ++tier) {
          DomainIndex at = above;
          while (at != kNone && domains_->tier(at) != tier) at = domains_->parent(at);
          double score = 1;
          if (at != kNone) {
            if (filled_[at] < 0) filled_[at] = Filled(at, request);
            score = filled_[at];
          }
          sum += tier_weights_[tier - lowest] * score;
        }
        total_[above] = sum / tier_weight_sum_;
      }
      batch[i] += 100.0 * weight_ * total_[above];
    }
  }

  // By repeated squaring, as the peer's library has it: a correctly rounded power differs in the
  // last bit.
  static double Power(double base, int32_t exponent) {
    double power = 1;
    for (; exponent > 0; exponent >>= 1) {
      if (exponent & 1) power *= base;
      base *= base;
    }
    return power;
  }

  // All of a sub-group's tasks, in the dimensions that have a weight.
  const std::vector<int64_t>& RequestOf(const SubGroup& group) {
    const auto [it, added] = requests_.try_emplace({group.job, group.index});
    if (!added) return it->second;
    it->second.assign(dimensions_, 0);
    for (TaskIndex t : tables_->jobs.tasks[group.job]) {
      if (tables_->tasks.sub_group[t] != group.index) continue;
      const auto request = ledger_->request(t);
      for (size_t d = 0; d < dimensions_; ++d) it->second[d] += OrZero(request[d]);
    }
    return it->second;
  }

  // What its pending tasks need to start; kAbsent in dimensions that none names.
  std::span<const int64_t> PendingOf(const SubGroup& group) {
    Pending& pending = pending_[{group.job, group.index}];
    const uint64_t stamp = ledger_->job_stamp(group.job);
    if (pending.stamp == stamp + 1) return pending.need;
    pending.stamp = stamp + 1;
    pending.need.assign(dimensions_, kAbsent);
    for (TaskIndex t : tables_->jobs.tasks[group.job]) {
      if (tables_->tasks.sub_group[t] != group.index ||
          ledger_->status(t) != TaskStatus::kPending) {
        continue;
      }
      const auto request = tables_->classes.initial_request.row(tables_->tasks.task_class[t]);
      for (size_t d = 0; d < dimensions_; ++d) {
        if (OrZero(request[d]) > 0) pending.need[d] = OrZero(pending.need[d]) + request[d];
      }
    }
    return pending.need;
  }

  bool Serves(DomainIndex domain, std::span<const int64_t> need, bool evicting) {
    const auto within = [&](Account account) {
      const auto have = Cells(domain, account);
      for (size_t d = 0; d < dimensions_; ++d) {
        if ((d <= kMemory || need[d] != kAbsent) && OrZero(need[d]) > have[d]) return false;
      }
      return true;
    };
    return evicting ? within(kAllocatable) : within(kFree) || within(kFutureFree);
  }

  DomainLists Search(int32_t tier, DomainIndex within, DomainIndex allocated,
                     std::span<const int64_t> need, bool evicting) {
    DomainIndex from = within;
    if (allocated != kNone) {
      DomainIndex highest = kNone;
      for (DomainIndex d = allocated; d != kNone && domains_->tier(d) <= tier;
           d = domains_->parent(d)) {
        highest = d;
      }
      if (highest == kNone) return {};  // it is spread wider than it wishes to be
      const DomainIndex both = domains_->Lca(within, highest);
      if (both != highest && both != within) return {};
      if (both == within) from = highest;
    }
    std::vector<std::pair<int32_t, std::vector<DomainIndex>>> by_tier;
    std::vector<DomainIndex> queue = {from};
    for (size_t i = 0; i < queue.size(); ++i) {
      const DomainIndex d = queue[i];
      if (domains_->tier(d) <= tier && (allocated != kNone || Serves(d, need, evicting))) {
        const auto at =
            std::lower_bound(by_tier.begin(), by_tier.end(), domains_->tier(d),
                             [](const auto& list, int32_t t) { return list.first < t; });
        if (at == by_tier.end() || at->first != domains_->tier(d)) {
          by_tier.insert(at, {domains_->tier(d), {d}});
        } else {
          at->second.push_back(d);
        }
      }
      queue.insert(queue.end(), domains_->children(d).begin(), domains_->children(d).end());
    }
    DomainLists lists;
    if (!evicting) {
      for (auto& [t, list] : by_tier) lists.push_back(std::move(list));
      return lists;
    }
    size_t left = evict_domains_;
    for (size_t i = by_tier.size(); i-- > 0 && left > 0;) {
      std::vector<DomainIndex>& list = by_tier[i].second;
      // The peer has no order here.
      std::sort(list.begin(), list.end(),
                [&](DomainIndex a, DomainIndex b) { return domains_->NameBefore(a, b); });
      if (list.size() > left) list.erase(list.begin(), list.end() - static_cast<ptrdiff_t>(left));
      left -= list.size();
      lists.push_back(std::move(list));
    }
    return lists;
  }

  const double weight_, cpu_, memory_;
  const std::vector<std::pair<std::string, double>> others_;
  const bool normal_tasks_;
  const double fading_;
  const size_t evict_domains_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  const Domains* domains_ = nullptr;
  size_t dimensions_ = 0;
  std::vector<double> weights_;
  std::vector<int64_t> cells_;        // per domain, the accounts
  std::vector<int64_t> at_open_;      // per node, its part in them when the cycle opened
  std::vector<int64_t> known_;        // per node, what is used there as far as they know
  std::vector<int64_t> moved_;        // per node, how much of that came since the cycle opened
  std::vector<int64_t> node_;         // of the one being read
  size_t opened_ = 0, position_ = 0;  // in the ledger's journal: at the opening, and read up to
  uint64_t tree_ = 0, birth_ = 0;     // to which the sums belong
  const Ledger* counted_ = nullptr;
  struct Pending {
    uint64_t stamp = 0;
    std::vector<int64_t> need;
  };
  HashMap<std::pair<JobIndex, SubGroupIndex>, std::vector<int64_t>> requests_;
  HashMap<std::pair<JobIndex, SubGroupIndex>, Pending> pending_;
  std::vector<double> tier_weights_;  // from the lowest tier up
  double tier_weight_sum_ = 0;
  std::vector<double> parts_, filled_, total_;
};

}  // namespace

PolicyDecl NetworkTopologyPolicy() {
  return {"network-topology-aware", "gangs close together in the tree of domains",
          kNetworkTopologyOptions, [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<NetworkTopology>(options);
          }};
}

}  // namespace muster
