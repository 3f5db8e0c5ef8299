// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Parts of Koordinator's importer: what gangs declare, and reservations.
//
//   ReadGangMarks(pod, &settings);
//   ReadKoordinatorReservations(source, &cluster);
//
// Besides, how texts of a dump become parts of options and labels.
#ifndef MUSTER_IMPORT_KOORDINATOR_OBJECTS_H_
#define MUSTER_IMPORT_KOORDINATOR_OBJECTS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/importer.h"
#include "lib/import/kube_scheduler.h"
#include "lib/scenario/json_rows.h"
#include "muster/snapshot.h"

namespace muster {

// Returns the JSON of an annotation; nothing where there is none, or where it cannot be read.
std::optional<JsonRow> AnnotatedJson(const ApiObject& object, std::string_view key);

// Calls visit(field) with the value of a JSON annotation, if there is one.
template <typename Visit>
void WithAnnotation(const ApiObject& object, std::string_view key, Visit visit) {
  const std::optional<JsonRow> row = AnnotatedJson(object, key);
  if (!row) return;
  const FieldSource source{absl::StrCat(object.place(), ", annotation ", ToAbsl(key)), &*row,
                           object.log()};
  visit(Field(&source));
}

// The same with an annotation of users: what `visit` does not look at is reported.
template <typename Visit>
void WithWishes(const ApiObject& object, std::string_view key, Visit visit) {
  WithAnnotation(object, key, [&](const Field& wishes) { wishes.ReadWhole(visit); });
}

// Returns whether the text may be part of an option, or of a label of a shape: empty, or of
// letters, digits and . _ / - alone. What has other characters could become another option.
bool IsPlainText(std::string_view text);
// Refuses the field where the text, its value or its key, is not plain.
void RequirePlain(const Field& field, std::string_view text);

// A selector as text, with labels by `;`: a=b, a!=b, a=b+c for one of these, a=* for any value, !a
// for none.
std::string SelectorText(const Selector& selector);
// Returns the first key or value of the selector that is not plain.
std::optional<Field> NotPlainIn(const Field& selector);

// Returns the text of a wish, and reports it where it is none of `words`.
std::string KnownWord(const Field& wish, std::span<const std::string_view> words);

// The mode, match policy, time to wait and group that a pod or a PodGroup states of its gang, as
// settings of the job.
Labels ReadGangMarks(const ApiObject& object);

struct StandInRules {
  std::string_view scheduler;  // reservations of other schedulers are left out
  const PodReader* reader;     // not null
};
// Reservations with what they reserve, their owners and those that hold them. One that waits for a
// node is a task, too, "Reservation/NAME". Nodes and tasks must have been read.
void ReadKoordinatorReservations(const ImportSource& source, const StandInRules& rules,
                                 ClusterSpec* cluster);

}  // namespace muster

#endif  // MUSTER_IMPORT_KOORDINATOR_OBJECTS_H_
