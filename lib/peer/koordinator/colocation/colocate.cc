// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// colocate: what production leaves of the nodes becomes room for batch and mid work, and
// best-effort tasks go where it is not left to them.
//
// Rooms. For each node, batch_room.h and mid_room.h compute the room by its measurement. A room
// that changed enough, or is old (publication.h), is an `offer` of the plan to no queue and no job:
// the amounts that the node should show as kubernetes.io/batch-cpu, batch-memory, mid-cpu and
// mid-memory, as far as the cluster has these resources. The caller updates the node. A node
// without a measurement, or with an old one, has no room.
//
// Evictions, on each node, by suppress.h:
// - satisfaction: best-effort tasks that use up the CPU that they are held to, and are satisfied
//   too little by it;
// - cpu: tasks of low priority, where the node's CPU is used above a threshold;
// - memory: best-effort tasks, where its memory is.
// What one rule evicts counts for the next. A rule that evicted on a node rests there for a while.
// Best-effort tasks are those with the label koordinator.sh/qosClass=BE.
//
// Promise. Budgets are kept, which the peer's agents do not do unless they are told to. Tasks that
// are not preemptable, or protected, stay.
//
// Settings (the rest is that of rebalance_world.h):
//   node   koordinator/reserved_cpu, reserved_memory          kept from tasks
//          koordinator/trimmed                                true: what is allocatable is without
//                                                             that already
//          koordinator/reclaimable_cpu, reclaimable_memory    what production will not need, as
//                                                             predicted
//          koordinator/cpu_ratio                              1 or more: amplifies batch CPU
//          koordinator/suppress, suppress_least, satisfaction_low, satisfaction_high, busy, limit,
//          cpu_evict, cpu_evict_low, cpu_evict_priority, memory_evict, memory_evict_low
//                                                             instead of the option of that name
//
// Memory. Slot koordinator-rooms: `room NODE` has the amounts last offered, batch cpu and memory,
// mid cpu and memory, in the thousandths of their units; the suppressed CPU in milli-cores; and the
// time. `evicted by cpu NODE` and `evicted by memory NODE` have the time of the last eviction.
//
// Left out. Means over the agent's window, for which the measurement stands; zones; processes
// outside of tasks by band; the CPUs that suppression chooses.
//
// Ties. As the functions. Cost. O(rows), and a sort of the best-effort tasks of busy nodes.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/extension/cycle.h"
#include "lib/kube/selectors.h"
#include "lib/model/settings.h"
#include "lib/peer/koordinator/actions.h"
#include "lib/peer/koordinator/colocation/colocate_options.h"
#include "lib/peer/koordinator/colocation/publication.h"
#include "lib/peer/koordinator/rebalance/budget_book.h"
#include "lib/peer/koordinator/rebalance/rebalance_world.h"
#include "lib/peer/koordinator/setting_keys.h"
#include "muster/quantity.h"

namespace muster {
namespace koordinator {
namespace {

constexpr std::string_view kRoomSlot = "koordinator-rooms";
constexpr std::string_view kBatchCpu = "kubernetes.io/batch-cpu";
constexpr std::string_view kRoomNames[] = {kBatchCpu, "kubernetes.io/batch-memory",
                                           "kubernetes.io/mid-cpu", "kubernetes.io/mid-memory"};
constexpr size_t kRooms = std::size(kRoomNames);
constexpr int64_t kNanosecondsOfSecond = 1'000'000'000;
// Sums of amounts of one node stay below 2^62.
constexpr int64_t kMostOfNode = int64_t{1} << 61;
constexpr int64_t kMostCpu = 1'000'000'000'000;  // milli-cores

// What a node sets.
struct ColocatedNode {
  CpuMemory reserved = {};
  bool is_trimmed = false;
  std::optional<CpuMemory> reclaimable = {};
  double cpu_ratio = 1;
  std::optional<ColocateRules> rules = {};  // absent: those of the action
};

int64_t ReadAmountSetting(SettingReader& settings, std::string_view key) {
  const auto text = settings.Text(key);
  if (!text) return 0;
  const absl::StatusOr<int64_t> milli = ParseQuantity(*text, Unit::kMilli);
  if (milli.ok() && *milli >= 0) return std::min(*milli, kMostOfNode / 64);
  settings.Refuse(key, "must be an amount of 0 or more");
  return 0;
}

// Returns the action's options with what the node sets in their place.
absl::Status ReadNodeRules(const NodeSpec& spec, const Options& options, SettingReader& settings,
                           ColocatedNode* node) {
  OptionValues values = options.given();
  bool any = false;
  for (const std::string_view name : kNodeOptionKeys) {
    const auto text = settings.Text(name);
    if (!text) continue;
    any = true;
    std::erase_if(values, [&](const auto& value) { return value.first == name; });
    values.emplace_back(std::string(name), std::string(*text));
  }
  if (!any) return absl::OkStatus();
  const std::string place = absl::StrCat("node ", Quote(spec.name), ", action colocate");
  const absl::StatusOr<Options> own = Options::Check(place, ColocateOptions(), values);
  if (!own.ok()) return own.status();
  absl::StatusOr<ColocateRules> rules = ReadColocateRules(*own);
  if (!rules.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("node ", Quote(spec.name), ": ", absl::string_view(rules.status().message())));
  }
  node->rules = *std::move(rules);
  return absl::OkStatus();
}

absl::Status ReadColocatedNode(const NodeSpec& spec, const Options& options, ColocatedNode* node) {
  if (spec.settings.empty()) return absl::OkStatus();
  SettingReader settings("node", spec.name, spec.settings, "koordinator");
  if (absl::Status s = ReadNodeRules(spec, options, settings, node); !s.ok()) return s;
  node->reserved.cpu = ReadAmountSetting(settings, "reserved_cpu");
  node->reserved.memory = ReadAmountSetting(settings, "reserved_memory");
  node->is_trimmed = settings.Flag("trimmed", false);
  CpuMemory reclaimable;
  reclaimable.cpu = ReadAmountSetting(settings, "reclaimable_cpu");
  reclaimable.memory = ReadAmountSetting(settings, "reclaimable_memory");
  if (settings.Text("reclaimable_cpu") || settings.Text("reclaimable_memory")) {
    node->reclaimable = reclaimable;
  }
  node->cpu_ratio = settings.Number("cpu_ratio", 1, 100, 1);
  koordinator::PassOver(koordinator::kNodeZoneKeys, &settings);
  koordinator::PassOver(koordinator::kNodeLoadKeys, &settings);
  settings.Text(koordinator::kNodeDeviceLabels);
  return settings.Finish();
}

CpuMemory CpuMemoryOf(const NamedAmounts& amounts, int64_t most) {
  return {std::min(AmountOf(amounts, "cpu"), most), std::min(AmountOf(amounts, "memory"), most)};
}

// Of a row of the tables or the ledger.
CpuMemory CpuMemoryOf(const Tables& tables, std::span<const int64_t> row, int64_t most) {
  return {std::min(AmountInRow(tables, row, kCpu), most),
          std::min(AmountInRow(tables, row, kMemory), most)};
}

class Colocation {
 public:
  Colocation(ActionContext& context, const Options& options, const ColocateRules& rules)
      : context_(context),
        options_(options),
        rules_of_all_(rules),
        world_(context.memory<RebalanceWorld>()),
        budgets_(context),
        before_(context.facts.cycle->Recall(kRoomSlot)),
        now_(NanosecondsOf(context.facts.now) / kNanosecondsOfSecond) {
    for (const std::string_view name : kRoomNames) {
      dimensions_.push_back(context.tables.dimensions.Find(name));
    }
  }

  void Run() {
    for (size_t n = 0; n < world_.nodes.size(); ++n) {
      if (context_.meter.Cut()) return;
      context_.meter.Spend();
      ReadNode(n);
      PublishRoom();
      Evict();
    }
    if (after_ != before_) context_.facts.cycle->Remember(kRoomSlot) = std::move(after_);
  }

 private:
  // --- one node

  struct Node {
    size_t index = 0;
    NodeIndex row = muster::kNone;
    ColocatedNode set = {};
    NodeView view = {};
    Measurement measured = {};
    bool has_measurement = false;
    CpuMemory used = {};  // of the node
    // Places in the world's tasks_on.
    std::vector<size_t> best_effort = {};
    std::vector<bool> is_evicted = {};
    int64_t suppressed = 0;
  };

  // The rules of the node at hand.
  const ColocateRules& rules() const {
    return node_.set.rules.has_value() ? *node_.set.rules : rules_of_all_;
  }

  bool IsBestEffort(TaskIndex task) const {
    const TaskShape& shape = context_.tables.classes.shape[context_.ClassOf(task)];
    const std::string* label = FindLabel(shape.labels, "koordinator.sh/qosClass");
    return label != nullptr && *label == "BE";
  }

  void ReadNode(size_t n) {
    node_ = Node{.index = n, .row = world_.node_of[n]};
    const NodeSpec& spec = context_.tables.nodes.spec[node_.row];
    (void)ReadColocatedNode(spec, options_, &node_.set);
    const Tables& tables = context_.tables;
    const std::vector<TaskIndex>& tasks = world_.tasks_on[n];
    node_.is_evicted.assign(tasks.size(), false);
    const int64_t most = kMostOfNode / (static_cast<int64_t>(tasks.size()) + 4);
    node_.view.capacity = CpuMemoryOf(tables, tables.nodes.capacity.row(node_.row), most);
    node_.view.allocatable = CpuMemoryOf(tables, tables.nodes.allocatable.row(node_.row), most);
    node_.view.reserved = node_.set.reserved;
    if (node_.set.is_trimmed) node_.view.allocatable += node_.set.reserved;
    node_.measured.system = CpuMemoryOf(world_.nodes[n].system, most);
    node_.measured.reclaimable = node_.set.reclaimable;
    node_.view.tasks.reserve(tasks.size());
    node_.measured.tasks.reserve(tasks.size());
    CpuMemory tasks_used, others_used;
    for (size_t i = 0; i < tasks.size(); ++i) {
      const TaskIndex t = tasks[i];
      const LoadedTask& loaded = world_.nodes[n].tasks[i];
      node_.view.tasks.push_back({.name = loaded.name,
                                  .request = CpuMemoryOf(tables, context_.ledger.request(t), most),
                                  .band = loaded.rank.band,
                                  .is_exclusive = loaded.rank.service == Service::kLse});
      const bool is_best_effort = IsBestEffort(t);
      if (is_best_effort) node_.best_effort.push_back(i);
      if (!loaded.usage.has_value()) continue;
      const CpuMemory usage = CpuMemoryOf(*loaded.usage, most);
      node_.measured.tasks.push_back({loaded.name, usage, loaded.rank.band});
      tasks_used += usage;
      if (!is_best_effort) others_used += usage;
    }
    node_.used = node_.measured.system + tasks_used;
    node_.has_measurement = spec.usage.has_value();
    if (node_.has_measurement) {
      node_.measured.time = NanosecondsOf(spec.usage->measured);
      node_.measured.node = node_.used;
    }
    const int64_t system = std::max(node_.measured.system.cpu, ReservedOf(node_.view).cpu);
    node_.suppressed = SuppressedCpu({node_.view.capacity.cpu, others_used.cpu, system},
                                     rules().suppress_percent, rules().suppress_least);
  }

  // --- rooms

  // Returns the amounts that the node should show, in thousandths of their units.
  std::vector<int64_t> Rooms() const {
    std::vector<int64_t> rooms(kRooms);
    if (IsStale(node_.measured, now_ * kNanosecondsOfSecond, rules().degrade_minutes)) return rooms;
    const CpuMemory batch = BatchRoom(node_.view, node_.measured, rules().batch);
    const CpuMemory mid = MidRoom(node_.view, node_.measured, rules().mid);
    const auto in_units = [](int64_t cpu) { return std::min(cpu, kMostCpu) * 1000; };
    rooms[0] = ShownBatchCpu(in_units(batch.cpu), node_.set.cpu_ratio) * 1000;
    rooms[1] = WholeUnits(batch.memory) * 1000;
    rooms[2] = in_units(mid.cpu);
    rooms[3] = WholeUnits(mid.memory) * 1000;
    return rooms;
  }

  void PublishRoom() {
    const std::string key = absl::StrCat("room ", world_.nodes[node_.index].name);
    const std::vector<int64_t> rooms = Rooms();
    const MemoryRow* const row = before_.Find(key);
    std::optional<int64_t> age;
    if (row != nullptr) {
      age = SatMul(SatSub(now_, before_.Integer(key, kRooms + 1)), kNanosecondsOfSecond);
    }
    bool is_shown = IsDue(age, rules().update * kNanosecondsOfSecond);
    for (size_t i = 0; i < kRooms && !is_shown; ++i) {
      is_shown = IsChangeShown(before_.Integer(key, i), rooms[i], rules().change);
    }
    if (!is_shown) {
      after_.Set(key, *row);
      return;
    }
    MemoryRow remembered;
    for (const int64_t room : rooms) remembered.emplace_back(room);
    remembered.emplace_back(node_.suppressed);
    remembered.emplace_back(now_);
    after_.Set(key, std::move(remembered));
    muster::Offer offer{.node = node_.row};
    offer.amounts.assign(context_.tables.dimension_count(), kAbsent);
    bool has_any = false;
    for (size_t i = 0; i < kRooms; ++i) {
      if (!dimensions_[i].has_value()) continue;
      offer.amounts[*dimensions_[i]] = rooms[i];
      has_any = true;
    }
    if (has_any) context_.decisions.Add(std::move(offer));
  }

  // --- evictions

  void Evict() {
    const bool may_by_cpu = !Rests("cpu", rules().cooling);
    const bool may_by_memory = !Rests("memory", rules().memory_cooling);
    if (!node_.has_measurement) return;
    bool by_cpu = false;
    if (may_by_cpu) {
      by_cpu |= EvictBySatisfaction();
      by_cpu |= EvictByCpu();
    }
    if (by_cpu) after_.Set(RestKey("cpu"), {now_});
    if (may_by_memory && EvictByMemory()) after_.Set(RestKey("memory"), {now_});
  }

  std::string RestKey(std::string_view rule) const {
    return absl::StrCat("evicted by ", ToAbsl(rule), " ", world_.nodes[node_.index].name);
  }
  // Returns whether the rule evicted on the node a moment ago, and remembers it then.
  bool Rests(std::string_view rule, int64_t cooling) {
    const std::string key = RestKey(rule);
    const MemoryRow* const row = before_.Find(key);
    if (row == nullptr || SatSub(now_, before_.Integer(key)) >= cooling) return false;
    after_.Set(key, *row);
    return true;
  }

  // Tasks of the node are called by their places in the world's tasks_on.
  TaskIndex TaskAt(size_t place) const { return world_.tasks_on[node_.index][place]; }
  int64_t BatchCpuOf(size_t place) const {
    if (!dimensions_[0].has_value()) return 0;
    return std::min(OrZero(context_.ledger.request(TaskAt(place))[*dimensions_[0]]) / 1000,
                    kMostCpu);
  }
  int64_t UsedBy(size_t place, std::string_view resource) const {
    const std::optional<NamedAmounts>& usage = world_.nodes[node_.index].tasks[place].usage;
    if (!usage.has_value()) return 0;
    const int64_t amount = AmountOf(*usage, resource);
    return resource == "cpu" ? std::min(amount, kMostCpu) : WholeUnits(amount);
  }

  bool EvictBySatisfaction() {
    if (!rules().satisfaction.has_value() || node_.best_effort.empty()) return false;
    BatchPressure pressure;
    pressure.limit = std::max<int64_t>(node_.suppressed, 0);
    if (rules().by_allocatable) {
      const int64_t cell = dimensions_[0].has_value()
                               ? context_.tables.nodes.allocatable.at(node_.row, *dimensions_[0])
                               : kAbsent;
      // An amount of nothing still satisfies a little.
      pressure.limit = cell == kAbsent ? -1 : std::max<int64_t>(cell / 1000, 1);
    }
    for (const size_t place : node_.best_effort) {
      pressure.requested = SatAdd(pressure.requested, BatchCpuOf(place));
      pressure.used = SatAdd(pressure.used, UsedBy(place, "cpu"));
    }
    if (!IsUsageHigh(pressure, rules().busy_percent)) return false;
    const int64_t release = ReleaseBySatisfaction(pressure, *rules().satisfaction);
    if (release <= 0) return false;
    std::vector<SuppressedTask> tasks;
    for (const size_t place : node_.best_effort) {
      tasks.push_back(Suppressed(place, BatchCpuOf(place), UsedBy(place, "cpu")));
    }
    return EvictInOrder(node_.best_effort, OrderBySatisfaction(tasks), release,
                        [this](size_t place) { return BatchCpuOf(place); });
  }

  bool EvictByCpu() {
    if (!rules().cpu.has_value()) return false;
    const int64_t release = ReleaseByUsage(node_.used.cpu, node_.view.capacity.cpu,
                                           rules().cpu->percent, rules().cpu->lower);
    if (release <= 0) return false;
    std::vector<size_t> candidates;
    std::vector<SuppressedTask> tasks;
    const std::vector<LoadedTask>& on = world_.nodes[node_.index].tasks;
    for (size_t place = 0; place < on.size(); ++place) {
      const int32_t priority = context_.tables.tasks.priority[TaskAt(place)];
      if (!on[place].usage.has_value() || priority > rules().cpu_priority) continue;
      candidates.push_back(place);
      tasks.push_back(Suppressed(place, 0, UsedBy(place, "cpu")));
    }
    return EvictInOrder(candidates, OrderByUse(tasks), release,
                        [this](size_t place) { return UsedBy(place, "cpu"); });
  }

  bool EvictByMemory() {
    if (!rules().memory.has_value()) return false;
    const int64_t release =
        ReleaseByUsage(WholeUnits(node_.used.memory), WholeUnits(node_.view.capacity.memory),
                       rules().memory->percent, rules().memory->lower);
    if (release <= 0) return false;
    std::vector<SuppressedTask> tasks;
    for (const size_t place : node_.best_effort) {
      tasks.push_back(Suppressed(place, 0, UsedBy(place, "memory")));
    }
    return EvictInOrder(node_.best_effort, OrderByUse(tasks), release,
                        [this](size_t place) { return UsedBy(place, "memory"); });
  }

  SuppressedTask Suppressed(size_t place, int64_t requested, int64_t used) const {
    return {context_.tables.tasks.priority[TaskAt(place)],
            world_.nodes[node_.index].tasks[place].name, requested, used};
  }

  // Evicts tasks until they release so much together with those that were evicted before. Returns
  // whether one was evicted.
  bool EvictInOrder(const std::vector<size_t>& places, const std::vector<size_t>& order,
                    int64_t release, auto amount_of) {
    int64_t released = 0;
    for (size_t place = 0; place < node_.is_evicted.size(); ++place) {
      if (node_.is_evicted[place]) released = SatAdd(released, amount_of(place));
    }
    bool any = false;
    for (const size_t i : order) {
      if (released >= release) break;
      const TaskIndex t = TaskAt(places[i]);
      if (!MayLeave(context_, t) || !budgets_.Fits(t)) continue;
      const Ledger::Savepoint before = context_.ledger.Save();
      context_.ledger.Move(t, TaskStatus::kReleasing, node_.row);
      context_.decisions.Commit(before);
      budgets_.Take(t);
      released = SatAdd(released, amount_of(places[i]));
      node_.is_evicted[places[i]] = true;
      any = true;
    }
    return any;
  }

  ActionContext& context_;
  const Options& options_;
  const ColocateRules& rules_of_all_;
  const RebalanceWorld& world_;
  BudgetBook budgets_;
  const MemorySlot before_;
  const int64_t now_;  // seconds
  MemorySlot after_;
  std::vector<std::optional<DimensionIndex>> dimensions_;  // of the rooms
  Node node_;                                              // the one at hand
};

void RunColocate(ActionContext& context, const Options& options) {
  if (context.meter.Cut()) return;
  context.meter.Spend();
  const absl::StatusOr<ColocateRules> rules = ReadColocateRules(options);
  if (!rules.ok()) return;  // refused by the check before
  Colocation(context, options, *rules).Run();
}

absl::Status CheckColocate(const Tables& tables, const Options& options) {
  if (const auto rules = ReadColocateRules(options); !rules.ok()) return rules.status();
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (!tables.nodes.alive[n]) continue;
    ColocatedNode node;
    if (absl::Status s = ReadColocatedNode(tables.nodes.spec[n], options, &node); !s.ok()) return s;
  }
  return CheckWorkloads(tables);
}

}  // namespace
}  // namespace koordinator

ActionDecl KoordinatorColocateAction() {
  ActionDecl action;
  action.name = "colocate";
  action.summary = "room for batch and mid work by usage, and evictions where it is not left";
  action.options = koordinator::ColocateOptions();
  action.run = koordinator::RunColocate;
  action.check = koordinator::CheckColocate;
  action.memory = {{koordinator::kRoomSlot, 1}};
  return action;
}

}  // namespace muster
