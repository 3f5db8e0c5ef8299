// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A search that remembers against one that was born for the question: after every random move and
// rollback both name the same node, the same ranks and the same refusals, whatever is switched on;
// and equal states hold exactly the nodes that are equal.
#include "lib/search/node_search.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/ledger/placement_run.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/profile/profile.h"
#include "tests/support/random_cpus.h"
#include "tests/support/random_world.h"
#include "tests/support/random_zones.h"

namespace muster {
namespace {

using testing::MakeCluster;
using testing::RandomWorld;

constexpr Want kAllWants[] = {Want::kNow, Want::kLater, Want::kEither, Want::kAnywhere,
                              Want::kEvicting};

class Searched {
 public:
  Searched(const Tables& tables, const ProfileConfig& config)
      : tables_(tables), config_(config), ledger_(tables, config.accounting) {
    for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j)
      phases_.push_back(tables.jobs.spec[j].phase);
    dispatcher_ = MakeDispatcher();
  }

  std::unique_ptr<NodeSearch> MakeSearch(const SpeedOptions& speed) {
    SearchRules rules;
    rules.slack.assign(tables_.dimension_count(), config_.accounting.least.milli - 1);
    rules.slack[kMemory] = config_.accounting.least.memory - 1;
    rules.overfull_nodes_are_out = config_.overfull_nodes_are_out;
    auto search = std::make_unique<NodeSearch>(ledger_, *dispatcher_, std::move(rules), speed);
    search->BeginCycle();
    return search;
  }

  Ledger& ledger() { return ledger_; }
  const Dispatcher& dispatcher() const { return *dispatcher_; }

  void Move(Rng& rng) {
    if (rng.Chance(0.2)) savepoints_.push_back(ledger_.Save());
    if (!savepoints_.empty() && rng.Chance(0.2)) {
      const size_t index = rng.Below(savepoints_.size());
      ledger_.Rollback(savepoints_[index]);
      savepoints_.resize(index);
    }
    if (ledger_.tables().tasks.alive.empty() || tables_.nodes.alive.empty()) return;
    const TaskIndex t = static_cast<TaskIndex>(rng.Below(tables_.tasks.alive.size()));
    const NodeIndex n = static_cast<NodeIndex>(rng.Below(tables_.nodes.alive.size()));
    switch (ledger_.status(t)) {
      case TaskStatus::kPending:
        ledger_.Move(t, rng.Chance(0.7) ? TaskStatus::kPlaced : TaskStatus::kNominated, n);
        break;
      case TaskStatus::kPlaced:
        ledger_.Move(t, TaskStatus::kBinding, ledger_.node_of(t));
        break;
      case TaskStatus::kRunning:
      case TaskStatus::kBound:
        ledger_.Move(t, TaskStatus::kReleasing, ledger_.node_of(t));
        break;
      default:
        break;
    }
  }

 private:
  std::unique_ptr<Dispatcher> MakeDispatcher() {
    std::vector<std::vector<ActivePolicy>> tiers;
    for (const auto& tier : config_.tiers) {
      tiers.emplace_back();
      for (const ConfiguredPolicy& policy : tier) {
        tiers.back().push_back({policy.decl.make(policy.options), policy.points});
      }
    }
    auto dispatcher = std::make_unique<Dispatcher>(std::move(tiers), config_.rules);
    const internal::CycleData data{tables_, ledger_, 0, phases_};
    dispatcher->Open(Cycle(&data));
    return dispatcher;
  }

  const Tables& tables_;
  const ProfileConfig config_;
  Ledger ledger_;
  std::vector<JobPhase> phases_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::vector<Ledger::Savepoint> savepoints_;
};

std::string Words(std::vector<Ranked> ranked) {
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return b < a; });
  std::string words;
  for (const Ranked& r : ranked)
    absl::StrAppend(&words, r.node.value(), ":", absl::StrFormat("%.17g", r.score), " ");
  return words;
}

std::string Words(const std::vector<Refusal>& refusals) {
  std::string words;
  for (const Refusal& r : refusals) {
    absl::StrAppend(&words, r.nodes, "x", static_cast<int>(r.code), ".", r.dimension.value(),
                    r.detail, " ");
  }
  return words;
}

// Returns a random world in which policies of scope kCluster refuse or score: numa-aware or zones.
ClusterSpec WorldOfZones(uint64_t seed, bool cpus) {
  ClusterSpec world = RandomWorld(seed, {.nodes = 30});
  Rng rng(seed);
  (cpus ? testing::AddCpus : testing::AddZones)(rng, &world);
  return world;
}

TEST(NodeSearch, MemoryNeverChangesAnAnswer) {
  const SpeedOptions speeds[] = {{},
                                 {.block_winners = false},
                                 {.share_equal_states = false},
                                 {.infeasibility_memory = false},
                                 {.vector_kernels = false},
                                 {.memory_limit = 1000}};
  const char* const specs[] = {"volcano",
                               "volcano:tiers=predicates+nodeorder(most_requested=1,balanced=2)",
                               "volcano:tiers=predicates+binpack(cpu=3)",
                               "volcano:tiers=predicates+nodeorder+numa-aware",
                               "volcano:tiers=predicates+usage+numa-aware(weight=3)",
                               "volcano:tiers=predicates+zones+numa-aware+binpack",
                               "volcano:tiers=predicates+zones+usage"};
  int64_t found = 0;
  for (uint64_t seed = 0; seed < 420; ++seed) {
    Rng rng(seed);
    const size_t spec = seed % std::size(specs);
    const Cluster cluster =
        MakeCluster(spec < 3 ? RandomWorld(seed) : WorldOfZones(seed, /*cpus=*/spec < 6));
    const Tables& tables = TablesOf(cluster);
    Searched world(tables, *ResolveProfile(specs[spec]));
    std::vector<TaskIndex> one_of(tables.classes.shape.size(), kNone);
    for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
      if (tables.tasks.alive[t]) one_of[tables.tasks.task_class[t]] = t;
    }
    const std::unique_ptr<NodeSearch> keeps = world.MakeSearch(speeds[seed % std::size(speeds)]);
    for (int step = 0; step < 30; ++step) {
      world.Move(rng);
      const std::unique_ptr<NodeSearch> fresh = world.MakeSearch({false, false, false, false, 0});
      for (ClassIndex c = 0; c < tables.classes.shape.size(); ++c) {
        if (tables.classes.tasks[c] == 0 || rng.Chance(0.4)) continue;
        const TaskIndex task = one_of[c];
        SCOPED_TRACE(absl::StrCat("seed ", seed, ", step ", step, ", class ", c.value()));
        for (const Want want : kAllWants) {
          if (want == Want::kEither || rng.Chance(0.3)) continue;
          const NodeIndex best = fresh->Best(task, want);
          ASSERT_EQ(keeps->Best(task, want), best) << "want " << static_cast<int>(want);
          found += best != kNone;
        }
        ASSERT_EQ(Words(keeps->Refusals(c)), Words(fresh->Refusals(c)));
        ASSERT_EQ(Words(keeps->RankForEviction(task, Want::kEvicting)),
                  Words(fresh->RankForEviction(task, Want::kEvicting)));
        ASSERT_EQ(keeps->ListForEviction(c, Want::kAnywhere),
                  fresh->ListForEviction(c, Want::kAnywhere));
      }
    }
  }
  EXPECT_GT(found, 10000);
}

// Runs name the nodes that single questions name, and stop where these find none.
TEST(NodeSearch, ARunPlacesAsOneQuestionAfterTheOther) {
  const SpeedOptions speeds[] = {{}, {}, {.share_equal_states = false}, {.memory_limit = 1000}};
  const char* const specs[] = {"volcano",
                               "volcano:tiers=predicates+nodeorder(most_requested=1,balanced=2)",
                               "volcano:tiers=predicates+binpack(cpu=3)"};
  size_t placed = 0, ended_early = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    const Cluster cluster = MakeCluster(RandomWorld(seed, {.nodes = 40, .tasks = 12}));
    const Tables& tables = TablesOf(cluster);
    if (tables.jobs.alive.empty()) continue;
    Rng rng(seed), moves_a(seed), moves_b(seed);
    Searched runs(tables, *ResolveProfile(specs[seed % 3]));
    Searched single(tables, *ResolveProfile(specs[seed % 3]));
    const auto fast = runs.MakeSearch(speeds[seed % std::size(speeds)]);
    for (int step = 0; step < 20; ++step) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, ", step ", step));
      runs.Move(moves_a);
      single.Move(moves_b);
      const auto job = static_cast<JobIndex>(rng.Below(tables.jobs.alive.size()));
      PlacementRun run(runs.ledger());
      for (const TaskIndex task : tables.jobs.tasks[job]) (void)run.Add(task);
      if (run.size() == 0) continue;
      const size_t count = fast->PlaceRun(&run);
      run.End();
      const auto slow = single.MakeSearch({false, false, false, false, 0});
      for (size_t i = 0; i < count; ++i) {
        const NodeIndex best = slow->Best(run.task(i), Want::kNow);
        ASSERT_EQ(runs.ledger().node_of(run.task(i)), best);
        single.ledger().Move(run.task(i), TaskStatus::kPlaced, best);
      }
      placed += count;
      ended_early += count < run.size();
    }
  }
  EXPECT_GT(placed, 2000u);
  EXPECT_GT(ended_early, 100u);
}

// So many states that winners of sixteen are held against one another: a search that keeps them
// against one that scans.
TEST(NodeSearch, WinnersAmongManyStatesAreThoseOfAScan) {
  ClusterSpec world;
  Rng rng(7);
  for (int n = 0; n < 700; ++n) {
    world.nodes.push_back({.name = absl::StrCat("n", n),
                           .capacity = {{"cpu", 16 + static_cast<int64_t>(rng.Below(3))},
                                        {"memory", 64 + static_cast<int64_t>(rng.Below(300))},
                                        {"pods", 20}}});
  }
  world.queues.push_back({.name = "q"});
  for (int j = 0; j < 60; ++j) {
    JobSpec job;
    job.name = absl::StrCat("j", j);
    job.queue = "q";
    job.groups.push_back({.name = "g", .count = 60});
    job.groups[0].shape.request = {{"cpu", 1 + j % 5}, {"memory", 1 + j % 7}};
    world.jobs.push_back(std::move(job));
  }
  const Cluster cluster = MakeCluster(world);
  const Tables& tables = TablesOf(cluster);
  for (const char* spec : {"volcano", "volcano:tiers=predicates+binpack(cpu=3)"}) {
    Searched searched(tables, *ResolveProfile(spec));
    Ledger& ledger = searched.ledger();
    const auto keeps = searched.MakeSearch({});
    const auto apart = searched.MakeSearch({.share_equal_states = false});
    const auto scans = searched.MakeSearch({.block_winners = false, .infeasibility_memory = false});
    for (int step = 0; step < 3000; ++step) {
      SCOPED_TRACE(absl::StrCat(spec, ", step ", step));
      const auto job = static_cast<JobIndex>(rng.Below(tables.jobs.alive.size()));
      const auto& tasks = tables.jobs.tasks[job];
      const TaskIndex task = tasks[rng.Below(tasks.size())];
      if (ledger.status(task) != TaskStatus::kPending) {
        ledger.Move(task, TaskStatus::kPending, kNone);  // a place far from the last is free again
        continue;
      }
      const NodeIndex best = scans->Best(task, Want::kNow);
      ASSERT_EQ(keeps->Best(task, Want::kNow), best);
      if (step % 16 == 0) ASSERT_EQ(apart->Best(task, Want::kNow), best);
      if (best != kNone) ledger.Move(task, TaskStatus::kPlaced, best);
    }
  }
}

// Refused and fitting nodes are all nodes.
TEST(NodeSearch, RefusalsCountEveryNodeThatDoesNotFit) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    const Cluster cluster = MakeCluster(RandomWorld(seed));
    const Tables& tables = TablesOf(cluster);
    Searched world(tables, *ResolveProfile("volcano"));
    const std::unique_ptr<NodeSearch> search = world.MakeSearch({});
    const int64_t nodes = std::count(tables.nodes.alive.begin(), tables.nodes.alive.end(), 1);
    for (int step = 0; step < 10; ++step) {
      world.Move(rng);
      for (ClassIndex c = 0; c < tables.classes.shape.size(); ++c) {
        if (tables.classes.tasks[c] == 0) continue;
        int64_t refused = 0, fits = 0;
        for (const Refusal& refusal : search->Refusals(c)) refused += refusal.nodes;
        for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
          fits += tables.nodes.alive[n] && search->FitsNode(c, n) && search->FitsFutureIdle(c, n);
        }
        ASSERT_EQ(refused + fits, nodes) << "seed " << seed << ", class " << c;
      }
    }
  }
}

// Whether states have followed the ledger or not, a node gives the same answer.
TEST(NodeSearch, OneNodeAnswersAsItsStateDoes) {
  int64_t fit = 0, refused = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Rng rng(seed);
    const Cluster cluster = MakeCluster(RandomWorld(seed));
    const Tables& tables = TablesOf(cluster);
    Searched world(tables, *ResolveProfile(seed % 2 == 0 ? "volcano" : "kube-batch"));
    const std::unique_ptr<NodeSearch> looks = world.MakeSearch({}), follows = world.MakeSearch({});
    for (int step = 0; step < 20; ++step) {
      world.Move(rng);
      for (ClassIndex c = 0; c < tables.classes.shape.size(); ++c) {
        if (tables.classes.tasks[c] == 0) continue;
        for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
          (void)follows->StateOf(n);
          ASSERT_EQ(looks->FitsNode(c, n), follows->FitsNode(c, n)) << "class " << c << ", " << n;
          ++(looks->FitsNode(c, n) ? fit : refused);
        }
      }
    }
  }
  EXPECT_GT(fit, 10'000);
  EXPECT_GT(refused, 1'000);
}

// A node that counts as gone for lack of a resource fits nothing, whatever the task requests.
TEST(NodeSearch, AnOverfullNodeFitsNothing) {
  ClusterSpec world;
  world.nodes = {{.name = "n", .capacity = {{"cpu", 8}, {"nvidia.com/gpu", 1}, {"pods", 9}}}};
  world.jobs = {{.name = "a", .phase = JobPhase::kRunning}, {.name = "b"}};
  world.jobs[1].groups = {{.name = "w", .count = 1, .shape = {.request = {{"cpu", 1}}}}};
  world.tasks = {{.name = "x",
                  .job = "a",
                  .shape = {.request = {{"nvidia.com/gpu", 2}}},
                  .status = TaskStatus::kRunning,
                  .node = "n"}};
  const Cluster cluster = MakeCluster(world);
  const Tables& tables = TablesOf(cluster);
  const ClassIndex c = tables.tasks.task_class[*tables.tasks.names.Find("b-w-0")];
  Searched searched(tables, *ResolveProfile("kube-batch"));
  const auto search = searched.MakeSearch({});
  ASSERT_TRUE(search->ListForEviction(c, Want::kAnywhere).empty());
  EXPECT_FALSE(search->FitsNode(c, 0));
}

// Looks at each node, then follows the ledger.
void ExpectLookIsTheState(const Tables& tables, NodeStates* states) {
  const size_t nodes = tables.nodes.alive.size();
  std::vector<StateColumns> looks;
  for (NodeIndex n = 0; n < nodes; ++n) looks.push_back(*states->Look(n, /*free=*/true));
  states->Sync();
  ASSERT_TRUE(states->Followed());
  for (NodeIndex n = 0; n < nodes; ++n) {
    const StateIndex state = states->state(n);
    StateColumns wanted = states->columns();
    looks[n].head[0] = wanted.head[state];
    looks[n].node[0] = wanted.node[state];
    StateColumns::ForEach(
        /*free=*/true,
        [&](const auto& look, const auto& column) { ASSERT_EQ(look[0], column[state]); }, looks[n],
        wanted);
  }
}

TEST(NodeStates, HoldExactlyTheNodesThatNothingTellsApart) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Rng rng(seed);
    const Cluster cluster = MakeCluster(RandomWorld(seed, {.extremes = false}));
    const Tables& tables = TablesOf(cluster);
    Searched world(tables, *ResolveProfile("volcano"));
    Ledger& ledger = world.ledger();
    NodeKinds kinds(ledger, world.dispatcher());
    NodeStates states(ledger, kinds, /*share=*/true);
    for (int step = 0; step < 40; ++step) {
      world.Move(rng);
      if (!tables.classes.shape.empty() && rng.Chance(0.2)) {
        kinds.Ensure(static_cast<ClassIndex>(rng.Below(tables.classes.shape.size())));
      }
      const uint64_t before = states.journal_end(), epoch = states.epoch();
      std::vector<NodeIndex> heads;
      for (StateIndex s = 0; s < states.slots(); ++s) heads.push_back(states.head(s));
      ExpectLookIsTheState(tables, &states);
      size_t population = 0, live = 0;
      for (StateIndex s = 0; s < states.slots(); ++s) {
        NodeIndex oldest = kNone;
        size_t members = 0;
        for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
          if (states.state(n) != s) continue;
          oldest = std::min(oldest, n);
          ++members;
        }
        ASSERT_EQ(states.population(s), members);
        ASSERT_EQ(states.head(s), oldest);
        population += members;
        live += members > 0;
      }
      ASSERT_EQ(population, tables.nodes.alive.size());
      ASSERT_EQ(states.live(), live);
      for (NodeIndex a = 0; a < tables.nodes.alive.size(); ++a) {
        for (NodeIndex b = 0; b < a; ++b) {
          const auto of_a = ledger.node_row(a), of_b = ledger.node_row(b);
          const bool alike =
              kinds.kind(a) == kinds.kind(b) && std::equal(of_a.begin(), of_a.end(), of_b.begin());
          ASSERT_EQ(states.state(a) == states.state(b), alike) << "nodes " << a << " and " << b;
        }
      }
      if (states.epoch() != epoch) continue;
      ASSERT_LE(states.journal_start(), before);
      const auto news = states.journal().subspan(before - states.journal_start());
      for (StateIndex s = 0; s < heads.size(); ++s) {
        const bool named = std::any_of(news.begin(), news.end(),
                                       [s](StateChange change) { return change.slot == s; });
        ASSERT_TRUE(named || heads[s] == states.head(s)) << "the journal misses slot " << s;
      }
    }
  }
}

}  // namespace
}  // namespace muster
