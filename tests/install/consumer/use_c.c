/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
#include <muster/c.h>
#include <stdio.h>

int main(void) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_cluster* cluster = NULL;
  muster_plan* plan = NULL;
  char digest[33] = "";
  if (muster_cluster_new(NULL, &cluster, &error) ||
      muster_cluster_add_json(
          cluster,
          "{\"muster\": 1, \"nodes\": [{\"name\": \"n\", \"capacity\": {\"cpu\": 4}}],"
          " \"jobs\": [{\"name\": \"j\", \"groups\": [{\"count\": 2}]}]}",
          MUSTER_TO_NUL, &error) ||
      muster_cluster_schedule(cluster, "muster", NULL, &plan, &error) ||
      muster_plan_digest(plan, digest, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  printf("%s %s\n", muster_version_string(), digest);
  muster_plan_free(plan);
  muster_cluster_free(cluster);
  return 0;
}
