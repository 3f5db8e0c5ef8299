// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's memory of refusals within a role.
//
//   std::vector<uint8_t>* refused = memory.Of(task);   // by node; null: no memory is needed
//   NodeIndex node = refused != nullptr ? search.BestExcept(task, Want::kNow, *refused)
//                                       : search.Best(task, Want::kNow);
//
// A node that refused one task of a role is not asked again for another task of the same role of
// the same job, although that task may differ or the node may fit by now. This has an effect only
// where tasks of a role differ, or where a placement can make a node fit. For all other roles a
// refusal stays true by itself, and the fast search is used as if there were no memory. Where the
// profile evicts, actions also read which refusals no eviction cures, and those are as old as the
// refusal: then a role needs the memory as soon as its fit may depend on other nodes.
#ifndef MUSTER_PEER_VOLCANO_ACTION_ROLE_MEMORY_H_
#define MUSTER_PEER_VOLCANO_ACTION_ROLE_MEMORY_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "lib/part/context.h"
#include "lib/peer/volcano/action/fit_errors.h"

namespace muster {

class RoleMemory {
 public:
  // `within_turn`: nothing but placements happens between two calls of Forget.
  explicit RoleMemory(ActionContext& context, bool within_turn = false)
      : context_(context), errors_(context.memory<FitErrors>()), within_turn_(within_turn) {}

  // Returns the nodes that refused the task's role so far, to be passed over and added to; null: no
  // memory is needed.
  std::vector<uint8_t>* Of(TaskIndex task);
  void Forget() { refused_.clear(); }
  // Returns whether tasks of the class need the memory although all tasks of their role are alike.
  bool Needs(ClassIndex c) const;

 private:
  ActionContext& context_;
  FitErrors& errors_;
  const bool within_turn_;
  std::vector<std::pair<std::pair<JobIndex, GroupIndex>, std::vector<uint8_t>>> refused_;
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTION_ROLE_MEMORY_H_
