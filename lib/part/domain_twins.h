// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which leaf domains are alike to tasks that look at nothing but nodes, and how many such tasks a
// domain can hold at most.
//
// Two domains without children are twins if their nodes, in index order, are of equal kinds with
// equal books: whatever can be placed in one can be placed in the other, node by node. Each
// domain's content is written down once and compared word by word, so twins are never a guess; a
// number stands for it until a node of the domain changes.
// Cost. O(nodes x dimensions) of a domain when it is asked for first, and after each change in it.
//
//   DomainTwins twins(context);
//   if (twins.Number(rack) == twins.Number(tried)) ...   // they fare alike
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

  // The number of the leaf domain's content as the books are. Equal numbers: twins.
  uint32_t Number(DomainIndex leaf);
  // At least as many tasks of the class as the domain can hold.
  int64_t Room(DomainIndex domain, ClassIndex c);

 private:
  void Follow();
  const std::vector<int64_t>& Free(DomainIndex domain);

  ActionContext& context_;
  size_t position_ = 0;           // in the ledger's journal
  std::vector<uint32_t> number_;  // per domain; kNone: to be found out
  std::vector<std::vector<int64_t>>
      free_;  // what will be idle on nodes that have any; empty: likewise
  HashMap<std::vector<int64_t>, uint32_t> known_;
};

}  // namespace muster

#endif  // MUSTER_PART_DOMAIN_TWINS_H_
