// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Parsing of batch policies, and their orders.
#include "lib/replay/batch_spec.h"

#include <algorithm>
#include <span>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/policy/job_keys.h"

namespace muster {
namespace {

constexpr std::string_view kPolicies[] = {"fcfs", "easy", "conservative"};
constexpr std::string_view kOrders[] = {"fifo", "sjf", "ljf", "smallest", "largest", "area", "due",
                                        "saf",  "f1",  "f2",  "f3",       "f4",      "edf"};
constexpr std::string_view kEstimateWords[] = {"user", "actual", "last_two", "learnt"};
constexpr std::string_view kHeads[] = {"oldest", "first"};
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

absl::Status ReadNumber(std::string_view what, std::string_view text, double* out) {
  if (absl::SimpleAtod(ToAbsl(text), out) && *out >= 0 && *out <= 1e9) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(ToAbsl(what), " is ", Quote(text), "; must be a number from 0 to 1e9"));
}

absl::Status ReadQuantile(std::string_view what, std::string_view text, double* out) {
  if (absl::SimpleAtod(ToAbsl(text), out) && *out >= 0.001 && *out <= 0.999) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(ToAbsl(what), " is ", Quote(text), "; must be a number from 0.001 to 0.999"));
}

// Options that the policy has with its order and estimates, which stand first.
std::vector<std::string_view> OptionsOf(const BatchSpec& spec) {
  std::vector<std::string_view> valid = {"order", "estimate", "order_estimate"};
  if (spec.policy == BatchPolicy::kEasy) valid.push_back("head");
  if (spec.policy == BatchPolicy::kConservative) valid.push_back("reservations");
  if (spec.order == BatchOrder::kDue) valid.insert(valid.end(), {"scale", "cap"});
  const bool learns = spec.estimate == BatchEstimate::kLearnt;
  const bool orders = spec.order_estimate == BatchEstimate::kLearnt;
  if (learns || orders) valid.push_back("quantile");
  if (orders) valid.push_back("order_quantile");
  return valid;
}

absl::Status ReadOption(std::string_view key, std::string_view value, BatchSpec* spec) {
  const std::vector<std::string_view> valid = OptionsOf(*spec);
  if (std::find(valid.begin(), valid.end(), key) == valid.end()) {
    return Unknown("option", key, valid);
  }
  if (key == "order") return Choose("order", value, kOrders, &spec->order);
  if (key == "estimate") return Choose("estimate", value, kEstimateWords, &spec->estimate);
  if (key == "order_estimate") {
    return Choose("order_estimate", value, kEstimateWords, &spec->order_estimate.emplace());
  }
  if (key == "head") return Choose("head", value, kHeads, &spec->head.emplace());
  if (key == "scale") return ReadNumber("scale", value, &spec->due.scale);
  if (key == "cap") return ReadNumber("cap", value, &spec->due.cap);
  if (key == "quantile") return ReadQuantile("quantile", value, &spec->quantile);
  if (key == "order_quantile") {
    return ReadQuantile("order_quantile", value, &spec->order_quantile.emplace());
  }
  spec->reservations_given = true;
  return Choose("reservations", value, kReservations, &spec->keep_reservations);
}

}  // namespace

bool IsBatchPolicy(std::string_view spec) {
  const std::string_view name = spec.substr(0, spec.find(':'));
  return std::find(std::begin(kPolicies), std::end(kPolicies), name) != std::end(kPolicies);
}

absl::Status PoolTakesNone(std::string_view spec) {
  return absl::InvalidArgumentError(
      absl::StrCat("policies: a batch policy such as ", ToAbsl(spec),
                   " asks none of the caller's on a pool; name a profile, or leave them out"));
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
    const absl::Status s = ReadOption(key, value, &spec);
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
    add("estimate", kEstimateWords[static_cast<int>(spec.estimate)]);
  }
  if (spec.order != BatchOrder::kFifo) add("order", kOrders[static_cast<int>(spec.order)]);
  const RunGuesses promises = spec.promises_by(), orders = spec.orders_by();
  if (orders != promises) {
    add("order_estimate", kEstimateWords[static_cast<int>(orders.source)]);
  }
  const bool learns = promises.source == BatchEstimate::kLearnt;
  if (learns && promises.quantile != RunGuesses().quantile) {
    add("quantile", absl::StrCat(promises.quantile));
  }
  if (orders.source == BatchEstimate::kLearnt &&
      orders.quantile != (learns ? promises : RunGuesses()).quantile) {
    add("order_quantile", absl::StrCat(orders.quantile));
  }
  if (spec.promises_first() != BatchSpec{.order = spec.order}.promises_first()) {
    add("head", kHeads[static_cast<int>(*spec.head)]);
  }
  if (spec.due.scale != DueSettings().scale) add("scale", absl::StrCat(spec.due.scale));
  if (spec.due.cap != DueSettings().cap) add("cap", absl::StrCat(spec.due.cap));
  if (!spec.keep_reservations) add("reservations", kReservations[0]);
  return text;
}

absl::StatusOr<std::string> ProfileText(const BatchSpec& spec) {
  const std::string_view name = kPolicies[static_cast<int>(spec.policy)];
  const bool ordered_behind = spec.policy == BatchPolicy::kEasy && !spec.promises_first();
  const bool of_policy = spec.order >= BatchOrder::kDue;
  const std::string_view of_pools = spec.order_estimate.has_value() ? "order_estimate"
                                    : of_policy && ordered_behind   ? "head=oldest"
                                                                    : "";
  if (!of_pools.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("policy ", Quote(name), ": ", ToAbsl(of_pools),
                                                   " needs a pool of processors"));
  }
  if (spec.order == BatchOrder::kDue) {
    return absl::StrCat(ToAbsl(name), ":+due(scale=", spec.due.scale, ",cap=", spec.due.cap, ")");
  }
  const std::string_view order = kOrders[static_cast<int>(spec.order)];
  if (of_policy) return absl::StrCat(ToAbsl(name), ":+joborder(by=", ToAbsl(order), ")");
  const bool all_ordered = spec.policy == BatchPolicy::kEasy && spec.promises_first();
  if (all_ordered && spec.order != BatchOrder::kFifo) {
    const std::string_view by = spec.order == BatchOrder::kArea ? "saf" : order;
    return absl::StrCat(ToAbsl(name), ":+joborder(by=", ToAbsl(by), ")");
  }
  return absl::StrCat(ToAbsl(name), ":order=", ToAbsl(order));
}

bool IsClairvoyant(const BatchSpec& spec, bool absent) {
  // Orders by estimates; order=due guesses by itself, from what is over.
  const bool by_estimate = spec.order == BatchOrder::kSjf || spec.order == BatchOrder::kLjf ||
                           spec.order == BatchOrder::kArea || spec.order == BatchOrder::kSaf ||
                           (spec.order >= BatchOrder::kF1 && spec.order <= BatchOrder::kF4);
  const bool promises = spec.policy != BatchPolicy::kFcfs;
  // What has ended stands in for estimates that are absent.
  const auto knows = [&](BatchEstimate by) {
    return by == BatchEstimate::kActual || (absent && by != BatchEstimate::kLearnt);
  };
  return (promises && knows(spec.estimate)) || (by_estimate && knows(spec.orders_by().source));
}

int64_t OrderKey(BatchOrder order, const OrderedJob& job) {
  const auto formula = [&](JobFormula which) {
    const double key = FormulaKey(which, {.estimate = static_cast<double>(job.estimate),
                                          .size = static_cast<double>(job.processors),
                                          .submit = static_cast<double>(job.submit)});
    return static_cast<int64_t>(std::min(key * 1000, 9e18));
  };
  switch (order) {
    case BatchOrder::kFifo:
    case BatchOrder::kDue:
      return 0;
    case BatchOrder::kSjf:
      return job.estimate;
    case BatchOrder::kLjf:
      return -job.estimate;
    case BatchOrder::kSmallest:
      return job.processors;
    case BatchOrder::kLargest:
      return -job.processors;
    case BatchOrder::kArea:
    case BatchOrder::kSaf:
      return SatMul(job.estimate, job.processors);
    case BatchOrder::kF1:
      return formula(JobFormula::kF1);
    case BatchOrder::kF2:
      return formula(JobFormula::kF2);
    case BatchOrder::kF3:
      return formula(JobFormula::kF3);
    case BatchOrder::kF4:
      return formula(JobFormula::kF4);
    case BatchOrder::kEdf:
      return job.deadline == kAbsent ? kMaxQuantity : job.deadline;
  }
  return 0;
}

}  // namespace muster
