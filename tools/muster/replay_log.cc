// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster replay-log: the calls that a recorder of muster/c.h wrote down, made again.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/muster/command.h"
#include "tools/muster/output.h"
#include "tools/muster/progress.h"
#include "tools/muster/record_player.h"

namespace muster {
namespace {

constexpr CommandText kReplayLogText = {
    "replay-log", "replay-log FILE [flags]",
    "Makes the calls that are recorded in FILE (- is standard input) on a cluster of its own, and "
    "compares the plan of "
    "each cycle with the recorded one by digest. Ends with 1 if one differs.",
    "muster replay-log cluster.log --profile muster"};

}  // namespace

int ReplayLogCommand(const Arguments& arguments) {
  std::string other;
  std::optional<int64_t> cycle;
  FlagSet flags;
  flags.Value("--profile", "PROFILE", &other, "run this profile beside each cycle, too");
  flags.Value("--cycle", "N", &cycle, "show the plans of this cycle and end there");
  const Parsed parsed = ParseArguments(kReplayLogText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.size() != 1) return ComplainUsage(kReplayLogText, "needs one FILE");
  if (cycle.has_value() && *cycle < 1)
    return ComplainUsage(kReplayLogText, "--cycle: counts from 1");
  const int64_t shown = cycle.value_or(0);
  const absl::StatusOr<std::string> text = ReadFile(parsed.others[0]);
  if (!text.ok()) return Complain(std::string(text.status().message()));

  const Progress progress("playing the record");
  RecordPlayer player({.other = other, .shown = shown, .limits = InputLimits()});
  std::string out;
  if (absl::Status s = player.PlayAll(*text, &out); !s.ok()) {
    if (const int code = Print(out); code != kOk) return code;
    return Complain(absl::StrCat(parsed.others[0], ":", player.line(), ": ", s.message()));
  }
  if (!player.begun()) return Complain(absl::StrCat(parsed.others[0], ": no record"));
  if (player.cycles() < shown) {
    return Complain(absl::StrCat(parsed.others[0], ": has ", player.cycles(), " cycles"));
  }
  const auto table = [&] {
    return absl::StrCat(out, player.cycles(), " cycles, ", player.different(), " different\n");
  };
  const auto json = [&] {
    const std::vector<std::string> lines = absl::StrSplit(out, '\n', absl::SkipEmpty());
    const nlohmann::ordered_json all = {
        {"cycles", player.cycles()}, {"different", player.different()}, {"lines", lines}};
    return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  };
  if (const int code = Show(table, json, {"lines"}); code != kOk) return code;
  return player.different() == 0 ? kOk : kCheckFailed;
}

}  // namespace muster
