// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gives equal things equal numbers: task shapes their class; gate lists, lists of held devices and
// constraints their index.
//
//   absl::StatusOr<CheckedShape> shape = interner.Check(spec.shape, "task", spec.name);
//   ...                                                     // everything else is checked
//   ClassIndex c = interner.Intern(*shape, kNone, tables);  // cannot fail any more
//
// A shape is compared twice. The comparison as it is spelled is quick, and skips every check of a
// shape seen before. The comparison as it is meant makes "1" and "1000m" of cpu one class. The maps
// serve writers only, so they are not part of Tables, which are copied.
#ifndef MUSTER_MODEL_INTERNER_H_
#define MUSTER_MODEL_INTERNER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/model/tables.h"
#include "lib/model/validate.h"

namespace muster {

// A shape in order, not yet a class. Holds views into the shape.
struct CheckedShape {
  const TaskShape* shape = nullptr;
  ClassIndex known = kNone;
  std::string spelled, meant;
  ShapeAmounts amounts;
};

class Interner {
 public:
  // Reports under `kind "name"`, or `kind "name", part "part_name"`.
  absl::StatusOr<CheckedShape> Check(const TaskShape& shape, const char* kind,
                                     std::string_view name, const char* part = nullptr,
                                     std::string_view part_name = {}) const;
  // The class, made if it is new; may add dimensions. `queue` is kNone where it is no part of it.
  ClassIndex Intern(const CheckedShape& checked, QueueIndex queue, Tables& tables);
  // The class of the same shape for another queue.
  ClassIndex OfQueue(ClassIndex c, QueueIndex queue, Tables& tables);

  uint32_t InternGates(const std::vector<std::string>& gates, Tables& tables);

  uint32_t InternHolds(const std::vector<DeviceHold>& holds, Tables& tables);

  // Adapts to compacted tables; by old index, kNone for a row that is gone.
  void Renumber(const std::vector<ClassIndex>& classes, const std::vector<uint32_t>& gate_lists,
                const std::vector<uint32_t>& hold_lists, Tables& tables);

 private:
  void AppendClass(const CheckedShape& checked, Tables& tables);
  uint32_t InternConstraints(const Tables& tables, ClassIndex c);

  HashMap<std::string, ClassIndex> spelled_, meant_;
  HashMap<std::pair<ClassIndex, QueueIndex>, ClassIndex> of_queue_;
  HashMap<std::string, uint32_t> constraints_;
  HashMap<std::string, uint32_t> gates_, holds_;
};

// Adds every dimension that `amounts` names.
void AddDimensions(const Amounts& amounts, Tables& tables);
// Returns the row over the known dimensions, with `fill` where `amounts` is unset.
std::vector<int64_t> RowOf(const Amounts& amounts, const Tables& tables, int64_t fill = kAbsent);

}  // namespace muster

#endif  // MUSTER_MODEL_INTERNER_H_
