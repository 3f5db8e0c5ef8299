// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether the cycle after this one is known to decide nothing.
//
//   struct FairKept : ActionKeep, Settles { ... };
//   session.Run(tables, options);
//   if (session.settled()) ...   // once the plan's binds run, nothing is to be done at this time
#ifndef MUSTER_PART_SETTLES_H_
#define MUSTER_PART_SETTLES_H_

#include <cstddef>

namespace muster {

// Implemented by an ActionKeep of actions that find out whether they have settled.
class Settles {
 public:
  // Returns the number of actions of the last cycle that have settled: if the plan does nothing but
  // bind tasks, and all of these run from the time of the cycle on, then on the books as the cycle
  // left them, at the same time, each of these actions would decide nothing.
  virtual size_t settled_actions() const = 0;

 protected:
  ~Settles() = default;
};

}  // namespace muster

#endif  // MUSTER_PART_SETTLES_H_
