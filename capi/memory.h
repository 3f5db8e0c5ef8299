// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Memory from the caller's allocator, within its budget.
//
//   std::shared_ptr<Memory> memory = Memory::Make(options.allocator);
//   Column<int64_t> column(memory);      // a std::vector; throws std::bad_alloc at the budget
//
// Objects share the ownership of the Memory that they came from.
#ifndef MUSTER_CAPI_MEMORY_H_
#define MUSTER_CAPI_MEMORY_H_

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "muster/c.h"

namespace muster::capi {

class Memory {
 public:
  explicit Memory(const muster_allocator& allocator) : allocator_(allocator) {}
  void* Allocate(size_t size);  // throws std::bad_alloc
  void Release(void* memory, size_t size) noexcept;

 private:
  const muster_allocator allocator_;
  std::atomic<int64_t> used_{0};  // plans are freed by any thread
};

template <class T>
struct Allocator {
  using value_type = T;
  explicit Allocator(std::shared_ptr<Memory> memory) : memory(std::move(memory)) {}
  template <class U>
  Allocator(const Allocator<U>& other) : memory(other.memory) {}  // NOLINT: as containers need it

  T* allocate(size_t count) { return static_cast<T*>(memory->Allocate(count * sizeof(T))); }
  void deallocate(T* cells, size_t count) noexcept { memory->Release(cells, count * sizeof(T)); }
  template <class U>
  friend bool operator==(const Allocator& a, const Allocator<U>& b) {
    return a.memory == b.memory;
  }

  std::shared_ptr<Memory> memory;
};

// An array of cells of a known size, from which callers take parts and write them.
template <class T>
class Cells {
 public:
  explicit Cells(std::shared_ptr<Memory> memory) : memory_(std::move(memory)) {}
  ~Cells() {
    if (begin_ != nullptr) memory_->Release(begin_, count_ * sizeof(T));
  }
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;

  // Call it once, before the first Take. Throws std::bad_alloc.
  void Reserve(size_t count) {
    if (count == 0) return;
    begin_ = static_cast<T*>(memory_->Allocate(count * sizeof(T)));
    count_ = count;
  }
  // Returns the next `count` cells. REQUIRES: so many are left.
  T* Take(size_t count) {
    assert(count <= count_ - taken_);
    T* const part = begin_ + taken_;
    taken_ += count;
    return part;
  }

 private:
  std::shared_ptr<Memory> memory_;
  T* begin_ = nullptr;
  size_t count_ = 0, taken_ = 0;
};

template <class T>
using Column = std::vector<T, Allocator<T>>;
using Bytes = std::basic_string<char, std::char_traits<char>, Allocator<char>>;

}  // namespace muster::capi

#endif  // MUSTER_CAPI_MEMORY_H_
