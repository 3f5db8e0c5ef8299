// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Finds which leaf domains are alike to tasks with constraints on nodes alone, and how many such
// tasks a domain can hold at most.
//
// Two domains without children are twins if their nodes, in index order, are of equal kinds with
// equal books: whatever can be placed in one can be placed in the other, node by node. Each
// domain's content is written down once and compared word by word, so twins are exact; a number
// stands for it until a node of the domain changes.
// Cost. O(nodes x dimensions) of a domain at its first call, and at the first after each change.
//
//   DomainTwins twins(context);
//   if (twins.Number(rack) == twins.Number(tried)) ...   // equal outcomes
//   if (twins.Room(rack, task_class) < tasks) ...         // too few places, without a try
#ifndef MUSTER_PART_DOMAIN_TWINS_H_
#define MUSTER_PART_DOMAIN_TWINS_H_

#include <cstdint>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/part/context.h"

namespace muster {

class DomainTwins {
 public:
  explicit DomainTwins(ActionContext& context) : context_(context) {}

  // Returns the number of the leaf domain's content as the books are. Equal numbers: twins.
  uint32_t Number(DomainIndex leaf);
  // Returns an upper bound of the number of tasks of the class that the domain can hold.
  int64_t Room(DomainIndex domain, ClassIndex c);

 private:
  void Follow();
  const std::vector<int64_t>& Free(DomainIndex domain);

  ActionContext& context_;
  size_t position_ = 0;           // in the ledger's journal
  std::vector<uint32_t> number_;  // per domain; kNone: not computed
  std::vector<std::vector<int64_t>>
      free_;  // what will be idle on nodes that have any; empty: likewise
  HashMap<std::vector<int64_t>, uint32_t> known_;
};

}  // namespace muster

#endif  // MUSTER_PART_DOMAIN_TWINS_H_
