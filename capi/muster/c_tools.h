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

#include <muster/c_cycle.h>

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
 * `before` are the shares of a cycle as it opens, and `after` those of a cluster in which the
 * changes were made. The snapshot does not change. Cost: O(nodes + tasks). */
MUSTER_API muster_status muster_snapshot_what_if(const muster_snapshot* snapshot,
                                                 const char* profile, const char* changes,
                                                 int64_t size, muster_outlook** out,
                                                 muster_error* error);

/* The same over a cluster, which does not change. Cost: what changed since the last cycle of the
 * profile, and O(queues + changes). */
MUSTER_API muster_status muster_cluster_what_if(muster_cluster* cluster, const char* profile,
                                                const char* changes, int64_t size,
                                                muster_outlook** out, muster_error* error);

/* Answers a question by plans of clones in which something was changed. The cluster does not
 * change. `question` is JSON with one of these keys (docs/what_if.md):
 *   {"rehearse": [CHANGE, ...]}                    what would be decided; changes as above, and
 *                                                  {"remove_task": "ns/pod"}, {"job": {...}},
 *                                                  {"nodes": {...}}
 *   {"diagnose": {"job": "train", "trials": 200}}  why it waits, and what would start it
 *   {"drain": {"nodes": ["n1"]}}                   where the tasks of nodes would go
 *   {"need_nodes": {"offers": [{"node": {"name": "big", ...}, "price": 4}], "most": 1024}}
 * *out is the answer as JSON. `now` is the time of the cycles. Fails with MUSTER_E_INVALID_ARGUMENT
 * for a text that is no question, and MUSTER_E_NOT_FOUND for a job or node that does not exist.
 * Cost: O(rows) and a cycle for each trial. */
MUSTER_API muster_status muster_cluster_advise(muster_cluster* cluster, const char* profile,
                                               const char* question, int64_t size, int64_t now,
                                               muster_text** out, muster_error* error);

/* How a question is answered. */
typedef struct muster_advise_options {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t now;                     /* seconds: the time of the cycles */
  const muster_policies* policies; /* asked in each cycle; NULL: none */
  const muster_stop* stop;         /* NULL: none */
} muster_advise_options;
#define MUSTER_ADVISE_OPTIONS_INIT \
  { (uint32_t)sizeof(muster_advise_options), 0, 0, NULL, NULL }

/* The same with options, which may be NULL. A cycle that runs may not ask the policies meanwhile.
 * Fails with what a callback failed with, and with MUSTER_E_CANCELLED once the stop is set. */
MUSTER_API muster_status muster_cluster_advise_with(muster_cluster* cluster, const char* profile,
                                                    const char* question, int64_t size,
                                                    const muster_advise_options* options,
                                                    muster_text** out, muster_error* error);

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
  const char* default_queue;   /* of jobs that name none. NULL: "default" */
  int64_t now;                 /* seconds: the time that the scenario names */
  const muster_limits* limits; /* of both texts together. NULL: MUSTER_LIMITS_INIT */
} muster_import_options;
#define MUSTER_IMPORT_OPTIONS_INIT \
  { (uint32_t)sizeof(muster_import_options), 0, NULL, NULL, NULL, 0, NULL }

/* Turns objects into a scenario. `objects` is JSON as `kubectl get -o json` prints it: a List, an
 * array, or objects one after another. `options` may be NULL. *scenario is a document for
 * muster_cluster_read_scenario. *report (may be NULL) lists what the scenario does not hold:
 *   {"entries": [{"severity": "ignored", "object": "Pod ns/p", "field": "spec.volumes[0]",
 *                 "text": "..."}]}
 * with severities "note", "ignored" and "left_out" (docs/import.md). Fails with
 * MUSTER_E_INVALID_ARGUMENT where an object breaks a rule, and names the object, the field and the
 * rule. Cost: linear in the text; memory of some thirty times its size during the call. */
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
