// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/capacity/users.h"

#include <utility>

namespace muster::yarn {

Users::Users(size_t partitions)
    : partitions_(partitions),
      active_used_(partitions),
      ratio_sum_(partitions),
      active_limits_(2 * partitions),
      all_limits_(2 * partitions) {}

void Users::Configure(float percent, float factor, std::vector<float> weights) {
  percent_ = percent;
  factor_ = factor;
  weights_ = std::move(weights);
  for (size_t u = 0; u < users_.size(); ++u) {
    users_[u].weight = u < weights_.size() ? weights_[u] : 1.0F;
  }
  active_weights_ = SumOfWeights(true);
  all_weights_ = SumOfWeights(false);
  Bump();
}

const User* Users::Find(UserIndex user) const {
  return user < users_.size() && users_[user].is_known ? &users_[user] : nullptr;
}

User* Users::Find(UserIndex user) {
  return user < users_.size() && users_[user].is_known ? &users_[user] : nullptr;
}

User& Users::FindOrAdd(UserIndex user) {
  if (user >= users_.size()) users_.resize(user + 1);
  User& entry = users_[user];
  if (entry.is_known) return entry;
  if (user >= forgotten_.size()) forgotten_.resize(user + 1);
  entry = User{.is_known = true,
               .used = std::vector<Resource>(partitions_),
               .masters = std::vector<Resource>(partitions_),
               .ratio = std::vector<float>(partitions_),
               .weight = user < weights_.size() ? weights_[user] : 1.0F,
               .generation = forgotten_[user].generation};
  all_weights_ = SumOfWeights(false);
  return entry;
}

void Users::Remove(UserIndex user) {
  forgotten_[user] = std::move(users_[user]);
  ++forgotten_[user].generation;
  users_[user] = User{};
  active_weights_ = SumOfWeights(true);
  all_weights_ = SumOfWeights(false);
}

Resource Users::UsedBy(UserIndex user, int64_t generation, Partition partition) const {
  const User* entry = Find(user);
  if (entry == nullptr || entry->generation != generation) entry = &forgotten_[user];
  return entry->used.empty() ? Resource{} : entry->used[partition];
}

float Users::SumOfWeights(bool of_active) const {
  float sum = 0;
  for (const User& user : users_) {
    if (user.is_known && (user.is_active || !of_active)) sum += user.weight;
  }
  return sum;
}

void Users::SetActive(UserIndex user, bool is_active) {
  User& entry = users_[user];
  if (entry.is_active == is_active) return;
  entry.is_active = is_active;
  active_weights_ = SumOfWeights(true);
  for (size_t p = 0; p < partitions_; ++p) {
    active_used_[p] = is_active ? active_used_[p] + entry.used[p] : active_used_[p] - entry.used[p];
  }
}

void Users::StartWanting(UserIndex user) {
  if (user >= wanting_.size()) wanting_.resize(user + 1);
  if (wanting_[user]++ > 0) return;
  ++active_;
  Bump();
  FindOrAdd(user);
  SetActive(user, true);
}

void Users::StopWanting(UserIndex user) {
  if (--wanting_[user] > 0) return;
  --active_;
  Bump();
  if (Find(user) != nullptr) SetActive(user, false);
}

float Users::NewRatio(User* user, Partition partition, const UserLimitBase& base) {
  const float ratio = Ratio(base.calculator, user->used[partition], base.total);
  const float delta = ratio - user->ratio[partition];
  user->ratio[partition] = ratio;
  return delta;
}

void Users::Change(UserIndex user, Partition partition, const Resource& by,
                   const UserLimitBase& base) {
  User& entry = FindOrAdd(user);
  entry.used[partition] += by;
  if (entry.is_active) active_used_[partition] += by;
  Bump();
  ratio_sum_[partition] += NewRatio(&entry, partition, base);
}

void Users::SetRatioSum(Partition partition, float sum,
                        const std::vector<std::pair<UserIndex, float>>& ratios) {
  std::vector<bool> is_done(users_.size());
  for (const auto& [user, before] : ratios) {
    const User* entry = Find(user);
    sum += (entry == nullptr ? 0.0F : entry->ratio[partition]) - before;
    if (entry != nullptr) is_done[user] = true;
  }
  for (UserIndex u = 0; u < users_.size(); ++u) {
    if (users_[u].is_known && !is_done[u]) sum += users_[u].ratio[partition];
  }
  ratio_sum_[partition] = sum;
  Bump();
}

void Users::Recompute(Partition partition, const UserLimitBase& base,
                      const std::vector<UserIndex>& order) {
  float sum = 0;
  for (const UserIndex u : order) {
    User* user = Find(u);
    if (user == nullptr) continue;
    user->ratio[partition] = 0;
    sum += NewRatio(user, partition, base);
  }
  ratio_sum_[partition] = sum;
}

Resource Users::Compute(Partition partition, Exclusivity mode, const UserLimitBase& base,
                        bool of_active) const {
  const Calculator by = base.calculator;
  const Resource& total = base.total;
  const Resource& step = base.min_allocation;
  const Resource capacity = Max(by, total, base.guaranteed, step);
  const Resource consumed = MultiplyUp(by, total, static_cast<double>(ratio_sum_[partition]), step);
  const Resource current = Less(by, total, consumed, capacity) ? capacity : consumed + step;
  const Resource shared = of_active ? DivideUp(by, active_used_[partition] + step, active_weights_)
                                    : DivideUp(by, current, all_weights_);
  const Resource least = DivideUpWhole(by, Multiply(current, static_cast<double>(percent_)), 100);
  Resource most = total;
  if (mode == Exclusivity::kRespect) {
    most = factor_ == -1 || base.guaranteed.IsZero()
               ? RoundDown(by, base.max, step)
               : Multiply(capacity, static_cast<double>(factor_));
  }
  return RoundUp(by, Min(by, total, Max(by, total, shared, least), most), step);
}

void Users::Update(Cached* cached, Partition partition, Exclusivity mode, const UserLimitBase& base,
                   bool of_active) {
  if (cached->version == version_) return;
  *cached = {version_, Compute(partition, mode, base, of_active)};
  pending_only_ = 0;
  for (const User& user : users_) {
    pending_only_ += user.is_known && user.pending_apps > 0 && user.active_apps <= 0 ? 1 : 0;
  }
}

Resource Users::Weighed(Resource limit, UserIndex user, const UserLimitBase& base) const {
  const User* entry = Find(user);
  const float weight = entry == nullptr ? 1.0F : entry->weight;
  return MultiplyDown(base.calculator, limit, static_cast<double>(weight), base.min_allocation);
}

Resource Users::LimitOfActive(UserIndex user, Partition partition, Exclusivity mode,
                              const UserLimitBase& base) {
  Cached& cached = active_limits_[2 * partition + static_cast<size_t>(mode)];
  Update(&cached, partition, mode, base, true);
  const Resource limit = Weighed(cached.limit, user, base);
  if (User* entry = Find(user)) entry->limit = limit;
  return limit;
}

Resource Users::LimitOfAll(UserIndex user, Partition partition, Exclusivity mode,
                           const UserLimitBase& base) {
  Cached& cached = all_limits_[2 * partition + static_cast<size_t>(mode)];
  Update(&cached, partition, mode, base, false);
  return Weighed(cached.limit, user, base);
}

}  // namespace muster::yarn
