// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/schedule.h"

#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/settings.h"
#include "lib/peer/koordinator/load_books.h"
#include "lib/peer/koordinator/profile/device_plugin.h"
#include "lib/peer/koordinator/profile/numa_sites.h"
#include "lib/peer/koordinator/profile/plugins.h"
#include "lib/peer/koordinator/setting_keys.h"
#include "lib/peer/kube_scheduler/actions.h"
#include "lib/peer/kube_scheduler/scheduler.h"
#include "muster/quantity.h"

namespace muster {
namespace {

void RunKoordinatorCycles(ActionContext& context, const Options& options) {
  kube::Settings settings = kube::Settings::From(options);
  settings.groups = settings.batches = false;
  const auto plugin_settings = koordinator::PluginSettings::From(options);
  koordinator::Plugins plugins(plugin_settings, &context.ledger);
  kube::RunCycles(context, settings, &plugins);
}

// A window is of the statistic that the node names, thresholds also of the options'.
void CheckStatisticSettings(bool has_statistic, SettingReader* settings) {
  if (settings->Text(koordinator::kNodeLoadStatistic)) return;
  if (settings->Text(koordinator::kNodeLoadWindow)) {
    settings->Refuse(koordinator::kNodeLoadWindow, "needs load_statistic of the node");
  }
  if (has_statistic) return;
  for (const std::string_view key : koordinator::kNodeStatisticKeys) {
    if (settings->Integer(key, 0, 100, 0) == 0) continue;
    settings->Refuse(key, "needs load_statistic, of the node or the options");
  }
}

// Those that load_books.h reads.
void CheckLoadSettings(bool has_statistic, SettingReader* settings) {
  for (const auto& keys : {koordinator::kNodeThresholdKeys, koordinator::kNodeProductionKeys,
                           koordinator::kNodeStatisticKeys}) {
    settings->Integer(keys[0], 0, 100, 0);
    settings->Integer(keys[1], 0, 100, 0);
  }
  settings->Integer(koordinator::kNodeLoadWindow, 0, 1'000'000'000, 0);
  settings->Choice(koordinator::kNodeLoadStatistic, {"avg", "p50", "p90", "p95", "p99"}, "");
  CheckStatisticSettings(has_statistic, settings);
  for (const std::string_view key : koordinator::kNodeRawKeys) {
    const auto text = settings->Text(key);
    if (text && ParseQuantity(*text, Unit::kMilli).value_or(-1) < 0) {
      settings->Refuse(key, "must be an amount");
    }
  }
}

// Nodes keep settings of other actions alone.
absl::Status CheckNodes(const NodeTable& nodes, const Options& options) {
  const bool has_statistic = options.text("load_statistic") != "none";
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n] || nodes.spec[n].settings.empty()) continue;
    SettingReader settings("node", nodes.spec[n].name, nodes.spec[n].settings, "koordinator");
    koordinator::PassOver(koordinator::kNodeOptionKeys, &settings);
    koordinator::PassOver(koordinator::kNodeReportKeys, &settings);
    settings.Text(koordinator::kNodeDeviceLabels);  // CheckDeviceNodes reads it
    settings.Flag(koordinator::kNodeZoneKeys[0], false);
    settings.Number(koordinator::kNodeZoneKeys[1], 1, koordinator::kMostAmplified, 1);
    settings.Number(koordinator::kNodeZoneKeys[2], 1, koordinator::kMostAmplified, 1);
    CheckLoadSettings(has_statistic, &settings);
    if (absl::Status s = settings.Finish(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status CheckTasksWithLimits(const Tables& tables) {
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t]) continue;
    const TaskShape& shape = tables.classes.shape[tables.tasks.task_class[t]];
    if (ReadLoadLimits(shape)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "action schedule: task ", Quote(tables.tasks.names.name(t)),
        ", label koordinator/limits: must be RESOURCE=AMOUNT,..., each resource once"));
  }
  return absl::OkStatus();
}

absl::Status CheckKoordinatorCluster(const Tables& tables, const Options& options) {
  std::string wrong = kube::Settings::Check(options);
  if (wrong.empty()) wrong = koordinator::PluginSettings::Check(options);
  if (!wrong.empty()) return absl::InvalidArgumentError(absl::StrCat("action schedule: ", wrong));
  if (absl::Status s = CheckNodes(tables.nodes, options); !s.ok()) return s;
  for (JobIndex job = 0; job < tables.jobs.alive.size(); ++job) {
    if (!tables.jobs.alive[job]) continue;
    const auto marks = koordinator::MarksOf(tables.jobs.names.name(job), tables.jobs.spec[job]);
    if (!marks.ok()) return marks.status();
  }
  if (options.flag("load")) {
    if (absl::Status s = CheckTasksWithLimits(tables); !s.ok()) return s;
  }
  if (options.flag("reservation")) {
    if (absl::Status s = koordinator::CheckReservations(tables); !s.ok()) return s;
  }
  if (options.flag("devices")) {
    if (absl::Status s = koordinator::CheckDeviceNodes(tables); !s.ok()) return s;
  }
  if (options.flag("numa")) {
    if (absl::Status s = koordinator::CheckNumaNodes(tables); !s.ok()) return s;
  }
  if (!options.flag("quota")) return absl::OkStatus();
  const absl::Status queues = koordinator::CheckQuotaQueues(tables);
  if (queues.ok()) return queues;
  return absl::Status(queues.code(), absl::StrCat("action schedule: quota: ", queues.message()));
}

}  // namespace

ActionDecl KoordinatorScheduleAction() {
  ActionDecl action;
  action.name = "schedule";
  action.summary = "scheduling cycles with Koordinator's plug-ins, one pod after the other";
  action.options = koordinator::PluginOptionDecls();
  action.run = RunKoordinatorCycles;
  action.check = CheckKoordinatorCluster;
  action.evicts = true;
  action.memory.assign(std::begin(kube::kSlots), std::end(kube::kSlots));
  action.memory.insert(action.memory.end(), std::begin(koordinator::kGangSlots),
                       std::end(koordinator::kGangSlots));
  action.memory.insert(action.memory.end(), std::begin(koordinator::kReservationSlots),
                       std::end(koordinator::kReservationSlots));
  action.memory.insert(action.memory.end(), std::begin(koordinator::kQuotaSlots),
                       std::end(koordinator::kQuotaSlots));
  action.memory.insert(action.memory.end(), std::begin(koordinator::kNumaSlots),
                       std::end(koordinator::kNumaSlots));
  action.points = PointSet{};
  return action;
}

}  // namespace muster
