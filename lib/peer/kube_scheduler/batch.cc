// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/batch.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"

namespace muster::kube {
namespace {

constexpr std::string_view kListPrefix = "list/";

}  // namespace

void Batch::Load(const MemorySlot& slot, const Tables& tables) {
  signature_ = std::string(slot.Text("made", 0));
  made_ = slot.Integer("made", 1);
  last_number_ = AsCount(slot.Integer("last", 0));
  const auto node = tables.nodes.names.Find(slot.Text("last", 1));
  if (node) last_node_ = *node;
  for (const auto& [key, row] : slot.rows()) {
    if (!std::string_view(key).starts_with(kListPrefix)) continue;
    ScoredNode& entry = heap_.emplace_back();
    const auto listed = tables.nodes.names.Find(slot.Text(key, 0));
    if (listed) entry.node = *listed;
    entry.total = slot.Integer(key, 1);
    for (size_t p = 0; p < entry.raw.size(); ++p) entry.raw[p] = slot.Integer(key, 2 + p);
  }
}

void Batch::Store(MemorySlot* slot, const Tables& tables) const {
  *slot = MemorySlot();
  if (last_node_ == kNone) return;
  slot->Set("made", {signature_, made_});
  slot->Set("last", {last_number_, std::string(tables.nodes.names.name(last_node_))});
  for (size_t i = 0; i < heap_.size(); ++i) {
    // A number with leading zeros, so that rows keep the order of the heap.
    const std::string number = absl::StrCat(i);
    MemoryRow row = {std::string(heap_[i].node == kNone ? std::string_view()
                                                        : tables.nodes.names.name(heap_[i].node)),
                     heap_[i].total};
    row.insert(row.end(), heap_[i].raw.begin(), heap_[i].raw.end());
    slot->Set(absl::StrCat(ToAbsl(kListPrefix), std::string(10 - number.size(), '0'), number), row);
  }
}

bool Batch::Serves(const PodCycle& cycle, int64_t number, int64_t now, int64_t ticks) const {
  return !heap_.empty() && !signature_.empty() && signature_ == cycle.Signature() &&
         number == last_number_ + 1 && !cycle.is_nominated() &&
         SatMul(SatSub(now, made_), 2) <= ticks;
}

NodeIndex Batch::Hint(PodCycle* cycle, const World& world, int64_t number, int64_t now,
                      int64_t ticks) {
  if (cycle->rejected_by_pre_filter() || !Serves(*cycle, number, now, ticks)) return kNone;
  const auto lives = [&](NodeIndex n) { return n != kNone && world.tables().nodes.alive[n]; };
  if (!lives(last_node_)) return kNone;
  if (cycle->FilterAlone(last_node_)) {
    for (const ScoredNode& entry : heap_) {
      if (!lives(entry.node)) return kNone;
    }
    heap_.push_back({.node = last_node_});
    cycle->Rescore(&heap_);
    MakeHeap(&heap_);
  }
  return PopHeap(&heap_).node;
}

void Batch::Note(const PodCycle& cycle, NodeIndex hint, NodeIndex node, int64_t number,
                 int64_t now) {
  last_number_ = number;
  last_node_ = node;
  if (hint == node) return;
  signature_ = cycle.Signature();
  made_ = now;
  heap_ = cycle.Others();
  if (signature_.empty()) heap_.clear();
}

}  // namespace muster::kube
