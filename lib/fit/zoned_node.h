// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A machine of NUMA zones as it reports itself: what is free in each zone, and how far zones are
// from one another.
//
//   absl::StatusOr<ZonedNode> node =
//       ZonedNode::Make({.policy = ZonePolicy::kSingle}, zones, on_machine);
//   node->Check(task);                     // nothing: it fits; otherwise what does not
//   node->Score(task, {ZoneStrategy::kLeastAllocated, weights});
//
// Idea. A machine that aligns tasks (policy kSingle) runs a container only if one zone has all it
// requests; the lowest such zone is the one it takes. By scope, either each container is checked,
// main containers after one another on what is left, or the whole task at once. A zone that does
// not list a resource is ruled out, unless no zone lists it and the resource is one that machines
// may hold outside of zones.
//
// Scores. Least, most and balanced allocation: the smallest score of a zone that has one. Fewest
// zones: how few zones hold the request, and half a step more if no set of that size has its zones
// closer together.
//
// Rules. Those of the plugin NodeResourceTopologyMatch. Only guaranteed tasks are held to zones in
// cpu, memory and huge pages; all others score 100. It has two oddities:
// - When containers are placed after one another by fewest zones, the plugin takes their requests
//   from the zones at the *positions* of the zones' ids. Where no zone has that position it stops,
//   and nothing is taken here.
// - A single resource has no variance. Balanced allocation then gives 100, where the plugin has no
//   number.
//
// Cost. O(zones * resources) a check. Fewest zones tries sets in rising size, and skips a size if
// its best zones together hold too little. Sizes with more than 2^20 sets are not tried: the score
// is then 0.
#ifndef MUSTER_FIT_ZONED_NODE_H_
#define MUSTER_FIT_ZONED_NODE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace muster {

enum class ZonePolicy : uint8_t { kNone, kBestEffort, kRestricted, kSingle };
enum class ZoneScope : uint8_t { kContainer, kPod };
enum class ZoneStrategy : uint8_t {
  kLeastAllocated,
  kMostAllocated,
  kBalanced,
  kFewestZones,
};

// How a resource behaves, by its name.
struct ZonedResource {
  bool is_bound = false;   // cpu, memory, huge pages: guaranteed tasks get theirs from zones
  bool may_float = false;  // may be the machine's without being any zone's
  int64_t unit = 1;        // of amounts in a whole unit, which scores count in
  bool is_native = true;   // Kubernetes' own
};
ZonedResource ZonedResourceOf(std::string_view name);

// Resources are numbered by the caller, the same for all machines and tasks.
struct ZonedAmount {
  size_t resource = 0;
  int64_t amount = 0;
  ZonedResource kind = {};
};
using ZonedRequest = std::vector<ZonedAmount>;  // by ascending resource

struct ZonedTask {
  enum class Part : uint8_t { kInit, kSidecar, kMain };
  bool guaranteed = false;
  bool is_judged = true;                             // false: nothing requested belongs to a zone
  std::vector<std::pair<Part, ZonedRequest>> parts;  // those that run before the main ones first
  ZonedRequest whole;
};

struct Zone {
  static constexpr int64_t kAbsent = -1;
  int id = 0;
  std::vector<int64_t> available;                  // of each resource, or kAbsent
  std::vector<std::pair<int, int64_t>> distances;  // to zones by id; 255 where unset
};

struct ZoneScoring {
  ZoneStrategy strategy = ZoneStrategy::kLeastAllocated;
  std::vector<int64_t> weights;  // of each resource; below 1 or unset: 1
};

class ZonedNode {
 public:
  static constexpr int kMostZones = 64;

  struct Options {
    ZonePolicy policy = ZonePolicy::kNone;
    ZoneScope scope = ZoneScope::kContainer;
    int64_t most_zones = 8;  // that the machine could have, which is what a zone is worth
  };
  // `on_machine` holds for each resource whether the machine has it at all.
  static absl::StatusOr<ZonedNode> Make(const Options& options, std::span<const Zone> zones,
                                        std::vector<bool> on_machine);

  // Why a task is refused: the part of it (or the whole, by scope) and the resource that does not
  // fit.
  struct Refusal {
    size_t part = 0;
    size_t resource = 0;
    friend bool operator==(const Refusal&, const Refusal&) = default;
  };
  std::optional<Refusal> Check(const ZonedTask& task) const;
  int64_t Score(const ZonedTask& task, const ZoneScoring& scoring) const;

  // --- the pieces

  struct ZoneSet {
    std::vector<size_t> positions;  // of zones, as given to Make
    bool is_closest = false;
    friend bool operator==(const ZoneSet&, const ZoneSet&) = default;
  };
  std::optional<ZoneSet> FewestZones(const ZonedRequest& request, bool guaranteed) const;
  // Return the average over all ordered pairs, a zone and itself among them; and the smallest
  // average of all sets of a size.
  float Distance(std::span<const size_t> positions) const;
  float ClosestDistance(size_t count) const;
  bool ConcernsNoZone(const ZonedRequest& request) const;
  // Returns the id of the zone that would be taken.
  std::optional<int> SingleZone(const ZonedRequest& request, bool guaranteed,
                                size_t* short_of = nullptr) const;
  absl::Status TakeFrom(int id, const ZonedRequest& request, bool guaranteed);
  void TakeAcross(std::span<const int> positions, const ZonedRequest& request);
  // Takes the amount from every zone that lists the resource, as far as there is any.
  void TakeFromAll(size_t resource, int64_t amount);
  int64_t ZonesScore(const ZonedRequest& request, const ZoneScoring& scoring) const;
  static int64_t CountScore(size_t zones, bool is_closest, int64_t most_zones);

  size_t zones() const { return ids_.size(); }
  int id(size_t position) const { return ids_[position]; }
  int64_t available(size_t position, size_t resource) const {
    return resource < resources_ ? amounts_[resource * ids_.size() + position] : Zone::kAbsent;
  }

 private:
  int64_t* At(size_t position, size_t resource) {
    return &amounts_[resource * ids_.size() + position];
  }
  // Of other amounts than the machine's own, laid out as those.
  std::optional<int> SingleZoneOf(std::span<const int64_t> amounts, const ZonedRequest& request,
                                  bool guaranteed, size_t* short_of) const;
  absl::Status TakeFromOf(std::span<int64_t> amounts, int id, const ZonedRequest& request,
                          bool guaranteed) const;
  int64_t Pairs(std::span<const size_t> positions) const;
  bool CouldHold(const ZonedRequest& request, bool guaranteed, size_t count) const;
  std::optional<ZoneSet> SetOf(size_t count, const ZonedRequest& request, bool guaranteed) const;
  int64_t FewestZonesScore(const ZonedTask& task) const;

  Options options_;
  std::vector<int> ids_;
  size_t resources_ = 0;
  std::vector<int64_t> amounts_;    // zones of a resource side by side
  std::vector<int64_t> distances_;  // from a zone to all
  std::vector<bool> on_machine_;
  std::vector<float> closest_;  // of each count, where there are few sets
};

}  // namespace muster

#endif  // MUSTER_FIT_ZONED_NODE_H_
