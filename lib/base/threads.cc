// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The executor that MakeThreads returns: the only threads of the library, which exist as long as it
// does.
//
// Idea. A round is one call of Run. Its pieces are claimed one by one from a counter, by the
// calling thread and by those that it wakes, so long pieces and short ones balance. The calling
// thread does not wait for a thread that wakes too late to claim one.
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "lib/base/pieces.h"
#include "muster/executor.h"

namespace muster {

Executor::~Executor() = default;

namespace {

class Threads : public Executor {
 public:
  explicit Threads(int64_t width) {
#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
    started_.threads.reserve(static_cast<size_t>(width - 1));
    for (int64_t i = 1; i < width; ++i) {
      try {
        started_.threads.emplace_back([this] { Serve(); });
      } catch (const std::system_error&) {
        break;  // there is no other one to be had
      }
    }
#endif
  }

  int64_t width() const override { return static_cast<int64_t>(started_.threads.size()) + 1; }

  void Run(int64_t count, const std::function<void(int64_t)>& piece) override {
    {
      std::unique_lock lock(mutex_);
      if (piece_ == nullptr && count > 1) {
        piece_ = &piece;
        count_ = count;
        next_ = 0;
        lock.unlock();
        const int64_t helpers = std::min(count - 1, static_cast<int64_t>(started_.threads.size()));
        for (int64_t i = 0; i < helpers; ++i) wake_.notify_one();
        lock.lock();
        Claim(&lock);
        done_.wait(lock, [this] { return running_ == 0; });
        piece_ = nullptr;
        return;
      }
    }
    // Another call has the threads.
    for (int64_t i = 0; i < count; ++i) piece(i);
  }

 private:
  // Ends its threads with itself, also where memory runs out before all are started.
  struct Started {
    ~Started() {
      {
        const std::lock_guard lock(owner->mutex_);
        owner->ends_ = true;
      }
      owner->wake_.notify_all();
      for (std::thread& thread : threads) thread.join();
    }
    Threads* owner;
    std::vector<std::thread> threads;
  };

  // Runs pieces until none is left. The lock is held at the beginning and at the end.
  void Claim(std::unique_lock<std::mutex>* lock) {
    const std::function<void(int64_t)>& piece = *piece_;
    ++running_;
    while (next_ < count_) {
      const int64_t i = next_++;
      lock->unlock();
      piece(i);
      lock->lock();
    }
    --running_;
  }

  void Serve() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
      if (piece_ != nullptr && next_ < count_) {
        Claim(&lock);
        if (running_ == 0) done_.notify_one();
      } else {
        wake_.wait(lock);
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  // Under the mutex. Null: no round runs.
  const std::function<void(int64_t)>* piece_ = nullptr;
  int64_t count_ = 0, next_ = 0, running_ = 0;  // pieces, the next one, threads within Claim
  bool ends_ = false;
  Started started_{this, {}};  // behind what its threads use
};

}  // namespace

std::unique_ptr<Executor> MakeThreads(int64_t width) {
  return std::make_unique<Threads>(std::clamp<int64_t>(width, 1, kMostThreads));
}

}  // namespace muster
