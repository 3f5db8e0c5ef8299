// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The floating-point environment of a call: rounding to nearest, subnormal numbers kept, whatever
// the caller's thread has set.
//
//   absl::StatusOr<Plan> Schedule(...) {
//     const DefaultFloats floats;
//     ...
//
// Shares and scores are doubles, so a host that rounds up, or flushes subnormals to zero as
// programs built with -ffast-math do, would get other plans. The calls that compute with doubles
// set the defaults of C and restore the caller's environment when they end. Callbacks of the caller
// run in between, with the defaults. Costs a few nanoseconds where nothing has to be changed.
#ifndef MUSTER_BASE_FLOAT_ENV_H_
#define MUSTER_BASE_FLOAT_ENV_H_

#include <cfenv>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace muster {

class DefaultFloats {
 public:
  DefaultFloats() : is_default_(IsDefault()) {
    if (is_default_) return;
    std::fegetenv(&caller_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloats() {
    if (!is_default_) std::fesetenv(&caller_);
  }
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;

 private:
  static bool IsDefault() {
#if defined(__SSE2__)
    constexpr unsigned kRoundingAndSubnormals = 0xE040;
    return (_mm_getcsr() & kRoundingAndSubnormals) == 0;
#elif defined(__aarch64__)
    unsigned long control;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return control == 0;
#else
    return std::fegetround() == FE_TONEAREST;
#endif
  }

  const bool is_default_;
  std::fenv_t caller_;
};

}  // namespace muster

#endif  // MUSTER_BASE_FLOAT_ENV_H_
