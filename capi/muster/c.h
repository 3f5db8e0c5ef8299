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
 *   c_cluster.h  living clusters, and reports of what happened to their rows
 *   c_plan.h     decisions and reasons as columns
 *   c_cycle.h    cycles over clusters and snapshots; stopping early
 *   c_policy.h   policies of the caller's own
 *   c_action.h   actions of the caller's own
 *   c_tools.h    what-if, import, catalogue
 *
 * These rules hold for every call.
 *
 * Failure. A call that can fail returns a muster_status, 0 or a negative MUSTER_E_..., and fills
 *   *error (may be NULL) with words that name the row and the rule: node "n1", capacity "cpu":
 *   unknown unit "x" in "5x". What it was to hand out is then NULL, and what it was to change is as
 *   it was. A task without a place is no failure: the plan has a reason. No call exits, aborts,
 *   prints, or throws an exception of C++.
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
 *   Every other object is used by one thread at a time. The library starts no threads but those
 *   of muster_threads_new, has no state of its own and reads no environment. Its one clock is the
 *   monotonic one, read only where a time_limit is given.
 * Callbacks. They run on the caller's thread, inside the call that they were passed to. They may
 *   read what they are passed, and snapshots, plans and texts. Calls that use or change the cluster
 *   they came from are refused. They must not throw or longjmp. User data are integers, so that
 *   callers with moving memory can pass a key of their own.
 * Cost. One call a cycle; columns are read once. bench/README.md has measurements.
 * Versions. A struct begins with its size as the caller knew it; the MUSTER_..._INIT macro sets it.
 *   Fields are only appended, and 0 or NULL in each means "default". A struct that is larger than
 *   that of the library is refused unless all bytes beyond it are 0. Numbers of statuses, kinds and
 *   codes are never reused.
 */
#ifndef MUSTER_C_H_
#define MUSTER_C_H_

#include <muster/c_action.h>
#include <muster/c_base.h>
#include <muster/c_cluster.h>
#include <muster/c_cycle.h>
#include <muster/c_plan.h>
#include <muster/c_policy.h>
#include <muster/c_tables.h>
#include <muster/c_tools.h>

#endif /* MUSTER_C_H_ */
