// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Lists in one text.
//
//   CommaList("enqueue, allocate,")   // {"enqueue", "allocate"}
#ifndef MUSTER_IMPORT_COMMA_LIST_H_
#define MUSTER_IMPORT_COMMA_LIST_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "lib/base/strings.h"

namespace muster {

// The parts between commas without blanks around them; empty ones are left out. Costs O(length).
inline std::vector<std::string> CommaList(std::string_view text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = text.find(',', begin);
    const std::string_view part = text.substr(begin, end - begin);
    const absl::string_view stripped = absl::StripAsciiWhitespace(ToAbsl(part));
    if (!stripped.empty()) parts.emplace_back(stripped.data(), stripped.size());
    if (end == text.npos) break;
    begin = end + 1;
  }
  return parts;
}

}  // namespace muster

#endif  // MUSTER_IMPORT_COMMA_LIST_H_
