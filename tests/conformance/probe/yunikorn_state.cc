// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/conformance/probe/yunikorn_state.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "lib/peer/yunikorn/properties.h"

namespace muster::testing::yunikorn_probe {
namespace {

using yunikorn::Index;
using yunikorn::Nanos;

constexpr Nanos kFirstCall = (1'700'000'000 / 3600 * 3600 + 3000) * yunikorn::kSecond;

template <class Enum, size_t kCount>
Enum Named(const std::string& name, const char* const (&names)[kCount]) {
  size_t at = 0;
  while (at + 1 < kCount && name != names[at]) ++at;
  return static_cast<Enum>(at);
}

yunikorn::QueueRules QueueRulesOf(const json& queue) {
  constexpr const char* kSorts[] = {"fifo", "fair", "undefined"};
  constexpr const char* kPreemption[] = {"default", "fence", "disabled"};
  yunikorn::QueueRules rules;
  rules.sort = Named<yunikorn::SortPolicy>(queue["sortType"], kSorts);
  rules.sort_by_priority = queue["prioritySortEnabled"];
  rules.priority_fence = queue["priorityPolicy"] == "fence";
  rules.priority_offset = queue["priorityOffset"];
  rules.preemption = Named<yunikorn::PreemptionPolicy>(queue["preemptionPolicy"], kPreemption);
  rules.preemption_delay = SpanOf(queue["preemptionDelay"]);
  if (queue.contains("quotaPreemptionDelay")) {
    rules.quota_preemption_delay = SpanOf(queue["quotaPreemptionDelay"]);
  }
  rules.backoff_asks = queue.value("unschedAskBackoff", uint64_t{0});
  if (queue.contains("askBackoffDelay")) rules.backoff_delay = SpanOf(queue["askBackoffDelay"]);
  return rules;
}

const json& Within(const json& object, const char* key, const json& otherwise) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? otherwise : *found;
}

const json& ListIn(const json& object, const char* key) {
  static const json kNothing = json::array();
  return Within(object, key, kNothing);
}

const json& MapIn(const json& object, const char* key) {
  static const json kNothing = json::object();
  return Within(object, key, kNothing);
}

}  // namespace

Nanos TimeOf(const json& seconds) {
  if (!seconds.is_number()) return 0;  // "long ago"
  return kFirstCall + std::llround(seconds.get<double>() * 1e9);
}

Nanos SpanOf(const json& text) { return yunikorn::ReadDuration(text.get<std::string>()).value(); }

RecordedState::RecordedState(const json& state) {
  for (const json& queue : ListIn(state, "queues")) AddQueue(queue);
  for (const json& node : ListIn(state, "nodesInIterationOrder")) AddNode(node);
  for (const json& application : ListIn(state, "applications")) AddApplication(application);
  for (const json& node : ListIn(state, "nodesInIterationOrder")) {
    const Index index = nodes_.at(node["nodeID"]);
    for (const std::string key : ListIn(node, "allocations")) {
      partition_.nodes[index].allocations.push_back(AllocationOn(key, index));
    }
    AddReservedNodes(node, index);
  }
  for (const json& queue : ListIn(state, "queues")) {
    for (const auto& [id, count] : MapIn(queue, "reservedApps").items()) {
      const auto app = applications_.find(id);
      if (app == applications_.end()) continue;
      partition_.queues[queues_.at(queue["path"])].reserved.emplace_back(app->second, count);
    }
  }
  LinkReleases(state);
  partition_.preemption = state.value("preemptionEnabled", true);
  partition_.quota_preemption = state.value("quotaPreemptionEnabled", false);
  partition_.bin_packing = state.value("nodeSortPolicy", "") == "binpacking";
  partition_.reservations = state.value("reservations", 0);
  partition_.placeholder_allocations = state.value("placeholderAllocations", 0);
  AddLimits(MapIn(state, "ugm"));
  AddUsage(MapIn(state, "ugm"));
  SetHost(MapIn(state, "plugin"));
  partition_.Rebuild(yunikorn::Partition::NodeSequence::kAsListed);
}

// --- queues

void RecordedState::AddQueue(const json& recorded) {
  const std::string path = recorded["path"];
  const size_t dot = path.rfind('.');
  yunikorn::Queue queue;
  queue.path = path;
  queue.name = dot == path.npos ? path : path.substr(dot + 1);
  const auto parent = dot == path.npos ? queues_.end() : queues_.find(path.substr(0, dot));
  if (parent != queues_.end()) queue.parent = parent->second;
  queue.leaf = recorded["leaf"];
  queue.managed = recorded["managed"];
  const std::string state = recorded["state"];
  if (state == "Draining") queue.state = yunikorn::QueueState::kDraining;
  if (state == "Stopped") queue.state = yunikorn::QueueState::kStopped;
  queue.most = Amounts(recorded.value("max", json()));
  queue.guaranteed = Amounts(recorded.value("guaranteed", json()));
  queue.allocated = Amounts(MapIn(recorded, "allocated"));
  queue.pending = Amounts(MapIn(recorded, "pending"));
  queue.preempting = Amounts(MapIn(recorded, "preempting"));
  queue.most_applications = recorded.value("maxRunningApps", uint64_t{0});
  queue.running = recorded.value("runningApps", uint64_t{0});
  for (const std::string id : ListIn(recorded, "allocatingAcceptedApps")) {
    queue.allocating.insert(id);
  }
  queue.rules = QueueRulesOf(recorded);
  if (recorded.contains("quotaPreemptionStartTime")) {
    queue.quota_preemption_start = TimeOf(recorded["quotaPreemptionStartTime"]);
  }
  if (queue.leaf) {
    leaf_priorities_[static_cast<Index>(partition_.queues.size())] =
        recorded.value("currentPriority", yunikorn::kLeastPriority);
  }
  queues_[path] = static_cast<Index>(partition_.queues.size());
  partition_.queues.push_back(std::move(queue));
}

Index RecordedState::QueueAt(const std::string& path) const {
  const auto found = queues_.find(path);
  return found == queues_.end() ? yunikorn::kNone : found->second;
}

// --- applications

Index RecordedState::AddAllocation(const json& recorded, Index application) {
  yunikorn::Allocation allocation;
  allocation.key = recorded["allocationKey"];
  allocation.task_group = recorded.value("taskGroupName", "");
  allocation.required_node = recorded.value("requiredNode", "");
  allocation.application = application;
  allocation.foreign = application == yunikorn::kNone;
  if (recorded.contains("resource")) allocation.resource = Amounts(recorded["resource"]);
  allocation.create_time = TimeOf(recorded.value("createTime", json(0)));
  allocation.priority = recorded.value("priority", 0);
  allocation.placeholder = recorded.value("placeholder", false);
  allocation.originator = recorded.value("originator", false);
  allocation.may_be_preempted = recorded.value("allowPreemptSelf", false);
  allocation.may_preempt = recorded.value("allowPreemptOther", false);
  allocation.allocated = recorded.value("allocated", false);
  allocation.released = recorded.value("released", false);
  allocation.preempted = recorded.value("preempted", false);
  allocation.preemption_triggered = recorded.value("preemptionTriggered", false);
  allocation.scheduling_attempted = recorded.value("schedulingAttempted", false);
  allocation.scale_up_triggered = recorded.value("scaleUpTriggered", false);
  if (recorded.contains("preemptCheckTime")) {
    allocation.preempt_check_time = TimeOf(recorded["preemptCheckTime"]);
  }
  const auto node = nodes_.find(recorded.value("nodeID", ""));
  if (node != nodes_.end()) allocation.node = node->second;
  const Index index = static_cast<Index>(partition_.allocations.size());
  allocations_.emplace(allocation.key, index);
  partition_.allocations.push_back(std::move(allocation));
  return index;
}

// That of the key which is on the node, or else any; a pod of others if there is none.
Index RecordedState::AllocationOn(const std::string& key, Index node) {
  Index found = yunikorn::kNone;
  const auto [begin, end] = allocations_.equal_range(key);
  for (auto known = begin; known != end; ++known) {
    if (found == yunikorn::kNone || partition_.allocations[known->second].node == node) {
      found = known->second;
    }
  }
  return found == yunikorn::kNone ? AddAllocation({{"allocationKey", key}}, yunikorn::kNone)
                                  : found;
}

Index RecordedState::AllocationOf(const std::string& key, Index application) const {
  const auto [begin, end] = allocations_.equal_range(key);
  for (auto known = begin; known != end; ++known) {
    if (partition_.allocations[known->second].application == application) return known->second;
  }
  return yunikorn::kNone;
}

void RecordedState::ListAllocations(const json& recorded, Index index) {
  yunikorn::Application& app = partition_.applications[index];
  for (const char* list : {"requestsInOrder", "requestsNotSorted"}) {
    for (const json& request : ListIn(recorded, list)) {
      const Index added = AddAllocation(request, index);
      app.requests[partition_.allocations[added].key] = added;
      if (list == std::string("requestsInOrder")) app.sorted_requests.push_back(added);
    }
  }
  for (const json& allocation : ListIn(recorded, "allocations")) {
    if (allocation.is_string()) {
      app.allocations.push_back(AllocationOf(allocation, index));
    } else {
      app.allocations.push_back(AddAllocation(allocation, index));
    }
  }
}

void RecordedState::AddApplication(const json& recorded) {
  const Index index = static_cast<Index>(partition_.applications.size());
  yunikorn::Application& app = partition_.applications.emplace_back();
  app.id = recorded["applicationID"];
  app.queue_path = recorded["queue"];
  app.queue = QueueAt(app.queue_path);
  app.in_queue = app.queue != yunikorn::kNone && partition_.queues[app.queue].leaf;
  app.tags = TextsOf(MapIn(recorded, "tags"));
  app.placeholder_ask = Amounts(MapIn(recorded, "placeholderAsk"));
  app.hard_gang = recorded.value("gangSchedulingStyle", "") == "Hard";
  app.state = AppStateOf(recorded["state"]);
  app.submission_time = TimeOf(recorded["submissionTime"]);
  if (recorded.contains("backoffDeadline")) {
    app.backoff_deadline = TimeOf(recorded["backoffDeadline"]);
  }
  app.usage.user = ScalarOf(recorded["user"]);
  app.usage.groups = ListIn(recorded, "groups").get<std::vector<std::string>>();
  app.usage.path = yunikorn::SplitPath(app.queue_path);
  app.usage.application = NumberOf(app.id);
  app.pending = Amounts(recorded["pending"]);
  app.allocated = Amounts(recorded["allocated"]);
  app.placeholders_allocated = Amounts(recorded["allocatedPlaceholder"]);
  app.has_placeholders = recorded.value("hasPlaceholderAlloc", false);
  app.placeholder_timer = recorded.value("placeholderTimerRunning", false);
  for (const auto& [group, data] : MapIn(recorded, "placeholderData").items()) {
    app.placeholder_data[group] = {
        data.value("Count", int64_t{0}), data.value("Replaced", int64_t{0}),
        data.value("TimedOut", int64_t{0}), Amounts(MapIn(data, "MinResource"))};
  }
  applications_[app.id] = index;
  ListAllocations(recorded, index);
  AddReservations(recorded, index);
}

void RecordedState::LinkReleases(const json& state) {
  for (const json& application : ListIn(state, "applications")) {
    const Index app = applications_.at(application["applicationID"]);
    for (const char* list : {"requestsInOrder", "requestsNotSorted", "allocations"}) {
      for (const json& recorded : ListIn(application, list)) {
        if (!recorded.is_object() || !recorded.contains("release")) continue;
        const Index one = AllocationOf(recorded["allocationKey"], app);
        partition_.allocations[one].release = AllocationOf(recorded["release"], app);
      }
    }
  }
}

Index RecordedState::ApplicationNamed(const std::string& id) const {
  const auto found = applications_.find(id);
  return found == applications_.end() ? yunikorn::kNone : found->second;
}

Index RecordedState::RequestOf(const json& ask, Index application) {
  const auto known =
      partition_.applications[application].requests.find(ask["allocationKey"].get<std::string>());
  if (known != partition_.applications[application].requests.end()) return known->second;
  const Index request = AddAllocation(ask, application);
  partition_.applications[application].requests[partition_.allocations[request].key] = request;
  partition_.allocations[request].in_requests = true;
  return request;
}

// --- nodes

void RecordedState::AddNode(const json& recorded) {
  yunikorn::Node node;
  node.id = recorded["nodeID"];
  node.total = Amounts(recorded["total"]);
  node.occupied = Amounts(recorded["occupied"]);
  node.allocated = Amounts(recorded["allocated"]);
  node.available = Amounts(recorded["available"]);
  node.schedulable = recorded["schedulable"];
  nodes_[node.id] = static_cast<Index>(partition_.nodes.size());
  partition_.nodes.push_back(std::move(node));
}

void RecordedState::AddReservations(const json& recorded, Index index) {
  for (const json& reservation : ListIn(recorded, "reservations")) {
    const Index request = AllocationOf(reservation["allocationKey"], index);
    const auto node = nodes_.find(reservation["nodeID"].get<std::string>());
    if (request == yunikorn::kNone || node == nodes_.end()) continue;
    partition_.applications[index].reservations.push_back(
        {request, index, node->second, TimeOf(reservation["createTime"])});
  }
}

void RecordedState::AddReservedNodes(const json& recorded, Index index) {
  for (const json& reservation : ListIn(recorded, "reservations")) {
    const Index app = ApplicationNamed(reservation["applicationID"]);
    const Index request = AllocationOf(reservation["allocationKey"], app);
    if (request == yunikorn::kNone) continue;
    partition_.nodes[index].reservations.push_back(
        {request, app, index, TimeOf(reservation["createTime"])});
  }
}

// --- what the host permits, as the peer's tests play it

void RecordedState::SetHost(const json& plugin) {
  const std::string type = plugin.value("type", "");
  const json& fields = MapIn(plugin, "fields");
  if (type == "*mock.PredicatePlugin") {
    const bool refuses = fields.value("mustFail", false);
    const json modes = MapIn(fields, "nodes");
    partition_.host.predicate = [=](const yunikorn::Allocation&, const yunikorn::Node& node,
                                    bool allocate) {
      if (refuses) return false;
      const auto mode = modes.find(node.id);
      if (mode == modes.end()) return true;
      return allocate ? mode->get<int>() < 0 : mode->get<int>() > 0;
    };
  } else if (type == "*mock.PreemptionPredicatePlugin") {
    const json places = MapIn(fields, "allocations"), reserved = MapIn(fields, "reservations");
    partition_.host.predicate = [=](const yunikorn::Allocation& request, const yunikorn::Node& node,
                                    bool allocate) {
      return (allocate ? places : reserved).value(request.key, "") == node.id;
    };
    const json preemptions = ListIn(fields, "preemptions");
    partition_.host.preemption = [=, this](const yunikorn::Allocation& request,
                                           const yunikorn::Node& node,
                                           const std::vector<Index>& victims, int start) {
      std::vector<std::string> keys;
      for (Index victim : victims) keys.push_back(partition_.allocations[victim].key);
      for (const json& known : preemptions) {
        if (known.value("expectedAllocationKey", "") != request.key) continue;
        if (known.value("expectedNodeID", "") != node.id) continue;
        const bool same = known.value("expectedStartIndex", 0) == start &&
                          ListIn(known, "expectedAllocationKeys") == json(keys);
        return same && known.value("success", false) ? known.value("index", 0) : -1;
      }
      return -1;
    };
  }
}

// --- users

uint32_t RecordedState::NumberOf(const std::string& application) {
  return numbers_.emplace(application, static_cast<uint32_t>(numbers_.size())).first->second;
}

void RecordedState::AddLimits(const json& ugm) {
  std::map<std::string, yunikorn::QueueLimits> queues;  // parents sort before children
  const auto limit_of = [&](const json& limit) {
    return yunikorn::Limit{Amounts(limit.value("maxResources", json())),
                           limit.value("maxApplications", uint64_t{0})};
  };
  for (const auto& [path, users] : MapIn(ugm, "userLimits").items()) {
    for (const auto& [user, limit] : users.items()) {
      queues[path].rules.push_back({{user}, {}, limit_of(limit)});
    }
  }
  for (const auto& [path, groups] : MapIn(ugm, "configuredGroups").items()) {
    const json& limits = MapIn(MapIn(ugm, "groupLimits"), path.c_str());
    for (const std::string group : groups) {
      if (limits.contains(group))
        queues[path].rules.push_back({{}, {group}, limit_of(limits[group])});
    }
  }
  for (const auto& [path, limit] : MapIn(ugm, "userWildcardLimits").items()) {
    queues[path].rules.push_back({{yunikorn::kWildcard}, {}, limit_of(limit)});
  }
  for (const auto& [path, limit] : MapIn(ugm, "groupWildcardLimits").items()) {
    queues[path].rules.push_back({{}, {yunikorn::kWildcard}, limit_of(limit)});
  }
  std::vector<yunikorn::QueueLimits> list;
  for (auto& [path, limits] : queues) {
    limits.path = path;
    list.push_back(std::move(limits));
  }
  partition_.limits.Update(list);
}

yunikorn::UsageKey RecordedState::KeyOf(const std::string& user, const std::string& application,
                                        const std::string& path, const json& group_of) {
  yunikorn::UsageKey key;
  key.application = NumberOf(application);
  key.user = user;
  key.path = yunikorn::SplitPath(path);
  const json group = group_of.value(application, json());
  if (group.is_string()) key.groups.push_back(group);
  return key;
}

// Each level has its own use, and that of the levels below.
void RecordedState::AddUser(const std::string& user, const json& levels, const json& group_of) {
  for (const json& level : levels) {
    const std::string path = level["path"];
    yunikorn::Resource own = Amounts(MapIn(level, "usage"));
    std::set<std::string> running;
    for (const std::string id : ListIn(level, "runningApplications")) running.insert(id);
    for (const json& below : levels) {
      const std::string other = below["path"];
      if (!other.starts_with(path + ".") || other.find('.', path.size() + 1) != other.npos)
        continue;
      own.SubFrom(Amounts(MapIn(below, "usage")));
      for (const std::string id : ListIn(below, "runningApplications")) running.erase(id);
    }
    if (running.empty() && yunikorn::IsZero(own)) continue;
    if (running.empty()) {
      for (const std::string id : ListIn(level, "runningApplications")) running.insert(id);
    }
    for (const std::string& id : running) {
      yunikorn::UsageKey key = KeyOf(user, id, path, group_of);
      partition_.limits.Increase(key, std::exchange(own, {}));
    }
  }
}

void RecordedState::AddUsage(const json& ugm) {
  for (const auto& [user, recorded] : MapIn(ugm, "users").items()) {
    AddUser(user, ListIn(recorded, "queues"), MapIn(recorded, "groupOfApplication"));
  }
}

// --- what a decision came to

json RecordedState::Text(const yunikorn::Result& result) const {
  const yunikorn::Allocation& request = partition_.allocations[result.request];
  json text = {{"type", NameOf(result.type)},
               {"allocationKey", request.key},
               {"app", partition_.applications[request.application].id},
               {"node", partition_.nodes[result.node].id}};
  if (result.reserved_node != yunikorn::kNone) {
    text["reservedNode"] = partition_.nodes[result.reserved_node].id;
  }
  if (result.cancelled_reservations != 0) {
    text["cancelledReservations"] = result.cancelled_reservations;
  }
  if (result.type == yunikorn::ResultType::kReplaced) {
    text["release"] = partition_.allocations[request.release].key;
  }
  return text;
}

json RecordedState::View() const {
  json view = {{"allocations", json::object()},
               {"applicationState", json::object()},
               {"reservations", json::object()},
               {"queues", json::object()}};
  for (const yunikorn::Allocation& allocation : partition_.allocations) {
    if (allocation.foreign || allocation.key.empty()) continue;
    const std::string app = partition_.applications[allocation.application].id;
    view["allocations"][app + " " + allocation.key] = {
        {"allocated", allocation.allocated},
        {"nodeID", allocation.node == yunikorn::kNone ? "" : partition_.nodes[allocation.node].id},
        {"preempted", allocation.preempted},
        {"released", allocation.released},
        {"preemptionTriggered", allocation.preemption_triggered},
        {"release", allocation.release == yunikorn::kNone
                        ? ""
                        : partition_.allocations[allocation.release].key}};
  }
  for (const yunikorn::Application& app : partition_.applications) {
    view["applicationState"][app.id] = NameOf(app.state);
    json list = json::array();
    for (const yunikorn::Reservation& reservation : app.reservations) {
      list.push_back(
          {partition_.allocations[reservation.request].key, partition_.nodes[reservation.node].id});
    }
    view["reservations"][app.id] = list;
  }
  for (const yunikorn::Queue& queue : partition_.queues) {
    view["queues"][queue.path] = {{"allocated", Text(queue.allocated)},
                                  {"pending", Text(queue.pending)},
                                  {"preempting", Text(queue.preempting)}};
  }
  return view;
}

}  // namespace muster::testing::yunikorn_probe
