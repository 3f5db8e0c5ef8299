// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whole cycles of Kueue, one after the other, on a world that follows what they decide.
#include "tests/conformance/probe/kueue.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/scenario/scenario.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

class Theater {
 public:
  absl::Status Open(const json& question) {
    world_.now = question.value("now", int64_t{0});
    ReadKueueConfig(question.value("config", json::object()), &world_.config);
    if (absl::Status read = ReadKueueWorld(question, &world_); !read.ok()) return read;
    absl::StatusOr<std::vector<kueue::TopologyHost>> hosts = KueueHosts(question);
    if (!hosts.ok()) return hosts.status();
    topology_.emplace(world_, *hosts);
    scheduler_.set_topology(&*topology_);
    return absl::OkStatus();
  }

  void PushAll() {
    for (kueue::WorkloadIndex w = 0; w < world_.workloads.size(); ++w) {
      const kueue::WorkloadRow& row = world_.workloads[w];
      if (!row.holds && row.queue != kueue::kNothing) scheduler_.Push(w);
    }
  }

  // One cycle, with queues as they are given.
  json OneCycle(const json& op) {
    scheduler_.cycle = op.value("cycle", int64_t{1}) - 1;
    local_usage_.assign(world_.local_queues.size() + 1, -1);
    const json local_usage_map = op.value("local_usage", json::object());
    for (const auto& [name, usage] : local_usage_map.items()) {
      const uint32_t q = world_.LocalQueue(name);
      if (q >= local_usage_.size()) local_usage_.resize(q + 1, -1);
      local_usage_[q] = usage;
    }
    if (world_.config.usage_order && world_.config.gates.admission_fair_sharing)
      scheduler_.set_local_usage(&local_usage_);
    const json queues_map = op.value("queues", json::object());
    for (const auto& [name, state] : queues_map.items()) {
      const kueue::Queue q = world_.FindQueue(name);
      if (q != kueue::kNothing) OpenQueue(q, state);
    }
    const json generations_map = op.value("generations", json::object());
    for (const auto& [name, generation] : generations_map.items()) {
      const kueue::Queue q = world_.FindQueue(name);
      if (q != kueue::kNothing) world_.queues[q].generation = generation;
    }
    std::vector<kueue::WorkloadIndex> second;
    for (const json& name : op.value("second_pass", json::array())) {
      second.push_back(world_.FindWorkload(name.get<std::string>()));
    }
    return Cycle(second);
  }

  // The victims for an assignment: {"queue": NAME, "workload": NAME, "usage": {FLAVOR/RESOURCE:
  // AMOUNT}, "lacking": [FLAVOR/RESOURCE]}.
  json FindVictims(const json& op) {
    kueue::Need need{.queue = world_.FindQueue(op["queue"].get<std::string>()),
                     .workload = world_.FindWorkload(op["workload"].get<std::string>())};
    for (const auto& [name, amount] : op["usage"].items()) {
      need.usage.push_back({CellNamed(name), amount.get<int64_t>()});
    }
    for (const json& name : op["lacking"]) need.lacking.push_back(CellNamed(name));
    world_.Settle();
    return WrittenVictims(world_, scheduler_.search().Find(need));
  }

  // Flavors for a workload: {"queue", "workload", "replaced" (the one it grows out of), "oracle":
  // {FLAVOR/RESOURCE: [0..2, HEIGHT]}, "usage": {QUEUE: {FLAVOR/RESOURCE: AMOUNT}}, "pins": [by pod
  // set: {RESOURCE: FLAVOR}, the only one that is looked at]}.
  json Assign(const json& op) {
    const json usage_map = op.value("usage", json::object());
    for (const auto& [name, amounts] : usage_map.items()) {
      for (const auto& [cell, amount] : amounts.items()) {
        const kueue::Cell c = CellNamed(cell);
        world_.Settle();
        world_.tree.Add(world_.FindQueue(name), c, amount.get<int64_t>());
      }
    }
    world_.Settle();
    Told oracle(op.value("oracle", json::object()), this);
    kueue::Entry entry{.workload = world_.FindWorkload(op["workload"].get<std::string>()),
                       .queue = world_.FindQueue(op["queue"].get<std::string>())};
    if (op.contains("replaced")) {
      // It is told apart from the usage of its queue.
      entry.replaced = world_.FindWorkload(op["replaced"].get<std::string>());
      const kueue::WorkloadRow& old = world_.workloads[entry.replaced];
      world_.tree.Remove(old.queue, old.usage);
    }
    scheduler_.cycle = op.value("cycle", int64_t{0});
    const std::vector<int64_t> counts = op.value("counts", std::vector<int64_t>());
    kueue::Pins pins;
    for (const json& told : op.value("pins", json::array())) {
      auto& of_pod_set = pins.emplace_back();
      for (const auto& [resource, flavor] : told.items()) {
        of_pod_set.emplace_back(world_.Resource(resource),
                                world_.Flavor(flavor.get<std::string>()));
      }
    }
    return WrittenAssignment(world_, entry.queue,
                             scheduler_.Assign(&entry, &oracle, counts.empty() ? nullptr : &counts,
                                               pins.empty() ? nullptr : &pins));
  }

  // What pods in places add to those that the workload holds: {"workload", "pod_sets": [{"flavors":
  // {RESOURCE: FLAVOR}, "places": PLACES}]} -> [[FLAVOR, VALUES, COUNT, {RESOURCE: AMOUNT}]].
  json AddedPlaces(const json& op) {
    const kueue::WorkloadRow& row =
        world_.workloads[world_.FindWorkload(op["workload"].get<std::string>())];
    kueue::Assignment assignment;
    for (const json& told : op["pod_sets"]) {
      kueue::PodSetAssignment& p = assignment.pod_sets.emplace_back();
      p.pod_set = static_cast<uint32_t>(assignment.pod_sets.size() - 1);
      for (const auto& [resource, flavor] : told["flavors"].items()) {
        p.flavors.push_back({.resource = world_.Resource(resource),
                             .flavor = world_.Flavor(flavor.get<std::string>())});
      }
      if (told["places"].is_null()) continue;
      p.places.emplace();
      for (const json& place : told["places"]) {
        p.places->push_back({place["values"], place["count"]});
      }
    }
    json added = json::array();
    for (const auto& usage : topology_->UsageOf(row, assignment)) {
      json pod = json::object();
      for (const kueue::PodAmount& a : usage.pod) pod[world_.resources[a.resource]] = a.amount;
      for (const kueue::NamedPlace& place : usage.places) {
        added.push_back({world_.flavors[usage.flavor].name, place.leaf, place.count, pod});
      }
    }
    return added;
  }

  // The protocol of random clusters: cycles until nothing waits, victims leave after each, and an
  // admitted workload ends when nothing can be tried.
  json Play(const json& op) {
    json steps = json::array();
    int64_t ends = op.value("finish_on_idle", int64_t{0});
    for (int64_t i = 0; i < op["cycles"].get<int64_t>(); ++i) {
      if (!scheduler_.HasHeads()) {
        if (ends-- <= 0) break;
        const kueue::WorkloadIndex w = FirstToEnd();
        if (w == kueue::kNothing) break;
        steps.push_back({{"finished", world_.workloads[w].name}});
        const kueue::Queue queue = world_.workloads[w].queue;
        scheduler_.Release(w);
        world_.RemoveWorkload(w);
        scheduler_.Return(queue);
        ++world_.now;
        if (!scheduler_.HasHeads()) continue;
      }
      steps.push_back(Cycle());
    }
    return steps;
  }

 private:
  // An oracle with given answers; without one, eviction within the queue helps.
  class Told : public kueue::Oracle {
   public:
    Told(const json& answers, Theater* theater) {
      for (const auto& [name, answer] : answers.items()) {
        const int kind = answer[0];
        told_.emplace_back(theater->CellNamed(name),
                           kueue::Grade{kind == 0   ? kueue::Possibility::kNoCandidates
                                        : kind == 1 ? kueue::Possibility::kPreempt
                                                    : kueue::Possibility::kReclaim,
                                        answer[1].get<int>()});
      }
    }
    kueue::Grade Ask(kueue::Cell cell, kueue::Amount) override {
      for (const auto& [known, grade] : told_) {
        if (known == cell) return grade;
      }
      return {kueue::Possibility::kPreempt, 0};
    }

   private:
    std::vector<std::pair<kueue::Cell, kueue::Grade>> told_;
  };

  kueue::Cell CellNamed(const std::string& name) { return KueueCell(&world_, name); }

  void OpenQueue(kueue::Queue q, const json& state) {
    kueue::PendingQueue& pending = scheduler_.pending(q);
    for (const json& name : state.value("active", json::array())) {
      const kueue::WorkloadIndex w = world_.FindWorkload(name.get<std::string>());
      if (w != kueue::kNothing) pending.Activate(w);
    }
    for (const json& name : state.value("inadmissible", json::array())) {
      const kueue::WorkloadIndex w = world_.FindWorkload(name.get<std::string>());
      // A record still lists what its last cycle admitted.
      if (w != kueue::kNothing && !world_.workloads[w].holds) pending.PutAside(w);
    }
    pending.pop_cycle = state.value("popCycle", int64_t{0});
    pending.return_cycle = state.value("queueInadmissibleCycle", int64_t{-1});
    if (state.contains("preemptor")) {
      const kueue::WorkloadIndex w =
          world_.FindWorkload(state["preemptor"]["workload"].get<std::string>());
      if (w != kueue::kNothing) {
        pending.set_preemptor(
            {w, world_.workloads[w].generation, state["preemptor"].value("sticky", false)});
      }
    }
    const json lastAssignment_map = state.value("lastAssignment", json::object());
    for (const auto& [name, told] : lastAssignment_map.items()) {
      const kueue::WorkloadIndex w = world_.FindWorkload(name);
      if (w == kueue::kNothing) continue;
      kueue::ScanProgress progress{.generation = told.value("clusterQueueGeneration", uint64_t{0}),
                                   .cycle = told.value("schedulingCycle", int64_t{0}),
                                   .hash = world_.workloads[w].hash};
      for (const json& pod_set : told.value("lastTriedFlavorIdx", json::array())) {
        auto& row = progress.tried.emplace_back();
        for (const auto& [resource, index] : pod_set.items()) {
          row.emplace_back(world_.Resource(resource), index.get<int32_t>());
        }
      }
      world_.workloads[w].progress = std::move(progress);
    }
  }

  kueue::WorkloadIndex FirstToEnd() const {
    kueue::WorkloadIndex first = kueue::kNothing;
    for (kueue::WorkloadIndex w = 0; w < world_.workloads.size(); ++w) {
      const kueue::WorkloadRow& row = world_.workloads[w];
      if (!row.alive || !row.holds) continue;
      if (first == kueue::kNothing) {
        first = w;
        continue;
      }
      const kueue::WorkloadRow& best = world_.workloads[first];
      if (std::pair(row.reserved_at, row.uid_rank) < std::pair(best.reserved_at, best.uid_rank)) {
        first = w;
      }
    }
    return first;
  }

  json Cycle(const std::vector<kueue::WorkloadIndex>& second = {}) {
    const kueue::CycleResult result = scheduler_.Run(second);
    json entries = json::array(), heads = json::array(), refused = json::array();
    for (const kueue::Entry& e : result.entries) {
      heads.push_back(world_.workloads[e.workload].name);
      if (!e.considered) refused.push_back(WrittenEntry(world_, e));
    }
    for (const uint32_t i : result.order) {
      entries.push_back(WrittenEntry(world_, result.entries[i]));
    }
    const json after = WrittenQueues(world_, scheduler_);
    json step = {{"now", world_.now},
                 {"heads", heads},
                 {"entries", entries},
                 {"refused", refused},
                 {"queues", after}};
    if (second.empty()) Evict(result, &step);
    ++world_.now;
    return step;
  }

  void Evict(const kueue::CycleResult& result, json* step) {
    std::set<std::string> evicted;
    for (const kueue::Entry& e : result.entries) {
      if (e.status == kueue::EntryStatus::kSkipped) continue;
      for (const kueue::Victim& v : e.victims) {
        if (e.requeue == kueue::RequeueReason::kPendingPreemption &&
            e.mode == kueue::Mode::kPreempt) {
          evicted.insert(world_.workloads[v.workload].name);
        }
      }
    }
    std::set<kueue::Queue> touched;
    for (const std::string& name : evicted) {
      const kueue::WorkloadIndex w = world_.FindWorkload(name);
      scheduler_.Release(w);
      scheduler_.Push(w);
      touched.insert(world_.workloads[w].queue);
    }
    for (const kueue::Queue q : touched) scheduler_.Return(q);
    (*step)["evicted"] = evicted;
  }

  kueue::World world_;
  kueue::Scheduler scheduler_{&world_};
  std::optional<kueue::TopologyWorld> topology_;
  std::vector<double> local_usage_;
};

}  // namespace

absl::StatusOr<json> AskKueue(const json& request) {
  Theater theater;
  if (absl::Status opened = theater.Open(request["kueue"]); !opened.ok()) return opened;
  json answers = json::array();
  for (const json& op : request["ops"]) {
    const std::string name = op.value("op", "");
    if (name == "play") {
      theater.PushAll();
      answers.push_back(theater.Play(op));
    } else if (name == "cycle") {
      answers.push_back(theater.OneCycle(op));
    } else if (name == "find") {
      answers.push_back(theater.FindVictims(op));
    } else if (name == "added_places") {
      answers.push_back(theater.AddedPlaces(op));
    } else if (name == "assign") {
      answers.push_back(theater.Assign(op));
    } else {
      return absl::InvalidArgumentError(absl::StrCat("kueue: no op \"", name, "\""));
    }
  }
  return answers;
}

}  // namespace muster::testing
