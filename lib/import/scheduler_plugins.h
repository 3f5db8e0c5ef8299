// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Parts of the importer of scheduler-plugins, for its own files.
//
//   PodReader reader(source.configuration, scheduler_plugins_import::ConfiguredPlugins());
//   scheduler_plugins_import::ReadNetwork(source, &reader);
#ifndef MUSTER_IMPORT_SCHEDULER_PLUGINS_H_
#define MUSTER_IMPORT_SCHEDULER_PLUGINS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/import/api_object.h"
#include "lib/import/importer.h"
#include "lib/import/kube_scheduler.h"
#include "lib/peer/scheduler_plugins/node_scores.h"

namespace muster::scheduler_plugins_import {

// The plug-ins and their arguments (scheduler_plugins_configuration.cc).
MorePlugins ConfiguredPlugins();
// Returns whether the plug-in is on: at its main point, or to score.
bool IsUsed(const PluginPoints& points, std::string_view plugin);
// Returns whether PreemptionToleration is the plug-in that preempts. Where DefaultPreemption is on,
// too, it is the one that is asked first: what it evicts, the other is not asked about.
bool TolerationPreempts(const PluginPoints& points);

// What arguments of NetworkOverhead choose.
struct NetworkChoice {
  std::string weights = "UserDefined", topology = "nt-default";
  std::vector<std::string> namespaces = {};  // of the objects; empty: any
};
NetworkChoice ChooseNetwork(const std::optional<Field>& configuration);

// Returns the arguments of a plug-in in the first profile, if there are some.
std::optional<Field> ArgumentsOf(const std::optional<Field>& configuration,
                                 std::string_view plugin);
// Returns those of NodeMetadata, not checked yet.
scheduler_plugins::MarkSettings MarkSettingsOf(const Field& arguments);

// What load-watcher measured, as usage and settings of the nodes.
void ReadLoads(const Dump& dump, std::vector<NodeSpec>* nodes);
// Models of power (Peaks) and marks (NodeMetadata) that are no labels, as settings of the nodes.
void ReadPower(const ImportSource& source, std::vector<NodeSpec>* nodes);
void ReadMarks(const ImportSource& source, std::vector<NodeSpec>* nodes);

// AppGroups and the NetworkTopology as options of NetworkOverhead. Without a configuration it is on
// if there are both.
void ReadNetwork(const ImportSource& source, PodReader* reader);

}  // namespace muster::scheduler_plugins_import

#endif  // MUSTER_IMPORT_SCHEDULER_PLUGINS_H_
