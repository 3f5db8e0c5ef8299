// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The list of reasons of a plan, in which equal reasons are one.
//
//   ReasonTable reasons(&plan.reasons);
//   plan.pending.push_back({task, reasons.NumberOf(reason)});
//
// Cost. O(1) for an object that was numbered before, which most are; else a hash and a comparison
// of the reason.
#ifndef MUSTER_SESSION_REASON_TABLE_H_
#define MUSTER_SESSION_REASON_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/hash/hash.h"
#include "lib/base/hash_map.h"
#include "muster/plan.h"
#include "muster/types.h"

namespace muster {

class ReasonTable {
 public:
  // `list` must outlive this.
  explicit ReasonTable(std::vector<Reason>* list) : list_(*list) {}

  // Returns the number of the reason. `reason` must stay at its address while this lives.
  uint32_t NumberOf(const Reason* reason) {
    const auto [it, added] = numbers_.try_emplace(reason, kNone);
    if (added) it->second = NumberOfEqual(*reason);
    return it->second;
  }
  uint32_t NumberOfEqual(const Reason& reason) {
    std::vector<uint32_t>& known = alike_[HashOf(reason)];
    for (uint32_t number : known) {
      if (list_[number] == reason) return number;
    }
    known.push_back(static_cast<uint32_t>(list_.size()));
    list_.push_back(reason);
    return known.back();
  }

 private:
  static size_t HashOf(const Reason& r) {
    size_t hash = absl::HashOf(r.kind, r.policy, r.queue, r.dimension, r.placed, r.needed, r.where);
    for (const Refusal& refusal : r.refusals) {
      hash = absl::HashOf(hash, refusal.code, refusal.dimension, refusal.detail, refusal.nodes);
    }
    return hash;
  }

  std::vector<Reason>& list_;
  HashMap<const Reason*, uint32_t> numbers_;
  HashMap<size_t, std::vector<uint32_t>> alike_;  // by hash
};

}  // namespace muster

#endif  // MUSTER_SESSION_REASON_TABLE_H_
