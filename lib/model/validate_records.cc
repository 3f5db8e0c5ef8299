// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The rules of flavors, partitions, reservations and measured or past usage.
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/model/check_word.h"
#include "lib/model/validate.h"
#include "lib/model/words.h"

namespace muster {
namespace {

// As many levels as Kubernetes gives a topology.
constexpr size_t kMostLevels = 16;

void CheckNames(const char* where, const std::vector<std::string>& names, Checker& check) {
  Checker::Distinct distinct(check, where);
  for (const std::string& name : names) {
    check.Name(where, name);
    distinct.Add(name);
  }
}

void CheckWindows(const std::vector<UsageWindow>& windows, Checker& check) {
  Checker::Distinct distinct(check, "window");
  // Distinct keeps views, so the names outlive it.
  std::vector<std::string> names;
  names.reserve(windows.size());
  for (const UsageWindow& window : windows) {
    names.push_back(absl::StrCat(window.seconds));
    distinct.Add(names.back());
    if (window.seconds < 1) {
      check.Fail("window", names.back(), "seconds must be 1 or more");
    }
    check.Span("window, seconds", window.seconds);
    check.Resources("average", window.average, Checker::Use::kCompared);
    check.Resources("p50", window.p50, Checker::Use::kCompared);
    check.Resources("p90", window.p90, Checker::Use::kCompared);
    check.Resources("p95", window.p95, Checker::Use::kCompared);
    check.Resources("p99", window.p99, Checker::Use::kCompared);
  }
}

void CheckFlavorTopology(const FlavorTopology& topology, Checker& check) {
  check.Name("topology", topology.name);
  if (topology.levels.empty() || topology.levels.size() > kMostLevels) {
    check.Fail("topology", topology.name,
               absl::StrCat("has ", topology.levels.size(), " levels; must be 1 to ", kMostLevels));
  }
  CheckNames("topology level", topology.levels, check);
}

void CheckReservationOwner(const ReservationOwner& owner, Checker& check) {
  check.Text("owner, task", owner.task);
  check.Text("owner, job", owner.job);
  check.Text("owner, namespace", owner.name_space);
  if (owner.selector) CheckSelector(*owner.selector, "owner, selector", check);
}

}  // namespace

void CheckUsageDetail(const UsageDetail& detail, Checker& check) {
  check.Resources("usage, amounts", detail.amounts, Checker::Use::kCompared);
  check.Resources("usage, system", detail.system, Checker::Use::kCompared);
  check.Span("usage, interval", detail.interval);
  CheckWindows(detail.windows, check);
}

void CheckTaskUsage(const TaskUsage& usage, Checker& check) {
  check.Resources("usage, amounts", usage.amounts, Checker::Use::kCompared);
  check.Time("usage, measured", usage.measured);
  CheckWindows(usage.windows, check);
}

void CheckHistory(const UsageHistory& history, Checker& check) {
  check.Time("history, as_of", history.as_of);
  check.Span("history, half_life", history.half_life, 1);
  if (history.spent) CheckNumber("history", "spent", *history.spent, check);
  Checker::Distinct users(check, "history of user");
  for (const UsageEntry& entry : history.entries) {
    check.Text("history of user", entry.user);
    users.Add(entry.user);
    check.Resources("history, amounts", entry.amounts, Checker::Use::kCompared);
    check.Resources("history, penalty", entry.penalty, Checker::Use::kCompared);
    if (entry.priority) CheckNumber("priority of user", entry.user, *entry.priority, check);
    CheckNumber("factor of user", entry.user, entry.factor, check);
  }
}

void CheckLifetime(const Lifetime& lifetime, Checker& check) {
  check.Span("lifetime, max_runtime", lifetime.max_runtime);
  check.Time("lifetime, expected_end", lifetime.expected_end);
  check.Time("lifetime, checkpointed", lifetime.checkpointed);
  check.Span("lifetime, restart_cost", lifetime.restart_cost);
}

absl::Status CheckFlavor(const FlavorSpec& flavor) {
  Checker check("flavor", flavor.name);
  check.Name(flavor.name);
  check.Labels("label", flavor.node_labels);
  CheckTaints(flavor.taints, check);
  for (const Toleration& toleration : flavor.tolerations) CheckToleration(toleration, check);
  if (flavor.topology) CheckFlavorTopology(*flavor.topology, check);
  return check.status();
}

absl::Status CheckPartition(const PartitionSpec& partition) {
  Checker check("partition", partition.name);
  check.Name(partition.name);
  CheckNames("node", partition.nodes, check);
  if (partition.selector) CheckSelector(*partition.selector, "selector", check);
  CheckNames("queue", partition.queues, check);
  CheckNames("borrows", partition.borrows, check);
  return check.status();
}

absl::Status CheckReservation(const ReservationSpec& reservation) {
  Checker check("reservation", reservation.name);
  check.Name(reservation.name);
  CheckWord(reservation.phase, check);
  CheckWord(reservation.policy, check);
  const std::string phase(Word(reservation.phase));
  if (!reservation.node.empty()) check.Name("node", reservation.node);
  if (reservation.phase == ReservationPhase::kAvailable && reservation.node.empty()) {
    check.Fail(absl::StrCat("phase ", phase, " needs a node"));
  }
  if (reservation.phase == ReservationPhase::kPending && !reservation.node.empty()) {
    check.Fail(absl::StrCat("phase ", phase, " holds no node, but node ", Quote(reservation.node),
                            " is given"));
  }
  CheckShape(reservation.shape, check);
  for (const ReservationOwner& owner : reservation.owners) CheckReservationOwner(owner, check);
  CheckNames("restricted resource", reservation.restricted, check);
  check.Resources("allocated", reservation.allocated, Checker::Use::kCompared);
  CheckNames("holder", reservation.holders, check);
  CheckTaints(reservation.taints, check);
  check.AtLeast("order", reservation.order, 0);
  check.Time("expires", reservation.expires);
  check.Time("created", reservation.created);
  return check.status();
}

}  // namespace muster
