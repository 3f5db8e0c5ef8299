// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// nodegroup: queues keep to groups of nodes.
//
// Promise. A node's group is its label volcano.sh/nodegroup-name. A queue that lists groups
// (QueueSpec::node_groups) has its tasks there and nowhere else, and a queue that lists none has
// them on no grouped node. A group is allowed that is required or preferred, unless it is
// anti-required; anti-preferred ones are allowed in whatever other list they are. A node scores 100
// for a required group and 50 for a preferred one; with `preferred_order` the first of n preferred
// groups scores 50, the next 50 (n-1)/n, and so on; an anti-preferred group is worth -1, whatever
// else it is. What tasks of a queue hold in a group stays within the queue's limit for it
// (node_group_limits), in the dimensions that the limit names.
// Options. strict=on: nodes without a group take no task; off: they take tasks of queues that list
// no group. hierarchy=off; on: a queue that lists no group has the lists of the nearest queue above
// it that does. Limits are not inherited.
// Peer. Volcano's nodegroup plugin. A limit that is exceeded makes a node hopeless, so preempt and
// reclaim do not look there, although an eviction would help.
// Reasons. Node affinity, with words: the node has no group, the queue lists none, or others. A
// limit has no words.
// Ties. None. Cost. Groups: once per node and queue with a list. Limits: a look at all nodes, and
// at the tasks of jobs that changed.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/extension/cycle.h"
#include "lib/kube/refusals.h"
#include "lib/peer/volcano/policies.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr std::string_view kLabel = "volcano.sh/nodegroup-name";
constexpr uint32_t kNoGroup = kNone;

constexpr OptionDecl kNodegroupOptions[] = {
    {"strict", OptionKind::kFlag, "on", 0, 0, "nodes without a group take nobody"},
    {"hierarchy", OptionKind::kFlag, "off", 0, 0, "a queue without node groups has its parent's"},
    {"preferred_order", OptionKind::kFlag, "off", 0, 0,
     "preferred groups that are named earlier count more"},
};

bool Has(const std::vector<std::string>& groups, std::string_view group) {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

bool IsEmpty(const NodeGroupWish& wish) {
  return wish.required.empty() && wish.preferred.empty() && wish.anti_required.empty() &&
         wish.anti_preferred.empty();
}

// A group that is named twice counts where it is named last, and once.
double PartOfOrder(const std::vector<std::string>& preferred, std::string_view group) {
  size_t different = 0, place = 0;
  for (size_t i = 0; i < preferred.size(); ++i) {
    different +=
        std::find(preferred.begin(), preferred.begin() + i, preferred[i]) == preferred.begin() + i;
    if (preferred[i] == group) place = i;
  }
  const auto n = static_cast<double>(different);
  return 50.0 * (n - static_cast<double>(place)) / n;
}

class NodeGroup : public Policy, public FitPolicy, public ScorePolicy {
 public:
  explicit NodeGroup(const Options& options)
      : strict_(options.flag("strict")),
        hierarchy_(options.flag("hierarchy")),
        preferred_order_(options.flag("preferred_order")) {}

  std::string_view name() const override { return "nodegroup"; }
  PointSet points() const override { return {Point::kFit, Point::kScore}; }
  Traits traits() const override {
    Traits traits;
    traits.kinds_changed = kinds_changed_;
    return traits;
  }
  FitPolicy* fit() override { return this; }
  ScorePolicy* score() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    NameGroups();
    const QueueTable& queues = tables_->queues;
    std::vector<NodeGroupWish> wishes(queues.alive.size());
    for (QueueIndex q = 0; q < wishes.size(); ++q) {
      for (QueueIndex from = q; from != kNone; from = hierarchy_ ? queues.parent[from] : kNone) {
        if (!queues.spec[from].node_groups) continue;
        wishes[q] = *queues.spec[from].node_groups;
        break;
      }
    }
    kinds_changed_ = wishes != wishes_;
    wishes_ = std::move(wishes);
    ReadLimits();
  }

  Scope FitScope(ClassIndex c) override {
    const QueueIndex q = tables_->classes.queue[c];
    return q == kNone || limits_[q].groups.empty() ? Scope::kKind : Scope::kCluster;
  }
  bool FitsKind(ClassIndex c, NodeIndex node, NodeRefusal* refusal) override {
    const std::string_view why = Refuses(WishOf(c), node);
    if (!why.empty()) *refusal = {RefusalCode::kNodeAffinity, std::string(why)};
    return why.empty();
  }
  void FitNodes(ClassIndex c, std::span<const NodeIndex> nodes, std::span<uint8_t> fits,
                std::span<RefusalCode> codes, std::span<uint8_t> hard) override {
    QueueLimits& limits = limits_[tables_->classes.queue[c]];
    Count(limits);
    const auto request = tables_->classes.request.row(c);
    std::vector<uint8_t> full(limits.groups.size(), 0);
    for (size_t g = 0; g < full.size(); ++g) {
      const GroupLimit& limit = limits.groups[g];
      for (size_t d = 0; d < request.size(); ++d) {
        full[g] |= limit.most[d] != kAbsent && limit.held[d] + request[d] > limit.most[d];
      }
    }
    Refusals refusals(fits, codes, hard);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const size_t g = limits.IndexOf(group_[nodes[i]]);
      if (g < full.size() && full[g]) refusals.Add(i, RefusalCode::kPolicy, /*hard=*/true);
    }
  }

  Scope ScoreScope(ClassIndex c) override {
    return IsEmpty(WishOf(c)) ? Scope::kNone : Scope::kState;
  }
  std::vector<KindScore> KindScores() const override { return {{.weight = 0}}; }
  int64_t RawKindScore(size_t, ClassIndex c, NodeIndex node) override {
    return group_[node] == kNoGroup || IsEmpty(WishOf(c)) ? 0 : 1 + int64_t{group_[node]};
  }
  void ScoreStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                   double* order, double*) override {
    const NodeGroupWish& wish = WishOf(c);
    std::vector<double> scores;
    for (const std::string& group : names_) scores.push_back(ScoreOf(wish, group));
    for (size_t i = begin; i < end; ++i) {
      const uint32_t group = group_[states.node[i]];
      order[i - begin] += group == kNoGroup ? 0.0 : scores[group];
    }
  }

 private:
  struct GroupLimit {
    uint32_t group;
    std::vector<int64_t> most;  // per dimension; kAbsent: as much as there is
    std::vector<int64_t> held;
  };
  struct JobPart {
    JobIndex job;
    uint64_t stamp;  // of the job's account when it was counted, and 1
  };
  struct QueueLimits {
    std::vector<GroupLimit> groups;
    std::vector<JobPart> jobs;
    std::vector<std::vector<int64_t>> held_by_job;  // per job: group by group, a row each

    size_t IndexOf(uint32_t group) const {
      size_t g = 0;
      while (g < groups.size() && groups[g].group != group) ++g;
      return g;
    }
  };

  void NameGroups() {
    const NodeTable& nodes = tables_->nodes;
    names_.clear();
    group_.assign(nodes.alive.size(), kNoGroup);
    for (NodeIndex n = 0; n < group_.size(); ++n) {
      if (!nodes.alive[n]) continue;
      for (const auto& [key, value] : nodes.spec[n].labels) {
        if (key == kLabel) group_[n] = NumberOf(value);
      }
    }
  }
  uint32_t NumberOf(const std::string& group) {
    const auto found = std::find(names_.begin(), names_.end(), group);
    const auto number = static_cast<uint32_t>(found - names_.begin());
    if (found == names_.end()) names_.push_back(group);
    return number;
  }

  void ReadLimits() {
    limits_.assign(tables_->queues.alive.size(), {});
    for (QueueIndex q = 0; q < limits_.size(); ++q) {
      if (!tables_->queues.alive[q]) continue;
      for (const NodeGroupLimit& given : tables_->queues.spec[q].node_group_limits) {
        GroupLimit limit{NumberOf(given.group), {}, {}};
        limit.most.assign(tables_->dimension_count(), kAbsent);
        for (const auto& [name, quantity] : given.limit) {
          const auto d = tables_->dimensions.Find(name);
          if (!d) continue;  // no node has any, and no task requests any
          const Unit unit = IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole;
          limit.most[*d] = ParseQuantity(quantity.text, unit).value_or(0);
        }
        limits_[q].groups.push_back(std::move(limit));
      }
    }
    const JobTable& jobs = tables_->jobs;
    for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
      if (!jobs.alive[j] || limits_[jobs.queue[j]].groups.empty()) continue;
      limits_[jobs.queue[j]].jobs.push_back({j, 0});
    }
    for (QueueLimits& limits : limits_) limits.held_by_job.resize(limits.jobs.size());
  }

  // What the queue's tasks hold in each limited group. Jobs with an account that stands are not
  // counted again.
  void Count(QueueLimits& limits) const {
    const size_t dimensions = tables_->dimension_count();
    for (GroupLimit& limit : limits.groups) limit.held.assign(dimensions, 0);
    for (size_t k = 0; k < limits.jobs.size(); ++k) {
      JobPart& part = limits.jobs[k];
      std::vector<int64_t>& held = limits.held_by_job[k];
      if (part.stamp != ledger_->job_stamp(part.job) + 1) {
        part.stamp = ledger_->job_stamp(part.job) + 1;
        held.assign(limits.groups.size() * dimensions, 0);
        for (TaskIndex t : tables_->jobs.tasks[part.job]) {
          const TaskStatus status = ledger_->status(t);
          if (!IsAllocated(status) && status != TaskStatus::kNominated) continue;
          const size_t g = limits.IndexOf(group_[ledger_->node_of(t)]);
          if (g == limits.groups.size()) continue;
          const auto request = ledger_->request(t);
          for (size_t d = 0; d < dimensions; ++d) held[g * dimensions + d] += request[d];
        }
      }
      for (size_t g = 0; g < limits.groups.size(); ++g) {
        for (size_t d = 0; d < dimensions; ++d) {
          limits.groups[g].held[d] += held[g * dimensions + d];
        }
      }
    }
  }

  const NodeGroupWish& WishOf(ClassIndex c) const {
    const QueueIndex q = tables_->classes.queue[c];
    return q == kNone ? nothing_ : wishes_[q];
  }

  // Why the node is not for tasks of a queue with this wish; empty: it is.
  std::string_view Refuses(const NodeGroupWish& wish, NodeIndex node) const {
    if (group_[node] == kNoGroup) {
      return strict_ || !IsEmpty(wish) ? "(node has no group)" : "";
    }
    if (IsEmpty(wish)) return "(queue wants no group)";
    const std::string& group = names_[group_[node]];
    const bool wanted = Has(wish.required, group) || Has(wish.preferred, group);
    const bool allowed =
        Has(wish.anti_preferred, group) || (wanted && !Has(wish.anti_required, group));
    return allowed ? "" : "(queue wants other groups)";
  }

  double ScoreOf(const NodeGroupWish& wish, const std::string& group) const {
    if (Has(wish.anti_preferred, group)) return -1;
    double score = Has(wish.required, group) ? 100 : 0;
    if (Has(wish.preferred, group)) {
      score += preferred_order_ ? PartOfOrder(wish.preferred, group) : 50;
    }
    return score;
  }

  const bool strict_, hierarchy_, preferred_order_;
  const NodeGroupWish nothing_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  std::vector<std::string> names_;  // of groups
  std::vector<uint32_t> group_;     // per node
  std::vector<NodeGroupWish> wishes_;
  bool kinds_changed_ = false;
  std::vector<QueueLimits> limits_;  // per queue
};

}  // namespace

PolicyDecl NodeGroupPolicy() {
  return {"nodegroup", "queues keep to groups of nodes", kNodegroupOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<NodeGroup>(options);
          }};
}

}  // namespace muster
