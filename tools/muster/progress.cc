// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tools/muster/progress.h"

#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster {
namespace {

constexpr auto kBefore = std::chrono::seconds(1);
constexpr auto kBetween = std::chrono::milliseconds(200);

std::mutex guard;  // of all below, and of what lives
Progress* innermost = nullptr;
bool is_shown = false;

void Write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(std::string what, int64_t total)
    : what_(std::move(what)), total_(total), around_(std::exchange(innermost, this)) {}

Progress::~Progress() {
  Erase();
  innermost = around_;
}

void Progress::Step() {
  const std::lock_guard lock(guard);
  ++done_;
  Show();
}

void Progress::Set(int64_t done) {
  const std::lock_guard lock(guard);
  done_ = done;
  Show();
}

bool Progress::Tick() {
  const std::lock_guard lock(guard);
  if (innermost != nullptr) innermost->Show();
  return false;
}

void Progress::Erase() {
  const std::lock_guard lock(guard);
  if (std::exchange(is_shown, false)) Write("\r\x1b[K");
}

void Progress::Show() {
  const auto now = std::chrono::steady_clock::now();
  if (now - begin_ < kBefore || now - shown_ < kBetween || isatty(STDERR_FILENO) == 0) return;
  shown_ = now;
  is_shown = true;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - begin_).count();
  std::string counts = done_ > 0 || total_ > 0 ? absl::StrCat(done_, " ") : "";
  if (total_ > 0) absl::StrAppend(&counts, "of ", total_, " ");
  Write(absl::StrCat("\r\x1b[Kmuster: ", counts, what_, ", ", seconds, " s"));
}

}  // namespace muster
