// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Writes JSON by hand: the few pieces that plans and scenarios share.
//
//   std::string out = "{\"name\": ";
//   AppendJson("a\"b", &out);                        // {"name": "a\"b"
//
// Nothing here reads JSON, and nothing depends on a locale.
#ifndef MUSTER_PLAN_JSON_TEXT_H_
#define MUSTER_PLAN_JSON_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

// Appends the text in double quotes, with quotes, backslashes and control characters escaped.
void AppendJson(std::string_view text, std::string* out);
void AppendJson(int64_t number, std::string* out);
void AppendJson(uint64_t number, std::string* out);
// Appends the shortest text that reads back as the same double; null for infinities and NaN, which
// JSON does not have.
void AppendJson(double number, std::string* out);

}  // namespace muster

#endif  // MUSTER_PLAN_JSON_TEXT_H_
