// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/kube/inter_ports.h"

#include <algorithm>
#include <string_view>

namespace muster {
namespace {

std::string_view Address(const HostPort& port) {
  return port.ip.empty() ? std::string_view("0.0.0.0") : port.ip;
}

bool Conflict(const HostPort& a, const HostPort& b) {
  if (a.port != b.port || a.port <= 0 || a.protocol != b.protocol) return false;
  return Address(a) == "0.0.0.0" || Address(b) == "0.0.0.0" || Address(a) == Address(b);
}

}  // namespace

bool ConflictOverPorts(const TaskShape& a, const TaskShape& b) {
  return std::any_of(a.host_ports.begin(), a.host_ports.end(), [&](const HostPort& wanted) {
    return std::any_of(b.host_ports.begin(), b.host_ports.end(),
                       [&](const HostPort& used) { return Conflict(wanted, used); });
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
