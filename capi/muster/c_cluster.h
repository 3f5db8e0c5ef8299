/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * Clusters: the caller's living tables of nodes, queues, jobs and tasks.
 *
 *   muster_cluster* cluster = NULL;
 *   int32_t task = MUSTER_NONE;
 *   const int32_t running = MUSTER_TASK_RUNNING;
 *
 *   if (muster_cluster_new(NULL, &cluster, &error) ||
 *       muster_cluster_put(cluster, MUSTER_PUT_ADD, nodes, &error) ||
 *       muster_cluster_put(cluster, MUSTER_PUT_ADD, jobs, &error) ||
 *       muster_cluster_find(cluster, MUSTER_KIND_TASKS, "train-0", MUSTER_TO_NUL, &task, &error) ||
 *       muster_cluster_set_tasks(cluster, 1, &task, &running, NULL, &error)) {
 *     fprintf(stderr, "%s\n", error.message);
 *   }
 *   muster_cluster_free(cluster);
 *
 * A cluster is filled once, follows what the caller reports, and is scheduled in cycles
 * (c_cycle.h). Included by muster/c.h, which states the rules that hold for every call.
 */
#ifndef MUSTER_C_CLUSTER_H_
#define MUSTER_C_CLUSTER_H_

#include <muster/c_tables.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a cluster and its sinks ----------------------------------------------------------------- */

/* Living tables. Rows keep the order of their insertion, which breaks ties in plans. One thread
 * uses a cluster at a time; a call made while another runs fails with
 * MUSTER_E_FAILED_PRECONDITION. */
typedef struct muster_cluster muster_cluster;

#define MUSTER_LOG_INFO 0    /* what a call did */
#define MUSTER_LOG_WARNING 1 /* what was refused inside a call that went on */

/* Takes one line of the log, without its end. `text` is valid during the call. */
typedef void (*muster_log_sink)(uintptr_t user, int32_t level, const char* text, int64_t size);

/* Takes bytes of a record (docs/capi.md): whole lines of JSON, in order. A result other than 0 ends
 * the recording with a warning in the log; the call that it belongs to has succeeded. */
typedef muster_status (*muster_record_sink)(uintptr_t user, const char* bytes, int64_t size);

typedef struct muster_cluster_options {
  uint32_t struct_size;
  uint32_t reserved;
  /* Copied. It serves plans and texts of this cluster, too. NULL: malloc without a budget. */
  const muster_allocator* allocator;
  muster_log_sink log; /* NULL: no log */
  uintptr_t log_user;
  /* Gets every change and cycle from now on, with digests. `muster replay-log` plays them again.
   * NULL: no record. */
  muster_record_sink record;
  uintptr_t record_user;
  /* Bytes. Before a line that would exceed it, the record ends with a line that states it. 0: no
   * limit. */
  int64_t record_limit;
} muster_cluster_options;
#define MUSTER_CLUSTER_OPTIONS_INIT \
  { (uint32_t)sizeof(muster_cluster_options), 0, NULL, NULL, 0, NULL, 0, 0 }

/* Makes an empty cluster. `options` may be NULL. */
MUSTER_API muster_status muster_cluster_new(const muster_cluster_options* options,
                                            muster_cluster** out, muster_error* error);

/* Frees the cluster. Its snapshots and plans stay valid. NULL is permitted. A callback that frees
 * the cluster of the call that runs makes that call free it at its end. */
MUSTER_API void muster_cluster_free(muster_cluster* cluster);

/* ---- rows ------------------------------------------------------------------------------------ */

/* All rows of the table are new. */
#define MUSTER_PUT_ADD 0
/* All rows exist, by name. Fields that neither a column nor the defaults set keep their values. */
#define MUSTER_PUT_UPDATE 1

/* Adds or updates all rows of the table, or none. Domains cannot be updated. Budgets, namespaces,
 * flavors, partitions and reservations are set whole: for them the two modes are one. Fails with
 * MUSTER_E_INVALID_ARGUMENT where a row breaks a rule, MUSTER_E_ALREADY_EXISTS and
 * MUSTER_E_NOT_FOUND. Cost: O(rows), about 0.4 us a task in a large table (capi_bench). */
MUSTER_API muster_status muster_cluster_put(muster_cluster* cluster, int32_t mode,
                                            const muster_table* table, muster_error* error);

/* Adds rows of all kinds from a scenario document, in the order of its tables: all of them, or none
 * where a row is refused. A node with "count" stands for that many. */
MUSTER_API muster_status muster_cluster_add_json(muster_cluster* cluster, const char* json,
                                                 int64_t size, muster_error* error);

/* Removes the row of that name, which is "namespace/name" for a disruption budget (without a slash
 * the namespace is "default"). A job goes with its tasks. Fails with MUSTER_E_FAILED_PRECONDITION
 * for a node with tasks, a queue with jobs or children, and a domain with nodes or children. */
MUSTER_API muster_status muster_cluster_remove(muster_cluster* cluster, int32_t kind,
                                               const char* name, int64_t size, muster_error* error);

/* Makes `count` of a group's tasks, which are counts (column group.by_count), pending rows.
 * Profiles place rows only. Fails with MUSTER_E_NOT_FOUND for an unknown job, and with
 * MUSTER_E_INVALID_ARGUMENT if the group has fewer. Cost: O(count). */
MUSTER_API muster_status muster_cluster_make_tasks(muster_cluster* cluster, const char* job,
                                                   int64_t job_size, const char* group,
                                                   int64_t group_size, int64_t count,
                                                   muster_error* error);

/* ---- reports on tasks ------------------------------------------------------------------------ */

/* Sets the status (MUSTER_TASK_...) and node of tasks, by index, in order. nodes[i] is MUSTER_NONE
 * where the status needs no node, or where the task keeps its node; `nodes` may be NULL. All
 * reports are taken or none. Fails with MUSTER_E_INVALID_ARGUMENT, and names statuses[i]. Cost:
 * about 0.1 us a task (capi_bench). */
MUSTER_API muster_status muster_cluster_set_tasks(muster_cluster* cluster, int64_t count,
                                                  const int32_t* tasks /* [count] */,
                                                  const int32_t* statuses /* [count] */,
                                                  const int32_t* nodes /* [count], or NULL */,
                                                  muster_error* error);

/* Sets the status and node of one task, by name. `node` may be NULL. */
MUSTER_API muster_status muster_cluster_set_task(muster_cluster* cluster, const char* name,
                                                 int64_t size, int32_t status, const char* node,
                                                 int64_t node_size, muster_error* error);

/* Reports that a bind of an applied plan failed: the task is pending again. */
MUSTER_API muster_status muster_cluster_report_bind_failed(muster_cluster* cluster,
                                                           const char* name, int64_t size,
                                                           muster_error* error);

/* Reports that an eviction of an applied plan failed: the task runs on its node again. */
MUSTER_API muster_status muster_cluster_report_evict_failed(muster_cluster* cluster,
                                                            const char* name, int64_t size,
                                                            muster_error* error);

/* Lists what applied plans made the cluster assume and nothing has confirmed yet, one line of JSON
 * for each task, in the order of the rows:
 *   {"task":"a/b","status":"binding","node":"n1","since":1700000000}
 * The status is binding, releasing or waiting; `since` is muster_schedule_options.now of the plan.
 * docs/protocol.md states what ends an assumption. */
MUSTER_API muster_status muster_cluster_assumptions(const muster_cluster* cluster,
                                                    muster_text** out, muster_error* error);

/* Takes back binds that were assumed `bind_limit` seconds or more before `now`, and evictions that
 * were assumed `evict_limit` seconds or more before it: the tasks are pending, or run, again.
 * MUSTER_ABSENT: they never expire. *expired (may be NULL) lists them as
 * muster_cluster_assumptions does. Fails with MUSTER_E_INVALID_ARGUMENT for a limit below 0. */
MUSTER_API muster_status muster_cluster_expire_assumptions(muster_cluster* cluster, int64_t now,
                                                           int64_t bind_limit, int64_t evict_limit,
                                                           muster_text** expired,
                                                           muster_error* error);

/* ---- events of a watch ----------------------------------------------------------------------- */

#define MUSTER_DELTA_APPLIED 0
#define MUSTER_DELTA_STALE 1   /* a later event of the object came before */
#define MUSTER_DELTA_WAITING 2 /* for an object that it names */
#define MUSTER_DELTA_REFUSED 3 /* the row breaks a rule; of muster_cluster_take_deltas alone */

/* Takes events. Each row of the table is a whole object, of any kind. generations[i] grows with
 * each change of the object at its source. Events may come twice, late or out of order, and an
 * object waits for those that it names.
 *   outcomes  (may be NULL) MUSTER_DELTA_... of each row
 *   done      (may be NULL) the number of rows taken
 * Rows are taken one by one. Where one is refused, the call fails and the rows before it stay. */
MUSTER_API muster_status muster_cluster_apply_deltas(muster_cluster* cluster,
                                                     const muster_table* table,
                                                     const uint64_t* generations /* [rows] */,
                                                     int32_t* outcomes /* [rows] */, int64_t* done,
                                                     muster_error* error);

/* As muster_cluster_apply_deltas, and a row that is refused stops no other: its outcome is
 * MUSTER_DELTA_REFUSED, and nothing of it is applied.
 *   outcomes  (may be NULL) MUSTER_DELTA_... of each row
 *   refusals  (may be NULL) a line for each refused row, such as: tasks[3]: task "a/b": ...
 * Fails where the table as a whole cannot be read, as with a column that its kind does not have; no
 * row is taken then. muster_plan_explain repeats the words of a refused job or task, and of the
 * refused tasks of a job. */
MUSTER_API muster_status muster_cluster_take_deltas(muster_cluster* cluster,
                                                    const muster_table* table,
                                                    const uint64_t* generations /* [rows] */,
                                                    int32_t* outcomes /* [rows] */,
                                                    muster_text** refusals, muster_error* error);

/* Lists the newest refused event of each object, one line for each, in the order in which they were
 * refused: task "a/b": and the words. An object leaves the list once a later event of it is taken,
 * all with muster_cluster_reconcile, and the first beyond 1,024 objects. */
MUSTER_API muster_status muster_cluster_refused_events(const muster_cluster* cluster,
                                                       muster_text** out, muster_error* error);

/* Takes the event that an object is gone; the name is as in muster_cluster_remove. *outcome (may be
 * NULL) is MUSTER_DELTA_... */
MUSTER_API muster_status muster_cluster_apply_removal(muster_cluster* cluster, int32_t kind,
                                                      const char* name, int64_t size,
                                                      uint64_t generation, int32_t* outcome,
                                                      muster_error* error);

/* Lists the objects of events that wait for others, one line for each, in the order in which they
 * began to: task "a/b" waits for node "n1". Such an object may name more that is missing. */
MUSTER_API muster_status muster_cluster_waiting_events(const muster_cluster* cluster,
                                                       muster_text** out, muster_error* error);

/* Makes the cluster equal to the tables, which list everything: a kind without a table has no rows,
 * and tasks of jobs are rows of the table of tasks. *drift (may be NULL) has one line for each row
 * that differed, such as: missing node "n1". All or nothing. Cost: O(rows). */
MUSTER_API muster_status muster_cluster_reconcile(muster_cluster* cluster,
                                                  const muster_table* const* tables, int32_t count,
                                                  muster_text** drift, muster_error* error);

/* ---- indices --------------------------------------------------------------------------------- */

/* Sets *index to the row of that name, for columns and for muster_cluster_set_tasks. An index is
 * valid while muster_cluster_layout returns the same number. Fails with MUSTER_E_NOT_FOUND. Cost:
 * O(1). */
MUSTER_API muster_status muster_cluster_find(const muster_cluster* cluster, int32_t kind,
                                             const char* name, int64_t size, int32_t* index,
                                             muster_error* error);

/* Returns a number that grows when indices move, because removals have closed gaps in the tables.
 * Returns 0 for NULL. */
MUSTER_API uint64_t muster_cluster_layout(const muster_cluster* cluster);

/* Returns a number that grows with every change. Returns 0 for NULL. */
MUSTER_API uint64_t muster_cluster_version(const muster_cluster* cluster);

/* ---- documents ------------------------------------------------------------------------------- */

/* Writes the rows as a scenario document. A cluster that reads it makes plans with the same names.
 * `profile` (may be NULL) is the profile that the document names. A standby that continues where
 * this cluster stands loads a state instead (muster_state_save). */
MUSTER_API muster_status muster_cluster_write_scenario(const muster_cluster* cluster,
                                                       const char* profile, muster_text** out,
                                                       muster_error* error);

/* Replaces all rows by those of a scenario document. *profile (may be NULL) is the profile that the
 * document names, empty if it names none. On failure the rows are as they were. */
MUSTER_API muster_status muster_cluster_read_scenario(muster_cluster* cluster, const char* json,
                                                      int64_t size, muster_text** profile,
                                                      muster_error* error);

/* Writes the saved state, all that a standby needs to continue: rows and their indices, events that
 * wait, and decisions of applied plans that are not reported yet. This call and the next number the
 * rows anew, without those that were removed: indices move, and muster_cluster_layout grows. */
MUSTER_API muster_status muster_state_save(muster_cluster* cluster, muster_text** out,
                                           muster_error* error);

/* Replaces everything by a saved state. From then on equal calls give plans of equal digests. Fails
 * with MUSTER_E_INVALID_ARGUMENT where the text is no state of this version; the cluster is then as
 * it was. */
MUSTER_API muster_status muster_state_load(muster_cluster* cluster, const char* state, int64_t size,
                                           muster_error* error);

#ifdef __cplusplus
}
#endif

#endif /* MUSTER_C_CLUSTER_H_ */
