// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Actions behind tables of callbacks, and the workbench that they are given.
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "capi/boundary.h"
#include "capi/policy.h"
#include "lib/base/strings.h"
#include "lib/binding/bench.h"

// Lives while its action runs.
struct muster_workbench {
  muster_workbench(muster::Workbench& workbench, muster::capi::PolicyList* list,
                   std::string_view action)
      : bench(workbench), list(*list), action(action) {}

  muster::binding::Bench bench;
  muster::capi::PolicyList& list;
  const std::string_view action;
  // What the last call of the function of that name returned.
  std::vector<int32_t> waiting, pending_tasks, tasks_on;
};

namespace muster::capi {
namespace {

using binding::Bench;

// Calls `body` on the workbench, which returns a StatusOr<T>. A failure, its own or of memory,
// discards the cycle; then, and after an earlier one, the call returns `otherwise`.
template <class T, class F>
T On(muster_workbench* bench, const char* what, T otherwise, F&& body) noexcept {
  if (bench == nullptr || bench->list.failed()) return otherwise;
  PolicyList& list = bench->list;
  muster_error error = MUSTER_ERROR_INIT;
  T result = otherwise;
  const muster_status status = Guard(&error, [&]() -> absl::Status {
    if (list.asking()) {
      return absl::FailedPreconditionError("a policy is being asked; only the action may call");
    }
    absl::StatusOr<T> answer = body(bench->bench);
    if (answer.ok()) result = *answer;
    return answer.status();
  });
  if (status == MUSTER_OK) return list.failed() ? otherwise : result;
  const bool has_words = GuardValue(false, [&] {
    list.Fail(absl::Status(
        static_cast<absl::StatusCode>(-status),
        absl::StrCat("action ", Quote(bench->action), ", ", what, ": ", error.message)));
    return true;
  });
  if (!has_words) list.FailWithoutWords();
  return otherwise;
}

// The same for a call about one task, job or queue.
template <class T, class F>
T OnTask(muster_workbench* bench, const char* what, int32_t task, T otherwise, F&& body) noexcept {
  return On(bench, what, otherwise, [&](Bench& b) -> absl::StatusOr<T> {
    const absl::StatusOr<TaskIndex> t = b.Task(task);
    if (!t.ok()) return t.status();
    return body(b, *t);
  });
}
template <class F>
int32_t OnJob(muster_workbench* bench, const char* what, int32_t job, F&& body) noexcept {
  return On(bench, what, int32_t{0}, [&](Bench& b) -> absl::StatusOr<int32_t> {
    const absl::StatusOr<JobIndex> j = b.Job(job);
    if (!j.ok()) return j.status();
    return body(b.workbench(), *j) ? 1 : 0;
  });
}

// The rows of a call, kept in `kept` for the caller.
template <class Rows>
const int32_t* Keep(const Rows& rows, std::vector<int32_t>* kept, int64_t* count) {
  kept->clear();
  for (const auto row : rows) kept->push_back(RowNumber(row));
  if (count != nullptr) *count = static_cast<int64_t>(kept->size());
  return kept->data();
}

// An evicting call's beneficiary, which may be MUSTER_NONE.
absl::StatusOr<TaskIndex> Beneficiary(const Bench& bench, int32_t task) {
  if (task == MUSTER_NONE) return TaskIndex(kNone);
  return bench.Task(task);
}

// Writes those of `candidates` that `choose` allows to evict, and returns how many they are.
template <class F>
int64_t Choose(muster_workbench* bench, const char* what, int32_t evictor,
               const int32_t* candidates, int64_t count, int32_t* chosen, F&& choose) noexcept {
  return OnTask(bench, what, evictor, int64_t{0},
                [&](Bench& b, TaskIndex task) -> absl::StatusOr<int64_t> {
                  if (count < 0)
                    return absl::InvalidArgumentError(absl::StrCat("count is ", count));
                  if (count > 0 && candidates == nullptr) return NullArgument("candidates");
                  if (count > 0 && chosen == nullptr) return NullArgument("chosen");
                  std::vector<TaskIndex> tasks;
                  for (int64_t i = 0; i < count; ++i) {
                    const absl::StatusOr<TaskIndex> t = b.Task(candidates[i]);
                    if (!t.ok()) return t.status();
                    tasks.push_back(*t);
                  }
                  int64_t written = 0;
                  for (const TaskIndex t : choose(b.workbench(), task, tasks)) {
                    chosen[written++] = RowNumber(t);
                  }
                  return written;
                });
}

}  // namespace

absl::Status PolicyList::Add(const muster_action& table) {
  const auto place = [&] {
    return absl::StrCat("action ", Quote(table.name == nullptr ? "" : table.name), ": ");
  };
  if ((table.flags & ~(MUSTER_ACTION_ADMITS | MUSTER_ACTION_EVICTS)) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(place(), "flags is ", table.flags));
  }
  if (table.run == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(place(), "run is NULL"));
  }
  absl::StatusOr<Entry*> added = AddEntry(
      "action", table.name, table.summary == nullptr ? "of the caller's own" : table.summary);
  if (!added.ok()) return added.status();
  Entry& entry = **added;
  entry.action = table;
  CustomAction action;
  action.name = entry.name;
  action.summary = entry.words;
  action.run = [&entry, this](Workbench& bench, const Options&) { Run(entry, bench); };
  action.admits = (table.flags & MUSTER_ACTION_ADMITS) != 0;
  action.evicts = (table.flags & MUSTER_ACTION_EVICTS) != 0;
  actions.push_back(std::move(action));
  entry.destroy = table.destroy;
  entry.user = table.user;
  return absl::OkStatus();
}

void PolicyList::Run(const Entry& entry, Workbench& bench) {
  if (failed()) return;
  Open(bench.cycle());
  muster_workbench mine(bench, this, entry.name);
  const muster_status status = entry.action.run(entry.action.user, &mine);
  if (status != MUSTER_OK) Fail(UserFailure(absl::StrCat("action ", Quote(entry.name)), status));
}

}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's
using muster::JobIndex;
using muster::NodeIndex;
using muster::QueueIndex;
using muster::TaskIndex;
using muster::Workbench;
using muster::binding::Bench;

const muster_cycle* muster_workbench_cycle(const muster_workbench* bench) {
  return bench == nullptr ? nullptr : &bench->list.cycle();
}

const int32_t* muster_workbench_waiting(muster_workbench* bench, int64_t* count) {
  if (count != nullptr) *count = 0;
  return On(bench, "waiting", static_cast<const int32_t*>(nullptr),
            [&](Bench& b) -> absl::StatusOr<const int32_t*> {
              return Keep(b.workbench().waiting(), &bench->waiting, count);
            });
}

const int32_t* muster_workbench_pending_tasks(muster_workbench* bench, int32_t job,
                                              int64_t* count) {
  if (count != nullptr) *count = 0;
  return On(bench, "pending_tasks", static_cast<const int32_t*>(nullptr),
            [&](Bench& b) -> absl::StatusOr<const int32_t*> {
              const auto j = b.Job(job);
              if (!j.ok()) return j.status();
              return Keep(b.workbench().PendingTasks(*j), &bench->pending_tasks, count);
            });
}

const int32_t* muster_workbench_tasks_on(muster_workbench* bench, int32_t node, int64_t* count) {
  if (count != nullptr) *count = 0;
  return On(bench, "tasks_on", static_cast<const int32_t*>(nullptr),
            [&](Bench& b) -> absl::StatusOr<const int32_t*> {
              const auto n = b.Node(node);
              if (!n.ok()) return n.status();
              return Keep(b.workbench().TasksOn(*n), &bench->tasks_on, count);
            });
}

int32_t muster_workbench_queue_before(muster_workbench* bench, int32_t a, int32_t b) {
  return On(bench, "queue_before", int32_t{0}, [&](Bench& mine) -> absl::StatusOr<int32_t> {
    const auto left = mine.Queue(a), right = mine.Queue(b);
    if (!left.ok()) return left.status();
    if (!right.ok()) return right.status();
    return mine.workbench().QueueBefore(*left, *right) ? 1 : 0;
  });
}

int32_t muster_workbench_job_before(muster_workbench* bench, int32_t a, int32_t b) {
  return On(bench, "job_before", int32_t{0}, [&](Bench& mine) -> absl::StatusOr<int32_t> {
    const auto left = mine.Job(a), right = mine.Job(b);
    if (!left.ok()) return left.status();
    if (!right.ok()) return right.status();
    return mine.workbench().JobBefore(*left, *right) ? 1 : 0;
  });
}

int32_t muster_workbench_task_before(muster_workbench* bench, int32_t a, int32_t b) {
  return On(bench, "task_before", int32_t{0}, [&](Bench& mine) -> absl::StatusOr<int32_t> {
    const auto left = mine.Task(a), right = mine.Task(b);
    if (!left.ok()) return left.status();
    if (!right.ok()) return right.status();
    return mine.workbench().TaskBefore(*left, *right) ? 1 : 0;
  });
}

int32_t muster_workbench_may_take_turn(muster_workbench* bench, int32_t queue) {
  return On(bench, "may_take_turn", int32_t{0}, [&](Bench& b) -> absl::StatusOr<int32_t> {
    const auto q = b.Queue(queue);
    if (!q.ok()) return q.status();
    return b.workbench().MayTakeTurn(*q).ok() ? 1 : 0;
  });
}

int32_t muster_workbench_allocatable(muster_workbench* bench, int32_t task) {
  return OnTask(bench, "allocatable", task, int32_t{0},
                [](Bench& b, TaskIndex t) -> absl::StatusOr<int32_t> {
                  if (b.workbench().cycle().job_of(t) == muster::kNone) return 0;
                  return b.workbench().Allocatable(t).ok() ? 1 : 0;
                });
}

int32_t muster_workbench_valid(muster_workbench* bench, int32_t job) {
  return OnJob(bench, "valid", job, [](Workbench& w, JobIndex j) { return w.Valid(j); });
}
int32_t muster_workbench_ready(muster_workbench* bench, int32_t job) {
  return OnJob(bench, "ready", job, [](Workbench& w, JobIndex j) { return w.Ready(j); });
}
int32_t muster_workbench_pipelined(muster_workbench* bench, int32_t job) {
  return OnJob(bench, "pipelined", job, [](Workbench& w, JobIndex j) { return w.Pipelined(j); });
}
int32_t muster_workbench_starving(muster_workbench* bench, int32_t job) {
  return OnJob(bench, "starving", job, [](Workbench& w, JobIndex j) { return w.Starving(j); });
}

int64_t muster_workbench_preemptable(muster_workbench* bench, int32_t evictor,
                                     const int32_t* candidates, int64_t count, int32_t* chosen) {
  return Choose(
      bench, "preemptable", evictor, candidates, count, chosen,
      [](Workbench& w, TaskIndex t, const auto& tasks) { return w.Preemptable(t, tasks); });
}
int64_t muster_workbench_reclaimable(muster_workbench* bench, int32_t evictor,
                                     const int32_t* candidates, int64_t count, int32_t* chosen) {
  return Choose(
      bench, "reclaimable", evictor, candidates, count, chosen,
      [](Workbench& w, TaskIndex t, const auto& tasks) { return w.Reclaimable(t, tasks); });
}

int64_t muster_workbench_save(muster_workbench* bench) {
  return On(bench, "save", int64_t{-1},
            [](Bench& b) -> absl::StatusOr<int64_t> { return b.Save(); });
}
void muster_workbench_commit(muster_workbench* bench, int64_t savepoint) {
  On(bench, "commit", 0, [&](Bench& b) -> absl::StatusOr<int> {
    if (absl::Status s = b.Commit(savepoint); !s.ok()) return s;
    return 0;
  });
}
void muster_workbench_rollback(muster_workbench* bench, int64_t savepoint) {
  On(bench, "rollback", 0, [&](Bench& b) -> absl::StatusOr<int> {
    if (absl::Status s = b.Rollback(savepoint); !s.ok()) return s;
    return 0;
  });
}

void muster_workbench_admit(muster_workbench* bench, int32_t job) {
  OnJob(bench, "admit", job, [](Workbench& w, JobIndex j) {
    w.Admit(j);
    return true;
  });
}

int32_t muster_workbench_place(muster_workbench* bench, int32_t task) {
  return OnTask(bench, "place", task, MUSTER_NONE,
                [](Bench& b, TaskIndex t) -> absl::StatusOr<int32_t> {
                  return RowNumber(b.workbench().Place(t));
                });
}
int32_t muster_workbench_nominate(muster_workbench* bench, int32_t task) {
  return OnTask(bench, "nominate", task, MUSTER_NONE,
                [](Bench& b, TaskIndex t) -> absl::StatusOr<int32_t> {
                  return RowNumber(b.workbench().Nominate(t));
                });
}
int32_t muster_workbench_reserve(muster_workbench* bench, int32_t task, int64_t until,
                                 const char* waiting_group) {
  return OnTask(bench, "reserve", task, MUSTER_NONE,
                [&](Bench& b, TaskIndex t) -> absl::StatusOr<int32_t> {
                  const std::optional<int64_t> deadline =
                      until == muster::kAbsent ? std::nullopt : std::optional(until);
                  const absl::StatusOr<NodeIndex> node =
                      b.Reserve(t, deadline, waiting_group == nullptr ? "" : waiting_group);
                  if (!node.ok()) return node.status();
                  return RowNumber(*node);
                });
}

int32_t muster_workbench_fits(muster_workbench* bench, int32_t task, int32_t node) {
  return OnTask(bench, "fits", task, int32_t{0},
                [&](Bench& b, TaskIndex t) -> absl::StatusOr<int32_t> {
                  const auto n = b.Node(node);
                  if (!n.ok()) return n.status();
                  return b.workbench().Fits(t, *n) ? 1 : 0;
                });
}
int32_t muster_workbench_place_on(muster_workbench* bench, int32_t task, int32_t node) {
  return OnTask(bench, "place_on", task, int32_t{0},
                [&](Bench& b, TaskIndex t) -> absl::StatusOr<int32_t> {
                  const auto n = b.Node(node);
                  if (!n.ok()) return n.status();
                  return b.workbench().PlaceOn(t, *n) ? 1 : 0;
                });
}

int32_t muster_workbench_evict(muster_workbench* bench, int32_t victim, int32_t beneficiary) {
  return OnTask(bench, "evict", victim, int32_t{0},
                [&](Bench& b, TaskIndex t) -> absl::StatusOr<int32_t> {
                  const auto gets = Beneficiary(b, beneficiary);
                  if (!gets.ok()) return gets.status();
                  return b.workbench().Evict(t, *gets) ? 1 : 0;
                });
}
int32_t muster_workbench_move_to(muster_workbench* bench, int32_t task, int32_t node,
                                 int32_t beneficiary) {
  return OnTask(bench, "move_to", task, int32_t{0},
                [&](Bench& b, TaskIndex t) -> absl::StatusOr<int32_t> {
                  const auto n = b.Node(node);
                  const auto gets = Beneficiary(b, beneficiary);
                  if (!n.ok()) return n.status();
                  if (!gets.ok()) return gets.status();
                  return b.workbench().MoveTo(t, *n, *gets) ? 1 : 0;
                });
}
int32_t muster_workbench_return(muster_workbench* bench, int32_t task) {
  return OnTask(bench, "return", task, int32_t{0},
                [](Bench& b, TaskIndex t) -> absl::StatusOr<int32_t> {
                  return b.workbench().Return(t) ? 1 : 0;
                });
}

void muster_workbench_explain_no_node(muster_workbench* bench, int32_t task) {
  OnTask(bench, "explain_no_node", task, int32_t{0},
         [](Bench& b, TaskIndex t) -> absl::StatusOr<int32_t> {
           b.workbench().ExplainNoNode(t);
           return 0;
         });
}

int32_t muster_workbench_should_stop(muster_workbench* bench) {
  return On(bench, "should_stop", int32_t{1},
            [](Bench& b) -> absl::StatusOr<int32_t> { return b.workbench().ShouldStop() ? 1 : 0; });
}
