// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The three mixes, and where their numbers come from.
// - openb: a cloud of 1,213 nodes of 15 kinds with 6,212 GPUs (Alibaba, 2023). Counts of nodes are
//   as published. The 91 task shapes are thinned to 18 with the published split: 1,088 without GPU,
//   3,078 with part of one, 3,911 with one, 16 with two, 15 with four, 44 with eight.
// - philly: a training cluster of 8-GPU nodes with eleven tenants (Microsoft, 2017). A tenant's
//   weight is the number of nodes it was given, and it submits as many jobs as it did. Jobs of more
//   than 8 GPUs are gangs of whole nodes. Cores and memory, which the log lacks, are ours.
// - hpc: a batch machine of 8-core nodes (SDSC-BLUE, 2000). Jobs are rigid and of whole nodes, in
//   sizes of powers of two as they occur there, with the median run time that users requested.
#include "lib/scenario/mixes.h"

namespace muster {
namespace {

ClusterMix Openb() {
  ClusterMix mix;
  mix.nodes = {
      {"g2", 549, 96000, 393216, 8},   {"t4", 387, 104000, 524288, 2},
      {"p100", 107, 16000, 122880, 2}, {"g3", 39, 128000, 786432, 8},
      {"v100", 28, 32000, 131072, 4},  {"p100m", 22, 64000, 262144, 2},
      {"v100x", 21, 96000, 786432, 8}, {"v100s", 19, 8000, 32768, 1},
      {"t4x", 17, 96000, 393216, 4},   {"v100l", 9, 48000, 376832, 4},
      {"v100y", 7, 64000, 262144, 8},  {"p100s", 3, 8000, 61440, 1},
      {"p100d", 2, 8000, 61440, 2},    {"a10", 2, 128000, 1048576, 1},
      {"v100z", 1, 82000, 344064, 8},
  };
  mix.tasks = {
      {430, 12500, 57344, 0},    {330, 32000, 49152, 0},     {328, 8000, 30720, 0},
      {1200, 3150, 5600, 810},   {90, 4150, 10600, 550},     {480, 11900, 47104, 470},
      {440, 8000, 30720, 470},   {300, 11900, 47104, 650},   {318, 4000, 22528, 320},
      {250, 4000, 15360, 160},   {1250, 11300, 49152, 1000}, {900, 3150, 5600, 1000},
      {700, 18700, 64512, 1000}, {600, 8000, 32768, 1000},   {461, 12000, 20480, 1000},
      {16, 16000, 65536, 2000},  {15, 30000, 120000, 4000},  {44, 64000, 245760, 8000},
  };
  mix.gangs = {{1, 1, kAnyType, 0}};
  return mix;
}

ClusterMix Philly() {
  ClusterMix mix;
  mix.nodes = {{"gpu8", 1, 64000, 524288, 8}};
  mix.tasks = {
      {76627, 6000, 49152, 1000},
      {1818, 12000, 98304, 2000},
      {1870, 24000, 196608, 4000},
      {1925, 48000, 393216, 8000},
  };
  mix.gangs = {
      {76627, 1, 0, 1140}, {1818, 1, 1, 1140}, {1870, 1, 2, 1140},
      {1643, 1, 3, 1140},  {199, 2, 3, 1140},  {7, 3, 3, 1140},
      {67, 4, 3, 1140},    {6, 8, 3, 1140},    {3, 16, 3, 1140},
  };
  mix.queues = {
      {"6214e9", 64, 41226}, {"11cb48", 16, 16091}, {"6c71a0", 32, 9953}, {"b436b2", 64, 7423},
      {"103959", 8, 1934},   {"ee9e8c", 64, 1511},  {"0e4a51", 32, 1435}, {"ed69ec", 8, 1137},
      {"7f04ca", 32, 723},   {"2869ce", 16, 422},   {"e13805", 16, 374},
  };
  return mix;
}

ClusterMix Hpc() {
  ClusterMix mix;
  mix.nodes = {{"c", 1, 8000, 4096, 0}};
  mix.tasks = {{1, 8000, 2048, 0}};
  mix.gangs = {
      {491, 1, 0, 3600}, {143, 2, 0, 1800}, {119, 4, 0, 1800}, {138, 8, 0, 5400},
      {56, 16, 0, 7200}, {36, 32, 0, 7200}, {13, 64, 0, 9000}, {4, 128, 0, 3600},
  };
  return mix;
}

}  // namespace

std::vector<std::string_view> ClusterMixNames() { return {"uniform", "openb", "philly", "hpc"}; }

ClusterMix NamedClusterMix(std::string_view name) {
  if (name == "openb") return Openb();
  if (name == "philly") return Philly();
  if (name == "hpc") return Hpc();
  return {};
}

}  // namespace muster
