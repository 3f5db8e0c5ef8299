// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster compare: several profiles on one scenario, side by side.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/advice/counted_tasks.h"
#include "lib/advice/ends.h"
#include "lib/base/math.h"
#include "lib/base/pieces.h"
#include "lib/base/text_table.h"
#include "lib/model/access.h"
#include "lib/plan/explain.h"
#include "lib/plan/json_text.h"
#include "lib/profile/publishes_shares.h"
#include "tools/muster/command.h"
#include "tools/muster/lone_tasks.h"
#include "tools/muster/output.h"
#include "tools/muster/progress.h"
#include "tools/muster/threads.h"
#include "tools/muster/unread_notes.h"

namespace muster {
namespace {

constexpr CommandText kCompareText = {
    "compare", "compare FILE [flags]",
    "Schedules the scenario in FILE under several profiles, and prints how many tasks each starts, "
    "evicts and leaves waiting, how many jobs it admits, why tasks wait, the spread of the queues' "
    "shares, how many nodes stay empty, and how many tasks end elsewhere than under the first "
    "profile. LEFT OUT counts tasks without a job that the profile does not try. With --profile, "
    "that one is the first.",
    "muster compare tests/scenarios/gang_undone.json --profiles \"volcano muster\""};

// What one profile made of the scenario.
struct Row {
  std::string profile;
  std::string refused;   // why there is no plan; empty: there is one
  std::string without;   // why it runs without what --load adds; empty: it runs with it
  int64_t left_out = 0;  // tasks that wait and have no job, if the profile leaves such tasks out
  size_t starts = 0, nominated = 0, reserved = 0, admitted = 0, differ = 0, empty_nodes = 0;
  int64_t evicted = 0, waiting = 0;  // tasks by count among them
  // The largest share of a queue less the smallest; nothing: the policies publish no shares.
  std::optional<double> spread;
  std::map<std::string, int64_t> reasons;
};

size_t EmptyNodes(const Snapshot& snapshot, const Plan& plan) {
  const Tables& tables = TablesOf(snapshot);
  std::vector<bool> empty(tables.nodes.alive.begin(), tables.nodes.alive.end());
  for (const NodeIndex node : EndsOf(tables, plan).node) {
    if (node != kNone) empty[node] = false;
  }
  return static_cast<size_t>(std::ranges::count(empty, true));
}

std::optional<double> SpreadOf(const Snapshot& snapshot, const std::string& profile,
                               const Extensions* extensions, const Plan& plan) {
  if (!PublishesShares(snapshot, profile, extensions)) return std::nullopt;
  double least = 0, most = 0;
  for (size_t i = 0; i < plan.shares().size(); ++i) {
    const double share = plan.shares()[i].share_after;
    least = i == 0 ? share : std::min(least, share);
    most = i == 0 ? share : std::max(most, share);
  }
  return most - least;
}

// A profile, and what keeps it from taking what --load adds; empty: it takes it.
struct Compared {
  std::string profile, without;
};

// Checks the spec strings of --profiles, and that of --profile, which is `own`. A profile that has
// no use for what --load adds runs without it, as long as another one takes it.
absl::StatusOr<std::vector<Compared>> Check(const std::vector<std::string>& profiles,
                                            const std::string& own, const Extensions* extensions) {
  std::vector<Compared> compared;
  bool any_takes_it = false;
  absl::Status refused;
  for (const std::string& profile : profiles) {
    const std::string flag = profile == own ? "--profile" : "--profiles";
    const absl::Status with = CheckProfileFlag(profile, extensions, flag);
    compared.push_back({profile, ""});
    any_takes_it |= with.ok();
    if (with.ok()) continue;
    if (extensions == nullptr || !CheckProfileFlag(profile, nullptr, flag).ok()) {
      return with;
    }
    refused.Update(with);
    absl::string_view words = with.message();
    absl::ConsumePrefix(&words, absl::StrCat(flag, ": "));
    compared.back().without = std::string(words);
  }
  if (!any_takes_it) return refused;
  return compared;
}

ScheduleOptions OptionsFor(const Compared& compared, const Opened& opened) {
  ScheduleOptions options = opened.scenario.options;
  if (!compared.without.empty()) options.extensions = nullptr;
  return options;
}

// `plan` is the profile's own, and `first` that of the first profile.
Row Judge(const Compared& compared, const Opened& opened, const Snapshot& snapshot,
          const absl::StatusOr<Plan>& plan, const absl::StatusOr<Plan>& first) {
  const auto& [profile, without] = compared;
  Row row{.profile = profile, .without = without};
  const ScheduleOptions options = OptionsFor(compared, opened);
  if (SkipsLoneTasks(profile, options.extensions.get())) {
    row.left_out = CountLoneTasks(TablesOf(snapshot));
  }
  if (!plan.ok()) {
    row.refused = std::string(plan.status().message());
    return row;
  }
  row.starts = plan->binds().size();
  row.nominated = plan->nominations().size();
  row.reserved = plan->reservations().size();
  row.admitted = plan->admissions().size();
  row.evicted = SatAdd(static_cast<int64_t>(plan->evictions().size()),
                       CountedEvictions(TablesOf(snapshot), *plan));
  row.waiting = SatAdd(static_cast<int64_t>(plan->pending().size()),
                       CountedWaiting(TablesOf(snapshot), *plan));
  row.empty_nodes = EmptyNodes(snapshot, *plan);
  for (const PendingTask& pending : plan->pending()) {
    ++row.reasons[std::string(ReasonKindName(plan->reasons()[pending.reason].kind))];
  }
  for (const CountedWait& wait : CountedWaits(TablesOf(snapshot), *plan)) {
    int64_t& tasks = row.reasons[std::string(ReasonKindName(plan->reasons()[wait.reason].kind))];
    tasks = SatAdd(tasks, wait.tasks);
  }
  row.spread = SpreadOf(snapshot, profile, options.extensions.get(), *plan);
  if (first.ok()) {
    const PlanDifference difference = Difference(snapshot, *first, snapshot, *plan);
    row.differ = difference.starts.size() + difference.stops.size() + difference.moves.size();
  }
  return row;
}

std::string ReasonsText(const Row& row) {
  std::string out;
  for (const auto& [reason, tasks] : row.reasons) {
    absl::StrAppend(&out, out.empty() ? "" : ", ", tasks, " ", reason);
  }
  return out;
}

std::string ToText(const std::vector<Row>& rows) {
  const auto right = TextTable::kRight;
  TextTable table({{"PROFILE"},
                   {"START", right},
                   {"NOMINATED", right},
                   {"RESERVED", right},
                   {"ADMITTED", right},
                   {"EVICTED", right},
                   {"WAIT", right},
                   {"LEFT OUT", right},
                   {"SPREAD", right},
                   {"EMPTY NODES", right},
                   {"DIFFER", right},
                   {"WHY THEY WAIT"}});
  std::string notes;
  for (const Row& row : rows) {
    if (!row.without.empty()) {
      absl::StrAppend(&notes, row.profile, ": without what --load adds: ", row.without, "\n");
    }
    if (!row.refused.empty()) {
      absl::StrAppend(&notes, row.profile, ": no plan: ", row.refused, "\n");
      continue;
    }
    table.AddRow({row.profile, absl::StrCat(row.starts), absl::StrCat(row.nominated),
                  absl::StrCat(row.reserved), absl::StrCat(row.admitted), absl::StrCat(row.evicted),
                  absl::StrCat(row.waiting), absl::StrCat(row.left_out),
                  row.spread ? absl::StrCat(*row.spread) : "", absl::StrCat(row.empty_nodes),
                  absl::StrCat(row.differ), ReasonsText(row)});
  }
  return absl::StrCat(table.ToString(), notes);
}

// Returns a line about tasks that some profiles leave out. Empty: none does.
std::string LeftOutText(const std::vector<Row>& rows) {
  int64_t tasks = 0, profiles = 0;
  for (const Row& row : rows) {
    tasks = std::max(tasks, row.left_out);
    profiles += row.left_out > 0;
  }
  return LoneTasksText(
      tasks, absl::StrCat("; ", profiles, " of ", rows.size(),
                          " profiles leave such tasks out; --lone-tasks QUEUE makes jobs of them, "
                          "as volcano:lone_tasks=default does"));
}

std::string ToJson(const std::vector<Row>& rows) {
  std::string out = "{\"profiles\": [";
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    out.append(i == 0 ? "\n {\"profile\": " : ",\n {\"profile\": ");
    AppendJson(row.profile, &out);
    out.append(", \"refused\": ");
    AppendJson(row.refused, &out);
    out.append(", \"without\": ");
    AppendJson(row.without, &out);
    absl::StrAppend(&out, ", \"starts\": ", row.starts, ", \"nominated\": ", row.nominated,
                    ", \"reserved\": ", row.reserved, ", \"admitted\": ", row.admitted,
                    ", \"evicted\": ", row.evicted, ", \"waiting\": ", row.waiting,
                    ", \"left_out\": ", row.left_out, ", \"empty_nodes\": ", row.empty_nodes,
                    ", \"differ\": ", row.differ, ", \"spread\": ");
    if (row.spread) {
      AppendJson(*row.spread, &out);
    } else {
      out.append("null");
    }
    out.append(", \"reasons\": {");
    for (const auto& [reason, tasks] : row.reasons) {
      absl::StrAppend(&out, out.back() == '{' ? "" : ", ");
      AppendJson(reason, &out);
      absl::StrAppend(&out, ": ", tasks);
    }
    out.append("}}");
  }
  out.append("]}\n");
  return out;
}

}  // namespace

int CompareCommand(const Arguments& arguments) {
  RunFlags run_flags;
  std::string names;
  ThreadsFlag threads;
  FlagSet flags;
  run_flags.Declare(&flags);
  flags.Value("--profiles", "PROFILES", &names, "spec strings, with blanks between; default: all");
  threads.Declare(&flags);
  const Parsed parsed = ParseArguments(kCompareText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.size() != 1) return ComplainUsage(kCompareText, "needs one FILE");
  if (absl::Status s = threads.Settle(); !s.ok()) return Complain(std::string(s.message()));
  std::vector<std::string> profiles = absl::StrSplit(names, ' ', absl::SkipEmpty());
  if (names.empty()) {
    for (const ProfileInfo& profile : Profiles()) profiles.push_back(profile.name);
  }
  // Not the scenario's, which would have to take what --load adds.
  const std::string own = std::exchange(run_flags.profile, "");
  if (!own.empty() && !profiles.empty()) {
    std::erase(profiles, own);
    profiles.insert(profiles.begin(), own);
  }
  if (profiles.empty()) return ComplainUsage(kCompareText, "--profiles names none");
  const absl::StatusOr<std::shared_ptr<const Extensions>> loaded = run_flags.load.Open();
  if (!loaded.ok()) return Complain(std::string(loaded.status().message()));
  absl::StatusOr<std::vector<Compared>> compared = Check(profiles, own, loaded->get());
  if (!compared.ok()) return Complain(std::string(compared.status().message()));
  const absl::StatusOr<Opened> opened = OpenFile(parsed.others[0], run_flags);
  if (!opened.ok()) return Complain(std::string(opened.status().message()));
  for (Compared& one : *compared) {
    one.profile =
        WithLoneTasks(one.profile, run_flags.lone_tasks, OptionsFor(one, *opened).extensions.get());
  }
  Progress progress("profiles", static_cast<int64_t>(compared->size()));
  const Snapshot snapshot = opened->cluster.Freeze();
  // What --load adds is of one thread.
  const std::unique_ptr<Executor> executor = *loaded == nullptr ? threads.Make() : nullptr;
  std::vector<absl::StatusOr<Plan>> plans(compared->size(), absl::UnknownError(""));
  RunPieces(executor.get(), plans.size(), [&](size_t i) {
    const Compared& one = (*compared)[i];
    plans[i] = Schedule(snapshot, one.profile, OptionsFor(one, *opened));
    progress.Step();
  });
  const absl::StatusOr<Plan>& first = plans.front();
  std::vector<Row> table(plans.size());
  RunPieces(executor.get(), table.size(), [&](size_t i) {
    table[i] = Judge((*compared)[i], *opened, snapshot, plans[i], first);
  });
  const bool none = std::ranges::none_of(table, [](const Row& row) { return row.refused.empty(); });
  if (none && !first.ok()) {
    const absl::Status status = WithPlace(parsed.others[0], run_flags, first.status());
    return Complain(std::string(status.message()));
  }
  const std::string note = LeftOutText(table);
  NoteUnreadFields(TablesOf(opened->cluster), profiles, loaded->get());
  return Show([&] { return ToText(table) + note; }, [&] { return ToJson(table); }, {"profiles"});
}

}  // namespace muster
