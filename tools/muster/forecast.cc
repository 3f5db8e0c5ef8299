// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster forecast: when the jobs of a scenario will start, or how well that is foretold of a trace.
#include "muster/forecast.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/base/text_table.h"
#include "lib/model/access.h"
#include "tools/muster/interrupt.h"
#include "tools/muster/lone_tasks.h"
#include "tools/muster/output.h"
#include "tools/muster/progress.h"
#include "tools/muster/replay.h"
#include "tools/muster/threads.h"

namespace muster {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr CommandText kForecastText = {
    "forecast", "forecast FILE|KIND [flags]",
    "Forecasts when the jobs that wait in the scenario FILE (- is standard input) will start and "
    "end.\nWith a KIND of trace (muster replay --help lists them), forecasts each job of the trace "
    "that waits when it is submitted, and compares that with what became of it.",
    "muster forecast hpc --file KTH-SP2.csv.gz --procs 100 --policy easy"};

// The flags of both kinds of forecasts.
struct ForecastFlags {
  ForecastOptions options;
  std::string scales;
  bool no_arrivals = false;

  void Declare(FlagSet* flags) {
    flags->Value("--futures", "N", &options.futures, "futures of a forecast (32)");
    flags->Value("--percent", "P", &options.percent, "of the jobs that intervals hold (90)");
    flags->Value("--future-budget", "N", &options.work_budget,
                 "events that the futures of a forecast may have (10000000)");
    flags->Switch("--no-arrivals", &no_arrivals, "nothing is submitted in a future");
    flags->Value("--scales", "A,B,C,D", &scales,
                 "of intervals at the beginning: starts, down and up; ends, down and up (1,1,1,1)");
  }

  absl::Status Settle() {
    options.arrivals = !no_arrivals;
    options.should_stop = [] {
      Progress::Tick();
      return InterruptWatch::Asked();
    };
    if (scales.empty()) return absl::OkStatus();
    const std::vector<std::string> parts = absl::StrSplit(scales, ',');
    int64_t* const out[] = {&options.scales.start_low, &options.scales.start_high,
                            &options.scales.end_low, &options.scales.end_high};
    bool good = parts.size() == std::size(out);
    for (size_t i = 0; good && i < parts.size(); ++i) {
      double value = 0;
      good = absl::SimpleAtod(parts[i], &value) && value > 0 && value <= 4096;
      if (good) *out[i] = static_cast<int64_t>(value * double{kScaleOne});
    }
    if (good) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("--scales: ", Quote(scales), " is not four numbers from 0.004 to 4096"));
  }
};

OrderedJson TimeJson(int64_t time) { return time == kAbsent ? OrderedJson() : OrderedJson(time); }

OrderedJson TimesJson(const ForecastTimes& times) {
  return {{"low", TimeJson(times.low)},
          {"middle", TimeJson(times.middle)},
          {"high", TimeJson(times.high)}};
}

OrderedJson ScalesJson(const ForecastScales& scales) {
  const auto number = [](int64_t scale) { return static_cast<double>(scale) / double{kScaleOne}; };
  return {{"start_low", number(scales.start_low)},
          {"start_high", number(scales.start_high)},
          {"end_low", number(scales.end_low)},
          {"end_high", number(scales.end_high)}};
}

// --- a scenario

std::string ClusterJson(const ClusterForecast& forecast) {
  OrderedJson jobs = OrderedJson::array();
  for (const JobForecast& job : forecast.jobs) {
    jobs.push_back({{"job", job.job},
                    {"start", TimesJson(job.start)},
                    {"end", TimesJson(job.end)},
                    {"started", job.started}});
  }
  return OrderedJson{{"now", forecast.now},
                     {"jobs", jobs},
                     {"events", forecast.events},
                     {"complete", forecast.complete},
                     {"digest", forecast.digest()}}
             .dump(2) +
         "\n";
}

std::string ClusterText(const ClusterForecast& forecast) {
  std::string out = absl::StrFormat("%-24s %12s %12s %12s %12s\n", "SECONDS FROM NOW", "START LOW",
                                    "START", "START HIGH", "END");
  const auto from_now = [&](int64_t time) {
    return time == kAbsent ? std::string("later") : absl::StrCat(time - forecast.now);
  };
  for (const JobForecast& job : forecast.jobs) {
    absl::StrAppendFormat(&out, "%-24s %12s %12s %12s %12s\n", job.job, from_now(job.start.low),
                          from_now(job.start.middle), from_now(job.start.high),
                          from_now(job.end.middle));
  }
  absl::StrAppend(&out, forecast.jobs.size(),
                  forecast.jobs.size() == 1 ? " job waits; " : " jobs wait; ", forecast.events,
                  " events in all futures",
                  forecast.complete ? "" : " (stopped before the last future)", "; digest ",
                  forecast.digest(), "\n");
  return out;
}

absl::StatusOr<Trace> ReadHistory(const std::string& jobs, const std::string& nodes) {
  if (jobs.empty()) return Trace{};
  const absl::StatusOr<std::string> bytes = ReadFile(jobs);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<std::string> machine = std::string();
  if (!nodes.empty()) machine = ReadFile(nodes);
  if (!machine.ok()) return machine.status();
  CsvFiles files;
  files.jobs = {jobs, *bytes};
  files.nodes = {nodes, *machine};
  CsvOptions options;
  options.processors = nodes.empty() ? int64_t{1} << 31 : 0;
  options.read.limits = InputLimits();
  return ReadCsv(files, options);
}

int ForecastScenario(const Arguments& arguments) {
  RunFlags run_flags;
  ForecastFlags forecast_flags;
  std::string history_jobs, history_nodes, lone_tasks;
  FlagSet flags;
  flags.Value("--profile", "P", &run_flags.profile, "forecast under this profile");
  flags.Value("--now", "SECONDS", &run_flags.now, "the time of the forecast");
  flags.Value("--seed", "N", &run_flags.seed, "of run times and submissions");
  flags.Value("--memory", "FILE", &run_flags.memory, "the memory of an earlier cycle");
  run_flags.load.Declare(&flags);
  flags.Switch("--make-tasks", &run_flags.make_tasks,
               "make rows of all tasks that are counts (by_count)");
  flags.Value("--lone-tasks", "QUEUE", &lone_tasks,
              "each task that waits and has no job becomes a job of one in this queue");
  forecast_flags.Declare(&flags);
  ThreadsFlag threads;
  threads.Declare(&flags);
  flags.Value("--history", "FILE", &history_jobs,
              "jobs that ended and were submitted, as CSV of muster replay csv");
  flags.Value("--history-nodes", "FILE", &history_nodes,
              "their nodes, where jobs request more than processors");
  const Parsed parsed = ParseArguments(kForecastText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.size() != 1) return ComplainUsage(kForecastText, "needs one FILE or KIND");
  if (absl::Status s = forecast_flags.Settle(); !s.ok()) return Complain(std::string(s.message()));
  if (absl::Status s = threads.Settle(); !s.ok()) return Complain(std::string(s.message()));
  if (history_jobs.empty() && !history_nodes.empty()) {
    return ComplainUsage(kForecastText, "--history-nodes needs --history");
  }
  const absl::StatusOr<Trace> history = ReadHistory(history_jobs, history_nodes);
  if (!history.ok()) return Complain(std::string(history.status().message()));
  absl::StatusOr<Opened> opened = OpenFile(parsed.others[0], run_flags);
  if (!opened.ok()) return Complain(std::string(opened.status().message()));
  if (!lone_tasks.empty()) {
    absl::Status status = CheckLoneTasks(lone_tasks, TablesOf(opened->cluster));
    if (status.ok()) status = MakeJobsOfOne(lone_tasks, &opened->cluster);
    if (!status.ok()) return Complain(std::string(status.message()));
  }
  const ScheduleOptions& scheduled = opened->scenario.options;
  if (scheduled.memory.has_value()) opened->cluster.SetMemory(*scheduled.memory);
  const InterruptWatch watch;
  ForecastOptions options = forecast_flags.options;
  options.now = scheduled.now;
  options.seed = scheduled.seed;
  options.extensions = scheduled.extensions;
  const std::unique_ptr<Executor> executor = threads.Make();
  options.executor = executor.get();
  const Progress progress("playing futures");
  const absl::StatusOr<ClusterForecast> forecast =
      Forecast(opened->cluster, opened->scenario.profile, *history, options);
  if (!forecast.ok()) return Complain(std::string(forecast.status().message()));
  const int64_t lone = CountLoneTasks(TablesOf(opened->cluster));
  const auto words = [&] {
    return ClusterText(*forecast) +
           LoneTasksText(lone, " and no forecast, unless --lone-tasks is given");
  };
  const int printed =
      Show(words, [&] { return ClusterJson(*forecast); },
           {"jobs=job,start.low,start.middle,start.high,end.low,end.middle,end.high,started"});
  return printed == kOk && !forecast->complete && InterruptWatch::Asked() ? kInterrupted : printed;
}

// --- a trace

std::string TraceJson(const TraceForecast& forecast, const ForecastQuality& quality,
                      double seconds) {
  return OrderedJson{{"policy", forecast.policy},
                     {"complete", forecast.complete},
                     {"waited", forecast.waited},
                     {"forecasts", quality.forecasts},
                     {"start_held", quality.start_held},
                     {"start_early", quality.start_early},
                     {"start_late", quality.start_late},
                     {"end_held", quality.end_held},
                     {"start_error", quality.start_error},
                     {"promise_error", quality.promise_error},
                     {"start_mean_error", quality.start_mean_error},
                     {"promise_mean_error", quality.promise_mean_error},
                     {"end_error", quality.end_error},
                     {"start_length", quality.start_length},
                     {"end_length", quality.end_length},
                     {"scales", ScalesJson(forecast.scales)},
                     {"events", forecast.events},
                     {"seconds", seconds},
                     {"digest", forecast.digest()}}
             .dump(2) +
         "\n";
}

std::string TraceText(const TraceForecast& forecast, const ForecastQuality& q, double seconds) {
  std::string out =
      absl::StrFormat("%s: %d jobs waited, %d forecast%s\n", forecast.policy, forecast.waited,
                      q.forecasts, forecast.complete ? "" : " (stopped before the end)");
  absl::StrAppendFormat(&out,
                        "starts: %.2f %% within the interval, %.2f %% before, %.2f %% after; "
                        "median length %d s\n",
                        100 * q.start_held, 100 * q.start_early, 100 * q.start_late,
                        q.start_length);
  absl::StrAppendFormat(&out, "ends: %.2f %% within the interval; median length %d s\n",
                        100 * q.end_held, q.end_length);
  absl::StrAppendFormat(&out, "error of the start: median %d s, mean %.0f s\n", q.start_error,
                        q.start_mean_error);
  absl::StrAppendFormat(&out, "error of easy's promise: median %d s, mean %.0f s\n",
                        q.promise_error, q.promise_mean_error);
  absl::StrAppendFormat(&out, "error of the end: median %d s\n", q.end_error);
  absl::StrAppendFormat(&out, "%d events in %.1f s; digest %s\n", forecast.events, seconds,
                        forecast.digest());
  return out;
}

std::string TraceRows(const Trace& trace, const TraceForecast& forecast) {
  std::string out =
      "job_id,made,start_low,start,start_high,end_low,end,end_high,promised,started,ended\n";
  for (size_t i = 0; i < forecast.job.size(); ++i) {
    absl::StrAppend(&out, trace.id[forecast.job[i]]);
    for (const auto* column :
         {&forecast.made, &forecast.start_low, &forecast.start, &forecast.start_high,
          &forecast.end_low, &forecast.end, &forecast.end_high, &forecast.promised,
          &forecast.started, &forecast.ended}) {
      out += ',';
      if ((*column)[i] != kAbsent) absl::StrAppend(&out, (*column)[i]);
    }
    out += '\n';
  }
  return out;
}

int ForecastRecorded(const TraceKind& kind, const Arguments& arguments) {
  const std::string name = absl::StrCat("forecast ", ToAbsl(kind.name));
  const std::string usage = absl::StrCat(name, " [flags]");
  const std::string about = absl::StrCat("Forecasts jobs of ", ToAbsl(kind.about), ".");
  const CommandText text = {name, usage, about, kForecastText.example};
  const std::unique_ptr<TraceSource> source = kind.make();
  ForecastFlags forecast_flags;
  std::string policy = "easy", rows;
  LoadFlag load;
  FlagSet flags;
  source->Declare(&flags);
  load.Declare(&flags);
  forecast_flags.Declare(&flags);
  flags.Value("--policy", "P", &policy, "a batch policy; of a trace of nodes any profile");
  flags.Value("--every", "N", &forecast_flags.options.every, "forecast every N-th job (1)");
  flags.Value("--draw-seed", "N", &forecast_flags.options.seed, "of run times and submissions");
  flags.Value("--forecasts", "FILE", &rows, "write all forecasts; - is standard output");
  const Parsed parsed = ParseArguments(text, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (!parsed.others.empty()) {
    return ComplainUsage(text, absl::StrCat("unexpected ", parsed.others[0]));
  }
  if (absl::Status s = forecast_flags.Settle(); !s.ok()) return Complain(std::string(s.message()));
  const absl::StatusOr<std::shared_ptr<const Extensions>> loaded = load.Open();
  if (!loaded.ok()) return Complain(std::string(loaded.status().message()));
  ReadReport read;
  const absl::StatusOr<Trace> trace = source->Read(&read);
  if (!trace.ok()) return Complain(std::string(trace.status().message()));
  const InterruptWatch watch;
  const auto ends = std::minmax_element(trace->submit.begin(), trace->submit.end());
  const int64_t first = trace->size() == 0 ? 0 : *ends.first;
  const int64_t span = trace->size() == 0 ? 0 : *ends.second - first;
  Progress progress("% of the trace's time", span > 0 ? 100 : 0);
  ForecastOptions options = forecast_flags.options;
  options.extensions = *loaded;
  options.progress = [&](int64_t now) {
    progress.Set(span > 0 ? std::clamp<int64_t>((now - first) * 100 / span, 0, 100) : 0);
  };
  const auto begin = std::chrono::steady_clock::now();
  const absl::StatusOr<TraceForecast> forecast = ForecastTrace(*trace, policy, options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (!forecast.ok()) return Complain(std::string(forecast.status().message()));
  const int result = forecast->complete ? kOk : kInterrupted;
  if (!rows.empty()) {
    const std::string lines = TraceRows(*trace, *forecast);
    if (rows == "-") return Print(lines) == kOk ? result : kBadInput;
    if (absl::Status s = WriteFile(rows, lines); !s.ok()) {
      return Complain(std::string(s.message()));
    }
  }
  const ForecastQuality quality = MeasureForecast(*forecast);
  const int printed = Show([&] { return TraceText(*forecast, quality, took.count()); },
                           [&] { return TraceJson(*forecast, quality, took.count()); }, {"*"});
  return printed == kOk ? result : printed;
}

}  // namespace

int ForecastCommand(const Arguments& arguments) {
  const bool completes = arguments.size() > 2 && arguments[0] == kCompleteFlag;
  const std::string word = arguments.empty() ? "" : arguments[completes ? 1 : 0];
  if (arguments.size() == 2 && arguments[0] == kCompleteFlag && !arguments[1].starts_with("-")) {
    std::string out = ":files\n";
    for (const TraceKind& kind : TraceKinds()) {
      absl::StrAppend(&out, ToAbsl(kind.name), "\t", ToAbsl(kind.about), "\n");
    }
    return Print(out);
  }
  for (const TraceKind& kind : TraceKinds()) {
    if (kind.name != word) continue;
    Arguments rest(arguments.begin() + (completes ? 2 : 1), arguments.end());
    if (completes) rest.insert(rest.begin(), kCompleteFlag);
    return ForecastRecorded(kind, rest);
  }
  return ForecastScenario(arguments);
}

}  // namespace muster
