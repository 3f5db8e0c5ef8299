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

#include <muster/c_tables.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- words of a plan ------------------------------------------------------------------------- */

/* Kinds of decisions. */
#define MUSTER_DECISION_ADMIT 0    /* the tasks of the job may be placed from now on */
#define MUSTER_DECISION_BIND 1     /* the task starts on the node */
#define MUSTER_DECISION_NOMINATE 2 /* the task is promised room that others still leave */
#define MUSTER_DECISION_EVICT 3    /* the task leaves its node */
#define MUSTER_DECISION_PHASE 4    /* the phase of the job changes */
#define MUSTER_DECISION_MOVE 5     /* the task leaves its node for another that is kept for it */
#define MUSTER_DECISION_RESERVE 6  /* the node keeps room for the task, which is not bound yet */
#define MUSTER_DECISION_OFFER 7    /* amounts of a node are offered to a queue or a job */
#define MUSTER_DECISION_RESIZE 8   /* a group of the job gets another number of tasks */
#define MUSTER_DECISION_SPLIT 9    /* the task becomes several smaller ones */

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
#define MUSTER_REASON_NOT_REACHED 11   /* the cycle, or the job's turn, ended before it was tried */
#define MUSTER_REASON_QUEUE_TREE 12    /* the queues form no tree that the policy divides */
#define MUSTER_REASON_INFEASIBLE 13    /* the job's bundles would not fit even on empty nodes */
#define MUSTER_REASON_QUEUE_SPENDING 14 /* the queue would exceed what it may spend */

/* Codes of refusals: why nodes refused a task. */
#define MUSTER_REFUSAL_NOT_READY 0     /* the node is not ready */
#define MUSTER_REFUSAL_UNSCHEDULABLE 1 /* it takes no new tasks */
#define MUSTER_REFUSAL_NODE_AFFINITY 2 /* the task's node selector or affinity excludes it */
#define MUSTER_REFUSAL_TAINT 3         /* a taint that the task does not tolerate */
#define MUSTER_REFUSAL_INSUFFICIENT 4  /* too little of `refusal_dimension` is free */
#define MUSTER_REFUSAL_POD_LIMIT 5     /* it has its largest number of tasks */
#define MUSTER_REFUSAL_HOST_PORT 6     /* a port that the task requests is taken */
#define MUSTER_REFUSAL_AFFINITY 7      /* a task that it must be beside is not there */
#define MUSTER_REFUSAL_ANTI_AFFINITY 8 /* a task that it must not be beside is there */
#define MUSTER_REFUSAL_EXISTING_ANTI_AFFINITY 9 /* a task there must not be beside it */
#define MUSTER_REFUSAL_SPREAD_LABEL 10 /* the node lacks the label that the task spreads over */
#define MUSTER_REFUSAL_SPREAD 11       /* the domain would get too far ahead of the others */
#define MUSTER_REFUSAL_POLICY 12       /* `refusal_details` names the policy */
#define MUSTER_REFUSAL_DEVICE 13       /* its devices or zones do not serve the request */

/* ---- the view of a plan ---------------------------------------------------------------------- */

typedef struct muster_plan muster_plan;

/* Columns of a plan, owned by it. A column without rows may be NULL. Texts of row i are the bytes
 * from offsets[i] up to, not including, offsets[i + 1]. */
typedef struct muster_plan_view {
  uint32_t struct_size; /* sizeof(muster_plan_view): MUSTER_PLAN_VIEW_INIT sets it */
  int32_t dimensions;   /* the number of resources, which is the width of amounts below */
  int32_t complete;     /* 0: a budget, a limit or a stop cut it */
  uint32_t cursor;  /* of a plan that was cut: muster_schedule_options.cursor of the next cycle */
  int64_t work;     /* units; as a budget they reproduce this plan */
  uint64_t version; /* of the cluster */

  /* Decisions, in the order in which they were made. */
  int64_t decision_count;
  const int32_t* decision_kind;        /* MUSTER_DECISION_... */
  const int32_t* decision_task;        /* MUSTER_NONE: the decision is about a job, or an offer */
  const int32_t* decision_node;        /* MOVE: the node that the task moves to */
  const int32_t* decision_job;         /* the job of the task, or the job decided about */
  const int32_t* decision_beneficiary; /* EVICT: the task that gets the place */
  const int32_t* decision_phase;       /* PHASE: MUSTER_PHASE_... after the cycle;
                                             ADMIT: not pending if the job, admitted already, gets
                                             other places */
  const int32_t* decision_after_eviction; /* NOMINATE: 1 if a task was evicted there for it */

  /* Placements in the books that are no decisions, by task. */
  int64_t tentative_count;
  const int32_t* tentative_task;      /* a task of a gang that waits for the rest */
  const int32_t* tentative_node;      /* where it would be */
  const int32_t* tentative_nominated; /* 1: on resources that are still being released */

  /* Tasks that wait, by task. */
  int64_t pending_count;
  const int32_t* pending_task;   /* the task that waits */
  const int32_t* pending_reason; /* a row of the reasons */

  /* Reasons. Many tasks share one. */
  int64_t reason_count;
  const int32_t* reason_kind;           /* MUSTER_REASON_... */
  const int32_t* reason_queue;          /* the queue that refuses, or MUSTER_NONE */
  const int32_t* reason_dimension;      /* the resource that it lacks, or MUSTER_NONE */
  const int64_t* reason_placed;         /* tasks of the gang that found a place */
  const int64_t* reason_needed;         /* tasks that the gang needs */
  const int64_t* reason_refusals;       /* [reason_count + 1]: the reason's first refusal */
  const int64_t* reason_policy_offsets; /* [reason_count + 1]: into reason_policies */
  const char* reason_policies;          /* the policies that refused, by name */

  /* Refusals: how many nodes refused a task, and why. */
  int64_t refusal_count;
  const int32_t* refusal_code;           /* MUSTER_REFUSAL_... */
  const int32_t* refusal_dimension;      /* of INSUFFICIENT; else MUSTER_NONE */
  const int64_t* refusal_nodes;          /* the number of nodes */
  const int64_t* refusal_detail_offsets; /* [refusal_count + 1]: into refusal_details */
  const char* refusal_details;           /* the taint, policy or device; empty: none */

  /* Shares, one row a queue, before and after the cycle. */
  int64_t share_count;
  const int32_t* share_queue;            /* the queue of the row */
  const int64_t* share_allocated_before; /* [share_count * dimensions] */
  const int64_t* share_allocated_after;  /* [share_count * dimensions] */
  const double* share_deserved; /* [share_count * dimensions]; below 0: the profile has none */
  const double* share_before;   /* its share as the policy of the profile computes it */
  const double* share_after;    /* the same at the end of the cycle */

  /* Where jobs with topology wishes or sub-groups are once the plan has been carried out. The name
   * is empty if only the whole cluster holds them. The sub-group is empty for the job itself. */
  int64_t domain_count;
  const int32_t* domain_job;               /* the job of the row */
  const int32_t* domain_tier;              /* the topology tier of the domain */
  const int64_t* domain_sub_group_offsets; /* [domain_count + 1]: into domain_sub_groups */
  const char* domain_sub_groups;           /* the sub-group of the row, by name */
  const int64_t* domain_name_offsets;      /* [domain_count + 1]: into domain_names */
  const char* domain_names;                /* the smallest domain that holds it, by name */

  /* Devices that bound tasks get, by bind. Those of one task are in the order of its node's. */
  int64_t device_count;
  const int32_t* device_task;         /* the task that gets a part of the device */
  const int64_t* device_milli;        /* thousandths of the device */
  const int64_t* device_memory;       /* bytes */
  const int64_t* device_name_offsets; /* [device_count + 1]: into device_names */
  const char* device_names;           /* the device, as its node names it */

  /* What else a reason rests on, in words, or empty: the queue above that refuses (queue "lab"), or
   * the widest topology tier in which no domain has room for a job. */
  const int64_t* reason_where_offsets; /* [reason_count + 1]: into reason_wheres */
  const char* reason_wheres;

  /* decision_row is the row of a decision among those of its kind: of moves, reservations, offers,
   * resizes and splits the row of the tables below. */
  const int32_t* decision_row;

  /* Tasks that leave one node for another that is kept for them. */
  int64_t move_count;
  const int32_t* move_task;        /* the task that is moved */
  const int32_t* move_from;        /* the node that it leaves */
  const int32_t* move_to;          /* the node that it is nominated to */
  const int32_t* move_nominated;   /* 1: room on move_to is still being released */
  const int32_t* move_beneficiary; /* the task that gets the room on move_from */

  /* Nodes that keep room for a task, which waits there and is not bound yet. */
  int64_t reservation_count;
  const int32_t* reservation_task;          /* the task that waits */
  const int32_t* reservation_node;          /* the node that keeps room for it */
  const int64_t* reservation_until;         /* seconds; MUSTER_ABSENT: no deadline */
  const int64_t* reservation_group_offsets; /* [reservation_count + 1]: into reservation_groups */
  const char* reservation_groups;           /* waiting groups; empty: none */

  /* Amounts of nodes that are offered to a queue or a job; neither: to all work on the node. */
  int64_t offer_count;
  const int32_t* offer_job;     /* MUSTER_NONE: the offer is to a queue, or to all */
  const int32_t* offer_queue;   /* MUSTER_NONE: the offer is to a job, or to all */
  const int32_t* offer_node;    /* the node that has the amounts */
  const int64_t* offer_amounts; /* [offer_count * dimensions] */

  /* Groups of jobs that get another number of tasks. */
  int64_t resize_count;
  const int32_t* resize_job;           /* the job of the group */
  const int64_t* resize_tasks;         /* the number of tasks from now on */
  const int64_t* resize_group_offsets; /* [resize_count + 1]: into resize_groups */
  const char* resize_groups;           /* the group, by name */

  /* Tasks that become several smaller ones. */
  int64_t split_count;
  const int32_t* split_task;  /* the task that is split */
  const int64_t* split_parts; /* the number of tasks that it becomes */

  /* The quota assigned to admitted jobs: a row for each group and dimension, with the flavor that
   * the quota is taken from. A group without flavors has one row, with dimension MUSTER_NONE. */
  int64_t assignment_count;
  const int32_t* assignment_job;            /* the job that is admitted */
  const int32_t* assignment_dimension;      /* the resource that the flavor is for */
  const int64_t* assignment_tasks;          /* admitted tasks of the group */
  const int64_t* assignment_group_offsets;  /* [assignment_count + 1]: into assignment_groups */
  const char* assignment_groups;            /* the group, by name */
  const int64_t* assignment_flavor_offsets; /* [assignment_count + 1]: into assignment_flavors */
  const char* assignment_flavors;           /* the flavor, by name */

  /* Where tasks of admitted jobs are to run, in the topology of their flavor: a row for each place
   * of each group. A place is the values of its levels, the widest first, with commas between. */
  int64_t place_count;
  const int32_t* place_job;           /* the job that is admitted */
  const int64_t* place_tasks;         /* tasks of the group in the place */
  const int64_t* place_group_offsets; /* [place_count + 1]: into place_groups */
  const char* place_groups;           /* the group, by name */
  const int64_t* place_name_offsets;  /* [place_count + 1]: into place_names */
  const char* place_names;            /* the values of the levels */
} muster_plan_view;
#define MUSTER_PLAN_VIEW_INIT                                                                     \
  {                                                                                               \
    (uint32_t)sizeof(muster_plan_view), 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL,     \
        NULL, 0, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL,    \
        NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL,    \
        NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, \
        NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 0,    \
        NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0,    \
        NULL, NULL, NULL, NULL, NULL, NULL                                                        \
  }

/* ---- what the cycle of a plan cost ----------------------------------------------------------- */

/* Columns of what a cycle cost, owned by its plan, if muster_schedule_options.measure asked for it.
 * Times are nanoseconds. Texts of row i are the bytes from offsets[i] up to, not including,
 * offsets[i + 1]. A column without rows may be NULL. */
typedef struct muster_costs_view {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t open_time;  /* before the first action */
  int64_t close_time; /* after the last one */

  /* How often the best node for a task was found in each way: the class had found none before and
   * nothing was freed since; from the table of its scores; by a look at every node. */
  int64_t searches_remembered;
  int64_t searches_by_table;
  int64_t searches_by_scan;

  /* Actions that ran, in order. */
  int64_t action_count;
  const int64_t* action_time;
  const int64_t* action_work;         /* units of muster_plan_view.work */
  const int64_t* action_decisions;    /* decisions that it made */
  const int64_t* action_name_offsets; /* [action_count + 1]: into action_names */
  const char* action_names;

  /* Policies that were asked which nodes fit and which are best, in the order of the tiers. Other
   * questions are part of the time of actions alone. */
  int64_t policy_count;
  const int64_t* policy_time;
  const int64_t* policy_questions;    /* how often it was asked */
  const int64_t* policy_nodes;        /* about how many nodes in all; equal ones count once */
  const int64_t* policy_name_offsets; /* [policy_count + 1]: into policy_names */
  const char* policy_names;

  /* Policies that score nodes: the columns of the scores below. */
  int64_t scorer_count;
  const int64_t* scorer_name_offsets; /* [scorer_count + 1]: into scorer_names */
  const char* scorer_names;

  /* Why tasks that the plan places got their nodes, by task. */
  int64_t choice_count;
  const int32_t* choice_task;
  const int32_t* choice_node;
  const int32_t* choice_next;       /* the next best node; MUSTER_NONE: no other fits */
  const double* choice_scores;      /* [choice_count * scorer_count]: of the node */
  const double* choice_next_scores; /* [choice_count * scorer_count]: of the next best */
  /* Names of the next best nodes, which muster_plan_name need not know; empty: none. */
  const int64_t* choice_next_name_offsets; /* [choice_count + 1]: into choice_next_names */
  const char* choice_next_names;
} muster_costs_view;
#define MUSTER_COSTS_VIEW_INIT                                                                   \
  {                                                                                              \
    (uint32_t)sizeof(muster_costs_view), 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0,   \
        NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL \
  }

/* Fills *view. Fails with MUSTER_E_FAILED_PRECONDITION where nothing was measured. Cost: O(1); the
 * columns were written when the plan was made. */
MUSTER_API muster_status muster_plan_get_costs(const muster_plan* plan, muster_costs_view* view,
                                               muster_error* error);

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

/* Writes the digest: 32 hexadecimal digits and a NUL. It covers everything but names, the spec
 * string of the profile, and the version. Equal inputs give equal digests on every machine. */
MUSTER_API muster_status muster_plan_digest(const muster_plan* plan, char out[33],
                                            muster_error* error);

/* Writes why a job or a task is not, or not wholly, placed. Fails with MUSTER_E_NOT_FOUND where the
 * plan has no such name. */
MUSTER_API muster_status muster_plan_explain(const muster_plan* plan, const char* name,
                                             int64_t size, muster_text** out, muster_error* error);

/* Writes the plan as text for people, a line a decision and reason. */
MUSTER_API muster_status muster_plan_to_text(const muster_plan* plan, muster_text** out,
                                             muster_error* error);

/* Writes the plan as JSON, with names. */
MUSTER_API muster_status muster_plan_to_json(const muster_plan* plan, muster_text** out,
                                             muster_error* error);

/* Writes the memory for the next cycle, as JSON; of a cut cycle the memory that went in.
 * muster_cluster_apply stores it in the cluster. */
MUSTER_API muster_status muster_plan_memory(const muster_plan* plan, muster_text** out,
                                            muster_error* error);

#ifdef __cplusplus
}
#endif

#endif /* MUSTER_C_PLAN_H_ */
