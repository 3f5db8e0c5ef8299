// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Elastic jobs: a job that grows gets a new workload, a slice, which replaces the one before it
// when it is admitted. Which slices of a job stay.
//
//   std::vector<Slice> slices{{.name = "ns/a", .reserved = true}, {.name = "ns/b"}};
//   slices[1].replaces = "ns/a";
//   const SliceChoice choice = ChooseSlices(slices);
//   choice.current;                    // 1: the new one, until then the old one keeps its quota
//
// At most two stay: the slice that holds quota at the end of the chain, and one that waits to
// replace it. Evicted slices always end, for their quota is on its way out.
//
// Slices are given oldest first, equally old ones by uid, and without finished ones.
#ifndef MUSTER_PEER_KUEUE_SLICES_H_
#define MUSTER_PEER_KUEUE_SLICES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::kueue {

struct Slice {
  std::string name;           // "namespace/name"
  std::string replaces = {};  // the same of another slice; empty: none
  bool reserved = false;      // it holds quota
  bool evicted = false;
};

struct SliceChoice {
  std::optional<size_t> current;  // the slice that the job goes on with
  std::optional<size_t> holder;   // the one that holds quota until then
  std::vector<size_t> replaced;   // end, because another slice took their place
  std::vector<size_t> stray;      // end, because the job has changed since
};
SliceChoice ChooseSlices(const std::vector<Slice>& slices);

// Returns the newest slice that holds quota and keeps it: what the job was granted.
std::optional<size_t> GrantedSlice(const std::vector<Slice>& slices);

// Returns whether a workload may replace the other one of this name: both are of one namespace. A
// name without a namespace is of the empty one.
bool MayReplace(std::string_view workload, std::string_view replaced);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_SLICES_H_
