// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Parts of a row's meaning, added to a key: quantities read, resources in the order of their names.
//
//   Key key;
//   AddMeant(queue.limit, key);
//   AddMeant(queue.rules, key);
//
// REQUIRES: the parts are valid.
#ifndef MUSTER_MODEL_MEANING_H_
#define MUSTER_MODEL_MEANING_H_

#include <optional>

#include "lib/model/key.h"
#include "muster/spec.h"

namespace muster {

void AddMeant(const Quantity& number, Key& key);  // in thousandths
void AddMeant(const Resources& resources, Key& key);
void AddMeant(const std::vector<Taint>& taints, Key& key);
void AddMeant(const QueueRules& rules, Key& key);
void AddMeant(const SpendingRules& rules, Key& key);
void AddMeant(const UserRules& rules, Key& key);
void AddMeant(const UsageHistory& history, Key& key);
void AddMeant(const UsageDetail& detail, Key& key);
void AddMeant(const TaskUsage& usage, Key& key);
void AddMeant(const Lifetime& lifetime, Key& key);
void AddMeant(const ByCount& tasks, Key& key);
void AddMeant(const JobOwner& owner, Key& key);
void AddMeant(const JobAdmission& admission, Key& key);
void AddMeant(const PodGroupTraits& traits, Key& key);
void AddMeant(const TopologyLevels& levels, Key& key);
void AddMeant(const SubGroupPlace& place, Key& key);
void AddMeant(const GangRules& gang, Key& key);

template <class T>
void AddMeant(const std::optional<T>& value, Key& key) {
  key.Add(int64_t{value.has_value()});
  if (value.has_value()) AddMeant(*value, key);
}
template <class T>
void AddMeant(const Boxed<T>& value, Key& key) {
  key.Add(int64_t{value.has_value()});
  if (value.has_value()) AddMeant(*value, key);
}

}  // namespace muster

#endif  // MUSTER_MODEL_MEANING_H_
