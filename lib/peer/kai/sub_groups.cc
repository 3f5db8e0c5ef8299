// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/sub_groups.h"

namespace muster {

int CompareKaiMembers(const KaiMemberCount& left, const KaiMemberCount& right) {
  const bool left_has = left.count >= left.threshold, right_has = right.count >= right.threshold;
  if (!left_has || !right_has) return left_has == right_has ? 0 : left_has ? 1 : -1;
  if ((left.threshold == 0) != (right.threshold == 0)) return left.threshold == 0 ? 1 : -1;
  const double l = static_cast<double>(left.count), r = static_cast<double>(right.count);
  if (left.threshold == 0) return l < r ? -1 : l > r ? 1 : 0;
  const double left_ratio = l / static_cast<double>(left.threshold);
  const double right_ratio = r / static_cast<double>(right.threshold);
  return left_ratio < right_ratio ? -1 : right_ratio < left_ratio ? 1 : 0;
}

KaiSplit SplitKaiVictims(std::span<const uint32_t> pod_set, std::span<const int32_t> minimum) {
  KaiSplit split;
  for (uint32_t p = 0; p < minimum.size(); ++p) {
    int32_t core = 0;
    for (uint32_t i = 0; i < pod_set.size(); ++i) {
      if (pod_set[i] != p) continue;
      (core < minimum[p] ? split.core : split.elastic).push_back(i);
      ++core;
    }
  }
  return split;
}

}  // namespace muster
