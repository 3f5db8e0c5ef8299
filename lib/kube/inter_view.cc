// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/kube/inter_view.h"

#include <numeric>
#include <utility>

#include "lib/base/names.h"
#include "lib/kube/selectors.h"
#include "lib/ledger/overfull.h"

namespace muster {

void InterView::Open(const Tables& tables, const Ledger& ledger, bool sees_all_tasks) {
  tables_ = &tables;
  ledger_ = &ledger;
  by_labels_.clear();
  taken_ = false;
  // Most profiles see all tasks in every cycle, and have nothing to reset.
  if (!sees_all_tasks_) unseen_.clear();
  unseen_.resize(node_rows(), 0);
  sees_all_tasks_ = sees_all_tasks;
  for (NodeIndex n = 0; !sees_all_tasks && n < node_rows(); ++n) {
    unseen_[n] = IsOverfull(ledger, n);
  }
}

int64_t InterView::counted_nodes() const {
  int64_t count = 0;
  for (NodeIndex n = 0; n < node_rows(); ++n) count += counted(n);
  return count;
}

TopologyRef InterView::ByLabels(const std::vector<std::string>& keys) {
  TopologyRef& known = by_labels_[keys];
  if (known != nullptr) return known;
  auto topology = std::make_shared<Topology>();
  topology->of.assign(node_rows(), kNone);
  for (NodeIndex n = 0; n < node_rows(); ++n) {
    if (tables_->nodes.alive[n]) topology->of[n] = 0;
  }
  topology->size = 1;
  for (const std::string& key : keys) {
    // The domains so far, cut by the values of one more key.
    NameTable values;
    HashMap<std::pair<LabelDomainIndex, uint32_t>, LabelDomainIndex> parts;
    for (NodeIndex n = 0; n < node_rows(); ++n) {
      LabelDomainIndex& domain = topology->of[n];
      if (domain == kNone) continue;
      const std::string* value = FindLabel(tables_->nodes.spec[n].labels, key);
      if (value == nullptr) {
        domain = kNone;
        continue;
      }
      const auto next = LabelDomainIndex(parts.size());
      domain = parts.try_emplace({domain, values.Intern(*value)}, next).first->second;
    }
    topology->size = static_cast<uint32_t>(parts.size());
  }
  known = std::move(topology);
  return known;
}

TopologyRef InterView::ByNode() {
  if (by_node_ == nullptr || by_node_->size != node_rows()) {
    auto topology = std::make_shared<Topology>();
    topology->size = static_cast<uint32_t>(node_rows());
    topology->of.resize(node_rows());
    std::iota(topology->of.begin(), topology->of.end(), LabelDomainIndex{0});
    by_node_ = std::move(topology);
  }
  return by_node_;
}

TopologyRef InterView::WithAnyOf(const std::vector<std::string>& keys) const {
  auto topology = std::make_shared<Topology>();
  topology->size = 1;
  topology->of.assign(node_rows(), kNone);
  for (NodeIndex n = 0; n < node_rows(); ++n) {
    if (!tables_->nodes.alive[n]) continue;
    for (const std::string& key : keys) {
      if (FindLabel(tables_->nodes.spec[n].labels, key) != nullptr) topology->of[n] = 0;
    }
  }
  return topology;
}

void InterView::Refresh() {
  if (taken_ && birth_ == ledger_->birth()) return;
  taken_ = true;
  birth_ = ledger_->birth();
  ++epoch_;
  base_ = end();
  Take(true, &staying_);
  Take(false, &leaving_);
}

void InterView::Take(bool staying, Places* places) const {
  const TaskTable& tasks = tables_->tasks;
  const auto taken = [&](TaskIndex t) {
    return ledger_->in_view(t) && Stays(t, ledger_->status(t)) == staying;
  };
  std::vector<size_t>& start = places->start;
  start.assign(tables_->classes.shape.size() + 1, 0);
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    if (taken(t)) ++start[tasks.task_class[t] + 1];
  }
  for (size_t c = 1; c < start.size(); ++c) start[c] += start[c - 1];
  places->nodes.resize(start.back());
  std::vector<size_t> next(start.begin(), start.end() - 1);
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    if (taken(t)) places->nodes[next[tasks.task_class[t]]++] = ledger_->node_of(t);
  }
}

}  // namespace muster
