// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster: the command line. The first argument names the command, the rest is the command's own.
#include <csignal>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "muster/version.h"
#include "tools/muster/command.h"

namespace {

// Short enough to be a line that needs no further memory to speak of.
constexpr char kNoMemory[] = "out of memory; --max-rows and --max-bytes refuse such input earlier";

struct Command {
  std::string_view name, about;
  int (*run)(const muster::Arguments&);
};

constexpr Command kCommands[] = {
    {"run", "schedule a scenario and print the plan", muster::RunCommand},
    {"check", "compare plans with what scenarios expect", muster::CheckCommand},
    {"explain", "explain why a job or task is pending", muster::ExplainCommand},
    {"remedies", "print what would start a job that waits", muster::RemediesCommand},
    {"what-if", "print what would differ after changes", muster::WhatIfCommand},
    {"diff", "print what two plans decide differently", muster::DiffCommand},
    {"compare", "compare profiles on one scenario", muster::CompareCommand},
    {"page", "write plans as a page for a browser", muster::PageCommand},
    {"drain", "print where the tasks of nodes would go", muster::DrainCommand},
    {"capacity", "print how many nodes are missing", muster::CapacityCommand},
    {"profiles", "list profiles and policies", muster::ProfilesCommand},
    {"generate", "make a random cluster", muster::GenerateCommand},
    {"import", "turn another scheduler's objects into a scenario", muster::ImportCommand},
#ifdef MUSTER_REPLAYS
    {"forecast", "print when jobs that wait will start and end", muster::ForecastCommand},
    {"replay", "play a recorded trace again", muster::ReplayCommand},
#endif
    {"replay-log", "make the calls again that a scheduler recorded", muster::ReplayLogCommand},
    {"completion", "print what makes a shell complete commands", muster::CompletionCommand},
};

// The package has a program of this name, too, which has these commands besides.
constexpr std::string_view kOfPython[] = {"study", "sweep", "reproduce", "report", "traces"};

std::string Help() {
  std::string out =
      "usage: muster COMMAND [arguments]\n\nDecides which task runs on which node, and explains "
      "what waits.\n\n";
  for (const Command& command : kCommands) {
    absl::StrAppend(&out, "  ", muster::ToAbsl(command.name),
                    std::string(12 - command.name.size(), ' '), muster::ToAbsl(command.about),
                    "\n");
  }
  absl::StrAppend(
      &out,
      "\n`muster COMMAND --help` has more. Ends with 0 if all is well, 1 if a check failed, "
      "2 if the\ninput was bad.\n\nexample:\n  muster generate --nodes 20 -o s.json && "
      "muster run s.json --profile volcano\n");
  return out;
}

// What may stand in place of the last word, as kCompleteFlag of command.h has it.
int Complete(muster::Arguments words) {
  if (!words.empty() && words[0] == "--") words.erase(words.begin());
  if (words.size() < 2 || (words.size() == 2 && words[0] == "help")) {
    std::string out;
    for (const Command& command : kCommands) {
      absl::StrAppend(&out, muster::ToAbsl(command.name), "\t", muster::ToAbsl(command.about),
                      "\n");
    }
    return muster::Print(out);
  }
  for (const Command& command : kCommands) {
    if (command.name != words[0]) continue;
    words[0] = muster::kCompleteFlag;
    return command.run(words);
  }
  return muster::kOk;
}

int RunMain(const muster::Arguments& arguments) {
  if (arguments.empty()) return muster::Complain(absl::StrCat("a command is missing\n", Help()));
  const std::string& name = arguments[0];
  const bool asks = name == "help" && arguments.size() > 1;
  if (name == "--help" || name == "-h" || (name == "help" && !asks)) return muster::Print(Help());
  if (asks) {
    if (arguments.size() > 2 || arguments[1].starts_with("-")) {
      return muster::Complain("help takes one COMMAND");
    }
    if (arguments[1] == name) return muster::Print(Help());
    return RunMain({arguments[1], "--help"});
  }
  if (name == "--version") return muster::Print("muster " MUSTER_VERSION_STRING "\n");
  if (name == "complete") return Complete({arguments.begin() + 1, arguments.end()});
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) {
    if (command.name == name) return command.run({arguments.begin() + 1, arguments.end()});
    names.push_back(command.name);
  }
  for (const std::string_view python : kOfPython) {
    if (python != name) continue;
    return muster::Complain(absl::StrCat(muster::Quote(name),
                                         " is a command of the Python package; docs/python.md has "
                                         "how to install it"));
  }
  const std::string_view nearest = muster::NearestName(name, names);
  return muster::Complain(absl::StrCat("unknown command ", muster::Quote(name),
                                       nearest.empty() ? "" : ", did you mean ",
                                       nearest.empty() ? "" : muster::Quote(nearest),
                                       nearest.empty() ? "; muster --help lists them" : "?"));
}

}  // namespace

// Memory that runs out is an error like any other: one line, and the exit code of bad input.
int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error of writing it
  try {
    return RunMain(muster::Arguments(argv + 1, argv + argc));
  } catch (const std::bad_alloc&) {
    return muster::Complain(kNoMemory);
  } catch (const std::length_error&) {
    return muster::Complain(kNoMemory);
  }
}
