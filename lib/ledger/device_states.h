// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What is free of the devices of machines, by number.
//
//   DeviceStates states({.strategy = DevicePick::kPack});
//   DeviceStateIndex state = states.Fresh(node_spec);                      // all of it is free
//   // 0: the class requests none, or gets none
//   GrantsIndex grants = states.Choose(tables, c, state, /*later=*/false);
//   state = states.With(state, grants, /*now=*/-1, /*later=*/-1);  // a task takes them
//
// A state is what is free of the devices of one machine, in two views: now, and later, once tasks
// that are leaving have gone and nominated ones have come. States are interned, and so are machines
// (lists of devices, names aside) and lists of grants: equal contents have equal numbers. So a
// - A node's row in the ledger needs one cell for any number of devices.
// - Nodes are in one state only if their devices are alike and equally free.
// - An answer about a state and a class holds for every node that ever has that state.
// - Freeing what was taken leads to the same number again.
// State 0 is a machine without devices; grant list 0 is empty.
// Two rules assign devices, each for itself: by `strategy` tasks that request some get them (policy
//   devices), by `cpus` tasks of guaranteed QoS get CPUs (policy numa-aware, aligned_cpus.h). CPUs
//   are chosen among those that are free both now and later, also for tasks that start later. With
//   `cpus` machines also differ by how nodes align tasks.
// Cost. A transition copies, hashes and finds a state: O(devices). Numbers are kept until Restart.
#ifndef MUSTER_LEDGER_DEVICE_STATES_H_
#define MUSTER_LEDGER_DEVICE_STATES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/names.h"
#include "lib/fit/node_devices.h"
#include "lib/fit/numa_task.h"
#include "lib/ledger/aligned_cpus.h"
#include "lib/model/tables.h"
#include "muster/spec.h"

namespace muster {

// What is free of one machine's devices, and a list of what a task gets of them: rows of
// DeviceStates.
using DeviceStateIndex = Index<struct DeviceStateTag>;
using GrantsIndex = Index<struct GrantsTag>;

// The rules that assign devices. With neither, devices are not booked at all.
struct DeviceRules {
  // Assigns the devices that tasks request, chosen by this strategy.
  std::optional<DevicePick> strategy = {};
  // A request for one device, or for a share of one, gets the device that leaves the least cost
  // (SetCost). Of equal ones that of the strategy goes first, then the first.
  bool by_cost = false;
  // Assigns CPUs of nodes that align tasks with their zones to tasks of guaranteed QoS.
  bool cpus = false;
  bool any() const { return strategy.has_value() || cpus; }
};

class DeviceStates {
 public:
  explicit DeviceStates(const DeviceRules& rules);

  // Sets what a machine costs in a state, in the view `later` or now. Without it `by_cost` changes
  // nothing.
  using Cost = std::function<double(DeviceStateIndex state, bool later)>;
  void SetCost(Cost cost) { cost_ = std::move(cost); }

  DeviceStateIndex Fresh(const NodeSpec& node);
  // Returns true only if Fresh returns the same for both.
  static bool SurelyAlike(const NodeSpec& a, const NodeSpec& b);
  bool SameMachine(DeviceStateIndex a, DeviceStateIndex b) const {
    return states_[a].machine == states_[b].machine;
  }
  // Returns the state after the grants were added to what is free: `now` and `later` are -1
  // (taken), 0 or +1 (freed).
  DeviceStateIndex With(DeviceStateIndex state, GrantsIndex grants, int now, int later);

  // Returns whether tasks of the class get any devices.
  bool Serves(const TaskShape& shape) const {
    return (rules_.strategy && !shape.devices.empty()) || (rules_.cpus && AsksForCpus(shape));
  }
  // Returns what a task of the class would get of the machine in that state. `later`: of what is
  // free later; else of what is free both now and later.
  GrantsIndex Choose(const Tables& tables, ClassIndex c, DeviceStateIndex state, bool later);
  // Returns whether Choose would find devices, CPUs aside, for callers that take none. Sets
  // `*score` (may be null) to how good they are.
  bool Find(const Tables& tables, ClassIndex c, DeviceStateIndex state, bool later, double* score);
  // Returns why not, in words: `gpu: no device with 500 milli free`. REQUIRES: Find returns false.
  std::string WhyNot(const Tables& tables, ClassIndex c, DeviceStateIndex state, bool later);

  // PlaceCpus returns the CPUs that the class would get, or why it gets none. FitCpus returns only
  // whether it gets them, and how many zones they span. REQUIRES: AsksForCpus(the class's shape).
  NumaAnswer PlaceCpus(const Tables& tables, ClassIndex c, DeviceStateIndex state);
  NumaFit FitCpus(const Tables& tables, ClassIndex c, DeviceStateIndex state);
  // Returns whether any machine has CPUs that are assigned.
  bool any_cpus() const { return any_cpus_; }

  // Returns the grants of what is held by name; a device that the node does not have is left out.
  GrantsIndex Held(const NodeSpec& node, const std::vector<DeviceHold>& holds);
  std::span<const DevicePart> grants(GrantsIndex list) const {
    return {grants_.data() + lists_[list].begin, lists_[list].size};
  }
  // Returns the devices of the machine of the state, and what the class requests of devices.
  std::span<const NodeDevice> devices(DeviceStateIndex state) const {
    return machines_[states_[state].machine];
  }
  std::span<const DeviceAsk> Requests(const Tables& tables, ClassIndex c) {
    return Asks(tables, c).devices;
  }
  // Returns the free amounts of a machine's devices.
  std::vector<DeviceAmount> Free(DeviceStateIndex state, bool later) const;

  size_t size() const { return states_.size(); }
  // Forgets all states but those of `kept`, which get new numbers.
  void Restart(std::span<DeviceStateIndex> kept);
  // Returns a number that grows with each Restart, after which states have other numbers.
  uint64_t generation() const { return generation_; }

 private:
  struct State {
    uint32_t machine;
    size_t begin;  // of its cells, four a device: share and memory, now and later
    uint64_t sum;  // of the cells times their factors, from which the hash is
  };
  struct List {
    size_t begin, size;
  };
  uint32_t Number(const std::string& name);
  // Returns the state with the cells in scratch_, of which `sum` is the sum.
  DeviceStateIndex Intern(uint32_t machine, uint64_t sum);
  uint64_t SumOfScratch() const;
  void SortChosen();  // by device
  // Replaces the device in chosen_ by one of less cost.
  void ChooseCheapest(const DeviceAsk& ask, DeviceStateIndex state, bool later);
  GrantsIndex InternGrants();  // the list in chosen_
  // What a class requests.
  struct ClassAsks {
    bool known = false;
    std::vector<DeviceAsk> devices;
    std::optional<NumaTask> cpus;
  };
  const ClassAsks& Asks(const Tables& tables, ClassIndex c);
  void Rehash();
  void ReadFree(DeviceStateIndex state, bool later, std::vector<DeviceAmount>* free) const;
  CpuSet FreeCpus(const AlignedCpus& cpus, DeviceStateIndex state) const;

  const DeviceRules rules_;
  Cost cost_;
  NameTable names_;                                       // kinds, models, zones, links
  std::vector<std::vector<NodeDevice>> machines_;         // 0: no devices
  std::vector<std::optional<AlignedCpus>> aligned_cpus_;  // of each machine
  bool any_cpus_ = false;
  std::map<std::string, uint32_t> machine_of_;  // by contents
  std::vector<State> states_;
  std::vector<int64_t> cells_;
  std::vector<DeviceStateIndex> index_;  // open addressing over states; kNone: empty
  std::vector<List> lists_;
  std::vector<DevicePart> grants_;
  std::map<std::vector<int64_t>, GrantsIndex> list_of_;  // by contents
  std::vector<ClassAsks> asks_;                          // per class
  std::vector<int64_t> scratch_;
  std::vector<DeviceAmount> free_;
  std::vector<DevicePart> chosen_;
  std::vector<int64_t> list_key_;
  uint64_t generation_ = 1;
};

}  // namespace muster

#endif  // MUSTER_LEDGER_DEVICE_STATES_H_
