/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * Actions of the caller's own: algorithms that place and evict, run beside those of a profile.
 *
 *   muster_status in_order(uintptr_t user, muster_workbench* bench) {
 *     int64_t i, k, jobs, tasks;
 *     const int32_t* job = muster_workbench_waiting(bench, &jobs);
 *     for (i = 0; i < jobs && !muster_workbench_should_stop(bench); ++i) {
 *       const int64_t before = muster_workbench_save(bench);
 *       const int32_t* task = muster_workbench_pending_tasks(bench, job[i], &tasks);
 *       for (k = 0; k < tasks; ++k)
 *         if (muster_workbench_place(bench, task[k]) == MUSTER_NONE) break;
 *       if (muster_workbench_ready(bench, job[i]))
 *         muster_workbench_commit(bench, before);
 *       else
 *         muster_workbench_rollback(bench, before);
 *     }
 *     return MUSTER_OK;
 *   }
 *   ...
 *   muster_action action = MUSTER_ACTION_INIT;
 *   const muster_action* actions[] = {&action};
 *
 *   action.name = "in-order";
 *   action.run = in_order;
 *   if (muster_extensions_new(NULL, 0, actions, 1, &list, &error)) return;
 *   options.policies = list;
 *   muster_cluster_schedule(cluster, "muster:actions=in-order", &options, &plan, &error);
 *
 * Promise. An action works on books that it changes by moves. Moves since a savepoint have one of
 *   three ends: they are committed and become decisions, in their order; they are rolled back; or
 *   they stay applied without becoming decisions. The books are restored when the cycle ends,
 *   whatever an action left behind. The same action on equal inputs must make equal moves.
 * Failure. An action that returns anything but 0 discards the cycle with MUSTER_E_USER. So does,
 *   with MUSTER_E_OUT_OF_RANGE, a call about a row that does not exist, and, with
 *   MUSTER_E_FAILED_PRECONDITION, a savepoint that is over or a call from inside a policy. From
 *   then on calls do nothing, have no result (0, NULL or MUSTER_NONE), and should_stop returns 1. A
 *   call about a task in another status than the call names is no failure: it has no effect and no
 *   result. A NULL workbench is permitted and has no results.
 * Ownership. A workbench is valid until the action returns. Rows that a call returns are valid
 *   until the next call of the same function.
 * Threads. A workbench belongs to the thread that runs the cycle.
 * Cost. A move costs O(dimensions); place is a look-up in the score table of the task's class.
 *
 * Included by muster/c.h, which states the rules that hold for every call.
 */
#ifndef MUSTER_C_ACTION_H_
#define MUSTER_C_ACTION_H_

#include <muster/c_policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- an action ------------------------------------------------------------------------------- */

/* The books of one cycle, with the questions and moves of the profile's own actions. */
typedef struct muster_workbench muster_workbench;

/* Flags. Jobs may ask for nodes only after this action has admitted them. */
#define MUSTER_ACTION_ADMITS 1u
/* The action evicts tasks for others. */
#define MUSTER_ACTION_EVICTS 2u

/* One action. It runs only in profiles that name it: "muster:actions=NAME+reclaim". */
typedef struct muster_action {
  uint32_t struct_size;
  uint32_t flags; /* MUSTER_ACTION_..., or-ed */
  uintptr_t user;
  const char* name;    /* 1 to 64 lower-case letters, digits, '-' and '_'; none of the profile's */
  const char* summary; /* one line for lists; NULL: that it is the caller's */
  muster_status (*run)(uintptr_t user, muster_workbench* bench); /* must not be NULL */
  void (*destroy)(uintptr_t user); /* called once, when no cluster uses the list any more */
} muster_action;
#define MUSTER_ACTION_INIT \
  { (uint32_t)sizeof(muster_action), 0, 0, NULL, NULL, NULL, NULL }

/* Makes a list of policies and actions, as muster_policies_new does of policies alone. It goes into
 * muster_schedule_options.policies, and muster_policies_free frees it. */
MUSTER_API muster_status muster_extensions_new(
    const muster_policy* const* policies /* [policy_count] */, int32_t policy_count,
    const muster_action* const* actions /* [action_count] */, int32_t action_count,
    muster_policies** out, muster_error* error);

/* ---- what an action may read ----------------------------------------------------------------- */

/* Returns the cycle, for the muster_cycle_... functions: books as the moves have left them. */
MUSTER_API const muster_cycle* muster_workbench_cycle(const muster_workbench* bench);

/* Returns the jobs that had pending tasks or were not admitted when the cycle began, ascending by
 * index, and sets *count (may be NULL). */
MUSTER_API const int32_t* muster_workbench_waiting(muster_workbench* bench, int64_t* count);
/* Returns the job's pending tasks without gates, in the profile's order of tasks. */
MUSTER_API const int32_t* muster_workbench_pending_tasks(muster_workbench* bench, int32_t job,
                                                         int64_t* count);
/* Returns the tasks that hold the node or are promised it, ascending by index. */
MUSTER_API const int32_t* muster_workbench_tasks_on(muster_workbench* bench, int32_t node,
                                                    int64_t* count);

/* Orders of the profile: 1 if `a` goes first. They are total. */
MUSTER_API int32_t muster_workbench_queue_before(muster_workbench* bench, int32_t a, int32_t b);
MUSTER_API int32_t muster_workbench_job_before(muster_workbench* bench, int32_t a, int32_t b);
MUSTER_API int32_t muster_workbench_task_before(muster_workbench* bench, int32_t a, int32_t b);

/* Gates of the profile, 1 for yes: may the queue take a turn; may the task take free resources; has
 * the job enough tasks; is its gang whole; will it be once leaving tasks have gone; may it evict.
 * A task without a job may take none. */
MUSTER_API int32_t muster_workbench_may_take_turn(muster_workbench* bench, int32_t queue);
MUSTER_API int32_t muster_workbench_allocatable(muster_workbench* bench, int32_t task);
MUSTER_API int32_t muster_workbench_valid(muster_workbench* bench, int32_t job);
MUSTER_API int32_t muster_workbench_ready(muster_workbench* bench, int32_t job);
MUSTER_API int32_t muster_workbench_pipelined(muster_workbench* bench, int32_t job);
MUSTER_API int32_t muster_workbench_starving(muster_workbench* bench, int32_t job);

/* Write to `chosen` the candidates that the profile allows to evict for the task `evictor`, in the
 * order of `candidates`, and return how many these are: of candidates of its own queue
 * (preemptable) or of other queues (reclaimable). */
MUSTER_API int64_t muster_workbench_preemptable(muster_workbench* bench, int32_t evictor,
                                                const int32_t* candidates /* [count] */,
                                                int64_t count, int32_t* chosen /* [count] */);
MUSTER_API int64_t muster_workbench_reclaimable(muster_workbench* bench, int32_t evictor,
                                                const int32_t* candidates /* [count] */,
                                                int64_t count, int32_t* chosen /* [count] */);

/* Returns 1 if the task fits what is idle on the node, by every rule of the profile. */
MUSTER_API int32_t muster_workbench_fits(muster_workbench* bench, int32_t task, int32_t node);

/* ---- moves ----------------------------------------------------------------------------------- */

/* Marks the present state, and returns a number for it. Savepoints nest. One is over once a commit,
 * or a rollback to an earlier one, has followed. */
MUSTER_API int64_t muster_workbench_save(muster_workbench* bench);
/* Turns the moves since the savepoint into decisions, in their order. */
MUSTER_API void muster_workbench_commit(muster_workbench* bench, int64_t savepoint);
/* Takes the moves since the savepoint back. The savepoint stays. */
MUSTER_API void muster_workbench_rollback(muster_workbench* bench, int64_t savepoint);

/* Admits the job: its tasks may be placed from now on, and the plan lists it. No rollback takes it
 * back. */
MUSTER_API void muster_workbench_admit(muster_workbench* bench, int32_t job);
/* Places a pending task on the best node where it fits what is idle, by the fit and score of the
 * profile. Returns the node, or MUSTER_NONE if there is none. */
MUSTER_API int32_t muster_workbench_place(muster_workbench* bench, int32_t task);
/* Nominates a pending task on the best node where it fits once leaving tasks have gone. Returns the
 * node, or MUSTER_NONE. */
MUSTER_API int32_t muster_workbench_nominate(muster_workbench* bench, int32_t task);
/* Places a pending task as place does, with status waiting. Committed, it is a reservation with
 * this deadline (seconds; MUSTER_ABSENT: none) and waiting group (NULL: none). A deadline or group
 * that no row of a task may have fails, and with it the cycle. */
MUSTER_API int32_t muster_workbench_reserve(muster_workbench* bench, int32_t task, int64_t until,
                                            const char* waiting_group);
/* Places a pending task on the node if it fits there. Returns 1 if it does. */
MUSTER_API int32_t muster_workbench_place_on(muster_workbench* bench, int32_t task, int32_t node);
/* Evicts a running or bound task for `beneficiary` (MUSTER_NONE: for no task). Returns 0 for other
 * tasks. */
MUSTER_API int32_t muster_workbench_evict(muster_workbench* bench, int32_t victim,
                                          int32_t beneficiary);
/* Evicts a running or bound task and keeps `node`, where it must fit, for it. Returns 0 for other
 * tasks. */
MUSTER_API int32_t muster_workbench_move_to(muster_workbench* bench, int32_t task, int32_t node,
                                            int32_t beneficiary);
/* Takes back an eviction, or a move to another node, that this cycle made. Returns 0 for other
 * tasks. */
MUSTER_API int32_t muster_workbench_return(muster_workbench* bench, int32_t task);
/* The reason that the plan shows for the task becomes "no node", with the refusals as they are
 * now. */
MUSTER_API void muster_workbench_explain_no_node(muster_workbench* bench, int32_t task);

/* Call between gangs, before each turn. Counts the turn as work, and returns 1 if the work budget
 * is spent or the caller stops the cycle: the action must return then, with only whole gangs
 * committed. */
MUSTER_API int32_t muster_workbench_should_stop(muster_workbench* bench);

#ifdef __cplusplus
}
#endif

#endif /* MUSTER_C_ACTION_H_ */
