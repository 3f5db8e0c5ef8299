// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YuniKorn's importer in parts: its configuration, and the pods of its applications.
//
//   yunikorn::Partition partition;
//   const std::string profile = yunikorn_import::ReadPartition(source, &partition);
//   yunikorn_import::AddPods(source, &partition, &cluster);     // submits the applications
//   yunikorn_import::AddQueues(partition, limits, &cluster);    // with those that they created
//
// Placement rules, lists of users, child templates and checks of the file are the core's own
// (lib/peer/yunikorn): each application is submitted to a partition with the file's configuration.
#ifndef MUSTER_IMPORT_YUNIKORN_H_
#define MUSTER_IMPORT_YUNIKORN_H_

#include <string>

#include "lib/base/hash_map.h"
#include "lib/import/importer.h"
#include "lib/peer/yunikorn/partition.h"

namespace muster::yunikorn_import {

// Limits of users, by path of the queue.
using LimitsByPath = HashMap<std::string, UserRules>;

// Configures the partition as the file says; without a file as the shim does by default: a queue
// for each namespace. Returns the profile.
std::string ReadPartition(const ImportSource& source, yunikorn::Partition* partition,
                          LimitsByPath* limits);
void AddPods(const ImportSource& source, yunikorn::Partition* partition, ClusterSpec* cluster);
void AddQueues(const yunikorn::Partition& partition, const LimitsByPath& limits,
               ClusterSpec* cluster);

}  // namespace muster::yunikorn_import

#endif  // MUSTER_IMPORT_YUNIKORN_H_
