// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Accounts of namespaces and the three comparisons.
#include "lib/peer/scheduler_plugins/capacity_quotas.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace muster {
namespace {

constexpr uint64_t kAlways =
    0b1111;  // cpu, memory, ephemeral-storage, pods: compared even if not requested
constexpr int64_t kLargestRequest = int64_t{1} << 53;

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

__int128 Exact(const Sparse& amounts, size_t r) { return amounts.at(r); }
__int128 Exact(const SparseSum& amounts, size_t r) { return amounts.exact(r); }

// Returns whether a + b is above the bound in a resource of `keys`. `NotNamed` is the bound of
// resources that the bound does not name.
enum class NotNamed : uint8_t { kZero, kUnbounded };
template <typename Bound>
bool Above(const SparseSum& a, const SparseSum* b, uint64_t keys, const Bound& bound,
           NotNamed not_named) {
  for (uint64_t rest = keys | kAlways; rest != 0; rest &= rest - 1) {
    const size_t r = static_cast<size_t>(std::countr_zero(rest));
    const __int128 sum = a.exact(r) + (b == nullptr ? 0 : b->exact(r));
    if (bound.has(r) || (kAlways >> r & 1) != 0) {
      if (sum > Exact(bound, r)) return true;
    } else if (not_named == NotNamed::kZero && sum > 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

CapacityQuotas::Index CapacityQuotas::Find(std::string_view name_space) const {
  const auto it = index_.find(View(name_space));
  return it == index_.end() ? kNone : it->second;
}

std::vector<std::string> CapacityQuotas::NameSpaces() const {
  std::vector<std::string> names;
  for (const Account& account : accounts_) {
    if (account.alive) names.push_back(account.name_space);
  }
  return names;
}

absl::Status CapacityQuotas::Set(Index at, std::string_view name_space,
                                 const CapacityLimits& limits) {
  const auto read = [&](const NamedAmounts& amounts) {
    absl::StatusOr<Sparse> sparse = names_.Intern(amounts);
    if (sparse.ok()) return sparse;
    return absl::StatusOr<Sparse>(absl::Status(
        sparse.status().code(),
        absl::StrCat("quota of \"", View(name_space), "\": ", sparse.status().message())));
  };
  const absl::StatusOr<Sparse> min = read(limits.min.value_or(NamedAmounts()));
  const absl::StatusOr<Sparse> max = read(limits.max.value_or(NamedAmounts()));
  const absl::StatusOr<Sparse> used = read(limits.used);
  for (const absl::StatusOr<Sparse>* amounts : {&min, &max, &used}) {
    if (!amounts->ok()) return amounts->status();
  }
  if (at == kNone) {
    at = static_cast<Index>(accounts_.size());
    accounts_.push_back({.name_space = std::string(name_space), .used = *used});
    index_.emplace(std::string(name_space), at);
    all_used_.Add(*used);
  } else {
    all_min_.Subtract(accounts_[at].min);
  }
  all_min_.Add(*min);
  accounts_[at].min = *min;
  accounts_[at].max = *max;
  accounts_[at].unlimited = !limits.max.has_value();
  return absl::OkStatus();
}

absl::StatusOr<Sparse> CapacityQuotas::Request(std::string_view task, const NamedAmounts& request) {
  const auto refuse = [&](auto... rule) {
    return absl::InvalidArgumentError(absl::StrCat("task \"", View(task), "\": ", rule...));
  };
  for (const auto& [name, amount] : request) {
    if (amount < 0 || amount > kLargestRequest) {
      return refuse("request of ", amount, " \"", name, "\" is not within 0 and 2^53");
    }
  }
  absl::StatusOr<Sparse> amounts = names_.Intern(request);
  if (!amounts.ok()) return refuse(amounts.status().message());
  return amounts;
}

absl::Status CapacityQuotas::Add(std::string_view name_space, const CapacityLimits& limits) {
  return Find(name_space) != kNone ? absl::OkStatus() : Set(kNone, name_space, limits);
}

absl::Status CapacityQuotas::Update(std::string_view name_space, const CapacityLimits& limits) {
  return Set(Find(name_space), name_space, limits);
}

void CapacityQuotas::Remove(std::string_view name_space) {
  const Index at = Find(name_space);
  if (at == kNone) return;
  index_.erase(View(name_space));
  all_min_.Subtract(accounts_[at].min);
  all_used_.Subtract(accounts_[at].used);
  accounts_[at] = {.name_space = std::string(name_space), .alive = false};
}

absl::Status CapacityQuotas::Use(std::string_view name_space, std::string_view task,
                                 const NamedAmounts& request) {
  const absl::StatusOr<Sparse> amounts = Request(task, request);
  if (!amounts.ok()) return amounts.status();
  const Index at = Find(name_space);
  if (at == kNone || !accounts_[at].tasks.insert(std::string(task)).second) return absl::OkStatus();
  accounts_[at].used.Add(*amounts);
  all_used_.Add(*amounts);
  return absl::OkStatus();
}

absl::Status CapacityQuotas::Release(std::string_view name_space, std::string_view task,
                                     const NamedAmounts& request) {
  const absl::StatusOr<Sparse> amounts = Request(task, request);
  if (!amounts.ok()) return amounts.status();
  const Index at = Find(name_space);
  if (at == kNone || accounts_[at].tasks.erase(View(task)) == 0) return absl::OkStatus();
  accounts_[at].used.Subtract(*amounts);
  all_used_.Subtract(*amounts);
  return absl::OkStatus();
}

bool CapacityQuotas::OverMin(const Account& account, const SparseSum& used, const SparseSum& more) {
  return Above(more, &used, more.keys(), account.min, NotNamed::kZero);
}

bool CapacityQuotas::OverMin(const Account& account, const SparseSum& used) {
  return Above(used, nullptr, used.keys(), account.min, NotNamed::kZero);
}

bool CapacityQuotas::OverMax(const Account& account, const SparseSum& used, const SparseSum& more) {
  return !account.unlimited && Above(more, &used, more.keys(), account.max, NotNamed::kUnbounded);
}

bool CapacityQuotas::OverMins(const SparseSum& all_used, const SparseSum& more) const {
  return Above(all_used, &more, all_used.keys() | more.keys(), all_min_, NotNamed::kZero);
}

}  // namespace muster
