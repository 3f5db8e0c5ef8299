// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Threads of the caller, for calls that have independent pieces of work.
//
//   const std::unique_ptr<muster::Executor> threads = muster::MakeThreads(4);
//   muster::NeedOptions options;
//   options.executor = threads.get();
//   absl::StatusOr<muster::NodesNeeded> needed =
//       muster::NeedNodes(cluster, "muster", offers, options);   // its trials run on four threads
//
// Promise. The answer of a call is equal for every executor, and without one. Which pieces run at
// once, where and in what order is the executor's choice, and no answer depends on it. The library
// starts no threads by itself: without an executor a call stays on its thread. What a call does
// with one, and what it does not, is in docs/threads.md.
// Failure. If a piece fails, the call fails as if it had stayed on its thread: of several pieces
// that fail, the first in order counts. This holds for statuses, for memory that runs out, and for
// exceptions of the caller's callbacks, which end the call on the thread that made it. What Run
// throws ends the call.
// Ownership. A call does not own its executor, which must outlive the call. No call keeps it.
// Threads. Several threads may use an executor of MakeThreads at once; while one of them has its
// threads, the calls of the others stay on their own.
// Cost. Each use wakes threads, which is worth it where a cycle takes much longer. Each piece that
// runs has its own memory, so the peak grows with the number of pieces that run at once.
#ifndef MUSTER_EXECUTOR_H_
#define MUSTER_EXECUTOR_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "muster/export.h"

namespace muster {

// Runs pieces of work. A class of the caller, or what MakeThreads returns.
//
//   class Mine : public muster::Executor {
//    public:
//     int64_t width() const override { return 2; }
//     void Run(int64_t count, const std::function<void(int64_t)>& piece) override {
//       std::thread other([&] { for (int64_t i = 1; i < count; i += 2) piece(i); });
//       for (int64_t i = 0; i < count; i += 2) piece(i);
//       other.join();
//     }
//   };
//
class MUSTER_EXPORT Executor {
 public:
  virtual ~Executor();

  // Returns how many pieces can run at once: 1 to 256; others count as the nearest. At 1, Run is
  // not called. It may only change how long a call takes.
  virtual int64_t width() const = 0;

  // Calls piece(0) to piece(count - 1), in any order and on any threads, and returns once all calls
  // have returned. A piece does not throw, and calls no Run. A second call with one number does
  // nothing; a number that was left out runs on the calling thread afterwards.
  // REQUIRES: no piece runs any more when Run returns or throws.
  virtual void Run(int64_t count, const std::function<void(int64_t)>& piece) = 0;
};

// Returns an executor with `width` threads, the calling one among them: it starts width - 1, which
// sleep until they are used and end with the executor. `width` is 1 to 256; others count as the
// nearest. Where the system has no thread to give, there are fewer.
MUSTER_EXPORT std::unique_ptr<Executor> MakeThreads(int64_t width);

}  // namespace muster

#endif  // MUSTER_EXECUTOR_H_
