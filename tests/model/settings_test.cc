// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/settings.h"

#include <gtest/gtest.h>

#include "muster/muster.h"

namespace muster {
namespace {

const Labels kQueueSettings = {{"toy/sort", "fair"}, {"toy/most", "7"},   {"toy/part", "0.25"},
                               {"toy/open", "true"}, {"other/sort", "x"}, {"toy", "no key"}};

TEST(SettingReader, ReturnsWhatIsSetAndElseTheDefault) {
  SettingReader settings("queue", "a", kQueueSettings, "toy");
  EXPECT_EQ(settings.Choice("sort", {"fifo", "fair"}, "fifo"), "fair");
  EXPECT_EQ(settings.Integer("most", 0, 10, 3), 7);
  EXPECT_EQ(settings.Number("part", 0, 1, 1), 0.25);
  EXPECT_TRUE(settings.Flag("open", false));
  EXPECT_EQ(settings.Integer("least", 0, 10, 3), 3);
  EXPECT_EQ(settings.Text("note"), std::nullopt);
  EXPECT_TRUE(settings.Finish().ok());
}

TEST(SettingReader, RefusesAKeyThatNoCallNamed) {
  const Labels misspelt = {{"toy/sorts", "fair"}};
  SettingReader settings("queue", "a", misspelt, "toy");
  settings.Choice("sort", {"fifo", "fair"}, "fifo");
  EXPECT_EQ(settings.Finish().message(),
            "queue \"a\", setting \"toy/sorts\": is not known, did you mean \"sort\"?");
}

TEST(SettingReader, KeepsTheFirstRefusal) {
  const Labels wrong = {{"toy/sort", "lifo"}, {"toy/most", "11"}};
  SettingReader settings("job", "j", wrong, "toy");
  EXPECT_EQ(settings.Integer("most", 0, 10, 3), 3);
  EXPECT_EQ(settings.Choice("sort", {"fifo", "fair"}, "fifo"), "fifo");
  EXPECT_EQ(settings.Finish().message(),
            "job \"j\", setting \"toy/most\": is \"11\"; must be a whole number from 0 to 10");
}

TEST(SettingReader, RefusesAnySettingOfARowWithout) {
  NodeTable nodes;
  nodes.alive = {1, 0, 1};
  nodes.spec = {{.name = "m", .settings = {{"other/sort", "x"}}},
                {.name = "gone", .settings = {{"toy/sort", "x"}}},
                {.name = "n", .settings = {{"other/a", "x"}, {"toy/a", "x"}}}};
  EXPECT_EQ(CheckNoNodeSettings(nodes, "toy").message(),
            "node \"n\", setting \"toy/a\": is not known");
  EXPECT_TRUE(CheckNoNodeSettings(nodes, "to").ok());
  nodes.alive[2] = 0;
  EXPECT_TRUE(CheckNoNodeSettings(nodes, "toy").ok());
  JobTable jobs;
  jobs.alive = {1};
  jobs.spec = {{.name = "j", .settings = {{"toy/b", "x"}}}};
  EXPECT_EQ(CheckNoJobSettings(jobs, "toy").message(),
            "job \"j\", setting \"toy/b\": is not known");
}

TEST(Settings, AreKeptByTheClusterAndPartOfWhatARowMeans) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddQueue({.name = "a", .settings = {{"toy/sort", "fair"}}}).ok());
  const absl::Status twice =
      cluster.AddQueue({.name = "b", .settings = {{"k/x", "1"}, {"k/x", "2"}}});
  EXPECT_EQ(twice.message(), "queue \"b\", setting \"k/x\": is listed twice");
  EXPECT_EQ(cluster.AddJob({.name = "j", .settings = {{"", "1"}}}).message(),
            "job \"j\", setting \"\": the name is empty");
}

}  // namespace
}  // namespace muster
