// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The pieces of one of Armada's rounds, for calls of single steps.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_ARMADA_PIECES_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_ARMADA_PIECES_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/armada/armada.h"

namespace muster::testing::armada_probe {

// The pieces of a round without its passes.
struct Pieces {
  explicit Pieces(armada::State read)
      : state(std::move(read)),
        tables(state),
        contexts(state.jobs.size()),
        accounts(tables, contexts),
        books(tables),
        evicted(state.jobs.size()),
        finder(tables, books, evicted, contexts),
        unfeasible(state.shapes.size(), armada::Reason::kNone),
        world{tables, contexts, accounts, unfeasible, ranks},
        gangs(world, finder) {
    for (size_t j = 0; j < state.jobs.size(); ++j) {
      const armada::JobSeat& seat = books.seat(static_cast<int>(j));
      if (!seat.evicted) continue;
      contexts[j].evicted = true;
      contexts[j].own_node = seat.node;
    }
  }

  int JobOf(const std::string& id) const {
    const auto found = std::ranges::find(state.jobs, id, &armada::Job::id);
    return static_cast<int>(found - state.jobs.begin());
  }
  std::string IdOf(int job) const { return job < 0 ? "" : state.jobs[static_cast<size_t>(job)].id; }

  armada::State state;
  armada::Tables tables;
  std::vector<armada::JobContext> contexts;
  armada::Accounts accounts;
  armada::NodeBooks books;
  armada::EvictedJobs evicted;
  armada::NodeFinder finder;
  std::vector<armada::Reason> unfeasible;
  std::vector<int> ranks;
  armada::WalkWorld world;
  armada::GangScheduler gangs;
};

}  // namespace muster::testing::armada_probe

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_ARMADA_PIECES_H_
