// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How much of a machine's free GPU the usual tasks could not use: the fragmentation measure of
// "Beware of Fragmentation" (ATC'23).
//
//   std::vector<TypicalTask> typical = TypicalTasks(kinds);         // with their weights
//   GpuFragments fragments(std::move(typical), models);
//   const auto state = fragments.StateOf(model, left);              // GPUs with so much left each
//   double milli = fragments.Amount(state, fragments.LevelOf(cpu)); // of GPUs that are fragments
//
// Idea. For a typical task that does not fit a machine, everything left there is a fragment. For
// one that fits, the fragment is what lies on GPUs with less left than the task requests of each.
// The amount is the sum of weight x fragment over the typical tasks, in thousandths of a GPU. Free
// memory does not matter. Free cpu matters only by how many typical requests it reaches (the
// level), and GPUs only by how much is left on how many (the state). Few states and levels ever
// occur, so each amount is computed once.
//
// Exactness. A score may hang on the last bit, so the sum is that of the study. Each class of
// fragments is added up over the typical tasks in their order, and then the classes in this order:
// - Q1: neither cpu nor GPUs suffice.
// - Q2: GPUs do not suffice, or what is too small for a task that fits.
// - Q4: cpu does not suffice.
// - XL, XR: the task needs no GPU, and cpu suffices or not.
// - NA: the task needs another model.
//
// Cost. A known amount: one look; a new one O(typical tasks + GPUs).
#ifndef MUSTER_FIT_GPU_FRAGMENTS_H_
#define MUSTER_FIT_GPU_FRAGMENTS_H_

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"

namespace muster {

inline constexpr int32_t kWholeGpu = 1000;  // milli
inline constexpr int32_t kMostGpus = 16;    // of a machine
inline constexpr int32_t kMostModels = 64;
inline constexpr size_t kMostTypical = 65535;  // levels are packed into 16 bits

// What is left of each GPU of a machine, 0 beyond its number.
using GpuLefts = std::array<int16_t, kMostGpus>;

// A kind of task to the measure: it requests `gpus` GPUs and `gpu_milli` of each, only of these
// models.
struct GpuTaskKind {
  int64_t cpu_milli = 0;
  int32_t gpu_milli = 0, gpus = 0;
  std::string models = {};      // as it was written: other words are another kind
  uint64_t model_mask = ~0ULL;  // bit i: model i will do
  int64_t count = 0;            // tasks of the kind
};

struct TypicalTask {
  int64_t cpu_milli = 0;
  int32_t gpu_milli = 0, gpus = 0;
  uint64_t model_mask = ~0ULL;
  double weight = 0;  // all together 1
};

// Returns the most frequent kinds that are together at least `percent` of 100 tasks, most frequent
// first; at most `most` kinds. Ties: more cpu, then more of each GPU, then more GPUs, then the
// greater text first. The study has 95 of 100.
std::vector<TypicalTask> TypicalTasks(std::vector<GpuTaskKind> kinds, int64_t percent = 95,
                                      size_t most = ~size_t{0});

class GpuFragments {
 public:
  using State = uint32_t;

  GpuFragments(std::vector<TypicalTask> typical, int32_t models);

  const std::vector<TypicalTask>& typical() const { return typical_; }

  // Returns how many of the different cpu requests of typical tasks are not above `cpu_milli`. They
  // are counted one by one: the branches of a search would be predicted wrongly at every other
  // step. REQUIRES: cpu_milli < 2^31 - 1.
  uint32_t LevelOf(int64_t cpu_milli) const {
    const auto cpu = static_cast<int32_t>(cpu_milli);
    int32_t level = 0;
    for (int32_t request : padded_requests_) level += static_cast<int32_t>(request <= cpu);
    return static_cast<uint32_t>(level);
  }

  // `left` may have any order.
  State StateOf(int32_t model, int32_t gpus, const GpuLefts& left);
  // Returns what is left of each GPU of a state, ascending.
  std::span<const int16_t> Lefts(State state) const {
    return {keys_[state].left.data(), static_cast<size_t>(keys_[state].gpus)};
  }
  // Returns the state after `gpus` GPUs with nothing taken are given away whole.
  State TakeWhole(State state, int32_t gpus);
  // Returns the state after `gpu_milli` of the GPU at `place` in Lefts are taken. REQUIRES: so much
  // is left there.
  State TakePart(State state, size_t place, int32_t gpu_milli);

  double Amount(State state, uint32_t level) {
    double& known = amounts_[state * (requests_.size() + 1) + level];
    if (known < 0) known = Measure(keys_[state], level);
    return known;
  }

 private:
  struct Key {
    GpuLefts left = {};  // ascending over the machine's GPUs
    int16_t gpus = 0;
    int16_t kin = 0;  // of models that the same typical tasks accept
    bool operator==(const Key& other) const = default;
    template <class H>
    friend H AbslHashValue(H h, const Key& key) {
      // A long multiplication for each word is faster than a general hash over 36 bytes.
      std::array<uint64_t, sizeof(GpuLefts) / sizeof(uint64_t)> words;
      std::memcpy(words.data(), key.left.data(), sizeof(GpuLefts));
      uint64_t mixed = static_cast<uint64_t>(key.gpus) << 16 | static_cast<uint16_t>(key.kin);
      for (uint64_t word : words) mixed = (std::rotl(mixed, 23) ^ word) * 0x9E3779B97F4A7C15;
      return H::combine(std::move(h), mixed);
    }
  };
  State Intern(const Key& key);
  double Measure(const Key& key, uint32_t level) const;

  std::vector<TypicalTask> typical_;
  std::vector<int64_t> requests_;  // different cpu requests, ascending
  std::vector<int32_t>
      padded_requests_;  // and as whole vectors, out of reach where no machine is so large
  // By typical task: how many of requests_ are below its own, and where its gpu_milli is in
  // shares_.
  std::vector<uint32_t> request_level_, share_place_;
  std::vector<int32_t> shares_;  // different gpu_milli, ascending
  std::vector<int16_t> kin_;     // by model
  std::vector<std::vector<uint8_t>>
      outlooks_;  // by kin and typical task: where its class is looked up
  std::vector<Key> keys_;
  HashMap<Key, State> states_;
  std::vector<double> amounts_;  // by state and level; below 0: not known yet
};

}  // namespace muster

#endif  // MUSTER_FIT_GPU_FRAGMENTS_H_
