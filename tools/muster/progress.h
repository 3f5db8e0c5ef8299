// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One line on standard error that shows how far long work is. It appears after a second, where
// standard error is a terminal, and is gone before anything else is printed.
//
//   Progress progress("profiles", profiles.size());
//   for (const std::string& profile : profiles) {
//     Judge(profile);
//     progress.Step();            // muster: 3 of 8 profiles, 12 s
//   }
//
// The innermost one that lives is shown. It begins and ends on one thread; Set, Step and Tick may
// be called on any.
#ifndef MUSTER_TOOLS_PROGRESS_H_
#define MUSTER_TOOLS_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace muster {

class Progress {
 public:
  // `total` 0: the line has what is done and the time; before the first step the time alone.
  explicit Progress(std::string what, int64_t total = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Step();
  void Set(int64_t done);

  // Shows the line again: for callbacks that are called now and then. Returns false.
  static bool Tick();
  // Erases the line, if there is one.
  static void Erase();

 private:
  // The lock of all is held.
  void Show();

  const std::string what_;
  const int64_t total_;
  int64_t done_ = 0;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_ = begin_;
  Progress* const around_;
};

}  // namespace muster

#endif  // MUSTER_TOOLS_PROGRESS_H_
