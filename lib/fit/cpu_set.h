// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A set of logical CPUs of one machine, by the numbers its kernel gives them.
//
//   CpuSet cpus = *CpuSet::Parse("0-3,8");
//   cpus.Add(9);
//   cpus.ToString();                                 // "0-3,8-9"
//   cpus.ForEach([](int cpu) { ... });               // ascending
//
// The set has one bit for each number. Machines of up to 256 CPUs need no allocation. Sets of
// different lengths may be combined.
#ifndef MUSTER_FIT_CPU_SET_H_
#define MUSTER_FIT_CPU_SET_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"

namespace muster {

class CpuSet {
 public:
  static constexpr int kMostCpus = 8192;  // the largest machine Linux is built for

  // The kernel's list form: numbers and ranges between commas. An empty text is the empty set.
  static absl::StatusOr<CpuSet> Parse(std::string_view text);
  std::string ToString() const;

  // REQUIRES of the three: 0 <= cpu < kMostCpus.
  void Add(int cpu) {
    const size_t word = static_cast<size_t>(cpu) / 64;
    if (word >= words_.size()) words_.resize(word + 1, 0);
    words_[word] |= uint64_t{1} << cpu % 64;
  }
  void Remove(int cpu) {
    const size_t word = static_cast<size_t>(cpu) / 64;
    if (word < words_.size()) words_[word] &= ~(uint64_t{1} << cpu % 64);
  }
  bool Contains(int cpu) const {
    const size_t word = static_cast<size_t>(cpu) / 64;
    return word < words_.size() && (words_[word] >> cpu % 64 & 1) != 0;
  }

  int size() const {
    int count = 0;
    for (uint64_t word : words_) count += std::popcount(word);
    return count;
  }
  bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](uint64_t word) { return word == 0; });
  }

  CpuSet& operator|=(const CpuSet& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size(), 0);
    for (size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  CpuSet& operator&=(const CpuSet& other) {
    if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  CpuSet& AndNot(const CpuSet& other) {  // removes what is in `other`
    const size_t common = std::min(words_.size(), other.words_.size());
    for (size_t i = 0; i < common; ++i) words_[i] &= ~other.words_[i];
    return *this;
  }

  // Calls visit(cpu), ascending.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t word = words_[i]; word != 0; word &= word - 1) {
        visit(static_cast<int>(i * 64) + std::countr_zero(word));
      }
    }
  }

  friend bool operator==(const CpuSet& a, const CpuSet& b) {
    const size_t most = std::max(a.words_.size(), b.words_.size());
    for (size_t i = 0; i < most; ++i) {
      if ((i < a.words_.size() ? a.words_[i] : 0) != (i < b.words_.size() ? b.words_[i] : 0)) {
        return false;
      }
    }
    return true;
  }

 private:
  absl::InlinedVector<uint64_t, 4> words_ = {0, 0, 0, 0};
};

}  // namespace muster

#endif  // MUSTER_FIT_CPU_SET_H_
