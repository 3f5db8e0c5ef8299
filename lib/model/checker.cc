// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/checker.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/tables.h"
#include "muster/quantity.h"

namespace muster {
namespace {

// Empty when the name is in order.
std::string_view NameRule(std::string_view name) {
  if (name.empty()) return "the name is empty";
  if (name.size() > kMaxNameBytes) return "the name is longer than 4096 bytes";
  if (!IsValidUtf8(name)) return "the name is not UTF-8";
  return {};
}

std::string NotOneOf(const char* field, std::string_view value,
                     std::initializer_list<std::string_view> valid) {
  std::string rule = absl::StrCat(field, " is ", Quote(value), "; must be one of");
  for (std::string_view word : valid) {
    absl::StrAppend(&rule, word == *valid.begin() ? " " : ", ",
                    word.empty() ? "\"\"" : ToAbsl(word));
  }
  return rule;
}

}  // namespace

std::string PlaceOf(const char* kind, std::string_view name) {
  return absl::StrCat(kind, " ", Quote(name));
}

void Checker::Fail(absl::string_view rule) {
  if (!status_.ok()) return;
  std::string place = PlaceOf(kind_, name_);
  if (part_ != nullptr) absl::StrAppend(&place, ", ", PlaceOf(part_, part_name_));
  status_ = absl::InvalidArgumentError(absl::StrCat(place, ": ", rule));
}

void Checker::Fail(const char* where, std::string_view what, absl::string_view rule) {
  if (!status_.ok()) return;
  std::string place = PlaceOf(kind_, name_);
  if (part_ != nullptr) absl::StrAppend(&place, ", ", PlaceOf(part_, part_name_));
  status_ = absl::InvalidArgumentError(absl::StrCat(place, ", ", PlaceOf(where, what), ": ", rule));
}

void Checker::Name(std::string_view name) {
  if (std::string_view rule = NameRule(name); !rule.empty()) Fail(ToAbsl(rule));
}

void Checker::Name(const char* where, std::string_view name) {
  if (std::string_view rule = NameRule(name); !rule.empty()) Fail(where, name, ToAbsl(rule));
}

void Checker::Text(const char* where, std::string_view text) {
  if (!IsValidUtf8(text)) Fail(where, text, "the text is not UTF-8");
}

void Checker::AtLeast(const char* what, int64_t value, int64_t least) {
  if (value < least) Fail(absl::StrCat(what, " is ", value, "; must be ", least, " or more"));
}

void Checker::Time(const char* what, const std::optional<int64_t>& seconds) {
  Span(what, seconds, -kMaxTime);
}

void Checker::Span(const char* what, const std::optional<int64_t>& seconds, int64_t least) {
  if (!seconds.has_value()) return;
  AtLeast(what, *seconds, least);
  if (*seconds > kMaxTime) {
    Fail(absl::StrCat(what, " is ", *seconds, "; must be ", kMaxTime, " or less"));
  }
}

void Checker::OneOf(const char* where, std::string_view what, const char* field,
                    std::string_view value, std::initializer_list<std::string_view> valid) {
  if (std::ranges::find(valid, value) == valid.end())
    Fail(where, what, NotOneOf(field, value, valid));
}

Amounts Checker::Resources(const char* where, const muster::Resources& resources, Use use) {
  constexpr int64_t kLargestSummed = int64_t{1} << 53;
  Amounts amounts;
  amounts.reserve(resources.size());
  Distinct distinct(*this, where);
  for (const auto& [name, quantity] : resources) {
    Name(where, name);
    distinct.Add(name);
    absl::StatusOr<int64_t> value =
        ParseQuantity(quantity.text, IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole);
    if (!value.ok()) Fail(where, name, value.status().message());
    if (value.ok() && use == Use::kSummed && *value > kLargestSummed) {
      Fail(where, name,
           absl::StrCat(*value, " is more than ", kLargestSummed,
                        ", the largest amount kept exactly"));
    }
    if (!ok()) return {};
    amounts.push_back({name, *value});
  }
  return amounts;
}

void Checker::Labels(const char* where, const muster::Labels& labels) {
  Distinct distinct(*this, where);
  for (const auto& [key, value] : labels) {
    Name(where, key);
    if (!IsValidUtf8(value)) Fail(where, key, "the value is not UTF-8");
    distinct.Add(key);
  }
}

void Checker::Distinct::Add(std::string_view name) {
  constexpr size_t kFew = 16;
  bool is_new;
  if (few_.size() < kFew) {
    is_new = std::ranges::find(few_, name) == few_.end();
    few_.push_back(name);
  } else {
    if (many_.empty()) {
      for (std::string_view known : few_) many_.insert(ToAbsl(known));
    }
    is_new = many_.insert(ToAbsl(name)).second;
  }
  if (!is_new) check_.Fail(where_, name, "is listed twice");
}

}  // namespace muster
