// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// gang: all the tasks a job needs, or none.
//
// Promise. A job is ready when as many tasks as it needs have their place, and each of its groups
// has its own minimum; only then may its placements become decisions. A job that lacks that many
// live tasks is not tried. Jobs that are not ready yet go first. No task is evicted below the need
// of its gang.
// Rules. Pending tasks that request nothing count as placed. Group minimums count only where their
// sum is at most what the job needs. Victims are counted down one by one from the number of ready
// tasks. Of each policy's sub-groups enough must be ready, too; a sub-group that is ready goes
// after one that is not.
// Options. best_effort_counts=off: tasks that request nothing do not count. groups=off: nor do
// groups. count_down_victims=off: each victim is held against the unchanged number, so several may
// be taken below the minimum, or all of a gang of one. every_group=on: group minimums always count.
// Ties. None of its own. Cost. O(groups and sub-groups) a question, O(1) for jobs without their
// minimums.
#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "lib/extension/alike_evictors.h"
#include "lib/extension/cycle.h"
#include "lib/extension/gate_ahead.h"
#include "lib/extension/gate_keep.h"
#include "lib/extension/job_keep.h"
#include "lib/extension/keyed_jobs.h"
#include "lib/policy/policies.h"

namespace muster {
namespace {

constexpr OptionDecl kGangOptions[] = {
    {"best_effort_counts", OptionKind::kFlag, "on", 0, 0,
     "pending tasks that request nothing count as placed"},
    {"count_down_victims", OptionKind::kFlag, "on", 0, 0,
     "each victim lowers the number that later ones are held against"},
    {"groups", OptionKind::kFlag, "on", 0, 0, "group minimums count"},
    {"sub_groups", OptionKind::kFlag, "on", 0, 0, "so many sub-groups of a policy must be ready"},
    {"every_group", OptionKind::kFlag, "off", 0, 0, "group minimums count whatever they add up to"},
};

class Gang : public Policy,
             public OrderPolicy,
             public GatePolicy,
             public GateAhead,
             public VictimPolicy,
             public AlikeEvictors,
             public KeyedJobs,
             public JobKeep,
             public GateKeep {
 public:
  explicit Gang(const Options& options)
      : best_effort_counts_(options.flag("best_effort_counts")),
        count_down_(options.flag("count_down_victims")),
        groups_(options.flag("groups")),
        sub_groups_(options.flag("sub_groups")),
        every_group_(options.flag("every_group")) {}

  std::string_view name() const override { return "gang"; }
  PointSet points() const override {
    return {Point::kValid,         Point::kJobOrder,         Point::kReady,
            Point::kPipelined,     Point::kStarving,         Point::kPreemptable,
            Point::kReclaimable,   Point::kEvictable,        Point::kSubGroupOrder,
            Point::kSubGroupReady, Point::kSubGroupPipelined};
  }
  Traits traits() const override {
    Traits traits;
    traits.judges_in_order = true;
    return traits;
  }
  OrderPolicy* order() override { return this; }
  GatePolicy* gate() override { return this; }
  VictimPolicy* victims() override { return this; }
  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    domains_ = internal::DataOf(cycle).domains;
  }

  int CompareJobs(JobIndex a, JobIndex b) override {
    return static_cast<int>(Enough(a, 0)) - static_cast<int>(Enough(b, 0));
  }
  double KeyOf(JobIndex job) override { return Enough(job, 0) ? 1 : 0; }

  bool Valid(JobIndex job) override {
    const JobCounts& counts = ledger_->job(job);
    return GroupsHave(job,
                      [](const JobCounts& g) { return g.ready() + g.nominated() + g.pending(); }) &&
           EnoughSubGroups(job, [](const SubGroup&) { return true; }) &&
           counts.ready() + counts.nominated() + counts.pending() >= Need(job);
  }
  bool Ready(JobIndex job) override {
    return GroupsHave(job, [this](const JobCounts& g) { return g.ready() + BestEffortOf(g); }) &&
           EnoughSubGroups(job, [this](const SubGroup& g) { return SubGroupReady(g); }) &&
           Enough(job, 0);
  }
  // One placement makes at most one more task ready.
  int64_t UnreadyAfter(JobIndex job) override {
    const JobCounts& counts = ledger_->job(job);
    const int64_t counted = counts.ready() + (best_effort_counts_ ? counts.pending_best_effort : 0);
    return std::max<int64_t>(Need(job) - counted - 1, 0);
  }
  Vote Pipelined(JobIndex job) override {
    const bool pipelined =
        GroupsHave(
            job,
            [this](const JobCounts& g) { return g.ready() + g.nominated() + BestEffortOf(g); }) &&
        EnoughSubGroups(
            job, [this](const SubGroup& g) { return HasEnough(g, /*with_nominated=*/true); }) &&
        Enough(job, ledger_->job(job).nominated());
    return pipelined ? Vote::kPermit : Vote::kReject;
  }

  int CompareSubGroups(const SubGroup& a, const SubGroup& b) override {
    return static_cast<int>(HasEnough(a, false)) - static_cast<int>(HasEnough(b, false));
  }
  bool SubGroupReady(const SubGroup& group) override { return HasEnough(group, false); }
  Vote SubGroupPipelined(const SubGroup& group) override {
    return HasEnough(group, /*with_nominated=*/true) ? Vote::kPermit : Vote::kReject;
  }
  bool Starving(JobIndex job) override {
    const JobCounts& counts = ledger_->job(job);
    return counts.ready() + counts.nominated() < Need(job);
  }

  Vote Preemptable(TaskIndex, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return Spare(candidates, chosen);
  }
  Vote Reclaimable(TaskIndex, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return Spare(candidates, chosen);
  }
  // Gang-aware actions have sorted out already what a gang can spare.
  Vote Evictable(JobIndex, bool, std::span<const TaskIndex> candidates,
                 std::vector<TaskIndex>* chosen) override {
    chosen->assign(candidates.begin(), candidates.end());
    return Vote::kPermit;
  }

 private:
  int64_t Need(JobIndex job) const { return tables_->jobs.spec[job].min_available; }

  bool Enough(JobIndex job, int64_t more) const {
    const JobCounts& counts = ledger_->job(job);
    return counts.ready() + (best_effort_counts_ ? counts.pending_best_effort : 0) + more >=
           Need(job);
  }

  // Of a group. The peers count these tasks here even where they do not for the whole.
  int64_t BestEffortOf(const JobCounts& group) const {
    return every_group_ && !best_effort_counts_ ? 0 : group.pending_best_effort;
  }

  template <typename Count>
  bool GroupsHave(JobIndex job, Count count) const {
    const auto& groups = tables_->jobs.groups[job];
    int64_t total = 0;
    for (const GroupRow& group : groups) total += OrZero(group.min_available);
    if (!groups_ || total == 0 || (!every_group_ && Need(job) < total)) return true;
    for (GroupIndex g = 0; g < groups.size(); ++g) {
      const int64_t need = OrZero(groups[g].min_available);
      if (need > 0 && count(ledger_->group(job, g)) < need) return false;
    }
    return true;
  }

  bool HasEnough(const SubGroup& group, bool with_nominated) const {
    const JobCounts& counts = ledger_->sub_group(group.job, group.index);
    return counts.ready() + (best_effort_counts_ ? counts.pending_best_effort : 0) +
               (with_nominated ? counts.nominated() : 0) >=
           domains_->Need(group);
  }

  // Whether enough of each policy's sub-groups are as `good` has it. A sub-group without tasks is
  // none.
  template <typename Good>
  bool EnoughSubGroups(JobIndex job, Good good) const {
    const JobSpec& spec = tables_->jobs.spec[job];
    if (!sub_groups_) return true;
    for (const SubGroupPolicy& policy : spec.sub_group_policies) {
      int64_t missing = policy.min_sub_groups;
      for (SubGroupIndex s = 0; s < spec.sub_groups.size() && missing > 0; ++s) {
        if (spec.sub_groups[s].policy != policy.name) continue;
        const JobCounts& counts = ledger_->sub_group(job, s);
        const bool there = std::any_of(counts.by_status.begin(), counts.by_status.end(),
                                       [](int32_t count) { return count > 0; });
        missing -= there && good(SubGroup{job, s});
      }
      if (missing > 0) return false;
    }
    return true;
  }

  Vote Spare(std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) {
    // Candidates of one node are few: a list beats a map.
    absl::InlinedVector<std::pair<JobIndex, int64_t>, 16> there;
    for (TaskIndex t : candidates) {
      const JobIndex job = tables_->tasks.job[t];
      if (job == kNone) continue;
      size_t i = 0;
      while (i < there.size() && there[i].first != job) ++i;
      if (i == there.size()) there.emplace_back(job, ledger_->job(job).ready());
      const int64_t need = Need(job);
      if (count_down_ ? there[i].second > need : need <= there[i].second - 1 || need == 1) {
        if (count_down_) --there[i].second;
        chosen->push_back(t);
      }
    }
    return Vote::kPermit;
  }

  const bool best_effort_counts_, count_down_, groups_, sub_groups_, every_group_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  const Domains* domains_ = nullptr;
};

}  // namespace

PolicyDecl GangPolicy() {
  return {"gang", "all the tasks a job needs, or none", kGangOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Gang>(options);
          }};
}

}  // namespace muster
