// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A set of row numbers as bits, for masks over nodes.
//
//   Bitset fits(nodes);
//   fits.Set(3);
//   fits &= allowed;
//   for (size_t i = fits.FindNext(0); i < fits.size(); i = fits.FindNext(i + 1)) ...  // ascending
//
// Combining two sets costs 64 rows per operation. Bits beyond size() are zero at all times.
#ifndef MUSTER_BASE_BITSET_H_
#define MUSTER_BASE_BITSET_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster {

class Bitset {
 public:
  explicit Bitset(size_t size = 0, bool value = false) { Resize(size, value); }

  size_t size() const { return size_; }

  // Keeps the bits below the smaller of both sizes; new bits are `value`.
  void Resize(size_t size, bool value = false) {
    const size_t old_size = size_;
    words_.resize((size + 63) / 64, value ? ~uint64_t{0} : 0);
    size_ = size;
    if (value && size > old_size && old_size % 64 != 0) {
      words_[old_size / 64] |= ~uint64_t{0} << old_size % 64;
    }
    ClearTail();
  }

  // REQUIRES: i < size() for these three.
  void Set(size_t i) { words_[i / 64] |= uint64_t{1} << i % 64; }
  void Reset(size_t i) { words_[i / 64] &= ~(uint64_t{1} << i % 64); }
  bool Test(size_t i) const { return (words_[i / 64] >> i % 64 & 1) != 0; }

  void SetAll() {
    std::fill(words_.begin(), words_.end(), ~uint64_t{0});
    ClearTail();
  }
  void ResetAll() { std::fill(words_.begin(), words_.end(), uint64_t{0}); }

  size_t Count() const {
    size_t count = 0;
    for (uint64_t word : words_) count += static_cast<size_t>(std::popcount(word));
    return count;
  }

  bool Any() const {
    return std::any_of(words_.begin(), words_.end(), [](uint64_t word) { return word != 0; });
  }

  // The smallest set bit that is not below `from`, size() if there is none. Any `from` is allowed.
  size_t FindNext(size_t from) const {
    if (from >= size_) return size_;
    size_t at = from / 64;
    uint64_t word = words_[at] & ~uint64_t{0} << from % 64;
    while (word == 0) {
      if (++at == words_.size()) return size_;
      word = words_[at];
    }
    return at * 64 + static_cast<size_t>(std::countr_zero(word));
  }

  // REQUIRES of the three: other.size() == size().
  Bitset& operator&=(const Bitset& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  Bitset& operator|=(const Bitset& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  Bitset& AndNot(const Bitset& other) {  // removes what is in `other`
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }

  // Bit i is bit i % 64 of word i / 64.
  std::span<const uint64_t> words() const { return words_; }

  friend bool operator==(const Bitset&, const Bitset&) = default;

 private:
  void ClearTail() {
    if (size_ % 64 != 0) words_.back() &= ~(~uint64_t{0} << size_ % 64);
  }

  size_t size_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace muster

#endif  // MUSTER_BASE_BITSET_H_
