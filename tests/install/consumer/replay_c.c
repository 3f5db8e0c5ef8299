/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
#include <muster/c_experimental.h>
#include <stdio.h>

/* Two jobs of the whole pool, one after the other; and a call of muster/c.h. */
int main(void) {
  const int64_t submit[] = {0, 0}, run[] = {60, 10}, tasks[] = {4, 4};
  muster_error error = MUSTER_ERROR_INIT;
  muster_pool_trace trace = MUSTER_POOL_TRACE_INIT;
  muster_replay* replay = NULL;
  muster_replay_view view = MUSTER_REPLAY_VIEW_INIT;
  muster_cluster* cluster = NULL;
  trace.processors = 4;
  trace.count = 2;
  trace.submit = submit;
  trace.run = run;
  trace.tasks = tasks;
  if (muster_cluster_new(NULL, &cluster, &error) ||
      muster_replay_pool(&trace, "easy", NULL, &replay, &error) ||
      muster_replay_get_view(replay, &view, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  printf("%s %d\n", muster_version_string(), (int)view.start[1]);
  muster_replay_free(replay);
  muster_cluster_free(cluster);
  return 0;
}
