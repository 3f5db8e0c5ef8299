// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/kube_scheduler.h"

#include "lib/peer/kube_scheduler/actions.h"

namespace muster {

Preset KubeSchedulerPreset() {
  Preset preset;
  preset.name = "kube-scheduler";
  preset.summary = "kube-scheduler 1.37: pod by pod, with its queue, preemption and pod groups";
  preset.actions = "schedule";
  preset.tiers = "";
  preset.catalogue = {KubeScheduleAction()};
  preset.rules.places_lone_tasks = true;
  return preset;
}

}  // namespace muster
