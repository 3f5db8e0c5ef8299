// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// admit: Kueue's cycles over the cluster's queues, until one evicts, or changes nothing.
//
// Each cycle tries the first job of each queue. What is admitted becomes an Admission with the
// flavor of each resource and the places in its topology, which Cluster::Apply keeps as the job's
// JobAdmission. Victims become evictions of all their tasks that hold a node, for the first task of
// the job that evicts them, and are pending again, which takes their admission back. Quota of rows
// on nodes is free once the last of them has left; a victim by count gives it back at once: the
// caller stops its tasks.
//
// Jobs that hold quota are evicted first, for no other job, and then no cycle runs:
// - if a check of theirs has failed (job_settings.h);
// - if their queue drains, or is on hold and not all checks of theirs are passed.
//
// A job that waits gets the reason not_admitted with the queue, the resource that its first
// obstacle is about, and Kueue's message (messages.h). `policy` is "kueue".
//
// Ties. As the core breaks them: priority, time of creation, uid_rank, index.
// Cost. O(rows) for the world, and what the cycles cost (kueue.h). Cuts fall between cycles.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/kueue/job_settings.h"
#include "lib/peer/kueue/kueue.h"
#include "lib/peer/kueue/messages.h"
#include "lib/peer/kueue/profile.h"
#include "lib/peer/kueue/read_world.h"
#include "lib/peer/kueue/topology_hosts.h"

namespace muster {
namespace {

constexpr OptionDecl kKueueOptions[] = {
    {"cycles", OptionKind::kWhole, "1000000", 1, 1e9,
     "cycles in one plan at most; each tries the first job of each queue"},
    {"fair_sharing", OptionKind::kFlag, "off", 0, 0,
     "turns and victims go by dominant shares of queues"},
};

class KueueAdmit {
 public:
  KueueAdmit(ActionContext& context, const Options& options) : context_(context) {
    world_.config.fair_sharing = options.flag("fair_sharing");
    world_.config.explains = true;
    world_.now = context.facts.now;
    job_of_ = kueue::ReadWorld(context.tables, &world_);
    scanned_.resize(job_of_.size(), false);
    if (CountsPlaces()) {
      topology_.emplace(world_, kueue::ReadHosts(context.tables), kueue::TopologyGates());
      scheduler_.set_topology(&*topology_);
    }
  }

  // Lets jobs that wait into their queues. One that ended and has tasks again waits from the next
  // plan on.
  void Enter() {
    for (kueue::WorkloadIndex w = 0; w < job_of_.size(); ++w) {
      const kueue::WorkloadRow& row = world_.workloads[w];
      if (row.holds) continue;
      if (!context_.IsPending(job_of_[w])) {
        context_.decisions.Withdraw(job_of_[w]);
      } else if (row.queue == kueue::kNothing) {
        continue;
      } else if (row.retry_checks) {
        Explain({.workload = w, .queue = row.queue, .note = kueue::kFailedChecks});
      } else {
        scheduler_.Push(w);
      }
    }
  }

  // Evicts what may not keep its quota. Returns whether there was some.
  bool EvictBarred() {
    bool evicted = false;
    for (kueue::WorkloadIndex w = 0; w < job_of_.size(); ++w) {
      const kueue::WorkloadRow& row = world_.workloads[w];
      if (row.holds && IsBarred(row)) evicted |= EvictJob(job_of_[w], TaskIndex(kNone));
    }
    return evicted;
  }

  // Returns whether another cycle can decide more.
  bool RunCycle() {
    if (!scheduler_.HasHeads()) return false;
    const kueue::CycleResult result = scheduler_.Run();
    bool admitted = false, evicted = false;
    for (const uint32_t i : result.order) {
      const kueue::Entry& entry = result.entries[i];
      const JobIndex job = job_of_[entry.workload];
      if (entry.status == kueue::EntryStatus::kAssumed) {
        context_.decisions.Admit(job, AssignmentOf(entry));
        admitted = true;
        continue;
      }
      if (!Preempts(entry)) continue;
      Evict(entry);
      evicted = true;
    }
    bool goes_on = false;
    for (const kueue::Entry& entry : result.entries) {
      if (entry.status == kueue::EntryStatus::kAssumed) continue;
      Explain(entry);
      goes_on |= HasFlavorsLeft(entry.workload);
    }
    // What victims hold is free once they are gone, and then is the time of the next cycle.
    return !evicted && (admitted || goes_on || result.requeued.size() < result.entries.size());
  }

 private:
  // Returns whether the workload's next attempt tries flavors that no attempt of this plan did.
  bool HasFlavorsLeft(kueue::WorkloadIndex w) {
    const std::optional<kueue::ScanProgress>& progress = world_.workloads[w].progress;
    if (!progress || !progress->Pending()) scanned_[w] = true;
    return !scanned_[w];
  }

  bool IsBarred(const kueue::WorkloadRow& row) const {
    const StopPolicy stop = world_.queues[row.queue].stop;
    return row.retry_checks || stop == StopPolicy::kHoldAndDrain ||
           (stop == StopPolicy::kHold && row.open_checks);
  }

  // Whether a flavor has a topology, or a workload requests places in one.
  bool CountsPlaces() const {
    return std::ranges::any_of(world_.flavors,
                               [](const kueue::FlavorRow& row) {
                                 return row.exists && row.spec.topology.has_value();
                               }) ||
           std::ranges::any_of(world_.workloads, [](const kueue::WorkloadRow& row) {
             return std::ranges::any_of(
                 row.pod_sets, [](const kueue::PodSet& p) { return p.topology.has_value(); });
           });
  }

  // Places of several pod sets of one group become one each.
  static void AddPlaces(const kueue::NamedPlaces& places, std::vector<AssignedPlace>* to) {
    std::map<std::vector<std::string>, size_t> known;
    for (size_t i = 0; i < to->size(); ++i) known[(*to)[i].values] = i;
    for (const kueue::NamedPlace& place : places) {
      const auto at = known.find(place.leaf);
      if (at != known.end()) {
        (*to)[at->second].count += place.count;
      } else {
        to->push_back({place.leaf, place.count});
      }
    }
  }

  static bool Preempts(const kueue::Entry& entry) {
    return entry.mode == kueue::Mode::kPreempt && !entry.victims.empty() &&
           entry.requeue == kueue::RequeueReason::kPendingPreemption;
  }

  std::vector<GroupAssignment> AssignmentOf(const kueue::Entry& entry) const {
    std::vector<GroupAssignment> groups;
    for (const kueue::PodSetAssignment& p : entry.assignment.pod_sets) {
      const std::string& name = world_.workloads[entry.workload].pod_sets[p.pod_set].name;
      // Pod sets of one group follow each other.
      if (groups.empty() || groups.back().group != name) groups.push_back({.group = name});
      GroupAssignment& group = groups.back();
      group.count += p.count;
      if (p.places) AddPlaces(*p.places, &group.places);
      for (const kueue::FlavorChoice& choice : p.flavors) {
        const auto d = context_.tables.dimensions.Find(world_.resources[choice.resource]);
        if (!d || choice.flavor == kueue::kNothing) continue;
        bool known = false;
        for (const AssignedFlavor& flavor : group.flavors) known |= flavor.dimension == *d;
        if (!known) group.flavors.push_back({*d, world_.flavors[choice.flavor].name});
      }
    }
    return groups;
  }

  void Evict(const kueue::Entry& entry) {
    const std::vector<TaskIndex>& own = context_.tables.jobs.tasks[job_of_[entry.workload]];
    const TaskIndex beneficiary = own.empty() ? TaskIndex(kNone) : own.front();
    for (const kueue::Victim& victim : entry.victims)
      EvictJob(job_of_[victim.workload], beneficiary);
  }

  // Evicts all tasks of the job that run, and takes its admission back. Returns whether something
  // is decided.
  bool EvictJob(JobIndex job, TaskIndex beneficiary) {
    bool evicts = false;
    const Ledger::Savepoint before = context_.ledger.Save();
    for (const TaskIndex task : context_.tables.jobs.tasks[job]) {
      const TaskStatus status = context_.ledger.status(task);
      if (status != TaskStatus::kRunning && status != TaskStatus::kBound) continue;
      context_.decisions.NoteEviction(task, beneficiary);
      context_.ledger.Move(task, TaskStatus::kReleasing, context_.ledger.node_of(task));
      evicts = true;
    }
    context_.decisions.Commit(before);
    const bool withdraws = !context_.IsPending(job);
    if (withdraws) context_.decisions.Withdraw(job);
    return evicts || withdraws;
  }

  void Explain(const kueue::Entry& entry) {
    const JobIndex job = job_of_[entry.workload];
    Reason reason{ReasonKind::kNotAdmitted};
    reason.policy = "kueue";
    reason.where = kueue::MessageOf(world_, entry);
    reason.queue = context_.tables.jobs.queue[job];
    for (const kueue::PodSetAssignment& p : entry.assignment.pod_sets) {
      for (const kueue::Obstacle& obstacle : p.obstacles) {
        if (reason.dimension != kNone || obstacle.resource == kueue::kNothing) continue;
        const auto d = context_.tables.dimensions.Find(world_.resources[obstacle.resource]);
        if (d) reason.dimension = *d;
      }
    }
    context_.reasons.ExplainJob(job, std::move(reason));
  }

  ActionContext& context_;
  kueue::World world_;
  kueue::Scheduler scheduler_{&world_};
  std::optional<kueue::TopologyWorld> topology_;
  std::vector<JobIndex> job_of_;  // by workload
  std::vector<bool> scanned_;     // by workload: it tried its last flavor
};

void RunKueueAdmit(ActionContext& context, const Options& options) {
  const int64_t cycles = static_cast<int64_t>(options.number("cycles"));
  KueueAdmit admit(context, options);
  if (context.meter.Cut()) return;
  admit.Enter();
  if (admit.EvictBarred()) return;
  for (int64_t cycle = 0; cycle < cycles; ++cycle) {
    if (context.meter.Cut()) return;
    context.meter.Spend();
    if (!admit.RunCycle()) return;
  }
}

}  // namespace

ActionDecl KueueAdmitAction() {
  ActionDecl action;
  action.name = "admit";
  action.summary = "cycles of quota admission, the first job of each queue in each";
  action.options = kKueueOptions;
  action.run = RunKueueAdmit;
  action.check = kueue::CheckSettings;
  action.admits = true;
  action.evicts = true;
  action.points = PointSet{};
  return action;
}

}  // namespace muster
