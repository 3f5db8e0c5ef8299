// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/amounts.h"

#include <algorithm>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

// Above it a whole unit does not fit an int64.
ExactAmount MostAmount() { return ExactAmount(std::numeric_limits<int64_t>::max()) * kAmountUnit; }
constexpr int kBillionths = 9;  // decimal places
// Digits that are kept: with them a number times 2^60 fits. Those behind them round up.
constexpr int kMostDigits = 20;

// digits * 10^exponent, and a bit more where `more`.
struct Decimal {
  ExactAmount digits = 0;
  int exponent = 0;
  bool more = false;
};

// Takes the number from the front of *text; false if there is none.
bool TakeDecimal(std::string_view* text, Decimal* out) {
  bool point = false, any = false;
  size_t size = 0;
  for (int kept = 0; size < text->size(); ++size) {
    const char c = (*text)[size];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!absl::ascii_isdigit(c)) break;
    any = true;
    if (kept < kMostDigits) {
      out->digits = out->digits * 10 + (c - '0');
      if (out->digits != 0) ++kept;
      if (point) --out->exponent;
    } else {
      out->more = out->more || c != '0';
      if (!point) ++out->exponent;
    }
  }
  text->remove_prefix(size);
  return any;
}

// Finds the powers of ten and of two that the suffix stands for. Returns false for other suffixes.
bool ReadSuffix(std::string_view suffix, int* tens, int* twos) {
  constexpr std::string_view kSmall = "num", kLarge = "kMGTPE";
  if (suffix.empty()) return true;
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const size_t step = std::string_view("KMGTPE").find(suffix[0]);
    *twos = 10 * (static_cast<int>(step) + 1);
    return step != std::string_view::npos;
  }
  if (suffix.size() == 1) {
    if (const size_t step = kSmall.find(suffix[0]); step != kSmall.npos) {
      *tens = -9 + 3 * static_cast<int>(step);
      return true;
    }
    const size_t step = kLarge.find(suffix[0]);
    *tens = 3 * (static_cast<int>(step) + 1);
    return step != kLarge.npos;
  }
  // An exponent of up to three digits.
  if (suffix[0] != 'e' && suffix[0] != 'E') return false;
  suffix.remove_prefix(1);
  const bool negative = suffix[0] == '-';
  if (negative || suffix[0] == '+') suffix.remove_prefix(1);
  if (suffix.empty() || suffix.size() > 3) return false;
  for (const char c : suffix) {
    if (!absl::ascii_isdigit(c)) return false;
    *tens = 10 * *tens + (c - '0');
  }
  if (negative) *tens = -*tens;
  return true;
}

// Returns the number times 10^tens * 2^twos, rounded up; nothing where it is above MostAmount().
std::optional<ExactAmount> Scale(const Decimal& number, int tens, int twos) {
  ExactAmount amount = number.digits << twos;
  bool more = number.more;
  for (; tens < 0 && amount != 0; ++tens) {
    more = more || amount % 10 != 0;
    amount /= 10;
  }
  for (; tens > 0 && amount != 0 && amount <= MostAmount(); --tens) amount *= 10;
  if (more) ++amount;
  if (amount > MostAmount()) return std::nullopt;
  return amount;
}

std::string Digits(ExactAmount amount) {
  std::string digits;
  const bool negative = amount < 0;
  if (negative) amount = -amount;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(amount % 10)));
    amount /= 10;
  } while (amount != 0);
  if (negative) digits.push_back('-');
  return std::string(digits.rbegin(), digits.rend());
}

ExactAmount RoundUp(ExactAmount amount, int64_t step) {
  const ExactAmount whole = amount / step;
  return whole * step < amount ? whole + 1 : whole;
}

}  // namespace

std::optional<ExactAmount> ParseAmount(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  Decimal number;
  if (!TakeDecimal(&text, &number)) return std::nullopt;
  int tens = 0, twos = 0;
  if (!ReadSuffix(text, &tens, &twos)) return std::nullopt;
  const std::optional<ExactAmount> amount =
      Scale(number, number.exponent + tens + kBillionths, twos);
  if (!amount.has_value()) return std::nullopt;
  return negative ? -*amount : *amount;
}

ExactAmount ReadAmount(const Field& value) {
  const std::optional<ExactAmount> amount = ParseAmount(value.ScalarText());
  if (!amount.has_value()) {
    value.Refuse(
        absl::StrCat(value.Describe(),
                     " is not a quantity; expected a number such as 500m, 1.5 or 8Gi, below 2^63"));
    return 0;
  }
  if (*amount < 0) {
    value.Refuse(absl::StrCat(value.Describe(), " is negative; expected 0 or more"));
    return 0;
  }
  return *amount;
}

AmountMap ReadAmounts(const Field& values) {
  AmountMap amounts;
  if (!values.given()) return amounts;
  if (values.kind() != JsonKind::kObject) {
    values.RefuseKind("an object of resource names and quantities");
    return amounts;
  }
  for (const Field& value : values.Children()) {
    amounts.emplace_back(value.key(), ReadAmount(value));
  }
  return amounts;
}

const ExactAmount* FindAmount(const AmountMap& amounts, std::string_view name) {
  for (const auto& [known, amount] : amounts) {
    if (known == name) return &amount;
  }
  return nullptr;
}

void SetAmount(std::string_view name, ExactAmount amount, AmountMap* amounts) {
  for (auto& [known, old] : *amounts) {
    if (known != name) continue;
    old = amount;
    return;
  }
  amounts->emplace_back(name, amount);
}

AmountMap Sum(const AmountMap& left, const AmountMap& right) {
  AmountMap sum = left;
  for (const auto& [name, amount] : right) {
    const ExactAmount* known = FindAmount(left, name);
    SetAmount(name, known == nullptr ? amount : *known + amount, &sum);
  }
  return sum;
}

AmountMap Largest(const AmountMap& left, const AmountMap& right) {
  AmountMap largest = left;
  for (const auto& [name, amount] : right) {
    const ExactAmount* known = FindAmount(left, name);
    SetAmount(name, known == nullptr ? amount : std::max(*known, amount), &largest);
  }
  return largest;
}

bool SameAmounts(const AmountMap& left, const AmountMap& right) {
  if (left.size() != right.size()) return false;
  return std::all_of(left.begin(), left.end(), [&](const auto& entry) {
    const ExactAmount* twin = FindAmount(right, entry.first);
    return twin != nullptr && *twin == entry.second;
  });
}

bool CountsWhole(std::string_view name) {
  return name == "memory" || name == "ephemeral-storage" || name == "pods" ||
         name.starts_with("hugepages-");
}

Quantity ToQuantity(std::string_view name, ExactAmount amount) {
  if (CountsWhole(name)) return Quantity(Digits(RoundUp(amount, kAmountUnit)));
  const ExactAmount milli = RoundUp(amount, kAmountUnit / 1000);
  if (milli % 1000 == 0) return Quantity(Digits(milli / 1000));
  return Quantity(Digits(milli) + "m");
}

Resources ToResources(const AmountMap& amounts) {
  Resources resources;
  for (const auto& [name, amount] : amounts) {
    resources.emplace_back(name, ToQuantity(name, amount));
  }
  return resources;
}

bool SameResources(const Resources& left, const Resources& right) {
  Resources a = left, b = right;
  const auto by_name = [](const auto& x, const auto& y) { return x.first < y.first; };
  std::sort(a.begin(), a.end(), by_name);
  std::sort(b.begin(), b.end(), by_name);
  return a == b;
}

}  // namespace muster
