// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Bundles of resources: what an agent has, what an offer holds, what a framework refused.
//
//   Bundle rest = total;
//   Subtract(rest, allocated);
//   Bundle part = ShrinkTo(rest, guarantee);    // as much of it as the guarantee allows
//
// A kind is all that must be equal for two amounts to be of one sort: the name, the roles that it
// is reserved for, whether it may be taken back (revocable), the disk. Amounts of a kind add up,
// with two exceptions. Solid kinds, shared volumes and disks that cannot be divided, stay separate
// items, which are equal or not at all. Ranges (ports) are sets of whole numbers, an item each.
#ifndef MUSTER_PEER_MESOS_RESOURCES_H_
#define MUSTER_PEER_MESOS_RESOURCES_H_

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/rng.h"
#include "lib/peer/mesos/amounts.h"

namespace muster::mesos {

inline constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

struct Kind {
  std::string name;
  // Roles that it is reserved for, from the first reservation to the last refinement, which is the
  // one that counts. Empty: unreserved.
  std::vector<std::string> reservations;
  std::string disk;  // the persistent volume or the device
  bool revocable = false;
  bool shared = false;       // several may use it at once
  bool indivisible = false;  // all of it or nothing
  bool ranges = false;       // whole numbers instead of an amount
};

// A resource as callers write it.
struct Resource {
  Kind kind;
  double amount = 0;                                // of kinds without ranges
  std::vector<std::pair<int64_t, int64_t>> ranges;  // first and last number
};

enum class Form : uint8_t { kScalar, kSolid, kRange };

// 24 bytes, because agents with many ranges of ports have many items.
struct Item {
  uint32_t kind = 0;
  uint32_t role = kNone;  // that it is reserved for
  int64_t amount = 0;     // thousandths; of a range a thousand for each number
  uint32_t begin = 0;     // of a range: its first number
  uint8_t column = 0;
  Form form = Form::kScalar;
  bool revocable : 1 = false;
  bool shared : 1 = false;
  bool refined : 1 = false;  // reserved more than once

  bool scalar() const { return form != Form::kRange; }
  bool reserved() const { return role != kNone; }
  // Returns whether a quota counts it by itself: an unreserved scalar that stays.
  bool plain() const { return scalar() && !reserved() && !revocable; }
  int64_t end() const { return begin + amount / 1000; }
  bool operator==(const Item&) const = default;
};

// In the order of arrival. No two scalars of one kind; ranges neither touch nor overlap.
using Bundle = std::vector<Item>;

void Add(Bundle& bundle, const Item& item);
void Add(Bundle& bundle, const Bundle& more);

// What `bundle` lacks is ignored.
void Subtract(Bundle& bundle, const Bundle& less);

bool Contains(const Bundle& whole, const Bundle& part);

// Sums of the scalars. Solid items count each.
Amounts ScalarSum(const Bundle& bundle);

// Returns what fits in `target`, item after item; names without an amount there are left out.
// An indivisible item fits whole or not at all. With `random` the items are shuffled first.
Bundle ShrinkTo(const Bundle& bundle, Amounts target, Rng* random = nullptr);

// The same, but names without a limit stay as they are.
Bundle ShrinkTo(const Bundle& bundle, Limits target, Rng* random = nullptr);

// Returns whether the bundle has at least these amounts; ranges count by the number. The peer
// subtracts as floating-point numbers here, and so does this function.
bool HasAtLeast(const Bundle& bundle, const Amounts& amounts);

}  // namespace muster::mesos

#endif  // MUSTER_PEER_MESOS_RESOURCES_H_
