// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What never changes about a node in a cycle, shared by all equal nodes.
//
// Two nodes are of one kind when they have equal allocatable amounts and every policy gives them
// equal answers for every set of constraints that was asked about so far. Kinds start from capacity
// alone and are split when a new set of constraints separates nodes. So a label that no task
// mentions never splits anything.
//
// Policies of the library read nothing else of a task where they answer about kinds. Policies of
// the caller may read all but amounts and devices, as its labels: a class with such an answer is
// asked about apart from classes with other labels.
//
// Cost. One question per (set of constraints, node), then one lookup per (set, kind).
#ifndef MUSTER_SEARCH_NODE_KINDS_H_
#define MUSTER_SEARCH_NODE_KINDS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/extension/dispatcher.h"
#include "lib/ledger/ledger.h"
#include "muster/plan.h"

namespace muster {

using KindIndex = Index<struct KindTag>;

class NodeKinds {
 public:
  NodeKinds(const Ledger& ledger, const Dispatcher& dispatcher);

  // Finds the answers for the class and returns their row. Kinds may split; version() grows then.
  uint32_t Ensure(ClassIndex c);

  KindIndex kind(NodeIndex n) const { return kind_[n]; }
  size_t size() const { return sample_.size(); }
  NodeIndex sample(KindIndex kind) const { return sample_[kind]; }
  bool alive(KindIndex kind) const { return alive_[kind]; }
  uint64_t version() const { return version_; }

  // Answers of row `row` (from Ensure) for a kind.
  bool fits(uint32_t row, KindIndex kind) const { return answers_[row].refusal[kind] == 0; }
  bool all_fit(uint32_t row) const { return answers_[row].all_fit; }
  const Refusal& refusal(uint32_t row, KindIndex kind) const {
    return refusals_[answers_[row].refusal[kind] - 1];
  }
  int64_t raw(uint32_t row, size_t which, KindIndex kind) const {
    return answers_[row].raw[kind * scores_.size() + which];
  }
  // The raw scores of all policies, in tier order; and whether all kinds that fit have equal ones
  // in a row.
  std::span<const KindScore> scores() const { return scores_; }
  bool uniform(uint32_t row) const { return answers_[row].uniform; }
  // Returns the policy that raw score `which` is of.
  const ScorePolicy* asked(size_t which) const { return questions_[which].policy; }

 private:
  struct Answers {
    ClassIndex representative;
    std::vector<uint32_t> refusal;  // per kind; 0: fits, else index + 1 into refusals_
    std::vector<int64_t> raw;       // per kind and score
    bool uniform = true, all_fit = true;
  };
  struct Question {
    ScorePolicy* policy;
    size_t which;
    bool own;  // of a policy of the caller
  };
  // Returns whether a policy of the caller has answers about kinds and the class.
  bool AsksCaller(ClassIndex c) const;
  // Returns the place of the number of the class's row. kNone is there if there is no row yet.
  uint32_t& RowOf(ClassIndex c);
  void Ask(ClassIndex c, NodeIndex n, uint32_t* refusal, std::vector<int64_t>* raw);
  void AskAll(ClassIndex c);
  void AddKind(NodeIndex n, uint32_t refusal, std::span<const int64_t> raw);
  void Summarize(Answers* answers) const;
  uint32_t InternRefusal(const NodeRefusal& refusal);

  const Ledger& ledger_;  // for its tables, which may move between cycles
  const Dispatcher& dispatcher_;
  std::vector<KindScore> scores_;
  std::vector<Question> questions_;  // one per score
  std::vector<KindIndex> kind_;
  std::vector<NodeIndex> sample_;
  std::vector<uint8_t> alive_;
  std::vector<Answers> answers_;
  std::vector<FitPolicy*> own_fits_;  // the caller's that may have answers about kinds
  std::vector<uint32_t> row_of_constraints_;
  HashMap<std::string, uint32_t> row_of_shape_;  // by KindKey, of classes that the caller is asked
  std::vector<Refusal> refusals_;
  uint64_t version_ = 1;
};

}  // namespace muster

#endif  // MUSTER_SEARCH_NODE_KINDS_H_
