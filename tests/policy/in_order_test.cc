// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A policy that promises to judge candidates in order does so: its answer about the first few is
// how what it says of all begins. One that promises to judge them alike refuses those of a queue
// and class that it refuses by themselves, whatever goes with them. Random worlds, with tasks that
// are on their way out, and candidates in any order.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/profile/profile.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

using Tasks = std::vector<TaskIndex>;

class Questions {
 public:
  Questions(const Tables& tables, const ProfileConfig& config, Rng& rng)
      : tables_(tables), ledger_(tables, config.accounting), rng_(rng) {
    for (const JobSpec& job : tables.jobs.spec) phases_.push_back(job.phase);
    std::vector<std::vector<ActivePolicy>> tiers;
    for (const auto& tier : config.tiers) {
      tiers.emplace_back();
      for (const ConfiguredPolicy& policy : tier) {
        tiers.back().push_back({policy.decl.make(policy.options), policy.points});
      }
    }
    dispatcher_ = std::make_unique<Dispatcher>(std::move(tiers), config.rules);
    const internal::CycleData data{tables_, ledger_, 0, phases_};
    dispatcher_->Open(Cycle(&data));
  }

  // Asks all that promise, and adds their names.
  void Ask(std::set<std::string>* asked) {
    Tasks there, waiting;
    for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
      if (!tables_.tasks.alive[t] || tables_.tasks.job[t] == kNone) continue;
      const TaskStatus status = ledger_.status(t);
      if (status == TaskStatus::kPending) waiting.push_back(t);
      if (status == TaskStatus::kRunning || status == TaskStatus::kBound) there.push_back(t);
    }
    if (there.empty() || waiting.empty()) return;
    for (size_t i = there.size(); i-- > 1;) std::swap(there[i], there[rng_.Below(i + 1)]);
    const TaskIndex evictor = waiting[rng_.Below(waiting.size())];
    for (const Point point : {Point::kPreemptable, Point::kReclaimable}) {
      for (const PolicyEntry* entry : dispatcher_->at(point)) {
        if (!entry->traits.judges_in_order) continue;
        VictimPolicy* policy = entry->victims;
        const std::string name(entry->policy->name());
        asked->insert(name);
        Tasks all;
        const Vote vote = Choose(policy, point, evictor, there, &all);
        const size_t count = rng_.Below(there.size()) + 1;
        const std::span<const TaskIndex> few(there.data(), count);
        Tasks first;
        EXPECT_EQ(Choose(policy, point, evictor, few, &first), vote) << name;
        std::erase_if(all, [&](TaskIndex t) { return std::ranges::find(few, t) == few.end(); });
        EXPECT_EQ(first, all) << name << " at " << PointName(point);
        if (entry->traits.judges_alike) AskAlike(policy, point, evictor, there, asked);
      }
    }
    // The next question is about other books.
    ledger_.Move(there.back(), TaskStatus::kReleasing, ledger_.node_of(there.back()));
  }

 private:
  // A candidate that is refused by itself is refused among the others, and so are its like.
  void AskAlike(VictimPolicy* policy, Point point, TaskIndex evictor, const Tasks& there,
                std::set<std::string>* asked) {
    Tasks all;
    Choose(policy, point, evictor, there, &all);
    const auto kind = [&](TaskIndex t) {
      return std::pair(tables_.jobs.queue[tables_.tasks.job[t]], tables_.tasks.task_class[t]);
    };
    for (const TaskIndex t : there) {
      Tasks alone;
      Choose(policy, point, evictor, {&t, 1}, &alone);
      if (!alone.empty()) continue;
      asked->insert("refused alike");
      for (const TaskIndex chosen : all) EXPECT_NE(kind(chosen), kind(t));
    }
  }

  static Vote Choose(VictimPolicy* policy, Point point, TaskIndex evictor,
                     std::span<const TaskIndex> candidates, Tasks* chosen) {
    return point == Point::kReclaimable ? policy->Reclaimable(evictor, candidates, chosen)
                                        : policy->Preemptable(evictor, candidates, chosen);
  }

  const Tables& tables_;
  Ledger ledger_;
  Rng& rng_;
  std::vector<JobPhase> phases_;
  std::unique_ptr<Dispatcher> dispatcher_;
};

TEST(JudgesInOrder, WhoPromisesKeepsIt) {
  const std::string profiles[] = {"muster:+cdp", "transwarp", "volcano:+cdp,+pdb",
                                  "muster:pdb(whole_plan=off)"};
  std::set<std::string> asked;
  const uint64_t first = FirstSeed(1);
  for (uint64_t seed = first; seed < first + WorldCount(400); ++seed) {
    const std::string& profile = profiles[seed % std::size(profiles)];
    const auto config = ResolveProfile(profile);
    ASSERT_TRUE(config.ok()) << config.status();
    WorldKnobs knobs;
    knobs.lending = profile == "transwarp";
    const Cluster cluster = MakeCluster(RandomWorld(seed, knobs));
    const Snapshot snapshot = cluster.Freeze();
    Rng rng(seed);
    Questions questions(TablesOf(snapshot), *config, rng);
    for (int i = 0; i < 5; ++i) questions.Ask(&asked);
    if (HasFailure()) FAIL() << "seed " << seed << ", profile " << profile;
  }
  EXPECT_EQ(asked, std::set<std::string>({"borrowing", "cdp", "conformance", "fairshare", "gang",
                                          "leaf-order", "pdb", "priority", "refused alike"}));
}

}  // namespace
}  // namespace muster::testing
