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
     "how much past usage counts in fair shares; rows have no past usage, so nothing changes"},
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
  session_ = std::make_unique<KaiSession>();
  session_->world = std::make_unique<KaiWorld>(std::move(reading.facts), std::move(reading.tree),
                                               std::move(reading.topologies), reading.opening);
  session_->queue_of = std::move(reading.queue_of);
  session_->queues = std::move(reading.queues);
  session_->device_of = std::move(reading.device_of);
  session_->held = std::move(reading.held);
  memory_->AtEnd([this] { RememberKaiGangs(*session_->world, *tables_, memory_.get()); });
  return *session_;
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
          {kKaiGangSlot}};
}

}  // namespace muster
