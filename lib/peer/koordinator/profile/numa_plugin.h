// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NodeNUMAResource within the cycles of the profile: CPUs and NUMA zones of nodes.
//
//   NumaPlugin numa(settings);
//   numa.SetHints(&devices);
//   numa.Open(&world, &reservations, &memory);
//   kube::Status status = numa.Filter(task, node, books);
//   numa.Reserve(task, node);
//   if (numa.WhyNotReserved(task).empty()) ... numa.Chosen(task) ...
//   numa.Store(&memory);
//
// The rules are those of numa/numa_rules.h and cpu/cpu_binding.h; numa_sites.h has how nodes and
// tasks are read. The plug-in is off where no node lists CPUs, or zones with amounts. Elsewhere it
// scores all pods on all nodes.
//
// A task of a strict class gets whole CPUs of its own; the plan lists them as devices of kind cpu.
// A policy of zones, of the node or the task, confines it to zones. A CPU that any task holds a
// part of (TaskSpec::devices) is in use.
//
// Reserving may fail where filtering did not: CPUs by a policy that is only preferred, and zones by
// best effort, are looked for there alone. The pod is then refused.
//
// Victims give back what they hold. A pod that waits since an earlier plan has CPUs and zones
// chosen anew, as it holds none yet; if its node has them no more, it is rejected.
//
// Reservations. The CPUs that a reservation keeps (reserved_parts.h) are for tasks that it matches:
// these take them first, under policy kRestricted no others, and no other task gets them
// (numa/numa_reuse.h). The same holds for what it keeps of zones. A reservation without either
// leaves its owners to the node. A task that finds no place in the reservation that it would take
// from is refused.
//
// Memory. Slot koordinator-zones: what tasks hold of the zones of their node, as no row of the
// cluster says that: the name of the node, then for each amount the number of the zone, the name of
// the resource, and the amount. Slot koordinator-machines: one row, the digest of all CPUs and
// zones. They have no events; if they differ, all pods that wait are tried again.
//
// Devices. Where a policy of zones holds, the zones from which devices can come (ZoneHints) are
// merged with those of CPUs and amounts, and devices then come from the merged ones.
//
// Cost. O(CPUs + zones) a node when a plan begins. A pod that is not confined costs O(1) a node;
// one with CPUs of its own, a choice of CPUs, and one for each reservation that matches; one with a
// policy of zones, 2^zones of them.
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_NUMA_PLUGIN_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_NUMA_PLUGIN_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/koordinator/numa/numa_rules.h"
#include "lib/peer/koordinator/profile/plugin_settings.h"
#include "lib/peer/koordinator/profile/reservation_plugin.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"

namespace muster::koordinator {

inline constexpr MemoryDecl kNumaSlots[] = {{"koordinator-zones", 1}, {"koordinator-machines", 1}};

// From which zones of a node a task can get what another plug-in gives.
class ZoneHints {
 public:
  struct Answer {
    // Names of what is requested, with hints; none of a node without zones.
    std::vector<std::pair<std::string, std::vector<ScoredHint>>> hints = {};
    std::string refusal = {};  // why no zones will do; empty: some do
  };
  virtual ~ZoneHints() = default;
  // Returns whether the task requests something of the plug-in.
  virtual bool Requests(TaskIndex t) = 0;
  virtual Answer HintsOn(TaskIndex t, NodeIndex n) = 0;
};

class NumaPlugin : public LoanFilter {
 public:
  // `settings` must outlive this.
  explicit NumaPlugin(const NumaSettings& settings) : settings_(settings) {}

  // Lets another plug-in take part in policies of zones; before Open. `others` must outlive this.
  void SetHints(ZoneHints* others) { others_ = others; }
  // `reservations` must outlive this.
  void Open(kube::World* world, ReservationPlugin* reservations, MemorySlots* memory);
  // Chooses CPUs and zones anew for a pod that waits since an earlier plan. Reservations were
  // matched with it.
  void ReserveWaiting(TaskIndex t);
  void Store(MemorySlots* memory) const;

  // Returns whether some node lists CPUs or zones.
  bool any() const { return !machines_.empty(); }
  // Returns whether the CPUs and zones differ from those of the last plan.
  bool has_changed() const { return has_changed_; }

  // A task begins its cycle.
  kube::Status PreFilter(TaskIndex t);
  // `books`: as the task sees them.
  kube::Status Filter(TaskIndex t, NodeIndex n, const kube::NodeBooks& books);
  // Returns the zones of the node that the policy of zones confines the task of the last PreFilter
  // to, as far as they were found; nothing: any.
  std::optional<uint64_t> ZonesOn(NodeIndex n) const;
  bool FitsLoan(TaskIndex t, NodeIndex n, const std::string& reservation) override;
  // Returns scores from 0 to 100.
  std::vector<int64_t> Score(TaskIndex t, std::span<const NodeIndex> feasible);

  // Returns whether a pod that waits with its node finds CPUs or zones there no more.
  bool HasLostPlace(TaskIndex t) const { return refused_.contains(t); }
  void Reserve(TaskIndex t, NodeIndex n);
  // Returns why the last Reserve of the task gave it nothing; empty: it did, or needed nothing.
  std::string WhyNotReserved(TaskIndex t) const;
  void Unreserve(TaskIndex t);
  // A victim leaves its node in a dry run (-1), or comes back (+1).
  void CountVictim(TaskIndex t, int sign);

  // Returns the CPUs that the task was given in this plan.
  std::vector<ChosenDevice> Chosen(TaskIndex t) const;
  // Returns the node on which the task holds CPUs or zones; kNone: it holds none.
  NodeIndex NodeOf(TaskIndex t) const;

 private:
  struct Machine {
    NumaSite site;
    NumaBooks books;
    std::vector<TaskIndex> victims;  // of a dry run
    bool is_plain = false;           // it confines no task
    bool lends = false;              // some reservation holds CPUs or zones
  };

  void AddMachines();
  void AddHolder(TaskIndex t, const MemorySlot& zones);
  void AddReservation(const KeptReservation& kept);
  std::string MachinesDigest() const;
  const NumaClaim& ClaimOf(TaskIndex t);
  NumaVictims VictimsOf(const Machine& machine) const;
  // Returns what the node lends to the task that reservations were last matched with.
  NumaLoans LoansOn(NodeIndex n) const;
  std::optional<ScoredHint> ZonesFound(NodeIndex n) const;
  bool IsIdle(TaskIndex t, const NumaClaim& claim) const;
  // Returns the hints of the others, if the site has one of the policies.
  ZoneHints::Answer OthersOn(TaskIndex t, NodeIndex n, std::initializer_list<NumaPolicy> policies);
  void SetRequested(const kube::NodeBooks& books, Machine* machine) const;
  kube::Status Refuse(const Machine& machine, const NumaClaim& claim, const NumaFilter& filter,
                      const ZoneHints::Answer& others);

  const NumaSettings& settings_;
  kube::World* world_ = nullptr;
  ReservationPlugin* reservations_ = nullptr;
  ZoneHints* others_ = nullptr;
  const Tables* tables_ = nullptr;
  bool has_changed_ = false;
  std::string digest_;                              // of the machines; empty: none
  std::vector<std::unique_ptr<Machine>> machines_;  // by node
  HashMap<uint64_t, NumaClaim> claims_;             // by class, and whether CPUs may be bound
  HashMap<TaskIndex, NodeIndex> holders_;
  HashMap<TaskIndex, std::string> refused_;  // when they were reserved
  HashMap<NodeIndex, ScoredHint> found_;     // zones for the task of the last PreFilter
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_NUMA_PLUGIN_H_
