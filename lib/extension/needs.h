// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What policies need of the session beside answers to their questions.
//
//   PolicyNeeds needs;
//   if (decl.needs != nullptr) decl.needs(options, &needs);
//
// The needs of several policies of a profile add up.
#ifndef MUSTER_EXTENSION_NEEDS_H_
#define MUSTER_EXTENSION_NEEDS_H_

#include "lib/ledger/device_book.h"
#include "muster/policy.h"

namespace muster {

struct PolicyNeeds {
  // Which devices the books assign. Of several strategies that of the last policy decides.
  DeviceRules devices = {};
  // True: overfull nodes do not count for what queues share.
  bool whole_nodes = false;
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_NEEDS_H_
