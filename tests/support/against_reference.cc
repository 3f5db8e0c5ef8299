// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/against_reference.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "lib/plan/explain.h"
#include "muster/schedule.h"
#include "tests/support/random_world.h"
#include "tests/support/reference_profile.h"
#include "tests/support/shrink.h"

namespace muster::testing {
namespace {

std::string Name(const NameTable& names, uint32_t index) {
  return index == kNone ? "-" : std::string(names.name(index));
}

std::string Words(const Tables& t, const Decision& d) {
  std::string words(DecisionKindName(d.kind));
  if (d.task != kNone) absl::StrAppend(&words, " ", Name(t.tasks.names, d.task));
  if (d.node != kNone) absl::StrAppend(&words, " on ", Name(t.nodes.names, d.node));
  if (d.task == kNone) absl::StrAppend(&words, " ", Name(t.jobs.names, d.job));
  if (d.beneficiary != kNone) absl::StrAppend(&words, " for ", Name(t.tasks.names, d.beneficiary));
  if (d.kind == DecisionKind::kPhase) absl::StrAppend(&words, " ", ToAbsl(JobPhaseName(d.phase)));
  if (d.after_eviction) absl::StrAppend(&words, " after eviction");
  return words;
}

std::string Words(const Tables& t, const ChosenDevice& d) {
  return absl::StrCat(Name(t.tasks.names, d.task), " gets ", d.device, " ", d.milli, " ", d.memory);
}

std::string Words(const Tables& t, const Resize& r) {
  return absl::StrCat("resize ", Name(t.jobs.names, r.job), " group ", r.group, " to ", r.count);
}

std::string Words(const Tables& t, const Tentative& p) {
  return absl::StrCat("tentative ", Name(t.tasks.names, p.task), " on ",
                      Name(t.nodes.names, p.node), p.nominated ? " nominated" : "");
}

template <class Row>
std::string ListDifference(const Tables& tables, std::span<const Row> engine,
                           std::span<const Row> twin) {
  for (size_t i = 0; i < std::max(engine.size(), twin.size()); ++i) {
    if (i < engine.size() && i < twin.size() && engine[i] == twin[i]) continue;
    return absl::StrCat("entry ", i,
                        ": engine: ", i < engine.size() ? Words(tables, engine[i]) : "nothing",
                        "; twin: ", i < twin.size() ? Words(tables, twin[i]) : "nothing", "\n");
  }
  return "";
}

std::string NumberDifference(const std::string& what, double engine, double twin) {
  if (std::bit_cast<uint64_t>(engine) == std::bit_cast<uint64_t>(twin)) return "";
  return absl::StrFormat("%s: engine %.17g, twin %.17g\n", what, engine, twin);
}

std::string ShareDifference(const Tables& tables, const QueueShare& a, const QueueShare& b) {
  const std::string queue = Name(tables.queues.names, a.queue);
  if (a.queue != b.queue) return "shares are of different queues\n";
  std::string words;
  for (const auto& [what, of_a, of_b] :
       {std::tuple("before", a.allocated_before, b.allocated_before),
        std::tuple("after", a.allocated_after, b.allocated_after)}) {
    if (of_a != of_b) {
      absl::StrAppend(&words, queue, ": allocated ", what, ": engine ",
                      ::testing::PrintToString(of_a), ", twin ", ::testing::PrintToString(of_b),
                      "\n");
    }
  }
  if (a.deserved.size() != b.deserved.size()) {
    absl::StrAppend(&words, queue, ": deserved: ", a.deserved.size(), " and ", b.deserved.size(),
                    " cells\n");
  } else {
    for (DimensionIndex d = 0; d < a.deserved.size(); ++d) {
      words +=
          NumberDifference(absl::StrCat(queue, ": deserved ", ToAbsl(tables.dimensions.name(d))),
                           a.deserved[d], b.deserved[d]);
    }
  }
  words += NumberDifference(queue + ": share before", a.share_before, b.share_before);
  words += NumberDifference(queue + ": share after", a.share_after, b.share_after);
  return words;
}

}  // namespace

std::string DifferenceFromReference(const Snapshot& snapshot, std::string_view profile,
                                    int64_t now) {
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(profile);
  if (!config.ok()) return config.status().ToString();
  ScheduleOptions options;
  options.now = now;
  const absl::StatusOr<Plan> plan = Schedule(snapshot, profile, options);
  if (!plan.ok()) return plan.status().ToString();
  const Tables& tables = TablesOf(snapshot);
  const PlanData twin = ReferenceSchedule(tables, ReferenceProfileOf(*config), now);
  std::string words = ListDifference<Decision>(tables, plan->decisions(), twin.decisions);
  words += ListDifference<Tentative>(tables, plan->tentative(), twin.tentative);
  words += ListDifference<Resize>(tables, plan->resizes(), twin.by_kind.resizes);
  words += ListDifference<ChosenDevice>(tables, plan->devices(), twin.devices);
  if (plan->shares().size() != twin.shares.size()) return words + "shares differ in number\n";
  for (size_t q = 0; q < twin.shares.size(); ++q) {
    words += ShareDifference(tables, plan->shares()[q], twin.shares[q]);
  }
  return words;
}

std::string ReportDifference(const ClusterSpec& world, std::string_view profile) {
  const auto differs = [&](const ClusterSpec& candidate) {
    const std::optional<Cluster> cluster = TryCluster(candidate);
    return cluster.has_value() && !DifferenceFromReference(cluster->Freeze(), profile).empty();
  };
  const ClusterSpec small = Shrink(world, differs);
  const Cluster cluster = MakeCluster(small);
  return absl::StrCat(ToAbsl(profile), " (now: 2)\n",
                      DifferenceFromReference(cluster.Freeze(), profile),
                      AsScenario(small, profile));
}

}  // namespace muster::testing
