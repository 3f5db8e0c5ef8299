// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the rules read of a task class, computed once: requests as they are compared, scored and
// charged, and which affinity terms match which class.
//
//   PodClasses classes(tables);
//   const PodClass& own = classes.at(c);
//   int64_t cpu = classes.Scored(c)[kCpu];       // 100 milli-cores for a container without any
//   if (classes.MatchesOwn(term, c, other)) ...
//
// A request is scored in two ways. The incoming pod counts what its containers request, absent cpu
// as 100 milli-cores and absent memory as 200 MiB, and the overhead; requests of the pod as a whole
// are ignored. On its node the pod counts the same, but requests of the pod as a whole replace the
// containers' there, and the defaults apply only to what the whole does not have.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_POD_CLASSES_H_
#define MUSTER_PEER_KUBE_SCHEDULER_POD_CLASSES_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/model/tables.h"

namespace muster::kube {

struct PodClass {
  const TaskShape* shape = nullptr;
  std::span<const int64_t> request;  // by dimension, absent as 0
  int64_t node_cpu = 0, node_memory = 0;
  size_t containers = 1;
  bool has_affinity = false;  // any term of (anti-)affinity
  bool repels = false;        // a required term of anti-affinity
  bool has_required_spread = false, has_preferred_spread = false;
};

class PodClasses {
 public:
  explicit PodClasses(const Tables& tables);

  const Tables& tables() const { return tables_; }
  const PodClass& at(ClassIndex c);
  // Returns what scores of resources count of the incoming pod, by dimension.
  std::vector<int64_t> Scored(ClassIndex c) const;
  const TaskShape& shape(ClassIndex c) const { return tables_.classes.shape[c]; }

  // Returns whether `term` of the incoming pod of class `owner` matches pods of `other`. Its
  // namespace selector stands for the known namespaces that match.
  bool MatchesOwn(const AffinityTerm& term, const TaskShape& owner, const TaskShape& other) const;
  bool MatchesOwn(const AffinityTerm& term, ClassIndex owner, ClassIndex other) const {
    return MatchesOwn(term, shape(owner), shape(other));
  }
  // The same for queueing hints, which take every namespace for one without labels.
  static bool MatchesHint(const AffinityTerm& term, const TaskShape& owner, const TaskShape& other);
  // Returns whether `term` of a pod on a node matches an incoming one of class `incoming`. An
  // unknown namespace counts as one without labels.
  bool MatchesHeld(const AffinityTerm& term, ClassIndex owner, ClassIndex incoming) const;

 private:
  bool InNamespace(const AffinityTerm& term, const std::string& owner, const std::string& other,
                   bool known_only) const;
  void Count(ClassIndex c, PodClass* facts) const;

  const Tables& tables_;
  HashMap<std::string, const Labels*> namespaces_;
  std::vector<std::unique_ptr<PodClass>> known_;
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_POD_CLASSES_H_
