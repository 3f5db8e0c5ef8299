// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/ray/task_strategy.h"

#include "lib/model/settings.h"

namespace muster {

absl::Status ReadRayStrategy(const JobSpec& job, RayStrategy* strategy) {
  *strategy = {};
  if (job.settings.empty()) return absl::OkStatus();
  SettingReader settings("job", job.name, job.settings, "ray");
  const std::string_view kind =
      settings.Choice("strategy", {"default", "spread", "random", "node", "labels"}, "default");
  using Kind = RayStrategy::Kind;
  strategy->kind = kind == "spread"   ? Kind::kSpread
                   : kind == "random" ? Kind::kRandom
                   : kind == "node"   ? Kind::kNode
                   : kind == "labels" ? Kind::kLabels
                                      : Kind::kDefault;
  strategy->node = settings.Text("node").value_or("");
  strategy->soft = settings.Flag("soft", false);
  const std::string_view unavailable =
      settings.Choice("unavailable", {"wait", "spill", "fail"}, "wait");
  strategy->spills = unavailable == "spill";
  strategy->fails = unavailable == "fail";
  if ((strategy->kind == Kind::kNode) == strategy->node.empty()) {
    settings.Refuse("strategy", "must be node where, and only where, ray/node names one");
  }
  const auto domain = settings.Text("domain");
  strategy->domain = domain.value_or("");
  if (domain && domain->empty()) settings.Refuse("domain", "must be a label of nodes");
  if (domain && job.bundle_strategy == BundleStrategy::kNone) {
    settings.Refuse("domain", "must be set only where the job has a bundle_strategy");
  }
  return settings.Finish();
}

absl::Status CheckRaySettings(const Tables& tables, const Options&) {
  if (absl::Status s = CheckNoNodeSettings(tables.nodes, "ray"); !s.ok()) return s;
  for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
    if (!tables.queues.alive[q] || tables.queues.spec[q].settings.empty()) continue;
    const QueueSpec& queue = tables.queues.spec[q];
    if (absl::Status s = SettingReader("queue", queue.name, queue.settings, "ray").Finish();
        !s.ok()) {
      return s;
    }
  }
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    if (!tables.jobs.alive[j] || tables.jobs.spec[j].settings.empty()) continue;
    RayStrategy strategy;
    if (absl::Status s = ReadRayStrategy(tables.jobs.spec[j], &strategy); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace muster
