// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// schedule: kube-scheduler's cycles over the pods of admitted jobs, behind action admit.
//
// The scheduler sees the cluster as Kueue leaves it (pod_tables.h): pods of jobs that wait for
// quota do not exist, and those of admitted jobs have the labels and tolerations of their flavors
// and the labels of their places. All else is kube-scheduler's, its memory and its evictions too.
#include "lib/peer/kube_scheduler/run_cycles.h"
#include "lib/peer/kueue/pod_tables.h"
#include "lib/peer/kueue/profile.h"

namespace muster {
namespace {

void RunSchedulePods(ActionContext& context, const Options& options) {
  const Tables pods = kueue::PodTables(context);
  kube::RunCycles(context, pods, kube::Settings::From(options), nullptr);
}

}  // namespace

ActionDecl KueueScheduleAction() {
  ActionDecl action = KubeScheduleAction();
  action.summary = "kube-scheduler's cycles over the pods of admitted jobs";
  action.run = RunSchedulePods;
  return action;
}

}  // namespace muster
