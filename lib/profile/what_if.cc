// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The front doors of what_if.h: resolve the profile, take the books of a snapshot or of the
// cluster's own session, and lay before and after side by side.
#include "muster/what_if.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/float_env.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/change_guard.h"
#include "lib/profile/cycle_tables.h"
#include "lib/profile/profile.h"
#include "lib/profile/publishes_shares.h"
#include "lib/profile/sessions.h"
#include "lib/session/queue_books.h"

namespace muster {
namespace {

template <class T>
std::vector<T> Copy(std::span<const T> row) {
  return {row.begin(), row.end()};
}

absl::Status CheckShares(const ProfileConfig& config) {
  if (!config.needs.shares_need_a_cycle) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("profile ", Quote(config.name),
                   ": only a cycle has the shares of its queues; Rehearse answers with plans "
                   "(muster what-if --plan)"));
}

absl::StatusOr<Outlook> Ask(const Tables& tables, Ledger& ledger, const ProfileConfig& config,
                            std::span<const WhatIfChange> changes) {
  QueueBooks books(tables, ledger, config);
  Outlook outlook;
  std::vector<QueueShares> before = books.Count();
  for (QueueIndex q = 0; q < before.size(); ++q) {
    if (!tables.queues.alive[q]) continue;
    QueueOutlook& queue = outlook.queues.emplace_back();
    queue.queue = q;
    queue.name = std::string(tables.queues.names.name(q));
    queue.allocated_before = Copy(books.allocated(q));
    queue.pending_before = Copy(books.pending(q));
    queue.deserved_before = std::move(before[q].deserved);
    queue.share_before = before[q].share;
    outlook.divides |= before[q].published;
  }
  for (size_t i = 0; i < changes.size(); ++i) {
    if (const absl::Status s = books.Apply(changes[i]); !s.ok()) {
      return absl::Status(s.code(), absl::StrCat("changes[", i, "]: ", s.message()));
    }
  }
  const NameTable& dimensions = books.tables().dimensions;
  for (uint32_t d = 0; d < dimensions.size(); ++d) {
    outlook.dimensions.emplace_back(dimensions.name(d));
  }
  std::vector<QueueShares> after = books.Count();
  for (QueueOutlook& queue : outlook.queues) {
    queue.allocated_after = Copy(books.allocated(queue.queue));
    queue.pending_after = Copy(books.pending(queue.queue));
    queue.deserved_after = std::move(after[queue.queue].deserved);
    queue.share_after = after[queue.queue].share;
    outlook.divides |= after[queue.queue].published;
    // Dimensions of new nodes had nothing before.
    queue.allocated_before.resize(dimensions.size(), 0);
    queue.pending_before.resize(dimensions.size(), 0);
    if (!queue.deserved_before.empty()) queue.deserved_before.resize(dimensions.size(), 0);
  }
  return outlook;
}

absl::StatusOr<Outlook> AskSnapshot(const Snapshot& snapshot, const ProfileConfig& config,
                                    std::span<const WhatIfChange> changes) {
  if (absl::Status s = CheckShares(config); !s.ok()) return s;
  std::shared_ptr<const Tables> tables = SharedTablesOf(snapshot);
  if (absl::Status s = CheckTables(config, *tables); !s.ok()) return s;
  if (TakesLoneTasks(config)) {
    auto made = WithJobsOfOne(*tables, config.lone_task_queue);
    if (!made.ok()) return made.status();
    tables = *std::move(made);
  }
  Ledger ledger(*tables, config.accounting);
  return Ask(*tables, ledger, config, changes);
}

}  // namespace

absl::StatusOr<Outlook> WhatIf(const Snapshot& snapshot, std::string_view profile,
                               std::span<const WhatIfChange> changes,
                               std::shared_ptr<const Extensions> extensions) {
  const DefaultFloats floats;
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(profile, extensions.get());
  if (!config.ok()) return config.status();
  return AskSnapshot(snapshot, *config, changes);
}

bool PublishesShares(const Snapshot& snapshot, std::string_view profile,
                     const Extensions* extensions) {
  const DefaultFloats floats;
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(profile, extensions);
  if (!config.ok()) return false;
  // A question that is refused is about shares that only a cycle has.
  const absl::StatusOr<Outlook> outlook = AskSnapshot(snapshot, *config, {});
  return !outlook.ok() || outlook->divides;
}

absl::StatusOr<Outlook> WhatIf(Cluster& cluster, std::string_view profile,
                               std::span<const WhatIfChange> changes,
                               std::shared_ptr<const Extensions> extensions) {
  const DefaultFloats floats;
  if (IsLost(ImplOf(cluster))) return LostError();
  const CycleGuard guard(ImplOf(cluster));
  ScheduleOptions options;
  options.extensions = std::move(extensions);
  const absl::StatusOr<Sessions::Kept*> kept = KeptSession(ImplOf(cluster), profile, options);
  if (!kept.ok()) return kept.status();
  if (absl::Status s = CheckShares((*kept)->config); !s.ok()) return s;
  const absl::StatusOr<const Tables*> tables = CycleTables(**kept, TablesOf(cluster));
  if (!tables.ok()) return tables.status();
  return Ask(**tables, (*kept)->session->SyncedBooks(**tables), (*kept)->config, changes);
}

}  // namespace muster
