// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/load_books.h"

#include <algorithm>
#include <optional>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/model/settings.h"
#include "lib/peer/koordinator/setting_keys.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr size_t kResources = 2;  // cpu and memory, the first two dimensions
static_assert(kCpu == 0 && kMemory == 1);
constexpr int64_t kUnasked[kResources] = {250, 200 << 20};
constexpr int64_t kLargestLoad = int64_t{1} << 53;

// Returns so many percent, with three decimals, of the capacity.
int64_t LoadAmount(const Quantity& percent, int64_t capacity) {
  const int64_t milli = ParseQuantity(percent.text, Unit::kMilli).value_or(0);
  const absl::int128 amount = absl::int128(milli) * OrZero(capacity) / 100'000;
  return amount > kLargestLoad ? kLargestLoad : static_cast<int64_t>(amount);
}

// Returns the amount of cpu or memory; nothing where the list does not name it.
std::optional<int64_t> AmountIn(const Resources& resources, size_t d) {
  for (const auto& [name, amount] : resources) {
    if (name != (d == kCpu ? "cpu" : "memory")) continue;
    const Unit unit = d == kCpu ? Unit::kMilli : Unit::kWhole;
    return std::clamp<int64_t>(ParseQuantity(amount.text, unit).value_or(0), 0, kLargestLoad);
  }
  return std::nullopt;
}

}  // namespace

LoadSettings LoadSettings::From(const Options& options, const std::string& prefix, int64_t ticks) {
  const auto whole = [&](const char* name) {
    return static_cast<int64_t>(options.number(absl::StrCat(prefix, name)));
  };
  LoadSettings settings;
  settings.thresholds = {static_cast<int64_t>(options.number("cpu_threshold")),
                         static_cast<int64_t>(options.number("memory_threshold"))};
  settings.factors = {static_cast<int64_t>(options.number("cpu_factor")),
                      static_cast<int64_t>(options.number("memory_factor"))};
  settings.weights = {whole("cpu"), whole("memory")};
  settings.dominant = whole("dominant");
  settings.ticks = ticks;
  settings.interval = whole("interval") * ticks;
  settings.expiration = whole("expiration") * ticks;
  const std::string expired = options.text(absl::StrCat(prefix, "expired"));
  settings.expired = expired == "pass"    ? Expired::kPass
                     : expired == "trust" ? Expired::kTrust
                                          : Expired::kRefuse;
  return settings;
}

void LoadBooks::Open(const Tables& tables, const Ledger& ledger, int64_t now) {
  tables_ = &tables;
  ledger_ = &ledger;
  birth_ = 0;  // no ledger has this number
  nodes_.assign(tables.nodes.alive.size(), {});
  any_ = false;
  for (NodeIndex n = 0; n < nodes_.size(); ++n) {
    if (tables.nodes.alive[n] && tables.nodes.spec[n].usage) ReadNode(n, now);
  }
}

void LoadBooks::ReadNode(NodeIndex n, int64_t now) {
  const NodeTable& nodes = tables_->nodes;
  const NodeUsage& usage = *nodes.spec[n].usage;
  NodeBook& book = nodes_[n];
  any_ = true;
  book.is_measured = true;
  book.lists_tasks = usage.detail.has_value();
  book.is_old = SatAdd(now, -usage.measured) >= settings_.expiration;
  int64_t interval = settings_.interval;
  if (usage.detail && usage.detail->interval) {
    interval = SatMul(*usage.detail->interval, settings_.ticks);
  }
  book.seen_until = SatAdd(usage.measured, -interval);
  book.load = {LoadAmount(usage.cpu, nodes.capacity.row(n)[kCpu]),
               LoadAmount(usage.memory, nodes.capacity.row(n)[kMemory])};
  for (DimensionIndex d = 0; d < kResources; ++d) {
    book.room.push_back(OrZero(nodes.allocatable.row(n)[d]));
    if (!usage.detail) continue;
    if (const auto amount = AmountIn(usage.detail->amounts, d)) book.load[d] = *amount;
  }
  book.thresholds = settings_.thresholds;
  if (!nodes.spec[n].settings.empty()) ReadSettings(nodes.spec[n], &book);
}

void LoadBooks::ReadSettings(const NodeSpec& node, NodeBook* book) const {
  SettingReader settings("node", node.name, node.settings, "koordinator");
  for (size_t d = 0; d < kResources; ++d) {
    book->thresholds[d] =
        settings.Integer(koordinator::kNodeThresholdKeys[d], 0, 100, book->thresholds[d]);
    const auto raw = settings.Text(koordinator::kNodeRawKeys[d]);
    if (!raw) continue;
    const Unit unit = d == kCpu ? Unit::kMilli : Unit::kWhole;
    book->room[d] = std::max<int64_t>(ParseQuantity(*raw, unit).value_or(book->room[d]), 0);
  }
}

Loads LoadBooks::EstimateOf(ClassIndex c) const {
  const auto request = tables_->classes.request.row(c);
  Loads estimate;
  for (size_t d = 0; d < kResources; ++d) {
    const int64_t asked = OrZero(request[d]);
    estimate.push_back(asked == 0 ? kUnasked[d] : EstimateUse(asked, 0, settings_.factors[d]));
  }
  return estimate;
}

const TaskUsage* LoadBooks::UsageOf(TaskIndex t) const {
  const auto facts = tables_->tasks.facts.find(t);
  if (facts == tables_->tasks.facts.end() || !facts->second.usage) return nullptr;
  return facts->second.usage->amounts.empty() ? nullptr : &*facts->second.usage;
}

Loads LoadBooks::LoadWith(ClassIndex c, NodeIndex node) {
  Follow();
  Loads load = EstimateOf(c);
  for (size_t d = 0; d < kResources; ++d) {
    load[d] = std::min(kLargestLoad, SatAdd(load[d], nodes_[node].load[d]));
  }
  return load;
}

LoadBooks::Why LoadBooks::WhyNot(ClassIndex c, NodeIndex node) {
  const NodeBook& book = nodes_[node];
  if (!book.is_measured) return Why::kFits;
  if (book.is_old && settings_.expired != LoadSettings::Expired::kTrust) {
    return settings_.expired == LoadSettings::Expired::kPass ? Why::kFits : Why::kOld;
  }
  const std::optional<size_t> above = FirstAbove(LoadWith(c, node), book.room, book.thresholds);
  if (!above) return Why::kFits;
  return *above == kCpu ? Why::kCpu : Why::kMemory;
}

int64_t LoadBooks::ScoreOf(ClassIndex c, NodeIndex node) {
  return LoadScore(LoadWith(c, node), nodes_[node].room, settings_.weights, settings_.dominant);
}

// Updates the places of tasks by the ledger's view journal.
void LoadBooks::Follow() {
  const auto journal = ledger_->view_journal();
  if (birth_ != ledger_->birth()) {
    birth_ = ledger_->birth();
    position_ = journal.size();
    const TaskTable& tasks = tables_->tasks;
    for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
      if (tasks.alive[t] && ledger_->in_view(t)) Count(t, ledger_->node_of(t), +1);
    }
  }
  for (; position_ < journal.size(); ++position_) {
    const Ledger::ViewChange& change = journal[position_];
    Count(change.task, change.node, change.sign);
  }
}

void LoadBooks::Count(TaskIndex t, NodeIndex node, int sign) {
  NodeBook& book = nodes_[node];
  if (!book.is_measured || !IsUnseen(t, book)) return;
  const Loads estimate = EstimateOf(tables_->tasks.task_class[t]);
  const TaskUsage* usage = book.lists_tasks ? UsageOf(t) : nullptr;
  for (size_t d = 0; d < kResources; ++d) {
    const int64_t seen = usage == nullptr ? 0 : AmountIn(usage->amounts, d).value_or(0);
    book.load[d] += sign * std::max<int64_t>(estimate[d] - seen, 0);
  }
}

bool LoadBooks::IsUnseen(TaskIndex t, const NodeBook& book) const {
  switch (tables_->tasks.status[t]) {
    case TaskStatus::kPending:
    case TaskStatus::kWaiting:
      return true;
    case TaskStatus::kBinding:
    case TaskStatus::kBound:
    case TaskStatus::kRunning:
      return tables_->tasks.started[t] == kAbsent || book.seen_until < tables_->tasks.started[t] ||
             (book.lists_tasks && UsageOf(t) == nullptr);
    default:
      return false;
  }
}

}  // namespace muster
