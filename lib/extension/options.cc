// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/plain_number.h"
#include "lib/base/strings.h"
#include "muster/policy.h"

namespace muster {
namespace {

bool IsFamily(std::string_view name) { return name.ends_with(".*"); }

const OptionDecl* FindDecl(std::span<const OptionDecl> declared, std::string_view name) {
  for (const OptionDecl& decl : declared) {
    if (decl.name == name && !IsFamily(decl.name)) return &decl;
    if (IsFamily(decl.name)) {
      const std::string_view prefix = decl.name.substr(0, decl.name.size() - 1);
      if (name.size() > prefix.size() && name.starts_with(prefix)) return &decl;
    }
  }
  return nullptr;
}

// Returns the words before the colon of a choice's help: "one|other: what it is".
std::vector<std::string_view> ChoicesOf(std::string_view help) {
  std::string_view rest = help.substr(0, help.find(':'));
  std::vector<std::string_view> choices;
  for (size_t end = rest.find('|'); end != rest.npos; end = rest.find('|')) {
    choices.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  choices.push_back(rest);
  return choices;
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view nearest = NearestName(word, known);
  return nearest.empty() ? "" : absl::StrCat("; did you mean ", Quote(nearest), "?");
}

// Returns the number that the text is. Actions ask in each cycle, most often for a number of few
// digits: these and the power of ten are exact as doubles, and their quotient is the nearest one.
double NumberOf(std::string_view text) {
  int64_t digits = 0;
  double power = 1;
  bool plain = !text.empty() && text.size() <= 15, has_point = false;
  for (const char c : text) {
    const bool is_point = c == '.' && !has_point && &c != text.data();
    plain = plain && (is_point || (c >= '0' && c <= '9'));
    if (!plain) break;
    has_point |= is_point;
    if (is_point) continue;
    digits = 10 * digits + (c - '0');
    if (has_point) power *= 10;
  }
  if (plain) return static_cast<double>(digits) / power;
  double number = 0;
  (void)absl::SimpleAtod(ToAbsl(text), &number);
  return number;
}

}  // namespace

absl::StatusOr<Options> Options::Check(std::string_view place, std::span<const OptionDecl> declared,
                                       const OptionValues& given) {
  for (size_t i = 0; i < given.size(); ++i) {
    const auto& [name, value] = given[i];
    const OptionDecl* decl = FindDecl(declared, name);
    if (decl == nullptr) {
      std::vector<std::string_view> names;
      for (const OptionDecl& d : declared) names.push_back(d.name);
      return absl::InvalidArgumentError(
          absl::StrCat(ToAbsl(place), ": unknown option ", Quote(name), DidYouMean(name, names)));
    }
    for (size_t j = 0; j < i; ++j) {
      if (given[j].first == name) {
        return absl::InvalidArgumentError(
            absl::StrCat(ToAbsl(place), ": option ", Quote(name), " is given twice"));
      }
    }
    if (decl->kind == OptionKind::kFlag) {
      if (value != "on" && value != "off") {
        return absl::InvalidArgumentError(absl::StrCat(
            ToAbsl(place), ": option ", Quote(name), " is ", Quote(value), "; must be on or off"));
      }
      continue;
    }
    if (decl->kind == OptionKind::kText) continue;
    if (decl->kind == OptionKind::kChoice) {
      const std::vector<std::string_view> choices = ChoicesOf(decl->help);
      if (std::ranges::find(choices, value) != choices.end()) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          ToAbsl(place), ": option ", Quote(name), " is ", Quote(value), "; must be one of ",
          ToAbsl(decl->help.substr(0, decl->help.find(':'))), DidYouMean(value, choices)));
    }
    double number;
    const bool whole = decl->kind == OptionKind::kWhole;
    if (!absl::SimpleAtod(value, &number) || !std::isfinite(number) || number < decl->min ||
        number > decl->max || (whole && number != std::floor(number))) {
      return absl::InvalidArgumentError(
          absl::StrCat(ToAbsl(place), ": option ", Quote(name), " is ", Quote(value),
                       "; must be a ", whole ? "whole " : "", "number from ",
                       PlainNumber(decl->min), " to ", PlainNumber(decl->max)));
    }
  }
  Options options;
  options.declared_ = declared;
  options.given_ = given;
  return options;
}

double Options::number(std::string_view name) const {
  std::string_view text;
  for (const OptionDecl& decl : declared_) {
    if (decl.name == name) text = decl.default_value;
  }
  for (const auto& [given, value] : given_) {
    if (given == name) text = value;
  }
  return NumberOf(text);
}

bool Options::flag(std::string_view name) const {
  bool on = false;
  for (const OptionDecl& decl : declared_) {
    if (decl.name == name) on = decl.default_value == "on";
  }
  for (const auto& [given, value] : given_) {
    if (given == name) on = value == "on";
  }
  return on;
}

std::string Options::text(std::string_view name) const {
  std::string_view text;
  for (const OptionDecl& decl : declared_) {
    if (decl.name == name) text = decl.default_value;
  }
  for (const auto& [given, value] : given_) {
    if (given == name) text = value;
  }
  return std::string(text);
}

std::vector<std::pair<std::string, double>> Options::family(std::string_view prefix) const {
  std::vector<std::pair<std::string, double>> members;
  for (const auto& [given, value] : given_) {
    double number = 0;
    if (given.size() > prefix.size() && std::string_view(given).starts_with(prefix) &&
        absl::SimpleAtod(value, &number)) {
      members.emplace_back(given.substr(prefix.size()), number);
    }
  }
  return members;
}

}  // namespace muster
