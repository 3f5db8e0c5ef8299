// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Bytes of the fuzzer as a source of choices.
//
//   Input in(bytes);
//   while (!in.empty()) Call(in.Below(7));
//
// Each choice takes as few bytes as it can, so that a byte that the fuzzer changes changes one
// choice. Past the end every choice is 0.
#ifndef MUSTER_TESTS_FUZZ_INPUT_H_
#define MUSTER_TESTS_FUZZ_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace muster::fuzz {

class Input {
 public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  // All that is left.
  std::string_view rest() const { return rest_; }

  uint8_t Byte() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  // 0 to bound - 1. REQUIRES: bound is 1 to 65536.
  size_t Below(size_t bound) {
    if (bound == 1) return 0;
    size_t number = Byte();
    if (bound > 256) number = number << 8 | Byte();
    return number % bound;
  }
  bool OneIn(size_t n) { return Below(n) == n - 1; }
  template <class T>
  const T& Of(std::span<const T> items) {
    return items[Below(items.size())];
  }

  // Mostly small ones; also those next to the ends of the types.
  int64_t Number() {
    constexpr int64_t kEdges[] = {-1,
                                  -2,
                                  100,
                                  1000,
                                  int64_t{1} << 31,
                                  (int64_t{1} << 31) - 1,
                                  int64_t{1} << 32,
                                  int64_t{1} << 53,
                                  (int64_t{1} << 53) + 1,
                                  std::numeric_limits<int64_t>::max(),
                                  std::numeric_limits<int64_t>::min()};
    const uint8_t byte = Byte();
    if (byte < 200) return byte % 20;
    return kEdges[byte % std::size(kEdges)];
  }

 private:
  std::string_view rest_;
};

// Parts of a text between lines that hold `kSeparator` alone.
inline constexpr std::string_view kSeparator = "\n====\n";
inline std::string_view NextPart(std::string_view* text) {
  const size_t end = text->find(kSeparator);
  const std::string_view part = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + kSeparator.size());
  return part;
}

}  // namespace muster::fuzz

#endif  // MUSTER_TESTS_FUZZ_INPUT_H_
