// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yunikorn/config.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster::yunikorn {
namespace {

constexpr std::string_view kDecimal = "kMGTPE";
constexpr std::string_view kBinary = "KMGTPE";

absl::Status Wrong(std::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("quantity \"", ToAbsl(text), "\": ", why));
}

// Returns 0 for what is no suffix.
Quantity Scale(std::string_view suffix, bool milli) {
  if (suffix.empty()) return milli ? 1000 : 1;
  if (suffix == "m") return milli ? 1 : 0;
  const bool binary = suffix.size() == 2 && suffix[1] == 'i';
  const size_t power = (binary ? kBinary : kDecimal).find(suffix[0]);
  if (power == std::string_view::npos || (suffix.size() > 1 && !binary)) return 0;
  Quantity scale = milli ? 1000 : 1;
  for (size_t i = 0; i <= power; ++i) scale = MulSaturating(scale, binary ? 1024 : 1000);
  return scale;
}

}  // namespace

absl::StatusOr<Quantity> ReadQuantity(std::string_view text, bool milli) {
  const absl::string_view stripped = absl::StripAsciiWhitespace(ToAbsl(text));
  const std::string_view trimmed(stripped.data(), stripped.size());
  size_t digits = 0;
  Quantity number = 0;
  for (; digits < trimmed.size() && trimmed[digits] >= '0' && trimmed[digits] <= '9'; ++digits) {
    if (__builtin_mul_overflow(number, 10, &number) ||
        __builtin_add_overflow(number, trimmed[digits] - '0', &number)) {
      return Wrong(text, "too large");
    }
  }
  if (digits == 0) return Wrong(text, "no number");
  std::string_view suffix = trimmed.substr(digits);
  suffix.remove_prefix(std::min(suffix.size(), suffix.find_first_not_of(" \t\n\f\r")));
  const Quantity scale = Scale(suffix, milli);
  if (scale == 0) return Wrong(text, "a suffix that is none of k M G T P E Ki Mi Gi Ti Pi Ei");
  Quantity result = 0;
  if (__builtin_mul_overflow(number, scale, &result)) return Wrong(text, "too large");
  return result;
}

absl::StatusOr<Resource> ReadResource(const Texts& texts, TypeNames& names) {
  Resource resource;
  for (const auto& [name, text] : texts) {
    const absl::StatusOr<Quantity> quantity = ReadQuantity(text, name == "vcore");
    if (!quantity.ok()) return quantity.status();
    const absl::StatusOr<int> type = names.Intern(name);
    if (!type.ok()) return type.status();
    resource.Set(*type, *quantity);
  }
  return resource;
}

}  // namespace muster::yunikorn
