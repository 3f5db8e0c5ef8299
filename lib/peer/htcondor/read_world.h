// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster's tables and books as a pool: slots, submitters and jobs, as ads.
//
//   PoolReader reader(tables, ledger, settings, now, &names);
//   Pool pool = reader.ReadPool();
//   const TaskIndex task(pool.jobs[...][0].row);       // rows of jobs are tasks
//   const SlotRow& slot = reader.slot(event.slot_row);
//
// What the peer has is here:
//
//   machine                  a node that is ready. One partitionable slot, "slot1@NODE", has what
//                            is free there now and later: Cpus, Memory in MiB, Disk in KiB
//                            (ephemeral-storage), GPUs (nvidia.com/gpu), Pods, and every other
//                            resource that some task requests, under its name
//   attributes of machines   labels, as texts, and settings "htcondor/+NAME", as expressions; a
//                            character that no attribute's name has becomes "_". Of labels that
//                            become one name, the smallest key counts; none replaces an attribute
//                            that slots have anyway
//   claim                    a task of a job that holds a node: a dynamic slot behind the
//                            partitionable one, as large as the task's request. Only tasks that are
//                            bound or run, and may be preempted, are offered to others
//   job                      a pending task; a JobSpec is a cluster of jobs. RequestCpus and so on
//                            are the larger of its two requests; JobPrio is its priority
//   user                     the job's owner, else "nobody", in the domain of option domain
//   accounting group         a queue, by its path; queue "default" is the root
//   GROUP_QUOTA              setting quota, else `deserved` cpu; without both a dynamic quota,
//                            setting quota_dynamic, else the part by weight among siblings
//   real priority, factor    `history` of a queue, for users that the memory does not know
//   ConcurrencyLimits        setting concurrency_limits of a job
//   RetirementTimeRemaining  up to `protected_until`
//
// Beside the ads, a slot must pass what the node itself asks (NodeGate): a cordon, the node
// selector and required node affinity, taints; and a task with never_preempts gets no claimed slot.
// Tasks without a job, and leaving ones, hold their part of the node.
//
// Not read: limits and guarantees of queues, gangs (a job's minimum), affinity between tasks,
// spread, host ports, devices, disruption budgets.
//
// Order. Slots by node, the partitionable one first, then by task. Jobs of a submitter by
// pre_job_prio1 and 2, priority, post_job_prio1 and 2, all descending; then created, uid_rank and
// index of the job, ordinal and index of the task.
// Cost. O(rows) for each call: the pool is made anew in each cycle.
#ifndef MUSTER_PEER_HTCONDOR_READ_WORLD_H_
#define MUSTER_PEER_HTCONDOR_READ_WORLD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/ledger/ledger.h"
#include "lib/peer/htcondor/pool.h"
#include "lib/peer/htcondor/settings.h"
#include "muster/plan.h"

namespace muster::condor {

struct SlotRow {
  NodeIndex node;
  TaskIndex task;  // that has claimed it; kNone: the slot is partitionable
};

// What nodes ask of tasks beside the ads.
class NodeGate : public SlotGate {
 public:
  explicit NodeGate(const Tables& tables) : tables_(tables) {}

  // Returns the number of the tasks that are alike to nodes.
  int64_t KindOf(TaskIndex task);
  // Returns whether the node itself refuses the task, and sets code and detail of `refusal`.
  bool Refuses(NodeIndex node, int64_t kind, Refusal* refusal) const;
  bool Admits(const Slot& slot, int64_t kind) const override;
  void SetSlots(const std::vector<SlotRow>* slots) { slots_ = slots; }

 private:
  const Tables& tables_;
  const std::vector<SlotRow>* slots_ = nullptr;
  std::vector<std::pair<ClassIndex, bool>> kinds_;  // class; whether it preempts nothing
  HashMap<uint64_t, int64_t> kind_of_;
};

class PoolReader {
 public:
  // All must outlive this.
  PoolReader(const Tables& tables, const Ledger& ledger, const PoolSettings& settings, int64_t now,
             AdNames* names);

  NodeGate& gate() { return gate_; }
  // `waiting`: tasks that negotiate, ascending.
  Pool ReadPool(const std::vector<TaskIndex>& waiting);
  const SlotRow& slot(uint32_t row) const { return slots_[row]; }
  const std::string& SubmitterOf(TaskIndex task);

 private:
  // A resource as both ads have it.
  struct Asset {
    DimensionIndex dimension;
    double unit;  // of the tables, in one unit of the ads
    AdName has, requests;
    std::string word;
  };
  struct SharedJob {
    std::shared_ptr<const ClassAd> ad;
    int64_t kind = 0, auto_cluster = -1;
  };
  // Job, class, priority, whether it preempts nothing.
  using SharedKey = std::tuple<uint32_t, uint32_t, int32_t, bool>;
  // Names that only this file sets.
  struct Names {
    explicit Names(AdNames* names);
    AdName name, machine, slot_id, start, within, dynamic, remote_owner, job_runtime, owner, user,
        group, priority, queued;
  };
  void FindAssets();
  void MakeTemplate();
  void ReadNode(NodeIndex n, std::vector<Slot>* slots);
  ClassAd NodeAd(NodeIndex n);
  void AddClaim(NodeIndex n, TaskIndex t, bool is_overfull, const ClassAd& node_ad,
                std::vector<Slot>* slots);
  int64_t FreeOf(NodeIndex n, DimensionIndex d) const;
  static AdValue AmountOf(int64_t amount, double unit);
  int64_t RequestOf(ClassIndex c, DimensionIndex d) const;
  ClassAd MakeJobAd(TaskIndex t);
  SharedJob& JobOf(TaskIndex t);
  int64_t AutoClusterOf(const ClassAd& ad, int64_t kind);
  void AddJobs(const std::vector<TaskIndex>& waiting, Pool* pool);
  AdName LabelName(const std::string& key);
  void CountFor(TaskIndex t, double weight, bool runs, Pool* pool);

  const Tables& tables_;
  const Ledger& ledger_;
  const PoolSettings& settings_;
  const int64_t now_;
  const bool uses_time_;  // some expression has time()
  AdNames& all_;
  const PoolNames known_;
  const Names own_;
  NodeGate gate_;
  std::vector<Asset> assets_;
  ClassAd template_;  // what slots of nodes without settings have
  AdNameSet named_;   // by expressions of slots and rules
  std::vector<std::vector<TaskIndex>> on_node_;
  std::vector<SlotRow> slots_;
  HashMap<SharedKey, SharedJob> shared_;
  HashMap<std::string, int64_t> auto_clusters_;  // by significant attributes
  HashMap<uint32_t, std::string> submitters_;    // by job
  HashMap<std::string, size_t> place_of_;        // of submitters in the pool
  HashMap<std::string, AdName> labels_;
};

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_READ_WORLD_H_
