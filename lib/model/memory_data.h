// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What stands behind a Memory.
//
//   const internal::MemoryData* before = internal::DataOf(memory);  // null: no slots
//   internal::MemoryData data = before == nullptr ? internal::MemoryData() : *before;
//   data.slots["sampling"].generation = log.generation();
//   Memory next = internal::MakeMemory(std::move(data));
#ifndef MUSTER_MODEL_MEMORY_DATA_H_
#define MUSTER_MODEL_MEMORY_DATA_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "muster/memory.h"

namespace muster::internal {

// Versions of the document that ToText writes and Parse reads.
inline constexpr int64_t kMemoryVersion = 1;

// The rows of a slot. Copies share them, so a memory costs a cycle only the slots that it changes.
class SharedRows {
 public:
  SharedRows() : SharedRows(MemorySlot()) {}
  explicit SharedRows(MemorySlot rows)
      : rows_(std::make_shared<const MemorySlot>(std::move(rows))) {}
  const MemorySlot& operator*() const { return *rows_; }
  friend bool operator==(const SharedRows& a, const SharedRows& b) {
    return a.rows_ == b.rows_ || *a.rows_ == *b.rows_;
  }

 private:
  std::shared_ptr<const MemorySlot> rows_;  // never null
};

struct MemoryData {
  struct Slot {
    int32_t version = 1;
    // The number of the first event that the slot has not seen; 0: no list will do.
    uint64_t generation = 0;
    SharedRows rows;
    friend bool operator==(const Slot&, const Slot&) = default;
  };
  std::map<std::string, Slot, std::less<>> slots;
  friend bool operator==(const MemoryData&, const MemoryData&) = default;
};

// Return the least and the greatest generation of the slots that ask for events.
uint64_t OldestGeneration(const Memory& memory);
uint64_t NewestGeneration(const Memory& memory);

}  // namespace muster::internal

#endif  // MUSTER_MODEL_MEMORY_DATA_H_
