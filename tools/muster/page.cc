// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster page: plans of a scenario as a page for a browser.
#include "lib/advice/page.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/advice/starts_text.h"
#include "lib/model/access.h"
#include "tools/muster/command.h"
#include "tools/muster/output.h"
#include "tools/muster/progress.h"

namespace muster {
namespace {

constexpr CommandText kPageText = {
    "page", "page FILE [flags]",
    "Schedules the scenario in FILE and writes one page of HTML that needs nothing else: the nodes "
    "as a map colored by queue, the queues as a tree with what they hold and deserve, the jobs "
    "that wait with their reasons, and what several profiles decide differently.",
    "muster page tests/scenarios/gang_undone.json --profiles \"volcano muster\" -o plan.html"};

// What would help the first jobs that wait, `most` of them; of tasks without a job that are alike,
// the first.
absl::Status Diagnosed(const Opened& opened, int64_t most, PagePlan* page) {
  std::vector<WaitingRow> rows = WaitingRows(TablesOf(opened.cluster), page->plan);
  rows.resize(std::min(rows.size(), static_cast<size_t>(most)));
  Progress progress("jobs: looking for remedies", static_cast<int64_t>(rows.size()));
  for (const auto& [job, alike] : rows) {
    progress.Step();
    absl::StatusOr<Diagnosis> diagnosis =
        Diagnose(opened.cluster, page->profile, job, {.schedule = opened.scenario.options});
    if (!diagnosis.ok()) return diagnosis.status();
    page->diagnoses.emplace_back(job, *std::move(diagnosis));
  }
  return absl::OkStatus();
}

}  // namespace

int PageCommand(const Arguments& arguments) {
  RunFlags run_flags;
  std::string names, output;
  int64_t remedies = 0;
  FlagSet flags;
  run_flags.Declare(&flags);
  flags.Value("--profiles", "PROFILES", &names,
              "spec strings, with blanks between; default: the profile of the scenario");
  flags.Value(
      "--remedies", "N", &remedies,
      "look for remedies of the first N jobs, or rows of tasks without a job, that wait; 0 by "
      "default");
  flags.Value("-o", "FILE", &output, "write there, not to standard output");
  const Parsed parsed = ParseArguments(kPageText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.size() != 1) return ComplainUsage(kPageText, "needs one FILE");
  if (OutputFormat() != Format::kTable) {
    return ComplainUsage(kPageText, "--format: a page is HTML; muster run prints JSON and CSV");
  }
  if (remedies < 0) return ComplainUsage(kPageText, "--remedies is negative; must be 0 or more");
  std::vector<std::string> profiles = absl::StrSplit(names, ' ', absl::SkipEmpty());
  const absl::StatusOr<std::shared_ptr<const Extensions>> loaded = run_flags.load.Open();
  if (!loaded.ok()) return Complain(std::string(loaded.status().message()));
  for (const std::string& profile : profiles) {
    if (const absl::Status s = CheckProfileFlag(profile, loaded->get(), "--profiles"); !s.ok()) {
      return Complain(std::string(s.message()));
    }
  }
  const absl::StatusOr<Opened> opened = OpenFile(parsed.others[0], run_flags);
  if (!opened.ok()) return Complain(std::string(opened.status().message()));
  if (profiles.empty()) profiles.push_back(opened->scenario.profile);
  const Snapshot snapshot = opened->cluster.Freeze();
  std::vector<PagePlan> plans;
  Progress progress("profiles", static_cast<int64_t>(profiles.size()));
  for (const std::string& profile : profiles) {
    progress.Step();
    PagePlan& page = plans.emplace_back();
    page.profile = profile;
    page.places = PlacesTasks(profile, loaded->get());
    absl::StatusOr<Plan> plan = Schedule(snapshot, profile, opened->scenario.options);
    if (!plan.ok()) {
      page.refused = std::string(plan.status().message());
      continue;
    }
    page.plan = *std::move(plan);
    if (const absl::Status s = Diagnosed(*opened, remedies, &page); !s.ok()) {
      return Complain(absl::StrCat(parsed.others[0], ": ", s.message()));
    }
  }
  const std::string html = WritePage(TablesOf(snapshot), parsed.others[0], plans);
  if (output.empty()) return Print(html);
  if (const absl::Status s = WriteFile(output, html); !s.ok()) {
    return Complain(std::string(s.message()));
  }
  return kOk;
}

}  // namespace muster
