// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The meaning of selectors, terms and tolerations, case by case as Kubernetes documents it.
#include "lib/kube/selectors.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace muster {
namespace {

const Labels kLabels = {{"zone", "a"}, {"empty", ""}, {"cpus", "16"}, {"word", "ten"}};

bool Holds(std::string key, RequirementOp op, std::vector<std::string> values) {
  return Matches(Requirement{std::move(key), op, std::move(values)}, kLabels);
}

TEST(SelectorsTest, AnEmptyValueIsAValue) {
  ASSERT_NE(FindLabel(kLabels, "empty"), nullptr);
  EXPECT_EQ(*FindLabel(kLabels, "empty"), "");
  EXPECT_EQ(FindLabel(kLabels, "none"), nullptr);
  EXPECT_TRUE(Holds("empty", RequirementOp::kExists, {}));
  EXPECT_TRUE(Holds("empty", RequirementOp::kIn, {""}));
  EXPECT_FALSE(Holds("none", RequirementOp::kIn, {""}));
}

TEST(SelectorsTest, OperatorsOnPresentAndAbsentKeys) {
  EXPECT_TRUE(Holds("zone", RequirementOp::kIn, {"b", "a"}));
  EXPECT_FALSE(Holds("zone", RequirementOp::kIn, {"b"}));
  EXPECT_FALSE(Holds("zone", RequirementOp::kNotIn, {"b", "a"}));
  EXPECT_TRUE(Holds("zone", RequirementOp::kNotIn, {"b"}));
  EXPECT_TRUE(Holds("none", RequirementOp::kNotIn, {"b"}));
  EXPECT_TRUE(Holds("zone", RequirementOp::kExists, {}));
  EXPECT_FALSE(Holds("none", RequirementOp::kExists, {}));
  EXPECT_FALSE(Holds("zone", RequirementOp::kDoesNotExist, {}));
  EXPECT_TRUE(Holds("none", RequirementOp::kDoesNotExist, {}));
}

TEST(SelectorsTest, GreaterAndLessAreStrictAndNeedIntegers) {
  EXPECT_TRUE(Holds("cpus", RequirementOp::kGt, {"15"}));
  EXPECT_FALSE(Holds("cpus", RequirementOp::kGt, {"16"}));
  EXPECT_TRUE(Holds("cpus", RequirementOp::kLt, {"+17"}));
  EXPECT_FALSE(Holds("cpus", RequirementOp::kLt, {"16"}));
  EXPECT_TRUE(Holds("cpus", RequirementOp::kGt, {"-1"}));
  EXPECT_FALSE(Holds("cpus", RequirementOp::kGt, {"+-1"}));
  EXPECT_FALSE(Holds("cpus", RequirementOp::kGt, {" 1"}));
  EXPECT_FALSE(Holds("cpus", RequirementOp::kGt, {""}));
  EXPECT_FALSE(Holds("cpus", RequirementOp::kLt, {"9223372036854775808"}));
  EXPECT_TRUE(Holds("cpus", RequirementOp::kLt, {"9223372036854775807"}));
  EXPECT_FALSE(Holds("word", RequirementOp::kGt, {"1"}));
  EXPECT_FALSE(Holds("none", RequirementOp::kLt, {"1"}));
}

TEST(SelectorsTest, WhatCannotBeReadMatchesNothing) {
  EXPECT_FALSE(Holds("none", RequirementOp::kNotIn, {}));
  EXPECT_FALSE(Holds("zone", RequirementOp::kIn, {}));
  EXPECT_FALSE(Holds("zone", RequirementOp::kExists, {"a"}));
  EXPECT_FALSE(Holds("none", RequirementOp::kDoesNotExist, {"a"}));
  EXPECT_FALSE(Holds("cpus", RequirementOp::kGt, {"1", "2"}));
  EXPECT_FALSE(Holds("zone", RequirementOp::kUnset, {"a"}));
}

TEST(SelectorsTest, AllPartsOfASelectorHold) {
  EXPECT_TRUE(Matches(Selector{}, kLabels));
  EXPECT_TRUE(Matches(Selector{}, Labels{}));
  EXPECT_TRUE(
      Matches(Selector{{{"zone", "a"}}, {{"none", RequirementOp::kDoesNotExist, {}}}}, kLabels));
  EXPECT_FALSE(
      Matches(Selector{{{"zone", "a"}}, {{"zone", RequirementOp::kNotIn, {"a"}}}}, kLabels));
  EXPECT_FALSE(Matches(Selector{{{"none", ""}}, {}}, kLabels));
}

NodeSpec TestNode() {
  NodeSpec node;
  node.name = "n1";
  node.labels = kLabels;
  return node;
}

TEST(SelectorsTest, NodeTerms) {
  const NodeSpec node = TestNode();
  EXPECT_FALSE(Matches(NodeTerm{}, node)) << "a term that says nothing matches nothing";
  EXPECT_TRUE(Matches(NodeTerm{{{"zone", RequirementOp::kIn, {"a"}}}, {}}, node));
  EXPECT_TRUE(Matches(NodeTerm{{}, {{"metadata.name", RequirementOp::kIn, {"n1"}}}}, node));
  EXPECT_FALSE(Matches(NodeTerm{{}, {{"metadata.name", RequirementOp::kNotIn, {"n1"}}}}, node));
  EXPECT_FALSE(Matches(NodeTerm{{{"zone", RequirementOp::kIn, {"b"}}},
                                {{"metadata.name", RequirementOp::kIn, {"n1"}}}},
                       node));
  EXPECT_FALSE(Matches(NodeTerm{{}, {{"metadata.name", RequirementOp::kIn, {"n1", "n2"}}}}, node))
      << "a field takes exactly one value";
  EXPECT_FALSE(Matches(NodeTerm{{}, {{"metadata.name", RequirementOp::kExists, {}}}}, node));
  EXPECT_TRUE(Matches(NodeTerm{{}, {{"metadata.uid", RequirementOp::kNotIn, {"x"}}}}, node));
  EXPECT_TRUE(Matches(NodeTerm{{}, {{"metadata.uid", RequirementOp::kIn, {""}}}}, node));
}

TEST(SelectorsTest, NodeSelectorAndRequiredAffinityTogether) {
  const NodeSpec node = TestNode();
  TaskShape shape;
  EXPECT_TRUE(MatchesNode(shape, node));
  shape.node_selector = {{"zone", "a"}, {"empty", ""}};
  EXPECT_TRUE(MatchesNode(shape, node));
  shape.required_node_affinity.emplace();
  EXPECT_FALSE(MatchesNode(shape, node)) << "no terms: no node";
  shape.required_node_affinity->push_back({{{"zone", RequirementOp::kIn, {"b"}}}, {}});
  EXPECT_FALSE(MatchesNode(shape, node));
  shape.required_node_affinity->push_back({{{"cpus", RequirementOp::kGt, {"8"}}}, {}});
  EXPECT_TRUE(MatchesNode(shape, node)) << "terms are alternatives";
  shape.node_selector.emplace_back("none", "");
  EXPECT_FALSE(MatchesNode(shape, node));
}

TEST(SelectorsTest, Tolerations) {
  const Taint taint{"gpu", "only", TaintEffect::kNoSchedule};
  EXPECT_TRUE(Tolerates({"gpu", TolerationOp::kEqual, "only", TaintEffect::kUnset}, taint));
  EXPECT_TRUE(Tolerates({"gpu", TolerationOp::kEqual, "only", TaintEffect::kNoSchedule}, taint));
  EXPECT_FALSE(Tolerates({"gpu", TolerationOp::kEqual, "other", TaintEffect::kUnset}, taint));
  EXPECT_FALSE(Tolerates({"gpu", TolerationOp::kEqual, "only", TaintEffect::kNoExecute}, taint));
  EXPECT_TRUE(Tolerates({"gpu", TolerationOp::kExists, "ignored", TaintEffect::kUnset}, taint));
  EXPECT_TRUE(Tolerates({"", TolerationOp::kExists, "", TaintEffect::kUnset}, taint));
  EXPECT_FALSE(Tolerates({"cpu", TolerationOp::kExists, "", TaintEffect::kUnset}, taint));
}

TEST(SelectorsTest, TheFirstUntoleratedTaintThatKeepsOut) {
  NodeSpec node;
  node.taints = {{"soft", "", TaintEffect::kPreferNoSchedule},
                 {"a", "1", TaintEffect::kNoSchedule},
                 {"b", "2", TaintEffect::kNoExecute}};
  TaskShape shape;
  ASSERT_NE(FirstUntolerated(shape, node), nullptr);
  EXPECT_EQ(FirstUntolerated(shape, node)->key, "a");
  shape.tolerations = {{"a", TolerationOp::kEqual, "1", TaintEffect::kNoSchedule}};
  EXPECT_EQ(FirstUntolerated(shape, node)->key, "b");
  shape.tolerations.push_back({"b", TolerationOp::kExists, "", TaintEffect::kUnset});
  EXPECT_EQ(FirstUntolerated(shape, node), nullptr);
}

TEST(SelectorsTest, ToleratingTheMarkOfUnschedulableNodes) {
  TaskShape shape;
  EXPECT_FALSE(ToleratesUnschedulable(shape));
  shape.tolerations = {
      {"node.kubernetes.io/unschedulable", TolerationOp::kExists, "", TaintEffect::kNoExecute}};
  EXPECT_FALSE(ToleratesUnschedulable(shape));
  shape.tolerations = {
      {"node.kubernetes.io/unschedulable", TolerationOp::kEqual, "", TaintEffect::kNoSchedule}};
  EXPECT_TRUE(ToleratesUnschedulable(shape));
  shape.tolerations = {{"", TolerationOp::kExists, "", TaintEffect::kUnset}};
  EXPECT_TRUE(ToleratesUnschedulable(shape));
}

}  // namespace
}  // namespace muster
