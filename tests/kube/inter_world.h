// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A cluster of a few lines for tests of rules between tasks, and their answers in words.
//
//   InterWorld world;
//   world.Node("n0", {{"zone", "a"}});
//   world.Running("web", {.labels = {{"app", "web"}}}, "n0");
//   world.Pending("new", {.required_anti_affinity = {Term("zone", {{"app", "web"}})}});
//   EXPECT_EQ(world.Fit("new"), "anti");           // one word per node; "!": hard
#ifndef MUSTER_TESTS_POLICY_INTER_WORLD_H_
#define MUSTER_TESTS_POLICY_INTER_WORLD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/kube/inter_task.h"
#include "lib/ledger/ledger.h"
#include "muster/cluster.h"

namespace muster::testing {

AffinityTerm Term(const std::string& key, const Labels& labels);
SpreadConstraint Spread(const std::string& key, const Labels& labels, int32_t max_skew,
                        bool required);
TaskShape Shape(const Labels& labels, const std::string& name_space = "default");

class InterWorld {
 public:
  InterWorld();

  void Node(const std::string& name, const Labels& labels);
  void Node(const NodeSpec& node);
  void Running(const std::string& task, const TaskShape& shape, const std::string& node);
  void Leaving(const std::string& task, const TaskShape& shape, const std::string& node);
  void Pending(const std::string& task, const TaskShape& shape);
  void Namespace(const std::string& name, const Labels& labels);

  const Tables& tables() const;
  // Made when first requested; the cluster must not change afterwards.
  Ledger& ledger();
  TaskIndex task(const std::string& name) const { return *tables().tasks.names.Find(name); }
  NodeIndex node(const std::string& name) const { return *tables().nodes.names.Find(name); }
  ClassIndex task_class(const std::string& name) const {
    return tables().tasks.task_class[task(name)];
  }
  void Place(const std::string& task, const std::string& node);

  // Answers of rules made for this question, or of `rules`, for all nodes.
  std::string Fit(const std::string& task, InterTaskOptions options = {});
  std::string Fit(InterTask& rules, ClassIndex c);
  std::vector<double> Score(const std::string& task, const InterTaskOptions& options);
  std::vector<double> Score(InterTask& rules, ClassIndex c);
  // Over the candidates alone.
  std::vector<double> Score(InterTask& rules, ClassIndex c, const std::vector<NodeIndex>& nodes);
  bool FitDepends(const std::string& task, const InterTaskOptions& options = {});
  bool ScoreDepends(const std::string& task, const InterTaskOptions& options);

 private:
  void Add(const std::string& task, const TaskShape& shape, TaskStatus status,
           const std::string& node);
  std::vector<NodeIndex> Nodes() const;

  Cluster cluster_;
  std::unique_ptr<Ledger> ledger_;
};

using Scores = std::vector<double>;
inline const Labels kWeb = {{"app", "web"}}, kDb = {{"app", "db"}};

InterTaskOptions AffinityScore();
InterTaskOptions SpreadScore();
InterTaskOptions ImageScore();
InterTaskOptions Old();  // as release 1.16 had it, with its score of affinity

// Nodes a0, a1 of zone a, b0 of zone b and c0 of none.
void ThreeZones(InterWorld& world);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_POLICY_INTER_WORLD_H_
