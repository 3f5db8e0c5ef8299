// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Every handle and pointer NULL, and sizes and kinds that are none: refused in words, and nothing
// has changed.
#include <iterator>

#include "tests/capi/capi_support.h"
#include "tests/capi/fault_world.h"

namespace muster {
namespace {

TEST(Nulls, Anywhere) {
  muster_error error = MUSTER_ERROR_INIT;
  FaultWorld w;
  muster_cluster* c = w.cluster.get();
  Held<muster_plan> plan;
  Held<muster_text> text;
  Held<muster_episodes> episodes;
  Held<muster_outlook> outlook;
  Held<muster_policies> policies;
  const char* profiles[] = {nullptr};
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
  muster_costs_view costs = MUSTER_COSTS_VIEW_INIT;
  int32_t index;
  const int32_t some[] = {0};
  char digest[33];
  const muster_status calls[] = {
      muster_catalogue(nullptr, &error),
      muster_table_new(MUSTER_KIND_TASKS, 0, nullptr, nullptr, &error),
      muster_table_reset(nullptr, 1, &error),
      muster_table_set_numbers(nullptr, "x", nullptr, 0, &error),
      muster_table_set_texts(nullptr, "x", nullptr, 0, nullptr, 0, &error),
      muster_table_set_codes(nullptr, "x", nullptr, 0, nullptr, 0, nullptr, 0, &error),
      muster_table_set_strings(nullptr, "x", nullptr, 0, &error),
      muster_table_set_defaults(nullptr, "{}", 2, &error),
      muster_table_set_defaults(w.tasks.get(), nullptr, 2, &error),
      muster_table_set_defaults(w.tasks.get(), "{}", -2, &error),
      muster_cluster_new(nullptr, nullptr, &error),
      muster_cluster_put(nullptr, MUSTER_PUT_ADD, w.tasks.get(), &error),
      muster_cluster_put(c, MUSTER_PUT_ADD, nullptr, &error),
      muster_cluster_put(c, 9, w.tasks.get(), &error),
      muster_cluster_add_json(nullptr, "{}", 2, &error),
      muster_cluster_add_json(c, nullptr, 2, &error),
      muster_cluster_add_json(c, "", 0, &error),
      muster_cluster_remove(nullptr, MUSTER_KIND_NODES, "x", 1, &error),
      muster_cluster_remove(c, MUSTER_KIND_NODES, nullptr, 1, &error),
      muster_cluster_remove(c, MUSTER_KIND_DIMENSIONS, "x", 1, &error),
      muster_cluster_set_tasks(nullptr, 0, nullptr, nullptr, nullptr, &error),
      muster_cluster_set_tasks(c, 1, nullptr, some, nullptr, &error),
      muster_cluster_set_tasks(c, 1, some, nullptr, nullptr, &error),
      muster_cluster_set_tasks(c, -1, some, some, nullptr, &error),
      muster_cluster_set_task(nullptr, "x", 1, 0, nullptr, 0, &error),
      muster_cluster_set_task(c, nullptr, 1, 0, nullptr, 0, &error),
      muster_cluster_set_task(c, "fits-0", 6, -1, nullptr, 0, &error),
      muster_cluster_make_tasks(nullptr, "x", 1, "", 0, 1, &error),
      muster_cluster_make_tasks(c, nullptr, 1, "", 0, 1, &error),
      muster_cluster_make_tasks(c, "x", 1, nullptr, 1, 1, &error),
      muster_cluster_report_bind_failed(nullptr, "x", 1, &error),
      muster_cluster_report_bind_failed(c, nullptr, 1, &error),
      muster_cluster_report_evict_failed(nullptr, "x", 1, &error),
      muster_cluster_report_evict_failed(c, nullptr, 1, &error),
      muster_cluster_waiting_events(nullptr, Out(text), &error),
      muster_cluster_waiting_events(c, nullptr, &error),
      muster_cluster_apply_deltas(nullptr, w.tasks.get(), nullptr, nullptr, nullptr, &error),
      muster_cluster_apply_deltas(c, nullptr, nullptr, nullptr, nullptr, &error),
      muster_cluster_apply_deltas(c, w.tasks.get(), nullptr, nullptr, nullptr, &error),
      muster_cluster_take_deltas(nullptr, w.tasks.get(), nullptr, nullptr, nullptr, &error),
      muster_cluster_take_deltas(c, nullptr, nullptr, nullptr, nullptr, &error),
      muster_cluster_take_deltas(c, w.tasks.get(), nullptr, nullptr, nullptr, &error),
      muster_cluster_refused_events(nullptr, Out(text), &error),
      muster_cluster_refused_events(c, nullptr, &error),
      muster_cluster_apply_removal(nullptr, MUSTER_KIND_TASKS, "x", 1, 1, nullptr, &error),
      muster_cluster_apply_removal(c, MUSTER_KIND_TASKS, nullptr, 1, 1, nullptr, &error),
      muster_cluster_apply_removal(c, MUSTER_KIND_DIMENSIONS, "x", 1, 1, nullptr, &error),
      muster_cluster_assumptions(nullptr, Out(text), &error),
      muster_cluster_assumptions(c, nullptr, &error),
      muster_cluster_expire_assumptions(nullptr, 0, 0, 0, nullptr, &error),
      muster_cluster_expire_assumptions(c, 0, -1, 0, nullptr, &error),
      muster_cluster_expire_assumptions(c, 0, 0, -1, nullptr, &error),
      muster_cluster_reconcile(nullptr, nullptr, 0, nullptr, &error),
      muster_cluster_reconcile(c, nullptr, 1, nullptr, &error),
      muster_cluster_reconcile(c, nullptr, -1, nullptr, &error),
      muster_cluster_find(nullptr, MUSTER_KIND_TASKS, "x", 1, &index, &error),
      muster_cluster_find(c, MUSTER_KIND_TASKS, nullptr, 1, &index, &error),
      muster_cluster_find(c, MUSTER_KIND_TASKS, "fits-0", 6, nullptr, &error),
      muster_cluster_find(c, 77, "fits-0", 6, &index, &error),
      muster_cluster_write_scenario(nullptr, nullptr, Out(text), &error),
      muster_cluster_write_scenario(c, nullptr, nullptr, &error),
      muster_cluster_read_scenario(nullptr, "{}", 2, nullptr, &error),
      muster_cluster_read_scenario(c, nullptr, 2, nullptr, &error),
      muster_cluster_schedule(nullptr, "muster", nullptr, Out(plan), &error),
      muster_cluster_schedule(c, nullptr, nullptr, Out(plan), &error),
      muster_cluster_schedule(c, "muster", nullptr, nullptr, &error),
      muster_cluster_schedule(c, "", nullptr, Out(plan), &error),
      muster_cluster_apply(nullptr, w.plan.get(), nullptr, nullptr, &error),
      muster_cluster_apply(c, nullptr, nullptr, nullptr, &error),
      muster_cluster_freeze(nullptr, nullptr, &error),
      muster_cluster_freeze(c, nullptr, &error),
      muster_stop_new(nullptr, &error),
      muster_threads_new(2, nullptr, &error),
      muster_cluster_set_executor(nullptr, muster_threads_run, 0, 2, &error),
      muster_snapshot_schedule(nullptr, "muster", nullptr, Out(plan), &error),
      muster_snapshot_schedule(w.snapshot.get(), nullptr, nullptr, Out(plan), &error),
      muster_snapshot_schedule(w.snapshot.get(), "muster", nullptr, nullptr, &error),
      muster_snapshot_find(nullptr, MUSTER_KIND_TASKS, "x", 1, &index, &error),
      muster_snapshot_find(w.snapshot.get(), MUSTER_KIND_TASKS, nullptr, 1, &index, &error),
      muster_snapshot_find(w.snapshot.get(), MUSTER_KIND_TASKS, "fits-0", 6, nullptr, &error),
      muster_plan_get_view(nullptr, &view, &error),
      muster_plan_get_view(w.plan.get(), nullptr, &error),
      muster_plan_get_costs(nullptr, &costs, &error),
      muster_plan_digest(nullptr, digest, &error),
      muster_plan_digest(w.plan.get(), nullptr, &error),
      muster_plan_explain(nullptr, "x", 1, Out(text), &error),
      muster_plan_explain(w.plan.get(), nullptr, 1, Out(text), &error),
      muster_plan_explain(w.plan.get(), "x", 1, nullptr, &error),
      muster_plan_to_text(nullptr, Out(text), &error),
      muster_plan_to_text(w.plan.get(), nullptr, &error),
      muster_plan_to_json(nullptr, Out(text), &error),
      muster_plan_to_json(w.plan.get(), nullptr, &error),
      muster_plan_memory(nullptr, Out(text), &error),
      muster_plan_memory(w.plan.get(), nullptr, &error),
      muster_cluster_memory(nullptr, Out(text), &error),
      muster_cluster_memory(c, nullptr, &error),
      muster_cluster_set_limits(nullptr, nullptr, &error),
      muster_cluster_set_memory(nullptr, "{}", 2, &error),
      muster_cluster_set_memory(c, nullptr, 2, &error),
      muster_cluster_set_memory(c, "{}", 2, &error),
      muster_cycle_get_numbers(nullptr, MUSTER_KIND_TASKS, "priority", nullptr, 0, nullptr, &error),
      muster_cycle_row(nullptr, MUSTER_KIND_NODES, 0, Out(text), &error),
      muster_cycle_match_nodes(nullptr, 0, 0, nullptr, 0, nullptr, &error),
      muster_policies_new(nullptr, 1, nullptr, &error),
      muster_policies_new(nullptr, -1, nullptr, &error),
      muster_extensions_new(nullptr, 0, nullptr, 1, nullptr, &error),
      muster_extensions_new(nullptr, 1, nullptr, 0, Out(policies), &error),
      muster_extensions_new(nullptr, 0, nullptr, 1, Out(policies), &error),
      muster_extensions_new(nullptr, 0, nullptr, -1, Out(policies), &error),
      muster_replay_pool(nullptr, "easy", nullptr, nullptr, &error),
      muster_replay_get_view(nullptr, nullptr, &error),
      muster_replay_nodes(nullptr, nullptr, nullptr, "easy", nullptr, nullptr, &error),
      muster_forecast_trace(nullptr, "easy", nullptr, nullptr, nullptr, &error),
      muster_forecast_cluster(nullptr, "easy", nullptr, nullptr, nullptr, nullptr, &error),
      muster_forecast_get_view(nullptr, nullptr, &error),
      muster_episodes_new(nullptr, nullptr, nullptr, nullptr, 1, nullptr, &error),
      muster_episodes_new(nullptr, nullptr, nullptr, nullptr, 1, Out(episodes), &error),
      muster_episodes_get_view(nullptr, nullptr, &error),
      muster_episodes_reset(nullptr, 0, 0, &error),
      muster_episodes_act(nullptr, nullptr, nullptr, nullptr, nullptr, &error),
      muster_episodes_look(nullptr, nullptr, nullptr, nullptr, &error),
      muster_episodes_starts(nullptr, 0, nullptr, &error),
      muster_snapshot_schedule_all(nullptr, nullptr, nullptr, 0, nullptr, 0, nullptr, &error),
      muster_snapshot_schedule_all(w.snapshot.get(), nullptr, nullptr, 1, nullptr, 0, nullptr,
                                   &error),
      muster_snapshot_schedule_all(w.snapshot.get(), profiles, nullptr, 1, nullptr, 0, nullptr,
                                   &error),
      muster_snapshot_schedule_all(w.snapshot.get(), profiles, nullptr, -1, nullptr, 0, nullptr,
                                   &error),
      muster_snapshot_what_if(nullptr, "muster", kChanges, -1, Out(outlook), &error),
      muster_snapshot_what_if(w.snapshot.get(), nullptr, kChanges, -1, Out(outlook), &error),
      muster_snapshot_what_if(w.snapshot.get(), "muster", nullptr, -1, Out(outlook), &error),
      muster_snapshot_what_if(w.snapshot.get(), "muster", kChanges, -2, Out(outlook), &error),
      muster_snapshot_what_if(w.snapshot.get(), "muster", kChanges, -1, nullptr, &error),
      muster_cluster_advise(nullptr, "muster", kQuestion, -1, 0, Out(text), &error),
      muster_cluster_advise(c, nullptr, kQuestion, -1, 0, Out(text), &error),
      muster_cluster_advise(c, "muster", nullptr, -1, 0, Out(text), &error),
      muster_cluster_advise(c, "muster", kQuestion, -2, 0, Out(text), &error),
      muster_cluster_advise(c, "muster", kQuestion, -1, 0, nullptr, &error),
      muster_cluster_advise_with(nullptr, "muster", kQuestion, -1, nullptr, Out(text), &error),
      muster_cluster_advise_with(c, nullptr, kQuestion, -1, nullptr, Out(text), &error),
      muster_cluster_advise_with(c, "muster", nullptr, -1, nullptr, Out(text), &error),
      muster_cluster_advise_with(c, "muster", kQuestion, -1, nullptr, nullptr, &error),
      muster_cluster_what_if(nullptr, "muster", kChanges, -1, Out(outlook), &error),
      muster_cluster_what_if(c, nullptr, kChanges, -1, Out(outlook), &error),
      muster_cluster_what_if(c, "muster", nullptr, -1, Out(outlook), &error),
      muster_cluster_what_if(c, "muster", kChanges, -1, nullptr, &error),
      muster_outlook_get_view(nullptr, nullptr, &error),
      muster_import(nullptr, 3, nullptr, Out(text), nullptr, &error),
      muster_import("[]", -2, nullptr, Out(text), nullptr, &error),
      muster_import("[]", 2, nullptr, nullptr, nullptr, &error),
      muster_state_save(nullptr, Out(text), &error),
      muster_state_save(c, nullptr, &error),
      muster_state_load(nullptr, "", 0, &error),
      muster_state_load(c, nullptr, 0, &error),
      muster_state_load(c, "muster state 1\n", MUSTER_TO_NUL, &error),
  };
  for (size_t i = 0; i < std::size(calls); ++i) EXPECT_EQ(calls[i], MUSTER_E_INVALID_ARGUMENT) << i;
  EXPECT_EQ(ScenarioOf(c), w.scenario);

  EXPECT_EQ(muster_text_size(nullptr), 0);
  EXPECT_STREQ(muster_text_data(nullptr), "");
  EXPECT_EQ(muster_plan_name(nullptr, MUSTER_KIND_TASKS, 0, nullptr), nullptr);
  EXPECT_EQ(muster_plan_name(w.plan.get(), MUSTER_KIND_TASKS, -1, nullptr), nullptr);
  EXPECT_EQ(muster_plan_name(w.plan.get(), 77, 0, nullptr), nullptr);
  EXPECT_EQ(muster_snapshot_name(nullptr, MUSTER_KIND_TASKS, 0, nullptr), nullptr);
  EXPECT_EQ(muster_snapshot_count(nullptr, MUSTER_KIND_TASKS), 0);
  EXPECT_EQ(muster_snapshot_version(nullptr), 0u);
  EXPECT_EQ(muster_cluster_version(nullptr), 0u);
  EXPECT_EQ(muster_cluster_layout(nullptr), 0u);
  EXPECT_EQ(muster_outlook_name(nullptr, MUSTER_KIND_QUEUES, 0, nullptr), nullptr);
  EXPECT_EQ(muster_cycle_now(nullptr), 0);
  EXPECT_EQ(muster_cycle_count(nullptr, MUSTER_KIND_TASKS), 0);
  EXPECT_EQ(muster_cycle_name(nullptr, MUSTER_KIND_TASKS, 0, nullptr), nullptr);
  EXPECT_EQ(muster_cycle_label(nullptr, MUSTER_KIND_TASKS, 0, "x", nullptr), nullptr);
  EXPECT_EQ(muster_workbench_cycle(nullptr), nullptr);
  EXPECT_EQ(muster_workbench_waiting(nullptr, nullptr), nullptr);
  EXPECT_EQ(muster_workbench_pending_tasks(nullptr, 0, nullptr), nullptr);
  EXPECT_EQ(muster_workbench_tasks_on(nullptr, 0, nullptr), nullptr);
  EXPECT_EQ(muster_workbench_queue_before(nullptr, 0, 1), 0);
  EXPECT_EQ(muster_workbench_job_before(nullptr, 0, 1), 0);
  EXPECT_EQ(muster_workbench_task_before(nullptr, 0, 1), 0);
  EXPECT_EQ(muster_workbench_may_take_turn(nullptr, 0), 0);
  EXPECT_EQ(muster_workbench_allocatable(nullptr, 0), 0);
  EXPECT_EQ(muster_workbench_valid(nullptr, 0), 0);
  EXPECT_EQ(muster_workbench_ready(nullptr, 0), 0);
  EXPECT_EQ(muster_workbench_pipelined(nullptr, 0), 0);
  EXPECT_EQ(muster_workbench_starving(nullptr, 0), 0);
  EXPECT_EQ(muster_workbench_preemptable(nullptr, 0, nullptr, 0, nullptr), 0);
  EXPECT_EQ(muster_workbench_reclaimable(nullptr, 0, nullptr, 0, nullptr), 0);
  EXPECT_EQ(muster_workbench_fits(nullptr, 0, 0), 0);
  EXPECT_EQ(muster_workbench_save(nullptr), -1);
  muster_workbench_commit(nullptr, 0);
  muster_workbench_rollback(nullptr, 0);
  muster_workbench_admit(nullptr, 0);
  EXPECT_EQ(muster_workbench_place(nullptr, 0), MUSTER_NONE);
  EXPECT_EQ(muster_workbench_nominate(nullptr, 0), MUSTER_NONE);
  EXPECT_EQ(muster_workbench_reserve(nullptr, 0, 0, nullptr), MUSTER_NONE);
  EXPECT_EQ(muster_workbench_place_on(nullptr, 0, 0), 0);
  EXPECT_EQ(muster_workbench_evict(nullptr, 0, 0), 0);
  EXPECT_EQ(muster_workbench_move_to(nullptr, 0, 0, 0), 0);
  EXPECT_EQ(muster_workbench_return(nullptr, 0), 0);
  muster_workbench_explain_no_node(nullptr, 0);
  EXPECT_EQ(muster_workbench_should_stop(nullptr), 1);
  muster_stop_set(nullptr, 1);
  muster_text_free(nullptr);
  muster_table_free(nullptr);
  muster_cluster_free(nullptr);
  muster_snapshot_free(nullptr);
  muster_plan_free(nullptr);
  muster_policies_free(nullptr);
  muster_stop_free(nullptr);
  muster_threads_free(nullptr);
  muster_replay_free(nullptr);
  muster_forecast_free(nullptr);
  muster_episodes_free(nullptr);
  muster_outlook_free(nullptr);
  EXPECT_EQ(muster_has_feature(nullptr), 0);
  EXPECT_EQ(muster_policy_revision(nullptr), 0);
}

// A freed handle is not detected by the library, and is by AddressSanitizer in every call.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
TEST(FreedHandlesDeathTest, AreSeenByAddressSanitizer) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_cluster* cluster = nullptr;
  ASSERT_OK_C(muster_cluster_new(nullptr, &cluster, &error));
  muster_cluster_free(cluster);
  muster_plan* plan = nullptr;
  EXPECT_DEATH(muster_cluster_schedule(cluster, "muster", nullptr, &plan, &error),
               "heap-use-after-free");
  EXPECT_DEATH(muster_cluster_free(cluster), "AddressSanitizer");
}
#endif
#endif

}  // namespace
}  // namespace muster
