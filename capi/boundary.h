// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The boundary between C and C++: checks arguments, and turns statuses and exceptions into numbers.
//
//   muster_status muster_thing_do(muster_thing* thing, muster_error* error) {
//     return Guard(error, [&] { return thing->Do(); });          // absl::Status
//   }
#ifndef MUSTER_CAPI_BOUNDARY_H_
#define MUSTER_CAPI_BOUNDARY_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "capi/memory.h"
#include "muster/c.h"
#include "muster/limits.h"

namespace muster::capi {

// Fills *error and returns `code`.
muster_status Fail(muster_status code, int32_t user_code, std::string_view message,
                   muster_error* error) noexcept;
muster_status Report(const absl::Status& status, muster_error* error) noexcept;

// Returns the status of a callback that returned `code`. Report reads the code from it.
absl::Status UserFailure(std::string_view what, int32_t code);

// Runs `body`, which returns an absl::Status. Turns its status, or an exception, into a number.
template <class F>
muster_status Guard(muster_error* error, F&& body) noexcept {
  try {
    return Report(body(), error);
  } catch (const std::bad_alloc&) {
    return Fail(MUSTER_E_RESOURCE_EXHAUSTED, 0, "out of memory, or of the budget for it", error);
  } catch (const std::length_error&) {
    return Fail(MUSTER_E_RESOURCE_EXHAUSTED, 0, "out of memory: more than can be addressed", error);
  } catch (const std::exception& e) {
    return Fail(MUSTER_E_INTERNAL, 0, e.what(), error);
  } catch (...) {
    return Fail(MUSTER_E_INTERNAL, 0, "an exception of unknown type", error);
  }
}

// Runs `body` of a call without a status. Returns `otherwise` if it throws.
template <class T, class F>
T GuardValue(T otherwise, F&& body) noexcept {
  try {
    return body();
  } catch (...) {
    return otherwise;
  }
}

inline absl::Status NullArgument(const char* what) {
  return absl::InvalidArgumentError(absl::StrCat(what, " is NULL"));
}

// Checks a name or text that was passed in, and returns it.
absl::StatusOr<std::string_view> TextIn(const char* what, const char* text, int64_t size);

inline constexpr uint32_t kMostStructBytes = 1u << 16;
absl::Status CheckStruct(const char* name, const void* given, uint32_t least, uint32_t known);

// Returns the caller's struct in the form of this library. `fallback` stands for a NULL, and for
// the fields behind its end.
template <class T>
absl::Status ReadStruct(const char* name, const T* given, T* out) {
  if (given == nullptr) return absl::OkStatus();
  if (absl::Status s = CheckStruct(name, given, 8, sizeof(T)); !s.ok()) return s;
  std::memcpy(static_cast<void*>(out), given, std::min<size_t>(given->struct_size, sizeof(T)));
  out->struct_size = sizeof(T);
  return absl::OkStatus();
}

// Writes as much of `value` as the caller's struct has room for; what it has beyond becomes 0.
template <class T>
absl::Status WriteStruct(const char* name, T value, T* out) {
  if (out == nullptr) return NullArgument(name);
  const uint32_t size = out->struct_size;
  if (size < 8 || size > kMostStructBytes) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": struct_size is ", size));
  }
  value.struct_size = size;
  std::memcpy(static_cast<void*>(out), &value, std::min<size_t>(size, sizeof(T)));
  if (size > sizeof(T)) {
    std::memset(reinterpret_cast<char*>(out) + sizeof(T), 0, size - sizeof(T));
  }
  return absl::OkStatus();
}

// The limits that were passed in; the defaults for NULL.
absl::Status ReadLimits(const muster_limits* given, Limits* out);

// Makes a text that belongs to the caller.
absl::Status GiveText(const std::shared_ptr<Memory>& memory, std::string_view text,
                      muster_text** out);

// Makes the memory of the caller's allocator; of malloc if it is NULL.
absl::StatusOr<std::shared_ptr<Memory>> MakeMemory(const muster_allocator* allocator);

}  // namespace muster::capi

struct muster_text {
  explicit muster_text(std::shared_ptr<muster::capi::Memory> memory)
      : bytes(muster::capi::Allocator<char>(std::move(memory))) {}
  muster::capi::Bytes bytes;
};

#endif  // MUSTER_CAPI_BOUNDARY_H_
