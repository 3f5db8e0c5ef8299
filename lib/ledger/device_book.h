// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The book of devices: which devices of its node a task has, and what is free on each node.
//
//   Accounting accounting;
//   accounting.books.push_back(DeviceBook::Factory({.strategy = DevicePick::kPack}));
//   Ledger ledger(tables, accounting);
//   ledger.Move(task, TaskStatus::kPlaced, node);   // chooses devices if the class requests some
//   DeviceBook* devices = DeviceBook::Of(ledger);         // null: the ledger has none
//   for (const DevicePart& part : DeviceBook::Grants(ledger, task)) Use(part.device, part.amount);
//   devices->states().Free(devices->state(node), /*later=*/false);
//
// The memo of a task is its list of grants. The cell of a node is the number of what is free there
// (device_states.h). A move to placed or nominated chooses devices, a move within the node keeps
// them, a move away frees them. A leaving task still has its devices now, but not later; a
// nominated one has them later only, out of what is free then. When it is placed, the book chooses
// anew, because what it was promised may not be free yet.
// Cost. Each charge makes a transition between states, O(devices); a choice is
// lib/fit/node_devices.h's.
#ifndef MUSTER_LEDGER_DEVICE_BOOK_H_
#define MUSTER_LEDGER_DEVICE_BOOK_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/ledger/book.h"
#include "lib/ledger/device_states.h"
#include "lib/ledger/ledger.h"

namespace muster {

class DeviceBook : public Book {
 public:
  static BookFactory Factory(const DeviceRules& rules);
  static DeviceBook* Of(const Ledger& ledger);
  // Returns what the task has of the devices of its node; empty if the ledger has no book of
  // devices.
  static std::span<const DevicePart> Grants(const Ledger& ledger, TaskIndex t);

  explicit DeviceBook(const DeviceRules& rules);

  // Returns the states, for queries. They change nothing that is booked, but may add states.
  DeviceStates& states() { return states_; }
  // Returns the state of the node's devices; 0: it has none.
  DeviceStateIndex state(NodeIndex n) const { return of_node_[n]; }
  bool has_devices(NodeIndex n) const { return of_node_[n] != 0; }

  void Open(const Tables& tables) override;
  bool Follow(const Tables& tables, const Change& change) override;
  bool Tidy() override;
  int64_t CellOf(NodeIndex n) const override { return of_node_[n]; }
  bool Concerns(const Tables& tables, ClassIndex c) const override;
  uint32_t Read(const Tables& tables, const BookedTask& task) override;
  bool ChoosesAnew(const Tables& tables, const BookedTask& task, TaskStatus from,
                   TaskStatus to) override;
  uint32_t Choose(const Tables& tables, const BookedTask& task, TaskStatus to) override;
  void Charge(const Tables& tables, const BookedTask& task, const BookRow& times) override;

 private:
  // Returns the state of the node's devices while all of them are free.
  DeviceStateIndex FreshOf(const Tables& tables, NodeIndex n);
  bool SetNode(NodeIndex n, DeviceStateIndex fresh);

  DeviceStates states_;
  std::vector<DeviceStateIndex> of_node_;
};

}  // namespace muster

#endif  // MUSTER_LEDGER_DEVICE_BOOK_H_
