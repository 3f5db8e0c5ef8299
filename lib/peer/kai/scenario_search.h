// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The search of KAI Scheduler for victims: two generators of scenarios.
//
//   KaiNodeLocalScenarios near(&world, probe);   // victims of one node at a time
//   KaiGangScenarios wide(&world, probe);        // victims of the fewest nodes that could do
//   while (const KaiScenario* scenario = near.Next()) ...
//
// Idea. Both take victims from a queue of jobs, step by step, and keep all of them as a base. The
// filters must admit the base. Then the first generator proposes, for each node of the latest
// victim's job, the jobs with victims on that node. The second orders the nodes with victims by
// what they would have free, least first, takes the fewest that cover the request, and then more:
// one, two, four, ... All victims that have a step on these nodes are proposed together.
//
// Peer. A step of which a task is recorded already is passed over, and the job's other tasks go
// back to the queue. A job that was recorded may so be a victim twice.
//
// Cost. A proposal costs O(its victims).
#ifndef MUSTER_PEER_KAI_SCENARIO_SEARCH_H_
#define MUSTER_PEER_KAI_SCENARIO_SEARCH_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "lib/peer/kai/job_queue.h"
#include "lib/peer/kai/scenario.h"
#include "lib/peer/kai/scenario_filters.h"

namespace muster {

// What is searched for.
struct KaiProbe {
  const KaiJob* partial = nullptr;  // a copy with some of the pending tasks
  std::vector<const KaiJob*> recorded_jobs = {};
  std::vector<uint8_t> feasible = {};  // by node
  std::function<std::unique_ptr<KaiJobQueue>()> victims;
};

// The base: victims of the queue, as far as they were added.
class KaiScenarioBase {
 public:
  KaiScenarioBase(KaiWorld* world, const KaiProbe& probe);
  // Returns the base once the filters admit it, after one more step if `advance`; null: the queue
  // is empty.
  const KaiScenario* Next(bool advance);
  KaiWorld* world() const { return world_; }

 private:
  bool AddStep();

  KaiWorld* world_;
  std::unique_ptr<KaiJobQueue> victims_;
  std::vector<uint8_t> recorded_;  // by task
  std::optional<KaiScenario> base_;
  std::optional<KaiScenarioFilters> filters_;
};

class KaiScenarioGenerator {
 public:
  virtual ~KaiScenarioGenerator() = default;
  // Returns the next proposal, valid until the next call; null: there are no more.
  virtual const KaiScenario* Next() = 0;
};

class KaiNodeLocalScenarios : public KaiScenarioGenerator {
 public:
  KaiNodeLocalScenarios(KaiWorld* world, const KaiProbe& probe) : base_(world, probe) {}
  const KaiScenario* Next() override;

 private:
  void Propose(const KaiScenario& base);

  KaiScenarioBase base_;
  bool begun_ = false;
  std::deque<KaiScenario> proposals_;
  std::optional<KaiScenario> current_;
};

class KaiGangScenarios : public KaiScenarioGenerator {
 public:
  KaiGangScenarios(KaiWorld* world, const KaiProbe& probe) : probe_(probe), base_(world, probe) {}
  const KaiScenario* Next() override;

 private:
  // Victims that go together, by their representative.
  struct Batch {
    const KaiJob* step;
    KaiScenario::Pods tasks;
  };
  struct Near {
    uint32_t node;
    size_t first;  // place of its first victim
    double free;   // GPUs, if all of its victims go
    std::vector<size_t> batches;
  };
  void Begin(const KaiScenario& base);
  std::vector<Near> NodesNear(const KaiScenario& base);
  const KaiScenario* Widen();

  const KaiProbe& probe_;
  KaiScenarioBase base_;
  bool begun_ = false;
  const KaiScenario* wide_ = nullptr;  // the base that is being proposed in parts
  std::vector<Batch> batches_;
  std::vector<Near> near_;
  size_t take_ = 0, more_ = 1;  // how many nodes, and how many more next
  std::optional<KaiScenario> current_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_SCENARIO_SEARCH_H_
