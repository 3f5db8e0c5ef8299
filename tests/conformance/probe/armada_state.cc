// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/conformance/probe/armada_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace muster::testing::armada_probe {
namespace {

using nlohmann::json;

const json kNothing = json::object();

const json& In(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? kNothing : *found;
}

struct Suffix {
  const char* text;
  int ten, two;  // the factor is 10^ten * 2^two
};

constexpr Suffix kSuffixes[] = {{"Ki", 0, 10}, {"Mi", 0, 20}, {"Gi", 0, 30}, {"Ti", 0, 40},
                                {"Pi", 0, 50}, {"Ei", 0, 60}, {"n", -9, 0},  {"u", -6, 0},
                                {"m", -3, 0},  {"k", 3, 0},   {"M", 6, 0},   {"G", 9, 0},
                                {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0}};

}  // namespace

// A quantity of Kubernetes in units of 10^scale, rounded up.
int64_t UnitsOf(const json& value, int scale) {
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text == "unlimited") return armada::kUnlimited;
  int ten = -scale;
  __int128 number = 0;
  const bool negative = absl::StartsWith(text, "-");
  if (negative) text.erase(0, 1);
  for (const Suffix& suffix : kSuffixes) {
    absl::string_view view = text;
    if (!absl::ConsumeSuffix(&view, suffix.text)) continue;
    ten += suffix.ten;
    text = std::string(view);
    number = __int128{1} << suffix.two;
    break;
  }
  __int128 digits = 0;
  bool fraction = false;
  for (const char c : text) {
    if (c == '.') {
      fraction = true;
      continue;
    }
    digits = digits * 10 + (c - '0');
    if (fraction) --ten;
  }
  number = (number == 0 ? 1 : number) * digits;
  for (; ten > 0; --ten) number *= 10;
  __int128 parts = 1;
  for (; ten < 0; ++ten) parts *= 10;
  const __int128 units = negative ? number / parts : (number + parts - 1) / parts;
  return static_cast<int64_t>(negative ? -units : units);
}

namespace {

// Nanoseconds of "1970-01-01T00:16:41Z", "start+1.000s" or a number of seconds.
int64_t TimeOf(const json& value) {
  if (value.is_number()) return std::llround(value.get<double>() * 1e9);
  if (!value.is_string()) return 0;
  const std::string text = value.get<std::string>();
  absl::string_view view = text;
  double seconds = 0;
  if (absl::ConsumePrefix(&view, "start")) {
    absl::ConsumePrefix(&view, "+");
    absl::ConsumeSuffix(&view, "s");
    return absl::SimpleAtod(view, &seconds) ? std::llround(seconds * 1e9) : 0;
  }
  int part[5] = {};
  const size_t places[] = {0, 5, 8, 11, 14}, sizes[] = {4, 2, 2, 2, 2};
  for (int i = 0; i < 5; ++i) {
    if (!absl::SimpleAtoi(view.substr(places[i], sizes[i]), &part[i])) return 0;
  }
  absl::ConsumeSuffix(&view, "Z");
  if (!absl::SimpleAtod(view.substr(17), &seconds)) return 0;
  // Months of equal length keep the order, which is all that counts.
  const int64_t days = (int64_t{part[0] - 1970} * 12 + part[1]) * 31 + part[2];
  return (days * 1440 + part[3] * 60 + part[4]) * 60'000'000'000 + std::llround(seconds * 1e9);
}

}  // namespace

std::vector<armada::Taint> TaintsOf(const json& rows) {
  std::vector<armada::Taint> taints;
  for (const json& row : rows) {
    taints.push_back({row.value("Key", ""), row.value("Value", ""), row.value("Effect", "")});
  }
  return taints;
}

std::vector<armada::Toleration> TolerationsOf(const json& rows) {
  std::vector<armada::Toleration> tolerations;
  for (const json& row : rows) {
    tolerations.push_back({row.value("Key", ""), row.value("Value", ""), row.value("Effect", ""),
                           row.value("Operator", "") == "Exists"});
  }
  return tolerations;
}

armada::Labels LabelsOf(const json& object) {
  armada::Labels labels;
  for (const auto& [key, value] : object.items()) labels.emplace_back(key, value);
  return labels;
}

namespace {

armada::Requirement RequirementOf(const json& row) {
  static const HashMap<std::string, armada::Comparison> comparisons = {
      {"In", armada::Comparison::kIn},         {"NotIn", armada::Comparison::kNotIn},
      {"Exists", armada::Comparison::kExists}, {"DoesNotExist", armada::Comparison::kDoesNotExist},
      {"Gt", armada::Comparison::kGreater},    {"Lt", armada::Comparison::kLess}};
  armada::Requirement requirement{row["Key"], comparisons.at(row["Operator"].get<std::string>())};
  for (const json& value : In(row, "Values")) requirement.values.push_back(value);
  return requirement;
}

}  // namespace

std::optional<std::vector<armada::Term>> AffinityOf(const json& affinity) {
  const json& selector =
      In(In(affinity, "NodeAffinity"), "RequiredDuringSchedulingIgnoredDuringExecution");
  if (selector.empty()) return std::nullopt;
  std::vector<armada::Term> terms;
  for (const json& row : In(selector, "NodeSelectorTerms")) {
    armada::Term& term = terms.emplace_back();
    for (const json& part : In(row, "MatchExpressions")) term.push_back(RequirementOf(part));
  }
  return terms;
}

namespace {

armada::Limiter LimiterOf(const json& row) {
  if (row.empty()) return {};
  const bool endless = row["rate"].is_string() || row["rate"].get<double>() > 1e300;
  return {true, endless, row["burst"], endless ? 0 : row["tokens"].get<double>()};
}

std::optional<int> Find(const HashMap<std::string, int>& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  if (found == numbers.end()) return std::nullopt;
  return found->second;
}

}  // namespace

armada::State StateReader::Read() { return Read(json::object()); }

armada::State StateReader::Read(const json& draws) {
  ReadResources();
  ReadClasses();
  ReadNodes();
  ReadJobs(draws);
  ReadQueues();
  ReadOptions();
  ReadHoldings();
  return state_;
}

armada::Amounts StateReader::AmountsOf(const json& object, int64_t otherwise) const {
  armada::Amounts amounts(state_.resources.size(), otherwise);
  for (const auto& [name, value] : object.items()) {
    const std::optional<int> dimension = Find(dimensions_, name);
    if (!dimension) continue;
    const auto place = static_cast<size_t>(*dimension);
    amounts[place] = UnitsOf(value, state_.resources[place].scale);
  }
  return amounts;
}

json StateReader::TextOf(const armada::Amounts& amounts) const {
  json text = json::object();
  for (size_t r = 0; r < amounts.size(); ++r) {
    if (amounts[r] != 0) text[state_.resources[r].name] = amounts[r];
  }
  return text;
}

int StateReader::DimensionOf(const std::string& name) const {
  return Find(dimensions_, name).value_or(-1);
}

void StateReader::ReadResources() {
  for (const json& row : db_["resources"]) {
    dimensions_[row["name"].get<std::string>()] = static_cast<int>(state_.resources.size());
    state_.resources.push_back({row["name"], row.value("type", "0") == "1", row.value("scale", 0)});
  }
  for (const json& row : db_["indexedResources"]) {
    state_.indexed.push_back({DimensionOf(row["name"]), UnitsOf(row["resolution"], 0)});
  }
  for (const json& label : In(db_, "indexedNodeLabels")) state_.indexed_labels.push_back(label);
  for (const json& priority : db_["priorities"]) state_.buckets.push_back(priority);
}

std::vector<armada::Taint> StateReader::WellKnown(const std::string& name) const {
  return TaintsOf(In(In(In(db_, "wellKnownNodeTypes"), name.c_str()), "Taints"));
}

armada::AwayNodeType StateReader::AwayOf(const json& row) const {
  armada::AwayNodeType away{row.value("Priority", 0), row.value("WellKnownNodeTypeName", "")};
  away.taints = WellKnown(away.name);
  for (const json& type : In(row, "NodeTypes")) {
    armada::ConditionalTaints& other = away.others.emplace_back();
    other.taints = WellKnown(type.value("Name", ""));
    for (const json& part : In(type, "Conditions")) {
      const std::string comparison = part.value("Operator", "");
      other.conditions.push_back({DimensionOf(part.value("Resource", "")),
                                  comparison.empty() ? ' ' : comparison[0],
                                  UnitsOf(part["Value"], 0)});
    }
  }
  return away;
}

void StateReader::ReadClasses() {
  for (const auto& [name, row] : db_["priorityClasses"].items()) {
    classes_[name] = static_cast<int>(state_.classes.size());
    armada::PriorityClass& added = state_.classes.emplace_back();
    added.name = name;
    added.priority = row.value("Priority", 0);
    added.preemptible = row.value("Preemptible", false);
    for (const json& away : In(row, "AwayNodeTypes")) added.away.push_back(AwayOf(away));
  }
}

void StateReader::ReadNodes() {
  for (const auto& [name, row] : In(json_, "nodeTypes").items()) {
    types_[name] = static_cast<int>(state_.node_types.size());
    armada::NodeType& type = state_.node_types.emplace_back();
    type.taints = TaintsOf(In(row, "taints"));
    type.labels = LabelsOf(In(row, "labels"));
    for (const json& label : In(row, "unsetIndexedLabels")) type.unset.push_back(label);
  }
  for (const json& row : In(json_, "nodes")) {
    armada::Node& node = state_.nodes.emplace_back();
    node.id = row["id"];
    nodes_[node.id] = static_cast<int>(state_.nodes.size()) - 1;
    node.index = row.value("index", int64_t{0});
    node.type = types_.at(row["nodeType"].get<std::string>());
    node.taints = TaintsOf(In(row, "taints"));
    node.labels = LabelsOf(In(row, "labels"));
    for (const char* key : {"kubernetes.io/hostname", "armadaproject.io/nodeId"}) {
      if (!row.contains("labels") || !row["labels"].contains(key)) {
        node.labels.emplace_back(key, node.id);
      }
    }
    node.unschedulable = row.value("unschedulable", false);
    node.over_allocated = row.value("overAllocated", false);
    node.total = AmountsOf(In(row, "total"));
    const armada::Amounts allocatable =
        row.contains("allocatable") ? AmountsOf(row["allocatable"]) : node.total;
    const json& rows = In(row, "allocatableByPriority");
    // Nothing fits into a bucket that the node was made without.
    const armada::Amounts absent(state_.resources.size(), -(int64_t{1} << 60));
    for (const int32_t priority : state_.buckets) {
      const std::string key = absl::StrCat(priority);
      node.free.push_back(rows.empty()         ? allocatable
                          : rows.contains(key) ? AmountsOf(rows[key])
                                               : absent);
    }
  }
}

void StateReader::ReadHoldings() {
  for (const json& row : In(json_, "nodes")) {
    armada::Node& node = state_.nodes[static_cast<size_t>(nodes_.at(row["id"].get<std::string>()))];
    for (const auto& [id, held] : In(row, "jobs").items()) {
      const std::optional<int> job = Find(jobs_, id);
      if (job) node.jobs.push_back({*job, held.value("cutoff", 0), held.value("evicted", false)});
    }
  }
  state_.bound_priority.resize(state_.jobs.size());
  for (const auto& [id, priority] : In(json_, "scheduledAtPriorityByJobId").items()) {
    const std::optional<int> job = Find(jobs_, id);
    if (job) state_.bound_priority[static_cast<size_t>(*job)] = priority.get<int32_t>();
  }
}

int StateReader::ClassOf(const json& row) {
  const std::string name = row.value("priorityClass", "");
  if (const std::optional<int> known = Find(classes_, name)) return *known;
  const int number = static_cast<int>(state_.classes.size());
  classes_[name] = number;
  state_.classes.push_back(
      {name, row.value("priorityClassPriority", 0), row.value("preemptible", false)});
  return number;
}

int StateReader::ReadShape(const json& row) {
  json tolerations = In(row, "tolerations");
  if (tolerations.is_array()) std::sort(tolerations.begin(), tolerations.end());
  const std::string content = json{ClassOf(row), In(row, "requests"), In(row, "nodeSelector"),
                                   In(row, "affinity"), tolerations}
                                  .dump();
  const auto [found, is_new] = shapes_.try_emplace(content, static_cast<int>(shapes_.size()));
  if (is_new) {
    state_.shapes.push_back({ClassOf(row), AmountsOf(In(row, "requests")),
                             LabelsOf(In(row, "nodeSelector")), AffinityOf(In(row, "affinity")),
                             TolerationsOf(tolerations)});
  }
  return found->second;
}

int StateReader::ReadGang(const json& row) {
  if (!row.contains("gang")) return -1;
  const json& gang = row["gang"];
  const std::string name = gang.value("id", "");
  const std::string key = absl::StrCat(row.value("queue", ""), "/", name);
  const auto [found, is_new] = gangs_.try_emplace(key, static_cast<int>(gangs_.size()));
  if (is_new) {
    armada::Gang& added = state_.gangs.emplace_back();
    added.cardinality = gang.value("cardinality", 1);
    added.uniformity = gang.value("nodeUniformity", "");
    if (draws_.contains(name)) added.value_order = draws_[name];
  }
  return found->second;
}

std::string StateReader::PoolName() const {
  const std::string pool = In(json_, "context").value("pool", "");
  return pool.empty() ? db_.value("pool", "") : pool;
}

void StateReader::ReadRun(const json& row, armada::Job& job) {
  const std::string pool = PoolName();
  for (const json& run : In(row, "runs")) {
    if (!run.value("latest", false)) continue;
    armada::Run& latest = job.run.emplace();
    latest.node = Find(nodes_, run.value("nodeId", "")).value_or(-1);
    latest.away = !pool.empty() && run.value("pool", "") != pool;
    for (const char* flag : {"failed", "succeeded", "cancelled", "returned", "preempted"}) {
      if (run.value(flag, false)) latest.active = false;
    }
    latest.created = run.value("created", int64_t{0});
    if (run.contains("leaseTime")) latest.leased = TimeOf(run["leaseTime"]) / 1'000'000;
    if (run.contains("scheduledAtPriority")) latest.priority = run["scheduledAtPriority"];
  }
}

void StateReader::ReadJob(const json& row) {
  const std::string pool = PoolName();
  armada::Job& job = state_.jobs.emplace_back();
  job.id = row["id"];
  jobs_[job.id] = static_cast<int>(state_.jobs.size()) - 1;
  const std::string queue = row.value("queue", "");
  const auto [found, is_new] = queues_.try_emplace(queue, static_cast<int>(queues_.size()));
  if (is_new) state_.queue_names.push_back(queue);
  job.queue = found->second;
  job.shape = ReadShape(row);
  job.gang = ReadGang(row);
  job.priority = row.value("priority", int64_t{0});
  job.submitted = TimeOf(In(row, "submitTime"));
  job.queued = row.value("queued", false);
  for (const char* flag : {"failed", "succeeded", "cancelled"}) {
    job.terminal = job.terminal || row.value(flag, false);
  }
  job.eligible = false;
  for (const json& name : In(row, "pools")) job.eligible = job.eligible || name == pool;
  const json& bids = In(In(row, "bids"), pool.c_str());
  job.queued_bid = bids.value("QueuedBid", 0.0);
  job.running_bid = bids.value("RunningBid", 0.0);
  ReadRun(row, job);
}

void StateReader::ReadJobs(const json& draws) {
  draws_ = draws;
  for (const json& row : In(json_, "jobs")) ReadJob(row);
}

void StateReader::ReadQueues() {
  const json& context = In(json_, "context");
  const json& constraints = In(json_, "constraints");
  for (const json& row : In(context, "queues")) {
    armada::Queue& queue = state_.queues.emplace_back();
    queue.name = row["queue"];
    queue.weight = row.value("weight", 0.0);
    for (const json& name : In(constraints, "cordonedQueues")) {
      queue.cordoned = queue.cordoned || name == queue.name;
    }
    queue.constrained_demand = AmountsOf(In(row, "constrainedDemand"));
    queue.penalty = AmountsOf(In(row, "shortJobPenalty"));
    const json& limits =
        In(In(constraints, "resourceLimitsPerQueuePerPriorityClass"), queue.name.c_str());
    for (const armada::PriorityClass& priority_class : state_.classes) {
      const char* name = priority_class.name.c_str();
      queue.allocated.push_back(AmountsOf(In(In(row, "allocatedByPriorityClass"), name)));
      queue.limits.push_back(limits.contains(name) ? AmountsOf(limits[name], 0)
                                                   : armada::Amounts());
    }
    queue.shares = {row.value("fairShare", 0.0), row.value("demandCappedAdjustedFairShare", 0.0),
                    row.value("uncappedAdjustedFairShare", 0.0)};
    queue.limiter = LimiterOf(In(row, "limiter"));
  }
  state_.total = AmountsOf(In(context, "totalResources"));
  for (const armada::Resource& resource : state_.resources) {
    state_.multipliers.push_back(
        In(In(context, "fairness"), "multipliers").value(resource.name, 0.0));
  }
  state_.allocated = AmountsOf(In(context, "allocated"));
  if (constraints.contains("maximumResourcesToSchedule")) {
    state_.round_limit = AmountsOf(constraints["maximumResourcesToSchedule"]);
  }
  const json& floating = In(In(In(json_, "floatingResources"), "floatingResourceLimitsByPool"),
                            context.value("pool", "").c_str());
  if (!floating.empty()) state_.floating_limits = AmountsOf(floating);
  state_.limiter = LimiterOf(In(context, "limiter"));
  state_.preemption_limiter = LimiterOf(In(context, "fairsharePreemptionLimiter"));
}

void StateReader::ReadOptions() {
  armada::Options& options = state_.options;
  options.protected_fraction = json_.value("protectedFractionOfFairShare", 0.0);
  options.protect_uncapped = json_.value("protectUncappedAdjustedFairShare", false);
  options.prefer_large = json_.value("preferLargeJobOrdering", false);
  options.home_first = json_.value("preemptCrossPoolJobsFirst", false);
  options.lookback = json_.value("maxQueueLookback", int64_t{0});
  const json& market = In(json_, "marketConfig");
  options.market = market.value("Enabled", false);
  options.spot_cutoff = market.value("SpotPriceCutoff", 0.0);
  options.cross_pool_bucket = !db_.value("pool", "").empty();
  options.no_home = db_.value("disableHomeScheduling", false);
  options.no_away = db_.value("disableAwayScheduling", false);
  options.no_gang_away = db_.value("disableGangAwayScheduling", false);
  options.no_fair_share = db_.value("disableFairshareScheduling", false);
  options.no_urgency = db_.value("disableUrgencyScheduling", false);
  for (const json& name : In(db_, "disallowedJobResources")) {
    if (DimensionOf(name) >= 0) options.unscheduled.push_back(DimensionOf(name));
  }
  options.tolerations = TolerationsOf(In(db_, "defaultTolerations"));
  ReadOptimiser();
}

void StateReader::ReadOptimiser() {
  const json& config = In(json_, "optimiserConfig");
  armada::Optimiser& optimiser = state_.options.optimiser;
  optimiser.enabled = !config.empty() && json_.value("optimiserEnabled", false);
  optimiser.most_jobs = config.value("MaximumJobsPerRound", int64_t{0});
  optimiser.improvement = config.value("MinimumFairnessImprovementPercentage", 0.0);
  if (config.contains("MinimumJobSizeToSchedule")) {
    optimiser.smallest = AmountsOf(config["MinimumJobSizeToSchedule"]);
  }
  if (config.contains("MaximumJobSizeToPreempt")) {
    optimiser.largest = AmountsOf(config["MaximumJobSizeToPreempt"]);
  }
  // All runs have begun.
  for (const armada::Job& job : state_.jobs) {
    if (job.run) optimiser.now = std::max(optimiser.now, job.run->leased + 1);
  }
}

}  // namespace muster::testing::armada_probe
