// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Chooses the broker of one bundle: filters, then the strategy of the options.
//
//   Placer placer(context, options);
//   const NodeIndex node = placer.Choose(task, /*from=*/kNone);
//   placer.Store();                       // averages and turns, for the next cycle
//
// 1. Candidates are brokers that the task may run on and that have room for it.
// 2. Brokers with too many topics, of crowded anti-affinity groups, and with more bundles of the
//    namespace than others are left out.
// 3. The strategy chooses. If its broker is overloaded, it chooses once more among all candidates.
//
// A namespace that is excluded from shedding takes brokers in turn, whatever the strategy.
#ifndef MUSTER_PEER_PULSAR_PLACER_H_
#define MUSTER_PEER_PULSAR_PLACER_H_

#include <string>
#include <string_view>

#include "lib/part/context.h"
#include "lib/peer/pulsar/avg_shedder.h"
#include "lib/peer/pulsar/placement.h"
#include "lib/peer/pulsar/read_world.h"

namespace muster::pulsar {

// Slots of the memory.
inline constexpr std::string_view kAverageSlot = "pulsar-averages";     // of the threshold shedder
inline constexpr std::string_view kPlacementSlot = "pulsar-placement";  // averages of usage
inline constexpr std::string_view kTurnSlot = "pulsar-turns";
inline constexpr std::string_view kHitSlot = "pulsar-hits";
inline constexpr std::string_view kReportSlot = "pulsar-reports";
inline constexpr std::string_view kUnloadSlot = "pulsar-unloaded";
inline constexpr std::string_view kSplitSlot = "pulsar-splits";
inline constexpr std::string_view kDestinationSlot = "pulsar-destinations";  // of placement avg

HashMap<std::string, double> ReadAverages(const ActionContext& context, std::string_view slot);
void StoreAverages(const ActionContext& context, std::string_view slot,
                   const HashMap<std::string, double>& averages);
void StoreSlot(const ActionContext& context, std::string_view name, MemorySlot slot);

Weights WeightsFrom(const Options& options);

class Placer {
 public:
  // `avg`: of the shedder that has chosen destinations; null: none has.
  Placer(ActionContext& context, const Options& options, AvgShedder* avg);

  // Returns kNone if no broker will do. `from`: the broker that the bundle leaves, or kNone.
  NodeIndex Choose(TaskIndex task, NodeIndex from);
  void Store() const;

 private:
  Names Candidates(TaskIndex task, NodeIndex from) const;
  Names Filter(TaskIndex task, Names candidates) const;
  std::string Draw(TaskIndex task, const Names& candidates);
  Names Best(const Names& candidates);
  const Broker& BrokerNamed(const std::string& name) const;
  HashMap<std::string, double> Loads() const;
  void LoadDestinations();
  void StoreDestinations() const;

  ActionContext& context_;
  Books& books_;
  const std::string strategy_;
  const Weights weights_;
  const double overload_, difference_;
  const bool even_;
  const int64_t most_topics_;
  UsagePlacement usage_;
  RoundRobin turns_, excluded_turns_;
  AvgShedder own_avg_{AvgShedder::Rules{}};
  AvgShedder* avg_;
};

}  // namespace muster::pulsar

#endif  // MUSTER_PEER_PULSAR_PLACER_H_
