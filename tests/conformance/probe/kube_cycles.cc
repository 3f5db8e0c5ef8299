// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A recorded run of kube-scheduler, replayed on a living cluster: operation after operation, cycle
// after cycle. The clock counts milliseconds. Objects are read as the importer reads them.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/import/kube_scheduler.h"
#include "lib/import/kubernetes.h"
#include "lib/scenario/json_rows.h"
#include "muster/muster.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

constexpr int64_t kEpoch = 1767225600;  // 2026-01-01T00:00:00Z, in seconds

// Objects of one kind, read.
class KubeObjects {
 public:
  KubeObjects(const json& objects, const char* kind, ImportLog* log) {
    json list = json::array();
    for (json object : objects) {
      object["apiVersion"] = "v1";
      object["kind"] = kind;
      list.push_back(std::move(object));
    }
    dump_.emplace(ReadJsonObjects(list.dump(), &budget_).value(), log);
    const KindRule rule{kind};
    dump_->Keep({&rule, 1}, "kube-scheduler");
  }
  const Dump& dump() const { return *dump_; }
  const ApiObject& first() const { return *dump_->all()[0]; }

 private:
  Budget budget_;
  std::optional<Dump> dump_;
};

class KubeReplay {
 public:
  explicit KubeReplay(const json& asked)
      : profile_options_(asked.value("options", "")),
        offsets_(asked.value("offsets", json::array())) {
    const std::string text = asked["configuration"].dump();
    Budget budget;
    configuration_ = ReadJsonValue(text, "configuration", &budget).value();
    source_ = {"configuration", &configuration_, &log_};
    reader_.emplace(Field(&source_));
  }

  absl::Status Start(const json& state);
  absl::StatusOr<json> Run(const json& ops);

 private:
  absl::Status Do(const json& op, json* step);
  absl::Status AddPod(const json& pod);
  absl::Status UpdatePod(const json& pod, json* step);
  absl::Status RunCycles(int64_t most, json* step);
  absl::Status Finish(const json& op, json* step);
  absl::Status Gone(json* step);
  absl::Status DeleteNode(const std::string& name, json* step);
  absl::Status SetBudget(const json& budget);
  absl::StatusOr<Plan> Plan_(int64_t cycles, int64_t offset = 0);
  int64_t OffsetOf(size_t cycle) const;
  absl::Status Observe() { return Plan_(0).status(); }
  absl::Status Carry(const Plan& plan);
  void Queues(json* step);
  TaskSpec Read(const json& pod);
  absl::Status Remove(const std::string& name);

  std::string profile_options_;
  json offsets_;  // of the search for candidates, by step and cycle
  size_t step_ = 0;
  ImportLog log_;
  JsonRow configuration_;
  FieldSource source_;
  std::optional<PodReader> reader_;
  Cluster cluster_;
  int64_t now_ = 0;
  std::map<std::string, json> pods_;       // all that live, by "namespace/name"
  std::map<std::string, std::string> on_;  // the node of bound pods
  std::map<std::string, bool> terminating_;
  std::map<std::string, int64_t> arrived_;
  std::map<std::string, json> budgets_;
  std::map<std::string, std::string> queues_;
  std::vector<std::string> invisible_;
};

std::string PodKey(const json& pod) {
  const json& meta = pod["metadata"];
  return absl::StrCat(meta.value("namespace", "default"), "/", meta["name"].get<std::string>());
}

TaskSpec KubeReplay::Read(const json& pod) {
  const KubeObjects object(json::array({pod}), "Pod", &log_);
  TaskSpec task = reader_->ReadPod(object.first());
  if (task.started) task.started = (*task.started - kEpoch) * 1000;
  const auto arrived = arrived_.find(task.name);
  if (arrived != arrived_.end()) task.created = arrived->second;
  return task;
}

absl::Status KubeReplay::Start(const json& state) {
  // Services are plain rows there: {namespace, name, selector}.
  json wrapped = json::array();
  for (const json& service : state.value("services", json::array())) {
    wrapped.push_back(
        {{"metadata", {{"name", service["name"]}, {"namespace", service["namespace"]}}},
         {"spec", {{"selector", service["selector"]}}}});
  }
  const KubeObjects owners(wrapped, "Service", &log_);
  reader_->AddOwners(owners.dump());
  for (const json& name_space : state["namespaces"]) {
    NamespaceSpec spec{.name = name_space["name"]};
    const json labels = name_space.value("labels", json::object());
    for (const auto& [key, value] : labels.items()) {
      spec.labels.emplace_back(key, value);
    }
    if (absl::Status s = cluster_.SetNamespace(spec); !s.ok()) return s;
  }
  for (const json& node : state["nodes"]) {
    const KubeObjects object(json::array({node}), "Node", &log_);
    if (absl::Status s = cluster_.AddNode(ReadNode(object.first(), {.conditions = false}));
        !s.ok()) {
      return s;
    }
  }
  for (const json& group : state.value("podGroups", json::array())) {
    if (absl::Status s = Do({{"op", "addGroup"}, {"group", group}}, nullptr); !s.ok()) return s;
  }
  for (const json& pod : state["pods"]) {
    if (absl::Status s = AddPod(pod); !s.ok()) return s;
  }
  for (const json& budget : state.value("podDisruptionBudgets", json::array())) {
    if (absl::Status s = SetBudget(budget); !s.ok()) return s;
  }
  return Observe();
}

absl::Status KubeReplay::AddPod(const json& pod) {
  arrived_[PodKey(pod)] = now_;
  const TaskSpec task = Read(pod);
  if (!log_.ok()) return log_.status();
  pods_[task.name] = pod;
  if (!task.node.empty()) on_[task.name] = task.node;
  if (!task.job.empty()) {
    // The group may come later: the pod joins with it.
    return cluster_.ApplyDelta({.generation = static_cast<uint64_t>(now_) + 1, .object = task})
        .status();
  }
  return cluster_.AddTask(task);
}

absl::Status KubeReplay::SetBudget(const json& row) {
  const std::string key =
      absl::StrCat(row["namespace"].get<std::string>(), "/", row["name"].get<std::string>());
  json& known = budgets_[key];
  if (known.is_null()) known = row;
  known.update(row);
  json object = {{"metadata", {{"name", known["name"]}, {"namespace", known["namespace"]}}},
                 {"spec", {{"selector", known.value("selector", json())}}},
                 {"status", {{"disruptionsAllowed", known.value("disruptionsAllowed", 0)}}}};
  for (const json& name : known.value("disruptedPods", json::array())) {
    object["status"]["disruptedPods"][name.get<std::string>()] = "2026-01-01T00:00:00Z";
  }
  const KubeObjects objects(json::array({object}), "PodDisruptionBudget", &log_);
  for (const DisruptionBudgetSpec& budget : ReadBudgets(objects.dump())) {
    if (absl::Status s = cluster_.SetDisruptionBudget(budget); !s.ok()) return s;
  }
  return absl::OkStatus();
}

int64_t KubeReplay::OffsetOf(size_t cycle) const {
  if (step_ >= offsets_.size() || cycle >= offsets_[step_].size()) return 0;
  const json& attempts = offsets_[step_][cycle];
  return attempts.empty() ? 0 : attempts[0].get<int64_t>();
}

absl::StatusOr<Plan> KubeReplay::Plan_(int64_t cycles, int64_t offset) {
  std::string profile = reader_->profile("kube-scheduler");
  if (profile.back() != ')') {
    profile += ":schedule(";
  } else {
    profile.back() = ',';
  }
  absl::StrAppend(&profile, "ticks=1000,trace=on,cycles=", cycles, ",offset=", offset,
                  profile_options_, ")");
  absl::StatusOr<Plan> plan = cluster_.Schedule(profile, {.now = now_});
  if (!plan.ok()) return plan;
  if (absl::StatusOr<ApplyReport> report = cluster_.Apply(*plan); !report.ok()) {
    return report.status();
  } else if (!report->refused.empty()) {
    return absl::InternalError(absl::StrCat("refused: ", report->refused[0]));
  }
  return plan;
}

// What the recorded run did with decisions: a bound pod runs at once, and a victim without grace is
// gone at once.
absl::Status KubeReplay::Carry(const Plan& plan) {
  for (const Bind& bind : plan.binds()) {
    const std::string name(plan.task_name(bind.task));
    json& pod = pods_[name];
    on_[name] = std::string(plan.node_name(bind.node));
    pod["spec"]["nodeName"] = on_[name];
    if (pod.contains("status")) pod["status"].erase("nominatedNodeName");
    TaskSpec task = Read(pod);
    task.started = now_;
    task.status = TaskStatus::kRunning;
    if (absl::Status s = cluster_.UpdateTask(task); !s.ok()) return s;
  }
  for (const Eviction& eviction : plan.evictions()) {
    const std::string name(plan.task_name(eviction.task));
    if (pods_[name]["spec"].value("terminationGracePeriodSeconds", 30) > 0) {
      terminating_[name] = true;
      continue;
    }
    if (absl::Status s = Remove(name); !s.ok()) return s;
  }
  return Observe();
}

absl::Status KubeReplay::Remove(const std::string& name) {
  pods_.erase(name);
  on_.erase(name);
  terminating_.erase(name);
  return cluster_.RemoveTask(name);
}

absl::Status KubeReplay::RunCycles(int64_t most, json* step) {
  json cycles = json::array();
  for (int64_t i = 0; i < most; ++i) {
    ++now_;
    absl::StatusOr<Plan> plan = Plan_(1, OffsetOf(static_cast<size_t>(i)));
    if (!plan.ok()) return plan.status();
    const std::string_view text = cluster_.memory().Find("kube-trace")->Text("cycle");
    if (text.empty()) {
      --now_;
      break;
    }
    json cycle = json::parse(text);
    cycle["now"] = now_;
    if (absl::Status s = Carry(*plan); !s.ok()) return s;
    cycles.push_back(std::move(cycle));
  }
  (*step)["cycles"] = std::move(cycles);
  return absl::OkStatus();
}

absl::Status KubeReplay::Finish(const json& op, json* step) {
  std::vector<std::string> running;
  for (const auto& [name, node] : on_) {
    if (!terminating_.contains(name)) running.push_back(name);
  }
  if (running.empty()) return absl::OkStatus();
  const std::string name = running[op["index"].get<size_t>() % running.size()];
  (*step)["removed"] = json::array({name});
  return Remove(name);
}

absl::Status KubeReplay::Gone(json* step) {
  json removed = json::array();
  for (const auto& [name, gone] : std::map<std::string, bool>(terminating_)) {
    removed.push_back(name);
    if (absl::Status s = Remove(name); !s.ok()) return s;
  }
  (*step)["removed"] = removed;
  return absl::OkStatus();
}

absl::Status KubeReplay::DeleteNode(const std::string& name, json* step) {
  json removed = json::array();
  for (const auto& [pod, node] : std::map<std::string, std::string>(on_)) {
    if (node != name) continue;
    removed.push_back(pod);
    if (absl::Status s = Remove(pod); !s.ok()) return s;
  }
  (*step)["removed"] = removed;
  return cluster_.RemoveNode(name);
}

absl::Status KubeReplay::UpdatePod(const json& pod, json* step) {
  const auto known = pods_.find(PodKey(pod));
  if (known == pods_.end()) {
    (*step)["skipped"] = true;
    return absl::OkStatus();
  }
  json& old = known->second;
  const auto take = [&](json& to, const json& from, const char* key) {
    if (from.contains(key)) {
      to[key] = from[key];
    } else {
      to.erase(key);
    }
  };
  take(old["metadata"], pod["metadata"], "labels");
  take(old["spec"], pod["spec"], "tolerations");
  take(old["spec"], pod["spec"], "schedulingGates");
  if (!on_.contains(known->first)) take(old["spec"], pod["spec"], "nodeSelector");
  TaskSpec task = Read(old);
  for (const TaskSpec& row : cluster_.Describe().tasks) {
    if (row.name != task.name) continue;
    task.started = row.started;
    task.status = row.status;
    task.nominated_node = row.nominated_node;
  }
  return cluster_.UpdateTask(task);
}

absl::Status KubeReplay::Do(const json& op, json* step) {
  const std::string kind = op["op"];
  if (kind == "addPod") return AddPod(op["pod"]);
  if (kind == "updatePod") return UpdatePod(op["pod"], step);
  if (kind == "deletePod") {
    if (!pods_.contains(op["name"])) {
      (*step)["skipped"] = true;
      return absl::OkStatus();
    }
    return Remove(op["name"]);
  }
  if (kind == "finish") return Finish(op, step);
  if (kind == "gone") return Gone(step);
  if (kind == "setPDB") return SetBudget(op["pdb"]);
  if (kind == "deleteNode") return DeleteNode(op["name"], step);
  if (kind == "addNode" || kind == "updateNode") {
    const KubeObjects object(json::array({op["node"]}), "Node", &log_);
    const NodeSpec node = ReadNode(object.first(), {.conditions = false});
    return kind == "addNode" ? cluster_.AddNode(node) : cluster_.UpdateNode(node);
  }
  if (kind == "addGroup") {
    json group = op["group"];
    group["metadata"] = {{"name", group["name"]}, {"namespace", group["namespace"]}};
    const KubeObjects object(json::array({group}), "PodGroup", &log_);
    return cluster_.ApplyDelta({.generation = 1, .object = reader_->ReadPodGroup(object.first())})
        .status();
  }
  return absl::InvalidArgumentError(absl::StrCat("no operation: ", kind));
}

void KubeReplay::Queues(json* step) {
  static constexpr const char* kPools[] = {"out", "active", "backoff", "unschedulable"};
  std::map<std::string, std::string> now;
  for (const auto& [name, row] : cluster_.memory().Find("kube-queue")->rows()) {
    const MemorySlot& slot = *cluster_.memory().Find("kube-queue");
    const std::string gate(slot.Text(name, 7));
    now[name] = gate.empty() ? kPools[slot.Integer(name, 0)] : absl::StrCat("gated:", gate);
  }
  json changed = json::object();
  for (const auto& [name, pool] : now) {
    if (!queues_.contains(name) || queues_[name] != pool) changed[name] = pool;
  }
  for (const auto& [name, pool] : queues_) {
    if (!now.contains(name)) changed[name] = nullptr;
  }
  if (!changed.empty()) (*step)["queues"] = std::move(changed);
  queues_ = std::move(now);
}

absl::StatusOr<json> KubeReplay::Run(const json& ops) {
  json steps = json::array();
  for (const json& op : ops) {
    json step;
    step_ = steps.size();
    const std::string kind = op["op"];
    absl::Status done;
    if (kind == "advance") {
      now_ += op["ms"].get<int64_t>();
    } else if (kind != "run") {
      ++now_;
    }
    if (kind == "run") {
      done = RunCycles(op.value("max", int64_t{1} << 40), &step);
    } else if (kind == "advance") {
      done = Observe();
    } else {
      done = Do(op, &step);
      if (done.ok() && !log_.ok()) done = log_.status();
      if (done.ok()) done = Observe();
    }
    if (!done.ok())
      return absl::Status(done.code(),
                          absl::StrCat("operation ", steps.size(), ": ", done.message()));
    step["now"] = now_;
    Queues(&step);
    steps.push_back(std::move(step));
  }
  json last = json::object();
  for (const auto& [name, pod] : pods_) {
    const auto node = on_.find(name);
    if (node != on_.end()) {
      last[name] = terminating_.contains(name) ? node->second + " terminating" : node->second;
      continue;
    }
    const std::string nominated(cluster_.memory().Find("kube-queue")->Text(name, 10));
    last[name] = nominated.empty() ? "-" : "-nominated:" + nominated;
  }
  return json{{"steps", std::move(steps)}, {"final", std::move(last)}};
}

}  // namespace

absl::StatusOr<nlohmann::json> AskKubeCycles(const nlohmann::json& request) {
  const json& asked = request["kube_cycles"];
  KubeReplay replay(asked);
  if (absl::Status s = replay.Start(asked["state"]); !s.ok()) return s;
  return replay.Run(asked["ops"]);
}

}  // namespace muster::testing
