// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/yarn.h"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/import/yarn_amounts.h"

namespace muster {
namespace yarn_import {
namespace {

constexpr std::string_view kYarnGroups[] = {"yarn.apache.org", "fair.yarn.apache.org"};
constexpr KindRule kYarnKinds[] = {{"Nodes", kYarnGroups},
                                   {"Apps", kYarnGroups},
                                   {"Scheduler", kYarnGroups},
                                   {"Containers", kYarnGroups}};
constexpr int64_t kMostAmount = int64_t{1} << 40;
constexpr const char* kRackLabel = "yarn.apache.org/rack";

// What one object answers.
Field AnswerOf(const ApiObject& object) {
  const Field spec = object.spec();
  return spec.exists() ? spec : object.root();
}

// "application_17_0003" of "container_e08_17_0003_01_000002"; empty: it is no such name.
std::string AppOf(std::string_view container) {
  std::vector<absl::string_view> parts = absl::StrSplit(ToAbsl(container), '_');
  if (parts.size() == 6) parts.erase(parts.begin() + 1);
  if (parts.size() != 5) return "";
  return absl::StrCat("application_", parts[1], "_", parts[2]);
}

class DumpReader {
 public:
  DumpReader(const ImportSource& source, bool reads_rows, QueueRows* queues, ClusterSpec* cluster)
      : source_(source), reads_rows_(reads_rows), queues_(*queues), cluster_(*cluster) {}

  void Read() {
    std::map<std::string, int> hosts;
    const auto each = [&](const char* kind, const char* list, const char* item, auto read) {
      for (const ApiObject* object : source_.dump.OfKind(kind)) {
        for (const Field& row : ListOf(AnswerOf(*object).Section(list), item)) read(row);
      }
    };
    each("Nodes", "nodes", "node", [&](const Field& node) { ++hosts[node.Text("nodeHostName")]; });
    each("Nodes", "nodes", "node",
         [&](const Field& node) { ReadNode(node, hosts[node.Text("nodeHostName")] == 1); });
    each("Apps", "apps", "app", [&](const Field& app) { ReadApp(app); });
    RankJobs();
    each("Containers", "containers", "container", [&](const Field& c) { ReadContainer(c); });
    AddUnlisted();
    for (const std::string& type : types_) {
      source_.log->Note("Apps", "resourceInformations",
                        absl::StrCat("requests for ", Quote(type), " wait under this profile, ",
                                     "which counts memory and virtual cores alone"));
    }
  }

 private:
  struct NodeState {
    std::string name;
    Amounts used;  // and not by a container that is listed
  };
  struct JobState {
    size_t row;
    int64_t started;   // milliseconds
    int64_t unlisted;  // containers that run and are not listed
  };

  void ReadNode(const Field& node, bool own_host) {
    const std::string id = node.Text("id"), state = node.Text("state", "RUNNING");
    NodeSpec spec{.name = own_host ? node.Text("nodeHostName") : id};
    if (spec.name.empty()) spec.name = id;
    if (spec.name.empty()) return node["id"].Refuse("missing; each node has an id");
    Amounts used = AmountsOf(node.Section("usedResource"), AmountOf(node["usedMemoryMB"]),
                             AmountOf(node["usedVirtualCores"]));
    spec.capacity =
        AmountsOf(node.Section("totalResource"), used.memory + AmountOf(node["availMemoryMB"]),
                  used.vcores + AmountOf(node["availableVirtualCores"]))
            .ToResources();
    if (const std::string rack = node.Text("rack"); !rack.empty()) {
      spec.labels.emplace_back(kRackLabel, rack);
    }
    spec.unschedulable = state == "DECOMMISSIONING";
    spec.ready = state == "RUNNING" || spec.unschedulable;
    ReadLabel(node, &spec);
    if (!nodes_.try_emplace(id, NodeState{spec.name, std::move(used)}).second ||
        !names_.insert(spec.name).second) {
      return node["id"].Refuse(absl::StrCat(Quote(spec.name), " is listed twice"));
    }
    cluster_.nodes.push_back(std::move(spec));
  }

  // A node has one label at most.
  void ReadLabel(const Field& node, NodeSpec* spec) const {
    const std::vector<std::string> labels = node.Texts("nodeLabels");
    if (labels.empty() || labels.front().empty()) return;
    if (reads_rows_) {
      spec->settings.emplace_back("yarn-capacity/node-label", labels.front());
    } else {
      node["nodeLabels"].Ignored("partitions are not read; the node counts as not ready");
      spec->ready = false;
    }
  }

  // The partition that the application's first request is for; other requests are left out.
  std::string LabelOf(const Field& app) const {
    for (const Field& request : ListOf(app, "resourceRequests")) {
      const bool is_any = request.Text("resourceName", "*") == "*";
      if (is_any && AmountOf(request["numContainers"]) > 0) {
        return request.Text("nodeLabelExpression");
      }
    }
    return "";
  }

  void ReadApp(const Field& app) {
    const std::string state = app.Text("state");
    if (state == "FINISHED" || state == "FAILED" || state == "KILLED") return;
    JobSpec job{.name = app.Text("id")};
    if (job.name.empty()) return app["id"].Refuse("missing; each application has an id");
    if (jobs_.contains(job.name)) return;
    const std::string queue = app.Text("queue");
    job.queue = queues_.LeafOf(queue);
    if (job.queue.empty() && reads_rows_ && queues_.MayMake(queue)) {
      job.queue = "default";
      job.settings.emplace_back("yarn-capacity/queue", queue);
    }
    if (job.queue.empty()) {
      return source_.log->LeftOut(absl::StrCat("Application ", job.name), "queue",
                                  absl::StrCat("no leaf alone is ", Quote(queue)));
    }
    job.priority = app.Int32("priority", 0);
    const std::string user = app.Text("user");
    if (!user.empty()) job.owner = JobOwner{.user = user};
    if (const std::string name = app.Text("name"); reads_rows_ && !name.empty()) {
      job.settings.emplace_back("yarn-capacity/application", name);
    }
    const int64_t started = AmountOf(app["startedTime"]);
    job.created = started / 1000;
    std::string label;
    if (reads_rows_) label = LabelOf(app);
    if (!label.empty()) job.settings.emplace_back("yarn-capacity/node-label-expression", label);
    places_.clear();
    for (const Field& request : ListOf(app, "resourceRequests")) ReadPlace(request);
    for (const Field& request : ListOf(app, "resourceRequests")) {
      ReadRequest(request, label, &job);
    }
    jobs_[job.name] = {cluster_.jobs.size(), started, AmountOf(app["runningContainers"])};
    cluster_.jobs.push_back(std::move(job));
  }

  // A node or rack that containers of a priority are wished at.
  void ReadPlace(const Field& request) {
    const std::string place = request.Text("resourceName", "*");
    if (place == "*" || AmountOf(request["numContainers"]) == 0) return;
    PreferredNodeTerm wish;
    if (names_.contains(place)) {
      wish.term.match_fields = {
          {.key = "metadata.name", .op = RequirementOp::kIn, .values = {place}}};
    } else if (place.starts_with('/')) {
      wish.term.match_expressions = {
          {.key = kRackLabel, .op = RequirementOp::kIn, .values = {place}}};
    } else {
      return request["resourceName"].Ignored("no node has this name");
    }
    places_[request.Int32("priority", 0)].push_back(std::move(wish));
  }

  void ReadRequest(const Field& request, const std::string& label, JobSpec* job) {
    const int64_t count = AmountOf(request["numContainers"]);
    if (count == 0 || request.Text("resourceName", "*") != "*") return;
    const auto leave = [&](std::string_view field, std::string_view why) {
      source_.log->LeftOut(absl::StrCat("Application ", job->name), field, why);
    };
    if (request.Text("nodeLabelExpression") != label) {
      return leave("resourceRequests.nodeLabelExpression",
                   reads_rows_ ? "a job requests in one partition; that of the first is read"
                               : "partitions are not read");
    }
    if (!request.Bool("relaxLocality", true)) {
      return leave("resourceRequests.relaxLocality", "requests for some places alone are not read");
    }
    tasks_ += count;
    if (tasks_ > source_.options.limits.rows) {
      return request["numContainers"].Refuse(absl::StrCat(
          tasks_, " tasks in all; at most ", source_.options.limits.rows, " are read"));
    }
    const Field size = request.Section("capability");
    const int32_t priority = request.Int32("priority", 0);
    std::string name = absl::StrCat("priority-", priority);
    if (groups_.insert(absl::StrCat(job->name, "/", name)).second == false) {
      absl::StrAppend(&name, "-", job->groups.size());
    }
    GroupSpec group{.name = std::move(name), .count = count};
    const Amounts requested = AmountsOf(size, AmountOf(size["memory"]), AmountOf(size["vCores"]));
    for (const auto& [type, amount] : requested.others) types_.insert(type);
    group.shape.request = requested.ToResources();
    group.shape.preferred_node_affinity = places_[priority];
    group.priority = priority == std::numeric_limits<int32_t>::min()
                         ? std::numeric_limits<int32_t>::max()
                         : -priority;  // the smallest is served first
    job->groups.push_back(std::move(group));
  }

  // The order of milliseconds, and then of ids, of which rows keep the second.
  void RankJobs() {
    std::vector<std::pair<int64_t, std::string>> order;
    for (const auto& [name, job] : jobs_) order.emplace_back(job.started, name);
    std::ranges::sort(order);
    for (size_t i = 0; i < order.size(); ++i) {
      cluster_.jobs[jobs_[order[i].second].row].uid_rank = static_cast<int64_t>(i);
    }
  }

  void ReadContainer(const Field& container) {
    if (container.Text("containerState") == "COMPLETE") return;
    TaskSpec task{.name = container.Text("containerId"), .status = TaskStatus::kRunning};
    if (task.name.empty()) {
      return container["containerId"].Refuse("missing; each container has an id");
    }
    const auto leave = [&](std::string_view field, std::string_view why) {
      source_.log->LeftOut(absl::StrCat("Container ", task.name), field, why);
    };
    std::string id = container.Text("nodeId");
    if (id.empty()) id = container.Text("assignedNodeId");
    const auto node = nodes_.find(id);
    if (node == nodes_.end()) return leave("nodeId", "no node has this id");
    if (!containers_.insert(task.name).second) return;
    task.node = node->second.name;
    const auto job = jobs_.find(AppOf(task.name));
    if (job == jobs_.end()) {
      leave("containerId", "its application is not a job; the task only occupies its node");
    } else {
      task.job = job->first;
      --job->second.unlisted;
      if (task.name.ends_with("_000001")) SetMaster(job->second.row, &task);
    }
    const Amounts held =
        AmountsOfMap(container["allocatedResources"], AmountOf(container["allocatedMB"]),
                     AmountOf(container["allocatedVCores"]));
    node->second.used.Subtract(held);
    task.shape.request = held.ToResources();
    cluster_.tasks.push_back(std::move(task));
  }

  // The first container of an attempt runs the application's master.
  void SetMaster(size_t row, TaskSpec* task) {
    constexpr const char* kMaster = "master";
    JobSpec& job = cluster_.jobs[row];
    task->group = kMaster;
    if (!job.groups.empty() && job.groups.back().name == kMaster) return;
    job.groups.push_back({.name = kMaster});
    job.settings.emplace_back(reads_rows_ ? "yarn-capacity/master" : "yarn-fair/master", kMaster);
  }

  // What nodes use beyond the containers that are listed.
  void AddUnlisted() {
    for (auto& [id, node] : nodes_) {
      const Amounts unlisted = node.used.Positive();
      if (unlisted.empty()) continue;
      TaskSpec task{.name = absl::StrCat(node.name, "/used"),
                    .status = TaskStatus::kRunning,
                    .node = node.name};
      while (!containers_.insert(task.name).second) task.name += "~";
      task.shape.request = unlisted.ToResources();
      source_.log->Note(
          absl::StrCat("Node ", id), "usedMemoryMB",
          absl::StrCat("task ", Quote(task.name), " holds what no container that is listed holds"));
      cluster_.tasks.push_back(std::move(task));
    }
    for (const auto& [name, job] : jobs_) {
      if (job.unlisted <= 0) continue;
      source_.log->LeftOut(
          absl::StrCat("Application ", name), "runningContainers",
          absl::StrCat(job.unlisted, " containers are not listed and count for no queue; ",
                       "/ws/v1/cluster/apps/ID/appattempts/ATTEMPT/containers lists them"));
    }
  }

  const ImportSource& source_;
  const bool reads_rows_;
  QueueRows& queues_;
  ClusterSpec& cluster_;
  std::map<std::string, NodeState> nodes_;  // by id
  std::map<std::string, JobState> jobs_;
  std::set<std::string> names_, groups_, containers_;
  std::set<std::string> types_;  // that are requested, beside memory and virtual cores
  std::map<int32_t, std::vector<PreferredNodeTerm>> places_;  // of an application, by priority
  int64_t tasks_ = 0;
};

// The first answer of the scheduler that has a type.
Field SchedulerInfo(const Dump& dump, const Field& none) {
  for (const ApiObject* object : dump.OfKind("Scheduler")) {
    const Field info = AnswerOf(*object).Section("scheduler").Section("schedulerInfo");
    if (info.exists()) return info;
  }
  return none;
}

bool IsFair(const ImportSource& source, const Field& info) {
  if (source.configuration) return (*source.configuration)["allocations"].exists();
  return info.Text("type") == "fairScheduler";
}

void ReadYarn(const ImportSource& source, const Field& info, bool fair, Scenario* scenario) {
  QueueRows queues;
  ActionOptions options;
  if (source.configuration) {
    const Field& configuration = *source.configuration;
    if (configuration.kind() != JsonKind::kObject) return configuration.RefuseKind("an object");
    fair ? ReadAllocations(configuration, &queues, &options)
         : ReadCapacityProperties(configuration, source.log, &queues, &options);
  } else if (info.exists() && info.kind() == JsonKind::kObject) {
    if ((info.Text("type") == "fairScheduler") != fair) {
      return info["type"].Refuse(absl::StrCat("is ", info["type"].Describe(),
                                              "; expected the answer of the scheduler of profile ",
                                              fair ? "yarn-fair" : "yarn-capacity"));
    }
    fair ? ReadFairAnswer(info, &queues) : ReadCapacityAnswer(info, &queues);
  }
  if (!source.configuration && !fair) {
    AddOption("calculator", "memory", &options.heartbeat);
    source.log->Note(
        "Scheduler", "yarn.scheduler.capacity.resource-calculator",
        "is the default, which compares memory alone; the file of the scheduler, given "
        "as the configuration, has another one");
  }
  DumpReader(source, !fair, &queues, &scenario->cluster).Read();
  scenario->cluster.queues = queues.Take();
  scenario->profile = fair ? "yarn-fair" : "yarn-capacity";
  const auto with = [](const char* action, const std::string& values) {
    return values.empty() ? std::string(action) : absl::StrCat(action, "(", values, ")");
  };
  if (options.preempt) {
    absl::StrAppend(&scenario->profile, ":actions=", with("preempt", *options.preempt), "+",
                    with("heartbeat", options.heartbeat));
  } else if (!options.heartbeat.empty()) {
    absl::StrAppend(&scenario->profile, ":", with("heartbeat", options.heartbeat));
  }
}

// Reads with what the scheduler answers; `is_fair` decides of which profile the dump is.
template <class Decide>
void ReadWith(const ImportSource& source, Decide is_fair, Scenario* scenario) {
  const JsonRow nothing{{{.kind = JsonKind::kNull}}, ""};
  const FieldSource nowhere{"Scheduler", &nothing, source.log};
  const Field info = SchedulerInfo(source.dump, Field(&nowhere));
  ReadYarn(source, info, is_fair(source, info), scenario);
}

void ReadCapacityDump(const ImportSource& source, Scenario* scenario) {
  const bool named = !source.options.profile.empty();
  ReadWith(
      source, [&](auto&&... from) { return !named && IsFair(from...); }, scenario);
}

void ReadFairDump(const ImportSource& source, Scenario* scenario) {
  ReadWith(
      source, [](auto&&...) { return true; }, scenario);
}

}  // namespace

QueueSpec& QueueRows::Of(const std::string& path) {
  const auto known = places_.find(path);
  if (known != places_.end()) return rows_[known->second];
  QueueSpec queue{.name = path};
  if (const size_t dot = path.rfind('.'); dot != path.npos) {
    queue.parent = path.substr(0, dot);
    Of(queue.parent);
    ++children_[queue.parent];
  }
  places_[path] = rows_.size();
  return rows_.emplace_back(std::move(queue));
}

std::string QueueRows::LeafOf(const std::string& name) {
  made_here_ |= rows_.empty();
  const auto before = leaves_.find(name);
  if (before != leaves_.end()) return before->second;
  return leaves_[name] = FindLeaf(name);
}

bool QueueRows::MayMake(const std::string& path) const {
  for (size_t dot = path.rfind('.'); dot != path.npos && dot > 0; dot = path.rfind('.', dot - 1)) {
    const auto known = places_.find(path.substr(0, dot));
    if (known == places_.end()) continue;
    const Labels& settings = rows_[known->second].settings;
    return std::ranges::any_of(settings, [](const auto& setting) {
      return setting.second == "true" &&
             (setting.first == "yarn-capacity/auto-create-child-queue.enabled" ||
              setting.first == "yarn-capacity/auto-queue-creation-v2.enabled");
    });
  }
  return false;
}

std::string QueueRows::FindLeaf(const std::string& name) {
  constexpr int64_t kMostDots = 100;
  const auto is_leaf = [&](const std::string& path) { return !children_.contains(path); };
  if (places_.contains(name)) return is_leaf(name) && name != "root" ? name : "";
  const std::string end = absl::StrCat(".", name);
  std::string found;
  for (const QueueSpec& queue : rows_) {
    if (!queue.name.ends_with(end) || !is_leaf(queue.name)) continue;
    if (!found.empty()) return "";
    found = queue.name;
  }
  if (!found.empty() || !made_here_ || name.empty()) return found;
  if (std::ranges::count(name, '.') > kMostDots) return "";
  const std::string path = name.starts_with("root.") ? name : absl::StrCat("root.", name);
  Of(path);
  return path;
}

std::vector<Field> ListOf(const Field& parent, std::string_view key) {
  const Field one = parent[key];
  if (one.given() && one.kind() == JsonKind::kObject) return {one};
  return parent.Items(key);
}

int64_t AmountOf(const Field& value) {
  if (!value.given()) return 0;
  int64_t amount = 0;
  if (!absl::SimpleAtoi(value.ScalarText(), &amount) || amount > kMostAmount * 1000) {
    value.Refuse(
        absl::StrCat(value.Describe(), " is not a whole number of at most ", kMostAmount * 1000));
    return 0;
  }
  return std::max<int64_t>(amount, 0);
}

bool IsBelowZero(const Field& value) {
  if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(value.ScalarText()), "-")) return false;
  value.Refuse(absl::StrCat(value.Describe(), " is below 0; expected 0 or more"));
  return true;
}

std::string SecondsOf(const Field& milliseconds) {
  constexpr int64_t kMillisecondsOfSecond = 1000;
  if (IsBelowZero(milliseconds)) return "0";
  const int64_t time = AmountOf(milliseconds), rest = time % kMillisecondsOfSecond;
  std::string text = absl::StrCat(time / kMillisecondsOfSecond);
  if (rest > 0) absl::StrAppend(&text, ".", absl::Dec(rest, absl::kZeroPad3));
  return text;
}

std::string OptionText(const Field& value, ValueForm form) {
  if (form == ValueForm::kSwitch) return SwitchOf(value);
  return form == ValueForm::kMilliseconds ? SecondsOf(value) : value.ScalarText();
}

std::string SwitchOf(const Field& value) {
  if (value.kind() == JsonKind::kBool) return value.truthy() ? "on" : "off";
  const absl::string_view text = absl::StripAsciiWhitespace(value.ScalarText());
  if (absl::EqualsIgnoreCase(text, "true")) return "on";
  if (absl::EqualsIgnoreCase(text, "false")) return "off";
  value.Ignored(absl::StrCat(value.Describe(), " is not true or false; the default stands for it"));
  return "";
}

bool IsProperty(std::string_view key) {
  return key.starts_with("yarn.scheduler.") || IsMonitorProperty(key) || key.find('.') == key.npos;
}

void AddOption(std::string_view name, std::string_view value, std::string* options) {
  absl::StrAppend(options, options->empty() ? "" : ",", ToAbsl(name), "=", ToAbsl(value));
}

}  // namespace yarn_import

extern const Importer kYarnCapacityImporter, kYarnFairImporter;
const Importer kYarnCapacityImporter = {"yarn-capacity",
                                        std::span(yarn_import::kYarnGroups).first(1),
                                        yarn_import::kYarnKinds, yarn_import::ReadCapacityDump};
const Importer kYarnFairImporter = {"yarn-fair", std::span(yarn_import::kYarnGroups).subspan(1),
                                    yarn_import::kYarnKinds, yarn_import::ReadFairDump};

}  // namespace muster
