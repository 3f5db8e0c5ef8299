// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tools/muster/interrupt.h"

#include <csignal>

namespace muster {
namespace {

// A signal handler can reach nothing else.
volatile std::sig_atomic_t asked = 0;

void Ask(int signal) {
  asked = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptWatch::InterruptWatch() : before_(std::signal(SIGINT, Ask)) {
  asked = 0;
  if (before_ == SIG_IGN) std::signal(SIGINT, SIG_IGN);
}

InterruptWatch::~InterruptWatch() { std::signal(SIGINT, before_); }

bool InterruptWatch::Asked() { return asked != 0; }

}  // namespace muster
