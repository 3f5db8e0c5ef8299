// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The binary form of muster/c.h on 64-bit machines, pinned: what is here may be added to and never
// changed. A struct may grow at its end; then its size here grows, and the size that callers of the
// first version have must still be taken.
#include <cstddef>
#include <cstring>

#include "muster/experimental.h"
#include "muster/muster.h"
#include "tests/capi/capi_support.h"

namespace muster {
namespace {

TEST(Layout, SizesAndOffsets) {
  EXPECT_EQ(sizeof(muster_error), 512);
  EXPECT_EQ(offsetof(muster_error, code), 4);
  EXPECT_EQ(offsetof(muster_error, user_code), 8);
  EXPECT_EQ(offsetof(muster_error, message), 16);
  EXPECT_EQ(sizeof(muster_allocator), 40);
  EXPECT_EQ(offsetof(muster_allocator, allocate), 16);
  EXPECT_EQ(offsetof(muster_allocator, budget), 32);
  EXPECT_EQ(sizeof(muster_cluster_options), 56);
  EXPECT_EQ(offsetof(muster_cluster_options, log), 16);
  EXPECT_EQ(offsetof(muster_cluster_options, record), 32);
  EXPECT_EQ(offsetof(muster_cluster_options, record_limit), 48);
  EXPECT_EQ(sizeof(muster_schedule_options), 96);
  EXPECT_EQ(offsetof(muster_schedule_options, measure), 88);
  EXPECT_EQ(offsetof(muster_schedule_options, cursor), 4);
  EXPECT_EQ(offsetof(muster_schedule_options, now), 8);
  EXPECT_EQ(offsetof(muster_schedule_options, work_budget), 24);
  EXPECT_EQ(offsetof(muster_schedule_options, stop), 40);
  EXPECT_EQ(offsetof(muster_schedule_options, keep_cut), 48);
  EXPECT_EQ(offsetof(muster_schedule_options, memory_limit), 56);
  EXPECT_EQ(offsetof(muster_schedule_options, policies), 64);
  EXPECT_EQ(offsetof(muster_schedule_options, turn), 72);
  EXPECT_EQ(offsetof(muster_schedule_options, memory), 80);
  EXPECT_EQ(sizeof(muster_plan_view), 776);
  EXPECT_EQ(offsetof(muster_plan_view, decision_count), 32);
  EXPECT_EQ(offsetof(muster_plan_view, tentative_count), 96);
  EXPECT_EQ(offsetof(muster_plan_view, pending_count), 128);
  EXPECT_EQ(offsetof(muster_plan_view, reason_count), 152);
  EXPECT_EQ(offsetof(muster_plan_view, refusal_count), 224);
  EXPECT_EQ(offsetof(muster_plan_view, share_count), 272);
  EXPECT_EQ(offsetof(muster_plan_view, share_after), 320);
  EXPECT_EQ(offsetof(muster_plan_view, domain_count), 328);
  EXPECT_EQ(offsetof(muster_plan_view, domain_names), 376);
  EXPECT_EQ(offsetof(muster_plan_view, device_count), 384);
  EXPECT_EQ(offsetof(muster_plan_view, device_names), 424);
  EXPECT_EQ(offsetof(muster_plan_view, reason_where_offsets), 432);
  EXPECT_EQ(offsetof(muster_plan_view, decision_row), 448);
  EXPECT_EQ(offsetof(muster_plan_view, move_count), 456);
  EXPECT_EQ(offsetof(muster_plan_view, reservation_count), 504);
  EXPECT_EQ(offsetof(muster_plan_view, offer_count), 552);
  EXPECT_EQ(offsetof(muster_plan_view, resize_count), 592);
  EXPECT_EQ(offsetof(muster_plan_view, split_count), 632);
  EXPECT_EQ(offsetof(muster_plan_view, assignment_count), 656);
  EXPECT_EQ(offsetof(muster_plan_view, assignment_flavors), 712);
  EXPECT_EQ(offsetof(muster_plan_view, place_count), 720);
  EXPECT_EQ(offsetof(muster_plan_view, place_names), 768);
  EXPECT_EQ(sizeof(muster_costs_view), 232);
  EXPECT_EQ(offsetof(muster_costs_view, action_count), 48);
  EXPECT_EQ(offsetof(muster_costs_view, policy_count), 96);
  EXPECT_EQ(offsetof(muster_costs_view, scorer_count), 144);
  EXPECT_EQ(offsetof(muster_costs_view, choice_count), 168);
  EXPECT_EQ(offsetof(muster_costs_view, choice_next_scores), 208);
  EXPECT_EQ(sizeof(muster_class_view), 24);
  EXPECT_EQ(sizeof(muster_nodes_view), 64);
  EXPECT_EQ(sizeof(muster_policy), 232);
  EXPECT_EQ(offsetof(muster_policy, name), 16);
  EXPECT_EQ(offsetof(muster_policy, fit), 40);
  EXPECT_EQ(offsetof(muster_policy, destroy), 136);
  EXPECT_EQ(offsetof(muster_policy, preemptive), 144);
  EXPECT_EQ(offsetof(muster_policy, domain_search), 224);
  EXPECT_EQ(sizeof(muster_action), 48);
  EXPECT_EQ(offsetof(muster_action, run), 32);
  EXPECT_EQ(sizeof(muster_pool_trace), 56);
  EXPECT_EQ(sizeof(muster_replay_view), 96);
  EXPECT_EQ(sizeof(muster_forecast_options), 120);
  EXPECT_EQ(offsetof(muster_forecast_options, executor), 88);
  EXPECT_EQ(offsetof(muster_forecast_options, policies), 112);
  EXPECT_EQ(sizeof(muster_advise_options), 32);
  EXPECT_EQ(offsetof(muster_advise_options, policies), 16);
  EXPECT_EQ(sizeof(muster_forecast_view), 176);
  EXPECT_EQ(sizeof(muster_episodes_options), 24);
  EXPECT_EQ(offsetof(muster_episodes_options, jobs), 8);
  EXPECT_EQ(sizeof(muster_import_options), 48);
  EXPECT_EQ(offsetof(muster_import_options, profile), 8);
  EXPECT_EQ(offsetof(muster_import_options, now), 32);
  EXPECT_EQ(offsetof(muster_import_options, limits), 40);
  EXPECT_EQ(sizeof(muster_episodes_view), 72);
  EXPECT_EQ(offsetof(muster_episodes_view, count), 8);
  EXPECT_EQ(offsetof(muster_episodes_view, machine_features), 64);
}

TEST(Layout, NumbersAreThoseOfCpp) {
  const auto is = [](int number, auto word) { EXPECT_EQ(number, static_cast<int>(word)); };
  is(MUSTER_TASK_PENDING, TaskStatus::kPending);
  is(MUSTER_TASK_NOMINATED, TaskStatus::kNominated);
  is(MUSTER_TASK_BINDING, TaskStatus::kBinding);
  is(MUSTER_TASK_BOUND, TaskStatus::kBound);
  is(MUSTER_TASK_RUNNING, TaskStatus::kRunning);
  is(MUSTER_TASK_RELEASING, TaskStatus::kReleasing);
  is(MUSTER_TASK_SUCCEEDED, TaskStatus::kSucceeded);
  is(MUSTER_TASK_FAILED, TaskStatus::kFailed);
  is(MUSTER_TASK_UNKNOWN, TaskStatus::kUnknown);
  is(MUSTER_TASK_WAITING, TaskStatus::kWaiting);
  is(MUSTER_PHASE_PENDING, JobPhase::kPending);
  is(MUSTER_PHASE_ADMITTED, JobPhase::kAdmitted);
  is(MUSTER_PHASE_RUNNING, JobPhase::kRunning);
  is(MUSTER_PHASE_DEGRADED, JobPhase::kDegraded);
  is(MUSTER_PHASE_COMPLETED, JobPhase::kCompleted);
  is(MUSTER_DECISION_ADMIT, DecisionKind::kAdmit);
  is(MUSTER_DECISION_BIND, DecisionKind::kBind);
  is(MUSTER_DECISION_NOMINATE, DecisionKind::kNominate);
  is(MUSTER_DECISION_EVICT, DecisionKind::kEvict);
  is(MUSTER_DECISION_PHASE, DecisionKind::kPhase);
  is(MUSTER_DECISION_MOVE, DecisionKind::kMove);
  is(MUSTER_DECISION_RESERVE, DecisionKind::kReserve);
  is(MUSTER_DECISION_OFFER, DecisionKind::kOffer);
  is(MUSTER_DECISION_RESIZE, DecisionKind::kResize);
  is(MUSTER_DECISION_SPLIT, DecisionKind::kSplit);
  is(MUSTER_REASON_GATED, ReasonKind::kGated);
  is(MUSTER_REASON_INVALID_GANG, ReasonKind::kInvalidGang);
  is(MUSTER_REASON_NOT_ADMITTED, ReasonKind::kNotAdmitted);
  is(MUSTER_REASON_QUEUE_CLOSED, ReasonKind::kQueueClosed);
  is(MUSTER_REASON_QUEUE_OVERUSED, ReasonKind::kQueueOverused);
  is(MUSTER_REASON_QUEUE_LIMIT, ReasonKind::kQueueLimit);
  is(MUSTER_REASON_QUEUE_DESERVED, ReasonKind::kQueueDeserved);
  is(MUSTER_REASON_NO_NODE, ReasonKind::kNoNode);
  is(MUSTER_REASON_GANG_UNDONE, ReasonKind::kGangUndone);
  is(MUSTER_REASON_GANG_WAITS, ReasonKind::kGangWaits);
  is(MUSTER_REASON_NO_DOMAIN, ReasonKind::kNoDomain);
  is(MUSTER_REASON_NOT_REACHED, ReasonKind::kNotReached);
  is(MUSTER_REASON_QUEUE_TREE, ReasonKind::kQueueTree);
  is(MUSTER_REASON_INFEASIBLE, ReasonKind::kInfeasible);
  is(MUSTER_REASON_QUEUE_SPENDING, ReasonKind::kQueueSpending);
  is(MUSTER_REFUSAL_NOT_READY, RefusalCode::kNotReady);
  is(MUSTER_REFUSAL_UNSCHEDULABLE, RefusalCode::kUnschedulable);
  is(MUSTER_REFUSAL_NODE_AFFINITY, RefusalCode::kNodeAffinity);
  is(MUSTER_REFUSAL_TAINT, RefusalCode::kTaint);
  is(MUSTER_REFUSAL_INSUFFICIENT, RefusalCode::kInsufficient);
  is(MUSTER_REFUSAL_POD_LIMIT, RefusalCode::kPodLimit);
  is(MUSTER_REFUSAL_HOST_PORT, RefusalCode::kHostPort);
  is(MUSTER_REFUSAL_AFFINITY, RefusalCode::kAffinity);
  is(MUSTER_REFUSAL_ANTI_AFFINITY, RefusalCode::kAntiAffinity);
  is(MUSTER_REFUSAL_EXISTING_ANTI_AFFINITY, RefusalCode::kExistingAntiAffinity);
  is(MUSTER_REFUSAL_SPREAD_LABEL, RefusalCode::kSpreadLabel);
  is(MUSTER_REFUSAL_SPREAD, RefusalCode::kSpread);
  is(MUSTER_REFUSAL_POLICY, RefusalCode::kPolicy);
  is(MUSTER_REFUSAL_DEVICE, RefusalCode::kDevice);
  is(MUSTER_OUTCOME_DONE, JobOutcome::kDone);
  is(MUSTER_OUTCOME_STILL_RUNNING, JobOutcome::kRunning);
  is(MUSTER_OUTCOME_WAITING, JobOutcome::kWaiting);
  is(MUSTER_OUTCOME_NOT_SUBMITTED, JobOutcome::kNotSubmitted);
  is(MUSTER_OUTCOME_REFUSED, JobOutcome::kRefused);
  is(-MUSTER_E_CANCELLED, absl::StatusCode::kCancelled);
  is(-MUSTER_E_UNKNOWN, absl::StatusCode::kUnknown);
  is(-MUSTER_E_INVALID_ARGUMENT, absl::StatusCode::kInvalidArgument);
  is(-MUSTER_E_DEADLINE_EXCEEDED, absl::StatusCode::kDeadlineExceeded);
  is(-MUSTER_E_NOT_FOUND, absl::StatusCode::kNotFound);
  is(-MUSTER_E_ALREADY_EXISTS, absl::StatusCode::kAlreadyExists);
  is(-MUSTER_E_RESOURCE_EXHAUSTED, absl::StatusCode::kResourceExhausted);
  is(-MUSTER_E_FAILED_PRECONDITION, absl::StatusCode::kFailedPrecondition);
  is(-MUSTER_E_OUT_OF_RANGE, absl::StatusCode::kOutOfRange);
  is(-MUSTER_E_UNIMPLEMENTED, absl::StatusCode::kUnimplemented);
  is(-MUSTER_E_INTERNAL, absl::StatusCode::kInternal);
  is(-MUSTER_E_DATA_LOSS, absl::StatusCode::kDataLoss);
}

// A program of the first version has policies that end at `destroy`.
TEST(Layout, PoliciesOfTheFirstVersion) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_policy policy = MUSTER_POLICY_INIT;
  policy.struct_size = 144;
  policy.name = "old";
  policy.valid = [](uintptr_t, const muster_cycle*, const int32_t*, int64_t count,
                    uint8_t* out) -> muster_status {
    for (int64_t i = 0; i < count; ++i) out[i] = 0;
    return MUSTER_OK;
  };
  // What lies behind is not read.
  std::memset(reinterpret_cast<char*>(&policy) + 144, 0x5a, sizeof(policy) - 144);
  const muster_policy* all[] = {&policy};
  Held<muster_policies> list;
  ASSERT_OK_C(muster_policies_new(all, 1, Out(list), &error));
  const Held<muster_cluster> cluster = SmallCluster();
  muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
  options.policies = list.get();
  Held<muster_plan> plan;
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano", &options, Out(plan), &error));
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
  ASSERT_OK_C(muster_plan_get_view(plan.get(), &view, &error));
  for (int64_t i = 0; i < view.decision_count; ++i) {
    EXPECT_NE(view.decision_kind[i], MUSTER_DECISION_BIND);
  }
}

TEST(Layout, SmallerAndLargerStructsThanOurs) {
  muster_error error = MUSTER_ERROR_INIT;
  const Held<muster_cluster> cluster = SmallCluster();
  Held<muster_plan> plan;
  // A caller's struct with only the first fields: the rest is default, whatever lies behind.
  struct {
    uint32_t struct_size = 16, cursor = 0;
    int64_t now = 5;
    uint64_t garbage[8] = {~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull};
  } first;
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano",
                                      reinterpret_cast<muster_schedule_options*>(&first), Out(plan),
                                      &error));
  // A caller's struct with more fields is accepted while these are zero.
  struct {
    muster_schedule_options known = MUSTER_SCHEDULE_OPTIONS_INIT;
    uint64_t later = 0;
  } larger;
  larger.known.struct_size = sizeof(larger);
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano", &larger.known, Out(plan), &error));
  larger.later = 1;
  EXPECT_EQ(muster_cluster_schedule(cluster.get(), "volcano", &larger.known, Out(plan), &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error),
            "muster_schedule_options: byte 96 is set, beyond the fields of this version; must be "
            "0");
  for (uint32_t size : {0u, 7u, 1u << 20}) {
    larger.known.struct_size = size;
    EXPECT_EQ(muster_cluster_schedule(cluster.get(), "volcano", &larger.known, Out(plan), &error),
              MUSTER_E_INVALID_ARGUMENT);
  }

  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano", nullptr, Out(plan), &error));
  struct {
    muster_plan_view known = MUSTER_PLAN_VIEW_INIT;
    uint64_t behind = 77;
  } view;
  view.known.struct_size = 40;  // up to decision_count
  ASSERT_OK_C(muster_plan_get_view(plan.get(), &view.known, &error));
  EXPECT_GT(view.known.decision_count, 0);
  EXPECT_EQ(view.known.decision_kind, nullptr);
  EXPECT_EQ(view.behind, 77);
  view.known.struct_size = sizeof(view);
  ASSERT_OK_C(muster_plan_get_view(plan.get(), &view.known, &error));
  EXPECT_NE(view.known.decision_kind, nullptr);
  EXPECT_EQ(view.behind, 0);
  view.known.struct_size = 3;
  EXPECT_EQ(muster_plan_get_view(plan.get(), &view.known, &error), MUSTER_E_INVALID_ARGUMENT);

  // An error with room for few bytes: cut, and never in the middle of a character.
  error.struct_size = 16 + 27;
  std::memset(error.message, 'x', sizeof(error.message));
  EXPECT_EQ(muster_cluster_remove(cluster.get(), MUSTER_KIND_NODES, "\xC3\xA4\xC3\xA4\xC3\xA4", 6,
                                  &error),
            MUSTER_E_NOT_FOUND);
  EXPECT_EQ(Words(error), "node \"\xC3\xA4\xC3\xA4\xC3\xA4\": does not ex");
  error.struct_size = 16 + 10;
  EXPECT_EQ(muster_cluster_remove(cluster.get(), MUSTER_KIND_NODES, "\xC3\xA4\xC3\xA4\xC3\xA4", 6,
                                  &error),
            MUSTER_E_NOT_FOUND);
  EXPECT_EQ(Words(error), "node \"\xC3\xA4");
  error.struct_size = 3;
  error.message[0] = 'y';
  EXPECT_EQ(muster_cluster_remove(cluster.get(), MUSTER_KIND_NODES, "?", 1, &error),
            MUSTER_E_NOT_FOUND);
  EXPECT_EQ(error.message[0], 'y');
}

}  // namespace
}  // namespace muster
