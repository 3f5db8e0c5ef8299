// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What LimitRanges and RuntimeClasses of a dump make of the pods of a Workload.
//
//   const PodRanges ranges(dump);
//   const std::string why = ranges.Apply(*pod, "ns", &shape);   // empty: a cycle looks at it
//
// As Kueue: containers get the defaults of the LimitRanges of their namespace, and pods the
// overhead of their class. A pod that requests more than its own limits, or is out of the ranges,
// keeps its Workload from being tried.
#ifndef MUSTER_IMPORT_KUEUE_LIMITS_H_
#define MUSTER_IMPORT_KUEUE_LIMITS_H_

#include <map>
#include <string>

#include "lib/import/importer.h"
#include "lib/peer/kueue/pod_limits.h"
#include "muster/spec.h"

namespace muster::kueue {

class PodRanges {
 public:
  explicit PodRanges(const Dump& dump);

  // Adds to the request of the shape what is filled in. Returns why no cycle looks at the pod.
  std::string Apply(const ApiObject& pod, const std::string& name_space, TaskShape* shape) const;

 private:
  std::map<std::string, LimitSummary> limits_;     // by namespace
  std::map<std::string, NamedAmounts> overheads_;  // by RuntimeClass
};

}  // namespace muster::kueue

#endif  // MUSTER_IMPORT_KUEUE_LIMITS_H_
