// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tools/muster/unread_fields.h"

#include <algorithm>
#include <string>

namespace muster {
namespace {

// Returns how many living rows satisfy `has`.
template <class Rows, class Has>
int64_t CountRows(const Rows& rows, const Has& has) {
  int64_t count = 0;
  for (size_t i = 0; i < rows.spec.size(); ++i) {
    if (rows.alive[i] != 0 && has(rows.spec[i])) ++count;
  }
  return count;
}

template <class Has>
int64_t CountQueueRules(const Tables& tables, const Has& has) {
  return CountRows(tables.queues, [&](const QueueSpec& q) { return q.rules && has(*q.rules); });
}

bool HasGangRules(const JobSpec& job) {
  if (!job.gang) return false;
  GangRules rest = *job.gang;
  rest.elastic.reset();
  return rest != GangRules();
}

struct FieldRule {
  std::string_view words;
  // Presets that read it, and policies with which any preset does; with blanks around each.
  std::string_view presets, policies;
  int64_t (*count)(const Tables& tables);
};

constexpr FieldRule kFieldRules[] = {
    {"quotas of flavors (rules.groups) of queues", " kueue ", "",
     [](const Tables& tables) {
       return CountQueueRules(tables, [](const QueueRules& r) { return !r.groups.empty(); });
     }},
    {"checks in rules of queues", " kueue ", "",
     [](const Tables& tables) {
       return CountQueueRules(tables, [](const QueueRules& r) { return !r.checks.empty(); });
     }},
    {"over_quota_weight in rules of queues", " kai ", "",
     [](const Tables& tables) {
       return CountQueueRules(tables,
                              [](const QueueRules& r) { return !r.over_quota_weight.empty(); });
     }},
    {"minimum run times in rules of queues", " kai ", "",
     [](const Tables& tables) {
       return CountQueueRules(tables, [](const QueueRules& r) {
         return r.preemption.preempt_min_runtime || r.preemption.reclaim_min_runtime;
       });
     }},
    {"users of queues", " yarn-capacity yarn-fair yunikorn ", "",
     [](const Tables& tables) {
       return CountRows(tables.queues, [](const QueueSpec& q) { return bool(q.users); });
     }},
    {"entries in history of queues", " htcondor kai kueue ", "",
     [](const Tables& tables) {
       return CountRows(tables.queues, [](const QueueSpec& q) {
         return q.history && !q.history->entries.empty();
       });
     }},
    {"spent in history of queues", "", " spending ",
     [](const Tables& tables) {
       return CountRows(tables.queues,
                        [](const QueueSpec& q) { return q.history && q.history->spent; });
     }},
    {"admission of jobs", " kueue ", "",
     [](const Tables& tables) {
       return CountRows(tables.jobs, [](const JobSpec& j) { return bool(j.admission); });
     }},
    {"gang of jobs", " kai ", "",
     [](const Tables& tables) { return CountRows(tables.jobs, HasGangRules); }},
    {"pod_group of jobs", " kube-scheduler ", "",
     [](const Tables& tables) {
       return CountRows(tables.jobs, [](const JobSpec& j) { return bool(j.pod_group); });
     }},
    {"bundle_strategy of jobs", " ray ", "",
     [](const Tables& tables) {
       return CountRows(tables.jobs, [](const JobSpec& j) {
         return j.bundle_strategy != BundleStrategy::kNone;
       });
     }},
    {"topologies of flavors", " kai kueue ", "",
     [](const Tables& tables) {
       return CountRows(tables.flavors, [](const FlavorSpec& f) { return bool(f.topology); });
     }},
    {"reservations", " koordinator ", "", [](const Tables& tables) {
       return CountRows(tables.reservations, [](const auto&) { return true; });
     }}};

bool Lists(std::string_view list, std::string_view name) {
  return list.find(" " + std::string(name) + " ") != list.npos;
}

}  // namespace

std::vector<UnreadField> UnreadFields(const Tables& tables, const ProfileConfig& config) {
  const std::string_view preset = std::string_view(config.name).substr(0, config.name.find(':'));
  const auto has_policy = [&](std::string_view policies) {
    return std::ranges::any_of(config.tiers, [&](const std::vector<ConfiguredPolicy>& tier) {
      return std::ranges::any_of(
          tier, [&](const ConfiguredPolicy& p) { return Lists(policies, p.decl.name); });
    });
  };
  std::vector<UnreadField> fields;
  for (const FieldRule& rule : kFieldRules) {
    if (Lists(rule.presets, preset) || has_policy(rule.policies)) continue;
    if (const int64_t rows = rule.count(tables); rows > 0) fields.push_back({rule.words, rows});
  }
  return fields;
}

}  // namespace muster
