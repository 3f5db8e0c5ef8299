// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YARN's capacity scheduler, operation after operation.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/peer/yarn/capacity/order.h"
#include "lib/peer/yarn/yarn.h"
#include "tests/conformance/probe/probe.h"
#include "tests/conformance/probe/yarn.h"

namespace muster::testing {
namespace yarn_capacity {

using nlohmann::json;
using yarn::Resource;

Resource ResourceOf(const json& row) { return {row[0], row[1]}; }
json TextOf(const Resource& r) { return {r.memory, r.vcores}; }

float FloatOf(const std::string& text) {
  float value = 0;
  return absl::SimpleAtof(text, &value) ? value : 0.0F;
}

// "[memory=1024,vcores=2]"
Resource AbsoluteOf(const std::string& text) {
  Resource amount;
  const std::vector<std::string> parts = absl::StrSplit(text, absl::ByAnyChar("[]=,"));
  for (size_t i = 1; i + 1 < parts.size(); i += 2) {
    int64_t value = 0;
    if (!absl::SimpleAtoi(parts[i + 1], &value)) continue;
    (parts[i] == "memory" ? amount.memory : amount.vcores) = value;
  }
  return amount;
}

yarn::PartitionSettings PartitionOf(const json& row, float master_percent) {
  yarn::PartitionSettings set{.is_accessible = true, .master_percent = master_percent};
  const std::string capacity = row["capacity"], most = row["maxCapacity"];
  if (absl::StartsWith(capacity, "[")) {
    set.mode = yarn::CapacityMode::kAbsolute;
    set.amount = AbsoluteOf(capacity);
  } else if (absl::EndsWith(capacity, "w")) {
    set.mode = yarn::CapacityMode::kWeight;
    set.capacity = FloatOf(capacity.substr(0, capacity.size() - 1));
  } else {
    set.capacity = FloatOf(capacity) / 100;
  }
  if (absl::StartsWith(most, "[")) {
    set.max_amount = AbsoluteOf(most);
  } else {
    set.max_capacity = FloatOf(most) / 100;
  }
  if (row.contains("maxAmPercent")) set.master_percent = FloatOf(row["maxAmPercent"]);
  return set;
}

yarn::QueueSettings QueueOf(const json& row, const json& labels) {
  yarn::QueueSettings queue{.path = row["path"],
                            .priority = row["priority"],
                            .disable_preemption = row["disablePreemption"].get<bool>(),
                            .disable_intra_preemption = row["disableIntraPreemption"].get<bool>()};
  const std::string order = row["ordering"];
  queue.respects_priority = order == "priority-utilization";
  queue.is_fair = order == "fair";
  queue.size_based_weight = row.value("sizeBasedWeight", false);
  queue.user_limit_percent = row.value("userLimitPercent", 100.0F);
  if (row.contains("userLimitFactor")) queue.user_limit_factor = FloatOf(row["userLimitFactor"]);
  queue.max_applications = row.value("maxApplications", -1);
  queue.max_parallel = row.value("maxParallelApps", queue.max_parallel);
  const json weights = row.value("userWeights", json::object());
  for (const auto& [user, weight] : weights.items()) {
    queue.user_weights.emplace_back(user, FloatOf(weight));
  }
  queue.partitions.push_back(PartitionOf(row, 0.1F));
  const float master_percent = queue.partitions[0].master_percent;
  const json own = row.value("labels", json::object());
  for (const json& label : labels) {
    const std::string name = label["name"];
    queue.partitions.push_back(own.contains(name) ? PartitionOf(own[name], master_percent)
                                                  : yarn::PartitionSettings{});
  }
  return queue;
}

std::vector<yarn::QueueSettings> QueuesOf(const json& config) {
  std::vector<yarn::QueueSettings> queues;
  for (const json& row : config["queues"]) queues.push_back(QueueOf(row, config["labels"]));
  return queues;
}

yarn::CapacitySettings SettingsOf(const json& config) {
  yarn::CapacitySettings settings{.calculator = config["calculator"] == "dominant"
                                                    ? yarn::Calculator::kDominant
                                                    : yarn::Calculator::kMemory,
                                  .min_allocation = ResourceOf(config["minAlloc"]),
                                  .max_allocation = ResourceOf(config["maxAlloc"]),
                                  .node_locality_delay = config["nodeLocalityDelay"],
                                  .rack_locality_delay = config["rackLocalityAdditionalDelay"],
                                  .rack_locality_full_reset = config["rackLocalityFullReset"],
                                  .multiple_assignments = config["multipleAssignments"],
                                  .max_assignments = config["maxAssignments"],
                                  .max_off_switch = config["maxOffSwitchAssignments"],
                                  .continue_looking = config["reservationsContinueLooking"],
                                  .queues = QueuesOf(config)};
  for (const json& label : config["labels"]) {
    settings.exclusive_partitions.push_back(label["exclusive"]);
  }
  return settings;
}

// The time in the identifiers of the recorded runs. It is not in the records: their rounds name it,
// by the order in which they count containers.
constexpr int64_t kStarted = 1'700'000'000'000;

std::optional<yarn::PreemptionMonitor> MonitorOf(const json& config) {
  const json set = config.value("preemption", json());
  if (set.is_null()) return std::nullopt;
  const auto number = [&](const char* key) {
    double value = 0;
    return absl::SimpleAtod(set[key].get<std::string>(), &value) ? value : 0.0;
  };
  return yarn::PreemptionMonitor({.max_wait = set["maxWaitBeforeKill"],
                                  .balance_max_wait = set["balanceMaxWaitBeforeKill"],
                                  .per_round = FloatOf(set["totalPerRound"]),
                                  .max_ignored = number("maxIgnoredOverCapacity"),
                                  .natural_termination = number("naturalTerminationFactor"),
                                  .conservative = set["conservativeDrf"],
                                  .reserved_containers = set["reservedContainers"],
                                  .additional_balance = set["additionalBalanceReserved"],
                                  .balances_satisfied = set["balanceAfterSatisfied"],
                                  .intra_queue = set["intraQueue"],
                                  .user_limit_first = set["intraOrderPolicy"] == "userlimit_first",
                                  .intra_conservative = set["intraConservativeDrf"],
                                  .intra_threshold = FloatOf(set["intraMinimumThreshold"]),
                                  .intra_limit = FloatOf(set["intraMaxAllowableLimit"]),
                                  .priorities = set["priorityUnderUtilized"],
                                  .moves_reservations = set["priorityAllowMove"],
                                  .reservation_delay = 0,
                                  .started = kStarted});
}

// Plays a case, and notes what each operation changed.
class Player {
 public:
  Player(const json& asked, yarn::CapacityScheduler scheduler)
      : asked_(asked), s_(std::move(scheduler)), monitor_(MonitorOf(asked["config"])) {
    labels_.emplace_back("");
    for (const json& label : asked["config"]["labels"]) labels_.push_back(label["name"]);
  }

  absl::StatusOr<json> Play() {
    json answers = json::array();
    for (size_t i = 0; i < asked_["ops"].size(); ++i) {
      json record = json::object();
      if (absl::Status status = Do(asked_["ops"][i], &record); !status.ok()) return status;
      NoteChanges(&record);
      if (record.empty()) continue;
      record["i"] = i;
      answers.push_back(std::move(record));
    }
    return answers;
  }

 private:
  absl::Status Do(const json& op, json* record) {
    const std::string name = op["op"];
    if (name == "node") {
      const auto node = s_.AddNode({.name = op["id"],
                                    .rack = op["rack"],
                                    .total = ResourceOf(op["res"]),
                                    .partition = PartitionNamed(op.value("label", ""))});
      nodes_[op["id"]] = node;
    } else if (name == "removeNode") {
      s_.RemoveNode(nodes_.at(op["id"]));
    } else if (name == "app") {
      return Submit(op, record);
    } else if (name == "ask") {
      if (Ask(op)) (*record)["headroom"] = TextOf(s_.Headroom(apps_.at(op["app"])));
    } else if (name == "hb") {
      Heartbeat(nodes_.at(op["node"]), record);
    } else if (name == "end") {
      End(op["app"], op["container"]);
    } else if (name == "appEnd") {
      if (const auto app = apps_.find(op["app"]); app != apps_.end()) s_.EndApp(app->second);
    } else if (name == "config") {
      return s_.Reconfigure(QueuesOf(op["config"]));
    } else if (name == "structure") {
      (*record)["structure"] = Structure();
    } else if (name == "preempt") {
      if (!monitor_) return absl::InvalidArgumentError("config.preemption: none");
      Preempt(record);
    } else if (name == "tick") {
      now_ += op["ms"].get<int64_t>();
    } else {
      return absl::InvalidArgumentError(absl::StrCat("no operation is named \"", name, "\""));
    }
    return absl::OkStatus();
  }

  yarn::Partition PartitionNamed(const std::string& label) const {
    return static_cast<yarn::Partition>(std::ranges::find(labels_, label) - labels_.begin());
  }

  absl::Status Submit(const json& op, json* record) {
    yarn::AppSpec spec{.id = op["id"],
                       .queue = op["queue"],
                       .user = op["user"],
                       .priority = op["priority"],
                       .partition = PartitionNamed(op.value("label", ""))};
    if (!op["am"].is_null()) spec.master = ResourceOf(op["am"]);
    const auto app = s_.Submit(spec);
    if (absl::IsResourceExhausted(app.status())) {
      (*record)["rejected"] = true;
      return absl::OkStatus();
    }
    if (!app.ok()) return app.status();
    apps_[spec.id] = *app;
    if (spec.master) {
      s_.Ask(*app, 0, {{yarn::kAnyPlace, {*spec.master, 1, true, spec.partition}}});
    }
    return absl::OkStatus();
  }

  bool Ask(const json& op) {
    const auto app = apps_.find(op["app"]);
    if (app == apps_.end() || s_.apps()[app->second].state == yarn::AppState::kEnded) return false;
    std::map<int32_t, std::vector<std::pair<yarn::Place, yarn::Ask>>> asks;
    for (const json& row : op["asks"]) {
      const yarn::Partition partition =
          row.size() > 6 ? PartitionNamed(row[6]) : yarn::kDefaultPartition;
      asks[row[0]].emplace_back(s_.PlaceOf(row[1].get<std::string>()),
                                yarn::Ask{{row[2], row[3]}, row[4], row[5], partition});
    }
    for (const auto& [priority, list] : asks) s_.Ask(app->second, priority, list);
    return true;
  }

  void Heartbeat(yarn::NodeIndex node, json* record) {
    constexpr const char* kLocalities[] = {"node", "rack", "any"};
    const std::vector<yarn::ContainerIndex> made = s_.Heartbeat(node);
    json alloc = json::array();
    std::map<uint32_t, yarn::AppIndex> takers;
    for (const yarn::ContainerIndex index : made) {
      const yarn::Container& c = s_.containers()[index];
      takers[c.id.app] = c.app;
      alloc.push_back({c.id.app, c.id.number, NodeName(c.node), c.size.memory, c.size.vcores,
                       c.priority, kLocalities[static_cast<size_t>(c.locality)]});
      if (s_.apps()[c.app].waits_for_master) s_.MarkMaster(index);
    }
    if (!alloc.empty()) (*record)["alloc"] = alloc;
    for (const auto& [id, app] : takers) {
      (*record)["headroom"][absl::StrCat(id)] = TextOf(s_.Headroom(app));
    }
  }

  void End(uint32_t app, uint32_t number) {
    if (!apps_.contains(app)) return;
    for (const yarn::ContainerIndex c : s_.apps()[apps_.at(app)].live) {
      if (s_.containers()[c].id.number != number) continue;
      s_.EndContainer(c);
      return;
    }
  }

  json IdsOf(const std::vector<yarn::ContainerIndex>& list) const {
    std::vector<yarn::ContainerId> ids;
    for (const yarn::ContainerIndex c : list) ids.push_back(s_.containers()[c].id);
    std::ranges::sort(ids);
    json text = json::array();
    for (const yarn::ContainerId& id : ids) text.push_back({id.app, id.number});
    return text;
  }

  void Preempt(json* record) {
    constexpr const char* kSelectors[] = {
        "QueuePriorityContainerCandidateSelector", "ReservedContainerCandidatesSelector",
        "FifoCandidatesSelector", "FifoCandidatesSelector", "IntraQueueCandidatesSelector"};
    const yarn::PreemptionRound round = monitor_->Run(&s_, now_);
    for (size_t i = 0; i < round.selected.size(); ++i) {
      const auto& [selector, containers] = round.selected[i];
      if (containers.empty()) continue;
      const char* name = kSelectors[static_cast<size_t>(selector)];
      (*record)["selected"][absl::StrCat(i + 1, ":", name)] = IdsOf(containers);
    }
    if (!round.marked.empty()) (*record)["mark"] = IdsOf(round.marked);
    if (!round.killed.empty()) (*record)["kill"] = IdsOf(round.killed);
    if (!round.dropped.empty()) (*record)["unreserve"] = IdsOf(round.dropped);
    for (yarn::QueueIndex q = 0; q < round.shares.size(); ++q) {
      const yarn::QueueShare& share = round.shares[q];
      (*record)["ideal"][s_.queues()[q].settings.path] = {
          {"ideal", TextOf(share.ideal)},
          {"toBePreempted", TextOf(share.to_be_preempted)},
          {"actual", TextOf(share.obtain)},
          {"pending", TextOf(share.pending)}};
    }
    std::vector<yarn::ContainerIndex> leaving = round.dropped;
    leaving.insert(leaving.end(), round.killed.begin(), round.killed.end());
    std::ranges::sort(leaving, {}, [&](yarn::ContainerIndex c) { return s_.containers()[c].id; });
    leaving.erase(std::unique(leaving.begin(), leaving.end()), leaving.end());
    for (const yarn::ContainerIndex c : leaving) {
      if (s_.containers()[c].is_reserved) {
        s_.DropReservation(c);
      } else {
        s_.EndContainer(c);
      }
    }
  }

  std::string NodeName(yarn::NodeIndex node) const {
    return std::string(s_.NameOf(s_.nodes()[node].name));
  }

  json Structure() const {
    json text = json::object();
    for (yarn::QueueIndex q = 0; q < s_.queues().size(); ++q) {
      const yarn::Queue& queue = s_.queues()[q];
      json& own = text[queue.settings.path];
      for (size_t p = 0; p < labels_.size(); ++p) {
        const yarn::Capacity& c = queue.capacity[p];
        json row = {{"capacity", c.capacity},
                    {"absCapacity", c.absolute},
                    {"maxCapacity", c.max},
                    {"absMaxCapacity", c.absolute_max},
                    {"weight", c.weight},
                    {"normalizedWeight", c.normalized_weight},
                    {"effectiveMin", TextOf(c.guaranteed)},
                    {"effectiveMax", TextOf(c.most)}};
        if (queue.is_leaf()) row["amLimit"] = TextOf(c.master_limit.value_or(Resource{}));
        own["@" + labels_[p]] = row;
      }
      if (!queue.is_leaf()) continue;
      own["maxApplications"] = s_.leaves()[q].max_applications;
      own["maxApplicationsPerUser"] = s_.leaves()[q].max_applications_per_user;
    }
    return text;
  }

  // Adds the entries of `now` that differ from those before, and null for those that are gone.
  static void NoteDifferences(const char* key, json now, json* before, json* record) {
    json changes = json::object();
    for (const auto& [name, value] : now.items()) {
      if (!before->contains(name) || (*before)[name] != value) changes[name] = value;
    }
    for (const auto& [name, value] : before->items()) {
      if (!now.contains(name)) changes[name] = nullptr;
    }
    if (!changes.empty()) (*record)[key] = changes;
    *before = std::move(now);
  }

  void NoteChanges(json* record) {
    json queues = json::object(), limits = json::object(), active = json::object(),
         reserved = json::object();
    for (yarn::QueueIndex q = 0; q < s_.queues().size(); ++q) {
      const yarn::Queue& queue = s_.queues()[q];
      for (size_t p = 0; p < labels_.size(); ++p) {
        const yarn::Usage& u = queue.usage[p];
        const yarn::Capacity& c = queue.capacity[p];
        queues[queue.settings.path + (p == 0 ? "" : "@" + labels_[p])] = {
            u.used.memory,     u.used.vcores,     c.used,           c.absolute_used,
            u.reserved.memory, u.reserved.vcores, u.pending.memory, u.pending.vcores};
      }
      const std::vector<yarn::User>& users = s_.leaves()[q].users.all();
      for (yarn::UserIndex user = 0; user < users.size(); ++user) {
        if (!users[user].is_known) continue;
        limits[absl::StrCat(queue.settings.path, "/", std::string(s_.UserName(user)))] =
            TextOf(users[user].limit);
      }
      for (const yarn::AppIndex app : s_.leaves()[q].active) {
        active[absl::StrCat(s_.apps()[app].id)] = queue.settings.path;
      }
    }
    for (yarn::NodeIndex n = 0; n < s_.nodes().size(); ++n) {
      if (s_.nodes()[n].reserved == yarn::kNone) continue;
      const yarn::Container& c = s_.containers()[s_.nodes()[n].reserved];
      reserved[NodeName(n)] = {c.id.app, c.id.number, c.size.memory, c.size.vcores, c.priority};
    }
    NoteDifferences("queues", std::move(queues), &queues_, record);
    NoteDifferences("userLimits", std::move(limits), &limits_, record);
    NoteDifferences("active", std::move(active), &active_, record);
    NoteDifferences("reserved", std::move(reserved), &reserved_, record);
  }

  const json& asked_;
  yarn::CapacityScheduler s_;
  std::optional<yarn::PreemptionMonitor> monitor_;
  std::vector<std::string> labels_;
  std::map<std::string, yarn::NodeIndex> nodes_;
  std::map<uint32_t, yarn::AppIndex> apps_;
  int64_t now_ = 1000000;
  json queues_ = json::object(), limits_ = json::object(), active_ = json::object(),
       reserved_ = json::object();
};

}  // namespace yarn_capacity

absl::StatusOr<nlohmann::json> AskYarnQueueOrder(const nlohmann::json& asked) {
  const nlohmann::json& queues = asked["state"]["queues"];
  const bool respects_priority = asked["config"]["policy"] == "priority-utilization";
  std::vector<yarn::QueueRank> ranks;
  for (const nlohmann::json& row : queues) {
    ranks.push_back({.queue = static_cast<yarn::QueueIndex>(ranks.size()),
                     .priority = respects_priority ? row["priority"].get<int32_t>() : 0,
                     .has_access = row["accessible"],
                     .used = row["usedCapacity"],
                     .absolute_used = row["usedCapacity"],
                     .absolute = row["absoluteCapacity"]});
  }
  const bool is_default = asked["state"]["partition"] == "";
  yarn::SortQueues(&ranks, is_default ? yarn::kDefaultPartition : yarn::kDefaultPartition + 1);
  nlohmann::json order = nlohmann::json::array();
  for (const yarn::QueueRank& rank : ranks) order.push_back(queues[rank.queue]["name"]);
  return order;
}

absl::StatusOr<nlohmann::json> AskYarnCapacity(const nlohmann::json& asked) {
  auto scheduler = yarn::CapacityScheduler::Make(yarn_capacity::SettingsOf(asked["config"]));
  if (!scheduler.ok()) return scheduler.status();
  return yarn_capacity::Player(asked, *std::move(scheduler)).Play();
}

}  // namespace muster::testing
