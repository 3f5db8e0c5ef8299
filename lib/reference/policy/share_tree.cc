// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// drf's tree of shares, grown anew for every question. Steps of the queues' paths are its inner
// nodes, jobs its leaves. From the leaves up: an inner node holds what its saturated children hold,
// and of the other ones as much as if each had the share of the poorest of them.
#include <algorithm>
#include <deque>
#include <string>

#include "lib/reference/cycle.h"
#include "muster/quantity.h"

namespace muster::reference {

namespace {

struct Node {
  std::string step;
  JobIndex job = kNone;  // of a leaf
  double weight = 1;
  std::vector<Node*> children;
  std::vector<double> held;
  double share = 0;
  bool saturated = false;
};

double Dominant(const Cycle& cycle, const std::vector<double>& held) {
  double largest = 0;
  for (size_t d : PositiveDimensions(cycle.total)) {
    largest = std::max(largest, ShareOf(held[d], cycle.total.value[d]));
  }
  return largest;
}

struct Tree {
  std::deque<Node> nodes;
  Node* root = nullptr;

  Node* Below(Node* parent, const PathStep& step) {
    for (Node* child : parent->children) {
      if (child->job == kNone && child->step == step.name) return child;
    }
    const int64_t thousandths = ParseQuantity(step.weight.text, Unit::kMilli).value_or(1000);
    Node* node = &nodes.emplace_back();
    node->step = step.name;
    node->weight = std::max<double>(1, static_cast<double>(thousandths) / 1000);
    parent->children.push_back(node);
    return node;
  }

  std::vector<Node*> Way(const Cycle& cycle, QueueIndex queue) {
    std::vector<Node*> way = {root};
    for (const PathStep& step : cycle.tables().queues.spec[queue].share_path) {
      way.push_back(Below(way.back(), step));
    }
    return way;
  }
};

// `used_up`: dimensions of which nothing is left in the cluster.
bool LeafSaturated(const Cycle& cycle, JobIndex job, const Row& held,
                   const std::vector<bool>& used_up) {
  Row wanted(held.size(), 0);
  for (TaskIndex t : cycle.world.tasks_of(job)) AddTo(wanted, cycle.world.request(t), 1);
  for (size_t d = 0; d < held.size(); ++d) {
    if (held[d] == 0 || wanted[d] == 0) continue;
    if (held[d] >= wanted[d] || used_up[d]) return true;
  }
  return false;
}

void Count(const Cycle& cycle, const std::vector<Row>& held, const std::vector<bool>& used_up,
           Node& node) {
  if (node.job != kNone) {
    node.held.assign(held[node.job].begin(), held[node.job].end());
    node.saturated = LeafSaturated(cycle, node.job, held[node.job], used_up);
    node.share = Dominant(cycle, node.held);
    return;
  }
  double poorest = 1;
  node.saturated = true;
  for (Node* child : node.children) {
    Count(cycle, held, used_up, *child);
    if (!child->saturated) node.saturated = false;
    if (!child->saturated && child->share != 0) poorest = std::min(poorest, child->share);
  }
  node.held.assign(cycle.world.dimensions(), 0.0);
  for (const Node* child : node.children) {
    if (child->share == 0) continue;
    const double part = child->saturated ? 1 : poorest / child->share;
    for (size_t d = 0; d < node.held.size(); ++d) node.held[d] += child->held[d] * part;
  }
  node.share = Dominant(cycle, node.held);
}

}  // namespace

double CompareOnShareTree(const Cycle& cycle, const std::vector<Row>& held, QueueIndex l,
                          QueueIndex r) {
  Tree tree;
  tree.root = &tree.nodes.emplace_back();
  Row all(cycle.world.dimensions(), 0);
  for (JobIndex j : cycle.world.session_jobs()) {
    Node* parent = tree.Way(cycle, cycle.tables().jobs.queue[j]).back();
    Node* leaf = &tree.nodes.emplace_back();
    leaf->job = j;
    parent->children.push_back(leaf);
    AddTo(all, held[j], 1);
  }
  const std::vector<Node*> left = tree.Way(cycle, l), right = tree.Way(cycle, r);
  std::vector<bool> used_up(all.size(), true);
  for (size_t d : PositiveDimensions(cycle.total)) {
    used_up[d] = static_cast<double>(all[d]) >= cycle.total.value[d];
  }
  Count(cycle, held, used_up, *tree.root);
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i]->saturated != right[i]->saturated) return left[i]->saturated ? 1 : -1;
    const double mine = left[i]->share / left[i]->weight;
    const double other = right[i]->share / right[i]->weight;
    if (mine != other) return mine - other;
  }
  return 0;
}

}  // namespace muster::reference
