// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Byte strings that are equal exactly when shapes are.
//
//   if (const auto known = by_spelling_.find(SpelledKey(shape)); known != by_spelling_.end()) ...
#ifndef MUSTER_MODEL_SHAPE_KEY_H_
#define MUSTER_MODEL_SHAPE_KEY_H_

#include <string>

#include "lib/model/validate.h"
#include "muster/spec.h"
#include "muster/types.h"

namespace muster {

// Returns equal keys for shapes that are spelled alike. It is quick, and a shape seen before needs
// no second check.
std::string SpelledKey(const TaskShape& shape);

// Returns equal keys for shapes that mean the same: quantities read, resources and labels in the
// order of their names.
std::string MeaningKey(const TaskShape& shape, const ShapeAmounts& amounts);

// Returns the key of the constraints that depend on the node alone: node selector, required and
// preferred node affinity, tolerations, whether a lent node will do, and the queue where it is part
// of the class.
std::string ConstraintsKey(const TaskShape& shape, QueueIndex queue);

// Returns equal keys for shapes that differ in nothing but amounts and devices. Shapes of equal
// keys have equal constraints, too.
std::string KindKey(const TaskShape& shape, QueueIndex queue);

}  // namespace muster

#endif  // MUSTER_MODEL_SHAPE_KEY_H_
