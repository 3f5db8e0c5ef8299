// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/pulsar/read_world.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/settings.h"
#include "lib/peer/pulsar/amounts.h"

namespace muster::pulsar {
namespace {

void AddTraffic(const Traffic& more, Traffic* sum) {
  sum->bytes_in += more.bytes_in;
  sum->bytes_out += more.bytes_out;
  sum->rate_in += more.rate_in;
  sum->rate_out += more.rate_out;
}

void ReadUsed(SettingReader& settings, std::string_view key, Used* used) {
  const auto text = settings.Text(key);
  if (!text) return;
  const size_t bar = text->find('/');
  const bool reads = bar != text->npos && ReadNumber(text->substr(0, bar), &used->used) &&
                     ReadNumber(text->substr(bar + 1), &used->limit);
  if (!reads) settings.Refuse(key, "must be USED/LIMIT, two amounts of 0 or more");
}

void ReadTraffic(SettingReader& settings, std::string_view key, double* value) {
  const auto text = settings.Text(key);
  if (text && !ReadNumber(*text, value)) settings.Refuse(key, "must be an amount of 0 or more");
}

// Fills what the node's row has of the broker; `domain` is its failure domain.
absl::Status ReadBroker(const NodeSpec& node, Broker* broker, std::string* domain) {
  broker->name = node.name;
  if (node.usage) {
    double cpu = 0, memory = 0;
    (void)ReadNumber(node.usage->cpu.text, &cpu);
    (void)ReadNumber(node.usage->memory.text, &memory);
    broker->cpu = {cpu, 100};
    broker->memory = {memory, 100};
  }
  SettingReader settings("node", node.name, node.settings, "pulsar");
  ReadUsed(settings, "cpu", &broker->cpu);
  ReadUsed(settings, "memory", &broker->memory);
  ReadUsed(settings, "direct_memory", &broker->direct_memory);
  ReadUsed(settings, "bandwidth_in", &broker->bandwidth_in);
  ReadUsed(settings, "bandwidth_out", &broker->bandwidth_out);
  ReadTraffic(settings, "bytes_in", &broker->traffic.bytes_in);
  ReadTraffic(settings, "bytes_out", &broker->traffic.bytes_out);
  ReadTraffic(settings, "rate_in", &broker->traffic.rate_in);
  ReadTraffic(settings, "rate_out", &broker->traffic.rate_out);
  if (const auto text = settings.Text("failure_domain")) *domain = std::string(*text);
  return settings.Finish();
}

absl::Status ReadNamespace(const JobSpec& job, NamespaceRules* rules) {
  SettingReader settings("job", job.name, job.settings, "pulsar");
  if (const auto group = settings.Text("anti_affinity_group")) rules->group = std::string(*group);
  rules->excluded = settings.Flag("excluded", false);
  rules->isolated = settings.Flag("isolated", false);
  return settings.Finish();
}

}  // namespace

BundleStats ReadStats(const Tables& tables, TaskIndex task) {
  BundleStats stats{.name = std::string(tables.tasks.names.name(task))};
  const TaskUsage* const usage = UsageOf(tables, task);
  if (usage == nullptr) return stats;
  const auto count = [&](std::string_view name) {
    return static_cast<int64_t>(AmountNamed(usage->amounts, name));
  };
  stats.traffic = TrafficOf(usage->amounts);
  stats.topics = count("topics");
  stats.consumers = count("consumers");
  stats.producers = count("producers");
  stats.cache = count("cache");
  return stats;
}

Books::Books(ActionContext& context) : tables(context.tables), averages(*context.facts.cycle) {
  averages.Store(tables);
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    const NodeSpec& node = tables.nodes.spec[n];
    if (!tables.nodes.alive[n] || !node.ready || node.unschedulable) continue;
    broker_of[n] = node_of.size();
    node_of.push_back(n);
    std::string domain;
    (void)ReadBroker(node, &cluster.brokers.emplace_back(), &domain);
    if (!domain.empty()) domains[node.name] = domain;
  }
  bundles_of.resize(node_of.size());
  preallocated.resize(node_of.size());
  long_traffic.resize(node_of.size());
  std::vector<Traffic> sums(node_of.size());
  for (JobIndex job = 0; job < tables.jobs.alive.size(); ++job) {
    if (!tables.jobs.alive[job] || tables.jobs.spec[job].settings.empty()) continue;
    (void)ReadNamespace(tables.jobs.spec[job], &rules[job]);
  }
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t] || !tables.has_job(t)) continue;
    const TaskStatus status = context.ledger.status(t);
    if (status != TaskStatus::kRunning && status != TaskStatus::kBound) continue;
    const auto broker = broker_of.find(context.ledger.node_of(t));
    if (broker == broker_of.end()) continue;
    const size_t b = broker->second;
    Bundle bundle = BundleOf(t);
    stats.push_back(ReadStats(tables, t));
    const bool is_reported = UsageOf(tables, t) != nullptr;
    if (is_reported) {
      AddTraffic(stats.back().traffic, &sums[b]);
      AddTraffic(bundle.longly, &long_traffic[b]);
    } else {
      preallocated[b].push_back(bundle.longly);
    }
    topics[cluster.brokers[b].name] += stats.back().topics;
    ++counts[tables.tasks.job[t]][cluster.brokers[b].name];
    bundles_of[b].push_back(cluster.bundles.size());
    if (is_reported && tables.tasks.flags[t] & kTaskPreemptable) {
      cluster.brokers[b].bundles.push_back(bundle.name);
    }
    cluster.bundles.push_back(std::move(bundle));
    task_of.push_back(t);
  }
  for (size_t b = 0; b < node_of.size(); ++b) {
    const Traffic none;
    if (cluster.brokers[b].traffic == none) cluster.brokers[b].traffic = sums[b];
  }
}

void Books::Preallocate(TaskIndex task, NodeIndex node) {
  const size_t b = broker_of.find(node)->second;
  preallocated[b].push_back(BundleOf(task).longly);
  topics[cluster.brokers[b].name] += ReadStats(tables, task).topics;
  ++counts[tables.tasks.job[task]][cluster.brokers[b].name];
}

std::string Books::NamespaceOf(TaskIndex task) const {
  const std::string_view name = tables.tasks.names.name(task);
  return std::string(name.substr(0, name.rfind('/')));
}

absl::Status CheckTables(const Tables& tables, const Options&) {
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (!tables.nodes.alive[n]) continue;
    Broker broker;
    std::string domain;
    const absl::Status status = ReadBroker(tables.nodes.spec[n], &broker, &domain);
    if (!status.ok()) return status;
  }
  for (JobIndex job = 0; job < tables.jobs.alive.size(); ++job) {
    if (!tables.jobs.alive[job]) continue;
    NamespaceRules rules;
    const absl::Status status = ReadNamespace(tables.jobs.spec[job], &rules);
    if (!status.ok()) return status;
  }
  for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
    if (!tables.queues.alive[q]) continue;
    const QueueSpec& spec = tables.queues.spec[q];
    SettingReader settings("queue", spec.name, spec.settings, "pulsar");
    if (absl::Status status = settings.Finish(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace muster::pulsar
