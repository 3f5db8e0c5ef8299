// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Lists of names with values: labels of rows, amounts of dimensions.
//
//   SetNamed("disk", "ssd", &spec.labels);
//   if (!FindNamed(spec.labels, "zone")) EraseNamed(keys, &spec.labels);
#ifndef MUSTER_ADVICE_NAMED_H_
#define MUSTER_ADVICE_NAMED_H_

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace muster {

// Returns the entry of that name, null if there is none.
template <class List>
auto FindNamed(List& list, std::string_view name) -> decltype(&list.front()) {
  for (auto& entry : list) {
    if (entry.first == name) return &entry;
  }
  return nullptr;
}

// Replaces the value of the name, or adds both.
template <class List, class Value>
void SetNamed(const std::string& name, const Value& value, List* list) {
  if (auto* const entry = FindNamed(*list, name)) {
    entry->second = value;
  } else {
    list->emplace_back(name, value);
  }
}

// Takes the entries of these names out. Returns whether there was any.
template <class List>
bool EraseNamed(std::span<const std::string> names, List* list) {
  return std::erase_if(*list, [names](const auto& entry) {
           return std::find(names.begin(), names.end(), entry.first) != names.end();
         }) > 0;
}

}  // namespace muster

#endif  // MUSTER_ADVICE_NAMED_H_
