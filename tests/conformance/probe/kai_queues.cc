// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Calls about queues: division, order, gates, reclaim, minimum run times.
#include <map>
#include <string>
#include <vector>

#include "lib/peer/kai/capacity_gate.h"
#include "lib/peer/kai/fair_share.h"
#include "lib/peer/kai/min_runtime.h"
#include "lib/peer/kai/queue_order.h"
#include "lib/peer/kai/reclaim_rules.h"
#include "tests/conformance/probe/kai.h"
#include "tests/conformance/probe/kai_json.h"

namespace muster::testing {
namespace {

using nlohmann::json;

// A call's queues, and their rows.
struct Queues {
  std::map<std::string, uint32_t> index = {};
  KaiQueueTree tree = {};
  explicit Queues(const json& queues) { tree = KaiTreeOf(queues, &index); }
  std::vector<uint32_t> all() const {
    std::vector<uint32_t> rows;
    for (uint32_t q = 0; q < tree.queues.size(); ++q) rows.push_back(q);
    return rows;
  }
  json FairShares() const {
    json shares = json::object();
    for (const auto& [key, row] : index) shares[key] = KaiWritten(tree.fair_share(row));
    return shares;
  }
};

json Divide(const std::string& fn, const json& in) {
  Queues queues(in["queues"]);
  const double k = in["k"];
  json answer = json::object();
  if (fn == "SetResourcesShare") {
    DivideKaiLevel(KaiQuantitiesOf(in["total"]), k, queues.all(), &queues.tree);
  } else if (fn == "setFairShareTree") {
    SetKaiFairShares(KaiQuantitiesOf(in["total"]), k, &queues.tree);
  } else {
    const std::string name = in["resource"];
    const size_t resource = name == "CPU" ? kKaiCpu : name == "Memory" ? kKaiMemory : kKaiGpu;
    answer["remaining"] =
        fn == "setResourceShare"
            ? DivideKaiResource(resource, in["total"], k, queues.all(), &queues.tree)
            : DivideKaiOverQuota(resource, in["total"], k, queues.all(), &queues.tree);
  }
  answer["fairShare"] = queues.FairShares();
  return answer;
}

json Order(const json& in) {
  KaiQueueTree tree;
  for (const char* side : {"left", "right"}) {
    const json& queue = in[side];
    tree.Add({.name = queue.value("name", ""),
              .priority = queue.value("priority", int64_t{0}),
              .created = static_cast<int64_t>(queue.value("created", 0.0) * 1e9)});
    tree.share.back() = KaiSharesOf(queue);
  }
  const json& least = KaiMember(in, "minNodeGPUMemory");
  const int64_t memory = least.is_number() ? least.get<int64_t>() : 0;
  KaiAmounts jobs[2];
  std::vector<KaiAmounts> victims[2];
  KaiQueueSide sides[2];
  for (uint32_t i = 0; i < 2; ++i) {
    const json& job = KaiMember(in, i == 0 ? "leftJob" : "rightJob");
    sides[i].queue = i;
    if (job.is_object()) {
      jobs[i] = KaiRecordedJob(job).NextRequest(memory);
      sides[i].job = &jobs[i];
    }
    const json& losses = KaiMember(in, i == 0 ? "leftVictims" : "rightVictims");
    if (losses.is_array()) {
      for (const json& loss : losses) victims[i].push_back(KaiAmountsOf(loss));
    }
    sides[i].victims = victims[i];
  }
  return CompareKaiQueues(tree, sides[0], sides[1], KaiQuantitiesOf(KaiMember(in, "total")));
}

// What tasks request of quotas before a node is known.
KaiAmounts Requested(const json& in) {
  const json& most = KaiMember(in, "maxNodeGPUMemoryMiB");
  const int64_t memory = most.is_number() ? most.get<int64_t>() : 0;
  KaiAmounts sum = {};
  for (const json& task : in["tasks"]) {
    KaiAmounts amounts = KaiAmountsOf(KaiMember(task, "request"));
    if (KaiTypeOf(task) == KaiRequestType::kGpuMemory) {
      amounts[kKaiGpu] = KaiMemoryAsGpus(KaiGpuOf(task), memory);
    }
    sum = AddedKaiAmounts(sum, amounts);
  }
  return sum;
}

KaiAmounts RequestedOnNode(const json& in) {
  KaiPlaces places;
  const KaiVector vector = places.Vector(KaiMember(in["task"], "request"));
  return {vector[0], vector[1],
          KaiGpuQuotaOn(KaiGpuOf(in["task"]), in["node"].value("gpuMemory", int64_t{0}))};
}

json Gate(const std::string& fn, const json& in) {
  const Queues queues(in["queues"]);
  const json& job = in["job"];
  const auto at = queues.index.find(job["queue"]);
  const uint32_t queue = at == queues.index.end() ? kKaiNone : at->second;
  const bool preemptible = job.value("preemptibility", "") == "preemptible";
  const KaiAmounts requested = in.contains("requested") ? KaiQuantitiesOf(in["requested"])
                               : in.contains("task")    ? RequestedOnNode(in)
                                                        : Requested(in);
  const KaiGate gate =
      fn == "resultsOverLimit" ? KaiOverLimit(queues.tree, queue, requested)
      : fn == "resultsWithNonPreemptibleOverQuota" || fn == "IsNonPreemptibleJobOverQuota"
          ? KaiOverQuota(queues.tree, queue, preemptible, requested)
          : KaiJobOverCapacity(queues.tree, queue, preemptible, requested);
  return {{"schedulable", gate.open()},
          {"reason", std::string(KaiGateReason(gate))},
          {"message", KaiGateMessage(queues.tree, gate, requested)}};
}

KaiChunk ChunkOf(const json& vector) {
  return KaiChunkOf(KaiAmountsOf(vector), vector.is_object() ? vector.value("gpu", 0.0) : 0);
}

json Strategy(const std::string& fn, const json& in) {
  const KaiShares victim = KaiSharesOf(in["victimQueue"]);
  const KaiAmounts remaining = KaiQuantitiesOf(in["victimRemaining"]);
  if (fn == "MaintainFairShareStrategy") return KaiMaintainsFairShare(victim, remaining);
  return KaiGuaranteesDeserved(KaiSharesOf(in["reclaimerQueue"]),
                               KaiAmountsOf(KaiMember(in, "reclaimer")), victim, remaining);
}

json Reclaim(const std::string& fn, const json& in) {
  const Queues queues(in["queues"]);
  const json& from = in["reclaimer"];
  const KaiReclaimer reclaimer = {.queue = queues.index.at(from["queue"]),
                                  .preemptible = from.value("preemptible", false),
                                  .request = ChunkOf(KaiMember(from, "resources"))};
  if (fn == "CanReclaimResources") return KaiCanReclaim(queues.tree, reclaimer);
  if (fn == "FilterVictim") {
    const auto victim = queues.index.find(in["victimQueue"]);
    return victim == queues.index.end() || KaiMayBeVictim(queues.tree, reclaimer, victim->second);
  }
  std::vector<KaiVictims> victims;
  for (const auto& [queue, chunks] : in["victims"].items()) {
    KaiVictims& lot = victims.emplace_back(KaiVictims{.queue = queues.index.at(queue)});
    for (const json& chunk : chunks) lot.chunks.push_back(ChunkOf(chunk));
  }
  return KaiReclaimIsFair(queues.tree, reclaimer, victims, in["multiplier"]);
}

// Whether a victim job is safe from the one that asks.
bool IsSafe(const Queues& queues, const json& in, bool by_reclaim, const json& job,
            const std::string& asking) {
  const uint32_t victim = queues.index.at(job["queue"]);
  const auto method =
      in.value("method", "") == "queue" ? KaiResolve::kQueue : KaiResolve::kCommonAncestor;
  const int64_t safe =
      by_reclaim ? KaiReclaimMinRuntime(queues.tree, method, queues.index.at(asking), victim,
                                        KaiDuration(in["defaultReclaim"]))
                 : KaiPreemptMinRuntime(queues.tree, victim, KaiDuration(in["defaultPreempt"]));
  std::optional<int64_t> started;
  if (job.contains("lastStart")) {
    started = static_cast<int64_t>(job["lastStart"].get<double>() * 1e9);
  }
  return KaiIsProtected(started, 0, safe);
}

json AskAboutVictims(const std::string& fn, const json& in) {
  const Queues queues(in["queues"]);
  const bool by_reclaim = fn.starts_with("reclaim");
  if (in.contains("victim")) {
    const json& victim = in["victim"];
    return KaiRecordedJob(victim).job().IsElastic() ||
           !IsSafe(queues, in, by_reclaim, victim, in["pending"]["queue"]);
  }
  const json& scenario = in["scenario"];
  for (const auto& [name, victim] : scenario["victims"].items()) {
    const KaiRecordedJob read(victim["job"]);
    if (!read.job().IsElastic() ||
        !IsSafe(queues, in, by_reclaim, victim["job"], scenario["preemptor"]["queue"])) {
      continue;
    }
    std::map<std::string, KaiElasticLoss> losses;
    for (const json& task : victim["tasks"]) ++losses[task.value("subGroup", "default")].victims;
    std::vector<KaiElasticLoss> rows;
    for (auto& [pod_set, loss] : losses) {
      const uint32_t group = read.PodSet(pod_set);
      loss.min_available = read.job().minimum(group);
      loss.active_used = read.job().counts(group).active_used;
      rows.push_back(loss);
    }
    if (!KaiKeepsMinimum(rows)) return false;
  }
  return true;
}

json MinRuntime(const std::string& fn, const json& in) {
  const Queues queues(in["queues"]);
  const int64_t unset = KaiDuration(in["default"]);
  const auto row = [&](const char* key) -> std::optional<uint32_t> {
    const json& queue = KaiMember(in, key);
    if (!queue.is_object()) return std::nullopt;
    return queues.index.at(queue["uid"]);
  };
  if (fn == "getPreemptMinRuntime") {
    const auto queue = row("queue");
    if (!queue) return {{"error", "queue is nil"}, {"nanoseconds", unset}};
    return {{"nanoseconds", KaiPreemptMinRuntime(queues.tree, *queue, unset)}};
  }
  const auto reclaimer = row("preemptorQueue"), victim = row("victimQueue");
  if (!reclaimer) return {{"error", "preemptorQueue is nil"}, {"nanoseconds", unset}};
  if (!victim) return {{"error", "preempteeQueue is nil"}, {"nanoseconds", unset}};
  const auto method = in["method"] == "queue" ? KaiResolve::kQueue : KaiResolve::kCommonAncestor;
  return {{"nanoseconds", KaiReclaimMinRuntime(queues.tree, method, *reclaimer, *victim, unset)}};
}

}  // namespace

const KaiAsks& KaiQueueAsks() {
  static const auto* const kAsks = new KaiAsks{
      {"setResourceShare", Divide},
      {"divideOverQuotaResource", Divide},
      {"SetResourcesShare", Divide},
      {"setFairShareTree", Divide},
      {"GetQueueOrderResult", [](const std::string&, const json& in) { return Order(in); }},
      {"IsJobOverQueueCapacity", Gate},
      {"IsNonPreemptibleJobOverQuota", Gate},
      {"IsTaskAllocationOnNodeOverCapacity", Gate},
      {"resultsOverLimit", Gate},
      {"resultsWithNonPreemptibleOverQuota", Gate},
      {"CanReclaimResources", Reclaim},
      {"Reclaimable", Reclaim},
      {"FilterVictim", Reclaim},
      {"MaintainFairShareStrategy", Strategy},
      {"GuaranteeDeservedQuotaStrategy", Strategy},
      {"getPreemptMinRuntime", MinRuntime},
      {"getReclaimMinRuntime", MinRuntime},
      {"preemptFilterFn", AskAboutVictims},
      {"reclaimFilterFn", AskAboutVictims},
      {"preemptScenarioValidatorFn", AskAboutVictims},
      {"reclaimScenarioValidatorFn", AskAboutVictims},
  };
  return *kAsks;
}

}  // namespace muster::testing
