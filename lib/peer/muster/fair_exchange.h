// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether an eviction is worth what it costs (options `exchange` and `slack` of reclaim and
// preempt).
//
//   FairExchange exchange(context, Taking::kFromOtherQueues, {.rate = 0.02, .slack = 600});
//   if (!exchange.CouldPay(job)) return false;   // without a look at any choice of victims
//   ...
//   bool pays = exchange.Pays(takers, victims);
//
// A turn pays if what its victims lose is at most `rate` times what its tasks have waited for, and
// what they request for `slack` seconds. All are parts of the cluster times seconds, in the
// dimension where that is largest.
//
// CouldPay is a bound on all turns of a job. Every victim of a turn that pays is affordable by
// itself: what it loses alone is no more than what all pending tasks of the job have waited for. On
// the node of a task that evicts something, one victim at least has to go, and what its affordable
// victims free has to make room. So where no node has such victims, no turn pays. Sums of parts
// bound the part of a sum from above, one part bounds it from below, and both are moved apart by
// more than doubles round.
//
// Cost. Pays: O(tasks). CouldPay: once O(tasks of the cluster), then O(pending tasks of the job).
// Where a task would lose more than the job's are worth, O(affordable victims) for each kind of
// asker, after each change of the books, and once a list of these victims in order.
#ifndef MUSTER_PEER_MUSTER_FAIR_EXCHANGE_H_
#define MUSTER_PEER_MUSTER_FAIR_EXCHANGE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/numeric/int128.h"
#include "lib/base/hash_map.h"
#include "lib/part/context.h"
#include "lib/peer/muster/fair_lines.h"

namespace muster {

enum class Taking : uint8_t { kFromOtherQueues, kFromLesserJobs };

// What an eviction may cost.
struct EvictionPay {
  double rate = 0;   // 0: whatever it costs
  double slack = 0;  // seconds
  friend bool operator==(const EvictionPay&, const EvictionPay&) = default;
};

// Returns the seconds of its run that the victim has to repeat, and those of its restart.
int64_t SecondsLost(const ActionContext& context, TaskIndex victim);
// Returns these seconds times what it requests, in billionths of the cluster, rounded down: in the
// dimension where that is largest.
int64_t WorkLost(const ActionContext& context, TaskIndex victim);

class FairExchange {
 public:
  // `counts_starting`: CouldPay counts tasks that have a node and are about to start among those
  // that may be evicted, as the next cycle will.
  FairExchange(ActionContext& context, Taking taking, const EvictionPay& pay,
               bool counts_starting = false)
      : context_(context),
        tables_(context.tables),
        ledger_(context.ledger),
        lines_(context.memory<FairKnown>().lines()),
        taking_(taking),
        pay_(pay),
        counts_starting_(counts_starting) {}

  // Returns whether what the victims lose is worth what the takers have waited for.
  bool Pays(std::span<const TaskIndex> takers, std::span<const TaskIndex> victims) const;
  // Returns false if no turn of the job that evicts anything pays, on the books as they are. May
  // return true for others. From the first call on, the books may change by turns that are kept:
  // tasks that run may be evicted, and no other task starts to run.
  bool CouldPay(JobIndex job);

 private:
  struct Victim {
    double loss;  // by itself, rounded down
    TaskIndex task;
    NodeIndex node;
    QueueIndex queue;
  };
  // Of one kind of asker: what is known about how much it would have to be worth.
  struct Known {
    double too_little = -1, enough = -1;  // -1: not known
  };

  double Largest(const std::vector<absl::int128>& work) const;
  double PartOf(TaskIndex task) const;
  bool MayLose(JobIndex asker, const Victim& victim) const;
  double WorthOf(JobIndex job) const;
  template <class Visit>
  void ForVictims(const Visit& visit);
  void LookAround();
  void ListVictims();
  double LossOf(TaskIndex task) const;
  bool IsVictim(TaskIndex task) const;
  bool MakesRoom(JobIndex job, double worth);
  void ListNeeds(JobIndex job);
  bool HasRoom(NodeIndex node) const;

  const ActionContext& context_;
  const Tables& tables_;
  const Ledger& ledger_;
  FairLines& lines_;
  const Taking taking_;
  const EvictionPay pay_;
  const bool counts_starting_;
  // By dimension: one divided by what the cluster has, 0 where that does not count.
  std::vector<double> per_unit_;
  // Once `looked_`: what the job that was worth most could pay, and the largest loss of any task.
  bool looked_ = false;
  double most_ = 0, dearest_ = -1;
  // What was affordable when the victims were listed, in order of loss; some may be gone by now.
  // kFromOtherQueues: only tasks of reclaimable queues.
  bool listed_ = false;
  std::vector<Victim> victims_;
  // By queue and class, on the books of that moment.
  HashMap<uint64_t, Known> known_;
  Ledger::Moment known_at_;
  // While MakesRoom looks: the least that the tasks of the job request, and by node what is freed.
  std::vector<int64_t> needs_;
  std::vector<std::vector<int64_t>> freed_;
  std::vector<NodeIndex> touched_;
};

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_FAIR_EXCHANGE_H_
