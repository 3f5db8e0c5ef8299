// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The solver of KAI Scheduler: finds victims that make room for a job.
//
//   KaiSolver solver(&world, {.feasible = ..., .victims = ..., .is_valid = ...});
//   KaiSolution solution = solver.Solve(&job);
//   if (solution.solved) solution.statement->Commit(&listener, task);
//
// Idea. The question is asked for the first task of the job alone, then for the first two, four,
// ... and by halves where that fails; victims that an answer needed are recorded for the next
// question. Last it is asked for all tasks. Each question tries the scenarios of one generator in
// order: all victims are evicted, and then the job and the jobs of the victims are placed again, in
// the ordinary order of jobs, on what is free or leaving. A victim that finds its old place is no
// victim. The first scenario in which the job is placed, and that the action finds valid, answers
// the question. If the last question has no answer, the next generator begins anew.
//
// Peer. A job of which the last question was answered may still be incomplete: it needs only some
// of its sub-groups, and each pod set is looked at. Then nothing is decided, and what was tried
// stays in the books until the cycle ends (`kept`). A scenario that failed is not tried again for
// the same tasks.
//
// Short cuts, where taking changes back leaves all books as they were and no task is on two nodes:
// - The last question is that of the search before it, if its answer needed the same victims, or
//   all that were tried; then their evictions are put in the order of that question (WouldRepeat).
// - Once the job is placed, victims for which the cluster has too little left are not tried: they
//   would fail. A victim is still tried where a failed trial changes state: its job has pending
//   tasks (their next request is kept), or one of its tasks is a victim twice (the job then has
//   another copy of it).
// - Questions between two are not asked if the victims of the first answer the second, too, and
//   neither tried to place one again (Leap).
// - If the job and all victims are of one queue, no other job is ordered with them. The order of
//   jobs within a queue does not depend on other queues.
//
// Cost. A scenario costs a simulation: O(victims), a place for each of their tasks and for the
// job's, and the ordering of all pending jobs unless all is of one queue.
#ifndef MUSTER_PEER_KAI_SOLVER_H_
#define MUSTER_PEER_KAI_SOLVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "lib/peer/kai/scenario_search.h"
#include "lib/peer/kai/statement.h"
#include "lib/peer/kai/victim_room.h"

namespace muster {

struct KaiQuestion {
  std::vector<uint8_t> feasible = {};  // by node
  std::function<KaiJobQueue*()> victims = {};
  std::function<bool(const KaiScenario& scenario)> is_valid = {};
  KaiJobQueue* again = nullptr;  // of simulations; remembers how queues stand from one to the next
  KaiVictimRoom* room = nullptr;
  // Ascending: at least all jobs with pending tasks.
  std::span<const uint32_t> waiting = {};
};

struct KaiSolution {
  bool solved = false;
  std::unique_ptr<KaiStatement> statement = {};
};

class KaiSolver {
 public:
  KaiSolver(KaiWorld* world, KaiQuestion question);

  KaiSolution Solve(const KaiJob& job);
  // How many simulations were made.
  int64_t simulations() const { return simulations_; }

 private:
  using Pods = std::vector<KaiPod*>;
  enum class Generator : uint8_t { kNodeLocal, kGang };
  struct Answer {
    bool solved = false;
    Pods victims = {};
    std::vector<const KaiJob*> victim_jobs = {};
    std::unique_ptr<KaiStatement> statement = {};
  };
  struct Recorded {
    Pods victims = {};
    std::vector<const KaiJob*> jobs = {};
  };

  // `whole` receives the answer for all tasks, if it would be the same when asked again.
  bool SearchMost(const KaiJob& job, const Pods& tasks, Generator generator, Recorded* recorded,
                  Answer* whole);
  bool Try(const KaiJob& job, std::span<KaiPod* const> tasks, Generator generator,
           Recorded* recorded, Answer* whole);
  // `would_repeat` (may be null): see WouldRepeat.
  Answer Ask(const KaiJob& job, std::span<KaiPod* const> tasks, Generator generator,
             const Recorded& recorded, bool* would_repeat);
  size_t Leap(const KaiJob& job, const Pods& tasks, size_t low, Recorded* recorded, Answer* whole);
  std::vector<KaiScenario> Repeated(const KaiJob& job, const Pods& tasks, size_t low,
                                    const Recorded& recorded, size_t* count) const;
  // `easier`: questions with the same victims, see `easier_go_first_`.
  Answer Simulate(const KaiScenario& scenario, std::span<const KaiScenario> easier = {});
  bool PlaceAgain(const KaiScenario& scenario, const Pods& victims, KaiStatement* statement,
                  std::span<const uint32_t> nodes, std::span<const KaiScenario> easier);
  void Order(const KaiJob& preemptor, std::span<const uint32_t> involved);
  bool GoesFirst(const KaiJob& preemptor, std::span<const uint32_t> involved);
  bool PlaceInOrder(uint32_t preemptor, KaiStatement* statement, std::span<const uint32_t> nodes,
                    std::span<const uint32_t> involved);
  bool WouldRepeat(const KaiScenario& scenario, const KaiScenario& base, const KaiFreeGpus& then,
                   Answer* answer) const;
  bool MayCutShort() const;
  bool AreOfOneQueue(std::span<const uint32_t> involved) const;
  bool AreHopeless(std::span<const uint32_t> involved);
  bool TrialLeavesMarks(const KaiJob& victim) const;
  std::vector<const KaiJob*> JobsOf(const Pods& victims, const KaiScenario& scenario) const;

  KaiWorld* world_;
  KaiQuestion question_;
  std::set<KaiFingerprint> failed_;
  std::vector<uint32_t> waiting_;  // jobs with pending tasks; simulations change victims' alone
  std::vector<uint32_t> feasible_nodes_;
  std::vector<uint8_t> is_victim_;  // by job, in one simulation; all 0 between two
  // Of the last simulation. A task was a victim twice.
  bool has_victim_twice_ = false;
  // The job that asks went first, and then no victim was tried.
  bool asked_alone_ = false;
  // In each easier question the job would have gone first, too.
  bool easier_go_first_ = false;
  int64_t simulations_ = 0;
};

// By node: where GPUs are idle or releasing, if all tasks of the job need some; else all nodes.
std::vector<uint8_t> KaiFeasibleNodes(const KaiWorld& world, const KaiJob& job);

// Returns a copy of the job with its active tasks and these, as if it needed no others.
const KaiJob* KaiPartOf(KaiWorld* world, const KaiJob& job, std::span<KaiPod* const> tasks);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_SOLVER_H_
