// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One importer: how the objects of one scheduler are read. An importer is one file that defines an
// Importer, and its declaration and entry in importers.cc; its name, which is that of a profile,
// occurs nowhere else. To add one, write
//
//   constexpr std::string_view kGroups[] = {"scheduling.example.com"};
//   constexpr KindRule kKinds[] = {{"Node"}, {"Pod"}, {"Workload", kGroups}};
//   extern const Importer kExampleImporter = {"example", kGroups, kKinds, Read};
//
// with the reading of Kubernetes' own objects taken from kubernetes.h, and add it to the table.
#ifndef MUSTER_IMPORT_IMPORTER_H_
#define MUSTER_IMPORT_IMPORTER_H_

#include <optional>
#include <span>
#include <string_view>

#include "lib/import/api_object.h"
#include "lib/import/field.h"
#include "lib/import/import.h"
#include "lib/import/import_log.h"

namespace muster {

struct ImportSource {
  const Dump& dump;  // only objects of the importer's kinds
  const ImportOptions& options;
  // Nothing where there is none. What `read` does not look at is reported.
  std::optional<Field> configuration;
  ImportLog* log;
};

struct Importer {
  std::string_view name;  // of the profile, too
  // API groups of this scheduler alone: a dump with objects of them is a dump of this scheduler.
  std::span<const std::string_view> groups;
  std::span<const KindRule> kinds;  // that it reads; others are reported
  // Fills the scenario, its profile and configuration included; a refusal is in the log.
  void (*read)(const ImportSource& source, Scenario* scenario);
  // What pods name in spec.schedulerName that are this scheduler's.
  std::span<const std::string_view> schedulers = {};
  // Whether it reads dumps of Kubernetes' own objects alone. One importer does.
  bool plain = false;
  // What keys of labels and annotations contain on objects of this scheduler alone. An object with
  // it belongs to this importer, if the importer reads it, though its API group is another's.
  std::string_view mark = {};
  // The resource that devices of nodes count as, where the importer reads such devices. Queues may
  // have amounts of it though no node lists it.
  std::string_view device_resource = {};
};

// All importers, in the order in which messages name them.
std::span<const Importer* const> Importers();
// Returns the importer of the scheduler of that name, or null.
const Importer* ImporterOfScheduler(std::string_view scheduler);
// Returns whether the pod is still to be placed: it has no node, and neither ended nor is leaving.
bool WaitsForNode(const ApiObject& pod);
// Returns whether the pod is being deleted before it has a node. No scheduler places such a pod: it
// is left out, with an entry.
bool EndsWithoutNode(const ApiObject& pod);

}  // namespace muster

#endif  // MUSTER_IMPORT_IMPORTER_H_
