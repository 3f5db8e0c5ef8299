// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What has changed in the state of a pool since its round was made: jobs alone, and what queues
// hold and request.
//
//   Amendment amendment;
//   amendment.rows.push_back({.place = 3, .job = EndedJob()});   // job 3 is gone
//   amendment.queues = queues;                                   // of the names that there were
//   round->Amend(amendment, rates);
//
// A job that is gone stays at its place and is neither queued nor has it a run. New jobs come
// behind all others, and behind them in the order of ids.
#ifndef MUSTER_PEER_ARMADA_AMENDMENT_H_
#define MUSTER_PEER_ARMADA_AMENDMENT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/peer/armada/cluster.h"

namespace muster::armada {

struct Amendment {
  struct Row {
    int place = 0;  // into State::jobs
    Job job;
    std::optional<int32_t> bound;  // as State::bound_priority
    int32_t cutoff = 0;            // as Holding::cutoff, of a job with a node
    bool leased = false;           // it waits for its node
  };
  std::vector<Row> rows;      // ascending; those behind all others are new
  std::vector<Shape> shapes;  // new ones
  std::vector<Gang> gangs;    // new ones
  std::vector<Queue> queues;  // all of State::queues
  Amounts allocated;          // as State::allocated
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_AMENDMENT_H_
