// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Draws from one stream of random numbers, in this order: task classes (their sizes and
// constraints), nodes, queues, running tasks node by node, pending jobs. Nodes are apportioned to
// the kinds and not drawn, so 1,213 nodes of openb are exactly those of the trace.
#include "lib/scenario/generate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/rng.h"
#include "lib/base/strings.h"
#include "lib/scenario/mixes.h"

namespace muster {
namespace {

constexpr char kGpu[] = "nvidia.com/gpu";
constexpr char kKindLabel[] = "kind";
constexpr char kZoneLabel[] = "zone";
constexpr char kHostLabel[] = "kubernetes.io/hostname";
constexpr int64_t kZones = 4;
constexpr int64_t kPodsOnNode = 110;

// cpu, memory (MiB), GPU (thousandths): of a node, of a task, of many.
using Amounts = std::array<int64_t, 3>;

bool Fits(const Amounts& request, const Amounts& room) {
  return request[0] <= room[0] && request[1] <= room[1] && request[2] <= room[2];
}

Quantity Milli(int64_t milli) {
  if (milli % 1000 == 0) return Quantity(milli / 1000);
  return Quantity(absl::StrCat(milli, "m"));
}

Resources ToResources(const Amounts& amounts) {
  Resources out = {{"cpu", Milli(amounts[0])},
                   {"memory", Quantity(absl::StrCat(amounts[1], "Mi"))}};
  if (amounts[2] > 0) out.emplace_back(kGpu, Milli(amounts[2]));
  return out;
}

struct TaskClass {
  Amounts request;
  TaskShape shape;
  int64_t weight;
  std::string node_kind;  // it may run only there; empty: anywhere
  bool tolerates = false;
  bool may_run_anywhere = true;  // no rule about other tasks
};

// Draws indices in proportion to their weights. Weights are not negative and not all zero.
class Weights {
 public:
  void Add(int64_t weight) { ends_.push_back(ends_.empty() ? weight : ends_.back() + weight); }
  size_t Draw(Rng* rng) const {
    const auto at = static_cast<int64_t>(rng->Below(static_cast<uint64_t>(ends_.back())));
    return static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), at) - ends_.begin());
  }

 private:
  std::vector<int64_t> ends_;
};

class Generator {
 public:
  explicit Generator(const GenerateOptions& options) : options_(options), rng_(options.seed) {}

  absl::StatusOr<Scenario> Run() {
    mix_ = options_.mix == "uniform" ? UniformMix() : NamedClusterMix(options_.mix);
    CountNodes();
    absl::Status status = MakeClasses();
    if (!status.ok()) return status;
    MakeNodes();
    MakeQueues();
    for (const QueueType& leaf : leaves_) leaf_weights_.Add(leaf.jobs);
    for (const GangType& gang : mix_.gangs) gang_weights_.Add(gang.weight);
    MakeRunning();
    MakePending();
    return std::move(scenario_);
  }

 private:
  size_t Draw(size_t count) { return static_cast<size_t>(rng_.Below(count)); }

  ClusterMix UniformMix();
  void CountNodes();
  absl::Status MakeClasses();
  void Constrain(TaskClass* task_class);
  void MakeNodes();
  void MakeQueues();
  void MakeRunning();
  void MakePending();
  const std::string& DrawQueue();
  size_t DrawClass(int32_t kind);
  bool MayRunOn(const TaskClass& task_class, const NodeSpec& node) const;

  const GenerateOptions& options_;
  Rng rng_;
  ClusterMix mix_;
  std::vector<int64_t> node_counts_;  // of each kind
  std::vector<TaskClass> classes_;
  Weights class_weights_, leaf_weights_, gang_weights_;
  std::vector<std::vector<size_t>> classes_of_kind_;
  std::vector<size_t> node_types_;  // of each node
  std::vector<QueueType> leaves_;
  Scenario scenario_;
};

Amounts AmountsOf(const NodeType& kind) {
  return {kind.cpu_milli, kind.memory_mib, kind.gpus * 1000};
}

// Kinds of nodes of 16 to 128 cores, shapes of 1/2 to 8 cores.
ClusterMix Generator::UniformMix() {
  ClusterMix mix;
  const auto gpu_kinds =
      static_cast<int64_t>(std::ceil(static_cast<double>(options_.types) * options_.gpu));
  for (int64_t i = 0; i < options_.types; ++i) {
    constexpr int64_t kCores[] = {16, 32, 64, 96, 128};
    constexpr int64_t kGibPerCore[] = {2, 4, 8};
    const int64_t cores = kCores[Draw(5)], gib = cores * kGibPerCore[Draw(3)];
    mix.nodes.push_back({absl::StrCat("t", i), 1, cores * 1000, gib * 1024, i < gpu_kinds ? 8 : 0});
  }
  const int64_t shapes = options_.classes.value_or(10);
  for (int64_t i = 0; i < shapes; ++i) {
    constexpr int64_t kCpu[] = {500, 1000, 2000, 4000, 8000};
    constexpr int64_t kMibPerMilli[] = {1, 2, 4};
    constexpr int64_t kGpus[] = {1000, 1000, 1000, 2000, 4000};
    constexpr int64_t kParts[] = {250, 500, 750};
    const int64_t cpu = kCpu[Draw(5)], memory = cpu * kMibPerMilli[Draw(3)];
    int64_t gpu = 0;
    if (gpu_kinds > 0 && rng_.Chance(options_.gpu)) {
      gpu = rng_.Chance(options_.gpu_share) ? kParts[Draw(3)] : kGpus[Draw(5)];
    }
    mix.tasks.push_back({1, cpu, memory, gpu});
  }
  return mix;
}

// The kinds get nodes by their weights; the rest goes to the largest remainders, the first kind
// first.
void Generator::CountNodes() {
  int64_t sum = 0;
  for (const NodeType& kind : mix_.nodes) sum += kind.weight;
  std::vector<std::pair<int64_t, size_t>> remainders;
  int64_t left = options_.nodes;
  for (size_t i = 0; i < mix_.nodes.size(); ++i) {
    const int64_t share = options_.nodes * mix_.nodes[i].weight;
    node_counts_.push_back(share / sum);
    left -= share / sum;
    remainders.emplace_back(-(share % sum), i);
  }
  std::sort(remainders.begin(), remainders.end());
  for (int64_t i = 0; i < left; ++i) ++node_counts_[remainders[static_cast<size_t>(i)].second];
}

absl::Status Generator::MakeClasses() {
  std::vector<size_t> kinds;  // that fit somewhere
  for (size_t k = 0; k < mix_.tasks.size(); ++k) {
    const TaskType& kind = mix_.tasks[k];
    bool fits = options_.nodes == 0;
    for (size_t n = 0; n < mix_.nodes.size(); ++n) {
      fits = fits || (node_counts_[n] > 0 && Fits({kind.cpu_milli, kind.memory_mib, kind.gpu_milli},
                                                  AmountsOf(mix_.nodes[n])));
    }
    if (fits) kinds.push_back(k);
  }
  if (kinds.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("nodes: no task of mix ", Quote(options_.mix),
                                                   " fits one of ", options_.nodes, " nodes"));
  }
  const auto wanted =
      static_cast<size_t>(options_.classes.value_or(static_cast<int64_t>(kinds.size())));
  if (wanted < kinds.size()) {  // the heaviest
    std::stable_sort(kinds.begin(), kinds.end(), [&](size_t a, size_t b) {
      return mix_.tasks[a].weight > mix_.tasks[b].weight;
    });
    kinds.resize(wanted);
    std::sort(kinds.begin(), kinds.end());
  }
  classes_of_kind_.resize(mix_.tasks.size());
  for (size_t i = 0; i < wanted; ++i) {
    const size_t k = kinds[i % kinds.size()];
    const auto variant = static_cast<int64_t>(i / kinds.size());
    const auto variants =
        static_cast<int64_t>((wanted - i % kinds.size() + kinds.size() - 1) / kinds.size());
    const TaskType& kind = mix_.tasks[k];
    TaskClass task_class;
    // Variants are a little smaller, so that they fit wherever their kind does.
    const int64_t nudge = options_.mix == "uniform" ? static_cast<int64_t>(i) : variant;
    task_class.request = {kind.cpu_milli - nudge / 400, kind.memory_mib - nudge % 400,
                          kind.gpu_milli};
    task_class.weight = std::max<int64_t>(1, kind.weight * 1000 / variants);
    task_class.shape.request = ToResources(task_class.request);
    Constrain(&task_class);
    class_weights_.Add(task_class.weight);
    classes_of_kind_[k].push_back(classes_.size());
    classes_.push_back(std::move(task_class));
  }
  return absl::OkStatus();
}

void Generator::Constrain(TaskClass* task_class) {
  TaskShape& shape = task_class->shape;
  const std::string app = absl::StrCat("a", classes_.size());
  const Selector same_app{.match_labels = {{"app", app}}, .match_expressions = {}};
  if (rng_.Chance(options_.selectors)) {
    std::vector<size_t> homes;
    for (size_t n = 0; n < mix_.nodes.size(); ++n) {
      if (node_counts_[n] > 0 && Fits(task_class->request, AmountsOf(mix_.nodes[n])))
        homes.push_back(n);
    }
    if (!homes.empty()) {
      task_class->node_kind = mix_.nodes[homes[Draw(homes.size())]].name;
      shape.node_selector = {{kKindLabel, task_class->node_kind}};
    }
  }
  if (rng_.Chance(options_.taints)) {
    task_class->tolerates = true;
    shape.tolerations = {{.key = "dedicated", .op = TolerationOp::kExists}};
  }
  if (rng_.Chance(options_.affinity)) {
    task_class->may_run_anywhere = false;
    shape.labels = {{"app", app}};
    const AffinityTerm in_zone{.topology_key = kZoneLabel, .selector = same_app};
    const AffinityTerm on_host{.topology_key = kHostLabel, .selector = same_app};
    switch (Draw(4)) {
      case 0:
        shape.required_affinity = {in_zone};
        break;
      case 1:
        shape.required_anti_affinity = {on_host};
        break;
      case 2:
        shape.preferred_affinity = {{.weight = 50, .term = in_zone}};
        break;
      default:
        shape.preferred_anti_affinity = {{.weight = 100, .term = on_host}};
        break;
    }
  }
  if (rng_.Chance(options_.spread)) {
    task_class->may_run_anywhere = false;
    shape.labels = {{"app", app}};
    SpreadConstraint spread;
    spread.topology_key = kZoneLabel;
    spread.max_skew = static_cast<int32_t>(1 + Draw(3));
    spread.required = Draw(2) == 0;
    spread.selector = same_app;
    shape.spread = {std::move(spread)};
  }
}

// A kind's nodes are adjacent, zone by zone, tainted ones last. Their names begin with what they
// have in common.
void Generator::MakeNodes() {
  const bool has_zones = options_.affinity > 0 || options_.spread > 0;
  const int64_t zones = has_zones ? kZones : 1;
  for (size_t k = 0; k < mix_.nodes.size(); ++k) {
    const NodeType& kind = mix_.nodes[k];
    NodeSpec node;
    node.capacity = ToResources(AmountsOf(kind));
    node.capacity.emplace_back("pods", Quantity(kPodsOnNode));
    for (int64_t zone = 0; zone < zones; ++zone) {
      const int64_t count = node_counts_[k] / zones + (zone < node_counts_[k] % zones);
      const auto tainted = std::llround(static_cast<double>(count) * options_.taints);
      for (int64_t i = 0; i < count; ++i) {
        const bool is_tainted = i >= count - tainted;
        const std::string stem = absl::StrCat(kind.name, has_zones ? absl::StrCat("-z", zone) : "",
                                              is_tainted ? "-x" : "");
        node.name = absl::StrCat(stem, "-", is_tainted ? i - (count - tainted) : i);
        node.labels.clear();
        if (options_.selectors > 0) node.labels.emplace_back(kKindLabel, kind.name);
        if (has_zones) node.labels.emplace_back(kZoneLabel, absl::StrCat("z", zone));
        if (options_.affinity > 0) node.labels.emplace_back(kHostLabel, node.name);
        node.taints.clear();
        if (is_tainted)
          node.taints.push_back(
              {.key = "dedicated", .value = "batch", .effect = TaintEffect::kNoSchedule});
        scenario_.cluster.nodes.push_back(node);
        node_types_.push_back(k);
      }
    }
  }
}

// Each level has a quarter of the queues of the level below it.
void Generator::MakeQueues() {
  if (!mix_.queues.empty()) {
    leaves_ = mix_.queues;
    for (const QueueType& leaf : leaves_) {
      scenario_.cluster.queues.push_back({.name = leaf.name, .weight = leaf.weight});
    }
    return;
  }
  std::vector<int64_t> sizes(static_cast<size_t>(options_.depth), options_.queues);
  for (size_t level = sizes.size() - 1; level-- > 0;) sizes[level] = (sizes[level + 1] + 3) / 4;
  std::vector<std::string> above = {""};
  for (size_t level = 0; level < sizes.size(); ++level) {
    std::vector<std::string> names;
    for (int64_t i = 0; i < sizes[level]; ++i) {
      QueueSpec queue;
      if (level > 0)
        queue.parent =
            above[static_cast<size_t>(i) * above.size() / static_cast<size_t>(sizes[level])];
      queue.name = queue.parent.empty() ? absl::StrCat("q", i) : absl::StrCat(queue.parent, "/", i);
      queue.weight = 1 + static_cast<int64_t>(Draw(4));
      names.push_back(queue.name);
      scenario_.cluster.queues.push_back(std::move(queue));
    }
    above = std::move(names);
  }
  for (std::string& name : above) leaves_.push_back({std::move(name), 1, 1});
}

const std::string& Generator::DrawQueue() { return leaves_[leaf_weights_.Draw(&rng_)].name; }

// A class of that kind; any, where the kind fits nowhere.
size_t Generator::DrawClass(int32_t kind) {
  if (kind != kAnyType) {
    const std::vector<size_t>& classes = classes_of_kind_[static_cast<size_t>(kind)];
    if (!classes.empty()) return classes[Draw(classes.size())];
  }
  return class_weights_.Draw(&rng_);
}

bool Generator::MayRunOn(const TaskClass& task_class, const NodeSpec& node) const {
  if (!task_class.may_run_anywhere) return false;
  const size_t kind = node_types_[static_cast<size_t>(&node - scenario_.cluster.nodes.data())];
  if (!task_class.node_kind.empty() && task_class.node_kind != mix_.nodes[kind].name) return false;
  return task_class.tolerates || node.taints.empty();
}

// Running jobs are of one class each; a job ends when it has a gang's size.
void Generator::MakeRunning() {
  if (options_.occupancy == 0) return;
  constexpr int kTries = 32;  // that fail on a node before it counts as full
  constexpr size_t kNoJob = static_cast<size_t>(-1);
  std::vector<size_t> open_job(classes_.size(), kNoJob);
  std::vector<int64_t> sizes;  // of the jobs
  ClusterSpec& cluster = scenario_.cluster;
  for (size_t n = 0; n < cluster.nodes.size(); ++n) {
    Amounts room = AmountsOf(mix_.nodes[node_types_[n]]);
    for (int64_t& amount : room) {
      amount = static_cast<int64_t>(static_cast<double>(amount) * options_.occupancy);
    }
    int64_t pods = kPodsOnNode;
    for (int failed = 0; failed < kTries && pods > 0;) {
      const size_t c = DrawClass(kAnyType);
      if (!Fits(classes_[c].request, room) || !MayRunOn(classes_[c], cluster.nodes[n])) {
        ++failed;
        continue;
      }
      if (open_job[c] == kNoJob || sizes[open_job[c]] >= options_.gang) {
        open_job[c] = cluster.jobs.size();
        sizes.push_back(0);
        JobSpec job;
        job.name = absl::StrCat("r", cluster.jobs.size());
        job.queue = DrawQueue();
        job.min_available = 1;
        job.priority = static_cast<int32_t>(10 * Draw(static_cast<size_t>(options_.priorities)));
        job.phase = JobPhase::kRunning;
        job.preemptable = true;
        job.uid_rank = static_cast<int64_t>(cluster.jobs.size());
        cluster.jobs.push_back(std::move(job));
      }
      const JobSpec& job = cluster.jobs[open_job[c]];
      TaskSpec task;
      task.name = absl::StrCat(job.name, "-", sizes[open_job[c]]++);
      task.job = job.name;
      task.shape = classes_[c].shape;
      task.status = TaskStatus::kRunning;
      task.node = cluster.nodes[n].name;
      task.priority = job.priority;
      cluster.tasks.push_back(std::move(task));
      for (size_t d = 0; d < room.size(); ++d) room[d] -= classes_[c].request[d];
      --pods;
    }
  }
}

void Generator::MakePending() {
  Amounts capacity{}, asked{};
  for (const size_t kind : node_types_) {
    const Amounts amounts = AmountsOf(mix_.nodes[kind]);
    for (size_t d = 0; d < capacity.size(); ++d) capacity[d] += amounts[d];
  }
  const auto loaded = [&] {
    for (size_t d = 0; d < capacity.size(); ++d) {
      if (static_cast<double>(asked[d]) >= options_.load * static_cast<double>(capacity[d]) &&
          (capacity[d] > 0 || asked[d] > 0)) {
        return true;
      }
    }
    return capacity[0] == 0;
  };
  int64_t made = 0;
  for (int64_t j = 0;; ++j) {
    if (options_.jobs.has_value()    ? j >= *options_.jobs
        : options_.tasks.has_value() ? made >= *options_.tasks
                                     : loaded()) {
      break;
    }
    GangType gang{1, 1 + static_cast<int64_t>(Draw(static_cast<size_t>(options_.gang))), kAnyType,
                  0};
    const bool rigid = !mix_.gangs.empty();
    if (rigid) gang = mix_.gangs[gang_weights_.Draw(&rng_)];
    if (options_.tasks.has_value()) {
      gang.size = options_.jobs.has_value()
                      ? *options_.tasks / *options_.jobs + (j < *options_.tasks % *options_.jobs)
                      : std::min(gang.size, *options_.tasks - made);
    }
    const TaskClass& task_class = classes_[DrawClass(gang.task_type)];
    JobSpec job;
    job.name = absl::StrCat("j", j);
    job.queue = DrawQueue();
    job.priority = static_cast<int32_t>(10 * Draw(static_cast<size_t>(options_.priorities)));
    // A quarter of the jobs is elastic: it starts with fewer tasks than it has.
    const bool elastic = !rigid && gang.size > 1 && Draw(4) == 0;
    job.min_available =
        elastic ? 1 + static_cast<int64_t>(Draw(static_cast<size_t>(gang.size))) : gang.size;
    job.created = j + 1;
    job.uid_rank = static_cast<int64_t>(scenario_.cluster.jobs.size());
    if (gang.estimate > 0) job.estimate = gang.estimate;
    GroupSpec group;
    group.name = "w";
    group.count = gang.size;
    group.shape = task_class.shape;
    job.groups.push_back(std::move(group));
    scenario_.cluster.jobs.push_back(std::move(job));
    made += gang.size;
    for (size_t d = 0; d < asked.size(); ++d) asked[d] += task_class.request[d] * gang.size;
  }
}

template <class Number>
absl::Status InRange(std::string_view knob, Number value, Number low, Number high) {
  if (value >= low && value <= high) return absl::OkStatus();  // NaN is not
  return absl::InvalidArgumentError(
      absl::StrCat(ToAbsl(knob), ": expected between ", low, " and ", high, ", got ", value));
}

absl::Status CheckKnobs(const GenerateOptions& o) {
  constexpr int64_t kMillion = 1000000;
  const std::vector<std::string_view> mixes = ClusterMixNames();
  if (std::find(mixes.begin(), mixes.end(), o.mix) == mixes.end()) {
    const std::string_view nearest = NearestName(o.mix, mixes);
    return absl::InvalidArgumentError(
        absl::StrCat("mix: unknown mix ", Quote(o.mix),
                     nearest.empty() ? ", expected one of uniform, openb, philly, hpc"
                                     : absl::StrCat(", did you mean ", Quote(nearest), "?")));
  }
  const absl::Status checks[] = {
      InRange<int64_t>("nodes", o.nodes, 0, kMillion),
      InRange<int64_t>("tasks", o.tasks.value_or(0), 0, 100 * kMillion),
      InRange<double>("load", o.load, 0, 100),
      InRange<int64_t>("jobs", o.jobs.value_or(1), o.tasks.value_or(0) > 0 ? 1 : 0, 10 * kMillion),
      InRange<int64_t>("gang", o.gang, 1, kMillion),
      InRange<int64_t>("priorities", o.priorities, 1, 1000),
      InRange<int64_t>("queues", o.queues, 1, 100000),
      InRange<int64_t>("depth", o.depth, 1, 32),
      InRange<int64_t>("types", o.types, 1, 1000),
      InRange<int64_t>("classes", o.classes.value_or(1), 1, 80000),
      InRange<double>("gpu", o.gpu, 0, 1),
      InRange<double>("gpu-share", o.gpu_share, 0, 1),
      InRange<double>("occupancy", o.occupancy, 0, 1),
      InRange<double>("selectors", o.selectors, 0, 1),
      InRange<double>("taints", o.taints, 0, 1),
      InRange<double>("affinity", o.affinity, 0, 1),
      InRange<double>("spread", o.spread, 0, 1),
  };
  for (const absl::Status& status : checks) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Scenario> Generate(const GenerateOptions& options) {
  absl::Status status = CheckKnobs(options);
  if (!status.ok()) return status;
  return Generator(options).Run();
}

}  // namespace muster
