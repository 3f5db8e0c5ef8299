// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Every number of every scenario of tests/scenarios, and of one that has all fields, at the ends of
// what it may be; and every option of every profile. Each is refused, or a cycle comes to its end.
// What it decides is not compared: the sanitizers look for sums that leave int64.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/strings.h"
#include "lib/profile/profile.h"
#include "lib/scenario/scenario.h"
#include "muster/cluster.h"
#include "muster/quantity.h"
#include "muster/schedule.h"
#include "nlohmann/json.hpp"

namespace muster {
namespace {

using Document = nlohmann::json;
using Pointer = Document::json_pointer;

constexpr int64_t kExact = int64_t{1} << 53;         // the end of amounts that are summed
constexpr int64_t kLatest = (int64_t{1} << 62) - 1;  // the end of times

// Most fields that are numbers, where some profile reads them.
constexpr char kAllFields[] = R"({"muster": 1, "options": {"now": 1000, "work_budget": 100000},
  "nodes": [
    {"name": "n0", "capacity": {"cpu": 8, "memory": "16Gi", "pods": 9, "nvidia.com/gpu": 2},
     "usage": {"cpu": 40, "memory": 50, "measured": 900, "detail": {"amounts": {"cpu": 3},
       "system": {"cpu": 1}, "interval": 60,
       "windows": [{"seconds": 300, "average": {"cpu": 2}, "p95": {"cpu": 4}}]}},
     "images": [{"names": ["a"], "size": 5000}],
     "zones": [{"name": "z0", "capacity": {"cpu": 4}, "available": {"cpu": 3},
                "distances": {"z0": 10, "z1": 20}}, {"name": "z1", "capacity": {"cpu": 4}}],
     "devices": [{"name": "g0", "kind": "gpu", "memory": "8Gi", "zone": "z0"},
                 {"name": "g1", "kind": "gpu", "memory": "8Gi", "zone": "z1"}],
     "zones_measured": 800},
    {"name": "n1", "capacity": {"cpu": 8, "memory": "16Gi", "pods": 9, "nvidia.com/gpu": 2}}],
  "queues": [
    {"name": "p", "weight": 2, "created": 1, "uid_rank": 1, "limit": {"cpu": 14}},
    {"name": "a", "parent": "p", "weight": 2, "priority": 1, "created": 2, "uid_rank": 2,
     "guaranteed": {"cpu": 2}, "deserved": {"cpu": 4}, "limit": {"cpu": 12, "memory": "30Gi"},
     "borrow_limit": {"cpu": 6}, "lend_limit": {"cpu": 1},
     "rules": {"fair_weight": 2, "over_quota_weight": {"cpu": 2},
               "preemption": {"preempt_min_runtime": 5, "reclaim_min_runtime": 6, "delay": 7,
                              "quota_delay": 8},
               "spending": {"prices": {"cpu": "0.5"}, "limit": 100, "hourly_limit": 10}},
     "users": {"limits": [{"name": "u", "limit": {"cpu": 4}, "max_jobs": 3, "weight": 2}],
               "least_percent": 50, "factor": 2},
     "history": {"as_of": 500, "half_life": 600, "spent": 3, "entries": [
       {"user": "u", "amounts": {"cpu": 100}, "penalty": {"cpu": 1}, "priority": 2, "factor": 3}]}},
    {"name": "b", "parent": "p", "weight": 1, "created": 3, "deserved": {"cpu": 4}},
    {"name": "c"},
    {"name": "g", "parent": "c", "rules": {"groups": [{"resources": ["cpu"], "flavors": [
       {"flavor": "f", "nominal": {"cpu": 4}, "borrow_limit": {"cpu": 2},
        "lend_limit": {"cpu": 1}}]}]}}],
  "flavors": [{"name": "f"}],
  "jobs": [
    {"name": "old", "queue": "b", "priority": 1, "min_available": 1, "created": 10, "uid_rank": 1,
     "estimate": 100, "deadline": 2000, "waiting_time": 30, "owner": {"user": "u"},
     "lifetime": {"max_runtime": 500, "expected_end": 1500, "checkpointed": 950,
                  "restart_cost": 5},
     "gang": {"started": 100, "evicted": 50, "stale_since": 900, "staleness_grace": 60,
              "preemption_delay": 5, "elastic": {"least": 1, "most": 3}}},
    {"name": "new", "queue": "a", "priority": 5, "min_available": 2, "created": 20, "uid_rank": 2,
     "min_resources": {"cpu": 4}, "estimate": 50, "deadline": 1200, "owner": {"user": "u"},
     "lifetime": {"max_runtime": 500},
     "groups": [{"name": "w", "count": 2, "min_available": 2, "priority": 5, "shape": {
       "request": {"cpu": 3, "memory": "2Gi"}, "initial_request": {"cpu": 4, "memory": "2Gi"}}}]},
    {"name": "gpu", "queue": "a", "min_available": 1, "created": 30, "groups": [
      {"count": 1, "shape": {"request": {"cpu": 1}, "devices": [{"kind": "gpu", "count": 1,
        "memory": "1Gi"}], "preferred_node_affinity": [{"weight": 5, "term": {
        "match_expressions": [{"key": "k", "op": "Exists"}]}}]}}]},
    {"name": "never", "queue": "b", "created": 40, "groups": [
      {"count": 1, "shape": {"request": {"cpu": 9}}}]},
    {"name": "many", "queue": "g", "created": 50, "groups": [
      {"name": "w", "shape": {"request": {"cpu": 1}}, "by_count": {"count": 6, "min_count": 2,
       "parallelism": 3, "admitted": 2, "running": 1, "succeeded": 1, "failed": 1}}],
     "admission": {"queue": "g", "time": 60, "groups": [
       {"group": "w", "count": 2, "flavors": {"cpu": "f"}}]}}],
  "tasks": [
    {"name": "old-0", "job": "old", "status": "running", "node": "n0", "priority": 1,
     "created": 10, "uid_rank": 1, "ordinal": 0, "started": 100, "protected_until": 500,
     "shape": {"request": {"cpu": 4, "memory": "4Gi"}},
     "usage": {"amounts": {"cpu": 3}, "measured": 900, "windows": [
       {"seconds": 300, "average": {"cpu": 2}}]},
     "lifetime": {"max_runtime": 500, "expected_end": 1500}},
    {"name": "old-1", "job": "old", "status": "running", "node": "n1", "created": 11,
     "started": 101, "shape": {"request": {"cpu": 5}}},
    {"name": "waits", "job": "old", "status": "waiting", "node": "n1", "waits_until": 1100,
     "created": 12, "shape": {"request": {"cpu": 1}}}],
  "budgets": [{"name": "d", "selector": {}, "allowed": 1}],
  "reservations": [{"name": "r", "node": "n1", "phase": "available", "order": 1, "created": 5,
    "expires": 3000, "shape": {"request": {"cpu": 1}}, "allocated": {"cpu": 1}}]})";

// Without the job of counts where a profile does not place counts. It is the last one.
Document AllFields(bool counts) {
  Document root = Document::parse(kAllFields);
  if (!counts) root["jobs"].erase(root["jobs"].size() - 1);
  return root;
}

// The places of numbers and amounts, those of all rows of a table together: "/jobs/#/created".
std::map<std::string, std::vector<std::string>> NumbersOf(const Document& root) {
  std::map<std::string, std::vector<std::string>> places;
  const Document flat = root.flatten();
  for (const auto& [place, leaf] : flat.items()) {
    const bool amount =
        leaf.is_string() && ParseQuantity(leaf.get<std::string>(), Unit::kMilli).ok();
    if (!leaf.is_number() && !amount) continue;
    std::string kind;
    for (size_t begin = 1, end = 0; end != place.npos; begin = end + 1) {
      end = place.find('/', begin);
      const std::string step = place.substr(begin, end == place.npos ? end : end - begin);
      const bool number = step.find_first_not_of("0123456789") == step.npos;
      absl::StrAppend(&kind, "/", number ? "#" : step);
    }
    places[kind].push_back(place);
  }
  return places;
}

Document With(Document root, const std::vector<std::string>& places, int64_t value) {
  for (const std::string& place : places) {
    Document& at = root.at(Pointer(place));
    at = at.is_string() ? Document(std::to_string(value)) : Document(value);
  }
  return root;
}

// Returns whether the scenario was accepted, and if so makes plans of it.
bool Runs(const Document& root, const std::string& profile, const std::string& what) {
  SCOPED_TRACE(absl::StrCat(profile, ": ", what));
  absl::StatusOr<Scenario> scenario = ParseScenario(root.dump());
  if (!scenario.ok()) return false;
  Cluster cluster;
  if (!Fill(*scenario, &cluster).ok()) return false;
  scenario->options.work_budget = 100'000;
  for (int cycle = 0; cycle < 2; ++cycle) {
    const absl::StatusOr<Plan> plan = cluster.Schedule(profile, scenario->options);
    if (!plan.ok()) {  // what one profile refuses
      EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument) << plan.status();
      return false;
    }
    EXPECT_FALSE(plan->Digest().empty());
    const absl::Status applied = cluster.Apply(*plan).status();
    EXPECT_TRUE(applied.ok()) << applied;
  }
  return true;
}

// Each number of the document alone, and then as many at once as are accepted together.
void RunAtEnds(const Document& root, const std::string& profile) {
  constexpr int64_t kEnds[] = {kExact,
                               -kExact,
                               kLatest,
                               -kLatest,
                               std::numeric_limits<int64_t>::max(),
                               std::numeric_limits<int64_t>::min(),
                               std::numeric_limits<int32_t>::max(),
                               std::numeric_limits<int32_t>::min()};
  const auto numbers = NumbersOf(root);
  for (const int64_t end : kEnds) {
    Document all = root;
    for (const auto& [kind, places] : numbers) {
      if (kind == "/muster") continue;
      const std::string what = absl::StrCat(kind, " = ", end);
      if (!Runs(With(root, places, end), profile, what)) continue;
      Document more = With(all, places, end);
      if (Runs(more, profile, absl::StrCat("all up to ", what))) all = std::move(more);
    }
  }
}

std::string BytesOf(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(ExtremeNumbers, OfScenariosAreRefusedOrRun) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator("tests/scenarios")) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  ASSERT_FALSE(paths.empty());
  for (const std::filesystem::path& path : paths) {
    SCOPED_TRACE(path.string());
    Document root = Document::parse(BytesOf(path));
    root.erase("expect");
    RunAtEnds(root, root.value("profile", std::string("muster")));
  }
}

TEST(ExtremeNumbers, OfAllFieldsAreRefusedOrRunUnderAllProfiles) {
  for (const ProfileInfo& profile : Profiles()) {
    const Document root = AllFields(profile.reads_counts);
    ASSERT_TRUE(Runs(root, profile.name, "as it is")) << profile.name;
    RunAtEnds(root, profile.name);
  }
}

TEST(ExtremeNumbers, TimesBeyondTheFarthestAreRefused) {
  const std::set<std::string> times = {
      "now",      "created",      "started",         "evicted",
      "deadline", "stale_since",  "staleness_grace", "preemption_delay",
      "estimate", "waiting_time", "max_runtime",     "expected_end",
      "time",     "checkpointed", "restart_cost",    "protected_until",
      "measured", "waits_until",  "zones_measured",  "interval",
      "seconds",  "as_of",        "half_life",       "preempt_min_runtime",
      "delay",    "quota_delay",  "expires",         "reclaim_min_runtime"};
  const Document root = AllFields(true);
  std::set<std::string> seen;
  for (const auto& [kind, places] : NumbersOf(root)) {
    const std::string field = kind.substr(kind.rfind('/') + 1);
    if (!times.contains(field)) continue;
    seen.insert(field);
    EXPECT_TRUE(Runs(With(root, places, kLatest), "kueue", kind)) << kind;
    EXPECT_FALSE(Runs(With(root, places, kLatest + 1), "kueue", kind)) << kind;
    EXPECT_FALSE(Runs(With(root, places, -kLatest - 1), "kueue", kind)) << kind;
  }
  EXPECT_EQ(seen, times);
}

// The values of an option at the ends of its range.
std::vector<std::string> EndsOf(const OptionDecl& option) {
  if (option.kind != OptionKind::kNumber && option.kind != OptionKind::kWhole) return {};
  std::vector<std::string> ends;
  for (const double end : {option.min, option.max}) ends.push_back(Document(end).dump());
  return ends;
}

void RunWithOptions(const Preset& preset, const Document& root, std::string_view part,
                    std::span<const OptionDecl> options) {
  for (const OptionDecl& option : options) {
    std::string name(option.name);
    if (name.ends_with(".*")) name.replace(name.size() - 1, 1, "cpu");
    for (std::string end : EndsOf(option)) {
      std::erase(end, '+');  // of an exponent; it has a meaning in profiles
      const std::string spec =
          absl::StrCat(ToAbsl(preset.name), ":", ToAbsl(part), "(", name, "=", end, ")");
      ASSERT_TRUE(ResolveProfile(spec).ok()) << spec << ResolveProfile(spec).status();
      for (const int64_t now : {int64_t{1000}, kLatest, -kLatest}) {
        Runs(With(root, {"/options/now"}, now), spec, absl::StrCat("at ", now));
      }
    }
  }
}

TEST(ExtremeNumbers, OfOptionsRun) {
  for (const Preset& preset : Presets()) {
    const absl::StatusOr<ProfileConfig> config = ResolveProfile(preset.name);
    ASSERT_TRUE(config.ok());
    const Document root = AllFields(config->reads_counts);
    for (const ConfiguredAction& action : config->actions) {
      RunWithOptions(preset, root, action.decl.name, action.decl.options);
    }
    for (const auto& tier : config->tiers) {
      for (const ConfiguredPolicy& policy : tier) {
        RunWithOptions(preset, root, policy.decl.name, policy.decl.options);
      }
    }
  }
}

}  // namespace
}  // namespace muster
