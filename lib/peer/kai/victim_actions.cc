// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// consolidation, reclaim and preempt: the three differ in which jobs may ask, which jobs may be
// victims, and which scenarios are valid.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lib/peer/kai/actions.h"
#include "lib/peer/kai/hard_jobs.h"
#include "lib/peer/kai/min_runtime.h"
#include "lib/peer/kai/placing.h"
#include "lib/peer/kai/reclaim_rules.h"
#include "lib/peer/kai/scenario_rules.h"
#include "lib/peer/kai/solver.h"
#include "lib/peer/kai/victim_room.h"
#include "lib/peer/kai/victim_words.h"

namespace muster {
namespace {

// What differs between the actions.
class VictimAction {
 public:
  explicit VictimAction(const KaiCycle& cycle) : cycle_(cycle), world_(*cycle.world) {}
  virtual ~VictimAction() = default;

  void Run(const KaiActionRules& rules) {
    std::ranges::fill(world_.trials, KaiTrial::kNone);
    takable_.resize(takes_of_own_queue() ? world_.tree.queues.size() : 1);
    KaiJobQueue queue(&world_, {.depth = rules.depth});
    for (uint32_t j = 0; j < world_.job_count(); ++j) {
      const KaiJob& job = world_.job(j);
      if (job.CountOf(KaiStatus::kPending) > 0) waiting_.push_back(j);
      if (!job.facts().schedulable) continue;
      if (job.facts().preemptible) {
        const size_t list = takes_of_own_queue() ? job.facts().queue : 0;
        takable_[list].push_back({j, job.facts().queue});
      }
      if (!job.IsReady()) continue;
      if (job.CountOf(KaiStatus::kPending) == 0 || !MayAsk(job)) continue;
      if (KaiDelayOf(world_, job) == 0) queue.Push(&job);
    }
    while (!queue.empty() && !cycle_.cut()) {
      const KaiJob& job = *queue.Pop();
      cycle_.spend();
      Try(job);
      world_.Settle();
    }
  }

 protected:
  virtual bool MayAsk(const KaiJob& /*job*/) const { return true; }
  // Returns whether the job passes the gate of the action.
  virtual bool Begin(const KaiJob& /*job*/) { return true; }
  // Returns whether a search could help; after signatures.
  virtual bool IsWorthwhile(const KaiJob& /*job*/) { return true; }
  // Before the candidates are asked whether they could make room. `asks`: the job as the question
  // has it that must be answered.
  virtual void BeginRoom(const KaiJob& /*asks*/) {}
  // Return whether a victim of the queue, and whether any victim, could be left without a place.
  virtual bool MayGo(uint32_t /*queue*/) { return true; }
  virtual bool MaySomeGo() { return true; }
  // Returns whether jobs of the queue could be victims; asked once a search.
  virtual bool MayLose(const KaiJob& /*asks*/, uint32_t /*queue*/) { return true; }
  // Returns whether the job, of a queue that may lose some, could be a victim.
  virtual bool MayBeVictim(const KaiJob& asks, const KaiJob& victim) const = 0;
  virtual bool IsValid(const KaiScenario& scenario) const = 0;
  virtual uint32_t FailuresOf(const KaiJob& job) const { return job.facts().queue; }
  virtual int64_t most_victims() const { return -1; }
  // Returns whether all victims are of the queue of the job that asks.
  virtual bool takes_of_own_queue() const { return false; }

  const KaiCycle& cycle_;
  KaiWorld& world_;

 private:
  void Try(const KaiJob& job) {
    KaiTrial& trial = world_.trials[job.number()];
    trial = KaiTrial::kOwn;
    if (!Begin(job)) return;
    KaiHardJobList& failed = failed_[FailuresOf(job)];
    if (world_.options().signatures && !failed.IsEasier(world_, job)) {
      trial = KaiTrial::kOfLikeJob;
      return;
    }
    for (const KaiPod* pod : job.Next(/*real=*/false)) {
      if (world_.ShapeOf(*pod).too_large) return;
    }
    job.NextRequest(/*real=*/false);  // is known from here on
    KaiSolution solution;
    if (IsWorthwhile(job) && FindVictims(job)) solution = Solve(job);
    if (!solution.solved) {
      world_.searches_leave_marks |= solution.statement != nullptr;
      return failed.Update(world_, job);
    }
    const uint32_t task = job.facts().tasks.empty() ? kKaiNone : BeneficiaryOf(job);
    solution.statement->Commit(cycle_.listener, task);
  }

  // A task of the job that gets a place.
  static uint32_t BeneficiaryOf(const KaiJob& job) {
    for (const KaiPod* pod : job.pods()) {
      if (pod->status == KaiStatus::kPipelined) return pod->task;
    }
    return kKaiNone;
  }

  // Lists the candidates. Returns false if a search among them would find nothing (victim_room.h).
  bool FindVictims(const KaiJob& job) {
    candidates_.clear();
    const std::vector<KaiPod*> tasks = job.Next(/*real=*/false);
    if (tasks.empty()) return false;
    const KaiJob* asks = KaiPartOf(&world_, job, tasks);
    const bool may_skip = world_.has_exact_books() && !world_.searches_leave_marks;
    if (may_skip && tasks.size() == 1 && !world_.has_moved_tasks) {
      room_.Begin(asks->Next(/*real=*/false));
      if (!room_.IsFree() && !MaySomeGo()) return false;
    }
    ListVictims(job);
    if (candidates_.empty()) return false;
    if (!may_skip) return true;
    if (tasks.size() > 1 && std::ranges::any_of(candidates_, &KaiJob::MayLoseSome)) {
      asks = KaiPartOf(&world_, job, std::span(tasks).first(1));
    }
    BeginRoom(*asks);
    room_.Begin(asks->Next(/*real=*/false));
    // Where there is room, the first candidates mostly show it.
    size_t asked = 8;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      room_.Add(*candidates_[i], MayGo(candidates_[i]->facts().queue));
      if (i + 1 < asked) continue;
      if (room_.SufficesAlready()) return true;
      asked *= 2;
    }
    return room_.Suffices();
  }

  void ListVictims(const KaiJob& job) {
    int64_t count = 0;
    may_lose_.assign(world_.tree.queues.size(), {});
    for (const Takable& takable : takable_[takes_of_own_queue() ? job.facts().queue : 0]) {
      std::optional<bool>& may_lose = may_lose_[takable.queue];
      if (!may_lose.has_value()) may_lose = MayLose(job, takable.queue);
      if (!*may_lose) continue;
      const KaiJob& victim = world_.job(takable.job);
      if (!victim.HasActive() || !MayBeVictim(job, victim)) continue;
      if (most_victims() >= 0 && count > most_victims()) break;
      candidates_.push_back(&victim);
      ++count;
    }
  }

  KaiSolution Solve(const KaiJob& job) {
    // Every question of the search begins with the same victims.
    bool collected = false;
    const auto begin = [&] {
      if (!std::exchange(collected, true)) {
        victims_.Clear();
        for (const KaiJob* victim : candidates_) victims_.Push(victim);
      }
      victims_left_.CopyFrom(victims_);
      return &victims_left_;
    };
    KaiSolver solver(&world_, {KaiFeasibleNodes(world_, job), begin,
                               [&](const KaiScenario& scenario) { return IsValid(scenario); },
                               &again_, &room_, waiting_});
    KaiSolution solution = solver.Solve(job);
    for (int64_t i = 0; i < solver.simulations(); ++i) cycle_.spend();
    return solution;
  }

  // A job that other jobs might take the place of.
  struct Takable {
    uint32_t job, queue;
  };
  std::vector<std::vector<Takable>> takable_;  // ascending; by queue if takes_of_own_queue
  std::vector<uint32_t> waiting_;  // jobs with pending tasks when the action began; ascending
  std::vector<std::optional<bool>> may_lose_;  // by queue, in the present search; none: not asked

  std::map<uint32_t, KaiHardJobList> failed_;
  KaiVictimRoom room_{&world_};
  std::vector<const KaiJob*> candidates_;  // of the present search
  KaiJobQueue again_{&world_, {}};
  KaiJobQueue victims_{&world_, {.victims = true}};       // of the present search
  KaiJobQueue victims_left_{&world_, {.victims = true}};  // of its present question
};

class Consolidation : public VictimAction {
 public:
  using VictimAction::VictimAction;

 protected:
  bool MayAsk(const KaiJob& job) const override { return job.facts().preemptible; }
  bool IsWorthwhile(const KaiJob& job) override { return KaiHasGpusFor(world_, job); }
  bool MayGo(uint32_t) override { return false; }
  bool MaySomeGo() override { return false; }
  bool MayBeVictim(const KaiJob& asks, const KaiJob& victim) const override {
    return asks.number() != victim.number() && victim.active_allocated() > 0;
  }
  bool IsValid(const KaiScenario& scenario) const override {
    return KaiAllPlacedAgain(world_, scenario);
  }
  uint32_t FailuresOf(const KaiJob&) const override { return 0; }
  int64_t most_victims() const override { return world_.options().consolidation_victims; }
};

class Reclaim : public VictimAction {
 public:
  using VictimAction::VictimAction;

 protected:
  bool Begin(const KaiJob& job) override {
    reclaimer_ = KaiReclaimerOf(job);
    return KaiCanReclaim(world_.tree, reclaimer_);
  }
  bool IsWorthwhile(const KaiJob& job) override {
    if (world_.tree_then.FollowCharges(world_.tree)) some_go_.reset();
    reclaimer_ = KaiReclaimerOf(job);
    return true;
  }
  void BeginRoom(const KaiJob& asks) override {
    asks_ = KaiReclaimerOf(asks);
    may_go_.assign(world_.tree.queues.size(), {});
  }
  bool MayGo(uint32_t queue) override {
    std::optional<bool>& may_go = may_go_[queue];
    if (!may_go.has_value()) may_go = KaiMayGo(world_.tree_then, asks_, queue);
    return *may_go;
  }
  bool MaySomeGo() override {
    if (!some_go_.has_value()) some_go_ = KaiMaySomeGo(world_.tree_then);
    return *some_go_;
  }
  bool MayLose(const KaiJob& asks, uint32_t queue) override {
    if (queue == asks.facts().queue || !KaiMayBeVictim(world_.tree, reclaimer_, queue)) {
      return false;
    }
    min_runtime_.resize(world_.tree.queues.size());
    min_runtime_[queue] = KaiReclaimMinRuntimeOf(world_, asks, queue);
    return true;
  }
  bool MayBeVictim(const KaiJob& /*asks*/, const KaiJob& victim) const override {
    return victim.IsElastic() || !KaiIsProtected(world_.StartOf(victim), world_.facts().now,
                                                 min_runtime_[victim.facts().queue]);
  }
  bool IsValid(const KaiScenario& scenario) const override {
    return KaiIsFair(world_, scenario) && KaiKeepsSafe(world_, scenario, KaiIsSafeFromReclaim);
  }

 private:
  KaiReclaimer reclaimer_, asks_;
  std::optional<bool> some_go_;              // of `tree_then`; none: not known
  std::vector<std::optional<bool>> may_go_;  // by queue; none: not known
  std::vector<int64_t> min_runtime_;         // by queue: of those that may lose, for their jobs
};

class Preempt : public VictimAction {
 public:
  using VictimAction::VictimAction;

 protected:
  bool IsWorthwhile(const KaiJob& job) override {
    const KaiGate gate = KaiOverQuota(world_.tree, job.facts().queue, job.facts().preemptible,
                                      KaiQuotaOf(world_, job.Next(/*real=*/false)));
    return gate.open();
  }
  bool takes_of_own_queue() const override { return true; }
  bool MayBeVictim(const KaiJob& asks, const KaiJob& victim) const override {
    if (victim.facts().priority >= asks.facts().priority) return false;
    if (victim.number() == asks.number()) return false;
    if (victim.active_allocated() == 0) return false;
    return victim.IsElastic() || !KaiIsSafeFromPreempt(world_, asks, victim);
  }
  bool IsValid(const KaiScenario& scenario) const override {
    return KaiKeepsSafe(world_, scenario, KaiIsSafeFromPreempt);
  }
};

}  // namespace

void RunKaiConsolidation(const KaiCycle& cycle, const KaiActionRules& rules) {
  if (cycle.world->options().consolidation_victims != 0) Consolidation(cycle).Run(rules);
}

void RunKaiReclaim(const KaiCycle& cycle, const KaiActionRules& rules) {
  Reclaim(cycle).Run(rules);
}

void RunKaiPreempt(const KaiCycle& cycle, const KaiActionRules& rules) {
  Preempt(cycle).Run(rules);
}

}  // namespace muster
