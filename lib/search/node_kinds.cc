// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/search/node_kinds.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lib/extension/no_kind_answers.h"
#include "lib/model/shape_key.h"

namespace muster {

NodeKinds::NodeKinds(const Ledger& ledger, const Dispatcher& dispatcher)
    : ledger_(ledger), dispatcher_(dispatcher) {
  const Tables& tables = ledger.tables();
  for (const PolicyEntry* entry : dispatcher.at(Point::kScore)) {
    size_t which = 0;
    for (const KindScore& score : entry->score->KindScores()) {
      scores_.push_back(score);
      questions_.push_back({entry->score, which++, entry->own});
    }
  }
  for (const PolicyEntry* entry : dispatcher.at(Point::kFit)) {
    if (entry->own && dynamic_cast<NoKindAnswers*>(entry->fit) == nullptr) {
      own_fits_.push_back(entry->fit);
    }
  }
  // Nodes of equal capacity start as one kind; dead nodes are a kind of their own.
  std::map<std::vector<int64_t>, KindIndex> by_capacity;
  const size_t nodes = tables.nodes.alive.size();
  kind_.resize(nodes);
  std::vector<int64_t> key, previous;
  KindIndex previous_kind = kNone;
  for (NodeIndex n = 0; n < nodes; ++n) {
    const auto row = tables.nodes.allocatable.row(n);
    key.assign(row.begin(), row.end());
    key.push_back(tables.nodes.alive[n]);
    if (previous_kind == kNone || key != previous) {
      const auto [it, added] = by_capacity.try_emplace(key, KindIndex(sample_.size()));
      if (added) {
        sample_.push_back(n);
        alive_.push_back(tables.nodes.alive[n]);
      }
      previous = key;
      previous_kind = it->second;
    }
    kind_[n] = previous_kind;
  }
}

uint32_t NodeKinds::InternRefusal(const NodeRefusal& refusal) {
  for (size_t i = 0; i < refusals_.size(); ++i) {
    if (refusals_[i].code == refusal.code && refusals_[i].detail == refusal.detail) {
      return static_cast<uint32_t>(i + 1);
    }
  }
  refusals_.push_back({refusal.code, kNone, refusal.detail, 0});
  return static_cast<uint32_t>(refusals_.size());
}

void NodeKinds::Ask(ClassIndex c, NodeIndex n, uint32_t* refusal, std::vector<int64_t>* raw) {
  *refusal = 0;
  raw->assign(scores_.size(), 0);
  NodeRefusal why{RefusalCode::kPolicy, {}};
  for (const PolicyEntry* entry : dispatcher_.at(Point::kFit)) {
    if (entry->fit->FitScope(c) != Scope::kNone && !entry->fit->FitsKind(c, n, &why)) {
      *refusal = InternRefusal(why);
      return;
    }
  }
  for (size_t s = 0; s < questions_.size(); ++s) {
    ScorePolicy* policy = questions_[s].policy;
    if (policy->ScoreScope(c) == Scope::kNone) continue;
    (*raw)[s] = policy->RawKindScore(questions_[s].which, c, n);
  }
}

bool NodeKinds::AsksCaller(ClassIndex c) const {
  return std::ranges::any_of(own_fits_,
                             [c](FitPolicy* fit) { return fit->FitScope(c) != Scope::kNone; }) ||
         std::ranges::any_of(questions_, [c](const Question& q) {
           return q.own && q.policy->ScoreScope(c) != Scope::kNone;
         });
}

uint32_t& NodeKinds::RowOf(ClassIndex c) {
  const ClassTable& classes = ledger_.tables().classes;
  if (AsksCaller(c)) {
    return row_of_shape_.try_emplace(KindKey(classes.shape[c], classes.queue[c]), kNone)
        .first->second;
  }
  const uint32_t constraints = classes.constraints[c];
  if (constraints >= row_of_constraints_.size()) row_of_constraints_.resize(constraints + 1, kNone);
  return row_of_constraints_[constraints];
}

uint32_t NodeKinds::Ensure(ClassIndex c) {
  uint32_t& row = RowOf(c);
  if (row != kNone) return row;
  row = static_cast<uint32_t>(answers_.size());
  answers_.push_back({c, {}, {}});
  AskAll(c);
  Summarize(&answers_.back());
  return row;
}

// Asks the policies about every node. A kind keeps the answer of its first node; nodes with another
// answer leave for a new kind.
void NodeKinds::AskAll(ClassIndex c) {
  const size_t old_kinds = sample_.size();
  std::vector<uint8_t> known(old_kinds, 0);
  answers_.back().refusal.resize(old_kinds, 0);
  answers_.back().raw.resize(old_kinds * scores_.size(), 0);
  // By old kind and answer.
  std::map<std::pair<KindIndex, std::vector<int64_t>>, KindIndex> split;
  std::vector<int64_t> raw, key;
  for (NodeIndex n = 0; n < kind_.size(); ++n) {
    const KindIndex kind = kind_[n];
    if (!alive_[kind]) continue;
    Answers& answers = answers_.back();
    const auto of_kind = answers.raw.begin() + static_cast<std::ptrdiff_t>(kind * scores_.size());
    uint32_t refusal;
    Ask(c, n, &refusal, &raw);
    if (!known[kind]) {
      known[kind] = 1;
      answers.refusal[kind] = refusal;
      std::copy(raw.begin(), raw.end(), of_kind);
      sample_[kind] = n;
      continue;
    }
    if (answers.refusal[kind] == refusal && std::equal(raw.begin(), raw.end(), of_kind)) continue;
    key.assign(raw.begin(), raw.end());
    key.push_back(refusal);
    const auto [it, added] = split.try_emplace({kind, key}, KindIndex(sample_.size()));
    if (added) AddKind(n, refusal, raw);
    kind_[n] = it->second;
  }
  if (!split.empty()) ++version_;
}

// Adds a kind with this answer to the last question. Its earlier answers are those of the node's
// former kind.
void NodeKinds::AddKind(NodeIndex n, uint32_t refusal, std::span<const int64_t> raw) {
  const KindIndex old = kind_[n];
  sample_.push_back(n);
  alive_.push_back(1);
  for (size_t a = 0; a + 1 < answers_.size(); ++a) {
    Answers& earlier = answers_[a];
    earlier.refusal.push_back(earlier.refusal[old]);
    for (size_t s = 0; s < scores_.size(); ++s) {
      earlier.raw.push_back(earlier.raw[old * scores_.size() + s]);
    }
  }
  answers_.back().refusal.push_back(refusal);
  answers_.back().raw.insert(answers_.back().raw.end(), raw.begin(), raw.end());
}

// Uniform: everything that fits has the same raw scores, so bringing them to 0..100 gives one
// constant.
void NodeKinds::Summarize(Answers* answers) const {
  size_t first = sample_.size();
  for (size_t k = 0; k < sample_.size(); ++k) {
    if (!alive_[k]) continue;
    answers->all_fit &= answers->refusal[k] == 0;
    if (answers->refusal[k] != 0) continue;
    if (first == sample_.size()) first = k;
    for (size_t s = 0; s < scores_.size(); ++s) {
      answers->uniform &= scores_[s].weight == 0 || answers->raw[k * scores_.size() + s] ==
                                                        answers->raw[first * scores_.size() + s];
    }
  }
}

}  // namespace muster
