// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Numbers are written exact, shortest, and independent of the locale.
#include "lib/plan/json_text.h"

#include <charconv>
#include <cmath>

#include "lib/base/decimal.h"

namespace muster {
namespace {

template <class Number>
void AppendNumber(Number number, std::string* out) {
  char text[32];
  const std::to_chars_result end = std::to_chars(text, text + sizeof(text), number);
  out->append(text, end.ptr);
}
void AppendNumber(double number, std::string* out) {
  char text[kMostDecimal];
  out->append(text, WriteShortest(text, number));
}

}  // namespace

void AppendJson(std::string_view text, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  out->push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (c == '\n') {
      out->append("\\n");
    } else if (c == '\t') {
      out->append("\\t");
    } else if (byte < 0x20 || byte == 0x7F) {
      out->append("\\u00");
      out->push_back(kHex[byte >> 4]);
      out->push_back(kHex[byte & 15]);
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

void AppendJson(int64_t number, std::string* out) { AppendNumber(number, out); }
void AppendJson(uint64_t number, std::string* out) { AppendNumber(number, out); }

void AppendJson(double number, std::string* out) {
  if (!std::isfinite(number)) {
    out->append("null");
    return;
  }
  AppendNumber(number, out);
}

}  // namespace muster
