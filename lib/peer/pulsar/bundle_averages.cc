// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/pulsar/bundle_averages.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lib/peer/pulsar/amounts.h"

namespace muster::pulsar {
namespace {

// Cells of a row.
constexpr size_t kTimeCell = 0, kSampleCell = 1, kShortCell = 5, kLongCell = 10;

Traffic TrafficAt(const MemorySlot& slot, std::string_view name, size_t cell) {
  const auto at = [&](size_t i) { return std::max(slot.Real(name, cell + i), 0.0); };
  return {at(0), at(1), at(2), at(3)};
}

void Append(const Traffic& traffic, MemoryRow* row) {
  row->insert(row->end(), {traffic.bytes_in, traffic.bytes_out, traffic.rate_in, traffic.rate_out});
}

void RestoreAt(const MemorySlot& slot, std::string_view name, size_t cell, TimeAverage* average) {
  const int64_t count = slot.Integer(name, cell);
  if (count > 0) average->Restore(TrafficAt(slot, name, cell + 1), count);
}

}  // namespace

const TaskUsage* UsageOf(const Tables& tables, TaskIndex task) {
  const auto facts = tables.tasks.facts.find(task);
  if (facts == tables.tasks.facts.end() || !facts->second.usage) return nullptr;
  const TaskUsage& usage = *facts->second.usage;
  return usage.amounts.empty() && usage.windows.empty() ? nullptr : &usage;
}

Traffic TrafficOf(const Resources& amounts) {
  return {AmountNamed(amounts, "bytes_in"), AmountNamed(amounts, "bytes_out"),
          AmountNamed(amounts, "rate_in"), AmountNamed(amounts, "rate_out")};
}

Bundle BundleAverages::Read(const Tables& tables, TaskIndex task) const {
  Bundle bundle{.name = std::string(tables.tasks.names.name(task))};
  const TaskUsage* const usage = UsageOf(tables, task);
  bundle.shortly = bundle.longly = kUnseenTraffic;
  if (usage == nullptr) return bundle;
  if (!usage->windows.empty()) {
    bundle.shortly = TrafficOf(usage->amounts);
    bundle.longly =
        TrafficOf(std::ranges::max_element(usage->windows, {}, &UsageWindow::seconds)->average);
    return bundle;
  }
  const Averages averages = Next(bundle.name, *usage);
  bundle.shortly = averages.shortly.average();
  bundle.longly = averages.longly.average();
  return bundle;
}

BundleAverages::Averages BundleAverages::Next(std::string_view name, const TaskUsage& usage) const {
  Averages averages;
  RestoreAt(before_, name, kShortCell, &averages.shortly);
  RestoreAt(before_, name, kLongCell, &averages.longly);
  const Traffic sample = TrafficOf(usage.amounts);
  const bool is_known = before_.Find(name) != nullptr && averages.shortly.count() > 0 &&
                        averages.longly.count() > 0 &&
                        before_.Integer(name, kTimeCell) == usage.measured &&
                        TrafficAt(before_, name, kSampleCell) == sample;
  if (is_known) return averages;
  averages.shortly.Add(sample);
  averages.longly.Add(sample);
  return averages;
}

void BundleAverages::Store(const Tables& tables) const {
  MemorySlot after = before_;
  HashSet<std::string_view> sampled;
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t] || !tables.has_job(t)) continue;
    const TaskUsage* const usage = UsageOf(tables, t);
    if (usage == nullptr || !usage->windows.empty()) continue;
    const std::string_view name = tables.tasks.names.name(t);
    sampled.insert(name);
    const Averages averages = Next(name, *usage);
    MemoryRow row = {usage->measured};
    Append(TrafficOf(usage->amounts), &row);
    for (const TimeAverage* const average : {&averages.shortly, &averages.longly}) {
      row.emplace_back(average->count());
      Append(average->average(), &row);
    }
    const MemoryRow* const old = before_.Find(name);
    if (old == nullptr || *old != row) after.Set(name, std::move(row));
  }
  after.EraseIf([&](std::string_view name) { return !sampled.contains(name); });
  if (after == before_) return;
  cycle_.Remember(kSampleSlot) = std::move(after);
}

}  // namespace muster::pulsar
