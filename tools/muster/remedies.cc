// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster remedies: why a job waits, in numbers, and what would start it.
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/advice/starts_text.h"
#include "lib/scenario/question.h"
#include "tools/muster/command.h"
#include "tools/muster/lone_tasks.h"
#include "tools/muster/output.h"
#include "tools/muster/progress.h"
#include "tools/muster/threads.h"

namespace muster {
namespace {

constexpr CommandText kRemediesText = {
    "remedies", "remedies FILE JOB|TASK [flags]",
    "Says why the job, or the task without a job, of the scenario in FILE waits, with the numbers "
    "behind it, and what would start all of it: more nodes, an open queue, a raised limit or "
    "quota, a tolerated taint, a smaller request, another queue, evictions, a priority, or the end "
    "of others; or, as a smaller gang, a part of it. Each remedy was tried by a cycle. Evictions "
    "are counted against those of today's plan.",
    "muster remedies tests/scenarios/gang_undone.json train"};

// `placed`: the profile places tasks, and does not only admit them. `most`: how many trials are
// allowed.
std::string ToText(const std::string& job, const Diagnosis& diagnosis, bool placed, int64_t most) {
  if (diagnosis.waiting == 0) return absl::StrCat(job, ": nothing of it waits\n");
  std::string out = diagnosis.reason;
  for (const std::string& fact : diagnosis.facts) absl::StrAppend(&out, "  ", fact, "\n");
  absl::StrAppend(&out, diagnosis.remedies.empty() ? "no remedy was found" : "remedies", " (",
                  diagnosis.trials, diagnosis.trials == 1 ? " trial" : " trials",
                  diagnosis.trials >= most ? ", all that --trials allows" : "",
                  diagnosis.remedies.empty() ? ")\n" : "):\n");
  for (const Remedy& remedy : diagnosis.remedies) {
    absl::StrAppend(&out, "  - ", remedy.words, ": ", OutcomeText(remedy, placed), "\n");
  }
  return out;
}

}  // namespace

int RemediesCommand(const Arguments& arguments) {
  RunFlags run_flags;
  RemedyOptions options;
  ThreadsFlag threads;
  FlagSet flags;
  run_flags.Declare(&flags);
  flags.Value("--trials", "N", &options.trials, "the most cycles to try, 200 by default");
  threads.Declare(&flags);
  const Parsed parsed = ParseArguments(kRemediesText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.size() != 2) {
    return ComplainUsage(kRemediesText, "needs a FILE and a JOB or TASK");
  }
  if (absl::Status s = threads.Settle(); !s.ok()) return Complain(std::string(s.message()));
  const absl::StatusOr<Opened> opened = OpenFile(parsed.others[0], run_flags);
  if (!opened.ok()) return Complain(std::string(opened.status().message()));
  options.schedule = opened->scenario.options;
  const std::unique_ptr<Executor> executor = threads.Make();
  options.executor = executor.get();
  const Progress progress("looking for remedies");
  const absl::StatusOr<Diagnosis> diagnosis =
      Diagnose(opened->cluster, opened->scenario.profile, parsed.others[1], options);
  if (!diagnosis.ok()) {
    const std::string left_out = WhyLeftOut(parsed.others[1], opened->scenario);
    if (absl::IsNotFound(diagnosis.status()) && !left_out.empty()) {
      return Show(
          [&] { return left_out; },
          [&] { return WriteDiagnosis(parsed.others[1], {.waiting = 1, .reason = left_out}); },
          {"remedies"});
    }
    const absl::string_view words = diagnosis.status().message();
    if (absl::StartsWith(words, "trials is ")) return Complain(absl::StrCat("--", words));
    const absl::Status status = WithPlace(parsed.others[0], run_flags, diagnosis.status());
    return Complain(std::string(status.message()));
  }
  const bool placed =
      PlacesTasks(opened->scenario.profile, opened->scenario.options.extensions.get());
  return Show([&] { return ToText(parsed.others[1], *diagnosis, placed, options.trials); },
              [&] { return WriteDiagnosis(parsed.others[1], *diagnosis); },
              {"remedies=kind,starts,evictions,others,profile,words"});
}

}  // namespace muster
