// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/rules.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "lib/extension/cycle.h"
#include "lib/extension/needs.h"
#include "lib/peer/kai/gang_memory.h"
#include "lib/peer/kai/queue_order.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr double kSeconds = 1e15;
constexpr OptionDecl kKaiRulesOptions[] = {
    {"gpu", OptionKind::kChoice, "binpack", 0, 0,
     "binpack|spread|none: nodes that tasks with GPUs prefer, full or empty"},
    {"cpu", OptionKind::kChoice, "binpack", 0, 0,
     "binpack|spread|none: nodes that tasks without GPUs prefer, full or empty"},
    {"device", OptionKind::kChoice, "pack", 0, 0,
     "pack|spread|age: devices that parts go to, full ones, empty ones, or by age"},
    {"availability", OptionKind::kFlag, "on", 0, 0, "nodes with room now score higher"},
    {"sharing", OptionKind::kFlag, "on", 0, 0, "nodes with room on a shared device score higher"},
    {"resource_type", OptionKind::kFlag, "on", 0, 0,
     "tasks without GPUs score nodes without GPUs higher"},
    {"nominated", OptionKind::kFlag, "on", 0, 0, "the node of an earlier promise scores higher"},
    {"saturation_multiplier", OptionKind::kNumber, "1", 1, 1e6,
     "how much fuller a sibling must be than a queue that reclaims beyond its fair share"},
    {"k", OptionKind::kNumber, "1", 0, 1e6,
     "how much the past usage of queues counts in fair shares"},
    {"usage", OptionKind::kChoice, "history", 0, 0,
     "history|on|off: past usage counts where some queue has a history, or always, or never"},
    {"usage_window", OptionKind::kWhole, "604800", 1, kSeconds, "seconds of past usage that count"},
    {"usage_half_life", OptionKind::kWhole, "0", 0, kSeconds,
     "seconds after which past usage counts half; 0: it does not fade"},
    {"usage_window_start", OptionKind::kWhole, "-1", -1, kSeconds,
     "when a window of usage began that is followed by others; -1: the window slides"},
    {"full_hierarchy", OptionKind::kFlag, "on", 0, 0,
     "off: all queues but the top ones share the cluster, whatever lies above them"},
    {"consolidating_reclaim", OptionKind::kFlag, "on", 0, 0,
     "victims that find another place do not count as reclaimed"},
    {"signatures", OptionKind::kFlag, "on", 0, 0,
     "a job like one that failed is not tried, unless it is easier"},
    {"restrict_nodes", OptionKind::kFlag, "off", 0, 0,
     "tasks need nodes with the label of gpu or cpu workers"},
    {"consolidation_victims", OptionKind::kWhole, "16", -1, 1e9,
     "jobs beside the first that consolidation may move; -1: any number"},
    {"staleness_grace", OptionKind::kWhole, "60", -1, kSeconds,
     "seconds after which a gang that lost tasks is evicted; -1: never"},
    {"preempt_min_runtime", OptionKind::kWhole, "0", 0, kSeconds,
     "seconds, for queues that set none"},
    {"reclaim_min_runtime", OptionKind::kWhole, "0", 0, kSeconds,
     "seconds, for queues that set none"},
    {"resolve", OptionKind::kChoice, "lca", 0, 0,
     "lca|queue: where the search for reclaim_min_runtime begins"},
    {"claims", OptionKind::kFlag, "off", 0, 0,
     "exclusive requests for gpu devices are resource claims, for the devices that nodes without "
     "nvidia.com/gpu list"},
    {"promises", OptionKind::kChoice, "anew", 0, 0,
     "anew|kept: whether a task that was promised a node is decided again, or waits for the node"},
};

KaiPlacement PlacementOf(std::string_view word) {
  if (word == "none") return KaiPlacement::kNone;
  return word == "spread" ? KaiPlacement::kSpread : KaiPlacement::kBinpack;
}

KaiUsageRules UsageRulesOf(const Options& options) {
  const auto whole = [&](std::string_view name) {
    return static_cast<int64_t>(options.number(name));
  };
  using Source = KaiUsageRules::Source;
  const std::string source = options.text("usage");
  KaiUsageRules rules{.source = source == "on"    ? Source::kAlways
                                : source == "off" ? Source::kNever
                                                  : Source::kHistories,
                      .window = whole("usage_window"),
                      .half_life = whole("usage_half_life")};
  if (const int64_t start = whole("usage_window_start"); start >= 0) rules.tumbles_from = start;
  return rules;
}

// What queues as a whole have used. Entries of users are about LocalQueues of Kueue.
std::vector<KaiUsageHistory> HistoriesOf(const Tables& tables, const KaiReading& reading) {
  std::vector<KaiUsageHistory> histories;
  for (uint32_t q = 0; q < reading.queues.size(); ++q) {
    if (reading.queues[q] == kNone) continue;
    const Boxed<UsageHistory>& history = tables.queues.spec[reading.queues[q]].history;
    if (!history) continue;
    for (const UsageEntry& entry : history->entries) {
      if (!entry.user.empty()) continue;
      KaiUsageHistory& of_queue = histories.emplace_back(KaiUsageHistory{q, history->as_of});
      const auto add = [&](std::string_view resource, size_t r, Unit unit, double parts) {
        for (const auto& [name, amount] : entry.amounts) {
          if (name != resource) continue;
          of_queue.held[r] +=
              static_cast<double>(ParseQuantity(amount.text, unit).value_or(0)) / parts;
        }
      };
      add("cpu", kKaiCpu, Unit::kMilli, 1);
      add("memory", kKaiMemory, Unit::kWhole, 1);
      add("nvidia.com/gpu", kKaiGpu, Unit::kMilli, 1000);
      add("amd.com/gpu", kKaiGpu, Unit::kMilli, 1000);
    }
  }
  return histories;
}

KaiOptions Read(const Options& options) {
  const auto whole = [&](std::string_view name) {
    return static_cast<int64_t>(options.number(name));
  };
  const std::string device = options.text("device");
  return {.gpu = PlacementOf(options.text("gpu")),
          .cpu = PlacementOf(options.text("cpu")),
          .device = device == "spread" ? KaiDevicePlacement::kSpread
                    : device == "age"  ? KaiDevicePlacement::kName
                                       : KaiDevicePlacement::kPack,
          .availability = options.flag("availability"),
          .sharing = options.flag("sharing"),
          .resource_type = options.flag("resource_type"),
          .nominated = options.flag("nominated"),
          .saturation_multiplier = options.number("saturation_multiplier"),
          .k = options.number("k"),
          .usage = UsageRulesOf(options),
          .full_hierarchy = options.flag("full_hierarchy"),
          .consolidating_reclaim = options.flag("consolidating_reclaim"),
          .signatures = options.flag("signatures"),
          .restrict_nodes = options.flag("restrict_nodes"),
          .consolidation_victims = whole("consolidation_victims"),
          .staleness_grace = whole("staleness_grace"),
          .preempt_min_runtime = whole("preempt_min_runtime"),
          .reclaim_min_runtime = whole("reclaim_min_runtime"),
          .resolve_by_queue = options.text("resolve") == "queue",
          .counts_claims = options.flag("claims"),
          .keeps_promises = options.text("promises") == "kept"};
}

}  // namespace

KaiRules::KaiRules(const Options& options) : options_(Read(options)) {}

void KaiRules::Open(const Cycle& cycle) {
  const internal::CycleData& data = internal::DataOf(cycle);
  tables_ = &data.tables;
  memory_ = data.memory;
  now_ = data.now;
  session_.reset();
}

KaiSession& KaiRules::session() {
  if (session_ != nullptr) return *session_;
  KaiReading reading = ReadKai(*tables_, options_, now_);
  RecallKaiGangs(memory_->Recall(kKaiGangSlot.slot), *tables_, &reading.facts);
  const std::vector<KaiUsageHistory> histories = HistoriesOf(*tables_, reading);
  session_ = std::make_unique<KaiSession>();
  session_->world = std::make_unique<KaiWorld>(std::move(reading.facts), std::move(reading.tree),
                                               std::move(reading.topologies), reading.opening);
  session_->queue_of = std::move(reading.queue_of);
  session_->queues = std::move(reading.queues);
  session_->device_of = std::move(reading.device_of);
  session_->held = std::move(reading.held);
  SettleUsage(histories);
  memory_->AtEnd(
      [this] { RememberKaiGangs(*session_->world, *tables_, session_->was_cut, memory_.get()); });
  return *session_;
}

void KaiRules::SettleUsage(const std::vector<KaiUsageHistory>& histories) {
  using Source = KaiUsageRules::Source;
  const Source source = options_.usage.source;
  usage_.reset();
  if (source == Source::kNever || (source == Source::kHistories && histories.empty())) {
    // What was remembered ends here: usage that counts again later begins anew.
    if (memory_->Recall(kKaiUsageSlot.slot).empty()) return;
    memory_->AtEnd([this] {
      memory_->Remember(kKaiUsageSlot.slot).EraseIf([](std::string_view) { return true; });
    });
    return;
  }
  usage_.emplace(options_.usage, now_);
  usage_->Recall(memory_->Recall(kKaiUsageSlot.slot));
  usage_->Settle(histories, session_->world.get());
  memory_->AtEnd([this] { usage_->Remember(&memory_->Remember(kKaiUsageSlot.slot)); });
}

bool KaiRules::PublishShare(QueueIndex queue, std::vector<double>* deserved, double* share) {
  const KaiWorld& world = *session().world;
  const KaiShares& own = world.tree.share[session().queue_of[queue]];
  deserved->assign(tables_->dimension_count(), 0.0);
  (*deserved)[kCpu] = own[kKaiCpu].fair_share;
  (*deserved)[kMemory] = own[kKaiMemory].fair_share;
  if (const auto gpu = tables_->dimensions.Find("nvidia.com/gpu")) {
    (*deserved)[*gpu] = own[kKaiGpu].fair_share * 1000;
  }
  const KaiAmounts held = {own[0].allocated, own[1].allocated, own[2].allocated};
  *share = KaiDominantShare(own, held, world.total);
  return true;
}

PolicyDecl KaiRulesPolicy() {
  return {"kai-rules",
          "options and fair shares of profile kai",
          kKaiRulesOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<KaiRules>(options);
          },
          /*revision=*/1,
          [](const Options&, PolicyNeeds* needs) {
            needs->queues |= {.weight = true, .deserved = true, .limit = true};
            needs->shares_need_a_cycle = true;
          },
          {kKaiGangSlot, kKaiUsageSlot}};
}

}  // namespace muster
