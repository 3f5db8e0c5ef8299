// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Jobs that are appended by their kind against the same jobs added one by one: the tables, their
// log and a plan are those of the long way.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/model/validate.h"
#include "muster/schedule.h"
#include "tests/model/dump.h"

namespace muster {
namespace {

JobSpec SpecOf(Rng& rng, int64_t number) {
  JobSpec job{.name = absl::StrCat("job-", number)};
  job.queue = rng.Chance(0.5) ? "default" : "wishes";
  job.min_available = 2;
  job.min_resources = {{"cpu", 2}};
  const int64_t size = 1 + static_cast<int64_t>(rng.Below(2));
  job.groups = {{.name = "w", .count = size, .shape = {.request = {{"cpu", size}}}},
                {.count = 1, .shape = {.request = {{"example.com/part", size}}}}};
  if (rng.Chance(0.5)) std::swap(job.groups[0], job.groups[1]);
  return job;
}

// What separates one job from others of its kind.
void MakeOwn(Rng& rng, JobSpec* job) {
  job->priority = static_cast<int32_t>(rng.Below(3));
  job->created = static_cast<int64_t>(rng.Below(100));
  job->uid_rank = static_cast<int64_t>(rng.Below(100));
  if (rng.Chance(0.5)) job->estimate = 5;
}

JobKind KindOf(Editor& editor, const JobSpec& job) {
  const absl::StatusOr<Amounts> amounts = CheckJob(job);
  EXPECT_TRUE(amounts.ok()) << amounts.status();
  std::vector<CheckedShape> shapes;
  for (const GroupSpec& group : job.groups) {
    absl::StatusOr<CheckedShape> shape =
        editor.interner().Check(group.shape, "job", job.name, "group", group.name);
    EXPECT_TRUE(shape.ok()) << shape.status();
    shapes.push_back(*std::move(shape));
  }
  JobRefs refs;
  EXPECT_FALSE(editor.Resolve(job, kNone, &refs).has_value());
  return editor.KindOf(job, *amounts, refs, shapes);
}

Cluster Empty() {
  Cluster cluster;
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(cluster
                    .AddNode({.name = absl::StrCat("n", i),
                              .capacity = {{"cpu", 4}, {"example.com/part", 3}}})
                    .ok());
  }
  // Its tasks are of classes of their own.
  QueueSpec wishes{.name = "wishes"};
  wishes.node_groups.emplace();
  EXPECT_TRUE(cluster.AddQueue(wishes).ok());
  return cluster;
}

std::vector<std::pair<int, uint32_t>> LogOf(const Tables& tables) {
  std::vector<std::pair<int, uint32_t>> log;
  for (const Change& change : tables.log) {
    log.emplace_back(static_cast<int>(change.table), change.index);
  }
  return log;
}

TEST(JobKind, AppendsWhatAddingWouldPut) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Rng rng(seed);
    Cluster added = Empty(), appended = Empty();
    Editor& editor = ImplOf(appended).editor;
    for (int64_t kinds = 0; kinds < 3; ++kinds) {
      JobSpec job = SpecOf(rng, kinds * 10);
      const JobKind kind = KindOf(editor, job);
      for (int64_t i = 0; i < 4; ++i) {
        job.name = absl::StrCat("job-", kinds * 10 + i);
        MakeOwn(rng, &job);
        ASSERT_TRUE(added.AddJob(job).ok());
        JobSpec own = job;
        own.groups.clear();
        own.min_resources.emplace();
        editor.AppendJob(kind, own);
      }
      if (rng.Chance(0.3)) {
        const std::string gone = absl::StrCat("job-", kinds * 10 + rng.Below(4));
        ASSERT_TRUE(added.RemoveJob(gone).ok());
        editor.EraseJob(*TablesOf(appended).jobs.names.Find(gone));
      }
    }
    EXPECT_EQ(Contradiction(appended), "");
    EXPECT_EQ(RowOrder(appended), RowOrder(added));
    auto expected = Dump(added), actual = Dump(appended);
    std::erase_if(expected, [](const auto& row) { return row.first.starts_with("job "); });
    std::erase_if(actual, [](const auto& row) { return row.first.starts_with("job "); });
    EXPECT_EQ(actual, expected);
    const Tables &a = TablesOf(added), &b = TablesOf(appended);
    EXPECT_EQ(LogOf(b), LogOf(a));
    EXPECT_EQ(b.queues.jobs, a.queues.jobs);
    EXPECT_EQ(b.tasks.task_class, a.tasks.task_class);
    ASSERT_EQ(b.jobs.alive, a.jobs.alive);
    for (JobIndex j = 0; j < a.jobs.alive.size(); ++j) {
      const auto want = a.jobs.min_resources.row(j), have = b.jobs.min_resources.row(j);
      EXPECT_TRUE(std::ranges::equal(want, have)) << "job " << j;
      ASSERT_EQ(b.jobs.groups[j].size(), a.jobs.groups[j].size());
      for (size_t g = 0; g < a.jobs.groups[j].size(); ++g) {
        EXPECT_EQ(b.jobs.groups[j][g].name, a.jobs.groups[j][g].name);
        EXPECT_EQ(b.jobs.groups[j][g].min_available, a.jobs.groups[j][g].min_available);
      }
    }
    for (const char* profile : {"volcano", "muster"}) {
      const absl::StatusOr<Plan> want = added.Schedule(profile), have = appended.Schedule(profile);
      ASSERT_TRUE(want.ok() && have.ok()) << want.status() << have.status();
      EXPECT_EQ(have->Digest(), want->Digest()) << profile;
      EXPECT_FALSE(have->decisions().empty());
    }
  }
}

}  // namespace
}  // namespace muster
