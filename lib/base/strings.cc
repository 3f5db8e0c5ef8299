// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One UTF-8 decoder serves both IsValidUtf8 and Quote. NearestName fills only the seven diagonals
// of the edit matrix on which a distance of 3 or less can lie, so that a hostile name costs linear
// time.
#include "lib/base/strings.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/match.h"

namespace muster {
namespace {

constexpr size_t kMaxQuoted = 80;

uint8_t ByteAt(std::string_view text, size_t i) { return static_cast<uint8_t>(text[i]); }

// Length of the well-formed UTF-8 character that starts at text[i], or 0.
size_t CharacterLength(std::string_view text, size_t i) {
  const uint8_t lead = ByteAt(text, i);
  if (lead < 0x80) return 1;
  size_t length = 0;
  uint8_t low = 0x80, high = 0xBF;  // of the second byte; they exclude overlong and surrogates
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (text.size() - i < length) return 0;
  if (ByteAt(text, i + 1) < low || ByteAt(text, i + 1) > high) return 0;
  for (size_t k = 2; k < length; ++k) {
    if ((ByteAt(text, i + k) & 0xC0) != 0x80) return 0;
  }
  return length;
}

void AppendHexEscape(uint8_t byte, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  out->append("\\x");
  out->push_back(kDigits[byte >> 4]);
  out->push_back(kDigits[byte & 15]);
}

void AppendAscii(char c, std::string* out) {
  switch (c) {
    case '"':
      out->append("\\\"");
      return;
    case '\\':
      out->append("\\\\");
      return;
    case '\n':
      out->append("\\n");
      return;
    case '\t':
      out->append("\\t");
      return;
    case '\r':
      out->append("\\r");
      return;
    default:
      break;
  }
  if (c < 0x20 || c == 0x7F) {
    AppendHexEscape(static_cast<uint8_t>(c), out);
  } else {
    out->push_back(c);
  }
}

constexpr int kMaxDistance = 3;

// Edit distance of a and b, or kMaxDistance + 1 if it is larger than kMaxDistance.
int EditDistance(std::string_view a, std::string_view b) {
  constexpr int kTooFar = kMaxDistance + 1;
  const int64_t rows = static_cast<int64_t>(a.size()), columns = static_cast<int64_t>(b.size());
  if (rows - columns > kMaxDistance || columns - rows > kMaxDistance) return kTooFar;
  // row[d] is the distance of a[0, i) and b[0, i + d - kMaxDistance).
  std::array<int, 2 * kMaxDistance + 1> row;
  for (int d = 0; d <= 2 * kMaxDistance; ++d) {
    row[d] = d < kMaxDistance ? kTooFar : d - kMaxDistance;
  }
  for (int64_t i = 1; i <= rows; ++i) {
    int left = kTooFar;
    for (int d = 0; d <= 2 * kMaxDistance; ++d) {
      const int64_t j = i + d - kMaxDistance;
      int best = kTooFar;
      if (j == 0) {
        best = static_cast<int>(i);
      } else if (j > 0 && j <= columns) {
        const int above = d < 2 * kMaxDistance ? row[d + 1] : kTooFar;
        best = std::min({row[d] + (a[i - 1] == b[j - 1] ? 0 : 1), above + 1, left + 1, kTooFar});
      }
      row[d] = best;
      left = best;
    }
  }
  return row[columns - rows + kMaxDistance];
}

}  // namespace

std::string Quote(std::string_view text) {
  std::string out = "\"";
  size_t i = 0;
  while (i < text.size()) {
    const size_t length = CharacterLength(text, i);
    if (i + std::max<size_t>(length, 1) > kMaxQuoted) break;
    if (length == 0) {
      AppendHexEscape(ByteAt(text, i), &out);
      ++i;
    } else if (length == 1) {
      AppendAscii(text[i], &out);
      ++i;
    } else if (length == 2 && ByteAt(text, i) == 0xC2 && ByteAt(text, i + 1) < 0xA0) {
      AppendHexEscape(0xC2, &out);  // U+0080 to U+009F are control characters too
      AppendHexEscape(ByteAt(text, i + 1), &out);
      i += 2;
    } else {
      out.append(text.substr(i, length));
      i += length;
    }
  }
  out.append(i < text.size() ? "\"..." : "\"");
  return out;
}

bool IsValidUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    // Most texts are ASCII: eight bytes at a time.
    uint64_t eight;
    if (text.size() - i >= sizeof(eight)) {
      std::memcpy(&eight, text.data() + i, sizeof(eight));
      if ((eight & 0x8080808080808080) == 0) {
        i += sizeof(eight);
        continue;
      }
    }
    const size_t length = CharacterLength(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

namespace {

// Whether `b` is `a` with two neighboring letters swapped: one slip of the fingers.
bool IsSwapped(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  size_t i = 0;
  while (i < a.size() && a[i] == b[i]) ++i;
  return i + 1 < a.size() && a[i] == b[i + 1] && a[i + 1] == b[i] &&
         a.substr(i + 2) == b.substr(i + 2);
}

}  // namespace

std::string_view NearestName(std::string_view name, std::span<const std::string_view> valid) {
  std::string_view nearest;
  size_t behind = 0;  // entries that are the name behind their last "/"
  for (std::string_view candidate : valid) {
    const size_t slash = candidate.rfind('/');
    if (slash == std::string_view::npos || candidate.substr(slash + 1) != name) continue;
    behind += candidate != nearest;
    nearest = candidate;
  }
  if (behind == 1 && !name.empty()) return nearest;
  nearest = {};
  size_t alike = 0;  // entries that are the name but for the case of letters
  for (std::string_view candidate : valid) {
    if (!absl::EqualsIgnoreCase(ToAbsl(candidate), ToAbsl(name))) continue;
    alike += candidate != nearest;
    nearest = candidate;
  }
  if (alike == 1 && !name.empty()) return nearest;
  nearest = {};
  int best = kMaxDistance + 1;
  for (std::string_view candidate : valid) {
    const int distance = IsSwapped(name, candidate) ? 1 : EditDistance(name, candidate);
    if (distance < best && 2 * static_cast<size_t>(distance) < name.size()) {
      best = distance;
      nearest = candidate;
    }
  }
  const size_t colon = name.rfind(':');  // of host:port
  if (!nearest.empty() || colon == name.npos) return nearest;
  const auto found = std::ranges::find(valid, name.substr(0, colon));
  return found == valid.end() ? nearest : *found;
}

std::string SuggestName(std::string_view name, std::span<const std::string_view> valid) {
  const std::string_view nearest = NearestName(name, valid);
  return nearest.empty() ? "" : ", did you mean " + Quote(nearest) + "?";
}

}  // namespace muster
