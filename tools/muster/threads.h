// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The flag --threads of commands that make several plans or play futures.
//
//   ThreadsFlag threads;
//   threads.Declare(&flags);
//   ...
//   const std::unique_ptr<Executor> executor = threads.Make();   // null: one thread
#ifndef MUSTER_TOOLS_THREADS_H_
#define MUSTER_TOOLS_THREADS_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "muster/executor.h"
#include "tools/muster/flags.h"

namespace muster {

class ThreadsFlag {
 public:
  void Declare(FlagSet* flags);
  // Fails for a number out of range.
  absl::Status Settle() const;
  // REQUIRES: Settle did not fail.
  std::unique_ptr<Executor> Make() const;

 private:
  int64_t threads_ = 1;
};

}  // namespace muster

#endif  // MUSTER_TOOLS_THREADS_H_
