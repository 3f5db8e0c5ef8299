// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster generate: a random cluster as a scenario file.
#include "lib/scenario/generate.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "tools/muster/command.h"
#include "tools/muster/mix_name.h"
#include "tools/muster/output.h"

namespace muster {
namespace {

constexpr CommandText kGenerateText = {
    "generate", "generate [flags]",
    "Makes a random cluster from a seed and writes it as a scenario; or, with --trace DIR, a trace "
    "as tables of jobs, nodes and queues in the folder DIR (`muster generate --trace DIR --help` "
    "lists its flags). Equal flags give equal files, everywhere.",
    "muster generate --mix openb --nodes 1213 --seed 1 -o scenario.json"};

bool AsksForTrace(const Arguments& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--trace" || argument.starts_with("--trace=")) return true;
  }
  return false;
}

}  // namespace

int GenerateCommand(const Arguments& arguments) {
  if (AsksForTrace(arguments)) {
#ifdef MUSTER_REPLAYS
    return GenerateTraceCommand(arguments);
#else
    return ComplainUsage(kGenerateText, "--trace: this program is built without traces");
#endif
  }
  GenerateOptions options;
  std::string output = "-", profile;
  FlagSet flags;
  flags.Value("--mix", "M", &options.mix,
              "uniform, openb, philly or hpc: what nodes and tasks look like");
  flags.Value("--nodes", "N", &options.nodes, "number of nodes");
  flags.Value("--seed", "S", &options.seed, "equal seeds, equal clusters");
  flags.Value("-o", "FILE", &output, "write here; - is standard output");
  flags.Value("--profile", "P", &profile, "the profile the scenario names");
  flags.Value("--load", "X", &options.load, "let pending tasks request X times the capacity");
  flags.Value("--tasks", "N", &options.tasks, "that many pending tasks instead");
  flags.Value("--jobs", "N", &options.jobs, "that many pending jobs");
  flags.Value("--gang", "N", &options.gang, "largest gang of the uniform mix");
  flags.Value("--priorities", "N", &options.priorities, "number of priority levels");
  flags.Value("--queues", "N", &options.queues, "leaves of the queue tree");
  flags.Value("--depth", "N", &options.depth, "levels of the queue tree");
  flags.Value("--types", "N", &options.types, "kinds of nodes of the uniform mix");
  flags.Value("--classes", "N", &options.classes, "different task shapes");
  flags.Value("--gpu", "X", &options.gpu, "share of kinds and shapes with GPUs");
  flags.Value("--gpu-share", "X", &options.gpu_share,
              "share of those shapes that request part of a GPU");
  flags.Value("--occupancy", "X", &options.occupancy, "share of each node that running tasks fill");
  flags.Value("--selectors", "X", &options.selectors, "share of shapes with a node selector");
  flags.Value("--taints", "X", &options.taints,
              "share of tainted nodes, and of shapes that tolerate it");
  flags.Value("--affinity", "X", &options.affinity,
              "share of shapes with (anti-)affinity to their like");
  flags.Value("--spread", "X", &options.spread, "share of shapes that spread over zones");
  const Parsed parsed = ParseArguments(kGenerateText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (!parsed.others.empty())
    return ComplainUsage(kGenerateText, absl::StrCat("unexpected ", parsed.others[0]));
  if (IsMixFile(options.mix)) {
    return ComplainUsage(kGenerateText,
                         "--mix FILE makes traces: with --trace DIR, or `muster replay mix`");
  }
  if (OutputFormat() == Format::kCsv) {
    return ComplainUsage(kGenerateText, "--format: scenarios are written as JSON");
  }
  absl::StatusOr<Scenario> scenario = Generate(options);
  if (!scenario.ok())
    return ComplainUsage(kGenerateText, absl::StrCat("--", scenario.status().message()));
  scenario->profile = profile;
  const std::string text = WriteScenario(*scenario);
  if (output == "-") return Print(text);
  const absl::Status written = WriteFile(output, text);
  return written.ok() ? kOk : Complain(std::string(written.message()));
}

}  // namespace muster
