// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A 128-bit fingerprint of a sequence of values, to compare plans by.
//
//   Digest digest;
//   digest.Add(plan.decisions.size());
//   digest.Add(task_name);
//   digest.Add(node);
//   digest.Hex();  // 32 lower-case hexadecimal digits
//
// The function is FNV-1a over an explicit encoding. An integer is 64 bits of two's complement, low
// byte first. A text is its length as such an integer and then its bytes. So Add("ab"), Add("c")
// and Add("a"), Add("bc") differ, and neither byte order nor the width of a type reaches the
// result. Different digests prove different input. The function does not withstand an attacker:
// plans with equal digests can be constructed.
#ifndef MUSTER_BASE_DIGEST_H_
#define MUSTER_BASE_DIGEST_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/numeric/int128.h"

namespace muster {

class Digest {
 public:
  // Any integer, bool or character; signed ones are sign-extended. Doubles are not accepted: round
  // them, or add their bits on purpose.
  template <std::integral T>
  void Add(T value) {
    AddWord(static_cast<uint64_t>(value));
  }
  void Add(std::string_view text);

  std::string Hex() const;

  friend bool operator==(const Digest& a, const Digest& b) { return a.state_ == b.state_; }

 private:
  void AddWord(uint64_t word);

  absl::uint128 state_ = absl::MakeUint128(0x6C62272E07BB0142, 0x62B821756295C58D);
};

}  // namespace muster

#endif  // MUSTER_BASE_DIGEST_H_
