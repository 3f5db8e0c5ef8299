// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/cards/card_request.h"

#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster {
namespace {

std::optional<int64_t> Find(const CardAmounts& amounts, const std::string& name) {
  const auto found = amounts.find(name);
  return name.empty() || found == amounts.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

absl::StatusOr<std::optional<CardRequest>> ReadCardRequest(const CardAmounts& limits,
                                                           const CardAmounts& requests,
                                                           const CardNames& names) {
  const std::optional<int64_t> count = Find(limits, names.count);
  if (!count.has_value() && !Find(limits, names.memory).has_value()) return std::nullopt;
  for (const std::string* name : {&names.count, &names.memory, &names.percent, &names.cores}) {
    for (const CardAmounts* amounts : {&limits, &requests}) {
      const int64_t amount = Find(*amounts, *name).value_or(0);
      if (amount < 0 || amount > std::numeric_limits<int32_t>::max()) {
        return absl::InvalidArgumentError(
            absl::StrCat("card request: \"", *name, "\": ", amount, " is not in 0 .. 2147483647"));
      }
    }
  }
  const auto either = [&](const std::string& name) {
    const std::optional<int64_t> limit = Find(limits, name);
    return limit.has_value() ? limit : Find(requests, name);
  };
  CardRequest request{.count = count.value_or(1),
                      .memory = either(names.memory).value_or(0),
                      .percent = either(names.percent),
                      .cores = either(names.cores).value_or(0)};
  if (request.percent == 101) request.percent.reset();  // the peer's mark for "not given"
  if (!request.percent.has_value() && request.memory == 0) request.percent = 100;
  return request;
}

}  // namespace muster
