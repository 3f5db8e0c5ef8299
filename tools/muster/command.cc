// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Files, streams and the steps every command takes. Only here does the program touch the outside.
#include "tools/muster/command.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/living_names.h"
#include "lib/profile/profile.h"
#include "lib/scenario/budget.h"
#include "tools/muster/dump_text.h"
#include "tools/muster/interrupt.h"
#include "tools/muster/lone_tasks.h"
#include "tools/muster/output.h"
#include "tools/muster/progress.h"

namespace muster {
namespace {

constexpr char kDefaultProfile[] = "muster";

Limits input_limits;

struct LimitFlags {
  Limits limits;
  int64_t depth = limits.depth, seconds = 0;

  void Declare(FlagSet* flags);
  // Checks the flags and puts them into force.
  absl::Status Settle();
};

void LimitFlags::Declare(FlagSet* flags) {
  flags->Value("--max-rows", "N", &limits.rows,
               absl::StrCat("rows that a file may make (", limits.rows, ")"));
  flags->Value("--max-bytes", "N", &limits.bytes,
               absl::StrCat("bytes of a file, inflated if it is gzip (", limits.bytes, ")"));
  flags->Value("--max-depth", "N", &depth, "nesting of JSON, at most 256 (256)");
  flags->Value("--max-seconds", "N", &seconds, "end with an error after so long; 0: never (0)");
}

absl::Status LimitFlags::Settle() {
  for (const auto& [name, value] : {std::pair("--max-rows", limits.rows),
                                    {"--max-bytes", limits.bytes},
                                    {"--max-depth", depth}}) {
    if (value < 1) return absl::InvalidArgumentError(absl::StrCat(name, ": must be above 0"));
  }
  constexpr int64_t kMostSeconds = 1'000'000'000;
  if (seconds < 0 || seconds > kMostSeconds) {
    return absl::InvalidArgumentError(absl::StrCat("--max-seconds: must be 0 to ", kMostSeconds));
  }
  limits.depth = static_cast<int32_t>(std::min<int64_t>(depth, limits.depth));
  input_limits = limits;
  if (seconds > 0) EndAfter(seconds);
  return absl::OkStatus();
}

// The name of a file that is removed again unless it is kept.
class PartialFile {
 public:
  explicit PartialFile(const std::string& path) : path_(path) { RemoveAtEnd(path_.c_str()); }
  ~PartialFile() {
    RemoveAtEnd(nullptr);
    if (!kept_) std::remove(path_.c_str());
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  void Keep() { kept_ = true; }

 private:
  const std::string path_;
  bool kept_ = false;
};

// Returns what may stand behind the command, in order, as its usage lists it.
std::vector<std::string> Places(const CommandText& text) {
  std::vector<std::string> places;
  const std::string_view usage = text.usage.substr(text.name.size());
  for (const auto part : absl::StrSplit(ToAbsl(usage), ' ', absl::SkipEmpty())) {
    if (part == "[flags]" || absl::StartsWith(part, "[--")) break;
    places.emplace_back(part);
  }
  return places;
}

// Returns names of things of a scenario that shells complete; none of a file that is large or no
// scenario.
std::string NamesIn(const std::string& file, std::string_view kinds, std::string_view word) {
  constexpr size_t kMostNames = 1000;
  constexpr uintmax_t kMostBytes = 64 << 20;
  std::error_code error;
  const uintmax_t bytes = std::filesystem::file_size(file, error);
  if (error || bytes > kMostBytes) return "";
  const absl::StatusOr<std::string> text = ReadFile(file);
  const absl::StatusOr<Scenario> scenario = ParseScenario(text.value_or(""), InputLimits());
  Cluster cluster;
  if (!scenario.ok() || !Fill(*scenario, &cluster).ok()) return "";
  const Snapshot snapshot = cluster.Freeze();
  std::string out;
  size_t names = 0;
  const auto add = [&](const std::vector<std::string_view>& living) {
    for (const std::string_view name : living) {
      if (name.starts_with(word) && names++ < kMostNames) {
        absl::StrAppend(&out, ToAbsl(name), "\n");
      }
    }
  };
  const Tables& tables = TablesOf(snapshot);
  for (const auto kind : absl::StrSplit(ToAbsl(kinds), '|')) {
    if (kind == "NODE") add(LivingNames(tables.nodes));
    if (kind == "QUEUE") add(LivingNames(tables.queues));
    if (kind == "JOB") add(LivingNames(tables.jobs));
    if (kind == "TASK") add(LivingNames(tables.tasks));
  }
  return out;
}

std::string Help(const CommandText& text, const FlagSet& flags) {
  return absl::StrCat("usage: muster ", ToAbsl(text.usage), "\n\n", Wrap(text.about, 0), "\n\n",
                      flags.Help(), "\nexample:\n  ", ToAbsl(text.example), "\n");
}

}  // namespace

const Limits& InputLimits() { return input_limits; }

int Complain(std::string_view message) {
  Progress::Erase();
  const absl::string_view head = ColorsErrors() ? "\x1b[1;31mmuster:\x1b[0m " : "muster: ";
  const std::string line = absl::StrCat(head, ToAbsl(message), "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
  return kBadInput;
}

int ComplainUsage(const CommandText& text, std::string_view message) {
  return Complain(absl::StrCat(ToAbsl(text.name), ": ", ToAbsl(message), "\nusage: muster ",
                               ToAbsl(text.usage), "    (more: muster ", ToAbsl(text.name),
                               " --help)"));
}

int Print(std::string_view text) {
  Progress::Erase();
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kOk;
  return Complain(absl::StrCat("cannot write: ", std::strerror(errno)));
}

Parsed ParseArguments(const CommandText& text, FlagSet* flags, const Arguments& arguments) {
  bool help = false;
  LimitFlags limits;
  OutputFlags output;
  output.Declare(flags);
  limits.Declare(flags);
  flags->Switch("--help", &help, "this text");
  if (!arguments.empty() && arguments[0] == kCompleteFlag) {
    return {
        {},
        Print(flags->Candidates({arguments.begin() + 1, arguments.end()}, Places(text), NamesIn))};
  }
  absl::StatusOr<Arguments> others = flags->Parse(arguments);
  absl::Status settled = others.ok() ? limits.Settle() : others.status();
  if (settled.ok()) settled = output.Settle();
  if (!settled.ok()) return {{}, ComplainUsage(text, std::string(settled.message()))};
  if (help) return {{}, Print(Help(text, *flags))};
  return {*std::move(others), std::nullopt};
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const int64_t most = InputLimits().bytes;
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(errno)));
  std::string text;
  char buffer[1 << 16];
  size_t size = 0;
  while (static_cast<int64_t>(text.size()) <= most &&
         (size = std::fread(buffer, 1, sizeof(buffer), file)) > 0) {
    text.append(buffer, size);
  }
  const bool failed = std::ferror(file) != 0;
  const int error = errno;
  if (file != stdin) std::fclose(file);
  if (failed) return absl::UnavailableError(absl::StrCat(path, ": ", std::strerror(error)));
  if (static_cast<int64_t>(text.size()) > most) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path, ": ", text.size(), " bytes or more; at most ", most, " are read"));
  }
  return text;
}

namespace {

// Returns where a link that leads to nothing leads; the path itself if it is no link.
std::filesystem::path EndOfLink(std::filesystem::path path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  return path;
}

}  // namespace

absl::Status WriteFile(const std::string& path, std::string_view text) {
  const auto failure = [&](const std::string& what) {
    return absl::UnavailableError(absl::StrCat(path, ": ", what));
  };
  std::error_code error;
  const std::filesystem::file_status there = std::filesystem::status(path, error);
  const bool is_new = there.type() == std::filesystem::file_type::not_found;
  // A device or a pipe is written to; what a link leads to is replaced, and the link stays.
  if (!is_new && there.type() != std::filesystem::file_type::regular) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return failure(std::strerror(errno));
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool closed = std::fclose(file) == 0;
    if (written && closed) return absl::OkStatus();
    return failure(absl::StrCat(std::strerror(errno), "; what it holds is cut off"));
  }
  const std::filesystem::path target =
      is_new ? EndOfLink(path) : std::filesystem::canonical(path, error);
  if (error && !is_new) return failure(error.message());
  // Its name is short, so that it may stand beside a file with a long one.
  const std::string beside = target.parent_path() / absl::StrCat(".muster-", getpid(), ".part");
  // It is never one that is there already.
  const int handle = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  std::FILE* file = handle < 0 ? nullptr : fdopen(handle, "wb");
  if (file == nullptr) return failure(std::strerror(errno));
  if (!is_new) std::filesystem::permissions(beside, there.permissions(), error);
  PartialFile partial(beside);
  bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int number = errno;
  if (std::fclose(file) != 0 && whole) {
    whole = false;
    number = errno;
  }
  if (!whole) return failure(std::strerror(number));
  if (std::rename(beside.c_str(), target.c_str()) != 0) return failure(std::strerror(errno));
  partial.Keep();
  return absl::OkStatus();
}

void RunFlags::Declare(FlagSet* flags) {
  flags->Value("--profile", "P", &profile,
               "schedule by this profile, such as volcano:binpack(weight=5)");
  flags->Value("--now", "SECONDS", &now, "the time of the cycle");
  flags->Value("--seed", "N", &seed, "for ties by seed, as in volcano:node_ties=seed");
  flags->Value("--work-budget", "N", &work_budget, "end the cycle after trying so many tasks");
  flags->Value("--turn", "JSON", &turn,
               "what the cycle is asked, such as {\"decisions\": 3} or {\"heartbeats\": [\"n1\"]}");
  flags->Value("--memory", "FILE", &memory, "the memory of an earlier cycle");
  load.Declare(flags);
  flags->Switch("--make-tasks", &make_tasks, "make rows of all tasks that are counts (by_count)");
  DeclareLoneTasks(flags);
  flags->Value("--configuration", "FILE", &configuration,
               "the scheduler's configuration, where FILE is a dump");
  flags->Value("--default-queue", "NAME", &default_queue,
               "the queue of jobs that name none, where FILE is a dump");
}

void RunFlags::DeclareLoneTasks(FlagSet* flags) {
  flags->Value("--lone-tasks", "QUEUE", &lone_tasks,
               "a profile that leaves out tasks without a job makes each a job of one in this "
               "queue, as lone_tasks=QUEUE in the profile");
}

absl::Status CheckProfileFlag(const std::string& profile, const Extensions* extensions,
                              std::string_view flag) {
  if (profile.empty()) return absl::OkStatus();
  const absl::Status status = ResolveProfile(profile, extensions).status();
  if (status.ok()) return status;
  // A comma parts what a spec string changes, behind its colon.
  if (flag == "--profiles" && profile.find(',') < profile.find(':')) {
    return absl::Status(status.code(),
                        absl::StrCat(ToAbsl(flag), ": ", Quote(profile),
                                     " is no profile; profiles have blanks between them"));
  }
  absl::string_view words = status.message();
  absl::ConsumePrefix(&words, "profile: ");
  return absl::Status(status.code(), absl::StrCat(ToAbsl(flag), ": ", words));
}

namespace {

absl::Status MakeAllTasks(const std::vector<JobSpec>& jobs, Cluster* cluster) {
  Budget budget(input_limits);
  for (const JobSpec& job : jobs) {
    for (const GroupSpec& group : job.groups) {
      if (!group.by_count) continue;
      if (const std::string rule = budget.AddRows(group.by_count->count); !rule.empty()) {
        return absl::ResourceExhaustedError(
            absl::StrCat("job ", Quote(job.name), ": make_tasks: ", rule));
      }
      absl::Status made = cluster->MakeTasks(job.name, group.name, group.by_count->count);
      if (!made.ok()) return made;
    }
  }
  return absl::OkStatus();
}

}  // namespace

// An error of a cycle names what the scenario calls options.
absl::Status WithPlace(const std::string& path, const RunFlags& flags, const absl::Status& status) {
  const std::tuple<bool, absl::string_view, std::string> places[] = {
      {flags.now.has_value(), "options: now ", "--now "},
      {flags.work_budget.has_value(), "options: work_budget ", "--work-budget "},
      {!flags.turn.empty(), "options: turn: ", "--turn: "},
      {!flags.memory.empty(), "memory: ", absl::StrCat(flags.memory, ": memory: ")},
  };
  for (const auto& [given, before, after] : places) {
    absl::string_view words = status.message();
    if (!given || !absl::ConsumePrefix(&words, before)) continue;
    return absl::Status(status.code(), absl::StrCat(after, words));
  }
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

namespace {

// Returns the scenario of the text: it is one, or is made of a dump. Errors name no file, but for
// the configuration's.
absl::StatusOr<Scenario> ScenarioOf(const std::string& text, const RunFlags& flags) {
  absl::StatusOr<Scenario> scenario = ParseScenario(text, InputLimits());
  const bool is_dump = IsDump(scenario.status());
  const absl::Status read = is_dump ? CheckDump(text, InputLimits()) : absl::OkStatus();
  // It begins as a dump does, so what is wrong with the dump is told.
  if (IsCutDump(scenario.status(), read)) return read;
  if (is_dump && read.ok()) {
    ImportOptions options;
    options.limits = InputLimits();
    if (flags.now.has_value()) options.now = *flags.now;
    if (!flags.default_queue.empty()) options.default_queue = flags.default_queue;
    if (!flags.configuration.empty()) {
      absl::StatusOr<std::string> configuration = ReadFile(flags.configuration);
      if (!configuration.ok()) return configuration.status();
      options.configuration = *std::move(configuration);
    }
    absl::StatusOr<Import> import = ImportObjects(text, options);
    if (!import.ok()) return import.status();
    ComplainOf(*import);
    return std::move(import->scenario);
  }
  for (const auto& [flag, value] : {std::pair("--configuration", &flags.configuration),
                                    {"--default-queue", &flags.default_queue}}) {
    if (value->empty() || !scenario.ok()) continue;
    return absl::InvalidArgumentError(absl::StrCat(flag, " is of dumps; this is a scenario"));
  }
  return scenario;
}

}  // namespace

absl::StatusOr<Opened> OpenFile(const std::string& path, RunFlags& flags) {
  const absl::StatusOr<std::shared_ptr<const Extensions>> loaded = flags.load.Open();
  if (!loaded.ok()) return loaded.status();
  if (absl::Status s = CheckProfileFlag(flags.profile, loaded->get(), flags.profile_flag);
      !s.ok()) {
    return s;
  }
  absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  const auto in_file = [&](const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
  };
  absl::StatusOr<Scenario> scenario = ScenarioOf(*text, flags);
  if (!scenario.ok()) return in_file(scenario.status());
  if (!flags.profile.empty()) scenario->profile = flags.profile;
  if (scenario->profile.empty()) scenario->profile = kDefaultProfile;
  scenario->profile = WithLoneTasks(scenario->profile, flags.lone_tasks, loaded->get());
  ScheduleOptions& options = scenario->options;
  if (flags.now.has_value()) options.now = *flags.now;
  if (flags.seed.has_value()) options.seed = *flags.seed;
  if (flags.work_budget.has_value()) options.work_budget = flags.work_budget;
  options.should_stop = Progress::Tick;
  options.extensions = *loaded;
  if (!flags.turn.empty()) {
    absl::StatusOr<Turn> turn = ParseTurn(flags.turn);
    if (!turn.ok()) {
      absl::string_view words = turn.status().message();
      absl::ConsumePrefix(&words, "turn: ");
      return absl::Status(turn.status().code(), absl::StrCat("--turn: ", words));
    }
    options.turn = *std::move(turn);
  }
  if (!flags.memory.empty()) {
    const absl::StatusOr<std::string> memory = ReadFile(flags.memory);
    if (!memory.ok()) return memory.status();
    absl::StatusOr<Memory> parsed = Memory::Parse(*memory);
    if (!parsed.ok()) {
      return absl::Status(parsed.status().code(),
                          absl::StrCat(flags.memory, ": ", parsed.status().message()));
    }
    options.memory = *std::move(parsed);
  }

  Cluster cluster;
  absl::Status filled = Fill(*scenario, &cluster);
  if (filled.ok() && flags.make_tasks) filled = MakeAllTasks(scenario->cluster.jobs, &cluster);
  if (!filled.ok()) return in_file(filled);
  if (absl::Status s = CheckLoneTasks(flags.lone_tasks, TablesOf(cluster)); !s.ok()) return s;
  return Opened{*std::move(scenario), std::move(cluster)};
}

absl::StatusOr<Run> RunFile(const std::string& path, RunFlags& flags) {
  absl::StatusOr<Opened> opened = OpenFile(path, flags);
  if (!opened.ok()) return opened.status();
  Scenario& scenario = opened->scenario;
  Snapshot snapshot = opened->cluster.Freeze();
  const Progress progress("scheduling");
  absl::StatusOr<Plan> plan = Schedule(snapshot, scenario.profile, scenario.options);
  if (!plan.ok()) return WithPlace(path, flags, plan.status());
  return Run{std::move(scenario), std::move(snapshot), *std::move(plan)};
}

}  // namespace muster
