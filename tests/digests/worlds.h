// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What muster_digests schedules: a world for every seed, and the profiles that it is scheduled
// under.
//
//   Rng rng(seed);
//   const ClusterSpec world = WorldOf(seed, rng);
//   for (const std::string& spec : SpecsFor(profiles, rng)) ...
#ifndef MUSTER_TESTS_DIGESTS_WORLDS_H_
#define MUSTER_TESTS_DIGESTS_WORLDS_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/rng.h"
#include "muster/cluster.h"
#include "tests/digests/reading.h"

namespace muster::testing {

// The world of a seed. Kinds take turns: plain, with a root, with lending, devices, CPUs, zones,
// domains, bundles and estimates.
ClusterSpec WorldOf(uint64_t seed, Rng& rng);

// Every profile as it comes, one with actions drawn from its catalogue, and one spec of each table
// of tests/support/profile_specs.h.
std::vector<std::string> SpecsFor(std::span<const KnownProfile> profiles, Rng& rng);

// How often policies, actions, and kinds of decisions, reasons and refusals appeared.
class Tally {
 public:
  Tally(std::span<const KnownProfile> profiles, std::span<const std::string> policies);

  // Counts the names that the spec resolves to.
  void CountSpec(const std::string& spec);
  void CountKinds(std::span<const std::string_view> kinds);

  // One line a name: "policy gang 812", "action volcano/preempt 97", "kind bind 5520".
  std::string Text() const;
  // The policies and actions that never appeared.
  std::vector<std::string> Missing() const;

 private:
  const std::span<const KnownProfile> profiles_;
  std::map<std::string, int64_t, std::less<>> names_, kinds_;
};

}  // namespace muster::testing

#endif  // MUSTER_TESTS_DIGESTS_WORLDS_H_
