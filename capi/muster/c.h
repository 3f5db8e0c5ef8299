/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * Muster decides who runs where: tables of nodes, queues, jobs and tasks go in, a plan comes out, with a reason for
 * every "no". This is the whole of its C interface and the only one whose binary form is kept stable.
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
 *           " \"nodes\": [{\"name\": \"n\", \"count\": 100, \"capacity\": {\"cpu\": \"64\", \"memory\": \"256Gi\"}}],"
 *           " \"jobs\": [{\"name\": \"train\", \"min_available\": 16, \"groups\": [{\"count\": 16,"
 *           "             \"shape\": {\"request\": {\"cpu\": \"8\"}}}]}]}", MUSTER_TO_NUL, &error) ||
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
 * Failure. A call that can fail returns a muster_status, 0 or a negative MUSTER_E_..., and fills *error (may be NULL)
 *   with words that name the row and the rule: node "n1", capacity "cpu": unknown unit "x" in "5x". What it was to hand
 *   out is then NULL, and what it was to change is as it was. "Could not be placed" is no failure: a plan says why.
 *   No call exits, aborts, prints, throws or lets an exception of C++ through.
 * Memory. Where a muster_allocator returns NULL or its budget is spent, the call fails like any other. The engine's own
 *   books are on the C++ heap. Where that is exhausted, calls return MUSTER_E_RESOURCE_EXHAUSTED. A cluster that is
 *   then left in the middle of a change answers every further call with MUSTER_E_DATA_LOSS and can only be freed; its
 *   snapshots and plans stay good.
 * Ownership. Nothing that is passed in is looked at after the call has returned, unless its comment says otherwise;
 *   columns are copied. An object that a call hands out belongs to the caller and is freed by the _free of its type,
 *   which takes NULL as well. What pointers into an object show never changes, and they live as long as the object.
 * Threads. Objects are independent of each other. A muster_snapshot, muster_plan and muster_text may be read by any
 *   number of threads at once, a muster_stop may be set by any; other objects are used by one thread at a time.
 *   The library starts no threads, has no state of its own, reads no environment, and its one clock is the monotonic
 *   one, read only where a time_limit is given.
 * Callbacks. They run on the caller's thread, inside the call that they were given to. They may read what they are
 *   handed, and snapshots, plans and texts; calls that use or change the cluster they came from are refused. They must
 *   not throw or longjmp. User data are integers, so that callers whose memory moves can pass a key of their own.
 * Cost. One call a cycle; columns are read once. bench/README.md has measurements.
 * Versions. A struct begins with its size as the caller knew it; set it by the MUSTER_..._INIT macro. Fields are only
 *   appended, and 0 or NULL in each means "default". A struct that is larger than the library knows is refused unless
 *   all that the library does not know of it is 0. Numbers of statuses, kinds and codes are never reused.
 */
#ifndef MUSTER_C_H_
#define MUSTER_C_H_

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

/* ---- versions ------------------------------------------------------------------------------------------------- */

#define MUSTER_C_VERSION 200 /* of this header: major * 10000 + minor * 100 + patch */

MUSTER_API int32_t muster_version_number(void);     /* of the library, in the same form */
MUSTER_API const char* muster_version_string(void); /* "0.2.0" */
MUSTER_API int32_t muster_abi_version(void); /* the number in the name of the shared object */
/* 1 where the library has "columns", "deltas", "devices", "domains", "executor", "import", "policies", "recorder",
 * "revisions", "scenario", "state" or "what-if"; else 0. */
MUSTER_API int32_t muster_has_feature(const char* name);

/* ---- errors --------------------------------------------------------------------------------------------------- */

typedef int32_t muster_status;

#define MUSTER_OK 0
#define MUSTER_E_CANCELLED (-1)
#define MUSTER_E_UNKNOWN (-2)
#define MUSTER_E_INVALID_ARGUMENT (-3)
#define MUSTER_E_DEADLINE_EXCEEDED (-4)
#define MUSTER_E_NOT_FOUND (-5)
#define MUSTER_E_ALREADY_EXISTS (-6)
#define MUSTER_E_RESOURCE_EXHAUSTED (-8)
#define MUSTER_E_FAILED_PRECONDITION (-9)
#define MUSTER_E_OUT_OF_RANGE (-11)
#define MUSTER_E_UNIMPLEMENTED (-12)
#define MUSTER_E_INTERNAL (-13) /* a defect of the library */
#define MUSTER_E_DATA_LOSS (-15)
#define MUSTER_E_USER (-100)      /* a callback failed; error->user_code is what it returned */
#define MUSTER_PASSTHROUGH (-101) /* for callbacks to return: as if this one had not been set */

/* Filled on failure only. `message` is UTF-8, ends with a NUL, and is cut between characters where it is too long. */
typedef struct muster_error {
  uint32_t struct_size;
  int32_t code;
  int32_t user_code;
  int32_t reserved;
  char message[496];
} muster_error;
#define MUSTER_ERROR_INIT                          \
  {                                                \
    (uint32_t)sizeof(muster_error), 0, 0, 0, { 0 } \
  }

/* "INVALID_ARGUMENT" for MUSTER_E_INVALID_ARGUMENT; "UNKNOWN" for numbers that are no status. */
MUSTER_API const char* muster_status_name(muster_status status);

/* ---- texts that the library hands out -------------------------------------------------------------------------- */

typedef struct muster_text muster_text;
MUSTER_API const char* muster_text_data(const muster_text* text); /* ends with a NUL; "" for NULL */
MUSTER_API int64_t muster_text_size(const muster_text* text);     /* without the NUL */
MUSTER_API void muster_text_free(muster_text* text);

#define MUSTER_TO_NUL (-1) /* as the size of a text: it ends with a NUL */

/* ---- memory --------------------------------------------------------------------------------------------------- */

/* Where the bulk of what crosses this interface is kept: the columns of tables and plans, texts, the recorder's lines.
 * The engine's own books are on the C++ heap; muster_schedule_options bounds the largest of them. `allocate` returns
 * memory aligned to 16 bytes, or NULL; `release` gets the size that was asked for. Both or neither are set. They may be
 * called as long as anything that was made with them is alive. */
typedef struct muster_allocator {
  uint32_t struct_size;
  uint32_t reserved;
  uintptr_t user;
  void* (*allocate)(uintptr_t user, size_t size); /* NULL: malloc */
  void (*release)(uintptr_t user, void* memory, size_t size);
  int64_t budget; /* bytes that may be in use at once; 0: no bound */
} muster_allocator;
#define MUSTER_ALLOCATOR_INIT \
  { (uint32_t)sizeof(muster_allocator), 0, 0, NULL, NULL, 0 }

/* ---- tables: rows as columns ----------------------------------------------------------------------------------- */

/* What rows, names and indices are of. */
#define MUSTER_KIND_NODES 1
#define MUSTER_KIND_QUEUES 2
#define MUSTER_KIND_JOBS 3
#define MUSTER_KIND_TASKS 4
#define MUSTER_KIND_DOMAINS 5
#define MUSTER_KIND_BUDGETS 6
#define MUSTER_KIND_NAMESPACES 7
#define MUSTER_KIND_DIMENSIONS 8 /* names of plans, snapshots and cycles only */
#define MUSTER_KIND_FLAVORS 9
#define MUSTER_KIND_PARTITIONS 10
#define MUSTER_KIND_RESERVATIONS 11

#define MUSTER_NONE (-1)        /* no row */
#define MUSTER_ABSENT INT64_MIN /* a number that was not given: absent is not zero */

#define MUSTER_TASK_PENDING 0 /* status of a task; 1 is the library's own */
#define MUSTER_TASK_NOMINATED 2
#define MUSTER_TASK_BINDING 3
#define MUSTER_TASK_BOUND 4
#define MUSTER_TASK_RUNNING 5
#define MUSTER_TASK_RELEASING 6
#define MUSTER_TASK_SUCCEEDED 7
#define MUSTER_TASK_FAILED 8
#define MUSTER_TASK_UNKNOWN 9
#define MUSTER_TASK_WAITING 10

#define MUSTER_PHASE_PENDING 0 /* phases of jobs */
#define MUSTER_PHASE_ADMITTED 1
#define MUSTER_PHASE_RUNNING 2
#define MUSTER_PHASE_DEGRADED 3
#define MUSTER_PHASE_COMPLETED 4

/*
 * A table is a list of rows that are on their way into a cluster. A column has the name that scenario files give to the
 * field (docs/scenario.md): "name", "queue", "min_available"; a key of a map follows a dot: "capacity.cpu",
 * "labels.zone", "shape.request.memory". What cells hold:
 *   amounts      numbers in the unit of the dimension - thousandths, and whole ones for memory, pods, ephemeral-storage
 *                and hugepages-* - or texts as Kubernetes writes them ("500m", "8Gi")
 *   other rows   a task's "job" and "node", a job's "queue", a queue's "parent", a node's "domain": names, or numbers,
 *                which are the row's index in the cluster
 *   flags        0 and 1
 *   statuses     of tasks, and phases of jobs: the numbers above, or words
 *   the rest     numbers and texts; lists and objects ("taints", "tolerations", "shape", "groups") are JSON in a text
 * A job with one group may tell it in columns, too: "group.count", "group.shape.request.cpu".
 *
 * A cell that is MUSTER_ABSENT, or has the code -1, or is the empty text under a map's key, says nothing of its field.
 *
 * A table may be filled again and again: muster_table_reset keeps its memory. All columns have `rows` rows.
 */
typedef struct muster_table muster_table;
MUSTER_API muster_status muster_table_new(int32_t kind, int64_t rows,
                                          const muster_allocator* allocator, muster_table** out,
                                          muster_error* error);
MUSTER_API void muster_table_free(muster_table* table);
MUSTER_API muster_status muster_table_reset(muster_table* table, int64_t rows, muster_error* error);
MUSTER_API muster_status muster_table_set_numbers(muster_table* table, const char* column,
                                                  const int64_t* values /* [count] */,
                                                  int64_t count, muster_error* error);
/* Text i is the bytes from offsets[i] up to, not including, offsets[i + 1]. Offsets never fall and are 0 to `size`. */
MUSTER_API muster_status muster_table_set_texts(muster_table* table, const char* column,
                                                const int64_t* offsets /* [count + 1] */,
                                                int64_t count, const char* bytes /* [size] */,
                                                int64_t size, muster_error* error);
/* The same where many rows share few texts: row i has text codes[i] of the list, or none where that is -1. */
MUSTER_API muster_status muster_table_set_codes(muster_table* table, const char* column,
                                                const int32_t* codes /* [count] */, int64_t count,
                                                const int64_t* offsets /* [texts + 1] */,
                                                int64_t texts, const char* bytes /* [size] */,
                                                int64_t size, muster_error* error);
/* The same, with texts that end with a NUL: for callers that have few rows. */
MUSTER_API muster_status muster_table_set_strings(muster_table* table, const char* column,
                                                  const char* const* texts /* [count] */,
                                                  int64_t count, muster_error* error);
/* What a row has where no column says otherwise: a JSON object with the fields of a row. */
MUSTER_API muster_status muster_table_set_defaults(muster_table* table, const char* json,
                                                   int64_t size, muster_error* error);

/* ---- clusters: the caller's living tables ----------------------------------------------------------------------- */

#define MUSTER_LOG_INFO 0    /* what a call did */
#define MUSTER_LOG_WARNING 1 /* what was refused inside a call that went on */
/* `text` is one line without its end, for the length of the call. */
typedef void (*muster_log_sink)(uintptr_t user, int32_t level, const char* text, int64_t size);
/* Takes bytes of a record (docs/capi.md): whole lines of JSON, in order. What it returns other than 0 ends the
 * recording, with a warning in the log; the call it belongs to has been done and succeeds. */
typedef muster_status (*muster_record_sink)(uintptr_t user, const char* bytes, int64_t size);

typedef struct muster_cluster_options {
  uint32_t struct_size;
  uint32_t reserved;
  const muster_allocator* allocator; /* copied; serves plans and texts of this cluster too */
  muster_log_sink log;
  uintptr_t log_user;
  /* Gets every change and cycle from now on, with digests: `muster replay-log` plays them again. */
  muster_record_sink record;
  uintptr_t record_user;
  /* Bytes; before a line that would pass it the record ends with a line that says so. 0: no limit. */
  int64_t record_limit;
} muster_cluster_options;
#define MUSTER_CLUSTER_OPTIONS_INIT \
  { (uint32_t)sizeof(muster_cluster_options), 0, NULL, NULL, 0, NULL, 0, 0 }

typedef struct muster_cluster muster_cluster;
typedef struct muster_snapshot muster_snapshot;
typedef struct muster_plan muster_plan;
typedef struct muster_policies muster_policies;
typedef struct muster_stop muster_stop;

MUSTER_API muster_status muster_cluster_new(const muster_cluster_options* options,
                                            muster_cluster** out, muster_error* error);
MUSTER_API void muster_cluster_free(muster_cluster* cluster);

/* All rows of the table or none. Rows keep the order of their insertion; ties in plans are broken by it.
 *   ADD     rows that are new
 *   UPDATE  rows that are there, by name. Fields that neither a column nor the defaults say stay as they are. Domains
 *           cannot be updated; for budgets, namespaces, flavors, partitions and reservations, which are set whole,
 *           ADD and UPDATE are one.
 * Cost: O(rows); in a large table about 0.4 us a task. */
#define MUSTER_PUT_ADD 0
#define MUSTER_PUT_UPDATE 1
MUSTER_API muster_status muster_cluster_put(muster_cluster* cluster, int32_t mode,
                                            const muster_table* table, muster_error* error);
/* Adds rows of all kinds from a scenario document, in the order of its tables; a node with "count" stands for many. */
MUSTER_API muster_status muster_cluster_add_json(muster_cluster* cluster, const char* json,
                                                 int64_t size, muster_error* error);
/* By name. Refused: a node with tasks, a queue with jobs or children, a domain with nodes or children. A job goes with
 * its tasks. */
MUSTER_API muster_status muster_cluster_remove(muster_cluster* cluster, int32_t kind,
                                               const char* name, int64_t size, muster_error* error);

/* What the world reports of tasks, by index. nodes[i] is MUSTER_NONE where the status needs no node, or the task keeps
 * the one it has. All or none. Cost: about 0.1 us a task. */
MUSTER_API muster_status muster_cluster_set_tasks(muster_cluster* cluster, int64_t count,
                                                  const int32_t* tasks /* [count] */,
                                                  const int32_t* statuses /* [count] */,
                                                  const int32_t* nodes /* [count], or NULL */,
                                                  muster_error* error);
/* The same of one task, by name; `node` may be NULL. */
MUSTER_API muster_status muster_cluster_set_task(muster_cluster* cluster, const char* name,
                                                 int64_t size, int32_t status, const char* node,
                                                 int64_t node_size, muster_error* error);
/* A bind of a plan that was applied did not come about: the task is pending again. */
MUSTER_API muster_status muster_cluster_report_bind_failed(muster_cluster* cluster,
                                                           const char* name, int64_t size,
                                                           muster_error* error);

/* Events of a watch. Generations grow with each change of an object at its source; events may come twice, late or
 * out of order, and objects wait for those they name. The table is of nodes, queues, jobs, tasks, flavors, partitions
 * or reservations. Row i says its object whole and has generations[i]; outcomes[i] (`outcomes` may be NULL) becomes one of the numbers below. Rows are
 * taken one by one: where one is refused, *done (may be NULL) is how many were taken before it, and those stay. */
#define MUSTER_DELTA_APPLIED 0
#define MUSTER_DELTA_STALE 1
#define MUSTER_DELTA_WAITING 2
MUSTER_API muster_status muster_cluster_apply_deltas(muster_cluster* cluster,
                                                     const muster_table* table,
                                                     const uint64_t* generations /* [rows] */,
                                                     int32_t* outcomes /* [rows] */, int64_t* done,
                                                     muster_error* error);
/* The event that an object is gone. *outcome (may be NULL) is one of the same numbers. */
MUSTER_API muster_status muster_cluster_apply_removal(muster_cluster* cluster, int32_t kind,
                                                      const char* name, int64_t size,
                                                      uint64_t generation, int32_t* outcome,
                                                      muster_error* error);
/* Makes the cluster equal to the tables, which list all there is: a kind without a table has no rows, and tasks of jobs
 * are rows of the table of tasks. *drift (may be NULL) has one line for each row that differed: missing node "n1". */
MUSTER_API muster_status muster_cluster_reconcile(muster_cluster* cluster,
                                                  const muster_table* const* tables, int32_t count,
                                                  muster_text** drift, muster_error* error);

/* The index of a row, for numbers in columns and for muster_cluster_set_tasks. An index holds while
 * muster_cluster_layout stays the same; that number grows where removals close the gaps in the tables. */
MUSTER_API muster_status muster_cluster_find(const muster_cluster* cluster, int32_t kind,
                                             const char* name, int64_t size, int32_t* index,
                                             muster_error* error);
MUSTER_API uint64_t muster_cluster_layout(const muster_cluster* cluster); /* 0 for NULL */
/* Grows with every change. 0 for NULL. */
MUSTER_API uint64_t muster_cluster_version(const muster_cluster* cluster);

/* The rows as a scenario document: another cluster that reads it makes plans of the same names. `profile` may be NULL.
 * A standby that is to go on where this one stands loads a state (muster_state_save). */
MUSTER_API muster_status muster_cluster_write_scenario(const muster_cluster* cluster,
                                                       const char* profile, muster_text** out,
                                                       muster_error* error);
/* Replaces all rows. *profile (may be NULL) is the profile that the document names, empty where it names none. */
MUSTER_API muster_status muster_cluster_read_scenario(muster_cluster* cluster, const char* json,
                                                      int64_t size, muster_text** profile,
                                                      muster_error* error);

/* ---- cycles --------------------------------------------------------------------------------------------------- */

#define MUSTER_SWITCH_NO_BLOCK_WINNERS \
  1 /* each turns a means of speed off; none ever changes a plan */
#define MUSTER_SWITCH_NO_EQUAL_STATES 2
#define MUSTER_SWITCH_NO_INFEASIBILITY_MEMORY 4
#define MUSTER_SWITCH_NO_VECTOR_KERNELS 8

typedef struct muster_schedule_options {
  uint32_t struct_size;
  uint32_t cursor; /* of an earlier, cut plan: go on from there */
  int64_t now;     /* seconds, on the clock of `created` and `deadline` */
  uint64_t seed;
  int64_t work_budget; /* units after which no turn begins; 0: no bound; below 0: none begins */
  /* These two discard the cycle (MUSTER_E_DEADLINE_EXCEEDED, MUSTER_E_CANCELLED) unless keep_cut is 1: then the plan
   * is what was decided until then, at the end of a gang, with complete 0. */
  int64_t time_limit; /* nanoseconds from now; 0: none; below 0: over already */
  const muster_stop* stop;
  int32_t keep_cut;
  uint32_t switches; /* MUSTER_NO_..., or-ed */
  /* Bytes that scores kept between placements may take; 0: 128 MiB; below 0: none are kept. */
  int64_t memory_limit;
  const muster_policies* policies; /* of the caller's own; NULL: none */
  /* What the cycle is asked, as JSON: {"decisions": 3}, the next three; {"heartbeats": ["n1", "n0"]}, nodes that report,
   * in this order; {"event": true}, the oldest event that a slot has not seen. NULL: a whole cycle. */
  const char* turn;
  /* What earlier cycles remembered, as muster_plan_memory wrote it. NULL: what the cluster keeps. */
  const char* memory;
} muster_schedule_options;
#define MUSTER_SCHEDULE_OPTIONS_INIT \
  { (uint32_t)sizeof(muster_schedule_options), 0, 0, 0, 0, 0, NULL, 0, 0, 0, NULL, NULL, NULL }

/* A cycle. `profile` is a name with changes: "volcano:binpack(weight=5),+preempt" (docs/policies.md). The plan is a
 * function of the tables, the profile, now, seed, work_budget, turn and memory; it costs what changed since the last cycle of the
 * same profile. */
MUSTER_API muster_status muster_cluster_schedule(muster_cluster* cluster, const char* profile,
                                                 const muster_schedule_options* options,
                                                 muster_plan** out, muster_error* error);
/* The caller follows the plan: bound tasks become binding, evicted ones releasing, and so on. Decisions that changes
 * since then made impossible are refused, whole gangs together, and the rest is applied. *applied and *refused, a
 * line for each with its reason, may be NULL. */
MUSTER_API muster_status muster_cluster_apply(muster_cluster* cluster, const muster_plan* plan,
                                              int64_t* applied, muster_text** refused,
                                              muster_error* error);

/* What cycles of the cluster remember: of the last plan that was applied, or that was set. A memory that is set has seen
 * nothing of what happened here. MUSTER_E_INVALID_ARGUMENT for a text that is none of muster_plan_memory. */
MUSTER_API muster_status muster_cluster_memory(const muster_cluster* cluster, muster_text** out,
                                               muster_error* error);
MUSTER_API muster_status muster_cluster_set_memory(muster_cluster* cluster, const char* memory,
                                                   int64_t size, muster_error* error);

/* While it is set, to anything but 0, cycles that were given it end at the next gang. Any thread may set it, at any
 * time. It must outlive those cycles. */
MUSTER_API muster_status muster_stop_new(muster_stop** out, muster_error* error);
MUSTER_API void muster_stop_set(muster_stop* stop, int32_t stopped);
MUSTER_API void muster_stop_free(muster_stop* stop);

/* ---- snapshots: frozen clusters, for what-if and for threads --------------------------------------------------- */

/* Cost: O(1); the next change of the cluster copies its tables once. */
MUSTER_API muster_status muster_cluster_freeze(const muster_cluster* cluster, muster_snapshot** out,
                                               muster_error* error);
MUSTER_API void muster_snapshot_free(muster_snapshot* snapshot);
MUSTER_API muster_status muster_snapshot_schedule(const muster_snapshot* snapshot,
                                                  const char* profile,
                                                  const muster_schedule_options* options,
                                                  muster_plan** out, muster_error* error);
MUSTER_API uint64_t muster_snapshot_version(const muster_snapshot* snapshot); /* 0 for NULL */
/* All indices are below it: it counts rows that were removed, too. 0 for NULL, and for kinds without indices. */
MUSTER_API int64_t muster_snapshot_count(const muster_snapshot* snapshot, int32_t kind);
/* NOT ended by a NUL: *size is the length. NULL where there is no such row. */
MUSTER_API const char* muster_snapshot_name(const muster_snapshot* snapshot, int32_t kind,
                                            int32_t index, int64_t* size);
MUSTER_API muster_status muster_snapshot_find(const muster_snapshot* snapshot, int32_t kind,
                                              const char* name, int64_t size, int32_t* index,
                                              muster_error* error);

/* ---- plans ---------------------------------------------------------------------------------------------------- */

#define MUSTER_DECISION_ADMIT 0 /* kinds of decisions */
#define MUSTER_DECISION_BIND 1
#define MUSTER_DECISION_NOMINATE 2
#define MUSTER_DECISION_EVICT 3
#define MUSTER_DECISION_PHASE 4
#define MUSTER_DECISION_MOVE 5
#define MUSTER_DECISION_RESERVE 6
#define MUSTER_DECISION_OFFER 7
#define MUSTER_DECISION_RESIZE 8
#define MUSTER_DECISION_SPLIT 9

#define MUSTER_REASON_GATED 0 /* kinds of reasons; docs/explain.md goes through them */
#define MUSTER_REASON_INVALID_GANG 1
#define MUSTER_REASON_NOT_ADMITTED 2
#define MUSTER_REASON_QUEUE_CLOSED 3
#define MUSTER_REASON_QUEUE_OVERUSED 4
#define MUSTER_REASON_QUEUE_LIMIT 5
#define MUSTER_REASON_QUEUE_DESERVED 6
#define MUSTER_REASON_NO_NODE 7
#define MUSTER_REASON_GANG_UNDONE 8
#define MUSTER_REASON_GANG_WAITS 9
#define MUSTER_REASON_NO_DOMAIN 10
#define MUSTER_REASON_NOT_REACHED 11
#define MUSTER_REASON_QUEUE_TREE 12
#define MUSTER_REASON_INFEASIBLE 13

#define MUSTER_REFUSAL_NOT_READY 0 /* codes of refusals: why nodes refused a task */
#define MUSTER_REFUSAL_UNSCHEDULABLE 1
#define MUSTER_REFUSAL_NODE_AFFINITY 2
#define MUSTER_REFUSAL_TAINT 3
#define MUSTER_REFUSAL_INSUFFICIENT 4
#define MUSTER_REFUSAL_POD_LIMIT 5
#define MUSTER_REFUSAL_HOST_PORT 6
#define MUSTER_REFUSAL_AFFINITY 7
#define MUSTER_REFUSAL_ANTI_AFFINITY 8
#define MUSTER_REFUSAL_EXISTING_ANTI_AFFINITY 9
#define MUSTER_REFUSAL_SPREAD_LABEL 10
#define MUSTER_REFUSAL_SPREAD 11
#define MUSTER_REFUSAL_POLICY 12
#define MUSTER_REFUSAL_DEVICE 13

/* Columns of a plan, owned by it. Indices are those of the cluster or snapshot it was made from, MUSTER_NONE where a
 * decision has none. A column without rows may be NULL. */
typedef struct muster_plan_view {
  uint32_t struct_size;
  int32_t dimensions;
  int32_t complete; /* 0: a budget or a limit cut it */
  uint32_t cursor;  /* to go on from in the next cycle */
  int64_t work;     /* units; as a budget they reproduce this plan */
  uint64_t version; /* of the cluster */

  int64_t decision_count; /* in the order they were made */
  const int32_t* decision_kind;
  const int32_t* decision_task;
  const int32_t* decision_node;
  const int32_t* decision_job;
  const int32_t* decision_beneficiary;    /* EVICT: the task it is for */
  const int32_t* decision_phase;          /* PHASE: the job's, as it stands after the cycle */
  const int32_t* decision_after_eviction; /* NOMINATE: 1 where something was evicted there for it */

  int64_t tentative_count; /* placements in the books that are no decisions; by task */
  const int32_t* tentative_task;
  const int32_t* tentative_node;
  const int32_t* tentative_nominated; /* 1: on resources still being released */

  int64_t pending_count; /* by task */
  const int32_t* pending_task;
  const int32_t* pending_reason; /* a row of the reasons */

  int64_t reason_count;
  const int32_t* reason_kind;
  const int32_t* reason_queue;
  const int32_t* reason_dimension;
  const int64_t* reason_placed;
  const int64_t* reason_needed;
  const int64_t* reason_refusals;       /* [reason_count + 1]: where its refusals begin */
  const int64_t* reason_policy_offsets; /* [reason_count + 1]: into reason_policies */
  const char* reason_policies;

  int64_t refusal_count;
  const int32_t* refusal_code;
  const int32_t* refusal_dimension;
  const int64_t* refusal_nodes;          /* how many */
  const int64_t* refusal_detail_offsets; /* [refusal_count + 1]: into refusal_details */
  const char* refusal_details;

  int64_t share_count; /* one a queue */
  const int32_t* share_queue;
  const int64_t* share_allocated_before; /* [share_count * dimensions] */
  const int64_t* share_allocated_after;
  const double* share_deserved; /* [share_count * dimensions]; below 0 where the profile has none */
  const double* share_before;
  const double* share_after;

  /* Of jobs with wishes for domains or with sub-groups that were placed: the domain they are in once the plan has been
   * carried out, its name empty where only the whole cluster holds them. Sub-group: empty for the job itself. */
  int64_t domain_count;
  const int32_t* domain_job;
  const int32_t* domain_tier;
  const int64_t* domain_sub_group_offsets; /* [domain_count + 1]: into domain_sub_groups */
  const char* domain_sub_groups;
  const int64_t* domain_name_offsets; /* [domain_count + 1]: into domain_names */
  const char* domain_names;

  /* What bound tasks get of the devices of their nodes: by bind, those of one task in the order of its node's. */
  int64_t device_count;
  const int32_t* device_task;
  const int64_t* device_milli;
  const int64_t* device_memory;       /* bytes */
  const int64_t* device_name_offsets; /* [device_count + 1]: into device_names */
  const char* device_names;

  /* What else a reason is about, in words, or empty: who above or beside its queue refuses (queue "lab"), or the widest
   * tier where no domain has room for a job. */
  const int64_t* reason_where_offsets; /* [reason_count + 1]: into reason_wheres */
  const char* reason_wheres;

  /* What else a decision has. decision_row is its row among those of its kind: of moves, reservations, offers, resizes
   * and splits the row of the tables below. */
  const int32_t* decision_row;

  /* Tasks that leave one node for another that is kept for them. */
  int64_t move_count;
  const int32_t* move_task;
  const int32_t* move_from;
  const int32_t* move_to;
  const int32_t* move_nominated;   /* 1: room on move_to is still being released */
  const int32_t* move_beneficiary; /* the task that gets the room on move_from */

  /* Nodes that keep room for a task, which waits there and is not bound yet. */
  int64_t reservation_count;
  const int32_t* reservation_task;
  const int32_t* reservation_node;
  const int64_t* reservation_until;         /* seconds; MUSTER_ABSENT: no deadline */
  const int64_t* reservation_group_offsets; /* [reservation_count + 1]: into reservation_groups */
  const char* reservation_groups;           /* waiting groups; empty: none */

  /* Amounts of nodes that are offered to a queue or a job. */
  int64_t offer_count;
  const int32_t* offer_job;
  const int32_t* offer_queue;
  const int32_t* offer_node;
  const int64_t* offer_amounts; /* [offer_count * dimensions] */

  /* Groups of jobs that get another number of tasks. */
  int64_t resize_count;
  const int32_t* resize_job;
  const int64_t* resize_tasks;
  const int64_t* resize_group_offsets; /* [resize_count + 1]: into resize_groups */
  const char* resize_groups;

  /* Tasks that become several smaller ones. */
  int64_t split_count;
  const int32_t* split_task;
  const int64_t* split_parts;

  /* The quota assigned to admitted jobs: a row for each group and dimension, with the flavor that the quota is taken
   * from; a group without flavors has one row, with dimension MUSTER_NONE. */
  int64_t assignment_count;
  const int32_t* assignment_job;
  const int32_t* assignment_dimension;
  const int64_t* assignment_tasks;         /* admitted tasks of the group */
  const int64_t* assignment_group_offsets; /* [assignment_count + 1]: into assignment_groups */
  const char* assignment_groups;
  const int64_t* assignment_flavor_offsets; /* [assignment_count + 1]: into assignment_flavors */
  const char* assignment_flavors;
} muster_plan_view;
#define MUSTER_PLAN_VIEW_INIT                                                                     \
  {                                                                                               \
    (uint32_t)sizeof(muster_plan_view), 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL,     \
        NULL, 0, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL,    \
        NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL,    \
        NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, \
        NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 0,    \
        NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL        \
  }

MUSTER_API void muster_plan_free(muster_plan* plan);
MUSTER_API muster_status muster_plan_get_view(const muster_plan* plan, muster_plan_view* view,
                                              muster_error* error);
/* Ends with a NUL; *size (may be NULL) is the length. NULL where the plan does not mention such a row. */
MUSTER_API const char* muster_plan_name(const muster_plan* plan, int32_t kind, int32_t index,
                                        int64_t* size);
/* Of everything but names: equal inputs give equal digests on every machine. 32 digits and a NUL. */
MUSTER_API muster_status muster_plan_digest(const muster_plan* plan, char out[33],
                                            muster_error* error);
/* Why a job or a task is not, or not wholly, placed. MUSTER_E_NOT_FOUND where the plan knows no such name. */
MUSTER_API muster_status muster_plan_explain(const muster_plan* plan, const char* name,
                                             int64_t size, muster_text** out, muster_error* error);
MUSTER_API muster_status muster_plan_to_text(const muster_plan* plan, muster_text** out,
                                             muster_error* error);
MUSTER_API muster_status muster_plan_to_json(const muster_plan* plan, muster_text** out,
                                             muster_error* error);
/* What the next cycle is to remember, as JSON; of a cut cycle what went in. muster_cluster_apply keeps it. */
MUSTER_API muster_status muster_plan_memory(const muster_plan* plan, muster_text** out,
                                            muster_error* error);

/* The profiles, policies, actions and options that there are, as JSON: {"profiles": [...], "policies": [...]}. */
MUSTER_API muster_status muster_catalogue(muster_text** out, muster_error* error);

/* ---- policies of the caller's own ------------------------------------------------------------------------------- */

/* The cycle that asks: valid inside the callbacks it is handed to. */
typedef struct muster_cycle muster_cycle;
MUSTER_API int64_t muster_cycle_now(const muster_cycle* cycle);
/* As muster_snapshot_count. */
MUSTER_API int64_t muster_cycle_count(const muster_cycle* cycle, int32_t kind);
/* As muster_snapshot_name. */
MUSTER_API const char* muster_cycle_name(const muster_cycle* cycle, int32_t kind, int32_t index,
                                         int64_t* size);
/* A column over some rows, as it is at this moment of the cycle. MUSTER_ABSENT where a row does not say.
 *   nodes   allocatable.D, idle.D, used.D, releasing.D, unschedulable
 *   queues  weight, priority, created, allocated.D, pending.D, limit.D, deserved.D
 *   jobs    queue, priority, created, min_available, phase, tasks, tasks_pending, tasks_ready, allocated.D
 *   tasks   job, node, status, priority, created, class, request.D */
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
  const int64_t* request; /* [dimensions] */
} muster_class_view;

/* Nodes and their books; amounts are column by column: dimension d of node i is at [d * stride + i]. They are whole
 * numbers below 2^53. */
typedef struct muster_nodes_view {
  uint32_t struct_size;
  int32_t dimensions;
  int64_t count;
  int64_t stride;
  const int32_t* node; /* [count] */
  const double* allocatable;
  const double* idle;
  const double* future_idle; /* idle, and what is being released and not promised */
  const double* used;
} muster_nodes_view;

/* A flag: asked about nodes and orders again whenever the books changed, not once a cycle. */
#define MUSTER_POLICY_LIVE 1u

/*
 * One policy. A callback that is NULL has no opinion. Each gets an output filled with "no opinion", the value after
 * "out:" below, and changes what it likes. It returns 0, or MUSTER_PASSTHROUGH (the output is ignored), or anything
 * else: the cycle is then discarded with MUSTER_E_USER. An answer that is not finite discards the cycle, too, and the
 * error names it. Equal questions must get equal answers, or equal inputs no longer give equal plans. A profile places
 * the policy by its name, "volcano:tiers=mine/priority+gang/drf+predicates+proportion+nodeorder"; where it does not,
 * the policy is in the last tier.
 */
typedef struct muster_policy {
  uint32_t struct_size;
  uint32_t flags;
  uintptr_t user;
  const char* name;    /* as an option's name: lower case, digits, '-' and '_' */
  const char* refusal; /* what reasons say where `fit` refused; NULL: the name */
  /* First of all in a cycle. */
  muster_status (*open)(uintptr_t user, const muster_cycle* cycle);
  /* May the class run there? out: 1. */
  muster_status (*fit)(uintptr_t user, const muster_cycle* cycle,
                       const muster_class_view* task_class, const muster_nodes_view* nodes,
                       uint8_t* out);
  /* Higher is better; sums with the scores of other policies. out: 0. */
  muster_status (*score)(uintptr_t user, const muster_cycle* cycle,
                         const muster_class_view* task_class, const muster_nodes_view* nodes,
                         double* out);
  /* Keys: smaller goes first, equal leaves it to the next policy. out: 0. */
  muster_status (*job_order)(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                             int64_t count, double* out);
  muster_status (*queue_order)(uintptr_t user, const muster_cycle* cycle, const int32_t* queues,
                               int64_t count, double* out);
  muster_status (*task_order)(uintptr_t user, const muster_cycle* cycle, const int32_t* tasks,
                              int64_t count, double* out);
  /* Asked again whenever the books changed. overused: the queue gets no turn, out: 0. ready: the gang may start,
   * out: 1. */
  muster_status (*overused)(uintptr_t user, const muster_cycle* cycle, const int32_t* queues,
                            int64_t count, uint8_t* out);
  muster_status (*ready)(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                         int64_t count, uint8_t* out);
  /* Asked once a cycle. valid: the job is tried at all, out: 1. admit: 1 permits, -1 rejects, out: 0. */
  muster_status (*valid)(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                         int64_t count, uint8_t* out);
  muster_status (*admit)(uintptr_t user, const muster_cycle* cycle, const int32_t* jobs,
                         int64_t count, int8_t* out);
  /* May a queue take a task of the class? out: 1. Asked again whenever the books changed. */
  muster_status (*allocatable)(uintptr_t user, const muster_cycle* cycle,
                               const muster_class_view* task_class, const int32_t* queues,
                               int64_t count, uint8_t* out);
  /* Which of the tasks may go for the evictor? out: 0. */
  muster_status (*preemptable)(uintptr_t user, const muster_cycle* cycle, int32_t evictor,
                               const int32_t* tasks, int64_t count, uint8_t* out);
  muster_status (*reclaimable)(uintptr_t user, const muster_cycle* cycle, int32_t evictor,
                               const int32_t* tasks, int64_t count, uint8_t* out);
  void (*destroy)(uintptr_t user); /* once nothing uses the list any more */
} muster_policy;
#define MUSTER_POLICY_INIT                                                                       \
  {                                                                                              \
    (uint32_t)sizeof(muster_policy), 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL, NULL, NULL, NULL, NULL, NULL, NULL                                                 \
  }

/* A list of policies, fixed once it is made. What a cluster keeps from cycle to cycle it keeps as long as it is handed
 * the same list. Clusters that used a list keep it alive; callbacks may run until the last of them is freed or has used
 * four other profiles since. `destroy` is called for each policy also where this call fails. */
MUSTER_API muster_status muster_policies_new(const muster_policy* const* policies, int32_t count,
                                             muster_policies** out, muster_error* error);
MUSTER_API void muster_policies_free(muster_policies* policies);

/* ---- several cycles at once, standbys, revisions ---------------------------------------------------------------- */

/* Hands out work: calls run(work, i) once for each i from 0 to count - 1, in any order and on any threads, and returns
 * when all of them have returned. What it returns other than 0 fails the call it was given to. */
typedef void (*muster_run)(uintptr_t work, int64_t i);
typedef muster_status (*muster_executor)(uintptr_t user, int64_t count, muster_run run,
                                         uintptr_t work);
/* Cycles of several profiles over one snapshot, which are independent of each other: out[i] is the plan of profiles[i]
 * with options[i]. `options`, and each of them, may be NULL; executor may be NULL: one after the other. All plans or
 * none: the error names the first profile that failed. */
MUSTER_API muster_status muster_snapshot_schedule_all(
    const muster_snapshot* snapshot, const char* const* profiles /* [count] */,
    const muster_schedule_options* const* options /* [count] */, int64_t count,
    muster_executor executor, uintptr_t user, muster_plan** out /* [count] */, muster_error* error);

/* All that a scheduler must remember: rows and their indices, events that wait, what plans said and the world has not
 * confirmed. A cluster that loads it makes equal plans, with equal digests, of equal calls. Both calls number the rows
 * anew, without those that were removed: indices move and muster_cluster_layout grows. */
MUSTER_API muster_status muster_state_save(muster_cluster* cluster, muster_text** out,
                                           muster_error* error);
MUSTER_API muster_status muster_state_load(muster_cluster* cluster, const char* state, int64_t size,
                                           muster_error* error);

/* 1, and more with each release in which equal inputs got other decisions of the policy; 0: there is none of that
 * name. */
MUSTER_API int32_t muster_policy_revision(const char* name);

/* ---- what-if: shares of queues if things were different, without a cycle ---------------------------------------- */

typedef struct muster_outlook muster_outlook;

/* Columns of an outlook, owned by it. Amounts are those of each queue alone, without its children, queue by queue:
 * dimension d of queue i is at [i * dimensions + d]. */
typedef struct muster_outlook_view {
  uint32_t struct_size;
  int32_t dimensions;
  int64_t count;        /* of queues */
  const int32_t* queue; /* [count] */
  const int64_t* allocated_before;
  const int64_t* allocated_after;
  const int64_t* pending_before; /* what waiting tasks ask for */
  const int64_t* pending_after;
  const double* deserved_before; /* below 0 where the profile has none */
  const double* deserved_after;
  const double* share_before; /* [count] */
  const double* share_after;
} muster_outlook_view;
#define MUSTER_OUTLOOK_VIEW_INIT                                                                 \
  {                                                                                              \
    (uint32_t)sizeof(muster_outlook_view), 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL                                                                                     \
  }

/* `changes` is JSON; they are made in their order (docs/what_if.md):
 *   {"changes": [{"queue": {"name": "vision", "weight": 3, "limit": {"cpu": 64}}},
 *                {"remove_nodes": {"labels": {"pool": "b"}}},
 *                {"add_nodes": {"count": 2, "node": {"name": "new", ...}}},
 *                {"add_job": {"name": "train", "queue": "vision", "groups": [...]}}, {"remove_job": "old"}]}
 * `before` is what a cycle would report as it opens, `after` the same of a cluster that was really changed. Cost: of a
 * snapshot O(nodes + tasks); of a cluster what changed since the last cycle of the profile, and O(queues + changes). */
MUSTER_API muster_status muster_snapshot_what_if(const muster_snapshot* snapshot,
                                                 const char* profile, const char* changes,
                                                 int64_t size, muster_outlook** out,
                                                 muster_error* error);
MUSTER_API muster_status muster_cluster_what_if(muster_cluster* cluster, const char* profile,
                                                const char* changes, int64_t size,
                                                muster_outlook** out, muster_error* error);
MUSTER_API muster_status muster_outlook_get_view(const muster_outlook* outlook,
                                                 muster_outlook_view* view, muster_error* error);
/* The name of a queue, by its index, or of a dimension, by its place among the amounts. Ends with a NUL; *size (may be
 * NULL) is the length. NULL where there is none. */
MUSTER_API const char* muster_outlook_name(const muster_outlook* outlook, int32_t kind,
                                           int32_t index, int64_t* size);
MUSTER_API void muster_outlook_free(muster_outlook* outlook);

/* ---- import: dumps of other schedulers' objects as scenarios ----------------------------------------------------- */

typedef struct muster_import_options {
  uint32_t struct_size;
  uint32_t reserved;
  /* The scheduler that they are of: "volcano", "kube-batch"; NULL: found by API groups. */
  const char* profile;
  const char*
      configuration; /* the scheduler's configuration as JSON; NULL: as the profile has it */
  const char* default_queue; /* of jobs that name none; NULL: "default" */
  int64_t now;               /* seconds; the time that the scenario names */
} muster_import_options;
#define MUSTER_IMPORT_OPTIONS_INIT \
  { (uint32_t)sizeof(muster_import_options), 0, NULL, NULL, NULL, 0 }

/* Reads `objects`, JSON as `kubectl get -o json` prints it: a List, an array, or objects one after another. *scenario is
 * a document for muster_cluster_read_scenario. *report (may be NULL) lists what the scenario does not hold:
 *   {"entries": [{"severity": "ignored", "object": "Pod ns/p", "field": "spec.volumes[0]", "text": "..."}]}
 * with severities "note", "ignored" and "left_out" (docs/import.md). An object that cannot be understood fails the call;
 * the error names the object, the field and the rule. `options` may be NULL. Cost: linear in the text; memory of some
 * thirty times its size during the call. */
MUSTER_API muster_status muster_import(const char* objects, int64_t size,
                                       const muster_import_options* options, muster_text** scenario,
                                       muster_text** report, muster_error* error);

#ifdef __cplusplus
}
#endif

#endif /* MUSTER_C_H_ */
