// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Memory from the caller's allocator, within his budget.
//
//   std::shared_ptr<Memory> memory = Memory::Make(options.allocator);
//   Column<int64_t> column(memory);      // a std::vector; throws std::bad_alloc when there is no more
//
// Objects hold the Memory they came from, so it goes when the last of them does.
#ifndef MUSTER_CAPI_MEMORY_H_
#define MUSTER_CAPI_MEMORY_H_

#include <atomic>
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

template <class T>
using Column = std::vector<T, Allocator<T>>;
using Bytes = std::basic_string<char, std::char_traits<char>, Allocator<char>>;

}  // namespace muster::capi

#endif  // MUSTER_CAPI_MEMORY_H_
