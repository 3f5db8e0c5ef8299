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

#include <muster/c_base.h>

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
/* Names alone, of clusters, plans, snapshots and cycles: cpu, memory, nvidia.com/gpu. */
#define MUSTER_KIND_DIMENSIONS 8
#define MUSTER_KIND_FLAVORS 9
#define MUSTER_KIND_PARTITIONS 10
#define MUSTER_KIND_RESERVATIONS 11

/* The index of no row. */
#define MUSTER_NONE (-1)
/* A number that is not set. It is not 0. */
#define MUSTER_ABSENT INT64_MIN

/* The status of a task. Number 1 exists only inside a cycle. */
#define MUSTER_TASK_PENDING 0
#define MUSTER_TASK_NOMINATED 2 /* promised a node that others still leave */
#define MUSTER_TASK_BINDING 3   /* its bind is not reported yet */
#define MUSTER_TASK_BOUND 4
#define MUSTER_TASK_RUNNING 5
#define MUSTER_TASK_RELEASING 6 /* leaves its node */
#define MUSTER_TASK_SUCCEEDED 7
#define MUSTER_TASK_FAILED 8
#define MUSTER_TASK_UNKNOWN 9
#define MUSTER_TASK_WAITING 10 /* holds its place, and is not bound yet */

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
