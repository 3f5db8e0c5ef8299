// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Statuses become exceptions at this one place: muster.errors says which.
//
//   Check(cluster.AddNode(spec));
//   Plan plan = Value(cluster.Schedule(profile, options));
#ifndef MUSTER_PYTHON_SRC_STATUS_H_
#define MUSTER_PYTHON_SRC_STATUS_H_

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "muster/limits.h"
#include "python/src/set_object.h"

namespace muster::python {

// On its way to Python.
class StatusError : public std::exception {
 public:
  explicit StatusError(absl::Status status)
      : status_(std::move(status)), message_(status_.message()) {}
  const absl::Status& status() const { return status_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  absl::Status status_;
  std::string message_;
};

inline void Check(const absl::Status& status) {
  if (!status.ok()) throw StatusError(status);
}

template <class T>
T Value(absl::StatusOr<T> result) {
  if (!result.ok()) throw StatusError(result.status());
  return *std::move(result);
}

[[noreturn]] inline void Refuse(std::string message) {
  throw StatusError(absl::InvalidArgumentError(std::move(message)));
}

// The limits that muster.limits gives as a dictionary.
inline Limits LimitsOf(const std::map<std::string, int64_t>& given) {
  constexpr int64_t kMostDepth = 256;
  return {.rows = given.at("rows"),
          .bytes = given.at("bytes"),
          .depth = static_cast<int32_t>(std::clamp<int64_t>(given.at("depth"), 0, kMostDepth))};
}

void BindStatus(pybind11::module_& module);

}  // namespace muster::python

#endif  // MUSTER_PYTHON_SRC_STATUS_H_
