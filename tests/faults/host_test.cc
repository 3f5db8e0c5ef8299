// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a host does with its whole process or thread moves no digest: it sets the rounding mode,
// lets subnormal numbers count as zero, sets a locale with a comma for its decimal point, or forks.
#include <sys/wait.h>
#include <unistd.h>

#include <cfenv>
#include <clocale>
#include <cstdint>
#include <locale>
#include <string>
#include <vector>

#include "tests/faults/fault_world.h"
#include "tests/support/random_world.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace muster::testing {
namespace {

constexpr uint64_t kHostWorlds = 12;

// Scenario texts and digests of all profiles over some worlds, written and read again.
std::vector<std::string> Everything() {
  std::vector<std::string> all;
  for (uint64_t seed = 0; seed < kHostWorlds; ++seed) {
    Cluster cluster = MakeCluster(RandomWorld(seed + 700));
    all.push_back(RowsOf(cluster));
    const absl::StatusOr<Scenario> again = ParseScenario(all.back());
    EXPECT_TRUE(again.ok()) << again.status().ToString();
    if (!again.ok()) continue;
    Cluster other;
    EXPECT_TRUE(Fill(*again, &other).ok());
    all.push_back(RowsOf(other));
    for (const ProfileInfo& info : Profiles()) {
      all.push_back(NextPlan(&cluster, info.name));
      all.push_back(NextPlan(&other, info.name));
      all.push_back(FreshPlan(cluster, info.name));
    }
  }
  return all;
}

class Host : public ::testing::Test {
 protected:
  const std::vector<std::string> expected_ = Everything();
};

TEST_F(Host, SetsARoundingMode) {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    const std::vector<std::string> got = Everything();
    // It is the host's again.
    EXPECT_EQ(std::fegetround(), mode);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(got, expected_) << mode;
  }
}

#if defined(__SSE2__)
TEST_F(Host, FlushesSubnormals) {
  constexpr unsigned kFlushAndDenormalsAreZero = 0x8040;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | kFlushAndDenormalsAreZero);
  const std::vector<std::string> got = Everything();
  EXPECT_EQ(_mm_getcsr() & kFlushAndDenormalsAreZero, kFlushAndDenormalsAreZero);
  _mm_setcsr(before);
  EXPECT_EQ(got, expected_);
}
#endif

// A stop of the host's sees the defaults while a cycle runs.
TEST_F(Host, IsCalledBackWithTheDefaults) {
  FaultWorld world;
  std::fesetround(FE_UPWARD);
  int mode = -1;
  ScheduleOptions options;
  options.should_stop = [&] {
    mode = std::fegetround();
    return false;
  };
  EXPECT_TRUE(world.cluster.Schedule("muster", options).ok());
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(mode, FE_TONEAREST);
}

class Commas : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_F(Host, SetsALocaleOfCpp) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new Commas));
  const std::vector<std::string> got = Everything();
  std::locale::global(before);
  EXPECT_EQ(got, expected_);
}

TEST_F(Host, SetsALocaleOfC) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const char* set = nullptr;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "fr_FR.utf8"}) {
    if (set == nullptr) set = std::setlocale(LC_ALL, name);
  }
  if (set == nullptr) GTEST_SKIP() << "no locale with a comma is installed";
  const std::vector<std::string> got = Everything();
  std::setlocale(LC_ALL, before.c_str());
  EXPECT_EQ(got, expected_);
}

// Plans of all profiles by the sessions that a cluster has, before and after a change.
std::string GoOn(Cluster* cluster) {
  std::string all;
  for (const ProfileInfo& info : Profiles()) all += NextPlan(cluster, info.name) + "\n";
  MustBeOk(cluster->AddNode({.name = "later", .capacity = {{"cpu", 8}, {"pods", 9}}}));
  for (const ProfileInfo& info : Profiles()) all += NextPlan(cluster, info.name) + "\n";
  return all + RowsOf(*cluster);
}

// Parent and child go on with the living cluster, each for itself.
TEST_F(Host, Forks) {
  FaultWorld world;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::string all = GoOn(&world.cluster);
    const bool written = write(ends[1], all.data(), all.size()) == static_cast<ssize_t>(all.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string theirs;
  char buffer[4096];
  for (ssize_t size; (size = read(ends[0], buffer, sizeof buffer)) > 0;) {
    theirs.append(buffer, static_cast<size_t>(size));
  }
  close(ends[0]);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(theirs, GoOn(&world.cluster));
}

}  // namespace
}  // namespace muster::testing
