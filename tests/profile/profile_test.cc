// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Spec strings: every form of the grammar, and the errors of other strings.
#include "lib/profile/profile.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/strings.h"
#include "muster/schedule.h"

namespace muster {
namespace {

// "admit+allocate | priority+gang(-preemptable)/drf{weight=2}"
std::string Resolved(std::string_view spec) {
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(spec);
  if (!config.ok()) return std::string(config.status().message());
  std::string words;
  const auto add_options = [&](const Options& options) {
    for (const auto& [key, value] : options.given())
      absl::StrAppend(&words, "{", key, "=", value, "}");
  };
  for (const ConfiguredAction& action : config->actions) {
    absl::StrAppend(&words, words.empty() ? "" : "+", ToAbsl(action.decl.name));
    add_options(action.options);
  }
  words += " |";
  for (const auto& tier : config->tiers) {
    if (&tier != &config->tiers.front()) words += " /";
    for (const ConfiguredPolicy& policy : tier) {
      absl::StrAppend(&words, " ", ToAbsl(policy.decl.name));
      add_options(policy.options);
      const PointSet all = policy.decl.make(policy.options)->points();
      for (int p = 0; p < kPointCount; ++p) {
        const Point point = static_cast<Point>(p);
        if (all.has(point) && !policy.points.has(point)) {
          absl::StrAppend(&words, "(-", ToAbsl(PointName(point)), ")");
        }
      }
    }
  }
  return words;
}

constexpr char kTiers[] =
    " | priority gang(-preemptable) conformance / overcommit drf(-preemptable) predicates "
    "proportion nodeorder "
    "binpack";

TEST(Profile, AsItsTableHasIt) {
  EXPECT_EQ(Resolved("volcano"), absl::StrCat("admit+allocate+backfill", kTiers));
  EXPECT_EQ(ResolveProfile("volcano:-drf")->name, "volcano:-drf");
}

TEST(Profile, ActionsComeAndGo) {
  EXPECT_EQ(Resolved("volcano:+preempt,+reclaim"),
            absl::StrCat("admit+allocate+backfill+preempt+reclaim", kTiers));
  EXPECT_EQ(Resolved("volcano:-admit,-backfill"), absl::StrCat("allocate", kTiers));
  EXPECT_EQ(Resolved("volcano:actions=reclaim+allocate"), absl::StrCat("reclaim+allocate", kTiers));
  EXPECT_EQ(Resolved("volcano:actions=allocate+allocate"),
            absl::StrCat("allocate+allocate", kTiers));
  EXPECT_EQ(Resolved("volcano:actions=,tiers=drf"), " | drf");
}

TEST(Profile, PoliciesComeAndGo) {
  EXPECT_EQ(Resolved("volcano:tiers=drf,+gang"), "admit+allocate+backfill | drf gang");
  EXPECT_EQ(Resolved("volcano:tiers=drf/gang,-drf,-admit"), "allocate+backfill | / gang");
  EXPECT_EQ(Resolved("volcano:actions=allocate,tiers=,+gang(without=ready)"),
            "allocate | gang(-ready)");
  EXPECT_EQ(Resolved("volcano:actions=allocate,tiers=gang+drf(without=preemptable|job_order)/"
                     "binpack(weight=2)"),
            "allocate | gang drf(-job_order)(-preemptable) / binpack{weight=2}");
}

TEST(Profile, OptionsReplaceEachOther) {
  const std::string head = "volcano:actions=allocate,tiers=binpack(weight=2,cpu=3)";
  EXPECT_EQ(Resolved(head), "allocate | binpack{weight=2}{cpu=3}");
  EXPECT_EQ(Resolved(head + ",binpack(weight=5)"), "allocate | binpack{cpu=3}{weight=5}");
  EXPECT_EQ(Resolved(head + ",binpack(resource.nvidia.com/gpu=7)"),
            "allocate | binpack{weight=2}{cpu=3}{resource.nvidia.com/gpu=7}");
  // A switch given anew replaces the table's.
  EXPECT_EQ(Resolved("volcano:actions=allocate,tiers=gang(without=ready),gang(without=valid)"),
            "allocate | gang(-valid)");
}

TEST(Profile, ErrorsNameTheWordAndTheNearestOne) {
  const std::pair<const char*, const char*> cases[] = {
      {"volcanoo", "profile: unknown profile \"volcanoo\"; did you mean \"volcano\"?"},
      {"kube",
       "profile: unknown profile \"kube\"; did you mean \"kube-batch\" or \"kube-scheduler\"?"},
      {"plugins", "profile: unknown profile \"plugins\"; did you mean \"scheduler-plugins\"?"},
      {"binpack(weight=1)",
       "profile: unknown profile \"binpack(weight=1)\"; must be one of armada, conservative, "
       "easy, fcfs, gavel, htcondor, kai, koordinator, kube-batch, kube-scheduler, kueue, mesos, "
       "muster, pulsar, ray, scheduler-plugins, themis, tiresias, transwarp, volcano, "
       "yarn-capacity, yarn-fair, yunikorn"},
      {"drf", "profile: unknown profile \"drf\": it is a policy, as in \"muster:+drf\""},
      {"gang", "profile: unknown profile \"gang\": it is a policy, as in \"koordinator:+gang\""},
      {"preempt",
       "profile: unknown profile \"preempt\": it is an action, as in \"volcano:+preempt\""},
      {"esay", "profile: unknown profile \"esay\"; did you mean \"easy\"?"},
      {"easy(order=sjf)",
       "profile: unknown profile \"easy(order=sjf)\"; did you mean \"easy:order=sjf\"?"},
      {"volcano:-gangg", "profile: unknown action or policy \"gangg\"; did you mean \"gang\"?"},
      {"volcano:+binpak",
       "profile: unknown action or policy \"binpak\"; did you mean \"binpack\"?"},
      {"volcano:actions=allocte",
       "profile: unknown action \"allocte\"; did you mean \"allocate\"?"},
      {"kube-batch:actions=frobnicate",
       "profile: unknown action \"frobnicate\"; must be one of allocate, backfill, preempt, "
       "reclaim"},
      {"volcano:tiers=drf/prioritys",
       "profile: unknown policy \"prioritys\"; did you mean \"priority\"?"},
      {"volcano:gang(without=redy)",
       "profile: unknown extension point \"redy\"; did you mean \"ready\"?"},
      {"volcano:binpack(wieght=1)",
       "policy binpack: unknown option \"wieght\"; did you mean \"weight\"?"},
  };
  for (const auto& [spec, message] : cases) EXPECT_EQ(Resolved(spec), message);
}

TEST(Profile, ErrorsNameTheRule) {
  const std::pair<const char*, const char*> cases[] = {
      {"volcano:+gang", "\"gang\" is there already"},
      {"muster:allocate(tries=3),actions=allocate",
       "\"actions=allocate\" would undo \"allocate(tries=3)\" before it; must come first"},
      {"muster:tries=3,actions=allocate",
       "\"actions=allocate\" would undo \"tries=3\" before it; must come first"},
      {"volcano:+pdb,tiers=gang", "\"tiers=gang\" would undo \"+pdb\" before it; must come first"},
      {"volcano:+allocate", "\"allocate\" is there already"},
      {"volcano:-preempt", "\"preempt\" is not part of \"volcano\""},
      {"volcano:preempt(topology_aware=on)",
       "\"preempt\" is not part of \"volcano\"; \"+preempt\" adds it"},
      {"volcano:preempt()", "is not of the form key=value"},
      {"volcano:binpack(weight)", "\"weight\" is not of the form key=value"},
      {"volcano:binpack(=1)", "\"=1\" is not of the form key=value"},
      {"volcano:binpack(weight=1", "unbalanced parentheses"},
      {"volcano:binpack)weight=1(", "unbalanced parentheses"},
      {"volcano:binpack(weight=1)x", "words after the options"},
      {"volcano:binpack(cpu=1,cpu=2),drf", "option \"cpu\" of \"binpack\" is given twice"},
      {"volcano:tiers=binpack(cpu=1,cpu=2)", "option \"cpu\" of \"binpack\" is given twice"},
      {"volcano:binpack(weight=-1)", "option \"weight\" is \"-1\"; must be a number from 0"},
      {"kai:allocate(depth=1.5)",
       "option \"depth\" is \"1.5\"; must be a whole number from -1 to 1000000000"},
      {"volcano:binpack(weight=nan)", "option \"weight\" is \"nan\"; must be a number"},
      {"volcano:binpack(weight=many)", "option \"weight\" is \"many\"; must be a number"},
      {"volcano:predicates(taints=yes)", "option \"taints\" is \"yes\"; must be on or off"},
      {"volcano:(weight=1)", "a name is missing"},
      {"volcano:+", "a name is missing"},
      {"volcano:drf,,gang", "a name is missing"},
  };
  for (const auto& [spec, words] : cases) {
    const absl::StatusOr<ProfileConfig> config = ResolveProfile(spec);
    ASSERT_FALSE(config.ok()) << spec;
    EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(std::string(config.status().message()).find(words), std::string::npos)
        << spec << ": " << config.status().message();
  }
}

TEST(Profile, ASpecIsUtf8) {
  EXPECT_EQ(std::string(ResolveProfile("volcano:lone_tasks=a\xFF").status().message()),
            "profile \"volcano:lone_tasks=a\\xff\": the text is not UTF-8");
  EXPECT_TRUE(ResolveProfile("volcano:lone_tasks=\xC3\xBC").ok());
}

TEST(Profile, EveryTableResolvesAndIsListed) {
  const std::vector<ProfileInfo> infos = Profiles();
  ASSERT_EQ(infos.size(), Presets().size()) << "a table does not resolve";
  for (size_t i = 0; i < infos.size(); ++i) {
    EXPECT_EQ(infos[i].name, Presets()[i].name);
    EXPECT_FALSE(infos[i].summary.empty());
    EXPECT_FALSE(infos[i].actions.empty());
    EXPECT_FALSE(infos[i].tiers.empty());
  }
  // What the lists show is accepted as input.
  for (const PolicyInfo& policy : Policies()) {
    for (const OptionInfo& option : policy.options) {
      if (option.name.ends_with("*")) continue;
      const std::string spec = absl::StrCat("volcano:tiers=", policy.name, "(", option.name, "=",
                                            option.default_value, ")");
      EXPECT_TRUE(ResolveProfile(spec).ok()) << spec << ": " << ResolveProfile(spec).status();
    }
  }
}

// Neither long nor strange text hurts.
TEST(Profile, AnyBytes) {
  for (const std::string& spec :
       {std::string(), std::string(":"), std::string("volcano:"), std::string(1 << 20, '('),
        "volcano:" + std::string(1 << 16, '+'), "volcano:tiers=" + std::string(1 << 16, '/'),
        std::string("volcano:\0drf", 12), std::string("volcano:\xff\xfe(\x80=1)")}) {
    const absl::StatusOr<ProfileConfig> config = ResolveProfile(spec);
    if (!config.ok()) EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(Profile, RefusesWhatIsGivenTwice) {
  const std::string of_binpack =
      "profile: option \"weight\" of \"binpack\" is given twice; give it once";
  EXPECT_EQ(Resolved("volcano:binpack(weight=5,weight=6)"), of_binpack);
  EXPECT_EQ(Resolved("volcano:binpack(weight=5),binpack(weight=5)"), of_binpack);
  EXPECT_EQ(Resolved("volcano:tiers=binpack(weight=5),binpack(weight=6),binpack(weight=7)"),
            of_binpack);
  EXPECT_EQ(Resolved("yunikorn:node_sort=fair,node_sort=binpacking"),
            "profile: option \"node_sort\" of \"schedule\" is given twice; give it once");
  EXPECT_EQ(Resolved("yunikorn:node_sort=fair,schedule(node_sort=fair)"),
            "profile: option \"node_sort\" of \"schedule\" is given twice; give it once");
  for (const std::string key : {"actions", "tiers", "lone_tasks", "queue_ties"}) {
    const std::string value = key == "actions"      ? "allocate"
                              : key == "tiers"      ? "gang"
                              : key == "queue_ties" ? "name"
                                                    : "q";
    const std::string item = absl::StrCat(key, "=", value);
    EXPECT_EQ(Resolved(absl::StrCat("volcano:", item, ",", item)),
              absl::StrCat("profile: \"", key, "\" is given twice; give it once"));
  }
  // Once each: two actions of one name, and what the profile or a list has before an item.
  EXPECT_EQ(Resolved("armada:actions=round(pool=a)+round(pool=b)").find("twice"),
            std::string::npos);
  EXPECT_EQ(Resolved("kube-batch:gang(without=ready)").find("twice"), std::string::npos);
}

}  // namespace
}  // namespace muster
