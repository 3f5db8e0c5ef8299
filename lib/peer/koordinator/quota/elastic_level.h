// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The children of one group of an elastic quota tree, with their requests as the level that hands
// out among them has them.
//
// Idea. A level has a row for each child, with the numbers of four or eight resources side by side.
// Handing out reads straight through memory and takes all resources in one pass, and a child's
// change is one place.
// - A child is a place in the rows. Children are in the order of their names once anything is
//   handed out; newcomers wait at the end until then.
// - Resources that did not change since keep what was handed out.
// - A child need not be known in all resources of its level. It gets new ones when its own numbers
//   next change, and requests nothing of them until then.
// - Children take over what was handed out one by one, when each is refreshed. Where all did at
//   once nothing is written: what they took is what was handed out, until that changes
//   (`together`).
#ifndef MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_LEVEL_H_
#define MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_LEVEL_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/peer/koordinator/quota/redistribution.h"
#include "lib/share/sparse.h"

namespace muster {

struct ElasticLevel {
  struct Child {
    std::string_view name = {};  // outlives the level
    uint32_t group = 0;
    bool inner = false;          // has children itself
    bool loose = true;           // came or moved since the children were put in order
    bool handed_out_to = true;   // its runtime is taken over; built-in groups have none
    uint64_t keys = 0;           // resources in which the level has it
    uint64_t taken_keys = 0;     // in which it took over a runtime,
    uint64_t taken_version = 0;  // when it last did; both without what was taken together
  };
  // Some resources of all children: rows of numbers, each number of all these resources side by
  // side.
  struct Sheet {
    std::vector<int64_t> claims;  // request, weight, floor, runtime: see ClaimRows
    std::vector<int64_t> told;    // min, guarantee, known_request, known_guarantee, taken
  };
  static constexpr size_t kClaims = 4, kTold = 5;
  // Prefetches the memory that handing out reads.
  void Prefetch() const;
  // What is known of one child in one resource.
  struct Entry {
    int64_t *claims, *told;
    size_t lanes;
    int64_t& request() const { return claims[0]; }
    int64_t& weight() const { return claims[lanes]; }
    int64_t& floor() const { return claims[2 * lanes]; }    // the larger of min and guarantee
    int64_t& runtime() const { return claims[3 * lanes]; }  // handed out
    int64_t& min() const { return told[0]; }
    int64_t& guarantee() const { return told[lanes]; }
    int64_t& known_request() const { return told[2 * lanes]; }  // as last set
    int64_t& known_guarantee() const { return told[3 * lanes]; }
    int64_t& taken() const { return told[4 * lanes]; }  // as last taken over, not together
  };

  // Adds a child and returns its place.
  uint32_t Add(const Child& child, bool lends);
  // Removes a child. The last child, if it is another, takes the place.
  void Remove(uint32_t place);
  // Forgets everything but the children's names and their parent's sum of minimums.
  void Forget();
  // Puts the children in the order of their names; their places change.
  void Order();
  void SetInner(uint32_t place, bool inner);

  Entry At(uint32_t place, size_t resource) {
    if (resource >= lanes * sheets.size()) Widen(resource);
    Sheet& sheet = sheets[resource / lanes];
    const size_t lane = resource % lanes;
    return {&sheet.claims[kClaims * lanes * place + lane],
            &sheet.told[kTold * lanes * place + lane], lanes};
  }
  void Widen(size_t resource);  // until there is a lane for it
  void SetKeys(uint64_t to);
  void SetTotal(const Sparse& to);
  // Sets the total to what a child of the level above took over. Returns whether anything changed.
  bool SetTotal(const ElasticLevel& above, uint32_t place);
  // Returns the resources that are new to a child.
  uint64_t Acquaint(uint32_t place);

  // Hands out what is stale. Children are in order. `for_all`: all are about to take it over.
  void HandOut(Rounding rounding, bool for_all, Redistribution* redistribution);
  // Takes over what was handed out, if the child has not.
  void Take(uint32_t place);
  void TakeAll();
  bool IsCurrent(uint32_t place) const {
    return (together ? all_took : children[place].taken_version) == version;
  }
  uint64_t TakenKeys(uint32_t place) const {
    return children[place].taken_keys | (together ? together_keys : 0);
  }
  int64_t Taken(uint32_t place, size_t resource) const;

  uint64_t keys = 0;
  uint64_t stale = 0;     // resources of which an input changed since they were handed out
  uint64_t version = 1;   // grows whenever a child may have to be refreshed again
  uint64_t all_took = 0;  // the version that all children have
  bool in_order = true;   // no child is loose
  bool together = false;  // all took over, at once, what was handed out in together_keys
  bool uneven = true;     // perhaps not every child takes over all of `keys`
  uint64_t together_keys = 0;
  uint32_t scaled = 0;  // children with a scaled-down minimum
  uint32_t inners = 0;  // children that have children
  Sparse total;
  SparseSum mins;  // of the children
  std::vector<Child> children;
  std::vector<uint8_t> lends;
  size_t lanes = 4;
  absl::InlinedVector<Sheet, 1> sheets;  // by resource / lanes

 private:
  void Part();  // writes down what was taken together
  bool IsEven();
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_LEVEL_H_
