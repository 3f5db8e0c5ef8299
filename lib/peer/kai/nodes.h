// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The books of the nodes in a cycle of KAI Scheduler: idle, used, releasing, and shared devices.
//
//   KaiNodes nodes(facts);
//   nodes.Add(n, &pod, /*elsewhere=*/false);   // charges the pod by its status
//   nodes.Fits(n, shape, nodes.idle(n));       // room now
//   nodes.Remove(n, pod.task);
//
// Idea. Each node has three vectors: what is idle, what is used, and what leaving tasks give back.
// A pipelined task takes from what is given back, which may become negative. A node notes how each
// of its pods was charged, so that a pod is uncharged as it was charged, whatever its status is by
// then. A task that leaves one node for another is noted on both.
//
// Shared devices are groups with a number each. The first part that is used takes one device out of
// idle; the last one gives it back. Groups of one node are in ascending order of their numbers:
// those that were there when the cycle opened, then new ones as they were made.
//
// Peer. A shared device leaves `idle` and is never in `used`. Accounts of a group are kept when it
// is empty again. A pod that moves between groups of one node loses its old note, so that undoing
// the move and the eviction before it leaves the node charged twice.
//
// Cost. O(dimensions + groups of the task).
#ifndef MUSTER_PEER_KAI_NODES_H_
#define MUSTER_PEER_KAI_NODES_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/peer/kai/facts.h"
#include "lib/peer/kai/node_fit.h"
#include "lib/peer/kai/pod_affinity.h"
#include "lib/peer/kai/pods.h"

namespace muster {

// The shared devices of a node, in ascending order of their groups.
struct KaiDeviceGroups {
  std::vector<uint32_t> ids = {};
  std::vector<KaiSharedDevice> devices = {};
  struct Marks {
    bool allocated = false;  // some task that is not pipelined was there in this cycle
    bool releasing = false;  // the device is counted among the node's releasing ones
  };
  std::vector<Marks> marks = {};
};

class KaiNodes {
 public:
  explicit KaiNodes(const KaiFacts& facts);

  size_t size() const { return facts_.nodes.size(); }
  const KaiNodeFacts& facts(uint32_t n) const { return facts_.nodes[n]; }
  const double* idle(uint32_t n) const { return &cells_[(n * 3) * width_]; }
  const double* used(uint32_t n) const { return &cells_[(n * 3 + 1) * width_]; }
  const double* releasing(uint32_t n) const { return &cells_[(n * 3 + 2) * width_]; }
  double NotAllocated(uint32_t n, size_t d) const { return idle(n)[d] + releasing(n)[d]; }
  const KaiDeviceGroups& groups(uint32_t n) const { return groups_[n]; }

  // How a pod was charged on a node.
  struct Note {
    uint32_t node = kKaiNone;
    KaiStatus status = KaiStatus::kPending;
    KaiReceived received = KaiReceived::kNothing;
    bool accepted = false;
    double accepted_gpus = 0;
    std::vector<uint32_t> devices = {};
  };
  // Returns null if the node has none of the task.
  const Note* Find(uint32_t n, uint32_t task) const;
  // Returns on how many nodes the task is noted: two, once it was moved in this cycle.
  size_t CountNotes(uint32_t task) const { return notes_[task].size(); }
  // Charges a pod that is there when the cycle opens, which is no change of the node.
  void Open(uint32_t n, KaiPod* pod);
  // Charges the pod; false if it is there already. `elsewhere`: a pod that shares a device may be
  // there, on other devices.
  bool Add(uint32_t n, KaiPod* pod, bool elsewhere);
  bool Remove(uint32_t n, uint32_t task);
  // Charges the pod again, by its status now.
  bool Update(uint32_t n, KaiPod* pod);

  // --- questions
  // Return whether the shape fits what is idle, or idle and releasing.
  bool FitsNow(uint32_t n, const KaiShape& shape) const;
  bool FitsLater(uint32_t n, const KaiShape& shape) const;
  // Return whether group `g` of the node has room, with what is releasing, or without.
  bool FitsGroup(uint32_t n, const KaiShape& shape, size_t g) const {
    return KaiFitsDevice(shape.gpu, groups_[n].devices[g], facts_.nodes[n].gpu_memory);
  }
  bool FitsGroupNow(uint32_t n, const KaiShape& shape, size_t g) const;
  // GPUs of the node that are idle or releasing, with parts of devices; and their memory.
  double FreeGpus(uint32_t n) const { return FreeGpusOfAll()[n]; }
  int64_t FreeGpuMemory(uint32_t n) const;
  // FreeGpus by node; the nodes, ascending, where it is not 0; and by node whether some GPU, or a
  // part of one, is idle or releasing. Cost: only nodes that changed since are counted anew.
  const std::vector<double>& FreeGpusOfAll() const;
  const std::vector<uint32_t>& NodesWithGpus() const;
  const std::vector<uint8_t>& HasFreeGpus() const;
  size_t legacy_tasks(uint32_t n) const { return legacy_[n]; }
  const KaiAffinity& affinity() const { return affinity_; }

  // How often any node has changed, and how often one has.
  size_t changes() const { return forgotten_ + journal_.size(); }
  size_t changes_of(uint32_t n) const { return changes_of_[n]; }
  // Returns the nodes of the latest changes, an entry each, from number `since` on; nothing if so
  // many followed that they are forgotten: then changes_of tells for each node.
  std::optional<std::span<const uint32_t>> ChangedSince(size_t since) const {
    if (since < forgotten_) return std::nullopt;
    return std::span(journal_).subspan(since - forgotten_);
  }

  uint32_t NewGroup() { return next_group_++; }
  void KnowGroups(uint32_t count) { next_group_ = std::max(next_group_, count); }

 private:
  double* cells(uint32_t n, int which) { return &cells_[(n * 3 + which) * width_]; }
  void Accept(uint32_t n, KaiPod* pod) const;
  void Put(uint32_t n, const KaiPod& pod);
  void ChargeVectors(uint32_t n, uint32_t task, const Note& note, double times);
  void AddParts(uint32_t n, uint32_t task, const Note& note);
  void RemoveParts(uint32_t n, uint32_t task, const Note& note);
  void AddPart(uint32_t n, KaiStatus status, int64_t memory, uint32_t id);
  void RemovePart(uint32_t n, KaiStatus status, int64_t memory, uint32_t id);
  size_t Group(uint32_t n, uint32_t id);
  int UsedDevices(uint32_t n) const;
  // Takes a device out of idle, or gives it back, if the node's devices are miscounted otherwise.
  void TakeDevice(uint32_t n);
  void ReturnDevice(uint32_t n);
  void Enter(uint32_t n);
  void CountFree(uint32_t n) const;
  void Recount() const;

  const KaiFacts& facts_;
  size_t width_;
  std::vector<double> cells_;
  std::vector<KaiDeviceGroups> groups_;
  std::vector<absl::InlinedVector<Note, 1>> notes_;  // by task
  std::vector<size_t> legacy_;
  KaiAffinity affinity_;
  std::vector<uint32_t> journal_;
  std::vector<size_t> changes_of_;
  size_t forgotten_ = 0;  // entries that stood before those of `journal_`
  uint32_t next_group_ = 0;
  mutable std::vector<double> room_;  // of one question
  // Free GPUs as they were last counted, and the nodes that changed since.
  mutable std::vector<double> free_;
  mutable std::vector<uint8_t> has_free_, is_stale_;
  mutable std::vector<uint32_t> with_gpus_, stale_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_NODES_H_
