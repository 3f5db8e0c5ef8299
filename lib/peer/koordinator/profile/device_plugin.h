// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Device share within the cycles of the profile: GPUs, RDMA cards and FPGAs of nodes.
//
//   DevicePlugin devices(settings);
//   devices.Open(&world, &reservations, &numa);
//   kube::Status status = devices.Filter(task, node);
//   devices.Reserve(task, node);
//   std::vector<ChosenDevice> chosen = devices.Chosen(task);
//
// The rules are those of device/device_allocator.h. The devices of a node are those that it lists
// as kinds gpu, rdma and fpga, numbered within their kind. A link is a PCIe switch; GPUs of models
// H100, H800 and H20, eight to a node, have the partitions of such machines. What tasks of the node
// hold of them (TaskSpec::devices) is in use.
//
// A task requests devices in its shape, each kind once: whole ones, or thousandths of one or, for
// GPUs, of several. `same` is the scope within which GPUs are searched. Models, exclusive use, and
// the memory of whole GPUs restrict which devices may be taken; of a part of a GPU, the memory is
// requested beside the part. A task with none in its shape requests what its resources name
// (device/device_request.h), wherever some node lists devices.
//
// Labels of tasks that stand for an annotation of pods: `koordinator/joint-devices` lists kinds,
// with commas between them. The others come from near the first. With `koordinator/joint-scope`
// `SamePCIe` they come from the very switches of the first, and at least one from each.
// `koordinator/gpu-scope` (Node, NUMANode, PCIe, Device) is that of `same`, `gpu-partition`
// (BestEffort, Restricted) has GPUs come as a partition, Restricted as one of the best score, and
// `gpu-bandwidth` is what its ring must have, in bytes. Of RDMA cards and FPGAs `rdma-strategy` and
// `fpga-strategy` (ApplyForAll, RequestsAsCount) tell what a number means, and `rdma-exclusive`
// (DeviceLevel) that each of those that are counted is whole. Other words mean nothing.
// `gpu-selector`, `rdma-selector` and `fpga-selector` choose devices by labels, which setting
// koordinator/device_labels of their node has (device_selectors.h).
// On nodes with label node.koordinator.sh/gpu-partition-policy `Honor` GPUs come as partitions.
//
// Reservations. The devices that a reservation keeps (reserved_parts.h) are for tasks that it
// matches: these take them first, under policy kRestricted no others, and no other task gets them
// (device/device_loans.h). A task of exclusive devices counts what its reservations keep as free.
//
// A node without devices of the kind is out of the question for good. Victims give back what they
// hold. A pod that waits since an earlier plan has its devices chosen anew, as it holds none yet;
// if its node has them no more, it is rejected.
//
// Zones. A device is near the zone that it names, if it is on a switch. Where a policy of zones
// holds on a node with CPUs or zones, devices come from the zones of CPUs and amounts; option
// `device_zones` switches that off.
//
// Cost. O(devices) a node and pod that requests some, 2^zones times that under a policy of zones.
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_DEVICE_PLUGIN_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_DEVICE_PLUGIN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/hash_map.h"
#include "lib/peer/koordinator/device/device_allocator.h"
#include "lib/peer/koordinator/device/device_loans.h"
#include "lib/peer/koordinator/profile/numa_plugin.h"
#include "lib/peer/koordinator/profile/plugin_settings.h"
#include "lib/peer/koordinator/profile/reservation_plugin.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"

namespace muster::koordinator {

// Fails for a node with more devices of a kind than can be told apart, or with labels of devices
// that cannot be read.
absl::Status CheckDeviceNodes(const Tables& tables);

class DevicePlugin : public LoanFilter, public ZoneHints {
 public:
  // `settings` must outlive this.
  explicit DevicePlugin(const DeviceSettings& settings) : settings_(settings) {}

  // `reservations` and `numa` must outlive this.
  void Open(kube::World* world, ReservationPlugin* reservations, const NumaPlugin* numa);
  // Returns whether some node has devices.
  bool any() const { return any_; }
  bool Requests(TaskIndex t) override { return any_ && ClaimOf(t).requests; }
  ZoneHints::Answer HintsOn(TaskIndex t, NodeIndex n) override;

  kube::Status Filter(TaskIndex t, NodeIndex n);
  bool FitsLoan(TaskIndex t, NodeIndex n, const std::string& reservation) override;
  // Returns scores from 0 to 100.
  std::vector<int64_t> Score(TaskIndex t, std::span<const NodeIndex> feasible);

  // Returns whether a pod that waits with its node finds the devices there no more.
  bool HasLostPlace(TaskIndex t) { return Requests(t) && !holders_.contains(t); }
  void Reserve(TaskIndex t, NodeIndex n);
  // Returns why the last Reserve of the task gave it nothing; empty: it did, or needed nothing.
  std::string WhyNotReserved(TaskIndex t) const;
  void Unreserve(TaskIndex t);
  // A victim leaves its node in a dry run (-1), or comes back (+1).
  void CountVictim(TaskIndex t, int sign);
  // Returns what the task was given in this plan.
  std::vector<ChosenDevice> Chosen(TaskIndex t) const;

 private:
  struct Machine {
    MachineDevices devices = {};
    std::array<std::vector<uint32_t>, kDeviceKinds> numbers = {};  // in the node's list, by minor
    DeviceVictims victims = {};                                    // of a dry run
    DeviceHoldings reserved = {};                                  // by reservations, of them
  };
  struct Claim {
    bool requests = false;
    std::string flaw = {};    // why no node can serve it; empty: none
    bool needs_hami = false;  // its part of a GPU is isolated by HAMi
    DeviceClaim devices = {};
    // Rules that choose devices, by kind; null: any device will do.
    std::array<const DeviceRequest*, kDeviceKinds> only = {};
  };
  struct Holding {
    NodeIndex node = kNone;
    DeviceGrants grants = {};
  };

  void AddMachine(NodeIndex n);
  void AddHolder(TaskIndex t);
  void AddReservation(const KeptReservation& kept);
  DeviceGrants GrantsOf(const std::vector<DeviceHold>& holds, NodeIndex n) const;
  const Claim& ClaimOf(TaskIndex t);
  void ReadShape(const TaskShape& shape, Claim* claim) const;
  static void ReadHints(const Labels& labels, DeviceClaim* claim);
  static void ReadSelectors(const Labels& labels, Claim* claim);
  static void AddLabels(const NodeSpec& node, Machine* machine);
  static void ReadJoint(const TaskShape& shape, DeviceClaim* claim);
  // Returns the zones of the node that devices may come from; nothing: any.
  std::optional<uint64_t> ZonesOn(NodeIndex n) const;
  // Returns what the node lends to the task that reservations were last matched with.
  DeviceLoans LoansOn(NodeIndex n, const Machine& machine) const;
  // Returns which devices the rules of the claim leave, by kind; nothing: there are no rules.
  std::optional<DeviceShares> AllowedBy(const Claim& claim, NodeIndex n, const Machine& machine,
                                        const DeviceLoans& loans) const;

  const DeviceSettings& settings_;
  kube::World* world_ = nullptr;
  ReservationPlugin* reservations_ = nullptr;
  const NumaPlugin* numa_ = nullptr;
  const Tables* tables_ = nullptr;
  bool any_ = false;
  HashMap<NodeIndex, Machine> machines_;
  HashMap<ClassIndex, Claim> claims_;
  HashMap<TaskIndex, Holding> holders_;
  HashMap<TaskIndex, std::string> refused_;  // when they were reserved
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_DEVICE_PLUGIN_H_
