// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/plugins.h"

namespace muster::scheduler_plugins {

std::string_view Plugins::NameOf(kube::Plugin plugin) const {
  return ExtraPluginName(
      static_cast<ExtraPlugin>(static_cast<int>(plugin) - static_cast<int>(kube::Plugin::kExtra)));
}

void Plugins::Open(kube::World* world, const kube::Nominations* nominations, MemorySlots* memory,
                   int64_t now) {
  world_ = world;
  if (settings_.capacity) quotas_.Open(world, nominations, now);
  now_ = now;
  gangs_.Open(world, memory, now);
  nodes_.Open(world, nominations, &ledger_, now);
}

kube::QueueRank Plugins::RankOf(TaskIndex task) {
  if (settings_.order == QueueOrder::kGroups) return gangs_.RankOf(task);
  if (settings_.order == QueueOrder::kTime) return {};
  return {static_cast<int64_t>(nodes_.ServiceOfTask(task)), ""};
}

// NetworkOverhead names no events, so that each of them wakes its pods.
bool Plugins::Wakes(TaskIndex, kube::PluginSet rejectors, const kube::Happening& happening) {
  return rejectors.has(NumberOf(ExtraPlugin::kNetwork)) ||
         (rejectors.has(NumberOf(ExtraPlugin::kCoscheduling)) && Gangs::Wakes(happening)) ||
         (rejectors.has(NumberOf(ExtraPlugin::kCapacity)) && Quotas::Wakes(happening)) ||
         (rejectors.has(NumberOf(ExtraPlugin::kZones)) &&
          (happening.kind == kube::Happened::kPodDeleted ||
           happening.kind == kube::Happened::kNodeAdded ||
           happening.kind == kube::Happened::kNodeAllocatable));
}

// A refusal that no preemption could change ends the step; others are found together.
kube::Status Plugins::PreFilter(TaskIndex task) {
  nodes_.PreFilter(task);
  kube::Status status;
  if (settings_.coscheduling) status = gangs_.PreFilter(task);
  if (settings_.capacity && status.code == kube::Code::kFits) status = quotas_.PreFilter(task);
  return status;
}

bool Plugins::LooksAtNodes(TaskIndex task) { return nodes_.LooksAtNodes(task); }

kube::Status Plugins::Filter(TaskIndex task, NodeIndex node, const kube::NodeBooks&) {
  return nodes_.Filter(task, node);
}

std::vector<kube::ExtraScore> Plugins::Score(TaskIndex task, std::span<const NodeIndex> feasible) {
  return nodes_.Score(task, feasible);
}

void Plugins::Reserve(TaskIndex task, NodeIndex) {
  if (settings_.capacity) quotas_.Reserve(task);
}

kube::Permission Plugins::Permit(TaskIndex task) {
  if (!settings_.coscheduling) return {};
  return gangs_.Permit(task);
}

kube::Rejection Plugins::Unreserve(TaskIndex task) {
  if (settings_.capacity) quotas_.Unreserve(task);
  if (!settings_.coscheduling) return {};
  return gangs_.Unreserve(task);
}

kube::Rejection Plugins::NothingFits(const kube::PodCycle& cycle, bool preempts) {
  if (!settings_.coscheduling || preempts) return {};
  return gangs_.NothingFits(cycle.task());
}

bool Plugins::IsExempt(TaskIndex victim, TaskIndex preemptor) {
  if (settings_.exemptions.empty()) return false;
  const Tables& tables = world_->tables();
  const std::string_view name = tables.strings.name(tables.tasks.priority_class[victim]);
  const auto it = settings_.exemptions.find(std::string(name));
  if (it == settings_.exemptions.end()) return false;
  const double ticks = static_cast<double>(settings_.ticks);
  std::optional<double> started;
  if (world_->started(victim) != kAbsent) {
    started = static_cast<double>(world_->started(victim)) / ticks;
  }
  const Preemptor by = {world_->priority(preemptor),
                        (tables.tasks.flags[preemptor] & kTaskNeverPreempts) != 0};
  return scheduler_plugins::IsExempt(it->second, by, started, static_cast<double>(now_) / ticks);
}

std::string Plugins::WhyIneligible(const kube::PodCycle& cycle) {
  return quotas_.WhyIneligible(cycle);
}

kube::Status Plugins::SelectVictims(kube::PodCycle& cycle, NodeIndex node,
                                    kube::Candidate* candidate) {
  return quotas_.SelectVictims(cycle, node, candidate);
}

}  // namespace muster::scheduler_plugins
