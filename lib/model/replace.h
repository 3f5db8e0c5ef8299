// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One set of rows in the place of another.
#ifndef MUSTER_MODEL_REPLACE_H_
#define MUSTER_MODEL_REPLACE_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lib/model/access.h"
#include "lib/model/change_guard.h"

namespace muster {

// Replaces the cluster by `fresh`, of which nothing is frozen. The version goes on growing: no plan
// of the rows before passes for one of these rows.
inline void ReplaceBy(Cluster fresh, Cluster* cluster) {
  const uint64_t before = ImplOf(*cluster).tables->version;
  uint64_t& version = ImplOf(fresh).tables->version;
  if (before != kLostVersion) version = std::max(version, before + 1);
  *cluster = std::move(fresh);
}

}  // namespace muster

#endif  // MUSTER_MODEL_REPLACE_H_
