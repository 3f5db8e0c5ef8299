// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A cluster as text that tests compare, and a check of everything the tables hold twice.
#ifndef MUSTER_TESTS_MODEL_DUMP_H_
#define MUSTER_TESTS_MODEL_DUMP_H_

#include <map>
#include <string>
#include <vector>

#include "muster/cluster.h"

namespace muster {

// Every row by kind and name; the values are equal exactly when the rows mean the same.
std::map<std::string, std::string> Dump(const ClusterSpec& spec);
std::map<std::string, std::string> Dump(const Cluster& cluster);

// The living rows in the order of their indices.
std::vector<std::string> RowOrder(const Cluster& cluster);

// Recounts lists, counts and columns from scratch; empty, or the first contradiction in words.
std::string Contradiction(const Cluster& cluster);

}  // namespace muster

#endif  // MUSTER_TESTS_MODEL_DUMP_H_
