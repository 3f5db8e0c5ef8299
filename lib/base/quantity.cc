// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The amount is kept as a string of decimal digits and the place of its decimal point; a power of
// 1024 is multiplied into the digits. Nothing is rounded before the end, so no exponent and no
// length is special.
#include "muster/quantity.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr int64_t kMaxExponent = int64_t{1} << 40;  // far beyond any amount, far below overflow

struct Suffix {
  std::string_view text;
  int power_of_ten;
  int power_of_two;
};

// In the order in which FormatQuantity prefers them.
constexpr std::array<Suffix, 16> kSuffixes = {{
    {"", 0, 0},
    {"k", 3, 0},
    {"M", 6, 0},
    {"G", 9, 0},
    {"T", 12, 0},
    {"P", 15, 0},
    {"E", 18, 0},
    {"Ki", 0, 10},
    {"Mi", 0, 20},
    {"Gi", 0, 30},
    {"Ti", 0, 40},
    {"Pi", 0, 50},
    {"Ei", 0, 60},
    {"m", -3, 0},
    {"u", -6, 0},
    {"n", -9, 0},
}};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

absl::Status Refusal(std::string_view text, absl::string_view rule) {
  return absl::InvalidArgumentError(absl::StrCat("quantity ", Quote(text), ": ", rule));
}

// The powers that a suffix stands for, or nothing if it is none. Exponents are clipped to
// kMaxExponent.
struct Powers {
  int64_t of_ten = 0;
  int of_two = 0;
};

std::optional<Powers> ParseExponent(std::string_view digits) {
  const bool negative = !digits.empty() && digits[0] == '-';
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  if (digits.empty()) return std::nullopt;
  int64_t value = 0;
  for (char c : digits) {
    if (!IsDigit(c)) return std::nullopt;
    value = std::min(kMaxExponent, value * 10 + (c - '0'));
  }
  return Powers{negative ? -value : value, 0};
}

std::optional<Powers> ParseSuffix(std::string_view text) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text == text) return Powers{suffix.power_of_ten, suffix.power_of_two};
  }
  if (text[0] == 'e' || text[0] == 'E') return ParseExponent(text.substr(1));
  return std::nullopt;
}

// Returns what ParseQuantity would of up to nine digits with a suffix of the list, as nearly all
// amounts are; nothing of any other text, or of the largest amounts.
std::optional<int64_t> ParseFewDigits(std::string_view text, Unit unit) {
  int64_t value = 0;
  size_t end = 0;
  for (; end < text.size() && IsDigit(text[end]); ++end) {
    if (end == 9) return std::nullopt;
    value = value * 10 + (text[end] - '0');
  }
  const std::string_view suffix = text.substr(end);
  const auto same = [&](const Suffix& known) { return known.text == suffix; };
  const auto found = std::find_if(kSuffixes.begin(), kSuffixes.end(), same);
  if (end == 0 || found == kSuffixes.end()) return std::nullopt;
  value = SatMul(value, int64_t{1} << found->power_of_two);
  int power = found->power_of_ten + (unit == Unit::kMilli ? 3 : 0);
  for (; power > 0; --power) value = SatMul(value, 10);
  if (value == std::numeric_limits<int64_t>::max()) return std::nullopt;
  for (; power < 0; ++power) value = (value + 9) / 10;
  return value;
}

// digits *= 2^power, power <= 60.
void MultiplyByPowerOfTwo(int power, std::string* digits) {
  uint64_t carry = 0;  // below 2^power, so that nine times 2^power and it fit
  for (size_t i = digits->size(); i-- > 0;) {
    const uint64_t value = (uint64_t((*digits)[i] - '0') << power) + carry;
    (*digits)[i] = static_cast<char>('0' + value % 10);
    carry = value / 10;
  }
  if (carry != 0) digits->insert(0, absl::StrCat(carry));
}

// ceil(digits * 10^power), or nothing if that exceeds int64.
std::optional<int64_t> RoundUp(std::string_view digits, int64_t power) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return 0;
  const int64_t whole_digits = static_cast<int64_t>(digits.size()) + power;
  if (whole_digits > std::numeric_limits<int64_t>::digits10 + 1) return std::nullopt;
  uint64_t value = 0;  // below 10^19, which fits
  for (int64_t i = 0; i < whole_digits; ++i) {
    const size_t at = static_cast<size_t>(i);
    value = value * 10 + (at < digits.size() ? uint64_t(digits[at] - '0') : 0);
  }
  const size_t first_rest = whole_digits > 0 ? static_cast<size_t>(whole_digits) : 0;
  if (first_rest < digits.size() &&
      digits.find_first_not_of('0', first_rest) != std::string_view::npos) {
    ++value;
  }
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
  return static_cast<int64_t>(value);
}

}  // namespace

absl::StatusOr<int64_t> ParseQuantity(std::string_view text, Unit unit) {
  if (const std::optional<int64_t> value = ParseFewDigits(text, unit)) return *value;
  if (text.empty()) return Refusal(text, "an amount must not be empty");
  if (text.find_first_of(" \t\r\n\v\f") != std::string_view::npos) {
    return Refusal(text, "an amount must not contain spaces");
  }
  std::string_view rest = text;
  const bool negative = rest[0] == '-';
  if (rest[0] == '-' || rest[0] == '+') rest.remove_prefix(1);
  std::string digits;
  int64_t power_of_ten = 0;
  bool in_fraction = false;
  size_t end = 0;
  for (; end < rest.size(); ++end) {
    if (rest[end] == '.' && !in_fraction) {
      in_fraction = true;
    } else if (IsDigit(rest[end])) {
      digits.push_back(rest[end]);
      power_of_ten -= in_fraction ? 1 : 0;
    } else {
      break;
    }
  }
  if (digits.empty()) return Refusal(text, "an amount must begin with a number");
  const std::string_view suffix = rest.substr(end);
  const std::optional<Powers> powers = ParseSuffix(suffix);
  if (!powers.has_value()) {
    return Refusal(text, absl::StrCat("unknown unit ", Quote(suffix),
                                      "; use n u m k M G T P E, Ki Mi Gi Ti Pi Ei or an exponent"));
  }
  if (negative && digits.find_first_not_of('0') != std::string::npos) {
    return Refusal(text, "an amount must not be negative");
  }
  MultiplyByPowerOfTwo(powers->of_two, &digits);
  power_of_ten += powers->of_ten + (unit == Unit::kMilli ? 3 : 0);
  const std::optional<int64_t> value = RoundUp(digits, power_of_ten);
  if (!value.has_value()) {
    return absl::OutOfRangeError(
        absl::StrCat("quantity ", Quote(text), ": an amount must not exceed ",
                     std::numeric_limits<int64_t>::max(), unit == Unit::kMilli ? "m" : ""));
  }
  return *value;
}

std::string FormatQuantity(int64_t value, Unit unit) {
  const absl::string_view sign = value < 0 ? "-" : "";
  uint64_t magnitude = static_cast<uint64_t>(value);
  if (value < 0) magnitude = -magnitude;
  if (unit == Unit::kMilli) {
    if (magnitude % 1000 != 0) return absl::StrCat(sign, magnitude, "m");
    magnitude /= 1000;
  }
  std::string shortest = absl::StrCat(magnitude);
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.power_of_ten < 0 || (unit == Unit::kMilli && suffix.power_of_two != 0)) continue;
    uint64_t factor = uint64_t{1} << suffix.power_of_two;
    for (int i = 0; i < suffix.power_of_ten; ++i) factor *= 10;
    if (magnitude == 0 || magnitude % factor != 0) continue;
    std::string candidate = absl::StrCat(magnitude / factor, ToAbsl(suffix.text));
    if (candidate.size() < shortest.size()) shortest = std::move(candidate);
  }
  return absl::StrCat(sign, shortest);
}

}  // namespace muster
