// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The named mixes: nodes, shapes and gangs of lib/scenario/mixes.cc, with run times and submissions
// measured on the recorded traces and rounded to two digits.
//
//   openb   run times of pods that ended within the 149 days; gaps above a day, which are of the
//           recording, are left out
//   philly  run times by GPUs: gangs of 16 and more are taken together
//   hpc     SDSC-BLUE; its 1,152 processors as one pool
// Users by rank: the k-th submits a k-th of what the first does.
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/replay/trace_parts.h"
#include "lib/scenario/mixes.h"
#include "muster/mix.h"

namespace muster {
namespace {

Resources MixAmounts(int64_t cpu_milli, int64_t memory_mib, int64_t gpu_milli) {
  Resources out = {{"cpu", absl::StrCat(cpu_milli, "m")},
                   {"memory", absl::StrCat(memory_mib, "Mi")}};
  if (gpu_milli > 0) out.emplace_back(kGpu, absl::StrCat(gpu_milli, "m"));
  return out;
}

// Machine, kinds of jobs and queues; the times are the caller's to fill in.
TraceMix OnNodes(const char* name, int64_t nodes) {
  const ClusterMix tables = NamedClusterMix(name);
  TraceMix mix;
  mix.name = name;
  for (const NodeType& kind : tables.nodes) {
    MixNodes& made = mix.nodes.emplace_back();
    made.node.name = kind.name + "-";
    made.node.capacity = MixAmounts(kind.cpu_milli, kind.memory_mib, kind.gpus * 1000);
    made.count = tables.nodes.size() == 1 ? nodes : kind.weight;
  }
  for (const GangType& gang : tables.gangs) {
    for (size_t k = 0; k < tables.tasks.size(); ++k) {
      if (gang.task_type != kAnyType && gang.task_type != static_cast<int32_t>(k)) continue;
      const TaskType& kind = tables.tasks[k];
      MixJobs& made = mix.jobs.emplace_back();
      made.weight = gang.task_type == kAnyType ? kind.weight : gang.weight;
      made.tasks = gang.size;
      made.shape.request = MixAmounts(kind.cpu_milli, kind.memory_mib, kind.gpu_milli);
    }
  }
  for (const QueueType& queue : tables.queues) {
    mix.queues.push_back({{.name = queue.name, .weight = queue.weight}, queue.jobs});
  }
  return mix;
}

TraceMix Openb() {
  TraceMix mix = OnNodes("openb", 0);
  mix.run = {1,    40,   60,    110,   170,   260,    490,     830,      1400,
             2600, 6500, 16000, 41000, 96000, 740000, 8800000, 12000000, 12500000};
  mix.gaps = {0,   1,   6,    32,   59,   100,  160,  240,   360,
              540, 950, 1500, 2300, 3400, 4900, 9000, 43000, 86000};
  mix.hours = {63, 55, 44, 53, 52, 39, 35, 40, 29, 17, 27, 25,
               18, 18, 16, 33, 36, 52, 67, 57, 43, 52, 52, 66};
  return mix;
}

TraceMix Philly() {
  TraceMix mix = OnNodes("philly", 352);
  const std::vector<int64_t> one = {1,     52,     62,     76,     220,     600,
                                    1100,  1700,   2500,   3800,   8500,    19000,
                                    68000, 140000, 270000, 870000, 2600000, 3300000};
  const std::vector<int64_t> two = {2,      9,      11,     15,      17,      19,
                                    21,     25,     33,     150,     74000,   200000,
                                    340000, 530000, 810000, 1500000, 2600000, 2600000};
  const std::vector<int64_t> four = {3,      75,     140,     400,     1700,    7500,
                                     17000,  36000,  79000,   110000,  180000,  270000,
                                     540000, 910000, 1200000, 2600000, 2800000, 2800000};
  const std::vector<int64_t> eight = {1,      82,      200,     650,     3400,    12000,
                                      24000,  61000,   130000,  200000,  340000,  510000,
                                      790000, 1100000, 2000000, 2700000, 4600000, 4600000};
  const std::vector<int64_t> more = {2,      40,      55,      280,     610,     7900,
                                     33000,  73000,   140000,  180000,  340000,  510000,
                                     660000, 1200000, 1400000, 1700000, 1700000, 1700000};
  mix.run = one;
  for (MixJobs& kind : mix.jobs) {
    const std::string& gpus = kind.shape.request.back().second.text;
    if (kind.tasks > 1) {
      kind.run = more;
    } else if (gpus != "1000m") {
      kind.run = gpus == "2000m" ? two : gpus == "4000m" ? four : eight;
    }
  }
  mix.gaps = {0, 0, 1, 2, 3, 5, 8, 13, 26, 100, 360, 600, 600, 600, 730, 2300, 57000, 250000};
  mix.hours = {34, 39, 29, 27, 25, 32, 33, 27, 31, 38, 37, 44,
               44, 47, 43, 47, 50, 31, 36, 62, 81, 59, 56, 35};
  return mix;
}

TraceMix Hpc() {
  constexpr int64_t kProcessors = 1152, kOfNode = 8, kUsers = 468;
  TraceMix mix = OnNodes("hpc", 0);
  mix.nodes.clear();
  mix.processors = kProcessors;
  for (MixJobs& kind : mix.jobs) {
    kind.tasks *= kOfNode;
    kind.shape = {};
  }
  for (int64_t rank = 1; rank <= kUsers; ++rank) mix.users.push_back(100000 / rank);
  mix.run = {1,    39,   43,    56,    78,    120,    220,    470,    900,
             2600, 8100, 23000, 52000, 65000, 110000, 130000, 130000, 420000};
  mix.gaps = {0,   4,   6,    19,   42,   72,   110,   170,   250,
              400, 770, 1400, 2600, 4000, 6100, 14000, 33000, 260000};
  mix.hours = {70, 62, 51, 40, 34, 29, 28, 25, 23, 22, 20, 19,
               16, 16, 21, 29, 37, 45, 55, 62, 69, 67, 71, 73};
  mix.estimate = {100,  100,   100,   140,   230,   420,    740,    1200,   2200,
                  4600, 16000, 18000, 23000, 53000, 120000, 260000, 450000, 1800000};
  return mix;
}

}  // namespace

std::vector<std::string> TraceMixNames() { return {"openb", "philly", "hpc"}; }

absl::StatusOr<TraceMix> NamedTraceMix(std::string_view name) {
  if (name == "openb") return Openb();
  if (name == "philly") return Philly();
  if (name == "hpc") return Hpc();
  const std::vector<std::string_view> names = {"openb", "philly", "hpc"};
  const std::string_view nearest = NearestName(name, names);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown mix ", Quote(name),
                   nearest.empty() ? ", expected one of openb, philly, hpc"
                                   : absl::StrCat(", did you mean ", Quote(nearest), "?")));
}

}  // namespace muster
