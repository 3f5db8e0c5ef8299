// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random worlds, random moves and rollbacks. After each step three answers must be one: rules that
// have followed the journal since the beginning, rules made for this question, and the slow twin,
// which counts from nothing.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "inter_world.h"
#include "lib/base/rng.h"
#include "lib/model/words.h"
#include "lib/reference/kube/domains.h"
#include "lib/reference/kube/scores.h"

namespace muster::testing {
namespace {

const std::string kKeys[] = {"zone", "rack", "kubernetes.io/hostname"};
const std::string kSpaces[] = {"default", "prod", "void"};  // the last one is not known

class RandomWorld {
 public:
  RandomWorld(uint64_t seed, bool old) : rng_(seed), old_(old) {
    for (const char* space : {"default", "prod"}) world.Namespace(space, SomeLabels());
    nodes_ = 2 + rng_.Below(7);
    for (uint64_t n = 0; n < nodes_; ++n) AddNode("n" + std::to_string(n));
    const uint64_t shapes = 2 + rng_.Below(5);
    std::vector<TaskShape> shape;
    for (uint64_t s = 0; s < shapes; ++s) shape.push_back(SomeShape());
    tasks_ = 4 + rng_.Below(12);
    for (uint64_t t = 0; t < tasks_; ++t) {
      const std::string name = "t" + std::to_string(t),
                        node = "n" + std::to_string(rng_.Below(nodes_));
      const TaskShape& own = shape[rng_.Below(shapes)];
      switch (rng_.Below(5)) {
        case 0:
          world.Leaving(name, own, node);
          break;
        case 1:
          world.Running(name, own, node);
          break;
        default:
          world.Pending(name, own);
      }
    }
  }

  // A placement, nomination, eviction or end; now and then a savepoint, or a return to one.
  void Step() {
    Ledger& ledger = world.ledger();
    if (rng_.Chance(0.2)) savepoints_.push_back(ledger.Save());
    if (!savepoints_.empty() && rng_.Chance(0.15)) {
      savepoints_.resize(1 + rng_.Below(savepoints_.size()));
      ledger.Rollback(savepoints_.back());
      savepoints_.pop_back();
    }
    if (savepoints_.empty() && rng_.Chance(0.05)) ledger.TrimJournals(0);
    const TaskIndex t = static_cast<TaskIndex>(rng_.Below(tasks_));
    const NodeIndex n = static_cast<NodeIndex>(rng_.Below(nodes_));
    switch (ledger.status(t)) {
      case TaskStatus::kPending:
        ledger.Move(t, rng_.Chance(0.7) ? TaskStatus::kPlaced : TaskStatus::kNominated, n);
        break;
      case TaskStatus::kRunning:
        ledger.Move(t, TaskStatus::kReleasing, ledger.node_of(t));
        break;
      case TaskStatus::kPlaced:
      case TaskStatus::kNominated:
        ledger.Move(t, TaskStatus::kPending, kNone);
        break;
      case TaskStatus::kReleasing:
        ledger.Move(t, TaskStatus::kSucceeded, kNone);
        break;
      default:
        break;
    }
  }

  uint64_t tasks() const { return tasks_; }
  uint64_t nodes() const { return nodes_; }
  Rng& rng() { return rng_; }

  InterWorld world;

 private:
  std::string One(const std::vector<std::string>& words) { return words[rng_.Below(words.size())]; }

  void AddNode(const std::string& name) {
    NodeSpec node;
    node.name = name;
    if (rng_.Chance(0.8)) node.labels.emplace_back("zone", One({"a", "b", "c"}));
    if (rng_.Chance(0.7)) node.labels.emplace_back("rack", One({"1", "2"}));
    if (rng_.Chance(0.9)) node.labels.emplace_back("kubernetes.io/hostname", name);
    if (rng_.Chance(0.2)) node.taints.push_back({"gpu", "", TaintEffect::kNoSchedule});
    node.ready = old_ || rng_.Chance(0.9);
    if (rng_.Chance(0.5)) {
      node.images = {{{"app:latest"}, static_cast<int64_t>(rng_.Below(2000)) << 20}};
    }
    world.Node(node);
  }

  Labels SomeLabels() {
    Labels labels;
    if (rng_.Chance(0.8)) labels.emplace_back("app", One({"web", "db"}));
    if (rng_.Chance(0.5)) labels.emplace_back("tier", One({"front", "back"}));
    return labels;
  }

  std::optional<Selector> SomeSelector() {
    Selector selector;
    switch (rng_.Below(8)) {
      case 0:
        return std::nullopt;
      case 1:
        return selector;
      case 2:
        selector.match_expressions = {{"app", RequirementOp::kIn, {"web", "db"}}};
        break;
      case 3:
        selector.match_expressions = {{"tier", RequirementOp::kNotIn, {"front"}}};
        break;
      case 4:
        selector.match_expressions = {{"tier", RequirementOp::kExists, {}},
                                      {"app", RequirementOp::kIn, {"db"}}};
        break;
      default:
        selector.match_labels = {{"app", One({"web", "db"})}};
    }
    return selector;
  }

  AffinityTerm SomeTerm() {
    AffinityTerm term;
    term.topology_key = kKeys[rng_.Below(3)];
    term.selector = SomeSelector();
    if (rng_.Chance(0.2)) term.namespaces = {kSpaces[rng_.Below(3)]};
    if (rng_.Chance(0.3)) term.namespace_selector = SomeSelector();
    return term;
  }

  TaskShape SomeShape() {
    TaskShape shape = Shape(SomeLabels(), kSpaces[rng_.Below(3)]);
    while (rng_.Chance(0.3)) shape.required_affinity.push_back(SomeTerm());
    while (rng_.Chance(0.3)) shape.required_anti_affinity.push_back(SomeTerm());
    const auto weight = [&] { return static_cast<int32_t>(1 + rng_.Below(100)); };
    while (rng_.Chance(0.4)) shape.preferred_affinity.push_back({weight(), SomeTerm()});
    while (rng_.Chance(0.3)) shape.preferred_anti_affinity.push_back({weight(), SomeTerm()});
    while (rng_.Chance(0.5)) {
      SpreadConstraint spread;
      spread.topology_key = kKeys[rng_.Below(3)];
      spread.selector = SomeSelector();
      spread.max_skew = static_cast<int32_t>(1 + rng_.Below(3));
      spread.required = rng_.Chance(0.5);
      if (rng_.Chance(0.3)) spread.min_domains = static_cast<int32_t>(1 + rng_.Below(4));
      spread.honor_node_affinity = rng_.Chance(0.7);
      spread.honor_taints = rng_.Chance(0.5);
      shape.spread.push_back(spread);
    }
    if (rng_.Chance(0.3)) shape.node_selector = {{"zone", One({"a", "b"})}};
    if (rng_.Chance(0.3))
      shape.tolerations = {{"gpu", TolerationOp::kExists, "", TaintEffect::kUnset}};
    while (rng_.Chance(0.3)) {
      shape.host_ports.push_back({One({"", "0.0.0.0", "10.0.0.1"}),
                                  *ParseWord<Protocol>(One({"TCP", "UDP"})),
                                  static_cast<int32_t>(80 + rng_.Below(2))});
    }
    ContainerSpec container;
    container.image = One({"app", "other", ""});
    shape.containers.assign(rng_.Below(3), container);
    return shape;
  }

  Rng rng_;
  bool old_;
  uint64_t nodes_ = 0, tasks_ = 0;
  std::vector<Ledger::Savepoint> savepoints_;
};

// The twin's books at the ledger's state.
reference::Cycle TwinOf(RandomWorld& random, bool old) {
  static const ReferenceProfile profile = [] {
    ReferenceProfile made;
    made.tiers.emplace_back();
    for (const char* name : {"predicates", "nodeorder"}) {
      made.tiers.back().push_back({.name = name, .without = {}, .options = {}});
    }
    return made;
  }();
  static const reference::PolicyTwins no_policies;
  reference::Rules rules;
  rules.kubernetes.every_task_has_terms = !old;
  const Ledger& ledger = random.world.ledger();
  reference::Cycle cycle =
      reference::OpenCycle(random.world.tables(), profile, rules, no_policies, 0);
  for (auto& present : cycle.world.present) present.clear();
  for (TaskIndex t = 0; t < random.tasks(); ++t) {
    cycle.world.status[t] = ledger.status(t);
    if (ledger.in_view(t)) cycle.world.present[ledger.node_of(t)].insert(t);
  }
  cycle.world.in_session.assign(random.nodes(), true);
  return cycle;
}

std::string TwinFit(const reference::Cycle& cycle, TaskIndex t, NodeIndex n,
                    const reference::FilterState& state) {
  const auto refusal = cycle.rules.kubernetes.every_task_has_terms
                           ? reference::AffinityRefusal(cycle, state, t, n)
                           : reference::OldAffinityRefusal(cycle, t, n);
  if (!refusal) return "ok";
  if (*refusal == RefusalCode::kAffinity) return "affinity!";
  return *refusal == RefusalCode::kAntiAffinity ? "anti" : "existing";
}

std::string TwinSpread(const reference::Cycle& cycle, TaskIndex t, NodeIndex n,
                       const reference::FilterState& state) {
  const auto refusal = reference::SpreadRefusal(cycle, state, t, n);
  if (!refusal) return "ok";
  return *refusal == RefusalCode::kSpreadLabel ? "label!" : "spread";
}

template <typename Word>
std::string Words(uint64_t nodes, const Word& word) {
  std::string words;
  for (NodeIndex n = 0; n < nodes; ++n) words += (n > 0 ? " " : "") + std::string(word(n));
  return words;
}

std::vector<double> Doubles(const std::optional<std::vector<int64_t>>& scores, size_t size) {
  if (!scores) return std::vector<double>(size, 0);
  return std::vector<double>(scores->begin(), scores->end());
}

class Checked {
 public:
  Checked(RandomWorld& random, bool affinity, bool spread, double affinity_weight,
          double spread_weight, double image_weight, bool old)
      : random_(random) {
    options_ = {.host_ports = false,
                .affinity = affinity,
                .spread = spread,
                .affinity_weight = affinity_weight,
                .spread_weight = spread_weight,
                .image_weight = image_weight,
                .rules = old ? kKubernetes116 : kKubernetes136};
    rules_ = Fresh();
  }

  // Followed and fresh rules agree; the answer, and that a class without dependence has none.
  std::string Fit(ClassIndex c) {
    const std::string followed = random_.world.Fit(*rules_, c);
    EXPECT_EQ(followed, random_.world.Fit(*Fresh(), c));
    const std::string fine = Words(random_.nodes(), [](NodeIndex) { return "ok"; });
    if (!rules_->FitDepends(c)) {
      EXPECT_EQ(followed, fine);
    }
    return followed;
  }
  std::vector<double> Score(ClassIndex c, const std::vector<NodeIndex>& nodes) {
    const std::vector<double> followed = random_.world.Score(*rules_, c, nodes);
    EXPECT_EQ(followed, random_.world.Score(*Fresh(), c, nodes));
    if (!rules_->ScoreDepends(c)) {
      EXPECT_EQ(followed, std::vector<double>(nodes.size(), 0));
    }
    return followed;
  }

 private:
  std::unique_ptr<InterTask> Fresh() {
    auto rules = std::make_unique<InterTask>(options_);
    rules->Open(random_.world.tables(), random_.world.ledger());
    return rules;
  }

  RandomWorld& random_;
  InterTaskOptions options_;
  std::unique_ptr<InterTask> rules_;
};

std::vector<NodeIndex> SomeNodes(RandomWorld& random) {
  std::vector<NodeIndex> nodes;
  for (NodeIndex n = 0; n < random.nodes(); ++n) {
    if (random.rng().Chance(0.8)) nodes.push_back(n);
  }
  return nodes;
}

TEST(InterRandomTest, FollowedAndFreshCountersAndTheTwinAgree) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomWorld random(seed, false);
    Checked affinity(random, true, false, 1, 0, 0, false);
    Checked spread(random, false, true, 0, 1, 0, false);
    Checked images(random, false, false, 0, 0, 1, false);
    for (int step = 0; step < 25 && !HasFailure(); ++step) {
      if (step > 0) random.Step();
      const auto t = static_cast<TaskIndex>(random.rng().Below(random.tasks()));
      const ClassIndex c = random.world.tables().tasks.task_class[t];
      const reference::Cycle cycle = TwinOf(random, /*old=*/false);
      reference::FilterState state;
      reference::CountAffinity(cycle, t, state);
      reference::CountSpread(cycle, t, state);
      EXPECT_EQ(affinity.Fit(c),
                Words(random.nodes(), [&](NodeIndex n) { return TwinFit(cycle, t, n, state); }));
      EXPECT_EQ(spread.Fit(c),
                Words(random.nodes(), [&](NodeIndex n) { return TwinSpread(cycle, t, n, state); }));
      const std::vector<NodeIndex> nodes = SomeNodes(random);
      if (nodes.empty()) continue;
      EXPECT_EQ(affinity.Score(c, nodes),
                Doubles(reference::AffinityScores(cycle, t, nodes), nodes.size()));
      EXPECT_EQ(spread.Score(c, nodes),
                Doubles(reference::SpreadScores(cycle, t, nodes), nodes.size()));
      std::vector<int64_t> locality;
      for (NodeIndex n : nodes) locality.push_back(reference::ImageLocality(cycle, t, n));
      EXPECT_EQ(images.Score(c, nodes), Doubles(locality, nodes.size()));
    }
  }
}

// Ports are simple enough to be restated here.
TEST(InterRandomTest, PortsAgreeWithAPlainLookAtTheNode) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomWorld random(seed, true);
    InterTaskOptions options;
    options.affinity = options.spread = false;
    InterTask rules(options);
    rules.Open(random.world.tables(), random.world.ledger());
    const auto address = [](const HostPort& port) {
      return port.ip.empty() ? std::string("0.0.0.0") : port.ip;
    };
    for (int step = 0; step < 25 && !HasFailure(); ++step) {
      if (step > 0) random.Step();
      const Tables& tables = random.world.tables();
      const Ledger& ledger = random.world.ledger();
      const auto t = static_cast<TaskIndex>(random.rng().Below(random.tasks()));
      const ClassIndex c = tables.tasks.task_class[t];
      const auto taken = [&](NodeIndex n) {
        for (TaskIndex other = 0; other < random.tasks(); ++other) {
          if (!ledger.in_view(other) || ledger.node_of(other) != n) continue;
          for (const HostPort& a : tables.classes.shape[c].host_ports) {
            for (const HostPort& b :
                 tables.classes.shape[tables.tasks.task_class[other]].host_ports) {
              const bool any = address(a) == "0.0.0.0" || address(b) == "0.0.0.0";
              if (a.port == b.port && a.protocol == b.protocol && (any || a.ip == b.ip))
                return true;
            }
          }
        }
        return false;
      };
      EXPECT_EQ(random.world.Fit(rules, c), Words(random.nodes(), [&](NodeIndex n) {
                  return std::string(taken(n) ? "port" : "ok");
                }));
    }
  }
}

TEST(InterRandomTest, TheRulesOf116AgreeWithTheirTwin) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomWorld random(seed, true);
    Checked affinity(random, true, false, 1, 0, 0, true);
    for (int step = 0; step < 25 && !HasFailure(); ++step) {
      if (step > 0) random.Step();
      const auto t = static_cast<TaskIndex>(random.rng().Below(random.tasks()));
      const ClassIndex c = random.world.tables().tasks.task_class[t];
      const reference::Cycle cycle = TwinOf(random, /*old=*/true);
      EXPECT_EQ(affinity.Fit(c),
                Words(random.nodes(), [&](NodeIndex n) { return TwinFit(cycle, t, n, {}); }));
      const std::vector<NodeIndex> nodes = SomeNodes(random);
      if (nodes.empty()) continue;
      EXPECT_EQ(affinity.Score(c, nodes),
                Doubles(reference::OldAffinityScores(cycle, t, nodes), nodes.size()));
    }
  }
}

}  // namespace
}  // namespace muster::testing
