// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/scenario/scenario.h"
#include "tests/conformance/probe/kueue.h"

namespace muster::testing {

using nlohmann::json;

namespace {

std::string CellName(const kueue::World& world, kueue::Cell cell) {
  return absl::StrCat(world.flavors[world.flavor_of(cell)].name, "/",
                      world.resources[world.resource_of(cell)]);
}

const char* Word(kueue::Mode mode) {
  const char* const words[] = {"NoFit", "Preempt", "DeferredFit", "Fit"};
  return words[static_cast<int>(mode)];
}

const char* Word(kueue::EntryStatus status) {
  const char* const words[] = {"", "nominated", "skipped", "assumed", "evicted", "preemptionGated"};
  return words[static_cast<int>(status)];
}

const char* Word(kueue::RequeueReason reason) {
  const char* const words[] = {"",
                               "FailedAfterNomination",
                               "NamespaceMismatch",
                               "NoFit",
                               "PreemptionNoCandidates",
                               "PendingPreemption",
                               "PreemptionFailed",
                               "PendingMigration",
                               "PreemptionGated"};
  return words[static_cast<int>(reason)];
}

const char* Word(kueue::Lack lack) {
  const char* const words[] = {"", "TopologyPlacementFailed", "WaitingForQuota", "ExceedsMaxQuota",
                               "NoMatchingFlavor"};
  return words[static_cast<int>(lack)];
}

std::vector<std::pair<std::string, int64_t>> AmountList(const json& amounts) {
  std::vector<std::pair<std::string, int64_t>> list;
  for (const auto& [name, amount] : amounts.items()) list.emplace_back(name, amount.get<int64_t>());
  return list;
}

kueue::NamedPlaces PlacesOf(const json& places) {
  kueue::NamedPlaces out;
  for (const json& place : places) {
    out.push_back({place["values"].get<std::vector<std::string>>(), place["count"].get<int32_t>()});
  }
  return out;
}

// What pod sets have of the topology.
void ReadTopologyFacts(const json& facts, kueue::WorkloadFacts* out) {
  for (const json& wish : facts.value("topology", json::array())) {
    out->topology.push_back(wish.is_null() ? std::nullopt
                                           : std::optional(KueueTopologyRequest(wish)));
  }
  for (const json& places : facts.value("places", json::array())) {
    out->places.push_back(places.is_null() ? std::nullopt : std::optional(PlacesOf(places)));
  }
  for (const json& delayed : facts.value("delayed", json::array())) {
    out->delayed.push_back(delayed.get<bool>());
  }
  out->elastic = facts.value("elastic", false);
  out->single_pod = facts.value("single_pod", false);
  out->unhealthy = facts.value("unhealthy", "");
}

}  // namespace

kueue::TopologyRequest KueueTopologyRequest(const json& wish) {
  kueue::TopologyRequest out;
  if (wish.contains("required")) out.required = wish["required"];
  if (wish.contains("preferred")) out.preferred = wish["preferred"];
  if (wish.contains("unconstrained")) out.unconstrained = wish["unconstrained"].get<bool>();
  for (const json& slice : wish.value("slices", json::array())) {
    out.slices.push_back({slice.value("level", ""), slice.value("size", 0)});
  }
  return out;
}

kueue::Policy KueuePolicy(const std::string& word) {
  if (word == "Never") return kueue::Policy::kNever;
  if (word == "LowerPriority") return kueue::Policy::kLowerPriority;
  if (word == "LowerOrNewerEqualPriority") return kueue::Policy::kLowerOrNewerEqual;
  if (word == "Any") return kueue::Policy::kAny;
  return kueue::Policy::kUnset;
}

kueue::Cell KueueCell(kueue::World* world, const std::string& name) {
  const size_t slash = name.find('/');
  return world->CellOf(world->Flavor(name.substr(0, slash)),
                       world->Resource(name.substr(slash + 1)));
}

void ReadKueueConfig(const json& config, kueue::Config* out) {
  out->fair_sharing = config.value("fair_sharing", false);
  out->ignores_undeclared = config.value("ignores_undeclared", false);
  out->usage_order = config.value("usage_order", false);
  if (config.contains("share_rules")) {
    out->share_rules.clear();
    for (const json& rule : config["share_rules"]) {
      out->share_rules.push_back(rule == "LessThanOrEqualToFinalShare"
                                     ? kueue::ShareRule::kAtMostFinal
                                     : kueue::ShareRule::kBelowInitial);
    }
  }
  const json gates = config.value("gates", json::object());
  for (const kueue::GateRule& rule : kueue::kGateRules) {
    bool* const gate = &(out->gates.*rule.gate);
    *gate = gates.value(std::string(rule.name), *gate);
  }
}

kueue::WorkloadFacts KueueFacts(const json& facts) {
  kueue::WorkloadFacts out;
  ReadTopologyFacts(facts, &out);
  for (const json& amounts : facts.value("requests", json::array())) {
    out.requests.push_back(AmountList(amounts));
  }
  const json space_labels_map = facts.value("space_labels", json::object());
  for (const auto& [key, value] : space_labels_map.items()) {
    out.space_labels.emplace_back(key, value);
  }
  out.refused = facts.value("refused", "");
  if (facts.contains("allowed")) out.allowed = facts["allowed"].get<std::vector<std::string>>();
  out.family = facts.value("family", "");
  out.gated = facts.value("gated", false);
  out.replaces = facts.value("replaces", "");
  out.local_queue = facts.value("local_queue", "");
  if (facts.contains("queue_time")) out.queue_time = facts["queue_time"].get<int64_t>();
  out.evicted = facts.value("evicted", false);
  out.reserved = facts.value("reserved", true);
  out.reclaimed = facts.value("reclaimed", std::vector<int64_t>());
  out.pod_set_groups = facts.value("pod_set_groups", std::vector<std::string>());
  for (const json& amounts : facts.value("usage", json::array())) {
    out.usage.push_back(AmountList(amounts));
  }
  out.hash_extra = facts.value("hash_extra", "");
  if (facts.contains("retry_at")) out.retry_at = facts["retry_at"].get<int64_t>();
  out.may_retry = facts.value("may_retry", true);
  out.retry_checks = facts.value("retry_checks", false);
  out.generation = facts.value("generation", uint64_t{1});
  return out;
}

absl::Status ReadKueueWorld(const json& question, kueue::World* world) {
  const absl::StatusOr<Scenario> scenario =
      ParseScenario(question.value("scenario", json::object()).dump());
  if (!scenario.ok()) return scenario.status();
  const json policies = question.value("policies", json::object());
  for (const FlavorSpec& flavor : scenario->cluster.flavors) world->SetFlavor(flavor);
  for (const QueueSpec& queue : scenario->cluster.queues) {
    kueue::QueueRow& row = world->queues[world->SetQueue(queue)];
    if (!policies.contains(queue.name)) continue;
    const json& words = policies[queue.name];
    row.within = KueuePolicy(words.value("within", ""));
    row.reclaim = KueuePolicy(words.value("reclaim", ""));
    row.while_borrowing.reset();
    if (words.contains("borrow")) row.while_borrowing = KueuePolicy(words["borrow"]);
    if (words.contains("borrow_most")) row.while_borrowing_most = words["borrow_most"];
    if (words.contains("last_acceptable")) {
      row.last_acceptable = world->Flavor(words["last_acceptable"].get<std::string>());
    }
    row.no_namespace = words.value("no_namespace", false);
    row.active = words.value("active", true);
    row.stopped = row.stopped || !row.active;
    for (const json& delay : words.value("delays", json::array())) {
      const std::string flavor = delay.value("flavor", "");
      row.delays.emplace_back(flavor.empty() ? kueue::kNothing : world->Flavor(flavor),
                              delay.value("always", false));
    }
  }
  const json facts = question.value("facts", json::object());
  for (const JobSpec& job : scenario->cluster.jobs) {
    world->SetWorkload(job, KueueFacts(facts.value(job.name, json::object())));
  }
  world->Settle();
  return absl::OkStatus();
}

absl::StatusOr<std::vector<kueue::TopologyHost>> KueueHosts(const json& question) {
  const absl::StatusOr<Scenario> scenario =
      ParseScenario(question.value("scenario", json::object()).dump());
  if (!scenario.ok()) return scenario.status();
  std::vector<kueue::TopologyHost> hosts;
  const json taken = question.value("taken", json::object());
  for (const NodeSpec& node : scenario->cluster.nodes) {
    hosts.push_back({node, AmountList(taken.value(node.name, json::object()))});
  }
  return hosts;
}

json WrittenAmounts(const kueue::World& world, const kueue::CellAmounts& amounts) {
  json out = json::object();
  for (const kueue::CellAmount& a : amounts) out[CellName(world, a.cell)] = a.amount;
  return out;
}

json WrittenVictims(const kueue::World& world, const std::vector<kueue::Victim>& victims) {
  json out = json::array();
  for (const kueue::Victim& v : victims) {
    out.push_back({{"workload", world.workloads[v.workload].name},
                   {"reason", std::string(kueue::WordOf(v.reason))}});
  }
  return out;
}

json WrittenAssignment(const kueue::World& world, kueue::Queue queue,
                       const kueue::Assignment& assignment) {
  json pod_sets = json::array();
  for (const kueue::PodSetAssignment& p : assignment.pod_sets) {
    json flavors = json::object();
    for (const kueue::FlavorChoice& f : p.flavors) {
      flavors[world.resources[f.resource]] = {
          {"name", world.flavors[f.flavor].name},
          {"mode", assignment.deferred ? "DeferredFit" : Word(f.mode())},
          {"triedFlavorIdx", f.tried},
          {"borrow", f.borrow}};
    }
    json row = {{"index", p.pod_set},     {"count", p.count},     {"flavors", flavors},
                {"mode", Word(p.mode())}, {"delayed", p.delayed}, {"error", p.error}};
    if (p.places) {
      row["places"] = json::array();
      for (const kueue::NamedPlace& place : *p.places) {
        row["places"].push_back({{"values", place.leaf}, {"count", place.count}});
      }
    }
    pod_sets.push_back(std::move(row));
  }
  json tried = json::array();
  for (const auto& pod_set : assignment.progress.tried) {
    json row = json::object();
    for (const auto& [resource, index] : pod_set) row[world.resources[resource]] = index;
    tried.push_back(row);
  }
  return {{"podSets", pod_sets},
          {"borrowing", assignment.borrowing},
          {"usage", WrittenAmounts(world, assignment.usage)},
          {"mode", Word(assignment.mode())},
          {"lastTriedFlavorIdx", tried},
          {"reason", Word(kueue::LackOf(world, queue, assignment))}};
}

json WrittenEntry(const kueue::World& world, const kueue::Entry& entry) {
  json out = WrittenAssignment(world, entry.queue, entry.assignment);
  out["workload"] = world.workloads[entry.workload].name;
  out["clusterQueue"] = world.queues[entry.queue].name;
  out["mode"] = Word(entry.mode);
  out["status"] = Word(entry.status);
  out["requeueReason"] = Word(entry.requeue);
  out["targets"] = WrittenVictims(world, entry.victims);
  if (entry.replaced != kueue::kNothing) {
    out["targets"].push_back({{"workload", world.workloads[entry.replaced].name}, {"reason", ""}});
  }
  out["isPreemptor"] = entry.is_preemptor;
  out["considered"] = entry.considered;
  out["note"] = entry.note;
  out["hasProgress"] = entry.progress.has_value();
  return out;
}

json WrittenQueues(kueue::World& world, kueue::Scheduler& scheduler) {
  json out = json::object();
  const auto names = [&](const std::vector<kueue::WorkloadIndex>& list) {
    json written = json::array();
    for (const kueue::WorkloadIndex w : list) written.push_back(world.workloads[w].name);
    return written;
  };
  for (kueue::Queue q = 0; q < world.queues.size(); ++q) {
    if (world.queues[q].is_cohort || !world.queues[q].alive) continue;
    const kueue::PendingQueue& pending = scheduler.pending(q);
    json usage = json::object();
    for (kueue::Cell c = 0; c < world.tree.cells(); ++c) {
      if (world.tree.usage(q, c) != 0) usage[CellName(world, c)] = world.tree.usage(q, c);
    }
    out[world.queues[q].name] = {{"active", names(pending.Active())},
                                 {"inadmissible", names(pending.Inadmissible())},
                                 {"usage", usage},
                                 {"popCycle", pending.pop_cycle},
                                 {"returnCycle", pending.return_cycle}};
    if (pending.preemptor().workload != kueue::kNothing) {
      out[world.queues[q].name]["preemptor"] = {
          {"workload", world.workloads[pending.preemptor().workload].name},
          {"sticky", pending.preemptor().sticky}};
    }
    if (world.config.fair_sharing && world.HasParent(q)) {
      out[world.queues[q].name]["share"] = scheduler.search().shares().Of(q).value();
    }
  }
  return out;
}

}  // namespace muster::testing
