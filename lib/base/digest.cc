// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// FNV-1a with 128 bits, one byte at a time as its definition requires. The prime is 2^88 + 0x13B.
#include "lib/base/digest.h"

namespace muster {
namespace {

constexpr absl::uint128 kPrime = absl::MakeUint128(uint64_t{1} << 24, 0x13B);

}  // namespace

void Digest::Add(std::string_view text) {
  AddWord(text.size());
  for (char c : text) state_ = (state_ ^ static_cast<uint8_t>(c)) * kPrime;
}

std::string Digest::Hex() const {
  // Not by absl::StrFormat, which ends the process where memory runs out for its result.
  std::string digits(32, '0');
  absl::uint128 rest = state_;
  for (size_t i = digits.size(); i-- > 0; rest >>= 4) {
    digits[i] = "0123456789abcdef"[absl::Uint128Low64(rest) & 0xF];
  }
  return digits;
}

void Digest::AddWord(uint64_t word) {
  for (int shift = 0; shift < 64; shift += 8) {
    state_ = (state_ ^ (word >> shift & 0xFF)) * kPrime;
  }
}

}  // namespace muster
