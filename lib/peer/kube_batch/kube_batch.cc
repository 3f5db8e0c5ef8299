// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_batch/kube_batch.h"

#include "lib/peer/kube_batch/actions.h"
#include "lib/peer/kube_batch/amounts.h"
#include "lib/peer/kube_batch/statuses.h"

namespace muster {

Preset KubeBatchPreset() {
  Preset preset;
  preset.name = "kube-batch";
  preset.summary = "kube-batch 0.5 as it comes, the scores and filters of Kubernetes 1.16";
  preset.actions = "allocate+backfill";
  preset.tiers = "priority+gang/drf+predicates+proportion+nodeorder";
  preset.defaults = {{"gang", "best_effort_counts", "off"},
                     {"gang", "count_down_victims", "off"},
                     {"gang", "groups", "off"},
                     {"gang", "sub_groups", "off"},
                     {"priority", "own_job", "off"},
                     {"drf", "overfull_nodes", "off"},
                     {"drf", "missing", "on"},
                     {"proportion", "limits", "off"},
                     {"proportion", "least_amounts", "on"},
                     {"proportion", "overfull_nodes", "off"},
                     {"predicates", "kubernetes", "1.16"},
                     {"nodeorder", "kubernetes", "1.16"},
                     {"nodeorder", "node_affinity", "1"},
                     {"nodeorder", "pod_affinity", "1"}};
  preset.catalogue = {KubeBatchAllocateAction(), KubeBatchBackfillAction(),
                      KubeBatchPreemptAction(), KubeBatchReclaimAction()};
  ProfileConfig& config = preset.rules;
  config.rules = {VoteRule::kAll, VoteRule::kAll, VictimRule::kSticky, /*tasks_by_ordinal=*/false};
  config.accounting.statuses = kKubeBatchStatuses;
  config.accounting.least = KubeBatch::kLeast;
  config.accounting.score_main_containers = true;
  config.phase_rule = PhaseRule::kAllocated;
  config.pods_are_a_resource = false;
  config.want_releasing = true;
  config.overfull_nodes_are_out = true;
  return preset;
}

}  // namespace muster
