/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * The experimental part of the C interface: replays of recorded jobs, forecasts of starts and ends,
 * and episodes, in which the caller decides what a replay does next. Everything here may change in
 * any minor version. What muster/c.h declares does not.
 *
 *   #include <muster/c_experimental.h>
 *
 *   int64_t submit[] = {0, 0, 5}, run[] = {60, 30, 10}, tasks[] = {3, 4, 1};
 *   muster_error error = MUSTER_ERROR_INIT;
 *   muster_pool_trace trace = MUSTER_POOL_TRACE_INIT;
 *   muster_replay* replay = NULL;
 *   muster_replay_view view = MUSTER_REPLAY_VIEW_INIT;
 *   int64_t i;
 *
 *   trace.processors = 4;
 *   trace.count = 3;
 *   trace.submit = submit;
 *   trace.run = run;
 *   trace.tasks = tasks;
 *   if (muster_replay_pool(&trace, "easy", NULL, &replay, &error) ||
 *       muster_replay_get_view(replay, &view, &error)) {
 *     fprintf(stderr, "%s\n", error.message);
 *   }
 *   for (i = 0; i < view.count; ++i) use(view.start[i] - view.submit[i]);
 *   muster_replay_free(replay);
 *
 * Linking. These calls are in libmuster_replay_c, which also has every call of muster/c.h: a
 *   program links it instead of libmuster_c, never both. It needs zlib. Its soname has the major
 *   and the minor version. muster_has_feature does not list what is declared here.
 * Promises. A replay is a pure function of its arguments. An episode is a pure function of its
 *   trace and its actions.
 * Failure. As in muster/c.h: a call returns a muster_status and fills *error. A handle that was to
 *   be handed out is then NULL, and an episode is as it was. Where memory runs out, calls return
 *   MUSTER_E_RESOURCE_EXHAUSTED.
 * Memory. All of it is on the C++ heap. No allocator and no budget bounds it.
 * Ownership. Columns and tables that are passed in are copied. Handles belong to the caller and are
 *   freed by the _free of their type, which takes NULL. Pointers of a muster_replay_view live as
 *   long as the muster_replay.
 * Threads. Any number of threads may read one muster_replay. A muster_episodes is used by one
 *   thread at a time. A muster_stop may be set by any thread.
 * Cost. A replay costs O(jobs log jobs) and what its policy costs. bench/README.md has
 *   measurements.
 */
#ifndef MUSTER_C_EXPERIMENTAL_H_
#define MUSTER_C_EXPERIMENTAL_H_

#include <muster/c.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- traces ---------------------------------------------------------------------------------- */

/* The jobs of a trace, one entry a job in each column. All times are seconds, 0 to 2^53. */
typedef struct muster_pool_trace {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t processors;      /* of the pool, all equal; 0 where the jobs run on nodes */
  int64_t count;           /* of jobs */
  const int64_t* submit;   /* when each job is submitted, in any order */
  const int64_t* run;      /* how long each job runs; above 0 */
  const int64_t* tasks;    /* of each job, started together; on a pool each takes 1 processor */
  const int64_t* estimate; /* of `run`, by the user; MUSTER_ABSENT: none. NULL: no job has one */
} muster_pool_trace;
#define MUSTER_POOL_TRACE_INIT \
  { (uint32_t)sizeof(muster_pool_trace), 0, 0, 0, NULL, NULL, NULL, NULL }

/* ---- replays --------------------------------------------------------------------------------- */

/* The result of one replay. */
typedef struct muster_replay muster_replay;

/* Outcomes of jobs. The numbers are never reused. */
#define MUSTER_OUTCOME_DONE 0
#define MUSTER_OUTCOME_STILL_RUNNING 1 /* the replay ended before the job */
#define MUSTER_OUTCOME_WAITING 2       /* submitted, and never started */
#define MUSTER_OUTCOME_NOT_SUBMITTED 3 /* the replay ended before its submission */
#define MUSTER_OUTCOME_REFUSED 4       /* the empty machine is too small for the job */

/* The columns of a result, `count` entries each, in the order of the trace's jobs. */
typedef struct muster_replay_view {
  uint32_t struct_size;
  int32_t complete;       /* 1 */
  int64_t count;          /* of jobs */
  const int64_t* submit;  /* MUSTER_ABSENT: the job was not submitted */
  const int64_t* start;   /* MUSTER_ABSENT: the job did not start */
  const int64_t* end;     /* MUSTER_ABSENT: the job did not end */
  const int32_t* outcome; /* MUSTER_OUTCOME_... */
  int64_t events;         /* submissions, ends and the like that were handled */
  int64_t passes;         /* cycles, or searches for a job to start */
  double wait_mean;       /* seconds, over the jobs that started */
  double slowdown_mean;   /* bounded (runs below 10 s count as 10 s), over the jobs that ended */
  double utilisation;     /* of a pool over the makespan, 0 to 1; 0 on nodes */
  int64_t makespan;       /* seconds from the first submission to the last end */
} muster_replay_view;
#define MUSTER_REPLAY_VIEW_INIT \
  { (uint32_t)sizeof(muster_replay_view), 0, 0, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0 }

/* Replays the jobs on a pool of trace->processors under `policy`: a batch policy ("easy:order=sjf")
 * or a profile. docs/replay.md lists both. `stop` may be NULL. Fails with
 * MUSTER_E_INVALID_ARGUMENT where the trace breaks a rule or the policy is unknown, and with
 * MUSTER_E_CANCELLED once `stop` is set. */
MUSTER_API muster_status muster_replay_pool(const muster_pool_trace* trace, const char* policy,
                                            const muster_stop* stop, muster_replay** out,
                                            muster_error* error);

/* Replays the jobs on nodes. `nodes` is a table of nodes. `tasks` is a table of tasks with one row
 * a job: its shape.* columns are what each task of the job requests. trace->processors must be 0.
 * The rest is as above. */
MUSTER_API muster_status muster_replay_nodes(const muster_pool_trace* trace,
                                             const muster_table* nodes, const muster_table* tasks,
                                             const char* policy, const muster_stop* stop,
                                             muster_replay** out, muster_error* error);

/* Fills *view. Cost: O(1). */
MUSTER_API muster_status muster_replay_get_view(const muster_replay* replay,
                                                muster_replay_view* view, muster_error* error);
/* Frees the result and the columns of its views. */
MUSTER_API void muster_replay_free(muster_replay* replay);

/* ---- forecasts ------------------------------------------------------------------------------- */

/* When jobs that wait will start and end. docs/forecast.md explains the figures. */
typedef struct muster_forecast muster_forecast;

/* A field of 0 has its default. */
typedef struct muster_forecast_options {
  uint32_t struct_size;
  int32_t no_arrivals; /* 1: nothing is submitted in a future */
  int64_t now;         /* of a cluster: seconds, on the clock of its jobs and of the history */
  int64_t futures;     /* that are simulated for a forecast; 0: 32 */
  uint64_t seed;       /* of run times and submissions */
  int64_t percent;     /* of the jobs that intervals hold; 0: 90 */
  int64_t work_budget; /* events that the futures of a forecast may have; 0: 10,000,000 */
  int64_t every;       /* of a trace: every n-th job that waits is forecast; 0: 1 */
  /* Scales of intervals at the beginning, in 2^-32: those of a view; 0: 1. */
  int64_t start_low_scale;
  int64_t start_high_scale;
  int64_t end_low_scale;
  int64_t end_high_scale;
  /* Of a cluster: where futures are played, `executor_width` of them at once, as
   * muster_cluster_set_executor has it. Forecasts do not depend on it. With `policies`, all futures
   * stay on the calling thread; muster_forecast_trace ignores it. NULL: one after another. */
  muster_executor executor;
  uintptr_t executor_user;
  int64_t executor_width;
  const muster_policies* policies; /* asked in cycles of the futures; NULL: none */
} muster_forecast_options;
#define MUSTER_FORECAST_OPTIONS_INIT \
  { (uint32_t)sizeof(muster_forecast_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0, NULL }

/* Columns with `count` entries each, in seconds. MUSTER_ABSENT: too few futures reached it. */
typedef struct muster_forecast_view {
  uint32_t struct_size;
  int32_t complete; /* 0: the budget was spent before all futures were begun */
  int64_t count;
  const int64_t* job_name_offsets; /* of a cluster: [count + 1], into job_names; else NULL */
  const char* job_names;
  const int64_t* jobs;      /* of a trace: rows; else NULL */
  const int64_t* start_low; /* the interval of the start, ... */
  const int64_t* start;     /* ...and its middle */
  const int64_t* start_high;
  const int64_t* end_low;
  const int64_t* end;
  const int64_t* end_high;
  const int64_t* promised; /* of a trace: starts that easy has by estimates; else NULL */
  int64_t events;          /* of all futures */
  const char* digest;      /* 32 hexadecimal digits */
  /* The scales after the last forecast, in 2^-32. */
  int64_t start_low_scale;
  int64_t start_high_scale;
  int64_t end_low_scale;
  int64_t end_high_scale;
  double start_held;     /* of a trace: the part of the starts within their intervals */
  double end_held;       /* and of the ends */
  int64_t start_error;   /* of a trace: the median distance of starts from `start`, ... */
  int64_t promise_error; /* ...and from `promised` */
} muster_forecast_view;
#define MUSTER_FORECAST_VIEW_INIT                                                                 \
  {                                                                                               \
    (uint32_t)sizeof(muster_forecast_view), 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL, NULL, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0                                               \
  }

/* Forecasts each job of a pool's trace that waits when it is submitted, from what is known then.
 * `policy` is fcfs, easy or conservative with options. `options` and `stop` may be NULL. Fails with
 * MUSTER_E_INVALID_ARGUMENT where the trace, the policy or an option breaks a rule, and with
 * MUSTER_E_CANCELLED once `stop` is set. Cost: that of options->futures replays from each
 * submission to the start of its job. */
MUSTER_API muster_status muster_forecast_trace(const muster_pool_trace* trace, const char* policy,
                                               const muster_forecast_options* options,
                                               const muster_stop* stop, muster_forecast** out,
                                               muster_error* error);

/* Forecasts each job of the cluster that waits, under a profile. The rows do not change. Run times
 * and submissions are those of `history`, jobs of a pool on the clock of options->now; NULL: run
 * times are anything up to the estimates. The rest is as above. Cost: that of options->futures
 * clones, and of their cycles. */
MUSTER_API muster_status muster_forecast_cluster(muster_cluster* cluster, const char* profile,
                                                 const muster_pool_trace* history,
                                                 const muster_forecast_options* options,
                                                 const muster_stop* stop, muster_forecast** out,
                                                 muster_error* error);

/* Fills *view. Its pointers live as long as the forecast. */
MUSTER_API muster_status muster_forecast_get_view(const muster_forecast* forecast,
                                                  muster_forecast_view* view, muster_error* error);
/* Frees the forecast. NULL is permitted. */
MUSTER_API void muster_forecast_free(muster_forecast* forecast);

/* ---- episodes -------------------------------------------------------------------------------- */

/* Several episodes side by side. An episode is a replay of some consecutive jobs in which each
 * decision is an action of the caller. A learning agent plays them. docs/capi.md defines the
 * numbers of an observation. */
typedef struct muster_episodes muster_episodes;

/* What an action means. On a pool (on_nodes is 0) action i starts the i-th oldest waiting job. On
 * nodes (on_nodes is 1) it places the next task of the first waiting job on node i. The action
 * `choices` of the view waits for the next submission or end. */
typedef struct muster_episodes_options {
  uint32_t struct_size;
  int32_t on_nodes; /* 0 or 1 */
  int64_t jobs;     /* of an episode; 0: 256 */
  int64_t places;   /* waiting jobs that are shown, on a pool; 0: 16 */
} muster_episodes_options;
#define MUSTER_EPISODES_OPTIONS_INIT \
  { (uint32_t)sizeof(muster_episodes_options), 0, 0, 0 }

/* Sizes of observations and actions. */
typedef struct muster_episodes_view {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t count;            /* of episodes */
  int64_t jobs;             /* of each episode */
  int64_t rows;             /* jobs of the trace that fit the empty machine, by submission */
  int64_t choices;          /* actions besides waiting */
  int64_t places;           /* waiting jobs that are shown */
  int64_t job_features;     /* numbers for each of them */
  int64_t machines;         /* 1 for the pool, or the number of nodes */
  int64_t machine_features; /* numbers for each of them */
} muster_episodes_view;
#define MUSTER_EPISODES_VIEW_INIT \
  { (uint32_t)sizeof(muster_episodes_view), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Makes `count` episodes, 1 to 2^20, each at row 0. `nodes` and `tasks` are as above, and NULL on a
 * pool. `options` may be NULL. Fails with MUSTER_E_INVALID_ARGUMENT where the machine is of the
 * other kind, and where fewer rows than options->jobs fit it empty. */
MUSTER_API muster_status muster_episodes_new(const muster_pool_trace* trace,
                                             const muster_table* nodes, const muster_table* tasks,
                                             const muster_episodes_options* options, int64_t count,
                                             muster_episodes** out, muster_error* error);

/* Frees the episodes. NULL is permitted. */
MUSTER_API void muster_episodes_free(muster_episodes* episodes);

/* Fills *view. */
MUSTER_API muster_status muster_episodes_get_view(const muster_episodes* episodes,
                                                  muster_episodes_view* view, muster_error* error);

/* Begins one episode anew with the jobs from row `first`, which is 0 to rows - jobs. Fails with
 * MUSTER_E_OUT_OF_RANGE for other rows and episodes. */
MUSTER_API muster_status muster_episodes_reset(muster_episodes* episodes, int64_t episode,
                                               int64_t first, muster_error* error);

/* Makes one step of each episode that is not over.
 *   rewards  minus the growth of the jobs' slowdowns over the number of jobs: those of an episode
 *            add up to minus its mean slowdown. 0 where the episode was over
 *   over     1 where all jobs of the episode have started
 *   allowed  0 where the mask forbade the action; may be NULL. The episode then waited, or took the
 *            first allowed action where there was nothing left to wait for
 * Fails with MUSTER_E_OUT_OF_RANGE, without a step, where an action is not in 0 .. choices. Cost:
 * on a pool O(waiting jobs) an episode, on nodes O(resources * tasks of the job). */
MUSTER_API muster_status muster_episodes_act(muster_episodes* episodes,
                                             const int64_t* actions /* [count] */,
                                             double* rewards /* [count] */,
                                             uint8_t* over /* [count] */,
                                             uint8_t* allowed /* [count] */, muster_error* error);

/* Writes the observation of every episode. Each output may be NULL. The mask has 1 for an action
 * that is allowed, else 0. Cost: O(numbers written). */
MUSTER_API muster_status muster_episodes_look(
    const muster_episodes* episodes, float* jobs /* [count * places * job_features] */,
    float* machines /* [count * machines * machine_features] */,
    int8_t* mask /* [count * (choices + 1)] */, muster_error* error);

/* Writes when each job of one episode started; MUSTER_ABSENT where it has not. */
MUSTER_API muster_status muster_episodes_starts(const muster_episodes* episodes, int64_t episode,
                                                int64_t* out /* [jobs] */, muster_error* error);

#ifdef __cplusplus
}
#endif

#endif /* MUSTER_C_EXPERIMENTAL_H_ */
