// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Questions in columns: the form in which C and Python answer at every extension point.
//
//   bool Ask(const Question& question, std::span<double> answers) override {
//     for (size_t i = 0; i < answers.size(); ++i) answers[i] = KeyOf(question.rows[i]);
//     return true;
//   }
//
// A policy in C++ is asked about one row or two. A call into another language costs more than such
// an answer, so the adapters of this room (column_policy.h) ask about all rows at once, keep the
// answers, and ask again when the books have changed.
#ifndef MUSTER_BINDING_QUESTION_H_
#define MUSTER_BINDING_QUESTION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "muster/policy.h"

namespace muster::binding {

// What the answers at a point are.
//  kKey   a finite number: the smaller goes first, or the higher is better (scores)
//  kFlag  0 or 1
//  kVote  -1 (no), 0 (no opinion) or 1 (yes)
//  kRank  a whole number: the lower is tried first, and -1 is not tried
enum class Form : uint8_t { kKey, kFlag, kVote, kRank };

// All points of muster/policy/point.h.
template <int... p>
constexpr PointSet PointsFrom(std::integer_sequence<int, p...>) {
  return {static_cast<Point>(p)...};
}
inline constexpr PointSet kEveryPoint = PointsFrom(std::make_integer_sequence<int, kPointCount>());

// What a point's answers are, and the one of a policy without an opinion. At kDomainSearch that is
// 0 for the domain that is searched, and -1 for those below it.
struct AnswerForm {
  Form form;
  double nothing;
};
AnswerForm FormOf(Point point);

// Returns what is wrong with an answer, " is not a number"; empty if it is right.
std::string FaultOf(Form form, double answer);

// One question about all `rows`. Members that a point has no use for keep their defaults.
struct Question {
  Point point;
  // Nodes, queues, jobs, tasks or domains: what the point is about. Of sub-groups: their jobs.
  std::span<const uint32_t> rows = {};
  // Of sub-groups: their indices in their jobs, beside `rows`.
  std::span<const uint32_t> groups = {};
  // fit, score, allocatable.
  ClassIndex task_class = kNone;
  // score, of a policy that is asked about nodes again: the states [begin, end) of `rows`. Null:
  // the books as the cycle found them.
  const StateColumns* states = nullptr;
  size_t begin = 0, end = 0;
  // The beneficiary: a task (preemptable, reclaimable), a job (evictable), a queue
  // (victim_queue_order).
  uint32_t evictor = kNone;
  // evictable: the candidates are of other queues than the job.
  bool from_other_queues = false;
  // preemptive: the amounts, per dimension.
  std::span<const int64_t> request = {};
  // domain_score, domain_search: for which sub-group; index kNone: the job as a whole.
  SubGroup group = {};
  // domain_search: see DomainPolicy::DomainsForJob.
  DomainIndex within = kNone, allocated = kNone;
  bool evicting = false;
};

// Where questions go: a table of callbacks in C, an object in Python.
class Callbacks {
 public:
  virtual ~Callbacks() = default;
  // Called once a cycle, before any question.
  virtual void Open(const Cycle& cycle) = 0;
  // Overwrites the answers, one for each row, where there is an opinion. Returns false if there is
  // none about any row; then `answers` is not read.
  virtual bool Ask(const Question& question, std::span<double> answers) = 0;
  // Answer number i was wrong, and `fault` states how (FaultOf). The cycle has failed.
  virtual void Refuse(const Question& question, size_t i, const std::string& fault) = 0;
  // Returns whether the cycle has failed: nothing is asked any more.
  virtual bool failed() const = 0;
};

}  // namespace muster::binding

#endif  // MUSTER_BINDING_QUESTION_H_
