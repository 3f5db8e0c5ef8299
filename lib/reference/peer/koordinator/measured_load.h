// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of measured load: one resource, one question, every task judged by itself.
#ifndef MUSTER_REFERENCE_PEER_KOORDINATOR_MEASURED_LOAD_H_
#define MUSTER_REFERENCE_PEER_KOORDINATOR_MEASURED_LOAD_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace muster::reference {

struct LoadWorld {
  struct Task {
    int64_t expected = 0, assigned = 0, warm_until = -1;
    std::optional<int64_t> measured;
    bool production = false, measured_as_production = false;
  };
  std::vector<Task> tasks;
  int64_t time = 0, interval = 0, system = 0;
  std::optional<int64_t> whole;  // the measurement of the machine that is asked for
  bool production = false, with_system = false;
};

int64_t LoadOf(const LoadWorld& world);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_KOORDINATOR_MEASURED_LOAD_H_
