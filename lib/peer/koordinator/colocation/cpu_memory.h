// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// CPU and memory together, in thousandths of a core and of a byte.
//
//   CpuMemory left = AtLeastZero(capacity - used);
//
// Memory is counted in thousandths because a zone's part of it may be a fraction of a byte. The
// importer of the amounts keeps each sum below 2^63, which is 9 PB.
//
// Peer. Koordinator computes with Kubernetes' quantities. Below a thousandth these are finer: an
// amount that is finer is rounded up before it comes here.
#ifndef MUSTER_PEER_KOORDINATOR_COLOCATION_CPU_MEMORY_H_
#define MUSTER_PEER_KOORDINATOR_COLOCATION_CPU_MEMORY_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace muster::koordinator {

struct CpuMemory {
  int64_t cpu = 0, memory = 0;

  CpuMemory& operator+=(const CpuMemory& other) {
    cpu += other.cpu;
    memory += other.memory;
    return *this;
  }
  friend CpuMemory operator+(CpuMemory a, const CpuMemory& b) { return a += b; }
  friend CpuMemory operator-(const CpuMemory& a, const CpuMemory& b) {
    return {a.cpu - b.cpu, a.memory - b.memory};
  }
  friend bool operator==(const CpuMemory&, const CpuMemory&) = default;
};

// Returns the larger of both, each resource for itself.
inline CpuMemory Larger(const CpuMemory& a, const CpuMemory& b) {
  return {std::max(a.cpu, b.cpu), std::max(a.memory, b.memory)};
}
inline CpuMemory AtLeastZero(const CpuMemory& amount) { return Larger(amount, {}); }

// Returns thousandths as whole units, rounded up.
constexpr int64_t WholeUnits(int64_t thousandths) {
  return thousandths / 1000 + (thousandths % 1000 > 0 ? 1 : 0);
}

// Returns a part of thousandths, cut to a whole thousandth; doubles, as the peer's.
inline int64_t PartOfThousandths(int64_t thousandths, double ratio) {
  return static_cast<int64_t>(static_cast<double>(thousandths) * ratio);
}
// Returns a part of whole units, cut to a whole unit, in thousandths.
inline int64_t PartOfUnits(int64_t thousandths, double ratio) {
  return PartOfThousandths(WholeUnits(thousandths), ratio) * 1000;
}
inline CpuMemory PartOf(const CpuMemory& amount, double cpu_ratio, double memory_ratio) {
  return {PartOfThousandths(amount.cpu, cpu_ratio), PartOfUnits(amount.memory, memory_ratio)};
}

// Returns an equal part for each of `count` zones, rounded up to a thousandth.
inline CpuMemory DividedBy(const CpuMemory& amount, int64_t count) {
  if (count == 0) return amount;
  const auto divided = [count](int64_t thousandths) {
    return static_cast<int64_t>(
        std::ceil(static_cast<double>(thousandths) / static_cast<double>(count)));
  };
  return {divided(amount.cpu), divided(amount.memory)};
}

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_COLOCATION_CPU_MEMORY_H_
