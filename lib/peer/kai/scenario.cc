// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/scenario.h"

#include <algorithm>
#include <utility>

namespace muster {

void AppendKaiPods(const KaiJob& job, std::vector<KaiPod*>* pods) {
  if (pods->empty()) pods->reserve(job.pods().size());
  for (KaiPod* pod : job.pods()) {
    if (pod != nullptr) pods->push_back(pod);
  }
}

KaiScenario::KaiScenario(KaiWorld* world, const KaiJob* preemptor, Pods pending,
                         std::vector<const KaiJob*> recorded_jobs)
    : world_(world),
      preemptor_(preemptor),
      pending_(std::move(pending)),
      recorded_jobs_(std::move(recorded_jobs)) {
  using Role = KaiFingerprint::Role;
  beginning_.Add(Role::kPreemptor, preemptor_->number());
  for (const KaiPod* pod : pending_) beginning_.Add(Role::kPending, pod->task);
  for (const KaiJob* job : recorded_jobs_) {
    Pods tasks;
    AppendKaiPods(*job, &tasks);
    recorded_.insert(recorded_.end(), tasks.begin(), tasks.end());
    AddStep(tasks);
  }
  for (const KaiPod* pod : recorded_) beginning_.Add(Role::kRecorded, pod->task);
  fingerprint_ = beginning_;
}

KaiScenario::Pods KaiScenario::AllVictims() const {
  Pods all = recorded_;
  all.insert(all.end(), potential_.begin(), potential_.end());
  return all;
}

void KaiScenario::AddStep(const Pods& tasks) {
  const KaiJob& job = world_->JobOf(*tasks[0]);
  Victim& victim = victims_[job.number()];
  victim.steps.push_back(world_->arena.Clone(job, tasks));
  victim.tasks.insert(victim.tasks.end(), tasks.begin(), tasks.end());
}

void KaiScenario::AddVictims(const Pods& tasks) {
  if (tasks.empty()) return;
  potential_.insert(potential_.end(), tasks.begin(), tasks.end());
  AddStep(tasks);
  for (const KaiPod* pod : tasks) {
    fingerprint_.Add(KaiFingerprint::Role::kPotential, pod->task);
    const uint32_t job = world_->facts().tasks[pod->task].job;
    std::vector<uint32_t>& jobs = jobs_near_[pod->node];
    const auto at = std::ranges::lower_bound(jobs, job);
    if (at == jobs.end() || *at != job) jobs.insert(at, job);
  }
}

const KaiJob* KaiScenario::StepOf(const KaiPod& pod) const {
  const auto victim = victims_.find(world_->facts().tasks[pod.task].job);
  if (victim == victims_.end()) return nullptr;
  for (const KaiJob* step : victim->second.steps) {
    if (step->Find(pod.task) != nullptr) return step;
  }
  return nullptr;
}

KaiScenario::Pods KaiScenario::VictimsNear(uint32_t node) const {
  Pods pods;
  const auto near = jobs_near_.find(node);
  if (near == jobs_near_.end()) return pods;
  for (const uint32_t job : near->second) {
    for (const KaiJob* step : victims_.at(job).steps) AppendKaiPods(*step, &pods);
  }
  return pods;
}

}  // namespace muster
