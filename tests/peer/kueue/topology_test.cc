// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Places in a topology: small clusters worked out by hand, and random ones against the slow twin.
#include "lib/peer/kueue/topology.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/peer/kueue/topology_counts.h"
#include "lib/reference/peer/kueue/topology.h"

namespace muster::kueue {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint32_t kPods = 0, kCpu = 1, kGpu = 2;
const std::string kHost = "kubernetes.io/hostname";

// Nodes in blocks and racks: "b0-r1-x0", ...
struct Cluster {
  std::vector<std::unique_ptr<NodeSpec>> specs;
  std::vector<std::vector<int64_t>> amounts;
  FlavorSpec flavor{.name = "flavor",
                    .topology = FlavorTopology{"default", {"block", "rack", kHost}}};

  NodeSpec* Add(int block, int rack, int host, int64_t cpu, int64_t gpu = 0, int64_t pods = 100) {
    auto spec = std::make_unique<NodeSpec>();
    spec->name = absl::StrCat("b", block, "-r", rack, "-x", host);
    spec->labels = {{"block", absl::StrCat("b", block)},
                    {"rack", absl::StrCat("r", rack)},
                    {kHost, spec->name}};
    specs.push_back(std::move(spec));
    amounts.push_back({pods, cpu, gpu});
    return specs.back().get();
  }
  std::shared_ptr<const TopologyTree> Tree() const {
    std::vector<TopologyNode> nodes;
    for (size_t n = 0; n < specs.size(); ++n) nodes.push_back({specs[n].get(), amounts[n]});
    return std::make_shared<const TopologyTree>(
        flavor, TopologyResources({"pods", "cpu", "nvidia.com/gpu"}), nodes);
  }
};

// Two blocks of two racks of two hosts of four CPUs each. Leaves are 0 to 7.
Cluster EightHosts() {
  Cluster cluster;
  for (int i = 0; i < 8; ++i) cluster.Add(i / 4, i / 2 % 2, i % 2, 4);
  return cluster;
}

struct Topology {
  explicit Topology(const Cluster& cluster, const TopologyGates& gates = {})
      : books(cluster.Tree()), finder(&books, gates) {}

  TopologyAnswer Ask(std::vector<TopologyPodSet> pod_sets, TopologyQuestion question = {}) {
    question.pod_sets = pod_sets;
    return finder.Find(question);
  }
  // Of one pod set of pods with one CPU: leaf -> pods.
  std::map<uint32_t, int32_t> Place(const TopologyRequest& request, int32_t count) {
    const TopologyAnswer answer = Ask({{.request = &request, .pod = {{kCpu, 1}}, .count = count}});
    failure = answer.pod_sets[0]->failure;
    std::map<uint32_t, int32_t> places;
    for (const auto& [leaf, pods] : answer.pod_sets[0]->places) places[leaf] = pods;
    return places;
  }

  TopologyBooks books;
  TopologyFinder finder;
  std::string failure;
};

using Places = std::map<uint32_t, int32_t>;
const TopologyRequest kRack{.required = "rack"};
const TopologyRequest kNearRack{.preferred = "rack"};
const TopologyRequest kAnywhere{.unconstrained = true};

TEST(TopologyTree, NumbersDomainsInTheOrderOfTheirValues) {
  Cluster cluster;
  cluster.Add(1, 0, 0, 4);
  cluster.Add(0, 1, 0, 4);
  cluster.Add(0, 0, 0, 4)->labels[1].second = "r9";  // its rack
  cluster.Add(0, 0, 1, 4)->labels.pop_back();        // no host: not of the topology
  const auto tree = cluster.Tree();
  EXPECT_EQ(tree->leaves(), 3);
  EXPECT_EQ(tree->size(0), 2);
  EXPECT_THAT(tree->path(1, 1), ElementsAre("b0", "r9"));
  EXPECT_EQ(tree->parent(1, 2), 1);
  EXPECT_EQ(tree->first_child(0, 0), 0);
  EXPECT_EQ(tree->last_child(0, 0), 2);
  EXPECT_EQ(tree->leaf_of_node(0), 2);
  EXPECT_EQ(tree->leaf_of_node(3), kNone);
  EXPECT_THAT(tree->leaf_name(2), ElementsAre("b1-r0-x0"));
  EXPECT_EQ(tree->FindLeaf(std::vector<std::string>{"b0-r1-x0"}), 0);
  EXPECT_FALSE(tree->FindLeaf(std::vector<std::string>{"b0", "r1", "b0-r1-x0"}));
}

TEST(Topology, RequiredTakesTheDomainWithTheLeastRoomThatIsEnough) {
  Topology topology(EightHosts());
  topology.books.Use(2, std::vector<PodAmount>{{kCpu, 1}}, 3);  // rack b0-r1 has room for 5
  EXPECT_EQ(topology.Place(kRack, 5), (Places{{2, 1}, {3, 4}}));
  EXPECT_EQ(topology.Place(kRack, 6), (Places{{0, 4}, {1, 2}}));
  EXPECT_THAT(topology.Place(kRack, 9), IsEmpty());
  EXPECT_EQ(topology.failure, "topology \"default\" allows to fit only 8 out of 9 pod(s)");
}

TEST(Topology, PreferredGoesOnToWiderLevels) {
  Topology topology(EightHosts());
  topology.books.Use(2, std::vector<PodAmount>{{kCpu, 1}}, 3);
  EXPECT_EQ(topology.Place(kNearRack, 5), (Places{{2, 1}, {3, 4}}));
  // Block b0 has room for 13 and b1 for 16. Hosts 0, 1 and 3 have the most.
  EXPECT_EQ(topology.Place(kNearRack, 10), (Places{{0, 4}, {1, 4}, {3, 2}}));
  EXPECT_EQ(topology.Place(kNearRack, 29).size(), 8U);
  EXPECT_THAT(topology.Place(kNearRack, 30), IsEmpty());
  EXPECT_EQ(topology.failure, "topology \"default\" allows to fit only 29 out of 30 pod(s)");
}

TEST(Topology, UnconstrainedBeginsWithTheLeastRoom) {
  Topology topology(EightHosts());
  topology.books.Use(2, std::vector<PodAmount>{{kCpu, 1}}, 3);
  topology.books.Use(5, std::vector<PodAmount>{{kCpu, 1}}, 4);
  EXPECT_EQ(topology.Place(kAnywhere, 1), (Places{{2, 1}}));
  EXPECT_EQ(topology.Place(kAnywhere, 3), (Places{{0, 3}}));
  EXPECT_EQ(topology.Place(kAnywhere, 6), (Places{{0, 4}, {1, 1}, {2, 1}}));
  Topology best_fit(EightHosts(), {.mixed_profile = false});
  EXPECT_EQ(best_fit.Place(kAnywhere, 6), (Places{{0, 4}, {1, 2}}));
}

TEST(Topology, SlicesStayTogether) {
  Topology topology(EightHosts());
  topology.books.Use(0, std::vector<PodAmount>{{kCpu, 1}}, 3);
  const TopologyRequest by_host{.required = "block", .slices = {{kHost, 2}}};
  // Host 0 has room for no slice of two. Rack b0-r1 is the smallest with room for three.
  EXPECT_EQ(topology.Place(by_host, 6), (Places{{2, 4}, {3, 2}}));
  EXPECT_EQ(topology.Place(by_host, 7), (Places{{2, 4}, {3, 2}}));  // rounded down to slices
  const TopologyRequest by_rack{.slices = {{"rack", 6}}};
  // Least room first: rack b0-r0 has 5, so one slice each in the other racks of b0 and then b1.
  EXPECT_EQ(topology.Place(by_rack, 12), (Places{{4, 4}, {5, 2}, {6, 4}, {7, 2}}));
  const TopologyRequest nested{.required = "block", .slices = {{"rack", 4}, {kHost, 2}}};
  EXPECT_EQ(topology.Place(nested, 4), (Places{{1, 4}}));  // rack b0-r0 has room for one slice
}

TEST(Topology, ALeaderIsPlacedWithItsWorkers) {
  Topology topology(EightHosts());
  const std::vector<TopologyPodSet> group = {
      {.request = &kRack, .pod = {{kCpu, 2}}, .count = 1, .group = "g"},
      {.request = &kRack, .pod = {{kCpu, 1}}, .count = 6, .group = "g"}};
  const TopologyAnswer answer = topology.Ask(group);
  EXPECT_EQ(answer.pod_sets[0]->places, (TopologyPlaces{{0, 1}}));
  EXPECT_EQ(answer.pod_sets[1]->places, (TopologyPlaces{{0, 2}, {1, 4}}));
  std::vector<TopologyPodSet> larger = group;
  larger[1].count = 7;
  EXPECT_EQ(topology.Ask(larger).failed, 0);
}

TEST(Topology, LaterPodSetsSeeWhatEarlierOnesGot) {
  Topology topology(EightHosts());
  const TopologyPodSet eight{.request = &kRack, .pod = {{kCpu, 1}}, .count = 8};
  const TopologyAnswer answer = topology.Ask({eight, eight, eight, eight, eight});
  EXPECT_EQ(answer.pod_sets[3]->places, (TopologyPlaces{{6, 4}, {7, 4}}));
  EXPECT_EQ(answer.failed, 4);
  EXPECT_EQ(answer.pod_sets[4]->failure,
            "topology \"default\" doesn't allow to fit any of 8 pod(s). Total nodes: 8; excluded: "
            "resource \"cpu\": 8");
  EXPECT_EQ(topology.Place(kRack, 8).size(), 2U);  // the books are as they were
}

TEST(Topology, HostsAreFilteredAndOtherLeavesAreNot) {
  Cluster cluster = EightHosts();
  for (int i = 0; i < 6; ++i) {
    cluster.specs[i]->taints = {{"gpu", "only", TaintEffect::kNoSchedule}};
  }
  cluster.specs[6]->labels.emplace_back("disk", "ssd");
  TaskShape shape;
  shape.node_selector = {{"disk", "ssd"}};
  const TopologyPodSet pods{.request = &kRack, .shape = &shape, .pod = {{kCpu, 1}}, .count = 4};
  Topology topology(cluster);
  EXPECT_EQ(topology.Ask({pods}).pod_sets[0]->places, (TopologyPlaces{{6, 4}}));
  TopologyPodSet more = pods;
  more.count = 5;
  EXPECT_EQ(topology.Ask({more}).pod_sets[0]->failure,
            "topology \"default\" allows to fit only 4 out of 5 pod(s). Total nodes: 8; excluded: "
            "nodeSelector: 1, taint \"gpu=only:NoSchedule\": 6");
  shape.node_selector.clear();
  shape.tolerations = {{.op = TolerationOp::kExists}};
  EXPECT_EQ(topology.Ask({more}).pod_sets[0]->places, (TopologyPlaces{{0, 4}, {1, 1}}));
  shape = TaskShape();
  cluster.flavor.topology->levels.pop_back();
  Topology racks(cluster);
  EXPECT_EQ(racks.Ask({more}).pod_sets[0]->places, (TopologyPlaces{{0, 5}}));
}

TEST(Topology, ALostNodeIsReplacedWhereTheRestIs) {
  Topology topology(EightHosts());
  const NamedPlaces existing = {{{"b1-r0-x0"}, 4}, {{"gone"}, 2}};
  TopologyPodSet pods{.request = &kRack, .pod = {{kCpu, 1}}, .count = 6, .existing = &existing};
  TopologyAnswer answer = topology.Ask({pods}, {.unhealthy = "gone"});
  EXPECT_EQ(answer.pod_sets[0]->places, (TopologyPlaces{{4, 6}}));  // counts of one leaf add up
  topology.books.Use(4, pods.pod, 4);
  answer = topology.Ask({pods}, {.unhealthy = "gone"});
  EXPECT_EQ(answer.pod_sets[0]->places, (TopologyPlaces{{4, 4}, {5, 2}}));
  answer = topology.Ask({pods}, {.unhealthy = "b1-r0-x0"});
  EXPECT_EQ(answer.pod_sets[0]->failure,
            "Cannot replace the node, because the existing topologyAssignment is invalid, as it "
            "contains the stale domain gone");
  answer = topology.Ask({pods}, {.unhealthy = "gone", .owned_by_single_pod = true});
  EXPECT_TRUE(answer.pod_sets[0]->kept);
}

TEST(Topology, RequestsThatNameNoLevel) {
  Topology topology(EightHosts());
  EXPECT_FALSE(topology.finder.HasLevels({.required = "row"}));
  EXPECT_FALSE(topology.finder.HasLevels({}));
  EXPECT_TRUE(topology.finder.HasLevels({.slices = {{"rack", 2}}}));
  topology.Place({.required = "row"}, 1);
  EXPECT_EQ(topology.failure, "no requested topology level: row");
  topology.Place({}, 1);
  EXPECT_EQ(topology.failure, "topology level not specified");
  topology.Place({.required = kHost, .slices = {{"rack", 2}}}, 2);
  EXPECT_EQ(topology.failure, "podset slice topology rack is above the podset topology " + kHost);
  topology.Place({.slices = {{"rack", 4}, {kHost, 3}}}, 4);
  EXPECT_EQ(topology.failure,
            "additional slice layer size 3 must evenly divide parent layer size 4");
  topology.Place({.slices = {{"rack", 0}}}, 4);
  EXPECT_EQ(topology.failure, "slice topology requested, but slice size not provided");
  Topology empty{Cluster()};
  empty.Place(kRack, 1);
  EXPECT_EQ(empty.failure, "no topology domains at level: rack");
}

TEST(TopologyBooks, RollbackRestoresWhatWasUsed) {
  Topology topology(EightHosts());
  const std::vector<PodAmount> pod = {{kCpu, 1}};
  topology.books.Use(0, pod, 4);
  EXPECT_EQ(topology.Place(kRack, 8), (Places{{2, 4}, {3, 4}}));
  const size_t mark = topology.books.mark();
  topology.books.Release(0, pod, 4);
  topology.books.Use(3, pod, 1);
  EXPECT_EQ(topology.Place(kRack, 8), (Places{{0, 4}, {1, 4}}));
  topology.books.Rollback(mark);
  EXPECT_EQ(topology.Place(kRack, 8), (Places{{2, 4}, {3, 4}}));
  EXPECT_EQ(topology.books.used(0, kPods), 4);
  topology.books.TakeOther(2, std::vector<PodAmount>{{kCpu, 3}});
  EXPECT_EQ(topology.Place(kRack, 8), (Places{{4, 4}, {5, 4}}));
}

// The peer's check before an admission does not look at the number of pods.
TEST(TopologyBooks, RoomIsComparedWithoutThePods) {
  Cluster cluster;
  cluster.Add(0, 0, 0, 4, 0, /*pods=*/1);
  Topology topology(cluster);
  EXPECT_TRUE(topology.books.HasRoom(0, std::vector<PodAmount>{{kCpu, 1}}, 4));
  EXPECT_FALSE(topology.books.HasRoom(0, std::vector<PodAmount>{{kCpu, 1}}, 5));
  EXPECT_FALSE(topology.books.HasRoom(0, {}, 1));
  EXPECT_TRUE(topology.books.HasRoom(0, std::vector<PodAmount>{{kCpu, 0}}, 1000));
  EXPECT_EQ(topology.Place(kRack, 1), (Places{{0, 1}}));
  EXPECT_THAT(topology.Place(kRack, 2), IsEmpty());
}

TEST(Topology, FlavorsOfOneHostCountTogether) {
  Cluster cluster;
  cluster.Add(0, 0, 0, 4);
  Topology a(cluster);
  cluster.flavor.name = "other";
  Topology b(cluster);
  const TopologyPodSet three{.request = &kRack, .pod = {{kCpu, 1}}, .count = 3};
  const TopologyQuestion question{.pod_sets = {&three, 1}};
  const auto answers = FindTopologies(std::vector<std::pair<TopologyFinder*, TopologyQuestion>>{
      {&b.finder, question}, {&a.finder, question}});
  EXPECT_EQ(answers[1].failed, kNone);  // "flavor" goes before "other"
  EXPECT_EQ(answers[0].failed, 0);
}

// --- against the twin ---------------------------------------------------------------------------

struct RandomWish {
  TopologyRequest request;
  TopologyPodSet workers, leader;
  bool has_leader = false;
};

void Draw(Rng* rng, RandomWish* wish, reference::TopologyWorld::Wish* twin) {
  static const std::string kLevels[] = {"block", "rack", kHost};
  const auto size_of = [](int64_t n) { return static_cast<int32_t>(n); };
  twin->level = rng->Below(3);
  twin->slice_level = 2;
  twin->pod = {1, static_cast<int64_t>(rng->Below(4)), static_cast<int64_t>(rng->Below(3))};
  twin->count = 1 + static_cast<int64_t>(rng->Below(rng->Below(4) == 0 ? 60 : 12));
  const uint64_t kind = rng->Below(3);
  if (kind == 0) wish->request.required = kLevels[twin->level];
  if (kind == 1) wish->request.preferred = kLevels[twin->level];
  if (kind == 2) wish->request.unconstrained = true;
  twin->required = kind == 0;
  if (kind == 2) twin->level = 2;
  twin->unconstrained = twin->least_first = kind == 2;
  if (rng->Below(2) == 0) {
    if (kind == 2) twin->level = 0;  // slices alone are placed in the widest level
    twin->slice_level = twin->level + rng->Below(3 - twin->level);
    const int64_t inner = 1 + static_cast<int64_t>(rng->Below(3));
    twin->slice_size = inner * (1 + static_cast<int64_t>(rng->Below(3)));
    wish->request.slices = {{kLevels[twin->slice_level], size_of(twin->slice_size)}};
    if (twin->slice_level < 2 && rng->Below(2) == 0) {
      wish->request.slices.push_back({kHost, size_of(inner)});
      for (size_t level = twin->slice_level + 1; level < 3; ++level) twin->inner[level] = inner;
    }
  } else if (rng->Below(2) == 0) {
    wish->has_leader = true;
    twin->leader_pod = {1, static_cast<int64_t>(rng->Below(5)), 0};
  }
  const auto pod_of = [](const std::vector<int64_t>& amounts) {
    PodRequest pod;
    for (const uint32_t r : {kCpu, kGpu}) {
      if (amounts[r] > 0) pod.push_back({r, amounts[r]});
    }
    return pod;
  };
  wish->workers = {.request = &wish->request,
                   .pod = pod_of(twin->pod),
                   .count = size_of(twin->count),
                   .group = "g"};
  if (!wish->has_leader) return;
  wish->leader = {
      .request = &wish->request, .pod = pod_of(twin->leader_pod), .count = 1, .group = "g"};
  if (wish->workers.count == 1) wish->workers.count = 2;  // of equal counts the second leads
  twin->count = wish->workers.count;
}

TEST(Topology, RandomPodSetsAgainstTheTwin) {
  Rng rng(20);
  int placed = 0;
  for (int world = 0; world < 60; ++world) {
    Cluster cluster;
    reference::TopologyWorld twin;
    const size_t blocks = 1 + rng.Below(3), racks = 1 + rng.Below(3), hosts = 1 + rng.Below(4);
    for (size_t i = 0; i < blocks * racks * hosts; ++i) {
      if (rng.Below(8) == 0) continue;
      cluster.Add(static_cast<int>(i / hosts / racks), static_cast<int>(i / hosts % racks),
                  static_cast<int>(i % hosts), static_cast<int64_t>(rng.Below(16)),
                  static_cast<int64_t>(rng.Below(9)), static_cast<int64_t>(rng.Below(20)));
    }
    Topology topology(cluster);
    const TopologyTree& tree = topology.books.tree();
    for (size_t n = 0; n < cluster.specs.size(); ++n) {
      twin.free[tree.path(2, tree.leaf_of_node(n))] = cluster.amounts[n];
    }
    for (int i = 0; i < 25; ++i) {
      RandomWish wish;
      reference::TopologyWorld::Wish slow;
      Draw(&rng, &wish, &slow);
      std::vector<TopologyPodSet> sets = {wish.workers};
      if (wish.has_leader) sets.push_back(wish.leader);
      const TopologyAnswer answer = topology.Ask(sets);
      reference::TopologyWorld before = twin;
      std::map<std::vector<std::string>, int64_t> pods;
      std::vector<std::string> leader;
      const bool found = twin.Place(slow, &pods, &leader);
      ASSERT_EQ(answer.failed == kNone, found) << "world " << world << " wish " << i;
      if (!found) continue;
      ++placed;
      std::map<std::vector<std::string>, int64_t> ours;
      for (const auto& [leaf, count] : answer.pod_sets[0]->places) ours[tree.path(2, leaf)] = count;
      ASSERT_EQ(ours, pods) << "world " << world << " wish " << i;
      if (wish.has_leader) {
        ASSERT_EQ(answer.pod_sets[1]->places.size(), leader.empty() ? 0U : 1U);
        for (const auto& [leaf, count] : answer.pod_sets[1]->places) {
          ASSERT_EQ(tree.path(2, leaf), leader);
        }
      }
      if (rng.Below(3) == 0) {  // it ends at once
        twin = before;
        continue;
      }
      for (size_t s = 0; s < sets.size(); ++s) {
        for (const auto& [leaf, count] : answer.pod_sets[s]->places) {
          topology.books.Use(leaf, sets[s].pod, count);
        }
      }
    }
  }
  EXPECT_GT(placed, 300);
}

}  // namespace
}  // namespace muster::kueue
