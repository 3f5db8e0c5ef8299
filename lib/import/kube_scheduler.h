// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// kube-scheduler's objects and configuration, object by object: what its importer reads from a
// dump, and a program that follows a watch reads from each event.
//
//   PodReader reader(configuration);                // a KubeSchedulerConfiguration, or nothing
//   reader.AddOwners(dump);                         // services, replica sets, ...
//   TaskSpec task = reader.ReadPod(*pod);
//   std::string profile = reader.profile("kube-scheduler");   // with ":schedule(strategy=most)"
//
// What the configuration adds to pods becomes part of their tasks: node affinity that it enforces,
// and default spread constraints with the selectors of the pod's services and owner. All else
// becomes options of action schedule.
#ifndef MUSTER_IMPORT_KUBE_SCHEDULER_H_
#define MUSTER_IMPORT_KUBE_SCHEDULER_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/import/api_object.h"
#include "lib/import/field.h"
#include "lib/import/import_log.h"
#include "lib/import/importer.h"
#include "muster/spec.h"

namespace muster {

class PodReader {
 public:
  explicit PodReader(const std::optional<Field>& configuration);

  // Takes the services and owners of the dump into account for pods read from now on.
  void AddOwners(const Dump& dump);

  // Returns the pod as a task. `job` is its pod group, if it is in one.
  TaskSpec ReadPod(const ApiObject& pod) const;
  // Returns the pod group as a job.
  JobSpec ReadPodGroup(const ApiObject& group) const;
  // Returns the profile with all options of the configuration. `name`: of a profile that has them.
  std::string profile(std::string_view name) const;
  // Sets an option of the profile.
  void Set(std::string option, std::string value);

 private:
  struct Owner {
    std::string kind, name_space, name;
    Selector selector;
  };
  void ReadProfile(const Field& profile);
  void ReadPlugins(const Field& plugins);
  void ReadArguments(const std::string& plugin, const Field& arguments);
  void ReadFit(const Field& arguments);
  void ReadSpreadDefaults(const Field& arguments);
  void ReadAddedAffinity(const Field& affinity);
  void AddDefaultSpread(const ApiObject& pod, TaskShape* shape) const;

  std::vector<std::pair<std::string, std::string>> options_;
  bool system_defaults_ = true;
  std::vector<SpreadConstraint> default_spread_;
  std::optional<std::vector<NodeTerm>> added_required_;
  std::vector<PreferredNodeTerm> added_preferred_;
  std::vector<Owner> services_, owners_;
};

// Reads pods as tasks. Pods that wait for the scheduler of another importer are left out, those of
// the default scheduler never. `group_of`: the job of a pod that ReadPod gave none; empty: none.
void ReadPodsOfDump(const ImportSource& source, const PodReader& reader, const Importer& own,
                    const std::function<std::string(const ApiObject&)>& group_of,
                    ClusterSpec* cluster);

}  // namespace muster

#endif  // MUSTER_IMPORT_KUBE_SCHEDULER_H_
