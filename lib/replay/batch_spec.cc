// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Parsing of batch policies, and their orders.
#include "lib/replay/batch_spec.h"

#include <algorithm>
#include <span>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr std::string_view kPolicies[] = {"fcfs", "easy", "conservative"};
constexpr std::string_view kOrders[] = {"fifo", "sjf", "ljf", "smallest", "largest", "area"};
constexpr std::string_view kEstimates[] = {"user", "actual", "last_two"};
constexpr std::string_view kReservations[] = {"afresh", "kept"};

absl::Status Unknown(std::string_view what, std::string_view word,
                     std::span<const std::string_view> valid) {
  const std::string_view nearest = NearestName(word, valid);
  return absl::InvalidArgumentError(
      absl::StrCat(ToAbsl(what), " ", Quote(word), " is not known; ",
                   nearest.empty() ? "there are " : "did you mean ",
                   nearest.empty() ? absl::StrJoin(valid, ", ",
                                                   [](std::string* out, std::string_view name) {
                                                     absl::StrAppend(out, ToAbsl(name));
                                                   })
                                   : Quote(nearest) + "?"));
}

// The position of `word`, as the value of an enum.
template <class Enum>
absl::Status Choose(std::string_view what, std::string_view word,
                    std::span<const std::string_view> valid, Enum* out) {
  const auto found = std::find(valid.begin(), valid.end(), word);
  if (found == valid.end()) return Unknown(what, word, valid);
  *out = static_cast<Enum>(found - valid.begin());
  return absl::OkStatus();
}

}  // namespace

bool IsBatchPolicy(std::string_view spec) {
  const std::string_view name = spec.substr(0, spec.find(':'));
  return std::find(std::begin(kPolicies), std::end(kPolicies), name) != std::end(kPolicies);
}

absl::StatusOr<BatchSpec> ParseBatchSpec(std::string_view text) {
  BatchSpec spec;
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (absl::Status s = Choose("policy", name, kPolicies, &spec.policy); !s.ok()) return s;
  if (colon == std::string_view::npos) return spec;
  for (absl::string_view absl_item : absl::StrSplit(ToAbsl(text.substr(colon + 1)), ',')) {
    const std::string_view item(absl_item.data(), absl_item.size());
    const size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("policy ", Quote(name), ": ", Quote(item), " is no option=value"));
    }
    const std::string_view key = item.substr(0, equals), value = item.substr(equals + 1);
    absl::Status s;
    if (key == "order") {
      s = Choose("order", value, kOrders, &spec.order);
    } else if (key == "estimate") {
      s = Choose("estimate", value, kEstimates, &spec.estimate);
    } else if (key == "reservations" && spec.policy == BatchPolicy::kConservative) {
      s = Choose("reservations", value, kReservations, &spec.keep_reservations);
      spec.reservations_given = true;
    } else {
      std::vector<std::string_view> valid = {"order", "estimate"};
      if (spec.policy == BatchPolicy::kConservative) valid.push_back("reservations");
      s = Unknown("option", key, valid);
    }
    if (!s.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("policy ", Quote(name), ": ", s.message()));
    }
  }
  return spec;
}

std::string BatchSpecText(const BatchSpec& spec) {
  std::string text(kPolicies[static_cast<int>(spec.policy)]);
  char separator = ':';
  const auto add = [&](std::string_view key, std::string_view value) {
    absl::StrAppend(&text, std::string(1, separator), ToAbsl(key), "=", ToAbsl(value));
    separator = ',';
  };
  if (spec.estimate != BatchEstimate::kUser) {
    add("estimate", kEstimates[static_cast<int>(spec.estimate)]);
  }
  if (spec.order != BatchOrder::kFifo) add("order", kOrders[static_cast<int>(spec.order)]);
  if (!spec.keep_reservations) add("reservations", kReservations[0]);
  return text;
}

std::string ProfileText(const BatchSpec& spec) {
  return absl::StrCat(ToAbsl(kPolicies[static_cast<int>(spec.policy)]),
                      ":order=", ToAbsl(kOrders[static_cast<int>(spec.order)]));
}

int64_t OrderKey(BatchOrder order, int64_t estimate, int64_t processors) {
  switch (order) {
    case BatchOrder::kFifo:
      return 0;
    case BatchOrder::kSjf:
      return estimate;
    case BatchOrder::kLjf:
      return -estimate;
    case BatchOrder::kSmallest:
      return processors;
    case BatchOrder::kLargest:
      return -processors;
    case BatchOrder::kArea: {
      int64_t area = 0;
      return __builtin_mul_overflow(estimate, processors, &area) ? INT64_MAX : area;
    }
  }
  return 0;
}

}  // namespace muster
