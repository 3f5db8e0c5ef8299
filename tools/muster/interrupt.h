// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The ends of a command from outside.
//
// Ctrl-C, while it makes a long command end with what it has instead of killing it:
//
//   const InterruptWatch watch;
//   options.should_stop = [] { return InterruptWatch::Asked(); };
//
// The second Ctrl-C kills. One watch at a time.
#ifndef MUSTER_TOOLS_INTERRUPT_H_
#define MUSTER_TOOLS_INTERRUPT_H_

#include <cstdint>

namespace muster {

class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  static bool Asked();

 private:
  void (*const before_)(int);  // where it was ignored it stays so
};

// Ends the program with exit code 2 and one line on stderr, after so many seconds.
void EndAfter(int64_t seconds);
// The file that such an end, SIGINT, SIGTERM and SIGHUP remove; it must outlive the registration.
// Null: none.
void RemoveAtEnd(const char* path);

}  // namespace muster

#endif  // MUSTER_TOOLS_INTERRUPT_H_
