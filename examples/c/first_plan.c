/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * Builds a cluster from columns, schedules it, prints the plan:
 *   cc first_plan.c $(pkg-config --cflags --libs muster-c) && ./a.out
 */
#include <muster/c.h>
#include <stdio.h>

#define NODES 3
#define JOBS 2

int main(void) {
  static const char* const node_names[NODES] = {"n0", "n1", "n2"};
  static const int64_t cpu[NODES] = {8000, 8000, 4000}; /* thousandths */
  static const int64_t memory[NODES] = {(int64_t)32 << 30, (int64_t)32 << 30, (int64_t)16 << 30};
  static const char* const job_names[JOBS] = {"train", "huge"};
  static const int64_t count[JOBS] = {4, 3}, needed[JOBS] = {4, 3}, request[JOBS] = {4000, 6000};

  muster_error error = MUSTER_ERROR_INIT;
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
  muster_cluster* cluster = NULL;
  muster_table *nodes = NULL, *jobs = NULL;
  muster_plan* plan = NULL;
  muster_text* why = NULL;
  int64_t i;
  int code = 1;

  if (muster_cluster_new(NULL, &cluster, &error) ||
      muster_table_new(MUSTER_KIND_NODES, NODES, NULL, &nodes, &error) ||
      muster_table_set_strings(nodes, "name", node_names, NODES, &error) ||
      muster_table_set_numbers(nodes, "capacity.cpu", cpu, NODES, &error) ||
      muster_table_set_numbers(nodes, "capacity.memory", memory, NODES, &error) ||
      muster_cluster_put(cluster, MUSTER_PUT_ADD, nodes, &error) ||
      muster_table_new(MUSTER_KIND_JOBS, JOBS, NULL, &jobs, &error) ||
      muster_table_set_strings(jobs, "name", job_names, JOBS, &error) ||
      muster_table_set_numbers(jobs, "min_available", needed, JOBS, &error) ||
      muster_table_set_numbers(jobs, "group.count", count, JOBS, &error) ||
      muster_table_set_numbers(jobs, "group.shape.request.cpu", request, JOBS, &error) ||
      muster_cluster_put(cluster, MUSTER_PUT_ADD, jobs, &error) ||
      muster_cluster_schedule(cluster, "volcano", NULL, &plan, &error) ||
      muster_plan_get_view(plan, &view, &error) ||
      muster_plan_explain(plan, "huge", MUSTER_TO_NUL, &why, &error)) {
    fprintf(stderr, "first_plan: %s\n", error.message);
  } else {
    for (i = 0; i < view.decision_count; ++i) {
      if (view.decision_kind[i] != MUSTER_DECISION_BIND) continue;
      printf("start %s on %s\n",
             muster_plan_name(plan, MUSTER_KIND_TASKS, view.decision_task[i], NULL),
             muster_plan_name(plan, MUSTER_KIND_NODES, view.decision_node[i], NULL));
    }
    fputs(muster_text_data(why), stdout);
    code = 0;
  }
  muster_text_free(why);
  muster_plan_free(plan);
  muster_table_free(jobs);
  muster_table_free(nodes);
  muster_cluster_free(cluster);
  return code;
}
