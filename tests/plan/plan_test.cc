// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Plans as values: accessors, JSON, and a digest that sees every change and nothing else.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "lib/model/tables.h"
#include "lib/plan/json_text.h"
#include "lib/plan/plan_data.h"
#include "tests/plan/fake_names.h"

namespace muster {
namespace {

PlanData Rich() {
  PlanData data;
  data.decisions = {
      {.kind = DecisionKind::kAdmit, .job = 1},
      BindOf(10, 2),
      {.kind = DecisionKind::kNominate, .task = 11, .node = 3, .job = 1, .after_eviction = true},
      {.kind = DecisionKind::kEvict, .task = 101, .node = 3, .beneficiary = 11},
      {.kind = DecisionKind::kPhase, .job = 1, .phase = JobPhase::kRunning},
  };
  data.tentative = {{.task = 12, .node = 4, .nominated = true}};
  data.pending = {{13, 0}, {100, 1}};
  data.reasons = {
      {.kind = ReasonKind::kQueueLimit,
       .policy = "proportion",
       .queue = 1,
       .dimension = kMemory,
       .placed = 1,
       .needed = 2},
      {.kind = ReasonKind::kNoNode,
       .refusals = {{.code = RefusalCode::kInsufficient, .dimension = 3, .nodes = 88},
                    {.code = RefusalCode::kTaint, .detail = "gpu=only", .nodes = 12}}},
  };
  data.shares = {{.queue = 1,
                  .allocated_before = {1, 2, kAbsent},
                  .allocated_after = {3, 4, 5},
                  .deserved = {0.5, 1.0 / 3, 2},
                  .share_before = 0.25,
                  .share_after = 0.75}};
  data.profile = "volcano";
  data.version = 7;
  data.work = 40;
  return data;
}

TEST(Plan, TheEmptyPlanAnswersEverything) {
  const Plan plan;
  EXPECT_TRUE(plan.decisions().empty());
  EXPECT_TRUE(plan.binds().empty());
  EXPECT_TRUE(plan.tentative().empty());
  EXPECT_TRUE(plan.pending().empty());
  EXPECT_TRUE(plan.reasons().empty());
  EXPECT_TRUE(plan.shares().empty());
  EXPECT_EQ(plan.task_name(0), "");
  EXPECT_EQ(plan.profile(), "");
  EXPECT_TRUE(plan.complete());
  EXPECT_EQ(plan.work(), 0);
  EXPECT_EQ(plan.Digest(), MakePlan({}).Digest());
  EXPECT_TRUE(nlohmann::json::parse(plan.ToJson())["decisions"].is_array());
}

TEST(Plan, DecisionsByKind) {
  const Plan plan = MakePlan(Rich());
  ASSERT_EQ(plan.binds().size(), 1u);
  EXPECT_EQ(plan.binds()[0], (Bind{10, 2}));
  ASSERT_EQ(plan.evictions().size(), 1u);
  EXPECT_EQ(plan.evictions()[0].beneficiary, 11u);
  ASSERT_EQ(plan.nominations().size(), 1u);
  EXPECT_TRUE(plan.nominations()[0].after_eviction);
  EXPECT_EQ(plan.node_name(plan.binds()[0].node), "n2");
  EXPECT_EQ(plan.job_name(plan.decisions()[1].job), "j1");
  EXPECT_EQ(plan.queue_name(1), "vision");
  EXPECT_EQ(plan.dimension_name(kCpu), "cpu");
  EXPECT_EQ(plan.task_name(kNone), "");
}

TEST(ToJson, SaysAllByName) {
  const Plan plan = MakePlan(Rich());
  const nlohmann::json json = nlohmann::json::parse(plan.ToJson());
  EXPECT_EQ(json["profile"], "volcano");
  EXPECT_EQ(json["version"], 7);
  EXPECT_EQ(json["work"], 40);
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["cursor"], 0);
  EXPECT_EQ(json["digest"], plan.Digest());
  const char* decisions = R"([
      {"kind": "admit", "job": "j1"},
      {"kind": "bind", "task": "t10", "node": "n2", "job": "j1"},
      {"kind": "nominate", "task": "t11", "node": "n3", "job": "j1", "after_eviction": true},
      {"kind": "evict", "task": "t101", "node": "n3", "beneficiary": "t11"},
      {"kind": "phase", "job": "j1", "phase": "running"}])";
  EXPECT_EQ(json["decisions"], nlohmann::json::parse(decisions));
  const char* tentative = R"([{"task": "t12", "node": "n4", "nominated": true}])";
  EXPECT_EQ(json["tentative"], nlohmann::json::parse(tentative));
  const char* pending =
      R"([{"task": "t13", "job": "j1", "reason": 0}, {"task": "t100", "reason": 1}])";
  EXPECT_EQ(json["pending"], nlohmann::json::parse(pending));
  const char* reasons = R"json([
      {"kind": "queue_limit", "text": "queue \"vision\" would exceed its limit in memory (proportion)",
       "policy": "proportion", "queue": "vision", "dimension": "memory", "placed": 1, "needed": 2},
      {"kind": "no_node", "text": "88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only",
       "refusals": [{"nodes": 88, "code": "insufficient", "dimension": "nvidia.com/gpu"},
                    {"nodes": 12, "code": "taint", "detail": "gpu=only"}]}])json";
  EXPECT_EQ(json["reasons"], nlohmann::json::parse(reasons));
  const nlohmann::json& share = json["shares"][0];
  EXPECT_EQ(share["queue"], "vision");
  EXPECT_EQ(share["allocated_before"], nlohmann::json::parse(R"({"cpu": 1, "memory": 2})"));
  EXPECT_EQ(share["deserved"]["memory"].get<double>(), 1.0 / 3);
  EXPECT_EQ(share["share_after"], 0.75);
}

TEST(Digest, SeesEveryChangeOfWhatWasDecidedAndNothingElse) {
  const std::vector<std::function<void(PlanData*)>> changes = {
      [](PlanData* d) { d->decisions[0].kind = DecisionKind::kPhase; },
      [](PlanData* d) { d->decisions[1].task = 12; },
      [](PlanData* d) { d->decisions[1].node = 3; },
      [](PlanData* d) { d->decisions[0].job = 2; },
      [](PlanData* d) { d->decisions[3].beneficiary = kNone; },
      [](PlanData* d) { d->decisions[4].phase = JobPhase::kDegraded; },
      [](PlanData* d) { d->decisions[2].after_eviction = false; },
      [](PlanData* d) { std::swap(d->decisions[0], d->decisions[1]); },
      [](PlanData* d) { d->decisions.pop_back(); },
      [](PlanData* d) { d->tentative[0].task = 14; },
      [](PlanData* d) { d->tentative[0].node = 5; },
      [](PlanData* d) { d->tentative[0].nominated = false; },
      [](PlanData* d) { d->tentative.clear(); },
      [](PlanData* d) { d->pending[0].task = 14; },
      [](PlanData* d) { d->pending[0].reason = 1; },
      [](PlanData* d) { d->reasons[0].kind = ReasonKind::kGated; },
      [](PlanData* d) { d->reasons[0].policy = ""; },
      [](PlanData* d) { d->reasons[0].queue = 0; },
      [](PlanData* d) { d->reasons[0].dimension = kCpu; },
      [](PlanData* d) { d->reasons[0].placed = 0; },
      [](PlanData* d) { d->reasons[0].needed = 3; },
      [](PlanData* d) { d->reasons[1].refusals[0].code = RefusalCode::kPodLimit; },
      [](PlanData* d) { d->reasons[1].refusals[0].dimension = kCpu; },
      [](PlanData* d) { d->reasons[1].refusals[1].detail = "x"; },
      [](PlanData* d) { d->reasons[1].refusals[1].nodes = 11; },
      [](PlanData* d) { d->reasons[1].refusals.pop_back(); },
      [](PlanData* d) { d->shares[0].queue = 0; },
      [](PlanData* d) { d->shares[0].allocated_before[0] = 0; },
      [](PlanData* d) { d->shares[0].allocated_after[2] = kAbsent; },
      [](PlanData* d) { d->shares[0].deserved[1] = std::nextafter(d->shares[0].deserved[1], 1); },
      [](PlanData* d) { d->shares[0].share_before = 0; },
      [](PlanData* d) { d->shares[0].share_after = 0; },
      [](PlanData* d) { d->work = 41; },
      [](PlanData* d) { d->complete = false; },
      [](PlanData* d) { d->cursor = 1; },
  };
  std::set<std::string> digests = {MakePlan(Rich()).Digest()};
  for (size_t i = 0; i < changes.size(); ++i) {
    PlanData data = Rich();
    changes[i](&data);
    EXPECT_TRUE(digests.insert(MakePlan(data).Digest()).second) << "change " << i;
  }
  PlanData data = Rich();
  data.profile = "volcano:";
  data.version = 8;
  EXPECT_EQ(MakePlan(data).Digest(), MakePlan(Rich()).Digest());
  EXPECT_EQ(MakePlan(data).Digest().size(), 32u);
}

TEST(JsonText, EscapesAndRoundTrips) {
  for (const std::string& text :
       {std::string("a\"b\\c\n\t\r\b\x01\x7f"), std::string("\0x", 2), std::string("日本🎈")}) {
    std::string out;
    AppendJson(text, &out);
    EXPECT_EQ(nlohmann::json::parse(out).get<std::string>(), text);
  }
  for (const double x : {0.1, -1.0 / 3, 1e300, 5e-324, 0.0, 4500.0}) {
    std::string out;
    AppendJson(x, &out);
    EXPECT_EQ(nlohmann::json::parse(out).get<double>(), x) << out;
  }
  std::string out;
  AppendJson(std::numeric_limits<double>::infinity(), &out);
  AppendJson(std::nan(""), &out);
  AppendJson(std::numeric_limits<int64_t>::min(), &out);
  AppendJson(std::numeric_limits<uint64_t>::max(), &out);
  EXPECT_EQ(out, "nullnull-922337203685477580818446744073709551615");
}

// Both kinds of names over one hand-made table.
class NamesTest : public ::testing::Test {
 protected:
  NamesTest() : tables_(std::make_shared<Tables>()) {
    for (const char* name : {"n0", "n1", "n2"}) tables_->nodes.names.Intern(name);
    for (const char* name : {"j0", "j1", "j2"}) tables_->jobs.names.Intern(name);
    for (const char* name : {"t0", "t1", "t2", "t3"}) tables_->tasks.names.Intern(name);
    for (const char* name : {"q0", "q1"}) tables_->queues.names.Intern(name);
    tables_->tasks.job = {0, 0, kNone, 2};
    data_.decisions = {{.kind = DecisionKind::kBind, .task = 3, .node = 1, .job = 2},
                       {.kind = DecisionKind::kAdmit, .job = 1},
                       {.kind = DecisionKind::kEvict, .task = 2, .node = 2, .beneficiary = 3}};
    data_.pending = {{0, 0}};
    data_.reasons = {{.kind = ReasonKind::kQueueLimit, .queue = 1, .dimension = kMemory}};
  }
  std::shared_ptr<Tables> tables_;
  PlanData data_;
};

TEST_F(NamesTest, CopiesAndFrozenNamesAgreeOnWhatIsMentioned) {
  const std::shared_ptr<const PlanNames> frozen = NamesOf(tables_),
                                         copied = CopyNames(*tables_, data_);
  for (const PlanNames* names : {frozen.get(), copied.get()}) {
    EXPECT_EQ(names->task(0), "t0");
    EXPECT_EQ(names->task(2), "t2");
    EXPECT_EQ(names->task(3), "t3");
    EXPECT_EQ(names->node(1), "n1");
    EXPECT_EQ(names->job(0), "j0");
    EXPECT_EQ(names->job(1), "j1");
    EXPECT_EQ(names->job(2), "j2");
    EXPECT_EQ(names->queue(1), "q1");
    EXPECT_EQ(names->dimension(kMemory), "memory");
    EXPECT_EQ(names->FindTask("t3"), 3u);
    EXPECT_EQ(names->FindJob("j2"), 2u);
    EXPECT_EQ(names->FindTask("x"), kNone);
    EXPECT_EQ(names->job_of(0), 0u);
    EXPECT_EQ(names->job_of(2), kNone);
    EXPECT_EQ(names->job_of(kNone), kNone);
    EXPECT_EQ(names->task(kNone), "");
    EXPECT_EQ(names->node(kNone), "");
    EXPECT_EQ(names->job(kNone), "");
    EXPECT_EQ(names->queue(kNone), "");
    EXPECT_EQ(names->dimension(kNone), "");
  }
  EXPECT_EQ(frozen->FindTask("t1"), 1u);
  EXPECT_EQ(copied->FindTask("t1"), kNone);
  EXPECT_EQ(copied->task(1), "");
  EXPECT_EQ(copied->node(0), "");
}

TEST_F(NamesTest, CopiesOutliveTheTables) {
  const std::shared_ptr<const PlanNames> copied = CopyNames(*tables_, data_);
  tables_.reset();
  EXPECT_EQ(copied->task(3), "t3");
  EXPECT_EQ(copied->dimension(kCpu), "cpu");
}

}  // namespace
}  // namespace muster
