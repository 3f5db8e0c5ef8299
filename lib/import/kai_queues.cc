// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// KAI's queues. They count cpu in thousandths, memory in 10^6 bytes and GPUs in devices; -1 is no
// limit, and what is not given is 0.
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/amounts.h"
#include "lib/import/kai.h"

namespace muster::kai {
namespace {

constexpr int32_t kQueuePriority = 100;

struct Counted {
  std::string_view key;        // in the queue
  std::string_view dimension;  // in a scenario
  int64_t units, parts;        // one is so many units, or parts of a unit
};
constexpr Counted kCounted[] = {
    {"cpu", "cpu", 1, 1000}, {"memory", "memory", 1'000'000, 1}, {"gpu", "nvidia.com/gpu", 1, 1}};

// The number of a field, in billionths of one; nothing for -1.
std::optional<ExactAmount> NumberOf(const Field& field) {
  if (!field.given()) return ExactAmount(0);
  double number = 0;
  if (absl::SimpleAtod(field.ScalarText(), &number) && number == -1) return std::nullopt;
  return ReadAmount(field);
}

void ReadResources(const Field& resources, QueueSpec* queue) {
  queue->deserved = Resources();
  queue->limit = Resources();
  for (const Counted& counted : kCounted) {
    const Field own = resources.Section(counted.key);
    const std::string name(counted.dimension);
    const auto set = [&](std::string_view key, Resources* amounts) {
      const std::optional<ExactAmount> number = NumberOf(own[key]);
      if (!number) return;
      const ExactAmount amount = *number * counted.units / counted.parts;
      amounts->emplace_back(name, ToQuantity(name, amount));
    };
    set("quota", &*queue->deserved);
    set("limit", &*queue->limit);
    // A negative weight has no effect.
    const Field weight = own["overQuotaWeight"];
    const bool none = !weight.given() || weight.ScalarText().starts_with('-');
    queue->rules->over_quota_weight.emplace_back(
        name, ToQuantity("weight", none ? ExactAmount(0) : ReadAmount(weight)));
  }
}

QueueSpec ReadQueue(const ApiObject& object, const Field& spec) {
  QueueSpec queue{.name = object.name()};
  queue.rules = QueueRules();
  queue.parent = spec.Text("parentQueue");
  queue.priority = spec.Int32("priority", kQueuePriority);
  queue.created = object.created();
  ReadResources(spec.Section("resources"), &queue);
  PreemptionRules& preemption = queue.rules->preemption;
  preemption.preempt_min_runtime = spec.Duration("preemptMinRuntime");
  preemption.reclaim_min_runtime = spec.Duration("reclaimMinRuntime");
  spec.Quiet({"displayName"});
  return queue;
}

}  // namespace

void AddQueues(const ImportSource& source, const Shard& shard, ClusterSpec* cluster) {
  HashSet<std::string> names;
  std::vector<QueueSpec> rows;
  for (const ApiObject* object : SortedByName(source.dump.OfKind("Queue"))) {
    if (!shard.Has(*object)) continue;
    object->spec().ReadWhole([&](const Field& spec) { rows.push_back(ReadQueue(*object, spec)); });
    names.insert(object->name());
  }
  for (bool all_found = false; !all_found;) {
    all_found = true;
    std::vector<QueueSpec> kept;
    for (QueueSpec& row : rows) {
      if (row.parent.empty() || names.contains(row.parent)) {
        kept.push_back(std::move(row));
        continue;
      }
      source.log->LeftOut(absl::StrCat("Queue ", row.name), "spec.parentQueue",
                          absl::StrCat("queue ", Quote(row.parent), " is not there"));
      names.erase(row.name);
      all_found = false;
    }
    rows = std::move(kept);
  }
  for (QueueSpec& row : rows) cluster->queues.push_back(std::move(row));
}

}  // namespace muster::kai
