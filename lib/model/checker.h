// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Finds the first broken rule of one row and words it: `node "n1", capacity "cpu": unknown unit "x"
// in "5x"`.
//
//   Checker check("queue", spec.name);
//   check.Name(spec.name);
//   check.AtLeast("weight", spec.weight, 1);
//   Amounts limit = check.Resources("limit", spec.limit);
//   if (!check.ok()) return check.status();
//
// The first failure is kept and later ones are ignored, so checks need not stop in between. Words
// are put together only when something fails: a valid row costs no allocation here.
#ifndef MUSTER_MODEL_CHECKER_H_
#define MUSTER_MODEL_CHECKER_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/base/hash_map.h"
#include "muster/spec.h"

namespace muster {

// A quantity that has been read, in the unit of its dimension. The name belongs to the spec.
struct Amount {
  std::string_view name;
  int64_t value;
};
using Amounts = std::vector<Amount>;

inline constexpr size_t kMaxNameBytes = 4096;
// Rows of one table. Far above any cluster, and far below where a wrong count would eat the memory.
inline constexpr int64_t kMaxRows = int64_t{1} << 27;
// How far times are from 0 at most, and how long spans of time are: the sum and the difference of
// two stay within int64. A clock of nanoseconds, which some profiles can be set to, has room until
// the year 2116.
inline constexpr int64_t kMaxTime = (int64_t{1} << 62) - 1;
inline constexpr int64_t kMaxNameTableBytes = int64_t{7} << 30;

class Checker {
 public:
  // The row, and optionally the part of it under which everything is reported: `job "j", group
  // "g"`.
  Checker(const char* kind, std::string_view name, const char* part = nullptr,
          std::string_view part_name = {})
      : kind_(kind), name_(name), part_(part), part_name_(part_name) {}

  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }

  void Fail(absl::string_view rule);
  // `node "n1", capacity "cpu": rule`
  void Fail(const char* where, std::string_view what, absl::string_view rule);

  // The row's own name: not empty, UTF-8, not too long.
  void Name(std::string_view name);
  // The same of a name inside the row.
  void Name(const char* where, std::string_view name);
  // May be empty.
  void Text(const char* where, std::string_view text);
  void AtLeast(const char* what, int64_t value, int64_t least);
  // A point in time, at most kMaxTime away from 0; absent, none.
  void Time(const char* what, const std::optional<int64_t>& seconds);
  // A span of time, from `least` to kMaxTime; absent, none.
  void Span(const char* what, const std::optional<int64_t>& seconds, int64_t least = 0);
  void OneOf(const char* where, std::string_view what, const char* field, std::string_view value,
             std::initializer_list<std::string_view> valid);
  // Amounts that are added up over rows must be exact as doubles, as the peers compute them: at
  // most 2^53.
  enum class Use { kSummed, kCompared };
  Amounts Resources(const char* where, const Resources& resources, Use use = Use::kSummed);
  void Labels(const char* where, const Labels& labels);

  // Names of a list that must differ from each other.
  class Distinct {
   public:
    Distinct(Checker& check, const char* where) : check_(check), where_(where) {}
    void Add(std::string_view name);

   private:
    Checker& check_;
    const char* where_;
    std::vector<std::string_view> few_;  // short lists are compared one by one
    HashSet<absl::string_view> many_;
  };

 private:
  const char* kind_;
  std::string_view name_;
  const char* part_;
  std::string_view part_name_;
  absl::Status status_;
};

// `node "n1"`
std::string PlaceOf(const char* kind, std::string_view name);

}  // namespace muster

#endif  // MUSTER_MODEL_CHECKER_H_
