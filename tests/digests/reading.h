// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// All that muster_digests reads of plans, profiles and scenarios: reading.cc is the file to adapt
// when that API changes.
//
//   absl::StatusOr<PlanWords> words = ReadPlan(cluster, "volcano:+preempt", /*now=*/2, Reading::kLog);
//   Print(words->decisions);   // "bind\tweb-0\tn1\tweb\t\t-\t0\n..."
//
// The words are this folder's own: a text that is renamed in the library changes none of them. Work
// counts, versions and the spelling of the profile are in no word. Names of policies, queues, nodes
// and the like are.
#ifndef MUSTER_TESTS_DIGESTS_READING_H_
#define MUSTER_TESTS_DIGESTS_READING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/cluster.h"

namespace muster::testing {

// kLog: every decision counts. kNet: a task that is evicted and gets the same node in the same plan
// keeps it, so that neither decision counts.
enum class Reading { kLog, kNet };

// Three texts of one plan, one fact a line, fields separated by tabs.
struct PlanWords {
  std::string
      // decisions, tentative placements, shares, domains, devices, how far the cycle came
      decisions;
  std::string reasons;  // pending tasks with kinds, names, numbers and codes
  std::string texts;    // the library's own words: where, and details of refusals
  std::vector<std::string_view>
      kinds;  // of decisions, reasons and refusals, once for each occurrence
  // "evicts-and-returns TASK", "evicts-and-moves TASK", "evicts-twice TASK"
  std::vector<std::string> oddities;
};

// Schedules a frozen copy of the cluster. Fails as Schedule does.
absl::StatusOr<PlanWords> ReadPlan(const Cluster& cluster, const std::string& profile, int64_t now,
                                   Reading reading);

// The same for a scenario document with its own options; its own profile where `profile` is empty.
absl::StatusOr<PlanWords> ReadScenario(std::string_view json, const std::string& profile,
                                       Reading reading);

struct KnownProfile {
  std::string name;
  std::vector<std::string> actions, policies;  // as it comes
  std::vector<std::string> catalogue;          // the actions that can be named
};
std::vector<KnownProfile> KnownProfiles();
std::vector<std::string> KnownPolicies();

}  // namespace muster::testing

#endif  // MUSTER_TESTS_DIGESTS_READING_H_
