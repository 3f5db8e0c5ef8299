// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Refuses a number that an enum has no value for. A program that casts a number it was given by
// another one may have such an enum; texts are refused before they become one.
//
//   CheckWord(task.status, check);                         // task "t": status is number 99; ...
//   CheckWord("host port", number, port.protocol, check);  // ..., host port "80": protocol is ...
#ifndef MUSTER_MODEL_CHECK_WORD_H_
#define MUSTER_MODEL_CHECK_WORD_H_

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/checker.h"
#include "lib/model/words.h"

namespace muster {

// Returns the broken rule: `status is number 99; must be 0 to 10`. Empty: the enum has the value.
template <HasWords E>
std::string WordRule(E value) {
  const WordTable table = WordsOf(value);
  const auto number = static_cast<size_t>(value);
  if (number < table.words.size()) return {};
  return absl::StrCat(ToAbsl(table.what), " is number ", number, "; must be 0 to ",
                      table.words.size() - 1);
}

// Fails if the enum has no such value, under the place of the row or of a part of it.
template <HasWords E>
void CheckWord(E value, Checker& check) {
  if (const std::string rule = WordRule(value); !rule.empty()) check.Fail(rule);
}
template <HasWords E>
void CheckWord(const char* where, std::string_view what, E value, Checker& check) {
  if (const std::string rule = WordRule(value); !rule.empty()) check.Fail(where, what, rule);
}

}  // namespace muster

#endif  // MUSTER_MODEL_CHECK_WORD_H_
