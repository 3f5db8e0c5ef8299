// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/preempt/table_order.h"

#include "lib/base/hash_map.h"
#include "lib/peer/yarn/java_order.h"

namespace muster::yarn {
namespace {

constexpr uint32_t kOfApp = 371237, kOfAttempt = 347671, kOfContainer = 31;
constexpr uint32_t kFirstOfApp = 6521, kFirstOfAttempt = 5501;
constexpr uint32_t kAttempt = 1;

}  // namespace

TableOrder::TableOrder(int64_t started) {
  const auto time = static_cast<uint64_t>(started);
  start_ = kOfApp * (kOfApp * kFirstOfApp + static_cast<uint32_t>(time ^ (time >> 32)));
}

uint32_t TableOrder::HashOfApp(uint32_t app) const {
  return kOfAttempt * (kOfAttempt * kFirstOfAttempt + start_ + app) + kAttempt;
}

std::vector<size_t> TableOrder::Apps(absl::Span<const uint32_t> apps) const {
  std::vector<uint32_t> hashes;
  hashes.reserve(apps.size());
  for (const uint32_t app : apps) hashes.push_back(HashOfApp(app));
  return HashMapOrder(hashes);
}

std::vector<size_t> TableOrder::Containers(absl::Span<const ContainerId> containers) const {
  struct Set {
    std::vector<uint32_t> hashes;
    std::vector<size_t> places;
  };
  HashMap<uint32_t, Set> sets;
  for (size_t i = 0; i < containers.size(); ++i) {
    const auto& [app, number] = containers[i];
    Set& set = sets[app];
    set.hashes.push_back(kOfContainer * number + HashOfApp(app));
    set.places.push_back(i);
  }
  std::vector<uint32_t> apps;
  for (const auto& [app, set] : sets) apps.push_back(app);
  std::vector<size_t> order;
  order.reserve(containers.size());
  for (const size_t a : Apps(apps)) {
    const Set& set = sets.at(apps[a]);
    for (const size_t i : HashMapOrder(set.hashes)) order.push_back(set.places[i]);
  }
  return order;
}

}  // namespace muster::yarn
