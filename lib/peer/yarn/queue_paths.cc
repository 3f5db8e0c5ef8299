// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/queue_paths.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster::yarn {
namespace {

// Paths grow with each level, and so does what is computed over a tree.
constexpr size_t kMostLevels = 100;

absl::Status NoPath(const std::string& name, absl::string_view rule) {
  return absl::InvalidArgumentError(absl::StrCat("queue ", Quote(name), ": ", rule));
}

// Returns the name without that of the parent, which whole paths begin with.
std::string_view OwnNameOf(std::string_view name, std::string_view parent) {
  const bool is_path =
      name.size() > parent.size() + 1 && name.starts_with(parent) && name[parent.size()] == '.';
  return is_path ? name.substr(parent.size() + 1) : name;
}

}  // namespace

absl::StatusOr<std::vector<QueuePath>> QueuePaths(const QueueTable& queues) {
  std::vector<muster::QueueIndex> tops;
  muster::QueueIndex root = muster::kNone;
  for (muster::QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (!queues.alive[q] || queues.parent[q] != muster::kNone) continue;
    if (queues.spec[q].name == "root" && !queues.children[q].empty()) {
      root = q;
    } else if (queues.jobs[q] > 0 || !queues.children[q].empty() ||
               !queues.spec[q].settings.empty()) {
      tops.push_back(q);
    }
  }
  if (root != muster::kNone) {
    tops.insert(tops.begin(), queues.children[root].begin(), queues.children[root].end());
  }
  std::vector<QueuePath> rows = {{.queue = root, .path = "root"}};
  std::vector<size_t> levels = {0};  // below the root, by row
  for (size_t parent = 0; parent < rows.size(); ++parent) {
    const muster::QueueIndex above = rows[parent].queue;
    for (const muster::QueueIndex q : parent == 0 ? tops : queues.children[above]) {
      const std::string& name = queues.spec[q].name;
      const std::string_view own =
          OwnNameOf(name, parent == 0 ? std::string_view("root") : queues.spec[above].name);
      if (own.find('.') != std::string_view::npos) {
        return NoPath(name,
                      "its name has a dot; must have none, as dots part the queues of a path");
      }
      if (levels[parent] == kMostLevels) {
        return NoPath(name, absl::StrCat("lies more than ", kMostLevels, " levels below the root"));
      }
      levels.push_back(levels[parent] + 1);
      rows.push_back({.queue = q,
                      .path = absl::StrCat(rows[parent].path, ".", ToAbsl(own)),
                      .is_leaf = queues.children[q].empty(),
                      .parent = parent});
    }
  }
  return rows;
}

}  // namespace muster::yarn
