// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The texts that importers read: dumps of objects, and single JSON values.
//
//   absl::StatusOr<std::vector<RawObject>> objects = ReadJsonObjects(text);
//   absl::StatusOr<JsonRow> value = ReadJsonValue(configuration, "scheduler configuration");
//
// Both refuse what is no JSON, what is beyond the budget, a key given twice in one object,
// and a value of more than kMaxRowValues parts, by byte or place. Time is linear in the text; of a
// list only its objects are kept.
#ifndef MUSTER_IMPORT_JSON_TEXT_H_
#define MUSTER_IMPORT_JSON_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/scenario/json_rows.h"

namespace muster {

// An object of the Kubernetes API as the text has it. An ad of HTCondor, an answer of YARN's
// resource manager, a state dump of YuniKorn, an element of what Ray lists and a load report of
// Pulsar are objects, too.
struct RawObject {
  JsonRow row;
  std::string kind;         // never empty
  std::string api_version;  // may be empty
};

// Returns the objects of a text in their order: those of lists, of arrays, and of documents one
// after another. A list is an object with the array "items" and a kind that ends in "List". The
// items of a typed list (PodList) need not repeat their kind and API version. Text of blanks alone
// has no objects. A refusal of text that is no JSON tells what it looks like: YAML, HTML, cut off.
absl::StatusOr<std::vector<RawObject>> ReadJsonObjects(std::string_view text, Budget* budget);

// The only value of the text; `what` begins the message of a failure.
absl::StatusOr<JsonRow> ReadJsonValue(std::string_view text, std::string_view what, Budget* budget);

}  // namespace muster

#endif  // MUSTER_IMPORT_JSON_TEXT_H_
