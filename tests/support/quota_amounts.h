// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Amounts of quota tests, most of which need one resource.
//
//   Cpu(4000)                            // {{"cpu", 4000}}
//   CpuOf(tree.Refresh("vision"))        // 0 where none is named
#ifndef MUSTER_TESTS_SUPPORT_QUOTA_AMOUNTS_H_
#define MUSTER_TESTS_SUPPORT_QUOTA_AMOUNTS_H_

#include <cstdint>

#include "lib/share/resource_names.h"

namespace muster {

inline NamedAmounts Cpu(int64_t amount) { return {{"cpu", amount}}; }

inline int64_t CpuOf(const NamedAmounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    if (name == "cpu") return amount;
  }
  return 0;
}

}  // namespace muster

#endif  // MUSTER_TESTS_SUPPORT_QUOTA_AMOUNTS_H_
