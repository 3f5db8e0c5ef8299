// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Where a gang of the muster profile may be, and the search for places for all of it at once.
//
// The search: tasks that fit nowhere are left out; the others go the largest first, by the
// millionths they want of what is free on the nodes that take any of them, of resources and of
// devices that would do by kind and model. A task tries the nodes in order, then to be left out if
// the gang can do without it; one alike the task before begins at that one's node, or is left out
// as that one was. A node just like the last one tried is passed over. What is idle is searched
// first, then what will be.
//
// Devices: those that ask for some go to a node only if all of them there get theirs when they come
// in some order; of all orders the first one by classes, and by the search within a class. Where
// there are more than 120, only the one that served the others, with the newcomer at its end. In
// the end they come in that order.
#include <algorithm>

#include "lib/reference/fit/node_devices.h"
#include "lib/reference/kube/domains.h"
#include "lib/reference/peer/muster/fair.h"
#include "lib/reference/peer/volcano/network_topology.h"

namespace muster::reference {

namespace {

class Packing {
 public:
  Packing(const Cycle& cycle, JobIndex job, const std::vector<TaskIndex>& tasks,
          const std::vector<NodeIndex>& nodes, bool now, int64_t most)
      : cycle_(cycle), with_(cycle), job_(job), now_(now), most_(most) {
    const World& world = cycle.world;
    std::map<ClassIndex, std::set<NodeIndex>> later;
    for (TaskIndex t : tasks) {
      const ClassIndex c = ClassOf(t);
      if (later.count(c) > 0) continue;
      later[c];
      const FilterState state = PrepareFilters(cycle, t);
      for (NodeIndex n : nodes) {
        if (!HasRoomLater(world, t, n) || Judge(cycle, state, t, n).refusal) continue;
        later[c].insert(n);
        Row room = world.future_idle(n);
        for (size_t d = 0; now && d < room.size(); ++d)
          room[d] = std::min(room[d], world.idle[n][d]);
        if (!world.counts_pods[n]) room[kPods] = kPlenty;
        room_[n] = room;
        if (!now || HasRoomNow(world, t, n)) takers_[n].insert(c);
      }
    }
    for (TaskIndex t : tasks) {
      if (!later.at(ClassOf(t)).empty()) tasks_.push_back(t);
    }
    std::map<TaskIndex, int64_t> size;
    for (TaskIndex t : tasks_) size[t] = Size(t);
    std::stable_sort(tasks_.begin(), tasks_.end(), [&](TaskIndex l, TaskIndex r) {
      if (size[l] != size[r]) return size[l] > size[r];
      if (ClassOf(l) != ClassOf(r)) return ClassOf(l) < ClassOf(r);
      return GroupOf(l) < GroupOf(r);
    });
    placed_.assign(tasks_.size(), kNone);
  }

  // Task by task along the order; a task without a node is left out.
  std::vector<FoundPlace> Run() {
    std::vector<FoundPlace> places;
    if (tasks_.empty() || !GangCouldBeWhole(cycle_, job_, tasks_) || !Go(0)) return places;
    std::map<NodeIndex, size_t> came;
    for (size_t i = 0; i < tasks_.size(); ++i) {
      const NodeIndex node = placed_[i];
      if (node == kNone) continue;
      const bool asks = AsksDevices(tasks_[i]);
      const TaskIndex task = asks ? lines_[node][came[node]++] : tasks_[i];
      places.push_back({task, node, asks && !now_});
    }
    return places;
  }

 private:
  static constexpr int64_t kPlenty = int64_t{1} << 60;

  ClassIndex ClassOf(TaskIndex t) const { return cycle_.tables().tasks.task_class[t]; }
  GroupIndex GroupOf(TaskIndex t) const { return cycle_.tables().tasks.group[t]; }

  int64_t Size(TaskIndex t) const {
    const auto request = cycle_.world.initial_request(t);
    int64_t size = 0;
    for (size_t d = 0; d < cycle_.world.dimensions(); ++d) {
      __int128 all = 0;
      for (const auto& [n, room] : room_) all += std::max<int64_t>(room[d], 0);
      if (all == 0) continue;
      const __int128 part = static_cast<__int128>(OrZero(request[d])) * 1'000'000 / all;
      size += static_cast<int64_t>(std::min<__int128>(part, 1'000'000));
    }
    if (!AsksDevices(t)) return size;
    for (const DeviceRequest& request : cycle_.world.shape(t).devices) {
      __int128 all = 0;
      for (const auto& [n, room] : room_) all += FreeShareFor(cycle_.world, request, n, !now_);
      if (all == 0) continue;
      const __int128 wanted = static_cast<__int128>(request.count) * request.milli;
      size += static_cast<int64_t>(std::min<__int128>(wanted * 1'000'000 / all, 1'000'000));
    }
    return size;
  }

  bool AsksDevices(TaskIndex t) const {
    return cycle_.world.device_strategy && !cycle_.world.shape(t).devices.empty();
  }

  // One after another, on the node's devices as they are in `world`.
  bool FirstOrder(const World& world, NodeIndex node, const std::vector<TaskIndex>& left,
                  std::vector<TaskIndex>& line) const {
    if (left.empty()) return true;
    std::map<ClassIndex, TaskIndex> next;
    for (TaskIndex t : left) next.emplace(ClassOf(t), t);
    for (const auto& [c, t] : next) {
      if (!HasDevices(world, t, node, !now_)) continue;
      World then = world;
      Place(then, t, node, now_ ? TaskStatus::kPlaced : TaskStatus::kNominated);
      std::vector<TaskIndex> others = left;
      others.erase(std::find(others.begin(), others.end(), t));
      line.push_back(t);
      if (FirstOrder(then, node, others, line)) return true;
      line.pop_back();
    }
    return false;
  }

  // How those of `line` come to the node with one more; nullopt: not all of them get devices.
  std::optional<std::vector<TaskIndex>> LineWith(NodeIndex node, std::vector<TaskIndex> line,
                                                 TaskIndex task) const {
    line.push_back(task);
    std::map<ClassIndex, int64_t> of_class;
    double orders = 1;
    for (size_t i = 0; i < line.size(); ++i) {
      orders *= static_cast<double>(i + 1) / static_cast<double>(++of_class[ClassOf(line[i])]);
    }
    if (orders < 120.5) {
      std::vector<TaskIndex> left, found;
      for (TaskIndex t : tasks_) {
        if (std::find(line.begin(), line.end(), t) != line.end()) left.push_back(t);
      }
      if (FirstOrder(cycle_.world, node, left, found)) return found;
      return std::nullopt;
    }
    World world = cycle_.world;
    for (TaskIndex t : line) {
      if (!HasDevices(world, t, node, !now_)) return std::nullopt;
      Place(world, t, node, now_ ? TaskStatus::kPlaced : TaskStatus::kNominated);
    }
    return line;
  }

  // What must be alike for one node to be as good as another.
  struct Look {
    Row room;
    std::set<ClassIndex> takers;
    std::string devices;
    std::multiset<ClassIndex> came;  // and asked for some
    friend bool operator==(const Look&, const Look&) = default;
  };
  Look LookOf(NodeIndex node) {
    Look look{room_[node], takers_[node], {}, {}};
    if (std::any_of(tasks_.begin(), tasks_.end(), [&](TaskIndex t) { return AsksDevices(t); }))
      look.devices = DevicesInWords(cycle_.world, node);
    for (TaskIndex t : lines_[node]) look.came.insert(ClassOf(t));
    return look;
  }

  bool Go(size_t at) {
    if (GangCouldBeWhole(with_, job_, {})) return true;
    if (at == tasks_.size()) return false;
    const TaskIndex task = tasks_[at];
    const bool alike = at > 0 && ClassOf(tasks_[at - 1]) == ClassOf(task) &&
                       GroupOf(tasks_[at - 1]) == GroupOf(task);
    const NodeIndex first = alike ? placed_[at - 1] : NodeIndex(0);
    const bool only_out = !GangWants(with_, job_, GroupOf(task)) || first == kNone;
    std::optional<Look> last;
    for (auto& [n, room] : room_) {
      if (only_out || n < first || takers_[n].count(ClassOf(task)) == 0) continue;
      const auto request = cycle_.world.initial_request(task);
      bool fits = true;
      for (size_t d = 0; d < room.size(); ++d) {
        fits = fits && (OrZero(request[d]) <= 0 || OrZero(request[d]) <= room[d]);
      }
      if (!fits || last == LookOf(n)) continue;
      const std::vector<TaskIndex> line = lines_[n];
      if (AsksDevices(task)) {
        const auto with = LineWith(n, line, task);
        if (!with) continue;
        last = LookOf(n);
        lines_[n] = *with;
      } else {
        last = LookOf(n);
      }
      if (++tries_ > most_) return false;
      AddTo(room, cycle_.world.request(task), -1);
      placed_[at] = n;
      with_.world.status[task] = TaskStatus::kPlaced;
      if (Go(at + 1)) return true;
      if (tries_ > most_) return false;
      placed_[at] = kNone;
      with_.world.status[task] = TaskStatus::kPending;
      AddTo(room, cycle_.world.request(task), 1);
      lines_[n] = line;
    }
    if (!GangCouldBeWhole(with_, job_, {tasks_.begin() + at + 1, tasks_.end()})) return false;
    return ++tries_ <= most_ && Go(at + 1);
  }

  const Cycle& cycle_;
  Cycle with_;  // what is placed counts
  const JobIndex job_;
  const bool now_;
  const int64_t most_;
  std::vector<TaskIndex> tasks_;
  std::map<NodeIndex, Row> room_;
  std::map<NodeIndex, std::set<ClassIndex>> takers_;
  std::map<NodeIndex, std::vector<TaskIndex>>
      lines_;  // of those that ask for devices, as they come
  std::vector<NodeIndex> placed_;
  int64_t tries_ = 0;
};

std::vector<NodeIndex> ListOf(const Cycle& cycle, const Vertex& vertex) {
  if (vertex.empty()) return cycle.world.session_nodes();
  const std::set<NodeIndex> nodes = NodesIn(cycle, vertex);
  return {nodes.begin(), nodes.end()};
}

}  // namespace

std::vector<FoundPlace> PackWhole(const Cycle& cycle, JobIndex job,
                                  const std::vector<TaskIndex>& tasks,
                                  const std::vector<NodeIndex>& nodes, int64_t most_tries) {
  std::set<ClassIndex> classes;
  for (TaskIndex t : tasks) classes.insert(cycle.tables().tasks.task_class[t]);
  int64_t placed = 0;
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    const TaskStatus status = cycle.world.status[t];
    placed +=
        IsAllocated(status) || status == TaskStatus::kSucceeded || status == TaskStatus::kNominated;
  }
  if (classes.size() < 2 || GangNeed(cycle, job) - placed > most_tries) return {};
  auto places = Packing(cycle, job, tasks, nodes, true, most_tries).Run();
  if (places.empty()) places = Packing(cycle, job, tasks, nodes, false, most_tries).Run();
  return places;
}

bool MustBeTogether(const Cycle& cycle, JobIndex job) {
  const HowHigh wish = WishOfJob(cycle, job);
  return wish.tier && *wish.tier < TierOf(cycle, "");
}

std::vector<std::vector<NodeIndex>> WithinReach(const Cycle& cycle, JobIndex job,
                                                const std::vector<TaskIndex>& waiting) {
  const HowHigh wish = WishOfJob(cycle, job);
  if (!wish.tier) return {cycle.world.session_nodes()};
  const auto& nodes = cycle.tables().nodes;
  std::optional<Vertex> holds, promised;
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    const TaskStatus status = cycle.world.status[t];
    if (!IsAllocated(status) && status != TaskStatus::kNominated) continue;
    const NodeIndex n = cycle.world.node[t];
    if (nodes.alive[n]) holds = MeetingPoint(cycle, holds, nodes.spec[n].domain);
  }
  for (TaskIndex t : waiting) {
    const NodeIndex n = cycle.tables().tasks.nominated[t];
    if (n == kNone) break;
    if (nodes.alive[n]) promised = MeetingPoint(cycle, promised, nodes.spec[n].domain);
  }
  std::vector<std::vector<NodeIndex>> sets;
  const std::optional<Vertex> from = holds ? holds : promised;
  if (from) {
    for (const Vertex& up : WayUp(cycle, *from)) {
      if (TierOf(cycle, up) <= *wish.tier) sets.push_back(ListOf(cycle, up));
    }
  }
  if (holds) return sets;
  std::map<std::pair<int32_t, Vertex>, std::vector<NodeIndex>> by_tier;
  std::vector<Vertex> rest = {""};
  while (!rest.empty()) {
    const Vertex vertex = rest.back();
    rest.pop_back();
    for (const Vertex& below : VerticesBelow(cycle, vertex)) rest.push_back(below);
    if (TierOf(cycle, vertex) <= *wish.tier)
      by_tier[{TierOf(cycle, vertex), vertex}] = ListOf(cycle, vertex);
  }
  for (const auto& [key, list] : by_tier) sets.push_back(list);
  return sets;
}

}  // namespace muster::reference
