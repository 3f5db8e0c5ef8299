// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/pulsar/placer.h"

#include <algorithm>
#include <utility>

#include "lib/extension/cycle.h"

namespace muster::pulsar {
namespace {

void LoadTurns(const MemorySlot& slot, std::string_view key, RoundRobin* turns) {
  const MemoryRow* const row = slot.Find(key);
  if (row == nullptr) return;
  Names copy;
  for (size_t i = 1; i < row->size(); ++i) copy.emplace_back(slot.Text(key, i));
  turns->Restore(std::max<int64_t>(slot.Integer(key), 0), std::move(copy));
}

MemoryRow RowOf(const RoundRobin& turns) {
  MemoryRow row = {turns.count()};
  for (const std::string& name : turns.copy()) row.push_back(name);
  return row;
}

// Where bundles that carry as much as this one go, and what that is.
MemoryRow RowOf(const Bundle& bundle, std::string broker) {
  MemoryRow row = {std::move(broker)};
  for (const Traffic& traffic : {bundle.shortly, bundle.longly}) {
    row.insert(row.end(), {traffic.bytes_in, traffic.bytes_out, traffic.rate_in, traffic.rate_out});
  }
  return row;
}

}  // namespace

HashMap<std::string, double> ReadAverages(const ActionContext& context, std::string_view slot) {
  const MemorySlot& rows = context.facts.cycle->Recall(slot);
  HashMap<std::string, double> averages;
  for (const auto& [name, row] : rows.rows()) averages[name] = rows.Real(name);
  return averages;
}

void StoreAverages(const ActionContext& context, std::string_view slot,
                   const HashMap<std::string, double>& averages) {
  MemorySlot rows;
  for (const auto& [name, average] : averages) rows.Set(name, {average});
  StoreSlot(context, slot, std::move(rows));
}

void StoreSlot(const ActionContext& context, std::string_view name, MemorySlot slot) {
  if (slot == context.facts.cycle->Recall(name)) return;
  context.facts.cycle->Remember(name) = std::move(slot);
}

Weights WeightsFrom(const Options& options) {
  return {.cpu = options.number("cpu_weight"),
          .memory = options.number("memory_weight"),
          .direct_memory = options.number("direct_memory_weight"),
          .bandwidth_in = options.number("bandwidth_in_weight"),
          .bandwidth_out = options.number("bandwidth_out_weight")};
}

Placer::Placer(ActionContext& context, const Options& options, AvgShedder* avg)
    : context_(context),
      books_(context.memory<Books>()),
      strategy_(options.text("placement")),
      weights_(WeightsFrom(options)),
      overload_(options.number("overload") / 100),
      difference_(options.number("difference") / 100),
      even_(options.flag("even")),
      most_topics_(static_cast<int64_t>(options.number("most_topics"))),
      usage_(weights_, options.number("history"), difference_),
      avg_(avg == nullptr ? &own_avg_ : avg) {
  usage_.Restore(ReadAverages(context, kPlacementSlot));
  Names brokers;
  for (const Broker& broker : books_.cluster.brokers) brokers.push_back(broker.name);
  usage_.SetActive(brokers);
  const MemorySlot& turns = context.facts.cycle->Recall(kTurnSlot);
  LoadTurns(turns, "placement", &turns_);
  LoadTurns(turns, "excluded", &excluded_turns_);
  if (strategy_ == "avg") LoadDestinations();
}

// A destination is lost if the bundle that it is filed under is gone or carries something else.
void Placer::LoadDestinations() {
  const MemorySlot& slot = context_.facts.cycle->Recall(kDestinationSlot);
  for (const auto& [name, row] : slot.rows()) {
    const auto task = books_.tables.tasks.names.Find(name);
    if (!task || !books_.tables.tasks.alive[*task]) continue;
    const Bundle bundle = books_.BundleOf(*task);
    if (RowOf(bundle, std::string(slot.Text(name))) != row) continue;
    avg_->Remember(bundle, std::string(slot.Text(name)));
  }
}

void Placer::StoreDestinations() const {
  MemorySlot slot;
  for (const auto& [name, k] : avg_->filed()) {
    const Bundle bundle{
        .name = name, .shortly = {k[0], k[1], k[2], k[3]}, .longly = {k[4], k[5], k[6], k[7]}};
    slot.Set(name, RowOf(bundle, *avg_->DestinationOf(bundle)));
  }
  StoreSlot(context_, kDestinationSlot, std::move(slot));
}

void Placer::Store() const {
  if (strategy_ == "avg") StoreDestinations();
  if (strategy_ == "usage") StoreAverages(context_, kPlacementSlot, usage_.averages());
  MemorySlot turns = context_.facts.cycle->Recall(kTurnSlot);
  if (!turns_.copy().empty()) turns.Set("placement", RowOf(turns_));
  if (!excluded_turns_.copy().empty()) turns.Set("excluded", RowOf(excluded_turns_));
  StoreSlot(context_, kTurnSlot, std::move(turns));
}

const Broker& Placer::BrokerNamed(const std::string& name) const {
  const NodeIndex node = *books_.tables.nodes.names.Find(name);
  return books_.cluster.brokers[books_.broker_of.find(node)->second];
}

Names Placer::Candidates(TaskIndex task, NodeIndex from) const {
  const ClassIndex c = context_.ClassOf(task);
  Names candidates;
  for (size_t b = 0; b < books_.node_of.size(); ++b) {
    const NodeIndex node = books_.node_of[b];
    if (node == from || (context_.search.FitsNode(c, node) && context_.search.FitsIdle(c, node))) {
      candidates.push_back(books_.cluster.brokers[b].name);
    }
  }
  return candidates;
}

Names Placer::Filter(TaskIndex task, Names candidates) const {
  candidates = strategy_ == "load" ? KeepBelowTopics(candidates, books_.topics, most_topics_)
                                   : KeepWithinTopics(candidates, books_.topics, most_topics_);
  const JobIndex job = books_.tables.tasks.job[task];
  const auto rules = books_.rules.find(job);
  if (rules != books_.rules.end() && !rules->second.group.empty()) {
    HashMap<std::string, int64_t> namespaces;
    for (const auto& [other, own] : books_.rules) {
      const auto counts = books_.counts.find(other);
      if (own.group != rules->second.group || counts == books_.counts.end()) continue;
      for (const auto& [broker, count] : counts->second) ++namespaces[broker];
    }
    candidates = KeepApart(candidates, namespaces, books_.domains);
  }
  const auto counts = books_.counts.find(job);
  if (even_ && strategy_ != "load" && counts != books_.counts.end()) {
    candidates = KeepEven(candidates, counts->second);
  }
  return candidates;
}

HashMap<std::string, double> Placer::Loads() const {
  const MemorySlot& reports = context_.facts.cycle->Recall(kReportSlot);
  HashMap<std::string, double> loads;
  for (size_t b = 0; b < books_.node_of.size(); ++b) {
    const Broker& broker = books_.cluster.brokers[b];
    if (reports.Find(broker.name) != nullptr) {
      loads[broker.name] = reports.Real(broker.name);
    } else if (books_.tables.nodes.spec[books_.node_of[b]].usage) {
      loads[broker.name] = WeightedUsageWithMemory(broker, weights_);
    }
  }
  return loads;
}

Names Placer::Best(const Names& candidates) {
  if (strategy_ == "load") return BestByLoad(candidates, Loads(), difference_);
  std::vector<const Broker*> brokers;
  std::vector<std::pair<std::string, double>> scores;
  for (const std::string& name : candidates) {
    const Broker& broker = BrokerNamed(name);
    const size_t b = static_cast<size_t>(&broker - books_.cluster.brokers.data());
    brokers.push_back(&broker);
    const Traffic& own = books_.long_traffic[b];
    const RateCandidate candidate{&broker, own.rate_in, own.rate_out, books_.preallocated[b]};
    scores.emplace_back(name, RateScore(candidate, weights_, overload_));
  }
  return strategy_ == "usage" ? usage_.Best(brokers) : BestByRate(scores);
}

std::string Placer::Draw(TaskIndex task, const Names& candidates) {
  const auto rules = books_.rules.find(books_.tables.tasks.job[task]);
  if (rules != books_.rules.end() && rules->second.excluded) {
    return excluded_turns_.Next(candidates);
  }
  if (strategy_ == "round_robin") return turns_.Next(candidates);
  if (strategy_ != "avg") {
    const Names best = Best(candidates);
    return best.empty() ? std::string() : best.front();
  }
  const Bundle bundle = books_.BundleOf(task);
  if (const std::string* known = avg_->PlaceOf(bundle, candidates)) return *known;
  std::string name = *std::ranges::min_element(candidates);
  avg_->Remember(bundle, name);
  return name;
}

NodeIndex Placer::Choose(TaskIndex task, NodeIndex from) {
  const Names all = Candidates(task, from);
  if (all.empty()) return muster::kNone;
  const Names left = Filter(task, all);
  if (left.empty()) return muster::kNone;
  std::string name = Draw(task, left);
  const bool modular = strategy_ != "load";
  if (modular && !name.empty() && WeightedUsage(BrokerNamed(name), weights_) > overload_) {
    name = Draw(task, all);
  }
  if (name.empty()) return muster::kNone;
  return *books_.tables.nodes.names.Find(name);
}

}  // namespace muster::pulsar
