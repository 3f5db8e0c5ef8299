// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster_digests: what is decided, as one line a plan. Two versions of the library that print the
// same lines decide alike.
//
//   muster_digests worlds 0 20000 >new.txt                       random worlds under all profiles
//   muster_digests scenario a.json b.json --profile 'volcano;muster:-gang'
//   diff old.txt new.txt                                         compares: there is no program for that
//
// A line is `SEED SPEC DECISIONS REASONS TEXT`: three digests, so that a change of wording moves
// the last one alone. DECISIONS covers all that is decided, REASONS why tasks are pending in kinds,
// names and numbers, TEXT the library's own sentences about it. For a scenario the file's name
// stands for the seed; without --profile its own profile is used.
//
//   --net     a task that is evicted and gets its node back in one plan counts as untouched. Such plans are listed on
//             standard error as `SEED SPEC evicts-and-returns TASK`, and like them evicts-and-moves and evicts-twice
//   --words   prints what the digests are of below each line
//
// worlds closes with the number of times that each policy, action and kind appeared, on standard
// error. Exit status: 0; 1 where a world was refused, a profile failed, or a policy or action never
// appeared; 2 where the arguments are wrong.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/digest.h"
#include "tests/digests/reading.h"
#include "tests/digests/worlds.h"
#include "tests/support/random_world.h"

namespace muster::testing {
namespace {

constexpr const char* kUsage =
    "usage: muster_digests worlds FIRST COUNT [--net] [--words]\n"
    "       muster_digests scenario FILE... [--profile SPEC[;SPEC]] [--net] [--words]\n";

// Among the times of random worlds, so that some are past and some to come.
constexpr int64_t kNow = 2;

struct Arguments {
  std::vector<std::string> names;  // behind the mode
  std::vector<std::string> profiles;
  Reading reading = Reading::kLog;
  bool words = false;
};

std::string Hex(const std::string& text) {
  Digest digest;
  digest.Add(text);
  return digest.Hex();
}

void Print(const std::string& place, const std::string& spec, const PlanWords& plan,
           const Arguments& arguments) {
  std::printf("%s %s %s %s %s\n", place.c_str(), spec.c_str(), Hex(plan.decisions).c_str(),
              Hex(plan.reasons).c_str(), Hex(plan.texts).c_str());
  if (arguments.words) {
    std::printf("%s%s%s", plan.decisions.c_str(), plan.reasons.c_str(), plan.texts.c_str());
  }
  if (arguments.reading != Reading::kNet) return;
  for (const std::string& oddity : plan.oddities) {
    std::fprintf(stderr, "%s %s %s\n", place.c_str(), spec.c_str(), oddity.c_str());
  }
}

int Fail(const std::string& place, const std::string& spec, const absl::Status& status) {
  std::fprintf(stderr, "%s %s: %s\n", place.c_str(), spec.c_str(), status.ToString().c_str());
  return 1;
}

int RunWorlds(const Arguments& arguments) {
  const uint64_t first = std::strtoull(arguments.names[0].c_str(), nullptr, 10);
  const uint64_t count = std::strtoull(arguments.names[1].c_str(), nullptr, 10);
  const std::vector<KnownProfile> profiles = KnownProfiles();
  Tally tally(profiles, KnownPolicies());
  for (uint64_t seed = first; seed < first + count; ++seed) {
    Rng rng(seed);
    const std::optional<Cluster> cluster = TryCluster(WorldOf(seed, rng));
    const std::string place = std::to_string(seed);
    if (!cluster.has_value()) return Fail(place, "world", absl::InvalidArgumentError("refused"));
    for (const std::string& spec : SpecsFor(profiles, rng)) {
      const absl::StatusOr<PlanWords> plan = ReadPlan(*cluster, spec, kNow, arguments.reading);
      if (!plan.ok()) return Fail(place, spec, plan.status());
      Print(place, spec, *plan, arguments);
      tally.CountSpec(spec);
      tally.CountKinds(plan->kinds);
    }
  }
  std::fputs(tally.Text().c_str(), stderr);
  const std::vector<std::string> missing = tally.Missing();
  for (const std::string& name : missing) {
    std::fprintf(stderr, "%s: never appeared; more worlds would be right\n", name.c_str());
  }
  return missing.empty() ? 0 : 1;
}

int RunScenarios(const Arguments& arguments) {
  int status = 0;
  for (const std::string& name : arguments.names) {
    std::ifstream file(name, std::ios::binary);
    const std::string json{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) {
      status = Fail(name, "-", absl::NotFoundError("cannot be read"));
      continue;
    }
    for (const std::string& spec : arguments.profiles) {
      const absl::StatusOr<PlanWords> plan = ReadScenario(json, spec, arguments.reading);
      const std::string shown = spec.empty() ? "-" : spec;
      if (plan.ok()) {
        Print(name, shown, *plan, arguments);
      } else {
        status = Fail(name, shown, plan.status());
      }
    }
  }
  return status;
}

// False: they are not understood.
bool Parse(const std::vector<std::string>& given, Arguments* arguments) {
  for (size_t i = 1; i < given.size(); ++i) {
    if (given[i] == "--net") {
      arguments->reading = Reading::kNet;
    } else if (given[i] == "--words") {
      arguments->words = true;
    } else if (given[i] == "--profile" && i + 1 < given.size()) {
      const std::string list = given[++i] + ";";
      for (size_t begin = 0, end; (end = list.find(';', begin)) != std::string::npos;
           begin = end + 1) {
        arguments->profiles.push_back(list.substr(begin, end - begin));
      }
    } else if (given[i].starts_with("--")) {
      return false;
    } else {
      arguments->names.push_back(given[i]);
    }
  }
  if (arguments->profiles.empty()) arguments->profiles.emplace_back();
  return true;
}

int Main(const std::vector<std::string>& given) {
  Arguments arguments;
  if (!given.empty() && Parse(given, &arguments)) {
    if (given[0] == "worlds" && arguments.names.size() == 2) return RunWorlds(arguments);
    if (given[0] == "scenario" && !arguments.names.empty()) return RunScenarios(arguments);
  }
  std::fputs(kUsage, stderr);
  return 2;
}

}  // namespace
}  // namespace muster::testing

int main(int argc, char** argv) { return muster::testing::Main({argv + 1, argv + argc}); }
