// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One profile at work on one set of tables, cycle after cycle.
//
//   Session session(tables, config, speed);
//   PlanData plan = session.Run(tables, options);   // a cycle: open, actions in order, close
//
// Between cycles a session keeps its books, node states and scoreboards, and follows the tables'
// change log, so that a cycle costs what changed. A session on a frozen snapshot runs once; only
// its allocations are reused.
#ifndef MUSTER_SESSION_SESSION_H_
#define MUSTER_SESSION_SESSION_H_

#include <memory>
#include <optional>
#include <vector>

#include "lib/part/context.h"
#include "lib/plan/plan_data.h"
#include "lib/session/config.h"
#include "lib/session/reason_table.h"
#include "muster/schedule.h"

namespace muster {

class Session {
 public:
  // `spare`: the books of a session that has ended, or null; their allocations are reused.
  Session(const Tables& tables, const ProfileConfig& config, const SpeedOptions& speed,
          std::unique_ptr<Ledger> spare = nullptr);

  // Runs a cycle and returns its plan without names. `spare`: an old plan; its allocations are
  // reused.
  PlanData Run(const Tables& tables, const ScheduleOptions& options, PlanData spare = {});
  // `explains` false: plans of cycles from now on decide the same, and list neither the tasks that
  // stay pending nor reasons. True at first.
  void set_explains(bool explains) { explains_ = explains; }
  // `lists` false: plans from now on do not list what queues hold and deserve. True at first.
  void set_lists_shares(bool lists) { lists_shares_ = lists; }
  // Returns true only if the last plan leaves nothing to do at its time (lib/part/settles.h): if it
  // does nothing but bind tasks that run at once, then a cycle at the same time decides nothing.
  // Known of plans without reasons alone.
  bool settled() const;
  // Does what Run does, on the tables that the session was made for. It is the only call on the
  // session: `*books` gets its books, for their allocations.
  PlanData RunOnce(const ScheduleOptions& options, std::unique_ptr<Ledger>* books);

  const Ledger& ledger() const { return *ledger_; }
  // Returns the books, without moves, after they have followed the tables.
  Ledger& SyncedBooks(const Tables& tables);

 private:
  void SyncTo(const Tables& tables);
  void Build();
  void Follow();
  // `placements`: the likely number of decisions.
  PlanData Cycle(const ScheduleOptions& options, PlanData spare, size_t placements);
  void CountShares(bool after, std::vector<QueueShare>* shares) const;
  PlanData StartPlan(PlanData spare) const;
  void Open(const ScheduleOptions& options, const Memory& before);
  SearchRules RulesOfSearch() const;
  void Close(ActionContext& context, PlanData* plan);
  std::vector<JobIndex> TouchedJobs();
  void DecidePhase(JobIndex job, JobPhase known, PlanData* plan) const;
  void ListWaiting(const ActionContext& context, JobIndex job, ReasonTable* reasons,
                   PlanData* plan) const;
  void ListWaitingJob(const ActionContext& context, JobIndex job, ReasonTable* reasons,
                      PlanData* plan) const;
  void ListLone(const ActionContext& context, ReasonTable* reasons, PlanData* plan) const;
  static void DropDecided(PlanData* plan);
  void ListDevices(PlanData* plan) const;
  JobPhase PhaseAtClose(JobIndex job, JobPhase phase) const;
  std::vector<JobIndex> JobsToLookAt();
  void FindWaiting();
  bool LookAt(JobIndex job);
  bool IsQuiet(JobIndex job) const { return quiet_at_[job] == ledger_->job_stamp(job) + 1; }
  Reason Fallback(const ActionContext& context, JobIndex job, TaskIndex task) const;

  const Tables* tables_;
  const ProfileConfig config_;
  const SpeedOptions speed_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<NodeSearch> search_;
  std::vector<std::unique_ptr<ActionKeep>> keeps_;  // by action; empty: the session runs once
  Domains domains_;
  // What policies and actions read during a cycle; absent before the first.
  std::optional<internal::CycleData> data_;
  std::optional<class Cycle> view_;
  bool domains_changed_ = true;
  bool explains_ = true, lists_shares_ = true;
  bool ended_ = false;  // the last cycle was whole, and its actions kept what they know
  std::vector<JobPhase> known_phases_;  // as the tables have them
  std::vector<JobPhase> phases_;        // as the cycle changes them
  std::vector<JobIndex> waiting_;       // with pending tasks, or not admitted; ascending
  std::vector<JobIndex> changed_;       // see CycleData::changed
  bool counts_gangs_ = false;           // some policy answers at kReady, switched on or not
  // The stamp + 1 of the job's account when none of its tasks waited and its phase was settled; 0:
  // never.
  std::vector<uint64_t> quiet_at_;
  enum Standing : uint8_t { kWaits = 1, kEdited = 2 };
  std::vector<uint8_t> standing_;  // by job: it is in waiting_, in edited_
  // When the last cycle opened, nominated or with a phase that no cycle leaves as it is; ascending.
  std::vector<JobIndex> restless_;
  std::vector<JobIndex> edited_;  // in the tables, since then
  uint64_t journal_birth_ = 0;    // of the ledger's journal of jobs, and how far it was read
  size_t journal_position_ = 0;
  enum Mark : uint8_t { kSeen = 1, kAdmitted = 2, kWithdrawn = 4 };
  std::vector<uint8_t> marks_;  // by job; all 0 between uses
  uint64_t log_position_ = 0;
  uint64_t layout_ = 0;
};

}  // namespace muster

#endif  // MUSTER_SESSION_SESSION_H_
