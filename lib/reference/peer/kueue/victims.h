// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of the searches for victims: every candidate gathered and sorted, every usage and
// every share counted anew from the workloads, whenever one is asked for.
#ifndef MUSTER_REFERENCE_PEER_KUEUE_VICTIMS_H_
#define MUSTER_REFERENCE_PEER_KUEUE_VICTIMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::reference {

struct EvictionWorld {
  enum class Whom : uint8_t { kNever, kLower, kLowerOrNewer, kAny };
  using Amounts = std::vector<int64_t>;  // by cell

  struct Node {
    int parent = -1;
    bool cohort = false;
    double weight = 1;
    Amounts nominal;
    std::vector<std::optional<int64_t>> borrow, lend;
    // Of queues:
    Whom within = Whom::kNever, reclaim = Whom::kNever;
    bool borrows = false;  // it may evict while it borrows
    std::optional<int64_t> borrows_most;
    bool by_usage = false;
  };
  struct Workload {
    int queue = 0;
    int64_t priority = 0, created = 0, reserved_at = 0, uid = 0;
    bool evicted = false;
    bool held = true;  // it counts
    size_t local = 0;
    Amounts usage;
  };
  std::vector<Node> nodes;
  std::vector<Workload> workloads;
  std::vector<size_t> resource;     // by cell
  std::vector<double> local_usage;  // by LocalQueue; below 0: not known
  bool first_rule_final = true;     // LessThanOrEqualToFinalShare, else LessThanInitialShare
  bool second_rule = true;

  struct Wish {
    int queue = 0;
    int64_t priority = 0, created = 0;
    Amounts usage;                // below 0: not requested
    std::vector<size_t> lacking;  // cells
  };
  // Returns the workloads and the peer's word for the reason, in the order of the peer's list.
  using Evictions = std::vector<std::pair<size_t, std::string>>;
  Evictions Classical(const Wish& wish);
  Evictions Fair(const Wish& wish);
};

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_KUEUE_VICTIMS_H_
