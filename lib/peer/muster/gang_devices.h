// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether a node's devices suffice for several tasks of a gang, and in which order the tasks would
// have to come.
//
//   DeviceBook* book = DeviceBook::Of(ledger);
//   GangDevices devices(tables, book->states(), classes, /*later=*/false);
//   uint32_t load = devices.AddNode(node, book->state(node));   // no task of the gang is there yet
//   load = devices.With(/*shape=*/0, load);   // a task of classes[0], too
//   if (load == kNoParts) ...                 // (gang_packing.h): the devices do not suffice
//   devices.Order(load);                      // the shapes, in the order in which they must come
//
// Which devices a task gets is the strategy's choice among those that are free when it comes. A
// task that takes any model may take the only one that another could have used. So tasks are
// counted, not lined up. A load is the state of a node's devices and the tasks put there. It is
// valid if the tasks get their devices in some order; the first such order, by shapes, is kept.
// Where there are more than kMostOrders, only one is tried: that of the former load with the new
// task at the end.
//
// Guarantee. When the tasks are placed in that order, all now or all nominated (`later`), each gets
// its devices.
//
// Cost. Loads are numbered along the ways on which they grew, and each is examined once; what a
// class gets from a state is found out once. Numbers and answers live as long as the object, states
// as long as DeviceStates keeps them.
#ifndef MUSTER_PEER_MUSTER_GANG_DEVICES_H_
#define MUSTER_PEER_MUSTER_GANG_DEVICES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/ledger/device_states.h"
#include "lib/model/tables.h"

namespace muster {

class GangDevices {
 public:
  static constexpr int64_t kMostOrders = 120;

  // `later`: for devices that will be free, to be nominated to; else for devices that are free, now
  // and then.
  GangDevices(const Tables& tables, DeviceStates& states, std::span<const ClassIndex> classes,
              bool later)
      : tables_(tables), states_(states), classes_(classes), later_(later) {}

  uint32_t AddNode(NodeIndex node, DeviceStateIndex state);
  // Returns what a task of the shape requests of all that is free: on the nodes added, of healthy
  // devices of the kinds and models that it requests, in millionths, added up over its requests.
  int64_t SizeOf(size_t shape) const;
  // REQUIRES: the class requests devices.
  uint32_t With(size_t shape, uint32_t load);
  // Valid until the next load is made.
  std::span<const uint32_t> Order(uint32_t load) const { return loads_[load].order; }

 private:
  struct Load {
    DeviceStateIndex fresh = 0, state = 0;  // without the tasks, and with them
    int64_t orders = 1;                     // in which they could come
    std::vector<int64_t> tasks = {};        // of each shape
    std::vector<uint32_t> order = {};       // of shapes
    std::vector<uint32_t> one_more = {};    // by shape: the load with one more, where that is known
    NodeIndex node = kNone;                 // without tasks: one of the nodes that were added,
    int64_t nodes = 0;                      // and how many
  };
  uint32_t Add(Load load);
  bool Arrange(DeviceStateIndex state, size_t more, std::vector<int64_t>* left, Load* load);
  DeviceStateIndex After(uint32_t shape, DeviceStateIndex state);

  const Tables& tables_;
  DeviceStates& states_;
  const std::span<const ClassIndex> classes_;
  const bool later_;
  std::vector<Load> loads_;
  HashMap<DeviceStateIndex, uint32_t> empty_;  // by state
  HashMap<uint64_t, DeviceStateIndex> after_;  // kNone: the shape gets none; by shape and state
};

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_GANG_DEVICES_H_
