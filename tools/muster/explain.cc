// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster explain: why a job or task is where it is, or nowhere.
#include "lib/plan/explain.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/advice/facts.h"
#include "lib/advice/suggest_row.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "lib/plan/plan_data.h"
#include "tools/muster/command.h"
#include "tools/muster/lone_tasks.h"
#include "tools/muster/output.h"

namespace muster {
namespace {

constexpr CommandText kExplainText = {
    "explain", "explain FILE [JOB|TASK] [flags]",
    "Schedules the scenario in FILE and explains how the job or task came out, with the numbers "
    "behind it; without a name, everything pending.",
    "muster explain tests/scenarios/gang_undone.json train"};

// Whether a node has any of the resource, taken or free.
bool AnyNodeHas(const Tables& tables, DimensionIndex dimension) {
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (tables.nodes.alive[n] && tables.nodes.capacity.row(n)[dimension] > 0) return true;
  }
  return false;
}

// A line for each resource that is lacking on nodes because no node has any: a misspelled name,
// mostly. `name` is a job, or else a task.
std::string LackedEverywhere(const Plan& plan, const Snapshot& snapshot, std::string_view name) {
  const Tables& tables = TablesOf(snapshot);
  const std::optional<JobIndex> job = tables.jobs.names.Find(name);
  std::set<DimensionIndex> lacking;
  for (const PendingTask& pending : plan.pending()) {
    if (job ? tables.tasks.job[pending.task] != *job : plan.task_name(pending.task) != name) {
      continue;
    }
    for (const Refusal& refusal : plan.reasons()[pending.reason].refusals) {
      if (refusal.code == RefusalCode::kInsufficient) lacking.insert(refusal.dimension);
    }
  }
  std::erase_if(lacking, [&](DimensionIndex d) { return AnyNodeHas(tables, d); });
  if (lacking.empty()) return "";
  std::vector<std::string_view> known;
  for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
    if (AnyNodeHas(tables, d)) known.push_back(tables.dimensions.name(d));
  }
  std::string out;
  for (const DimensionIndex d : lacking) {
    const std::string_view resource = tables.dimensions.name(d);
    absl::StrAppend(&out, "  no node has any ", ToAbsl(resource), SuggestName(resource, known),
                    "\n");
  }
  return out;
}

// The numbers behind the reason of a job, or else a task, a line each.
std::string Facts(const Plan& plan, const Snapshot& snapshot, std::string_view name) {
  const Tables& tables = TablesOf(snapshot);
  const std::optional<JobIndex> job = tables.jobs.names.Find(name);
  const std::optional<TaskIndex> task = tables.tasks.names.Find(name);
  std::string out;
  if (!job && !task) return out;
  for (const std::string& fact :
       job ? FactsOf(tables, plan, *job) : FactsOfTask(tables, plan, *task)) {
    absl::StrAppend(&out, "  ", fact, "\n");
  }
  return out;
}

// Returns a line with the node of a task of which there is nothing to decide; empty: it has none.
std::string WhereItIs(const Snapshot& snapshot, std::string_view name, std::string_view text) {
  const Tables& tables = TablesOf(snapshot);
  const std::optional<TaskIndex> task = tables.tasks.names.Find(name);
  if (!text.ends_with("nothing to decide\n") || !task) return "";
  const NodeIndex node = tables.tasks.node[*task];
  if (node == kNone) return "";
  return absl::StrCat("  it is ", ToAbsl(TaskStatusName(tables.tasks.status[*task])), " on ",
                      Quote(tables.nodes.names.name(node)), "\n");
}

// Collects what is told of jobs, and of tasks without a job, and puts those together of which the
// same is told.
class Told {
 public:
  // `words` begin with the name.
  void Add(std::string_view name, const std::string& words) {
    const std::string rest = words.substr(name.size());
    const bool named = words.starts_with(name);
    const auto [place, is_new] = places_.try_emplace(named ? rest : words, entries_.size());
    if (is_new) entries_.push_back({{}, named ? rest : words, named});
    entries_[place->second].names.push_back(name);
  }
  std::string Text() const {
    std::string out;
    for (const Entry& entry : entries_) {
      for (size_t i = 0; entry.named && i < std::min(entry.names.size(), kMostNamed); ++i) {
        absl::StrAppend(&out, i == 0 ? "" : ", ", ToAbsl(entry.names[i]));
      }
      if (entry.named && entry.names.size() > kMostNamed) {
        absl::StrAppend(&out, " and ", entry.names.size() - kMostNamed, " more");
      }
      absl::StrAppend(&out, entry.words);
    }
    return out;
  }

 private:
  static constexpr size_t kMostNamed = 3;
  struct Entry {
    std::vector<std::string_view> names;
    std::string words;
    bool named;
  };
  std::vector<Entry> entries_;
  std::map<std::string, size_t> places_;
};

// `skipped` is a line about tasks that the profile leaves out.
std::string AllPending(const Plan& plan, const Snapshot& snapshot, const Scenario& scenario,
                       const std::string& skipped) {
  Told told;
  std::set<std::string_view> names_told;
  for (const PendingTask& pending : plan.pending()) {
    const JobIndex job = TablesOf(snapshot).tasks.job[pending.task];
    const std::string_view name = job == kNone ? plan.task_name(pending.task) : plan.job_name(job);
    if (!names_told.insert(name).second) continue;
    if (const absl::StatusOr<std::string> text = plan.Explain(name); text.ok()) {
      told.Add(name, absl::StrCat(*text, LackedEverywhere(plan, snapshot, name)));
    }
  }
  for (const WaitingJob& waiting : DataOf(plan)->waiting_jobs) {
    const std::string_view name = plan.job_name(waiting.job);
    if (!names_told.insert(name).second) continue;
    if (const absl::StatusOr<std::string> text = plan.Explain(name); text.ok()) {
      told.Add(name, *text);
    }
  }
  std::string out = told.Text();
  if (out.empty() && skipped.empty()) out = "nothing is pending\n";
  out += skipped;
  std::set<std::string_view> names;  // a thing may be left out for several reasons
  for (const LeftOut& row : scenario.left_out) names.insert(row.name);
  const size_t left_out = names.size();
  if (left_out > 0) {
    absl::StrAppend(&out, left_out, left_out == 1 ? " object was" : " objects were",
                    " left out by the import; explain FILE NAME tells why\n");
  }
  return out;
}

std::string NoSuchName(const std::string& name, const Snapshot& snapshot,
                       const std::vector<LeftOut>& left_out) {
  std::vector<std::string_view> names;
  for (JobIndex j = 0; j < snapshot.job_count(); ++j) names.push_back(snapshot.job_name(j));
  for (TaskIndex t = 0; t < snapshot.task_count(); ++t) names.push_back(snapshot.task_name(t));
  for (const LeftOut& row : left_out) names.push_back(row.name);
  return absl::StrCat("no job or task is named ", Quote(name), SuggestRow(name, names));
}

// What is pending of a job or task of that name, or of all, with the words of `text`.
std::string ToJson(const Run& run, const std::string* name, const std::string& text) {
  using Json = nlohmann::ordered_json;
  Json out = Json::object(), pending = Json::array(), left_out = Json::array();
  if (name != nullptr) out["name"] = *name;
  out["text"] = text;
  const Tables& tables = TablesOf(run.snapshot);
  const auto add = [&](std::string_view task, std::string_view of, uint32_t number) {
    if (name != nullptr && *name != task && *name != of) return;
    const Reason& reason = run.plan.reasons()[number];
    pending.push_back({{"task", task},
                       {"job", of},
                       {"reason", ReasonKindName(reason.kind)},
                       {"text", ReasonText(reason, *DataOf(run.plan)->names)}});
  };
  for (const PendingTask& row : run.plan.pending()) {
    const JobIndex job = tables.tasks.job[row.task];
    add(run.plan.task_name(row.task), job == kNone ? "" : run.plan.job_name(job), row.reason);
  }
  // Tasks that are no rows have no names.
  for (const WaitingJob& waiting : DataOf(run.plan)->waiting_jobs) {
    add("", run.plan.job_name(waiting.job), waiting.reason);
  }
  for (const LeftOut& row : run.scenario.left_out) {
    if (name == nullptr || row.name == *name) {
      left_out.push_back({{"name", row.name}, {"why", row.why}});
    }
  }
  out["pending"] = std::move(pending);
  out["left_out"] = std::move(left_out);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int ExplainCommand(const Arguments& arguments) {
  RunFlags run_flags;
  FlagSet flags;
  run_flags.Declare(&flags);
  const Parsed parsed = ParseArguments(kExplainText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.empty() || parsed.others.size() > 2) {
    return ComplainUsage(kExplainText, "needs a FILE and at most one name");
  }
  const absl::StatusOr<Run> run = RunFile(parsed.others[0], run_flags);
  if (!run.ok()) return Complain(std::string(run.status().message()));
  const auto show = [&](const std::string* name, const std::string& text) {
    return Show([&] { return text; }, [&] { return ToJson(*run, name, text); },
                {"pending=task,job,reason,text", "left_out=name,why"});
  };
  if (parsed.others.size() == 1) {
    const std::string skipped = NoteSkipped(TablesOf(run->snapshot), run->plan.profile(),
                                            run->scenario.options.extensions.get());
    return show(nullptr, AllPending(run->plan, run->snapshot, run->scenario, skipped));
  }
  const absl::StatusOr<std::string> text = run->plan.Explain(parsed.others[1]);
  const std::string left_out = WhyLeftOut(parsed.others[1], run->scenario);
  if (!text.ok()) {
    if (!left_out.empty()) return show(&parsed.others[1], left_out);
    return Complain(
        absl::StrCat(parsed.others[0], ": ",
                     NoSuchName(parsed.others[1], run->snapshot, run->scenario.left_out)));
  }
  const std::string& name = parsed.others[1];
  return show(&name, absl::StrCat(*text, WhereItIs(run->snapshot, name, *text), left_out,
                                  Facts(run->plan, run->snapshot, name),
                                  LackedEverywhere(run->plan, run->snapshot, name)));
}

}  // namespace muster
