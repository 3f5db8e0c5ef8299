// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The profiles, a table each: the only place that knows which policies and actions a peer is made of.
#include "lib/policy/policies.h"
#include "lib/profile/profile.h"

namespace muster {
namespace {

Preset Volcano() {
  Preset preset;
  preset.name = "volcano";
  preset.summary = "Volcano 1.16 as its Helm chart configures it, all nodes searched";
  preset.actions = "admit+allocate+backfill";
  preset.tiers =
      "priority+gang(without=preemptable)+conformance/"
      "overcommit+drf(without=preemptable)+predicates+proportion+nodeorder+binpack";
  preset.catalogue = {AdmitAction(),   AllocateAction(),    BackfillAction(),    PreemptAction(),
                      ReclaimAction(), GangPreemptAction(), GangReclaimAction(), ShuffleAction()};
  preset.rules.rules = {VoteRule::kVote, VoteRule::kVote, VictimRule::kRestarting};
  preset.rules.accounting.undone_eviction_lingers = true;
  return preset;
}

Preset KubeBatch() {
  Preset preset;
  preset.name = "kube-batch";
  preset.summary = "kube-batch 0.5 as it comes, the scores and filters of Kubernetes 1.16";
  preset.actions = "allocate+backfill";
  preset.tiers = "priority+gang/drf+predicates+proportion+nodeorder";
  preset.defaults = {{"gang", "best_effort_counts", "off"},
                     {"gang", "count_down_victims", "off"},
                     {"gang", "groups", "off"},
                     {"gang", "sub_groups", "off"},
                     {"priority", "kube_batch", "on"},
                     {"drf", "kube_batch", "on"},
                     {"proportion", "kube_batch", "on"},
                     {"predicates", "kube_batch", "on"},
                     {"nodeorder", "kube_batch", "on"},
                     {"nodeorder", "node_affinity", "1"},
                     {"nodeorder", "pod_affinity", "1"}};
  preset.catalogue = {KubeBatchAllocateAction(), KubeBatchBackfillAction(),
                      KubeBatchPreemptAction(), KubeBatchReclaimAction()};
  ProfileConfig& config = preset.rules;
  config.rules = {VoteRule::kAll, VoteRule::kAll, VictimRule::kSticky, /*tasks_by_ordinal=*/false};
  config.accounting.nominated_takes_releasing = true;
  config.accounting.evicted_stay_in_view = true;
  config.accounting.score_main_containers = true;
  config.phase_rule = PhaseRule::kAllocated;
  // Less than 10 milli-units or 10 MiB more than there is still fits.
  config.slack_milli = 9;
  config.slack_memory = (10 << 20) - 1;
  config.pods_are_a_resource = false;
  config.want_releasing = true;
  config.overfull_nodes_are_out = true;
  return preset;
}

// What we would run ourselves. It keeps the invariants that docs/policies.md lists.
Preset Muster() {
  Preset preset;
  preset.name = "muster";
  preset.summary = "fair shares over the queue tree, whole gangs, as few evictions as can be";
  preset.actions = "allocate+reclaim+preempt";
  preset.tiers =
      "priority+gang(without=preemptable|reclaimable)+conformance+pdb/"
      "fairshare+predicates+devices+zones+nodeorder+binpack";
  preset.defaults = {{"gang", "best_effort_counts", "off"}, {"gang", "every_group", "on"},
                     {"gang", "sub_groups", "off"},         {"pdb", "whole_plan", "on"},
                     {"predicates", "node_ready", "on"},    {"zones", "strategy", "fewest"},
                     {"nodeorder", "least_requested", "0"}, {"binpack", "weight", "5"}};
  preset.catalogue = {FairAllocateAction(), FairReclaimAction(), FairPreemptAction()};
  preset.rules.rules = {VoteRule::kVote, VoteRule::kVote, VictimRule::kStrict};
  return preset;
}

// Queue trees as Transwarp's scheduler has them: nominal shares by weight that idle siblings lend and take back.
Preset Transwarp() {
  Preset preset = Muster();
  preset.name = "transwarp";
  preset.summary = "queue trees with H-DRF, borrowing among siblings, bindings, own job orders";
  preset.tiers =
      "leaf-order+priority(without=job_order|preemptable)+"
      "gang(without=job_order|preemptable|reclaimable)+conformance+pdb/"
      "borrowing+hdrf+bindings+predicates+nodeorder+binpack";
  return preset;
}

// Koordinator schedules pod by pod; its quotas and gangs are what is reproduced of it here.
Preset Koordinator() {
  Preset preset;
  preset.name = "koordinator";
  preset.summary =
      "elastic quotas of queues with gangs, the way Koordinator holds them to their runtime";
  preset.actions = "allocate";
  preset.tiers = "priority+gang/elastic-quota+predicates+load-aware+nodeorder";
  preset.defaults = {{"gang", "sub_groups", "off"}};
  preset.catalogue = {AllocateAction(), BackfillAction(), PreemptAction()};
  preset.rules.rules = {VoteRule::kVote, VoteRule::kVote, VictimRule::kStrict};
  return preset;
}

Preset Ray() {
  Preset preset;
  preset.name = "ray";
  preset.summary = "Ray's placement groups, and its hybrid policy for single tasks";
  preset.actions = "allocate";
  preset.tiers = "predicates";
  preset.defaults = {{"predicates", "node_ready", "on"}};
  preset.catalogue = {RayAllocateAction()};
  preset.rules.rules = {VoteRule::kVote, VoteRule::kVote, VictimRule::kStrict};
  return preset;
}

Preset BatchSystem(std::string_view name, std::string_view summary) {
  Preset preset;
  preset.name = name;
  preset.summary = summary;
  preset.actions = name;
  preset.tiers = "gang/predicates+binpack";
  preset.defaults = {{"gang", "sub_groups", "off"}};
  preset.catalogue = {FcfsAction(), EasyAction(), ConservativeAction()};
  preset.rules.rules = {VoteRule::kVote, VoteRule::kVote, VictimRule::kStrict};
  return preset;
}

}  // namespace

std::vector<Preset> Presets() {
  return {
      Muster(),
      Volcano(),
      KubeBatch(),
      Transwarp(),
      Koordinator(),
      Ray(),
      BatchSystem("fcfs", "gangs in order of submission, nobody ahead of anybody"),
      BatchSystem("easy",
                  "EASY backfilling: gangs ahead of the first that waits, if they do not delay it"),
      BatchSystem("conservative", "backfilling that delays nobody who came before")};
}

std::vector<PolicyDecl> PolicyCatalogue() {
  return {BindingsPolicy(),
          BinpackPolicy(),
          BorrowingPolicy(),
          CapacityPolicy(),
          ConformancePolicy(),
          CooldownPolicy(),
          DevicesPolicy(),
          DrfPolicy(),
          ElasticQuotaPolicy(),
          FairSharePolicy(),
          GangPolicy(),
          HdrfPolicy(),
          LeafOrderPolicy(),
          LoadAwarePolicy(),
          NetworkTopologyPolicy(),
          NodeGroupPolicy(),
          NodeOrderPolicy(),
          NumaAwarePolicy(),
          OvercommitPolicy(),
          PdbPolicy(),
          PredicatesPolicy(),
          PriorityPolicy(),
          ProportionPolicy(),
          ReschedulingPolicy(),
          ResourceQuotaPolicy(),
          ResourceStrategyFitPolicy(),
          SamplingPolicy(),
          ShardsPolicy(),
          SlaPolicy(),
          TaskTopologyPolicy(),
          TimeDivisionPolicy(),
          UsagePolicy(),
          ZonesPolicy()};
}

}  // namespace muster
