// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A mark of fits that have no rule about kinds of nodes.
//
//   class FitColumns final : public FitPolicy, public NoKindAnswers { ... };
//
// Without it, the caller's policy of a wider scope may have rules of that kind, too, and is asked
// again for every set of task labels.
#ifndef MUSTER_EXTENSION_NO_KIND_ANSWERS_H_
#define MUSTER_EXTENSION_NO_KIND_ANSWERS_H_

namespace muster {

// A FitPolicy that derives from it leaves FitsKind as it is.
class NoKindAnswers {
 public:
  virtual ~NoKindAnswers() = default;
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_NO_KIND_ANSWERS_H_
