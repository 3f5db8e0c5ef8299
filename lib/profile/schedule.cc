// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The front doors of schedule.h and Cluster::Schedule: resolve the profile, run a session, name the
// rows.
#include "muster/schedule.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/float_env.h"
#include "lib/base/strings.h"
#include "lib/ledger/ledger.h"
#include "lib/model/access.h"
#include "lib/model/change_guard.h"
#include "lib/model/checker.h"
#include "lib/model/memory_data.h"
#include "lib/model/shelf.h"
#include "lib/plan/cycle_names.h"
#include "lib/plan/plan_data.h"
#include "lib/profile/cycle_tables.h"
#include "lib/profile/profile.h"
#include "lib/profile/sessions.h"
#include "muster/cluster.h"

namespace muster {
namespace {

// The memory that a cycle on these tables starts from.
const Memory& MemoryOf(const ScheduleOptions& options, const Tables& tables) {
  return options.memory.has_value() ? *options.memory : tables.memory;
}

absl::Status CheckMemory(const Memory& memory, const ProfileConfig& config) {
  const internal::MemoryData* data = internal::DataOf(memory);
  if (data == nullptr) return absl::OkStatus();
  for (const MemoryDecl& decl : config.memory) {
    const auto slot = data->slots.find(decl.slot);
    if (slot == data->slots.end() || slot->second.version == decl.version) continue;
    return absl::InvalidArgumentError(absl::StrCat("memory: slots.", ToAbsl(decl.slot),
                                                   ".version: ", slot->second.version,
                                                   " is not known; this reads ", decl.version));
  }
  return absl::OkStatus();
}

absl::Status CheckTurn(const Turn& turn, const ProfileConfig& config, const Tables& tables) {
  const TurnKind kind = KindOf(turn);
  for (const ConfiguredAction& action : config.actions) {
    const TurnSet serves = action.decl.turns;
    if (serves.has(kind)) continue;
    std::string words;
    for (int k = 0; k < kTurnKindCount; ++k) {
      if (!serves.has(static_cast<TurnKind>(k))) continue;
      absl::StrAppend(&words, words.empty() ? "" : ", ",
                      ToAbsl(TurnKindName(static_cast<TurnKind>(k))));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("options: turn: action ", Quote(action.decl.name), " of profile ",
                     Quote(config.name), " does not serve ", ToAbsl(TurnKindName(kind)),
                     "; it serves ", words.empty() ? "nothing" : words));
  }
  if (const auto* next = std::get_if<NextDecisions>(&turn); next != nullptr && next->count < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("options: turn: count is ", next->count, "; must be 1 or more"));
  }
  if (const auto* beats = std::get_if<Heartbeats>(&turn)) {
    for (size_t i = 0; i < beats->nodes.size(); ++i) {
      if (tables.nodes.names.Find(beats->nodes[i])) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("options: turn: nodes[", i, "]: no node is named ", Quote(beats->nodes[i])));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(const ScheduleOptions& options, const ProfileConfig& config,
                          const Tables& tables) {
  if (options.now < -kMaxTime || options.now > kMaxTime) {
    return absl::InvalidArgumentError(
        absl::StrCat("options: now is ", options.now, "; must be ", -kMaxTime, " to ", kMaxTime));
  }
  if (options.work_budget.has_value() && *options.work_budget < 0) {
    return absl::InvalidArgumentError("options: work_budget is negative; must be 0 or more");
  }
  if (options.speed.memory_limit < 0) {
    return absl::InvalidArgumentError("options: speed.memory_limit is negative; must be 0 or more");
  }
  if (options.cursor > 0 && options.cursor >= config.actions.size()) {
    return absl::InvalidArgumentError("options: cursor is beyond the actions of the profile");
  }
  if (absl::Status s = CheckMemory(MemoryOf(options, tables), config); !s.ok()) return s;
  return CheckTurn(options.turn, config, tables);
}

// What cycles over snapshots leave on the shelf.
struct SpareBooks : Attachment {
  std::unique_ptr<Ledger> books;
};

std::vector<OptionInfo> OptionInfos(std::span<const OptionDecl> options) {
  std::vector<OptionInfo> infos;
  for (const OptionDecl& option : options) {
    infos.push_back(
        {std::string(option.name), std::string(option.default_value), std::string(option.help)});
  }
  return infos;
}

bool SameSpeed(const SpeedOptions& a, const SpeedOptions& b) {
  return a.block_winners == b.block_winners && a.share_equal_states == b.share_equal_states &&
         a.infeasibility_memory == b.infeasibility_memory && a.vector_kernels == b.vector_kernels &&
         a.memory_limit == b.memory_limit;
}

// Nearly all cycles are whole ones, which are equal without a look at their fields.
bool SameTurn(const Turn& a, const Turn& b) {
  if (KindOf(a) != KindOf(b)) return false;
  return KindOf(a) == TurnKind::kCycle || a == b;
}

bool SamePlan(const Sessions::Kept& kept, const ScheduleOptions& options, const Tables& tables) {
  if (options.metrics != nullptr) return false;  // there is a cycle to measure
  return kept.version == tables.version && !options.should_stop && !kept.options.should_stop &&
         kept.options.now == options.now && kept.options.seed == options.seed &&
         kept.options.work_budget == options.work_budget && kept.options.cursor == options.cursor &&
         SameTurn(kept.options.turn, options.turn) && kept.memory == MemoryOf(options, tables) &&
         kept.refused == tables.refused;
}

std::vector<WaitingEvent> WhatWaits(const internal::ClusterImpl& cluster) {
  if (!cluster.deltas.anything_waits()) return {};
  return cluster.deltas.WhatWaits();
}

// Returns the session that KeptSession would return, unless it has to be made. It becomes the one
// used last.
Sessions::Kept* FindKept(internal::ClusterImpl& cluster, std::string_view profile,
                         const ScheduleOptions& options) {
  if (cluster.cycle == nullptr) return nullptr;
  auto& kept = static_cast<Sessions&>(*cluster.cycle).kept;
  for (auto it = kept.begin(); it != kept.end(); ++it) {
    if (it->profile != profile || !SameSpeed(it->options.speed, options.speed) ||
        it->options.extensions != options.extensions) {
      continue;
    }
    if (it + 1 != kept.end()) std::rotate(it, it + 1, kept.end());
    return &kept.back();
  }
  return nullptr;
}

// Returns memory of the session's last plan for the next one, if nothing else holds that plan any
// more: the lists of its shares, three for each queue.
PlanData SpareOf(Sessions::Kept& kept) {
  PlanData spare;
  if (kept.data.use_count() != 2) return spare;
  // Another thread may have dropped the last other reference. Decrementing the count here
  // synchronizes with that, so its reads of the plan happen before the writes below.
  std::shared_ptr<PlanData>(kept.data).reset();
  kept.plan = Plan();
  spare.shares = std::move(kept.data->shares);
  return spare;
}

}  // namespace

absl::StatusOr<Plan> Schedule(const Snapshot& snapshot, std::string_view profile,
                              const ScheduleOptions& options) {
  const DefaultFloats floats;
  absl::StatusOr<ProfileConfig> config = ResolveProfile(profile, options.extensions.get());
  if (!config.ok()) return config.status();
  if (absl::Status s = CheckOptions(options, *config, TablesOf(snapshot)); !s.ok()) return s;
  std::shared_ptr<const Tables> with_jobs;
  if (absl::Status s = CheckTables(*config, TablesOf(snapshot)); !s.ok()) return s;
  if (TakesLoneTasks(*config)) {
    auto made = WithJobsOfOne(TablesOf(snapshot), config->lone_task_queue);
    if (!made.ok()) return made.status();
    with_jobs = *std::move(made);
  }
  const Tables& tables = with_jobs == nullptr ? TablesOf(snapshot) : *with_jobs;
  std::unique_ptr<Attachment> spare = tables.shelf->Take();
  if (spare == nullptr) spare = std::make_unique<SpareBooks>();
  std::unique_ptr<Ledger>& books = static_cast<SpareBooks&>(*spare).books;
  Session session(tables, *config, options.speed, std::move(books));
  auto data = std::make_shared<PlanData>(session.RunOnce(options, &books));
  tables.shelf->Put(std::move(spare));
  if (with_jobs != nullptr) ForgetJobsOfOne(TablesOf(snapshot), data.get());
  data->names = NamesOfCycle(SharedTablesOf(snapshot), TriesLoneTasks(*config));
  return PlanOf(std::move(data));
}

absl::StatusOr<Sessions::Kept*> KeptSession(internal::ClusterImpl& cluster,
                                            std::string_view profile,
                                            const ScheduleOptions& options) {
  if (Sessions::Kept* const found = FindKept(cluster, profile, options); found != nullptr) {
    if (absl::Status s = CheckOptions(options, found->config, *cluster.tables); !s.ok()) return s;
    return found;
  }
  absl::StatusOr<ProfileConfig> config = ResolveProfile(profile, options.extensions.get());
  if (!config.ok()) return config.status();
  if (absl::Status s = CheckOptions(options, *config, *cluster.tables); !s.ok()) return s;
  if (cluster.cycle == nullptr) cluster.cycle = std::make_unique<Sessions>();
  auto& kept = static_cast<Sessions&>(*cluster.cycle).kept;
  if (kept.size() == Sessions::kMost) kept.erase(kept.begin());
  Sessions::Kept& made = kept.emplace_back();
  made.profile = std::string(profile);
  made.config = *std::move(config);
  made.options.extensions = options.extensions;
  made.session = std::make_unique<Session>(*cluster.tables, made.config, options.speed);
  return &made;
}

absl::StatusOr<const Tables*> CycleTables(Sessions::Kept& kept, const Tables& tables) {
  if (kept.taken_version != tables.version) {
    std::optional<std::span<const Change>> changes;
    if (kept.taken_version != 0 && kept.taken_layout == tables.layout &&
        kept.taken_position >= tables.log_start) {
      changes = std::span(tables.log).subspan(kept.taken_position - tables.log_start);
    }
    if (absl::Status s = CheckTables(kept.config, tables, changes); !s.ok()) return s;
    kept.taken_version = tables.version;
    kept.taken_layout = tables.layout;
    kept.taken_position = tables.log_start + tables.log.size();
  }
  if (!TakesLoneTasks(kept.config)) return &tables;
  auto made = WithJobsOfOne(tables, kept.config.lone_task_queue);
  if (!made.ok()) return made.status();
  kept.with_jobs = *std::move(made);
  return kept.with_jobs.get();
}

absl::StatusOr<Plan> Cluster::Schedule(std::string_view profile, const ScheduleOptions& options) {
  if (IsLost(*impl_)) return LostError();
  const Tables& tables = *impl_->tables;
  // The options were checked when the plan was made. Nothing is computed here and nothing throws,
  // so there is nothing to guard.
  if (const Sessions::Kept* const found = FindKept(*impl_, profile, options);
      found != nullptr && SamePlan(*found, options, tables) &&
      found->waiting == WhatWaits(*impl_)) {
    return found->plan;
  }
  const DefaultFloats floats;
  const CycleGuard guard(*impl_);
  const absl::StatusOr<Sessions::Kept*> kept = KeptSession(*impl_, profile, options);
  if (!kept.ok()) return kept.status();
  Sessions::Kept& mine = **kept;
  const absl::StatusOr<const Tables*> seen = CycleTables(mine, tables);
  if (!seen.ok()) return seen.status();
  auto data = std::make_shared<PlanData>(mine.session->Run(**seen, options, SpareOf(mine)));
  if (*seen != &tables) ForgetJobsOfOne(tables, data.get());
  std::vector<WaitingEvent> waiting = WhatWaits(*impl_);
  data->names = CopyNamesOfCycle(
      tables, *data, TriesLoneTasks(mine.config) ? nullptr : mine.left_out.Update(tables), waiting);
  mine.waiting = std::move(waiting);
  mine.options = options;
  mine.options.metrics = nullptr;  // the caller's, until now
  mine.version = tables.version;
  mine.memory = MemoryOf(options, tables);
  mine.refused = tables.refused;
  // The memory has seen what happened until now; the cluster has to know what comes.
  if (!data->memory.empty()) impl_->editor.RecordEvents();
  mine.data = data;
  mine.plan = PlanOf(std::move(data));
  return mine.plan;
}

std::string_view TurnKindName(TurnKind kind) {
  static constexpr std::string_view kNames[kTurnKindCount] = {"cycle", "decisions", "heartbeats",
                                                              "event"};
  const auto number = static_cast<int>(kind);
  return number < kTurnKindCount ? kNames[number] : "";
}

std::vector<ProfileInfo> Profiles() {
  std::vector<ProfileInfo> infos;
  for (const Preset& preset : Presets()) {
    const absl::StatusOr<ProfileConfig> config = ResolveProfile(preset.name);
    if (!config.ok()) continue;  // a table that does not resolve fails the profile test
    ProfileInfo info;
    info.name = std::string(preset.name);
    info.summary = std::string(preset.summary);
    for (const ConfiguredAction& action : config->actions) {
      info.actions.emplace_back(action.decl.name);
    }
    for (const auto& tier : config->tiers) {
      info.tiers.emplace_back();
      for (const ConfiguredPolicy& policy : tier) info.tiers.back().emplace_back(policy.decl.name);
    }
    for (const ActionDecl& decl : preset.catalogue) {
      info.catalogue.push_back(
          {std::string(decl.name), std::string(decl.summary), OptionInfos(decl.options)});
    }
    info.reads_counts = config->reads_counts;
    infos.push_back(std::move(info));
  }
  return infos;
}

std::vector<PolicyInfo> Policies() {
  std::vector<PolicyInfo> infos;
  for (const PolicyDecl& decl : PolicyCatalogue()) {
    infos.push_back({std::string(decl.name), std::string(decl.summary), OptionInfos(decl.options),
                     decl.revision});
  }
  std::ranges::sort(infos, {}, &PolicyInfo::name);
  return infos;
}

}  // namespace muster
