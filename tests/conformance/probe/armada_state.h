// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// States of Armada's pools, as its records write them.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_ARMADA_STATE_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_ARMADA_STATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/peer/armada/cluster.h"
#include "lib/peer/armada/job_context.h"
#include "nlohmann/json.hpp"

namespace muster::testing::armada_probe {

// Reads one record after the other; names that it has met keep their numbers.
class StateReader {
 public:
  StateReader(const nlohmann::json& state, const nlohmann::json& node_db)
      : json_(state), db_(node_db) {}

  armada::State Read();
  armada::State Read(const nlohmann::json& draws);

  armada::Amounts AmountsOf(const nlohmann::json& object, int64_t otherwise = 0) const;
  // The amounts of the record's resource names; zeros are left out.
  nlohmann::json TextOf(const armada::Amounts& amounts) const;

  const armada::State& state() const { return state_; }

 private:
  void ReadResources();
  void ReadClasses();
  void ReadNodes();
  void ReadJobs(const nlohmann::json& draws);
  void ReadJob(const nlohmann::json& row);
  void ReadRun(const nlohmann::json& row, armada::Job& job);
  int ReadGang(const nlohmann::json& row);
  int ReadShape(const nlohmann::json& row);
  void ReadQueues();
  void ReadOptions();
  void ReadOptimiser();
  void ReadHoldings();
  armada::AwayNodeType AwayOf(const nlohmann::json& row) const;
  int ClassOf(const nlohmann::json& row);
  int DimensionOf(const std::string& name) const;
  std::vector<armada::Taint> WellKnown(const std::string& name) const;

  std::string PoolName() const;

  const nlohmann::json& json_;
  const nlohmann::json& db_;
  armada::State state_;
  nlohmann::json draws_;
  HashMap<std::string, int> dimensions_, classes_, shapes_, gangs_, queues_, nodes_, jobs_, types_;
};

// Parts of the peer's rows.
int64_t UnitsOf(const nlohmann::json& quantity, int scale);  // of 10^scale, rounded up
std::vector<armada::Taint> TaintsOf(const nlohmann::json& rows);
std::vector<armada::Toleration> TolerationsOf(const nlohmann::json& rows);
armada::Labels LabelsOf(const nlohmann::json& object);
std::optional<std::vector<armada::Term>> AffinityOf(const nlohmann::json& affinity);

// The peer's names.
std::string ReasonText(armada::Reason reason);
std::string MethodText(armada::Method method);

absl::StatusOr<nlohmann::json> PlayPlace(const nlohmann::json& asked);
absl::StatusOr<nlohmann::json> PlayGang(const nlohmann::json& asked);
absl::StatusOr<nlohmann::json> PlayShares(const nlohmann::json& asked);
absl::StatusOr<nlohmann::json> PlayCost(const nlohmann::json& asked);
// Two jobs in the order of a queue: less than 0, 0 or more.
absl::StatusOr<nlohmann::json> PlayCompare(const nlohmann::json& asked);
// Whether a node, or a type of nodes, suits a job.
absl::StatusOr<nlohmann::json> PlaySuits(const nlohmann::json& asked);
absl::StatusOr<nlohmann::json> PlayConditions(const nlohmann::json& asked);
// One limit of a round, a gang or a pool: the reason it gives, or the amounts it comes to.
absl::StatusOr<nlohmann::json> PlayLimits(const nlohmann::json& asked);
// The optimiser and the prices of a market, for one job on one node or for one gang.
absl::StatusOr<nlohmann::json> PlayTrades(const nlohmann::json& asked);
// A book of short jobs, step by step.
absl::StatusOr<nlohmann::json> PlayShortJobs(const nlohmann::json& asked);

}  // namespace muster::testing::armada_probe

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_ARMADA_STATE_H_
