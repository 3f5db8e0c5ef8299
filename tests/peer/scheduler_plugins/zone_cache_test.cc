// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reports of zones, what is reserved since, and fingerprints, by hand.
#include "lib/peer/scheduler_plugins/zones/zone_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace muster::scheduler_plugins {
namespace {

using Part = ZonedTask::Part;
using Names = std::vector<std::string>;

NodeReport Report(int64_t cpu0, int64_t cpu1) {
  return {.node = "n",
          .zones = {{.name = "node-0", .amounts = {{"cpu", 8000, cpu0}, {"memory", 64, 64}}},
                    {.name = "node-1", .amounts = {{"cpu", 8000, cpu1}}}}};
}
int64_t CpuOf(const OverReserveCache& cache, size_t zone) {
  return cache.Get("n").report->zones[zone].amounts[0].available;
}

// The report's fingerprint is that of these pods.
NodeReport Signed(NodeReport report, const std::vector<PodName>& pods) {
  report.attributes.emplace_back("nodeTopologyPodsFingerprint", PodsFingerprint(pods));
  return report;
}

TEST(Hashes, AreXxh64) {
  EXPECT_EQ(HashOf(""), 0xef46db3751d8e999u);
  EXPECT_EQ(HashOf("a"), 0xd24ec4f1a98c6e5bu);
  EXPECT_EQ(HashOf("abc"), 0x44bc2cf5ad770999u);
  EXPECT_EQ(HashOf("The quick brown fox jumps over the lazy dog"), 0x0b242d361fda71bcu);
}

TEST(Fingerprints, OfPodsInAnyOrder) {
  const std::vector<PodName> pods = {{"namespace1", "pod1"}}, two = {{"a", "b"}, {"c", "d"}},
                             swapped = {{"c", "d"}, {"a", "b"}}, other = {{"a", "d"}, {"c", "b"}};
  EXPECT_EQ(PodsFingerprint(pods), "pfp0v0019e0420efb37746c6");
  EXPECT_EQ(PodsFingerprint(two), PodsFingerprint(swapped));
  EXPECT_NE(PodsFingerprint(two), PodsFingerprint(other));
  EXPECT_EQ(CheckFingerprint("pfp0v0019e0420efb37746c6", pods), FingerprintCheck::kMatch);
  EXPECT_EQ(CheckFingerprint("pfp0v0019e0420efb37746c7", pods), FingerprintCheck::kMismatch);
  EXPECT_EQ(CheckFingerprint("pfp0v0029e0420efb37746c6", pods), FingerprintCheck::kOtherVersion);
  EXPECT_EQ(CheckFingerprint("pfp1v0019e0420efb37746c6", pods), FingerprintCheck::kMalformed);
  EXPECT_EQ(CheckFingerprint("pfp0v0011234567", pods), FingerprintCheck::kMalformed);
  EXPECT_EQ(CheckFingerprint("pfp0v00112345678", pods), FingerprintCheck::kMismatch);
}

TEST(Fingerprints, OfReports) {
  NodeReport report = {.node = "n", .fingerprint_annotation = "note"};
  EXPECT_EQ(FingerprintOf(report, ResyncMethod::kOnlyExclusive).text, "note");
  EXPECT_FALSE(FingerprintOf(report, ResyncMethod::kOnlyExclusive).only_exclusive);
  report.attributes = {{"nodeTopologyPodsFingerprint", "text"}};
  EXPECT_EQ(FingerprintOf(report, ResyncMethod::kAutodetect).text, "text");
  EXPECT_FALSE(FingerprintOf(report, ResyncMethod::kAutodetect).only_exclusive);
  EXPECT_TRUE(FingerprintOf(report, ResyncMethod::kOnlyExclusive).only_exclusive);
  report.attributes.emplace_back("nodeTopologyPodsFingerprintMethod", "with-exclusive-resources");
  EXPECT_TRUE(FingerprintOf(report, ResyncMethod::kAutodetect).only_exclusive);
  EXPECT_FALSE(FingerprintOf(report, ResyncMethod::kAll).only_exclusive);
}

TEST(Settings, OfCaches) {
  EXPECT_EQ(ResyncMethodOf(std::nullopt), ResyncMethod::kAutodetect);
  EXPECT_EQ(ResyncMethodOf("All"), ResyncMethod::kAll);
  EXPECT_EQ(ResyncMethodOf("OnlyExclusiveResources"), ResyncMethod::kOnlyExclusive);
  EXPECT_FALSE(ResyncMethodOf("all").has_value());
  EXPECT_EQ(ForeignPodsOf(std::nullopt), ForeignPods::kAll);
  EXPECT_EQ(ForeignPodsOf("None"), ForeignPods::kNone);
  EXPECT_EQ(ForeignPodsOf("OnlyExclusiveResources"), ForeignPods::kOnlyExclusive);
  EXPECT_FALSE(ForeignPodsOf("none").has_value());
}

TEST(Zones, HaveNumbersInTheirNames) {
  EXPECT_EQ(ZoneIdOf("node-12"), 12);
  for (const char* name : {"node-", "node--1", "Node-1", "node-1x", "1", ""}) {
    EXPECT_FALSE(ZoneIdOf(name).has_value()) << name;
  }
  EXPECT_EQ(ResourceNamesOf(Report(1, 1)), (ResourceNames{"cpu", "memory"}));
}

TEST(OverReserve, RequestsLeaveEveryZone) {
  OverReserveCache cache(ResyncMethod::kAutodetect);
  EXPECT_FALSE(cache.Get("n").report.has_value());
  EXPECT_TRUE(cache.Get("n").is_fresh);
  EXPECT_FALSE(cache.Reserve("n", "a/b", {{"cpu", 1000}}));  // without a report: not kept
  cache.Put(Report(3000, 2000));
  EXPECT_EQ(CpuOf(cache, 0), 3000);
  EXPECT_FALSE(cache.Reserve("n", "a/b", {{"cpu", 2500}, {"gpu", 1}}));
  EXPECT_EQ(CpuOf(cache, 0), 500);
  EXPECT_EQ(CpuOf(cache, 1), 0);
  EXPECT_EQ(cache.Get("n").report->zones[0].amounts[1].available, 64);
  EXPECT_TRUE(cache.Reserve("n", "a/b", {{"cpu", 1000}}));  // instead of the first
  EXPECT_FALSE(cache.Reserve("n", "a/c", {{"cpu", 500}}));
  EXPECT_EQ(CpuOf(cache, 0), 1500);
  EXPECT_TRUE(cache.Unreserve("n", "a/b"));
  EXPECT_FALSE(cache.Unreserve("n", "a/b"));
  EXPECT_FALSE(cache.Unreserve("m", "a/b"));
  EXPECT_EQ(CpuOf(cache, 1), 1500);
}

TEST(OverReserve, ForeignPodsMakeANodeStale) {
  OverReserveCache cache(ResyncMethod::kAutodetect);
  cache.MarkForeign("n");  // it never reported
  EXPECT_TRUE(cache.Get("n").is_fresh);
  cache.Put(Report(3000, 2000));
  cache.MarkForeign("n");
  cache.MarkOverReserved("m");
  EXPECT_FALSE(cache.Get("n").is_fresh);
  EXPECT_FALSE(cache.Get("n").report.has_value());
  EXPECT_EQ(cache.desynced().dirty, (Names{"m", "n"}));
  EXPECT_EQ(cache.Flush({}), 0u);
  const std::vector<NodeReport> reports = {Report(8000, 8000)};
  EXPECT_EQ(cache.Flush(reports), 1u);
  EXPECT_TRUE(cache.Get("n").is_fresh);
  EXPECT_EQ(cache.Get("n").generation, 1u);
  EXPECT_EQ(cache.desynced().dirty, Names{"m"});
}

TEST(OverReserve, AReportOfTheKnownPodsReplacesTheOld) {
  const std::vector<PodName> pods = {{"a", "b"}}, others = {{"a", "c"}};
  const PodsOfNodes known = {{"n", {{.name = {"a", "b"}}}}};
  OverReserveCache cache(ResyncMethod::kAutodetect);
  cache.Put(Report(8000, 8000));
  cache.Reserve("n", "a/b", {{"cpu", 1000}});
  // A clean node is left alone.
  std::map<std::string, NodeReport> latest = {{"n", Signed(Report(7000, 8000), pods)}};
  EXPECT_EQ(cache.Resync(latest, known), 0u);
  cache.MarkOverReserved("n");
  EXPECT_EQ(cache.Resync({}, known), 0u);
  EXPECT_EQ(cache.Resync(latest, {}), 0u);
  EXPECT_EQ(cache.Resync({{"n", Report(7000, 8000)}}, known), 0u);
  EXPECT_EQ(cache.Resync({{"n", Signed(Report(7000, 8000), others)}}, known), 0u);
  EXPECT_EQ(CpuOf(cache, 1), 7000);
  EXPECT_EQ(cache.Updates(cache.desynced(), latest, known).size(), 1u);
  EXPECT_EQ(cache.Resync(latest, known), 1u);
  EXPECT_EQ(CpuOf(cache, 0), 7000);
  EXPECT_EQ(CpuOf(cache, 1), 8000);
  EXPECT_EQ(cache.desynced().dirty, Names());
}

TEST(OverReserve, OnlyExclusivePodsMayCount) {
  const std::vector<PodName> pods = {{"a", "b"}};
  const PodsOfNodes known = {
      {"n", {{.name = {"a", "b"}, .is_exclusive = true}, {.name = {"a", "shared"}}}}};
  OverReserveCache all(ResyncMethod::kAll), exclusive(ResyncMethod::kOnlyExclusive);
  for (OverReserveCache* cache : {&all, &exclusive}) cache->MarkOverReserved("n");
  const std::map<std::string, NodeReport> latest = {{"n", Signed(Report(7000, 8000), pods)}};
  EXPECT_EQ(all.Resync(latest, known), 0u);
  EXPECT_EQ(exclusive.Resync(latest, known), 1u);
}

TEST(OverReserve, AnotherConfigurationIsFlushedInAnyCase) {
  OverReserveCache cache(ResyncMethod::kAutodetect);
  NodeReport changed = Report(1, 1);
  changed.attributes = {{"topologyManagerScope", "pod"}};
  EXPECT_FALSE(cache.NoteChange(changed));  // it never reported
  cache.Put(Report(8000, 8000));
  EXPECT_FALSE(cache.NoteChange(Report(1, 1)));
  EXPECT_TRUE(cache.NoteChange(changed));
  EXPECT_EQ(cache.desynced().config_changed, Names{"n"});
  EXPECT_EQ(cache.Resync({{"n", changed}}, {}), 1u);
  EXPECT_EQ(CpuOf(cache, 0), 1);
  EXPECT_EQ(cache.desynced().config_changed, Names());
}

TEST(DiscardReserved, FreshOnceEveryPodIsBound) {
  DiscardReservedCache cache;
  EXPECT_TRUE(cache.IsFresh("n"));
  cache.Reserve("n", "1");
  cache.Reserve("n", "2");
  cache.Release("m", "1");
  cache.Release("n", "1");
  EXPECT_FALSE(cache.IsFresh("n"));
  EXPECT_TRUE(cache.IsFresh("m"));
  cache.Release("n", "2");
  EXPECT_TRUE(cache.IsFresh("n"));
}

TEST(NodePods, PinSidecarsAndMainContainers) {
  const Amounts cores = {{"cpu", 1000}, {"memory", 1}}, fpga = {{"example.com/fpga", 1}};
  PodView pod = {.containers = {{Part::kInit, cores, cores, "init"},
                                {Part::kSidecar, cores, cores, "proxy"},
                                {Part::kMain, cores, cores, "main"}}};
  const NodePod read = NodePodOf({"a", "b"}, pod, {});
  EXPECT_EQ(read.pinned, (Names{"proxy", "main"}));
  EXPECT_TRUE(read.is_exclusive);
  pod.containers[2] = {Part::kMain, fpga, {}, "main"};
  EXPECT_EQ(NodePodOf({"a", "b"}, pod, {}).pinned, Names());
  EXPECT_FALSE(NodePodOf({"a", "b"}, pod, {}).is_exclusive);
  EXPECT_EQ(NodePodOf({"a", "b"}, pod, {"example.com/fpga"}).pinned, Names{"main"});
}

TEST(NodePods, CountByPhase) {
  EXPECT_TRUE(CountsOnNode("Running", "n", false));
  EXPECT_FALSE(CountsOnNode("Succeeded", "n", false));
  EXPECT_TRUE(CountsOnNode("Succeeded", "n", true));
  EXPECT_FALSE(CountsOnNode("Pending", "n", true));
  EXPECT_FALSE(CountsOnNode("Running", "", true));
}

TEST(ForeignPods, ComeFromOtherSchedulers) {
  const PodView shared = {.containers = {{.requests = {{"cpu", 100}}}}};
  const PodView fpga = {.containers = {{.requests = {{"example.com/fpga", 1}}}}};
  const ForeignRule all = {.schedulers = {"ours"}};
  EXPECT_FALSE(IsForeign({"", "other", shared}, all, {}));
  EXPECT_FALSE(IsForeign({"n", "ours", shared}, all, {}));
  EXPECT_TRUE(IsForeign({"n", "other", shared}, all, {}));
  const ForeignRule none = {.counts = ForeignPods::kNone};
  EXPECT_FALSE(IsForeign({"n", "other", fpga}, none, {"example.com/fpga"}));
  const ForeignRule exclusive = {.counts = ForeignPods::kOnlyExclusive};
  EXPECT_FALSE(IsForeign({"n", "other", shared}, exclusive, {"example.com/fpga"}));
  EXPECT_TRUE(IsForeign({"n", "other", fpga}, exclusive, {"example.com/fpga"}));
  EXPECT_FALSE(IsForeign({"n", "other", fpga}, exclusive, {}));
}

}  // namespace
}  // namespace muster::scheduler_plugins
