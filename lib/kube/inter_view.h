// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What all rules between tasks read: nodes by topology value, and which tasks are where.
//
//   view.Open(tables, ledger, /*sees_all_tasks=*/true);
//   auto zones = view.ByLabels({"zone"});     // zones->of[n] is the number of n's zone, or kNone
//   view.Refresh();                           // before each question
//   for (NodeIndex n : view.staying(c)) ...   // tasks of class c when the view was taken
//   for (const auto& change : view.ChangesSince(view.base())) ...   // what came and went since
//
// The places are those of the ledger's Kubernetes view. It is read once, O(tasks), at the first
// question. Every reader starts from it and follows the ledger's journal at its own pace. A change
// is counted by the class of its task, because all tasks of a class are alike to every rule.
#ifndef MUSTER_KUBE_INTER_VIEW_H_
#define MUSTER_KUBE_INTER_VIEW_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"

namespace muster {

// A domain of a Topology. Domains of the cluster's own tree are DomainIndex.
using LabelDomainIndex = Index<struct LabelDomainTag>;

// A partition of nodes into domains.
struct Topology {
  std::vector<LabelDomainIndex> of;  // by node; kNone: in no domain
  uint32_t size = 0;                 // domains are 0 .. size - 1
};
using TopologyRef = std::shared_ptr<const Topology>;

class InterView {
 public:
  // `sees_all_tasks` is that of KubernetesRules.
  void Open(const Tables& tables, const Ledger& ledger, bool sees_all_tasks);
  const Tables& tables() const { return *tables_; }

  size_t node_rows() const { return tables_->nodes.alive.size(); }
  // Returns whether tasks on the node count.
  bool counted(NodeIndex n) const { return tables_->nodes.alive[n] && !unseen_[n]; }
  int64_t counted_nodes() const;  // O(nodes)

  // Nodes with equal values of all `keys` together; no keys: all nodes are one domain.
  TopologyRef ByLabels(const std::vector<std::string>& keys);
  // Every node by itself.
  TopologyRef ByNode();
  // One domain: nodes that have any of `keys`.
  TopologyRef WithAnyOf(const std::vector<std::string>& keys) const;

  // Takes the view where there is none, or where the ledger has dropped its journal.
  void Refresh();
  // Changes when the view is taken anew: every reader starts afresh.
  uint64_t epoch() const { return epoch_; }
  size_t base() const { return base_; }
  size_t end() const { return ledger_->view_journal().size(); }
  std::span<const Ledger::ViewChange> ChangesSince(size_t position) const {
    return ledger_->view_journal().subspan(position);
  }
  // One entry per task of the class: those that stay, and the others in the view.
  std::span<const NodeIndex> staying(ClassIndex c) const { return Of(staying_, c); }
  std::span<const NodeIndex> leaving(ClassIndex c) const { return Of(leaving_, c); }
  // Returns whether a task that is in the view in `status` stays: it was not leaving before the
  // cycle began. Where not all tasks are seen: it is neither leaving nor nominated, and it belongs
  // to a job.
  bool Stays(TaskIndex t, TaskStatus status) const {
    if (!sees_all_tasks_) return IsAllocated(status) && tables_->has_job(t);
    return tables_->tasks.status[t] != TaskStatus::kReleasing;
  }

 private:
  // Nodes of the tasks of each class, one class after another.
  struct Places {
    std::vector<size_t> start;  // by class, and one more
    std::vector<NodeIndex> nodes;
  };
  static std::span<const NodeIndex> Of(const Places& places, ClassIndex c) {
    return {places.nodes.data() + places.start[c], places.start[c + 1] - places.start[c]};
  }
  void Take(bool staying, Places* places) const;

  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  bool sees_all_tasks_ = true;
  std::vector<uint8_t> unseen_;  // else: nodes that are overfull when the cycle begins
  HashMap<std::vector<std::string>, TopologyRef> by_labels_;
  TopologyRef by_node_;

  bool taken_ = false;
  uint64_t birth_ = 0;
  uint64_t epoch_ = 0;
  size_t base_ = 0;
  Places staying_, leaving_;
};

}  // namespace muster

#endif  // MUSTER_KUBE_INTER_VIEW_H_
