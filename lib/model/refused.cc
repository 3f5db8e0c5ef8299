// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/refused.h"

#include <algorithm>
#include <utility>

namespace muster {

std::shared_ptr<const RefusedList> WithRefusal(const RefusedList* list, const std::string& key,
                                               RefusedRow refused) {
  auto next =
      list == nullptr ? std::make_shared<RefusedList>() : std::make_shared<RefusedList>(*list);
  const auto older = [](const auto& a, const auto& b) { return a.second.turn < b.second.turn; };
  const auto newest = std::max_element(next->begin(), next->end(), older);
  refused.turn = newest == next->end() ? 1 : newest->second.turn + 1;
  (*next)[key] = std::move(refused);
  if (next->size() > kMostRefused) next->erase(std::min_element(next->begin(), next->end(), older));
  return next;
}

std::shared_ptr<const RefusedList> WithoutRefusal(const RefusedList& list, std::string_view key) {
  if (list.size() == 1 && list.begin()->first == key) return nullptr;
  auto next = std::make_shared<RefusedList>(list);
  if (const auto found = next->find(key); found != next->end()) next->erase(found);
  return next;
}

}  // namespace muster
