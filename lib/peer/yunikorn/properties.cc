// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yunikorn/properties.h"

#include <cstdint>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster::yunikorn {
namespace {

constexpr uint64_t kMostNanos = uint64_t{1} << 63;

// Reads digits. Of a fraction, those beyond the range are dropped, and `*scale` is its denominator.
bool ReadDigits(std::string_view& text, uint64_t* value, double* scale) {
  const size_t before = text.size();
  bool full = false;
  for (; !text.empty() && absl::ascii_isdigit(static_cast<unsigned char>(text[0]));
       text.remove_prefix(1)) {
    if (full) continue;
    const uint64_t digit = static_cast<uint64_t>(text[0] - '0');
    if (*value > (kMostNanos - 1) / 10 || *value * 10 + digit > kMostNanos) {
      if (scale == nullptr) return false;
      full = true;
      continue;
    }
    *value = *value * 10 + digit;
    if (scale != nullptr) *scale *= 10;
  }
  return text.size() < before;
}

uint64_t UnitOf(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "\xc2\xb5s" || unit == "\xce\xbcs") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return 1'000'000'000;
  if (unit == "m") return 60'000'000'000;
  if (unit == "h") return 3'600'000'000'000;
  return 0;
}

Nanos DelayOf(const std::string& text, Nanos otherwise) {
  const std::optional<Nanos> delay = ReadDuration(text);
  return delay && *delay > 0 ? *delay : otherwise;
}

PreemptionPolicy ReadPreemptionPolicy(const std::string& text) {
  const std::string value = absl::AsciiStrToLower(text);
  if (value == "fence") return PreemptionPolicy::kFence;
  return value == "disabled" ? PreemptionPolicy::kDisabled : PreemptionPolicy::kDefault;
}

// Digits with an optional sign, as the peer's parser accepts them.
template <class Number>
Number ReadNumber(const std::string& text) {
  Number value = 0;
  const bool plain = !text.empty() && !absl::ascii_isspace(static_cast<unsigned char>(text[0])) &&
                     !absl::ascii_isspace(static_cast<unsigned char>(text.back()));
  return plain && absl::SimpleAtoi(text, &value) ? value : Number{0};
}

}  // namespace

std::optional<Nanos> ReadDuration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  uint64_t total = 0;
  while (!text.empty()) {
    uint64_t whole = 0, part = 0;
    double scale = 1;
    const bool point_first = text[0] == '.';
    if (!point_first && !ReadDigits(text, &whole, nullptr)) return std::nullopt;
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      if (!ReadDigits(text, &part, &scale) && point_first) return std::nullopt;
    }
    size_t length = 0;
    while (length < text.size() && text[length] != '.' &&
           !absl::ascii_isdigit(static_cast<unsigned char>(text[length]))) {
      ++length;
    }
    const uint64_t unit = UnitOf(text.substr(0, length));
    if (unit == 0 || whole > kMostNanos / unit) return std::nullopt;
    text.remove_prefix(length);
    whole *= unit;
    if (part > 0) {
      whole +=
          static_cast<uint64_t>(static_cast<double>(part) * (static_cast<double>(unit) / scale));
    }
    if (whole > kMostNanos || total + whole > kMostNanos) return std::nullopt;
    total += whole;
  }
  if (negative) return static_cast<Nanos>(0 - total);
  if (total > kMostNanos - 1) return std::nullopt;
  return static_cast<Nanos>(total);
}

std::string InheritedValue(const std::string& key, const std::string& value) {
  if (key == "priority.policy") return "default";
  if (key == "priority.offset") return "0";
  if (key == "preemption.policy" && ReadPreemptionPolicy(value) != PreemptionPolicy::kDisabled) {
    return "default";
  }
  return value;
}

std::span<const std::string_view> RuleKeys() {
  static constexpr std::string_view kKeys[] = {"application.sort.policy",
                                               "application.sort.priority",
                                               "priority.offset",
                                               "priority.policy",
                                               "preemption.policy",
                                               "preemption.delay",
                                               "application.unschedasks.backoff",
                                               "application.unschedasks.backoff.delay",
                                               "quota.preemption.delay"};
  return kKeys;
}

QueueRules ReadRules(const Texts& properties, bool leaf) {
  QueueRules rules;
  if (!leaf) rules.sort = SortPolicy::kFair;
  for (const auto& [key, value] : properties) {
    if (key == "application.sort.policy" && leaf) {
      rules.sort = value == "fair" ? SortPolicy::kFair : SortPolicy::kFifo;
    } else if (key == "application.sort.priority") {
      rules.sort_by_priority = absl::AsciiStrToLower(value) != "disabled";
    } else if (key == "priority.offset") {
      rules.priority_offset = ReadNumber<int32_t>(value);
    } else if (key == "priority.policy") {
      rules.priority_fence = absl::AsciiStrToLower(value) == "fence";
    } else if (key == "preemption.policy") {
      rules.preemption = ReadPreemptionPolicy(value);
    } else if (key == "preemption.delay" && leaf) {
      rules.preemption_delay = DelayOf(value, rules.preemption_delay);
    } else if (key == "application.unschedasks.backoff") {
      rules.backoff_asks = ReadNumber<uint64_t>(value);
    } else if (key == "application.unschedasks.backoff.delay") {
      rules.backoff_delay = DelayOf(value, rules.backoff_delay);
    } else if (key == "quota.preemption.delay") {
      rules.quota_preemption_delay = DelayOf(value, 0);
    }
  }
  return rules;
}

}  // namespace muster::yunikorn
