// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Upper bounds of the room that victims could make, whichever of them are taken: a search that they
// rule out fails, and need not be made.
//
//   KaiVictimRoom room(&world);
//   room.Begin(partial->Next(/*real=*/false));
//   // Hopeless, whatever the candidates are:
//   if (!room.IsFree() && !world.has_moved_tasks && none may go) ...
//   for (const KaiJob* job : candidates) room.Add(*job, /*may_go=*/true);
//   if (!room.Suffices()) ...                     // hopeless
//
// Idea. A search succeeds only if its last question is answered: all of the job's next tasks find a
// place, and the action accepts what became of the victims. Two sums bound that.
//   cluster  The tasks need R. A victim that is placed again needs what it gave up; only one that
//            goes for good leaves room. So R <= what is free + what may go, in each resource.
//   nodes    The tasks of one shape find places one by one on nodes that have what is free there
//            and what candidates hold there. Their number is at most the sum of what each node
//            takes.
//
// Proof of the first. Let f be what a node has free (idle and releasing) before the search, e what
// the scenario's victims free there, and p what is placed there. A task is placed only where it
// fits, so p <= max(0, f + e) in each resource. Over the nodes, R + (victims placed again) <= sum
// of max(0, f) + (all victims), thus R <= sum of max(0, f) + (victims that go for good).
//
// A task that was moved in this cycle is noted on two nodes. As a victim it gives up its place on
// the second. If the first is chosen for it, the peer undoes its eviction instead: it is back on
// the second, without a look at the room there. It is placed again and needs no room, so the first
// sum counts it among those that go.
//
// A victim may not go where the action would refuse the scenario for it alone: consolidation places
// all victims again, and reclaim asks the shares of the two queues where the paths part before it
// subtracts the first chunk below them (KaiMayGo). That answer is the same in each scenario.
//
// What else a search does. One that fails takes back all that it did, and so leaves the books as
// they were if sums are exact (KaiHasExactBooks): no task shares a device, amounts are multiples of
// one power of two, and so small that no sum of them is rounded. The next tasks that a job
// remembers are those that it would find anew, but for jobs with tasks that this cycle evicted and
// others that wait, and after a search that was solved in vain. KaiWorld::searches_leave_marks is
// set then, and every search is made.
//
// A task that is a victim twice in one scenario is counted twice among its job's active ones once
// both evictions are undone (pods.h). That takes an earlier question that was answered, and a job
// that loses its tasks in several steps. Where candidates may do so (KaiJob::MayLoseSome), ask
// about the first question of the search, that about one task: if it fails, so does the search.
//
// Cost. Begin is O(tasks), and O(dimensions) for each change of a node since. Add is O(tasks).
// Suffices is O(nodes * dimensions) a shape, of the first eight shapes.
#ifndef MUSTER_PEER_KAI_VICTIM_ROOM_H_
#define MUSTER_PEER_KAI_VICTIM_ROOM_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lib/peer/kai/world.h"

namespace muster {

class KaiVictimRoom {
 public:
  explicit KaiVictimRoom(const KaiWorld* world) : world_(*world) {}

  // Begins with the tasks of a question that must be answered.
  void Begin(std::span<KaiPod* const> pending);
  // Returns whether the cluster has free what the tasks request.
  bool IsFree() const { return Has(free_); }
  // Adds what a candidate holds. `may_go`: the action may leave its tasks without a place.
  void Add(const KaiJob& victim, bool may_go);
  // Returns false if no choice among the candidates that were added makes room for the tasks.
  bool Suffices() const;
  // Returns true only if Suffices would, whatever is added. Looks only at nodes of candidates.
  bool SufficesAlready() const;

 private:
  bool Has(const std::vector<double>& amounts) const;
  int64_t PlacesOn(uint32_t node, const KaiShape& shape) const;
  void SumUpFree();
  void CountFree(uint32_t node);

  const KaiWorld& world_;
  std::vector<double> free_;      // by dimension: of all nodes
  std::vector<double> free_of_;   // by node and dimension: as it is counted in `free_`
  size_t changes_ = 0;            // of nodes, when `free_` was summed up
  std::vector<double> needed_;    // by dimension
  std::vector<double> leaving_;   // by dimension: free, and of candidates that may go
  std::vector<double> held_;      // by node and dimension: of candidates
  std::vector<uint8_t> is_held_;  // by node: its part of `held_` is in use
  std::vector<uint32_t> nodes_;   // the nodes of which it is
  std::vector<std::pair<uint32_t, int64_t>> shapes_;  // of the tasks, with their numbers
};

// Returns whether taking changes back leaves all books as they were, to the last bit. O(rows).
bool KaiHasExactBooks(const KaiFacts& facts);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_VICTIM_ROOM_H_
