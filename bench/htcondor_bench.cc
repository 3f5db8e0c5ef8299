// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Negotiation cycles of HTCondor, on the pools that its matchmaker was timed on. Rows:
//   peer/htcondor/cycle/<slots>/<users>/one    100 jobs a user, one auto cluster a user
//   peer/htcondor/cycle/<slots>/<users>/each   each job is its own auto cluster
//   peer/htcondor/plan/<nodes>/<users>         a plan of the profile: as many nodes of one cpu, and
//                                              100 tasks a user, which prefer memory
// Slot i has 1 cpu, 1024 + i % 64 of memory, and asks for what it has; a job requests 1 cpu and 512
// of memory, and prefers memory. Preemption is off, the last rank is 0.0 - SlotID, match lists are
// on, there are no groups.
//
// Counters. matched: matches. ratio: the recorded CPU time of the peer's cycle over ours, updates
// of priorities and usage included; making the pool and freeing it are outside of both.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/thread_clock.h"
#include "lib/peer/htcondor/htcondor.h"
#include "muster/muster.h"

namespace muster::bench {
namespace {

void Check(const absl::Status& status) {
  if (status.ok()) return;
  std::cerr << "htcondor_bench: " << status << "\n";
  std::abort();
}

condor::AdExpression Parsed(const char* text, condor::AdNames* names) {
  absl::StatusOr<condor::AdExpression> parsed = condor::AdExpression::Parse(text, names);
  if (parsed.ok()) return *std::move(parsed);
  std::cerr << "htcondor_bench: " << parsed.status() << "\n";
  std::abort();
}

condor::Pool MakePool(int64_t slots, int64_t users, bool each, condor::AdNames* names) {
  condor::Pool pool{.time = 1'000'000};
  const auto number = [](int64_t n) { return condor::AdValue::Of(n); };
  for (int64_t i = 0; i < slots; ++i) {
    condor::Slot slot{.name = absl::StrCat("slot", i)};
    slot.ad.Set(names->Of("Cpus"), number(1));
    slot.ad.Set(names->Of("Memory"), number(1024 + i % 64));
    slot.ad.Set(names->Of("SlotID"), number(i));
    slot.ad.Set(names->Of("SlotWeight"), number(1));
    slot.ad.Set(names->Of("Rank"), number(0));
    slot.ad.Set(names->Of("State"), condor::AdValue::Of(std::string("Unclaimed")));
    slot.ad.Set(
        names->Of("Requirements"),
        Parsed("TARGET.RequestCpus <= MY.Cpus && TARGET.RequestMemory <= MY.Memory", names));
    pool.slots.push_back(std::move(slot));
  }
  for (int64_t u = 0; u < users; ++u) {
    const std::string user = absl::StrCat("user", u, "@site");
    pool.submitters.push_back({user, 100, 0, 100.0, 0.0, u});
    for (int64_t j = 0; j < 100; ++j) {
      condor::CondorJob job{.id = absl::StrCat(u, ".", j), .auto_cluster = each ? u * 100 + j : u};
      job.ad.Set(names->Of("RequestCpus"), number(1));
      job.ad.Set(names->Of("RequestMemory"), number(512));
      job.ad.Set(names->Of("Rank"), Parsed("TARGET.Memory * 1.0", names));
      job.ad.Set(names->Of("Requirements"), Parsed("TARGET.Memory >= MY.RequestMemory", names));
      pool.jobs[user].push_back(std::move(job));
    }
  }
  return pool;
}

void Negotiate(benchmark::State& state, int64_t slots, int64_t users, bool each, double recorded) {
  double seconds = 0;
  for (auto _ : state) {
    state.PauseTiming();
    condor::AdNames names;
    condor::NegotiatorRules rules;
    rules.match.preemption = false;
    rules.match.last_rank = Parsed("0.0 - SlotID", &names);
    auto negotiator =
        std::make_unique<condor::Negotiator>(rules, std::vector<condor::GroupSpec>(), &names);
    condor::Pool pool = MakePool(slots, users, each, &names);
    condor::CycleRecord record;
    state.ResumeTiming();
    const double start = Seconds();
    record = negotiator->RunCycle(std::move(pool));
    seconds += Seconds() - start;
    state.PauseTiming();
    double matched = 0;
    for (const condor::NegotiationEvent& event : record.events) {
      matched += event.kind == condor::NegotiationEvent::Kind::kMatch;
    }
    state.counters["matched"] = matched;
    record = {};
    negotiator.reset();
    state.ResumeTiming();
  }
  state.counters["ratio"] = recorded * static_cast<double>(state.iterations()) / seconds;
}

void MakePlan(benchmark::State& state, int64_t nodes, int64_t users) {
  Cluster cluster;
  for (int64_t n = 0; n < nodes; ++n) {
    const Quantity memory((1024 + n % 64) << 20);
    Check(cluster.AddNode(
        {.name = absl::StrCat("n", n), .capacity = {{"cpu", 1}, {"memory", memory}}}));
  }
  for (int64_t u = 0; u < users; ++u) {
    JobSpec job{.name = absl::StrCat("j", u)};
    job.owner = JobOwner{.user = absl::StrCat("user", u)};
    job.settings = {{"htcondor/rank", "TARGET.Memory * 1.0"}};
    job.groups = {{.count = 100, .shape = {.request = {{"cpu", 1}, {"memory", "512Mi"}}}}};
    Check(cluster.AddJob(job));
  }
  const Snapshot snapshot = cluster.Freeze();
  size_t binds = 0;
  for (auto _ : state) {
    const absl::StatusOr<Plan> plan = Schedule(snapshot, "htcondor:negotiate(preemption=off)");
    Check(plan.status());
    binds = plan->binds().size();
  }
  state.counters["matched"] = static_cast<double>(binds);
}

BENCHMARK_CAPTURE(MakePlan, 1000_10, 1'000, 10)
    ->Name("peer/htcondor/plan/1000/10")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(MakePlan, 10000_100, 10'000, 100)
    ->Name("peer/htcondor/plan/10000/100")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Negotiate, 1000_10_one, 1'000, 10, false, 0.112)
    ->Name("peer/htcondor/cycle/1000/10/one")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Negotiate, 1000_10_each, 1'000, 10, true, 3.98)
    ->Name("peer/htcondor/cycle/1000/10/each")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Negotiate, 10000_100_one, 10'000, 100, false, 3.43)
    ->Name("peer/htcondor/cycle/10000/100/one")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace muster::bench
