// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The children of one group of an elastic quota tree, as what they ask for is known to the level that hands out among
// them.
//
// Idea. A column for each resource and number, so that handing out reads straight through memory, and a child is a
// place in them. Children stand in the order of their names once anything is handed out; newcomers wait at the end
// until then. What did not change since is not handed out again, resource by resource.
// A child need not be known in all resources of its level (it is told of new ones when its own numbers next change):
// where it is not, it asks for nothing.
#ifndef MUSTER_QUOTA_ELASTIC_LEVEL_H_
#define MUSTER_QUOTA_ELASTIC_LEVEL_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/quota/redistribution.h"
#include "lib/quota/sparse.h"

namespace muster {

struct ElasticLevel {
  struct Child {
    std::string_view name = {};  // outlives the level
    uint32_t group = 0;
    bool inner = false;         // has children itself
    bool loose = true;          // came or moved since the children were put in order
    bool handed_out_to = true;  // its runtime is taken over; built-in groups have none
    uint64_t keys = 0;          // resources in which the level knows it
    uint64_t taken_keys = 0;    // in which it took over a runtime
    uint64_t taken_version = 0;
  };
  struct Column {
    std::vector<int64_t> request, weight, min, guarantee;
    std::vector<int64_t> known_request, known_guarantee;  // as last told
    std::vector<int64_t> runtime, taken;                  // handed out; as last taken over
  };

  // The new child's place.
  uint32_t Add(const Child& child, bool lends);
  // The last child, if it is another, takes the place.
  void Remove(uint32_t place);
  // Nothing but the children's names and their parent's sum of minimums is left.
  void Forget();
  // Puts the children in the order of their names; their places change.
  void Order();
  // Hands out what is stale, children being in order.
  void HandOut(Rounding rounding, Redistribution* redistribution);

  Column& At(size_t resource) {
    if (resource >= columns.size()) Widen(resource);
    return columns[resource];
  }
  void Widen(size_t resource);  // until there is a column for it
  void SetKeys(uint64_t to);
  void SetTotal(const Sparse& to);
  // Where the child does not yet have this version: takes over what was handed out.
  void Take(uint32_t place);
  void TakeAll();
  int64_t Taken(uint32_t place, size_t resource) const {
    return resource < columns.size() ? columns[resource].taken[place] : 0;
  }

  uint64_t keys = 0;
  uint64_t stale = 0;     // resources of which an input changed since they were handed out
  uint64_t version = 1;   // grows whenever a child may have to look again
  uint64_t all_took = 0;  // the version that all children have
  bool in_order = true;   // no child is loose
  uint32_t scaled = 0;    // children whose minimum was scaled down
  Sparse total;
  SparseSum mins;  // of the children
  std::vector<Child> children;
  std::vector<uint8_t> lends;
  std::vector<Column> columns;  // by resource
};

}  // namespace muster

#endif  // MUSTER_QUOTA_ELASTIC_LEVEL_H_
