// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The rules of what few queues, jobs and groups have: quota by flavor, users, counts, admissions.
#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "lib/base/hash_map.h"
#include "lib/model/check_word.h"
#include "lib/model/tables.h"
#include "lib/model/validate.h"
#include "lib/model/words.h"
#include "muster/quantity.h"

namespace muster {
namespace {

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Amounts of a flavor, of resources that its group has.
void CheckQuotaAmounts(const char* where, const Resources& amounts, const ResourceGroup& group,
                       Checker& check) {
  check.Resources(where, amounts, Checker::Use::kCompared);
  for (const auto& [name, amount] : amounts) {
    if (Contains(group.resources, name)) continue;
    check.Fail(where, name, "is not a resource of its group; must be one of `resources`");
  }
}

void CheckResourceGroups(const std::vector<ResourceGroup>& groups, Checker& check) {
  Checker::Distinct resources(check, "resource"), flavors(check, "flavor");
  for (const ResourceGroup& group : groups) {
    if (group.resources.empty()) check.Fail("a resource group has no resources; must be 1 or more");
    for (const std::string& name : group.resources) {
      check.Name("resource", name);
      resources.Add(name);
    }
    for (const FlavorQuota& quota : group.flavors) {
      check.Name("flavor", quota.flavor);
      flavors.Add(quota.flavor);
      CheckQuotaAmounts("nominal", quota.nominal, group, check);
      CheckQuotaAmounts("borrow_limit", quota.borrow_limit, group, check);
      CheckQuotaAmounts("lend_limit", quota.lend_limit, group, check);
    }
  }
}

void CheckScope(const char* what, VictimScope scope, std::initializer_list<VictimScope> valid,
                Checker& check) {
  std::string words;
  for (const VictimScope one : valid) {
    if (one == scope) return;
    absl::StrAppend(&words, words.empty() ? "" : ", ", ToAbsl(Word(one)));
  }
  check.Fail(
      absl::StrCat("preemption, ", what, " is ", ToAbsl(Word(scope)), "; must be one of ", words));
}

void CheckPreemption(const PreemptionRules& rules, Checker& check) {
  using enum VictimScope;
  CheckWord(rules.within_queue, check);
  CheckWord(rules.reclaim, check);
  CheckWord(rules.while_borrowing, check);
  CheckWord(rules.fence, check);
  CheckScope("within_queue", rules.within_queue,
             {kNever, kLowerPriority, kLowerOrNewerEqualPriority}, check);
  CheckScope("reclaim", rules.reclaim, {kNever, kLowerPriority, kAny}, check);
  CheckScope("while_borrowing", rules.while_borrowing, {kNever, kLowerPriority}, check);
  check.Span("preempt_min_runtime", rules.preempt_min_runtime);
  check.Span("reclaim_min_runtime", rules.reclaim_min_runtime);
  check.Span("delay", rules.delay);
  check.Span("quota_delay", rules.quota_delay);
}

void CheckPartitionShare(const PartitionShare& share, Checker& check) {
  if (!share.partition.empty()) check.Name("partition", share.partition);
  const auto number = [&](const char* where, const std::optional<Quantity>& quantity) {
    if (quantity) CheckNumber(where, share.partition, *quantity, check);
  };
  number("capacity of partition", share.capacity);
  number("max_capacity of partition", share.max_capacity);
  number("weight of partition", share.weight);
  if (share.capacity && share.weight) {
    check.Fail("partition", share.partition, "has a capacity and a weight; must be one of them");
  }
  if (share.guaranteed) {
    check.Resources("guaranteed of partition", *share.guaranteed, Checker::Use::kCompared);
  }
  if (share.limit) check.Resources("limit of partition", *share.limit, Checker::Use::kCompared);
}

void CheckSpending(const SpendingRules& spending, Checker& check) {
  Checker::Distinct resources(check, "price of resource");
  for (const auto& [name, price] : spending.prices) {
    check.Name("price of resource", name);
    resources.Add(name);
    CheckNumber("price of resource", name, price, check);
  }
  if (spending.limit) CheckNumber("spending", "limit", *spending.limit, check);
  if (spending.hourly_limit) {
    CheckNumber("spending", "hourly_limit", *spending.hourly_limit, check);
  }
  check.Text("period of spending", spending.period);
}

// A part of a group's count.
void CheckCountPart(const GroupSpec& group, const char* what, int64_t part, int64_t whole,
                    Checker& check) {
  if (part >= 0 && part <= whole) return;
  check.Fail("group", group.name,
             absl::StrCat("by_count, ", what, " is ", part, "; must be 0 to ", whole));
}

}  // namespace

void CheckQueueRules(const QueueRules& rules, Checker& check) {
  CheckResourceGroups(rules.groups, check);
  if (rules.fair_weight) CheckNumber("rules", "fair_weight", *rules.fair_weight, check);
  check.Resources("over_quota_weight", rules.over_quota_weight, Checker::Use::kCompared);
  CheckPreemption(rules.preemption, check);
  CheckWord(rules.strategy, check);
  CheckWord(rules.stop, check);
  CheckWord(rules.flavor_search.when_borrowing, check);
  CheckWord(rules.flavor_search.when_preempting, check);
  CheckWord(rules.flavor_search.preference, check);
  if (rules.namespaces) CheckSelector(*rules.namespaces, "namespaces", check);
  Checker::Distinct checks(check, "check"), partitions(check, "partition");
  for (const AdmissionCheck& one : rules.checks) {
    check.Name("check", one.name);
    checks.Add(one.name);
    for (const std::string& flavor : one.flavors) check.Name("flavor of check", flavor);
  }
  for (const PartitionShare& share : rules.partitions) {
    CheckPartitionShare(share, check);
    partitions.Add(share.partition);
  }
  if (rules.spending) CheckSpending(*rules.spending, check);
}

void CheckUserRules(const UserRules& rules, Checker& check) {
  Checker::Distinct users(check, "user"), groups(check, "group of users");
  for (const UserLimit& limit : rules.limits) {
    const char* where = limit.group ? "group of users" : "user";
    check.Name(where, limit.name);
    (limit.group ? groups : users).Add(limit.name);
    if (limit.limit) {
      check.Resources(limit.group ? "limit of group" : "limit of user", *limit.limit,
                      Checker::Use::kCompared);
    }
    if (limit.max_jobs && *limit.max_jobs < 0) {
      check.Fail(where, limit.name,
                 absl::StrCat("max_jobs is ", *limit.max_jobs, "; must be 0 or more"));
    }
    CheckNumber(limit.group ? "weight of group" : "weight of user", limit.name, limit.weight,
                check);
  }
  if (rules.least_percent) CheckNumber("users", "least_percent", *rules.least_percent, check);
  if (rules.factor) CheckNumber("users", "factor", *rules.factor, check);
}

void CheckOwner(const JobOwner& owner, Checker& check) {
  check.Name("user", owner.user);
  Checker::Distinct groups(check, "group of users");
  for (const std::string& group : owner.groups) {
    check.Name("group of users", group);
    groups.Add(group);
  }
}

namespace {

void CheckLevels(const std::optional<TopologyLevels>& levels, Checker& check) {
  if (!levels.has_value()) return;
  check.Name("topology", levels->topology);
  check.Text("required", levels->required);
  check.Text("preferred", levels->preferred);
}

// Checks that parents exist and that none is below itself. O(groups): each way up ends at a group
// that was looked at before.
void CheckTree(const std::vector<SubGroupSpec>& groups, Checker& check) {
  HashMap<absl::string_view, size_t> places;
  for (size_t i = 0; i < groups.size(); ++i) places.try_emplace(groups[i].name, i);
  std::vector<size_t> way_of(groups.size(), 0);  // by group: the way, from 1, that first met it
  for (size_t i = 0; i < groups.size(); ++i) {
    for (size_t at = i; way_of[at] == 0;) {
      way_of[at] = i + 1;
      if (!groups[at].place || groups[at].place->parent.empty()) break;
      const std::string& parent = groups[at].place->parent;
      const auto above = places.find(parent);
      if (above == places.end()) {
        check.Fail("sub-group", groups[at].name,
                   absl::StrCat("parent ", Quote(parent), " does not exist"));
        return;
      }
      at = above->second;
      if (way_of[at] == i + 1) {
        check.Fail("sub-group", groups[i].name, "is below itself");
        return;
      }
    }
  }
}

}  // namespace

void CheckGang(const JobSpec& job, Checker& check) {
  const auto at_least_0 = [&](const char* where, std::string_view what, const char* field,
                              const std::optional<int64_t>& number) {
    if (number.value_or(0) >= 0) return;
    check.Fail(where, what, absl::StrCat(field, " is ", *number, "; must be 0 or more"));
  };
  for (const SubGroupSpec& group : job.sub_groups) {
    if (!group.place) continue;
    at_least_0("sub-group", group.name, "min_sub_groups", group.place->min_sub_groups);
    CheckLevels(group.place->levels, check);
  }
  CheckTree(job.sub_groups, check);
  if (!job.gang) return;
  at_least_0("gang", job.name, "min_sub_groups", job.gang->min_sub_groups);
  check.Time("gang, started", job.gang->started);
  check.Time("gang, evicted", job.gang->evicted);
  check.Time("gang, stale_since", job.gang->stale_since);
  check.Span("gang, staleness_grace", job.gang->staleness_grace, -kMaxTime);
  check.Span("gang, preemption_delay", job.gang->preemption_delay);
  CheckLevels(job.gang->levels, check);
  if (!job.gang->elastic) return;
  const ElasticSize& size = *job.gang->elastic;
  at_least_0("elastic", job.name, "least", size.least);
  const int64_t most_at_least = std::max<int64_t>(size.least.value_or(0), 1);
  if (size.most.value_or(most_at_least) < most_at_least) {
    check.Fail("elastic", job.name,
               absl::StrCat("most is ", *size.most, "; must be ", most_at_least, " or more"));
  }
}

void CheckByCount(const GroupSpec& group, Checker& check) {
  const ByCount& tasks = *group.by_count;
  const auto fail = [&](auto... rule) {
    check.Fail("group", group.name, absl::StrCat("by_count, ", rule...));
  };
  if (group.count != 0) {
    check.Fail("group", group.name,
               absl::StrCat("count is ", group.count, " beside by_count; must be 0"));
  }
  if (tasks.count < 1 || tasks.count > kMaxRows) {
    fail("count is ", tasks.count, "; must be 1 to ", kMaxRows);
    return;
  }
  if (tasks.min_count) CheckCountPart(group, "min_count", *tasks.min_count, tasks.count, check);
  if (tasks.parallelism && *tasks.parallelism < 1) {
    fail("parallelism is ", *tasks.parallelism, "; must be 1 or more");
  }
  CheckCountPart(group, "admitted", tasks.admitted, tasks.count, check);
  CheckCountPart(group, "running", tasks.running, tasks.admitted, check);
  CheckCountPart(group, "succeeded", tasks.succeeded, kMaxRows, check);
  CheckCountPart(group, "failed", tasks.failed, kMaxRows, check);
}

void CheckPlaces(const GroupAdmission& group, Checker& check) {
  constexpr size_t kMostValues = 16;
  constexpr int64_t kMostTasks = std::numeric_limits<int32_t>::max();
  std::vector<std::string> names;
  for (const AssignedPlace& place : group.places) names.push_back(absl::StrJoin(place.values, ","));
  Checker::Distinct known(check, "place");
  for (size_t p = 0; p < group.places.size(); ++p) {
    const AssignedPlace& place = group.places[p];
    if (place.values.empty() || place.values.size() > kMostValues) {
      check.Fail(
          "place of group", group.group,
          absl::StrCat("has ", place.values.size(), " values; must have 1 to ", kMostValues));
    }
    for (const std::string& value : place.values) check.Text("value of a place", value);
    if (place.count < 1 || place.count > kMostTasks) {
      check.Fail("place", names[p],
                 absl::StrCat("count is ", place.count, "; must be 1 to ", kMostTasks));
    }
    known.Add(names[p]);
  }
}

void CheckAdmission(const JobSpec& job, Checker& check) {
  if (!job.admission) return;
  check.Text("admission", job.admission->queue);
  check.Time("admission, time", job.admission->time);
  HashSet<absl::string_view> of_job;
  for (const GroupSpec& group : job.groups) of_job.insert(group.name);
  Checker::Distinct groups(check, "admission of group");
  for (const GroupAdmission& group : job.admission->groups) {
    const char* where = "admission of group";
    groups.Add(group.group);
    const bool unnamed = group.group.empty();  // every job has that one
    if (!unnamed && !of_job.contains(group.group)) {
      check.Fail(where, group.group, "does not exist; must be a group of the job");
    }
    if (group.count < 0) {
      check.Fail(where, group.group, absl::StrCat("count is ", group.count, "; must be 0 or more"));
    }
    Checker::Distinct resources(check, "flavor of resource");
    for (const auto& [resource, flavor] : group.flavors) {
      check.Name("flavor of resource", resource);
      check.Name("flavor", flavor);
      resources.Add(resource);
    }
    CheckPlaces(group, check);
  }
}

}  // namespace muster
