// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/settings.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/plain_number.h"
#include "lib/base/strings.h"
#include "lib/model/checker.h"

namespace muster {
namespace {

// Returns what follows `profile` and a slash; empty for the key of another profile.
std::string_view KeyWithin(std::string_view profile, std::string_view whole) {
  if (whole.size() <= profile.size() + 1 || !whole.starts_with(profile)) return {};
  return whole[profile.size()] == '/' ? whole.substr(profile.size() + 1) : std::string_view();
}

template <class Table>
absl::Status CheckNoSettings(const Table& table, const char* kind, std::string_view profile) {
  for (size_t row = 0; row < table.alive.size(); ++row) {
    if (!table.alive[row] || table.spec[row].settings.empty()) continue;
    SettingReader reader(kind, table.spec[row].name, table.spec[row].settings, profile);
    if (absl::Status s = reader.Finish(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

std::optional<std::string_view> SettingReader::Text(std::string_view key) {
  if (settings_.empty()) return std::nullopt;
  known_.push_back(key);
  for (const auto& [whole, value] : settings_) {
    if (KeyWithin(profile_, whole) == key) return value;
  }
  return std::nullopt;
}

int64_t SettingReader::Integer(std::string_view key, int64_t least, int64_t most,
                               int64_t otherwise) {
  const std::optional<std::string_view> text = Text(key);
  if (!text) return otherwise;
  int64_t value;
  if (absl::SimpleAtoi(ToAbsl(*text), &value) && value >= least && value <= most) return value;
  Refuse(key, absl::StrCat("must be a whole number from ", least, " to ", most));
  return otherwise;
}

double SettingReader::Number(std::string_view key, double least, double most, double otherwise) {
  const std::optional<std::string_view> text = Text(key);
  if (!text) return otherwise;
  double value;
  if (absl::SimpleAtod(ToAbsl(*text), &value) && std::isfinite(value) && value >= least &&
      value <= most) {
    return value;
  }
  Refuse(key,
         absl::StrCat("must be a number from ", PlainNumber(least), " to ", PlainNumber(most)));
  return otherwise;
}

bool SettingReader::Flag(std::string_view key, bool otherwise) {
  return Choice(key, {"true", "false"}, otherwise ? "true" : "false") == "true";
}

std::string_view SettingReader::Choice(std::string_view key,
                                       std::initializer_list<std::string_view> words,
                                       std::string_view otherwise) {
  const std::optional<std::string_view> text = Text(key);
  if (!text) return otherwise;
  if (std::ranges::find(words, *text) != words.end()) return *text;
  Refuse(key, absl::StrCat("must be one of ",
                           absl::StrJoin(words, ", ", [](std::string* out, auto word) {
                             absl::StrAppend(out, ToAbsl(word));
                           })));
  return otherwise;
}

void SettingReader::Refuse(std::string_view key, absl::string_view rule) {
  if (!status_.ok()) return;
  std::string is;
  if (const auto text = Text(key)) is = absl::StrCat("is ", Quote(*text), "; ");
  status_ = absl::InvalidArgumentError(
      absl::StrCat(PlaceOf(kind_, name_), ", setting ",
                   Quote(absl::StrCat(ToAbsl(profile_), "/", ToAbsl(key))), ": ", is, rule));
}

absl::Status SettingReader::Finish() {
  for (const auto& [whole, value] : settings_) {
    if (!status_.ok()) break;
    const std::string_view key = KeyWithin(profile_, whole);
    if (key.empty() || std::ranges::find(known_, key) != known_.end()) continue;
    status_ =
        absl::InvalidArgumentError(absl::StrCat(PlaceOf(kind_, name_), ", setting ", Quote(whole),
                                                ": is not known", SuggestName(key, known_)));
  }
  return status_;
}

absl::Status CheckNoNodeSettings(const NodeTable& nodes, std::string_view profile) {
  return CheckNoSettings(nodes, "node", profile);
}

absl::Status CheckNoJobSettings(const JobTable& jobs, std::string_view profile) {
  return CheckNoSettings(jobs, "job", profile);
}

}  // namespace muster
