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
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/import/api_object.h"
#include "lib/import/field.h"
#include "lib/import/import_log.h"
#include "lib/import/importer.h"
#include "lib/import/kube_plugins.h"
#include "muster/spec.h"

namespace muster {

class PodReader;

// What an importer of a scheduler with plug-ins of its own reads from a configuration.
struct MorePlugins {
  std::span<const KnownPlugin> plugins = {};
  // Sets options by which plug-ins are on.
  void (*take)(const PluginPoints& points, PodReader* reader) = nullptr;
  // Reads the arguments of a plug-in. Returns false for one of which it knows none.
  bool (*read)(const std::string& plugin, const Field& arguments, PodReader* reader) = nullptr;
  // One that preempts in the place of DefaultPreemption, by the same rules and options.
  std::string_view preemption = {};
};

class PodReader {
 public:
  explicit PodReader(const std::optional<Field>& configuration, const MorePlugins& more = {});

  // Takes the services and owners of the dump into account for pods read from now on.
  void AddOwners(const Dump& dump);

  // Returns the pod as a task. `job` is its pod group, if it is in one.
  TaskSpec ReadPod(const ApiObject& pod) const;
  // Returns whether the owner of the pod that the reference names was added.
  bool KnowsOwner(const ApiObject& pod, const Field& reference) const;
  // Returns the pod group as a job.
  JobSpec ReadPodGroup(const ApiObject& group) const;
  // Returns the profile with all options of the configuration. `name`: of a profile that has them.
  std::string profile(std::string_view name) const;
  // Sets an option of the profile.
  void Set(std::string option, std::string value);
  // Returns why a pod of the scheduler is not for the profile that was read; nothing where it is,
  // or there are no profiles.
  std::optional<std::string> WhyForeign(std::string_view scheduler) const;
  bool configured() const { return configured_; }
  const PluginPoints& points() const { return points_; }

 private:
  struct Service {
    std::string name_space;
    Selector selector;
  };
  void ReadPercentage(const Field& holder);
  void ReadBackoff(const Field& root);
  void ReadProfiles(const std::vector<Field>& profiles);
  void ReadProfile(const Field& profile);
  void TakePlugins();
  void ReadArguments(const std::string& plugin, const Field& arguments);
  void ReadFit(const Field& arguments);
  void ReadBalanced(const Field& arguments);
  void ReadPodAffinity(const Field& arguments);
  bool Preempts() const;
  void ReadCandidates(const Field& arguments);
  void ReadSpreadDefaults(const Field& arguments);
  void ReadAddedAffinity(const Field& affinity);
  // Returns the selector of the owner that the reference names, or null.
  const Selector* OwnerOf(const ApiObject& pod, const Field& reference) const;
  void AddDefaultSpread(const ApiObject& pod, TaskShape* shape) const;

  MorePlugins more_;
  PluginPoints points_;
  bool configured_;
  std::vector<std::string> schedulers_;  // of the profiles, the first being the one that is read
  std::vector<std::pair<std::string, std::string>> options_;
  bool system_defaults_ = true;
  std::vector<SpreadConstraint> default_spread_;
  std::optional<std::vector<NodeTerm>> added_required_;
  std::vector<PreferredNodeTerm> added_preferred_;
  std::vector<Service> services_;
  HashMap<std::string, Selector> owners_;  // by "KIND/NAMESPACE/NAME"
};

// Lets a shape on the node of the name alone.
void PinTo(const std::string& node, TaskShape* shape);

// Refuses a value of a configuration in the words of Kubernetes.
void RefuseInvalid(const Field& value, std::string_view rule);

// Reports kinds of owners that the dump lacks: default spread goes by the selector of the owner.
void NoteMissingOwner(const ApiObject& pod, const PodReader& reader, const TaskSpec& task);

// Reads pods as tasks. Left out are pods that wait for the scheduler of another importer, but for
// the default scheduler, and those that a configuration with profiles is not for. `group_of`: the
// job of a pod that ReadPod gave none; empty: none.
void ReadPodsOfDump(const ImportSource& source, const PodReader& reader, const Importer& own,
                    const std::function<std::string(const ApiObject&)>& group_of,
                    ClusterSpec* cluster);

}  // namespace muster

#endif  // MUSTER_IMPORT_KUBE_SCHEDULER_H_
