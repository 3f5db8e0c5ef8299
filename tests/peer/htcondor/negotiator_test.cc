// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whole cycles, each small enough to work out by hand. Events in words: "1.0 on slot1".
#include "lib/peer/htcondor/negotiator.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster::condor {
namespace {

class NegotiatorTest : public ::testing::Test {
 protected:
  void AddSlot(const std::string& user = "", double current_rank = 0) {
    const std::string name = absl::StrCat("slot", pool_.slots.size() + 1);
    Slot slot{.name = name};
    const auto set = [&](const char* attribute, AdValue value) {
      slot.ad.Set(names_.Of(attribute), std::move(value));
    };
    set("Memory", AdValue::Of(int64_t{1024}));
    set("SlotWeight", AdValue::Of(1.0));
    set("Requirements", AdValue::Of(true));
    set("Rank", AdValue::Of(0.0));
    set("State", AdValue::Of(std::string(user.empty() ? "Unclaimed" : "Claimed")));
    if (!user.empty()) set("RemoteUser", AdValue::Of(user));
    if (!user.empty()) set("CurrentRank", AdValue::Of(current_rank));
    pool_.slots.push_back(std::move(slot));
  }
  void AddJobs(const std::string& submitter, int count, const std::string& limits = "") {
    const int cluster = static_cast<int>(pool_.submitters.size()) + 1;
    pool_.submitters.push_back({submitter, count, 0, static_cast<double>(count), 0, cluster});
    for (int i = 0; i < count; ++i) {
      CondorJob job{.id = absl::StrCat(cluster, ".", i), .auto_cluster = cluster};
      job.ad.Set(names_.Of("Requirements"), AdValue::Of(true));
      job.ad.Set(names_.Of("Rank"), AdValue::Of(0.0));
      if (!limits.empty()) job.ad.Set(names_.Of("ConcurrencyLimits"), AdValue::Of(limits));
      pool_.jobs[submitter].push_back(std::move(job));
    }
  }
  AdExpression Parsed(const char* text) { return *AdExpression::Parse(text, &names_); }
  // The matches and refusals of one cycle.
  std::string Run(const NegotiatorRules& rules, std::vector<GroupSpec> groups = {}) {
    Negotiator negotiator(rules, std::move(groups), &names_);
    negotiator.accountant().SetTime(0);
    for (const auto& [name, priority] : priorities_) {
      negotiator.accountant().SetPriority(name, priority);
    }
    std::string words;
    for (const NegotiationEvent& event : negotiator.RunCycle(pool_).events) {
      if (event.kind == NegotiationEvent::Kind::kMatch) {
        absl::StrAppend(&words, event.name, " on ", event.other,
                        event.preempts.empty() ? "" : " of " + event.preempts, "; ");
      } else if (event.kind == NegotiationEvent::Kind::kReject) {
        absl::StrAppend(&words, event.name, ": ", event.other, "; ");
      }
    }
    return words;
  }
  static NegotiatorRules WithoutPreemption() {
    NegotiatorRules rules;
    rules.match.preemption = false;
    return rules;
  }

  AdNames names_;
  Pool pool_;
  std::vector<std::pair<std::string, double>> priorities_;
};

// Refuses every third slot to jobs of kind 1.
struct EveryThird : SlotGate {
  bool Admits(const Slot& slot, int64_t kind) const override {
    return kind == 0 || slot.row % 3 != 0;
  }
};

// Slots that share their expressions are judged once, and decide as those that do not share them.
TEST_F(NegotiatorTest, SlotsThatAreAlikeAreJudgedAlike) {
  Rng rng(17);
  const EveryThird gate;
  std::string matches;
  for (int round = 0; round < 200; ++round) {
    pool_ = {};
    pool_.gate = &gate;
    for (uint32_t i = 0; i < 24; ++i) {
      AddSlot(rng.Below(4) == 0 ? "a@x" : "", static_cast<double>(rng.Below(4)));
    }
    for (const char* user : {"a@x", "b@x", "c@x"}) {
      AddJobs(user, 1 + static_cast<int>(rng.Below(6)));
      for (CondorJob& job : pool_.jobs[user]) {
        job.kind = static_cast<int64_t>(pool_.submitters.size() % 2);
        job.ad.Set(names_.Of("RequestMemory"), AdValue::Of(int64_t{900} + job.auto_cluster * 50));
        job.ad.Set(names_.Of("Rank"), Parsed("TARGET.Memory"));
        job.ad.Set(names_.Of("JobPrio"), AdValue::Of(static_cast<int64_t>(rng.Below(4))));
      }
    }
    constexpr const char* kRule = "TARGET.RequestMemory <= MY.Memory";
    const auto shared = std::make_shared<const AdExpression>(Parsed(kRule));
    const auto rank = std::make_shared<const AdExpression>(Parsed("TARGET.JobPrio + MY.Own * 0"));
    for (Slot& slot : pool_.slots) {
      slot.row = static_cast<uint32_t>(&slot - pool_.slots.data());
      slot.ad.Set(names_.Of("Memory"),
                  AdValue::Of(int64_t{800} + static_cast<int64_t>(rng.Below(6)) * 50));
      slot.ad.Set(names_.Of("Requirements"), shared);
      slot.ad.Set(names_.Of("Rank"), rank);
      slot.ad.Set(names_.Of("Own"), AdValue::Of(int64_t{0}));
    }
    const NegotiatorRules rules = round % 2 == 0 ? WithoutPreemption() : NegotiatorRules();
    const std::string alike = Run(rules);
    // With an attribute that all expressions may name and that differs, no slots are alike.
    for (Slot& slot : pool_.slots) slot.ad.Set(names_.Of("Own"), AdValue::Of(int64_t{slot.row}));
    EXPECT_EQ(alike, Run(rules)) << "round " << round;
    matches += alike;
  }
  EXPECT_NE(matches.find(" on slot"), matches.npos);
  EXPECT_NE(matches.find(" of a@x"), matches.npos);
  EXPECT_NE(matches.find("no match found"), matches.npos);
}

TEST_F(NegotiatorTest, SharesThePieByPriority) {
  for (int i = 0; i < 7; ++i) AddSlot();
  AddJobs("a@x", 9);
  AddJobs("b@x", 9);
  AddJobs("c@x", 9);
  priorities_ = {{"a@x", 0.5}, {"b@x", 1}, {"c@x", 2}};
  EXPECT_EQ(Run(WithoutPreemption()),
            "1.0 on slot1; 1.1 on slot2; 1.2 on slot3; 1.3 on slot4; 2.0 on slot5; 2.1 on slot6; "
            "3.0 on slot7; ");
}

TEST_F(NegotiatorTest, GivesWhatOneLeavesToOthersInTheNextSpin) {
  for (int i = 0; i < 4; ++i) AddSlot();
  AddJobs("a@x", 1);
  AddJobs("b@x", 5);
  EXPECT_EQ(Run(WithoutPreemption()),
            "1.0 on slot1; 2.0 on slot2; 2.1 on slot3; 2.2 on slot4; 2.3: no match found; ");
}

TEST_F(NegotiatorTest, BetterUsersPreemptWhereTheRuleAllowsIt) {
  AddSlot("b@x");
  AddJobs("a@x", 1);
  priorities_ = {{"b@x", 20}};
  NegotiatorRules rules;
  rules.match.preemption_requirements = Parsed("RemoteUserPrio > SubmitterUserPrio * 1.2");
  EXPECT_EQ(Run(rules), "1.0 on slot1 of b@x; ");
  rules.match.preemption_requirements = Parsed("false");
  EXPECT_EQ(Run(rules), "1.0: PREEMPTION_REQUIREMENTS == False; ");
}

TEST_F(NegotiatorTest, MachinesPreemptForJobsThatTheyPrefer) {
  AddSlot("b@x");
  pool_.slots[0].ad.Set(names_.Of("Rank"), Parsed("(TARGET.Owner == \"a\") * 10.0"));
  AddJobs("a@x", 1);
  for (CondorJob& job : pool_.jobs["a@x"]) {
    job.ad.Set(names_.Of("Owner"), AdValue::Of(std::string("a")));
  }
  EXPECT_EQ(Run({}), "1.0 on slot1 of b@x; ");
}

TEST_F(NegotiatorTest, ConcurrencyLimitsHold) {
  for (int i = 0; i < 4; ++i) AddSlot();
  AddJobs("a@x", 3, "lic:2");
  NegotiatorRules rules = WithoutPreemption();
  rules.concurrency.limits = {{"lic", 4}};
  EXPECT_EQ(Run(rules), "1.0 on slot1; 1.1 on slot2; 1.2: concurrency limit reached; ");
}

TEST_F(NegotiatorTest, GroupsStayWithinTheirQuotas) {
  for (int i = 0; i < 6; ++i) AddSlot();
  AddJobs("lab.a@x", 5);
  AddJobs("b@x", 5);
  NegotiatorRules rules = WithoutPreemption();
  EXPECT_EQ(Run(rules, {{.name = "lab", .quota = 2}}),
            "1.0 on slot1; 1.1 on slot2; 2.0 on slot3; 2.1 on slot4; 2.2 on slot5; 2.3 on slot6; ");
}

TEST_F(NegotiatorTest, JobsThatAreAlikeAreOfferedWhatIsLeft) {
  for (int i = 0; i < 4; ++i) AddSlot();
  NegotiatorRules rules = WithoutPreemption();
  AddJobs("a@x", 3);
  AddJobs("b@x", 3);
  int cluster = 0;
  for (auto& [submitter, jobs] : pool_.jobs) {
    for (CondorJob& job : jobs) {
      job.auto_cluster = cluster++;
      job.ad.Set(names_.Of("Rank"), Parsed("TARGET.Number"));
    }
  }
  for (int i = 0; i < 4; ++i) {
    pool_.slots[i].ad.Set(names_.Of("Number"), AdValue::Of(int64_t{i * 3 % 4}));  // 0, 3, 2, 1
  }
  EXPECT_EQ(Run(rules), "1.0 on slot2; 1.1 on slot3; 2.0 on slot4; 2.1 on slot1; ");
  for (Slot& slot : pool_.slots) slot.ad.Set(names_.Of("Number"), AdValue::Of(int64_t{0}));
  EXPECT_EQ(Run(rules), "1.0 on slot1; 1.1 on slot2; 2.0 on slot3; 2.1 on slot4; ");
}

TEST_F(NegotiatorTest, JobsDifferByWhatOtherExpressionsName) {
  for (int i = 0; i < 3; ++i) AddSlot();
  AddJobs("a@x", 3);
  // The first two are of one class; the name that tells the third apart is known by the slots only.
  for (Slot& slot : pool_.slots) {
    slot.ad.Set(names_.Of("Requirements"), Parsed("TARGET.Size < 5"));
  }
  std::vector<CondorJob>& jobs = pool_.jobs["a@x"];
  for (int i = 0; i < 3; ++i) {
    jobs[i].auto_cluster = i;
    jobs[i].ad.Set(names_.Of("Size"), AdValue::Of(int64_t{i == 2 ? 9 : 1}));
  }
  EXPECT_EQ(Run(WithoutPreemption()), "1.0 on slot1; 1.1 on slot2; 1.2: no match found; ");
}

}  // namespace
}  // namespace muster::condor
