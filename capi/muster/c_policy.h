/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * Policies of the caller's own, in columns.
 *
 *   muster_status spread(uintptr_t user, const muster_cycle* cycle, const muster_class_view* c,
 *                        const muster_nodes_view* nodes, double* out) {
 *     int64_t i;
 *     for (i = 0; i < nodes->count; ++i) out[i] = nodes->idle[i] / nodes->allocatable[i];
 *     return MUSTER_OK;
 *   }
 *   ...
 *   muster_policy policy = MUSTER_POLICY_INIT;
 *   const muster_policy* policies[] = {&policy};
 *   muster_policies* list = NULL;
 *
 *   policy.name = "spread";
 *   policy.score = spread;
 *   if (muster_policies_new(policies, 1, &list, &error)) return;
 *   options.policies = list;
 *
 * Promise. A muster_policy has one callback for each extension point of docs/policies.md, under the
 *   name of the point, and answers of several policies combine by the rules there. A profile places
 *   the policy by its name: "volcano:tiers=spread/priority+gang/predicates+proportion". Otherwise
 *   it is in the last tier. Equal questions must get equal answers: plans are pure functions of
 *   their inputs only then.
 * Failure. A callback returns 0; or MUSTER_PASSTHROUGH, and its output is ignored; or any other
 *   number, which discards the cycle with MUSTER_E_USER. A wrong answer discards the cycle with
 *   MUSTER_E_INVALID_ARGUMENT, and the error names the policy, the callback and the row. The
 *   cluster is then as it was.
 * Ownership. Tables of callbacks are copied, and names with them. Arrays that a callback is passed
 *   are valid until it returns.
 * Threads. Callbacks run on the thread that runs the cycle, one at a time.
 * Cost. One call is about all rows of a kind, or about a task class and all its nodes. The comment
 *   of each callback states how often it is called.
 *
 * Included by muster/c.h, which states the rules that hold for every call.
 */
#ifndef MUSTER_C_POLICY_H_
#define MUSTER_C_POLICY_H_

#include <muster/c_cycle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a policy may read ------------------------------------------------------------------ */

/* The cycle that asks. It is valid in callbacks that it is passed to. */
typedef struct muster_cycle muster_cycle;

/* Returns muster_schedule_options.now. */
MUSTER_API int64_t muster_cycle_now(const muster_cycle* cycle);

/* Returns a number that all indices are below. It counts removed rows, too. */
MUSTER_API int64_t muster_cycle_count(const muster_cycle* cycle, int32_t kind);

/* Returns the name of a row, which does NOT end with a NUL: *size is its length. Returns NULL where
 * there is no such row. */
MUSTER_API const char* muster_cycle_name(const muster_cycle* cycle, int32_t kind, int32_t index,
                                         int64_t* size);

/* Reads a column over some rows, as it is at this moment of the cycle. out[i] is MUSTER_ABSENT
 * where the row leaves it unset. D is the name of a dimension.
 *   nodes   allocatable.D, idle.D, used.D, releasing.D, unschedulable
 *   queues  weight, priority, created, allocated.D, pending.D, limit.D, deserved.D
 *   jobs    queue, priority, created, min_available, phase, tasks, tasks_pending, tasks_ready,
 *           allocated.D
 *   tasks   job, node, status, priority, created, class, request.D
 *   domains parent, tier, nodes, allocatable.D, idle.D
 * The last domain is the whole cluster: its name is empty, and it is the parent of domains without
 * one. Amounts of a domain are the sums over its nodes, an unset amount counting as 0.
 * Fails with MUSTER_E_NOT_FOUND for other columns and dimensions, and MUSTER_E_OUT_OF_RANGE for
 * rows that do not exist. Cost: O(count). */
MUSTER_API muster_status muster_cycle_get_numbers(const muster_cycle* cycle, int32_t kind,
                                                  const char* column,
                                                  const int32_t* rows /* [count] */, int64_t count,
                                                  int64_t* out /* [count] */, muster_error* error);

/* Task classes: a kind of rows that the calls below read, and no other. */
#define MUSTER_KIND_CLASSES 12

/* Returns the value of a label of a node, a task or a task class, which does NOT end with a NUL:
 * *size (may be NULL) is its length. It is valid until the callback returns. Returns NULL where
 * there is no such row or label. Cost: O(labels of the row). */
MUSTER_API const char* muster_cycle_label(const muster_cycle* cycle, int32_t kind, int32_t index,
                                          const char* key, int64_t* size);

/* Writes a node, queue, job, task or domain as the JSON object that a scenario file has for it
 * (docs/scenario.md): labels, taints and all else, as the cycle found them. A task class is written
 * as the shape of its tasks: node_selector, tolerations, affinities, ... Fields with their defaults
 * are left out. Fails with MUSTER_E_OUT_OF_RANGE for a row that does not exist. Cost: O(row). */
MUSTER_API muster_status muster_cycle_row(const muster_cycle* cycle, int32_t kind, int32_t index,
                                          muster_text** out, muster_error* error);

/* Rules of muster_cycle_match_nodes. */
#define MUSTER_MATCH_SELECTOR 1u    /* the node selector and the required node affinity */
#define MUSTER_MATCH_TAINTS 2u      /* taints NoSchedule and NoExecute are tolerated */
#define MUSTER_MATCH_SCHEDULABLE 4u /* it is not marked unschedulable, or that is tolerated */

/* Sets out[i] to 1 where all of `rules` (MUSTER_MATCH_..., or-ed) hold between the task class and
 * nodes[i], otherwise to 0. Fails with MUSTER_E_OUT_OF_RANGE for rows that do not exist, and with
 * MUSTER_E_INVALID_ARGUMENT for other rules. Cost: O(count), and what each node has. */
MUSTER_API muster_status muster_cycle_match_nodes(const muster_cycle* cycle, int32_t task_class,
                                                  uint32_t rules,
                                                  const int32_t* nodes /* [count] */, int64_t count,
                                                  uint8_t* out /* [count] */, muster_error* error);

/* A task class: all tasks that no policy of the library can tell apart. */
typedef struct muster_class_view {
  uint32_t struct_size;
  int32_t index;
  int32_t dimensions;
  int32_t reserved;
  const int64_t* request; /* [dimensions]; MUSTER_ABSENT: none */
} muster_class_view;

/* Nodes and their books, column by column: dimension d of node i is at [d * stride + i]. Amounts
 * are whole numbers below 2^53. */
typedef struct muster_nodes_view {
  uint32_t struct_size;
  int32_t dimensions;
  int64_t count;
  int64_t stride;
  const int32_t* node; /* [count] */
  const double* allocatable;
  const double* idle;        /* allocatable minus what tasks hold */
  const double* future_idle; /* idle, and what is being released and not promised */
  const double* used;        /* what tasks hold, leaving ones included */
} muster_nodes_view;

/* ---- a policy -------------------------------------------------------------------------------- */

/* A flag: `score`, `job_order`, `queue_order` and `sub_group_order` are asked again whenever the
 * books changed, and `admit` after each admission. Without it they are asked once a cycle, with the
 * books as the cycle found them. */
#define MUSTER_POLICY_LIVE 1u

/* One policy: a callback for each extension point, NULL where it has no opinion. Each output has
 * one number for each row, and is filled with "no opinion", the value after "out:"; the callback
 * changes what it likes. Keys and scores must be finite, yes and no 1 and 0, votes -1, 0 or 1.
 *
 * Unless a comment states otherwise, orders are asked once a cycle (MUSTER_POLICY_LIVE), and gates
 * again whenever the books changed. */
typedef struct muster_policy {
  uint32_t struct_size;
  uint32_t flags; /* MUSTER_POLICY_LIVE */
  uintptr_t user;
  const char* name; /* 1 to 64 lower-case letters, digits, '-' and '_' */
  const char*
      refusal; /* what reasons say of nodes that it refuses, after the name; NULL: nothing */

  /* -- events. Called before any question of a cycle. */
  muster_status (*open)(uintptr_t user, const muster_cycle* cycle);

  /* -- nodes. 0: the class may not run on the node, whatever is evicted. Asked once a class and
   * cycle, with the books as the cycle found them. out: 1. */
  muster_status (*fit)(uintptr_t user, const muster_cycle* cycle,
                       const muster_class_view* task_class, const muster_nodes_view* nodes,
                       uint8_t* out);
  /* Higher is better; scores of all policies are added. Asked once a class and cycle, or with
   * MUSTER_POLICY_LIVE again for nodes with changed books. out: 0. */
  muster_status (*score)(uintptr_t user, const muster_cycle* cycle,
                         const muster_class_view* task_class, const muster_nodes_view* nodes,
                         double* out);

  /* -- orders. Keys: the smaller goes first, equal keys leave the order to the next policy.
   * out: 0. */
  muster_status (*job_order)(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                             int64_t count, double* out);
  muster_status (*queue_order)(uintptr_t user, const muster_cycle* cycle, const int32_t* queues,
                               int64_t count, double* out);
  /* Within a job; asked once a cycle. */
  muster_status (*task_order)(uintptr_t user, const muster_cycle* cycle, const int32_t* tasks,
                              int64_t count, double* out);

  /* -- gates. 1: the queue holds all it may have and gets no turn. out: 0. */
  muster_status (*overused)(uintptr_t user, const muster_cycle* cycle, const int32_t* queues,
                            int64_t count, uint8_t* out);
  /* 0: the placements of the job must not become decisions yet. out: 1. */
  muster_status (*ready)(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                         int64_t count, uint8_t* out);
  /* 0: the job is not tried in this cycle. Asked once a cycle. out: 1. */
  muster_status (*valid)(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                         int64_t count, uint8_t* out);
  /* A vote: may the job ask for nodes? 1 yes, -1 no. Asked once a cycle. out: 0. */
  muster_status (*admit)(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                         int64_t count, int8_t* out);
  /* 0: the queue may not take a task of the class. out: 1. */
  muster_status (*allocatable)(uintptr_t user, const muster_cycle* cycle,
                               const muster_class_view* task_class, const int32_t* queues,
                               int64_t count, uint8_t* out);

  /* -- victims, asked once for each list of candidates. 1: the task may be evicted for the task
   * `evictor` of its queue (preemptable) or of another (reclaimable). out: 0. */
  muster_status (*preemptable)(uintptr_t user, const muster_cycle* cycle, int32_t evictor,
                               const int32_t* tasks, int64_t count, uint8_t* out);
  muster_status (*reclaimable)(uintptr_t user, const muster_cycle* cycle, int32_t evictor,
                               const int32_t* tasks, int64_t count, uint8_t* out);

  void (*destroy)(uintptr_t user); /* called once, when no cluster uses the list any more */

  /* -- more gates. 0: the queue may not take `request` (one amount for each dimension) by evicting
   * tasks of other queues. out: 1. */
  muster_status (*preemptive)(uintptr_t user, const muster_cycle* cycle, const int64_t* request,
                              int32_t dimensions, const int32_t* queues, int64_t count,
                              uint8_t* out);
  /* A vote: will the job's gang be whole once leaving tasks have gone? 1 yes, -1 no. out: 0. */
  muster_status (*pipelined)(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                             int64_t count, int8_t* out);
  /* 0: the job lacks no task for which others may be evicted. out: 1. */
  muster_status (*starving)(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                            int64_t count, uint8_t* out);

  /* -- more victims. 1: the task may be evicted, from a gang that can spare it, for the whole job
   * `evictor`. from_other_queues 1: the tasks are of other queues than the job. out: 0. */
  muster_status (*evictable)(uintptr_t user, const muster_cycle* cycle, int32_t evictor,
                             int32_t from_other_queues, const int32_t* tasks, int64_t count,
                             uint8_t* out);
  /* 1: the running task should leave its node although no task waits for the place. out: 0. */
  muster_status (*victims)(uintptr_t user, const muster_cycle* cycle, const int32_t* tasks,
                           int64_t count, uint8_t* out);
  /* Keys: the queue `evictor` takes tasks from the smaller first. Asked for each such queue, again
   * whenever the books changed. out: 0. */
  muster_status (*victim_queue_order)(uintptr_t user, const muster_cycle* cycle, int32_t evictor,
                                      const int32_t* queues, int64_t count, double* out);

  /* -- sub-groups: all those of jobs that have any. Row i is sub-group groups[i] of jobs[i], an
   * index into the job's `sub_groups`; MUSTER_NONE: the job's tasks that are in none. They answer
   * as job_order, ready and pipelined do for jobs. out: 0; 1; 0. */
  muster_status (*sub_group_order)(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                                   const int32_t* groups, int64_t count, double* out);
  muster_status (*sub_group_ready)(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                                   const int32_t* groups, int64_t count, uint8_t* out);
  muster_status (*sub_group_pipelined)(uintptr_t user, const muster_cycle* cycle,
                                       const int32_t* jobs, const int32_t* groups, int64_t count,
                                       int8_t* out);

  /* -- domains of the topology tree, asked each time a job or sub-group searches for one. `group`
   * is as above; in a search for the whole job it is MUSTER_NONE. Scores, higher being better, of
   * domains that can take it: those of all policies are added. out: 0. */
  muster_status (*domain_score)(uintptr_t user, const muster_cycle* cycle, int32_t job,
                                int32_t group, const int32_t* domains, int64_t count, double* out);
  /* Ranks of the domains inside `within`, itself included: those of rank 0 are tried first, then
   * those of rank 1, and so on; -1: not tried. Only the first policy of the profile that has this
   * callback is asked. `allocated` is the domain that holds tasks of the job or sub-group already,
   * or MUSTER_NONE. evicting 1: domains that are full now count, too. With no rank but -1 there is
   * no place. A leaf is asked about alone before a sub-group may take it as a whole. out: 0 for
   * `within`, -1 for the others. */
  muster_status (*domain_search)(uintptr_t user, const muster_cycle* cycle, int32_t job,
                                 int32_t group, int32_t within, int32_t allocated, int32_t evicting,
                                 const int32_t* domains, int64_t count, int32_t* out);
} muster_policy;
#define MUSTER_POLICY_INIT                                                                        \
  {                                                                                               \
    (uint32_t)sizeof(muster_policy), 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,  \
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL, NULL, NULL                                                                          \
  }

/* ---- lists of policies ----------------------------------------------------------------------- */

/* Makes a list of policies, which are copied; one that has actions as well is made by
 * muster_extensions_new (c_action.h). A list never changes. Hand the same list in cycle
 * after cycle: a cluster keeps what it has learned as long as the list is the same. Clusters that
 * used a list keep it alive, so that callbacks may run until each of them is freed or has used
 * four other profiles since. One cycle at a time asks the policies of a list; a second fails with
 * MUSTER_E_FAILED_PRECONDITION. `destroy` is called for each policy, also where this call fails. */
MUSTER_API muster_status muster_policies_new(const muster_policy* const* policies /* [count] */,
                                             int32_t count, muster_policies** out,
                                             muster_error* error);

/* Frees the caller's hold on the list. NULL is permitted. */
MUSTER_API void muster_policies_free(muster_policies* policies);

#ifdef __cplusplus
}
#endif

#endif /* MUSTER_C_POLICY_H_ */
