// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/capi/failing_new.h"

#include <cstdlib>
#include <new>

namespace muster {

std::atomic<int64_t> living{0};
std::atomic<int64_t> until_failure{-1};
std::atomic<bool> persistent{false};

int64_t NextToFail(int64_t at) {
  static const bool each = std::getenv("MUSTER_EVERY_ALLOCATION") != nullptr;
  return at + (each || at < 200 ? 1 : 7);
}

namespace {

bool Fails() {
  if (until_failure.load() < 0) return false;
  if (until_failure.load() == 0) return persistent.load();
  return until_failure.fetch_sub(1) == 1;
}

void* Take(size_t size) {
  if (Fails()) return nullptr;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory != nullptr) ++living;
  return memory;
}

void Give(void* memory) {
  if (memory == nullptr) return;
  --living;
  std::free(memory);
}

}  // namespace
}  // namespace muster

void* operator new(size_t size) {
  void* memory = muster::Take(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new[](size_t size) { return operator new(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return muster::Take(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return muster::Take(size); }
void operator delete(void* memory) noexcept { muster::Give(memory); }
void operator delete[](void* memory) noexcept { muster::Give(memory); }
void operator delete(void* memory, size_t) noexcept { muster::Give(memory); }
void operator delete[](void* memory, size_t) noexcept { muster::Give(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { muster::Give(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { muster::Give(memory); }
