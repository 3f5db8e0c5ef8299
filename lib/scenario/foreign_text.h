// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a text is that was given in place of JSON.
//
//   ForeignText("---\nkind: List\n")   // "YAML"
//   ForeignText("<html>...")           // "HTML, such as the page of a log-in"
//   ForeignText("error: forbidden")    // "plain text: \"error: forbidden\""
//   ForeignText("{\"muster\": 1")      // "": it may be JSON
//
// It is a guess for messages, made when the text could not be read. Costs O(blanks before the text
// and its first line).
#ifndef MUSTER_SCENARIO_FOREIGN_TEXT_H_
#define MUSTER_SCENARIO_FOREIGN_TEXT_H_

#include <string>
#include <string_view>

namespace muster {

std::string ForeignText(std::string_view text);

}  // namespace muster

#endif  // MUSTER_SCENARIO_FOREIGN_TEXT_H_
