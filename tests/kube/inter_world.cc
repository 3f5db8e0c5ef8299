// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A row that the cluster refuses fails the test that has it.
#include "inter_world.h"

#include "gtest/gtest.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "tests/support/plan_words.h"

namespace muster::testing {
namespace {

std::string Word(RefusalCode code) {
  switch (code) {
    case RefusalCode::kHostPort:
      return "port";
    case RefusalCode::kAffinity:
      return "affinity";
    case RefusalCode::kAntiAffinity:
      return "anti";
    case RefusalCode::kExistingAntiAffinity:
      return "existing";
    case RefusalCode::kSpreadLabel:
      return "label";
    case RefusalCode::kSpread:
      return "spread";
    default:
      return "?";
  }
}

}  // namespace

AffinityTerm Term(const std::string& key, const Labels& labels) {
  AffinityTerm term;
  term.topology_key = key;
  term.selector = Selector{labels, {}};
  return term;
}

SpreadConstraint Spread(const std::string& key, const Labels& labels, int32_t max_skew,
                        bool required) {
  SpreadConstraint spread;
  spread.topology_key = key;
  spread.selector = Selector{labels, {}};
  spread.max_skew = max_skew;
  spread.required = required;
  return spread;
}

TaskShape Shape(const Labels& labels, const std::string& name_space) {
  TaskShape shape;
  shape.labels = labels;
  shape.name_space = name_space;
  return shape;
}

InterWorld::InterWorld() {
  JobSpec job;
  job.name = "job";
  Accept(cluster_.AddJob(job));
}

void InterWorld::Node(const NodeSpec& node) { Accept(cluster_.AddNode(node)); }

void InterWorld::Node(const std::string& name, const Labels& labels) {
  NodeSpec node;
  node.name = name;
  node.labels = labels;
  Node(node);
}

void InterWorld::Add(const std::string& task, const TaskShape& shape, TaskStatus status,
                     const std::string& node) {
  TaskSpec spec;
  spec.name = task;
  spec.job = "job";
  spec.shape = shape;
  spec.status = status;
  spec.node = node;
  Accept(cluster_.AddTask(spec));
}

void InterWorld::Running(const std::string& task, const TaskShape& shape, const std::string& node) {
  Add(task, shape, TaskStatus::kRunning, node);
}

void InterWorld::Leaving(const std::string& task, const TaskShape& shape, const std::string& node) {
  Add(task, shape, TaskStatus::kReleasing, node);
}

void InterWorld::Pending(const std::string& task, const TaskShape& shape) {
  Add(task, shape, TaskStatus::kPending, "");
}

void InterWorld::Namespace(const std::string& name, const Labels& labels) {
  Accept(cluster_.SetNamespace({name, labels}));
}

const Tables& InterWorld::tables() const { return TablesOf(cluster_); }

Ledger& InterWorld::ledger() {
  if (ledger_ == nullptr) ledger_ = std::make_unique<Ledger>(tables(), Accounting{});
  return *ledger_;
}

void InterWorld::Place(const std::string& task_name, const std::string& node_name) {
  ledger().Move(task(task_name), TaskStatus::kPlaced, node(node_name));
}

std::vector<NodeIndex> InterWorld::Nodes() const {
  std::vector<NodeIndex> nodes;
  for (NodeIndex n = 0; n < tables().nodes.alive.size(); ++n) nodes.push_back(n);
  return nodes;
}

std::string InterWorld::Fit(InterTask& rules, ClassIndex c) {
  const std::vector<NodeIndex> nodes = Nodes();
  std::vector<uint8_t> fits(nodes.size(), 1), hard(nodes.size(), 0);
  std::vector<RefusalCode> codes(nodes.size(), RefusalCode::kPolicy);
  rules.Fit(c, nodes, fits, codes, hard);
  std::string words;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) words += " ";
    words += fits[i] ? "ok" : Word(codes[i]);
    if (hard[i]) words += "!";
  }
  return words;
}

std::string InterWorld::Fit(const std::string& task, InterTaskOptions options) {
  InterTask rules(options);
  rules.Open(tables(), ledger());
  return Fit(rules, task_class(task));
}

std::vector<double> InterWorld::Score(InterTask& rules, ClassIndex c,
                                      const std::vector<NodeIndex>& nodes) {
  std::vector<double> order(nodes.size(), 0), batch(nodes.size(), 0);
  rules.Score(c, nodes, order, batch);
  for (size_t i = 0; i < nodes.size(); ++i) order[i] += batch[i];
  return order;
}

std::vector<double> InterWorld::Score(InterTask& rules, ClassIndex c) {
  return Score(rules, c, Nodes());
}

std::vector<double> InterWorld::Score(const std::string& task, const InterTaskOptions& options) {
  InterTask rules(options);
  rules.Open(tables(), ledger());
  return Score(rules, task_class(task));
}

bool InterWorld::FitDepends(const std::string& task, const InterTaskOptions& options) {
  InterTask rules(options);
  rules.Open(tables(), ledger());
  return rules.FitDepends(task_class(task));
}

bool InterWorld::ScoreDepends(const std::string& task, const InterTaskOptions& options) {
  InterTask rules(options);
  rules.Open(tables(), ledger());
  return rules.ScoreDepends(task_class(task));
}

InterTaskOptions AffinityScore() {
  InterTaskOptions options;
  options.affinity_weight = 1;
  return options;
}
InterTaskOptions SpreadScore() {
  InterTaskOptions options;
  options.spread_weight = 1;
  return options;
}
InterTaskOptions ImageScore() {
  InterTaskOptions options;
  options.image_weight = 1;
  return options;
}
InterTaskOptions Old() {
  InterTaskOptions options;
  options.rules = kKubernetes116;
  options.affinity_weight = 1;
  return options;
}

void ThreeZones(InterWorld& world) {
  world.Node("a0", {{"zone", "a"}, {"kubernetes.io/hostname", "a0"}});
  world.Node("a1", {{"zone", "a"}, {"kubernetes.io/hostname", "a1"}});
  world.Node("b0", {{"zone", "b"}, {"kubernetes.io/hostname", "b0"}});
  world.Node("c0", {{"kubernetes.io/hostname", "c0"}});
}

}  // namespace muster::testing
