// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/action/hopeless_nodes.h"

#include <algorithm>

namespace muster {
namespace {

constexpr size_t kMostKinds = 64;

}  // namespace

HopelessNodes::Kind* HopelessNodes::Of(TaskIndex task) {
  if (!keeps_ || context_.search.samples()) return nullptr;
  const JobCounts& counts = context_.ledger.job(context_.tables.tasks.job[task]);
  if (counts.allocated() + counts[TaskStatus::kReleasing] > 0) return nullptr;
  auto kind = std::ranges::find_if(
      kinds_, [&](const Kind& known) { return AreAlike(context_.tables, known.like_, task); });
  const auto journal = context_.ledger.journal();
  if (kind == kinds_.end()) {
    if (kinds_.size() == kMostKinds) return nullptr;
    kind = kinds_.insert(kind, Kind());
    kind->like_ = task;
    kind->hopeless_.assign(context_.tables.nodes.alive.size(), 0);
  } else {
    for (size_t p = kind->position_; p < journal.size(); ++p) kind->hopeless_[journal[p]] = 0;
  }
  kind->position_ = journal.size();
  return &*kind;
}

}  // namespace muster
