// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A statement of KAI Scheduler: changes of a world that are committed together, or taken back.
//
//   KaiStatement statement(&world);
//   const size_t before = statement.Checkpoint();
//   statement.Evict(victim);
//   if (!statement.Pipeline(pod, node, /*update=*/false)) statement.Rollback(before);
//   statement.Commit(&listener, beneficiary);     // or Discard()
//
// Idea. Each change is an entry with all that its reverse needs. Taking entries back runs the
// reverse changes backwards. A task that is pipelined where it was evicted from is not evicted
// after all: its eviction is undone, which is an entry, too. An entry that was undone is marked, so
// that asking whether it stands costs O(1); the peer searches the list.
//
// Peer. Reverse changes are changes of their own, not restored copies. What a task got on a node is
// thus that of its last place until it is placed again.
//
// Cost. O(dimensions + depth of the queues) a change or its reverse.
#ifndef MUSTER_PEER_KAI_STATEMENT_H_
#define MUSTER_PEER_KAI_STATEMENT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/peer/kai/world.h"

namespace muster {

class KaiStatement {
 public:
  explicit KaiStatement(KaiWorld* world) : world_(world) { entries_.reserve(kUsualEntries); }

  bool empty() const { return entries_.empty(); }
  size_t Checkpoint() const { return entries_.size(); }
  void Rollback(size_t checkpoint);
  void Discard();

  // Each returns false, with the world unchanged, if the node or job does not have the task.
  bool Evict(KaiPod* pod);
  bool Allocate(KaiPod* pod, uint32_t node);
  // If `update`, a task that is already on the node is charged again there. Otherwise its eviction
  // is undone, unless its devices change.
  bool Pipeline(KaiPod* pod, uint32_t node, bool update);
  // Turns all that was allocated to the job into promises.
  void PipelineAll(uint32_t job);
  // Puts the evictions in this order, which a commit reports. Returns false, and changes nothing,
  // unless these tasks were evicted first, once each, and nothing was undone since.
  bool PutEvictionsInOrder(std::span<KaiPod* const> pods);
  void Commit(KaiListener* listener, uint32_t beneficiary);

 private:
  struct Entry {
    enum class Kind : uint8_t { kEvict, kAllocate, kPipeline, kUndo } kind;
    bool undone = false;
    bool was_virtual = false;
    KaiStatus was = KaiStatus::kPending;
    uint32_t from = kKaiNone;  // the node before
    uint32_t to = kKaiNone;
    size_t undoes = 0;                   // of kUndo: an entry
    KaiPod* pod = nullptr;               // that the reverse changes
    KaiPod* listed = nullptr;            // that a commit reports
    std::vector<uint32_t> devices = {};  // before
  };

  static constexpr size_t kUsualEntries = 32;

  void Undo(size_t i);
  void Redo(size_t i);
  void Reverse(size_t i);
  void Unevict(const Entry& entry);
  void Unallocate(KaiPod* pod, bool was_virtual);
  void Unpipeline(const Entry& entry);
  bool UndoFirstEviction(uint32_t task);

  KaiWorld* world_;
  std::vector<Entry> entries_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_STATEMENT_H_
