// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policies that decide whether a job may be admitted: overcommit, resourcequota and sla.
#include <map>
#include <string>

#include "lib/reference/peer/volcano/volcano.h"
#include "muster/quantity.h"

namespace muster::reference {

namespace {

// What overcommit keeps: what may still be promised, and what was promised.
struct OvercommitBooks {
  Amount idle, inqueue;
};

// What resourcequota keeps: what was admitted in this cycle, by namespace.
struct QuotaBooks {
  std::map<std::string, Row> admitted;
};

void OpenOvercommit(Cycle& cycle, const ReferencePolicy& policy) {
  OvercommitBooks& kept = cycle.kept.Of<OvercommitBooks>();
  kept.idle = kept.inqueue = Amount(cycle.world.dimensions());
  double factor = NumberOption(policy, "factor", 1.2);
  if (factor < 1.0) factor = 1.2;
  Row used(cycle.world.dimensions(), 0);
  for (NodeIndex n : cycle.world.session_nodes()) AddTo(used, cycle.world.used[n], 1);
  kept.idle = Minus(Times(cycle.total, factor), AmountOfBooks(used));
  for (JobIndex j : cycle.world.session_jobs()) {
    if (Admitted(cycle, j)) {
      kept.inqueue = Plus(kept.inqueue, WithoutGated(cycle, j, MinResources(cycle, j)));
    } else if (RunsWithItsMinimum(cycle, j)) {
      kept.inqueue = Plus(kept.inqueue, WithoutGated(cycle, j, Outstanding(cycle, j)));
    }
  }
}

int VoteOvercommit(const Cycle& cycle, const ReferencePolicy&, JobIndex job) {
  const OvercommitBooks& kept = cycle.kept.Of<OvercommitBooks>();
  const Amount minimum = MinResources(cycle, job);
  const Amount wanted = Plus(kept.inqueue, minimum);
  return WithinRequested(wanted, kept.idle, minimum) ? 1 : -1;
}

void NoteOvercommit(Cycle& cycle, const ReferencePolicy&, JobIndex, const Amount& reserved) {
  Amount& inqueue = cycle.kept.Of<OvercommitBooks>().inqueue;
  inqueue = Plus(inqueue, reserved);
}

std::string NamespaceOf(const Cycle& cycle, JobIndex job) {
  const std::string& name = cycle.tables().jobs.spec[job].name;
  const size_t slash = name.find('/');
  return slash == std::string::npos ? "default" : name.substr(0, slash);
}

std::optional<int64_t> Said(const Resources& resources, const std::string& name) {
  for (const auto& [dimension, quantity] : resources) {
    if (dimension != name) continue;
    return ParseQuantity(quantity.text, IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole)
        .value_or(0);
  }
  return std::nullopt;
}

int VoteQuota(const Cycle& cycle, const ReferencePolicy&, JobIndex job) {
  const QuotaBooks& kept = cycle.kept.Of<QuotaBooks>();
  const auto minimum = cycle.tables().jobs.min_resources.row(job);
  const std::string name_space = NamespaceOf(cycle, job);
  const auto admitted = kept.admitted.find(name_space);
  for (const NamespaceSpec& spec : cycle.tables().namespaces) {
    if (spec.name != name_space) continue;
    for (const QuotaSpec& quota : spec.quotas) {
      for (DimensionIndex d = 0; d < minimum.size(); ++d) {
        const std::string dimension(cycle.tables().dimensions.name(d));
        const std::optional<int64_t> hard = Said(quota.hard, dimension);
        if (minimum[d] == kAbsent || !hard) continue;
        int64_t usage = Said(quota.used, dimension).value_or(0) + minimum[d];
        if (admitted != kept.admitted.end()) usage += admitted->second[d];
        if (usage > *hard) return -1;
      }
    }
  }
  return 1;
}

void NoteQuota(Cycle& cycle, const ReferencePolicy&, JobIndex job, const Amount&) {
  Row& admitted = cycle.kept.Of<QuotaBooks>().admitted[NamespaceOf(cycle, job)];
  admitted.resize(cycle.world.dimensions(), 0);
  AddTo(admitted, cycle.tables().jobs.min_resources.row(job), 1);
}

// When the job must be served at the latest, if ever.
std::optional<int64_t> DueTime(const Cycle& cycle, const ReferencePolicy& sla, JobIndex job) {
  const JobSpec& spec = cycle.tables().jobs.spec[job];
  int64_t waits = spec.waiting_time.value_or(0);
  if (waits == 0) waits = static_cast<int64_t>(NumberOption(sla, "waiting_time", 0));
  if (waits == 0) return std::nullopt;
  return spec.created + waits;
}

int CompareDueTimes(const Cycle& cycle, const ReferencePolicy& sla, JobIndex l, JobIndex r) {
  const auto sign = [](bool left, bool right) { return left ? -1 : right ? 1 : 0; };
  const auto left = DueTime(cycle, sla, l), right = DueTime(cycle, sla, r);
  if (left && right) return sign(*left < *right, *right < *left);
  return sign(left.has_value() && !right, right.has_value() && !left);
}

bool IsDue(const Cycle& cycle, const ReferencePolicy& sla, JobIndex job) {
  const auto due = DueTime(cycle, sla, job);
  return due && cycle.now >= *due;
}

int AdmitDue(const Cycle& cycle, const ReferencePolicy& sla, JobIndex job) {
  return IsDue(cycle, sla, job) ? 1 : 0;
}

std::optional<bool> WaitsWhenDue(const Cycle& cycle, const ReferencePolicy& sla, JobIndex job) {
  return IsDue(cycle, sla, job) ? std::optional<bool>(true) : std::nullopt;
}

}  // namespace

PolicyTwins AdmissionPolicies() {
  PolicyTwin overcommit;
  overcommit.name = "overcommit";
  overcommit.open = OpenOvercommit;
  overcommit.admit = VoteOvercommit;
  overcommit.admitted = NoteOvercommit;
  PolicyTwin quota;
  quota.name = "resourcequota";
  quota.admit = VoteQuota;
  quota.admitted = NoteQuota;
  PolicyTwin sla;
  sla.name = "sla";
  sla.job_order = CompareDueTimes;
  sla.admit = AdmitDue;
  sla.pipelined = WaitsWhenDue;
  return {overcommit, quota, sla};
}

}  // namespace muster::reference
