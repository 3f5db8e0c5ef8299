// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/records.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/quantity_decimal.h"
#include "lib/base/strings.h"

namespace muster::condor {
namespace {

constexpr std::string_view kClockRow = "clock", kCustomerRow = "u/", kGroupRow = "g/";
constexpr double kUnset = -1;
constexpr double kBestPriority = 0.5;

// Records of the histories of queues, for customers without one.
void ReadHistories(const Tables& tables, const PoolSettings& settings,
                   HashMap<std::string, CustomerRecord>* records, int64_t* as_of) {
  for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
    const QueueSpec& queue = tables.queues.spec[q];
    if (!tables.queues.alive[q] || !queue.history) continue;
    for (const UsageEntry& entry : queue.history->entries) {
      if (!entry.priority) continue;
      *as_of = std::max(*as_of, queue.history->as_of);
      const JobSpec job{.owner = JobOwner{.user = entry.user}};
      const std::string& group = settings.group_of[q];
      const std::string customer =
          !entry.user.empty() ? settings.SubmitterOf(q, settings.UserOf(job), /*is_nice=*/false)
          : group.empty()     ? std::string(kRootName)
                              : group;
      const auto [record, is_new] = records->try_emplace(customer);
      if (!is_new) continue;
      record->second.priority =
          SixDecimals(std::max(kBestPriority, QuantityDecimal(entry.priority->text)));
      record->second.factor = SixDecimals(std::max(1.0, QuantityDecimal(entry.factor.text)));
    }
  }
}

CustomerRecord RecordOf(const MemorySlot& slot, std::string_view key) {
  CustomerRecord record;
  const auto set = [&](size_t cell, std::optional<double>* value) {
    if (const double number = slot.Real(key, cell, kUnset); number >= 0) *value = number;
  };
  set(0, &record.priority);
  set(1, &record.factor);
  set(2, &record.weighted_accumulated);
  record.weighted_used = slot.Real(key, 3);
  record.weighted_uncharged = slot.Real(key, 4);
  record.accumulated = slot.Real(key, 5);
  record.uncharged = slot.Real(key, 6);
  record.hierarchical = slot.Real(key, 7);
  record.used = slot.Integer(key, 8);
  return record;
}

bool DecidesNothing(const CustomerRecord& record) {
  return record.priority.value_or(kBestPriority) <= kBestPriority && record.weighted_used == 0 &&
         record.weighted_uncharged == 0 && record.uncharged == 0 && record.hierarchical == 0 &&
         record.used == 0;
}

}  // namespace

void Recall(const MemorySlot& slot, const Tables& tables, const PoolSettings& settings, int64_t now,
            Negotiator* negotiator) {
  HashMap<std::string, CustomerRecord> records;
  for (const auto& [key, row] : slot.rows()) {
    if (key.starts_with(kCustomerRow)) {
      records.try_emplace(key.substr(kCustomerRow.size()), RecordOf(slot, key));
    } else if (key.starts_with(kGroupRow)) {
      const GroupIndex g = negotiator->tree().Find(std::string_view(key).substr(kGroupRow.size()));
      if (g != kNoGroup) negotiator->tree().group(g).rr_time = slot.Integer(key);
    }
  }
  const bool knows_clock = slot.Find(kClockRow) != nullptr;
  int64_t as_of = INT64_MIN;
  ReadHistories(tables, settings, &records, &as_of);
  int64_t clock = as_of == INT64_MIN ? now : std::min(now, as_of);
  if (knows_clock) clock = slot.Integer(kClockRow);
  for (const Group& group : negotiator->tree().groups()) records.try_emplace(group.name);
  Accountant& accountant = negotiator->accountant();
  accountant.Restore(clock, std::move(records));
  for (const CustomerSettings& c : settings.factors) accountant.SetFactor(c.customer, c.value);
  for (const CustomerSettings& c : settings.ceilings) {
    accountant.SetCeiling(c.customer, static_cast<int64_t>(c.value));
  }
  for (const CustomerSettings& c : settings.floors) {
    accountant.SetFloor(c.customer, static_cast<int64_t>(c.value));
  }
}

void Remember(Negotiator* negotiator, MemorySlot* slot) {
  slot->EraseIf([](std::string_view) { return true; });
  const Accountant& accountant = negotiator->accountant();
  slot->Set(kClockRow, {accountant.last_update()});
  for (const auto& [customer, record] : accountant.records()) {
    if (DecidesNothing(record)) continue;
    slot->Set(absl::StrCat(ToAbsl(kCustomerRow), customer),
              {record.priority.value_or(kUnset), record.factor.value_or(kUnset),
               record.weighted_accumulated.value_or(kUnset), record.weighted_used,
               record.weighted_uncharged, record.accumulated, record.uncharged, record.hierarchical,
               record.used});
  }
  for (const Group& group : negotiator->tree().groups()) {
    if (group.rr_time == 0) continue;
    slot->Set(absl::StrCat(ToAbsl(kGroupRow), group.name), {group.rr_time});
  }
}

}  // namespace muster::condor
