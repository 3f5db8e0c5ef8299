// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the commands of the command line have in common. Each command is one function in one file.
#ifndef MUSTER_TOOLS_COMMAND_H_
#define MUSTER_TOOLS_COMMAND_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/scenario/scenario.h"
#include "muster/muster.h"
#include "tools/muster/flags.h"
#include "tools/muster/load.h"

namespace muster {

// Exit codes.
inline constexpr int kOk = 0;
inline constexpr int kCheckFailed = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kInterrupted = 130;  // what came out is partial, and marked so

using Arguments = std::vector<std::string>;

int RunCommand(const Arguments& arguments);
int CheckCommand(const Arguments& arguments);
int ExplainCommand(const Arguments& arguments);
int ProfilesCommand(const Arguments& arguments);
int GenerateCommand(const Arguments& arguments);
int GenerateTraceCommand(const Arguments& arguments);
int ImportCommand(const Arguments& arguments);
int ForecastCommand(const Arguments& arguments);
int ReplayCommand(const Arguments& arguments);
int ReplayLogCommand(const Arguments& arguments);
int WhatIfCommand(const Arguments& arguments);
int DiffCommand(const Arguments& arguments);
int RemediesCommand(const Arguments& arguments);
int DrainCommand(const Arguments& arguments);
int CapacityCommand(const Arguments& arguments);
int CompareCommand(const Arguments& arguments);
int PageCommand(const Arguments& arguments);
int CompletionCommand(const Arguments& arguments);

// As the first argument of a command: it prints what may be typed next, and does nothing else. The
// other arguments are those before the word, and the word. Each line is a candidate, a tab and what
// it is; the line `:files` stands for the names of files.
inline constexpr char kCompleteFlag[] = "--complete-next";

// A command's name, usage line, what it does and an example; with its flags it makes its --help.
struct CommandText {
  std::string_view name, usage, about, example;
};

// Parses the flags, among them "--help" and those of the limits. With --max-seconds the program
// ends with kBadInput after so long. When there is nothing left to do, `exit` holds the code to
// end with.
struct Parsed {
  Arguments others;
  std::optional<int> exit;
};
Parsed ParseArguments(const CommandText& text, FlagSet* flags, const Arguments& arguments);

// Prints what is wrong to stderr; returns kBadInput.
int Complain(std::string_view message);
int ComplainUsage(const CommandText& text, std::string_view message);
// Writes to stdout; kBadInput when it can not.
int Print(std::string_view text);

// The limits of each file that the command reads: its flags --max-rows, --max-bytes, --max-depth,
// which every command has. ParseArguments sets them.
const Limits& InputLimits();

// Returns the file, "-" is stdin. Fails with ResourceExhausted where it has more bytes than the
// limit; no more are read.
absl::StatusOr<std::string> ReadFile(const std::string& path);
// Writes the whole text or nothing: a regular file is replaced at the end, by one beside it.
absl::Status WriteFile(const std::string& path, std::string_view text);

// What decides the plan of a scenario besides the scenario itself; what is not given is as the
// scenario has it.
struct RunFlags {
  std::string profile;
  std::string_view profile_flag = "--profile";  // that set it
  std::optional<int64_t> now, work_budget;
  std::optional<uint64_t> seed;
  std::string turn, memory;  // JSON; path of a file
  bool make_tasks = false;   // rows of all tasks that are counts
  std::string lone_tasks;    // the queue of tasks without a job
  // Of a dump: the scheduler's configuration, and the queue of jobs that name none.
  std::string configuration, default_queue;
  LoadFlag load;
  void Declare(FlagSet* flags);
  void DeclareLoneTasks(FlagSet* flags);
};

// Fails if the spec string of the flag does not resolve; the error begins with the flag.
// Empty: the flag is not given.
// `extensions` (may be null) are those of --load.
absl::Status CheckProfileFlag(const std::string& profile, const Extensions* extensions,
                              std::string_view flag = "--profile");

// A scenario that was read: `scenario` has the profile and the options that decide, `cluster` its
// rows.
struct Opened {
  Scenario scenario;
  Cluster cluster;
};
absl::StatusOr<Opened> OpenFile(const std::string& path, RunFlags& flags);

// Returns an error of a cycle of that file's scenario with its place: the flag that set what is
// wrong, or else the file.
absl::Status WithPlace(const std::string& path, const RunFlags& flags, const absl::Status& status);

// A scenario that was read and run.
struct Run {
  Scenario scenario;
  Snapshot snapshot;
  Plan plan;
};
absl::StatusOr<Run> RunFile(const std::string& path, RunFlags& flags);

}  // namespace muster

#endif  // MUSTER_TOOLS_COMMAND_H_
