// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A small cluster with everything that an action works with.
//
//   Loop loop("volcano", [](Cluster& cluster) { ... });
//   Attempt attempt(loop.context());
#ifndef TESTS_PART_LOOP_H_
#define TESTS_PART_LOOP_H_

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/part/context.h"
#include "lib/profile/profile.h"

namespace muster::testing {

class Loop {
 public:
  Loop(std::string_view profile, const std::function<void(Cluster&)>& fill)
      : config_(*ResolveProfile(profile)) {
    fill(cluster_);
    ledger_.emplace(tables(), config_.accounting);
    phases_.assign(tables().jobs.alive.size(), JobPhase::kAdmitted);
    for (JobIndex j = 0; j < phases_.size(); ++j) waiting_.push_back(j);
    std::vector<std::vector<ActivePolicy>> tiers;
    for (const auto& tier : config_.tiers) {
      tiers.emplace_back();
      for (const ConfiguredPolicy& policy : tier) {
        tiers.back().push_back({policy.decl.make(policy.options), policy.points});
      }
    }
    dispatcher_.emplace(std::move(tiers), config_.rules);
    domains_.Open(tables(), /*changed=*/true);
    data_.emplace(internal::CycleData{tables(), *ledger_, 0, phases_, nullptr, &domains_});
    cycle_.emplace(&*data_);
    dispatcher_->Open(*cycle_);
    SearchRules rules;
    rules.slack.assign(tables().dimension_count(), 0);
    search_.emplace(*ledger_, *dispatcher_, std::move(rules), speed_);
    search_->BeginCycle();
    context_.emplace(*ledger_, *dispatcher_, *search_, domains_, meter_, phases_, waiting_,
                     CycleFacts{.cycle = &*cycle_});
  }

  const Tables& tables() const { return TablesOf(cluster_); }
  ActionContext& context() { return *context_; }
  TaskIndex task(std::string_view name) const { return *tables().tasks.names.Find(name); }
  NodeIndex node(std::string_view name) const { return *tables().nodes.names.Find(name); }
  JobIndex job(std::string_view name) const { return *tables().jobs.names.Find(name); }
  QueueIndex queue(std::string_view name) const { return *tables().queues.names.Find(name); }
  uint32_t domain(std::string_view name) const { return *tables().domains.names.Find(name); }

 private:
  Cluster cluster_;
  const ProfileConfig config_;
  const SpeedOptions speed_;
  std::optional<Ledger> ledger_;
  std::vector<JobPhase> phases_;
  std::vector<JobIndex> waiting_;
  std::optional<internal::CycleData> data_;
  std::optional<Cycle> cycle_;
  std::optional<Dispatcher> dispatcher_;
  Domains domains_;
  std::optional<NodeSearch> search_;
  WorkMeter meter_{std::nullopt, nullptr};
  std::optional<ActionContext> context_;
};

}  // namespace muster::testing

#endif  // TESTS_PART_LOOP_H_
