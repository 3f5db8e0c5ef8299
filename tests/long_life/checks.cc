// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/long_life/checks.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "lib/scenario/scenario.h"
#include "lib/scenario/state.h"

namespace muster::long_life {
namespace {

// What two texts differ in, with few words.
std::string FirstDifference(const std::string& a, const std::string& b) {
  size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  const size_t from = at < 80 ? 0 : at - 80;
  return absl::StrCat("at byte ", at, ":\n", a.substr(from, 200), "\nand\n", b.substr(from, 200));
}

// What two plans differ in. JSON has all that the digest is of, after the digest.
std::string Differ(const Plan& a, const Plan& b) {
  const auto decisions = [](const Plan& plan) {
    std::string json = plan.ToJson();
    return json.substr(std::min(json.size(), json.find("\"decisions\"")));
  };
  return FirstDifference(decisions(a), decisions(b));
}

}  // namespace

std::string Drift(Life* life) {
  Cluster& cluster = life->cluster();
  const std::string& profile = life->profile();
  const ScheduleOptions options = life->schedule_options();
  const std::string state = SaveState(&cluster);
  const absl::StatusOr<Plan> living = cluster.Schedule(profile, options);
  if (!living.ok()) return living.status().ToString();

  const absl::StatusOr<Plan> frozen = Schedule(cluster.Freeze(), profile, options);
  if (!frozen.ok()) return frozen.status().ToString();
  if (frozen->Digest() != living->Digest()) {
    return absl::StrCat("a snapshot makes another plan, ", Differ(*living, *frozen));
  }

  Cluster loaded;
  if (absl::Status s = LoadState(state, &loaded); !s.ok()) return s.ToString();
  const absl::StatusOr<Plan> again = loaded.Schedule(profile, options);
  if (!again.ok()) return again.status().ToString();
  if (again->Digest() != living->Digest()) {
    return absl::StrCat("a loaded saved state makes another plan, ", Differ(*living, *again));
  }

  const absl::StatusOr<Scenario> scenario = ParseScenario(WriteScenario(Describe(cluster)));
  if (!scenario.ok()) return scenario.status().ToString();
  Cluster rebuilt;
  if (absl::Status s = Fill(*scenario, &rebuilt); !s.ok()) return s.ToString();
  const absl::StatusOr<Plan> anew = rebuilt.Schedule(profile, options);
  if (!anew.ok()) return anew.status().ToString();
  const std::string words = living->ToText(), other = anew->ToText();
  if (words == other) return "";
  return absl::StrCat("a rebuilt cluster makes another plan, ", FirstDifference(words, other));
}

int64_t ResidentBytes() {
  std::ifstream in("/proc/self/statm");
  int64_t all = 0, resident = 0;
  in >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace muster::long_life
