// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What tests of Koordinator's dumps share.
#ifndef MUSTER_TESTS_IMPORT_KOORDINATOR_DUMPS_H_
#define MUSTER_TESTS_IMPORT_KOORDINATOR_DUMPS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "lib/import/import.h"

namespace muster {

// Returns the row of the name, which must be there.
template <class Row>
const Row& RowNamed(const std::vector<Row>& rows, std::string_view name) {
  static const Row kNoRow;
  const auto found = std::ranges::find(rows, name, &Row::name);
  EXPECT_NE(found, rows.end()) << name;
  return found == rows.end() ? kNoRow : *found;
}

// A cluster of one node and one pod that waits, with more objects.
inline absl::StatusOr<Import> ImportWith(const std::string& pod_metadata,
                                         const std::string& objects) {
  std::string dump =
      R"([{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
        "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}}},
       {"kind": "Pod", "metadata": {"name": "p", "namespace": "lab")" +
      pod_metadata + R"(},
        "spec": {"schedulerName": "koord-scheduler",
                 "containers": [{"resources": {"requests": {"cpu": "1"}}}]},
        "status": {"phase": "Pending"}})" +
      objects + "]";
  // JSON has no line breaks within texts.
  std::erase(dump, '\n');
  return ImportObjects(dump, {.profile = "koordinator"});
}

}  // namespace muster

#endif  // MUSTER_TESTS_IMPORT_KOORDINATOR_DUMPS_H_
