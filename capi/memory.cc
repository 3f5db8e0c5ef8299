// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "capi/memory.h"

#include <cstdlib>
#include <new>

namespace muster::capi {

void* Memory::Allocate(size_t size) {
  const auto bytes = static_cast<int64_t>(size);
  const int64_t used = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  void* memory = nullptr;
  if (allocator_.budget == 0 || used <= allocator_.budget) {
    memory = allocator_.allocate != nullptr ? allocator_.allocate(allocator_.user, size)
                                            : std::malloc(size);
  }
  if (memory == nullptr) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    throw std::bad_alloc();
  }
  return memory;
}

void Memory::Release(void* memory, size_t size) noexcept {
  if (allocator_.allocate != nullptr) {
    allocator_.release(allocator_.user, memory, size);
  } else {
    std::free(memory);
  }
  used_.fetch_sub(static_cast<int64_t>(size), std::memory_order_relaxed);
}

}  // namespace muster::capi
