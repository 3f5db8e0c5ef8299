// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/usage_memory.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/peer/kueue/job_settings.h"
#include "muster/quantity.h"

namespace muster::kueue {
namespace {

constexpr std::string_view kQueueRow = "queue/", kJobRow = "job/";
constexpr size_t kCellsOfAmount = 3;  // resource, whole units, billionths
constexpr int kDecimals = 9;
constexpr size_t kMostDigits = 18;
constexpr char kPenaltyOfHistory[] = "";  // no workload has this name

// Amounts of the quota count thousandths of cpu and whole units of all else.
Billionths OfAmount(std::string_view resource, int64_t amount) {
  return Billionths(amount) * (resource == "cpu" ? kOne / 1000 : kOne);
}

// Digits with a point and up to nine decimals are read exactly, all else in thousandths.
Billionths OfText(std::string_view text) {
  const size_t point = std::min(text.find('.'), text.size());
  const std::string_view decimals = text.substr(std::min(point + 1, text.size()));
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (point <= kMostDigits && decimals.size() <= kDecimals &&
      std::ranges::all_of(text.substr(0, point), is_digit) &&
      std::ranges::all_of(decimals, is_digit)) {
    Billionths amount = 0;
    for (const char c : text.substr(0, point)) amount = amount * 10 + (c - '0');
    for (const char c : decimals) amount = amount * 10 + (c - '0');
    for (size_t i = decimals.size(); i < kDecimals; ++i) amount *= 10;
    return amount;
  }
  if (const auto thousandths = ParseQuantity(text, Unit::kMilli); thousandths.ok()) {
    return Billionths(*thousandths) * (kOne / 1000);
  }
  const auto whole = ParseQuantity(text, Unit::kWhole);
  return whole.ok() ? Billionths(*whole) * kOne : Billionths(0);
}

UsedAmounts OfResources(const Resources& resources) {
  UsedAmounts amounts;
  for (const auto& [resource, amount] : resources) amounts[resource] = OfText(amount.text);
  return amounts;
}

void Append(const UsedAmounts& amounts, MemoryRow* row) {
  for (const auto& [resource, amount] : amounts) {
    if (amount == 0) continue;
    row->emplace_back(resource);
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    row->emplace_back(static_cast<int64_t>(std::min<Billionths>(amount / kOne, kMost)));
    row->emplace_back(static_cast<int64_t>(amount % kOne));
  }
}

// The amounts behind the first cell of the row.
UsedAmounts ReadAmounts(const MemorySlot& slot, std::string_view key, size_t cells) {
  UsedAmounts amounts;
  for (size_t i = 1; i + kCellsOfAmount <= cells; i += kCellsOfAmount) {
    const std::string_view resource = slot.Text(key, i);
    const int64_t whole = slot.Integer(key, i + 1), rest = slot.Integer(key, i + 2);
    if (resource.empty() || whole < 0 || rest < 0 || rest >= kOne) continue;
    amounts[std::string(resource)] = Billionths(whole) * kOne + rest;
  }
  return amounts;
}

bool IsZero(const UsedAmounts& amounts) {
  return std::ranges::all_of(amounts, [](const auto& a) { return a.second == 0; });
}

}  // namespace

UsageMemory::UsageMemory(const Tables& tables, World* world) : world_(world) {
  for (size_t q = 0; q < tables.queues.alive.size(); ++q) {
    const QueueSpec& queue = tables.queues.spec[q];
    if (tables.queues.alive[q] && queue.rules && queue.rules->by_usage) ReadQueue(queue);
  }
  for (const WorkloadRow& row : world_->workloads) {
    if (Counts(row)) RecordOf(world_->local_queues[row.local_queue]).named = true;
  }
}

UsageMemory::Record& UsageMemory::RecordOf(std::string_view local_queue) {
  const uint32_t number = world_->LocalQueue(local_queue);
  if (number >= records_.size()) records_.resize(number + 1);
  return records_[number];
}

void UsageMemory::ReadQueue(const QueueSpec& queue) {
  const QueueSettings settings = ReadSettings(queue).value_or(QueueSettings());
  for (const auto& [name, weight] : settings.weights) {
    Record& record = RecordOf(name);
    record.weight = weight;
    record.named = true;
  }
  if (!queue.history) return;
  for (const UsageEntry& entry : queue.history->entries) {
    if (entry.user.empty()) continue;
    Record& record = RecordOf(entry.user);
    record.usage.set_history(OfResources(entry.amounts));
    if (!entry.penalty.empty()) {
      record.usage.Push(kPenaltyOfHistory, OfResources(entry.penalty));
    }
    record.as_of = queue.history->as_of;
    record.named = true;
  }
}

void UsageMemory::Recall(const MemorySlot& slot) {
  for (const auto& [key, row] : slot.rows()) {
    if (!key.starts_with(kQueueRow) || row.empty()) continue;
    Record& record = RecordOf(std::string_view(key).substr(kQueueRow.size()));
    const int64_t as_of = slot.Integer(key);
    if (record.as_of && *record.as_of > as_of) continue;
    record.usage.Take(kPenaltyOfHistory);
    record.usage.set_history(ReadAmounts(slot, key, row.size()));
    record.as_of = as_of;
    record.settled = true;
  }
  for (const auto& [key, row] : slot.rows()) {
    if (!key.starts_with(kJobRow) || row.empty()) continue;
    Record& record = RecordOf(slot.Text(key));
    record.usage.Push(key.substr(kJobRow.size()), ReadAmounts(slot, key, row.size()));
  }
}

bool UsageMemory::Counts(const WorkloadRow& row) const {
  return row.alive && row.local_queue != 0 && row.queue != kNothing &&
         world_->queues[row.queue].by_usage;
}

UsedAmounts UsageMemory::RequestsOf(const WorkloadRow& row) const {
  UsedAmounts requests;
  for (const PodSet& pod_set : row.pod_sets) {
    for (const ResourceAmount& r : pod_set.requests) {
      if (world_->config.ignores_undeclared && world_->GroupOf(row.queue, r.resource) == nullptr) {
        continue;
      }
      const std::string& name = world_->resources[r.resource];
      requests[name] += OfAmount(name, r.amount);
    }
  }
  return requests;
}

void UsageMemory::AddUsage(const WorkloadRow& row, UsedAmounts* used) const {
  for (const CellAmount& u : row.usage) {
    const std::string& name = world_->resources[world_->resource_of(u.cell)];
    (*used)[name] += OfAmount(name, u.amount);
  }
}

void UsageMemory::Decay(const UsedAmounts& used, Record* record) const {
  const int64_t before = record->as_of.value_or(world_->now);
  const double elapsed =
      before < world_->now ? static_cast<double>(world_->now) - static_cast<double>(before) : 0;
  record->usage.Settle(used, elapsed, world_->config.usage_half_life);
  record->as_of = std::max(before, world_->now);
  record->settled = true;
}

std::vector<std::string> UsageMemory::TakeFolds(Record* record) const {
  std::vector<std::string> folds, drops;
  for (const auto& [workload, penalty] : record->usage.penalties()) {
    const WorkloadIndex w = world_->FindWorkload(workload);
    const bool holds = w != kNothing && world_->workloads[w].holds;
    if (workload == kPenaltyOfHistory || (holds && !world_->workloads[w].open_checks)) {
      folds.push_back(workload);
    } else if (!holds) {
      drops.push_back(workload);
    }
  }
  for (const std::string& workload : drops) record->usage.Take(workload);
  return folds;
}

void UsageMemory::Settle() {
  RecordOf("");
  records_.resize(std::max(records_.size(), world_->local_queues.size()));
  values_.assign(records_.size(), 0);
  std::vector<UsedAmounts> used(records_.size());
  for (const WorkloadRow& row : world_->workloads) {
    if (Counts(row) && row.holds && !row.open_checks) AddUsage(row, &used[row.local_queue]);
  }
  for (uint32_t q = 1; q < records_.size(); ++q) {
    Record& record = records_[q];
    const std::vector<std::string> folds = TakeFolds(&record);
    const double since =
        static_cast<double>(world_->now) - static_cast<double>(record.as_of.value_or(world_->now));
    if (!record.settled || !folds.empty() || since >= world_->config.usage_interval) {
      Decay(used[q], &record);
    }
    for (const std::string& workload : folds) record.usage.Fold(workload);
    Revalue(q);
  }
}

void UsageMemory::Charge(WorkloadIndex w) {
  const WorkloadRow& row = world_->workloads[w];
  if (!Counts(row)) return;
  Record& record = records_[row.local_queue];
  record.usage.Push(row.name, PenaltyOf(RequestsOf(row), world_->config.usage_interval,
                                        world_->config.usage_half_life));
  if (!row.open_checks) {
    // What is held counts for the time since usage was last brought up to date.
    const bool time_passed = record.as_of.value_or(world_->now) < world_->now;
    UsedAmounts used;
    for (const WorkloadIndex holder : world_->queues[row.queue].holders) {
      if (!time_passed) break;
      const WorkloadRow& other = world_->workloads[holder];
      if (other.local_queue == row.local_queue && !other.open_checks) AddUsage(other, &used);
    }
    Decay(used, &record);
    record.usage.Fold(row.name);
  }
  Revalue(row.local_queue);
}

void UsageMemory::Revalue(uint32_t local_queue) {
  const Record& record = records_[local_queue];
  values_[local_queue] = record.usage.Value(record.weight, world_->config.usage_weights);
}

void UsageMemory::Remember(MemorySlot* slot) const {
  slot->EraseIf([](std::string_view) { return true; });
  for (uint32_t q = 1; q < records_.size(); ++q) {
    const Record& record = records_[q];
    const std::string& name = world_->local_queues[q];
    for (const auto& [workload, penalty] : record.usage.penalties()) {
      MemoryRow row = {name};
      Append(penalty, &row);
      slot->Set(absl::StrCat(ToAbsl(kJobRow), workload), std::move(row));
    }
    if (!record.named && IsZero(record.usage.history())) continue;
    MemoryRow row = {record.as_of.value_or(world_->now)};
    Append(record.usage.history(), &row);
    slot->Set(absl::StrCat(ToAbsl(kQueueRow), name), std::move(row));
  }
}

}  // namespace muster::kueue
