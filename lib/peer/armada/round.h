// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One scheduling round of a pool.
//
//   absl::StatusOr<std::unique_ptr<Round>> round = Round::Make(std::move(state));
//   if (round.ok()) status = (*round)->Run();
//   for (const int job : (*round)->scheduled()) Bind(job, (*round)->context(job).attempt.node);
//
// Steps.
//   1. Evict the preemptible jobs of queues above the protected fraction of their share.
//   2. Go through evicted and queued gangs in the order of GangOrder.
//   3. Evict the jobs of each priority at which a node has too little.
//   4. Let those come back, the higher priorities first.
//   5. The optimiser trades places of small gain for gangs of queues below their share.
// A job of which any step evicts a member of the gang is evicted with it.
//
// Errors. A state that contradicts itself ends the round: a job that is in the books of no queue,
// a gang of which only a part can be evicted, a negative allocation. Nothing of it counts then.
//
// Cost. Make sorts the jobs that wait. Amend looks at the rows of the amendment, at the jobs of
// their nodes and once at each job that waits. Run looks at each seated job once, and at each
// queued job or shape that has not failed; a search takes O(log n) of the nodes of a type, and more
// if nodes of the index turn out not to suit.
#ifndef MUSTER_PEER_ARMADA_ROUND_H_
#define MUSTER_PEER_ARMADA_ROUND_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/peer/armada/accounts.h"
#include "lib/peer/armada/amendment.h"
#include "lib/peer/armada/cluster.h"
#include "lib/peer/armada/cost.h"
#include "lib/peer/armada/evicted_jobs.h"
#include "lib/peer/armada/gang_order.h"
#include "lib/peer/armada/gang_scheduler.h"
#include "lib/peer/armada/job_order.h"
#include "lib/peer/armada/node_books.h"
#include "lib/peer/armada/node_finder.h"
#include "lib/peer/armada/queue_walk.h"
#include "lib/peer/armada/tables.h"

namespace muster::armada {

// Why a running job lost its place.
enum class Cause { kUnknown, kUnknownGang, kFairShare, kUrgency, kOptimiser };

class Round {
 public:
  static absl::StatusOr<std::unique_ptr<Round>> Make(State state);
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  // REQUIRES: called once, or once after each Restart.
  absl::Status Run();

  // What the time of a round sets in its state.
  struct Rates {
    Limiter limiter, preemption_limiter;
    std::vector<Limiter> of_queues;  // by State::queues
    bool optimises = false;
    int64_t now = 0;  // milliseconds
  };
  // Makes the round as Make returned it, but for the rates. Costs O(jobs that Run evicted or may
  // have tried), and less than a nanosecond for each other job.
  void Restart(const Rates& rates);
  static void SetRates(const Rates& rates, State* state);
  // The same, of a state with other jobs: as if Make had been called with it, but for places of
  // jobs that left. Returns false if it cannot be followed, as when a node has less than nothing
  // left; then the round is of no use.
  // REQUIRES: no market, and the rows fit (amendment.h).
  bool Amend(Amendment amendment, const Rates& rates);

  // New jobs with nodes, and running jobs without; in the order of State::jobs.
  const std::vector<int>& scheduled() const { return scheduled_; }
  const std::vector<int>& preempted() const { return preempted_; }
  const JobContext& context(int job) const { return contexts_[static_cast<size_t>(job)]; }
  Cause CauseOf(int job) const;

  // kNone: no candidates were left.
  Reason termination() const { return termination_; }
  const std::optional<double>& spot_price() const { return spot_price_; }
  const Accounts& accounts() const { return accounts_; }
  const NodeBooks& books() const { return books_; }
  // The pieces as the round has left them.
  const WalkWorld& world() const { return world_; }
  const Tables& tables() const { return tables_; }
  const State& state() const { return state_; }

  // Returns whether what is free on every node is what its seated jobs leave. For tests.
  bool BooksBalance() const;

 private:
  explicit Round(State state);

  void InitContext(int job);
  // Only read of jobs of one queue.
  FairKey KeyOf(int job) const;
  bool MayBeQueued(int job) const;
  std::vector<int> FairOrder() const;
  std::vector<int> MarketOrder() const;
  void SortJobs();
  void SortEvicted(std::vector<int>* jobs) const;
  void AmendRow(Amendment::Row& row);
  void LeaveNode(int job);
  void ComeToNode(int job, int32_t cutoff);
  bool AmendNodes(const Amendment& amendment);
  void AmendQueued(const Amendment& amendment);
  absl::Status EvictAboveShare();
  absl::Status EvictOverdrawn();
  bool AboveProtectedShare(int context) const;
  bool MayRebalance(int job) const;
  // Evicts the jobs and the other members of their gangs, and gives all evicted jobs their order.
  absl::Status Evict(std::vector<int> jobs);
  absl::Status CompleteGangs(std::vector<int>* jobs);
  absl::Status CheckGangs(const std::vector<int>& jobs) const;
  void EvictOne(int job);
  absl::Status OrderEvicted();

  std::vector<QueueWalk> MakeWalks(bool with_queued, const QueueWalk::Limits& limits) const;
  GangOrder::Rules RulesOf(bool by_scheduled_priority) const;
  absl::Status Pass(bool with_queued);
  absl::Status PassStep(GangOrder& order, const Candidate& gang);
  absl::Status Follow(GangOrder& order, const Candidate& gang, Reason reason);
  void NoteScheduled(const Candidate& gang);
  void SetSpotPrice(double price, int context, const GangOrder& order);
  bool HasPreempted(const Candidate& gang) const;
  absl::Status Optimise();
  void Finish();

  State state_;
  Tables tables_;
  std::vector<JobContext> contexts_;
  Accounts accounts_;
  NodeBooks books_;
  EvictedJobs evicted_;
  NodeFinder finder_;
  Cost cost_;
  std::vector<Reason> unfeasible_;
  std::vector<int> market_ranks_;
  WalkWorld world_;
  GangScheduler gangs_;

  std::vector<std::vector<int>> queued_, evicted_of_;  // by context
  enum class Fate : uint8_t { kNone, kScheduled, kPreempted, kGone };
  std::vector<Fate> fates_;
  std::vector<int> scheduled_, preempted_;
  std::vector<int> moved_on_;    // nodes that an amendment changes
  std::vector<bool> amended_;    // jobs that it changes
  std::vector<bool> urgent_on_;  // nodes that a scheduled job took by urgency
  Reason termination_ = Reason::kNone;
  bool ended_ = false;        // a pass has come to its end
  std::vector<int> touched_;  // jobs that were evicted
  Amounts placed_;            // by the current pass
  std::optional<double> spot_price_;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_ROUND_H_
