// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a partition consists of: allocations, applications, queues and nodes, as plain values.
//
// All refer to each other by index. A request and an allocation are one thing, an Allocation: it is
// a request until `allocated`.
//
// Where the peer walks through a table in an order of hashes, here the order is that of the names.
#ifndef MUSTER_PEER_YUNIKORN_OBJECTS_H_
#define MUSTER_PEER_YUNIKORN_OBJECTS_H_

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/base/hash_map.h"
#include "lib/peer/yunikorn/access.h"
#include "lib/peer/yunikorn/limits.h"
#include "lib/peer/yunikorn/resource.h"

namespace muster::yunikorn {

using Index = uint32_t;
inline constexpr Index kNone = std::numeric_limits<Index>::max();

// Nanoseconds: points in time since any fixed one, and spans.
using Nanos = int64_t;
inline constexpr Nanos kSecond = 1'000'000'000;
inline constexpr Nanos kNever = std::numeric_limits<Nanos>::min();

inline constexpr int32_t kLeastPriority = std::numeric_limits<int32_t>::min();

// How many of each priority there are; the largest is at the back.
class Priorities {
 public:
  void Add(int32_t priority);
  void Remove(int32_t priority);
  int32_t Largest() const { return counts_.empty() ? kLeastPriority : counts_.back().first; }
  bool empty() const { return counts_.empty(); }
  // Returns how many there are of all priorities.
  size_t size() const;
  void Clear() { counts_.clear(); }

 private:
  std::vector<std::pair<int32_t, int>> counts_;
};

// Why a request got no room by preemption, the last time that it was tried.
enum class PreemptionRefusal : uint8_t {
  kNone,
  kPreconditions,  // too soon, not allowed, or the queue has no attempts left
  kGuarantees,     // the queue would have more than its guarantee, whatever is stopped
  kNoHelp,         // no node gets the room
  kShortfall,      // the victims of the node that was chosen are not enough
  kRequiredNode,   // nor has the one node of the request the victims
};

struct Allocation {
  std::string key;
  std::string task_group;
  std::string required_node;  // empty: any node
  Index application = kNone;  // kNone: a foreign pod
  uint32_t host_number = 0;   // the host's own, which nothing here reads
  Resource resource;
  Nanos create_time = 0;
  int32_t priority = 0;
  bool placeholder = false;
  bool originator = false;
  bool foreign = false;
  bool may_be_preempted = false;
  bool may_preempt = false;

  // What the scheduler did with it.
  bool allocated = false;
  bool released = false;   // the host was asked to stop it, or it is being replaced
  bool preempted = false;  // never together with `released`
  bool preemption_triggered = false;
  bool scheduling_attempted = false;
  bool scale_up_triggered = false;
  PreemptionRefusal preemption_refusal = PreemptionRefusal::kNone;
  Nanos preempt_check_time = kNever;
  Index node = kNone;
  Index release = kNone;  // the placeholder that this replaces, or what replaces this

  // Where it is listed.
  bool in_requests = false;
  bool in_application = false;
  bool on_node = false;

  // No node had room for the request when this many changes of nodes were known; 0: not known.
  uint64_t unfit_at = 0;
  bool unfit_reserves = false;  // nor was there a node to reserve
};

struct Reservation {
  Index request = kNone;
  Index application = kNone;
  Index node = kNone;
  Nanos create_time = 0;
};

// A task group, as counted by its placeholders.
struct PlaceholderData {
  int64_t count = 0;
  int64_t replaced = 0;
  int64_t timed_out = 0;
  Resource least;
};

enum class AppState : uint8_t {
  kNew,
  kAccepted,
  kRunning,
  kRejected,
  kCompleting,
  kCompleted,
  kFailing,
  kFailed,
  kExpired,
  kResuming,
};
enum class AppEvent : uint8_t { kRun, kReject, kComplete, kFail, kExpire, kResume };

struct Application {
  std::string id;
  std::string queue_path;  // where it was submitted to, then where it is
  std::map<std::string, std::string> tags;
  Resource placeholder_ask;
  bool hard_gang = false;
  bool forced = false;  // it runs already and must be taken
  // Limits of its namespace, for dynamic queues; nil: none.
  Resource tagged_guaranteed = Resource::Nil();
  Resource tagged_most = Resource::Nil();

  Index queue = kNone;
  bool in_queue = false;  // the queue lists it
  AppState state = AppState::kNew;
  bool completing_timer = false;  // it becomes Completed once its time is over
  bool placeholder_timer = false;
  Nanos submission_time = 0;
  Nanos backoff_deadline = kNever;
  UsageKey usage;

  Resource pending;
  Resource allocated;  // without placeholders
  Resource placeholders_allocated;
  bool has_placeholders = false;
  std::map<std::string, PlaceholderData> placeholder_data;

  HashMap<std::string, Index> requests;  // by key
  std::vector<Index> sorted_requests;    // satisfied ones stay
  size_t first_open = 0;                 // all before are allocated
  std::vector<Index> allocations;
  size_t sorted_allocations = 0;          // so many of them are in order of their keys
  std::vector<Reservation> reservations;  // by key

  Priorities open_priorities;  // of requests that are not allocated
  int32_t priority = kLeastPriority;
  int32_t counted_priority = kLeastPriority;  // what the queue counts
  bool priority_counted = false;
};

enum class QueueState : uint8_t { kActive, kDraining, kStopped };
enum class SortPolicy : uint8_t { kFifo, kFair, kUndefined };
enum class PreemptionPolicy : uint8_t { kDefault, kFence, kDisabled };

// The properties of a queue, read.
struct QueueRules {
  SortPolicy sort = SortPolicy::kFifo;
  bool sort_by_priority = true;
  bool priority_fence = false;
  int32_t priority_offset = 0;
  PreemptionPolicy preemption = PreemptionPolicy::kDefault;
  Nanos preemption_delay = 30 * kSecond;
  Nanos quota_preemption_delay = 0;
  uint64_t backoff_asks = 0;  // 0: never
  Nanos backoff_delay = 30 * kSecond;
};

// What a dynamic leaf gets from its parent.
struct QueueTemplate {
  bool set = false;
  uint64_t most_applications = 0;
  std::map<std::string, std::string> properties;
  Resource guaranteed = Resource::Nil();
  Resource most = Resource::Nil();
};

struct Queue {
  std::string name;
  std::string path;
  Index parent = kNone;
  bool leaf = false;
  bool managed = false;
  bool removed = false;
  QueueState state = QueueState::kActive;
  Resource most = Resource::Nil();
  Resource guaranteed = Resource::Nil();
  uint64_t most_applications = 0;
  std::map<std::string, std::string> properties;
  QueueRules rules;
  QueueTemplate child_template;
  Acl submit_acl, admin_acl;

  Resource allocated, pending, preempting;
  uint64_t running = 0;
  HashSet<std::string> allocating;              // ids of Accepted applications with an allocation
  std::vector<Index> children;                  // by name
  std::vector<Index> applications;              // by id
  std::vector<std::pair<Index, int>> reserved;  // applications by id, how many reservations each
  Priorities priorities;                        // of applications, or as children export them
  int32_t priority = kLeastPriority;
  int32_t counted_priority = kLeastPriority;  // what the parent counts
  bool priority_counted = false;
  Nanos quota_preemption_start = kNever;

  // What sorting keeps.
  bool has_pending = false;  // pending is above zero
  double share = 0;
  uint64_t share_epoch = 0;
};

// What a walk through nodes reads comes first.
struct Node {
  bool schedulable = true;
  bool removed = false;
  bool allocations_sorted = true;
  std::vector<Reservation> reservations;  // by key
  Resource total, available, allocated;
  absl::InlinedVector<Index, 4> allocations;
  Resource occupied;
  std::string id;
};

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_OBJECTS_H_
