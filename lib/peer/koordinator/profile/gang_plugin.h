// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Coscheduling within the cycles of the profile: jobs are gangs, tasks their pods.
//
//   GangPlugin gangs(settings);
//   gangs.Open(&world, &memory, now);
//   if (gangs.GateOf(task)) ...                   // another pod stands in the queue for the gang
//   kube::Status status = gangs.PreFilter(task);  // begins the turn of the gang
//   kube::PodTurn turn = gangs.NextOfTurn();
//   gangs.Store(&memory);
//
// The rules are those of gangs/gang_book.h. A job with JobSpec::min_available above 1 is a gang,
// with that as its least number; so is one that names a group of gangs. Settings of jobs:
//
//   koordinator/mode          Strict, or NonStrict: a failure does not reject at once
//   koordinator/match-policy  once-satisfied, only-waiting, waiting-and-running
//   koordinator/waiting-time  seconds that a pod waits with its node at most
//   koordinator/groups        the jobs of its group, with commas between them
//
// A turn ends when all gangs of the group have their least number, or when every pod of it was
// tried; then what waits is rejected, and the group is not tried again in the plan. So a pod waits
// with its node beyond a plan only where the plan was cut short within a turn.
//
// Memory. Slot koordinator-groups: groups of gangs that were satisfied once, with the time at which
// the first gang was created. Slot koordinator-pods: pods that were rejected while they waited
// since an earlier plan, and have not left yet: these were never bound.
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_GANG_PLUGIN_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_GANG_PLUGIN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/peer/koordinator/gangs/gang_book.h"
#include "lib/peer/koordinator/profile/plugin_settings.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"

namespace muster::koordinator {

inline constexpr MemoryDecl kGangSlots[] = {{"koordinator-groups", 1}, {"koordinator-pods", 1}};

// Returns what the job declares. A failure is that of a setting that is unknown or wrong.
absl::StatusOr<GangMarks> MarksOf(std::string_view name, const JobSpec& job);
// Returns whether the job is a gang.
inline bool IsGang(const JobSpec& job, const GangMarks& marks) {
  return job.min_available > 1 || !marks.group.empty();
}

class GangPlugin {
 public:
  explicit GangPlugin(const PluginSettings& settings)
      : ticks_(settings.ticks), book_(settings.gangs) {}

  void Open(kube::World* world, MemorySlots* memory, int64_t now);
  void Store(MemorySlots* memory) const;

  bool Wakes(TaskIndex t, const kube::Happening& happening) const;
  // Returns whether the pod may not be ready.
  bool IsGated(TaskIndex t);
  std::string WhyGated(TaskIndex t);
  kube::PodTurn NextOfTurn();

  kube::Status PreFilter(TaskIndex t);
  kube::Permission Permit(TaskIndex t);
  kube::Rejection Unreserve(TaskIndex t);
  kube::Rejection NothingFits(const kube::PodCycle& cycle);

  bool IsOfGang(TaskIndex t) const { return GangOf(t) != nullptr; }
  // All pending pods of the group of a pod that found no node make room together (gang_room.h),
  // once in a plan. Pods of the group that wait keep their nodes as nominations.
  kube::JointPreemption Preempt(kube::PodCycle& cycle, kube::Nominations* nominations, bool never);

 private:
  void OpenGang(JobIndex job);
  const Gang* GangOf(TaskIndex t) const;
  std::string_view NameOf(TaskIndex t) const { return tables_->tasks.names.name(t); }
  std::string GangNameOf(TaskIndex t) const;
  bool SharesGroup(TaskIndex t, JobIndex job) const;
  // Returns tasks of all gangs of the gang's group. `of`: &Gang::pending, those without a node, or
  // &Gang::waiting, those that wait with one.
  std::vector<TaskIndex> TasksInGroup(const Gang& gang, Gang::Names Gang::*of) const;
  std::vector<TaskIndex> TasksOf(const Gang::Names& names) const;
  std::string TooFewText(const Gang& gang, TaskIndex t) const;
  kube::Status Refuse(const std::string& words) const;
  int64_t BirthOf(const GangGroup& group) const;

  const int64_t ticks_;
  GangBook book_;
  kube::World* world_ = nullptr;
  const Tables* tables_ = nullptr;
  int64_t now_ = 0;
  std::vector<uint8_t> is_gang_;            // by job
  std::string turn_gang_;                   // that began the turn; empty: there is none
  HashMap<std::string, std::string> why_;   // of groups that failed in this plan
  HashMap<std::string, std::string> made_;  // of groups that tried to make room: what came of it
  HashMap<std::string, int64_t> rejected_;  // by pod
  HashSet<std::string> undone_;             // groups of which all that waited are rejected
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_GANG_PLUGIN_H_
