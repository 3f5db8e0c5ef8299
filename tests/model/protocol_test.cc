// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// docs/protocol.md against the cluster: each cell of its table of tasks is played, and must be what
// the page says.
//
// A cell is what became of a task that was in the state of its column, after what its row names.
// "-" stands for a task that is not there, "=" for one that stays as it was, and "refused" for an
// error, after which the task is as before.
#include <gtest/gtest.h>

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

constexpr uint64_t kSeen = 10, kNewer = 20, kNewest = 30;

TaskSpec TaskOf(TaskStatus status, const char* node) {
  return {.name = "t",
          .job = "j",
          .shape = {.request = {{"cpu", 1}}},
          .status = status,
          .node = HoldsNode(status) ? node : ""};
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

}  // namespace
}  // namespace muster
