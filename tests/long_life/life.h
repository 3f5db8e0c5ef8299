// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A living cluster and what happens to it: jobs arrive, tasks start, end and fail, nodes come and
// go, queues are edited, the clock steps backwards. Everything follows from a seed and the plans.
//
//   Life life("volcano", {.nodes = 10'000, .seed = 1});
//   while (life.counts().events < 1'000'000) life.Cycle();
//   life.digest();   // over all plans so far
//
// An event is one call that changes rows, whether it is carried out or refused. A cycle is a number
// of events, a plan, and Apply of that plan. Some plans are applied late, after further events.
#ifndef MUSTER_TESTS_LONG_LIFE_LIFE_H_
#define MUSTER_TESTS_LONG_LIFE_LIFE_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/digest.h"
#include "lib/base/hash_map.h"
#include "lib/base/rng.h"
#include "muster/cluster.h"
#include "muster/plan.h"
#include "muster/schedule.h"
#include "muster/spec.h"

namespace muster::long_life {

struct LifeOptions {
  int64_t nodes = 10'000;
  // Between two plans.
  int64_t events_a_cycle = 1'000;
  uint64_t seed = 1;
};

struct Counts {
  int64_t cycles = 0, events = 0, refused = 0;
  // What became of tasks, nodes and queues.
  int64_t arrivals = 0, binds = 0, ends = 0, failures = 0, evictions = 0, node_changes = 0,
          queue_edits = 0, steps_back = 0, late_plans = 0;
};

class Life {
 public:
  Life(std::string profile, const LifeOptions& options);

  // Events, a plan, and what the plan decides. Fails if a plan cannot be made.
  absl::Status Cycle();

  Cluster& cluster() { return cluster_; }
  const std::string& profile() const { return profile_; }
  // The options of the next plan.
  ScheduleOptions schedule_options() const { return {.now = now_, .seed = options_.seed}; }
  const Counts& counts() const { return counts_; }
  // Of all plans so far, in their order.
  std::string digest() const { return digest_.Hex(); }

 private:
  struct Task {
    std::string name;
    uint32_t job = 0;   // a slot of jobs_
    int32_t node = -1;  // a place in nodes_
    bool runs = false;
    bool is_there = false;
    size_t at = 0;  // in running_, if it runs
  };
  struct Job {
    JobSpec spec;
    std::vector<uint32_t> tasks;  // slots of tasks_
    bool is_there = false, waits = false;
    size_t at = 0;  // in waiting_, if it waits
  };
  struct Node {
    std::string name;
    size_t type = 0;
    std::vector<uint32_t> tasks;  // that were placed there; they may be elsewhere now
    bool is_cordoned = false;
  };
  // What follows from a decision or an earlier event.
  struct FollowUp {
    enum class Kind {
      kStarted,
      kBindFailed,
      kLeft,
      kRemoveJob,
      kRemoveNode,
      kUncordon,
      kForget
    } kind;
    uint32_t slot;
    std::string name;  // of the row then: slots are used again
  };

  // events.cc
  void Event();
  void Follow(const FollowUp& what);
  void Arrive();
  void Cancel();
  void End(uint32_t task, TaskStatus status);
  void ChangeNode();
  void NewNode(size_t place);
  void EditQueue();
  void EditRow();
  void Nonsense();
  void Watch();

  // life.cc
  bool Done(const absl::Status& status);
  void Learn(const Plan& plan);
  uint32_t SlotOf(std::string_view task) const;
  void NewJob(const JobSpec& spec);
  void ForgetJob(uint32_t job);
  void StartsToRun(uint32_t task);
  void RunsNoMore(uint32_t task);
  bool AnyRuns(uint32_t job) const;
  // The job waits from now on, unless a task of it runs.
  void Waits(uint32_t job);
  void WaitsNoMore(uint32_t job);
  NodeSpec NodeOf(const Node& node) const;
  JobSpec RandomJob();
  template <class T>
  const T& One(const std::vector<T>& items) {
    return items[rng_.Below(items.size())];
  }

  const std::string profile_;
  const LifeOptions options_;
  Rng rng_;
  Cluster cluster_;
  int64_t now_ = 1'000'000;
  int64_t names_ = 0;
  Counts counts_;
  Digest digest_;

  std::vector<Node> nodes_;
  std::vector<Job> jobs_;
  std::vector<Task> tasks_;
  std::vector<uint32_t> free_jobs_, free_tasks_;
  std::vector<uint32_t> running_, waiting_;             // tasks, jobs
  std::vector<std::string> leaves_;                     // queues that have jobs
  std::vector<std::string> passing_queues_;             // that come and go
  HashMap<std::string, uint32_t> slots_, node_places_;  // by name
  std::deque<FollowUp> follow_ups_;
};

// The shapes that jobs are made of, and the kinds of nodes.
const std::vector<TaskShape>& Shapes();
const std::vector<NodeSpec>& NodeTypes();

}  // namespace muster::long_life

#endif  // MUSTER_TESTS_LONG_LIFE_LIFE_H_
