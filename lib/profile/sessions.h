// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The sessions that a living cluster keeps, one per profile, and the last plan of each: a plan is a
// pure function, so where nothing changed it is still the plan.
//
//   absl::StatusOr<Sessions::Kept*> kept = KeptSession(ImplOf(cluster), "muster", options);
//   PlanData data = (*kept)->session->Run(tables, options);
#ifndef MUSTER_PROFILE_SESSIONS_H_
#define MUSTER_PROFILE_SESSIONS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/plan/plan_data.h"
#include "lib/profile/left_out_tasks.h"
#include "lib/session/session.h"
#include "muster/schedule.h"

namespace muster {

struct Sessions : Attachment {
  struct Kept {
    std::string profile;
    ProfileConfig config;
    ScheduleOptions options;
    std::unique_ptr<Session> session;
    // What the session works on where the profile takes tasks without a job: made anew from the
    // cluster's tables when those have changed.
    std::shared_ptr<const Tables> with_jobs;
    uint64_t version = 0;  // of the tables the plan was made from; 0: none
    // Of the tables that the profile takes; 0: none. And their layout, and the end of their log.
    uint64_t taken_version = 0, taken_layout = 0, taken_position = 0;
    Memory memory;  // that the plan was made from
    // The refused events that the plan explains; null: none.
    std::shared_ptr<const RefusedList> refused;
    // Likewise the events that wait.
    std::vector<WaitingEvent> waiting;
    // Not asked where the profile tries tasks without a job.
    LeftOutTasks left_out;
    Plan plan;
    std::shared_ptr<PlanData> data;  // of the plan; null: there is none
  };
  static constexpr size_t kMost = 4;
  std::vector<Kept> kept;  // most recently used last
};

// Returns the tables that the kept session works on; they are valid until the next call. Fails if
// the profile does not take the cluster.
absl::StatusOr<const Tables*> CycleTables(Sessions::Kept& kept, const Tables& tables);

// Returns the cluster's session for the profile and for the options that are part of a session;
// makes it if there is none. Refuses options that cannot be. The pointer is valid until the next
// call.
absl::StatusOr<Sessions::Kept*> KeptSession(internal::ClusterImpl& cluster,
                                            std::string_view profile,
                                            const ScheduleOptions& options);

}  // namespace muster

#endif  // MUSTER_PROFILE_SESSIONS_H_
