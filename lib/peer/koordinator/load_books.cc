// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/load_books.h"

#include <algorithm>
#include <optional>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/kube/selectors.h"
#include "lib/model/settings.h"
#include "lib/peer/koordinator/colocation/bands.h"
#include "lib/peer/koordinator/quota/queue_groups.h"
#include "lib/peer/koordinator/rebalance/rebalance_world.h"
#include "lib/peer/koordinator/setting_keys.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr size_t kResources = 2;  // cpu and memory, the first two dimensions
static_assert(kCpu == 0 && kMemory == 1);
constexpr int64_t kUnasked[kResources] = {250, 200 << 20};
constexpr int64_t kLargestLoad = int64_t{1} << 53;
constexpr std::string_view kMeasuredAs = "koordinator/measured-as";
constexpr std::string_view kLimits = "koordinator/limits";

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

Loads AmountsOf(const Resources& resources) {
  return {AmountIn(resources, kCpu).value_or(0), AmountIn(resources, kMemory).value_or(0)};
}

void AddTo(const Loads& more, int sign, Loads* sum) {
  for (size_t d = 0; d < kResources; ++d) (*sum)[d] = SatAdd((*sum)[d], sign * more[d]);
}

// Returns what an estimate is above a measurement.
Loads Excess(const Loads& estimate, const TaskUsage* usage) {
  Loads excess = estimate;
  for (size_t d = 0; d < kResources; ++d) {
    const int64_t seen = usage == nullptr ? 0 : AmountIn(usage->amounts, d).value_or(0);
    excess[d] = std::max<int64_t>(estimate[d] - seen, 0);
  }
  return excess;
}

const Resources& StatisticIn(const UsageWindow& window, std::string_view name) {
  if (name == "avg") return window.average;
  if (name == "p50") return window.p50;
  if (name == "p90") return window.p90;
  return name == "p95" ? window.p95 : window.p99;
}

std::string ResourceOfBand(std::string_view band, size_t d) {
  return absl::StrCat("kubernetes.io/", ToAbsl(band), d == kCpu ? "-cpu" : "-memory");
}

bool IsAny(const Loads& thresholds) {
  return std::ranges::any_of(thresholds, [](int64_t threshold) { return threshold != 0; });
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
  any_ = asks_production_ = false;
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
  book.is_old = settings_.expiration > 0 && SatAdd(now, -usage.measured) >= settings_.expiration;
  int64_t interval = settings_.interval;
  if (usage.detail && usage.detail->interval) {
    interval = SatMul(*usage.detail->interval, settings_.ticks);
  }
  book.seen_until = SatAdd(usage.measured, -interval);
  book.measured = usage.measured;
  book.load = {LoadAmount(usage.cpu, nodes.capacity.row(n)[kCpu]),
               LoadAmount(usage.memory, nodes.capacity.row(n)[kMemory])};
  for (DimensionIndex d = 0; d < kResources; ++d) {
    book.room.push_back(OrZero(nodes.allocatable.row(n)[d]));
    if (!usage.detail) continue;
    if (const auto amount = AmountIn(usage.detail->amounts, d)) book.load[d] = *amount;
  }
  book.thresholds = settings_.thresholds;
  book.of_production = settings_.of_production;
  book.of_statistic = settings_.of_statistic;
  book.filtered = settings_.filtered;
  if (!nodes.spec[n].settings.empty()) ReadSettings(nodes.spec[n], &book);
  book.filter_load = StatisticOf(nodes.spec[n], book.filtered, book.load);
  book.score_load = StatisticOf(nodes.spec[n], settings_.scored, book.load);
  book.unseen = book.expected = book.production = {0, 0};
  if (settings_.with_system && usage.detail) book.production = AmountsOf(usage.detail->system);
  asks_production_ = asks_production_ || settings_.scores_production || IsAny(book.of_production);
}

void LoadBooks::ReadSettings(const NodeSpec& node, NodeBook* book) const {
  SettingReader settings("node", node.name, node.settings, "koordinator");
  for (const auto& [keys, thresholds] :
       {std::pair(koordinator::kNodeThresholdKeys, &book->thresholds),
        std::pair(koordinator::kNodeProductionKeys, &book->of_production),
        std::pair(koordinator::kNodeStatisticKeys, &book->of_statistic)}) {
    for (size_t d = 0; d < kResources; ++d) {
      (*thresholds)[d] = settings.Integer(keys[d], 0, 100, (*thresholds)[d]);
    }
  }
  // A node that names a statistic has its own window and thresholds, too.
  if (const auto name = settings.Text(koordinator::kNodeLoadStatistic)) {
    book->filtered = {std::string(*name),
                      settings.Integer(koordinator::kNodeLoadWindow, 0, 1'000'000'000, 0)};
  }
  for (size_t d = 0; d < kResources; ++d) {
    const auto raw = settings.Text(koordinator::kNodeRawKeys[d]);
    if (!raw) continue;
    const Unit unit = d == kCpu ? Unit::kMilli : Unit::kWhole;
    book->room[d] = std::max<int64_t>(ParseQuantity(*raw, unit).value_or(book->room[d]), 0);
  }
}

Loads LoadBooks::StatisticOf(const NodeSpec& node, const LoadSettings::Statistic& statistic,
                             const Loads& load) {
  if (statistic.name.empty()) return load;
  const UsageWindow* longest = nullptr;
  if (node.usage->detail) {
    for (const UsageWindow& window : node.usage->detail->windows) {
      if (StatisticIn(window, statistic.name).empty()) continue;
      if (statistic.window != 0 && window.seconds != statistic.window) continue;
      if (longest == nullptr || window.seconds > longest->seconds) longest = &window;
    }
  }
  if (longest != nullptr) return AmountsOf(StatisticIn(*longest, statistic.name));
  return statistic.window == 0 ? load : Loads();
}

std::optional<NamedAmounts> ReadLoadLimits(const TaskShape& shape) {
  const std::string* text = FindLabel(shape.labels, kLimits);
  return text == nullptr ? NamedAmounts() : ReadSharedWeight(*text);
}

int64_t LoadBooks::LimitOf(ClassIndex c, const std::string& resource) const {
  const TaskShape& shape = tables_->classes.shape[c];
  if (!settings_.by_band || FindLabel(shape.labels, kLimits) == nullptr) return 0;
  // The action's check has refused what cannot be read.
  for (const auto& [name, amount] : ReadLoadLimits(shape).value_or(NamedAmounts())) {
    // Those of bands are counted in thousandths, as requests are.
    if (name == resource)
      return name.starts_with("kubernetes.io/") ? (amount + 999) / 1000 : amount;
  }
  return 0;
}

// Returns the request of mid or batch work, in milli-cores or bytes.
int64_t LoadBooks::RequestInBand(ClassIndex c, std::string_view band, size_t d) const {
  const auto dimension = tables_->dimensions.Find(ResourceOfBand(band, d));
  if (!dimension) return 0;
  return (OrZero(tables_->classes.request.row(c)[*dimension]) + 999) / 1000;
}

Loads LoadBooks::EstimateOfClass(ClassIndex c) const {
  const auto request = tables_->classes.request.row(c);
  Loads estimate;
  for (size_t d = 0; d < kResources; ++d) {
    const int64_t asked = OrZero(request[d]);
    const int64_t limit = LimitOf(c, d == kCpu ? "cpu" : "memory");
    estimate.push_back(asked == 0 && limit == 0 ? kUnasked[d]
                                                : EstimateUse(asked, limit, settings_.factors[d]));
  }
  return estimate;
}

Loads LoadBooks::EstimateOf(TaskIndex t) const {
  using koordinator::Band;
  const ClassIndex c = tables_->tasks.task_class[t];
  const Band band = settings_.by_band ? koordinator::BandOfTask(*tables_, t) : Band::kProduction;
  if (band == Band::kProduction || band == Band::kNone) return EstimateOfClass(c);
  Loads estimate(kResources, 0);
  if (band == Band::kFree) return estimate;
  for (size_t d = 0; d < kResources; ++d) {
    const std::string_view name = band == Band::kMid ? "mid" : "batch";
    const int64_t asked = RequestInBand(c, name, d), limit = LimitOf(c, ResourceOfBand(name, d));
    const int64_t unasked = band == Band::kBatch ? kUnasked[d] : 0;
    estimate[d] =
        asked == 0 && limit == 0 ? unasked : EstimateUse(asked, limit, settings_.factors[d]);
  }
  return estimate;
}

bool LoadBooks::IsProduction(TaskIndex t) const {
  return settings_.by_band &&
         koordinator::BandOfTask(*tables_, t) == koordinator::Band::kProduction;
}

LoadBooks::Taker LoadBooks::TakerOf(TaskIndex t) const { return {EstimateOf(t), IsProduction(t)}; }

LoadBooks::Taker LoadBooks::TakerOfClass(ClassIndex c) const { return {EstimateOfClass(c)}; }

Loads LoadBooks::FilterLoad(const NodeBook& book, bool is_production,
                            const Loads** thresholds) const {
  if (is_production && IsAny(book.of_production)) {
    *thresholds = &book.of_production;
    return book.production;
  }
  const bool by_statistic = !book.filtered.name.empty() && IsAny(book.of_statistic);
  *thresholds = by_statistic ? &book.of_statistic : &book.thresholds;
  Loads load = by_statistic ? book.filter_load : book.load;
  if (load.empty()) return book.expected;
  AddTo(book.unseen, +1, &load);
  return load;
}

Loads LoadBooks::ScoreLoad(const NodeBook& book, bool is_production) const {
  if (is_production && settings_.scores_production) return book.production;
  if (book.score_load.empty()) return book.expected;
  Loads load = book.score_load;
  AddTo(book.unseen, +1, &load);
  return load;
}

LoadBooks::Why LoadBooks::WhyNot(const Taker& taker, NodeIndex node) {
  const NodeBook& book = nodes_[node];
  if (!book.is_measured) return Why::kFits;
  Follow();
  const Loads* thresholds = nullptr;
  Loads load = FilterLoad(book, taker.is_production, &thresholds);
  if (!IsAny(*thresholds)) return Why::kFits;
  if (book.is_old && settings_.expired != LoadSettings::Expired::kTrust) {
    return settings_.expired == LoadSettings::Expired::kPass ? Why::kFits : Why::kOld;
  }
  AddTo(taker.estimate, +1, &load);
  for (int64_t& one : load) one = std::min(one, kLargestLoad);
  const std::optional<size_t> above = FirstAbove(load, book.room, *thresholds);
  if (!above) return Why::kFits;
  const bool is_cpu = *above == kCpu;
  if (thresholds == &book.of_statistic) {
    return is_cpu ? Why::kCpuStatistic : Why::kMemoryStatistic;
  }
  return is_cpu ? Why::kCpu : Why::kMemory;
}

int64_t LoadBooks::ScoreOf(const Taker& taker, NodeIndex node) {
  Follow();
  Loads load = ScoreLoad(nodes_[node], taker.is_production);
  AddTo(taker.estimate, +1, &load);
  for (int64_t& one : load) one = std::min(one, kLargestLoad);
  return LoadScore(load, nodes_[node].room, settings_.weights, settings_.dominant);
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
  if (!book.is_measured) return;
  const bool is_unseen = IsUnseen(t, book);
  const bool needs_all = book.filter_load.empty() || book.score_load.empty();
  if (!is_unseen && !needs_all && !asks_production_) return;
  const Loads estimate = EstimateOf(t);
  if (needs_all) AddTo(estimate, sign, &book.expected);
  if (asks_production_) CountProduction(t, estimate, is_unseen, sign, &book);
  if (is_unseen)
    AddTo(Excess(estimate, book.lists_tasks ? koordinator::MeasuredUsage(*tables_, t) : nullptr),
          sign, &book.unseen);
}

void LoadBooks::CountProduction(TaskIndex t, const Loads& estimate, bool is_unseen, int sign,
                                NodeBook* book) const {
  if (!IsProduction(t)) return;
  const TaskUsage* usage = book->lists_tasks ? koordinator::MeasuredUsage(*tables_, t) : nullptr;
  const Labels& labels = tables_->classes.shape[tables_->tasks.task_class[t]].labels;
  if (usage == nullptr || FindLabel(labels, kMeasuredAs) != nullptr) {
    AddTo(estimate, sign, &book->production);
    return;
  }
  AddTo(AmountsOf(usage->amounts), sign, &book->production);
  if (is_unseen) AddTo(Excess(estimate, usage), sign, &book->production);
}

bool LoadBooks::IsUnseen(TaskIndex t, const NodeBook& book) const {
  switch (tables_->tasks.status[t]) {
    case TaskStatus::kPending:
    case TaskStatus::kWaiting:
      return true;
    case TaskStatus::kBinding:
    case TaskStatus::kBound:
    case TaskStatus::kRunning:
      if (settings_.warm_up > 0 && tables_->tasks.started[t] != kAbsent &&
          SatAdd(tables_->tasks.started[t], settings_.warm_up) > book.measured) {
        return true;
      }
      return tables_->tasks.started[t] == kAbsent || book.seen_until < tables_->tasks.started[t] ||
             (book.lists_tasks && koordinator::MeasuredUsage(*tables_, t) == nullptr);
    default:
      return false;
  }
}

}  // namespace muster
