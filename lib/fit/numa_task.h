// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether a task's containers find their CPUs on a machine's NUMA zones, which CPUs, and how good
// the choice is.
//
//   NumaMachine machine{
//       .cpus = &cpus, .policy = NumaPolicy::kRestricted, .static_manager = true, .free = all};
//   NumaAnswer answer = PlaceOnZones(machine, {.container_milli = {4000, 2000}});
//   // answer.outcome == NumaOutcome::kPlaced, answer.cpus: six CPUs
//   NumaBook book;  book.Choose(task, node, answer.cpus);  book.Take(task, node, &machine.free);
//
// Idea. Containers are placed one after the other, each by the merged hints of its resources (here:
// CPUs alone), on what the earlier ones left. A task that names no policy follows the machine's. A
// task that names one goes only to machines of that policy. Call this only for tasks of guaranteed
// quality of service.
//
// Score. The fewer zones a task would span, the better; the widest candidate gets 0.
//
// Between cycles. A machine's report is late. CPUs given in earlier cycles to tasks that it does
// not report yet are subtracted from its free CPUs. Once it reports all of them, they are
// forgotten, because its own choice may differ. Until then even the reported ones keep theirs.
//
// Cost. The number of containers times the cost of hints (lib/fit/static_cpus.h).
#ifndef MUSTER_FIT_NUMA_TASK_H_
#define MUSTER_FIT_NUMA_TASK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/fit/cpu_set.h"
#include "lib/fit/numa_hints.h"
#include "lib/fit/static_cpus.h"

namespace muster {

struct NumaMachine {
  const StaticCpus* cpus = nullptr;  // nothing: the machine does not report its topology
  NumaPolicy policy = NumaPolicy::kNone;
  bool static_manager = false;  // its CPU manager gives whole CPUs
  int64_t reserved_milli = 0;   // for the system
  CpuSet free = {};
};

struct NumaTask {
  std::optional<NumaPolicy> policy;      // kNone is as good as nothing
  std::vector<int64_t> container_milli;  // of each container; below 0: no CPU requested
  friend bool operator==(const NumaTask&, const NumaTask&) = default;
};

enum class NumaOutcome : uint8_t {
  kPlaced,
  kNotAsked,    // the machine places nothing by zones, and the task does not mind
  kNoTopology,  // the rest are refusals
  kNotStatic,
  kOtherPolicy,
  kNoCpus,
  kNotAdmitted,  // a container does not fit by the machine's policy
};

struct NumaAnswer {
  NumaOutcome outcome = NumaOutcome::kNotAsked;
  CpuSet cpus = {};   // kPlaced: of all containers
  int container = 0;  // kNotAdmitted: which
  bool ok() const { return outcome <= NumaOutcome::kNotAsked; }
};

NumaAnswer PlaceOnZones(const NumaMachine& machine, const NumaTask& task);

struct NumaFit {
  bool ok = false;
  int zones = 0;
};
// Returns whether PlaceOnZones would be ok and, if so, how many zones its CPUs span. Chooses no
// CPUs where one zone could have them all.
NumaFit FitOnZones(const NumaMachine& machine, const NumaTask& task);

// Returns whether a container with this request gets CPUs: whole ones. One that requests a part of
// a CPU gets none, and needs none.
inline bool IsWholeCpus(int64_t milli) { return milli > 0 && milli % 1000 == 0; }

// Returns the score of a candidate where the task would span so many zones, 0 .. 100. `most`: the
// most zones that it would span at any candidate.
inline int64_t NumaScore(int64_t zones, int64_t most) {
  return most == 0 ? 100 : 100 - 100 * zones / most;
}

// Returns the score of each candidate, 0 .. 100. `zones` holds how many zones the task would span
// there.
std::vector<int64_t> NumaScores(std::span<const int> zones);

// The CPUs chosen and held within a cycle.
class NumaBook {
 public:
  void Choose(int task, int node, const CpuSet& cpus) { chosen_[{task, node}] = cpus; }
  // Place a task and take it back. A task that was not placed by zones there changes nothing.
  void Take(int task, int node, CpuSet* free);
  void Release(int task, int node, CpuSet* free);

  struct Holding {
    int task, node;
    CpuSet cpus;
    friend bool operator==(const Holding&, const Holding&) = default;
  };
  std::vector<Holding> Holdings() const;  // at the end of the cycle, by task

 private:
  std::map<std::pair<int, int>, CpuSet> chosen_;
  std::map<int, int> node_of_;
};

struct NumaPod {
  std::string uid, name_space, name;
};

// CPUs given to a task that its machine may not report yet.
struct PendingCpus {
  NumaPod pod;
  CpuSet cpus;
};

// Returns which of the CPUs that the machine reports as free are free. `reported` holds the pods
// that it reports; a pod is the same as ours by its uid, or by its name and namespace. Empties
// `pending` once all are reported.
CpuSet FreeAfterPending(const CpuSet& free, std::span<const NumaPod> reported,
                        std::vector<PendingCpus>* pending);

}  // namespace muster

#endif  // MUSTER_FIT_NUMA_TASK_H_
