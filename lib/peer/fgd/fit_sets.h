// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which machines fit, for each type of task, as sets of bits that follow every placement.
//
//   FitSets sets(types, machines);
//   sets.Lower(m, machines[m]);              // the machine has less from now on
//   size_t fitting = sets.Find(type);        // how many fit
//   size_t chosen = sets.Found(3);           // the fourth of them
//
// Idea. An axis is one kind of amount. For each different need it has a set of the machines that
// have so much. Amounts only go down, so a change takes the machine out of the sets of the needs
// between the new amount and the old one. The machines that have enough of everything are the
// intersection.
//
// Cost. A few words a question, whatever changed since the last.
#ifndef MUSTER_PEER_FGD_FIT_SETS_H_
#define MUSTER_PEER_FGD_FIT_SETS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lib/peer/fgd/packed_machine.h"

namespace muster {

// Machines by need. REQUIRES: amounts only go down.
class FitAxis {
 public:
  // `needs` may repeat; `amounts` by machine.
  FitAxis(std::vector<int64_t> needs, std::vector<int64_t> amounts)
      : needs_(std::move(needs)), amounts_(std::move(amounts)), words_(WordsOf(amounts_.size())) {
    std::sort(needs_.begin(), needs_.end());
    needs_.erase(std::unique(needs_.begin(), needs_.end()), needs_.end());
    bits_.assign(needs_.size() * words_, 0);
    for (size_t m = 0; m < amounts_.size(); ++m) {
      for (size_t row = 0; row < needs_.size() && needs_[row] <= amounts_[m]; ++row) {
        bits_[row * words_ + m / 64] |= uint64_t{1} << (m % 64);
      }
    }
  }

  static size_t WordsOf(size_t machines) { return (machines + 63) / 64; }

  // REQUIRES: `need` is one of the needs.
  size_t RowOf(int64_t need) const {
    return static_cast<size_t>(std::lower_bound(needs_.begin(), needs_.end(), need) -
                               needs_.begin());
  }
  std::span<const uint64_t> Set(size_t row) const { return {&bits_[row * words_], words_}; }

  void Lower(size_t m, int64_t amount) {
    const auto first = std::upper_bound(needs_.begin(), needs_.end(), amount);
    for (auto row = static_cast<size_t>(first - needs_.begin());
         row < needs_.size() && needs_[row] <= amounts_[m]; ++row) {
      bits_[row * words_ + m / 64] &= ~(uint64_t{1} << (m % 64));
    }
    amounts_[m] = amount;
  }

 private:
  std::vector<int64_t> needs_;    // different ones, ascending
  std::vector<int64_t> amounts_;  // by machine
  size_t words_;                  // of a set
  std::vector<uint64_t> bits_;    // by need and machine
};

class FitSets {
 public:
  FitSets(const std::vector<GpuTaskType>& types, const std::vector<PackedMachine>& machines);

  void Lower(size_t m, const PackedMachine& machine);
  size_t Find(uint32_t type);
  // REQUIRES: nth is less than the last result of Find.
  size_t Found(uint64_t nth) const;

 private:
  struct Rows {
    size_t cpu, memory, part, whole, models;
  };
  FitAxis cpu_, memory_, part_, whole_;
  std::vector<uint64_t> model_sets_;  // by mask and machine
  std::vector<Rows> rows_;            // by type
  std::vector<uint64_t> found_;
};

}  // namespace muster

#endif  // MUSTER_PEER_FGD_FIT_SETS_H_
