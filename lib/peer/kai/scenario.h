// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A scenario of KAI Scheduler: tasks that lack a place, and victims that would make room for them.
//
//   KaiScenario scenario(&world, partial, partial->Next(false), recorded);
//   scenario.AddVictims(tasks);           // one step of one job
//   for (KaiPod* pod : scenario.Victims()) statement.Evict(pod);
//
// Idea. Recorded victims are those that an easier version of the question needed; they stay. Other
// victims are potential: the search adds them step by step. Each step is kept as a copy of the
// victim's job with the tasks of the step alone (a representative), because tasks that belong to
// one step are given up together.
//
// Cost. O(tasks of the step) to add one.
#ifndef MUSTER_PEER_KAI_SCENARIO_H_
#define MUSTER_PEER_KAI_SCENARIO_H_

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "lib/peer/kai/fingerprint.h"
#include "lib/peer/kai/world.h"

namespace muster {

class KaiScenario {
 public:
  using Pods = std::vector<KaiPod*>;
  struct Victim {
    std::vector<const KaiJob*> steps;  // representatives, in the order in which they were added
    Pods tasks;                        // of all steps
  };

  KaiScenario(KaiWorld* world, const KaiJob* preemptor, Pods pending,
              std::vector<const KaiJob*> recorded_jobs);

  const KaiJob& preemptor() const { return *preemptor_; }
  const Pods& pending() const { return pending_; }
  const Pods& recorded() const { return recorded_; }
  const Pods& potential() const { return potential_; }
  const std::vector<const KaiJob*>& recorded_jobs() const { return recorded_jobs_; }
  const std::map<uint32_t, Victim>& victims() const { return victims_; }
  // Of the job, its pending tasks and recorded victims; and of potential victims, too.
  const KaiFingerprint& beginning() const { return beginning_; }
  const KaiFingerprint& fingerprint() const { return fingerprint_; }
  Pods AllVictims() const;

  void AddVictims(const Pods& tasks);
  // Returns the first representative that has the task; null: none.
  const KaiJob* StepOf(const KaiPod& pod) const;
  // Returns all tasks of jobs that have a potential victim on the node.
  Pods VictimsNear(uint32_t node) const;

 private:
  void AddStep(const Pods& tasks);

  KaiWorld* world_;
  const KaiJob* preemptor_;
  Pods pending_, potential_, recorded_;
  std::vector<const KaiJob*> recorded_jobs_;
  std::map<uint32_t, Victim> victims_;                   // by job
  std::map<uint32_t, std::vector<uint32_t>> jobs_near_;  // by node: jobs of potential victims
  KaiFingerprint beginning_, fingerprint_;
};

// Appends the pods that a copy of a job has.
void AppendKaiPods(const KaiJob& job, std::vector<KaiPod*>* pods);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_SCENARIO_H_
