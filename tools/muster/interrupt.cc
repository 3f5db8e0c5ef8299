// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tools/muster/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

namespace muster {
namespace {

// A signal handler can reach nothing else.
volatile std::sig_atomic_t asked = 0;

void Ask(int signal) {
  asked = 1;
  std::signal(signal, SIG_DFL);
}

const char* volatile partial_file = nullptr;

// Calls only what a signal handler may.
void End(int) {
  constexpr char kLine[] = "muster: --max-seconds are over; raise them, or give it less\n";
  if (write(STDERR_FILENO, kLine, sizeof(kLine) - 1) < 0) _exit(2);
  if (partial_file != nullptr) unlink(partial_file);
  _exit(2);
}

constexpr int kEnds[] = {SIGINT, SIGTERM, SIGHUP};
bool installed[std::size(kEnds)] = {};

// Calls only what a signal handler may.
void RemoveAndEnd(int signal) {
  if (partial_file != nullptr) unlink(partial_file);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void EndAfter(int64_t seconds) {
  std::signal(SIGALRM, End);
  alarm(static_cast<unsigned>(std::min<int64_t>(seconds, std::numeric_limits<int32_t>::max())));
}

// Keeps handlers that are set, and signals that are ignored.
void RemoveAtEnd(const char* path) {
  partial_file = path;
  for (size_t i = 0; i < std::size(kEnds); ++i) {
    if (path == nullptr) {
      if (std::exchange(installed[i], false)) std::signal(kEnds[i], SIG_DFL);
      continue;
    }
    struct sigaction set = {};
    if (sigaction(kEnds[i], nullptr, &set) != 0 || set.sa_handler != SIG_DFL) continue;
    std::signal(kEnds[i], RemoveAndEnd);
    installed[i] = true;
  }
}

InterruptWatch::InterruptWatch() : before_(std::signal(SIGINT, Ask)) {
  asked = 0;
  if (before_ == SIG_IGN) std::signal(SIGINT, SIG_IGN);
}

InterruptWatch::~InterruptWatch() { std::signal(SIGINT, before_); }

bool InterruptWatch::Asked() { return asked != 0; }

}  // namespace muster
