// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A change of rows that an exception ends halfway, because memory ran out.
//
//   if (IsLost(*impl_)) return LostError();
//   ... checks, which may throw: nothing has changed
//   const ChangeGuard change(*impl_);
//   impl_->editor.PutNode(...);              // if this throws, the cluster is lost
//
// The rows of a lost cluster may contradict each other, so no call reads them again: calls with a
// status fail with DataLoss, Freeze and Describe return an empty cluster. The mark is a version
// that no cluster reaches by counting.
#ifndef MUSTER_MODEL_CHANGE_GUARD_H_
#define MUSTER_MODEL_CHANGE_GUARD_H_

#include <cstdint>
#include <exception>
#include <limits>

#include "absl/status/status.h"
#include "lib/model/cluster_impl.h"

namespace muster {

inline constexpr uint64_t kLostVersion = std::numeric_limits<uint64_t>::max();

inline bool IsLost(const internal::ClusterImpl& impl) {
  return impl.tables->version == kLostVersion;
}

inline absl::Status LostError() {
  return absl::DataLossError(
      "cluster: memory ran out in the middle of an earlier change; it can only be destroyed or "
      "assigned to");
}

class ChangeGuard {
 public:
  // Copies tables that a snapshot shares. If that throws, nothing has changed.
  explicit ChangeGuard(internal::ClusterImpl& impl)
      : impl_(impl), exceptions_(std::uncaught_exceptions()) {
    impl.editor.Own();
  }
  ~ChangeGuard() {
    if (std::uncaught_exceptions() > exceptions_) impl_.tables->version = kLostVersion;
  }
  ChangeGuard(const ChangeGuard&) = delete;
  ChangeGuard& operator=(const ChangeGuard&) = delete;

 private:
  internal::ClusterImpl& impl_;
  const int exceptions_;
};

// Drops the sessions of a living cluster if an exception ends a cycle: their books may be half
// written. The next cycle makes a new one.
class CycleGuard {
 public:
  explicit CycleGuard(internal::ClusterImpl& impl)
      : impl_(impl), exceptions_(std::uncaught_exceptions()) {}
  ~CycleGuard() {
    if (std::uncaught_exceptions() > exceptions_) impl_.cycle.reset();
  }
  CycleGuard(const CycleGuard&) = delete;
  CycleGuard& operator=(const CycleGuard&) = delete;

 private:
  internal::ClusterImpl& impl_;
  const int exceptions_;
};

}  // namespace muster

#endif  // MUSTER_MODEL_CHANGE_GUARD_H_
