// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/muster/gang_repack.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lib/fit/gang_packing.h"
#include "lib/ledger/device_book.h"
#include "lib/peer/muster/gang_devices.h"

namespace muster {
namespace {

constexpr int64_t kNoLimit = int64_t{1} << 60;

class Repack {
 public:
  Repack(ActionContext& context, const FairGang& gang, uint32_t within)
      : context_(context), gang_(gang), within_(within) {}

  std::vector<FoundPlace> Run(std::span<const TaskIndex> tasks, int64_t most_tries) {
    for (TaskIndex t : tasks) classes_.push_back(context_.ClassOf(t));
    std::sort(classes_.begin(), classes_.end());
    classes_.erase(std::unique(classes_.begin(), classes_.end()), classes_.end());
    if (classes_.size() < 2) return {};
    NodeSearch& search = context_.search;
    std::erase_if(classes_, [&](ClassIndex c) {
      const TaskIndex one = *std::find_if(tasks.begin(), tasks.end(),
                                          [&](TaskIndex t) { return context_.ClassOf(t) == c; });
      return search.Best(one, Want::kNow) == kNone && search.Best(one, Want::kLater) == kNone;
    });
    if (!KeepTasks(tasks)) return {};
    ListNodes();
    std::erase_if(classes_, [&](ClassIndex c) { return !fits_.contains(c); });
    if (!KeepTasks(tasks)) return {};

    std::vector<PackTask> of_tasks;
    for (TaskIndex t : tasks_) {
      const auto it = std::lower_bound(classes_.begin(), classes_.end(), context_.ClassOf(t));
      of_tasks.push_back(
          {static_cast<size_t>(it - classes_.begin()), context_.tables.tasks.group[t]});
    }
    PackNeed need{gang_.needed() - gang_.placed()};
    const size_t groups = context_.tables.jobs.groups[context_.tables.tasks.job[tasks_[0]]].size();
    need.of_group.resize(groups);
    for (GroupIndex g = 0; g < groups; ++g) need.of_group[g] = gang_.Lacking(g);
    std::vector<PackShape> shapes = Shapes();
    const bool parts = std::any_of(shapes.begin(), shapes.end(),
                                   [](const PackShape& shape) { return shape.parts; });
    for (const bool now : {true, false}) {
      std::vector<PackNode> nodes = Nodes(now);
      std::vector<PackStep> steps;
      if (parts) {
        DeviceBook& book = *DeviceBook::Of(context_.ledger);
        GangDevices devices(context_.tables, book.states(), classes_, !now);
        for (size_t n = 0; n < nodes.size(); ++n)
          nodes[n].book = devices.AddNode(nodes_[n], book.state(nodes_[n]));
        for (size_t s = 0; s < shapes.size(); ++s)
          if (shapes[s].parts) shapes[s].size = devices.SizeOf(s);
        steps = PackGang(shapes, nodes, of_tasks, need, most_tries,
                         [&](size_t shape, uint32_t load) { return devices.With(shape, load); });
        LineUp(shapes, of_tasks, nodes, &devices, &steps);
      } else {
        steps = PackGang(shapes, nodes, of_tasks, need, most_tries);
      }
      if (steps.empty()) continue;
      std::vector<FoundPlace> places;
      places.reserve(steps.size());
      for (const PackStep& step : steps) {
        const bool waits = !now && shapes[of_tasks[step.task].shape].parts;
        places.push_back({tasks_[step.task], nodes_[step.node], waits});
      }
      return places;
    }
    return {};
  }

 private:
  // Keeps the tasks of the classes that are left. Returns false if they are too few.
  bool KeepTasks(std::span<const TaskIndex> tasks) {
    tasks_.clear();
    for (TaskIndex t : tasks) {
      if (std::binary_search(classes_.begin(), classes_.end(), context_.ClassOf(t)))
        tasks_.push_back(t);
    }
    return !tasks_.empty() && gang_.Hopeful(tasks_);
  }

  // Orders, on each node, the tasks that request devices as they get them.
  static void LineUp(std::span<const PackShape> shapes, std::span<const PackTask> of_tasks,
                     std::span<const PackNode> nodes, GangDevices* devices,
                     std::vector<PackStep>* steps) {
    std::map<size_t, std::vector<size_t>> on_node;  // steps
    for (size_t i = 0; i < steps->size(); ++i) {
      const PackStep& step = (*steps)[i];
      if (shapes[of_tasks[step.task].shape].parts) on_node[step.node].push_back(i);
    }
    for (const auto& [node, mine] : on_node) {
      uint32_t load = nodes[node].book;
      std::map<size_t, std::vector<size_t>> of_shape;  // tasks, the last one first
      for (size_t i : mine) load = devices->With(of_tasks[(*steps)[i].task].shape, load);
      for (auto i = mine.rbegin(); i != mine.rend(); ++i)
        of_shape[of_tasks[(*steps)[*i].task].shape].push_back((*steps)[*i].task);
      const std::span<const uint32_t> order = devices->Order(load);
      for (size_t k = 0; k < mine.size(); ++k) {
        std::vector<size_t>& next = of_shape[order[k]];
        (*steps)[mine[k]].task = next.back();
        next.pop_back();
      }
    }
  }

  // Lists the nodes that take some class.
  void ListNodes() {
    std::vector<uint8_t> useful(context_.tables.nodes.alive.size(), 0);
    const std::vector<uint8_t> outside = Outside();
    for (ClassIndex c : classes_) {
      std::vector<uint8_t> refused = outside;
      context_.search.AddRefused(c, Want::kNow, /*tell_hopeless=*/false, &refused);
      bool any = false;
      for (NodeIndex n = 0; n < refused.size(); ++n) {
        if (!context_.tables.nodes.alive[n] || refused[n]) continue;
        any = true;
        useful[n] = 1;
      }
      if (any) fits_[c] = std::move(refused);
    }
    for (NodeIndex n = 0; n < useful.size(); ++n) {
      if (useful[n]) nodes_.push_back(n);
    }
  }

  std::vector<uint8_t> Outside() const {
    const bool everywhere = within_ == kNone;
    std::vector<uint8_t> outside(context_.tables.nodes.alive.size(), everywhere ? 0 : 1);
    if (everywhere) return outside;
    for (NodeIndex n : context_.domains.nodes(within_)) outside[n] = 0;
    return outside;
  }

  std::vector<PackShape> Shapes() const {
    std::vector<PackShape> shapes;
    for (ClassIndex c : classes_) {
      PackShape& shape = shapes.emplace_back();
      for (int64_t amount : context_.tables.classes.initial_request.row(c))
        shape.to_start.push_back(OrZero(amount));
      for (int64_t amount : context_.tables.classes.request.row(c))
        shape.held.push_back(OrZero(amount));
      shape.parts = DeviceBook::Of(context_.ledger) != nullptr && context_.search.Picks(c);
    }
    return shapes;
  }

  std::vector<PackNode> Nodes(bool now) const {
    std::vector<PackNode> nodes;
    for (NodeIndex n : nodes_) {
      PackNode& node = nodes.emplace_back();
      const auto idle = context_.ledger.node(n, kIdle);
      for (DimensionIndex d = 0; d < idle.size(); ++d) {
        const int64_t later = context_.ledger.future_idle(n, d);
        node.room.push_back(now ? std::min(idle[d], later) : later);
      }
      // Nodes that take any number of tasks are equal in that, whatever number they hold.
      if (context_.tables.nodes.allocatable.row(n)[kPods] == kAbsent) node.room[kPods] = kNoLimit;
      for (ClassIndex c : classes_) {
        node.takes.push_back(!fits_.at(c)[n] && (!now || context_.search.FitsIdle(c, n)));
      }
    }
    return nodes;
  }

  ActionContext& context_;
  const FairGang& gang_;
  const uint32_t within_;
  std::vector<ClassIndex> classes_;  // ascending
  std::vector<TaskIndex> tasks_;
  std::vector<NodeIndex> nodes_;                    // ascending
  HashMap<ClassIndex, std::vector<uint8_t>> fits_;  // refusals, per node
};

}  // namespace

std::vector<FoundPlace> FindPlaces(ActionContext& context, const FairGang& gang,
                                   std::span<const TaskIndex> tasks, uint32_t within,
                                   int64_t most_tries) {
  if (gang.needed() - gang.placed() > most_tries) return {};
  return Repack(context, gang, within).Run(tasks, most_tries);
}

}  // namespace muster
