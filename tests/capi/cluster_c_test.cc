// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Clusters, cycles and plans through the C interface, against the same through C++.
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "lib/scenario/scenario.h"
#include "muster/muster.h"
#include "tests/capi/capi_support.h"

namespace muster {
namespace {

Cluster SmallInCpp() {
  Cluster cluster;
  const auto scenario = ParseScenario(kSmall);
  EXPECT_TRUE(scenario.ok());
  // As add_json does: rows are added to what is there.
  for (const NodeSpec& row : scenario->cluster.nodes) EXPECT_TRUE(cluster.AddNode(row).ok());
  for (const QueueSpec& row : scenario->cluster.queues) EXPECT_TRUE(cluster.AddQueue(row).ok());
  for (const JobSpec& row : scenario->cluster.jobs) EXPECT_TRUE(cluster.AddJob(row).ok());
  return cluster;
}

class CApi : public ::testing::Test {
 protected:
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> cluster = SmallCluster();

  Held<muster_plan> Schedule(const char* profile,
                             const muster_schedule_options* options = nullptr) {
    Held<muster_plan> plan;
    EXPECT_OK_C(muster_cluster_schedule(cluster.get(), profile, options, Out(plan), &error));
    return plan;
  }
};

TEST_F(CApi, VersionAndFeatures) {
  EXPECT_STREQ(muster_version_string(), "0.2.0");
  EXPECT_EQ(muster_version_number(), MUSTER_C_VERSION);
  EXPECT_EQ(muster_abi_version(), 1);
  EXPECT_EQ(muster_has_feature("deltas"), 1);
  EXPECT_EQ(muster_has_feature("teleport"), 0);
  EXPECT_EQ(muster_has_feature(nullptr), 0);
  EXPECT_STREQ(muster_status_name(MUSTER_E_USER), "USER");
  EXPECT_STREQ(muster_status_name(17), "UNKNOWN");
  Held<muster_text> catalogue;
  ASSERT_OK_C(muster_catalogue(Out(catalogue), &error));
  EXPECT_NE(Words(catalogue).find("\"name\": \"volcano\""), std::string::npos);
}

TEST_F(CApi, PlansAreThoseOfCpp) {
  Cluster same = SmallInCpp();
  for (const char* profile : {"muster", "volcano", "kube-batch", "volcano:+preempt,+reclaim"}) {
    const auto plan = same.Schedule(profile);
    ASSERT_TRUE(plan.ok());
    const Held<muster_plan> mine = Schedule(profile);
    ASSERT_NE(mine, nullptr);
    EXPECT_EQ(DigestOf(mine.get()), plan->Digest()) << profile;

    muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
    ASSERT_OK_C(muster_plan_get_view(mine.get(), &view, &error));
    ASSERT_EQ(view.decision_count, static_cast<int64_t>(plan->decisions().size()));
    for (int64_t i = 0; i < view.decision_count; ++i) {
      const Decision& d = plan->decisions()[static_cast<size_t>(i)];
      EXPECT_EQ(view.decision_kind[i], static_cast<int32_t>(d.kind));
      EXPECT_EQ(static_cast<uint32_t>(view.decision_task[i]), d.task);
      EXPECT_EQ(static_cast<uint32_t>(view.decision_node[i]), d.node);
      EXPECT_EQ(static_cast<uint32_t>(view.decision_job[i]), d.job);
      EXPECT_EQ(static_cast<uint32_t>(view.decision_beneficiary[i]), d.beneficiary);
      EXPECT_EQ(view.decision_phase[i], static_cast<int32_t>(d.phase));
      if (d.task != kNone) {
        int64_t size = 0;
        const char* name =
            muster_plan_name(mine.get(), MUSTER_KIND_TASKS, view.decision_task[i], &size);
        EXPECT_EQ(std::string_view(name, static_cast<size_t>(size)), plan->task_name(d.task));
        EXPECT_EQ(name[size], '\0');
      }
    }
    ASSERT_EQ(view.pending_count, static_cast<int64_t>(plan->pending().size()));
    ASSERT_EQ(view.reason_count, static_cast<int64_t>(plan->reasons().size()));
    int64_t refusal = 0, policy_bytes = 0;
    for (int64_t r = 0; r < view.reason_count; ++r) {
      const Reason& reason = plan->reasons()[static_cast<size_t>(r)];
      EXPECT_EQ(view.reason_kind[r], static_cast<int32_t>(reason.kind));
      EXPECT_EQ(view.reason_placed[r], reason.placed);
      EXPECT_EQ(view.reason_needed[r], reason.needed);
      EXPECT_EQ(view.reason_refusals[r], refusal);
      EXPECT_EQ(view.reason_policy_offsets[r], policy_bytes);
      policy_bytes += static_cast<int64_t>(reason.policy.size());
      for (const Refusal& one : reason.refusals) {
        EXPECT_EQ(view.refusal_code[refusal], static_cast<int32_t>(one.code));
        EXPECT_EQ(view.refusal_nodes[refusal], one.nodes);
        EXPECT_EQ(std::string_view(view.refusal_details + view.refusal_detail_offsets[refusal],
                                   one.detail.size()),
                  one.detail);
        ++refusal;
      }
    }
    EXPECT_EQ(view.refusal_count, refusal);
    ASSERT_EQ(view.share_count, static_cast<int64_t>(plan->shares().size()));
    for (int64_t s = 0; s < view.share_count; ++s) {
      const QueueShare& share = plan->shares()[static_cast<size_t>(s)];
      EXPECT_EQ(view.share_before[s], share.share_before);
      EXPECT_EQ(view.share_after[s], share.share_after);
      for (int32_t d = 0; d < view.dimensions; ++d) {
        const int64_t cell = s * view.dimensions + d;
        EXPECT_EQ(view.share_allocated_after[cell], share.allocated_after[static_cast<size_t>(d)]);
        EXPECT_EQ(view.share_deserved[cell],
                  share.deserved.empty() ? -1 : share.deserved[static_cast<size_t>(d)]);
      }
    }
    EXPECT_EQ(view.work, plan->work());
    EXPECT_EQ(view.complete, 1);
    Held<muster_text> words;
    ASSERT_OK_C(muster_plan_explain(mine.get(), "large", MUSTER_TO_NUL, Out(words), &error));
    EXPECT_EQ(Words(words), *plan->Explain("large"));
    ASSERT_OK_C(muster_plan_to_text(mine.get(), Out(words), &error));
    EXPECT_EQ(Words(words), plan->ToText());
    ASSERT_OK_C(muster_plan_to_json(mine.get(), Out(words), &error));
    EXPECT_EQ(Words(words), plan->ToJson());
  }
}

TEST_F(CApi, TheWorldFollowsThePlan) {
  Held<muster_plan> plan = Schedule("muster");
  int64_t applied = 0;
  Held<muster_text> refused;
  ASSERT_OK_C(muster_cluster_apply(cluster.get(), plan.get(), &applied, Out(refused), &error));
  EXPECT_GE(applied, 3);
  EXPECT_EQ(Words(refused), "");
  // A second time they are binding already.
  ASSERT_OK_C(muster_cluster_apply(cluster.get(), plan.get(), &applied, Out(refused), &error));
  EXPECT_NE(Words(refused).find("bind \"fits-0\""), std::string::npos) << Words(refused);

  int32_t tasks[3];
  const char* names[3] = {"fits-0", "fits-1", "fits-2"};
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK_C(muster_cluster_find(cluster.get(), MUSTER_KIND_TASKS, names[i], MUSTER_TO_NUL,
                                    &tasks[i], &error));
  }
  const int32_t statuses[3] = {MUSTER_TASK_RUNNING, MUSTER_TASK_RUNNING, MUSTER_TASK_SUCCEEDED};
  EXPECT_OK_C(muster_cluster_set_tasks(cluster.get(), 3, tasks, statuses, nullptr, &error));
  EXPECT_OK_C(muster_cluster_set_task(cluster.get(), "fits-1", MUSTER_TO_NUL, MUSTER_TASK_FAILED,
                                      nullptr, 0, &error));
  EXPECT_EQ(muster_cluster_report_bind_failed(cluster.get(), "fits-0", 6, &error),
            MUSTER_E_FAILED_PRECONDITION);
  EXPECT_EQ(Words(error), "task \"fits-0\": status is running; must be binding");

  // All or none.
  const uint64_t version = muster_cluster_version(cluster.get());
  const int32_t wrong[3] = {MUSTER_TASK_RUNNING, MUSTER_TASK_RUNNING, 77};
  EXPECT_EQ(muster_cluster_set_tasks(cluster.get(), 3, tasks, wrong, nullptr, &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "statuses[1]: status running needs a node");
  const int32_t twice[2] = {tasks[0], tasks[0]};
  const int32_t leaves[2] = {MUSTER_TASK_FAILED, MUSTER_TASK_RUNNING};
  EXPECT_EQ(muster_cluster_set_tasks(cluster.get(), 2, twice, leaves, nullptr, &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "statuses[1]: the task has left its node before, in this call");
  EXPECT_EQ(muster_cluster_version(cluster.get()), version);
}

TEST_F(CApi, AScenarioThatCouldNotBeReadIsNotWritten) {
  Held<muster_text> saved;
  EXPECT_EQ(muster_cluster_write_scenario(cluster.get(), "\xff", Out(saved), &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "profile: the text is not UTF-8");
  EXPECT_EQ(saved, nullptr);
}

TEST_F(CApi, AStandbyGoesOnWithEqualPlans) {
  Held<muster_plan> plan = Schedule("volcano");
  ASSERT_OK_C(muster_cluster_apply(cluster.get(), plan.get(), nullptr, nullptr, &error));
  Held<muster_text> saved, profile;
  ASSERT_OK_C(muster_cluster_write_scenario(cluster.get(), "volcano", Out(saved), &error));
  Held<muster_cluster> standby;
  ASSERT_OK_C(muster_cluster_new(nullptr, Out(standby), &error));
  ASSERT_OK_C(muster_cluster_read_scenario(standby.get(), muster_text_data(saved.get()),
                                           muster_text_size(saved.get()), Out(profile), &error));
  EXPECT_EQ(Words(profile), "volcano");
  for (int cycle = 0; cycle < 2; ++cycle) {
    const Held<muster_plan> mine = Schedule("volcano");
    Held<muster_plan> theirs;
    ASSERT_OK_C(muster_cluster_schedule(standby.get(), "volcano", nullptr, Out(theirs), &error));
    muster_plan_view a = MUSTER_PLAN_VIEW_INIT, b = MUSTER_PLAN_VIEW_INIT;
    ASSERT_OK_C(muster_plan_get_view(mine.get(), &a, &error));
    ASSERT_OK_C(muster_plan_get_view(theirs.get(), &b, &error));
    EXPECT_EQ(a.decision_count, b.decision_count);
    EXPECT_EQ(a.pending_count, b.pending_count);
    for (muster_cluster* one : {cluster.get(), standby.get()}) {
      ASSERT_OK_C(muster_cluster_set_task(one, "fits-0", MUSTER_TO_NUL,
                                          cycle == 0 ? MUSTER_TASK_RUNNING : MUSTER_TASK_SUCCEEDED,
                                          nullptr, 0, &error));
    }
  }
}

TEST_F(CApi, SnapshotsAreFrozenAndSharedByThreads) {
  Held<muster_snapshot> snapshot;
  ASSERT_OK_C(muster_cluster_freeze(cluster.get(), Out(snapshot), &error));
  ASSERT_OK_C(
      muster_cluster_remove(cluster.get(), MUSTER_KIND_JOBS, "fits", MUSTER_TO_NUL, &error));
  EXPECT_EQ(muster_snapshot_count(snapshot.get(), MUSTER_KIND_NODES), 4);
  EXPECT_EQ(muster_snapshot_count(snapshot.get(), MUSTER_KIND_TASKS), 8);
  EXPECT_EQ(muster_snapshot_count(snapshot.get(), 99), 0);
  int32_t index = 0;
  ASSERT_OK_C(muster_snapshot_find(snapshot.get(), MUSTER_KIND_TASKS, "fits-2", 6, &index, &error));
  int64_t size = 0;
  const char* name = muster_snapshot_name(snapshot.get(), MUSTER_KIND_TASKS, index, &size);
  EXPECT_EQ(std::string(name, static_cast<size_t>(size)), "fits-2");
  EXPECT_EQ(muster_snapshot_name(snapshot.get(), MUSTER_KIND_TASKS, 8, nullptr), nullptr);
  EXPECT_EQ(muster_snapshot_find(snapshot.get(), MUSTER_KIND_DIMENSIONS, "gpu", 3, &index, &error),
            MUSTER_E_NOT_FOUND);
  EXPECT_EQ(index, MUSTER_NONE);

  std::vector<std::string> digests(4);
  std::vector<std::thread> threads;
  for (std::string& digest : digests) {
    threads.emplace_back([&digest, &snapshot] {
      Held<muster_plan> plan;
      muster_error error = MUSTER_ERROR_INIT;
      EXPECT_OK_C(muster_snapshot_schedule(snapshot.get(), "volcano", nullptr, Out(plan), &error));
      digest = DigestOf(plan.get());
      EXPECT_EQ(muster_plan_name(plan.get(), MUSTER_KIND_TASKS, 8, nullptr), nullptr);
      EXPECT_STREQ(muster_plan_name(plan.get(), MUSTER_KIND_TASKS, 0, nullptr), "fits-0");
      EXPECT_EQ(muster_plan_name(plan.get(), MUSTER_KIND_QUEUES, 1 << 30, nullptr), nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto plan = muster::Schedule(SmallInCpp().Freeze(), "volcano");
  ASSERT_TRUE(plan.ok());
  for (const std::string& digest : digests) EXPECT_EQ(digest, plan->Digest());
}

TEST_F(CApi, EventsMayComeInAnyOrder) {
  const char* names[] = {"late-0", "late-1"};
  const char* jobs[] = {"late", "late"};
  Held<muster_table> tasks, listed;
  ASSERT_OK_C(muster_table_new(MUSTER_KIND_TASKS, 2, nullptr, Out(tasks), &error));
  ASSERT_OK_C(muster_table_set_strings(tasks.get(), "name", names, 2, &error));
  ASSERT_OK_C(muster_table_set_strings(tasks.get(), "job", jobs, 2, &error));
  const uint64_t generations[] = {5, 6};
  int32_t outcomes[2] = {-7, -7};
  int64_t done = 0;
  ASSERT_OK_C(muster_cluster_apply_deltas(cluster.get(), tasks.get(), generations, outcomes, &done,
                                          &error));
  EXPECT_EQ(outcomes[0], MUSTER_DELTA_WAITING);
  EXPECT_EQ(done, 2);
  ASSERT_OK_C(muster_table_new(MUSTER_KIND_JOBS, 1, nullptr, Out(listed), &error));
  ASSERT_OK_C(muster_table_set_strings(listed.get(), "name", jobs, 1, &error));
  ASSERT_OK_C(muster_cluster_apply_deltas(cluster.get(), listed.get(), generations, outcomes, &done,
                                          &error));
  EXPECT_EQ(outcomes[0], MUSTER_DELTA_APPLIED);
  int32_t index = 0;
  EXPECT_OK_C(muster_cluster_find(cluster.get(), MUSTER_KIND_TASKS, "late-1", 6, &index, &error));
  ASSERT_OK_C(muster_cluster_apply_removal(cluster.get(), MUSTER_KIND_TASKS, "late-1", 6, 6,
                                           outcomes, &error));
  EXPECT_EQ(outcomes[0], MUSTER_DELTA_STALE);
  ASSERT_OK_C(muster_cluster_apply_removal(cluster.get(), MUSTER_KIND_TASKS, "late-1", 6, 7,
                                           outcomes, &error));
  EXPECT_EQ(outcomes[0], MUSTER_DELTA_APPLIED);
}

TEST_F(CApi, OneBadEventStopsNothing) {
  const char* names[] = {"a", "b", "c", "d"};
  const char* amounts[] = {"1", "one", "1", "2"};
  const char* statuses[] = {"pending", "pending", "asleep", "pending"};
  Held<muster_table> tasks;
  ASSERT_OK_C(muster_table_new(MUSTER_KIND_TASKS, 4, nullptr, Out(tasks), &error));
  ASSERT_OK_C(muster_table_set_strings(tasks.get(), "name", names, 4, &error));
  ASSERT_OK_C(muster_table_set_strings(tasks.get(), "shape.request.cpu", amounts, 4, &error));
  ASSERT_OK_C(muster_table_set_strings(tasks.get(), "status", statuses, 4, &error));
  const uint64_t generations[] = {5, 5, 5, 5};
  int32_t outcomes[4] = {-7, -7, -7, -7};
  Held<muster_text> refusals;
  ASSERT_OK_C(muster_cluster_take_deltas(cluster.get(), tasks.get(), generations, outcomes,
                                         Out(refusals), &error));
  const std::vector<int32_t> expected = {MUSTER_DELTA_APPLIED, MUSTER_DELTA_REFUSED,
                                         MUSTER_DELTA_REFUSED, MUSTER_DELTA_APPLIED};
  EXPECT_EQ(std::vector<int32_t>(outcomes, outcomes + 4), expected);
  const std::vector<std::string> lines = absl::StrSplit(Words(refusals), '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 2u) << Words(refusals);
  EXPECT_TRUE(lines[0].starts_with("tasks[1]")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("tasks[2]: column \"status\": unknown")) << lines[1];
  int32_t index = 0;
  EXPECT_OK_C(muster_cluster_find(cluster.get(), MUSTER_KIND_TASKS, "d", 1, &index, &error));
  EXPECT_NE(muster_cluster_find(cluster.get(), MUSTER_KIND_TASKS, "b", 1, &index, &error), 0);

  Held<muster_text> events, words;
  ASSERT_OK_C(muster_cluster_refused_events(cluster.get(), Out(events), &error));
  EXPECT_TRUE(Words(events).starts_with("task \"b\": ")) << Words(events);
  EXPECT_NE(Words(events).find("\ntask \"c\": "), std::string::npos) << Words(events);
  Held<muster_plan> plan;
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano", nullptr, Out(plan), &error));
  for (const char* name : {"b", "c"}) {
    ASSERT_OK_C(muster_plan_explain(plan.get(), name, 1, Out(words), &error));
    EXPECT_NE(Words(words).find("was refused: "), std::string::npos) << Words(words);
  }

  // Once all are in order, nothing is left of it.
  const char* mended[] = {"1", "1", "1", "2"};
  ASSERT_OK_C(muster_table_set_strings(tasks.get(), "shape.request.cpu", mended, 4, &error));
  const char* pending[] = {"pending", "pending", "pending", "pending"};
  ASSERT_OK_C(muster_table_set_strings(tasks.get(), "status", pending, 4, &error));
  ASSERT_OK_C(muster_cluster_take_deltas(cluster.get(), tasks.get(), generations, outcomes, nullptr,
                                         &error));
  EXPECT_EQ(outcomes[0], MUSTER_DELTA_STALE);
  EXPECT_EQ(outcomes[1], MUSTER_DELTA_APPLIED);
  ASSERT_OK_C(muster_cluster_refused_events(cluster.get(), Out(events), &error));
  EXPECT_EQ(Words(events), "");

  // A column that there is not is wrong in every row.
  ASSERT_OK_C(muster_table_set_strings(tasks.get(), "colour", names, 4, &error));
  EXPECT_EQ(muster_cluster_take_deltas(cluster.get(), tasks.get(), generations, outcomes, nullptr,
                                       &error),
            MUSTER_E_INVALID_ARGUMENT);
}

TEST_F(CApi, EventsOfEveryKind) {
  const struct {
    int32_t kind;
    const char *column, *name, *removed;
  } kinds[] = {
      {MUSTER_KIND_DOMAINS, "parent", "x", "x"},
      {MUSTER_KIND_BUDGETS, "namespace", "x", "up/x"},
      {MUSTER_KIND_NAMESPACES, "labels.up", "x", "x"},
      {MUSTER_KIND_FLAVORS, "node_labels.up", "x", "x"},
  };
  for (const auto& [kind, column, name, removed] : kinds) {
    Held<muster_table> table;
    const char* names[] = {name};
    const char* texts[] = {"up"};
    ASSERT_OK_C(muster_table_new(kind, 1, nullptr, Out(table), &error));
    ASSERT_OK_C(muster_table_set_strings(table.get(), "name", names, 1, &error));
    ASSERT_OK_C(muster_table_set_strings(table.get(), column, texts, 1, &error));
    const uint64_t generations[] = {5};
    int32_t outcome = -7;
    const int32_t expected = kind == MUSTER_KIND_DOMAINS ? MUSTER_DELTA_WAITING : 0;
    ASSERT_OK_C(muster_cluster_take_deltas(cluster.get(), table.get(), generations, &outcome,
                                           nullptr, &error));
    EXPECT_EQ(outcome, expected) << kind;
    ASSERT_OK_C(muster_cluster_apply_deltas(cluster.get(), table.get(), generations, &outcome,
                                            nullptr, &error));
    EXPECT_EQ(outcome, MUSTER_DELTA_STALE) << kind;
    ASSERT_OK_C(
        muster_cluster_apply_removal(cluster.get(), kind, removed, -1, 6, &outcome, &error));
    EXPECT_EQ(outcome, MUSTER_DELTA_APPLIED) << kind;
    EXPECT_EQ(muster_cluster_remove(cluster.get(), kind, removed, -1, &error), MUSTER_E_NOT_FOUND)
        << kind;
    if (kind == MUSTER_KIND_DOMAINS) continue;
    ASSERT_OK_C(muster_cluster_put(cluster.get(), MUSTER_PUT_ADD, table.get(), &error));
    EXPECT_OK_C(muster_cluster_remove(cluster.get(), kind, removed, -1, &error));
  }
}

TEST_F(CApi, AssumptionsExpire) {
  muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
  options.now = 100;
  Held<muster_plan> plan;
  Held<muster_text> text;
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano", &options, Out(plan), &error));
  ASSERT_OK_C(muster_cluster_apply(cluster.get(), plan.get(), nullptr, nullptr, &error));
  ASSERT_OK_C(muster_cluster_assumptions(cluster.get(), Out(text), &error));
  const std::string all = Words(text);
  EXPECT_NE(all.find(R"("status":"binding")"), std::string::npos) << all;
  EXPECT_NE(all.find(R"("since":100})"), std::string::npos) << all;
  ASSERT_OK_C(muster_cluster_expire_assumptions(cluster.get(), 159, 60, 0, Out(text), &error));
  EXPECT_EQ(Words(text), "");
  ASSERT_OK_C(
      muster_cluster_expire_assumptions(cluster.get(), 160, MUSTER_ABSENT, 0, Out(text), &error));
  EXPECT_EQ(Words(text), "");
  ASSERT_OK_C(
      muster_cluster_expire_assumptions(cluster.get(), 160, 60, MUSTER_ABSENT, Out(text), &error));
  EXPECT_EQ(Words(text), all);
  ASSERT_OK_C(muster_cluster_assumptions(cluster.get(), Out(text), &error));
  EXPECT_EQ(Words(text), "");
}

TEST_F(CApi, CyclesAreMeasured) {
  muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
  Held<muster_plan> plain, measured;
  muster_costs_view costs = MUSTER_COSTS_VIEW_INIT;
  const Held<muster_cluster> other = SmallCluster();
  ASSERT_OK_C(muster_cluster_schedule(other.get(), "volcano", &options, Out(plain), &error));
  EXPECT_EQ(muster_plan_get_costs(plain.get(), &costs, &error), MUSTER_E_FAILED_PRECONDITION);
  options.measure = 4;
  EXPECT_EQ(muster_cluster_schedule(cluster.get(), "volcano", &options, Out(measured), &error),
            MUSTER_E_INVALID_ARGUMENT);
  options.measure = MUSTER_MEASURE_COSTS | MUSTER_MEASURE_CHOICES;
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano", &options, Out(measured), &error));
  char digests[2][33];
  ASSERT_OK_C(muster_plan_digest(plain.get(), digests[0], &error));
  ASSERT_OK_C(muster_plan_digest(measured.get(), digests[1], &error));
  EXPECT_STREQ(digests[0], digests[1]);
  ASSERT_OK_C(muster_plan_get_costs(measured.get(), &costs, &error));
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
  ASSERT_OK_C(muster_plan_get_view(measured.get(), &view, &error));
  const auto name = [](const char* bytes, const int64_t* offsets, int64_t i) {
    return std::string(bytes + offsets[i], bytes + offsets[i + 1]);
  };
  ASSERT_EQ(costs.action_count, 3);
  EXPECT_EQ(name(costs.action_names, costs.action_name_offsets, 1), "allocate");
  int64_t work = 0;
  for (int64_t i = 0; i < costs.action_count; ++i) {
    work += costs.action_work[i];
    EXPECT_GE(costs.action_time[i], 0);
  }
  EXPECT_EQ(work, view.work);
  EXPECT_GT(costs.searches_by_table, 0);
  ASSERT_GT(costs.policy_count, 0);
  EXPECT_GT(costs.policy_questions[0], 0);
  ASSERT_GT(costs.scorer_count, 0);
  int64_t binds = 0;
  for (int64_t i = 0; i < view.decision_count; ++i) {
    binds += view.decision_kind[i] == MUSTER_DECISION_BIND;
  }
  ASSERT_EQ(costs.choice_count, binds);
  for (int64_t i = 0; i < costs.choice_count; ++i) {
    double chosen = 0, next = 0;
    for (int64_t k = 0; k < costs.scorer_count; ++k) {
      chosen += costs.choice_scores[i * costs.scorer_count + k];
      next += costs.choice_next_scores[i * costs.scorer_count + k];
    }
    EXPECT_NE(costs.choice_node[i], costs.choice_next[i]);
    EXPECT_TRUE(name(costs.choice_next_names, costs.choice_next_name_offsets, i).starts_with("n"));
    EXPECT_GE(chosen + 1e-9, next) << i;
  }
}

TEST_F(CApi, ReconcileSaysWhatDiffered) {
  const char* names[] = {"n0", "n1", "other"};
  Held<muster_table> nodes;
  ASSERT_OK_C(muster_table_new(MUSTER_KIND_NODES, 3, nullptr, Out(nodes), &error));
  ASSERT_OK_C(muster_table_set_strings(nodes.get(), "name", names, 3, &error));
  ASSERT_OK_C(muster_table_set_defaults(
      nodes.get(), R"({"capacity": {"cpu": 8, "memory": "16Gi"}})", MUSTER_TO_NUL, &error));
  const muster_table* tables[] = {nodes.get()};
  Held<muster_text> drift;
  ASSERT_OK_C(muster_cluster_reconcile(cluster.get(), tables, 1, Out(drift), &error));
  const std::string lines = Words(drift);
  EXPECT_NE(lines.find("missing node \"other\"\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("extra node \"n2\"\n"), std::string::npos) << lines;
  EXPECT_EQ(lines.find("\"n1\""), std::string::npos) << lines;
}

TEST_F(CApi, LimitsOfACycle) {
  muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
  Held<muster_plan> plan;
  options.time_limit = -1;
  EXPECT_EQ(muster_cluster_schedule(cluster.get(), "volcano", &options, Out(plan), &error),
            MUSTER_E_DEADLINE_EXCEEDED);
  EXPECT_EQ(plan, nullptr);
  options.keep_cut = 1;
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano", &options, Out(plan), &error));
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
  ASSERT_OK_C(muster_plan_get_view(plan.get(), &view, &error));
  EXPECT_EQ(view.complete, 0);
  EXPECT_EQ(view.work, 0);

  options = MUSTER_SCHEDULE_OPTIONS_INIT;
  Held<muster_stop> stop;
  ASSERT_OK_C(muster_stop_new(Out(stop), &error));
  options.stop = stop.get();
  muster_stop_set(stop.get(), 1);
  EXPECT_EQ(muster_cluster_schedule(cluster.get(), "volcano", &options, Out(plan), &error),
            MUSTER_E_CANCELLED);
  muster_stop_set(stop.get(), 0);
  options.time_limit = int64_t{1} << 62;
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano", &options, Out(plan), &error));
  EXPECT_EQ(DigestOf(plan.get()), DigestOf(Schedule("volcano").get()));

  options = MUSTER_SCHEDULE_OPTIONS_INIT;
  options.work_budget = -1;
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano", &options, Out(plan), &error));
  ASSERT_OK_C(muster_plan_get_view(plan.get(), &view, &error));
  EXPECT_EQ(view.complete, 0);

  // What changes speed changes nothing else.
  for (uint32_t switches = 0; switches < 16; ++switches) {
    options = MUSTER_SCHEDULE_OPTIONS_INIT;
    options.switches = switches;
    options.memory_limit = switches % 2 == 0 ? -1 : 1 << 20;
    ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano", &options, Out(plan), &error));
    EXPECT_EQ(DigestOf(plan.get()), DigestOf(Schedule("volcano").get()));
  }
}

TEST_F(CApi, LogSaysWhatHappened) {
  std::string log;
  muster_cluster_options options = MUSTER_CLUSTER_OPTIONS_INIT;
  options.log_user = reinterpret_cast<uintptr_t>(&log);
  options.log = [](uintptr_t user, int32_t level, const char* text, int64_t size) {
    auto* lines = reinterpret_cast<std::string*>(user);
    lines->append(level == MUSTER_LOG_WARNING ? "W " : "I ");
    lines->append(text, static_cast<size_t>(size)).append("\n");
  };
  ASSERT_OK_C(muster_cluster_new(&options, Out(cluster), &error));
  ASSERT_OK_C(muster_cluster_add_json(cluster.get(), kSmall, MUSTER_TO_NUL, &error));
  const Held<muster_plan> plan = Schedule("volcano");
  EXPECT_EQ(log.substr(0, 28), "I schedule volcano: 3 bound,") << log;
}

TEST_F(CApi, ReplayOfAPool) {
  const int64_t submit[] = {0, 1, 2}, run[] = {10, 10, 5}, tasks[] = {3, 4, 1};
  muster_pool_trace trace = MUSTER_POOL_TRACE_INIT;
  trace.processors = 4;
  trace.count = 3;
  trace.submit = submit;
  trace.run = run;
  trace.tasks = tasks;
  Held<muster_replay> replay;
  ASSERT_OK_C(muster_replay_pool(&trace, "easy", nullptr, Out(replay), &error));
  muster_replay_view view = MUSTER_REPLAY_VIEW_INIT;
  ASSERT_OK_C(muster_replay_get_view(replay.get(), &view, &error));
  ASSERT_EQ(view.count, 3);
  EXPECT_EQ(view.start[0], 0);
  EXPECT_EQ(view.start[1], 10);
  EXPECT_EQ(view.start[2], 2);  // goes ahead: it ends before the second can start
  EXPECT_EQ(view.outcome[2], MUSTER_OUTCOME_DONE);
  EXPECT_EQ(view.makespan, 20);
  EXPECT_EQ(muster_replay_pool(&trace, "esay", nullptr, Out(replay), &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "profile: unknown profile \"esay\"; did you mean \"easy\"?");
}

}  // namespace
}  // namespace muster
