// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/transwarp/transwarp.h"

#include "lib/peer/muster/muster.h"
#include "lib/peer/transwarp/policies.h"

namespace muster {

Preset TranswarpPreset() {
  Preset preset = MusterPreset();
  preset.name = "transwarp";
  preset.summary = "queue trees with H-DRF, borrowing among siblings, bindings, own job orders";
  preset.actions = "allocate+reclaim+preempt";
  preset.tiers =
      "leaf-order+priority(without=job_order|preemptable)+"
      "gang(without=job_order|preemptable|reclaimable)+conformance+pdb/"
      "borrowing+hdrf+bindings+predicates+nodeorder+binpack";
  return preset;
}

std::vector<PolicyDecl> TranswarpPolicies() {
  return {BindingsPolicy(), BorrowingPolicy(), HdrfPolicy(), LeafOrderPolicy()};
}

}  // namespace muster
