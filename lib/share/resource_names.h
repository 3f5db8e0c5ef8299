// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Names of resources as small numbers, so that amounts can be kept as Sparse.
//
//   ResourceNames names;
//   absl::StatusOr<Sparse> max = names.Intern({{"cpu", 4000}});
//   names.Named(*max);                                     // {{"cpu", 4000}}
#ifndef MUSTER_SHARE_RESOURCE_NAMES_H_
#define MUSTER_SHARE_RESOURCE_NAMES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/share/sparse.h"

namespace muster {

// Resource -> amount, in whole units of the resource (cpu in thousandths).
using NamedAmounts = std::vector<std::pair<std::string, int64_t>>;

class ResourceNames {
 public:
  ResourceNames() = default;
  explicit ResourceNames(std::vector<std::string> first) : names_(std::move(first)) {}

  // Fails if a name occurs twice, or if there would be more than 64 names.
  absl::StatusOr<Sparse> Intern(const NamedAmounts& amounts);
  NamedAmounts Named(const Sparse& amounts) const;
  const std::string& name(size_t resource) const { return names_[resource]; }

 private:
  std::vector<std::string> names_;
};

}  // namespace muster

#endif  // MUSTER_SHARE_RESOURCE_NAMES_H_
