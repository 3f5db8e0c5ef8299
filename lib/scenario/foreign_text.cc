// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/scenario/foreign_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr size_t kMostShown = 60;

bool IsKeyLetter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' ||
         c == '/';
}

// "key:" with nothing or a blank behind it. Errors of programs look alike.
bool BeginsWithKey(std::string_view line) {
  const size_t end =
      static_cast<size_t>(std::ranges::find_if_not(line, IsKeyLetter) - line.begin());
  if (end == 0 || end == line.size() || line[end] != ':') return false;
  const bool error = absl::EqualsIgnoreCase(ToAbsl(line.substr(0, end)), "error");
  return !error && (end + 1 == line.size() || line[end + 1] == ' ');
}

}  // namespace

std::string ForeignText(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return "empty";
  text.remove_prefix(begin);
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  if (line.starts_with('<')) {
    const bool xml = line.starts_with("<?xml") || line.starts_with("<configuration") ||
                     line.starts_with("<allocations");
    return xml ? "XML" : "HTML, such as the page of a log-in";
  }
  if (line.starts_with("---") || line.starts_with('#') || line.starts_with("- ") ||
      line.starts_with('%') || BeginsWithKey(line)) {
    return "YAML";
  }
  // What JSON may begin with, and bytes that are no text at all.
  const bool json = line.starts_with('{') || line.starts_with('[') || line.starts_with('"') ||
                    line.starts_with("true") || line.starts_with("false") ||
                    line.starts_with("null") || line.starts_with('-');
  if (json || !absl::ascii_isalpha(static_cast<unsigned char>(line[0]))) return "";
  if (!IsValidUtf8(line)) return "";
  size_t shown = std::min(line.size(), kMostShown);
  while (!IsValidUtf8(line.substr(0, shown))) --shown;
  return absl::StrCat("plain text: ", Quote(line.substr(0, shown)));
}

}  // namespace muster
