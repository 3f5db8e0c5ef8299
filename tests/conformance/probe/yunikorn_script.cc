// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random clusters, operation by operation on a living partition.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/probe/yunikorn_json.h"

namespace muster::testing::yunikorn_probe {
namespace {

using yunikorn::Index;
using yunikorn::Nanos;
using yunikorn::Partition;
using yunikorn::Termination;

// Late in its hour, as the records are: victims over a quota are ordered by the hour of their
// creation.
constexpr Nanos kStart = (1'700'000'000 / 3600 * 3600 + 3000) * yunikorn::kSecond;
constexpr size_t kMostCycles = 2'000;  // a record ends there: some reservations take turns forever

class Player {
 public:
  absl::StatusOr<json> Play(const json& script) {
    world_.now = kStart;
    if (absl::Status status = world_.Configure(ConfigOf(script["config"])); !status.ok()) {
      return status;
    }
    for (const json& op : script["ops"]) {
      world_.now += 1000;
      Do(op);
    }
    return json{{"results", results_}, {"final", Final()}};
  }

 private:
  void Do(const json& op) {
    const std::string kind = op["op"];
    if (kind == "node") {
      AddNode(op["node"]);
    } else if (kind == "app") {
      AddApplication(op["app"]);
    } else if (kind == "alloc") {
      AddAllocation(op["alloc"]);
    } else if (kind == "schedule") {
      Schedule();
    } else if (kind == "confirm") {
      Confirm();
    } else if (kind == "release") {
      for (const std::string key : op["keys"]) {
        Release(key.substr(0, key.find('/')), key.substr(key.find('/') + 1));
      }
    } else if (kind == "drain") {
      (void)world_.SetSchedulable(op["node"].get<std::string>(), false);
    } else if (kind == "removeApp") {
      world_.RemoveApplication(op["app"].get<std::string>());
    } else if (kind == "placeholderTimeout") {
      PlaceholderTimeout(op["app"]);
    } else if (kind == "config") {
      const absl::Status status = world_.Configure(ConfigOf(op["config"]));
      if (!status.ok()) results_.push_back({{"op", "config"}, {"error", status.message()}});
    } else if (kind == "quotaPreemption") {
      QuotaPreemption();
    }
  }

  // The host stops a pod by itself, and has nothing to confirm any more.
  void Release(const std::string& application, const std::string& key) {
    world_.Release(application, key, Termination::kStopped);
    std::erase_if(unconfirmed_, [&](const yunikorn::Stop& stop) {
      return stop.application == application && stop.key == key;
    });
  }

  void AddNode(const json& node) {
    const std::string id = node["id"];
    (void)world_.AddNode(id, ResourceOf(node["resources"], world_.names));
    if (node.value("draining", false)) (void)world_.SetSchedulable(id, false);
  }

  void AddApplication(const json& app) {
    yunikorn::Application application;
    application.id = app["id"];
    application.queue_path = app["queue"];
    application.usage.user = app["user"];
    application.usage.groups = app["groups"].get<std::vector<std::string>>();
    application.submission_time = world_.now;
    application.hard_gang = app.value("gangStyle", "") == "Hard";
    if (app.contains("placeholderAsk")) {
      application.placeholder_ask = ResourceOf(app["placeholderAsk"], world_.names);
    }
    const absl::Status status = world_.AddApplication(std::move(application));
    if (status.ok()) return;
    results_.push_back(
        {{"op", "app"}, {"app", app["id"]}, {"rejected", std::string(status.message())}});
  }

  void AddAllocation(const json& alloc) {
    yunikorn::Allocation allocation;
    allocation.key = alloc["key"];
    allocation.resource = ResourceOf(alloc["resources"], world_.names);
    allocation.priority = alloc["priority"];
    allocation.create_time = kStart - alloc["age"].get<Nanos>() * yunikorn::kSecond;
    allocation.placeholder = alloc.value("placeholder", false);
    allocation.task_group = alloc.value("taskGroup", "");
    allocation.required_node = alloc.value("requiredNode", "");
    allocation.originator = alloc.value("originator", false);
    allocation.may_be_preempted = alloc.value("allowPreemptSelf", false);
    allocation.may_preempt = alloc.value("allowPreemptOther", false);
    const bool foreign = alloc.contains("foreign");
    const absl::Status status = world_.UpdateAllocation(
        std::move(allocation), foreign ? "" : alloc["app"].get<std::string>(),
        alloc.value("node", ""));
    if (status.ok()) return;
    results_.push_back(
        {{"op", "alloc"}, {"key", alloc["key"]}, {"error", std::string(status.message())}});
  }

  using Reserved = std::map<std::string, std::string>;
  Reserved Reservations() const {
    Reserved reserved;
    for (const yunikorn::Application& app : world_.applications) {
      for (const yunikorn::Reservation& reservation : app.reservations) {
        reserved[world_.allocations[reservation.request].key] = world_.nodes[reservation.node].id;
      }
    }
    return reserved;
  }

  // What the partition wants stopped since the last call, also kept for the next confirmation.
  json Stops() {
    json released = json::array();
    for (yunikorn::Stop& stop : std::exchange(world_.stops, {})) {
      released.push_back(stop.key + " " + NameOf(stop.type));
      unconfirmed_.push_back(std::move(stop));
    }
    return released;
  }

  json Cycle() {
    json cycle = json::object();
    std::optional<yunikorn::Result> result = world_.TryReserved();
    const char* pass = "reserved";
    if (!result) {
      result = world_.TryPlaceholders();
      pass = "placeholder";
    }
    if (!result) {
      result = world_.TryAllocate();
      pass = "normal";
    }
    if (result) Describe(*result, pass, cycle);
    if (json released = Stops(); !released.empty()) cycle["released"] = std::move(released);
    Reserved after = Reservations();
    for (const auto& [key, node] : seen_) {
      if (after.find(key) == after.end()) cycle["reservations"][key] = nullptr;
    }
    for (const auto& [key, node] : after) {
      const auto old = seen_.find(key);
      if (old == seen_.end() || old->second != node) cycle["reservations"][key] = node;
    }
    seen_ = std::move(after);
    return cycle;
  }

  void Describe(const yunikorn::Result& result, const char* pass, json& cycle) {
    const yunikorn::Allocation& request = world_.allocations[result.request];
    cycle["pass"] = pass;
    cycle["type"] = NameOf(result.type);
    cycle["key"] = request.key;
    cycle["node"] = world_.nodes[result.node].id;
    if (result.type != yunikorn::ResultType::kReplaced) return;
    const yunikorn::Allocation& placeholder = world_.allocations[request.release];
    cycle["placeholder"] = placeholder.key;
    unconfirmed_.push_back(
        {world_.applications[request.application].id, placeholder.key, Termination::kReplaced});
  }

  void Schedule() {
    json cycles = json::array();
    for (int idle = 0; idle < 2 && cycles.size() < kMostCycles;) {
      json cycle = Cycle();
      if (cycle.empty()) {
        ++idle;
      } else {
        idle = 0;
        cycles.push_back(std::move(cycle));
      }
    }
    results_.push_back({{"op", "schedule"}, {"cycles", cycles.empty() ? json() : cycles}});
  }

  void Confirm() {
    json confirmed = json::array();
    for (const yunikorn::Stop& stop : std::exchange(unconfirmed_, {})) {
      world_.Release(stop.application, stop.key, stop.type);
      confirmed.push_back(stop.key + " " + NameOf(stop.type));
    }
    results_.push_back({{"op", "confirm"}, {"confirmed", confirmed.empty() ? json() : confirmed}});
  }

  // The peer cannot take the end of a timer for some applications; the records leave it out.
  bool TimerSkipped(const yunikorn::Application& app) const {
    if (IsZero(app.placeholders_allocated)) return true;
    if (app.state == yunikorn::AppState::kRunning || app.state == yunikorn::AppState::kCompleting) {
      return false;
    }
    return std::ranges::any_of(app.requests, [&](const auto& entry) {
      const yunikorn::Allocation& ask = world_.allocations[entry.second];
      return !ask.allocated && !app.placeholder_data.contains(ask.task_group);
    });
  }

  void PlaceholderTimeout(const std::string& id) {
    json result = {{"op", "placeholderTimeout"}};
    const auto found = world_.application_index.find(id);
    if (found != world_.application_index.end()) {
      const Index index = found->second;
      if (TimerSkipped(world_.applications[index])) {
        result["skipped"] = true;
      } else {
        world_.PlaceholderTimeout(id);
        std::ranges::sort(world_.stops, {}, &yunikorn::Stop::key);
        if (json released = Stops(); !released.empty()) result["released"] = std::move(released);
      }
      result["state"] = NameOf(world_.applications[index].state);
    }
    results_.push_back(std::move(result));
  }

  void QuotaPreemption() {
    json result = {{"op", "quotaPreemption"}};
    world_.TryQuotaPreemption();
    std::ranges::sort(world_.stops, {}, &yunikorn::Stop::key);
    if (json released = Stops(); !released.empty()) {
      result["released"] = std::move(released);
    }
    results_.push_back(std::move(result));
  }

  json Final() {
    json allocations = json::object(), states = json::object(), queues = json::object();
    for (const auto& [id, index] : world_.application_index) {
      const yunikorn::Application& app = world_.applications[index];
      states[app.id] = NameOf(app.state);
      for (Index allocation : app.allocations) {
        const yunikorn::Allocation& alloc = world_.allocations[allocation];
        allocations[alloc.key] = world_.nodes[alloc.node].id;
      }
    }
    for (const yunikorn::Queue& queue : world_.queues) {
      if (!queue.removed) queues[queue.path] = TextOf(queue.allocated, world_.names);
    }
    return {
        {"allocations", allocations}, {"applicationStates", states}, {"queueAllocated", queues}};
  }

  Partition world_;
  json results_ = json::array();
  Reserved seen_;  // the reservations after the last cycle; operations end some, too
  std::vector<yunikorn::Stop> unconfirmed_;
};

}  // namespace

absl::StatusOr<json> PlayScript(const json& script) { return Player().Play(script); }

}  // namespace muster::testing::yunikorn_probe
