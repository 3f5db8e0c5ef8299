// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YuniKorn's importer in parts: its configuration, the pods of its applications, its state dump.
//
//   yunikorn::Partition partition;
//   const std::string profile = yunikorn_import::ReadPartition(source, &partition);
//   yunikorn_import::AddPods(source, &partition, &cluster);     // submits the applications
//   yunikorn_import::AddQueues(partition, limits, &cluster);    // with those that they created
//
// Placement rules, lists of users, child templates and checks of the file are the core's own
// (lib/peer/yunikorn): each application is submitted to a partition with the file's configuration.
//
// A state dump, what /ws/v1/fullstatedump answers, has all of this as the core sees it, so queues
// and applications are read as they are there:
//
//   yunikorn_import::ReadStateDump(source, *object, &scenario);
#ifndef MUSTER_IMPORT_YUNIKORN_H_
#define MUSTER_IMPORT_YUNIKORN_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/import/importer.h"
#include "lib/import/kubernetes.h"
#include "lib/peer/yunikorn/partition.h"

namespace muster::yunikorn_import {

// What a pod requests.
inline constexpr PodRules kPodRules = {.limits_are_requests = true};

// The members of an object as texts, numbers as they are written.
yunikorn::Texts ReadTexts(const Field& section);

// Limits of users, by path of the queue.
using LimitsByPath = HashMap<std::string, UserRules>;

// Configures the partition as the file says; without a file as the shim does by default: a queue
// for each namespace. Returns the profile.
std::string ReadPartition(const ImportSource& source, yunikorn::Partition* partition,
                          LimitsByPath* limits);
void AddPods(const ImportSource& source, yunikorn::Partition* partition, ClusterSpec* cluster);
void AddQueues(const yunikorn::Partition& partition, const LimitsByPath& limits,
               ClusterSpec* cluster);
// Lists the limits of users in the queue of the path and below.
void ListLimits(const yunikorn::QueueConfig& queue, const std::string& path, LimitsByPath* limits);

// --- the state dump (yunikorn_dump.cc, yunikorn_dump_applications.cc)

inline constexpr std::string_view kStateDump = "StateDump";  // the kind
void ReadStateDump(const ImportSource& source, const ApiObject& object, Scenario* scenario);

// What applications are read by.
struct DumpOfPartition {
  const ImportSource& source;
  Field root;
  std::string partition;
  std::vector<Field> nodes;          // of the partition
  HashMap<std::string, bool> leaf;   // by path of a queue: whether it is one
  HashMap<std::string, Field> pods;  // what the shim knows of them, by uid
  HashSet<std::string> kept_pods;    // names of priority classes that protect their pods
};
// Objects of a section with the partition in `key`.
std::vector<Field> OfPartition(const Field& root, std::string_view section, std::string_view key,
                               std::string_view partition);
// Amounts of the core as those of rows, without `pods` if they are a request's.
enum class AmountsOf : uint8_t { kNode, kRequest };
Resources ReadDumpAmounts(const Field& amounts, AmountsOf what);
void AddApplications(const DumpOfPartition& dump, Scenario* scenario);

}  // namespace muster::yunikorn_import

#endif  // MUSTER_IMPORT_YUNIKORN_H_
