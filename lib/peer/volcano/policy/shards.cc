// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// shards: one of several schedulers keeps to its part of the cluster, or prefers it.
//
// Idea. Every node belongs to the shard that its `shard` names, or to none. A scheduler that looks
// after shard `name` takes no other nodes; with soft=on it takes others where none of its own
// serves. Own nodes then come first whatever others score, and only nodes on one side are compared
// with each other.
// Peer. Volcano's --scheduler-sharding-mode, hard and soft. In allocate what is idle in other
// shards goes before what will be idle in the own one; preempt tries all own nodes, then all
// others, and counts the tenth of the nodes that its topology-aware variant looks at on each side
// alone. A hard refusal is one that no eviction cures here, where the peer takes it for one that
// might be: that can be seen only of a gang's trial when all own nodes are beyond help, and of a
// task that was promised a node of another shard.
// Ties. None of its own. Cost. Hard: once per node and set of constraints. Soft: all nodes are
// looked at, every time.
#include "lib/extension/cycle.h"
#include "lib/peer/volcano/policies.h"

namespace muster {
namespace {

constexpr OptionDecl kShardsOptions[] = {
    {"name", OptionKind::kText, "", 0, 0, "the shard that this scheduler looks after"},
    {"soft", OptionKind::kFlag, "off", 0, 0, "nodes of other shards serve where no own one does"},
};

class Shards : public Policy, public FitPolicy, public ScorePolicy {
 public:
  explicit Shards(const Options& options)
      : own_(options.text("name")), soft_(options.flag("soft")) {}

  std::string_view name() const override { return "shards"; }
  PointSet points() const override {
    return soft_ ? PointSet{Point::kScore} : PointSet{Point::kFit};
  }
  Traits traits() const override {
    Traits traits;
    traits.ranks_nodes = soft_;
    return traits;
  }
  FitPolicy* fit() override { return this; }
  ScorePolicy* score() override { return this; }
  void Open(const Cycle& cycle) override { tables_ = &internal::DataOf(cycle).tables; }

  Scope FitScope(ClassIndex) override { return Scope::kKind; }
  bool FitsKind(ClassIndex, NodeIndex node, NodeRefusal* refusal) override {
    if (RankOf(node) == 0) return true;
    *refusal = {RefusalCode::kPolicy, "not in shard " + own_};
    return false;
  }

  uint8_t RankOf(NodeIndex node) const override {
    return tables_->nodes.spec[node].shard == own_ ? 0 : 1;
  }

 private:
  const std::string own_;
  const bool soft_;
  const Tables* tables_ = nullptr;
};

}  // namespace

PolicyDecl ShardsPolicy() {
  return {"shards", "one scheduler's part of the cluster", kShardsOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Shards>(options);
          }};
}

}  // namespace muster
