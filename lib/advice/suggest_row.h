// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Suggestions for names of the form "namespace/name".
//
//   absl::StrCat("no job is named ", Quote(name), SuggestRow(name, names));
#ifndef MUSTER_ADVICE_SUGGEST_ROW_H_
#define MUSTER_ADVICE_SUGGEST_ROW_H_

#include <span>
#include <string>
#include <string_view>

#include "lib/base/strings.h"

namespace muster {

// Returns `, did you mean "x"?` with the one entry of `valid` that differs from the name in its
// namespace alone, or else as SuggestName does. O(length of all).
inline std::string SuggestRow(std::string_view name, std::span<const std::string_view> valid) {
  const auto last_part = [](std::string_view text) {
    return text.substr(text.rfind('/') == text.npos ? 0 : text.rfind('/') + 1);
  };
  std::string_view same;
  size_t count = 0;
  for (const std::string_view entry : valid) {
    if (entry == same || last_part(entry) != last_part(name)) continue;
    same = entry;
    ++count;
  }
  return count == 1 ? ", did you mean " + Quote(same) + "?" : SuggestName(name, valid);
}

}  // namespace muster

#endif  // MUSTER_ADVICE_SUGGEST_ROW_H_
