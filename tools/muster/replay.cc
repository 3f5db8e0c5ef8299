// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster replay: plays a recorded trace again under a policy.
#include "tools/muster/replay.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "tools/muster/interrupt.h"
#include "tools/muster/output.h"
#include "tools/muster/progress.h"

namespace muster {
namespace {

constexpr CommandText kReplayText = {
    "replay", "replay KIND [flags]",
    "Plays a recorded trace again under a policy and prints what became of its jobs. KIND is one "
    "of:",
    "muster replay hpc --file KTH-SP2.csv.gz --procs 100 --policy easy --decisions out.csv"};

std::string KindList() {
  std::string out = absl::StrCat("usage: muster ", ToAbsl(kReplayText.usage), "\n\n",
                                 ToAbsl(kReplayText.about), "\n");
  for (const TraceKind& kind : TraceKinds()) {
    absl::StrAppend(&out, "  ", ToAbsl(kind.name), std::string(13 - kind.name.size(), ' '),
                    ToAbsl(kind.about), "\n");
  }
  absl::StrAppend(&out, "\n`muster replay KIND --help` lists the flags of a kind, among them\n",
                  "  --help, --policy, --decisions and --format.\n\nexample:\n  ",
                  ToAbsl(kReplayText.example), "\n");
  return out;
}

// One line a job: its wait, empty where it never started.
std::string DecisionText(const Trace& trace, const ReplayResult& result) {
  std::string out = "job_id,wait\n";
  for (size_t row = 0; row < trace.size(); ++row) {
    absl::StrAppend(&out, trace.id[row], ",");
    if (result.start[row] != kAbsent) absl::StrAppend(&out, result.start[row] - result.submit[row]);
    out += '\n';
  }
  return out;
}

// The flags of a replay of any trace.
struct ReplayFlags {
  std::string policy = "easy", decisions;
  int64_t period = 0, rounds = 0;
  bool bound = false;
  TraceBoundOptions bound_options;
  ReplayOptions options;
  LoadFlag load;

  void Declare(FlagSet* flags);
  // Puts period or rounds into the options. Returns what is wrong with seconds; empty: nothing.
  std::string Settle();
};

void ReplayFlags::Declare(FlagSet* flags) {
  flags->Value("--policy", "P", &policy,
               "such as easy:estimate=actual,order=sjf, conservative, volcano, muster; openb: fgd");
  load.Declare(flags);
  flags->Value("--decisions", "FILE", &decisions,
               "write the wait of every job; - is standard output");
  flags->Switch("--follow-preceding", &options.follow_preceding,
                "submit jobs when those before them ended and the think time has passed");
  flags->Value("--period", "SECONDS", &period,
               "cycles at multiples of this; 0: when something changed");
  flags->Value("--rounds", "SECONDS", &rounds,
               "cycles also at multiples of this, for profiles that decide in rounds; 0: none");
  flags->Value("--latency", "SECONDS", &options.latency, "from a cycle to its decisions");
  flags->Value("--learnt", "Q", &options.learnt_quantile,
               "profiles read learnt bounds on run times, which this part of the jobs keeps");
  flags->Value("--checkpoint", "SECONDS", &options.recovery.checkpoint_interval,
               "run time between checkpoints; 0: a stopped job begins anew");
  flags->Value("--restart", "SECONDS", &options.recovery.restart_seconds,
               "before a stopped job goes on");
  flags->Value("--node-mtbf", "SECONDS", &options.failures.node_seconds_between,
               "mean time between failures of a node; 0: none fail");
  flags->Value("--node-repair", "SECONDS", &options.failures.node_repair_seconds,
               "mean time until a failed node is back");
  flags->Value("--failure-seed", "N", &options.seed, "of failures");
  flags->Value("--until", "SECONDS", &options.until, "end then");
  flags->Switch("--bound", &bound, "also means that no schedule of the jobs that ended undercuts");
  flags->Value("--bound-rounds", "N", &bound_options.rounds, "how often --bound is improved");
}

std::string ReplayFlags::Settle() {
  const std::pair<std::string_view, double> seconds[] = {
      {"--period", static_cast<double>(period)},
      {"--rounds", static_cast<double>(rounds)},
      {"--latency", static_cast<double>(options.latency)},
      {"--checkpoint", static_cast<double>(options.recovery.checkpoint_interval)},
      {"--restart", static_cast<double>(options.recovery.restart_seconds)},
      {"--node-mtbf", options.failures.node_seconds_between}};
  for (const auto& [flag, value] : seconds) {
    if (value < 0) return absl::StrCat(ToAbsl(flag), ": ", value, " is below 0");
  }
  if (period > 0) {
    options.cycles = CycleTiming::kPeriodic;
    options.period = period;
  } else if (rounds > 0) {
    options.cycles = CycleTiming::kRounds;
    options.period = rounds;
  }
  return "";
}

// Sets the bound of the jobs that ended.
absl::Status SetBound(const Trace& trace, const ReplayResult& result, TraceBoundOptions options,
                      std::optional<TraceBound>* bound) {
  options.rows.emplace();
  for (uint32_t row = 0; row < trace.size(); ++row) {
    if (result.end[row] != kAbsent) options.rows->push_back(row);
  }
  absl::StatusOr<TraceBound> found = BoundTrace(trace, options);
  if (!found.ok()) {
    return absl::Status(found.status().code(), absl::StrCat("--bound: ", found.status().message()));
  }
  *bound = *std::move(found);
  return absl::OkStatus();
}

// The kinds of traces, and then what their commands complete.
int CompleteReplay(const Arguments& arguments) {
  if (arguments.size() > 2) {
    Arguments words = {arguments[1], kCompleteFlag};
    words.insert(words.end(), arguments.begin() + 2, arguments.end());
    return ReplayCommand(words);
  }
  std::string out;
  for (const TraceKind& kind : TraceKinds()) {
    absl::StrAppend(&out, ToAbsl(kind.name), "\t", ToAbsl(kind.about), "\n");
  }
  return Print(out);
}

int ComplainKind(const std::string& name) {
  std::vector<std::string_view> names;
  for (const TraceKind& known : TraceKinds()) names.push_back(known.name);
  const std::string_view nearest = NearestName(name, names);
  return ComplainUsage(
      kReplayText,
      absl::StrCat("kind of trace ", Quote(name), " is not known",
                   nearest.empty() ? "; muster replay --help lists them"
                                   : absl::StrCat(", did you mean ", Quote(nearest), "?")));
}

// Reads, replays and prints what came out.
int RunReplay(TraceSource& source, ReplayFlags& flags) {
  const absl::StatusOr<std::shared_ptr<const Extensions>> loaded = flags.load.Open();
  if (!loaded.ok()) return Complain(std::string(loaded.status().message()));
  ReadReport read;
  const absl::StatusOr<Trace> trace = source.Read(&read);
  if (!trace.ok()) return Complain(std::string(trace.status().message()));
  const InterruptWatch watch;
  ReplayOptions options = flags.options;
  options.should_stop = [] { return InterruptWatch::Asked(); };
  options.extensions = *loaded;
  const auto ends = std::minmax_element(trace->submit.begin(), trace->submit.end());
  const int64_t first = trace->size() == 0 ? 0 : *ends.first;
  const int64_t span = trace->size() == 0 ? 0 : *ends.second - first;
  Progress progress("% of the trace's time", span > 0 ? 100 : 0);
  options.progress = [&](int64_t now) {
    progress.Set(span > 0 ? std::clamp<int64_t>((now - first) * 100 / span, 0, 100) : 0);
  };
  const auto begin = std::chrono::steady_clock::now();
  const absl::StatusOr<ReplayResult> result = Replay(*trace, flags.policy, options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (!result.ok()) return Complain(std::string(result.status().message()));
  if (!flags.decisions.empty()) {
    const std::string lines = DecisionText(*trace, *result);
    if (flags.decisions == "-") {
      const int printed = Print(lines);
      return printed == kOk && !result->complete ? kInterrupted : printed;
    }
    if (absl::Status s = WriteFile(flags.decisions, lines); !s.ok()) {
      return Complain(std::string(s.message()));
    }
  }
  const Metrics metrics = Measure(*trace, *result);
  ReplayReport report = {*trace, read, *result, metrics, took.count()};
  if (flags.bound) {
    const absl::Status set = SetBound(*trace, *result, flags.bound_options, &report.bound);
    if (!set.ok()) return Complain(std::string(set.message()));
  }
  const int printed =
      Show([&] { return ReportText(report); }, [&] { return ReportJson(report); }, {"*"});
  return printed == kOk && !result->complete ? kInterrupted : printed;
}

}  // namespace

int ReplayCommand(const Arguments& arguments) {
  if (arguments.empty())
    return Complain(absl::StrCat("replay: which kind of trace?\n", KindList()));
  if (arguments[0] == "--help") return Print(KindList());
  if (arguments[0] == kCompleteFlag) return CompleteReplay(arguments);
  const std::span<const TraceKind> kinds = TraceKinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const TraceKind& known) {
    return known.name == arguments[0];
  });
  if (kind == kinds.end()) return ComplainKind(arguments[0]);

  const Arguments rest(arguments.begin() + 1, arguments.end());
  if (AsksForPacking(rest)) {
    if (kind->name == "openb") return PackingCommand(rest);
    return Complain("--policy fgd packs pods on single GPUs, which only openb records");
  }

  const std::string name = absl::StrCat("replay ", ToAbsl(kind->name));
  const std::string usage = absl::StrCat(name, " [flags]");
  const std::string about = absl::StrCat("Replays ", ToAbsl(kind->about), ".");
  const CommandText text = {name, usage, about, kind->example};
  const std::unique_ptr<TraceSource> source = kind->make();
  ReplayFlags of_replay;
  FlagSet flags;
  source->Declare(&flags);
  of_replay.Declare(&flags);
  const Parsed parsed = ParseArguments(text, &flags, rest);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (!parsed.others.empty()) {
    return ComplainUsage(text, absl::StrCat("unexpected ", parsed.others[0]));
  }
  if (const std::string wrong = of_replay.Settle(); !wrong.empty()) {
    return ComplainUsage(text, wrong);
  }
  const ReplayOptions& options = of_replay.options;
  if (of_replay.period > 0 && of_replay.rounds > 0) {
    return ComplainUsage(text, "--period and --rounds are two ways to time cycles: name one");
  }
  if (of_replay.bound && (options.follow_preceding || options.recovery.checkpoint_interval > 0)) {
    return ComplainUsage(text,
                         "--bound is about times of submission that are given and jobs that begin "
                         "anew: without --follow-preceding and --checkpoint");
  }
  return RunReplay(*source, of_replay);
}

}  // namespace muster
