// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster run: one cycle over a scenario, its decisions and reasons one a line, a summary last.
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "lib/advice/counted_tasks.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "muster/bound.h"
#include "tools/muster/command.h"
#include "tools/muster/lone_tasks.h"
#include "tools/muster/output.h"
#include "tools/muster/unread_notes.h"

namespace muster {
namespace {

constexpr CommandText kRunText = {"run", "run FILE [flags]",
                                  "Schedules the scenario in FILE (- is standard input) once and "
                                  "prints the plan: every decision in order, "
                                  "every reason for what is pending, and a summary.",
                                  "muster run tests/scenarios/gang_undone.json --profile volcano"};

std::string Summary(const Tables& tables, const Plan& plan) {
  const int64_t pending =
      SatAdd(static_cast<int64_t>(plan.pending().size()), CountedWaiting(tables, plan));
  std::string out =
      absl::StrCat(plan.binds().size(), " bound, ", plan.nominations().size(), " nominated, ",
                   plan.evictions().size(), " evicted, ", plan.admissions().size(), " admitted, ");
  if (!plan.moves().empty()) absl::StrAppend(&out, plan.moves().size(), " moved, ");
  if (!plan.reservations().empty())
    absl::StrAppend(&out, plan.reservations().size(), " reserved, ");
  absl::StrAppend(&out, pending, " pending; work ", plan.work(), ", digest ", plan.Digest(), "\n");
  if (!plan.complete())
    absl::StrAppend(&out, "the cycle was cut short; go on from cursor ", plan.cursor(), "\n");
  return out;
}

std::string GapAmount(const std::string& dimension, int64_t amount) {
  return FormatQuantity(amount, IsMilliDimension(dimension) ? Unit::kMilli : Unit::kWhole);
}

// What any plan could place, beside what this one does.
std::string GapText(const PlanGap& gap) {
  std::string out = absl::StrCat("of ", gap.bound.waiting, " waiting tasks ", gap.placed,
                                 " get a node; no plan places more than ", gap.bound.tasks, "\n");
  for (size_t d = 0; d < gap.amounts.size(); ++d) {
    const std::string& name = gap.bound.dimensions[d];
    absl::StrAppend(&out, "  ", name, ": ", GapAmount(name, gap.amounts[d]), " of ",
                    GapAmount(name, gap.bound.requested[d]), " placed, no plan more than ",
                    GapAmount(name, gap.bound.amounts[d]), "\n");
  }
  for (const std::string& rule : gap.broken) {
    absl::StrAppend(&out, "  the plan does not keep rule ", rule, ", nor need others\n");
  }
  return out;
}

nlohmann::ordered_json GapJson(const PlanGap& gap) {
  nlohmann::ordered_json resources = nlohmann::ordered_json::array();
  for (size_t d = 0; d < gap.amounts.size(); ++d) {
    resources.push_back({{"name", gap.bound.dimensions[d]},
                         {"requested", gap.bound.requested[d]},
                         {"placed", gap.amounts[d]},
                         {"most", gap.bound.amounts[d]}});
  }
  return {{"waiting", gap.bound.waiting}, {"placed", gap.placed}, {"most", gap.bound.tasks},
          {"resources", resources},       {"broken", gap.broken}, {"work", gap.bound.work}};
}

// One row a resource, and first one for tasks, as CSV has them.
std::string WithGapRows(const std::string& plan, const PlanGap& gap) {
  nlohmann::ordered_json document = nlohmann::ordered_json::parse(plan);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  rows.push_back({{"name", "tasks"},
                  {"requested", gap.bound.waiting},
                  {"placed", gap.placed},
                  {"most", gap.bound.tasks}});
  const nlohmann::ordered_json told = GapJson(gap);
  for (const nlohmann::ordered_json& row : told["resources"]) rows.push_back(row);
  document["bound"] = rows;
  return document.dump();
}

std::string WithGap(const std::string& plan, const PlanGap& gap) {
  nlohmann::ordered_json document = nlohmann::ordered_json::parse(plan);
  document["bound"] = GapJson(gap);
  return document.dump();
}

// The plan as JSON, with the words of a reason in the rows of pending tasks.
std::string WithReasons(const std::string& plan) {
  nlohmann::ordered_json document = nlohmann::ordered_json::parse(plan);
  for (nlohmann::ordered_json& row : document["pending"]) {
    const nlohmann::ordered_json& reason = document["reasons"][row["reason"].get<size_t>()];
    row["reason"] = reason["kind"];
    row["text"] = reason["text"];
  }
  return document.dump();
}

}  // namespace

int RunCommand(const Arguments& arguments) {
  RunFlags run_flags;
  bool digest = false, bound = false;
  BoundOptions bound_options;
  std::string memory;
  FlagSet flags;
  run_flags.Declare(&flags);
  flags.Switch("--digest", &digest, "only the plan's digest");
  flags.Switch("--bound", &bound, "also what no plan could place more of");
  flags.Value("--bound-work", "N", &bound_options.work, "the most work of --bound");
  flags.Value("--write-memory", "FILE", &memory, "put what the cycle remembers there");
  const Parsed parsed = ParseArguments(kRunText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.size() != 1) return ComplainUsage(kRunText, "needs one FILE");
  if (digest && OutputFormat() != Format::kTable) {
    return ComplainUsage(kRunText, "--json (--format) and --digest exclude each other");
  }
  if (!bound && bound_options.work != BoundOptions().work) {
    return ComplainUsage(kRunText, "--bound-work needs --bound");
  }
  if (digest && bound) return ComplainUsage(kRunText, "--bound and --digest exclude each other");
  const absl::StatusOr<Run> run = RunFile(parsed.others[0], run_flags);
  if (!run.ok()) return Complain(std::string(run.status().message()));
  NoteUnreadFields(TablesOf(run->snapshot), {run->scenario.profile},
                   run->scenario.options.extensions.get());
  if (!memory.empty()) {
    const absl::Status written = WriteFile(memory, run->plan.memory().ToText() + "\n");
    if (!written.ok()) return Complain(std::string(written.message()));
  }
  if (digest) return Print(absl::StrCat(run->plan.Digest(), "\n"));
  std::string json = run->plan.ToJson(),
              words = run->plan.ToText() + Summary(TablesOf(run->snapshot), run->plan);
  words += NoteSkipped(TablesOf(run->snapshot), run->plan.profile(),
                       run->scenario.options.extensions.get());
  if (bound) {
    const absl::StatusOr<PlanGap> gap = GapOf(run->snapshot, run->plan, bound_options);
    if (!gap.ok()) return Complain(absl::StrCat("--bound: ", gap.status().message()));
    json = OutputFormat() == Format::kCsv ? WithGapRows(json, *gap) : WithGap(json, *gap);
    words += GapText(*gap);
    const std::string lone = LoneTasksText(CountLoneTasks(TablesOf(run->snapshot)),
                                           "; the bound is about tasks of jobs");
    NoteOutsideTables(lone);
    words += lone;
    const int64_t counted = CountedWaiting(TablesOf(run->snapshot), run->plan);
    if (counted > 0) {
      absl::StrAppend(&words, counted,
                      counted == 1 ? " task that waits is" : " tasks that wait are",
                      " by count; the bound is about rows\n");
    }
  }
  if (OutputFormat() == Format::kCsv) {
    json = WithReasons(json);
    constexpr std::string_view kDecisions = "decisions=kind,job,task,node",
                               kPending = "pending=task,job,reason,text";
    if (bound) return Print(CsvOf(json, {kDecisions, kPending, "bound"}));
    return Print(CsvOf(json, {kDecisions, kPending}));
  }
  return Show([&] { return words; }, [&] { return json; }, {"decisions", "pending"});
}

}  // namespace muster
