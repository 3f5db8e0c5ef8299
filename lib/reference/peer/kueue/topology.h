// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of places in a topology: every leaf counted, every list sorted, for every pod set.
#ifndef MUSTER_REFERENCE_PEER_KUEUE_TOPOLOGY_H_
#define MUSTER_REFERENCE_PEER_KUEUE_TOPOLOGY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::reference {

struct TopologyWorld {
  using Path = std::vector<std::string>;

  // What is free of each leaf, by its values for all levels. Resource 0 is "pods".
  std::map<Path, std::vector<int64_t>> free;

  struct Wish {
    std::vector<int64_t> pod;         // of one pod; 0: not requested; pods: 1
    std::vector<int64_t> leader_pod;  // empty: no leader
    int64_t count = 0;
    size_t level = 0;
    bool required = false, unconstrained = false, least_first = false;
    size_t slice_level = 0;
    int64_t slice_size = 1;
    std::map<size_t, int64_t> inner;  // level -> size, of slices in slices
  };

  // Places of pods and of the leader, which are then no longer free. False: there is no room.
  bool Place(const Wish& wish, std::map<Path, int64_t>* pods, Path* leader);
};

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_KUEUE_TOPOLOGY_H_
