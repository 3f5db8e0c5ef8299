// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tools/muster/threads.h"

#include "absl/strings/str_cat.h"
#include "lib/base/pieces.h"

namespace muster {

void ThreadsFlag::Declare(FlagSet* flags) {
  flags->Value("--threads", "N", &threads_,
               "threads that the command may use, 1 by default; what it prints is the same. With "
               "--load it uses one");
}

absl::Status ThreadsFlag::Settle() const {
  if (threads_ >= 1 && threads_ <= kMostThreads) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--threads: ", threads_, " is not in 1..", kMostThreads));
}

std::unique_ptr<Executor> ThreadsFlag::Make() const {
  return threads_ > 1 ? MakeThreads(threads_) : nullptr;
}

}  // namespace muster
