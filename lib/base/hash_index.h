// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The hash table under NameTable, HashMap and HashSet: from hashes to numbers, nothing else.
//
//   HashIndex index;
//   const uint32_t hash = FoldHash(absl::Hash<int>()(key));
//   index.MakeRoom();              // may throw; the index is then unchanged
//   index.Add(hash, 7);            // cannot fail any more
//   index.Find(hash, [&](uint32_t number) { return keys[number] == key; });   // 7
//
// The table uses open addressing with linear probing, at most three quarters full, and a power of
// two of slots. A slot holds the hash beside the number, so growing reads no key, and a search
// reads the key of another entry once in 2^32. Removal shifts back what probed past the slot: there
// are no tombstones.
//
// Abseil's tables are as quick, but a growth with a failed allocation leaves them broken, and the
// process dies at their next use. Here everything that may fail comes first (MakeRoom), and what
// follows does not allocate.
#ifndef MUSTER_BASE_HASH_INDEX_H_
#define MUSTER_BASE_HASH_INDEX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace muster {

inline uint32_t FoldHash(size_t hash) {
  const auto wide = static_cast<uint64_t>(hash);
  return static_cast<uint32_t>(wide ^ wide >> 32);
}

class HashIndex {
 public:
  static constexpr uint32_t kNothing = std::numeric_limits<uint32_t>::max();

  HashIndex() = default;
  HashIndex(const HashIndex&) = default;
  HashIndex& operator=(const HashIndex&) = default;
  HashIndex(HashIndex&& other) noexcept
      : slots_(std::move(other.slots_)), size_(std::exchange(other.size_, 0)) {}
  HashIndex& operator=(HashIndex&& other) noexcept {
    slots_ = std::move(other.slots_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  size_t size() const { return size_; }
  size_t slots() const { return slots_.size(); }
  static constexpr size_t kSlotBytes = 2 * sizeof(uint32_t);

  // Returns the number under `hash` for which `is_it` returns true, or kNothing.
  template <class F>
  uint32_t Find(uint32_t hash, F&& is_it) const {
    if (slots_.empty()) return kNothing;
    for (size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.number == kNothing) return kNothing;
      if (slot.hash == hash && is_it(slot.number)) return slot.number;
    }
  }

  // Brings the slot of `hash` on its way into the cache.
  void Prefetch(uint32_t hash) const {
#if defined(__GNUC__)
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & mask()]);
#endif
  }

  // Makes room for one more. Throws std::bad_alloc, and has done nothing then.
  void MakeRoom() {
    if (4 * (size_ + 1) > 3 * slots_.size()) Rehash(slots_.empty() ? 4 : 2 * slots_.size());
  }
  // Makes room for `count` in all.
  void Reserve(size_t count) {
    // More than can be addressed is what the vector refuses.
    count = std::min(count, std::numeric_limits<size_t>::max() / 64);
    size_t slots = slots_.empty() ? 4 : slots_.size();
    while (4 * count > 3 * slots) slots *= 2;
    if (slots > slots_.size() && count > 0) Rehash(slots);
  }

  // REQUIRES: MakeRoom was called; number != kNothing, and is not there.
  void Add(uint32_t hash, uint32_t number) noexcept {
    PutInto(slots_, {hash, number});
    ++size_;
  }

  // REQUIRES: `from` is there, with this hash.
  void Renumber(uint32_t hash, uint32_t from, uint32_t to) noexcept {
    slots_[Place(hash, from)].number = to;
  }

  // REQUIRES: `number` is there, with this hash.
  void Remove(uint32_t hash, uint32_t number) noexcept {
    size_t hole = Place(hash, number);
    for (size_t at = (hole + 1) & mask(); slots_[at].number != kNothing; at = (at + 1) & mask()) {
      // It may move back as far as its own place.
      const size_t passed = (at - slots_[at].hash) & mask();
      if (passed >= ((at - hole) & mask())) {
        slots_[hole] = slots_[at];
        hole = at;
      }
    }
    slots_[hole] = Slot();
    --size_;
  }

  void Clear() noexcept {
    if (slots_.size() <= kKeptSlots) {
      std::fill(slots_.begin(), slots_.end(), Slot());
    } else {
      slots_ = {};
    }
    size_ = 0;
  }

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t number = kNothing;
  };

  static constexpr size_t kKeptSlots = 128;

  size_t mask() const { return slots_.size() - 1; }

  static void PutInto(std::vector<Slot>& slots, Slot slot) noexcept {
    const size_t mask = slots.size() - 1;
    size_t at = slot.hash & mask;
    while (slots[at].number != kNothing) at = (at + 1) & mask;
    slots[at] = slot;
  }

  size_t Place(uint32_t hash, uint32_t number) const noexcept {
    size_t at = hash & mask();
    while (slots_[at].number != number) at = (at + 1) & mask();
    return at;
  }

  void Rehash(size_t count) {
    std::vector<Slot> larger(count);
    for (const Slot& slot : slots_) {
      if (slot.number != kNothing) PutInto(larger, slot);
    }
    slots_ = std::move(larger);
  }

  std::vector<Slot> slots_;  // none, or a power of two of them
  size_t size_ = 0;
};

}  // namespace muster

#endif  // MUSTER_BASE_HASH_INDEX_H_
