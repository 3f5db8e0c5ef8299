// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of the GPU packer: every machine is looked at for every task, every fragment is
// added up anew.
#ifndef MUSTER_REFERENCE_PEER_FGD_GPU_PACKING_H_
#define MUSTER_REFERENCE_PEER_FGD_GPU_PACKING_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/base/rng.h"

namespace muster::reference {

struct PackingTask {
  int64_t cpu = 0, memory = 0;
  int64_t milli = 0, gpus = 0;
  std::vector<std::string> models = {};  // none: any
};

class Packing {
 public:
  struct Machine {
    int64_t cpu = 0, memory = 0;
    std::vector<int64_t> left = {};  // by GPU
    std::string model = {};
    std::set<std::string> tags = {};  // of the tasks it holds
  };
  struct Typical {
    PackingTask task;
    double weight = 0;
  };
  struct Answer {
    size_t machine;
    std::set<size_t> gpus;
  };

  // `list`: the tasks by which the typical ones are known.
  Packing(std::string policy, std::vector<Machine> machines, const std::vector<PackingTask>& list,
          uint64_t seed);

  std::optional<Answer> Place(const PackingTask& task);
  double Fragments(const Machine& machine) const;
  const std::vector<Machine>& machines() const { return machines_; }
  const std::vector<Typical>& typical() const { return typical_; }

 private:
  int64_t Score(const PackingTask& task, const Machine& machine, size_t* gpu) const;
  int64_t FragmentScore(const PackingTask& task, const Machine& machine, size_t* gpu) const;

  const std::string policy_;
  std::vector<Machine> machines_;
  std::vector<Typical> typical_;
  Rng rng_;
};

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_FGD_GPU_PACKING_H_
