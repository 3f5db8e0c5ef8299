// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's NodeShard objects: which of several schedulers manages a node.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/volcano.h"

namespace muster::volcano {

void AddShards(const Dump& dump, std::vector<NodeSpec>* nodes) {
  using Shards = std::vector<const ApiObject*>;
  HashMap<std::string, Shards> desired, in_use;
  for (const ApiObject* shard : SortedByName(dump.OfKind("NodeShard"))) {
    for (const std::string& node : shard->spec().Texts("nodesDesired")) {
      desired[node].push_back(shard);
    }
    for (const std::string& node : shard->status().Texts("nodesInUse")) {
      in_use[node].push_back(shard);
    }
  }
  for (NodeSpec& node : *nodes) {
    const auto wanted = desired.find(node.name);
    if (wanted == desired.end()) continue;
    const auto users = in_use.find(node.name);
    Shards free;
    for (const ApiObject* shard : wanted->second) {
      const bool own = users == in_use.end() ||
                       std::all_of(users->second.begin(), users->second.end(),
                                   [&](const ApiObject* user) { return user == shard; });
      if (own) free.push_back(shard);
    }
    if (free.empty()) continue;
    node.shard = free[0]->name();
    if (free.size() == 1) continue;
    free[0]->log()->Note(free[0]->place(), "spec.nodesDesired",
                         absl::StrCat("node ", Quote(node.name),
                                      " is wanted by other shards too; it is counted to this one"));
  }
}

}  // namespace muster::volcano
