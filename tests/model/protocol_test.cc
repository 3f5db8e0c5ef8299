// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// docs/protocol.md against the cluster: each cell of its tables is played, and must be what the
// page says.
//
// A cell is what became of a task that was in the state of its column, after what its row names.
// "-" stands for a task that is not there, "=" for one that stays as it was, and "refused" for an
// error, after which the task is as before.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/model/words.h"
#include "lib/plan/plan_data.h"

namespace muster {
namespace {

constexpr int64_t kPlanned = 100;  // when plans are made
constexpr uint64_t kSeen = 10, kNewer = 20, kNewest = 30;

TaskSpec TaskOf(TaskStatus status, const char* node, const char* uid = "u1") {
  return {.name = "t",
          .job = "j",
          .shape = {.request = {{"cpu", 1}}},
          .status = status,
          .node = HoldsNode(status) ? node : "",
          .uid = uid};
}

// A cluster with one task, as a scheduler's watch and plans brought it there.
class Told {
 public:
  // `state` is a column of the page.
  explicit Told(const std::string& state) {
    Must(cluster_.AddNodes(2, {.name = "n", .capacity = {{"cpu", 4}}}));
    Must(cluster_.AddJob({.name = "j"}));
    if (state == "-") return;
    if (state == "releasing") {
      Must(Event(kSeen, TaskOf(TaskStatus::kRunning, "n0")));
      Must(Follow(DecisionKind::kEvict, "n0"));
    } else if (state == "binding") {
      Must(Event(kSeen, TaskOf(TaskStatus::kPending, "")));
      Must(Follow(DecisionKind::kBind, "n0"));
    } else if (state == "nominated") {
      Must(Event(kSeen, TaskOf(TaskStatus::kPending, "")));
      Must(Follow(DecisionKind::kNominate, "n0"));
    } else if (state == "waiting") {
      Must(Event(kSeen, TaskOf(TaskStatus::kPending, "")));
      Must(Follow(DecisionKind::kReserve, "n0"));
    } else {
      Must(Event(kSeen, TaskOf(*ParseWord<TaskStatus>(state), "n0")));
    }
  }

  // The word of a cell: the state of the task, and its node unless that is n0.
  std::string State() const {
    const Tables& t = TablesOf(cluster_);
    const std::optional<TaskIndex> task = t.tasks.names.Find("t");
    if (!task) return "-";
    const TaskStatus status = t.tasks.status[*task];
    if (status == TaskStatus::kPending && t.tasks.nominated[*task] != kNone) return "nominated";
    std::string word(TaskStatusName(status));
    const NodeIndex node = t.tasks.node[*task];
    if (node != kNone && t.nodes.spec[node].name != "n0") word += " on n1";
    return word;
  }

  absl::Status Event(uint64_t generation, auto object) {
    return cluster_.ApplyDelta({generation, std::move(object)}).status();
  }
  // Applies a plan of one decision.
  absl::Status Follow(DecisionKind kind, const char* node) {
    const Tables& t = TablesOf(cluster_);
    const std::optional<TaskIndex> task = t.tasks.names.Find("t");
    if (!task) return absl::NotFoundError("no plan mentions it");
    auto data = std::make_shared<PlanData>();
    data->decisions.push_back({.kind = kind,
                               .task = *task,
                               .node = *t.nodes.names.Find(node),
                               .job = t.tasks.job[*task]});
    if (kind == DecisionKind::kReserve) {
      data->by_kind.reservations.push_back({.task = *task, .node = *t.nodes.names.Find(node)});
    }
    data->version = cluster_.version();
    data->shelf = TablesOf(cluster_).shelf;
    data->now = kPlanned;
    data->names = NamesOf(SharedTablesOf(cluster_.Freeze()));
    const absl::StatusOr<ApplyReport> report = cluster_.Apply(PlanOf(data));
    if (!report.ok() || report->refused.empty()) return report.status();
    return absl::FailedPreconditionError(report->refused[0]);
  }
  absl::Status List(const std::vector<TaskSpec>& tasks) {
    ClusterSpec listing = cluster_.Describe();
    listing.tasks = tasks;
    return cluster_.Reconcile(listing).status();
  }
  Cluster& cluster() { return cluster_; }

 private:
  static void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

  Cluster cluster_;
};

using Play = std::function<absl::Status(Told& told)>;

// What happens, by the word of the row.
const std::vector<std::pair<std::string, Play>>& Rows() {
  const auto event = [](TaskStatus status, const char* node = "n0") {
    return [=](Told& told) { return told.Event(kNewer, TaskOf(status, node)); };
  };
  const auto set = [](TaskStatus status, const char* node = "") {
    return [=](Told& told) { return told.cluster().SetTaskStatus("t", status, node); };
  };
  static const auto* const rows = new std::vector<std::pair<std::string, Play>>{
      {"event: pending", event(TaskStatus::kPending)},
      {"event: bound", event(TaskStatus::kBound)},
      {"event: running", event(TaskStatus::kRunning)},
      {"event: running on n1", event(TaskStatus::kRunning, "n1")},
      {"event: succeeded", event(TaskStatus::kSucceeded)},
      {"event: running, older",
       [](Told& told) { return told.Event(kSeen - 1, TaskOf(TaskStatus::kRunning, "n1")); }},
      {"event: pending, another uid",
       [](Told& told) { return told.Event(kNewer, TaskOf(TaskStatus::kPending, "", "u2")); }},
      {"event: running, another uid",
       [](Told& told) { return told.Event(kNewer, TaskOf(TaskStatus::kRunning, "n0", "u2")); }},
      {"event: removed",
       [](Told& told) {
         return told.Event(kNewer, Removal{Removal::Kind::kTask, "t"});
       }},
      {"event: removed, then pending",
       [](Told& told) {
         const absl::Status s = told.Event(kNewer, Removal{Removal::Kind::kTask, "t"});
         return s.ok() ? told.Event(kNewest, TaskOf(TaskStatus::kPending, "")) : s;
       }},
      {"event: its node removed",
       [](Told& told) {
         return told.Event(kNewer, Removal{Removal::Kind::kNode, "n0"});
       }},
      {"event: its job removed",
       [](Told& told) {
         return told.Event(kNewer, Removal{Removal::Kind::kJob, "j"});
       }},
      {"call: status pending", set(TaskStatus::kPending)},
      {"call: status running on n0", set(TaskStatus::kRunning, "n0")},
      {"call: status releasing", set(TaskStatus::kReleasing)},
      {"call: status succeeded", set(TaskStatus::kSucceeded)},
      {"call: bind failed", [](Told& told) { return told.cluster().ReportBindFailed("t"); }},
      {"call: evict failed", [](Told& told) { return told.cluster().ReportEvictFailed("t"); }},
      {"call: binds expire",
       [](Told& told) {
         return told.cluster().ExpireAssumptions(kPlanned + 60, {.bind = 60}).status();
       }},
      {"call: evictions expire",
       [](Told& told) {
         return told.cluster().ExpireAssumptions(kPlanned + 60, {.evict = 60}).status();
       }},
      {"call: both expire, too early",
       [](Told& told) {
         return told.cluster().ExpireAssumptions(kPlanned + 59, {.bind = 60, .evict = 60}).status();
       }},
      {"call: remove task", [](Told& told) { return told.cluster().RemoveTask("t"); }},
      {"call: remove node n0", [](Told& told) { return told.cluster().RemoveNode("n0"); }},
      {"plan: bind to n1", [](Told& told) { return told.Follow(DecisionKind::kBind, "n1"); }},
      {"plan: nominate", [](Told& told) { return told.Follow(DecisionKind::kNominate, "n0"); }},
      {"plan: evict", [](Told& told) { return told.Follow(DecisionKind::kEvict, "n0"); }},
      {"listing: pending",
       [](Told& told) { return told.List({TaskOf(TaskStatus::kPending, "")}); }},
      {"listing: running",
       [](Told& told) { return told.List({TaskOf(TaskStatus::kRunning, "n0")}); }},
      {"listing: not in it", [](Told& told) { return told.List({}); }},
  };
  return *rows;
}

std::string Played(const Play& play, const std::string& state) {
  Told told(state);
  const std::string before = told.State();
  EXPECT_EQ(before, state);
  const absl::Status status = play(told);
  const std::string after = told.State();
  if (!status.ok()) {
    EXPECT_EQ(after, before) << status;
    return "refused";
  }
  return after == before ? "=" : after;
}

// The cells of a line of a table, without blanks around them.
std::vector<std::string> CellsOf(const std::string& line) {
  std::vector<std::string> cells;
  for (absl::string_view cell : absl::StrSplit(line, '|')) {
    cells.emplace_back(absl::StripAsciiWhitespace(cell));
  }
  return {cells.begin() + 1, cells.end() - 1};
}

// The lines of the table below the heading, without the one of dashes.
std::vector<std::vector<std::string>> TableBelow(const std::string& heading) {
  std::ifstream page("docs/protocol.md");
  std::vector<std::vector<std::string>> table;
  bool below = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("#")) below = line == heading;
    if (below && line.starts_with("|") && !line.starts_with("|-")) table.push_back(CellsOf(line));
  }
  return table;
}

TEST(Protocol, EveryCellOfThePageIsWhatTheClusterDoes) {
  const std::vector<std::vector<std::string>> table = TableBelow("## A task");
  ASSERT_EQ(table.size(), Rows().size() + 1) << "a row each, below the states";
  const std::vector<std::string>& states = table[0];
  for (size_t r = 0; r < Rows().size(); ++r) {
    const auto& [what, play] = Rows()[r];
    std::vector<std::string> played = {what};
    for (size_t c = 1; c < states.size(); ++c) played.push_back(Played(play, states[c]));
    EXPECT_EQ(absl::StrJoin(table[r + 1], " | "), absl::StrJoin(played, " | "));
  }
}

// --- other objects

// A row of some kind, and what it needs.
struct Sample {
  std::string kind;
  Removal::Kind removal;
  std::string name;
  std::vector<Delta> needs;  // what it names, the outermost first
  Delta row, changed, broken;
};

template <class Spec, class Change, class Break>
Sample SampleOf(std::string kind, Removal::Kind removal, std::string name, std::vector<Delta> needs,
                Spec spec, const Change& change, const Break& spoil) {
  Spec changed = spec, broken = spec;
  change(changed);
  spoil(broken);
  return {std::move(kind), removal,           std::move(name),  std::move(needs),
          {kSeen, spec},   {kNewer, changed}, {kNewest, broken}};
}

std::vector<Sample> Samples() {
  using enum Removal::Kind;
  const auto zero_weight = [](auto& spec) { spec.weight = -1; };
  const auto bad_label = [](auto& spec) { spec.labels = {{"\xff", ""}}; };
  return {
      SampleOf(
          "node", kNode, "x", {{1, DomainSpec{.name = "d"}}}, NodeSpec{.name = "x", .domain = "d"},
          [](auto& spec) { spec.unschedulable = true; }, bad_label),
      SampleOf(
          "queue", kQueue, "x", {{1, QueueSpec{.name = "q"}}},
          QueueSpec{.name = "x", .parent = "q"}, [](auto& spec) { spec.weight = 3; }, zero_weight),
      SampleOf(
          "job", kJob, "x", {{1, QueueSpec{.name = "q"}}}, JobSpec{.name = "x", .queue = "q"},
          [](auto& spec) { spec.priority = 3; }, [](auto& spec) { spec.min_available = -1; }),
      SampleOf(
          "domain", kDomain, "x", {{1, DomainSpec{.name = "d", .tier = 2}}},
          DomainSpec{.name = "x", .parent = "d"}, [](auto& spec) { spec.tier_name = "rack"; },
          [](auto& spec) { spec.tier = 0; }),
      SampleOf(
          "budget", kBudget, "team/x", {}, DisruptionBudgetSpec{.name = "x", .name_space = "team"},
          [](auto& spec) { spec.allowed = 3; }, [](auto& spec) { spec.allowed = -1; }),
      SampleOf(
          "namespace", kNamespace, "x", {{1, QueueSpec{.name = "q"}}},
          NamespaceSpec{.name = "x", .bindings = {{.name = "b", .queues = {"q"}}}},
          [](auto& spec) {
            spec.labels = {{"a", "b"}};
          },
          bad_label),
      SampleOf(
          "flavor", kFlavor, "x", {}, FlavorSpec{.name = "x"},
          [](auto& spec) {
            spec.node_labels = {{"a", "b"}};
          },
          [](auto& spec) {
            spec.node_labels = {{"\xff", ""}};
          }),
      SampleOf(
          "partition", kPartition, "x", {{1, NodeSpec{.name = "n"}}},
          PartitionSpec{.name = "x", .nodes = {"n"}}, [](auto& spec) { spec.exclusive = false; },
          [](auto& spec) {
            spec.nodes = {"n", "n"};
          }),
      SampleOf(
          "reservation", kReservation, "x", {{1, NodeSpec{.name = "n"}}},
          ReservationSpec{.name = "x", .node = "n", .phase = ReservationPhase::kAvailable},
          [](auto& spec) { spec.allocate_once = false; }, [](auto& spec) { spec.node = ""; }),
  };
}

absl::Status RemoveByCall(Cluster& cluster, Removal::Kind kind, const std::string& name) {
  using enum Removal::Kind;
  switch (kind) {
    case kNode:
      return cluster.RemoveNode(name);
    case kQueue:
      return cluster.RemoveQueue(name);
    case kJob:
      return cluster.RemoveJob(name);
    case kTask:
      return cluster.RemoveTask(name);
    case kDomain:
      return cluster.RemoveDomain(name);
    case kBudget:
      return cluster.RemoveDisruptionBudget(name.substr(0, name.find('/')),
                                            name.substr(name.find('/') + 1));
    case kNamespace:
      return cluster.RemoveNamespace(name);
    case kFlavor:
      return cluster.RemoveFlavor(name);
    case kPartition:
      return cluster.RemovePartition(name);
    case kReservation:
      return cluster.RemoveReservation(name);
  }
  return absl::OkStatus();
}

// What a cluster knows of the row.
std::string WordOf(const Cluster& cluster, const Sample& sample) {
  const ClusterSpec rows = cluster.Describe();
  const auto has = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(), [](const auto& row) { return row.name == "x"; });
  };
  const bool there = has(rows.nodes) || has(rows.queues) || has(rows.jobs) || has(rows.domains) ||
                     has(rows.budgets) || has(rows.namespaces) || has(rows.flavors) ||
                     has(rows.partitions) || has(rows.reservations);
  if (there) return "there";
  for (const WaitingEvent& waiting : cluster.WaitingEvents()) {
    if (waiting.object == absl::StrCat(sample.kind, " \"x\"")) return "waits";
  }
  return "gone";
}

// What the cluster makes of the row of the table; "" for an unknown one.
std::string PlayedOn(const std::string& what, const Sample& sample) {
  Cluster cluster;
  std::string outcome;
  const auto say = [&](const absl::StatusOr<DeltaOutcome>& result) {
    if (!result.ok()) outcome = "refused";
    if (result.ok() && *result == DeltaOutcome::kStale) outcome = "stale";
  };
  const auto event = [&](const Delta& delta) { say(cluster.ApplyDelta(delta)); };
  const auto needs = [&] {
    for (const Delta& delta : sample.needs) event(delta);
  };
  const auto removal = [&](uint64_t generation) {
    event({generation, Removal{sample.removal, sample.name}});
  };
  const auto remove_needs = [&](bool by_event) {
    for (const Delta& delta : sample.needs) {
      const bool is_node = std::holds_alternative<NodeSpec>(delta.object);
      const bool is_queue = std::holds_alternative<QueueSpec>(delta.object);
      const auto kind = is_node    ? Removal::Kind::kNode
                        : is_queue ? Removal::Kind::kQueue
                                   : Removal::Kind::kDomain;
      const std::string name = is_node ? "n" : is_queue ? "q" : "d";
      if (by_event) {
        event({kNewer, Removal{kind, name}});
      } else if (!RemoveByCall(cluster, kind, name).ok()) {
        outcome = "refused";
      }
    }
  };
  if (what == "event: removed, then older") {
    needs();
    removal(kNewer);
  }
  if (what != "event: what it names is not there" && what != "event: what it names comes later") {
    needs();
    outcome.clear();
  }
  event(sample.row);
  if (what == "event: what it names comes later") needs();
  if (what == "event: changed") event(sample.changed);
  if (what == "event: not newer") event({kSeen, sample.changed.object});
  if (what == "event: breaks a rule") event(sample.broken);
  if (what == "event: removed") removal(kNewer);
  if (what == "event: what it names removed") remove_needs(/*by_event=*/true);
  if (what == "call: removed") {
    EXPECT_TRUE(RemoveByCall(cluster, sample.removal, sample.name).ok());
  }
  if (what == "call: what it names removed") remove_needs(/*by_event=*/false);
  if (what == "listing: not in it") {
    EXPECT_TRUE(cluster.Reconcile({}).ok());
  }
  const std::string word = WordOf(cluster, sample);
  return outcome.empty() ? word : absl::StrCat(outcome, ", ", word);
}

TEST(Protocol, EveryCellOfOtherObjectsIsWhatTheClusterDoes) {
  const std::vector<std::vector<std::string>> table = TableBelow("## Other objects");
  const std::vector<Sample> samples = Samples();
  ASSERT_EQ(table.size(), 13u);
  std::vector<std::string> head = {"what happens"};
  for (const Sample& sample : samples) head.push_back(sample.kind);
  EXPECT_EQ(absl::StrJoin(table[0], " | "), absl::StrJoin(head, " | "));
  for (size_t r = 1; r < table.size(); ++r) {
    std::vector<std::string> played = {table[r][0]};
    for (const Sample& sample : samples) played.push_back(PlayedOn(table[r][0], sample));
    EXPECT_EQ(absl::StrJoin(table[r], " | "), absl::StrJoin(played, " | "));
  }
}

}  // namespace
}  // namespace muster
