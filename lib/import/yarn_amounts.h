// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Amounts of YARN: memory, virtual cores, and resource types that a site defines.
//
//   Amounts free = AmountsOf(node["totalResource"], memory, vcores);
//   free.Subtract(used);
//   spec.capacity = free.ToResources();   // {"cpu", "memory", "yarn.io/gpu"}
#ifndef MUSTER_IMPORT_YARN_AMOUNTS_H_
#define MUSTER_IMPORT_YARN_AMOUNTS_H_

#include <cstdint>
#include <map>
#include <string>

#include "lib/import/field.h"
#include "muster/spec.h"

namespace muster::yarn_import {

struct Amounts {
  int64_t memory = 0, vcores = 0;         // in MiB, and whole
  std::map<std::string, int64_t> others;  // resource types of the site, in their base unit

  // Takes away what `other` has. An amount may end below 0.
  void Subtract(const Amounts& other);
  // Returns these amounts with 0 for those below it.
  Amounts Positive() const;
  bool empty() const { return memory == 0 && vcores == 0 && others.empty(); }
  Resources ToResources() const;
};

// Returns these amounts with the types that `resource` lists beside them in `resourceInformations`,
// each a whole number with a unit. Refuses other forms.
Amounts AmountsOf(const Field& resource, int64_t memory, int64_t vcores);
// The same of a map by name, without units: {"yarn.io/gpu": 1} or {"entry": [{"key", "value"}]}.
Amounts AmountsOfMap(const Field& map, int64_t memory, int64_t vcores);

}  // namespace muster::yarn_import

#endif  // MUSTER_IMPORT_YARN_AMOUNTS_H_
