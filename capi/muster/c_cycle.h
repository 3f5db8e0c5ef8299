/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * Cycles: from a cluster or a snapshot to a plan, and back into the cluster.
 *
 *   muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
 *   muster_plan* plan = NULL;
 *
 *   options.now = seconds();
 *   options.time_limit = 50 * 1000 * 1000;
 *   options.keep_cut = 1;
 *   if (muster_cluster_schedule(cluster, "muster", &options, &plan, &error) ||
 *       carry_out(plan) || muster_cluster_apply(cluster, plan, NULL, NULL, &error)) {
 *     fprintf(stderr, "%s\n", error.message);
 *   }
 *   muster_plan_free(plan);
 *
 * Included by muster/c.h, which states the rules that hold for every call.
 */
#ifndef MUSTER_C_CYCLE_H_
#define MUSTER_C_CYCLE_H_

#include <muster/c_cluster.h>
#include <muster/c_plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- stopping early -------------------------------------------------------------------------- */

/* A flag that any thread may set at any time. It must outlive the cycles that it was given to. */
typedef struct muster_stop muster_stop;

/* Makes a flag that is not set. */
MUSTER_API muster_status muster_stop_new(muster_stop** out, muster_error* error);

/* Sets the flag with any number but 0, and clears it with 0. While it is set, cycles and replays
 * that were given it end before their next gang. */
MUSTER_API void muster_stop_set(muster_stop* stop, int32_t stopped);

/* Frees the flag. NULL is permitted. */
MUSTER_API void muster_stop_free(muster_stop* stop);

/* ---- options --------------------------------------------------------------------------------- */

/* Policies and actions of the caller's own: c_policy.h. */
typedef struct muster_policies muster_policies;

/* Each switch turns a means of speed off, which its comment describes. None changes a plan. */
#define MUSTER_SWITCH_NO_BLOCK_WINNERS 1        /* the best nodes of a task class are kept */
#define MUSTER_SWITCH_NO_EQUAL_STATES 2         /* nodes alike in everything are scored once */
#define MUSTER_SWITCH_NO_INFEASIBILITY_MEMORY 4 /* a search that found nothing is not repeated */
#define MUSTER_SWITCH_NO_VECTOR_KERNELS 8       /* many nodes are scored at once */

/* What is measured. Measuring changes no plan. */
#define MUSTER_MEASURE_COSTS 1u   /* time and counts by action, policy and way of searching */
#define MUSTER_MEASURE_CHOICES 2u /* and why tasks got their nodes: a look at every node for each */

typedef struct muster_schedule_options {
  uint32_t struct_size;
  uint32_t cursor; /* of an earlier plan that was cut: the cycle continues there. 0: the start */
  int64_t now;     /* seconds, on the clock of `created` and `deadline` */
  uint64_t seed;   /* for profiles that break ties by chance; no effect on others */
  /* Units of work after which no turn of a job begins. 0: no bound; below 0: none begins. The plan
   * is then cut, and the same budget cuts it at the same place. */
  int64_t work_budget;
  /* `time_limit` and `stop` discard the cycle with MUSTER_E_DEADLINE_EXCEEDED and
   * MUSTER_E_CANCELLED. With keep_cut 1 the plan has what was decided until then, at the end of a
   * gang, and its `complete` is 0. */
  int64_t time_limit;      /* nanoseconds from now; 0: none; below 0: over already */
  const muster_stop* stop; /* NULL: none */
  int32_t keep_cut;        /* 0 or 1 */
  uint32_t switches;       /* MUSTER_SWITCH_..., or-ed */
  /* Bytes for scores that are kept between placements. 0: 128 MiB; below 0: none are kept. */
  int64_t memory_limit;
  const muster_policies* policies; /* NULL: none */
  /* What the cycle is to decide, as JSON: {"decisions": 3} is the next three; {"heartbeats": ["n1",
   * "n0"]} is nodes that report, in this order; {"event": true} is the oldest event that a slot of
   * the memory has not seen. NULL: a whole cycle. */
  const char* turn;
  /* The memory of an earlier plan, a text of muster_plan_memory. NULL: what the cluster keeps. */
  const char* memory;
  /* MUSTER_MEASURE_..., or-ed: muster_plan_get_costs returns it. 0: nothing is measured. */
  uint32_t measure;
  uint32_t reserved;
} muster_schedule_options;
#define MUSTER_SCHEDULE_OPTIONS_INIT                                                              \
  {                                                                                               \
    (uint32_t)sizeof(muster_schedule_options), 0, 0, 0, 0, 0, NULL, 0, 0, 0, NULL, NULL, NULL, 0, \
        0                                                                                         \
  }

/* ---- cycles over a cluster ------------------------------------------------------------------- */

/* Runs a cycle and hands out its plan. The cluster does not change. `profile` is a name with
 * changes: "volcano:binpack(weight=5),+preempt" (docs/policies.md). `options` may be NULL. The plan
 * is a pure function of the tables, the profile, `now`, `seed`, `cursor`, `work_budget`, `turn` and
 * the memory. Fails with MUSTER_E_INVALID_ARGUMENT for an unknown word in the profile and names the
 * nearest valid one. Cost: what changed since the last cycle of the same profile. */
MUSTER_API muster_status muster_cluster_schedule(muster_cluster* cluster, const char* profile,
                                                 const muster_schedule_options* options,
                                                 muster_plan** out, muster_error* error);

/* Applies the plan to the tables: bound tasks become binding, evicted tasks releasing, and so on.
 * Decisions that changes since then made impossible are refused, whole gangs together; the rest is
 * applied. *applied (may be NULL) is the number of decisions applied. *refused (may be NULL) has a
 * line for each other decision, with its reason. Cost: O(decisions). */
MUSTER_API muster_status muster_cluster_apply(muster_cluster* cluster, const muster_plan* plan,
                                              int64_t* applied, muster_text** refused,
                                              muster_error* error);

/* Writes the memory of the cluster: that of the last plan that was applied, or the one that was
 * set. */
MUSTER_API muster_status muster_cluster_memory(const muster_cluster* cluster, muster_text** out,
                                               muster_error* error);
/* Replaces the memory of the cluster. Slots of a memory that is set have seen none of the cluster's
 * events. Fails with MUSTER_E_INVALID_ARGUMENT for a text that is no memory, with no effect. */
MUSTER_API muster_status muster_cluster_set_memory(muster_cluster* cluster, const char* memory,
                                                   int64_t size, muster_error* error);

/* Sets the limits of each text that the cluster reads from now on: muster_cluster_read_scenario,
 * muster_cluster_add_json, muster_cluster_what_if, muster_state_load. NULL: MUSTER_LIMITS_INIT,
 * which a new cluster has. */
MUSTER_API muster_status muster_cluster_set_limits(muster_cluster* cluster,
                                                   const muster_limits* limits,
                                                   muster_error* error);

/* ---- snapshots ------------------------------------------------------------------------------- */

/* A frozen cluster. It never changes, and any number of threads may use it at once. */
typedef struct muster_snapshot muster_snapshot;

/* Freezes the cluster. Cost: O(1); the next change of the cluster copies its tables once. */
MUSTER_API muster_status muster_cluster_freeze(const muster_cluster* cluster, muster_snapshot** out,
                                               muster_error* error);

/* Frees the snapshot. Its plans stay valid. NULL is permitted. */
MUSTER_API void muster_snapshot_free(muster_snapshot* snapshot);

/* Runs a cycle as muster_cluster_schedule does. Cost: O(nodes + tasks), and the cycle. */
MUSTER_API muster_status muster_snapshot_schedule(const muster_snapshot* snapshot,
                                                  const char* profile,
                                                  const muster_schedule_options* options,
                                                  muster_plan** out, muster_error* error);

/* Returns the version of the cluster when it was frozen; 0 for NULL. */
MUSTER_API uint64_t muster_snapshot_version(const muster_snapshot* snapshot);

/* Returns a number that all indices are below. It counts removed rows, too. Returns 0 for NULL and
 * for kinds without indices. */
MUSTER_API int64_t muster_snapshot_count(const muster_snapshot* snapshot, int32_t kind);

/* Returns the name of a row, which does NOT end with a NUL: *size is its length. Returns NULL where
 * there is no such row. */
MUSTER_API const char* muster_snapshot_name(const muster_snapshot* snapshot, int32_t kind,
                                            int32_t index, int64_t* size);

/* Sets *index to the row of that name. Fails with MUSTER_E_NOT_FOUND. Cost: O(1). */
MUSTER_API muster_status muster_snapshot_find(const muster_snapshot* snapshot, int32_t kind,
                                              const char* name, int64_t size, int32_t* index,
                                              muster_error* error);

/* ---- several cycles at once ------------------------------------------------------------------ */

/* Runs item i of some work. */
typedef void (*muster_run)(uintptr_t work, int64_t i);

/* Hands out work: calls run(work, i) once for each i from 0 to count - 1, in any order and on any
 * threads, and returns once all calls have returned. A second call for one i does nothing. An i
 * that was left out runs on the calling thread afterwards. A result other than 0 fails the call
 * that the executor was given to. */
typedef muster_status (*muster_executor)(uintptr_t user, int64_t count, muster_run run,
                                         uintptr_t work);

/* Runs cycles of several profiles over one snapshot, each by itself: out[i] is the plan of
 * profiles[i] with options[i]. `options`, and each of them, may be NULL. With a NULL executor they
 * run one after another. Cycles with policies or actions of the caller's own run so on the calling
 * thread, after the executor has returned. All plans are handed out or none; the error names the
 * first profile that failed. */
MUSTER_API muster_status muster_snapshot_schedule_all(
    const muster_snapshot* snapshot, const char* const* profiles /* [count] */,
    const muster_schedule_options* const* options /* [count] */, int64_t count,
    muster_executor executor, uintptr_t user, muster_plan** out /* [count] */, muster_error* error);

/* Threads that the library starts, for callers that have none to hand out:
 *
 *   muster_threads* threads = NULL;
 *   muster_threads_new(4, &threads, &error);
 *   muster_cluster_set_executor(cluster, muster_threads_run, (uintptr_t)threads, 4, &error);
 *
 * Any number of calls may use them at once: while one has them, the others stay on their own
 * thread. */
typedef struct muster_threads muster_threads;

/* Starts `width` - 1 threads, which sleep until they are used: with the calling thread they are
 * `width`. Fails with MUSTER_E_INVALID_ARGUMENT unless `width` is 1 to 256. Where the system has no
 * thread to give, there are fewer. */
MUSTER_API muster_status muster_threads_new(int64_t width, muster_threads** out,
                                            muster_error* error);

/* A muster_executor. `threads` is the muster_threads as a number. */
MUSTER_API muster_status muster_threads_run(uintptr_t threads, int64_t count, muster_run run,
                                            uintptr_t work);

/* Ends the threads. REQUIRES: no call uses them, and no cluster has them as its executor. NULL is
 * permitted. */
MUSTER_API void muster_threads_free(muster_threads* threads);

/* Sets where muster_cluster_advise runs its trials from now on: `width` of them at once, 1 or more,
 * by the executor; more than 256 count as 256. The answers do not depend on it. A NULL executor:
 * one after another, as with a new cluster. Cycles of muster_cluster_schedule, and trials that ask
 * muster_advise_options.policies, stay on the calling thread (docs/threads.md). A result of the
 * executor other than 0 fails muster_cluster_advise with MUSTER_E_USER and the result as user_code.
 * Fails with MUSTER_E_INVALID_ARGUMENT for a width below 1. */
MUSTER_API muster_status muster_cluster_set_executor(muster_cluster* cluster,
                                                     muster_executor executor, uintptr_t user,
                                                     int64_t width, muster_error* error);

#ifdef __cplusplus
}
#endif

#endif /* MUSTER_C_CYCLE_H_ */
