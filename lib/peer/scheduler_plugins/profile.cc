// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/profile.h"

#include <iterator>

#include "absl/strings/str_cat.h"
#include "lib/peer/kube_scheduler/actions.h"
#include "lib/peer/kube_scheduler/scheduler.h"
#include "lib/peer/scheduler_plugins/node_marks.h"
#include "lib/peer/scheduler_plugins/plugins.h"

namespace muster {
namespace {

void RunWithPlugins(ActionContext& context, const Options& options) {
  kube::Settings settings = kube::Settings::From(options);
  settings.groups = settings.batches = false;
  const auto plugin_settings = scheduler_plugins::PluginSettings::From(options);
  scheduler_plugins::Plugins plugins(plugin_settings, &context.ledger);
  kube::RunCycles(context, settings, &plugins);
}

// Quotas keep amounts of 64 resources at most.
absl::Status CheckPlugins(const Tables& tables, const Options& options) {
  std::string wrong = kube::Settings::Check(options);
  if (wrong.empty()) wrong = scheduler_plugins::PluginSettings::Check(options);
  if (!wrong.empty()) return absl::InvalidArgumentError(absl::StrCat("action schedule: ", wrong));
  if (absl::Status s = scheduler_plugins::CheckNodes(tables.nodes); !s.ok()) return s;
  if (absl::Status s = scheduler_plugins::CheckGroups(tables); !s.ok()) return s;
  constexpr size_t kMost = 60;  // and those that quotas always know
  if (!options.flag("capacity") || tables.dimension_count() <= kMost) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("action schedule: capacity: the cluster has ",
                                                 tables.dimension_count(),
                                                 " resources; quotas know ", kMost, " at most"));
}

ActionDecl ScheduleWithPlugins() {
  ActionDecl action;
  action.name = "schedule";
  action.summary = "scheduling cycles with plug-ins, one pod after the other";
  action.options = scheduler_plugins::PluginOptionDecls();
  action.run = RunWithPlugins;
  action.check = CheckPlugins;
  action.evicts = true;
  action.memory.assign(std::begin(kube::kSlots), std::end(kube::kSlots));
  action.memory.push_back({"plugin-groups", 1});
  action.memory.push_back({"plugin-pods", 1});
  action.points = PointSet{};
  return action;
}

}  // namespace

Preset SchedulerPluginsPreset() {
  Preset preset;
  preset.name = "scheduler-plugins";
  preset.summary = "kube-scheduler with plug-ins: groups of pods, elastic quotas, zones, load";
  preset.actions = "schedule";
  preset.tiers = "";
  preset.catalogue = {ScheduleWithPlugins()};
  preset.rules.places_lone_tasks = true;
  preset.rules.needs.queues = {.guaranteed = true, .limit = true};
  return preset;
}

}  // namespace muster
