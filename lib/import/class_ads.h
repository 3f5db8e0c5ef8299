// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Expressions of HTCondor's ads: their texts, the attributes that they name, and their values.
//
//   AdReader reader(now);
//   if (absl::Status s = reader.Note(StartRule(ad.root())); !s.ok()) Leave(s.message());
//   reader.Close(dump);                       // what attributes name is named, too
//   if (reader.IsNamed("OpSys")) Keep("OpSys");
//
// Failure. Note and ValueOf return InvalidArgument for a text that is not in the subset of ClassAds
// which the profile reads (lib/peer/htcondor/class_ad.h).
#ifndef MUSTER_IMPORT_CLASS_ADS_H_
#define MUSTER_IMPORT_CLASS_ADS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/import/api_object.h"
#include "lib/import/field.h"
#include "lib/peer/htcondor/class_ad.h"

namespace muster {

// Returns what stands in "/Expr(...)/", or the value as a literal.
std::string ExpressionText(const Field& field);

// Returns what must hold for a job to start on the slot: its Start, and what its Requirements have
// besides. Room is left to the profile, which looks at it itself. Empty: the ad has neither.
std::string StartRule(const Field& ad);

class AdReader {
 public:
  // time() is `now`.
  explicit AdReader(int64_t now) : now_(now) {}

  // Parses the text, and adds the attributes that it names.
  absl::Status Note(std::string_view text);
  // Adds the attributes that those of the ads name which are named already.
  void Close(const Dump& dump);
  bool IsNamed(std::string_view attribute) { return named_.Has(names_.Of(attribute)); }
  // Evaluates the expression within the ad that has it.
  absl::StatusOr<condor::AdValue> ValueOf(const ApiObject& ad, const Field& field);

 private:
  const int64_t now_;
  condor::AdNames names_;
  condor::AdNameSet named_;
};

}  // namespace muster

#endif  // MUSTER_IMPORT_CLASS_ADS_H_
