// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/plugins.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/kube/selectors.h"

namespace muster::koordinator {

std::string_view Plugins::NameOf(kube::Plugin plugin) const {
  return ExtraPluginName(
      static_cast<ExtraPlugin>(static_cast<int>(plugin) - static_cast<int>(kube::Plugin::kExtra)));
}

void Plugins::Open(kube::World* world, const kube::Nominations* nominations, MemorySlots* memory,
                   int64_t now) {
  world_ = world;
  if (settings_.reservation) reservations_.Open(world, memory, now);
  if (settings_.coscheduling) gangs_.Open(world, memory, now);
  if (settings_.quota) quotas_.Open(world, nominations, memory, now);
  if (settings_.load) loads_.Open(world->tables(), ledger_, now);
  kinds_.Open(world);
  if (settings_.devices) devices_.Open(world, &reservations_, &numa_);
  if (settings_.numa) {
    if (devices_.any()) numa_.SetHints(&devices_);
    numa_.Open(world, &reservations_, memory);
  }
  if (!devices_.any() && !numa_.any()) return;
  for (const TaskIndex t : world->placed()) {
    if (world->tables().tasks.status[t] != TaskStatus::kWaiting) continue;
    reservations_.Match(t);
    if (numa_.any()) numa_.ReserveWaiting(t);
    if (devices_.any()) devices_.Reserve(t, world->node_of(t));
  }
}

void Plugins::Store(MemorySlots* memory) {
  if (settings_.coscheduling) gangs_.Store(memory);
  if (settings_.quota) quotas_.Store(memory);
  if (settings_.reservation) reservations_.Store(memory);
  if (settings_.numa) numa_.Store(memory);
}

kube::Plugin Plugins::GateOf(TaskIndex task) {
  return settings_.coscheduling && gangs_.IsGated(task) ? NumberOf(ExtraPlugin::kCoscheduling)
                                                        : kube::Plugin::kNone;
}

kube::PodTurn Plugins::NextOfTurn() {
  if (!settings_.coscheduling) return {};
  return gangs_.NextOfTurn();
}

bool Plugins::Wakes(TaskIndex task, kube::PluginSet rejectors, const kube::Happening& happening) {
  return (rejectors.has(NumberOf(ExtraPlugin::kCoscheduling)) && settings_.coscheduling &&
          gangs_.Wakes(task, happening)) ||
         (rejectors.has(NumberOf(ExtraPlugin::kElasticQuota)) && QuotaPlugin::Wakes(happening)) ||
         ((rejectors.has(NumberOf(ExtraPlugin::kLoadAware)) ||
           rejectors.has(NumberOf(ExtraPlugin::kReservation)) ||
           rejectors.has(NumberOf(ExtraPlugin::kDeviceShare)) ||
           rejectors.has(NumberOf(ExtraPlugin::kNumaResource))) &&
          (happening.kind == kube::Happened::kPodDeleted ||
           happening.kind == kube::Happened::kNodeAdded));
}

// A pod of which the wishes for CPUs are no JSON gets no node, whatever nodes list.
kube::Status Plugins::RefuseUnreadable(TaskIndex task) const {
  kube::Status status;
  const Labels& labels = world_->classes().shape(world_->class_of(task)).labels;
  if (FindLabel(labels, "koordinator/cpu-unreadable") == nullptr) return status;
  status.code = kube::Code::kUnresolvable;
  status.plugin = NumberOf(ExtraPlugin::kNumaResource);
  status.causes.push_back(
      kube::WordsCause(world_, "what the pod states about CPUs and zones cannot be read"));
  return status;
}

// A refusal that no preemption could change ends the step.
kube::Status Plugins::PreFilter(TaskIndex task) {
  kube::Status status;
  reservations_.Match(task);
  status = reservations_.PreFilter();
  if (settings_.coscheduling && status.code == kube::Code::kFits) status = gangs_.PreFilter(task);
  if (settings_.quota && status.code == kube::Code::kFits) status = quotas_.PreFilter(task);
  if (settings_.numa && status.code == kube::Code::kFits) status = RefuseUnreadable(task);
  if (numa_.any() && status.code == kube::Code::kFits) status = numa_.PreFilter(task);
  return status;
}

kube::Status Plugins::Filter(TaskIndex task, NodeIndex node, const kube::NodeBooks& books) {
  kube::Status status;
  if (settings_.load_filters && loads_.any()) status = FilterByLoad(task, node);
  if (status.code == kube::Code::kFits && numa_.any()) status = numa_.Filter(task, node, books);
  if (status.code == kube::Code::kFits && devices_.any()) status = devices_.Filter(task, node);
  if (reservations_.filters() && status.code == kube::Code::kFits) {
    status = reservations_.Filter(task, node, books);
  }
  return status;
}

// Returns whether a daemon owns the task, which then goes to its node under any load.
bool Plugins::IsOfDaemon(TaskIndex task) const {
  const Tables& tables = world_->tables();
  if (!tables.has_job(task)) return false;
  const Labels& settings = tables.jobs.spec[tables.tasks.job[task]].settings;
  const std::string* kind = FindLabel(settings, "koordinator/owner_kind");
  return kind != nullptr && *kind == "DaemonSet";
}

const LoadBooks::Taker& Plugins::TakerOf(TaskIndex task) {
  if (load_task_ != task) {
    load_task_ = task;
    load_taker_ = loads_.TakerOf(task);
  }
  return load_taker_;
}

kube::Status Plugins::FilterByLoad(TaskIndex task, NodeIndex node) {
  kube::Status status;
  if (IsOfDaemon(task)) return status;
  std::string_view words;
  switch (loads_.WhyNot(TakerOf(task), node)) {
    case LoadBooks::Why::kFits:
      return status;
    case LoadBooks::Why::kOld:
      words = "node(s) nodeMetric expired";
      break;
    case LoadBooks::Why::kCpu:
      words = "node(s) cpu usage exceed threshold";
      break;
    case LoadBooks::Why::kMemory:
      words = "node(s) memory usage exceed threshold";
      break;
    case LoadBooks::Why::kCpuStatistic:
      words = "node(s) cpu aggregated usage exceed threshold";
      break;
    case LoadBooks::Why::kMemoryStatistic:
      words = "node(s) memory aggregated usage exceed threshold";
      break;
  }
  status.code = kube::Code::kUnschedulable;
  status.plugin = NumberOf(ExtraPlugin::kLoadAware);
  status.causes.push_back(kube::WordsCause(world_, words));
  return status;
}

std::vector<kube::ExtraScore> Plugins::Score(TaskIndex task, std::span<const NodeIndex> feasible) {
  std::vector<kube::ExtraScore> scores;
  const auto add = [&](ExtraPlugin plugin, int64_t weight, std::vector<int64_t> raw) {
    kube::ExtraScore& score = scores.emplace_back();
    score.plugin = NumberOf(plugin);
    score.raw = std::move(raw);
    for (const int64_t one : score.raw) score.weighted.push_back(one * weight);
  };
  if (settings_.load && loads_.any() && settings_.load_weight != 0) {
    std::vector<int64_t> raw;
    for (const NodeIndex n : feasible) {
      raw.push_back(loads_.IsScored(n) ? loads_.ScoreOf(TakerOf(task), n) : 0);
    }
    add(ExtraPlugin::kLoadAware, settings_.load_weight, std::move(raw));
  }
  if (reservations_.scores()) {
    add(ExtraPlugin::kReservation, settings_.reservation_weight,
        reservations_.Score(task, feasible));
  }
  if (devices_.Requests(task)) {
    add(ExtraPlugin::kDeviceShare, settings_.device.weight, devices_.Score(task, feasible));
  }
  if (numa_.any() && settings_.zones.weight != 0) {
    add(ExtraPlugin::kNumaResource, settings_.zones.weight, numa_.Score(task, feasible));
  }
  if (kinds_.has_strategies()) {
    add(ExtraPlugin::kFitPlus, settings_.kinds.strategy_weight,
        kinds_.ByStrategies(task, feasible));
  }
  if (kinds_.has_scarce()) {
    add(ExtraPlugin::kScarce, settings_.kinds.scarce_weight, kinds_.WithoutScarce(task, feasible));
  }
  return scores;
}

void Plugins::Reserve(TaskIndex task, NodeIndex node) {
  if (settings_.quota) quotas_.Reserve(task);
  reservations_.Reserve(task, node);
  if (numa_.any()) numa_.Reserve(task, node);
  if (devices_.any()) devices_.Reserve(task, node);
  if (reservations_.IsStandIn(task) && (numa_.any() || devices_.any()) &&
      !DevicesOf(task).empty()) {
    reservations_.NoteDevices(task);
  }
}

std::vector<ChosenDevice> Plugins::DevicesOf(TaskIndex task) {
  std::vector<ChosenDevice> chosen = devices_.Chosen(task);
  const std::vector<ChosenDevice> cpus = numa_.Chosen(task);
  if (cpus.empty()) return chosen;
  chosen.insert(chosen.end(), cpus.begin(), cpus.end());
  const std::vector<DeviceSpec>& listed = world_->spec(numa_.NodeOf(task)).devices;
  std::vector<ChosenDevice> in_order;
  for (const DeviceSpec& device : listed) {
    for (ChosenDevice& one : chosen) {
      if (one.device == device.name) in_order.push_back(std::move(one));
    }
  }
  return in_order;
}

kube::Permission Plugins::Permit(TaskIndex task) {
  const auto refuse = [](ExtraPlugin plugin, std::string why) {
    kube::Permission refused;
    refused.code = kube::Permission::Code::kRefuse;
    refused.plugin = NumberOf(plugin);
    refused.message = std::move(why);
    return refused;
  };
  if (std::string why = numa_.WhyNotReserved(task); !why.empty()) {
    return refuse(ExtraPlugin::kNumaResource, std::move(why));
  }
  if (std::string why = devices_.WhyNotReserved(task); !why.empty()) {
    return refuse(ExtraPlugin::kDeviceShare, std::move(why));
  }
  if (!settings_.coscheduling) return {};
  return gangs_.Permit(task);
}

kube::Rejection Plugins::Unreserve(TaskIndex task) {
  if (settings_.quota) quotas_.Unreserve(task);
  reservations_.Unreserve(task);
  devices_.Unreserve(task);
  numa_.Unreserve(task);
  if (!settings_.coscheduling) return {};
  return gangs_.Unreserve(task);
}

// A gang hears of it whether or not victims make room.
kube::Rejection Plugins::NothingFits(const kube::PodCycle& cycle, bool) {
  kube::Rejection rejection;
  if (settings_.coscheduling) rejection = gangs_.NothingFits(cycle);
  const std::string why = reservations_.WhyNoneServes(cycle);
  if (rejection.message.empty() || why.empty()) {
    rejection.message += why;
  } else {
    absl::StrAppend(&rejection.message, ", ", why);
  }
  return rejection;
}

}  // namespace muster::koordinator
