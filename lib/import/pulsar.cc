// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Load reports of Pulsar's brokers, and its averages of bundles: each as the spec of an object of
// the group pulsar.apache.org, by the name of the broker or the bundle.
//
//   {"apiVersion": "pulsar.apache.org/v1", "kind": "LoadReport", "metadata": {"name": "b1:8080"},
//    "spec": {"cpu": {"usage": 40, "limit": 800}, "lastStats": {"t/n/0x..": {...}}, ...}}
//   {"kind": "BundleData", "metadata": {"name": "t/n/0x.."}, "spec": {"shortTermData": {...}, ...}}
//
// A report may also stand as the broker has it, without the object around it: its `webServiceUrl`
// is the broker's name then.
//
// A broker becomes a node, a namespace a job, and a bundle a task: running where a report lists it,
// else pending. Averages count in place of the last sample where a bundle has some. Policies of
// namespaces are in neither and are the caller's to add. The configuration is broker.conf as an
// object (pulsar_broker.h).
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/importer.h"
#include "lib/import/pulsar_broker.h"
#include "lib/peer/pulsar/bundles.h"

namespace muster {
namespace {

constexpr std::string_view kPulsarGroups[] = {"pulsar.apache.org"};
constexpr KindRule kPulsarKinds[] = {{"LoadReport", kPulsarGroups}, {"BundleData", kPulsarGroups}};
constexpr int64_t kManyBundles = 1'000'000;
constexpr int64_t kLongWindow = 1000;  // samples, one a second

// The peer's keys of traffic and ours.
constexpr std::pair<std::string_view, std::string_view> kTraffic[] = {
    {"msgThroughputIn", "bytes_in"},
    {"msgThroughputOut", "bytes_out"},
    {"msgRateIn", "rate_in"},
    {"msgRateOut", "rate_out"}};

constexpr std::string_view kNoBundle =
    "the name is no bundle; expected TENANT/NAMESPACE/0xLOWER_0xUPPER";

bool IsBundle(std::string_view name) { return pulsar::RangeOf(name).has_value(); }

Resources ReadTraffic(const Field& stats) {
  Resources amounts;
  for (const auto& [key, name] : kTraffic) {
    const std::string text = stats[key].ScalarText();
    if (!text.empty()) amounts.emplace_back(std::string(name), text);
  }
  return amounts;
}

class PulsarReader {
 public:
  PulsarReader(const ImportSource& source, ClusterSpec* cluster)
      : source_(source), cluster_(*cluster) {}

  void Read() {
    for (const ApiObject* report : source_.dump.OfKind("LoadReport")) ReadReport(*report);
    for (const ApiObject* data : source_.dump.OfKind("BundleData")) ReadAverages(*data);
    for (auto& [name, task] : tasks_) {
      if (jobs_.insert(task.job).second) cluster_.jobs.push_back({.name = task.job});
      cluster_.tasks.push_back(std::move(task));
    }
  }

 private:
  TaskSpec& TaskOf(const std::string& bundle) {
    TaskSpec& task = tasks_[bundle];
    if (!task.name.empty()) return task;
    task.name = bundle;
    task.job = bundle.substr(0, bundle.rfind('/'));
    task.usage = TaskUsage{};
    return task;
  }

  void ReadReport(const ApiObject& report) {
    const Field spec = report.own();
    NodeSpec node{.name = report.name(), .capacity = {{"cpu", 1}, {"pods", kManyBundles}}};
    node.usage = NodeUsage{.measured = spec.Int64("lastUpdate", 0) / 1000};
    const std::pair<const char*, const char*> resources[] = {{"cpu", "cpu"},
                                                             {"memory", "memory"},
                                                             {"directMemory", "direct_memory"},
                                                             {"bandwidthIn", "bandwidth_in"},
                                                             {"bandwidthOut", "bandwidth_out"}};
    for (const auto& [key, name] : resources) {
      const Field resource = spec.Section(key);
      if (!resource.given()) continue;
      node.settings.emplace_back(
          absl::StrCat("pulsar/", name),
          absl::StrCat(resource["usage"].ScalarText(), "/", resource["limit"].ScalarText()));
    }
    for (const auto& [key, amount] : ReadTraffic(spec)) {
      node.settings.emplace_back(absl::StrCat("pulsar/", key), amount.text);
    }
    for (const Field& stats : spec.Section("lastStats").Children()) {
      if (!IsBundle(stats.key())) return stats.Refuse(kNoBundle);
      TaskSpec& task = TaskOf(std::string(stats.key()));
      task.status = TaskStatus::kRunning;
      task.node = node.name;
      task.usage->amounts = ReadTraffic(stats);
      task.usage->measured = node.usage->measured;
      const std::pair<const char*, const char*> counts[] = {{"topics", "topics"},
                                                            {"consumerCount", "consumers"},
                                                            {"producerCount", "producers"},
                                                            {"cacheSize", "cache"}};
      for (const auto& [key, name] : counts) {
        const std::string text = stats[key].ScalarText();
        if (!text.empty()) task.usage->amounts.emplace_back(name, text);
      }
    }
    cluster_.nodes.push_back(std::move(node));
  }

  void ReadAverages(const ApiObject& data) {
    if (!IsBundle(data.name())) return data.metadata()["name"].Refuse(kNoBundle);
    TaskSpec& task = TaskOf(data.name());
    const Resources shortly = ReadTraffic(data.spec().Section("shortTermData"));
    for (const auto& [name, amount] : shortly) {
      // Clang 14 lets no lambda take a part of the pair.
      const std::string& dimension = name;
      std::erase_if(task.usage->amounts, [&](const auto& old) { return old.first == dimension; });
      task.usage->amounts.emplace_back(name, amount);
    }
    Resources longly = ReadTraffic(data.spec().Section("longTermData"));
    if (longly.empty()) return;
    task.usage->windows.push_back({.seconds = kLongWindow, .average = std::move(longly)});
  }

  const ImportSource& source_;
  ClusterSpec& cluster_;
  std::map<std::string, TaskSpec> tasks_;
  std::set<std::string> jobs_;
};

void ReadPulsar(const ImportSource& source, Scenario* scenario) {
  scenario->profile = "pulsar";
  std::set<std::string> excluded;
  if (source.configuration) scenario->profile = PulsarProfileOf(*source.configuration, &excluded);
  PulsarReader(source, &scenario->cluster).Read();
  for (JobSpec& job : scenario->cluster.jobs) {
    if (excluded.contains(job.name)) job.settings.emplace_back("pulsar/excluded", "true");
  }
}

}  // namespace

extern const Importer kPulsarImporter;
const Importer kPulsarImporter = {"pulsar", kPulsarGroups, kPulsarKinds, ReadPulsar};

}  // namespace muster
