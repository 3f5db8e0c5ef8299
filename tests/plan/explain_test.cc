// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The words of plans made by hand: one test for each way a job or task can come out.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/plan/plan_data.h"
#include "tests/plan/fake_names.h"

namespace muster {
namespace {

Reason NoNode() {
  return {.kind = ReasonKind::kNoNode,
          .refusals = {{.code = RefusalCode::kInsufficient, .dimension = 3, .nodes = 88},
                       {.code = RefusalCode::kTaint, .detail = "gpu=only", .nodes = 12}}};
}

std::string ExplainOf(PlanData data, std::string_view name = "j1") {
  const absl::StatusOr<std::string> text = MakePlan(std::move(data)).Explain(name);
  return text.ok() ? *text : std::string(text.status().message());
}

// All tasks of job 1 from `first` to `last` are pending for the reason of that index.
void Pend(TaskIndex first, TaskIndex last, uint32_t reason, PlanData* data) {
  for (TaskIndex t = first; t <= last; ++t) data->pending.push_back({t, reason});
}

TEST(ReasonText, SaysEachKind) {
  const FakeNames names;
  const auto text = [&](Reason reason) { return ReasonText(reason, names); };
  EXPECT_EQ(text(NoNode()), "88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only");
  EXPECT_EQ(text({.kind = ReasonKind::kNoNode}), "no node fits");
  EXPECT_EQ(text({.kind = ReasonKind::kGated}), "gated");
  EXPECT_EQ(text({.kind = ReasonKind::kInvalidGang}), "has fewer tasks than it needs");
  EXPECT_EQ(text({.kind = ReasonKind::kInvalidGang, .placed = 3, .needed = 4}),
            "has 3 of 4 tasks it needs");
  EXPECT_EQ(text({.kind = ReasonKind::kNotAdmitted, .policy = "overcommit"}),
            "not admitted: overcommit");
  EXPECT_EQ(text({.kind = ReasonKind::kNotAdmitted}), "not admitted");
  EXPECT_EQ(text({.kind = ReasonKind::kQueueClosed, .queue = 1}), "queue \"vision\" is closed");
  EXPECT_EQ(text({.kind = ReasonKind::kQueueOverused, .queue = 1}),
            "waiting: queue \"vision\" has all it deserves");
  EXPECT_EQ(text({.kind = ReasonKind::kQueueLimit, .queue = 1, .dimension = kMemory}),
            "queue \"vision\" would exceed its limit in memory");
  EXPECT_EQ(text({.kind = ReasonKind::kQueueDeserved,
                  .policy = "proportion",
                  .queue = 1,
                  .dimension = kMemory}),
            "queue \"vision\" would hold more than it deserves in memory (proportion)");
  EXPECT_EQ(text({.kind = ReasonKind::kQueueSpending,
                  .policy = "spending",
                  .queue = 1,
                  .where = "queue \"vision\" costs 5.00 of 5.00 an hour"}),
            "queue \"vision\" costs 5.00 of 5.00 an hour (spending)");
  EXPECT_EQ(text({.kind = ReasonKind::kGangUndone, .placed = 12, .needed = 16}),
            "12 of 16 placed, undone");
  EXPECT_EQ(text({.kind = ReasonKind::kGangWaits, .placed = 12, .needed = 16}),
            "12 of 16 placed, waiting for the rest");
  EXPECT_EQ(text({.kind = ReasonKind::kGangWaits, .placed = 16, .needed = 16}),
            "16 of 16 placed, waiting for places to be released");
  EXPECT_EQ(text({.kind = ReasonKind::kNoDomain, .placed = 12, .needed = 16, .where = "tier 1"}),
            "12 of 16 placed in one domain up to tier 1, undone");
  EXPECT_EQ(text({.kind = ReasonKind::kNoDomain, .needed = 16, .where = "tier 2 (block)"}),
            "no domain up to tier 2 (block) has room");
  EXPECT_EQ(text({.kind = ReasonKind::kNotReached}), "not reached");
  EXPECT_EQ(text({.kind = ReasonKind::kNotReached, .where = "admitted; nothing else"}),
            "admitted; nothing else");
  EXPECT_EQ(text({.kind = ReasonKind::kInfeasible}), "would not fit even on empty nodes");
  EXPECT_EQ(text({.kind = ReasonKind::kQueueTree, .policy = "capacity"}),
            "the queues are not one tree from \"root\" with its jobs in the leaves (capacity)");
  Reason undone = NoNode();
  undone.kind = ReasonKind::kGangUndone;
  undone.placed = 12;
  undone.needed = 16;
  EXPECT_EQ(text(undone),
            "12 of 16 placed, undone: 88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only");
}

TEST(ReasonText, SaysEachRefusal) {
  const FakeNames names;
  const auto text = [&](Refusal refusal) {
    refusal.nodes = 1;
    return ReasonText({.kind = ReasonKind::kNoNode, .refusals = {refusal}}, names);
  };
  EXPECT_EQ(text({.code = RefusalCode::kNotReady}), "1 node: not ready");
  EXPECT_EQ(text({.code = RefusalCode::kUnschedulable}), "1 node: unschedulable");
  EXPECT_EQ(text({.code = RefusalCode::kNodeAffinity}), "1 node: node selector or affinity");
  EXPECT_EQ(text({.code = RefusalCode::kTaint, .detail = "a=b:NoSchedule"}),
            "1 node: taint a=b:NoSchedule");
  EXPECT_EQ(text({.code = RefusalCode::kInsufficient, .dimension = kMemory}), "1 node: memory");
  EXPECT_EQ(text({.code = RefusalCode::kPodLimit}), "1 node: pods");
  EXPECT_EQ(text({.code = RefusalCode::kHostPort, .detail = "TCP 80"}), "1 node: host port TCP 80");
  EXPECT_EQ(text({.code = RefusalCode::kAffinity}), "1 node: affinity");
  EXPECT_EQ(text({.code = RefusalCode::kAntiAffinity}), "1 node: anti-affinity");
  EXPECT_EQ(text({.code = RefusalCode::kExistingAntiAffinity}),
            "1 node: anti-affinity of a task there");
  EXPECT_EQ(text({.code = RefusalCode::kSpreadLabel, .detail = "zone"}),
            "1 node: no label to spread over zone");
  EXPECT_EQ(text({.code = RefusalCode::kSpread}), "1 node: spread");
  EXPECT_EQ(text({.code = RefusalCode::kPolicy, .detail = "mine: too hot"}),
            "1 node: mine: too hot");
}

TEST(Explain, AJobThatIsWhollyPlaced) {
  PlanData data;
  for (TaskIndex t = 10; t < 14; ++t) data.decisions.push_back(BindOf(t, 0));
  EXPECT_EQ(ExplainOf(data), "j1: placed 4 of 4\n");
}

TEST(Explain, AJobThatIsUndoneForOneReason) {
  PlanData data;
  data.reasons.push_back(NoNode());
  data.reasons[0].kind = ReasonKind::kGangUndone;
  data.reasons[0].placed = 12;
  data.reasons[0].needed = 16;
  Pend(10, 19, 0, &data);
  EXPECT_EQ(ExplainOf(data),
            "j1: 12 of 16 placed, undone\n  88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only\n");
}

TEST(Explain, TheReasonOfTheWholeJobIsItsHeadline) {
  PlanData data;
  data.reasons = {NoNode(),
                  {.kind = ReasonKind::kNotReached},
                  {.kind = ReasonKind::kGangUndone, .placed = 5, .needed = 9}};
  Pend(10, 10, 0, &data);
  Pend(11, 13, 1, &data);
  Pend(14, 18, 2, &data);
  EXPECT_EQ(ExplainOf(data),
            "j1: 5 of 9 placed, undone\n"
            "  1 task: 88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only\n"
            "  3 tasks: not reached\n");
}

TEST(Explain, EqualWordsAreOneReason) {
  PlanData data;
  data.reasons = {NoNode(), NoNode(), {.kind = ReasonKind::kNoNode}, NoNode()};
  for (uint32_t i = 0; i < 4; ++i) data.pending.push_back({TaskIndex(10 + i), i});
  EXPECT_EQ(ExplainOf(data),
            "j1: no node fits\n"
            "  3 tasks: 88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only\n"
            "  1 task: no node fits\n");
}

// The peer's own words stand behind the counts, for a job as for a task.
TEST(Explain, ThePeersWordsAreNotLost) {
  PlanData data;
  Reason reason = NoNode();
  reason.where = "0/100 nodes are available";
  data.reasons = {reason};
  data.pending = {{10, 0}};
  const std::string detail =
      "  88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only (0/100 nodes are available)\n";
  EXPECT_EQ(ExplainOf(data), "j1: no node fits\n" + detail);
  EXPECT_EQ(ExplainOf(data, "t10"), "t10: no node fits\n" + detail);
}

TEST(Explain, WhatTwoReasonsSayIsSaidOnce) {
  PlanData data;
  data.reasons = {NoNode(), NoNode()};
  data.reasons[0].kind = ReasonKind::kGangUndone;
  data.reasons[0].placed = 2;
  data.reasons[0].needed = 3;
  data.pending = {{10, 0}, {11, 0}, {12, 1}};
  EXPECT_EQ(ExplainOf(data),
            "j1: 2 of 3 placed, undone\n  88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only\n");
}

TEST(Explain, AJobThatIsPartlyPlaced) {
  PlanData data;
  data.decisions = {BindOf(10, 0), BindOf(11, 1), BindOf(20, 1)};
  data.reasons = {NoNode()};
  Pend(12, 14, 0, &data);
  Pend(21, 29, 0, &data);
  EXPECT_EQ(
      ExplainOf(data),
      "j1: placed 2 of 5; no node fits\n  88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only\n");
}

TEST(Explain, GatesAndNominationsAndEvictions) {
  PlanData data;
  data.reasons = {{.kind = ReasonKind::kGated}};
  Pend(12, 13, 0, &data);
  EXPECT_EQ(ExplainOf(data), "j1: gated (2 tasks)\n");
  data.decisions = {
      {.kind = DecisionKind::kNominate, .task = 10, .node = 0, .job = 1},
      {.kind = DecisionKind::kEvict, .task = 11, .node = 0, .job = 1, .beneficiary = 10},
  };
  EXPECT_EQ(ExplainOf(data), "j1: placed 0 of 3, 1 nominated, 1 evicted; gated (2 tasks)\n");
  data.pending.clear();
  EXPECT_EQ(ExplainOf(data), "j1: 1 nominated, 1 evicted\n");
}

TEST(Explain, EvictionsNameBothJobs) {
  PlanData data;
  data.decisions = {
      {.kind = DecisionKind::kEvict, .task = 20, .node = 0, .job = 2, .beneficiary = 10},
      {.kind = DecisionKind::kEvict, .task = 21, .node = 0, .job = 2, .beneficiary = 10},
      {.kind = DecisionKind::kNominate, .task = 10, .node = 0, .job = 1, .after_eviction = true},
      {.kind = DecisionKind::kEvict, .task = 22, .node = 1, .job = 2},
  };
  EXPECT_EQ(ExplainOf(data), "j1: 1 nominated\n  2 tasks of j2 evicted for it\n");
  EXPECT_EQ(ExplainOf(data, "j2"), "j2: 3 evicted\n  2 tasks evicted for j1\n");
  EXPECT_EQ(ExplainOf(data, "t10"),
            "t10:\n  evict t20 from n0 for t10\n  evict t21 from n0 for t10\n"
            "  nominate t10 to n0 after evicting there\n");
  EXPECT_EQ(ExplainOf(data, "t21"), "t21:\n  evict t21 from n0 for t10\n");
  data.decisions.push_back(
      {.kind = DecisionKind::kEvict, .task = 100, .node = 1, .job = kNone, .beneficiary = 10});
  EXPECT_EQ(
      ExplainOf(data),
      "j1: 1 nominated\n  2 tasks of j2 evicted for it\n  1 task without a job evicted for it\n");
  data.decisions.clear();
  for (uint32_t n = 100; n < 120; ++n) {
    data.decisions.push_back({.kind = DecisionKind::kEvict,
                              .task = 11,
                              .node = 1,
                              .job = 1,
                              .beneficiary = TaskIndex(n)});
  }
  const std::string text = ExplainOf(data);
  EXPECT_TRUE(text.ends_with("  1 task evicted for t107\n  and so on, 12 more\n")) << text;
}

TEST(Explain, AJobNotAdmittedOrAdmittedOnly) {
  PlanData data;
  data.decisions = {{.kind = DecisionKind::kAdmit, .job = 2}};
  data.reasons = {{.kind = ReasonKind::kNotAdmitted, .policy = "overcommit"}};
  Pend(10, 13, 0, &data);
  EXPECT_EQ(ExplainOf(data), "j1: not admitted: overcommit\n");
  EXPECT_EQ(ExplainOf(data, "j2"), "j2: admitted\n");
  EXPECT_EQ(ExplainOf(data, "j3"), "j3: nothing to place\n");
}

TEST(Explain, ATask) {
  PlanData data;
  data.decisions = {
      BindOf(100, 2),
      {.kind = DecisionKind::kEvict, .task = 101, .node = 3, .beneficiary = 102},
      {.kind = DecisionKind::kNominate, .task = 102, .node = 3, .after_eviction = true},
      {.kind = DecisionKind::kAdmit, .job = 1},
  };
  data.tentative = {{.task = 103, .node = 4, .nominated = true}};
  data.reasons = {NoNode()};
  data.pending = {{104, 0}};
  EXPECT_EQ(ExplainOf(data, "t100"), "t100:\n  bind t100 to n2\n");
  EXPECT_EQ(ExplainOf(data, "t101"), "t101:\n  evict t101 from n3 for t102\n");
  EXPECT_EQ(ExplainOf(data, "t102"),
            "t102:\n  evict t101 from n3 for t102\n  nominate t102 to n3 after evicting there\n");
  EXPECT_EQ(ExplainOf(data, "t103"), "t103:\n  tentative t103 on n4 once released\n");
  EXPECT_EQ(ExplainOf(data, "t104"),
            "t104: no node fits\n  88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only\n");
  EXPECT_EQ(ExplainOf(data, "t105"), "t105: nothing to decide\n");
}

TEST(Explain, ANameThatIsNotThere) {
  EXPECT_EQ(ExplainOf({}, "x\n"), "the plan has no job or task \"x\\n\"");
  EXPECT_EQ(MakePlan({}).Explain("x").status().code(), absl::StatusCode::kNotFound);
  PlanData data;
  data.decisions = {BindOf(100, 2)};
  Pend(104, 104, 0, &data);
  EXPECT_EQ(ExplainOf(data, "t10_"),
            "the plan has no job or task \"t10_\", did you mean \"t100\"?");
  EXPECT_EQ(ExplainOf(data, "tt104"),
            "the plan has no job or task \"tt104\", did you mean \"t104\"?");
  EXPECT_EQ(Plan().Explain("x").status().code(), absl::StatusCode::kNotFound);
}

TEST(ToText, ListsDecisionsThenReasons) {
  PlanData data;
  data.decisions = {
      {.kind = DecisionKind::kAdmit, .job = 1},
      BindOf(10, 2),
      {.kind = DecisionKind::kEvict, .task = 101, .node = 3},
      {.kind = DecisionKind::kPhase, .job = 1, .phase = JobPhase::kRunning},
  };
  data.tentative = {{.task = 11, .node = 4, .nominated = false}};
  data.reasons = {NoNode(), {.kind = ReasonKind::kNotReached}};
  data.pending = {{12, 0}, {13, 1}, {14, 0}, {100, 1}, {101, 1}};
  EXPECT_EQ(MakePlan(data).ToText(),
            "admit j1\n"
            "bind t10 to n2\n"
            "evict t101 from n3\n"
            "phase j1 running\n"
            "tentative t11 on n4\n"
            "pending j1 (2 tasks): 88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only\n"
            "pending j1 (1 task): not reached\n"
            "pending t100: not reached\n"
            "pending t101: not reached\n");
  EXPECT_EQ(Plan().ToText(), "");
}

}  // namespace
}  // namespace muster
