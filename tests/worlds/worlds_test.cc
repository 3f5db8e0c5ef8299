// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random worlds: the engine and its slow twin must agree on every decision, in order, and on every share, to the
// bit. A difference is shrunk and printed with its seed and the scenario that shows it.
//
//   MUSTER_WORLDS=100000 MUSTER_SEED=7 muster_worlds --gtest_filter='Worlds.*'
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/schedule.h"
#include "tests/support/random_spec.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

const char* const kVolcano[] = {
    "volcano",
    "volcano:+preempt,+reclaim",
    "volcano:actions=admit+reclaim+allocate+preempt+backfill",
    "volcano:actions=allocate+backfill+preempt+reclaim",
    "volcano:actions=admit+allocate+preempt+reclaim+backfill",
    "volcano:actions=preempt+allocate",
    "volcano:actions=reclaim",
    "volcano:actions=preempt",
    "volcano:actions=backfill+allocate",
    "volcano:actions=allocate+allocate+backfill",
    "volcano:actions=allocate+backfill+preempt+reclaim,"
    "tiers=priority+gang+conformance/drf+predicates+proportion+nodeorder",
    "volcano:actions=allocate+preempt(topology_aware=on)",
    "volcano:actions=admit+allocate+backfill+preempt(topology_aware=on)+reclaim,-proportion,"
    "predicates(trial_evictions=off)",
    "volcano:actions=allocate(error_cache=off)+preempt(error_cache=off)",
    "volcano:actions=allocate+preempt,tiers=gang+priority/drf+predicates+nodeorder",
    "volcano:actions=allocate+reclaim,tiers=gang/proportion+conformance/predicates+binpack",
    "volcano:actions=allocate+preempt+reclaim,tiers=priority/gang/conformance/drf/predicates/"
    "proportion",
    "volcano:-proportion,+preempt",
    "volcano:-drf,-overcommit,+reclaim",
    "volcano:-gang,+preempt,+reclaim",
    "volcano:actions=allocate+preempt+reclaim,tiers=priority+gang+pdb/"
    "drf+predicates+proportion+pdb",
    "volcano:-proportion,+capacity,+preempt,+reclaim",
    "volcano:-proportion,+capacity(hierarchy=on,ancestor_reclaim_level=1),+preempt,+reclaim",
    "volcano:actions=reclaim,tiers=capacity(hierarchy=on)/predicates+nodeorder",
    "volcano:actions=reclaim+allocate,tiers=priority/"
    "capacity(hierarchy=on,ancestor_reclaim_level=2)+predicates+nodeorder",
    "volcano:actions=reclaim+allocate+reclaim,tiers=capacity/predicates+gang",
    "volcano:actions=allocate+gangreclaim+gangpreempt,"
    "tiers=priority+gang+capacity(hierarchy=on)/predicates+nodeorder",
    "volcano:actions=gangreclaim+allocate+preempt(topology_aware=on),"
    "tiers=priority+gang/drf+predicates+capacity+nodeorder",
    "volcano:+sla(waiting_time=2)",
    "volcano:tiers=sla+priority/gang/overcommit+drf+predicates+proportion+nodeorder",
    "volcano:+resourcequota",
    "volcano:+resource-strategy-fit(most.nvidia.com/*=2,least.cpu=1,scarce_weight=3,"
    "scarce.nvidia.com/gpu=1)",
    "volcano:+resource-strategy-fit(reserve_cpu.nvidia.com/gpu=1),+preempt",
    "volcano:+usage,+preempt",
    "volcano:+load-aware,+preempt,+reclaim",
    "volcano:actions=allocate+backfill,tiers=priority+gang/predicates+"
    "load-aware(cpu_threshold=90,dominant=1,interval=10,expired=trust)",
    "volcano:actions=allocate+preempt+reclaim,tiers=cdp+priority/predicates+proportion",
    "volcano:actions=allocate+reclaim,tiers=drf(hierarchy=on)/predicates+nodeorder",
    "volcano:actions=reclaim+allocate+preempt,tiers=gang+drf(hierarchy=on)/predicates+proportion",
    "volcano:+nodegroup(strict=off,hierarchy=on)",
    "volcano:actions=allocate+backfill+preempt+reclaim,tiers=priority+gang/drf+predicates+"
    "proportion+nodegroup(strict=off)",
    "volcano:actions=allocate+preempt,tiers=tdm(from.day=0,to.day=1,from.night=1,to.night=0)/"
    "predicates+nodeorder",
    "volcano:actions=allocate+backfill,tiers=priority+gang/predicates+"
    "nodegroup(strict=off,preferred_order=on)+binpack+tdm(from.day=0,to.day=0)",
    "volcano:actions=shuffle+allocate,tiers=gang/tdm(from.day=1,to.day=0,from.night=1,to.night=1)+"
    "rescheduling(cpu_low=30,cpu_high=60)/predicates+nodeorder",
    "volcano:actions=gangpreempt",
    "volcano:actions=gangreclaim",
    "volcano:actions=allocate+gangpreempt+gangreclaim,"
    "tiers=priority+gang+conformance/predicates+proportion+nodeorder+binpack",
    "volcano:actions=allocate+gangpreempt(whole_gangs=off)+gangreclaim(error_cache=off)",
    "volcano:actions=gangreclaim(whole_gangs=off)+allocate+gangpreempt(error_cache=off),-"
    "proportion",
    "volcano:+shards(name=a),+preempt,+reclaim",
    "volcano:+shards(name=a,soft=on),+preempt,+reclaim",
    "volcano:+shards(name=b,soft=on),actions=allocate+preempt(topology_aware=on)+backfill",
    "volcano:+shards(name=b,soft=on),actions=reclaim+gangpreempt+allocate+gangreclaim+backfill",
    "volcano:+sampling(least_nodes=2),+preempt,+reclaim",
    "volcano:+sampling(least_nodes=1,percent=30),+preempt(topology_aware=on)",
    "volcano:actions=reclaim+allocate+backfill,+sampling(least_nodes=2,percent=40),+shards(name=a,"
    "soft=on)",
    "volcano:+task-topology",
    "volcano:tiers=task-topology(weight=5)+priority+gang/"
    "predicates+proportion+nodeorder,+preempt,+reclaim",
    "volcano:actions=allocate+gangpreempt+gangreclaim+backfill,+task-topology",
    "volcano:actions=shuffle,tiers=rescheduling(cpu_low=50,cpu_high=50)",
    "volcano:actions=shuffle+allocate,tiers=pdb+rescheduling(cpu_low=50,cpu_high=50)/predicates",
    "volcano:actions=preempt+shuffle+allocate,tiers=priority+gang/tdm(from.day=1,to.day=1)+"
    "pdb(whole_plan=on)/predicates",
    "volcano:actions=shuffle+allocate+preempt,+rescheduling(cpu_low=60,memory_low=80,cpu_high=70,"
    "memory_high=20)",
    "volcano:nodeorder(least_requested=0,most_requested=2,balanced=1),binpack(weight=5,cpu=2)",
};

// One profile a world: most from the list, some made up.
std::string ProfileOf(uint64_t number, Rng& rng) {
  if (number % 4 == 3) return RandomVolcanoSpec(rng);
  if (number % 4 == 2) {
    const char* const specs[] = {"kube-batch",
                                 "kube-batch:+preempt,+reclaim",
                                 "kube-batch:actions=reclaim+allocate+backfill+preempt",
                                 "kube-batch:actions=preempt+allocate",
                                 "kube-batch:-drf,+reclaim",
                                 "kube-batch:-proportion,+preempt"};
    return specs[rng.Below(std::size(specs))];
  }
  return kVolcano[rng.Below(std::size(kVolcano))];
}

std::string MusterProfileOf(uint64_t, Rng& rng) {
  const char* const specs[] = {"muster",
                               "muster",
                               "muster",
                               "muster:actions=allocate",
                               "muster:actions=reclaim",
                               "muster:actions=preempt",
                               "muster:actions=preempt+reclaim+allocate",
                               "muster:-binpack,-conformance",
                               "muster:-gang",
                               "muster:-priority",
                               "muster:pdb(whole_plan=off)",
                               "muster:nodeorder(least_requested=1),-binpack"};
  return specs[rng.Below(std::size(specs))];
}

std::string TranswarpProfileOf(uint64_t, Rng& rng) {
  const char* const specs[] = {"transwarp",
                               "transwarp",
                               "transwarp",
                               "transwarp:hdrf(form=naive)",
                               "transwarp:hdrf(form=static)",
                               "transwarp:actions=allocate",
                               "transwarp:actions=allocate,hdrf(form=naive)",
                               "transwarp:actions=reclaim",
                               "transwarp:actions=preempt+reclaim+allocate",
                               "transwarp:borrowing(without=allocatable|reclaimable)",
                               "transwarp:-hdrf,-bindings",
                               "transwarp:-leaf-order,-gang",
                               "muster:-fairshare,+borrowing,+hdrf(form=static)",
                               "muster:-fairshare,+hdrf,+fairshare"};
  return specs[rng.Below(std::size(specs))];
}

void Compare(uint64_t worlds, std::string (*profile_of)(uint64_t, Rng&)) {
  ExpectAgreement(worlds, [&](uint64_t seed) {
    Rng rng(seed);
    ComparedWorld made;
    made.profile = profile_of(seed, rng);
    const uint64_t world_seed = rng.Next();
    // Who is told what queues deserve finds queues that say it most often.
    const bool told = made.profile.find("capacity") != std::string::npos;
    const bool lends = profile_of == TranswarpProfileOf;
    made.world = RandomWorld(world_seed, {.rooted = told && rng.Chance(0.9), .lending = lends});
    return made;
  });
}

TEST(Worlds, EngineAndTwinAgree) { Compare(WorldCount(10000), ProfileOf); }

TEST(Worlds, EngineAndTwinAgreeOnMuster) { Compare(WorldCount(5000), MusterProfileOf); }

TEST(Worlds, EngineAndTwinAgreeOnTranswarp) { Compare(WorldCount(5000), TranswarpProfileOf); }

// The worlds are worth something only if much happens in them.
TEST(Worlds, AreNotDull) {
  int64_t by_kind[5] = {}, tentative = 0, pending = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Cluster cluster = MakeCluster(RandomWorld(seed));
    const absl::StatusOr<Plan> plan =
        Schedule(cluster.Freeze(), "volcano:actions=reclaim+allocate+preempt+backfill");
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (const Decision& decision : plan->decisions()) ++by_kind[static_cast<int>(decision.kind)];
    tentative += static_cast<int64_t>(plan->tentative().size());
    pending += static_cast<int64_t>(plan->pending().size());
  }
  EXPECT_GT(by_kind[static_cast<int>(DecisionKind::kBind)], 500);
  EXPECT_GT(by_kind[static_cast<int>(DecisionKind::kNominate)], 20);
  EXPECT_GT(by_kind[static_cast<int>(DecisionKind::kEvict)], 10);
  EXPECT_GT(by_kind[static_cast<int>(DecisionKind::kPhase)], 100);
  EXPECT_GT(tentative, 20);
  EXPECT_GT(pending, 500);
}

TEST(Worlds, AreNotDullForCapacity) {
  const char* const specs[] = {"capacity", "capacity(hierarchy=on)",
                               "capacity(hierarchy=on,ancestor_reclaim_level=2)"};
  for (const std::string spec : specs) {
    int64_t evictions = 0, binds = 0;
    for (uint64_t seed = 0; seed < 2000; ++seed) {
      const Cluster cluster = MakeCluster(RandomWorld(seed, {.rooted = true}));
      const absl::StatusOr<Plan> plan = Schedule(
          cluster.Freeze(), "volcano:actions=reclaim+allocate,tiers=" + spec + "/gang+predicates");
      ASSERT_TRUE(plan.ok()) << plan.status();
      evictions += static_cast<int64_t>(plan->evictions().size());
      binds += static_cast<int64_t>(plan->binds().size());
    }
    EXPECT_GT(evictions, 10) << spec;
    EXPECT_GT(binds, 1000) << spec;
  }
}

TEST(Worlds, AreNotDullForMuster) {
  int64_t binds = 0, nominations = 0, evictions = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Cluster cluster = MakeCluster(RandomWorld(seed));
    const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), "muster");
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(plan->tentative().empty());
    binds += static_cast<int64_t>(plan->binds().size());
    nominations += static_cast<int64_t>(plan->nominations().size());
    evictions += static_cast<int64_t>(plan->evictions().size());
  }
  EXPECT_GT(binds, 1500);
  EXPECT_GT(nominations, 200);
  EXPECT_GT(evictions, 100);
}

TEST(Worlds, AreNotDullForTranswarp) {
  int64_t binds = 0, nominations = 0, evictions = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Cluster cluster = MakeCluster(RandomWorld(seed, {.lending = true}));
    const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), "transwarp");
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(plan->tentative().empty());
    binds += static_cast<int64_t>(plan->binds().size());
    nominations += static_cast<int64_t>(plan->nominations().size());
    evictions += static_cast<int64_t>(plan->evictions().size());
  }
  EXPECT_GT(binds, 1000);
  EXPECT_GT(nominations, 100);
  EXPECT_GT(evictions, 20);
}

}  // namespace
}  // namespace muster::testing
