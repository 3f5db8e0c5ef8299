// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Text for error messages, and the bridge between the two string views.
//
//   return absl::InvalidArgumentError(
//       absl::StrCat("queue ", Quote(name), ": parent ", Quote(parent), " does not exist"));
//
// Names come from callers and may hold anything: a megabyte, a newline, a byte that is no UTF-8. A
// message must still be one readable line, so every foreign name passes through Quote on its way
// into one.
//
// Public headers use std::string_view, but an Abseil may be built with a string_view of its own
// that does not convert from it. absl::StrCat then refuses std::string_view. ToAbsl compiles with
// both kinds.
#ifndef MUSTER_BASE_STRINGS_H_
#define MUSTER_BASE_STRINGS_H_

#include <span>
#include <string>
#include <string_view>

#include "absl/strings/string_view.h"

namespace muster {

inline absl::string_view ToAbsl(std::string_view text) {
  return absl::string_view(text.data(), text.size());
}

// `text` in double quotes. Quotes and backslashes are escaped by a backslash, control characters as
// \n, \t, \r or \xNN, and so is each byte that is not part of well-formed UTF-8. Of a text longer
// than 80 bytes only the first 80 are shown (fewer if a character would be torn), and "..." follows
// the closing quote.
std::string Quote(std::string_view text);

// Returns whether the text is well-formed as Unicode defines it: no overlong forms, no surrogates,
// nothing above U+10FFFF.
bool IsValidUtf8(std::string_view text);

// Returns the entry of `valid` that `name` most likely misspells: the one with the smallest edit
// distance (insert, delete, replace a byte), at most 3 and below half of name's length; the first
// one among equals. One that is `name` behind its last "/" ("gpu" of "nvidia.com/gpu"), if there is
// one such entry alone, goes before all, and then one that differs in the case of letters. Empty if
// there is none. The view points into `valid`. Costs O(length) each.
std::string_view NearestName(std::string_view name, std::span<const std::string_view> valid);

// Returns `, did you mean "x"?` with the nearest name, for the end of an error; else "".
std::string SuggestName(std::string_view name, std::span<const std::string_view> valid);

}  // namespace muster

#endif  // MUSTER_BASE_STRINGS_H_
