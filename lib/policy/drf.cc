// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// drf: dominant resource fairness between jobs.
//
// Idea. A job's share is the largest fraction of any resource of the cluster that it holds (Ghodsi
// et al., 2011). The job of smaller share goes first. Placing one task at a time by that order
// approximates max-min fairness of dominant shares.
// Rules. Shares are doubles, allocated / total, the largest over the dimensions that the cluster
// has. Equal doubles leave the order to the next policy. Victims: the evictor's share with its task
// added must not exceed the victim's share with its tasks taken away one after the other (within
// 1e-6). A candidate that is refused counts as taken away for later candidates.
// Options. hierarchy=on adds a tree of shares (share_tree.h), by which queues are ordered and
// reclaim from each other. overfull_nodes=off divides by what the nodes have that hold no more than
// they have, and pods are no resource. missing=on: holding some of what the cluster has none of is
// a share of 1.
// Cost. O(dimensions) after each change of a job, remembered by the job's stamp; O(candidates) for
// victims.
#include <algorithm>
#include <cmath>
#include <memory>

#include "lib/extension/alike_evictors.h"
#include "lib/extension/cycle.h"
#include "lib/extension/keyed_jobs.h"
#include "lib/extension/needs.h"
#include "lib/ledger/overfull.h"
#include "lib/policy/policies.h"
#include "lib/policy/share_tree.h"
#include "lib/share/share.h"

namespace muster {
namespace {

constexpr double kShareDelta = 0.000001;

constexpr OptionDecl kDrfOptions[] = {
    {"overfull_nodes", OptionKind::kFlag, "on", 0, 0,
     "shares are of all nodes and pods; off: of nodes that are not overfull, without pods"},
    {"missing", OptionKind::kFlag, "off", 0, 0,
     "to hold what the cluster has none of is a share of 1"},
    {"hierarchy", OptionKind::kFlag, "off", 0, 0, "queues share along their share paths"},
};

class Drf : public Policy,
            public OrderPolicy,
            public VictimPolicy,
            public AlikeEvictors,
            public KeyedJobs {
 public:
  explicit Drf(const Options& options)
      : overfull_nodes_(options.flag("overfull_nodes")),
        missing_(options.flag("missing")),
        hierarchy_(options.flag("hierarchy")) {}

  std::string_view name() const override { return "drf"; }
  PointSet points() const override {
    return hierarchy_ ? PointSet{Point::kJobOrder, Point::kPreemptable, Point::kQueueOrder,
                                 Point::kReclaimable}
                      : PointSet{Point::kJobOrder, Point::kPreemptable};
  }
  OrderPolicy* order() override { return this; }
  VictimPolicy* victims() override { return this; }
  void Open(const Cycle& cycle) override {
    const bool same_ledger = ledger_ == &internal::DataOf(cycle).ledger;
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    const ClusterTotal before = total_;
    if (overfull_nodes_) {
      total_.amount.assign(ledger_->total().begin(), ledger_->total().end());
      total_.present.assign(ledger_->total_present().begin(), ledger_->total_present().end());
    } else {
      total_ = TotalWithoutOverfull(*ledger_);
    }
    // What shares were is kept while all is divided by the same.
    if (!same_ledger || before.amount != total_.amount || before.present != total_.present) {
      shares_.clear();
      stamps_.clear();
    }
    shares_.resize(tables_->jobs.alive.size(), 0);
    stamps_.resize(tables_->jobs.alive.size(), ~uint64_t{0});
    if (hierarchy_) tree_ = std::make_unique<ShareTree>(*tables_, *ledger_);
  }

  int CompareJobs(JobIndex a, JobIndex b) override {
    const double left = ShareOf(a), right = ShareOf(b);
    return left == right ? 0 : left < right ? -1 : 1;
  }
  double KeyOf(JobIndex job) override { return ShareOf(job); }

  Vote Preemptable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    const JobIndex own = tables_->tasks.job[evictor];
    std::vector<int64_t> mine(ledger_->job_allocated(own).begin(),
                              ledger_->job_allocated(own).end());
    const auto request = ledger_->request(evictor);
    for (size_t d = 0; d < mine.size(); ++d) mine[d] += request[d];
    const double share = Dominant(mine);

    std::vector<std::pair<JobIndex, std::vector<int64_t>>> left;
    for (TaskIndex t : candidates) {
      const JobIndex job = tables_->tasks.job[t];
      if (job == kNone) continue;
      auto it =
          std::find_if(left.begin(), left.end(), [&](const auto& e) { return e.first == job; });
      if (it == left.end()) {
        const auto allocated = ledger_->job_allocated(job);
        left.emplace_back(job, std::vector<int64_t>(allocated.begin(), allocated.end()));
        it = left.end() - 1;
      }
      const auto held = ledger_->request(t);
      for (size_t d = 0; d < held.size(); ++d) it->second[d] -= held[d];
      const double theirs = Dominant(it->second);
      if (share < theirs || std::abs(share - theirs) <= kShareDelta) chosen->push_back(t);
    }
    return Vote::kPermit;
  }

  // Among queues, shares follow the path of the job.
  bool JudgesEvictorsAlike(Point point) const override { return point == Point::kPreemptable; }

  int CompareQueues(QueueIndex a, QueueIndex b) override { return tree_->CompareQueues(a, b); }
  Vote Reclaimable(TaskIndex evictor, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    tree_->Reclaimable(evictor, candidates, chosen);
    return Vote::kPermit;
  }

 private:
  double ShareOf(JobIndex job) {
    const uint64_t stamp = ledger_->job_stamp(job);
    if (stamps_[job] != stamp) {
      stamps_[job] = stamp;
      shares_[job] = Dominant(ledger_->job_allocated(job));
    }
    return shares_[job];
  }

  double Dominant(std::span<const int64_t> held) const {
    double largest = DominantShare(held, total_.amount);
    if (!missing_) return largest;
    for (DimensionIndex d = 0; d < held.size(); ++d) {
      const bool counts = d < kPods || total_.present[d];
      if (counts && total_.amount[d] == 0 && held[d] != 0) largest = std::max(largest, 1.0);
    }
    return largest;
  }

  const bool overfull_nodes_, missing_, hierarchy_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  ClusterTotal total_;
  std::vector<double> shares_;
  std::vector<uint64_t> stamps_;
  std::unique_ptr<ShareTree> tree_;
};

}  // namespace

PolicyDecl DrfPolicy() {
  return {"drf",
          "dominant resource fairness between jobs",
          kDrfOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Drf>(options);
          },
          /*revision=*/1,
          [](const Options& options, PolicyNeeds* needs) {
            needs->whole_nodes |= !options.flag("overfull_nodes");
          }};
}

}  // namespace muster
