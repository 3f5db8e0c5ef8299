// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A memory as JSON, on one line.
//
//   AppendJson(plan.memory(), &out);
//   // {"version": 1, "slots": {"ties": {"version": 1, "generation": 7, "rows": {"next": [3]}}}}
//
// Numbers with a point are doubles, others integers. lib/scenario reads it.
#ifndef MUSTER_PLAN_MEMORY_JSON_H_
#define MUSTER_PLAN_MEMORY_JSON_H_

#include <string>

#include "muster/memory.h"

namespace muster {

void AppendJson(const Memory& memory, std::string* out);
// Appends the rows of one slot, without its generation.
void AppendJson(const MemorySlot& slot, std::string* out);

}  // namespace muster

#endif  // MUSTER_PLAN_MEMORY_JSON_H_
