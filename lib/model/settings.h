// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reads what one profile alone keeps in the settings of a node, queue or job (muster/spec.h).
//
//   SettingReader settings("queue", spec.name, spec.settings, "toy");
//   rules.sort = settings.Choice("sort", {"fifo", "fair"}, "fifo");   // "toy/sort"
//   rules.most = settings.Integer("most", 0, 1000, 10);               // "toy/most"
//   if (absl::Status s = settings.Finish(); !s.ok()) return s;
//
// Each call names one key that the profile knows and returns its value, or the default where the
// row does not set it. Finish fails with InvalidArgument for the first value that a call refused,
// and for a key of the profile that no call named: `queue "a", setting "toy/sorts": is not known,
// did you mean "sort"?`. Settings of other profiles are not looked at.
//
// A profile that keeps nothing with its nodes, or its jobs, refuses all settings of its own there:
//
//   if (absl::Status s = CheckNoNodeSettings(tables.nodes, "toy"); !s.ok()) return s;
//
// Cost. O(settings of the row) for each call; O(1) for a row without settings. The checks of a
// whole table cost O(rows).
#ifndef MUSTER_MODEL_SETTINGS_H_
#define MUSTER_MODEL_SETTINGS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/model/tables.h"
#include "muster/spec.h"

namespace muster {

class SettingReader {
 public:
  // `kind` is "node", "queue" or "job". All must outlive this.
  SettingReader(const char* kind, std::string_view name, const Labels& settings,
                std::string_view profile)
      : kind_(kind), name_(name), settings_(settings), profile_(profile) {}

  // Returns the value as it stands; absent where the row does not set the key. Valid as long as the
  // settings are.
  std::optional<std::string_view> Text(std::string_view key);
  // Return the value as a whole number, a number, a flag ("true" or "false"), or one of the words.
  // A value that is none, or is not within the bounds, is refused, and the default returned.
  int64_t Integer(std::string_view key, int64_t least, int64_t most, int64_t otherwise);
  double Number(std::string_view key, double least, double most, double otherwise);
  bool Flag(std::string_view key, bool otherwise);
  std::string_view Choice(std::string_view key, std::initializer_list<std::string_view> words,
                          std::string_view otherwise);
  // Refuses the value of a key by a rule of the caller: "must be ...". The first refusal is kept.
  void Refuse(std::string_view key, absl::string_view rule);

  // Returns the first failure. Call it after all keys were named.
  absl::Status Finish();

 private:
  const char* kind_;
  std::string_view name_;
  const Labels& settings_;
  std::string_view profile_;
  std::vector<std::string_view> known_;  // keys that were named, while the row has settings
  absl::Status status_;
};

// Return the failure of the first row that is alive and sets a key of `profile`: `node "n", setting
// "toy/sort": is not known`.
absl::Status CheckNoNodeSettings(const NodeTable& nodes, std::string_view profile);
absl::Status CheckNoJobSettings(const JobTable& jobs, std::string_view profile);

}  // namespace muster

#endif  // MUSTER_MODEL_SETTINGS_H_
