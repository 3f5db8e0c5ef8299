// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A partition from a recorded state: queues, applications, nodes, what users use, the host's
// checks. What a decision changes is the difference of two views.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_YUNIKORN_STATE_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_YUNIKORN_STATE_H_

#include <map>
#include <string>

#include "lib/peer/yunikorn/preemption_round.h"
#include "lib/peer/yunikorn/yunikorn.h"
#include "tests/conformance/probe/yunikorn_json.h"

namespace muster::testing::yunikorn_probe {

// Records have seconds since the first call of a case. That call is taken to be late in its hour.
yunikorn::Nanos TimeOf(const json& seconds);
yunikorn::Nanos SpanOf(const json& text);

class RecordedState {
 public:
  explicit RecordedState(const json& state);

  yunikorn::Partition& partition() { return partition_; }
  // kNone: there is none.
  yunikorn::Index QueueAt(const std::string& path) const;
  yunikorn::Index ApplicationNamed(const std::string& id) const;
  // The request of the application with this key, as the record has it; listed if it was not known.
  yunikorn::Index RequestOf(const json& ask, yunikorn::Index application);
  yunikorn::Resource Amounts(const json& amounts) { return ResourceOf(amounts, partition_.names); }
  json Text(const yunikorn::Resource& amounts) const { return TextOf(amounts, partition_.names); }
  json Text(const yunikorn::Result& result) const;
  // Of leaves, as recorded: the priorities of requests that the state may lack.
  const std::map<yunikorn::Index, int32_t>& LeafPriorities() const { return leaf_priorities_; }
  // What decisions change, by the names that records use. Keys of requests are unique in an
  // application only: "APPLICATION KEY".
  json View() const;

 private:
  void AddQueue(const json& queue);
  void AddApplication(const json& application);
  void ListAllocations(const json& application, yunikorn::Index index);
  void AddNode(const json& node);
  void AddReservations(const json& application, yunikorn::Index index);
  void AddReservedNodes(const json& node, yunikorn::Index index);
  void AddUsage(const json& ugm);
  void AddLimits(const json& ugm);
  void AddUser(const std::string& user, const json& levels, const json& group_of);
  yunikorn::UsageKey KeyOf(const std::string& user, const std::string& application,
                           const std::string& path, const json& group_of);
  yunikorn::Index AddAllocation(const json& allocation, yunikorn::Index application);
  yunikorn::Index AllocationOn(const std::string& key, yunikorn::Index node);
  yunikorn::Index AllocationOf(const std::string& key, yunikorn::Index application) const;
  void LinkReleases(const json& state);
  void SetHost(const json& plugin);
  uint32_t NumberOf(const std::string& application);

  yunikorn::Partition partition_;
  std::map<std::string, yunikorn::Index> queues_, applications_, nodes_;
  // By key; several applications may have one of a key.
  std::multimap<std::string, yunikorn::Index> allocations_;
  std::map<yunikorn::Index, int32_t> leaf_priorities_;
  std::map<std::string, uint32_t> numbers_;  // of applications, as users' limits count them
};

}  // namespace muster::testing::yunikorn_probe

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_YUNIKORN_STATE_H_
