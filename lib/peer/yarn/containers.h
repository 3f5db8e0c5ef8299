// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Containers on nodes. A reservation is a container that has no room yet.
//
//   ContainerPool pool;
//   const ContainerIndex c = pool.Add({.id = {app, number}, .node = n, .size = {1024, 1}});
//   nodes[n].Hold(c, &pool);        // its free resources shrink
//   nodes[n].Release(c, &pool);
//   pool.Free(c);                   // the next Add may return the same index
//
// The number of a container counts within its application, from 1. A reservation takes its number
// when it is made, and keeps it when it becomes a container.
#ifndef MUSTER_PEER_YARN_CONTAINERS_H_
#define MUSTER_PEER_YARN_CONTAINERS_H_

#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

#include "lib/peer/yarn/requests.h"
#include "lib/peer/yarn/resource.h"

namespace muster::yarn {

using NodeIndex = uint32_t;
using AppIndex = uint32_t;
using ContainerIndex = uint32_t;
inline constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

struct ContainerId {
  uint32_t app = 0;  // as the caller numbers applications, in order of submission
  uint32_t number = 0;
  friend auto operator<=>(const ContainerId&, const ContainerId&) = default;
};

struct Container {
  ContainerId id;
  AppIndex app = kNone;
  NodeIndex node = kNone;
  Resource size;
  int32_t priority = 0;  // of the request that it serves
  Locality locality = Locality::kAny;
  Partition requested = kDefaultPartition;  // the partition that was asked for
  bool is_reserved = false;
  bool is_master = false;
  bool is_to_preempt = false;  // will be killed for another application
  bool is_spared = false;      // is never chosen for preemption
  int64_t since = 0;           // ms: when it was made, by the scheduler's time
  int64_t created = 0;         // a number that grows with every container made
  // Places in the lists of node and application, which their owners keep.
  uint32_t at_node = 0, at_app = 0;
};

// All containers, by dense numbers that are used again.
class ContainerPool {
 public:
  ContainerIndex Add(const Container& container);
  void Free(ContainerIndex index) { free_.push_back(index); }
  Container& operator[](ContainerIndex index) { return containers_[index]; }
  const Container& operator[](ContainerIndex index) const { return containers_[index]; }

 private:
  std::vector<Container> containers_;
  std::vector<ContainerIndex> free_;
};

struct Node {
  Place name = kAnyPlace, rack = kAnyPlace;
  Partition partition = kDefaultPartition;
  Resource total, free;
  std::vector<ContainerIndex> containers;  // in no order; reservations are not among them
  ContainerIndex reserved = kNone;
  bool is_gone = false;

  void Hold(ContainerIndex container, ContainerPool* pool);
  void Release(ContainerIndex container, ContainerPool* pool);
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_CONTAINERS_H_
