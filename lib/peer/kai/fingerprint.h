// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What tells scenarios apart: 128 bits of the tasks that each role has.
//
//   KaiFingerprint f;
//   f.Add(KaiFingerprint::Role::kPotential, task);
//   f.Add(other);                                    // all that `other` has
//   if (failed.contains(f)) ...
//
// Idea. A sum of mixed numbers, so that the order of tasks does not matter, a task that comes twice
// counts twice, and the fingerprint of a union is known before the union is built.
//
// Guarantee. Equal lists have equal fingerprints. Others have equal ones with a chance of 2^-128 a
// pair.
#ifndef MUSTER_PEER_KAI_FINGERPRINT_H_
#define MUSTER_PEER_KAI_FINGERPRINT_H_

#include <compare>
#include <cstdint>

namespace muster {

struct KaiFingerprint {
  enum class Role : uint8_t { kPreemptor, kPending, kRecorded, kPotential };

  void Add(Role role, uint32_t number) {
    const uint64_t value = (uint64_t{static_cast<uint8_t>(role)} << 32 | number) + 1;
    low += Mixed(value * 0x9e3779b97f4a7c15);
    high += Mixed(value * 0xc2b2ae3d27d4eb4f);
  }
  void Add(const KaiFingerprint& other) {
    low += other.low;
    high += other.high;
  }
  friend auto operator<=>(const KaiFingerprint&, const KaiFingerprint&) = default;

  uint64_t low = 0, high = 0;

 private:
  static uint64_t Mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_FINGERPRINT_H_
