// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a Kueue cycle reads: flavors, ClusterQueues, cohorts and workloads as dense rows.
//
//   World world;
//   world.SetFlavor({.name = "spot"});
//   world.SetQueue(spec);                  // of muster/spec.h: its rules are those of Kueue
//   uint32_t w = world.AddWorkload(job, {});
//   world.Settle();                        // the quota tree now follows all that was set
//
// A queue below which other queues are is a cohort; one without is a ClusterQueue. That a cohort
// may be empty changes nothing: it then lends its quota as a ClusterQueue without workloads does.
//
// Rows keep their numbers. Names are looked up when rows are set, never in a cycle.
#ifndef MUSTER_PEER_KUEUE_WORLD_H_
#define MUSTER_PEER_KUEUE_WORLD_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/kueue/gates.h"
#include "lib/peer/kueue/quota_tree.h"
#include "lib/peer/kueue/readiness.h"
#include "lib/peer/kueue/topology.h"
#include "muster/spec.h"

namespace muster::kueue {

using ResourceIndex = uint32_t;
using FlavorIndex = uint32_t;
using Queue = uint32_t;  // a ClusterQueue or a cohort; its node in the tree, too
using WorkloadIndex = uint32_t;

struct ResourceAmount {
  ResourceIndex resource;
  int64_t amount;
  friend bool operator==(const ResourceAmount&, const ResourceAmount&) = default;
};
// In the order of ResourceHash, then of names.
using Requests = std::vector<ResourceAmount>;

// Which workloads may be evicted. kUnset is the empty word of objects that did not pass the API
// server: it is not "never", but no workload satisfies it.
enum class Policy : uint8_t { kUnset, kNever, kLowerPriority, kLowerOrNewerEqual, kAny };

struct FlavorGroup {
  std::vector<ResourceIndex> resources;
  std::vector<FlavorIndex> flavors;
  std::vector<Cell> cells;  // by flavor, then by resource
  Cell cell(size_t flavor, size_t resource) const {
    return cells[flavor * resources.size() + resource];
  }
};

struct QueueRow {
  std::string name;
  bool alive = false;
  std::string parent;
  std::vector<FlavorGroup> groups;
  std::vector<std::pair<Cell, Quota>> quotas;
  Policy within = Policy::kNever, reclaim = Policy::kNever;
  std::optional<Policy> while_borrowing;  // absent: no such block
  std::optional<int64_t> while_borrowing_most;
  FlavorSearch when_borrowing = FlavorSearch::kMayStop;
  FlavorSearch when_preempting = FlavorSearch::kTryNext;
  bool prefers_preemption = false;
  bool strict = false;
  bool stopped = false;                 // it admits nothing
  StopPolicy stop = StopPolicy::kNone;  // what that means for workloads that hold quota
  bool by_usage = false;                // its workloads go by the usage of their LocalQueues
  double weight = 1;
  std::vector<AdmissionCheck> checks;
  std::vector<QueueCheck::Kind> check_kinds;  // of `checks`; where it ends earlier: others
  std::optional<Selector> namespaces;         // absent: all
  bool no_namespace = false;
  // Checks that postpone the search for places, by flavor (kNothing: all), and whether they do so
  // even after they have passed.
  std::vector<std::pair<FlavorIndex, bool>> delays;
  FlavorIndex last_acceptable = kNothing;  // variants do not migrate to flavors behind it
  // Follow from the others when the world settles.
  bool is_cohort = false;
  bool active = true;
  // In Kueue's words; empty: it is active or stopped, or only a cycle of cohorts keeps it back.
  std::string why_inactive;
  uint64_t generation = 0;
  std::vector<WorkloadIndex> holders;  // workloads that hold its quota; see World::Precedes
  uint64_t holders_stamp = 0;          // a new number whenever `holders` changed
};

struct FlavorRow {
  std::string name;
  bool exists = false;
  FlavorSpec spec;
};

struct PodSet {
  std::string name;
  int64_t count = 0;  // without pods that are reclaimed
  int64_t spec_count = 0;
  std::optional<int64_t> min_count;
  Requests requests;   // of all `count` together
  uint32_t shape = 0;  // into World::shapes
  Requests pod;        // of one pod, as its containers request
  std::optional<TopologyRequest> topology;
  std::string group;     // pod sets of one name get one flavor; empty: alone
  std::string together;  // of those, pod sets of one name are placed together; empty: alone
};

// What one pod set was admitted with.
struct Granted {
  int64_t count = 0;
  std::vector<std::pair<ResourceIndex, FlavorIndex>> flavors;
  Requests requests;  // of all `count`
  std::optional<NamedPlaces> places;
  bool delayed = false;  // places are found once the checks have passed
};

// How far the search for a flavor got, for the next attempt: by pod set.
struct ScanProgress {
  std::vector<std::vector<std::pair<ResourceIndex, int32_t>>> tried;
  uint64_t generation = 0;
  int64_t cycle = 0;
  uint32_t hash = kNothing;
  bool Pending() const;  // some flavors were not looked at
  // Returns whether a workload of this hash may go on from here. Without hashes all are alike.
  bool IsOf(uint32_t other) const { return hash == kNothing || other == kNothing || hash == other; }
};

struct WorkloadRow {
  std::string name;  // "namespace/name"
  bool alive = false;
  Queue queue = kNothing;
  uint32_t local_queue = 0;
  int64_t priority = 0;
  int64_t created = 0;
  int64_t queue_time = 0;  // it waits since then; not always its creation
  int64_t uid_rank = 0;
  std::vector<PodSet> pod_sets;
  uint32_t hash = kNothing;         // equal: equal in all that decides about admission
  uint64_t generation = 1;          // of its spec
  std::optional<int64_t> retry_at;  // it stays out of the heap until then
  bool may_retry = true;
  bool retry_checks = false;  // a check of it has to be passed again, or was failed
  std::vector<std::pair<std::string, bool>> checks;  // those with a state; whether it is Ready
  bool inactive = false;                             // it may have no quota
  StopPolicy local_stop = StopPolicy::kNone;         // of its LocalQueue
  Labels space_labels;                               // of its namespace
  std::string refused;                               // not empty: why no cycle looks at it
  std::vector<FlavorIndex> allowed;                  // with `restricted`: no other flavor will do
  bool restricted = false;
  uint32_t family = 0;                // variants of one workload have one number; 0: none
  bool gated = false;                 // it may not evict others yet
  WorkloadIndex replaces = kNothing;  // it grows out of this one, which ends then
  bool elastic = false;               // its job may grow
  bool single_pod = false;            // one pod owns it
  std::string unhealthy;              // a node of its places that failed; empty: none
  // With quota:
  bool holds = false;
  bool reserved = true;      // the reservation is marked as true
  bool evicted = false;      // it gives the quota back soon
  bool evicting = false;     // its eviction was decided before, and is not repeated
  bool open_checks = false;  // its quota is reserved, and it is not admitted
  int64_t reserved_at = 0;
  std::vector<Granted> granted;
  CellAmounts usage;
  // What Kueue remembers while it waits.
  std::optional<ScanProgress> progress;
  bool away = false;  // for the moment, in a simulation
};

// What a workload is beyond its job.
struct WorkloadFacts {
  std::string local_queue = {};
  std::optional<int64_t> queue_time = {};
  bool evicted = false;
  bool evicting = false;
  bool reserved = true;
  std::vector<int64_t> reclaimed = {};  // by group: pods that are done
  std::vector<std::string> pod_set_groups = {};
  std::vector<std::string> together = {};  // by group; where it ends earlier: as pod_set_groups
  // By group: what the admission recorded. Empty: count x request.
  std::vector<std::vector<std::pair<std::string, int64_t>>> usage = {};
  std::string hash_extra = {};
  // By group: what one pod counts for; absent: what its containers request.
  std::vector<std::optional<std::vector<std::pair<std::string, int64_t>>>> requests = {};
  std::vector<std::optional<TopologyRequest>> topology = {};
  std::vector<std::optional<NamedPlaces>> places = {};
  std::vector<bool> delayed = {};
  Labels space_labels = {};
  std::string refused = {};
  std::optional<std::vector<std::string>> allowed = {};
  std::string family = {};
  bool gated = false;
  std::string replaces = {};
  bool elastic = false;
  bool single_pod = false;
  std::string unhealthy = {};
  std::optional<int64_t> retry_at = {};
  bool may_retry = true;
  bool retry_checks = false;
  std::vector<std::pair<std::string, bool>> checks = {};  // as WorkloadRow::checks
  std::optional<bool> complete = {};  // whether it is admitted; absent: if no check is open
  bool inactive = false;
  StopPolicy local_stop = StopPolicy::kNone;
  uint64_t generation = 1;
};

class World {
 public:
  Config config;
  int64_t now = 0;

  std::vector<QueueRow> queues;
  std::vector<FlavorRow> flavors;
  std::vector<std::string> resources;
  std::vector<WorkloadRow> workloads;
  std::vector<TaskShape> shapes;          // without requests; 0 has no constraint
  std::vector<std::string> local_queues;  // 0: none
  QuotaTree tree;
  uint64_t structure = 0;  // grows when the tree is made anew

  ResourceIndex Resource(std::string_view name);
  FlavorIndex Flavor(std::string_view name);
  Queue FindQueue(std::string_view name) const;  // kNothing: none
  WorkloadIndex FindWorkload(std::string_view name) const;
  uint32_t LocalQueue(std::string_view name);

  void SetFlavor(const FlavorSpec& spec);
  void RemoveFlavor(std::string_view name);
  Queue SetQueue(const QueueSpec& spec);
  void RemoveQueue(std::string_view name);
  // Adds the workload or replaces the one of its name. What it holds counts at once. While it keeps
  // its hash, it goes on with the flavors that were not tried.
  WorkloadIndex SetWorkload(const JobSpec& job, const WorkloadFacts& facts);
  void RemoveWorkload(WorkloadIndex workload);

  // Makes the tree follow queues and flavors, if those changed.
  void Settle();

  // The workload holds quota from now on, or no longer.
  void Hold(WorkloadIndex workload, std::vector<Granted> granted, int64_t time);
  void Release(WorkloadIndex workload);

  // Returns the workload that ends when this one is admitted: it holds quota of the same queue and
  // is of the same namespace. kNothing: none.
  WorkloadIndex ReplacedBy(WorkloadIndex workload) const;

  // Returns whether a workload of the shape may use the flavor; else the reason in `why`.
  bool Eligible(uint32_t shape, FlavorIndex flavor, std::string* why) const;

  Cell CellOf(FlavorIndex flavor, ResourceIndex resource);
  FlavorIndex flavor_of(Cell cell) const { return cell_keys_[cell].first; }
  ResourceIndex resource_of(Cell cell) const { return cell_keys_[cell].second; }
  const FlavorGroup* GroupOf(Queue queue, ResourceIndex resource) const;
  bool HasParent(Queue queue) const { return tree.parent(queue) != kNothing; }
  void Sort(Requests* requests) const;
  // The order of victims within one queue, without admission fair sharing: evicted ones first, then
  // low priority, late reservation, uid.
  bool Precedes(WorkloadIndex a, WorkloadIndex b) const;
  // Adds what the workload uses, with its flavors.
  CellAmounts UsageOf(const std::vector<Granted>& granted);

 private:
  void Insert(WorkloadIndex workload);
  void Erase(WorkloadIndex workload);
  uint32_t ShapeOf(const TaskShape& shape);
  uint32_t HashOf(const WorkloadRow& w, const JobSpec& job, const std::string& extra);
  void ReadGrants(const JobSpec& job, const WorkloadFacts& facts, WorkloadRow* row);
  void AddPods(const GroupAdmission& admission, Granted* granted);
  void ReadRequests(const Resources& pod,
                    const std::vector<std::pair<std::string, int64_t>>* counted, PodSet* pod_set);
  void ReadFacts(const WorkloadFacts& facts, WorkloadRow* row);
  void ReadGroups(const QueueSpec& spec, QueueRow* row);

  HashMap<std::string, ResourceIndex> resource_names_;
  HashMap<std::string, FlavorIndex> flavor_names_;
  HashMap<std::string, Queue> queue_names_;
  HashMap<std::string, WorkloadIndex> workload_names_;
  HashMap<std::string, uint32_t> local_queue_names_, shape_texts_, hash_texts_, families_;
  std::vector<std::pair<FlavorIndex, ResourceIndex>> cell_keys_;
  HashMap<uint64_t, Cell> cells_;
  std::vector<std::pair<uint64_t, std::string>> resource_keys_;  // their order
  uint64_t stamp_ = 0;
  bool stale_ = true;
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_WORLD_H_
