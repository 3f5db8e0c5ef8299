// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <iostream>

#include "muster/muster.h"

int main() {
  muster::Cluster cluster;
  if (!cluster.AddNode({.name = "n", .capacity = {{"cpu", 4}}}).ok()) return 1;
  if (!cluster.AddJob({.name = "j", .groups = {{.count = 2}}}).ok()) return 1;
  const absl::StatusOr<muster::Plan> plan = cluster.Schedule("muster");
  if (!plan.ok()) return 1;
  std::cout << MUSTER_VERSION_STRING << " " << plan->Digest() << "\n";
}
