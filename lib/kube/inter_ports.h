// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Host ports: two tasks of a node cannot hold the same port of the same address. Kubernetes'
// NodePorts.
//
//   ports.Open(&view, &classes);
//   if (ports.FitDepends(c)) ports.Fit(c, nodes, &refusals);
//
// Ports conflict if number and protocol are equal, and either address is 0.0.0.0 or both are the
// same text. Ports of one task are not compared with each other. The peer keeps a set per node, so
// of two tasks forced onto one port the first to go frees it. Here both must go.
#ifndef MUSTER_KUBE_INTER_PORTS_H_
#define MUSTER_KUBE_INTER_PORTS_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lib/kube/inter_classes.h"
#include "lib/kube/inter_counters.h"
#include "lib/kube/inter_view.h"
#include "lib/kube/refusals.h"

namespace muster {

// The address of a port, 0.0.0.0 where it names none.
inline std::string_view AddressOf(const HostPort& port) {
  return port.ip.empty() ? std::string_view("0.0.0.0") : port.ip;
}
// Returns whether tasks with these ports cannot be on one node.
bool PortsConflict(const HostPort& wanted, const HostPort& used);
// Returns whether tasks of the two shapes cannot be on one node.
bool ConflictOverPorts(const TaskShape& a, const TaskShape& b);

class InterPorts {
 public:
  void Open(InterView* view, InterClasses* classes);
  bool FitDepends(ClassIndex c) { return CountersOf(c).has_effects(); }
  void Fit(ClassIndex c, std::span<const NodeIndex> nodes, Refusals* refusals);

 private:
  // The one counter: tasks in the way, by node.
  Counters& CountersOf(ClassIndex c);

  InterView* view_ = nullptr;
  InterClasses* classes_ = nullptr;
  std::vector<std::unique_ptr<Counters>> counters_;  // by class, made when first asked for
};

}  // namespace muster

#endif  // MUSTER_KUBE_INTER_PORTS_H_
