// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of NUMA placement: every candidate tried, sets of numbers, nothing counted in a
// clever way.
#ifndef MUSTER_REFERENCE_FIT_NUMA_H_
#define MUSTER_REFERENCE_FIT_NUMA_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::reference {

struct ZoneHint {
  bool any = false;  // no zones are named
  std::set<int> zones = {};
  bool preferred = false;

  friend bool operator==(const ZoneHint&, const ZoneHint&) = default;
};

// A resource of `resources` that is nothing does not care; an empty list cannot be had.
struct ZoneMerge {
  ZoneHint best;
  bool admitted = false;
};
ZoneMerge MergeZones(const std::string& policy, const std::set<int>& zones,
                     const std::vector<std::optional<std::vector<ZoneHint>>>& resources);

struct ManagedCpus {
  struct Cpu {
    int core, zone, socket;
  };
  std::map<int, Cpu> machine;

  std::optional<std::set<int>> Take(const std::set<int>& free, int count) const;
  std::set<int> WithoutReserved(const std::set<int>& free, int milli) const;
  std::vector<ZoneHint> Hints(const std::set<int>& free, int count) const;
  std::set<int> Allocate(const std::set<int>& free, const ZoneHint& hint, int count) const;
};

// Nothing: a container is not admitted.
std::optional<std::set<int>> PlaceContainers(const ManagedCpus& machine, const std::string& policy,
                                             std::set<int> free, int reserved_milli,
                                             const std::vector<int>& container_milli);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_FIT_NUMA_H_
