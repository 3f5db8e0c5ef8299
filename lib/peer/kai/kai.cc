// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/kai.h"

#include "lib/part/elastic.h"
#include "lib/peer/kai/actions.h"
#include "lib/peer/kai/job_settings.h"
#include "lib/peer/kai/report.h"
#include "lib/peer/kai/rules.h"

namespace muster {
namespace {

constexpr OptionDecl kDepthOptions[] = {
    {"depth", OptionKind::kWhole, "-1", -1, 1e9,
     "how many jobs of a queue are tried; -1: all of them, 0: none"},
};

KaiRules* RulesOf(const ActionContext& context) {
  for (const PolicyEntry* entry : context.dispatcher.at(Point::kQueueOrder)) {
    if (auto* rules = dynamic_cast<KaiRules*>(entry->policy)) return rules;
  }
  return nullptr;
}

template <class Run>
void RunAction(ActionContext& context, std::string_view name, Run&& run) {
  KaiRules* const rules = RulesOf(context);
  if (rules == nullptr) return;  // the profile was changed to have none
  KaiSession& session = rules->session();
  KaiReport report(&context, &session);
  run(KaiCycle{.world = session.world.get(),
               .listener = &report,
               .cut = [&] { return context.meter.Cut(); },
               .spend = [&] { context.meter.Spend(); }});
  session.was_cut |= context.meter.ended();
  report.Explain(name);
}

using WorldAction = void (*)(const KaiCycle& cycle, const KaiActionRules& rules);

ActionDecl Action(std::string_view name, std::string_view summary, WorldAction action,
                  bool evicts) {
  const auto run = [name, action](ActionContext& context, const Options& options) {
    const KaiActionRules rules{.depth = static_cast<int64_t>(options.number("depth"))};
    RunAction(context, name, [&](const KaiCycle& cycle) { action(cycle, rules); });
  };
  ActionDecl decl{name, summary, kDepthOptions, run, /*admits=*/false, evicts};
  decl.points = PointSet{};
  decl.check = CheckKaiSettings;
  return decl;
}

ActionDecl StaleGangEviction() {
  const auto run = [](ActionContext& context, const Options&) {
    RunAction(context, "stalegangeviction",
              [](const KaiCycle& cycle) { RunKaiStaleGangEviction(cycle); });
  };
  ActionDecl decl{"stalegangeviction", "evicts what is left of gangs that lost tasks", {}, run};
  decl.evicts = true;
  decl.points = PointSet{};
  decl.check = CheckKaiSettings;
  return decl;
}

}  // namespace

Preset KaiPreset() {
  Preset preset;
  preset.name = "kai";
  preset.summary =
      "KAI Scheduler: queues with quota and fair share, gangs of sub-groups, parts of GPUs";
  preset.actions = "allocate+consolidation+reclaim+preempt+stalegangeviction";
  preset.tiers = "kai-rules";
  preset.catalogue = {
      Action("allocate", "places jobs on what is free, and promises what is being released",
             RunKaiAllocate, /*evicts=*/false),
      Action("consolidation", "moves preemptible jobs to make room", RunKaiConsolidation, true),
      Action("reclaim", "evicts jobs of other queues up to the fair share", RunKaiReclaim, true),
      Action("preempt", "evicts less important jobs of the same queue", RunKaiPreempt, true),
      StaleGangEviction(),
      ResizeAction()};
  preset.rules.rules = {VoteRule::kVote, VoteRule::kVote, VictimRule::kStrict};
  return preset;
}

std::vector<PolicyDecl> KaiPolicies() { return {KaiRulesPolicy()}; }

}  // namespace muster
