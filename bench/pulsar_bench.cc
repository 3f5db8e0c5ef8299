// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Shedding of Pulsar, on the loads that its balancer was timed on. Rows:
//   peer/pulsar/<shedder>/<brokers>/<bundles of a broker>
//   peer/pulsar/profile/<brokers>/<bundles of a broker>   a plan of profile pulsar, frozen
//   peer/pulsar/transfer/<brokers>           with the ten busiest bundles of each broker
// Each call has a new shedder.
//
// Counters. chosen: bundles to unload. ratio: the recorded CPU time of the peer's call over ours.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/thread_clock.h"
#include "lib/peer/pulsar/pulsar.h"
#include "muster/muster.h"

namespace muster::bench {
namespace {

// The generator of the recorded loads.
class Loads {
 public:
  double Next(uint64_t bound) {
    x_ = x_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>((x_ >> 33) % bound);
  }

 private:
  uint64_t x_ = 1;
};

pulsar::Cluster MakeCluster(int64_t brokers, int64_t bundles) {
  Loads loads;
  pulsar::Cluster cluster;
  for (int64_t i = 0; i < brokers; ++i) {
    pulsar::Broker broker{.name = absl::StrFormat("broker-%05d:8080", i)};
    for (pulsar::Used* used : {&broker.cpu, &broker.bandwidth_in, &broker.bandwidth_out}) {
      *used = {loads.Next(101), 100};
    }
    broker.memory = broker.direct_memory = {0, 100};
    pulsar::Traffic& sum = broker.traffic;
    for (int64_t k = i * bundles; k < (i + 1) * bundles; ++k) {
      pulsar::Bundle bundle{.name = absl::StrFormat("t/ns/0x%08x_0x%08x", 16 * k, 16 * k + 16)};
      pulsar::Traffic& own = bundle.shortly;
      sum.bytes_in += own.bytes_in = loads.Next(1'000'000);
      sum.bytes_out += own.bytes_out = loads.Next(1'000'000);
      sum.rate_in += own.rate_in = loads.Next(1'000);
      sum.rate_out += own.rate_out = loads.Next(1'000);
      bundle.longly = own;
      broker.bundles.push_back(bundle.name);
      cluster.bundles.push_back(std::move(bundle));
    }
    cluster.brokers.push_back(std::move(broker));
  }
  return cluster;
}

void Report(benchmark::State& state, double chosen, double seconds, double recorded) {
  state.counters["chosen"] = chosen;
  state.counters["ratio"] = recorded * static_cast<double>(state.iterations()) / seconds;
}

// `shed` returns the bundles to unload of a cluster.
template <class Shed>
void RunShedder(benchmark::State& state, double recorded, const Shed& shed) {
  const pulsar::Cluster cluster = MakeCluster(state.range(0), state.range(1));
  double seconds = 0, chosen = 0;
  for (auto _ : state) {
    const double start = Seconds();
    const std::vector<pulsar::Unload> unloads = shed(cluster);
    seconds += Seconds() - start;
    chosen = 0;
    for (const pulsar::Unload& unload : unloads) {
      chosen += static_cast<double>(unload.bundles.size());
    }
  }
  Report(state, chosen, seconds, recorded);
}

void Threshold(benchmark::State& state, double recorded) {
  RunShedder(state, recorded, [](const pulsar::Cluster& cluster) {
    return pulsar::ThresholdShedder({.least_bytes = 0}).Shed(cluster);
  });
}

void Overload(benchmark::State& state, double recorded) {
  RunShedder(state, recorded,
             [](const pulsar::Cluster& cluster) { return pulsar::ShedOverload(cluster, {}); });
}

void Uniform(benchmark::State& state, double recorded) {
  RunShedder(state, recorded,
             [](const pulsar::Cluster& cluster) { return pulsar::ShedUniform(cluster, {}); });
}

void Avg(benchmark::State& state, double recorded) {
  RunShedder(state, recorded, [](const pulsar::Cluster& cluster) {
    std::vector<std::string> order;
    for (const pulsar::Broker& broker : cluster.brokers) order.push_back(broker.name);
    return pulsar::AvgShedder({.low_hits = 1, .high_hits = 1}).Shed(cluster, order);
  });
}

void Transfer(benchmark::State& state, double recorded) {
  Loads loads;
  std::vector<pulsar::BrokerReport> reports;
  pulsar::TransferWorld world;
  for (int64_t i = 0; i < state.range(0); ++i) {
    pulsar::BrokerReport report{.name = absl::StrFormat("broker-%05d:8080", i)};
    report.load = loads.Next(1'001) / 1'000;
    report.bundles.emplace();
    for (int64_t k = 10 * i; k < 10 * (i + 1); ++k) {
      pulsar::TopBundle bundle{.name = absl::StrFormat("t/ns/0x%08x_0x%08x", 16 * k, 16 * k + 16)};
      report.bytes_in += bundle.bytes_in = loads.Next(1'000'000);
      report.bytes_out += bundle.bytes_out = loads.Next(1'000'000);
      report.bundles->push_back(std::move(bundle));
    }
    std::ranges::sort(*report.bundles, {}, [](const pulsar::TopBundle& bundle) {
      return bundle.bytes_in + bundle.bytes_out;
    });
    report.average_bytes = report.bytes_in + report.bytes_out;
    world.available.push_back(report.name);
    reports.push_back(std::move(report));
  }
  double seconds = 0, chosen = 0;
  for (auto _ : state) {
    pulsar::TransferShedder shedder({.target = 0.1, .hits = 0, .most_pairs = state.range(0)});
    const double start = Seconds();
    const pulsar::TransferRound round = shedder.Shed(reports, world);
    seconds += Seconds() - start;
    chosen = static_cast<double>(round.transfers.size());
  }
  Report(state, chosen, seconds, recorded);
}

void PulsarPlans(benchmark::State& state) {
  Loads loads;
  muster::Cluster cluster;
  const auto add = [&](const absl::Status& status) {
    if (!status.ok()) state.SkipWithError(std::string(status.message()).c_str());
  };
  add(cluster.AddJob({.name = "tenant/space"}));
  for (int64_t i = 0; i < state.range(0); ++i) {
    NodeSpec node{.name = absl::StrCat("broker-", i), .capacity = {{"cpu", 8}, {"pods", 1000}}};
    node.usage = NodeUsage{.cpu = static_cast<int64_t>(loads.Next(100))};
    add(cluster.AddNode(node));
    for (int64_t b = 0; b < state.range(1); ++b) {
      TaskSpec bundle{.name = absl::StrCat("tenant/space/", i, "-", b), .job = "tenant/space"};
      bundle.status = TaskStatus::kRunning;
      bundle.node = node.name;
      bundle.usage =
          TaskUsage{.amounts = {{"bytes_in", static_cast<int64_t>(loads.Next(40'000'000))}}};
      add(cluster.AddTask(bundle));
    }
  }
  const Snapshot snapshot = cluster.Freeze();
  size_t moves = 0;
  for (auto _ : state) {
    const absl::StatusOr<Plan> plan = Schedule(snapshot, "pulsar");
    moves = plan->moves().size();
  }
  state.counters["moves"] = static_cast<double>(moves);
}

BENCHMARK(PulsarPlans)
    ->Name("peer/pulsar/profile")
    ->Args({1'000, 10})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Threshold, few, 0.197)->Name("peer/pulsar/threshold")->Args({100, 100});
BENCHMARK_CAPTURE(Threshold, many, 2.062)->Name("peer/pulsar/threshold")->Args({1'000, 10});
BENCHMARK_CAPTURE(Overload, few, 0.194)->Name("peer/pulsar/overload")->Args({100, 100});
BENCHMARK_CAPTURE(Overload, many, 1.795)->Name("peer/pulsar/overload")->Args({1'000, 10});
BENCHMARK_CAPTURE(Uniform, few, 0.0048)->Name("peer/pulsar/uniform")->Args({100, 100});
BENCHMARK_CAPTURE(Uniform, many, 0.0046)->Name("peer/pulsar/uniform")->Args({1'000, 10});
BENCHMARK_CAPTURE(Avg, few, 0.052)->Name("peer/pulsar/avg")->Args({100, 100});
BENCHMARK_CAPTURE(Avg, many, 0.0061)->Name("peer/pulsar/avg")->Args({1'000, 10});
BENCHMARK_CAPTURE(Transfer, few, 0.00063)->Name("peer/pulsar/transfer")->Args({100});
BENCHMARK_CAPTURE(Transfer, many, 0.0023)->Name("peer/pulsar/transfer")->Args({1'000});

}  // namespace
}  // namespace muster::bench
