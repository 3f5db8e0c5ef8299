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
  preset.catalogue = {AdmitAction(), AllocateAction(), BackfillAction(), PreemptAction(),
                      ReclaimAction()};
  preset.rules.rules = {Rule::kVote, Rule::kVote, Rule::kRestartingIntersection};
  preset.rules.accounting.undone_eviction_runs = true;
  return preset;
}

}  // namespace

std::vector<Preset> Presets() { return {Volcano()}; }

std::vector<PolicyDecl> PolicyCatalogue() {
  return {BinpackPolicy(),    ConformancePolicy(), DrfPolicy(),
          GangPolicy(),       NodeOrderPolicy(),   OvercommitPolicy(),
          PredicatesPolicy(), PriorityPolicy(),    ProportionPolicy()};
}

}  // namespace muster
