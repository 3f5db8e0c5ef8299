/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * Muster decides which tasks run on which nodes: tables of nodes, queues, jobs and tasks go in, and
 * a plan comes out, with a reason for every task that waits. This header is the whole C interface.
 * Only its binary form is kept stable.
 *
 *   #include <muster/c.h>
 *
 *   muster_error error = MUSTER_ERROR_INIT;
 *   muster_cluster* cluster = NULL;
 *   muster_plan* plan = NULL;
 *   muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
 *   int64_t i;
 *
 *   if (muster_cluster_new(NULL, &cluster, &error) ||
 *       muster_cluster_add_json(cluster,
 *           "{\"muster\": 1,"
 *           " \"nodes\": [{\"name\": \"n\", \"count\": 100,"
 *           "              \"capacity\": {\"cpu\": \"64\", \"memory\": \"256Gi\"}}],"
 *           " \"jobs\": [{\"name\": \"train\", \"min_available\": 16,"
 *           "             \"groups\": [{\"count\": 16,"
 *           "                           \"shape\": {\"request\": {\"cpu\": \"8\"}}}]}]}",
 *           MUSTER_TO_NUL, &error) ||
 *       muster_cluster_schedule(cluster, "volcano", NULL, &plan, &error) ||
 *       muster_plan_get_view(plan, &view, &error)) {
 *     fprintf(stderr, "%s\n", error.message);
 *   }
 *   for (i = 0; i < view.decision_count; ++i)
 *     if (view.decision_kind[i] == MUSTER_DECISION_BIND)
 *       start(muster_plan_name(plan, MUSTER_KIND_TASKS, view.decision_task[i], NULL),
 *             muster_plan_name(plan, MUSTER_KIND_NODES, view.decision_node[i], NULL));
 *   muster_plan_free(plan);
 *   muster_cluster_free(cluster);
 *
 * The parts, each of which begins with an example:
 *   c_base.h     versions, errors, texts, memory
 *   c_tables.h   rows as columns; statuses, phases, kinds
 *   c_cluster.h  living clusters and what the world reports of them
 *   c_plan.h     decisions and reasons as columns
 *   c_cycle.h    cycles over clusters and snapshots; stopping early
 *   c_policy.h   policies of the caller's own
 *   c_tools.h    what-if, import, catalogue
 *
 * These rules hold for every call.
 *
 * Failure. A call that can fail returns a muster_status, 0 or a negative MUSTER_E_..., and fills
 *   *error (may be NULL) with words that name the row and the rule: node "n1", capacity "cpu":
 *   unknown unit "x" in "5x". What it was to hand out is then NULL, and what it was to change is as
 *   it was. "Could not be placed" is no failure: the plan has a reason. No call exits, aborts,
 *   prints, throws, or lets an exception of C++ through.
 * Memory. Where a muster_allocator returns NULL or its budget is spent, the call fails with
 *   MUSTER_E_RESOURCE_EXHAUSTED, and so it does where the C++ heap is exhausted. A cluster that is
 *   then left in the middle of a change returns MUSTER_E_DATA_LOSS from every further call and can
 *   only be freed; its snapshots and plans stay valid.
 * Ownership. Columns that are passed in are copied: nothing passed in is read after the call has
 *   returned, unless its comment states otherwise. An object that a call hands out belongs to the
 *   caller and is freed by the _free of its type, which takes NULL as well. Data behind pointers
 *   into an object never change and live as long as the object.
 * Threads. Objects are independent of each other. Any number of threads may read one
 *   muster_snapshot, muster_plan or muster_text at once, and any thread may set a muster_stop.
 *   Every other object is used by one thread at a time. The library starts no threads, has no
 *   state of its own and reads no environment. Its one clock is the monotonic one, read only where
 *   a time_limit is given.
 * Callbacks. They run on the caller's thread, inside the call that they were passed to. They may
 *   read what they are passed, and snapshots, plans and texts. Calls that use or change the cluster
 *   they came from are refused. They must not throw or longjmp. User data are integers, so that
 *   callers with moving memory can pass a key of their own.
 * Cost. One call a cycle; columns are read once. bench/README.md has measurements.
 * Versions. A struct begins with its size as the caller knew it; the MUSTER_..._INIT macro sets it.
 *   Fields are only appended, and 0 or NULL in each means "default". A struct that is larger than
 *   the library knows is refused unless all that the library does not know of it is 0. Numbers of
 *   statuses, kinds and codes are never reused.
 */
#ifndef MUSTER_C_H_
#define MUSTER_C_H_

/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * Versions, errors, texts and memory: what every other call of the C interface uses.
 *
 *   muster_error error = MUSTER_ERROR_INIT;
 *   muster_text* text = NULL;
 *
 *   if (MUSTER_C_VERSION / 100 != muster_version_number() / 100) warn("another minor version");
 *   if (muster_catalogue(&text, &error)) {
 *     fprintf(stderr, "%s: %s\n", muster_status_name(error.code), error.message);
 *   } else {
 *     puts(muster_text_data(text));
 *     muster_text_free(text);
 *   }
 *
 * Included by muster/c.h, which states the rules that hold for every call.
 */
#ifndef MUSTER_C_BASE_H_
#define MUSTER_C_BASE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MUSTER_API __attribute__((visibility("default")))
#else
#define MUSTER_API
#endif

/* ---- versions -------------------------------------------------------------------------------- */

/* The version of this header: major * 10000 + minor * 100 + patch. */
#define MUSTER_C_VERSION 200

/* Returns the version of the library, in the form of MUSTER_C_VERSION. */
MUSTER_API int32_t muster_version_number(void);

/* Returns the version of the library as text, such as "0.2.0". */
MUSTER_API const char* muster_version_string(void);

/* Returns the number in the name of the shared object. It changes when a symbol, a layout or a
 * meaning does. */
MUSTER_API int32_t muster_abi_version(void);

/* Returns 1 if the library has the feature, else 0. Features are "columns", "deltas",
 * "devices", "domains", "executor", "import", "policies", "recorder", "revisions", "scenario",
 * "state" and "what-if". NULL is no feature. */
MUSTER_API int32_t muster_has_feature(const char* name);

/* ---- errors ---------------------------------------------------------------------------------- */

/* The outcome of a call: 0, or a negative MUSTER_E_... number. The status of a task is another
 * thing: MUSTER_TASK_... in c_tables.h. */
typedef int32_t muster_status;

#define MUSTER_OK 0
/* The caller's muster_stop was set. */
#define MUSTER_E_CANCELLED (-1)
/* A failure that fits no other number. */
#define MUSTER_E_UNKNOWN (-2)
/* An argument, a row or a document breaks a rule; the message has the rule. */
#define MUSTER_E_INVALID_ARGUMENT (-3)
/* The caller's time_limit passed. */
#define MUSTER_E_DEADLINE_EXCEEDED (-4)
/* A name, a column or a policy does not exist. */
#define MUSTER_E_NOT_FOUND (-5)
/* A row or a policy of this name exists. */
#define MUSTER_E_ALREADY_EXISTS (-6)
/* Memory or a table is exhausted. */
#define MUSTER_E_RESOURCE_EXHAUSTED (-8)
/* Something else must happen first: a queue still has jobs, the cluster is in use. */
#define MUSTER_E_FAILED_PRECONDITION (-9)
/* An index or an amount is outside its range. */
#define MUSTER_E_OUT_OF_RANGE (-11)
/* The build of the library lacks the feature. */
#define MUSTER_E_UNIMPLEMENTED (-12)
/* A defect of the library. */
#define MUSTER_E_INTERNAL (-13)
/* The cluster was left in the middle of a change and can only be freed. */
#define MUSTER_E_DATA_LOSS (-15)
/* A callback of the caller failed; error->user_code is what it returned. */
#define MUSTER_E_USER (-100)
/* For callbacks to return: the callback has no opinion, as if it were NULL. */
#define MUSTER_PASSTHROUGH (-101)

/* What went wrong. It is filled on failure only. */
typedef struct muster_error {
  uint32_t struct_size;
  int32_t code;      /* MUSTER_E_... */
  int32_t user_code; /* of a callback, with MUSTER_E_USER */
  int32_t reserved;
  char message[496]; /* UTF-8 with a NUL at its end, cut between characters where it is too long */
} muster_error;
#define MUSTER_ERROR_INIT                          \
  {                                                \
    (uint32_t)sizeof(muster_error), 0, 0, 0, { 0 } \
  }

/* Returns "INVALID_ARGUMENT" for MUSTER_E_INVALID_ARGUMENT, and "UNKNOWN" for a number that is no
 * status. */
MUSTER_API const char* muster_status_name(muster_status status);

/* ---- texts that the library hands out -------------------------------------------------------- */

/* A text that belongs to the caller. */
typedef struct muster_text muster_text;

/* Returns the bytes, with a NUL at their end. They live as long as the text. Returns "" for
 * NULL. */
MUSTER_API const char* muster_text_data(const muster_text* text);

/* Returns the size in bytes, without the NUL; 0 for NULL. */
MUSTER_API int64_t muster_text_size(const muster_text* text);

/* Frees the text. NULL is permitted. */
MUSTER_API void muster_text_free(muster_text* text);

/* As the size of a text that is passed in: the text ends with a NUL. */
#define MUSTER_TO_NUL (-1)

/* ---- memory ---------------------------------------------------------------------------------- */

/* Serves what crosses this interface: the columns of tables and plans, texts, the lines of the
 * record. The engine's own books are on the C++ heap; muster_schedule_options.memory_limit bounds
 * the largest of them. `allocate` and `release` are both set or both NULL. They are called as long
 * as any object made with them is alive. */
typedef struct muster_allocator {
  uint32_t struct_size;
  uint32_t reserved;
  uintptr_t user;
  /* Returns memory aligned to 16 bytes, or NULL if there is none. NULL: malloc. */
  void* (*allocate)(uintptr_t user, size_t size);
  /* Takes back memory with the size that was requested. */
  void (*release)(uintptr_t user, void* memory, size_t size);
  int64_t budget; /* bytes in use at once; 0: no bound */
} muster_allocator;
#define MUSTER_ALLOCATOR_INIT \
  { (uint32_t)sizeof(muster_allocator), 0, 0, NULL, NULL, 0 }

#ifdef __cplusplus
}
#endif

#endif /* MUSTER_C_BASE_H_ */
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

/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * Tables: rows on their way into a cluster, as columns.
 *
 *   const char* names[] = {"n0", "n1"};
 *   const int64_t cpu[] = {64000, 64000};
 *   muster_table* nodes = NULL;
 *
 *   if (muster_table_new(MUSTER_KIND_NODES, 2, NULL, &nodes, &error) ||
 *       muster_table_set_strings(nodes, "name", names, 2, &error) ||
 *       muster_table_set_numbers(nodes, "capacity.cpu", cpu, 2, &error) ||
 *       muster_cluster_put(cluster, MUSTER_PUT_ADD, nodes, &error)) {
 *     fprintf(stderr, "%s\n", error.message);
 *   }
 *   muster_table_free(nodes);
 *
 * Included by muster/c.h, which states the rules that hold for every call.
 */
#ifndef MUSTER_C_TABLES_H_
#define MUSTER_C_TABLES_H_

#ifdef __cplusplus
extern "C" {
#endif

/* ---- kinds of rows, and words of their columns ----------------------------------------------- */

#define MUSTER_KIND_NODES 1
#define MUSTER_KIND_QUEUES 2
#define MUSTER_KIND_JOBS 3
#define MUSTER_KIND_TASKS 4
#define MUSTER_KIND_DOMAINS 5
#define MUSTER_KIND_BUDGETS 6
#define MUSTER_KIND_NAMESPACES 7
/* Names of plans, snapshots and cycles only: cpu, memory, nvidia.com/gpu. */
#define MUSTER_KIND_DIMENSIONS 8

/* The index of no row. */
#define MUSTER_NONE (-1)
/* A number that is not set. It is not 0. */
#define MUSTER_ABSENT INT64_MIN

/* The status of a task. Number 1 exists only inside a cycle. */
#define MUSTER_TASK_PENDING 0
#define MUSTER_TASK_NOMINATED 2 /* promised a node that others still leave */
#define MUSTER_TASK_BINDING 3   /* a bind that the world has not confirmed */
#define MUSTER_TASK_BOUND 4
#define MUSTER_TASK_RUNNING 5
#define MUSTER_TASK_RELEASING 6 /* leaves its node */
#define MUSTER_TASK_SUCCEEDED 7
#define MUSTER_TASK_FAILED 8
#define MUSTER_TASK_UNKNOWN 9

/* The phase of a job. */
#define MUSTER_PHASE_PENDING 0
#define MUSTER_PHASE_ADMITTED 1 /* its tasks may be placed */
#define MUSTER_PHASE_RUNNING 2
#define MUSTER_PHASE_DEGRADED 3 /* runs with fewer tasks than its minimum */
#define MUSTER_PHASE_COMPLETED 4

/* ---- tables ---------------------------------------------------------------------------------- */

/* A list of rows of one kind. A column has the name of the field in a scenario file
 * (docs/scenario.md): "name", "queue", "min_available". A key of a map follows a dot:
 * "capacity.cpu", "labels.zone", "shape.request.memory". Cells hold:
 *   amounts     numbers in the unit of the dimension, or texts as Kubernetes writes them ("500m",
 *               "8Gi"). The unit is 1 for memory, pods, ephemeral-storage and hugepages-*, and one
 *               thousandth for every other dimension
 *   other rows  a task's "job" and "node", a job's "queue", a queue's "parent", a node's "domain":
 *               names, or numbers that are the row's index in the cluster
 *   flags       0 and 1
 *   statuses    of tasks, and phases of jobs: the numbers above, or words
 *   the rest    numbers and texts. Lists and objects ("taints", "tolerations", "shape", "groups")
 *               are JSON in a text column
 * A job with one group may have it in columns: "group.count", "group.shape.request.cpu".
 *
 * A cell leaves its field unset if it is MUSTER_ABSENT, has the code -1, or is the empty text below
 * the key of a map.
 *
 * Errors name the place: table of tasks, row 17, column "status": unknown word "flying". */
typedef struct muster_table muster_table;

/* Makes a table of `rows` rows without columns. `allocator` (may be NULL) is copied and serves the
 * columns. */
MUSTER_API muster_status muster_table_new(int32_t kind, int64_t rows,
                                          const muster_allocator* allocator, muster_table** out,
                                          muster_error* error);

/* Frees the table and its columns. NULL is permitted. */
MUSTER_API void muster_table_free(muster_table* table);

/* Removes all columns and defaults and sets the number of rows. The table keeps its memory. */
MUSTER_API muster_status muster_table_reset(muster_table* table, int64_t rows, muster_error* error);

/* Sets a column of numbers. `count` must be the number of rows. A column that is set replaces one
 * of the same name. The values are copied. Cost of this and the calls below: O(count), or O(size)
 * for texts. */
MUSTER_API muster_status muster_table_set_numbers(muster_table* table, const char* column,
                                                  const int64_t* values /* [count] */,
                                                  int64_t count, muster_error* error);

/* Sets a column of texts, which are UTF-8. Text i is the bytes from offsets[i] up to, not
 * including, offsets[i + 1]. Offsets never fall; each is 0 to `size`. */
MUSTER_API muster_status muster_table_set_texts(muster_table* table, const char* column,
                                                const int64_t* offsets /* [count + 1] */,
                                                int64_t count, const char* bytes /* [size] */,
                                                int64_t size, muster_error* error);

/* Sets a column of texts in which many rows share few texts. Row i has the text codes[i] of the
 * list; with -1 its field is unset. Each text is parsed once. */
MUSTER_API muster_status muster_table_set_codes(muster_table* table, const char* column,
                                                const int32_t* codes /* [count] */, int64_t count,
                                                const int64_t* offsets /* [texts + 1] */,
                                                int64_t texts, const char* bytes /* [size] */,
                                                int64_t size, muster_error* error);

/* Sets a column of texts that end with a NUL. This is for callers with few rows. */
MUSTER_API muster_status muster_table_set_strings(muster_table* table, const char* column,
                                                  const char* const* texts /* [count] */,
                                                  int64_t count, muster_error* error);

/* Sets what every row has where no column sets the field: a JSON object with fields of a row. */
MUSTER_API muster_status muster_table_set_defaults(muster_table* table, const char* json,
                                                   int64_t size, muster_error* error);

#ifdef __cplusplus
}
#endif

#endif /* MUSTER_C_TABLES_H_ */

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
  /* Bytes. Before a line that would exceed it, the record ends with a line that says so. 0: no
   * limit. */
  int64_t record_limit;
} muster_cluster_options;
#define MUSTER_CLUSTER_OPTIONS_INIT \
  { (uint32_t)sizeof(muster_cluster_options), 0, NULL, NULL, 0, NULL, 0, 0 }

/* Makes an empty cluster. `options` may be NULL. */
MUSTER_API muster_status muster_cluster_new(const muster_cluster_options* options,
                                            muster_cluster** out, muster_error* error);

/* Frees the cluster. Its snapshots and plans stay valid. NULL is permitted. */
MUSTER_API void muster_cluster_free(muster_cluster* cluster);

/* ---- rows ------------------------------------------------------------------------------------ */

/* All rows of the table are new. */
#define MUSTER_PUT_ADD 0
/* All rows exist, by name. Fields that neither a column nor the defaults set keep their values. */
#define MUSTER_PUT_UPDATE 1

/* Adds or updates all rows of the table, or none. Domains cannot be updated. Budgets and namespaces
 * are set whole: for them the two modes are one. Fails with MUSTER_E_INVALID_ARGUMENT where a row
 * breaks a rule, MUSTER_E_ALREADY_EXISTS and MUSTER_E_NOT_FOUND. Cost: O(rows), about 0.4 us a task
 * in a large table (capi_bench). */
MUSTER_API muster_status muster_cluster_put(muster_cluster* cluster, int32_t mode,
                                            const muster_table* table, muster_error* error);

/* Adds rows of all kinds from a scenario document, in the order of its tables. A node with "count"
 * stands for that many. Where a row is refused, the rows before it stay. */
MUSTER_API muster_status muster_cluster_add_json(muster_cluster* cluster, const char* json,
                                                 int64_t size, muster_error* error);

/* Removes the row of that name. A job goes with its tasks. Fails with MUSTER_E_FAILED_PRECONDITION
 * for a node with tasks, a queue with jobs or children, and a domain with nodes or children. */
MUSTER_API muster_status muster_cluster_remove(muster_cluster* cluster, int32_t kind,
                                               const char* name, int64_t size, muster_error* error);

/* ---- what the world reports ------------------------------------------------------------------ */

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

/* ---- events of a watch ----------------------------------------------------------------------- */

#define MUSTER_DELTA_APPLIED 0
#define MUSTER_DELTA_STALE 1   /* a later event of the object came before */
#define MUSTER_DELTA_WAITING 2 /* for an object that it names */

/* Takes events. Each row of the table is a whole object: a node, queue, job or task. generations[i]
 * grows with each change of the object at its source. Events may come twice, late or out of order,
 * and an object waits for those that it names.
 *   outcomes  (may be NULL) MUSTER_DELTA_... of each row
 *   done      (may be NULL) the number of rows taken
 * Rows are taken one by one. Where one is refused, the call fails and the rows before it stay. */
MUSTER_API muster_status muster_cluster_apply_deltas(muster_cluster* cluster,
                                                     const muster_table* table,
                                                     const uint64_t* generations /* [rows] */,
                                                     int32_t* outcomes /* [rows] */, int64_t* done,
                                                     muster_error* error);

/* Takes the event that an object is gone. *outcome (may be NULL) is MUSTER_DELTA_... */
MUSTER_API muster_status muster_cluster_apply_removal(muster_cluster* cluster, int32_t kind,
                                                      const char* name, int64_t size,
                                                      uint64_t generation, int32_t* outcome,
                                                      muster_error* error);

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

/* Writes all that a scheduler must remember: rows and their indices, events that wait, and what
 * applied plans decided and the world has not confirmed. This call and the next number the rows
 * anew, without those that were removed, so that indices move and muster_cluster_layout grows. */
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

/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * Plans: what a cycle decided, in columns, and a reason for every task that waits.
 *
 *   muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
 *   int64_t i;
 *
 *   if (muster_plan_get_view(plan, &view, &error)) return;
 *   for (i = 0; i < view.decision_count; ++i) {
 *     if (view.decision_kind[i] == MUSTER_DECISION_BIND) {
 *       start(view.decision_task[i], view.decision_node[i]);
 *     } else if (view.decision_kind[i] == MUSTER_DECISION_EVICT) {
 *       stop(view.decision_task[i]);
 *     }
 *   }
 *
 * Indices are those of the cluster or snapshot that the plan was made from; MUSTER_NONE stands
 * where a decision has none. Any number of threads may read one plan.
 * Included by muster/c.h, which states the rules that hold for every call.
 */
#ifndef MUSTER_C_PLAN_H_
#define MUSTER_C_PLAN_H_

#ifdef __cplusplus
extern "C" {
#endif

/* ---- words of a plan ------------------------------------------------------------------------- */

/* Kinds of decisions. */
#define MUSTER_DECISION_ADMIT 0    /* the tasks of the job may be placed from now on */
#define MUSTER_DECISION_BIND 1     /* the task starts on the node */
#define MUSTER_DECISION_NOMINATE 2 /* the task is promised the node, which others still leave */
#define MUSTER_DECISION_EVICT 3    /* the task leaves its node */
#define MUSTER_DECISION_PHASE 4    /* the phase of the job changes */

/* Kinds of reasons. docs/explain.md explains each. */
#define MUSTER_REASON_GATED 0          /* the task has a scheduling gate */
#define MUSTER_REASON_INVALID_GANG 1   /* the job has fewer tasks than it needs */
#define MUSTER_REASON_NOT_ADMITTED 2   /* policies refused the job */
#define MUSTER_REASON_QUEUE_CLOSED 3   /* the queue is closed */
#define MUSTER_REASON_QUEUE_OVERUSED 4 /* the queue holds all that it may have */
#define MUSTER_REASON_QUEUE_LIMIT 5    /* a limit of the queue, or of one above it */
#define MUSTER_REASON_QUEUE_DESERVED 6 /* the queue would hold more than it deserves */
#define MUSTER_REASON_NO_NODE 7        /* every node refused the task */
#define MUSTER_REASON_GANG_UNDONE 8    /* the gang did not become whole */
#define MUSTER_REASON_GANG_WAITS 9     /* the gang waits for what is being released */
#define MUSTER_REASON_NO_DOMAIN 10     /* no domain has room for the job */
#define MUSTER_REASON_NOT_REACHED 11   /* the cycle or the job's turn ended before */
#define MUSTER_REASON_QUEUE_TREE 12    /* the queues form no tree that the policy divides */
#define MUSTER_REASON_INFEASIBLE 13    /* no node could ever hold the task */

/* Codes of refusals: why nodes refused a task. */
#define MUSTER_REFUSAL_NOT_READY 0
#define MUSTER_REFUSAL_UNSCHEDULABLE 1
#define MUSTER_REFUSAL_NODE_AFFINITY 2
#define MUSTER_REFUSAL_TAINT 3
#define MUSTER_REFUSAL_INSUFFICIENT 4 /* of a dimension */
#define MUSTER_REFUSAL_POD_LIMIT 5
#define MUSTER_REFUSAL_HOST_PORT 6
#define MUSTER_REFUSAL_AFFINITY 7
#define MUSTER_REFUSAL_ANTI_AFFINITY 8
#define MUSTER_REFUSAL_EXISTING_ANTI_AFFINITY 9
#define MUSTER_REFUSAL_SPREAD_LABEL 10
#define MUSTER_REFUSAL_SPREAD 11
#define MUSTER_REFUSAL_POLICY 12 /* `refusal_details` names the policy */
#define MUSTER_REFUSAL_DEVICE 13

/* ---- the view of a plan ---------------------------------------------------------------------- */

typedef struct muster_plan muster_plan;

/* Columns of a plan, owned by it. A column without rows may be NULL. Texts of row i are the bytes
 * from offsets[i] up to, not including, offsets[i + 1]. */
typedef struct muster_plan_view {
  uint32_t struct_size;
  int32_t dimensions;
  int32_t complete; /* 0: a budget, a limit or a stop cut it */
  uint32_t cursor;  /* of a plan that was cut: muster_schedule_options.cursor of the next cycle */
  int64_t work;     /* units; as a budget they reproduce this plan */
  uint64_t version; /* of the cluster */

  /* Decisions, in the order in which they were made. */
  int64_t decision_count;
  const int32_t* decision_kind; /* MUSTER_DECISION_... */
  const int32_t* decision_task;
  const int32_t* decision_node;
  const int32_t* decision_job;
  const int32_t* decision_beneficiary;    /* EVICT: the task that gets the place */
  const int32_t* decision_phase;          /* PHASE: MUSTER_PHASE_... after the cycle */
  const int32_t* decision_after_eviction; /* NOMINATE: 1 if a task was evicted there for it */

  /* Placements in the books that are no decisions, by task. */
  int64_t tentative_count;
  const int32_t* tentative_task;
  const int32_t* tentative_node;
  const int32_t* tentative_nominated; /* 1: on resources that are still being released */

  /* Tasks that wait, by task. */
  int64_t pending_count;
  const int32_t* pending_task;
  const int32_t* pending_reason; /* a row of the reasons */

  /* Reasons. Many tasks share one. */
  int64_t reason_count;
  const int32_t* reason_kind; /* MUSTER_REASON_... */
  const int32_t* reason_queue;
  const int32_t* reason_dimension;
  const int64_t* reason_placed;         /* tasks of the gang that found a place */
  const int64_t* reason_needed;         /* tasks that the gang needs */
  const int64_t* reason_refusals;       /* [reason_count + 1]: the reason's first refusal */
  const int64_t* reason_policy_offsets; /* [reason_count + 1]: into reason_policies */
  const char* reason_policies;

  /* Refusals: how many nodes refused a task, and why. */
  int64_t refusal_count;
  const int32_t* refusal_code; /* MUSTER_REFUSAL_... */
  const int32_t* refusal_dimension;
  const int64_t* refusal_nodes;          /* the number of nodes */
  const int64_t* refusal_detail_offsets; /* [refusal_count + 1]: into refusal_details */
  const char* refusal_details;

  /* Shares, one row a queue, before and after the cycle. */
  int64_t share_count;
  const int32_t* share_queue;
  const int64_t* share_allocated_before; /* [share_count * dimensions] */
  const int64_t* share_allocated_after;
  const double* share_deserved; /* [share_count * dimensions]; below 0: the profile has none */
  const double* share_before;
  const double* share_after;

  /* Where jobs with topology wishes or sub-groups are once the plan has been carried out. The name
   * is empty if only the whole cluster holds them. The sub-group is empty for the job itself. */
  int64_t domain_count;
  const int32_t* domain_job;
  const int32_t* domain_tier;
  const int64_t* domain_sub_group_offsets; /* [domain_count + 1]: into domain_sub_groups */
  const char* domain_sub_groups;
  const int64_t* domain_name_offsets; /* [domain_count + 1]: into domain_names */
  const char* domain_names;

  /* Devices that bound tasks get, by bind. Those of one task are in the order of its node's. */
  int64_t device_count;
  const int32_t* device_task;
  const int64_t* device_milli;        /* thousandths of the device */
  const int64_t* device_memory;       /* bytes */
  const int64_t* device_name_offsets; /* [device_count + 1]: into device_names */
  const char* device_names;

  /* What else a reason rests on, in words, or empty: the queue above that refuses (queue "lab"), or
   * the widest tier in which no domain has room for a job. */
  const int64_t* reason_where_offsets; /* [reason_count + 1]: into reason_wheres */
  const char* reason_wheres;
} muster_plan_view;
#define MUSTER_PLAN_VIEW_INIT                                                                  \
  {                                                                                            \
    (uint32_t)sizeof(muster_plan_view), 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL,  \
        NULL, 0, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, \
        NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL              \
  }

/* ---- reading a plan -------------------------------------------------------------------------- */

/* Frees the plan and the columns of its views. NULL is permitted. */
MUSTER_API void muster_plan_free(muster_plan* plan);

/* Fills *view. Cost: O(1); the columns were written when the plan was made. */
MUSTER_API muster_status muster_plan_get_view(const muster_plan* plan, muster_plan_view* view,
                                              muster_error* error);

/* Returns the name of a row, with a NUL at its end. *size (may be NULL) is its length. Returns NULL
 * where the plan does not mention the row. */
MUSTER_API const char* muster_plan_name(const muster_plan* plan, int32_t kind, int32_t index,
                                        int64_t* size);

/* Writes the digest: 32 hexadecimal digits and a NUL. It covers everything but names. Equal inputs
 * give equal digests on every machine. */
MUSTER_API muster_status muster_plan_digest(const muster_plan* plan, char out[33],
                                            muster_error* error);

/* Writes why a job or a task is not, or not wholly, placed. Fails with MUSTER_E_NOT_FOUND where the
 * plan knows no such name. */
MUSTER_API muster_status muster_plan_explain(const muster_plan* plan, const char* name,
                                             int64_t size, muster_text** out, muster_error* error);

/* Writes the plan as text for people, a line a decision and reason. */
MUSTER_API muster_status muster_plan_to_text(const muster_plan* plan, muster_text** out,
                                             muster_error* error);

/* Writes the plan as JSON, with names. */
MUSTER_API muster_status muster_plan_to_json(const muster_plan* plan, muster_text** out,
                                             muster_error* error);

#ifdef __cplusplus
}
#endif

#endif /* MUSTER_C_PLAN_H_ */

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

/* Each switch turns a means of speed off. None ever changes a plan. */
#define MUSTER_SWITCH_NO_BLOCK_WINNERS 1        /* the best nodes of a task class are kept */
#define MUSTER_SWITCH_NO_EQUAL_STATES 2         /* nodes alike in everything are scored once */
#define MUSTER_SWITCH_NO_INFEASIBILITY_MEMORY 4 /* a search that found nothing is not repeated */
#define MUSTER_SWITCH_NO_VECTOR_KERNELS 8       /* many nodes are scored at once */

typedef struct muster_schedule_options {
  uint32_t struct_size;
  uint32_t cursor; /* of an earlier plan that was cut: the cycle continues there. 0: the start */
  int64_t now;     /* seconds, on the clock of `created` and `deadline` */
  uint64_t seed;   /* for profiles whose ties are broken by chance; no profile does so today */
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
} muster_schedule_options;
#define MUSTER_SCHEDULE_OPTIONS_INIT \
  { (uint32_t)sizeof(muster_schedule_options), 0, 0, 0, 0, 0, NULL, 0, 0, 0, NULL }

/* ---- cycles over a cluster ------------------------------------------------------------------- */

/* Runs a cycle and hands out its plan. The cluster does not change. `profile` is a name with
 * changes: "volcano:binpack(weight=5),+preempt" (docs/policies.md). `options` may be NULL. The plan
 * is a pure function of the tables, the profile, `now`, `seed`, `cursor` and `work_budget`. Fails
 * with MUSTER_E_INVALID_ARGUMENT for an unknown word in the profile and names the nearest valid
 * one. Cost: what changed since the last cycle of the same profile. */
MUSTER_API muster_status muster_cluster_schedule(muster_cluster* cluster, const char* profile,
                                                 const muster_schedule_options* options,
                                                 muster_plan** out, muster_error* error);

/* Makes the tables follow the plan: bound tasks become binding, evicted tasks releasing, and so on.
 * Decisions that changes since then made impossible are refused, whole gangs together; the rest is
 * applied. *applied (may be NULL) is the number of decisions applied. *refused (may be NULL) has a
 * line for each other decision, with its reason. Cost: O(decisions). */
MUSTER_API muster_status muster_cluster_apply(muster_cluster* cluster, const muster_plan* plan,
                                              int64_t* applied, muster_text** refused,
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
 * threads, and returns once all calls have returned. A result other than 0 fails the call that it
 * was given to. */
typedef muster_status (*muster_executor)(uintptr_t user, int64_t count, muster_run run,
                                         uintptr_t work);

/* Runs cycles of several profiles over one snapshot, each by itself: out[i] is the plan of
 * profiles[i] with options[i]. `options`, and each of them, may be NULL. With a NULL executor they
 * run one after another. All plans are handed out or none; the error names the first profile that
 * failed. */
MUSTER_API muster_status muster_snapshot_schedule_all(
    const muster_snapshot* snapshot, const char* const* profiles /* [count] */,
    const muster_schedule_options* const* options /* [count] */, int64_t count,
    muster_executor executor, uintptr_t user, muster_plan** out /* [count] */, muster_error* error);

#ifdef __cplusplus
}
#endif

#endif /* MUSTER_C_CYCLE_H_ */
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
 * The callbacks of a muster_policy have the names of extension points in docs/policies.md, and
 * answers of several policies combine by the rules there. A profile places the policy by its name:
 * "volcano:tiers=spread/priority+gang/predicates+proportion". Otherwise it is in the last tier.
 *
 * Questions are asked for all rows of a kind, or for a task class and all its nodes, at once. The
 * comment of each callback says how often.
 *
 * Included by muster/c.h, which states the rules that hold for every call.
 */
#ifndef MUSTER_C_POLICY_H_
#define MUSTER_C_POLICY_H_

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
 * Fails with MUSTER_E_NOT_FOUND for other columns and dimensions, and MUSTER_E_OUT_OF_RANGE for
 * rows that do not exist. Cost: O(count). */
MUSTER_API muster_status muster_cycle_get_numbers(const muster_cycle* cycle, int32_t kind,
                                                  const char* column,
                                                  const int32_t* rows /* [count] */, int64_t count,
                                                  int64_t* out /* [count] */, muster_error* error);

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

/* A flag: `score`, `job_order` and `queue_order` are asked again whenever the books changed.
 * Without it they are asked once a cycle, with the books as the cycle found them. */
#define MUSTER_POLICY_LIVE 1u

/* One policy. A callback that is NULL has no opinion. Each output is filled with "no opinion", the
 * value after "out:", and the callback changes what it likes. It returns 0, or MUSTER_PASSTHROUGH:
 * the output is ignored. Any other result discards the cycle with MUSTER_E_USER. An answer that is
 * not finite discards it, too, and the error names the policy, the callback and the row. Equal
 * questions must get equal answers, or equal inputs no longer give equal plans. */
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
   * MUSTER_POLICY_LIVE about the nodes whose books changed. out: 0. */
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

  /* -- gates, asked again whenever the books changed, but `valid` and `admit`, once a cycle.
   * 1: the queue holds all it may have and gets no turn. out: 0. */
  muster_status (*overused)(uintptr_t user, const muster_cycle* cycle, const int32_t* queues,
                            int64_t count, uint8_t* out);
  /* 0: the placements of the job must not become decisions yet. out: 1. */
  muster_status (*ready)(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                         int64_t count, uint8_t* out);
  /* 0: the job is not tried in this cycle. out: 1. */
  muster_status (*valid)(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                         int64_t count, uint8_t* out);
  /* A vote: may the job ask for nodes? 1 yes, -1 no. out: 0. */
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
} muster_policy;
#define MUSTER_POLICY_INIT                                                                       \
  {                                                                                              \
    (uint32_t)sizeof(muster_policy), 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL, NULL, NULL, NULL, NULL, NULL, NULL                                                 \
  }

/* ---- lists of policies ----------------------------------------------------------------------- */

/* Makes a list of policies, which are copied. A list never changes. Hand the same list in cycle
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
/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * What-if questions, the import of other schedulers' dumps, and lists of what the library has.
 *
 *   const char* changes =
 *       "{\"changes\": [{\"queue\": {\"name\": \"vision\", \"weight\": 3}}]}";
 *   muster_outlook* outlook = NULL;
 *   muster_outlook_view view = MUSTER_OUTLOOK_VIEW_INIT;
 *   int64_t i;
 *
 *   if (muster_cluster_what_if(cluster, "muster", changes, MUSTER_TO_NUL, &outlook, &error) ||
 *       muster_outlook_get_view(outlook, &view, &error)) {
 *     fprintf(stderr, "%s\n", error.message);
 *   }
 *   for (i = 0; i < view.count; ++i) show(view.share_before[i], view.share_after[i]);
 *   muster_outlook_free(outlook);
 *
 * Included by muster/c.h, which states the rules that hold for every call.
 */
#ifndef MUSTER_C_TOOLS_H_
#define MUSTER_C_TOOLS_H_

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what-if: shares of queues after changes, without a cycle -------------------------------- */

/* What queues have, before and after the changes. */
typedef struct muster_outlook muster_outlook;

/* Columns of an outlook, owned by it. Amounts are those of each queue alone, without its children,
 * queue by queue: dimension d of queue i is at [i * dimensions + d]. */
typedef struct muster_outlook_view {
  uint32_t struct_size;
  int32_t dimensions;
  int64_t count;        /* of queues */
  const int32_t* queue; /* [count] */
  const int64_t* allocated_before;
  const int64_t* allocated_after;
  const int64_t* pending_before; /* requests of tasks that wait */
  const int64_t* pending_after;
  const double* deserved_before; /* below 0: the profile has none */
  const double* deserved_after;
  const double* share_before; /* [count] */
  const double* share_after;
} muster_outlook_view;
#define MUSTER_OUTLOOK_VIEW_INIT                                                                 \
  {                                                                                              \
    (uint32_t)sizeof(muster_outlook_view), 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL                                                                                     \
  }

/* Returns what queues would get after the changes. `changes` is JSON; they are made in their order
 * (docs/what_if.md):
 *   {"changes": [{"queue": {"name": "vision", "weight": 3, "limit": {"cpu": 64}}},
 *                {"remove_nodes": {"labels": {"pool": "b"}}},
 *                {"add_nodes": {"count": 2, "node": {"name": "new", ...}}},
 *                {"add_job": {"name": "train", "queue": "vision", "groups": [...]}},
 *                {"remove_job": "old"}]}
 * `before` is what a cycle would report as it opens, and `after` the same of a cluster that was
 * really changed. The snapshot does not change. Cost: O(nodes + tasks). */
MUSTER_API muster_status muster_snapshot_what_if(const muster_snapshot* snapshot,
                                                 const char* profile, const char* changes,
                                                 int64_t size, muster_outlook** out,
                                                 muster_error* error);

/* The same over a cluster, which does not change. Cost: what changed since the last cycle of the
 * profile, and O(queues + changes). */
MUSTER_API muster_status muster_cluster_what_if(muster_cluster* cluster, const char* profile,
                                                const char* changes, int64_t size,
                                                muster_outlook** out, muster_error* error);

/* Fills *view. Cost: O(1). */
MUSTER_API muster_status muster_outlook_get_view(const muster_outlook* outlook,
                                                 muster_outlook_view* view, muster_error* error);

/* Returns the name of a queue, by its index, or of a dimension, by its place among the amounts. It
 * ends with a NUL; *size (may be NULL) is its length. Returns NULL where there is none. */
MUSTER_API const char* muster_outlook_name(const muster_outlook* outlook, int32_t kind,
                                           int32_t index, int64_t* size);

/* Frees the outlook and the columns of its views. NULL is permitted. */
MUSTER_API void muster_outlook_free(muster_outlook* outlook);

/* ---- import: dumps of other schedulers' objects as scenarios --------------------------------- */

typedef struct muster_import_options {
  uint32_t struct_size;
  uint32_t reserved;
  /* The scheduler of the objects: "volcano" or "kube-batch". NULL: found by the API groups. */
  const char* profile;
  /* The scheduler's configuration as JSON. NULL: the configuration of the profile. */
  const char* configuration;
  const char* default_queue; /* of jobs that name none. NULL: "default" */
  int64_t now;               /* seconds: the time that the scenario names */
} muster_import_options;
#define MUSTER_IMPORT_OPTIONS_INIT \
  { (uint32_t)sizeof(muster_import_options), 0, NULL, NULL, NULL, 0 }

/* Turns objects into a scenario. `objects` is JSON as `kubectl get -o json` prints it: a List, an
 * array, or objects one after another. `options` may be NULL. *scenario is a document for
 * muster_cluster_read_scenario. *report (may be NULL) lists what the scenario does not hold:
 *   {"entries": [{"severity": "ignored", "object": "Pod ns/p", "field": "spec.volumes[0]",
 *                 "text": "..."}]}
 * with severities "note", "ignored" and "left_out" (docs/import.md). Fails with
 * MUSTER_E_INVALID_ARGUMENT where an object cannot be understood, and names the object, the field
 * and the rule. Cost: linear in the text; memory of some thirty times its size during the call. */
MUSTER_API muster_status muster_import(const char* objects, int64_t size,
                                       const muster_import_options* options, muster_text** scenario,
                                       muster_text** report, muster_error* error);

/* ---- what the library has -------------------------------------------------------------------- */

/* Writes the profiles, policies, actions and options as JSON:
 *   {"profiles": [...], "policies": [...]} */
MUSTER_API muster_status muster_catalogue(muster_text** out, muster_error* error);

/* Returns the revision of a policy's decisions: 1, and one more with each release in which equal
 * inputs got other decisions of the policy. Returns 0 where there is no policy of that name. */
MUSTER_API int32_t muster_policy_revision(const char* name);

#ifdef __cplusplus
}
#endif

#endif /* MUSTER_C_TOOLS_H_ */

#endif /* MUSTER_C_H_ */
