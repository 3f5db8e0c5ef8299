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

bool Holds(std::string key, std::string op, std::vector<std::string> values) {
  return Matches(Requirement{std::move(key), std::move(op), std::move(values)}, kLabels);
}

TEST(SelectorsTest, AnEmptyValueIsAValue) {
  ASSERT_NE(FindLabel(kLabels, "empty"), nullptr);
  EXPECT_EQ(*FindLabel(kLabels, "empty"), "");
  EXPECT_EQ(FindLabel(kLabels, "none"), nullptr);
  EXPECT_TRUE(Holds("empty", "Exists", {}));
  EXPECT_TRUE(Holds("empty", "In", {""}));
  EXPECT_FALSE(Holds("none", "In", {""}));
}

TEST(SelectorsTest, OperatorsOnPresentAndAbsentKeys) {
  EXPECT_TRUE(Holds("zone", "In", {"b", "a"}));
  EXPECT_FALSE(Holds("zone", "In", {"b"}));
  EXPECT_FALSE(Holds("zone", "NotIn", {"b", "a"}));
  EXPECT_TRUE(Holds("zone", "NotIn", {"b"}));
  EXPECT_TRUE(Holds("none", "NotIn", {"b"}));
  EXPECT_TRUE(Holds("zone", "Exists", {}));
  EXPECT_FALSE(Holds("none", "Exists", {}));
  EXPECT_FALSE(Holds("zone", "DoesNotExist", {}));
  EXPECT_TRUE(Holds("none", "DoesNotExist", {}));
}

TEST(SelectorsTest, GreaterAndLessAreStrictAndNeedIntegers) {
  EXPECT_TRUE(Holds("cpus", "Gt", {"15"}));
  EXPECT_FALSE(Holds("cpus", "Gt", {"16"}));
  EXPECT_TRUE(Holds("cpus", "Lt", {"+17"}));
  EXPECT_FALSE(Holds("cpus", "Lt", {"16"}));
  EXPECT_TRUE(Holds("cpus", "Gt", {"-1"}));
  EXPECT_FALSE(Holds("cpus", "Gt", {"+-1"}));
  EXPECT_FALSE(Holds("cpus", "Gt", {" 1"}));
  EXPECT_FALSE(Holds("cpus", "Gt", {""}));
  EXPECT_FALSE(Holds("cpus", "Lt", {"9223372036854775808"}));
  EXPECT_TRUE(Holds("cpus", "Lt", {"9223372036854775807"}));
  EXPECT_FALSE(Holds("word", "Gt", {"1"}));
  EXPECT_FALSE(Holds("none", "Lt", {"1"}));
}

TEST(SelectorsTest, WhatCannotBeReadMatchesNothing) {
  EXPECT_FALSE(Holds("none", "NotIn", {}));
  EXPECT_FALSE(Holds("zone", "In", {}));
  EXPECT_FALSE(Holds("zone", "Exists", {"a"}));
  EXPECT_FALSE(Holds("none", "DoesNotExist", {"a"}));
  EXPECT_FALSE(Holds("cpus", "Gt", {"1", "2"}));
  EXPECT_FALSE(Holds("zone", "Is", {"a"}));
}

TEST(SelectorsTest, AllPartsOfASelectorHold) {
  EXPECT_TRUE(Matches(Selector{}, kLabels));
  EXPECT_TRUE(Matches(Selector{}, Labels{}));
  EXPECT_TRUE(Matches(Selector{{{"zone", "a"}}, {{"none", "DoesNotExist", {}}}}, kLabels));
  EXPECT_FALSE(Matches(Selector{{{"zone", "a"}}, {{"zone", "NotIn", {"a"}}}}, kLabels));
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
  EXPECT_TRUE(Matches(NodeTerm{{{"zone", "In", {"a"}}}, {}}, node));
  EXPECT_TRUE(Matches(NodeTerm{{}, {{"metadata.name", "In", {"n1"}}}}, node));
  EXPECT_FALSE(Matches(NodeTerm{{}, {{"metadata.name", "NotIn", {"n1"}}}}, node));
  EXPECT_FALSE(Matches(NodeTerm{{{"zone", "In", {"b"}}}, {{"metadata.name", "In", {"n1"}}}}, node));
  EXPECT_FALSE(Matches(NodeTerm{{}, {{"metadata.name", "In", {"n1", "n2"}}}}, node))
      << "a field takes exactly one value";
  EXPECT_FALSE(Matches(NodeTerm{{}, {{"metadata.name", "Exists", {}}}}, node));
  EXPECT_TRUE(Matches(NodeTerm{{}, {{"metadata.uid", "NotIn", {"x"}}}}, node));
  EXPECT_TRUE(Matches(NodeTerm{{}, {{"metadata.uid", "In", {""}}}}, node));
}

TEST(SelectorsTest, NodeSelectorAndRequiredAffinityTogether) {
  const NodeSpec node = TestNode();
  TaskShape shape;
  EXPECT_TRUE(MatchesNode(shape, node));
  shape.node_selector = {{"zone", "a"}, {"empty", ""}};
  EXPECT_TRUE(MatchesNode(shape, node));
  shape.required_node_affinity.emplace();
  EXPECT_FALSE(MatchesNode(shape, node)) << "no terms: no node";
  shape.required_node_affinity->push_back({{{"zone", "In", {"b"}}}, {}});
  EXPECT_FALSE(MatchesNode(shape, node));
  shape.required_node_affinity->push_back({{{"cpus", "Gt", {"8"}}}, {}});
  EXPECT_TRUE(MatchesNode(shape, node)) << "terms are alternatives";
  shape.node_selector.emplace_back("none", "");
  EXPECT_FALSE(MatchesNode(shape, node));
}

TEST(SelectorsTest, Tolerations) {
  const Taint taint{"gpu", "only", "NoSchedule"};
  EXPECT_TRUE(Tolerates({"gpu", "Equal", "only", ""}, taint));
  EXPECT_TRUE(Tolerates({"gpu", "", "only", "NoSchedule"}, taint));
  EXPECT_FALSE(Tolerates({"gpu", "Equal", "other", ""}, taint));
  EXPECT_FALSE(Tolerates({"gpu", "Equal", "only", "NoExecute"}, taint));
  EXPECT_TRUE(Tolerates({"gpu", "Exists", "ignored", ""}, taint));
  EXPECT_TRUE(Tolerates({"", "Exists", "", ""}, taint));
  EXPECT_FALSE(Tolerates({"cpu", "Exists", "", ""}, taint));
  EXPECT_FALSE(Tolerates({"gpu", "Gt", "0", ""}, taint));
}

TEST(SelectorsTest, TheFirstUntoleratedTaintThatKeepsOut) {
  NodeSpec node;
  node.taints = {
      {"soft", "", "PreferNoSchedule"}, {"a", "1", "NoSchedule"}, {"b", "2", "NoExecute"}};
  TaskShape shape;
  ASSERT_NE(FirstUntolerated(shape, node), nullptr);
  EXPECT_EQ(FirstUntolerated(shape, node)->key, "a");
  shape.tolerations = {{"a", "Equal", "1", "NoSchedule"}};
  EXPECT_EQ(FirstUntolerated(shape, node)->key, "b");
  shape.tolerations.push_back({"b", "Exists", "", ""});
  EXPECT_EQ(FirstUntolerated(shape, node), nullptr);
}

TEST(SelectorsTest, ToleratingTheMarkOfUnschedulableNodes) {
  TaskShape shape;
  EXPECT_FALSE(ToleratesUnschedulable(shape));
  shape.tolerations = {{"node.kubernetes.io/unschedulable", "Exists", "", "NoExecute"}};
  EXPECT_FALSE(ToleratesUnschedulable(shape));
  shape.tolerations = {{"node.kubernetes.io/unschedulable", "Equal", "", "NoSchedule"}};
  EXPECT_TRUE(ToleratesUnschedulable(shape));
  shape.tolerations = {{"", "Exists", "", ""}};
  EXPECT_TRUE(ToleratesUnschedulable(shape));
}

}  // namespace
}  // namespace muster
