// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Single rules of Kueue: which of two is better, what a tree has left, what a queue does with a
// workload.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/kueue/giving_order.h"
#include "lib/peer/kueue/partial.h"
#include "tests/conformance/probe/kueue.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

kueue::Grade GradeOf(const json& grade) {
  return {static_cast<kueue::Possibility>(grade[0].get<int>()), grade[1].get<int>()};
}

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
  const bool back = pending.Requeue(w, KueueReason(question["reason"]));
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

// The numbers of each node of the tree.
json Tree(kueue::World& world) {
  json nodes = json::object();
  for (kueue::Queue q = 0; q < world.queues.size(); ++q) {
    const kueue::QueueRow& row = world.queues[q];
    if (!row.alive) continue;
    kueue::CellAmounts subtree, usage;
    for (kueue::Cell c = 0; c < world.tree.cells(); ++c) {
      if (!world.tree.known(q, c) && world.tree.usage(q, c) == 0) continue;
      subtree.push_back({c, world.tree.subtree_quota(q, c)});
      usage.push_back({c, world.tree.usage(q, c)});
    }
    json workloads = json::array();
    for (const kueue::WorkloadIndex w : row.holders) workloads.push_back(world.workloads[w].name);
    kueue::CellAmounts borrowed;
    for (const kueue::CellAmount& u : usage) {
      borrowed.push_back({u.cell, kueue::BorrowedOf(world.tree, q, u.cell)});
    }
    nodes[row.name] = {{"borrowed", WrittenAmounts(world, borrowed)},
                       {"subtree", WrittenAmounts(world, subtree)},
                       {"usage", WrittenAmounts(world, usage)},
                       {"active", row.active},
                       {"weight", row.weight},
                       {"workloads", workloads}};
  }
  return nodes;
}

// The tree after workloads gave back and took again what they use, one after the other.
json Moved(kueue::World& world, const json& question) {
  const auto each = [&](const char* key, const auto& change) {
    for (const json& name : question[key]) {
      const kueue::WorkloadRow& row = world.workloads[world.FindWorkload(name.get<std::string>())];
      change(row);
    }
  };
  each("remove", [&](const auto& row) { world.tree.Remove(row.queue, row.usage); });
  each("add", [&](const auto& row) { world.tree.Add(row.queue, row.usage); });
  return Tree(world);
}

json Borrows(kueue::World& world, const json& question) {
  const kueue::Queue q = world.FindQueue(question["queue"].get<std::string>());
  kueue::CellAmounts requested;
  for (const auto& [cell, amount] : question["requested"].items()) {
    requested.push_back({KueueCell(&world, cell), amount.get<int64_t>()});
  }
  return {{"borrowing", kueue::FairShares(world).Of(q).borrowing},
          {"on_requested", kueue::BorrowsOn(world.tree, q, requested)}};
}

json Givers(kueue::World& world, const json& question) {
  kueue::VictimSearch search(world);
  const kueue::Need need;
  kueue::GivingOrder order(search, world.FindQueue(question["evictor"].get<std::string>()));
  for (const json& name : question["candidates"]) {
    const kueue::Queue q = world.FindQueue(name.get<std::string>());
    order.Add(q, kueue::Candidates(search, need, world.queues[q].holders));
  }
  json names = json::array();
  const json& actions = question["actions"];
  for (kueue::Queue q = order.Next(); q != kueue::kNothing; q = order.Next()) {
    const bool drops = names.size() < actions.size() && actions[names.size()] == "drop";
    names.push_back(world.queues[q].name);
    if (drops) {
      order.Drop(q);
    } else {
      order.Pop(q);
    }
  }
  return names;
}

kueue::Share ShareOf(const json& told) {
  return {told["ratio"].get<double>(), told["weight"].get<double>(), told["borrowing"].get<bool>()};
}

json FairLess(const kueue::World& world, const json& question) {
  kueue::Entry entries[2];
  for (int i = 0; i < 2; ++i) {
    const json& told = question["entries"][i];
    entries[i].workload = world.FindWorkload(told["workload"].get<std::string>());
    entries[i].is_preemptor = told["preemptor"];
  }
  return kueue::EntryOrder::FairBefore(world, entries[0], ShareOf(question["shares"][0]),
                                       entries[1], ShareOf(question["shares"][1]));
}

kueue::ScanProgress ProgressOf(const json& told) {
  kueue::ScanProgress progress{.generation = told.value("generation", uint64_t{0}),
                               .cycle = told.value("cycle", int64_t{0}),
                               .hash = told.value("hash", kueue::kNothing)};
  for (const json& pod_set : told.value("tried", json::array())) {
    auto& row = progress.tried.emplace_back();
    for (const auto& [resource, index] : pod_set.items()) {
      row.emplace_back(static_cast<uint32_t>(row.size()), index.get<int32_t>());
    }
  }
  return progress;
}

}  // namespace

kueue::RequeueReason KueueReason(const std::string& word) {
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

absl::StatusOr<json> AskKueueRule(const json& request) {
  const json& question = request["kueue_rule"];
  const std::string ask = question["ask"];
  if (ask == "prefers") {
    return kueue::IsPreferred(GradeOf(question["a"]), GradeOf(question["b"]),
                              question["prefers_preemption"]);
  }
  if (ask == "counts") return Smallest(question);
  if (ask == "pending_flavors") return ProgressOf(question["progress"]).Pending();
  if (ask == "share") {
    const kueue::Share share = ShareOf(question["share"]);
    return share.infinite() ? json("+Inf") : json(share.value());
  }
  if (ask == "outdated") {
    return kueue::IsOutdated(ProgressOf(question["progress"]), question["generation"],
                             question["cycle"], question["hash"], question["preserve"]);
  }
  if (ask == "skip") {
    kueue::Config config;
    ReadKueueConfig(question.value("config", json::object()), &config);
    kueue::Entry entry;
    entry.progress.emplace();
    kueue::MarkSkipped(config.gates, "", &entry);
    const bool skipped = entry.status == kueue::EntryStatus::kSkipped;
    return json{{"status", skipped ? "skipped" : ""}, {"progress", entry.progress.has_value()}};
  }
  kueue::World world;
  if (absl::Status opened = Open(question, &world); !opened.ok()) return opened;
  if (ask == "rest") return Rest(world);
  if (ask == "tree") return Tree(world);
  if (ask == "moved") return Moved(world, question);
  if (ask == "borrows") return Borrows(world, question);
  if (ask == "givers") return Givers(world, question);
  if (ask == "fair_less") return FairLess(world, question);
  if (ask == "replaced") {
    const auto w = world.ReplacedBy(world.FindWorkload(question["workload"].get<std::string>()));
    return w == kueue::kNothing ? json() : json(world.workloads[w].name);
  }
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
