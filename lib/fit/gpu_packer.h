// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which machine, and which of its GPUs: tasks that share GPUs or ask for whole ones, placed one by one for good.
//
//   GpuPacker packer(PackingPolicy::kFragments, machines, types, std::move(fragments), seed);
//   GpuPlace place = packer.Place(type);          // machine below 0: it fits nowhere
//
// Six policies, those compared in "Beware of Fragmentation" (ATC'23), each with a whole number for a machine, the higher
// the better:
//   kDotProduct     what is free and what is asked for point in different directions
//   kGpuClustering  tasks of the same number of GPUs, or sharing ones, side by side; then fuller machines
//   kGpuPacking     GPUs in use, before free ones of machines in use, before empty machines
//   kBestFit        little is left of cpu and GPUs together
//   kFragments      few fragments arise, or many vanish (gpu_fragments.h)
//   kRandom         any machine, any GPU, each as likely
// A machine fits if cpu, memory and model do and there are as many GPUs with enough left. Of equals the first one wins.
// Whole GPUs are the first that are free. A shared GPU is the one with the least left that is enough; under kFragments
// the one whose fragments make the machine's number; of equals the first.
//
// Idea. Each type of task keeps a board of the machines' numbers. A placement changes one machine, which is noted in a
// log; a board that is asked reads the log from where it stopped and looks again at those machines alone. What did not
// fit never will, because nothing leaves. Numbers of kFragments depend on the machine's cpu only by where it lies
// among the typical requests before and after, so that they are remembered by (demand, that place, state of the GPUs);
// sigmoid and truncation become a search in the table of amounts at which the number changes.
// Cost. One pass over a board of two bytes a machine for a decision, and for each (type, change) a look or, at a new
// combination, O(GPUs) amounts.
#ifndef MUSTER_FIT_GPU_PACKER_H_
#define MUSTER_FIT_GPU_PACKER_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/base/rng.h"
#include "lib/fit/gpu_fragments.h"
#include "lib/fit/sigmoid_score.h"

namespace muster {

enum class PackingPolicy : uint8_t {
  kDotProduct,
  kGpuClustering,
  kGpuPacking,
  kBestFit,
  kFragments,
  kRandom
};

// At most 2^21 milli of cpu, so that numbers fit two bytes; at most kMostGpus GPUs of a model below kMostModels.
struct GpuMachine {
  int64_t cpu_milli = 0, memory = 0;
  int32_t gpus = 0, model = 0;
};

// No GPUs; or one, in part; or several whole ones.
struct GpuTaskType {
  int64_t cpu_milli = 0, memory = 0;
  int32_t gpu_milli = 0, gpus = 0;
  uint64_t model_mask = ~0ULL;
};

struct GpuPlace {
  int32_t machine = -1;
  uint32_t gpus = 0;  // bit i: GPU i
};

// What a machine has left, and what it holds.
struct PackedMachine {
  int64_t cpu_milli = 0, memory = 0;
  int32_t gpus = 0, model = 0;
  int32_t total = 0;            // milli left on all GPUs
  int32_t whole = 0;            // GPUs that are free
  int32_t most = 0;             // milli left on one
  uint32_t tags = 0;            // bit 0: it holds tasks that share a GPU, n: that hold n whole ones
  uint32_t state = 0;           // of its GPUs
  uint32_t level = 0;           // of its cpu
  GpuLefts left = {};
};

class GpuPacker {
 public:
  // `measured`: Amount() will be asked (kFragments measures in any case).
  GpuPacker(PackingPolicy policy, const std::vector<GpuMachine>& machines,
            std::vector<GpuTaskType> types, GpuFragments fragments, uint64_t seed, bool measured);

  GpuPlace Place(uint32_t type);
  const PackedMachine& machine(size_t m) const { return machines_[m]; }
  // Of the machine's GPUs that are fragments, in milli. REQUIRES: measured.
  double Amount(size_t m) {
    return fragments_.Amount(machines_[m].state, machines_[m].level);
  }

 private:
  static constexpr int16_t kNever = -32768;
  static constexpr uint32_t kUntouched = ~uint32_t{0};
  struct Board {
    std::vector<int16_t> score;  // by machine, then kNever; kNever: it does not fit
    std::vector<int16_t> highest;  // of each block of scores that is not stale
    std::vector<uint32_t> stale;   // blocks whose highest went down
    size_t fitting = 0;          // machines that do
    size_t read = 0;             // of the log
    size_t demand = 0;           // kFragments: in demands_
  };
  // What the numbers of kFragments depend on: types that differ in memory and models share it.
  struct Demand {
    int64_t cpu_milli = 0;
    int32_t gpu_milli = 0, gpus = 0;
    std::vector<int64_t> cuts;          // amounts of free cpu at which a number may change
    std::vector<uint32_t> level_after;  // by the cuts that are not above it: the level without the request
    absl::flat_hash_map<uint64_t, int16_t> known;  // numbers by state and place among the cuts
  };

  void Open(uint32_t type);
  static size_t FirstHighest(Board* board);
  size_t DemandOf(const GpuTaskType& task);
  void Update(uint32_t type, size_t m);
  int16_t Score(uint32_t type, const PackedMachine& m);
  // `after`: the level of the cpu that the task leaves.
  int16_t FragmentScore(const GpuTaskType& task, const PackedMachine& m, uint32_t after);
  int16_t PartScore(const GpuTaskType& task, uint32_t state, size_t place, double before,
                    uint32_t after);
  uint32_t ChooseGpus(const GpuTaskType& task, const PackedMachine& m);
  size_t ChooseShared(const GpuTaskType& task, const PackedMachine& m);
  void Take(const GpuTaskType& task, uint32_t gpus, PackedMachine* m);
  bool measures() const { return measured_ || policy_ == PackingPolicy::kFragments; }

  const PackingPolicy policy_;
  const bool measured_;
  const std::vector<GpuTaskType> types_;
  std::vector<PackedMachine> machines_;
  std::vector<uint32_t> kind_;    // machines that began alike
  std::vector<uint32_t> newest_;   // where the machine is in the log last
  uint32_t kinds_ = 0;
  std::vector<Board> boards_;  // by type; empty: never asked
  std::vector<uint32_t> log_;  // machines that changed
  GpuFragments fragments_;
  SigmoidScore sigmoid_;
  std::vector<Demand> demands_;
  Rng rng_;
};

// The number of a machine on which the task fits, for policies that read nothing else.
int16_t PackingScore(PackingPolicy policy, const GpuTaskType& task, const PackedMachine& machine);

}  // namespace muster

#endif  // MUSTER_FIT_GPU_PACKER_H_
