// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster capacity: how many nodes until all that waits is placed.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/advice/need_nodes.h"
#include "lib/advice/node_types.h"
#include "lib/advice/suggest_row.h"
#include "lib/base/strings.h"
#include "lib/scenario/question.h"
#include "tools/muster/command.h"
#include "tools/muster/output.h"
#include "tools/muster/progress.h"
#include "tools/muster/threads.h"

namespace muster {
namespace {

constexpr CommandText kCapacityText = {
    "capacity", "capacity FILE [--types NODE[=PRICE],...] [flags]",
    "Says how many more nodes place what waits in the scenario in FILE: of each type alone, the "
    "cheapest mix that was found, and what the autoscaler of the profile would start. Types are "
    "nodes of the scenario.",
    "muster capacity tests/scenarios/gang_undone.json --types gpu0=1.5"};

absl::StatusOr<std::vector<NodeOffer>> Offers(const std::string& types, const ClusterSpec& rows) {
  std::vector<NodeOffer> offers;
  for (const auto part : absl::StrSplit(types, ',')) {
    const std::pair<std::string, std::string> sides = absl::StrSplit(part, absl::MaxSplits('=', 1));
    const auto node = std::ranges::find(rows.nodes, sides.first, &NodeSpec::name);
    if (node == rows.nodes.end()) {
      std::vector<std::string_view> names;
      for (const NodeSpec& row : rows.nodes) names.push_back(row.name);
      return absl::NotFoundError(absl::StrCat("--types: node ", Quote(sides.first),
                                              " does not exist", SuggestRow(sides.first, names)));
    }
    NodeOffer& offer = offers.emplace_back(NodeOffer{.node = NewNodeLike(*node)});
    if (!sides.second.empty() && !absl::SimpleAtod(sides.second, &offer.price)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--types: price ", Quote(sides.second), " is no number"));
    }
  }
  return offers;
}

std::string Words(const std::vector<NodeCount>& counts) {
  std::string out;
  for (const NodeCount& count : counts) {
    absl::StrAppend(&out, out.empty() ? "" : " and ", count.count, " of ", count.type);
  }
  return out;
}

// Returns what nodes of one type do by themselves.
std::string AloneText(const NodeCount& count, int64_t before, int64_t most) {
  const std::string_view more = count.count == 1 ? " more places " : " more place ";
  if (count.waiting == 0) return absl::StrCat(count.count, ToAbsl(more), "all that waits");
  const std::string waits = absl::StrCat(
      count.waiting == 1 ? "; this one waits: " : "; the first that waits: ", count.waits);
  if (count.count == 0) return absl::StrCat("no number of them helps", waits);
  return absl::StrCat(count.count, ToAbsl(more), before - count.waiting, " of ", before,
                      before == 1 ? " task that waits" : " tasks that wait",
                      count.count < most ? ", and more of them place no more"
                                         : ", and --most allows no more of them",
                      waits);
}

std::string ToText(const NodesNeeded& needed, int64_t most) {
  if (needed.waiting_before == 0) return "nothing waits\n";
  const auto wait = [](int64_t tasks) {
    return absl::StrCat(tasks, tasks == 1 ? " task waits" : " tasks wait");
  };
  std::string out = absl::StrCat(wait(needed.waiting_before), "\n");
  // Types that do the same are told together: those of three zones, say.
  std::vector<std::pair<std::string, std::string>> alone;  // names, and what they do
  for (const NodeCount& count : needed.alone) {
    std::string does = AloneText(count, needed.waiting_before, most);
    const auto same = std::ranges::find(alone, does, &std::pair<std::string, std::string>::second);
    if (same == alone.end()) {
      alone.emplace_back(count.type, std::move(does));
    } else {
      absl::StrAppend(&same->first, ", ", count.type);
    }
  }
  for (const auto& [types, does] : alone) absl::StrAppend(&out, "  ", types, ": ", does, "\n");
  if (!needed.cheapest.empty()) {
    absl::StrAppend(&out, "cheapest: ", Words(needed.cheapest), ", price ", needed.price, "; ",
                    wait(needed.waiting_after), " then\n");
  }
  if (Words(needed.wanted) == Words(needed.cheapest)) return out;
  return absl::StrCat(out, "wanted: ", needed.wanted.empty() ? "none" : Words(needed.wanted),
                      ", price ", needed.wanted_price, "; ", wait(needed.wanted_waiting),
                      " then\n");
}

}  // namespace

int CapacityCommand(const Arguments& arguments) {
  RunFlags run_flags;
  NeedOptions options;
  ThreadsFlag threads;
  std::string types;
  FlagSet flags;
  run_flags.Declare(&flags);
  flags.Value("--types", "NODES", &types,
              "nodes that stand for types, with prices: a=2.5,b=1; each kind of node by default");
  flags.Value("--most", "N", &options.most, "the most nodes of one type, 1024 by default");
  threads.Declare(&flags);
  const Parsed parsed = ParseArguments(kCapacityText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.size() != 1) return ComplainUsage(kCapacityText, "needs one FILE");
  if (absl::Status s = threads.Settle(); !s.ok()) return Complain(std::string(s.message()));
  const absl::StatusOr<Opened> opened = OpenFile(parsed.others[0], run_flags);
  if (!opened.ok()) return Complain(std::string(opened.status().message()));
  absl::StatusOr<std::vector<NodeOffer>> offers = std::vector<NodeOffer>();
  if (!types.empty()) offers = Offers(types, opened->cluster.Describe());
  if (!offers.ok()) return Complain(std::string(offers.status().message()));
  options.schedule = opened->scenario.options;
  const std::unique_ptr<Executor> executor = threads.Make();
  options.executor = executor.get();
  Progress progress("cycles tried");
  const absl::StatusOr<NodesNeeded> needed =
      WatchNeedNodes(opened->cluster, opened->scenario.profile, *offers, options,
                     [&progress] { progress.Step(); });
  if (!needed.ok()) {
    const absl::string_view words = needed.status().message();
    if (absl::StartsWith(words, "most is ")) return Complain(absl::StrCat("--", words));
    for (size_t i = 0; i < offers->size(); ++i) {
      absl::string_view rule = words;
      if (!absl::ConsumePrefix(&rule, absl::StrCat("offer[", i, "]: "))) continue;
      return Complain(absl::StrCat("--types: ", (*offers)[i].node.name, ": ", rule));
    }
    const absl::Status status = WithPlace(parsed.others[0], run_flags, needed.status());
    return Complain(std::string(status.message()));
  }
  return Show([&] { return ToText(*needed, options.most); },
              [&] { return WriteNodesNeeded(*needed); },
              {"alone=type,count,waiting,waits", "cheapest=type,count", "wanted=type,count"});
}

}  // namespace muster
