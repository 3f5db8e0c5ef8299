// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The plug-ins of the profile, together: each step of a cycle asks those that are on, in the order
// of scheduler_plugins.h.
//
//   Plugins plugins(settings, &context.ledger);
//   kube::RunCycles(context, kube_settings, &plugins);
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_PLUGINS_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_PLUGINS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/peer/kube_scheduler/extra_plugins.h"
#include "lib/peer/scheduler_plugins/gangs.h"
#include "lib/peer/scheduler_plugins/node_plugins.h"
#include "lib/peer/scheduler_plugins/plugin_settings.h"
#include "lib/peer/scheduler_plugins/quotas.h"

namespace muster::scheduler_plugins {

class Plugins : public kube::ExtraPlugins {
 public:
  // Both must outlive this.
  Plugins(const PluginSettings& settings, const Ledger* ledger)
      : settings_(settings),
        ledger_(*ledger),
        gangs_(settings),
        quotas_(settings.quotas_follow),
        nodes_(settings.nodes) {}

  std::string_view NameOf(kube::Plugin plugin) const override;
  void Open(kube::World* world, const kube::Nominations* nominations, MemorySlots* memory,
            int64_t now) override;
  void Store(MemorySlots* memory) override { gangs_.Store(memory); }

  kube::QueueRank RankOf(TaskIndex task) override;
  std::vector<TaskIndex> Reranked() override { return gangs_.Reranked(); }
  bool Wakes(TaskIndex task, kube::PluginSet rejectors, const kube::Happening& happening) override;

  kube::Status PreFilter(TaskIndex task) override;
  bool LooksAtNodes(TaskIndex task) override;
  kube::Status Filter(TaskIndex task, NodeIndex node, const kube::NodeBooks& books) override;
  std::vector<kube::ExtraScore> Score(TaskIndex task, std::span<const NodeIndex> feasible) override;

  void Reserve(TaskIndex task, NodeIndex node) override;
  kube::Permission Permit(TaskIndex task) override;
  kube::Rejection Unreserve(TaskIndex task) override;
  kube::Rejection NothingFits(const kube::PodCycle& cycle, bool preempts) override;

  bool IsExempt(TaskIndex victim, TaskIndex preemptor) override;
  bool ReplacesPreemption() const override {
    return settings_.capacity || !settings_.exemptions.empty();
  }
  bool SelectsVictims() const override { return settings_.capacity; }
  std::string WhyIneligible(const kube::PodCycle& cycle) override;
  kube::Status SelectVictims(kube::PodCycle& cycle, NodeIndex node,
                             kube::Candidate* candidate) override;

 private:
  const PluginSettings& settings_;
  const Ledger& ledger_;
  int64_t now_ = 0;
  Gangs gangs_;
  Quotas quotas_;
  NodePlugins nodes_;
  kube::World* world_ = nullptr;
};

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_PLUGINS_H_
