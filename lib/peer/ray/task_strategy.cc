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
  strategy->domain = settings.Text("domain").value_or("");
  if (!strategy->domain.empty() && job.bundle_strategy == BundleStrategy::kNone) {
    settings.Refuse("domain", "must be set only where the job has a bundle_strategy");
  }
  return settings.Finish();
}

absl::Status CheckRaySettings(const Tables& tables, const Options&) {
  if (absl::Status s = CheckNoNodeSettings(tables.nodes, "ray"); !s.ok()) return s;
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    if (!tables.jobs.alive[j] || tables.jobs.spec[j].settings.empty()) continue;
    RayStrategy strategy;
    if (absl::Status s = ReadRayStrategy(tables.jobs.spec[j], &strategy); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace muster
