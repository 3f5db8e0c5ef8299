// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/ledger/device_book.h"

#include <memory>

namespace muster {
namespace {

constexpr std::string_view kName = "devices";

// How often a task counts in what is taken now (column 0) and later (column 1).
constexpr BookTable kStatuses = [] {
  BookTable table;
  for (const TaskStatus status :
       {TaskStatus::kPlaced, TaskStatus::kBinding, TaskStatus::kBound, TaskStatus::kRunning,
        TaskStatus::kUnknown, TaskStatus::kWaiting}) {
    table[status] = {1, 1};
  }
  table[TaskStatus::kNominated] = {0, 1};
  table[TaskStatus::kReleasing] = {1, 0};
  return table;
}();

}  // namespace

BookFactory DeviceBook::Factory(const DeviceRules& rules) {
  return [rules] { return std::make_unique<DeviceBook>(rules); };
}

DeviceBook* DeviceBook::Of(const Ledger& ledger) {
  return static_cast<DeviceBook*>(ledger.book(kName));
}

std::span<const DevicePart> DeviceBook::Grants(const Ledger& ledger, TaskIndex t) {
  const DeviceBook* book = Of(ledger);
  if (book == nullptr) return {};
  return book->states_.grants(GrantsIndex(ledger.memo(*book, t)));
}

DeviceBook::DeviceBook(const DeviceRules& rules)
    : Book(kName, kStatuses, /*has_cells=*/true), states_(rules) {}

// Nodes are mostly added type by type: what was found for one holds for the next ones like it.
void DeviceBook::Open(const Tables& tables) {
  const NodeTable& nodes = tables.nodes;
  DeviceStateIndex fresh{0};
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    const bool known = n > 0 && nodes.alive[n] && nodes.alive[n - 1] &&
                       DeviceStates::SurelyAlike(nodes.spec[n - 1], nodes.spec[n]);
    if (!known) fresh = FreshOf(tables, n);
    SetNode(n, fresh);
  }
}

bool DeviceBook::Follow(const Tables& tables, const Change& change) {
  const NodeIndex n(change.index);
  return change.table == Change::Table::kNode && SetNode(n, FreshOf(tables, n));
}

DeviceStateIndex DeviceBook::FreshOf(const Tables& tables, NodeIndex n) {
  return tables.nodes.alive[n] ? states_.Fresh(tables.nodes.spec[n]) : DeviceStateIndex{0};
}

bool DeviceBook::SetNode(NodeIndex n, DeviceStateIndex fresh) {
  if (n >= of_node_.size()) of_node_.resize(n + 1, DeviceStateIndex{0});
  const DeviceStateIndex old = of_node_[n];
  if (states_.SameMachine(old, fresh)) return false;
  of_node_[n] = fresh;
  return old != 0;  // no task holds any of no devices
}

// Drops the states that no node has any more, between cycles, once they are many.
bool DeviceBook::Tidy() {
  constexpr size_t kFew = 65536;
  if (states_.size() <= kFew + 4 * of_node_.size()) return false;
  states_.Restart(of_node_);
  return true;
}

bool DeviceBook::Concerns(const Tables& tables, ClassIndex c) const {
  return states_.Serves(tables.classes.shape[c]);
}

uint32_t DeviceBook::Read(const Tables& tables, const BookedTask& task) {
  const uint32_t list = tables.tasks.devices[task.task];
  if (task.node == kNone || list == 0 || !tables.nodes.alive[task.node]) return 0;
  return states_.Held(tables.nodes.spec[task.node], tables.hold_lists[list]);
}

bool DeviceBook::ChoosesAnew(const Tables& tables, const BookedTask& task, TaskStatus from,
                             TaskStatus to) {
  return from == TaskStatus::kNominated &&
         (to == TaskStatus::kPlaced || to == TaskStatus::kWaiting) &&
         states_.Serves(tables.classes.shape[task.task_class]);
}

uint32_t DeviceBook::Choose(const Tables& tables, const BookedTask& task, TaskStatus to) {
  const bool later = to == TaskStatus::kNominated;
  const bool now = to == TaskStatus::kPlaced || to == TaskStatus::kWaiting;
  if (task.node == kNone || (!later && !now)) return 0;
  if (!states_.Serves(tables.classes.shape[task.task_class])) return 0;
  return states_.Choose(tables, task.task_class, of_node_[task.node], later);
}

void DeviceBook::Charge(const Tables&, const BookedTask& task, const BookRow& times) {
  if (task.memo == 0) return;
  DeviceStateIndex& state = of_node_[task.node];
  state = states_.With(state, GrantsIndex(task.memo), -times[0], -times[1]);
}

}  // namespace muster
