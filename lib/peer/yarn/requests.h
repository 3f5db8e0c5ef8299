// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What an application still wants: counts of equal containers by request priority and place.
//
//   Requests requests;
//   requests.Update(1, {{kAnyPlace, {{1024, 1}, 3}}, {node, {{1024, 1}, 2}}, {rack, ...}});
//   requests.Take(1, Locality::kNode, node, rack);     // one less of node, rack and any
//
// A place is a dense number that the caller gives to the name of a node or rack; kAnyPlace is "*".
// A smaller request priority is served first. The count of kAnyPlace is the count that decides;
// those of nodes and racks say where containers are wished for.
//
// Surprises. An entry at 0 after Take is forgotten. When that of kAnyPlace is, the priority is
// served no more, though entries of nodes and racks stay and count as places when it returns. An
// update of kAnyPlace to 0 forgets the whole priority. An update of another place to 0 keeps the
// place.
#ifndef MUSTER_PEER_YARN_REQUESTS_H_
#define MUSTER_PEER_YARN_REQUESTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/yarn/resource.h"

namespace muster::yarn {

using Place = uint32_t;
inline constexpr Place kAnyPlace = 0;

using Partition = uint16_t;
inline constexpr Partition kDefaultPartition = 0;

enum class Locality : uint8_t { kNode, kRack, kAny };

struct Ask {
  Resource size;
  int64_t count = 0;
  bool is_relaxed = true;  // whether containers may go to less local places than this one
  Partition partition = kDefaultPartition;  // meant for kAnyPlace only
};

// The requests of one priority.
class RequestKey {
 public:
  explicit RequestKey(int32_t priority) : priority_(priority) {}

  int32_t priority() const { return priority_; }
  // Null if the place was never asked for, or its count was used up.
  const Ask* Find(Place place) const;
  const Ask& any() const { return any_; }
  int64_t CountOf(Place place) const;
  // Whether containers may be delayed to `place`: true if nothing is known of it.
  bool MayRelaxTo(Place place) const;
  // The partition that the requests are for.
  Partition partition() const { return any_.partition; }
  // How many places are known, kAnyPlace among them.
  int64_t places() const { return static_cast<int64_t>(others_.size()) + (has_any_ ? 1 : 0); }
  const HashMap<Place, Ask>& others() const { return others_; }
  bool is_served() const { return has_any_ && any_.count > 0; }

  // Counters of a scheduler. They outlive the asks.
  int64_t opportunities = 0;          // missed ones
  int64_t default_opportunities = 0;  // missed ones of requests for the default partition
  int64_t reserved_again = 0;         // heartbeats of reserved nodes in vain
  int64_t reserved = 0;               // reservations now held

 private:
  friend class Requests;
  void TakeAt(Place place);

  int32_t priority_;
  bool has_any_ = false;
  Ask any_;
  HashMap<Place, Ask> others_;
};

// What an update changed about the ask of kAnyPlace.
struct RequestChange {
  bool has_any = false;  // whether kAnyPlace was among the asks
  Ask before, after;     // a count of 0 where there is none
};

class Requests {
 public:
  // Sets the counts of one priority. Of two asks for one place the later one counts.
  RequestChange Update(int32_t priority, const std::vector<std::pair<Place, Ask>>& asks);

  // Takes one container off: node-local ones off node, rack and any place, rack-local ones off rack
  // and any place. Returns the ask that it was made of. REQUIRES: key.is_served().
  Ask Take(int32_t priority, Locality locality, Place node, Place rack);

  // Returns the keys in order of priority, those that are not served among them.
  const std::vector<RequestKey>& keys() const { return keys_; }
  std::vector<RequestKey>& keys() { return keys_; }
  RequestKey* Find(int32_t priority);
  // Returns whether no key is served.
  bool IsEmpty() const;

 private:
  RequestKey& FindOrMake(int32_t priority);

  std::vector<RequestKey> keys_;
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_REQUESTS_H_
