// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What policies need of the session beside answers to their questions.
//
//   PolicyNeeds needs;
//   if (decl.needs != nullptr) decl.needs(options, &needs);
//
// The needs of several policies of a profile add up, and those of its preset come first.
#ifndef MUSTER_EXTENSION_NEEDS_H_
#define MUSTER_EXTENSION_NEEDS_H_

#include "lib/ledger/device_book.h"
#include "muster/policy.h"

namespace muster {

// Values of queues that a what-if may change. A value that is false changes no plan of the profile.
struct QueueFieldsRead {
  bool weight = false, guaranteed = false, deserved = false, limit = false;

  QueueFieldsRead& operator|=(const QueueFieldsRead& other) {
    weight |= other.weight;
    guaranteed |= other.guaranteed;
    deserved |= other.deserved;
    limit |= other.limit;
    return *this;
  }
};

struct PolicyNeeds {
  // Which devices the books assign. Of several strategies that of the last policy decides.
  DeviceRules devices = {};
  // True: overfull nodes do not count for what queues share.
  bool whole_nodes = false;
  // What is read of queues. Policies and actions of callers may read all.
  QueueFieldsRead queues = {};
  // True: published shares follow from more than queues, sums and the total; only a cycle has them.
  bool shares_need_a_cycle = false;
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_NEEDS_H_
