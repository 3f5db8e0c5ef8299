// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Sums of nodes as the root of a quota tree.
#include "lib/peer/koordinator/quota/quota_profile.h"

#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "lib/share/sparse.h"

namespace muster {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
// No bound, small enough for sums of it: in whole units, where cpu is counted in thousandths.
constexpr int64_t kUnbounded = kMost / 2000;

int64_t PartOf(int64_t amount, double ratio) {
  if (ratio == 1) return amount;
  return static_cast<int64_t>(static_cast<double>(amount) * ratio);  // below the end, as ratio is
}

NamedAmounts PartsOf(const ResourceNames& resources, const Sparse& sum, double ratio) {
  NamedAmounts parts = resources.Named(sum);
  for (auto& [name, amount] : parts) amount = PartOf(amount, ratio);
  return parts;
}

int64_t AmountOf(const NamedAmounts& amounts, const std::string& resource) {
  for (const auto& [name, amount] : amounts) {
    if (name == resource) return amount;
  }
  return 0;
}

}  // namespace

std::string TreeOf(const QuotaProfile& profile) {
  if (!profile.tree.empty()) return profile.tree;
  uint64_t hash = 0xCBF29CE484222325;
  for (const char c : absl::StrCat(profile.name_space, "/", profile.name)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  }
  return absl::StrCat(hash);
}

absl::StatusOr<ProfiledRoot> RootOf(const QuotaProfile& profile,
                                    std::span<const ProfiledNode> nodes) {
  const auto refuse = [&](auto... rule) {
    return absl::InvalidArgumentError(absl::StrCat("profile \"", profile.name, "\": ", rule...));
  };
  if (profile.group.empty()) return refuse("the name of a root is required");
  if (!(profile.ratio > 0 && profile.ratio <= 1)) {
    return refuse("ratio ", profile.ratio, " is not above 0 and at most 1");
  }
  ResourceNames resources;
  Sparse sum, idle;
  for (const ProfiledNode& node : nodes) {
    const absl::StatusOr<Sparse> amounts = resources.Intern(node.allocatable);
    if (!amounts.ok()) return refuse("a node: ", amounts.status().message());
    for (const auto& [name, amount] : node.allocatable) {
      if (amount < 0) return refuse("a node: ", name, " must not be below zero");
    }
    sum.Add(*amounts);
    if (!node.takes_tasks) idle.Add(*amounts);
  }
  ProfiledRoot made;
  const NamedAmounts total = PartsOf(resources, sum, profile.ratio);
  made.idle = PartsOf(resources, idle, profile.ratio);
  made.root.tree = TreeOf(profile);
  made.root.total = total;
  QuotaGroup& group = made.root.group;
  group.name = profile.group;
  group.is_parent = true;
  for (const std::string& resource : profile.resources) {
    group.min.emplace_back(resource, AmountOf(total, resource));
    group.max.emplace_back(resource, resource == "cpu" ? kUnbounded * 1000 : kUnbounded);
  }
  return made;
}

}  // namespace muster
