// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The plug-ins of the profile, together: each step of a cycle asks those that are on, in the order
// of koordinator.h.
//
//   Plugins plugins(settings, &context.ledger);
//   kube::RunCycles(context, kube_settings, &plugins);
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_PLUGINS_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_PLUGINS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/peer/koordinator/profile/device_plugin.h"
#include "lib/peer/koordinator/profile/gang_plugin.h"
#include "lib/peer/koordinator/profile/kind_scores.h"
#include "lib/peer/koordinator/profile/numa_plugin.h"
#include "lib/peer/koordinator/profile/plugin_settings.h"
#include "lib/peer/koordinator/profile/quota_plugin.h"
#include "lib/peer/koordinator/profile/reservation_plugin.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"

namespace muster::koordinator {

class Plugins : public kube::ExtraPlugins {
 public:
  // Both must outlive this.
  Plugins(const PluginSettings& settings, const Ledger* ledger)
      : settings_(settings),
        ledger_(*ledger),
        gangs_(settings),
        quotas_(settings.quotas),
        loads_(settings.loads),
        reservations_(settings.take_over),
        kinds_(settings.kinds),
        devices_(settings.device),
        numa_(settings.zones) {}

  std::string_view NameOf(kube::Plugin plugin) const override;
  void Open(kube::World* world, const kube::Nominations* nominations, MemorySlots* memory,
            int64_t now) override;
  void Store(MemorySlots* memory) override;

  kube::QueueRank RankOf(TaskIndex) override { return {}; }
  std::vector<TaskIndex> Reranked() override { return {}; }
  kube::Plugin GateOf(TaskIndex task) override;
  std::string WhyGated(TaskIndex task) override { return gangs_.WhyGated(task); }
  kube::PodTurn NextOfTurn() override;
  std::vector<TaskIndex> Revoked() override {
    return settings_.quota ? quotas_.Revoked() : std::vector<TaskIndex>();
  }
  bool WakesAll() override { return reservations_.have_changed() || numa_.has_changed(); }
  bool Wakes(TaskIndex task, kube::PluginSet rejectors, const kube::Happening& happening) override;

  kube::Status PreFilter(TaskIndex task) override;
  bool LooksAtNodes(TaskIndex task) override {
    return (settings_.load && loads_.any()) || reservations_.filters() || kinds_.has_strategies() ||
           kinds_.has_scarce() || devices_.Requests(task) || numa_.any();
  }
  bool SeesOtherBooks(TaskIndex, NodeIndex node) override {
    return reservations_.any() && reservations_.ChangesBooks(node);
  }
  void ChangeBooks(TaskIndex, NodeIndex node, kube::NodeBooks* books) override {
    reservations_.ChangeBooks(node, books);
  }
  kube::Status Filter(TaskIndex task, NodeIndex node, const kube::NodeBooks& books) override;
  std::vector<kube::ExtraScore> Score(TaskIndex task, std::span<const NodeIndex> feasible) override;

  void Reserve(TaskIndex task, NodeIndex node) override;
  kube::Permission Permit(TaskIndex task) override;
  bool HasLostPlace(TaskIndex task) override {
    return devices_.HasLostPlace(task) || numa_.HasLostPlace(task);
  }
  std::vector<ChosenDevice> DevicesOf(TaskIndex task) override;
  kube::Rejection Unreserve(TaskIndex task) override;
  kube::Rejection NothingFits(const kube::PodCycle& cycle, bool preempts) override;

  bool IsExempt(TaskIndex victim, TaskIndex preemptor) override {
    return reservations_.IsStandIn(victim) || reservations_.IsStandIn(preemptor);
  }
  void CountVictim(TaskIndex victim, int sign) override {
    if (reservations_.any()) reservations_.CountVictim(victim, sign);
    if (devices_.any()) devices_.CountVictim(victim, sign);
    if (numa_.any()) numa_.CountVictim(victim, sign);
  }
  bool PreemptsJointly(TaskIndex task) override {
    return settings_.coscheduling && settings_.gangs_preempt && gangs_.IsOfGang(task);
  }
  kube::JointPreemption PreemptJointly(kube::PodCycle& cycle, kube::Nominations* nominations,
                                       bool never) override {
    return gangs_.Preempt(cycle, nominations, never);
  }
  bool ReplacesPreemption() const override { return settings_.quota; }
  bool SelectsVictims() const override { return settings_.quota; }
  std::string WhyIneligible(const kube::PodCycle& cycle) override {
    if (reservations_.IsStandIn(cycle.task())) return "a reservation evicts nothing.";
    return quotas_.WhyIneligible(cycle);
  }
  kube::Status SelectVictims(kube::PodCycle& cycle, NodeIndex node,
                             kube::Candidate* candidate) override {
    return quotas_.SelectVictims(cycle, node, candidate);
  }

 private:
  bool IsOfDaemon(TaskIndex task) const;
  kube::Status RefuseUnreadable(TaskIndex task) const;
  const LoadBooks::Taker& TakerOf(TaskIndex task);
  kube::Status FilterByLoad(TaskIndex task, NodeIndex node);

  const PluginSettings& settings_;
  const Ledger& ledger_;
  GangPlugin gangs_;
  QuotaPlugin quotas_;
  LoadBooks loads_;
  TaskIndex load_task_ = kNone;  // of load_taker_
  LoadBooks::Taker load_taker_;
  ReservationPlugin reservations_;
  KindScores kinds_;
  DevicePlugin devices_;
  NumaPlugin numa_;
  kube::World* world_ = nullptr;
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_PLUGINS_H_
