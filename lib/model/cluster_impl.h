// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The implementation behind a Cluster.
//
//   const Tables& tables = *ImplOf(cluster).tables;  // lib/model/access.h
#ifndef MUSTER_MODEL_CLUSTER_IMPL_H_
#define MUSTER_MODEL_CLUSTER_IMPL_H_

#include <memory>

#include "lib/model/deltas.h"
#include "lib/model/editor.h"
#include "lib/model/shelf.h"
#include "lib/model/tables.h"
#include "muster/cluster.h"

namespace muster::internal {

struct ClusterImpl {
  std::shared_ptr<Tables> tables = std::make_shared<Tables>();
  Editor editor{tables};
  Deltas deltas{editor};
  // What is kept from one cycle to the next. Its keeper follows Tables::log, starts afresh when
  // Tables::layout or log_start has passed it, and takes the tables anew each time: they are
  // another object after a Freeze.
  std::unique_ptr<Attachment> cycle;
};

}  // namespace muster::internal

#endif  // MUSTER_MODEL_CLUSTER_IMPL_H_
