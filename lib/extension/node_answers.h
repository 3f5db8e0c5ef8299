// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What policies of scope kCluster promise about single nodes, so that a search asks them again only
// about the nodes that changed.
//
//   auto* answers = dynamic_cast<NodeAnswers*>(entry.policy);
//   if (answers != nullptr && answers->AnswersByNode(c)) ...  // keep what it answered about others
//
// A policy may implement this beside FitPolicy and ScorePolicy. One that does not is asked about
// all candidates at every placement. Answers are safe, not sharp: in doubt a policy promises
// nothing. A promise that does not hold makes plans wrong.
//
// Levels. A score may depend on the other candidates by one number: the highest level of any. Then
// the policy sets a level for each node (LevelNodes), and returns what a level is worth where
// another is the highest (LevelScore). ScoreNodes adds LevelScore(level, highest) to `batch`, and
// nothing else.
#ifndef MUSTER_EXTENSION_NODE_ANSWERS_H_
#define MUSTER_EXTENSION_NODE_ANSWERS_H_

#include <cstdint>
#include <span>

#include "muster/types.h"

namespace muster {

class NodeAnswers {
 public:
  virtual ~NodeAnswers() = default;
  // Returns whether, within a cycle, FitNodes and ScoreNodes (levels aside) answer about a node and
  // the class as before until Ledger::journal names the node again, and alike for all tasks of the
  // class.
  virtual bool AnswersByNode(ClassIndex c) = 0;
  // Returns whether, within a cycle, no placement makes a node fit the class that did not fit it
  // before.
  // REQUIRES: AnswersByNode(c).
  virtual bool OnlyWorsens(ClassIndex /*c*/) { return false; }
  // Returns whether ScoreNodes scores the class by levels; LevelNodes sets levels[i] for nodes[i].
  virtual bool ScoresByLevel(ClassIndex /*c*/) { return false; }
  virtual void LevelNodes(ClassIndex /*c*/, std::span<const NodeIndex> /*nodes*/,
                          std::span<uint8_t> /*levels*/) {}
  virtual double LevelScore(uint8_t /*level*/, uint8_t /*highest*/) const { return 0; }
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_NODE_ANSWERS_H_
