// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Long lives of clusters, one a profile: memory stays bounded, and what a cluster decides after
// millions of events is what one decides that is built from its rows.
//
//   muster_long_life                                       every profile of the registry
//   muster_long_life --profile muster --events 10000000    one life
//     --nodes N     of the cluster; default 10000
//     --cycle N     events between two plans; default 1000
//     --check N     events between two comparisons with rebuilt clusters; default 100000
//     --seed N      default 1
//     --curve FILE  resident bytes by events, as CSV; a row for each 1/200 of the life
//     --digests     prints nothing but profiles and digests, to compare builds of the library by
//
// Exits with 1 if a plan fails or differs, if nothing is placed, ended or refused, or if memory
// grows in the later part of a life.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/long_life/checks.h"
#include "tests/long_life/life.h"

namespace muster::long_life {
namespace {

struct Flags {
  std::vector<std::string> profiles;
  int64_t events = 100'000, check = 100'000;
  LifeOptions life;
  std::string curve;
  bool digests = false;
};

bool Parse(int argc, char** argv, Flags* flags) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--digests") {
      flags->digests = true;
      continue;
    }
    if (++i == argc) return false;
    const std::string value = argv[i];
    const int64_t number = std::atoll(argv[i]);
    if (word == "--profile") {
      flags->profiles.push_back(value);
    } else if (word == "--curve") {
      flags->curve = value;
    } else if (number < 1) {
      return false;
    } else if (word == "--events") {
      flags->events = number;
    } else if (word == "--nodes") {
      flags->life.nodes = number;
    } else if (word == "--cycle") {
      flags->life.events_a_cycle = number;
    } else if (word == "--check") {
      flags->check = number;
    } else if (word == "--seed") {
      flags->life.seed = static_cast<uint64_t>(number);
    } else {
      return false;
    }
  }
  if (flags->profiles.empty()) {
    for (const ProfileInfo& info : Profiles()) {
      // By itself it admits by quotas of flavors, which these queues lack, and binds nothing.
      const bool admits_alone = info.name == "kueue";
      flags->profiles.push_back(admits_alone ? "kueue:+allocate,plain_queues=on" : info.name);
    }
  }
  return true;
}

// Resident bytes by events.
class Curve {
 public:
  explicit Curve(int64_t events) : step_(std::max<int64_t>(events / 200, 1)) {}
  void See(int64_t events) {
    if (events < next_) return;
    next_ = events + step_;
    points_.push_back({events, ResidentBytes()});
  }
  // The largest between two parts of the life, as MiB.
  int64_t Most(double from, double to) const {
    int64_t most = 0;
    const auto count = static_cast<double>(points_.size());
    for (size_t i = 0; i < points_.size(); ++i) {
      const auto at = static_cast<double>(i) / count;
      if (at >= from && at < to) most = std::max(most, points_[i].bytes);
    }
    return most >> 20;
  }
  // Whether the last third takes no more than the middle one. Allocators are not exact.
  bool IsBounded() const { return 10 * Most(2.0 / 3, 1) <= 11 * Most(1.0 / 3, 2.0 / 3) + 160; }
  void Write(const std::string& profile, std::FILE* file) const {
    for (const Point& point : points_) {
      std::fprintf(file, "%s,%lld,%lld\n", profile.c_str(), static_cast<long long>(point.events),
                   static_cast<long long>(point.bytes));
    }
  }

 private:
  struct Point {
    int64_t events, bytes;
  };
  const int64_t step_;
  int64_t next_ = 0;
  std::vector<Point> points_;
};

int Fail(const Life& life, const std::string& words) {
  std::printf("%s: after %lld events: %s\n", life.profile().c_str(),
              static_cast<long long>(life.counts().events), words.c_str());
  return 1;
}

// What a life without any of these would not show.
std::string Lacks(const Counts& counts) {
  const std::pair<const char*, int64_t> kinds[] = {{"arrival", counts.arrivals},
                                                   {"bind", counts.binds},
                                                   {"end", counts.ends},
                                                   {"failure", counts.failures},
                                                   {"refused call", counts.refused},
                                                   {"change of a node", counts.node_changes},
                                                   {"edit of a queue", counts.queue_edits}};
  for (const auto& [name, count] : kinds) {
    if (count == 0) return std::string("no ") + name;
  }
  return "";
}

void Print(const Life& life, const Curve& curve, int64_t checks, double seconds) {
  const Counts& c = life.counts();
  const auto number = [](int64_t n) { return static_cast<long long>(n); };
  std::printf(
      "%s: %lld events in %lld cycles, %.0f s, %.0f events/s; resident %lld MiB in the first "
      "third, %lld in the second, %lld in the last; %lld checks, no drift; digest %s\n"
      "  %lld jobs, %lld binds, %lld ends, %lld failures, %lld evictions, %lld node changes, "
      "%lld queue edits, %lld refused calls, %lld late plans, %lld steps back\n",
      life.profile().c_str(), number(c.events), number(c.cycles), seconds,
      static_cast<double>(c.events) / seconds, number(curve.Most(0, 1.0 / 3)),
      number(curve.Most(1.0 / 3, 2.0 / 3)), number(curve.Most(2.0 / 3, 1)), number(checks),
      life.digest().c_str(), number(c.arrivals), number(c.binds), number(c.ends),
      number(c.failures), number(c.evictions), number(c.node_changes), number(c.queue_edits),
      number(c.refused), number(c.late_plans), number(c.steps_back));
  std::fflush(stdout);
}

int Live(const std::string& profile, const Flags& flags, std::FILE* file) {
  const auto began = std::chrono::steady_clock::now();
  Life life(profile, flags.life);
  Curve curve(flags.events);
  int64_t checks = 0, next = std::min(flags.check, flags.events);
  while (life.counts().events < flags.events) {
    if (absl::Status s = life.Cycle(); !s.ok()) return Fail(life, s.ToString());
    curve.See(life.counts().events);
    if (life.counts().events < next) continue;
    next += flags.check;
    ++checks;
    if (const std::string words = Drift(&life); !words.empty()) return Fail(life, words);
  }
  if (const std::string lacks = Lacks(life.counts()); !lacks.empty()) return Fail(life, lacks);
  if (checks == 0) return Fail(life, "no check");
  if (flags.digests) {
    std::printf("%s %s\n", profile.c_str(), life.digest().c_str());
    return 0;
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began;
  Print(life, curve, checks, time.count());
  if (file != nullptr) curve.Write(profile, file);
  return curve.IsBounded() ? 0 : Fail(life, "memory grows");
}

int Main(int argc, char** argv) {
  Flags flags;
  if (!Parse(argc, argv, &flags)) {
    std::printf(
        "muster_long_life [--profile SPEC]... [--events N] [--nodes N] [--cycle N] [--check N] "
        "[--seed N] [--curve FILE] [--digests]\n");
    return 2;
  }
  std::FILE* file = nullptr;
  if (!flags.curve.empty()) {
    file = std::fopen(flags.curve.c_str(), "w");
    if (file == nullptr) return std::perror(flags.curve.c_str()), 2;
    std::fprintf(file, "profile,events,resident_bytes\n");
  }
  int failed = 0;
  for (const std::string& profile : flags.profiles) failed |= Live(profile, flags, file);
  if (file != nullptr) std::fclose(file);
  return failed;
}

}  // namespace
}  // namespace muster::long_life

int main(int argc, char** argv) { return muster::long_life::Main(argc, argv); }
