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
// - if they are deactivated, or a check of theirs has failed (job_settings.h);
// - if their queue or LocalQueue drains, or is on hold and not all checks of theirs are passed;
// - if two hosts of their places have failed (node_failures.h).
// Where a check delays the search for places (admission_checks.h), they are found in the first
// cycle after all checks have passed, as those of a host that has failed are. A job that has quota
// and finds no places evicts others for them. Bug for bug, the quota has to hold the job twice once
// the victims are gone.
//
// A job of which one host has failed gets another place in the first cycle, or is evicted. With
// tas_failed_node_replacement_fail_fast=off it evicts others instead.
//
// A job of which setting "evicted" has it that its admission ends soon holds its quota until the
// caller takes the admission away. It is the first victim, and no plan evicts it again.
//
// A job that grows out of another one (setting "replaces") is admitted in its place: the other one
// takes no part from then on, and its tasks are not evicted.
//
// A job that waits, or is evicted, gets the reason not_admitted with the queue, the resource that
// its first obstacle is about, and Kueue's message (messages.h), where quota is in use with numbers
// of ours behind it (quota_words.h). `policy` is "kueue".
//
// With admission fair sharing the usage of LocalQueues orders the jobs of a queue. The memory keeps
// it (usage_memory.h). It also keeps which job waits for its victims to go, and how far searches
// for flavors got (queue_memory.h).
//
// Tasks of admitted jobs are kept to nodes with the labels of their flavors (flavor_nodes.h), and
// to their places (task_places.h), for actions behind this one. Those of jobs with an open check
// get no node (closed_jobs.h).
//
// Ties. As the core breaks them: priority, time of creation, uid_rank, index.
// Cost. O(rows) for the world, and what the cycles cost (kueue.h). Cuts fall between cycles.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/extension/cycle.h"
#include "lib/peer/kueue/admission_checks.h"
#include "lib/peer/kueue/admit_options.h"
#include "lib/peer/kueue/closed_jobs.h"
#include "lib/peer/kueue/flavor_nodes.h"
#include "lib/peer/kueue/job_settings.h"
#include "lib/peer/kueue/kueue.h"
#include "lib/peer/kueue/messages.h"
#include "lib/peer/kueue/node_failures.h"
#include "lib/peer/kueue/pod_changes.h"
#include "lib/peer/kueue/profile.h"
#include "lib/peer/kueue/queue_checks.h"
#include "lib/peer/kueue/queue_memory.h"
#include "lib/peer/kueue/quota_words.h"
#include "lib/peer/kueue/read_world.h"
#include "lib/peer/kueue/task_places.h"
#include "lib/peer/kueue/topology_hosts.h"
#include "lib/peer/kueue/usage_memory.h"

namespace muster {
namespace {

constexpr char kDeactivated[] = "The workload is deactivated";

class KueueAdmit {
 public:
  KueueAdmit(ActionContext& context, const Options& options) : context_(context) {
    world_.config = kueue::ConfigOf(options);
    world_.config.explains = true;
    world_.now = context.facts.now;
    job_of_ = kueue::ReadWorld(context.tables, &world_);
    scanned_.resize(job_of_.size(), false);
    for (const kueue::WorkloadRow& row : world_.workloads) held_.push_back(row.holds);
    if (world_.config.usage_order) {
      usage_.emplace(context.tables, &world_);
      usage_->Recall(Slots().Recall(kueue::kUsageSlot.slot));
      usage_->Settle();
      scheduler_.set_local_usage(&usage_->values());
    }
    if (CountsPlaces()) {
      hosts_ = kueue::ReadHosts(context.tables);
      topology_.emplace(world_, hosts_);
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
      } else if (std::string note = WhyOut(row); !note.empty()) {
        Explain({.workload = w, .queue = row.queue, .note = std::move(note)});
      } else {
        scheduler_.Push(w);
        pushed_.push_back(w);
      }
    }
    memory_.Recall(Slots().Recall(kueue::kQueueSlot.slot));
  }

  // Evicts what may not keep its quota. Returns whether there was some.
  bool EvictBarred() {
    bool evicted = false;
    std::optional<kueue::NodeFailures> failures;
    if (topology_ && world_.config.gates.replaces_nodes) {
      failures.emplace(context_.tables, world_, *topology_);
    }
    for (kueue::WorkloadIndex w = 0; w < job_of_.size(); ++w) {
      if (!world_.workloads[w].holds) continue;
      std::string why = WhyBarred(world_.workloads[w]);
      if (why.empty() && failures) why = NoteFailures(w, failures->Of(w, job_of_[w]));
      if (why.empty() && MayFindPlaces(w)) failed_.push_back(w);
      if (!why.empty()) evicted |= EvictJob(job_of_[w], TaskIndex(kNone), std::move(why));
    }
    barred_ = evicted;
    return evicted;
  }

  // Returns whether another cycle can decide more.
  bool RunCycle() {
    if (!scheduler_.HasHeads() && failed_.empty()) return false;
    const kueue::CycleResult result = scheduler_.Run(std::exchange(failed_, {}));
    bool admitted = false, evicted = false;
    for (const uint32_t i : result.order) {
      const kueue::Entry& entry = result.entries[i];
      if (entry.holds) {
        evicted |= FinishSecondPass(entry, /*evicted=*/evicted);
      } else if (entry.status == kueue::EntryStatus::kAssumed) {
        std::vector<GroupAssignment> assignment = AssignmentOf(entry);
        context_.memory<kueue::PodChanges>().admitted[job_of_[entry.workload]] = assignment;
        context_.decisions.Admit(job_of_[entry.workload], std::move(assignment));
        if (entry.replaced != kueue::kNothing) EndReplaced(entry);
        if (usage_) usage_->Charge(entry.workload);
        admitted = true;
      } else if (Preempts(entry)) {
        if (!evicted) evictor_ = entry.workload;
        Evict(entry);
        evicted = true;
      }
    }
    bool goes_on = false;
    for (const kueue::Entry& entry : result.entries) {
      if (entry.holds || entry.status == kueue::EntryStatus::kAssumed) continue;
      Explain(entry);
      tried_[entry.queue] = entry.workload;
      goes_on |= HasFlavorsLeft(entry.workload);
    }
    // What victims hold is free once they are gone, and then is the time of the next cycle.
    return !evicted && (admitted || goes_on || result.requeued.size() < result.entries.size());
  }

  // Gives jobs that wait their reasons, with the numbers at the end of the last cycle. Of workloads
  // that are alike one was tried for all.
  void GiveReasons() {
    kueue::QuotaWords words(world_);
    std::map<uint32_t, kueue::WorkloadIndex> tried;  // by hash
    for (auto& [w, waits] : waits_) {
      if (world_.workloads[w].holds) continue;  // admitted by a later cycle
      if (!waits.lacking.empty()) {
        absl::StrAppend(&waits.reason.where, ". ", words.Of(w, waits.lacking));
      }
      for (const kueue::Cell cell : waits.beyond) {
        const std::string bounds = words.BoundsOf(world_.workloads[w].queue, cell);
        if (!bounds.empty()) absl::StrAppend(&waits.reason.where, ". ", bounds);
      }
      const uint32_t hash = world_.workloads[w].hash;
      if (hash != kueue::kNothing) tried[hash] = w;
      context_.reasons.ExplainJob(job_of_[w], waits.reason);
    }
    for (const kueue::WorkloadIndex w : pushed_) {
      const auto alike = tried.find(world_.workloads[w].hash);
      if (world_.workloads[w].holds || waits_.contains(w)) continue;
      if (alike != tried.end()) {
        context_.reasons.ExplainJob(job_of_[w], waits_.at(alike->second).reason);
      } else if (std::string why = WhyNoTurn(w); !why.empty()) {
        context_.reasons.ExplainJob(job_of_[w], ReasonOf(job_of_[w], std::move(why)));
      }
    }
  }

  // Keeps tasks to the nodes of their flavors, and to the places of their jobs' admissions, for the
  // actions behind this one.
  void KeepTasks() {
    kueue::FlavorNodes nodes(context_, world_);
    std::optional<kueue::TaskPlaces> places;
    if (topology_) places.emplace(context_, world_, *topology_, hosts_);
    kueue::ClosedJobs closed(context_, world_);
    for (kueue::WorkloadIndex w = 0; w < job_of_.size(); ++w) {
      if (!world_.workloads[w].holds || context_.IsPending(job_of_[w])) continue;
      if (world_.workloads[w].open_checks || world_.workloads[w].evicting) {
        const auto note = no_places_.find(w);
        closed.Keep(w, job_of_[w], note == no_places_.end() ? "" : note->second);
        continue;
      }
      nodes.Keep(w, job_of_[w], held_[w]);
      if (places) places->Keep(w, job_of_[w], held_[w]);
    }
  }

  void Remember() {
    if (usage_) usage_->Remember(&Slots().Remember(kueue::kUsageSlot.slot));
    if (memory_.HasNews(Slots().Recall(kueue::kQueueSlot.slot))) {
      memory_.Remember(&Slots().Remember(kueue::kQueueSlot.slot));
    }
  }

 private:
  MemorySlots& Slots() const { return *internal::DataOf(*context_.facts.cycle).memory; }

  // Returns whether the workload's next attempt tries flavors that no attempt of this plan did.
  bool HasFlavorsLeft(kueue::WorkloadIndex w) {
    const std::optional<kueue::ScanProgress>& progress = world_.workloads[w].progress;
    if (!progress || !progress->Pending()) scanned_[w] = true;
    return !scanned_[w];
  }

  std::string LocalQueueOf(const kueue::WorkloadRow& row) const {
    const std::string& name = world_.local_queues[row.local_queue];
    return name.substr(name.rfind('/') + 1);
  }

  // Why no cycle looks at a workload that waits; empty: one does.
  std::string WhyOut(const kueue::WorkloadRow& row) const {
    if (row.retry_checks) return kueue::kFailedChecks;
    if (row.inactive) return kDeactivated;
    if (row.local_stop != StopPolicy::kNone) {
      return absl::StrCat("LocalQueue ", LocalQueueOf(row), " is stopped");
    }
    const kueue::QueueRow& queue = world_.queues[row.queue];
    if (queue.active) return "";
    if (!queue.why_inactive.empty()) {
      return absl::StrCat("ClusterQueue ", queue.name, ": ", queue.why_inactive);
    }
    return absl::StrCat("ClusterQueue ", queue.name,
                        queue.stopped ? " is stopped" : " is inactive");
  }

  // Why no cycle of this plan came to a workload that could have been tried; empty: it was cut.
  std::string WhyNoTurn(kueue::WorkloadIndex w) const {
    const kueue::QueueRow& queue = world_.queues[world_.workloads[w].queue];
    const auto front = tried_.find(world_.workloads[w].queue);
    if (front != tried_.end() && queue.strict) {
      return absl::StrCat("waits behind ", world_.workloads[front->second].name, " (StrictFIFO)");
    }
    if (evictor_ == kueue::kNothing) {
      return barred_ ? "no turn yet: jobs that lose their quota leave first" : "";
    }
    const bool same_queue = front != tried_.end() && front->second == evictor_;
    return absl::StrCat(same_queue ? "waits behind " : "no turn yet: waits behind ",
                        world_.workloads[evictor_].name, ", which evicts others");
  }

  // Why a workload may not keep its quota, the reason word first; empty: it may.
  std::string WhyBarred(const kueue::WorkloadRow& row) const {
    if (row.evicting) return "";
    if (row.inactive) return absl::StrCat("Deactivated: ", kDeactivated);
    if (row.retry_checks) return "AdmissionCheck: At least one admission check is false";
    const auto bars = [&](StopPolicy stop) {
      return stop == StopPolicy::kHoldAndDrain || (stop == StopPolicy::kHold && row.open_checks);
    };
    if (bars(row.local_stop)) return "LocalQueueStopped: The LocalQueue is stopped";
    if (bars(world_.queues[row.queue].stop)) {
      return "ClusterQueueStopped: The ClusterQueue is stopped";
    }
    return "";
  }

  // Returns whether the workload has quota and all its checks, and now gets places.
  bool MayFindPlaces(kueue::WorkloadIndex w) const {
    const kueue::WorkloadRow& row = world_.workloads[w];
    return topology_ && row.open_checks && !row.evicted && world_.queues[row.queue].active &&
           kueue::AwaitsPlaces(world_, row, /*now=*/true) && kueue::OpenChecks(world_, row).empty();
  }

  // Notes hosts that have failed for a workload that holds quota. Returns why it is evicted; empty:
  // it is not, or not yet.
  std::string NoteFailures(kueue::WorkloadIndex w, const std::vector<std::string>& hosts) {
    kueue::WorkloadRow& row = world_.workloads[w];
    if (hosts.empty() || row.open_checks || row.evicted || !world_.queues[row.queue].active) {
      return "";
    }
    if (hosts.size() > 1) {
      return absl::StrCat("NodeFailures: Workload eviction triggered due to multiple TAS assigned ",
                          "node failures, including: ", absl::StrJoin(hosts, ", "));
    }
    row.unhealthy = hosts.front();
    failed_.push_back(w);
    return "";
  }

  // Decides about a job with quota that needs places. Returns whether it, or another one, is
  // evicted. `evicted`: some already were in this cycle.
  bool FinishSecondPass(const kueue::Entry& entry, bool evicted) {
    kueue::WorkloadRow& row = world_.workloads[entry.workload];
    const JobIndex job = job_of_[entry.workload];
    const std::string host = std::exchange(row.unhealthy, {});
    if (entry.status == kueue::EntryStatus::kAssumed) {
      context_.decisions.ReplacePlaces(job, PlacesAnew(row, job));
      return false;
    }
    if (entry.status == kueue::EntryStatus::kEvicted) {
      return EvictJob(
          job, TaskIndex(kNone),
          absl::StrCat("NodeFailures: Workload was evicted as there was no replacement ",
                       "for unhealthy node(s): ", host));
    }
    if (host.empty()) no_places_[entry.workload] = kueue::MessageOf(world_, entry);
    if (!Preempts(entry)) return false;
    if (!evicted) evictor_ = entry.workload;
    Evict(entry);
    return true;
  }

  // The admission that the job has, with the places that its workload has now.
  std::vector<GroupAssignment> PlacesAnew(const kueue::WorkloadRow& row, JobIndex job) const {
    std::vector<GroupAssignment> groups;
    for (const GroupAdmission& has : context_.tables.jobs.spec[job].admission->groups) {
      GroupAssignment& group = groups.emplace_back();
      group.group = has.group;
      group.count = has.count;
      for (const auto& [resource, flavor] : has.flavors) {
        const auto d = context_.tables.dimensions.Find(resource);
        if (d) group.flavors.push_back({*d, flavor});
      }
      for (size_t i = 0; i < row.granted.size(); ++i) {
        if (row.pod_sets[i].name != has.group || !row.granted[i].places) continue;
        AddPlaces(*row.granted[i].places, &group.places);
      }
    }
    return groups;
  }

  // Whether a flavor has a topology, or a workload requests places in one.
  bool CountsPlaces() const {
    if (!world_.config.gates.topology) return false;
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

  // The job that the entry's grew out of has no quota any more. Its tasks stay where they are: the
  // caller moves them to the other job.
  void EndReplaced(const kueue::Entry& entry) {
    const JobIndex job = job_of_[entry.replaced];
    if (!context_.IsPending(job)) context_.decisions.Withdraw(job);
    context_.reasons.ExplainJob(
        job, ReasonOf(job, absl::StrCat("WorkloadSliceReplaced: Replaced to accommodate workload ",
                                        world_.workloads[entry.workload].name)));
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
    for (const kueue::Victim& victim : entry.victims) {
      if (world_.workloads[victim.workload].evicting) continue;
      EvictJob(job_of_[victim.workload], beneficiary,
               kueue::PreemptionText(victim, world_.workloads[entry.workload].name));
    }
  }

  // Evicts all tasks of the job that run, and takes its admission back. Returns whether something
  // is decided.
  bool EvictJob(JobIndex job, TaskIndex beneficiary, std::string why) {
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
    if (evicts || withdraws) context_.reasons.ExplainJob(job, ReasonOf(job, std::move(why)));
    return evicts || withdraws;
  }

  Reason ReasonOf(JobIndex job, std::string message) const {
    Reason reason{ReasonKind::kNotAdmitted};
    reason.policy = "kueue";
    reason.where = std::move(message);
    reason.queue = context_.tables.jobs.queue[job];
    return reason;
  }

  // Notes why the entry's workload waits. The latest attempt counts.
  void Explain(const kueue::Entry& entry) {
    Waits& waits = waits_[entry.workload];
    waits = {.reason = ReasonOf(job_of_[entry.workload], kueue::MessageOf(world_, entry))};
    const std::vector<kueue::PodSetAssignment>& pod_sets = entry.assignment.pod_sets;
    // A fault stands alone: more quota would not mend it.
    const auto is_at_fault = [](const kueue::PodSetAssignment& p) { return !p.fault.empty(); };
    if (std::ranges::any_of(pod_sets, is_at_fault)) return;
    for (const kueue::PodSetAssignment& p : pod_sets) {
      for (const kueue::Obstacle& obstacle : p.obstacles) {
        if (obstacle.resource == kueue::kNothing) continue;
        const auto d = context_.tables.dimensions.Find(world_.resources[obstacle.resource]);
        if (d && waits.reason.dimension == kNone) waits.reason.dimension = *d;
        const bool unused = obstacle.lack == kueue::Lack::kUnused;
        if (!unused && obstacle.lack != kueue::Lack::kQuota) continue;
        const kueue::Cell cell = world_.CellOf(obstacle.flavor, obstacle.resource);
        std::vector<kueue::Cell>& cells = unused ? waits.lacking : waits.beyond;
        if (std::ranges::find(cells, cell) == cells.end()) cells.push_back(cell);
      }
    }
  }

  struct Waits {
    Reason reason{ReasonKind::kNotAdmitted};
    std::vector<kueue::Cell> lacking = {};  // that others use
    std::vector<kueue::Cell> beyond = {};   // of which more is requested than there could be
  };

  ActionContext& context_;
  kueue::World world_;
  kueue::Scheduler scheduler_{&world_};
  kueue::QueueMemory memory_{&world_, &scheduler_};
  std::vector<kueue::TopologyHost> hosts_;  // of the topology
  std::optional<kueue::TopologyWorld> topology_;
  std::optional<kueue::UsageMemory> usage_;   // with admission fair sharing
  std::vector<JobIndex> job_of_;              // by workload
  std::vector<bool> held_;                    // by workload: it held quota from the start
  std::vector<bool> scanned_;                 // by workload: it tried its last flavor
  std::vector<kueue::WorkloadIndex> failed_;  // those with quota that need places
  std::vector<kueue::WorkloadIndex> pushed_;  // those that wait in their queues
  std::map<kueue::WorkloadIndex, Waits> waits_;
  std::map<kueue::WorkloadIndex, std::string> no_places_;  // of those with quota: why
  std::map<kueue::Queue, kueue::WorkloadIndex> tried_;     // the last one that waits, by queue
  kueue::WorkloadIndex evictor_ = kueue::kNothing;         // the first that evicts others
  bool barred_ = false;                                    // jobs lose their quota, for no other
};

void RunCycles(KueueAdmit* admit, WorkMeter* meter, int64_t cycles) {
  if (admit->EvictBarred()) return;
  for (int64_t cycle = 0; cycle < cycles; ++cycle) {
    if (meter->Cut()) return;
    meter->Spend();
    if (!admit->RunCycle()) return;
  }
}

absl::Status CheckKueueTables(const Tables& tables, const Options& options) {
  if (absl::Status s = kueue::CheckQueues(tables, kueue::ConfigOf(options)); !s.ok()) return s;
  return kueue::CheckSettings(tables, options);
}

void RunKueueAdmit(ActionContext& context, const Options& options) {
  const int64_t cycles = static_cast<int64_t>(options.number("cycles"));
  KueueAdmit admit(context, options);
  if (context.meter.Cut()) return;
  admit.Enter();
  RunCycles(&admit, &context.meter, cycles);
  admit.GiveReasons();
  admit.KeepTasks();
  admit.Remember();
}

}  // namespace

ActionDecl KueueAdmitAction() {
  ActionDecl action;
  action.name = "admit";
  action.summary = "cycles of quota admission, the first job of each queue in each";
  action.options = kueue::AdmitOptionDecls();
  action.run = RunKueueAdmit;
  action.memory = {kueue::kUsageSlot, kueue::kQueueSlot};
  action.check = CheckKueueTables;
  action.admits = true;
  action.evicts = true;
  action.points = PointSet{};
  return action;
}

}  // namespace muster
