// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What an import produces beside the scenario: the first refusal, and the entries of the report.
//
//   log->LeftOut("Pod ns/p", "spec.nodeName", "...");
//   log->Refuse("Pod ns/p: spec.priority", "expected an integer, got \"high\"");
//   if (!log->ok()) return log->status();
//
// Reading continues after a refusal, with defaults, so readers need not check after every value;
// loops over many objects check ok(). An entry that is added twice is kept once. Each call costs
// O(length of its texts).
#ifndef MUSTER_IMPORT_IMPORT_LOG_H_
#define MUSTER_IMPORT_IMPORT_LOG_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/import.h"

namespace muster {

class ImportLog {
 public:
  bool ok() const { return status_.ok(); }
  // The first refusal.
  const absl::Status& status() const { return status_; }
  void Refuse(std::string_view place, std::string_view rule) {
    if (ok()) {
      status_ = absl::InvalidArgumentError(absl::StrCat(ToAbsl(place), ": ", ToAbsl(rule)));
    }
  }

  void Note(std::string_view object, std::string_view field, std::string_view text) {
    Add(ImportSeverity::kNote, object, field, text);
  }
  void Ignored(std::string_view object, std::string_view field, std::string_view text) {
    Add(ImportSeverity::kIgnored, object, field, text);
  }
  void LeftOut(std::string_view object, std::string_view field, std::string_view text) {
    Add(ImportSeverity::kLeftOut, object, field, text);
  }

  const std::vector<ImportEntry>& entries() const { return entries_; }
  std::vector<ImportEntry> Take() { return std::move(entries_); }

 private:
  void Add(ImportSeverity severity, std::string_view object, std::string_view field,
           std::string_view text) {
    ImportEntry entry{severity, std::string(object), std::string(field), std::string(text)};
    const bool is_new =
        seen_.insert(absl::StrCat(entry.object, "\n", entry.field, "\n", entry.text)).second;
    if (is_new) entries_.push_back(std::move(entry));
  }

  absl::Status status_;
  std::vector<ImportEntry> entries_;
  HashSet<std::string> seen_;
};

}  // namespace muster

#endif  // MUSTER_IMPORT_IMPORT_LOG_H_
