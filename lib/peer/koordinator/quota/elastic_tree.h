// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// An elastic quota tree as Koordinator keeps it: groups with a minimum of their own, a maximum, and
// a runtime, which is what they may use at this moment of what others leave.
//
//   ElasticTree tree({});
//   tree.AddTotal({{"cpu", 96000}});
//   absl::Status status =
//       tree.Put({.name = "vision", .max = {{"cpu", 64000}}, .min = {{"cpu", 16000}}});
//   tree.AddTask("vision", {.name = "t1", .request = {{"cpu", 4000}}});
//   tree.Refresh("vision");                                  // {{"cpu", 4000}}: its runtime
//
// Idea. Requests rise from the leaves, each cut at its group's maximum; use rises uncut. On the way
// down each level's amount is handed to its children (redistribution.h). Both go along one path of
// the tree for each event.
//
// Promises. A call takes effect as a whole, or returns an error and changes nothing. Equal calls in
// equal order give equal numbers. Sums are exact. A sum past the end of int64 reads as the end, and
// taking the same amount away restores the former value. A parent counts no more than the end of a
// request.
//
// Peer. Refreshing is lazy, as the peer's is. Only the groups on the refreshed path get their
// minimum scaled and their runtime renewed, with the siblings' numbers of that moment. A new
// minimum of a group that does not lend becomes visible to its level when the group's requests next
// change. Three groups always exist: the root, and below it one for tasks of no group and one for
// the system's; use of the last is taken from the total. A root's own "allocated" survives a
// rebuild of the tree and so counts twice, which the peer does and nothing reads.
//
// Cost. O(depth * resources) for each event and each edit of one group. Refresh: one redistribution
// for each level of the path and resource with changed inputs. An edit that makes a group a parent
// or lets it lend rebuilds all, as the peer does.
#ifndef MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_TREE_H_
#define MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_TREE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/peer/koordinator/quota/elastic_level.h"
#include "lib/peer/koordinator/quota/redistribution.h"
#include "lib/share/resource_names.h"
#include "lib/share/sparse.h"

namespace muster {

inline constexpr std::string_view kRootQuota = "koordinator-root-quota";
inline constexpr std::string_view kSystemQuota = "koordinator-system-quota";
inline constexpr std::string_view kDefaultQuota = "koordinator-default-quota";

struct QuotaGroup {
  std::string name = {};
  std::string parent = {};  // empty: the root
  bool is_parent = false;
  bool lends = true;  // lends the part of its minimum that it does not request
  NamedAmounts max = {}, min = {};
  std::optional<NamedAmounts> weight = {};  // absent or all zero: as max
};

struct QuotaTask {
  std::string name = {};
  NamedAmounts request = {};
  bool assigned = false;  // it has a node and has not ended
  bool preemptible = true;
};

class ElasticTree {
 public:
  using Index = uint32_t;  // of a group, as long as it is there
  static constexpr Index kNone = ~Index{0};

  struct Options {
    bool scale_min = true;         // minimums shrink together when the parent cannot cover them
    bool guarantee_usage = false;  // what is in use counts as a minimum; no group lends
    bool has_builtin = true;       // the groups for tasks of no group and of the system
    Rounding rounding = Rounding::kLargestRemainder;
    NamedAmounts system_max = {}, default_max = {};
  };
  explicit ElasticTree(const Options& options);

  absl::Status AddTotal(const NamedAmounts& delta);
  absl::Status Put(const QuotaGroup& quota);  // a new group, or new values of one
  absl::Status Remove(std::string_view name);

  // Adds a task that waits in a group or uses of it. Does nothing for an unknown group or a task
  // that the group has already.
  absl::Status AddTask(std::string_view group, const QuotaTask& task);
  absl::Status UpdateTask(std::string_view old_group, const QuotaTask& old_task,
                          std::string_view group, const QuotaTask& task);
  absl::Status RemoveTask(std::string_view group, const QuotaTask& task);
  absl::Status Reserve(std::string_view group, const QuotaTask& task);
  absl::Status Unreserve(std::string_view group, const QuotaTask& task);
  // Does the same for many tasks at once, by what they change. No amount falls below zero.
  void AddRequest(Index group, const Sparse& delta, const Sparse& fixed) {
    PassRequest(delta, fixed, PathOf(group), /*own=*/true);
  }
  void AddUse(Index group, const Sparse& delta, const Sparse& fixed) {
    PassUse(group, delta, fixed, /*own=*/true);
  }

  // Brings the groups on the way to this one up to date and returns what it may use; nothing if it
  // is unknown.
  NamedAmounts Refresh(std::string_view group);
  Sparse Refresh(Index group);
  // Brings all groups up to date with one another, so that Refresh has nothing to change. O(groups
  // * resources) where nothing changed since, and one redistribution for each level where something
  // did.
  void RefreshAll();
  // Returns what Refresh returns right after RefreshAll. O(resources).
  Sparse Runtime(Index group) const;

  struct Numbers {
    Sparse max, min, scaled_min, weight;
    SparseSum request, child_request, fixed_request;  // fixed: of tasks that cannot be preempted
    SparseSum used, fixed_used;
    SparseSum own_request, own_fixed_request, own_used,
        own_fixed_used;  // of tasks attached right here
    Sparse guaranteed;
    SparseSum allocated;
    Sparse runtime;  // as of when it was last refreshed
  };
  std::optional<Numbers> Find(std::string_view group) const;
  NamedAmounts Named(const Sparse& amounts) const { return resources_.Named(amounts); }
  absl::StatusOr<Sparse> Intern(const NamedAmounts& amounts) { return resources_.Intern(amounts); }
  Index IndexOf(std::string_view name) const;  // kNone: unknown
  const std::string& name(Index group) const { return groups_[group].name; }
  const std::string& resource(size_t at) const { return resources_.name(at); }

  // Returns whether a task of a group has a place; whether a group is another one or anywhere below
  // it.
  bool IsAssigned(Index group, std::string_view task) const;
  bool IsWithin(Index group, Index top) const;

  // What a group holds and may hold, as of when it was last refreshed.
  struct Room {
    Sparse used, runtime;
    uint64_t keys = 0;  // resources that its maximum names
  };
  std::optional<Room> RoomOf(std::string_view group) const;

  // Returns whether a group may take one more task. Refreshes it first.
  struct AdmitOptions {
    bool by_max = false;        // what others leave does not matter
    bool asks_parents = false;  // all groups above, the root apart, as the refresh left them
  };
  struct Admission {
    enum class Verdict : uint8_t { kFits, kAboveRuntime, kAboveMin } verdict = Verdict::kFits;
    Index group = kNone;  // where the task does not fit: the group, and the first resource
    size_t resource = 0;
  };
  Admission Admit(Index group, const Sparse& request, bool preemptible,
                  const AdmitOptions& options);

  std::vector<std::string> Groups() const;  // the built-in ones first, then as they came

 private:
  static constexpr Index kRoot = 0;

  struct Group {
    std::string name;
    Index parent = kNone;
    uint32_t place = 0;  // among the parent's children
    bool is_parent = false, lends = true, alive = true;
    // In these resources, only requests of its children can change the request that its level has
    // for it.
    bool settled = false;
    uint64_t settled_keys = 0;
    bool scaled = false;                // counted in its level's
    Numbers numbers;                    // but for the runtime, which is with its level
    std::optional<Sparse> counted_min;  // in its level's sum
    uint64_t counted_keys = 0;          // in key_counts_
    ElasticLevel level;                 // of its children
    HashMap<std::string, bool> tasks;   // name -> assigned
  };

  using Path = absl::InlinedVector<Index, 16>;
  Path PathOf(Index group) const;  // itself first, the root last
  Index Make(std::string_view name, Index parent, bool is_parent, bool lends);
  bool IsBuiltIn(Index group) const { return group < (options_.has_builtin ? 3u : 1u); }
  ElasticLevel& LevelOf(const Group& group) { return groups_[group.parent].level; }
  void Attach(Index group);
  void LeaveLevel(Group* group);

  void RaiseRequest(Group* group, const Sparse& fixed, bool own, Sparse* delta);
  void PassRequest(Sparse delta, const Sparse& fixed, std::span<const Index> path, bool own);
  void PassUse(Index group, const Sparse& delta, const Sparse& fixed, bool own);
  // Passes on sums that may exceed what one change can hold, part by part.
  void PassRequests(Index group, SparseSum request, SparseSum fixed, bool own);
  void PassUses(Index group, SparseSum used, SparseSum fixed, bool own);
  void PassAllocated(Sparse delta, std::span<const Index> path);
  void ShareTotal();

  enum class Told : uint8_t { kMax, kRequest, kMin, kWeight, kGuarantee };
  bool Knows(const Group& group, Told what, const Sparse& amounts);
  void Tell(Group* group, Told what);
  void UpdateKeys(Index group);
  void Count(ElasticLevel* level, bool for_all);
  void ScaleMin(Group* group, const Sparse& total);
  void SetScaledMin(Group* group, const Sparse& to);
  Sparse RuntimeOf(const Group& group) const;

  void SetMax(Index group, const Sparse& max);
  void SetMin(Index group, const Sparse& min);
  void SetWeight(Index group, const Sparse& weight);
  void CountMin(Group* group);
  void Detach(Index group);
  void MoveGroup(Index group, Index parent, bool is_parent, bool lends, const Sparse& max,
                 const Sparse& min, const Sparse& weight);
  void Rebuild();

  struct Load;  // what a task requests of a group
  absl::StatusOr<Load> LoadOf(const QuotaTask& task);
  void ChangeRequest(Index group, const Load& from, const Load& to);
  void ChangeUse(Index group, const Load& from, const Load& to);
  void Enter(Index group, const QuotaTask& task, const Load& load);
  void Leave(Index group, const QuotaTask& task, const Load& load);

  Options options_;
  ResourceNames resources_;
  std::deque<Group> groups_;
  HashMap<std::string, Index> index_;
  SparseSum total_;
  Sparse shared_total_;  // without what the built-in groups use
  Redistribution redistribution_;
  uint64_t keys_ = 0;  // of all groups' maximums
  std::array<uint32_t, Sparse::kMostResources>
      key_counts_{};  // groups that name it in their maximum
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_TREE_H_
