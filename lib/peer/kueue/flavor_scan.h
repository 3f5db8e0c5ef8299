// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Searches a flavor for each resource of a workload, in the order of its ClusterQueue.
//
//   FlavorScan scan(world, queue, workload, &oracle);
//   Assignment assignment = scan.Assign();
//   if (assignment.mode() == Mode::kFit) ...
//
// - Resources that one group of the queue covers get one flavor. Pod sets of one named group do,
//   too: their requests are added up. One of them that requests nothing, as a leader may, gets the
//   flavors of the others that have topologies: it needs a place with them.
// - Resources are looked at in the order of ResourceHash. The first of a group starts the scan. If
//   two groups cover a resource, the later choice replaces the earlier one.
// - A flavor counts by its worst resource. The scan stops at a flavor that is good enough for the
//   queue's rules (FlavorSearch), and else takes the best of all, the first of equals.
// - The scan starts behind the flavor that the last attempt looked at last (ScanProgress).
//
// Quirk that is kept: under "preemption over borrowing" the worst of (preempt, 0) and (fit, 1) is
// (fit, 1). The flavor then counts as fitting although a resource needs preemption.
//
// Cost. O(flavors x resources x depth), and one question to the oracle for each resource that fits
// by preemption only.
#ifndef MUSTER_PEER_KUEUE_FLAVOR_SCAN_H_
#define MUSTER_PEER_KUEUE_FLAVOR_SCAN_H_

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/kueue/assignment.h"

namespace muster::kueue {

// Answers whether evictions make room for an amount of one cell.
class Oracle {
 public:
  virtual ~Oracle() = default;
  // Returns kNoCandidates, kPreempt or kReclaim, and the borrowing height after the evictions.
  virtual Grade Ask(Cell cell, Amount amount) = 0;
};

// Whether a pod set may use a flavor by its topology; Lack::kNone: it may.
class TopologyMatch {
 public:
  virtual ~TopologyMatch() = default;
  virtual std::optional<std::string> Refuses(uint32_t pod_set, FlavorIndex flavor,
                                             const FlavorGroup& group) = 0;
};

// Flavors that a pod set may get, by resource.
using Pins = std::vector<std::vector<std::pair<ResourceIndex, FlavorIndex>>>;

class FlavorScan {
 public:
  // Everything stays the caller's.
  FlavorScan(World& world, Queue queue, const WorkloadRow& workload, Oracle* oracle)
      : world_(world), queue_(queue), workload_(workload), oracle_(oracle) {}

  void set_topology(TopologyMatch* match) { topology_ = match; }
  void set_pins(const Pins* pins) { pins_ = pins; }
  // Flavors to which the workload is restricted; null: all.
  void set_allowed(const std::vector<FlavorIndex>* allowed) { allowed_ = allowed; }
  // The workload replaces one that gives back this much, by pod set, in these flavors.
  void set_replaced(const std::vector<Granted>* replaced) { replaced_ = replaced; }
  // The workload was admitted before: its flavors stay.
  void set_kept(const std::vector<Granted>* kept) { kept_ = kept; }

  // `counts`: of pods, by pod set; null: all.
  Assignment Assign(const std::vector<int64_t>* counts = nullptr);

 private:
  using Members = std::vector<uint32_t>;  // pod sets that are looked at together
  struct Found {
    bool error = false;
    std::vector<FlavorChoice> choices;
    std::vector<Obstacle> obstacles;
    std::vector<RefusedFlavor> refused;
    bool tried_some = false;
  };

  std::vector<Members> Groups() const;
  PodSetAssignment Opened(uint32_t pod_set, const std::vector<int64_t>* counts) const;
  // Returns whether the scan goes on with the next group.
  bool AssignGroup(const Members& members, const std::vector<int64_t>* counts, Assignment* out);
  void TakeFlavors(const std::vector<FlavorChoice>& chosen, PodSetAssignment* p,
                   Assignment* out) const;
  Found Search(const Members& members, const Requests& requests, ResourceIndex first,
               const Assignment& so_far);
  // Looks at the flavors of the group, and returns how well the best one holds the requests.
  Grade Scan(const FlavorGroup& group, const Requests& requests, ResourceIndex first,
             const Assignment& so_far, Found* found);
  // Whether the flavor is one of those to look at.
  bool IsOffered(const Members& members, FlavorIndex flavor, ResourceIndex first,
                 Obstacle* why) const;
  bool MayUse(const Members& members, FlavorIndex flavor, ResourceIndex first, Obstacle* why);
  Grade Judge(const FlavorGroup& group, size_t flavor, const Requests& requests,
              const Assignment& so_far, std::vector<FlavorChoice>* choices, Found* found,
              Lack* lack);
  Grade GradeOf(Cell cell, Amount amount, Obstacle* obstacle);
  bool GoesOn(const Grade& grade) const;
  bool MayPreemptWhileBorrowing() const;
  Amount Wanted(const Members& members, FlavorIndex flavor, const ResourceAmount& request,
                bool* other_flavor) const;

  World& world_;
  const Queue queue_;
  const WorkloadRow& workload_;
  Oracle* oracle_;
  TopologyMatch* topology_ = nullptr;
  const Pins* pins_ = nullptr;
  const std::vector<FlavorIndex>* allowed_ = nullptr;
  const std::vector<Granted>* replaced_ = nullptr;
  const std::vector<Granted>* kept_ = nullptr;
  const Members* members_ = nullptr;
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_FLAVOR_SCAN_H_
