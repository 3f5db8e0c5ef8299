// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster replay openb --policy fgd...: the fragmentation experiment. It has no times, so that none
// of the flags of other replays mean anything here; they are refused.
#include "muster/packing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "tools/muster/output.h"
#include "tools/muster/replay.h"

namespace muster {
namespace {

constexpr CommandText kPackingText = {
    "replay openb", "replay openb --policy fgd|fgd:best-fit|fgd:... [flags]",
    "Fills openb's cluster beyond its size, placing each pod for good, GPU by GPU.",
    "muster replay openb --dir openb --list default --seed 42 --policy fgd --decisions out.csv"};

constexpr std::string_view kArrivals = "arrivals_", kEnd = ".csv.gz";

// The lists of the folder that have an order of arrivals.
std::vector<std::string> ListsOf(const std::string& folder) {
  std::vector<std::string> lists;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder + "/orders", error), end; at != end && !error;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kArrivals) || !name.ends_with(kEnd)) continue;
    lists.push_back(name.substr(kArrivals.size(), name.size() - kArrivals.size() - kEnd.size()));
  }
  std::sort(lists.begin(), lists.end());
  return lists;
}

absl::StatusOr<PackingTrace> Read(const std::string& folder, const std::string& list,
                                  int64_t seed) {
  if (folder.empty()) return absl::InvalidArgumentError("--dir is needed: which folder?");
  const std::vector<std::string> lists = ListsOf(folder);
  if (!lists.empty() && std::find(lists.begin(), lists.end(), list) == lists.end()) {
    const std::string_view nearest =
        NearestName(list, std::vector<std::string_view>(lists.begin(), lists.end()));
    return absl::InvalidArgumentError(
        absl::StrCat("--list ", Quote(list), " has no order of arrivals in ", folder, "/orders",
                     nearest.empty() ? absl::StrCat("; there are ", absl::StrJoin(lists, ", "))
                                     : absl::StrCat(", did you mean ", Quote(nearest), "?")));
  }
  const std::string paths[] = {
      absl::StrCat(folder, "/openb_node_list_gpu_node.csv"),
      absl::StrCat(folder, "/pods/openb_pod_list_", list, ".csv.gz"),
      absl::StrCat(folder, "/orders/", ToAbsl(kArrivals), list, ToAbsl(kEnd)),
      absl::StrCat(folder, "/orders/noderank_", list, ToAbsl(kEnd))};
  std::vector<std::string> texts;
  for (const std::string& path : paths) {
    absl::StatusOr<std::string> text = ReadFile(path);
    if (!text.ok()) return text.status();
    texts.push_back(*std::move(text));
  }
  return ReadOpenbPacking(
      {{paths[0], texts[0]}, {paths[1], texts[1]}, {paths[2], texts[2]}, {paths[3], texts[3]}},
      {.seed = seed, .read = {.limits = InputLimits()}});
}

// Rows as the golden files have them: GPUs as 0-2-3, node -1 where the pod fitted nowhere.
std::string DecisionText(const PackingTrace& trace, const PackingResult& result) {
  std::string out = "pos,pod_row,node_row,gpu_ids\n";
  for (size_t i = 0; i < result.node.size(); ++i) {
    absl::StrAppend(&out, i, ",", trace.arrivals[i], ",", result.node[i], ",");
    const char* dash = "";
    for (int gpu = 0; gpu < 32; ++gpu) {
      if ((result.gpus[i] >> gpu & 1) == 0) continue;
      absl::StrAppend(&out, dash, gpu);
      dash = "-";
    }
    out += '\n';
  }
  return out;
}

std::string CurveText(const PackingResult& r) {
  std::string out = "arrived_percent,allocated,fragment,fragment_ratio\n";
  const auto cell = [](double x) { return std::isnan(x) ? "" : absl::StrFormat("%.15g", x); };
  for (size_t p = 0; p < r.allocated.size(); ++p) {
    absl::StrAppend(&out, p, ",", cell(r.allocated[p]), ",", cell(r.fragment[p]), ",",
                    cell(r.fragment_ratio[p]), "\n");
  }
  return out;
}

std::string SummaryText(const PackingTrace& trace, const PackingResult& r, double seconds) {
  const auto all = static_cast<double>(trace.gpu_milli());
  const auto percent = [all](double milli) { return 100 * milli / all; };
  const auto arrivals = static_cast<int64_t>(r.node.size());
  const double lost = r.fragments.empty() ? 0 : r.fragments.back();
  std::string out = absl::StrCat(trace.name, ": ", trace.shape.size(), " pods, ", r.typical,
                                 " typical kinds, ", trace.nodes.size(), " nodes\n");
  absl::StrAppendFormat(&out, "%s: %d arrived, %d placed, %d fitted nowhere\n", r.policy, arrivals,
                        arrivals - r.failed, r.failed);
  absl::StrAppendFormat(&out, "GPU milli: %d arrived (%.2f%%), %d of %d used (%.2f%%)\n",
                        r.arrived_milli, percent(static_cast<double>(r.arrived_milli)),
                        r.used_milli, trace.gpu_milli(),
                        percent(static_cast<double>(r.used_milli)));
  const double idle = all - static_cast<double>(r.used_milli);
  absl::StrAppendFormat(&out, "fragments: %.2f milli, %.2f%% of all, %.2f%% of what is free\n",
                        lost, percent(lost), idle > 0 ? 100 * lost / idle : 0);
  absl::StrAppendFormat(&out, "%.3f s: %.0f decisions a second\n", seconds,
                        static_cast<double>(arrivals) / std::max(seconds, 1e-9));
  return out;
}

std::string SummaryJson(const PackingTrace& trace, const PackingResult& r, double seconds) {
  using Json = nlohmann::ordered_json;
  const Json out = {{"trace", trace.name},
                    {"policy", r.policy},
                    {"events", r.node.size()},
                    {"failed", r.failed},
                    {"arrived_gpu_milli", r.arrived_milli},
                    {"used_gpu_milli", r.used_milli},
                    {"gpu_milli", trace.gpu_milli()},
                    {"typical_specs", r.typical},
                    {"fragment_milli", r.fragments.empty() ? 0 : r.fragments.back()},
                    {"curves",
                     {{"allocated", r.allocated},
                      {"fragment", r.fragment},
                      {"fragment_ratio", r.fragment_ratio}}},
                    {"seconds", seconds}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

bool AsksForPacking(const Arguments& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string_view value = arguments[i];
    if (value == "--policy" && i + 1 < arguments.size()) {
      value = arguments[i + 1];
    } else if (value.starts_with("--policy=")) {
      value.remove_prefix(9);
    } else {
      continue;
    }
    return value == "fgd" || value.starts_with("fgd:");
  }
  return false;
}

int PackingCommand(const Arguments& arguments) {
  std::string folder, list = "default", policy, decisions, curves;
  int64_t seed = 42;
  FlagSet flags;
  flags.Value("--dir", "DIR", &folder, "the folder of the trace");
  flags.Value("--list", "L", &list, "which pod list: default, cpu050, gpushare40, ...");
  flags.Value("--seed", "N", &seed,
              "which order of arrivals and rank of nodes; chance of fgd:random");
  flags.Value("--policy", "P", &policy,
              "fgd, fgd:best-fit, fgd:dotprod, fgd:gpu-clustering, fgd:gpu-packing, fgd:random");
  flags.Value("--decisions", "FILE", &decisions,
              "write pos,pod_row,node_row,gpu_ids of every pod; - is standard output");
  flags.Value("--curves", "FILE", &curves,
              "write what is allocated and fragmented by what arrived; - is standard output");
  const Parsed parsed = ParseArguments(kPackingText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (!parsed.others.empty()) {
    return ComplainUsage(kPackingText, absl::StrCat("unexpected ", parsed.others[0]));
  }
  if (seed < 0) return ComplainUsage(kPackingText, "--seed is below 0");

  const absl::StatusOr<PackingTrace> trace = Read(folder, list, seed);
  if (!trace.ok()) return Complain(std::string(trace.status().message()));
  const auto begin = std::chrono::steady_clock::now();
  const absl::StatusOr<PackingResult> result =
      ReplayPacking(*trace, policy, {.seed = static_cast<uint64_t>(seed)});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (!result.ok()) return Complain(std::string(result.status().message()));
  for (const auto& [path, text] : {std::pair(decisions, DecisionText(*trace, *result)),
                                   std::pair(curves, CurveText(*result))}) {
    if (path.empty()) continue;
    if (path == "-") return Print(text);
    if (absl::Status s = WriteFile(path, text); !s.ok()) return Complain(std::string(s.message()));
  }
  return Show([&] { return SummaryText(*trace, *result, took.count()); },
              [&] { return SummaryJson(*trace, *result, took.count()); }, {"*"});
}

}  // namespace muster
