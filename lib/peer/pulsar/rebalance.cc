// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// rebalance: one round of a shedder, then the splits.
//
// A bundle that a shedder names gets its next broker at once, by the placement or, of the transfer
// shedder, the broker that it names. It stays where it is if that is the same broker, none is free
// for it, its namespace is excluded, or its anti-affinity group would be worse off. A bundle that
// moves does not split in the same cycle. Cuts fall between bundles.
//
// Ties. As the core's: the order of brokers and bundles.
// Cost. O(brokers + bundles log bundles), and a look at each broker for each bundle that moves.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/extension/cycle.h"
#include "lib/peer/pulsar/options.h"
#include "lib/peer/pulsar/placer.h"
#include "lib/peer/pulsar/profile.h"
#include "lib/peer/pulsar/shedders.h"
#include "lib/peer/pulsar/transfer_shedder.h"

namespace muster {
namespace pulsar {
namespace {

constexpr double kMebibyte = 1024.0 * 1024;
constexpr std::string_view kBundlePrefix = "bundle ", kBrokerPrefix = "broker ";

class Rebalance {
 public:
  Rebalance(ActionContext& context, const Options& options)
      : context_(context),
        options_(options),
        books_(context.memory<Books>()),
        weights_(WeightsFrom(options)),
        avg_(AvgRules()),
        placer_(context, options, options.text("shedding") == "avg" ? &avg_ : nullptr) {
    LoadUnloads();
  }

  void Run() {
    UpdateReports();
    const std::string shedding = options_.text("shedding");
    bool ends = false;
    if (shedding == "transfer") {
      ends = !RunTransfers();
    } else if (books_.cluster.brokers.size() >= 2) {
      ends = !MoveAll(Shed(shedding));
    }
    if (!ends && options_.flag("split")) RunSplits(shedding == "transfer");
    StoreUnloads();
    placer_.Store();
  }

 private:
  AvgShedder::Rules AvgRules() const {
    return {.weights = weights_,
            .low = options_.number("low"),
            .high = options_.number("high"),
            .low_hits = Whole("low_hits"),
            .high_hits = Whole("high_hits"),
            .most_unloaded = options_.number("most_unloaded"),
            .least_rate = options_.number("least_rate"),
            .least_bytes = options_.number("least_bytes")};
  }
  int64_t Whole(std::string_view option) const {
    return static_cast<int64_t>(options_.number(option));
  }
  double Share(std::string_view option) const { return options_.number(option) / 100; }

  // --- memory

  void LoadUnloads() {
    const MemorySlot& slot = context_.facts.cycle->Recall(kUnloadSlot);
    for (const auto& [key, row] : slot.rows()) {
      const int64_t time = slot.Integer(key);
      const bool of_broker = key.starts_with(kBrokerPrefix);
      if (!of_broker && !key.starts_with(kBundlePrefix)) continue;
      const std::string_view name = std::string_view(key).substr(kBundlePrefix.size());
      if (of_broker) {
        const auto node = context_.tables.nodes.names.Find(name);
        if (!node || !books_.broker_of.contains(*node)) continue;
        unloaded_brokers_[std::string(name)] = time;
      } else if (SatSub(context_.facts.now, time) <= Whole("grace")) {
        unloaded_[std::string(name)] = time;
        books_.cluster.recently_unloaded.emplace_back(name);
      }
    }
  }

  void StoreUnloads() const {
    MemorySlot slot;
    for (const auto& [name, time] : unloaded_) {
      slot.Set(absl::StrCat(ToAbsl(kBundlePrefix), name), {time});
    }
    for (const auto& [name, time] : unloaded_brokers_) {
      slot.Set(absl::StrCat(ToAbsl(kBrokerPrefix), name), {time});
    }
    StoreSlot(context_, kUnloadSlot, std::move(slot));
  }

  // Averages of brokers with a new report: usage, bytes, and the time of the report.
  void UpdateReports() {
    const MemorySlot& before = context_.facts.cycle->Recall(kReportSlot);
    const double history = options_.number("history");
    MemorySlot after;
    for (size_t b = 0; b < books_.node_of.size(); ++b) {
      const Broker& broker = books_.cluster.brokers[b];
      const auto& usage = context_.tables.nodes.spec[books_.node_of[b]].usage;
      if (!usage) continue;
      double load = WeightedUsageWithMemory(broker, weights_), bytes = broker.traffic.bytes();
      if (before.Find(broker.name) != nullptr) {
        const bool is_new = before.Integer(broker.name, 2) != usage->measured;
        const double old_load = before.Real(broker.name, 0);
        const double old_bytes = before.Real(broker.name, 1);
        load = is_new ? Mix(history, old_load, load) : old_load;
        bytes = is_new ? Mix(history, old_bytes, bytes) : old_bytes;
      }
      after.Set(broker.name, {load, bytes, usage->measured});
    }
    StoreSlot(context_, kReportSlot, std::move(after));
  }

  // --- the modular manager

  Names BrokerNames() const {
    Names names;
    for (const Broker& broker : books_.cluster.brokers) names.push_back(broker.name);
    return names;
  }

  std::vector<Unload> Shed(std::string_view shedding) {
    const Cluster& cluster = books_.cluster;
    if (shedding == "threshold") {
      ThresholdShedder shedder({.weights = weights_,
                                .threshold = Share("threshold"),
                                .history = options_.number("history"),
                                .least_bytes = options_.number("least_mib") * kMebibyte,
                                .lower_boundary = options_.flag("lower_boundary")});
      shedder.Restore(ReadAverages(context_, kAverageSlot));
      shedder.SetActive(BrokerNames());
      std::vector<Unload> unloads = shedder.Shed(cluster);
      StoreAverages(context_, kAverageSlot, shedder.averages());
      return unloads;
    }
    if (shedding == "overload") {
      return ShedOverload(cluster, {.weights = weights_, .threshold = Share("overload")});
    }
    if (shedding == "uniform") {
      return ShedUniform(cluster, {.rate_difference = options_.number("rate_difference"),
                                   .bytes_multiple = options_.number("bytes_multiple"),
                                   .most_unloaded = options_.number("most_unloaded"),
                                   .least_rate = Whole("least_rate"),
                                   .least_bytes = Whole("least_bytes"),
                                   .most_bundles = Whole("most_bundles")});
    }
    return shedding == "avg" ? ShedPairs() : std::vector<Unload>();
  }

  std::vector<Unload> ShedPairs() {
    const MemorySlot& slot = context_.facts.cycle->Recall(kHitSlot);
    HashMap<std::string, int64_t> low, high;
    for (const auto& [name, row] : slot.rows()) {
      const int64_t of_low = AsCount(slot.Integer(name, 0));
      const int64_t of_high = AsCount(slot.Integer(name, 1));
      if (of_low > 0) low[name] = of_low;
      if (of_high > 0) high[name] = of_high;
    }
    avg_.RestoreHits(std::move(low), std::move(high));
    std::vector<Unload> unloads = avg_.Shed(books_.cluster, BrokerNames());
    MemorySlot hits;
    for (const Broker& broker : books_.cluster.brokers) {
      const auto count = [&](const HashMap<std::string, int64_t>& counts) {
        const auto it = counts.find(broker.name);
        return it == counts.end() ? int64_t{0} : it->second;
      };
      const int64_t of_low = count(avg_.low_hits()), of_high = count(avg_.high_hits());
      if (of_low > 0 || of_high > 0) hits.Set(broker.name, {of_low, of_high});
    }
    StoreSlot(context_, kHitSlot, std::move(hits));
    return unloads;
  }

  // Returns false if the cycle ends here.
  bool MoveAll(const std::vector<Unload>& unloads) {
    for (const Unload& unload : unloads) {
      const NodeIndex from = *context_.tables.nodes.names.Find(unload.broker);
      for (const std::string& bundle : unload.bundles) {
        if (context_.meter.Cut()) return false;
        context_.meter.Spend();
        const TaskIndex task = *context_.tables.tasks.names.Find(bundle);
        if (!MayLeave(task, unload.broker)) continue;
        MoveTo(task, from, placer_.Choose(task, from));
      }
    }
    return true;
  }

  // Returns whether the namespace is not excluded, and its anti-affinity group allows the unload.
  bool MayLeave(TaskIndex task, const std::string& from) const {
    const auto rules = books_.rules.find(context_.tables.tasks.job[task]);
    if (rules == books_.rules.end()) return true;
    if (rules->second.excluded) return false;
    if (rules->second.group.empty()) return true;
    HashMap<std::string, int64_t> counts;
    for (const auto& [job, other] : books_.rules) {
      const auto of_job = books_.counts.find(job);
      if (other.group != rules->second.group || of_job == books_.counts.end()) continue;
      for (const auto& [broker, count] : of_job->second) ++counts[broker];
    }
    int64_t least = counts[from];
    bool all_least = true;
    for (const Broker& broker : books_.cluster.brokers)
      least = std::min(least, counts[broker.name]);
    for (const Broker& broker : books_.cluster.brokers) all_least &= counts[broker.name] == least;
    return least == 0 || counts[from] > least || !all_least;
  }

  bool MoveTo(TaskIndex task, NodeIndex from, NodeIndex to) {
    const ClassIndex c = context_.ClassOf(task);
    if (moved_.contains(task) || to == muster::kNone || to == from ||
        !context_.search.FitsNode(c, to) || !context_.search.FitsIdle(c, to)) {
      return false;
    }
    const Ledger::Savepoint before = context_.ledger.Save();
    context_.ledger.Move(task, TaskStatus::kReleasing, from);
    context_.ledger.Promise(task, to);
    context_.decisions.Commit(before);
    books_.Preallocate(task, to);
    unloaded_[std::string(context_.tables.tasks.names.name(task))] = context_.facts.now;
    moved_.insert(task);
    return true;
  }

  // --- the extensible manager

  std::vector<BrokerReport> Reports() {
    const MemorySlot& averages = context_.facts.cycle->Recall(kReportSlot);
    std::vector<BrokerReport> reports;
    for (size_t b = 0; b < books_.node_of.size(); ++b) {
      const Broker& broker = books_.cluster.brokers[b];
      const auto& usage = context_.tables.nodes.spec[books_.node_of[b]].usage;
      if (!usage) continue;
      BrokerReport report{.name = broker.name};
      report.load = averages.Real(broker.name, 0);
      report.average_bytes = averages.Real(broker.name, 1);
      report.bytes_in = broker.traffic.bytes_in;
      report.bytes_out = broker.traffic.bytes_out;
      report.age =
          std::clamp<int64_t>(context_.facts.now - usage->measured, 0, 1'000'000'000) * 1000;
      std::vector<BundleStats> busy;
      for (const size_t i : books_.bundles_of[b]) {
        const BundleStats& stats = books_.stats[i];
        const bool moves = context_.tables.tasks.flags[books_.task_of[i]] & kTaskPreemptable;
        if (moves && stats.traffic.bytes() > 0 && !IsProbe(stats.name)) busy.push_back(stats);
      }
      report.bundles.emplace();
      for (const BundleStats& top : TopBundles(std::move(busy), size_t(Whole("top_bundles")))) {
        report.bundles->push_back({top.name, top.traffic.bytes_in, top.traffic.bytes_out});
      }
      reports.push_back(std::move(report));
    }
    return reports;
  }

  TransferWorld WorldOfTransfers(std::vector<std::string>* excluded) {
    TransferWorld world{.available = BrokerNames(),
                        .recently_unloaded = books_.cluster.recently_unloaded};
    for (const auto& [name, time] : unloaded_brokers_) {
      world.unloaded_brokers.emplace_back(
          name, std::clamp<int64_t>(SatSub(context_.facts.now, time), 0, 1'000'000'000) * 1000);
    }
    Policies policies;
    HashSet<std::string> seen;
    for (const TaskIndex task : books_.task_of) {
      std::string space = books_.NamespaceOf(task);
      if (!seen.insert(space).second) continue;
      const auto rules = books_.rules.find(context_.tables.tasks.job[task]);
      if (rules != books_.rules.end()) {
        if (rules->second.excluded) excluded->push_back(space);
        if (rules->second.isolated || !rules->second.group.empty()) {
          policies.isolated.push_back(space);
        }
      }
      Names allowed;
      for (size_t b = 0; b < books_.node_of.size(); ++b) {
        if (context_.search.FitsNode(context_.ClassOf(task), books_.node_of[b])) {
          allowed.push_back(books_.cluster.brokers[b].name);
        }
      }
      if (allowed.size() < books_.node_of.size()) {
        policies.allowed.emplace_back(std::move(space), std::move(allowed));
      }
    }
    world.policies = std::move(policies);
    return world;
  }

  // Returns false if the cycle ends here.
  bool RunTransfers() {
    TransferShedder::Rules rules{.target = options_.number("target"),
                                 .hits = Whole("hits"),
                                 .transfers = options_.flag("transfers"),
                                 .debug = options_.flag("debug"),
                                 .moves_isolated = options_.flag("moves_isolated"),
                                 .most_pairs = Whole("most_pairs"),
                                 .delay = Whole("delay") * 1000,
                                 .oldest = Whole("oldest") * 1000,
                                 .overload = Share("overload")};
    TransferWorld world = WorldOfTransfers(&rules.excluded);
    TransferShedder shedder(std::move(rules));
    MemorySlot turns = context_.facts.cycle->Recall(kTurnSlot);
    shedder.RestoreHits(AsCount(turns.Integer("transfer")));
    const TransferRound round = shedder.Shed(Reports(), std::move(world));
    turns.Set("transfer", {shedder.hits()});
    StoreSlot(context_, kTurnSlot, std::move(turns));
    unloaded_brokers_.erase_if([&](const auto& entry) {
      return std::ranges::find(round.unloaded_brokers_left, entry.first) ==
             round.unloaded_brokers_left.end();
    });
    for (const Transfer& transfer : round.transfers) {
      if (context_.meter.Cut()) return false;
      context_.meter.Spend();
      const TaskIndex task = *context_.tables.tasks.names.Find(transfer.bundle);
      const NodeIndex from = *context_.tables.nodes.names.Find(transfer.from);
      const NodeIndex to = transfer.to.empty() ? placer_.Choose(task, from)
                                               : *context_.tables.nodes.names.Find(transfer.to);
      if (MoveTo(task, from, to)) unloaded_brokers_[transfer.from] = context_.facts.now;
    }
    return true;
  }

  // --- splits

  void RunSplits(bool extensible) {
    const SplitLimits limits{.topics = Whole("split_topics"),
                             .sessions = Whole("split_sessions"),
                             .rate = options_.number("split_rate"),
                             .bytes = options_.number("split_mib") * kMebibyte,
                             .bundles = Whole("namespace_bundles")};
    SplitStrategy::World world;
    for (const TaskIndex task : books_.task_of) ++world.bundles[books_.NamespaceOf(task)];
    if (!extensible) {
      HashMap<std::string, Traffic> longly;
      for (const Bundle& bundle : books_.cluster.bundles) longly[bundle.name] = bundle.longly;
      for (const size_t i : ChooseSplits(books_.stats, longly, world.bundles, limits)) {
        Split(books_.task_of[i]);
      }
      return;
    }
    SplitStrategy strategy(
        {.limits = limits, .hits = Whole("split_hits"), .most_splits = Whole("most_splits")});
    const MemorySlot& slot = context_.facts.cycle->Recall(kSplitSlot);
    HashMap<std::string, int64_t> hits;
    for (const auto& [name, row] : slot.rows()) hits[name] = AsCount(slot.Integer(name));
    strategy.RestoreHits(std::move(hits));
    for (const SplitStrategy::Split& split : strategy.Choose(books_.stats, world)) {
      Split(*context_.tables.tasks.names.Find(split.bundle));
    }
    MemorySlot after;
    for (const auto& [name, count] : strategy.hits()) after.Set(name, {count});
    StoreSlot(context_, kSplitSlot, std::move(after));
  }

  // A name without a range, or with one of a single hash, has nothing to split.
  void Split(TaskIndex task) {
    const std::optional<HashRange> range = RangeOf(context_.tables.tasks.names.name(task));
    if (!range || range->upper - range->lower <= 1) return;
    if (!moved_.contains(task)) context_.decisions.Add(muster::Split{.task = task, .parts = 2});
  }

  ActionContext& context_;
  const Options& options_;
  Books& books_;
  const Weights weights_;
  AvgShedder avg_;
  Placer placer_;
  HashMap<std::string, int64_t> unloaded_, unloaded_brokers_;  // times
  HashSet<TaskIndex> moved_;
};

void RunRebalance(ActionContext& context, const Options& options) {
  if (context.meter.Cut()) return;
  context.meter.Spend();
  Rebalance(context, options).Run();
}

}  // namespace
}  // namespace pulsar

ActionDecl PulsarRebalanceAction() {
  ActionDecl action;
  action.name = "rebalance";
  action.summary = "a round of a shedder, whose bundles move, and splits";
  action.options = pulsar::kRebalanceOptions;
  action.run = pulsar::RunRebalance;
  action.check = pulsar::CheckTables;
  action.memory = {
      {pulsar::kAverageSlot, 1}, {pulsar::kPlacementSlot, 1}, {pulsar::kTurnSlot, 1},
      {pulsar::kHitSlot, 1},     {pulsar::kReportSlot, 1},    {pulsar::kUnloadSlot, 1},
      {pulsar::kSplitSlot, 1},   {pulsar::kSampleSlot, 1},    {pulsar::kDestinationSlot, 1}};
  action.points = PointSet{Point::kFit};
  return action;
}

}  // namespace muster
