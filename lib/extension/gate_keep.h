// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the gate of a policy may promise about the cycle that follows a plan at the same time.
//
//   class Spending : public Policy, public GatePolicy, public GateKeep { ... };
//   const bool keeps = dynamic_cast<const GateKeep*>(entry->policy) != nullptr;
#ifndef MUSTER_EXTENSION_GATE_KEEP_H_
#define MUSTER_EXTENSION_GATE_KEEP_H_

namespace muster {

// Implemented by policies of which the gates guarantee two things: what they refused stays refused
// while the cycle places more; and a cycle that opens on the books as the last one left them, at
// the same time, gets the answers of the last one, although what was placed runs now. A policy that
// does not implement it promises nothing.
class GateKeep {
 protected:
  ~GateKeep() = default;
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_GATE_KEEP_H_
