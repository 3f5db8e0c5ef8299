// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of machines of NUMA zones: zones as maps, every set of zones listed.
#ifndef MUSTER_REFERENCE_FIT_ZONES_H_
#define MUSTER_REFERENCE_FIT_ZONES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::reference {

// Resources are "cpu" and "memory", which belong to zones, and others, which may. Those named in
// `milli` are in thousandths.
struct ZoneWorld {
  using Amounts = std::map<std::string, int64_t>;
  struct Zone {
    int id = 0;
    Amounts available;
    std::map<int, int64_t> distances;
  };
  struct Part {
    bool is_main = true;
    Amounts request;
  };
  std::vector<Zone> zones;
  std::set<std::string> on_machine, milli = {"cpu"};
  std::vector<Part> parts;
  Amounts whole, weights;
  bool guaranteed = true, by_pod = false;
  int64_t most_zones = 8;

  // -1: it fits; otherwise the part that does not, and the resource that no zone had, looking at
  // them by name.
  int Check(std::string* short_of = nullptr) const;
  // "least", "most", "balanced" or "fewest", of a machine that aligns, and of a guaranteed task.
  int64_t Score(const std::string& strategy) const;
};

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_FIT_ZONES_H_
