// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The names of the living rows of a table, and the error for a name that is not among them.
//
//   if (!jobs.names.Find(name)) return NoSuchRow("job", name, jobs);
//   // job "trian" does not exist, did you mean "train"?
//
// Cost. O(rows), and the length of each name for the error.
#ifndef MUSTER_MODEL_LIVING_NAMES_H_
#define MUSTER_MODEL_LIVING_NAMES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/checker.h"
#include "lib/model/tables.h"

namespace muster {

// Returns the names of the rows that `is_there` keeps, in their order. The views are valid as long
// as the table.
template <class Table, class IsThere>
std::vector<std::string_view> LivingNames(const Table& table, IsThere&& is_there) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < table.alive.size(); ++i) {
    if (!table.alive[i] || !is_there(i)) continue;
    names.push_back(static_cast<const NameTable&>(table.names).name(i));
  }
  return names;
}
template <class Table>
std::vector<std::string_view> LivingNames(const Table& table) {
  return LivingNames(table, [](size_t) { return true; });
}

// Returns NotFound. `place` stands before the kind: the row that names the one that is missing.
// Rows that `is_there` does not keep are no suggestions.
template <class Table, class IsThere>
absl::Status NoSuchRow(const char* kind, std::string_view name, const Table& table,
                       const std::string& place, IsThere&& is_there) {
  return absl::NotFoundError(absl::StrCat(place, PlaceOf(kind, name), " does not exist",
                                          SuggestName(name, LivingNames(table, is_there))));
}
template <class Table>
absl::Status NoSuchRow(const char* kind, std::string_view name, const Table& table,
                       const std::string& place = "") {
  return NoSuchRow(kind, name, table, place, [](size_t) { return true; });
}

}  // namespace muster

#endif  // MUSTER_MODEL_LIVING_NAMES_H_
