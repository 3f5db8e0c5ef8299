// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Importers: a dump of another scheduler's objects as a scenario.
//
//   kubectl get nodes,pods,podgroups,queues,priorityclasses -A -o json > dump.json
//
//   absl::StatusOr<Import> import = ImportObjects(text_of_dump_json, {.now = 1767225600});
//   std::string json = WriteScenario(import->scenario);   // what `muster run` reads
//   std::string report = WriteReport(import->report);     // what the scenario does not hold
//
// Input. The text is JSON: one object, a List as kubectl prints it, a typed list (PodList), an
// array, or any number of these one after another. Each object has `kind` and `metadata.name`. Of
// two objects of one kind and name the last counts. YAML is turned into JSON by the caller (the
// Python package does so).
//
// Output. `scenario` is a whole scenario, which Fill takes: docs/import.md has the order of rows.
// Its profile is the scheduler's, with the configuration ("volcano:actions=...,tiers=..."). It
// names what was left out, for explanations.
// `report` lists what the dump holds and the scenario does not, in the order of discovery, each
// entry once. If pods that wait for a node are among it, the last entry counts them.
//
// Promises. The result is a pure function of the arguments. Any bytes may be passed: text is
// refused if it is not JSON, is nested deeper than 256, or has a key twice in one object.
//
// Failure. InvalidArgument names the place and the rule; nothing is returned beside it:
//
//   dump: byte 120: unexpected end of input; the text is cut off: get it anew
//   dump: this is YAML; a dump is JSON: kubectl get ... -o json
//   dump: document 2.items[7]: key "kind" is missing; each object has one
//   Pod ns/p: spec.containers[0].resources.requests.cpu: "4 GB" is not a quantity; ...
//   dump: job "ns/p", group "w", spread constraint "zone": max_skew is 0; must be 1 or more
//   scheduler configuration: profile: unknown policy "drff"; did you mean "drf"?
//   profile "vulcano": no importer has this name; expected one of volcano, ...
//   strict: something is left out; the first: Pod ns/p: ...
//
// Cost. Time is linear in the text, times the logarithm of the number of rows. Memory is some
// thirty times the text's size, and is freed but for the result.
#ifndef MUSTER_IMPORT_IMPORT_H_
#define MUSTER_IMPORT_IMPORT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/scenario/scenario.h"

namespace muster {

struct ImportOptions {
  // The name of the importer, which is the name of its profile. Empty: the importer is found by the
  // objects' API groups; a dump of nodes and pods alone is read as kube-scheduler's, with a note.
  // The import fails for a dump with neither, or with as many objects of two importers.
  std::string profile = {};
  // The scheduler's configuration as JSON: what the YAML of volcano-scheduler.conf becomes. Empty:
  // the configuration that the profile has by itself.
  std::string configuration = {};
  // Whether a switch that the configuration does not set is on. Configuration files set what is to
  // be off, so the default is true. Configurations that a scheduler's own tests build in memory
  // need false.
  bool unset_switches_on = true;
  std::string default_queue = "default";  // of jobs that name none
  int64_t now = 0;                        // seconds; the scenario's `now`
  // Pods ("namespace/name") that the scheduler has bound and the cluster has not reported yet.
  std::vector<std::string> binding = {};
  // Of the objects and the configuration together; each object is a row.
  Limits limits = {};
  // Whether an import that leaves something out fails.
  bool strict = false;
};

enum class ImportSeverity : uint8_t {
  kNote,     // the scenario holds what was meant, after a choice that the entry names
  kIgnored,  // a part of the object is not in the scenario, or a default stands for it
  kLeftOut,  // the object is not in the scenario, or not where the dump has it
};
std::string_view ImportSeverityName(ImportSeverity severity);  // "note", "ignored", "left_out"

struct ImportEntry {
  ImportSeverity severity = ImportSeverity::kNote;
  std::string object = {};  // "Pod ns/name", or "scheduler configuration"
  std::string field = {};   // the path inside the object; may be empty
  std::string text = {};    // what is lost, or what was done instead
  friend bool operator==(const ImportEntry&, const ImportEntry&) = default;
};

struct Import {
  Scenario scenario;
  std::vector<ImportEntry> report;
};

absl::StatusOr<Import> ImportObjects(std::string_view objects, const ImportOptions& options);
// Returns why a text alone is no dump, for messages about one of several: it is empty, or cannot be
// read.
absl::Status CheckDump(std::string_view objects, const Limits& limits);

// The names that ImportOptions::profile takes.
std::vector<std::string_view> ImporterNames();

// `object: field: text`, without the field where there is none.
std::string Describe(const ImportEntry& entry);
// {"entries": [{"severity": "ignored", "object": "Pod ns/p", "field": "spec.volumes[0]", "text":
// "..."}]}
std::string WriteReport(const std::vector<ImportEntry>& report);

}  // namespace muster

#endif  // MUSTER_IMPORT_IMPORT_H_
