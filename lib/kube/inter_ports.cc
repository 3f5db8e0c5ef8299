// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/kube/inter_ports.h"

#include <algorithm>

namespace muster {

bool PortsConflict(const HostPort& wanted, const HostPort& used) {
  if (wanted.port <= 0 || wanted.port != used.port || wanted.protocol != used.protocol) {
    return false;
  }
  const std::string_view a = AddressOf(wanted), b = AddressOf(used);
  return a == "0.0.0.0" || b == "0.0.0.0" || a == b;
}

bool ConflictOverPorts(const TaskShape& a, const TaskShape& b) {
  return std::any_of(a.host_ports.begin(), a.host_ports.end(), [&](const HostPort& wanted) {
    return std::any_of(b.host_ports.begin(), b.host_ports.end(),
                       [&](const HostPort& used) { return PortsConflict(wanted, used); });
  });
}

void InterPorts::Open(InterView* view, InterClasses* classes) {
  view_ = view;
  classes_ = classes;
  counters_.clear();
  counters_.resize(view->tables().classes.shape.size());
}

Counters& InterPorts::CountersOf(ClassIndex c) {
  if (counters_[c] != nullptr) return *counters_[c];
  counters_[c] = std::make_unique<Counters>(true);
  Counters& counters = *counters_[c];
  counters.Add(view_->ByNode());
  const std::vector<TaskShape>& shapes = view_->tables().classes.shape;
  std::vector<ClassIndex> rivals;
  for (const HostPort& port : shapes[c].host_ports) {
    const std::vector<ClassIndex>& users = classes_->WithHostPort(port.port);
    rivals.insert(rivals.end(), users.begin(), users.end());
  }
  std::sort(rivals.begin(), rivals.end());
  rivals.erase(std::unique(rivals.begin(), rivals.end()), rivals.end());
  for (const ClassIndex e : rivals) {
    if (ConflictOverPorts(shapes[c], shapes[e])) counters.Effect(e, 0, 1);
  }
  counters.Seal();
  return counters;
}

void InterPorts::Fit(ClassIndex c, std::span<const NodeIndex> nodes, Refusals* refusals) {
  Counters& counters = CountersOf(c);
  if (!counters.has_effects()) return;
  counters.Follow(*view_);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (refusals->asked(i) && counters.At(0, nodes[i]) > 0) {
      refusals->Add(i, RefusalCode::kHostPort, false);
    }
  }
}

}  // namespace muster
