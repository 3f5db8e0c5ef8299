// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/node_faults.h"

#include <algorithm>

#include "lib/base/hash_map.h"
#include "lib/replay/arrivals.h"

namespace muster {

NodeFaults::NodeFaults(const Trace& trace, const ReplayOptions& options)
    : list_(trace.node_events) {
  list_.insert(list_.end(), options.node_events.begin(), options.node_events.end());
  std::stable_sort(list_.begin(), list_.end(),
                   [](const NodeEvent& a, const NodeEvent& b) { return a.time < b.time; });
  const FailureModel& model = options.failures;
  const auto add = [&](const std::string& name, double between, double repair) {
    if (between <= 0) return;
    const uint64_t stream = SplitMix64(options.seed ^ SplitMix64(units_.size()));
    units_.push_back({name, Rng(stream), between, repair});
    Schedule(static_cast<uint32_t>(units_.size() - 1), 0);
  };
  for (const NodeSpec& node : trace.machine.nodes) {
    add(node.name, model.node_seconds_between, model.node_repair_seconds);
  }
  for (const DomainSpec& domain : trace.machine.domains) {
    const bool has_nodes =
        std::any_of(trace.machine.nodes.begin(), trace.machine.nodes.end(),
                    [&](const NodeSpec& node) { return node.domain == domain.name; });
    if (has_nodes) add(domain.name, model.domain_seconds_between, model.domain_repair_seconds);
  }
}

void NodeFaults::Schedule(uint32_t unit, int64_t now) {
  Unit& u = units_[unit];
  const double wait = u.rng.Exponential(u.up ? u.between : std::max(u.repair, 1.0));
  const double most = static_cast<double>(kEndless - now);
  chance_.push({now + 1 + static_cast<int64_t>(std::min(wait, most)), unit});
}

int64_t NodeFaults::next_time() const {
  const int64_t listed = at_ < list_.size() ? list_[at_].time : kNever;
  return chance_.empty() ? listed : std::min(listed, chance_.top().time);
}

NodeFault NodeFaults::Pop() {
  if (at_ < list_.size() && list_[at_].time == next_time()) return {list_[at_++], false};
  const Next next = chance_.top();
  chance_.pop();
  Unit& unit = units_[next.unit];
  const auto kind = unit.up ? NodeEvent::Kind::kFail : NodeEvent::Kind::kReturn;
  unit.up = !unit.up;
  Schedule(next.unit, next.time);
  return {{next.time, kind, unit.name}, true};
}

std::vector<std::string> NodeFaults::Absent() const {
  std::vector<std::string> absent;
  HashSet<std::string> seen;
  for (const NodeEvent& event : list_) {
    if (!seen.insert(event.name).second) continue;
    if (event.kind == NodeEvent::Kind::kJoin) absent.push_back(event.name);
  }
  return absent;
}

}  // namespace muster
