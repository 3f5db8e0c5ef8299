// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/interner.h"

#include <algorithm>

#include "lib/base/math.h"
#include "lib/model/key.h"
#include "lib/model/shape_key.h"

namespace muster {
namespace {

// What a scorer takes for a container without requests.
constexpr int64_t kDefaultMilliCpu = 100;
constexpr int64_t kDefaultMemory = 200 * 1024 * 1024;

struct Scoring {
  int64_t all = 0;   // init containers included
  int64_t main = 0;  // regular containers only
};

// The containers run side by side, after the init containers one by one; a sidecar stays from its
// turn on.
Scoring CountContainers(const TaskShape& shape, const ShapeAmounts& amounts,
                        std::string_view dimension, int64_t missing) {
  const auto amount_in = [&](const Amounts& container) {
    const auto found = std::ranges::find(container, dimension, &Amount::name);
    return found == container.end() ? missing : found->value;
  };
  if (shape.containers.empty()) {
    const int64_t amount = amount_in(amounts.request);
    return {amount, amount};
  }
  Scoring result;
  int64_t sidecars = 0, side_by_side = 0, initial_peak = 0;
  for (size_t i = 0; i < shape.containers.size(); ++i) {
    const int64_t amount = amount_in(amounts.containers[i]);
    if (shape.containers[i].sidecar) {
      sidecars = SatAdd(sidecars, amount);
      side_by_side = SatAdd(side_by_side, amount);
      initial_peak = std::max(initial_peak, sidecars);
    } else if (shape.containers[i].init) {
      initial_peak = std::max(initial_peak, SatAdd(sidecars, amount));
    } else {
      side_by_side = SatAdd(side_by_side, amount);
      result.main = SatAdd(result.main, amount);
    }
  }
  result.all = std::max(side_by_side, initial_peak);
  return result;
}

std::string GatesKey(const std::vector<std::string>& gates) {
  std::string key;
  for (const std::string& gate : gates)
    key.append(std::to_string(gate.size())).append(":").append(gate);
  return key;
}

}  // namespace

void AddDimensions(const Amounts& amounts, Tables& tables) {
  const size_t before = tables.dimension_count();
  for (const Amount& amount : amounts) {
    if (!tables.dimensions.Find(amount.name)) tables.dimensions.Intern(amount.name);
  }
  const size_t now = tables.dimensions.size();
  if (now == before) return;
  for (RowTable* rows :
       {&tables.nodes.capacity, &tables.nodes.allocatable, &tables.queues.guaranteed,
        &tables.queues.deserved, &tables.queues.limit, &tables.queues.borrow_limit,
        &tables.queues.lend_limit, &tables.jobs.min_resources}) {
    rows->AddDimensions(now);
  }
  tables.classes.request.AddDimensions(now, 0);
  tables.classes.initial_request.AddDimensions(now, 0);
  ++tables.layout;
}

std::vector<int64_t> RowOf(const Amounts& amounts, const Tables& tables, int64_t fill) {
  std::vector<int64_t> row(tables.dimension_count(), fill);
  for (const Amount& amount : amounts) row[*tables.dimensions.Find(amount.name)] = amount.value;
  return row;
}

absl::StatusOr<CheckedShape> Interner::Check(const TaskShape& shape, const char* kind,
                                             std::string_view name, const char* part,
                                             std::string_view part_name) const {
  CheckedShape checked;
  checked.shape = &shape;
  checked.spelled = SpelledKey(shape);
  if (const auto found = spelled_.find(checked.spelled); found != spelled_.end()) {
    checked.known = found->second;
    return checked;
  }
  Checker check(kind, name, part, part_name);
  checked.amounts = CheckShape(shape, check);
  if (!check.ok()) return check.status();
  checked.meant = MeaningKey(shape, checked.amounts);
  return checked;
}

ClassIndex Interner::Intern(const CheckedShape& checked, QueueIndex queue, Tables& tables) {
  if (checked.known != kNone) return OfQueue(checked.known, queue, tables);
  const auto next = static_cast<ClassIndex>(tables.classes.shape.size());
  const auto [meant, is_new] = meant_.try_emplace(checked.meant, next);
  if (is_new) AppendClass(checked, tables);
  spelled_.try_emplace(checked.spelled, meant->second);
  return OfQueue(meant->second, queue, tables);
}

ClassIndex Interner::OfQueue(ClassIndex c, QueueIndex queue, Tables& tables) {
  ClassTable& classes = tables.classes;
  const ClassIndex plain = classes.plain[c];
  if (queue == kNone) return plain;
  const auto next = static_cast<ClassIndex>(classes.shape.size());
  const auto [found, is_new] = of_queue_.try_emplace({plain, queue}, next);
  if (!is_new) return found->second;
  const auto repeat = [plain](auto&... columns) { (columns.push_back(columns[plain]), ...); };
  for (RowTable* rows : {&classes.request, &classes.initial_request}) {
    const auto row = rows->row(plain);
    rows->Append(std::vector<int64_t>(row.begin(), row.end()));
  }
  repeat(classes.shape, classes.best_effort, classes.scoring_cpu, classes.scoring_memory,
         classes.scoring_cpu_main, classes.scoring_memory_main, classes.plain);
  classes.queue.push_back(queue);
  classes.constraints.push_back(InternConstraints(tables, next));
  classes.tasks.push_back(0);
  return next;
}

uint32_t Interner::InternConstraints(const Tables& tables, ClassIndex c) {
  const auto next = static_cast<uint32_t>(constraints_.size());
  const std::string key = ConstraintsKey(tables.classes.shape[c], tables.classes.queue[c]);
  return constraints_.try_emplace(key, next).first->second;
}

void Interner::AppendClass(const CheckedShape& checked, Tables& tables) {
  const ShapeAmounts& amounts = checked.amounts;
  AddDimensions(amounts.request, tables);
  AddDimensions(amounts.initial_request, tables);
  ClassTable& classes = tables.classes;
  classes.plain.push_back(static_cast<ClassIndex>(classes.shape.size()));
  classes.queue.push_back(kNone);
  classes.shape.push_back(*checked.shape);

  std::vector<int64_t> row = RowOf(amounts.request, tables, 0);
  row[kPods] = 1;
  classes.request.Append(row);
  row = RowOf(amounts.initial_request, tables, 0);
  row[kPods] = 0;
  classes.best_effort.push_back(checked.shape->devices.empty() &&
                                std::ranges::all_of(row, [](int64_t cell) { return cell == 0; }));
  row[kPods] = 1;
  classes.initial_request.Append(row);

  const Scoring cpu = CountContainers(*checked.shape, amounts, "cpu", kDefaultMilliCpu);
  const Scoring memory = CountContainers(*checked.shape, amounts, "memory", kDefaultMemory);
  classes.scoring_cpu.push_back(cpu.all);
  classes.scoring_cpu_main.push_back(cpu.main);
  classes.scoring_memory.push_back(memory.all);
  classes.scoring_memory_main.push_back(memory.main);

  classes.constraints.push_back(InternConstraints(tables, classes.plain.back()));
  classes.tasks.push_back(0);
}

uint32_t Interner::InternGates(const std::vector<std::string>& gates, Tables& tables) {
  if (gates.empty()) return 0;
  const auto next = static_cast<uint32_t>(tables.gate_lists.size());
  const auto [found, is_new] = gates_.try_emplace(GatesKey(gates), next);
  if (is_new) tables.gate_lists.push_back(gates);
  return found->second;
}

uint32_t Interner::InternHolds(const std::vector<DeviceHold>& holds, Tables& tables) {
  if (holds.empty()) return 0;
  Key key;
  key.Add(holds);
  const auto next = static_cast<uint32_t>(tables.hold_lists.size());
  const auto [found, is_new] = holds_.try_emplace(key.Take(), next);
  if (is_new) tables.hold_lists.push_back(holds);
  return found->second;
}

void Interner::Renumber(const std::vector<ClassIndex>& classes,
                        const std::vector<uint32_t>& gate_lists,
                        const std::vector<uint32_t>& hold_lists, Tables& tables) {
  const auto renumber = [](auto& map, const auto& to) {
    map.erase_if([&](const auto& entry) { return to[entry.second] == kNone; });
    for (auto& [key, index] : map) index = to[index];
  };
  renumber(spelled_, classes);
  renumber(meant_, classes);
  renumber(gates_, gate_lists);
  renumber(holds_, hold_lists);
  of_queue_.clear();
  constraints_.clear();
  for (ClassIndex c = 0; c < tables.classes.shape.size(); ++c) {
    const QueueIndex queue = tables.classes.queue[c];
    if (queue != kNone) of_queue_[{tables.classes.plain[c], queue}] = c;
    tables.classes.constraints[c] = InternConstraints(tables, c);
  }
}

}  // namespace muster
