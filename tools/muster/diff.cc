// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster diff: what two plans decide differently; two profiles on one scenario, or two scenarios.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/advice/counted_tasks.h"
#include "lib/model/access.h"
#include "tools/muster/command.h"
#include "tools/muster/lone_tasks.h"
#include "tools/muster/output.h"

namespace muster {
namespace {

constexpr CommandText kDiffText = {
    "diff", "diff FILE [FILE] [flags]",
    "Schedules twice and prints where tasks end differently: one scenario under --profile and "
    "under --with, or two scenarios.",
    "muster diff tests/scenarios/gang_undone.json --profile volcano --with muster"};

// Returns a line, as NoteSkipped does, about tasks that one of the two plans leaves out and the
// other one tries: they end alike where it starts none. Empty: there are none.
std::string NoteLeftOut(const Run& before, const Run& after, const Extensions* extensions) {
  const auto skips = [extensions](const Run& run) {
    return SkipsLoneTasks(std::string(run.plan.profile()), extensions);
  };
  const bool first = skips(before);
  if (first == skips(after)) return "";
  const Run& leaves = first ? before : after;
  return NoteSkipped(TablesOf(leaves.snapshot), leaves.plan.profile(), extensions);
}

// Returns the words of the difference, and a line where more tasks wait in one plan than in the
// other: tasks that are in one cluster alone and have no node there end nowhere in both.
std::string ToText(const PlanDifference& difference, const Run& before, const Run& after) {
  const auto waiting = [](const Run& run) {
    return static_cast<int64_t>(run.plan.pending().size()) +
           CountedWaiting(TablesOf(run.snapshot), run.plan);
  };
  const int64_t first = waiting(before), second = waiting(after);
  std::string text = difference.ToText();
  if (first == second) return text;
  if (text == "nothing differs\n") text = "no task ends elsewhere\n";
  return absl::StrCat(text, first, first == 1 ? " task waits" : " tasks wait",
                      " in the first plan, ", second, " in the second\n");
}

}  // namespace

int DiffCommand(const Arguments& arguments) {
  RunFlags before_flags;
  std::string with;
  FlagSet flags;
  before_flags.Declare(&flags);
  flags.Value("--with", "P", &with, "the profile of the second plan; default: as the first");
  const Parsed parsed = ParseArguments(kDiffText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  const size_t files = parsed.others.size();
  if (files != 2 && (files != 1 || with.empty())) {
    return ComplainUsage(kDiffText, "needs two FILEs, or one and --with");
  }
  const absl::StatusOr<Run> before = RunFile(parsed.others[0], before_flags);
  if (!before.ok()) return Complain(std::string(before.status().message()));
  RunFlags after_flags = before_flags;
  if (!with.empty()) {
    after_flags.profile = with;
    after_flags.profile_flag = "--with";
  }
  const absl::StatusOr<Run> after = RunFile(parsed.others.back(), after_flags);
  if (!after.ok()) return Complain(std::string(after.status().message()));
  const PlanDifference difference =
      Difference(before->snapshot, before->plan, after->snapshot, after->plan);
  const absl::StatusOr<std::shared_ptr<const Extensions>> loaded = before_flags.load.Open();
  if (!loaded.ok()) return Complain(std::string(loaded.status().message()));
  const std::string left_out = NoteLeftOut(*before, *after, loaded->get());
  return Show([&] { return absl::StrCat(ToText(difference, *before, *after), left_out); },
              [&] { return difference.ToJson(); },
              {"starts=task,job,before,after,reason,now", "stops", "moves", "admits=job,queue",
               "withdraws", "queues=queue,share_before,share_after"});
}

}  // namespace muster
