// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster what-if: what queues would get if weights, limits, nodes or jobs were others, without a
// cycle; and with --plan, what two plans would decide differently.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/advice/executor_of.h"
#include "lib/base/pieces.h"
#include "lib/base/strings.h"
#include "lib/base/text_table.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "lib/model/what_if_edits.h"
#include "lib/profile/profile.h"
#include "muster/quantity.h"
#include "tools/muster/command.h"
#include "tools/muster/lone_tasks.h"
#include "tools/muster/output.h"
#include "tools/muster/progress.h"
#include "tools/muster/threads.h"

namespace muster {
namespace {

constexpr CommandText kWhatIfText = {
    "what-if", "what-if FILE [flags]",
    "Says what each queue of the scenario in FILE deserves, holds and waits for by the profile's "
    "own shares, before "
    "and after changes; what they leave as it is has no row. Those of a file are made first, then "
    "nodes, jobs and tasks go, nodes come, and the queue changes. With --plan: which tasks start, "
    "stop and move.",
    "muster what-if tests/scenarios/queue_weights.json --profile muster --queue light --weight 4"};

struct Flags {
  std::string changes;
  std::string queue, guaranteed, deserved, limit;
  std::optional<int64_t> weight;
  std::vector<std::string> remove_node, remove_nodes, remove_job, remove_task;
  std::string add_nodes;
  std::optional<int64_t> count;
  bool plan = false;

  void Declare(FlagSet* flags) {
    flags->Value("--queue", "QUEUE", &queue, "the queue that the next four are about");
    flags->Value("--weight", "N", &weight, "its weight");
    flags->Value("--guaranteed", "AMOUNTS", &guaranteed,
                 "as cpu=4,memory=8Gi; these and no others");
    flags->Value("--deserved", "AMOUNTS", &deserved, "what it deserves by its spec");
    flags->Value("--limit", "AMOUNTS", &limit, "what it may hold at most");
    flags->Values("--remove-node", "NODE", &remove_node,
                  "the node leaves; its tasks of jobs wait again, others end; this and the next "
                  "three may be given several times");
    flags->Values("--remove-nodes", "LABELS", &remove_nodes, "so do all with labels, as pool=b");
    flags->Values("--remove-job", "JOB", &remove_job, "the job leaves with its tasks");
    flags->Values("--remove-task", "TASK", &remove_task, "the task leaves; with --plan");
    flags->Value("--add-nodes", "AMOUNTS", &add_nodes, "a node of that capacity comes");
    flags->Value("--count", "N", &count, "so many of them, 1 by default");
    flags->Value("--changes", "FILE", &changes,
                 "{\"changes\": [...]} as JSON, any number of these and more; with --plan also "
                 "the \"profile\" to plan by after them");
    flags->Switch("--plan", &plan, "schedule before and after, and print what differs");
  }
};

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> Pairs(std::string_view flag,
                                                                       const std::string& text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto part : absl::StrSplit(text, ',')) {
    const std::vector<std::string> sides = absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (sides.size() != 2 || sides[0].empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(ToAbsl(flag), ": expected NAME=VALUE,..., got ", Quote(text)));
    }
    pairs.emplace_back(sides[0], sides[1]);
  }
  return pairs;
}

absl::Status ReadAmounts(std::string_view flag, const std::string& text,
                         std::optional<Resources>* out) {
  if (text.empty()) return absl::OkStatus();
  auto pairs = Pairs(flag, text);
  if (!pairs.ok()) return pairs.status();
  out->emplace();
  for (auto& [name, amount] : *pairs) (*out)->emplace_back(name, Quantity(amount));
  return absl::OkStatus();
}

// The changes, and where each is set: a place of a file, or a flag.
struct PlacedChanges {
  std::vector<WhatIfChange> list;
  std::vector<std::string> places;
  std::string profile;  // of the plan after the changes; empty: that of the plan before

  void Add(std::string place, WhatIfChange change) {
    list.push_back(std::move(change));
    places.push_back(std::move(place));
  }
};

// The changes of the file, if one is named.
absl::StatusOr<PlacedChanges> ChangesOfFile(const Flags& flags) {
  PlacedChanges changes;
  if (flags.changes.empty()) return changes;
  const absl::StatusOr<std::string> text = ReadFile(flags.changes);
  if (!text.ok()) return text.status();
  absl::StatusOr<ChangesText> parsed = ParseChangesText(*text, InputLimits());
  if (!parsed.ok()) {
    return absl::Status(parsed.status().code(),
                        absl::StrCat(flags.changes, ": ", parsed.status().message()));
  }
  if (!parsed->profile.empty() && !flags.plan) {
    return absl::InvalidArgumentError(
        absl::StrCat(flags.changes, ": profile: is of the plan after the changes; needs --plan"));
  }
  changes.profile = parsed->profile;
  for (WhatIfChange& change : parsed->changes) {
    changes.Add(absl::StrCat(flags.changes, ": changes[", changes.list.size(), "]"),
                std::move(change));
  }
  return changes;
}

// Adds those of the flags.
absl::StatusOr<PlacedChanges> WithFlags(const Flags& flags, PlacedChanges changes) {
  for (const std::string& node : flags.remove_node) {
    changes.Add("--remove-node", {.remove_nodes = RemovedNodes{.name = node}});
  }
  for (const std::string& text : flags.remove_nodes) {
    auto labels = Pairs("--remove-nodes", text);
    if (!labels.ok()) return labels.status();
    changes.Add("--remove-nodes", {.remove_nodes = RemovedNodes{.labels = *std::move(labels)}});
  }
  for (const std::string& job : flags.remove_job) {
    changes.Add("--remove-job", {.remove_job = job});
  }
  for (const std::string& task : flags.remove_task) {
    changes.Add("--remove-task", {.remove_task = task});
  }
  if (!flags.add_nodes.empty()) {
    std::optional<Resources> capacity;
    if (absl::Status s = ReadAmounts("--add-nodes", flags.add_nodes, &capacity); !s.ok()) return s;
    changes.Add("--add-nodes", {.add_nodes = NewNodes{.count = flags.count.value_or(1),
                                                      .node = {.capacity = *std::move(capacity)}}});
  }
  if (flags.count.has_value() && flags.add_nodes.empty()) {
    return absl::InvalidArgumentError("--count needs --add-nodes");
  }
  QueueEdit edit{.name = flags.queue, .weight = flags.weight};
  for (const auto& [flag, text, out] :
       {std::tuple("--guaranteed", &flags.guaranteed, &edit.guaranteed),
        std::tuple("--deserved", &flags.deserved, &edit.deserved),
        std::tuple("--limit", &flags.limit, &edit.limit)}) {
    if (absl::Status s = ReadAmounts(flag, *text, out); !s.ok()) return s;
  }
  const bool edits = edit.weight.has_value() || edit.guaranteed.has_value() ||
                     edit.deserved.has_value() || edit.limit.has_value();
  if (edits == edit.name.empty()) {
    return absl::InvalidArgumentError(
        edits ? "--weight and the like need a --queue"
              : "--queue needs what is to change: --weight, --guaranteed, --deserved or --limit");
  }
  if (edits) changes.Add("--queue", {.queue = std::move(edit)});
  return changes;
}

bool HasQuotaByFlavor(const Tables& tables, const std::string& queue) {
  const std::optional<QueueIndex> q = tables.queues.names.Find(queue);
  return q && tables.queues.spec[*q].rules && !tables.queues.spec[*q].rules->groups.empty();
}

// Returns a line for each value of the queue that the profile does not read.
std::string UnreadText(const QueueEdit& edit, const ProfileConfig& config, const Tables& tables) {
  const QueueFieldsRead& reads = config.needs.queues;
  const std::string_view quota =
      HasQuotaByFlavor(tables, edit.name)
          ? "; the queue has quota by flavor, which \"quota\" in a file of --changes replaces"
          : "";
  std::string out;
  for (const auto& [set, read, what] :
       {std::tuple(edit.weight.has_value(), reads.weight, "weight"),
        std::tuple(edit.guaranteed.has_value(), reads.guaranteed, "guaranteed"),
        std::tuple(edit.deserved.has_value(), reads.deserved, "deserved"),
        std::tuple(edit.limit.has_value(), reads.limit, "limit")}) {
    if (!set || read) continue;
    absl::StrAppend(&out, "note: profile ", config.name, " does not read \"", what, "\" of a queue",
                    what == std::string_view("limit") ? ToAbsl(quota) : "", "\n");
  }
  return out;
}

// Returns a line for each resource that only the new nodes have, and for each that tasks which wait
// request and the new nodes lack.
std::string ShapeText(const NodeSpec& node, const Tables& tables) {
  std::string out;
  std::vector<std::string_view> known;
  std::vector<int64_t> tasks(tables.dimension_count(), 0);
  for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
    known.push_back(tables.dimensions.name(d));
  }
  for (const auto& [name, amount] : node.capacity) {
    if (tables.dimensions.Find(name)) continue;
    absl::StrAppend(&out, "note: --add-nodes: no node or task names ", Quote(name),
                    SuggestName(name, known), "\n");
  }
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t] || tables.tasks.status[t] != TaskStatus::kPending) continue;
    const auto request = tables.classes.request.row(tables.tasks.task_class[t]);
    for (DimensionIndex d = 0; d < tasks.size(); ++d) tasks[d] += OrZero(request[d]) > 0;
  }
  for (DimensionIndex d = 0; d < tasks.size(); ++d) {
    const bool has = std::ranges::any_of(
        node.capacity, [&](const auto& entry) { return entry.first == known[d]; });
    // A node without an amount of pods has no limit of them.
    if (has || d == kPods || tasks[d] == 0) continue;
    absl::StrAppend(&out, "note: --add-nodes: without ", ToAbsl(known[d]), ", which ", tasks[d],
                    tasks[d] == 1 ? " task that waits requests" : " tasks that wait request", "\n");
  }
  return out;
}

// Returns a line where tasks without a job leave with these nodes under a profile that places such
// tasks: the pods of a plain Kubernetes dump, which their controllers make again.
std::string EndsText(const std::set<NodeIndex>& leaving, const Opened& opened) {
  const Tables& tables = TablesOf(opened.cluster);
  if (leaving.empty() ||
      SkipsLoneTasks(opened.scenario.profile, opened.scenario.options.extensions.get())) {
    return "";
  }
  int64_t ending = 0;
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    ending += tables.tasks.alive[t] && !tables.has_job(t) && leaving.contains(tables.tasks.node[t]);
  }
  if (ending == 0) return "";
  return absl::StrCat("note: ", ending, ending == 1 ? " task" : " tasks", " without a job ",
                      ending == 1 ? "ends" : "end",
                      " with these nodes; muster drain lists where such tasks would go\n");
}

// Returns what the changes cannot do under the profile, a line each.
std::string NotesOn(const std::vector<WhatIfChange>& changes, const Flags& flags,
                    const Opened& opened) {
  const absl::StatusOr<ProfileConfig> config =
      ResolveProfile(opened.scenario.profile, opened.scenario.options.extensions.get());
  const Tables& tables = TablesOf(opened.cluster);
  std::string out;
  std::set<NodeIndex> leaving;  // by all changes, each node once
  for (const WhatIfChange& change : changes) {
    if (change.queue.has_value() && config.ok()) {
      absl::StrAppend(&out, UnreadText(*change.queue, *config, tables));
    }
    if (change.remove_nodes.has_value() && flags.plan) {
      const absl::StatusOr<std::vector<NodeIndex>> nodes =
          ChooseNodes("remove_nodes", change.remove_nodes->name, change.remove_nodes->labels,
                      tables.nodes, [](NodeIndex) { return true; });
      // What makes the changes has the words of an error.
      if (nodes.ok()) leaving.insert(nodes->begin(), nodes->end());
    }
    if (change.add_nodes.has_value() && !flags.add_nodes.empty()) {
      absl::StrAppend(&out, ShapeText(change.add_nodes->node, tables));
    }
  }
  return out + EndsText(leaving, opened);
}

// Returns both plans, the one after the changes by the profile that their file names, if any.
absl::StatusOr<Rehearsal> RehearseAll(const Opened& opened, const PlacedChanges& changes,
                                      const std::string& file, Executor* executor) {
  const Scenario& scenario = opened.scenario;
  if (changes.profile.empty()) {
    return Rehearse(opened.cluster, scenario.profile, changes.list, scenario.options, executor);
  }
  const Snapshot now = opened.cluster.Freeze();
  Cluster clone = opened.cluster.Clone();
  const absl::Status made = MakeChanges(changes.list, &clone);
  const Snapshot then = clone.Freeze();
  absl::StatusOr<Plan> before = absl::UnknownError(""), after = absl::UnknownError("");
  RunPieces(ExecutorOf(executor, scenario.options), made.ok() ? 2 : 1, [&](size_t i) {
    if (i == 0) before = Schedule(now, scenario.profile, scenario.options);
    if (i == 1) after = Schedule(then, changes.profile, scenario.options);
  });
  if (!before.ok()) return before.status();
  if (!made.ok()) return made;
  if (!after.ok()) {
    return absl::Status(after.status().code(),
                        absl::StrCat(file, ": profile: ", after.status().message()));
  }
  PlanDifference difference = Difference(now, *before, then, *after);
  return Rehearsal{*std::move(before), *std::move(after), std::move(difference)};
}

std::string AmountText(const std::string& dimension, double amount) {
  if (std::abs(amount) >= 9e18) return absl::StrCat(amount);
  return FormatQuantity(std::llround(amount),
                        IsMilliDimension(dimension) ? Unit::kMilli : Unit::kWhole);
}

// Writes a row for each queue and dimension; with `changed_only`, only rows that differ.
std::string ToText(const Outlook& outlook, bool changed_only) {
  using Column = TextTable::Column;
  const auto right = TextTable::kRight;
  TextTable table({Column{"QUEUE"}, Column{"SHARE", right}, Column{"AFTER", right}, Column{"OF"},
                   Column{"DESERVED", right}, Column{"AFTER", right}, Column{"ALLOCATED", right},
                   Column{"AFTER", right}, Column{"PENDING", right}, Column{"AFTER", right}});
  bool empty = true;
  for (const QueueOutlook& q : outlook.queues) {
    std::vector<std::string> head = {q.name, absl::StrCat(q.share_before),
                                     absl::StrCat(q.share_after)};
    for (size_t d = 0; d < outlook.dimensions.size(); ++d) {
      std::vector<std::string> row = head;
      row.push_back(outlook.dimensions[d]);
      bool shown = false;
      const auto add = [&](const auto& before, const auto& after) {
        const auto cell = [d](const auto& cells) {
          return d < cells.size() ? static_cast<double>(cells[d]) : 0.0;
        };
        const double was = cell(before), is = cell(after);
        shown |= changed_only ? was != is : was != 0 || is != 0;
        row.push_back(before.empty() ? "" : AmountText(outlook.dimensions[d], was));
        row.push_back(after.empty() ? "" : AmountText(outlook.dimensions[d], is));
      };
      add(q.deserved_before, q.deserved_after);
      add(q.allocated_before, q.allocated_after);
      add(q.pending_before, q.pending_after);
      if (!shown) continue;
      table.AddRow(std::move(row));
      head.assign(3, "");
      empty = false;
    }
    if (head[0].empty() || (changed_only && q.share_before == q.share_after)) continue;
    table.AddRow(std::move(head));
    empty = false;
  }
  return empty && changed_only ? "nothing differs\n" : table.ToString();
}

// Returns the first of the flags that only a cycle reads; empty: none is given.
std::string FlagOfCycles(const RunFlags& flags) {
  return flags.now.has_value()           ? "--now"
         : flags.seed.has_value()        ? "--seed"
         : flags.work_budget.has_value() ? "--work-budget"
         : !flags.turn.empty()           ? "--turn"
         : !flags.memory.empty()         ? "--memory"
                                         : "";
}

}  // namespace

int WhatIfCommand(const Arguments& arguments) {
  Flags given;
  FlagSet flags;
  RunFlags run_flags;
  run_flags.Declare(&flags);
  given.Declare(&flags);
  ThreadsFlag threads;
  threads.Declare(&flags);
  const Parsed parsed = ParseArguments(kWhatIfText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.size() != 1) return ComplainUsage(kWhatIfText, "needs one FILE");
  if (absl::Status s = threads.Settle(); !s.ok()) return Complain(std::string(s.message()));
  const absl::StatusOr<PlacedChanges> of_file = ChangesOfFile(given);
  if (!of_file.ok()) return Complain(std::string(of_file.status().message()));
  const absl::StatusOr<PlacedChanges> changes = WithFlags(given, *of_file);
  if (!changes.ok()) return ComplainUsage(kWhatIfText, std::string(changes.status().message()));
  const std::unique_ptr<Executor> executor = threads.Make();
  if (executor != nullptr && !given.plan) {
    return ComplainUsage(kWhatIfText, "--threads needs --plan");
  }
  if (const std::string flag = FlagOfCycles(run_flags); !given.plan && !flag.empty()) {
    return ComplainUsage(kWhatIfText, flag + " needs --plan: without it no cycle runs");
  }
  const absl::StatusOr<Opened> opened = OpenFile(parsed.others[0], run_flags);
  if (!opened.ok()) return Complain(std::string(opened.status().message()));
  const Scenario& scenario = opened->scenario;
  const auto complain = [&](const absl::Status& status) {
    for (size_t i = 0; i < changes->places.size(); ++i) {
      absl::string_view words = status.message();
      if (!absl::ConsumePrefix(&words, absl::StrCat("changes[", i, "]: "))) continue;
      if (changes->places[i].starts_with("--")) absl::ConsumePrefix(&words, "remove_nodes: ");
      return Complain(absl::StrCat(changes->places[i], ": ", words));
    }
    const absl::Status placed = WithPlace(parsed.others[0], run_flags, status);
    return Complain(std::string(placed.message()));
  };
  std::string notes = NotesOn(changes->list, given, *opened);
  if (given.plan) {
    const Progress progress("scheduling twice");
    const absl::StatusOr<Rehearsal> rehearsal =
        RehearseAll(*opened, *changes, given.changes, executor.get());
    if (!rehearsal.ok()) return complain(rehearsal.status());
    const PlanDifference& difference = rehearsal->difference;
    return Show([&] { return difference.ToText() + notes; }, [&] { return difference.ToJson(); },
                {"starts=task,job,before,after,reason,now", "stops", "moves", "admits=job,queue",
                 "withdraws", "waits", "queues=queue,share_before,share_after"});
  }
  const absl::StatusOr<Outlook> outlook = WhatIf(opened->cluster.Freeze(), scenario.profile,
                                                 changes->list, scenario.options.extensions);
  if (!outlook.ok()) return complain(outlook.status());
  if (!outlook->divides) {
    absl::StrAppend(&notes, "note: the policies of profile ", scenario.profile,
                    " publish no shares; --plan has what it decides\n");
  }
  return Show([&] { return ToText(*outlook, !changes->list.empty()) + notes; },
              [&] { return WriteOutlook(*outlook); }, {"queues=name,share_before,share_after"});
}

}  // namespace muster
