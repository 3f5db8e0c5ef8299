// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One ClusterQueue of Kueue, step by step:
//
//   {"kueue_queue": WORLD, "queue": NAME, "usage": {LOCAL_QUEUE: 2.5},
//    "ops": [{"op": "push", "workload": NAME}, {"op": "pop"}]}
//
// Each answer has what the step returned ("got"), the heap in order ("active"), and what waits
// apart ("aside"). Ops: push, pop, requeue (with a "reason"), return, delete, remember, and change
// (with the "scenario" and "facts" of the workload as it is then, and whether the change "helps").
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/peer/kueue/entry.h"
#include "lib/scenario/scenario.h"
#include "tests/conformance/probe/kueue.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

kueue::EntryStatus StatusNamed(const std::string& word) {
  return word == "nominated"         ? kueue::EntryStatus::kNominated
         : word == "skipped"         ? kueue::EntryStatus::kSkipped
         : word == "assumed"         ? kueue::EntryStatus::kAssumed
         : word == "evicted"         ? kueue::EntryStatus::kEvicted
         : word == "preemptionGated" ? kueue::EntryStatus::kPreemptionGated
                                     : kueue::EntryStatus::kNotNominated;
}

class QueueScript {
 public:
  absl::Status Open(const json& request) {
    const json& told = request["kueue_queue"];
    world_.now = told.value("now", int64_t{0});
    ReadKueueConfig(told.value("config", json::object()), &world_.config);
    if (absl::Status read = ReadKueueWorld(told, &world_); !read.ok()) return read;
    queue_ = world_.FindQueue(request["queue"].get<std::string>());
    if (queue_ == kueue::kNothing) return absl::InvalidArgumentError("kueue_queue: no such queue");
    pending_.emplace(&world_, queue_);
    const json usage = request.value("usage", json::object());
    if (usage.empty()) return absl::OkStatus();
    usage_.assign(world_.local_queues.size() + 1, 0);
    for (const auto& [name, value] : usage.items()) {
      const uint32_t q = world_.LocalQueue(name);
      if (q >= usage_.size()) usage_.resize(q + 1, 0);
      usage_[q] = value;
    }
    pending_->set_usage(&usage_);
    return absl::OkStatus();
  }

  absl::StatusOr<json> Step(const json& op) {
    const std::string name = op["op"];
    const kueue::WorkloadIndex w = op.contains("workload")
                                       ? world_.FindWorkload(op["workload"].get<std::string>())
                                       : kueue::kNothing;
    json got;
    if (name == "pop") {
      const kueue::WorkloadIndex head = pending_->Pop();
      if (head != kueue::kNothing) got = world_.workloads[head].name;
    } else if (name == "return") {
      got = pending_->Return();
    } else if (w == kueue::kNothing) {
      return absl::InvalidArgumentError(absl::StrCat("kueue_queue: \"", name, "\" of what?"));
    } else if (absl::Status done = OfWorkload(name, op, w, &got); !done.ok()) {
      return done;
    }
    return json{{"got", got},
                {"active", Names(pending_->Active())},
                {"aside", Names(pending_->Inadmissible())}};
  }

 private:
  absl::Status OfWorkload(const std::string& name, const json& op, kueue::WorkloadIndex w,
                          json* got) {
    using Place = kueue::PendingQueue::Place;
    if (name == "push") {
      pending_->Push(w);
    } else if (name == "requeue") {
      const Place before = pending_->PlaceOf(w);
      pending_->Requeue(
          w, kueue::FinalReason(StatusNamed(op.value("status", "")), KueueReason(op["reason"])));
      *got = {{"added", before != pending_->PlaceOf(w)}, {"remembered", pending_->Remembers(w)}};
    } else if (name == "delete") {
      pending_->Delete(w);
    } else if (name == "remember") {
      *got = pending_->Remember(w);
    } else if (name == "may_be_tried") {
      *got = pending_->MayBeTried(w);
    } else if (name == "progress") {
      *got = world_.workloads[w].progress.has_value();
    } else if (name == "scanned") {
      kueue::ScanProgress progress{
          .generation = op["generation"], .cycle = op["cycle"], .hash = world_.workloads[w].hash};
      for (const json& pod_set : op["tried"]) {
        auto& row = progress.tried.emplace_back();
        for (const auto& [resource, index] : pod_set.items()) {
          row.emplace_back(world_.Resource(resource), index.get<int32_t>());
        }
      }
      world_.workloads[w].progress = std::move(progress);
    } else if (name == "change") {
      return Change(op, w);
    } else {
      return absl::InvalidArgumentError(absl::StrCat("kueue_queue: no op \"", name, "\""));
    }
    return absl::OkStatus();
  }

  absl::Status Change(const json& op, kueue::WorkloadIndex w) {
    const absl::StatusOr<Scenario> scenario = ParseScenario(op["scenario"].dump());
    if (!scenario.ok()) return scenario.status();
    const kueue::PendingQueue::Place was = pending_->Leave(w);
    const JobSpec& job = scenario->cluster.jobs.front();
    world_.SetWorkload(job, KueueFacts(op["facts"]));
    pending_->Enter(w, was, op["helps"]);
    return absl::OkStatus();
  }

  json Names(const std::vector<kueue::WorkloadIndex>& list) const {
    json names = json::array();
    for (const kueue::WorkloadIndex w : list) names.push_back(world_.workloads[w].name);
    return names;
  }

  kueue::World world_;
  kueue::Queue queue_ = kueue::kNothing;
  std::vector<double> usage_;
  std::optional<kueue::PendingQueue> pending_;
};

}  // namespace

absl::StatusOr<json> AskKueueQueue(const json& request) {
  QueueScript script;
  if (absl::Status opened = script.Open(request); !opened.ok()) return opened;
  json answers = json::array();
  for (const json& op : request["ops"]) {
    absl::StatusOr<json> answer = script.Step(op);
    if (!answer.ok()) return answer.status();
    answers.push_back(*std::move(answer));
  }
  return answers;
}

}  // namespace muster::testing
