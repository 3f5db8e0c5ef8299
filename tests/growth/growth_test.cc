// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// No part of an input makes work grow faster than docs/growth.md states.
//
// What runs. Every action of every profile's catalogue, every policy, every importer's kinds and
// every reader of traces, taken from the tables where they register. One that is added later is
// measured without a change here, and a reader or a kind without a text fails the test. Actions and
// policies run on each world of worlds.cc.
//
// What is counted: see work.h. Each world is measured at n, 2n and 4n, and the exponent between the
// last two is compared with the page (page.h). Where a profile refuses a world by a limit of its
// own, the page states that.
//
//   MUSTER_GROWTH_PRINT=1 build/release/tests/muster_growth_test   prints every exponent
#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/import/importer.h"
#include "lib/profile/profile.h"
#include "lib/scenario/scenario.h"
#include "muster/cluster.h"
#include "muster/schedule.h"
#include "tests/growth/page.h"
#include "tests/growth/texts.h"
#include "tests/growth/work.h"
#include "tests/growth/worlds.h"

namespace muster::testing {
namespace {

struct Subject {
  std::string name;  // as the page has it
  std::string spec;  // of a profile
};

// Each action alone, after the one that admits jobs where its profile has one.
std::vector<Subject> Actions() {
  std::set<std::string> profiles;
  for (const Preset& preset : Presets()) profiles.insert(std::string(preset.name));
  std::vector<Subject> subjects;
  for (const Preset& preset : Presets()) {
    const std::string profile(preset.name);
    std::string admit;
    for (const ActionDecl& action : preset.catalogue) {
      if (action.admits) admit = std::string(action.name) + "+";
    }
    for (const ActionDecl& action : preset.catalogue) {
      const std::string name(action.name);
      // An action that is a profile is measured there alone.
      if (name != profile && profiles.contains(name)) continue;
      subjects.push_back(
          {profile + " " + name, profile + ":actions=" + (action.admits ? "" : admit) + name});
    }
  }
  return subjects;
}

// Each policy beside few others, under actions that ask all questions.
std::vector<Subject> Policies() {
  const std::string frame = "volcano:actions=admit+allocate+preempt+reclaim,tiers=gang/predicates";
  std::vector<Subject> subjects;
  for (const PolicyDecl& policy : PolicyCatalogue()) {
    const std::string name(policy.name);
    const bool is_there = name == "gang" || name == "predicates";
    subjects.push_back({"policy " + name, is_there ? frame : frame + "+" + name});
  }
  return subjects;
}

// Snapshots of one world at n, 2n and 4n.
std::vector<Snapshot> Snapshots(const Dimension& dimension) {
  std::vector<Snapshot> snapshots;
  for (int times : {1, 2, 4}) {
    Cluster cluster;
    const absl::Status filled = Fill(dimension.make(times * dimension.size), &cluster);
    EXPECT_TRUE(filled.ok()) << dimension.name << ": " << filled;
    snapshots.push_back(cluster.Freeze());
  }
  return snapshots;
}

void CheckSubjects(const std::vector<Subject>& subjects, Page* page) {
  for (const Dimension& dimension : Dimensions()) {
    const std::vector<Snapshot> snapshots = Snapshots(dimension);
    for (const Subject& subject : subjects) {
      std::array<uint64_t, 3> work = {};
      absl::Status status;
      for (size_t i = 0; i < work.size() && status.ok(); ++i) {
        work[i] =
            CountWork([&] { status = Schedule(snapshots[i], subject.spec, {.now = 1}).status(); });
      }
      const std::string part(dimension.name);
      if (status.ok()) {
        page->Check(subject.name, part, work);
      } else {
        page->CheckRefused(subject.name, part, status.ToString());
      }
    }
  }
}

TEST(Growth, OfActions) {
  Page page;
  const std::vector<Subject> subjects = Actions();
  CheckSubjects(subjects, &page);
  for (const Preset& preset : Presets()) page.CheckRows(std::string(preset.name) + " ");
  page.CheckRows("all");
}

TEST(Growth, OfPolicies) {
  Page page;
  CheckSubjects(Policies(), &page);
  page.CheckRows("policy ");
}

TEST(Growth, OfScenarios) {
  Page page;
  for (const Dimension& dimension : Dimensions()) {
    std::array<uint64_t, 3> write = {}, parse = {}, fill = {};
    for (int i = 0; i < 3; ++i) {
      const Scenario scenario = dimension.make(dimension.size << i);
      std::string text;
      write[i] = CountWork([&] { text = WriteScenario(scenario); });
      parse[i] = CountWork([&] { EXPECT_TRUE(ParseScenario(text).ok()) << dimension.name; });
      fill[i] = CountWork([&] {
        Cluster cluster;
        EXPECT_TRUE(Fill(scenario, &cluster).ok()) << dimension.name;
        cluster.Freeze();
      });
    }
    const std::string part(dimension.name);
    page.Check("scenario written", part, write);
    page.Check("scenario read", part, parse);
    page.Check("scenario filled", part, fill);
  }
  page.CheckRows("scenario ");
}

// Each call makes one task more of a job that has all those of the calls before it.
TEST(Growth, OfTasksThatAreMadeOneByOne) {
  Page page;
  std::array<uint64_t, 3> work = {};
  for (int i = 0; i < 3; ++i) {
    const int64_t tasks = int64_t{500} << i;
    Cluster cluster;
    JobSpec job{.name = "j"};
    job.groups = {{.name = "w", .by_count = ByCount{.count = tasks}}};
    ASSERT_TRUE(cluster.AddJob(job).ok());
    work[i] = CountWork([&] {
      for (int64_t t = 0; t < tasks; ++t) ASSERT_TRUE(cluster.MakeTasks("j", "w", 1).ok());
    });
  }
  page.Check("tasks made", "calls", work);
}

TEST(Growth, OfReaders) {
  Page page;
  std::set<std::string> measured, declared;
  for (const GrowingText& text : GrowingTraces()) {
    std::array<uint64_t, 3> work = {};
    for (int i = 0; i < 3; ++i) {
      const Reading read = text.make(text.size << i);
      absl::Status status;
      work[i] = CountWork([&] { status = read(); });
      EXPECT_TRUE(status.ok()) << text.reader << ", " << text.part << ": " << status;
    }
    page.Check(std::string(text.reader), std::string(text.part), work);
    measured.insert(std::string(text.reader));
  }
  page.CheckRows("Read");
  for (const char* header : {"include/muster/trace.h", "include/muster/packing.h"}) {
    std::ifstream file(header);
    const std::string source((std::istreambuf_iterator<char>(file)), {});
    const std::regex declaration("MUSTER_EXPORT absl::StatusOr<\\w+> (Read\\w+)\\(");
    for (std::sregex_iterator it(source.begin(), source.end(), declaration), end; it != end; ++it) {
      declared.insert((*it)[1]);
    }
  }
  EXPECT_EQ(measured, declared) << "each reader needs a row of tests/growth/traces.cc";
}

TEST(Growth, OfImporters) {
  Page page;
  const std::vector<std::string_view> kinds = GrowingKinds();
  for (const Importer* importer : Importers()) {
    const std::string_view group = importer->groups.empty() ? "" : importer->groups[0];
    const std::string subject = "import " + std::string(importer->name);
    for (const KindRule& rule : importer->kinds) {
      ASSERT_TRUE(std::ranges::count(kinds, rule.kind) == 1)
          << rule.kind << " of " << importer->name
          << " needs a row of dumps.cc or answers.cc in tests/growth";
      std::array<uint64_t, 3> work = {};
      absl::Status status;
      for (int i = 0; i < 3 && status.ok(); ++i) {
        const std::string dump = GrowingDump(rule.kind, group, 48 << i);
        work[i] = CountWork([&] {
          status = ImportObjects(dump, {.profile = std::string(importer->name)}).status();
        });
      }
      if (status.ok()) {
        page.Check(subject, std::string(rule.kind), work);
      } else {
        page.CheckRefused(subject, std::string(rule.kind), status.ToString());
      }
    }
  }
  page.CheckRows("import ");
}

}  // namespace
}  // namespace muster::testing
