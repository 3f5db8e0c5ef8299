// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/tables.h"

#include <algorithm>
#include <string_view>

namespace muster {

Tables::Tables() {
  for (std::string_view name : {"cpu", "memory", "pods"}) dimensions.Intern(name);
  const size_t n = 3;
  nodes.capacity.AddDimensions(n);
  nodes.allocatable.AddDimensions(n);
  for (RowTable* rows :
       {&queues.guaranteed, &queues.deserved, &queues.limit, &queues.borrow_limit,
        &queues.lend_limit, &jobs.min_resources, &classes.request, &classes.initial_request}) {
    rows->AddDimensions(n);
  }
  strings.Intern("");
  gate_lists.emplace_back();
  hold_lists.emplace_back();
}

bool IsMilliDimension(std::string_view name) {
  return name != "memory" && name != "pods" && name != "ephemeral-storage" &&
         !name.starts_with("hugepages-");
}

}  // namespace muster
