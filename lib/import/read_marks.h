// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which values of a document its reader looked at. What is left is reported, at every depth, so
// that no key is ignored in silence (Field::ReadWhole).
//
// A value is in one of three states: not looked at; read, in which case what is below it has states
// of its own; settled, with all that is below it. Settled is what has an entry in the report, and
// what is known to decide nothing.
//
// Each call costs O(1), Ask O(length of the key).
#ifndef MUSTER_IMPORT_READ_MARKS_H_
#define MUSTER_IMPORT_READ_MARKS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash_map.h"

namespace muster {

class ReadMarks {
 public:
  explicit ReadMarks(size_t values) : states_(values, State::kUnread) {}

  bool is_read(uint32_t value) const { return states_[value] == State::kRead; }
  bool is_settled(uint32_t value) const { return states_[value] == State::kSettled; }
  void Read(uint32_t value) {
    if (states_[value] == State::kUnread) states_[value] = State::kRead;
  }
  void Settle(uint32_t value) { states_[value] = State::kSettled; }

  // Notes that a member of this key was looked for, found or not.
  void Ask(std::string_view key) { keys_.insert(key); }
  // The keys that were looked for, at any place.
  const HashSet<std::string>& keys() const { return keys_; }

 private:
  enum class State : uint8_t { kUnread, kRead, kSettled };

  std::vector<State> states_;  // by value of the document
  HashSet<std::string> keys_;
};

}  // namespace muster

#endif  // MUSTER_IMPORT_READ_MARKS_H_
