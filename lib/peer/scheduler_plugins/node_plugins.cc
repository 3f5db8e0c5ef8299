// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/node_plugins.h"

#include <algorithm>
#include <utility>

#include "lib/kube/selectors.h"
#include "lib/peer/scheduler_plugins/load/load_scores.h"
#include "lib/peer/scheduler_plugins/load/recent_pods.h"
#include "lib/peer/scheduler_plugins/node_scores.h"
#include "muster/quantity.h"

namespace muster::scheduler_plugins {
namespace {

Amounts AmountsOf(const Resources& resources) {
  Amounts amounts;
  for (const auto& [name, quantity] : resources) {
    // Rows were validated when they joined the tables.
    amounts[name] =
        ParseQuantity(quantity.text, IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole)
            .value_or(0);
  }
  return amounts;
}

double PercentOf(const Quantity& quantity) {
  return static_cast<double>(ParseQuantity(quantity.text, Unit::kMilli).value_or(0)) / 1000;
}

ContainerView ViewOfContainer(const ContainerSpec& container, bool guaranteed) {
  ContainerView view;
  view.part = container.sidecar ? ZonedTask::Part::kSidecar
              : container.init  ? ZonedTask::Part::kInit
                                : ZonedTask::Part::kMain;
  view.requests = AmountsOf(container.request);
  if (guaranteed) view.limits = view.requests;
  return view;
}

PodView ViewOfShape(const TaskShape& shape) {
  PodView view;
  for (const bool main : {false, true}) {
    for (const ContainerSpec& container : shape.containers) {
      if (main == (container.init || container.sidecar)) continue;
      view.containers.push_back(ViewOfContainer(container, shape.guaranteed_qos));
    }
  }
  if (view.containers.empty()) {
    ContainerSpec whole;
    whole.request = shape.request;
    view.containers.push_back(ViewOfContainer(whole, shape.guaranteed_qos));
  } else if (shape.pod) {
    view.overhead = AmountsOf(shape.pod->overhead);
  }
  if (shape.guaranteed_qos) view.stated_service = ServiceClass::kGuaranteed;
  return view;
}

}  // namespace

void NodePlugins::Open(kube::World* world, const kube::Nominations* nominations,
                       const Ledger* ledger, int64_t now) {
  world_ = world;
  tables_ = &world->tables();
  nominations_ = nominations;
  now_ = now;
  network_.Open(world);
  if (!settings_.zones) return;
  zones_.Open(*tables_, *ledger, settings_.most_zones);
  zone_scoring_.strategy = settings_.zone_strategy;
  for (const auto& [name, weight] : settings_.zone_resources) {
    const size_t resource = zones_.ResourceNumber(name);
    if (zone_scoring_.weights.size() <= resource) zone_scoring_.weights.resize(resource + 1, 1);
    zone_scoring_.weights[resource] = weight;
  }
}

bool NodePlugins::LooksAtNodes(TaskIndex) {
  return settings_.allocatable_weight > 0 || settings_.pod_state_weight > 0 ||
         settings_.target_load_weight > 0 || settings_.load_variation_weight > 0 ||
         settings_.low_risk_weight > 0 || settings_.power_weight > 0 || settings_.mark_weight > 0 ||
         (settings_.zones && zones_.any()) || network_.any();
}

const PodView& NodePlugins::ViewOf(TaskIndex t) {
  const ClassIndex c = world_->class_of(t);
  const auto it = views_.find(c);
  if (it != views_.end()) return it->second;
  return views_[c] = ViewOfShape(world_->classes().shape(c));
}

ServiceClass NodePlugins::ServiceOfTask(TaskIndex t) { return ServiceOf(ViewOf(t)); }

kube::Status NodePlugins::Filter(TaskIndex t, NodeIndex n) {
  kube::Status status = FilterByZones(t, n);
  if (status.code != kube::Code::kFits || !network_.any()) return status;
  const NetworkAnswer answer = network_.AnswerOf(n);
  if (answer.fits()) return status;
  status.code = kube::Code::kUnschedulable;
  status.plugin = NumberOf(ExtraPlugin::kNetwork);
  status.causes.push_back(kube::WordsCause(world_, NetworkReason(network_.node(n), answer)));
  return status;
}

kube::Status NodePlugins::FilterByZones(TaskIndex t, NodeIndex n) {
  if (!settings_.zones || !zones_.any_aligned()) return {};
  const ClassIndex c = world_->class_of(t);
  const ZoneBooks::Ask& ask = zones_.AskOf(c);
  if (!ask.task.is_judged) return {};
  zones_.Follow();
  const uint32_t number = zones_.NumberOf(n);
  if (number == kNone) return {};
  const ZoneBooks::Book& book = zones_.book(number);
  if (!book.is_aligned) return {};
  const std::optional<ZonedNode::Refusal> refusal = book.now.Check(ask.task);
  if (!refusal) return {};
  std::string words = "cannot align pod";
  if (!book.by_pod) {
    const ZonedTask::Part part = ask.task.parts[refusal->part].first;
    words = part == ZonedTask::Part::kInit      ? "cannot align init container"
            : part == ZonedTask::Part::kSidecar ? "cannot align sidecar container"
                                                : "cannot align container";
  }
  kube::Status status;
  status.code = kube::Code::kUnschedulable;
  status.plugin = NumberOf(ExtraPlugin::kZones);
  status.causes.push_back(kube::WordsCause(world_, words));
  return status;
}

std::vector<kube::ExtraScore> NodePlugins::Score(TaskIndex t, std::span<const NodeIndex> feasible) {
  std::vector<kube::ExtraScore> scores;
  // `scale`: null where scores are 0 to 100 as they are.
  const auto add = [&](ExtraPlugin plugin, int64_t weight, Scale scale, const ScoreOf& score_of) {
    if (weight == 0) return;
    kube::ExtraScore& score = scores.emplace_back();
    score.plugin = NumberOf(plugin);
    for (const NodeIndex n : feasible) score.raw.push_back(score_of(n));
    score.weighted = scale != nullptr ? scale(score.raw) : score.raw;
    for (int64_t& scaled : score.weighted) scaled *= weight;
  };
  add(ExtraPlugin::kAllocatable, settings_.allocatable_weight, MinMaxScores,
      [&](NodeIndex n) { return AllocatableOf(n); });
  add(ExtraPlugin::kPodState, settings_.pod_state_weight, MinMaxScores,
      [&](NodeIndex n) { return PodStateOf(n); });
  if (settings_.zones && zones_.any()) {
    add(ExtraPlugin::kZones, settings_.zone_weight, nullptr,
        [&](NodeIndex n) { return ZonesOf(t, n); });
  }
  add(ExtraPlugin::kTargetLoad, settings_.target_load_weight, nullptr,
      [&](NodeIndex n) { return TargetLoadOf(t, n); });
  add(ExtraPlugin::kLoadVariation, settings_.load_variation_weight, nullptr,
      [&](NodeIndex n) { return LoadVariationOf(t, n); });
  add(ExtraPlugin::kLowRisk, settings_.low_risk_weight, nullptr,
      [&](NodeIndex n) { return LowRiskOf(t, n); });
  if (network_.any()) {
    add(ExtraPlugin::kNetwork, settings_.network.weight, ScoresOfCosts,
        [&](NodeIndex n) { return network_.AnswerOf(n).cost; });
  }
  add(ExtraPlugin::kPower, settings_.power_weight, ScoresOfCosts,
      [&](NodeIndex n) { return PowerOf(t, n); });
  if (settings_.mark_weight == 0) return scores;
  std::vector<std::optional<int64_t>> marks;
  for (const NodeIndex n : feasible) marks.push_back(MarkOf(n));
  kube::ExtraScore& score = scores.emplace_back();
  score.plugin = NumberOf(ExtraPlugin::kMarks);
  for (const std::optional<int64_t>& mark : marks) score.raw.push_back(mark.value_or(0));
  score.weighted = MarkScores(marks);
  for (int64_t& scaled : score.weighted) scaled *= settings_.mark_weight;
  return scores;
}

int64_t NodePlugins::AllocatableOf(NodeIndex n) const {
  std::vector<WeightedAmount> amounts;
  for (const kube::WeightedResource& resource : settings_.allocatable_resources) {
    const auto d = tables_->dimensions.Find(resource.name);
    amounts.push_back({resource.weight, d && *d != kPods ? world_->allocatable(n, *d) : 0});
  }
  return AllocatableScore(amounts, settings_.allocatable_least);
}

int64_t NodePlugins::PowerOf(TaskIndex t, NodeIndex n) const {
  const NodeSpec& node = world_->spec(n);
  const NodeMarks marks = MarksOf(node.name, node).value_or(NodeMarks());
  return PowerNodeScore(MetricsOf(n), marks.power, OrZero(tables_->nodes.capacity.at(n, kCpu)),
                        world_->pod(t).request[kCpu]);
}

std::optional<int64_t> NodePlugins::MarkOf(NodeIndex n) const {
  const NodeSpec& node = world_->spec(n);
  std::optional<std::string_view> text;
  if (settings_.mark_label.empty()) {
    text = MarksOf(node.name, node).value_or(NodeMarks()).mark;
  } else if (const std::string* label = FindLabel(node.labels, settings_.mark_label)) {
    text = *label;
  }
  return text ? NumberMark(*text, settings_.lowest_mark) : std::nullopt;
}

int64_t NodePlugins::PodStateOf(NodeIndex n) const {
  int64_t terminating = 0;
  for (const TaskIndex t : world_->pods_on(n)) terminating += world_->terminating(t);
  return terminating - static_cast<int64_t>(nominations_->on(n).size());
}

int64_t NodePlugins::ZonesOf(TaskIndex t, NodeIndex n) {
  const ZoneBooks::Ask& ask = zones_.AskOf(world_->class_of(t));
  if (!ask.task.guaranteed) return 100;
  zones_.Follow();
  const uint32_t number = zones_.NumberOf(n);
  return number == kNone ? 0 : zones_.book(number).now.Score(ask.task, zone_scoring_);
}

std::vector<Metric> NodePlugins::MetricsOf(NodeIndex n) const {
  const std::optional<NodeUsage>& usage = world_->spec(n).usage;
  if (!usage) return {};
  const NodeSpec& node = world_->spec(n);
  const NodeMarks marks = MarksOf(node.name, node).value_or(NodeMarks());
  return {{MetricKind::kCpu, MetricValue::kAverage, PercentOf(usage->cpu)},
          {MetricKind::kCpu, MetricValue::kDeviation, marks.cpu_deviation},
          {MetricKind::kMemory, MetricValue::kAverage, PercentOf(usage->memory)},
          {MetricKind::kMemory, MetricValue::kDeviation, marks.memory_deviation}};
}

CpuMemory NodePlugins::Capacity(NodeIndex n) const {
  return {world_->allocatable(n, kCpu), world_->allocatable(n, kMemory)};
}

int64_t NodePlugins::ExpectedCpuOf(TaskIndex t) {
  const auto cpu_of = [](const Amounts& amounts) -> std::optional<int64_t> {
    const auto at = amounts.find("cpu");
    if (at == amounts.end()) return std::nullopt;
    return at->second;
  };
  const PodView& view = ViewOf(t);
  int64_t expected = cpu_of(view.overhead).value_or(0);
  for (const ContainerView& container : view.containers) {
    if (container.part != ZonedTask::Part::kMain) continue;
    expected += ExpectedCpu(cpu_of(container.limits), cpu_of(container.requests),
                            settings_.request_multiplier, settings_.default_request);
  }
  return expected;
}

// What came to the node so late that its measurement may not hold it.
int64_t NodePlugins::MissingCpuOn(NodeIndex n) {
  std::vector<std::pair<int64_t, TaskIndex>> came;
  for (const TaskIndex t : world_->pods_on(n)) {
    if (world_->started(t) != kAbsent) came.emplace_back(world_->started(t), t);
  }
  std::sort(came.begin(), came.end());
  RecentPods recent;
  const double ticks = static_cast<double>(settings_.ticks);
  for (const auto& [at, t] : came) {
    recent.Place(std::string(tables_->tasks.names.name(t)), ExpectedCpuOf(t),
                 static_cast<double>(at) / ticks);
  }
  return recent.Missing(static_cast<double>(world_->spec(n).usage->measured) / ticks);
}

int64_t NodePlugins::TargetLoadOf(TaskIndex t, NodeIndex n) {
  if (!world_->spec(n).usage) return 0;
  TargetLoad load;
  load.capacity = OrZero(tables_->nodes.capacity.at(n, kCpu));
  load.pod = ExpectedCpuOf(t);
  load.missing = MissingCpuOn(n);
  return TargetLoadNodeScore(MetricsOf(n), load, settings_.target_utilization);
}

int64_t NodePlugins::LoadVariationOf(TaskIndex t, NodeIndex n) {
  if (!world_->spec(n).usage) return 0;
  return LoadVariationNodeScore(MetricsOf(n), Capacity(n), LoadRequest(ViewOf(t)),
                                settings_.variation);
}

int64_t NodePlugins::LowRiskOf(TaskIndex t, NodeIndex n) {
  if (!world_->spec(n).usage) return 0;
  std::vector<PodView> on_node;
  for (const TaskIndex other : world_->pods_on(n)) on_node.push_back(ViewOf(other));
  return LowRiskNodeScore(MetricsOf(n), Capacity(n), ViewOf(t), on_node, settings_.low_risk);
}

}  // namespace muster::scheduler_plugins
