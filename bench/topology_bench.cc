// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Places in the topology of a flavor, without the cycle around the search. Rows:
//   topology/place/{required,preferred,mixed}/1000   1,000 workloads of 8 pods, one after the other,
//                                                    on 1,000 hosts in 10 blocks of 10 racks
// The workloads are those on which the peer was measured. An iteration places all 1,000 of them and
// gives everything back. us_each: time of one placement. ratio: the peer's time of one, with its
// snapshot and its admission, over ours. twin_ratio: the slow twin's over ours.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/thread_clock.h"
#include "lib/peer/kueue/topology.h"
#include "lib/reference/peer/kueue/topology.h"

namespace muster::bench {
namespace {

constexpr size_t kHosts = 1'000, kWorkloads = 1'000;
constexpr std::array<int64_t, 5> kCpus = {5, 7, 11, 13, 9};
constexpr const char* kHost = "kubernetes.io/hostname";

enum class Mix { kRequired, kPreferred, kMixed };

struct Hosts {
  std::vector<NodeSpec> specs;
  std::vector<std::array<int64_t, 2>> amounts;  // pods, cpu
  std::shared_ptr<const kueue::TopologyTree> tree;
  reference::TopologyWorld twin;

  Hosts() {
    std::vector<kueue::TopologyNode> nodes;
    for (size_t i = 0; i < kHosts; ++i) {
      const std::string name = "node-" + std::to_string(10'000 + i);
      const std::string block = "block-" + std::to_string(i / 100);
      const std::string rack = "rack-" + std::to_string(i / 10 % 10);
      specs.emplace_back();
      specs.back().name = name;
      specs.back().labels = {{"block", block}, {"rack", rack}, {kHost, name}};
      amounts.push_back({110, 96'000});
      twin.free[{block, rack, name}] = {110, 96'000};
    }
    for (size_t i = 0; i < kHosts; ++i) nodes.push_back({&specs[i], amounts[i]});
    const FlavorSpec flavor{.name = "tas",
                            .topology = FlavorTopology{"default", {"block", "rack", kHost}}};
    tree = std::make_shared<const kueue::TopologyTree>(
        flavor, kueue::TopologyResources({"pods", "cpu"}), nodes);
  }
};

kueue::TopologyRequest RequestOf(Mix mix, size_t i) {
  kueue::TopologyRequest request;
  if (mix == Mix::kRequired || (mix == Mix::kMixed && i % 4 == 0)) request.required = "rack";
  if (mix == Mix::kPreferred || (mix == Mix::kMixed && i % 4 == 1)) request.preferred = "rack";
  if (mix == Mix::kMixed && i % 4 == 2) request.required = "block";
  if (mix == Mix::kMixed && i % 4 == 3) request.unconstrained = true;
  return request;
}

reference::TopologyWorld::Wish WishOf(const kueue::TopologyRequest& request, size_t i) {
  reference::TopologyWorld::Wish wish;
  wish.pod = {1, kCpus[i % kCpus.size()] * 1'000};
  wish.count = 8;
  wish.slice_level = 2;
  wish.required = request.required.has_value();
  wish.unconstrained = wish.least_first = request.unconstrained.value_or(false);
  wish.level = wish.unconstrained ? 2 : request.required == "block" ? 0 : 1;
  return wish;
}

// Seconds of one placement by the twin, over the first workloads.
double TwinSeconds(const Hosts& hosts, const std::vector<kueue::TopologyRequest>& requests) {
  constexpr size_t kSome = 20;
  reference::TopologyWorld twin = hosts.twin;
  const double start = Seconds();
  for (size_t i = 0; i < kSome; ++i) {
    std::map<std::vector<std::string>, int64_t> pods;
    std::vector<std::string> leader;
    twin.Place(WishOf(requests[i], i), &pods, &leader);
  }
  return (Seconds() - start) / kSome;
}

void Place(benchmark::State& state, Mix mix, double peer_seconds) {
  const Hosts hosts;
  std::vector<kueue::TopologyRequest> requests;
  std::vector<kueue::TopologyPodSet> pod_sets;
  for (size_t i = 0; i < kWorkloads; ++i) requests.push_back(RequestOf(mix, i));
  for (size_t i = 0; i < kWorkloads; ++i) {
    pod_sets.push_back(
        {.request = &requests[i], .pod = {{1, kCpus[i % kCpus.size()] * 1'000}}, .count = 8});
  }
  kueue::TopologyBooks books(hosts.tree);
  kueue::TopologyFinder finder(&books, {});
  size_t placed = 0;
  double spent = -Seconds();
  for (auto _ : state) {
    for (const kueue::TopologyPodSet& pod_set : pod_sets) {
      const kueue::TopologyAnswer answer = finder.Find({.pod_sets = {&pod_set, 1}});
      placed += answer.failed == kNone ? 1 : 0;
      for (const auto& [leaf, count] : answer.pod_sets[0]->places) {
        books.Use(leaf, pod_set.pod, count);
      }
    }
    books.Rollback(0);
  }
  const double each = (spent + Seconds()) / static_cast<double>(state.iterations() * kWorkloads);
  if (placed != static_cast<size_t>(state.iterations()) * kWorkloads) {
    state.SkipWithError("a workload found no place");
  }
  state.counters["us_each"] = each * 1e6;
  state.counters["ratio"] = peer_seconds / each;
  state.counters["twin_ratio"] = TwinSeconds(hosts, requests) / each;
}

BENCHMARK_CAPTURE(Place, required, Mix::kRequired, 2.232e-3)->Name("topology/place/required/1000");
BENCHMARK_CAPTURE(Place, preferred, Mix::kPreferred, 2.084e-3)
    ->Name("topology/place/preferred/1000");
BENCHMARK_CAPTURE(Place, mixed, Mix::kMixed, 2.485e-3)->Name("topology/place/mixed/1000");

}  // namespace
}  // namespace muster::bench
