// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Events of a watch that were refused: the newest of each object, until a later one is taken.
//
//   tables.refused = WithRefusal(tables.refused.get(), key, {.of = task.job, .why = words});
//   const RefusedRow* refused = FindRefused(tables.refused.get(), KeyOf(RowKind::kTask, "a/b"));
//
// The list is shared by tables, snapshots and plans, and never changed once it is made: a change
// makes another one. That costs O(objects in it), which are kMostRefused at most; the one that was
// refused first is dropped.
#ifndef MUSTER_MODEL_REFUSED_H_
#define MUSTER_MODEL_REFUSED_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace muster {

struct RefusedRow {
  std::string of;     // the job of a task
  std::string why;    // the error's words
  uint64_t turn = 0;  // grows with every refusal
};

using RefusedList = std::map<std::string, RefusedRow, std::less<>>;  // by key (keys.h)

inline constexpr size_t kMostRefused = 1024;

// Null for no list.
std::shared_ptr<const RefusedList> WithRefusal(const RefusedList* list, const std::string& key,
                                               RefusedRow refused);
std::shared_ptr<const RefusedList> WithoutRefusal(const RefusedList& list, std::string_view key);

inline const RefusedRow* FindRefused(const RefusedList* list, std::string_view key) {
  if (list == nullptr) return nullptr;
  const auto found = list->find(key);
  return found == list->end() ? nullptr : &found->second;
}

}  // namespace muster

#endif  // MUSTER_MODEL_REFUSED_H_
