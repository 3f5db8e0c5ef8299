// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Single rules of Kueue: which of two is better, what a tree has left, what a queue does with a
// workload.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/kueue/partial.h"
#include "tests/conformance/probe/kueue.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

kueue::Grade GradeOf(const json& grade) {
  return {static_cast<kueue::Possibility>(grade[0].get<int>()), grade[1].get<int>()};
}

kueue::RequeueReason ReasonNamed(const std::string& word) {
  const std::pair<const char*, kueue::RequeueReason> words[] = {
      {"FailedAfterNomination", kueue::RequeueReason::kFailedAfterNomination},
      {"NamespaceMismatch", kueue::RequeueReason::kNamespaceMismatch},
      {"NoFit", kueue::RequeueReason::kNoFit},
      {"PreemptionNoCandidates", kueue::RequeueReason::kPreemptionNoCandidates},
      {"PendingPreemption", kueue::RequeueReason::kPendingPreemption},
      {"PreemptionFailed", kueue::RequeueReason::kPreemptionFailed},
      {"PendingMigration", kueue::RequeueReason::kPendingMigration},
      {"PreemptionGated", kueue::RequeueReason::kPreemptionGated}};
  for (const auto& [name, reason] : words) {
    if (word == name) return reason;
  }
  return kueue::RequeueReason::kGeneric;
}

// The world of a question, with usage that no workload has.
absl::Status Open(const json& question, kueue::World* world) {
  ReadKueueConfig(question.value("config", json::object()), &world->config);
  if (absl::Status read = ReadKueueWorld(question, world); !read.ok()) return read;
  const json usage = question.value("used", json::object());
  std::vector<std::pair<kueue::Queue, kueue::CellAmount>> used;
  for (const auto& [queue, cells] : usage.items()) {
    for (const auto& [cell, amount] : cells.items()) {
      used.push_back({world->FindQueue(queue), {KueueCell(world, cell), amount.get<int64_t>()}});
    }
  }
  world->Settle();
  for (const auto& [queue, amount] : used) world->tree.Add(queue, amount.cell, amount.amount);
  return absl::OkStatus();
}

json Rest(kueue::World& world) {
  json available = json::object(), potential = json::object();
  for (kueue::Queue q = 0; q < world.queues.size(); ++q) {
    if (world.queues[q].is_cohort || !world.queues[q].alive) continue;
    kueue::CellAmounts now, most;
    for (const auto& [cell, quota] : world.queues[q].quotas) {
      now.push_back({cell, world.tree.AvailableOf(q, cell)});
      most.push_back({cell, world.tree.Potential(q, cell)});
    }
    available[world.queues[q].name] = WrittenAmounts(world, now);
    potential[world.queues[q].name] = WrittenAmounts(world, most);
  }
  return {{"available", available}, {"potential", potential}};
}

json Shares(kueue::World& world) {
  kueue::FairShares shares(world);
  json out = json::object();
  for (kueue::Queue q = 0; q < world.queues.size(); ++q) {
    const kueue::Share share = shares.Of(q);
    json& row = out[world.queues[q].name];
    row = {{"borrowing", share.borrowing}, {"ratio", share.ratio}, {"infinite", share.infinite()}};
    if (!share.infinite()) row["value"] = share.value();
  }
  return out;
}

json Lendable(kueue::World& world, const json& question) {
  kueue::FairShares shares(world);
  const kueue::Queue q = world.FindQueue(question["cohort"].get<std::string>());
  json out = json::object();
  for (kueue::ResourceIndex r = 0; r < world.resources.size(); ++r) {
    if (shares.Lendable(q, r) != 0) out[world.resources[r]] = shares.Lendable(q, r);
  }
  return out;
}

json Reserve(kueue::World& world, const json& question) {
  kueue::CellAmounts usage;
  for (const auto& [cell, amount] : question["usage"].items()) {
    usage.push_back({KueueCell(&world, cell), amount.get<int64_t>()});
  }
  kueue::Assignment assignment;
  assignment.borrowing = question["borrowing"];
  return WrittenAmounts(
      world, kueue::ResourcesToReserve(world, world.FindQueue(question["queue"].get<std::string>()),
                                       assignment, usage));
}

json Order(kueue::World& world, const json& question) {
  std::vector<kueue::Entry> entries;
  for (const json& told : question["entries"]) {
    kueue::Entry& e = entries.emplace_back();
    e.workload = world.FindWorkload(told["workload"].get<std::string>());
    e.queue = world.workloads[e.workload].queue;
    e.considered = true;
    e.holds = told.value("holds", false);
    e.is_preemptor = told.value("preemptor", false);
    e.assignment.borrowing = told.value("borrowing", 0);
  }
  kueue::FairShares shares(world);
  kueue::EntryOrder order(world, shares, entries);
  json names = json::array();
  while (const kueue::Entry* e = order.Next()) names.push_back(world.workloads[e->workload].name);
  return names;
}

// A workload is popped from a queue of its own and requeued.
json Requeue(kueue::World& world, const json& question) {
  kueue::PendingQueue pending(&world, 0);
  pending.Push(0);
  const kueue::WorkloadIndex w = pending.Pop();
  if (question.contains("tried")) {
    kueue::ScanProgress progress;
    for (const json& pod_set : question["tried"]) {
      auto& row = progress.tried.emplace_back();
      for (const auto& [resource, index] : pod_set.items()) {
        row.emplace_back(world.Resource(resource), index.get<int32_t>());
      }
    }
    world.workloads[w].progress = std::move(progress);
  }
  const bool back = pending.Requeue(w, ReasonNamed(question["reason"]));
  return {{"inadmissible", !back}, {"sticky", pending.preemptor().sticky}};
}

json Pops(kueue::World& world) {
  kueue::PendingQueue pending(&world, 0);
  for (kueue::WorkloadIndex w = 0; w < world.workloads.size(); ++w) pending.Push(w);
  json names = json::array();
  while (!pending.empty()) names.push_back(world.workloads[pending.Pop()].name);
  return names;
}

json Smallest(const json& question) {
  const int64_t most = question["most"];
  const auto counts = kueue::LargestCounts(question["full"].get<std::vector<int64_t>>(),
                                           question["least"].get<std::vector<int64_t>>(),
                                           [&](const std::vector<int64_t>& c) {
                                             int64_t sum = 0;
                                             for (const int64_t count : c) sum += count;
                                             return sum <= most;
                                           });
  if (!counts) return nullptr;
  return *counts;
}

json Satisfied(const kueue::World& world, const json& question) {
  const kueue::WorkloadRow& preemptor =
      world.workloads[world.FindWorkload(question["preemptor"].get<std::string>())];
  const kueue::WorkloadRow& candidate =
      world.workloads[world.FindWorkload(question["candidate"].get<std::string>())];
  return kueue::Satisfies(KueuePolicy(question["policy"]), preemptor.priority, preemptor.queue_time,
                          candidate);
}

// All workloads, as candidates for eviction for one of the queue.
json Candidates(const kueue::World& world, const json& question) {
  const kueue::Queue queue = world.FindQueue(question["queue"].get<std::string>());
  std::vector<kueue::WorkloadIndex> order;
  for (kueue::WorkloadIndex w = 0; w < world.workloads.size(); ++w) order.push_back(w);
  std::ranges::sort(order, [&](kueue::WorkloadIndex a, kueue::WorkloadIndex b) {
    return kueue::CandidateBefore(world, queue, a, b);
  });
  json names = json::array();
  for (const kueue::WorkloadIndex w : order) names.push_back(world.workloads[w].name);
  return names;
}

}  // namespace

absl::StatusOr<json> AskKueueRule(const json& request) {
  const json& question = request["kueue_rule"];
  const std::string ask = question["ask"];
  if (ask == "prefers") {
    return kueue::IsPreferred(GradeOf(question["a"]), GradeOf(question["b"]),
                              question["prefers_preemption"]);
  }
  if (ask == "counts") return Smallest(question);
  kueue::World world;
  if (absl::Status opened = Open(question, &world); !opened.ok()) return opened;
  if (ask == "rest") return Rest(world);
  if (ask == "shares") return Shares(world);
  if (ask == "lendable") return Lendable(world, question);
  if (ask == "reserve") return Reserve(world, question);
  if (ask == "order") return Order(world, question);
  if (ask == "requeue") return Requeue(world, question);
  if (ask == "pops") return Pops(world);
  if (ask == "candidates") return Candidates(world, question);
  if (ask == "satisfies") return Satisfied(world, question);
  return absl::InvalidArgumentError("kueue_rule: no such question");
}

}  // namespace muster::testing
