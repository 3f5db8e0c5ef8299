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
// Cost. A step costs O(nodes with victims * log) in the second generator, and what is on the nodes
// of the latest victim's job in the first. What failed before is known by its fingerprint, before a
// scenario is built of it. A proposal costs O(its victims).
#ifndef MUSTER_PEER_KAI_SCENARIO_SEARCH_H_
#define MUSTER_PEER_KAI_SCENARIO_SEARCH_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "lib/peer/kai/job_queue.h"
#include "lib/peer/kai/scenario.h"
#include "lib/peer/kai/scenario_filters.h"

namespace muster {

// What is searched for.
struct KaiProbe {
  const KaiJob* partial = nullptr;  // a copy with some of the pending tasks
  std::vector<const KaiJob*> recorded_jobs = {};
  std::vector<uint8_t> feasible = {};                // by node
  std::function<KaiJobQueue*()> victims;             // returns the same queue, filled anew
  const std::set<KaiFingerprint>* failed = nullptr;  // scenarios that are not proposed again
};

// The base: victims of the queue, as far as they were added.
class KaiScenarioBase {
 public:
  KaiScenarioBase(KaiWorld* world, const KaiProbe& probe);
  // Returns the base once the filters admit it, after one more step if `advance`; null: the queue
  // is empty.
  const KaiScenario* Next(bool advance);
  KaiWorld* world() const { return world_; }
  // REQUIRES: Next has returned one.
  const KaiScenario& scenario() const { return *base_; }

 private:
  bool AddStep();

  KaiWorld* world_;
  std::function<KaiJobQueue*()> begin_;
  KaiJobQueue* victims_ = nullptr;  // null: none was asked for yet
  std::vector<bool> recorded_;      // by task
  std::optional<KaiScenario> base_;
  std::optional<KaiScenarioFilters> filters_;
};

class KaiScenarioGenerator {
 public:
  virtual ~KaiScenarioGenerator() = default;
  // Returns the next proposal, valid until the next call; null: there are no more.
  virtual const KaiScenario* Next() = 0;
  // Returns the base of the latest proposal: all victims so far.
  virtual const KaiScenario& Base() const = 0;
};

class KaiNodeLocalScenarios : public KaiScenarioGenerator {
 public:
  KaiNodeLocalScenarios(KaiWorld* world, const KaiProbe& probe)
      : probe_(probe), base_(world, probe) {}
  const KaiScenario* Next() override;
  const KaiScenario& Base() const override { return base_.scenario(); }

 private:
  void Propose(const KaiScenario& base);

  const KaiProbe& probe_;
  KaiScenarioBase base_;
  bool begun_ = false;
  std::deque<KaiScenario> proposals_;
  std::optional<KaiScenario> current_;
};

class KaiGangScenarios : public KaiScenarioGenerator {
 public:
  KaiGangScenarios(KaiWorld* world, const KaiProbe& probe) : probe_(probe), base_(world, probe) {}
  const KaiScenario* Next() override;
  const KaiScenario& Base() const override { return base_.scenario(); }

 private:
  // Victims that go together, by their representative.
  struct Batch {
    KaiScenario::Pods tasks;
    KaiFingerprint fingerprint;
  };
  struct Near {
    uint32_t node;
    size_t first;  // place of its first victim
    std::vector<size_t> batches = {};
    // Its victims, each with the place of its batch in `batches`; ascending by that.
    std::vector<std::pair<size_t, const KaiPod*>> pods = {};
  };
  struct Ranked {
    double free;  // GPUs, if all of its victims go
    size_t first;
    size_t near;
  };
  void Begin(const KaiScenario& base);
  void FollowBase(const KaiScenario& base);
  void AddNear(uint32_t node, size_t place, size_t batch, const KaiPod* pod);
  void Rank(double least);
  // Returns the GPUs that lack, with what is free on nodes without victims.
  double MissingOf(double demand) const;
  bool TakeNodes();
  const KaiScenario* Widen();

  const KaiProbe& probe_;
  KaiScenarioBase base_;
  bool begun_ = false;
  const KaiScenario* wide_ = nullptr;  // the base that is being proposed in parts
  // Of the base, as far as it was followed:
  size_t followed_ = 0;
  std::vector<Batch> batches_;
  std::map<const KaiJob*, size_t> batch_of_;
  std::vector<Near> near_;         // in the order of their first victims
  std::vector<uint32_t> near_of_;  // by node: its place in `near_`, plus 1
  std::vector<double> recorded_;   // by node: GPUs of recorded victims
  // Of the base that is being proposed:
  std::vector<Ranked> ranked_;
  std::vector<uint8_t> taken_;  // by batch
  KaiFingerprint taken_print_;
  size_t counted_ = 0;          // ranked nodes of which the batches are taken
  size_t take_ = 0, more_ = 1;  // how many nodes, and how many more next
  std::optional<KaiScenario> current_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_SCENARIO_SEARCH_H_
