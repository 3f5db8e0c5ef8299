// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Arithmetic of the ledger's accounts.
//
// Amounts are at most 2^53 each, so only a thousand of the largest in one account exceed int64. The
// account then wraps, and undoing is exact all the same.
#ifndef MUSTER_LEDGER_AMOUNTS_H_
#define MUSTER_LEDGER_AMOUNTS_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace muster {

inline int64_t WrappingSum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

inline void AddTimes(int times, int64_t amount, int64_t* cell) {
  const auto product = static_cast<uint64_t>(int64_t{times}) * static_cast<uint64_t>(amount);
  *cell = WrappingSum(*cell, static_cast<int64_t>(product));
}

inline void AddRow(int64_t* cells, std::span<const int64_t> row, int times) {
  for (size_t d = 0; d < row.size(); ++d) AddTimes(times, row[d], &cells[d]);
}

}  // namespace muster

#endif  // MUSTER_LEDGER_AMOUNTS_H_
