// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of device allocation: maps from names to amounts, every group written out and
// sorted.
#ifndef MUSTER_REFERENCE_PEER_KOORDINATOR_DEVICE_WORLDS_H_
#define MUSTER_REFERENCE_PEER_KOORDINATOR_DEVICE_WORLDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::reference {

using Quantities = std::map<std::string, int64_t>;

struct DeviceWorld {
  struct One {
    Quantities total, used;              // nothing in total: not healthy
    std::string zone, bus;               // no bus: not known
    bool matches = true;                 // the selector
    std::vector<std::string> functions;  // that match and are free
    bool has_functions = false;          // of any kind
  };
  struct Kind {
    std::map<int, One> devices;
    Quantities each;  // nothing: not asked for
    int64_t count = 1;
    bool wants_function = false;
  };
  struct Group {
    std::set<int> gpus;
    int64_t score = 1;
  };
  std::map<std::string, Kind> kinds;  // gpu, rdma, fpga
  std::vector<Group> groups;          // partitions
  bool honor = false, first_groups_only = false;
  bool partial = false;  // GPUs
  int scope = 0;         // 1 machine, 2 zone, 3 bus
  std::vector<std::string> joint;
  bool same_bus = false;
  Quantities weights;
  bool prefer_full = false, scored = true;
};

// kind -> minors, in the order they are chosen; nothing: not on this machine.
using Chosen = std::map<std::string, std::vector<int>>;
std::optional<Chosen> ChooseDevices(const DeviceWorld& world);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_KOORDINATOR_DEVICE_WORLDS_H_
