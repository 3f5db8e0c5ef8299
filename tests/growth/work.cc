// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/growth/work.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

uint64_t g_work = 0;

void CountBytes(size_t bytes) { g_work += bytes / 32; }

void* Allocate(size_t bytes) {
  ++g_work;
  CountBytes(bytes);
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t bytes) { return Allocate(bytes); }
void* operator new[](size_t bytes) { return Allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

extern "C" {

// Called by every basic block of the counted library.
void __sanitizer_cov_trace_pc() { ++g_work; }

// The linker turns calls of NAME into calls of __wrap_NAME, and __real_NAME is what NAME was.
void* __real_memcpy(void* to, const void* from, size_t bytes);
void* __real_memmove(void* to, const void* from, size_t bytes);
void* __real_memset(void* to, int value, size_t bytes);
int __real_memcmp(const void* a, const void* b, size_t bytes);

void* __wrap_memcpy(void* to, const void* from, size_t bytes) {
  CountBytes(bytes);
  return __real_memcpy(to, from, bytes);
}
void* __wrap_memmove(void* to, const void* from, size_t bytes) {
  CountBytes(bytes);
  return __real_memmove(to, from, bytes);
}
void* __wrap_memset(void* to, int value, size_t bytes) {
  CountBytes(bytes);
  return __real_memset(to, value, bytes);
}
int __wrap_memcmp(const void* a, const void* b, size_t bytes) {
  CountBytes(bytes);
  return __real_memcmp(a, b, bytes);
}

}  // extern "C"

namespace muster::testing {

uint64_t CountWork(absl::FunctionRef<void()> run) {
  const uint64_t before = g_work;
  run();
  return g_work - before;
}

}  // namespace muster::testing
