// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a Mesos master answers: /master/state as the spec of an object State, and /roles as that of
// an object Roles, both of the group mesos.apache.org.
//
//   curl MASTER:5050/master/state > dump.json; curl MASTER:5050/roles >> dump.json
//   {"apiVersion": "mesos.apache.org/v1", "kind": "State", "metadata": {"name": "master"},
//    "spec": {"slaves": [...], "frameworks": [...]}}
//
// Agents become nodes by their host names, or ids where two have one host; roles become queues, and
// so do the roles above them; frameworks become jobs of their first role; tasks that hold an agent
// become running ones. What a framework waits for is not in these answers: tasks that wait are the
// caller's to add. Executors, volumes and further roles of a framework are reported as left out.
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/import/importer.h"
#include "lib/peer/mesos/settings.h"

namespace muster {
namespace {

constexpr std::string_view kMesosGroups[] = {"mesos.apache.org"};
constexpr KindRule kMesosKinds[] = {{"State", kMesosGroups}, {"Roles", kMesosGroups}};
// The peer does not count tasks.
constexpr int64_t kManyPods = 1'000'000;

// An amount of the peer's in the units of rows.
std::pair<std::string, Quantity> AmountOf(std::string_view name, const std::string& text) {
  if (name == "cpus") return {"cpu", text};
  if (name == "mem") return {"memory", absl::StrCat(text, "Mi")};
  if (name == "disk") return {"ephemeral-storage", absl::StrCat(text, "Mi")};
  if (name == "gpus") return {"nvidia.com/gpu", text};
  return {std::string(name), text};
}

// What one object answers.
Field AnswerOfMaster(const ApiObject& object) {
  const Field spec = object.spec();
  return spec.exists() ? spec : object.root();
}

bool IsNumber(const Field& value) {
  return value.kind() != JsonKind::kString && !value.ScalarText().empty();
}

Resources ReadScalars(const Field& resources) {
  Resources amounts;
  for (const Field& item : resources.Children()) {
    if (!IsNumber(item)) continue;
    amounts.push_back(AmountOf(item.key(), item.ScalarText()));
  }
  return amounts;
}

class MesosReader {
 public:
  MesosReader(const ImportSource& source, ClusterSpec* cluster)
      : source_(source), cluster_(*cluster) {}

  void Read() {
    for (const ApiObject* object : source_.dump.OfKind("Roles")) {
      for (const Field& role : AnswerOfMaster(*object).Items("roles")) ReadRole(role);
    }
    for (const ApiObject* object : source_.dump.OfKind("State")) {
      const Field state = AnswerOfMaster(*object);
      std::map<std::string, int> hosts;
      for (const Field& agent : state.Items("slaves")) ++hosts[agent.Text("hostname")];
      for (const Field& agent : state.Items("slaves")) {
        ReadAgent(agent, hosts[agent.Text("hostname")] == 1);
      }
      for (const Field& framework : state.Items("frameworks")) ReadFramework(framework);
    }
    for (auto& [name, queue] : queues_) cluster_.queues.push_back(std::move(queue));
  }

 private:
  // The queue of a role; makes it and those above it. Parents come first in the order of names.
  QueueSpec& QueueOf(const std::string& role) {
    QueueSpec& queue = queues_[role];
    if (!queue.name.empty()) return queue;
    queue.name = role;
    const size_t slash = role.rfind('/');
    if (slash != role.npos && slash > 0) {
      queue.parent = role.substr(0, slash);
      QueueOf(queue.parent);
    }
    return queue;
  }

  void ReadRole(const Field& role) {
    const std::string name = role.Text("name");
    if (name.empty()) return role["name"].Refuse("missing; each role has a name");
    QueueSpec& queue = QueueOf(name);
    if (const Field weight = role["weight"]; weight.given()) {
      double number = 0;
      const std::string text = weight.ScalarText();
      if (!absl::SimpleAtod(text, &number) ||
          !(number >= mesos::kLeastWeight && number <= mesos::kMostWeight)) {
        weight.Refuse(absl::StrCat(weight.Describe(),
                                   " is no weight that a role has; 0.000001 to 1000000000 is"));
        return;
      }
      const auto whole = static_cast<int64_t>(number);
      if (whole >= 1 && static_cast<double>(whole) == number) {
        queue.weight = whole;
      } else {
        queue.settings.emplace_back("mesos/weight", text);
      }
    }
    const Field quota = role.Section("quota");
    Resources guaranteed = ReadScalars(quota.Section("guarantee"));
    Resources limit = ReadScalars(quota.Section("limit"));
    if (!guaranteed.empty()) queue.guaranteed = std::move(guaranteed);
    if (!limit.empty()) queue.limit = std::move(limit);
  }

  void ReadAgent(const Field& agent, bool own_host) {
    NodeSpec node;
    const std::string id = agent.Text("id");
    node.name = own_host ? agent.Text("hostname") : id;
    if (node.name.empty()) return agent["id"].Refuse("missing; each agent has an id");
    agents_[id] = node.name;
    node.unschedulable = !agent.Bool("active", true);
    const Field resources = agent.Section("resources");
    node.capacity = ReadScalars(resources);
    node.capacity.emplace_back("pods", kManyPods);
    for (const Field& attribute : agent.Section("attributes").Children()) {
      node.labels.emplace_back(std::string(attribute.key()), attribute.ScalarText());
    }
    std::string text;
    const auto add = [&](auto&&... words) {
      absl::StrAppend(&text, text.empty() ? "" : ";", words...);
    };
    if (const std::string ports = resources["ports"].ScalarText(); !ports.empty()) {
      std::string ranges;
      for (const char c : ports) {
        if (c != ' ') ranges += c;
      }
      add("ports:", ranges);
    }
    for (const Field& role : agent.Section("reserved_resources").Children()) {
      const std::string name(role.key());
      QueueOf(name);
      for (const Field& item : role.Children()) {
        if (!IsNumber(item) || item.ScalarText() == "0") continue;
        add(std::string(item.key()), "(", name, "):", item.ScalarText());
      }
    }
    if (!text.empty()) node.settings.emplace_back("mesos/resources", text);
    const Field domain = agent.Section("domain").Section("fault_domain");
    for (const char* part : {"region", "zone"}) {
      const std::string name = domain.Section(part).Text("name");
      if (!name.empty()) node.settings.emplace_back(absl::StrCat("mesos/", part), name);
    }
    cluster_.nodes.push_back(std::move(node));
  }

  void ReadFramework(const Field& framework) {
    JobSpec job;
    job.name = framework.Text("name");
    const std::string id = framework.Text("id");
    if (job.name.empty() || !jobs_.insert(job.name).second) job.name = id;
    if (job.name.empty()) return framework["id"].Refuse("missing; each framework has an id");
    std::vector<std::string> roles = framework.Texts("roles");
    if (roles.empty()) roles.push_back(framework.Text("role", "*"));
    job.queue = roles.front();
    QueueOf(job.queue);
    if (roles.size() > 1) {
      source_.log->LeftOut(absl::StrCat("Framework ", job.name), "roles",
                           "a job has one queue; the first role is read");
    }
    std::string capabilities;
    for (const std::string& word : framework.Texts("capabilities")) {
      const bool known = word == "GPU_RESOURCES" || word == "REGION_AWARE" ||
                         word == "SHARED_RESOURCES" || word == "REVOCABLE_RESOURCES" ||
                         word == "RESERVATION_REFINEMENT";
      if (known) absl::StrAppend(&capabilities, capabilities.empty() ? "" : ";", word);
    }
    if (!capabilities.empty()) job.settings.emplace_back("mesos/capabilities", capabilities);
    if (!framework.Bool("active", true)) job.settings.emplace_back("mesos/suppressed", "true");
    for (const Field& task : framework.Items("tasks")) ReadTask(task, job.name);
    if (!framework.Items("executors").empty()) {
      source_.log->LeftOut(absl::StrCat("Framework ", job.name), "executors",
                           "what executors hold is not read");
    }
    cluster_.jobs.push_back(std::move(job));
  }

  void ReadTask(const Field& task, const std::string& job) {
    TaskSpec spec{.name = absl::StrCat(job, "/", task.Text("id")), .job = job};
    const std::string state = task.Text("state");
    const auto agent = agents_.find(task.Text("slave_id"));
    const bool runs = state == "TASK_RUNNING" || state == "TASK_STARTING" ||
                      state == "TASK_STAGING" || state == "TASK_KILLING";
    if (!runs) return;
    if (agent == agents_.end()) {
      return source_.log->LeftOut(absl::StrCat("Task ", spec.name), "slave_id",
                                  "no agent has this id");
    }
    spec.status = state == "TASK_KILLING" ? TaskStatus::kReleasing : TaskStatus::kRunning;
    spec.node = agent->second;
    spec.shape.request = ReadScalars(task.Section("resources"));
    cluster_.tasks.push_back(std::move(spec));
  }

  const ImportSource& source_;
  ClusterSpec& cluster_;
  std::map<std::string, QueueSpec> queues_;
  std::map<std::string, std::string> agents_;  // names of nodes by id
  std::set<std::string> jobs_;
};

void ReadMesos(const ImportSource& source, Scenario* scenario) {
  scenario->profile = "mesos";
  if (source.configuration) source.configuration->Ignored("flags of the master are not read");
  MesosReader(source, &scenario->cluster).Read();
}

}  // namespace

extern const Importer kMesosImporter;
const Importer kMesosImporter = {"mesos", kMesosGroups, kMesosKinds, ReadMesos};

}  // namespace muster
