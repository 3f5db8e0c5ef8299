// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/job_sizes.h"

#include <algorithm>
#include <string>

#include "lib/base/hash_map.h"
#include "lib/base/math.h"
#include "lib/model/tables.h"
#include "muster/quantity.h"

namespace muster {
namespace {

Unit SizeUnit(const std::string& name) {
  return IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole;
}

int64_t AmountOf(const std::string& name, const std::string& text) {
  const absl::StatusOr<int64_t> parsed = ParseQuantity(text, SizeUnit(name));
  return parsed.ok() ? *parsed : 0;
}

}  // namespace

MachineSizes::MachineSizes(const std::vector<NodeSpec>& nodes) {
  for (const NodeSpec& node : nodes) {
    for (const auto& [name, amount] : node.capacity) {
      int64_t& sum = total_[name];
      sum = SatAdd(sum, AmountOf(name, amount.text));
    }
  }
}

int64_t MachineSizes::Of(const std::vector<std::pair<const Resources*, int64_t>>& requests) const {
  HashMap<std::string, int64_t> sums;
  for (const auto& [request, tasks] : requests) {
    for (const auto& [name, amount] : *request) {
      int64_t& sum = sums[name];
      sum = SatAdd(sum, SatMul(AmountOf(name, amount.text), tasks));
    }
  }
  double largest = 0;
  int64_t units = 1;
  for (const auto& [name, sum] : sums) {
    const auto has = total_.find(name);
    if (has == total_.end() || has->second <= 0 || name == "pods") continue;
    const double share = static_cast<double>(sum) / static_cast<double>(has->second);
    if (share <= largest) continue;
    largest = share;
    const int64_t unit = SizeUnit(name) == Unit::kMilli ? 1000
                         : name == "memory"             ? int64_t{1} << 30
                                                        : 1;
    units = std::max<int64_t>(sum / unit + (sum % unit > 0), 1);
  }
  return units;
}

JobSizes::JobSizes(const Trace& trace) : trace_(trace), machine_(trace.machine.nodes) {
  if (trace.processors > 0) return;
  for (uint32_t job = 0; job < trace.size(); ++job) {
    const auto [at, added] = known_.try_emplace(KeyOf(job), 1);
    if (added)
      at->second = machine_.Of({{&trace.shapes[trace.shape[job]].request, trace.tasks[job]}});
  }
}

uint64_t JobSizes::KeyOf(uint32_t job) const {
  return uint64_t{trace_.shape[job]} << 32 | trace_.tasks[job];
}

int64_t JobSizes::of(uint32_t job) const {
  return trace_.processors > 0 ? trace_.tasks[job] : known_.find(KeyOf(job))->second;
}

}  // namespace muster
