// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which tasks get CPUs of their own, by which policy, and whether a node has room for them.
//
//   CpuNeed need = NeedOfTask(wish, kFullCores);      // once a task
//   NodeCpuBinding node = BindingOfNode(label, kubelet_full_cores);
//   BindingOnNode(need, node);                        // once a node
//   FitsAmplified(need.milli, binds, cpus);           // on nodes that promise more than they have
//
// Idea. A task of the strict classes with a policy of full cores or of spread gets whole CPUs. A
// node may demand the same of all its tasks. A node with an amplification ratio counts shared CPUs
// as they are, and CPUs of one task with the ratio, rounded up.
//
// Peer. Koordinator's NUMA plug-in. Surprises: a policy that is neither of the two switches the
// binding off without an error, so fractions of a CPU pass. A task without a strict class on a node
// that demands a policy gets CPUs of its own, but its policy is the node's alone. CPUs of single
// tasks are amplified only if all requests of the node cover them. Node and task may each have a
// policy of zones; two different ones refuse the node.
//
// Cost. O(1) a task and node; O(resources) a zone.
#ifndef MUSTER_PEER_KOORDINATOR_CPU_CPU_BINDING_H_
#define MUSTER_PEER_KOORDINATOR_CPU_CPU_BINDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/share/sparse.h"

namespace muster {

enum class BindPolicy : uint8_t {
  kUnset,
  kDefault,    // that of the scheduler's configuration
  kFullCores,  // all threads of each core
  kSpread,     // one thread of each core
  kOther,      // no binding
};

// What a node demands of all its tasks.
enum class NodeCpuBinding : uint8_t { kNone, kFullCores, kSpread };

enum class BindRefusal : uint8_t {
  kNone,
  kFraction,   // bound tasks request whole CPUs
  kConflict,   // node and task require different policies
  kHalfCores,  // full cores, but no multiple of a core's threads
};

struct BindWish {
  bool strict = false;  // a class of tasks that may have CPUs of their own
  BindPolicy required = BindPolicy::kUnset;
  BindPolicy preferred = BindPolicy::kUnset;
  int64_t milli = 0;  // requested cpu, in thousandths
};

struct CpuNeed {
  bool binds = false;
  int64_t milli = 0, cpus = 0;  // cpus: whole ones, rounded down
  BindPolicy required = BindPolicy::kUnset;
  BindPolicy preferred = BindPolicy::kUnset;
  BindRefusal refusal = BindRefusal::kNone;  // on every node
};

struct NodeBinding {
  bool binds = false;
  BindPolicy policy = BindPolicy::kUnset;
  bool required = false;  // other policies do not do
  BindRefusal refusal = BindRefusal::kNone;
};

// CPUs of a node with an amplification ratio, in thousandths.
struct AmplifiedCpus {
  int64_t capacity = 0;   // amplified
  int64_t requested = 0;  // of all tasks, not amplified
  int64_t bound = 0;      // of which CPUs of single tasks
  double ratio = 1;
};

// Resources of one zone.
struct ZoneRoom {
  Sparse total;                     // amplified
  std::optional<Sparse> allocated;  // empty: no task has any
  Sparse reusable;                  // of `allocated`, what the task may take over
  int64_t bound = 0;                // CPUs of single tasks, in thousandths
};

struct ZoneFree {
  Sparse available;
  std::optional<Sparse> allocated;  // amplified
};

// What a task needs, `fallback` being the configuration's policy.
CpuNeed NeedOfTask(const BindWish& wish, BindPolicy fallback);

// Full cores, by label or by the kubelet, come before spread.
NodeCpuBinding BindingOfNode(NodeCpuBinding label, bool kubelet_full_cores);

// The policy that holds for a task on a node; the task's required policy comes first.
NodeBinding PolicyOnNode(BindPolicy required, BindPolicy preferred, NodeCpuBinding node);

// As PolicyOnNode, for a need, with what refuses it there. `threads` is that of a core, 1 or more.
NodeBinding BindingOnNode(const CpuNeed& need, NodeCpuBinding node, int64_t threads);

// What binding writes into a task's own policies, once it has CPUs by `binding`: a policy that
// holds and that the task left to the configuration, or did not name.
struct SpecPolicies {
  BindPolicy required = BindPolicy::kUnset;
  BindPolicy preferred = BindPolicy::kUnset;
};
SpecPolicies PoliciesToWrite(SpecPolicies spec, const NodeBinding& binding);

// Returns amount * ratio, rounded up; the amount where the ratio is 1 or less.
int64_t AmplifiedAmount(int64_t amount, double ratio);

// Returns whether a request of so many thousandths fits; every request fits without a ratio.
bool FitsAmplified(int64_t milli, bool binds, const AmplifiedCpus& cpus);

// What a zone has left, `cpu` being the number of that resource. No amount is below zero.
ZoneFree FreeOfZone(const ZoneRoom& zone, size_t cpu, double ratio);

// The policy of zones of a task on a node, empty being none; nothing if both differ.
std::optional<std::string> ZonePolicyOf(std::string_view node, std::string_view task);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_CPU_CPU_BINDING_H_
