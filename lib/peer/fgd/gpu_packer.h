// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Chooses the machine and its GPUs for tasks that share GPUs or request whole ones, placed one by
// one for good. fgd.h has the loop, the ties and the cost.
//
//   GpuPacker packer(PackingPolicy::kFragments, machines, types, std::move(fragments), seed);
//   GpuPlace place = packer.Place(type);          // machine below 0: it fits nowhere
//
// Six policies, those compared in "Beware of Fragmentation" (ATC'23), each with a whole number for
// a machine, the higher the better:
//   kDotProduct     what is free and what is requested point in different directions
//   kGpuClustering  tasks of equal numbers of GPUs, or sharing ones, together; then fuller machines
//   kGpuPacking     GPUs in use, before free ones of machines in use, before empty machines
//   kBestFit        little is left of cpu and GPUs together
//   kFragments      few fragments arise, or many vanish (lib/fit/gpu_fragments.h)
//   kRandom         any machine, any GPU, each as likely
//
// How it is done. Each distinct request of cpu, memory and GPUs has a board of the machines'
// numbers. A placement changes one machine. A board evaluates each machine that changed since the
// board was last read, once (change_list.h). A request that did not fit never will, because no task
// leaves.
// - Every 64 machines have a bound that their numbers do not exceed. It is made exact only when it
//   is the highest, so machines that fall back below it cost nothing.
// - Models do not change numbers. If the winner's model is not accepted, the best of the machines
//   with an accepted one is looked for.
// - Numbers of kFragments depend on the machine's cpu only by its level before and after
//   (lib/fit/gpu_fragments.h). They are remembered by these levels and the state of the GPUs.
//   Sigmoid and truncation become a search in the table of amounts at which the number changes.
// - kRandom has sets instead of boards (fit_sets.h).
#ifndef MUSTER_PEER_FGD_GPU_PACKER_H_
#define MUSTER_PEER_FGD_GPU_PACKER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/base/rng.h"
#include "lib/fit/gpu_fragments.h"
#include "lib/fit/sigmoid_score.h"
#include "lib/peer/fgd/change_list.h"
#include "lib/peer/fgd/fit_sets.h"
#include "lib/peer/fgd/packed_machine.h"

namespace muster {

enum class PackingPolicy : uint8_t {
  kDotProduct,
  kGpuClustering,
  kGpuPacking,
  kBestFit,
  kFragments,
  kRandom
};

class GpuPacker {
 public:
  // `measured`: Amount() will be called (kFragments measures in any case).
  GpuPacker(PackingPolicy policy, const std::vector<GpuMachine>& machines,
            std::vector<GpuTaskType> types, GpuFragments fragments, uint64_t seed, bool measured);

  GpuPlace Place(uint32_t type);
  const PackedMachine& machine(size_t m) const { return machines_[m]; }
  // Returns how much of the machine's GPUs is fragments, in milli. REQUIRES: measured.
  double Amount(size_t m) { return fragments_.Amount(machines_[m].state, machines_[m].level); }

 private:
  static constexpr int16_t kNever = -32768, kAlways = 32767;
  static constexpr uint32_t kUntouched = ~uint32_t{0};
  // Types that differ in models alone share a board, because no number depends on models. kRandom
  // has no boards.
  struct Board {
    GpuTaskType asked;
    std::vector<int16_t> score;  // by machine, then kNever; kNever: it does not fit
    std::vector<int16_t> bound;  // of each block of scores, then kNever
    std::vector<uint8_t> loose;  // by block: whether its scores may all be below the bound
    size_t fitting = 0;          // machines that do
    uint32_t read = 0;           // of the changes
    size_t demand = 0;           // kFragments: in demands_
  };
  // kFragments: known numbers by the level before and after and the state. Boards that differ in
  // memory share them.
  struct Demand {
    int64_t cpu_milli = 0;
    int32_t gpu_milli = 0, gpus = 0;
    HashMap<uint64_t, int16_t> known;
  };
  struct Filter {
    uint64_t model_mask;
    std::vector<int16_t> allowed;  // by machine as in boards: kNever or the highest there is
  };

  Board* BoardOf(uint32_t type);
  void Open(Board* board);
  size_t DemandOf(const GpuTaskType& task);
  void Refresh(Board* board);
  void Update(Board* board, size_t m);  // REQUIRES: it did fit
  // Returns the machine for the type, or the number of machines if none fits.
  size_t Choose(uint32_t type);
  size_t ChooseAllowed(const GpuTaskType& task, const Board& board);
  int16_t Score(Board* board, const PackedMachine& m);
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
  std::vector<uint32_t> kind_;  // machines that began alike
  uint32_t kinds_ = 0;
  ChangeList changes_;  // of machines
  std::vector<Board> boards_;
  std::vector<Demand> demands_;
  std::vector<uint32_t> board_of_;   // by type; kUntouched: not read yet
  std::vector<uint8_t> hopeless_;    // by type: it fits nowhere any more
  std::optional<FitSets> fit_sets_;  // kRandom
  std::vector<Filter> filters_;
  std::vector<int16_t> kept_;  // numbers of machines that a filter lets through
  GpuFragments fragments_;
  std::optional<SigmoidScore> sigmoid_;  // kFragments
  Rng rng_;
};

// The number of a machine on which the task fits, for policies that read nothing else.
int16_t PackingScore(PackingPolicy policy, const GpuTaskType& task, const PackedMachine& machine);

}  // namespace muster

#endif  // MUSTER_PEER_FGD_GPU_PACKER_H_
