// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YARN's importers: what a resource manager answers, and its scheduler's file.
//
//   curl RM:8088/ws/v1/cluster/nodes > dump.json
//   curl RM:8088/ws/v1/cluster/apps?states=ACCEPTED,RUNNING >> dump.json
//   curl RM:8088/ws/v1/cluster/scheduler >> dump.json
//
// Answers are objects Nodes, Apps, Scheduler and Containers of the group yarn.apache.org: as they
// are ({"nodes": {...}}), or as the `spec` of an object with a kind and a name.
//
//   nodes        nodes by host, or by id where two have one host. One that does not run is not
//                ready, one that is being decommissioned is cordoned. A label is a setting under
//                yarn-capacity; under yarn-fair the node is not ready
//   apps         jobs by id; groups of tasks for what is requested anywhere, by priority. A
//                queue that was made on demand, and is not listed, is a setting of the job
//   containers   running tasks, of /ws/v1/cluster/apps/ID/appattempts/ATTEMPT/containers. What a
//                node uses beyond those listed becomes a task without a job
//   scheduler    queues by path, where there is no configuration
//
// The configuration is a file of the scheduler as JSON: of the capacity scheduler an object of
// properties, of the fair scheduler {"allocations": {...}}. Properties of yarn-site.xml among them
// are options of the profile, and those of the preemption monitor choose its actions.
//
// Without a profile's name, a Scheduler answer or a configuration of the fair scheduler makes the
// dump one of yarn-fair. Objects of the group fair.yarn.apache.org are of yarn-fair, too.
#ifndef MUSTER_IMPORT_YARN_H_
#define MUSTER_IMPORT_YARN_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/import/importer.h"
#include "muster/spec.h"

namespace muster::yarn_import {

// The queues of a tree by path, parents first.
class QueueRows {
 public:
  // Returns the queue of the path, which is made, with those above it, if it is new. The reference
  // is valid until the next call.
  QueueSpec& Of(const std::string& path);
  // Returns the path of the only leaf with this path or short name; empty: there is none, or not
  // one alone. Makes the leaf where no queue is known. All other queues are made before.
  std::string LeafOf(const std::string& name);
  // Returns whether a queue that is known may make this leaf below it.
  bool MayMake(const std::string& path) const;
  std::vector<QueueSpec> Take() { return std::move(rows_); }

 private:
  std::string FindLeaf(const std::string& name);

  std::vector<QueueSpec> rows_;
  std::map<std::string, size_t> places_;
  std::map<std::string, int> children_;
  std::map<std::string, std::string> leaves_;  // what LeafOf returned
  bool made_here_ = false;                     // no queue is known but those that LeafOf made
};

// Returns the objects of a list; one object stands for a list of one.
std::vector<Field> ListOf(const Field& parent, std::string_view key);
// Returns an amount as number or text, 0 where it is absent or below 0; refuses others.
int64_t AmountOf(const Field& value);
// Refuses an amount below 0, and returns true then.
bool IsBelowZero(const Field& value);
// Returns milliseconds, as number or text, in seconds ("1.500"). Refuses other text, and amounts
// below 0.
std::string SecondsOf(const Field& milliseconds);
// How a property becomes an option.
enum class ValueForm : uint8_t { kNumber, kSwitch, kMilliseconds };
// Returns the value as an option has it: numbers as they stand. Of a switch "":
// it was reported.
std::string OptionText(const Field& value, ValueForm form);
// Returns "on" or "off" of a text or flag that is true or false. Any other value is reported and
// returns "": as at the peer, the default stands for it.
std::string SwitchOf(const Field& value);
// Returns whether the scheduler's file defines the property, or its preemption monitor has it:
// others of its site are not looked at.
bool IsProperty(std::string_view key);
// Returns whether the property is one of the preemption monitor.
bool IsMonitorProperty(std::string_view key);
// Appends "name=value" to the options of an action.
void AddOption(std::string_view name, std::string_view value, std::string* options);

// Return rules of setting queue-mappings: of mapping-rule-json, and of the names of applications.
std::string MappingRulesOfJson(const Field& property, ImportLog* log);
std::string MappingRulesOfApps(const std::string& text);

// Options of a profile's actions, as spec strings have them.
struct ActionOptions {
  std::string heartbeat;
  std::optional<std::string> preempt;  // none: the action is left out
};
// Returns a property, which counts as read; null: it is not set, or is blank.
using FindProperty = std::function<const Field*(const std::string& key)>;
// Returns options of action preempt that the preemption monitor has; none: it does not run.
std::optional<std::string> MonitorOptions(const FindProperty& find);

// Fill the queues, and options of actions.
void ReadCapacityProperties(const Field& properties, ImportLog* log, QueueRows* queues,
                            ActionOptions* options);
void ReadCapacityAnswer(const Field& info, QueueRows* queues);
void ReadAllocations(const Field& configuration, QueueRows* queues, ActionOptions* options);
void ReadFairAnswer(const Field& info, QueueRows* queues);

}  // namespace muster::yarn_import

#endif  // MUSTER_IMPORT_YARN_H_
