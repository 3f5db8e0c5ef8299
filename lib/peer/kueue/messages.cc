// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/messages.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"

namespace muster::kueue {
namespace {

bool CountsBytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" || resource == "storage" ||
         resource.starts_with("hugepages-");
}

std::string TextOf(const World& world, const Obstacle& obstacle) {
  if (obstacle.lack != Lack::kUnused && obstacle.lack != Lack::kQuota) return obstacle.text;
  const std::string& resource = world.resources[obstacle.resource];
  const std::string& flavor = world.flavors[obstacle.flavor].name;
  if (obstacle.lack == Lack::kUnused) {
    return absl::StrCat("insufficient unused quota for ", resource, " in flavor ", flavor, ", ",
                        QuantityText(resource, obstacle.missing), " more needed");
  }
  return absl::StrCat("insufficient quota for ", resource, " in flavor ", flavor,
                      ", previously considered podsets requests (",
                      QuantityText(resource, Minus(obstacle.wanted, obstacle.current)),
                      ") + current podset request (", QuantityText(resource, obstacle.current),
                      ") > maximum capacity (", QuantityText(resource, obstacle.most), ")");
}

std::string TextOf(const World& world, const PodSetAssignment& pod_set) {
  std::vector<std::string> texts;
  for (const Obstacle& obstacle : pod_set.obstacles) {
    std::string text = TextOf(world, obstacle);
    if (!text.empty()) texts.push_back(std::move(text));
  }
  std::sort(texts.begin(), texts.end());
  return absl::StrJoin(texts, ", ");
}

}  // namespace

std::string QuantityText(std::string_view resource, Amount amount) {
  if (amount == kUnlimited) return "unlimited";
  constexpr const char* kBinary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  constexpr const char* kDecimal[] = {"", "k", "M", "G", "T", "P", "E"};
  const bool bytes = CountsBytes(resource);
  if (resource == "cpu") {
    if (amount % 1000 != 0) return absl::StrCat(amount, "m");
    amount /= 1000;
  }
  const int64_t step = bytes ? 1024 : 1000;
  size_t suffix = 0;
  while (amount != 0 && amount % step == 0 && suffix + 1 < std::size(kBinary)) {
    amount /= step;
    ++suffix;
  }
  return absl::StrCat(amount, (bytes ? kBinary : kDecimal)[suffix]);
}

std::string PreemptionText(const Victim& victim, std::string_view beneficiary) {
  const char* why = "";
  switch (victim.reason) {
    case EvictReason::kInClusterQueue:
      why = "prioritization in the ClusterQueue";
      break;
    case EvictReason::kInCohortReclamation:
      why = "reclamation within the cohort";
      break;
    case EvictReason::kInCohortFairSharing:
      why = "Fair Sharing within the cohort";
      break;
    case EvictReason::kInCohortReclaimWhileBorrowing:
      why = "reclamation within the cohort while borrowing";
      break;
  }
  return absl::StrCat(ToAbsl(WordOf(victim.reason)), ": Preempted to accommodate workload ",
                      ToAbsl(beneficiary), " due to ", why);
}

std::string MessageOf(const World& world, const Entry& entry) {
  std::vector<std::string> parts;
  const WorkloadRow& workload = world.workloads[entry.workload];
  for (const PodSetAssignment& pod_set : entry.assignment.pod_sets) {
    const std::string& own = workload.pod_sets[pod_set.pod_set].name;
    const std::string name = own.empty() ? "main" : own;
    if (!pod_set.fault.empty()) {  // other reasons do not count then
      parts = {absl::StrCat("failed to assign flavors to pod set ", name, ": ", pod_set.fault)};
      break;
    }
    const std::string text = TextOf(world, pod_set);
    if (text.empty()) continue;
    parts.push_back(absl::StrCat("couldn't assign flavors to pod set ", name, ": ", text));
  }
  std::string message = entry.note.empty() ? absl::StrJoin(parts, "; ") : entry.note;
  if (!entry.victims.empty() && entry.requeue == RequeueReason::kPendingPreemption) {
    absl::StrAppend(&message, message.empty() ? "" : ". ", "Pending the preemption of ",
                    entry.victims.size(), " workload(s)");
  }
  return message;
}

}  // namespace muster::kueue
