// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair_amounts.h"

#include <cstdint>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/strings.h"

namespace muster::yarn {
namespace {

// One item of an amount: 4096 mb, 40% mb, or 40% of everything.
struct FairAmountItem {
  double number = 0;
  bool is_percent = false;
  bool has_memory = false, has_vcores = false;
};

// Unset: the text is none.
std::optional<FairAmountItem> FairAmountItemOf(std::string_view text) {
  constexpr double kMostPercent = 1e6;
  const std::vector<absl::string_view> words =
      absl::StrSplit(absl::StripAsciiWhitespace(ToAbsl(text)), ' ', absl::SkipEmpty());
  if (words.empty() || words.size() > 2) return std::nullopt;
  FairAmountItem item;
  absl::string_view number = words[0];
  item.is_percent = absl::ConsumeSuffix(&number, "%");
  int64_t whole = 0;
  if (item.is_percent) {
    if (!absl::SimpleAtod(number, &item.number) || !(item.number >= 0) ||
        item.number > kMostPercent) {
      return std::nullopt;
    }
  } else {
    if (!absl::SimpleAtoi(number, &whole) || whole < 0 || whole > int64_t{1} << 40) {
      return std::nullopt;
    }
    item.number = static_cast<double>(whole);  // exact
  }
  const absl::string_view unit = words.size() == 2 ? words[1] : "";
  const bool has_all = unit.empty() && item.is_percent;
  item.has_memory = has_all || unit == "mb";
  item.has_vcores = has_all || unit == "vcores";
  if (!item.has_memory && !item.has_vcores) return std::nullopt;
  return item;
}

// As the peer computes a share of the cluster.
int64_t PartOf(int64_t total, double percent) {
  return JavaLong(static_cast<double>(total) * (percent / 100));
}

}  // namespace

bool ReadFairAmount(std::string_view text, Resource* amount, AmountInPercent* in_percent) {
  bool has_memory = false, has_vcores = false;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(text), ',')) {
    const auto item = FairAmountItemOf({part.data(), part.size()});
    if (!item || (item->is_percent && in_percent == nullptr)) return false;
    if ((item->has_memory && has_memory) || (item->has_vcores && has_vcores)) return false;
    has_memory |= item->has_memory;
    has_vcores |= item->has_vcores;
    if (item->is_percent) {
      if (item->has_memory) in_percent->memory = item->number;
      if (item->has_vcores) in_percent->vcores = item->number;
    } else {
      (item->has_memory ? amount->memory : amount->vcores) = static_cast<int64_t>(item->number);
    }
  }
  return true;
}

Resource InWhole(const AmountInPercent& part, const Resource& total, const Resource& otherwise) {
  return {part.memory ? PartOf(total.memory, *part.memory) : otherwise.memory,
          part.vcores ? PartOf(total.vcores, *part.vcores) : otherwise.vcores};
}

}  // namespace muster::yarn
