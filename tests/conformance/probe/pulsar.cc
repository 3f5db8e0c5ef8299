// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Pulsar's shedders, placements and splits, as their records are written.
#include "lib/peer/pulsar/pulsar.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;
using pulsar::Names;

// --- parts of a record

double Share(const json& config, const char* key) { return config[key].get<double>() / 100.0; }

pulsar::Traffic TrafficOf(const json& row) { return {row[0], row[1], row[2], row[3]}; }

pulsar::Used UsedOf(const json& row) { return {row[0], row[1]}; }

pulsar::Weights WeightsOf(const json& config) {
  return {.cpu = config["loadBalancerCPUResourceWeight"],
          .memory = config.value("loadBalancerMemoryResourceWeight", 0.0),
          .direct_memory = config["loadBalancerDirectMemoryResourceWeight"],
          .bandwidth_in = config["loadBalancerBandwidthInResourceWeight"],
          .bandwidth_out = config["loadBalancerBandwidthOutResourceWeight"]};
}

pulsar::Broker BrokerOf(const json& row) {
  pulsar::Broker broker{.name = row.value("name", ""),
                        .cpu = UsedOf(row["cpu"]),
                        .memory = UsedOf(row["memory"]),
                        .direct_memory = UsedOf(row["directMemory"]),
                        .bandwidth_in = UsedOf(row["bandwidthIn"]),
                        .bandwidth_out = UsedOf(row["bandwidthOut"])};
  if (row.contains("msg")) broker.traffic = TrafficOf(row["msg"]);
  if (row.contains("bundles")) broker.bundles = row["bundles"].get<Names>();
  return broker;
}

pulsar::Bundle BundleOf(const json& row) {
  pulsar::Bundle bundle{.name = row["name"]};
  if (row.contains("short")) bundle.shortly = TrafficOf(row["short"]);
  if (row.contains("long")) bundle.longly = TrafficOf(row["long"]);
  return bundle;
}

pulsar::Cluster ClusterOf(const json& cycle) {
  pulsar::Cluster cluster{.recently_unloaded = cycle["recentlyUnloaded"].get<Names>()};
  for (const json& row : cycle["brokers"]) cluster.brokers.push_back(BrokerOf(row));
  for (const json& row : cycle["bundles"]) cluster.bundles.push_back(BundleOf(row));
  return cluster;
}

pulsar::BundleStats StatsOf(const json& row) {
  return {row[0], TrafficOf({row[1], row[2], row[3], row[4]}), row[5], row[6], row[7], row[8]};
}

json TextOf(const std::vector<pulsar::Unload>& unloads) {
  json text = json::object();
  for (const pulsar::Unload& unload : unloads) text[unload.broker] = unload.bundles;
  return text;
}

template <typename Map>
json TableOf(const Map& map) {
  json text = json::object();
  for (const auto& [name, value] : map) text[name] = value;
  return text;
}

// --- shedders

json PlayThreshold(const json& asked) {
  const json& config = asked["config"];
  pulsar::ThresholdShedder shedder({
      .weights = WeightsOf(config),
      .threshold = Share(config, "loadBalancerBrokerThresholdShedderPercentage"),
      .history = config["loadBalancerHistoryResourcePercentage"],
      .least_bytes =
          config["loadBalancerBundleUnloadMinThroughputThreshold"].get<double>() * 1048576,
      .lower_boundary = config["lowerBoundarySheddingEnabled"],
  });
  json answers = json::array();
  for (const json& cycle : asked["cycles"]) {
    if (cycle.contains("activeBrokers")) shedder.SetActive(cycle["activeBrokers"].get<Names>());
    const json unload = TextOf(shedder.Shed(ClusterOf(cycle)));
    answers.push_back({{"unload", unload}, {"history", TableOf(shedder.averages())}});
  }
  return answers;
}

json PlayOverload(const json& asked) {
  const json& config = asked["config"];
  const pulsar::OverloadRules rules{
      WeightsOf(config), Share(config, "loadBalancerBrokerOverloadedThresholdPercentage")};
  json answers = json::array();
  for (const json& cycle : asked["cycles"]) {
    answers.push_back({{"unload", TextOf(pulsar::ShedOverload(ClusterOf(cycle), rules))}});
  }
  return answers;
}

json PlayUniform(const json& asked) {
  const json& config = asked["config"];
  const pulsar::UniformRules rules{
      .rate_difference = config["loadBalancerMsgRateDifferenceShedderThreshold"],
      .bytes_multiple = config["loadBalancerMsgThroughputMultiplierDifferenceShedderThreshold"],
      .most_unloaded = config["maxUnloadPercentage"],
      .least_rate = config["minUnloadMessage"],
      .least_bytes = config["minUnloadMessageThroughput"],
      .most_bundles = config["maxUnloadBundleNumPerShedding"],
  };
  json answers = json::array();
  for (const json& cycle : asked["cycles"]) {
    answers.push_back({{"unload", TextOf(pulsar::ShedUniform(ClusterOf(cycle), rules))}});
  }
  return answers;
}

pulsar::AvgShedder::Rules AvgRulesOf(const json& config) {
  return {.weights = WeightsOf(config),
          .low = config["loadBalancerAvgShedderLowThreshold"],
          .high = config["loadBalancerAvgShedderHighThreshold"],
          .low_hits = config["loadBalancerAvgShedderHitCountLowThreshold"],
          .high_hits = config["loadBalancerAvgShedderHitCountHighThreshold"],
          .most_unloaded = config["maxUnloadPercentage"],
          .least_rate = config["minUnloadMessage"],
          .least_bytes = config["minUnloadMessageThroughput"]};
}

// The order in which the peer goes through its table of scores is a part of the record.
json PlayAvg(const json& asked) {
  pulsar::AvgShedder shedder(AvgRulesOf(asked["config"]));
  json answers = json::array();
  for (const json& cycle : asked["cycles"]) {
    const pulsar::Cluster cluster = ClusterOf(cycle);
    const json unload = TextOf(shedder.Shed(cluster, cycle["observed"]["scoreOrder"].get<Names>()));
    json destinations = json::object();
    for (const json& names : unload) {
      for (const std::string name : names) {
        const auto it = std::ranges::find(cluster.bundles, name, &pulsar::Bundle::name);
        destinations[name] = *shedder.DestinationOf(*it);
      }
    }
    answers.push_back({{"unload", unload},
                       {"scores", TableOf(shedder.scores())},
                       {"hitHigh", TableOf(shedder.high_hits())},
                       {"hitLow", TableOf(shedder.low_hits())},
                       {"destinations", destinations}});
  }
  return answers;
}

std::vector<pulsar::BrokerReport> ReportsOf(const json& cycle) {
  std::vector<pulsar::BrokerReport> reports;
  for (const json& row : cycle["brokers"]) {
    pulsar::BrokerReport report{.name = row["name"],
                                .load = row["weightedMaxEMA"],
                                .average_bytes = row["msgThroughputEMA"],
                                .bytes_in = row["throughput"][0],
                                .bytes_out = row["throughput"][1],
                                .age = row["ageMs"]};
    if (!row["topBundles"].is_null()) {
      report.bundles.emplace();
      for (const json& top : row["topBundles"]) {
        report.bundles->push_back({top[0], top[1], top[2]});
      }
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

pulsar::TransferWorld TransferWorldOf(const json& cycle) {
  pulsar::TransferWorld world{.available = cycle["available"].get<Names>(),
                              .recently_unloaded = cycle["recentlyUnloadedBundles"].get<Names>()};
  for (const auto& [name, since] : cycle["recentlyUnloadedBrokers"].items()) {
    world.unloaded_brokers.emplace_back(name, since.get<int64_t>());
  }
  if (cycle.contains("allowed")) {
    pulsar::Policies& policies = world.policies.emplace();
    for (const auto& [space, brokers] : cycle["allowed"].items()) {
      policies.allowed.emplace_back(space, brokers.get<Names>());
    }
    policies.isolated = cycle["isolated"].get<Names>();
    world.not_owned = cycle["notOwned"].get<Names>();
  }
  return world;
}

json RoundTextOf(const pulsar::TransferRound& round, int64_t hits) {
  using Skip = pulsar::TransferRound::Skip;
  constexpr std::pair<Skip, const char*> kCounters[] = {
      {Skip::kNoBrokers, "Skip.NoBrokers"},   {Skip::kOutdated, "Skip.OutDatedData"},
      {Skip::kNoLoadData, "Skip.NoLoadData"}, {Skip::kCoolDown, "Skip.CoolDown"},
      {Skip::kNoBundles, "Skip.NoBundles"},   {Skip::kHitCount, "Skip.HitCount"}};
  json decisions = json::array(), counted = json::object();
  for (const pulsar::Transfer& transfer : round.transfers) {
    decisions.push_back({{"from", transfer.from},
                         {"bundle", transfer.bundle},
                         {"to", transfer.to.empty() ? json() : json(transfer.to)},
                         {"label", "Success"},
                         {"reason", transfer.is_overload ? "Overloaded" : "Underloaded"}});
  }
  for (const auto& [skip, counter] : kCounters) {
    if (round.skip == skip) counted[counter] = 1;
  }
  return {{"decisions", decisions},
          {"counted", counted},
          {"hitCount", hits},
          {"avg", round.mean},
          {"stdAfter", round.deviation},
          {"recentlyUnloadedBrokersLeft", round.unloaded_brokers_left}};
}

json PlayTransfer(const json& asked) {
  const json& config = asked["config"];
  pulsar::TransferShedder shedder({
      .target = config["loadBalancerBrokerLoadTargetStd"],
      .hits = config["loadBalancerSheddingConditionHitCountThreshold"],
      .transfers = config["loadBalancerTransferEnabled"],
      .debug = config["loadBalancerDebugModeEnabled"],
      .moves_isolated = config["loadBalancerSheddingBundlesWithPoliciesEnabled"],
      .most_pairs = config["loadBalancerMaxNumberOfBrokerSheddingPerCycle"],
      .delay = config["loadBalanceSheddingDelayInSeconds"].get<int64_t>() * 1000,
      .oldest = config["loadBalancerBrokerLoadDataTTLInSeconds"].get<int64_t>() * 1000,
      .overload = Share(config, "loadBalancerBrokerOverloadedThresholdPercentage"),
      .excluded = config["loadBalancerSheddingExcludedNamespaces"].get<Names>(),
  });
  json answers = json::array();
  for (const json& cycle : asked["cycles"]) {
    const pulsar::TransferRound round = shedder.Shed(ReportsOf(cycle), TransferWorldOf(cycle));
    answers.push_back(RoundTextOf(round, shedder.hits()));
  }
  return answers;
}

// --- placements

json PlayRate(const json& asked) {
  const json& config = asked["config"];
  const double overload = Share(config, "loadBalancerBrokerOverloadedThresholdPercentage");
  json answers = json::array();
  for (const json& cycle : asked["cycles"]) {
    std::vector<std::pair<std::string, double>> scores;
    json texts = json::object();
    for (const json& name : cycle["candidates"]) {
      for (const json& row : cycle["brokers"]) {
        if (row["name"] != name) continue;
        const pulsar::Broker broker = BrokerOf(row);
        pulsar::RateCandidate candidate{&broker, row["longRate"][0], row["longRate"][1]};
        for (const json& bundle : row["preallocated"]) {
          candidate.preallocated.push_back(TrafficOf(bundle["long"]));
        }
        const double score = pulsar::RateScore(candidate, WeightsOf(config), overload);
        scores.emplace_back(broker.name, score);
        texts[broker.name] = std::isinf(score) ? json("inf") : json(score);
      }
    }
    answers.push_back({{"anyOf", pulsar::BestByRate(scores)}, {"scores", texts}});
  }
  return answers;
}

json PlayUsage(const json& asked) {
  const json& config = asked["config"];
  pulsar::UsagePlacement placement(
      WeightsOf(config), config["loadBalancerHistoryResourcePercentage"],
      Share(config, "loadBalancerAverageResourceUsageDifferenceThresholdPercentage"));
  json answers = json::array();
  for (const json& cycle : asked["cycles"]) {
    if (cycle.contains("activeBrokers")) placement.SetActive(cycle["activeBrokers"].get<Names>());
    std::vector<pulsar::Broker> brokers;
    for (const json& row : cycle["brokers"]) brokers.push_back(BrokerOf(row));
    std::vector<const pulsar::Broker*> candidates;
    for (const json& name : cycle["candidates"]) {
      for (const pulsar::Broker& broker : brokers) {
        if (name == broker.name) candidates.push_back(&broker);
      }
    }
    const Names best = placement.Best(candidates);
    answers.push_back({{"anyOf", best}, {"history", TableOf(placement.averages())}});
  }
  return answers;
}

json PlayAvgPlacement(const json& asked) {
  pulsar::AvgShedder shedder(AvgRulesOf(asked["config"]));
  pulsar::Cluster cluster = ClusterOf(asked);
  Names order;
  for (const pulsar::Broker& broker : cluster.brokers) order.push_back(broker.name);
  shedder.Shed(cluster, order);
  HashMap<std::string, std::pair<pulsar::TimeAverage, pulsar::TimeAverage>> averages;
  json answers = json::array();
  for (const json& call : asked["calls"]) {
    const auto bundle = std::ranges::find(cluster.bundles, call["bundle"].get<std::string>(),
                                          &pulsar::Bundle::name);
    if (call.contains("sampleBefore")) {
      auto [it, is_new] =
          averages.try_emplace(bundle->name, pulsar::TimeAverage(bundle->shortly, 10),
                               pulsar::TimeAverage(bundle->longly, 1000));
      const pulsar::Traffic sample = TrafficOf(call["sampleBefore"]);
      shedder.Forget(bundle->name);
      it->second.first.Add(sample);
      it->second.second.Add(sample);
      bundle->shortly = it->second.first.average();
      bundle->longly = it->second.second.average();
    }
    const Names candidates = call["candidates"].get<Names>();
    if (const std::string* broker = shedder.PlaceOf(*bundle, candidates)) {
      answers.push_back({{"broker", *broker}});
    } else {
      answers.push_back({{"anyOf", candidates}});
      shedder.Remember(*bundle, call["observed"].value("picked", ""));
    }
  }
  return answers;
}

json PlayRoundRobin(const json& asked) {
  pulsar::RoundRobin turns;
  json answers = json::array();
  for (const json& call : asked["calls"]) {
    const std::string next = turns.Next(call["candidates"].get<Names>());
    answers.push_back(next.empty() ? json() : json(next));
  }
  return answers;
}

json PlayExtensible(const json& asked) {
  const double difference =
      Share(asked["config"], "loadBalancerAverageResourceUsageDifferenceThresholdPercentage");
  json answers = json::array();
  for (const json& call : asked["calls"]) {
    HashMap<std::string, double> loads;
    for (const json& row : call["brokers"]) loads[row["name"]] = row["weightedMaxEMA"];
    const Names best = pulsar::BestByLoad(call["candidates"].get<Names>(), loads, difference);
    answers.push_back({{"anyOf", best}});
  }
  return answers;
}

HashMap<std::string, int64_t> CountsIn(const json& table) {
  HashMap<std::string, int64_t> counts;
  for (const auto& [name, value] : table.items()) {
    int64_t& count = counts[name];
    if (!value.is_array()) {
      count = value.get<int64_t>();
    } else {
      for (const json& part : value) count += part.get<int64_t>();
    }
  }
  return counts;
}

Names FilteredBy(const json& call) {
  const Names candidates = call["candidates"].get<Names>();
  const std::string filter = call["filter"];
  if (filter == "bundlesEvenly") {
    return pulsar::KeepEven(candidates, CountsIn(call["bundlesOfNamespace"]));
  }
  if (filter == "antiAffinity") {
    HashMap<std::string, std::string> domains;
    if (call["failureDomainsEnabled"].get<bool>()) {
      for (const auto& [name, domain] : call["domains"].items()) domains[name] = domain;
    }
    return pulsar::KeepApart(candidates, CountsIn(call["namespacesOfGroup"]), domains);
  }
  const auto topics = CountsIn(call["topics"]);
  const int64_t most = call["loadBalancerBrokerMaxTopics"];
  return filter == "maxTopics" ? pulsar::KeepWithinTopics(candidates, topics, most)
                               : pulsar::KeepBelowTopics(candidates, topics, most);
}

json PlayFilter(const json& asked) {
  json answers = json::array();
  for (const json& call : asked["calls"]) {
    Names left = FilteredBy(call);
    std::ranges::sort(left);
    answers.push_back(left);
  }
  return answers;
}

// --- averages, busiest bundles, splits

json TrafficText(const pulsar::Traffic& traffic) {
  return {traffic.bytes_in, traffic.bytes_out, traffic.rate_in, traffic.rate_out};
}

json PlayBrokerAverage(const json& asked) {
  const json& config = asked["config"];
  pulsar::BrokerAverage average(config["loadBalancerHistoryResourcePercentage"]);
  json answers = json::array();
  for (const json& step : asked["steps"]) {
    if (step["clearBefore"].get<bool>()) average.Clear();
    const pulsar::Broker broker = BrokerOf(step);
    average.Add(pulsar::WeightedUsageWithMemory(broker, WeightsOf(config)),
                step["throughput"][0].get<double>() + step["throughput"][1].get<double>());
    answers.push_back({{"maxResourceUsage", pulsar::LargestUsage(broker)},
                       {"weightedMaxEMA", average.usage()},
                       {"msgThroughputEMA", average.bytes()}});
  }
  return answers;
}

json PlayAverages(const json& asked) {
  if (asked["what"] == "broker") return PlayBrokerAverage(asked);
  constexpr pulsar::Traffic kPreset{50'000, 50'000, 50, 50};
  const pulsar::Traffic preset =
      asked["startsFromDefaultStats"].get<bool>() ? kPreset : pulsar::Traffic();
  pulsar::TimeAverage shortly(preset, asked["maxShortSamples"]);
  pulsar::TimeAverage longly(preset, asked["maxLongSamples"]);
  json answers = json::array();
  for (const json& step : asked["steps"]) {
    const pulsar::Traffic sample = TrafficOf(step["sample"]);
    shortly.Add(sample);
    longly.Add(sample);
    answers.push_back(
        {{"short", TrafficText(shortly.average())}, {"long", TrafficText(longly.average())}});
  }
  return answers;
}

json PlayTop(const json& asked) {
  std::vector<pulsar::BundleStats> bundles;
  for (const json& row : asked["bundles"]) bundles.push_back(StatsOf(row));
  json names = json::array();
  for (const pulsar::BundleStats& bundle : pulsar::TopBundles(std::move(bundles), asked["k"])) {
    names.push_back(bundle.name);
  }
  return json::array({names});
}

pulsar::SplitLimits LimitsOf(const json& config) {
  return {.topics = config["loadBalancerNamespaceBundleMaxTopics"],
          .sessions = config["loadBalancerNamespaceBundleMaxSessions"],
          .rate = config["loadBalancerNamespaceBundleMaxMsgRate"],
          .bytes = config["loadBalancerNamespaceBundleMaxBandwidthMbytes"].get<double>() * 1048576,
          .bundles = config["loadBalancerNamespaceMaximumBundles"]};
}

json PlaySplit(const json& asked) {
  const pulsar::SplitLimits limits = LimitsOf(asked["config"]);
  json answers = json::array();
  for (const json& cycle : asked["cycles"]) {
    std::vector<pulsar::BundleStats> stats;
    Names brokers;
    for (const json& broker : cycle["observed"]["brokerOrder"]) {
      for (const json& row : cycle["stats"]) {
        if (row[9] != broker) continue;
        stats.push_back(StatsOf(row));
        brokers.push_back(broker);
      }
    }
    HashMap<std::string, pulsar::Traffic> longly;
    for (const json& row : cycle["longTerm"]) longly[row["name"]] = TrafficOf(row["long"]);
    json split = json::object();
    for (const size_t i :
         pulsar::ChooseSplits(stats, longly, CountsIn(cycle["bundleCounts"]), limits)) {
      split[stats[i].name] = brokers[i];
    }
    answers.push_back({{"split", split}});
  }
  return answers;
}

json SplitText(const pulsar::SplitStrategy::Split& split) {
  constexpr const char* kReasons[] = {"Topics", "Sessions", "MsgRate", "Bandwidth"};
  const pulsar::HashRange range = *pulsar::RangeOf(split.bundle);
  const auto text = [](int64_t lower, int64_t upper) {
    return absl::StrFormat("0x%08x_0x%08x", lower, upper);
  };
  return {{"bundle", split.bundle},
          {"reason", kReasons[static_cast<size_t>(split.reason)]},
          {"children", {text(range.lower, split.boundary), text(split.boundary, range.upper)}}};
}

json PlayStrategy(const json& asked) {
  const json& config = asked["config"];
  pulsar::SplitStrategy strategy(
      {.limits = LimitsOf(config),
       .hits = config["loadBalancerNamespaceBundleSplitConditionHitCountThreshold"],
       .most_splits = config["loadBalancerMaxNumberOfBundlesToSplitPerCycle"]});
  json answers = json::array();
  for (const json& cycle : asked["cycles"]) {
    std::vector<pulsar::BundleStats> stats;
    for (const json& row : cycle["stats"]) stats.push_back(StatsOf(row));
    json decisions = json::array();
    for (const auto& split : strategy.Choose(stats, {.bundles = CountsIn(cycle["bundleCounts"]),
                                                    .splitting = cycle["splitting"].get<Names>(),
                                                    .not_owned = cycle["notOwned"].get<Names>()})) {
      decisions.push_back(SplitText(split));
    }
    answers.push_back({{"decisions", decisions}, {"hitCounts", TableOf(strategy.hits())}});
  }
  return answers;
}

json PlayBoundary(const json& asked) {
  const std::string algorithm = asked["algorithm"];
  const pulsar::HashRange range{asked["lower"], asked["upper"]};
  std::vector<pulsar::Topic> topics;
  for (const json& row : asked["topics"]) {
    pulsar::Topic topic{.hash = row["hash"]};
    if (!row["stats"].is_null()) topic.traffic = TrafficOf(row["stats"]);
    topics.push_back(topic);
  }
  std::optional<pulsar::Cuts> cuts;
  if (algorithm == "range_equally_divide") {
    cuts = pulsar::CutRange(range);
  } else if (algorithm == "topic_count_equally_divide") {
    cuts = pulsar::CutByTopics(topics);
  } else if (algorithm == "specified_positions_divide") {
    cuts = pulsar::CutAtPositions(range, topics, asked["positions"].get<pulsar::Cuts>());
  } else {
    cuts = pulsar::CutByTraffic(
        topics, asked["loadBalancerNamespaceBundleMaxMsgRate"],
        asked["loadBalancerNamespaceBundleMaxBandwidthMbytes"].get<double>() * 1048576,
        asked["flowOrQpsDifferenceThresholdPercentage"]);
  }
  return json::array({cuts ? json(*cuts) : json()});
}

}  // namespace

absl::StatusOr<json> AskPulsar(const json& request) {
  constexpr std::pair<const char*, json (*)(const json&)> kSuites[] = {
      {"threshold", PlayThreshold},
      {"overload", PlayOverload},
      {"uniform", PlayUniform},
      {"avg", PlayAvg},
      {"transfer", PlayTransfer},
      {"transfer-policy", PlayTransfer},
      {"placement-rate", PlayRate},
      {"placement-usage", PlayUsage},
      {"placement-avg", PlayAvgPlacement},
      {"placement-roundrobin", PlayRoundRobin},
      {"placement-extensible", PlayExtensible},
      {"placement-filter", PlayFilter},
      {"load-averages", PlayAverages},
      {"top-bundles", PlayTop},
      {"split", PlaySplit},
      {"split-extensible", PlayStrategy},
      {"split-boundary", PlayBoundary},
  };
  const json& asked = request["pulsar"];
  const std::string name = asked["name"];
  for (const auto& [suite, play] : kSuites) {
    if (name.substr(0, name.rfind('-')) == suite) return play(asked);
  }
  return absl::InvalidArgumentError(absl::StrCat("no suite is named as case \"", name, "\""));
}

}  // namespace muster::testing
