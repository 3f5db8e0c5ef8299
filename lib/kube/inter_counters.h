// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Numbers of tasks per label domain, for one rule of one task class, kept up to date by the
// journal.
//
//   Counters counters(true);
//   size_t same_zone = counters.Add(view.ByLabels({"zone"}));
//   counters.Effect(other, same_zone, 1);   // each task of class `other` counts one in its zone
//   counters.Seal();
//   ...
//   counters.Follow(view);                  // O(journal since the last call)
//   if (counters.At(same_zone, node) > 0) ...
//
// Every rule between tasks is linear: a task that comes to a node adds a fixed weight in the label
// domain of that node, and a task that leaves subtracts it, whatever else is there. So a rollback
// needs no special case, and counters that followed any journal equal counters built from scratch
// at its end.
#ifndef MUSTER_KUBE_INTER_COUNTERS_H_
#define MUSTER_KUBE_INTER_COUNTERS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/kube/inter_view.h"

namespace muster {

class Counters {
 public:
  // `leaving`: tasks that do not stay (InterView::Stays) count, too.
  explicit Counters(bool leaving) : leaving_(leaving) {}

  // The new counter's number; it counts over the domains of `topology`.
  size_t Add(TopologyRef topology);
  void Effect(ClassIndex other, size_t counter, int64_t weight);
  // After the last Effect, before the first Follow.
  void Seal();

  size_t size() const { return counters_.size(); }
  const Topology& topology(size_t counter) const { return *counters_[counter].topology; }
  bool has_effects() const { return !effects_.empty(); }

  void Follow(const InterView& view);

  int64_t InDomain(size_t counter, LabelDomainIndex domain) const {
    const std::vector<int64_t>& counts = counters_[counter].counts;
    return counts.empty() || domain == kNone ? 0 : counts[domain];
  }
  int64_t At(size_t counter, NodeIndex n) const {
    return InDomain(counter, topology(counter).of[n]);
  }
  // Grows when a count of the counter changes.
  uint64_t stamp(size_t counter) const { return counters_[counter].stamp; }

 private:
  struct Counter {
    TopologyRef topology;
    std::vector<int64_t> counts;  // by domain; empty while nothing was counted
    uint64_t stamp = 1;
  };
  struct EffectRow {
    ClassIndex other;
    uint32_t counter;
    int64_t weight;
  };
  void Apply(uint32_t first, uint32_t last, NodeIndex node, int sign);

  bool leaving_;
  std::vector<Counter> counters_;
  std::vector<EffectRow> effects_;                            // sealed: by class
  HashMap<ClassIndex, std::pair<uint32_t, uint32_t>> range_;  // of a class in effects_
  uint64_t epoch_ = 0;
  size_t position_ = 0;
};

}  // namespace muster

#endif  // MUSTER_KUBE_INTER_COUNTERS_H_
