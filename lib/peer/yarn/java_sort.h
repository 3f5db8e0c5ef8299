// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A sort that puts items where Java's sort of lists does, for orders that are not strict too.
//
//   JavaSort(&list, [](const Item& a, const Item& b) { return Compare(a, b); });  // < 0: a first
//
// Up to 31 items are sorted as Java does: by binary insertion after the first run. Longer lists are
// sorted stably, which is the same for orders that are strict.
#ifndef MUSTER_PEER_YARN_JAVA_SORT_H_
#define MUSTER_PEER_YARN_JAVA_SORT_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace muster::yarn {

template <class Item, class Compare>
void JavaSort(std::vector<Item>* items, const Compare& compare) {
  std::vector<Item>& list = *items;
  const auto is_first = [&](const Item& a, const Item& b) { return compare(a, b) < 0; };
  if (list.size() >= 32) {
    std::ranges::stable_sort(list, is_first);
    return;
  }
  if (list.size() < 2) return;
  size_t run = 2;
  if (is_first(list[1], list[0])) {
    while (run < list.size() && is_first(list[run], list[run - 1])) ++run;
    std::reverse(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(run));
  } else {
    while (run < list.size() && !is_first(list[run], list[run - 1])) ++run;
  }
  for (auto at = list.begin() + static_cast<std::ptrdiff_t>(run); at != list.end(); ++at) {
    std::rotate(std::upper_bound(list.begin(), at, *at, is_first), at, at + 1);
  }
}

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_JAVA_SORT_H_
